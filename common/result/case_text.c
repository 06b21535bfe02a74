#include <config.h>

#include "common/result/case_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "common/text.h"

/* --- excluded runs -------------------------------------------------------- */

/* A sentence that states why a run is excluded, followed by the hint if any. */
static const char *
with_hint(const struct result_excluded *x, const char *why, enum language lang,
    struct arena *a)
{
	return x->hint.code == REMARK_NONE
	    ? why
	    : arena_printf(a, "%s%s%s", why, message(MESSAGE_SEMICOLON, lang),
		  remark_text(&x->hint, lang, a));
}

const char *
excluded_text(
    const struct result_excluded *x, enum language lang, struct arena *a)
{
	return with_hint(x, remark_text(&x->why, lang, a), lang, a);
}

struct excluded_group *
excluded_groups(
    const struct result *r, enum language lang, struct arena *a, size_t *n)
{
	struct excluded_group *groups =
	    arena_calloc(a, r->n_excluded, sizeof *groups);
	const char **words = arena_calloc(a, r->n_excluded, sizeof *words);
	struct hash_index by_words = HASH_INDEX_INIT;

	*n = 0;
	for (size_t i = 0; i < r->n_excluded; i++) {
		const struct result_excluded *x = &r->excluded[i];
		struct remark why = x->why;
		const char *place = remark_take_place(&why, a);
		size_t g;

		words[*n] = with_hint(x, remark_text(&why, lang, a), lang, a);
		g = hash_index_first(&by_words, words, *n);
		if (g == *n)
			groups[(*n)++] = (struct excluded_group){ x->reason,
				place != NULL ? place : x->path, words[g], 0 };
		groups[g].n++;
	}
	for (size_t g = 0; g < *n; g++)
		if (groups[g].n > 1)
			groups[g].place = text_fill(a,
			    message(MESSAGE_AND_MORE, lang), groups[g].place,
			    arena_printf(a, "%zu", groups[g].n - 1));
	hash_index_release(&by_words);
	return groups;
}

/* --- measurement rule ----------------------------------------------------- */

static const char *
rule_words(struct arena *a, const struct result_rule *rule, const char *name,
    enum language lang)
{
	static const struct {
		const char *name;
		enum message m;
	} aggregates[] = { { "time", MESSAGE_BY_TIME },
		{ "mean", MESSAGE_BY_MEAN }, { "median", MESSAGE_BY_MEDIAN } };
	/* 0 if unknown. A double cannot overflow: a result of another program
	 * may hold any values. */
	const double skip = fmax(0, (double)rule->skip_iterations);
	double first = skip + fmax(0, (double)rule->warmup_batches);
	int is_window, is_auto;
	const char *text, *last = NULL;

	if (name == NULL)
		name = rule->rule;
	if (name == NULL)
		return NULL;
	if (strcmp(name, "summary") == 0)
		return message(MESSAGE_BY_SUMMARY, lang);
	is_window = strcmp(name, "window") == 0;
	/* Rule "window" with unknown options, or a rule other than "all". */
	if (is_window ? rule->skip_iterations == RESULT_UNKNOWN
		      : strcmp(name, "all") != 0)
		return text_fill(a, message(MESSAGE_RULE_NAMED, lang), name);
	if (!is_window)
		first = fmax(0, (double)rule->from_iteration);
	else if (rule->train_batches != RESULT_UNKNOWN)
		last = arena_printf(
		    a, "%.0f", skip + (double)rule->train_batches - 1);
	text = text_fill(a,
	    message(last != NULL ? MESSAGE_ITERATIONS : MESSAGE_ITERATIONS_FROM,
		lang),
	    arena_printf(a, "%.0f", first), last);
	/* "auto" is the first epoch for a window, and all epochs for rule
	 * "all", whose text implies that. */
	is_auto = text_same(rule->epoch, "auto");
	if (rule->epoch != NULL && (is_window || !is_auto))
		text = text_fill(a,
		    message(is_auto ? MESSAGE_OF_FIRST_EPOCH
			    : strcmp(rule->epoch, "all") == 0
			    ? MESSAGE_OF_ALL_EPOCHS
			    : MESSAGE_OF_EPOCH,
			lang),
		    text, rule->epoch);
	for (size_t i = 0; i < sizeof aggregates / sizeof aggregates[0]; i++)
		if (text_same(rule->aggregate, aggregates[i].name))
			text =
			    text_fill(a, message(aggregates[i].m, lang), text);
	return text;
}

enum message
case_headline(const struct result_case *c)
{
	return c->score != NULL ? MESSAGE_OLYMPIC_MEAN : MESSAGE_MEDIAN;
}

const char *
measured_text(struct arena *a, const struct result_rule *rule, const char *name,
    enum language lang)
{
	const char *text = rule_words(a, rule, name, lang);

	return text == NULL || rule->protocol == NULL
	    ? text
	    : text_fill(
		  a, message(MESSAGE_BY_PROTOCOL, lang), text, rule->protocol);
}

/* --- flags ---------------------------------------------------------------- */

enum { MAX_TEXT = 1 << 20 };

/* Largest efficiency that the noise of two single runs can explain, for cases
 * without an interval. */
#define EFFICIENCY_WITHOUT_DOUBT 1.05

/* Find the next flag of the kind that of_speedup selects: first those of the
 * runs, then the case's own. Returns NULL after the last.
 *
 * run  index of the run; c->n_runs: the case itself; starts with 0
 * k    index of the next flag of that run; starts with 0 */
static const struct remark *
next_flag(const struct result_case *c, int of_speedup, size_t *run, size_t *k)
{
	for (; *run < c->n_runs + (of_speedup != 0); ++*run, *k = 0) {
		const int own = *run == c->n_runs;
		const struct remark *f = own ? c->flags : c->runs[*run].flags;
		const size_t n = own ? c->n_flags : c->runs[*run].n_flags;

		while (*k < n &&
		    (of_speedup == ALL_FLAGS
			    ? text_same(
				  remark_rows[f[*k].code].reason, FLAG_DETAIL)
			    : !remark_is_doubt(&f[*k])))
			++*k;
		if (*k < n)
			return &f[(*k)++];
	}
	return NULL;
}

int
case_is_doubtful(const struct result_case *c, int of_speedup)
{
	size_t run = 0, k = 0;

	return next_flag(c, of_speedup, &run, &k) != NULL;
}

/* Extend the range between two remarks to the numbers of r, which is of the
 * same kind. Numbers are compared without their signs. */
static void
widen(struct remark *from, struct remark *to, const struct remark *r)
{
	for (size_t i = 0; i < REMARK_MAX_ARGS; i++) {
		const double x = fabs(r->args[i].number);

		if (!remark_is_number(remark_parameter(r->code, i).type))
			continue;
		if (x < fabs(from->args[i].number))
			from->args[i] = r->args[i];
		if (x > fabs(to->args[i].number))
			to->args[i] = r->args[i];
	}
}

/* Add flag x to the list, or count it again unless x->last, a run or a case,
 * was the last one counted for it. Returns the flag in the list. */
static struct case_flag *
count_flag(struct case_flags *f, const struct case_flag *x, struct arena *a)
{
	struct case_flag *own;
	size_t i;

	f->keys = arena_grow(a, f->keys, f->n, sizeof *f->keys);
	f->keys[f->n] = arena_printf(a, "%s\n%s", remark_key(&x->from, a),
	    x->side != NULL ? x->side : "");
	i = hash_index_first(&f->known, f->keys, f->n);
	if (i == f->n) {
		f->items = arena_grow(a, f->items, f->n, sizeof *f->items);
		f->items[f->n] = *x;
		return &f->items[f->n++];
	}
	own = &f->items[i];
	if (own->last != x->last) {
		widen(&own->from, &own->to, &x->from);
		widen(&own->from, &own->to, &x->to);
		own->n += x->n;
		own->n_runs += x->n_runs;
		own->last = x->last;
	}
	return own;
}

struct case_flag *
case_doubts(
    const struct result_case *c, int of_speedup, struct arena *a, size_t *n)
{
	struct case_flags l = CASE_FLAGS_INIT(LANGUAGE_EN);
	const struct remark *f;

	for (size_t run = 0, k = 0;
	     (f = next_flag(c, of_speedup, &run, &k)) != NULL;)
		count_flag(&l,
		    &(struct case_flag){ .from = *f,
			.to = *f,
			.n = run < c->n_runs,
			.last =
			    run < c->n_runs ? (const void *)&c->runs[run] : c },
		    a);
	for (size_t i = 0; i < l.n; i++)
		l.items[i].n_runs = c->n_runs;
	hash_index_release(&l.known);
	*n = l.n;
	return l.items;
}

void
case_flag_speedup(
    struct result_case *c, const struct result_case *b, struct arena *a)
{
	const double low = c->efficiency * c->speedup_low / c->speedup;
	struct case_flag *doubts, *first;
	size_t n, n_doubtful = 0;

	c->n_flags = 0;
	if (!isfinite(c->speedup) || b == c)
		return;
	c->flags = arena_calloc(a, 2, sizeof *c->flags);
	doubts = first = case_doubts(b, 0, a, &n);
	for (size_t i = 1; i < n; i++)
		if (doubts[i].n > first->n)
			first = &doubts[i];
	for (size_t run = 0, k = 0; next_flag(b, 0, &run, &k) != NULL;
	     run++, k = 0)
		n_doubtful++;
	if (n > 0)
		c->flags[c->n_flags++] = REMARK(REMARK_BASELINE_DOUBT,
		    remark_name(b->name), remark_count(n_doubtful),
		    remark_count(b->n_runs), remark_inner(&first->from),
		    remark_number(n > 1 ? (double)(n - 1) : NAN));
	if (isfinite(low) ? low > 1 : c->efficiency > EFFICIENCY_WITHOUT_DOUBT)
		c->flags[c->n_flags++] = REMARK(REMARK_EFFICIENCY_HIGH,
		    remark_number(100 * c->efficiency),
		    remark_number(100 * low), remark_number(100));
}

const char *
case_flag_text(const struct case_flag *f, enum language lang, struct arena *a)
{
	struct strbuf sb = STRBUF_INIT(MAX_TEXT);

	if (f->side != NULL)
		strbuf_printf(
		    &sb, "%s%s", f->side, message(MESSAGE_COLON, lang));
	remark_add(&sb, &f->from, &f->to, lang);
	if (f->n > 0 && (f->side != NULL || f->n < f->n_runs))
		remark_add(&sb,
		    &REMARK(REMARK_OF_RUNS, remark_count(f->n),
			remark_count(f->n_runs)),
		    NULL, lang);
	return strbuf_finish(&sb, a);
}

/* --- marks in tables ------------------------------------------------------ */

static int
mark_order(const void *x, const void *y)
{
	const char *a = *(const char *const *)x, *b = *(const char *const *)y;
	const size_t n = strlen(a), m = strlen(b);

	return n != m ? (n > m) - (n < m) : strcmp(a, b);
}

const char *
case_flags_marks(struct case_flags *f, const struct result_case *c,
    int of_speedup, const char *side, struct arena *a)
{
	struct strbuf all = STRBUF_INIT(MAX_TEXT);
	size_t n;
	struct case_flag *list = case_doubts(c, of_speedup, a, &n);
	const char **marks = arena_calloc(a, n, sizeof *marks);

	for (size_t i = 0; i < n; i++) {
		char text[16] = "", *at = text + sizeof text - 1;
		size_t k = f->n; /* of a new flag */
		struct case_flag *own;

		list[i].side = side;
		list[i].last = c;
		own = count_flag(f, &list[i], a);
		/* Bijective base 26. */
		do
			*--at = (char)('a' + k % 26);
		while ((k /= 26) > 0 && k-- > 0);
		if (own->mark == NULL)
			own->mark = arena_strdup(a, at);
		marks[i] = own->mark;
	}
	if (n > 0)
		qsort(marks, n, sizeof *marks, mark_order);
	for (size_t i = 0; i < n; i++)
		strbuf_printf(&all, "%s%s", i > 0 ? " " : "", marks[i]);
	return strbuf_finish(&all, a);
}

const char *
case_doubts_text(const struct result_case *c, int of_speedup, const char *side,
    enum language lang, struct arena *a)
{
	struct strbuf all = STRBUF_INIT(MAX_TEXT);
	size_t n;
	struct case_flag *list = case_doubts(c, of_speedup, a, &n);

	for (size_t i = 0; i < n; i++) {
		list[i].side = side;
		strbuf_printf(&all, "%s%s", i > 0 ? "; " : "",
		    case_flag_text(&list[i], lang, a));
	}
	return strbuf_finish(&all, a);
}

void
case_flags_release(struct case_flags *f)
{
	hash_index_release(&f->known);
	*f = CASE_FLAGS_INIT(f->lang);
}
