#include <config.h>

#include "common/result/case_text.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json_write.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "common/units/units.h"

enum { MAX_TEXT = 1 << 20 };

/* --- the baseline --------------------------------------------------------- */

/* Under strong scaling the global batch is constant. For time to train each
 * size has its own batch. */
static int
same_batch(const struct result *r, const struct result_case *a,
    const struct result_case *b)
{
	const long x = a->batch_size_per_device, y = b->batch_size_per_device;

	if (text_same(a->unit, "min"))
		return 1;
	if (!result_rule_is_strong(&r->rule))
		return x == y;
	return x != RESULT_UNKNOWN && y != RESULT_UNKNOWN &&
	    x * a->gpus == y * b->gpus;
}

const struct result_case *
case_baseline(const struct result *r, const struct result_case *c)
{
	const struct result_case *found = NULL;

	if (c->baseline == NULL)
		return NULL;
	for (size_t i = 0; i < r->n_cases; i++) {
		const struct result_case *b = &r->cases[i];

		if (!text_same(b->name, c->baseline) ||
		    !text_same(b->unit, c->unit) ||
		    result_case_order(b, c) != 0 || !same_batch(r, b, c))
			continue;
		if (found == NULL || text_same(b->rule, c->rule))
			found = b;
	}
	return found;
}

double
case_within_run(const struct result_case *c)
{
	double half;

	if (c->n != 1 || c->n_runs != 1)
		return NAN;
	half = c->runs[0].audit.half_width;
	/* If the rounding error is larger, it is the interval of the median. */
	return c->median_high - c->median_low > 2 * half * c->median_speed
	    ? NAN
	    : half;
}

/* --- flags ---------------------------------------------------------------- */

size_t
case_flag_codes(const struct result_case *c, enum remark_code *codes)
{
	char has[N_REMARKS] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_flags; k++)
			has[c->runs[i].flags[k].code] = 1;
	for (int code = 0; code < N_REMARKS; code++)
		if (has[code])
			codes[n++] = (enum remark_code)code;
	return n;
}

/* Find the run's flag that differs from this one in numbers only, or NULL. */
static const struct remark *
flag_like(const struct result_run *run, const struct remark *flag)
{
	for (size_t i = 0; i < run->n_flags; i++)
		if (remark_is_alike(&run->flags[i], flag))
			return &run->flags[i];
	return NULL;
}

/* Add the flag, with "..." for numbers that differ between runs, and the number
 * of runs that have it. */
static void
add_sentence(struct strbuf *sb, const struct result_case *c,
    const struct remark *flag, enum language lang)
{
	unsigned varied = 0;
	size_t n = 0;

	for (size_t i = 0; i < c->n_runs; i++) {
		const struct remark *other = flag_like(&c->runs[i], flag);

		if (other == NULL)
			continue;
		n++;
		varied |= remark_varied(flag, other);
	}
	remark_add(sb, flag, varied, lang);
	if (n < c->n_runs) {
		const struct remark of = REMARK(REMARK_OF_RUNS,
		    remark_number((double)n), remark_number((double)c->n_runs));

		remark_add(sb, &of, 0, lang);
	}
}

/* True if an earlier run, or an earlier flag of this run, has the same flag. */
static int
is_repeated(const struct result_case *c, size_t run, size_t flag)
{
	const struct remark *own = &c->runs[run].flags[flag];

	for (size_t i = 0; i <= run; i++) {
		const struct remark *first = flag_like(&c->runs[i], own);

		if (first != NULL)
			return first != own;
	}
	return 0;
}

static int
is_sentence(const void *sentences, size_t i, const void *sentence)
{
	return strcmp(((const char *const *)sentences)[i], sentence) == 0;
}

/* Mark of the i-th sentence (from 0): bijective base 26. */
static const char *
mark_name(size_t i, struct arena *a)
{
	char text[16], *at = text + sizeof text - 1;

	*at = '\0';
	do
		*--at = (char)('a' + i % 26);
	while ((i /= 26) > 0 && i-- > 0);
	return arena_strdup(a, at);
}

static const char *
mark_of(struct case_flags *f, const char *sentence, struct arena *a)
{
	const uint32_t hash = hash_text(0, sentence);
	size_t i = hash_index_find(
	    &f->by_sentence, hash, is_sentence, f->sentences, sentence);

	if (i != HASH_INDEX_NONE)
		return f->marks[i];
	i = f->n++;
	f->sentences =
	    vec_grow(f->sentences, i, &f->alloc, sizeof *f->sentences);
	f->marks = vec_grow(f->marks, i, &f->alloc_marks, sizeof *f->marks);
	f->sentences[i] = arena_strdup(a, sentence);
	f->marks[i] = mark_name(i, a);
	hash_index_add(&f->by_sentence, hash, i);
	return f->marks[i];
}

const char *
case_flags_marks(
    struct case_flags *f, const struct result_case *c, struct arena *a)
{
	struct strbuf marks, sentence;
	const char *text;

	strbuf_init(&marks, MAX_TEXT);
	strbuf_init(&sentence, MAX_TEXT);
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t j = 0; j < c->runs[i].n_flags; j++) {
			if (is_repeated(c, i, j))
				continue;
			strbuf_reset(&sentence);
			add_sentence(
			    &sentence, c, &c->runs[i].flags[j], f->lang);
			strbuf_printf(&marks, "%s%s", marks.len > 0 ? " " : "",
			    mark_of(f, sentence.buf, a));
		}
	text = arena_strdup(a, marks.buf);
	strbuf_release(&marks);
	strbuf_release(&sentence);
	return text;
}

const char *
case_flags_text(const struct result_case *c, struct arena *a)
{
	struct strbuf sb;

	strbuf_init(&sb, MAX_TEXT);
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t j = 0; j < c->runs[i].n_flags; j++) {
			const struct remark *flag = &c->runs[i].flags[j];
			size_t n = 0, earlier = 0;

			for (size_t k = 0; k < c->n_runs; k++) {
				const struct remark *other =
				    flag_like(&c->runs[k], flag);
				const int same = other != NULL &&
				    remark_varied(flag, other) == 0;

				n += (size_t)same;
				earlier += k < i && same;
			}
			if (earlier > 0)
				continue;
			strbuf_addstr(&sb, sb.len > 0 ? "; " : "");
			remark_add(&sb, flag, 0, LANGUAGE_EN);
			if (n < c->n_runs)
				strbuf_printf(
				    &sb, " (%zu of %zu runs)", n, c->n_runs);
		}
	return strbuf_finish(&sb, a);
}

void
case_flags_release(struct case_flags *f)
{
	free(f->sentences);
	free(f->marks);
	hash_index_release(&f->by_sentence);
	*f = (struct case_flags)CASE_FLAGS_INIT(f->lang);
}

/* --- excluded runs -------------------------------------------------------- */

const char *
excluded_rest(
    const struct result_excluded *x, enum language lang, struct arena *a)
{
	const char *why = remark_rest(&x->why, lang, a);

	return x->hint.code == REMARK_NONE
	    ? why
	    : arena_printf(a, "%s%s%s", why, message(MESSAGE_SEMICOLON, lang),
		  remark_text(&x->hint, lang, a));
}

const char *
excluded_place(const struct result_excluded *x, struct arena *a)
{
	const char *place = remark_place(&x->why, a);

	return place != NULL ? place : x->path;
}

const char *
excluded_text(
    const struct result_excluded *x, enum language lang, struct arena *a)
{
	const char *place = remark_place(&x->why, a);
	const char *rest = excluded_rest(x, lang, a);

	return place == NULL ? rest
			     : arena_printf(a, "%s%s%s", place,
				   message(MESSAGE_COLON, lang), rest);
}

/* --- measurement rule ----------------------------------------------------- */

/* Replace the '@' of a message by one or two texts; last may be NULL. */
static const char *
filled_message(struct arena *a, enum message m, enum language lang,
    const char *first, const char *last)
{
	const char *const list[] = { first, last, NULL };
	struct strbuf sb;

	strbuf_init(&sb, MAX_TEXT);
	message_fill(&sb, m, lang, list);
	return strbuf_finish(&sb, a);
}

/* Text for all iterations from first on. */
static const char *
open_end(struct arena *a, long first, enum language lang)
{
	return filled_message(a, MESSAGE_ITERATIONS_FROM, lang,
	    arena_printf(a, "%ld", first), NULL);
}

/* a + b + c with saturation at LONG_MAX; only c may be negative. A result of
 * another program may hold any values. */
static long
add_bounded(long a, long b, long c)
{
	b = b > LONG_MAX - a ? LONG_MAX : a + b;
	return c < 0 || c <= LONG_MAX - b ? b + c : LONG_MAX;
}

/* Text for the positions W0 to W1 - 1. */
static const char *
window_text(struct arena *a, const struct result_rule *rule, enum language lang)
{
	const long skip = rule->skip_iterations, warmup = rule->warmup_batches;
	const long first =
	    add_bounded(skip, warmup != RESULT_UNKNOWN ? warmup : 0, 0);

	if (rule->train_batches == RESULT_UNKNOWN)
		return open_end(a, first, lang);
	return filled_message(a, MESSAGE_ITERATIONS, lang,
	    arena_printf(a, "%ld", first),
	    arena_printf(a, "%ld", add_bounded(skip, rule->train_batches, -1)));
}

/* Add the epoch. "auto" is the first epoch for a window, and all epochs for
 * rule "all", whose text implies that. */
static const char *
add_epoch(struct arena *a, const char *text, const char *epoch, int is_window,
    enum language lang)
{
	if (epoch == NULL)
		return text;
	if (strcmp(epoch, "auto") == 0)
		return is_window ? filled_message(a, MESSAGE_OF_FIRST_EPOCH,
				       lang, text, NULL)
				 : text;
	if (strcmp(epoch, "all") == 0)
		return filled_message(
		    a, MESSAGE_OF_ALL_EPOCHS, lang, text, NULL);
	return filled_message(a, MESSAGE_OF_EPOCH, lang, text, epoch);
}

static const char *
add_aggregate(
    struct arena *a, const char *text, const char *by, enum language lang)
{
	static const struct {
		const char *name;
		enum message m;
	} known[] = { { "time", MESSAGE_BY_TIME }, { "mean", MESSAGE_BY_MEAN },
		{ "median", MESSAGE_BY_MEDIAN } };

	for (size_t i = 0; by != NULL && i < sizeof known / sizeof known[0];
	     i++)
		if (strcmp(by, known[i].name) == 0)
			return filled_message(a, known[i].m, lang, text, NULL);
	return text;
}

const char *
measured_text(struct arena *a, const struct result_rule *rule, const char *name,
    enum language lang)
{
	const char *text;
	int is_window;

	if (name == NULL)
		name = rule->rule;
	if (name == NULL)
		return NULL;
	if (strcmp(name, "summary") == 0)
		return message(MESSAGE_BY_SUMMARY, lang);
	is_window = strcmp(name, "window") == 0;
	if (is_window && rule->skip_iterations != RESULT_UNKNOWN)
		text = window_text(a, rule, lang);
	else if (strcmp(name, "all") == 0)
		text = open_end(a,
		    rule->from_iteration != RESULT_UNKNOWN
			? rule->from_iteration
			: 0,
		    lang);
	else /* published without options, or another rule */
		return filled_message(a, MESSAGE_RULE_NAMED, lang, name, NULL);
	text = add_epoch(a, text, rule->epoch, is_window, lang);
	return add_aggregate(a, text, rule->aggregate, lang);
}

const char *
within_run_text(
    struct arena *a, const struct result_case *c, enum language lang)
{
	char half[UNITS_TEXT_SIZE];
	const double width = case_within_run(c);

	if (isnan(width))
		return NULL;
	return filled_message(a, MESSAGE_WITHIN, lang,
	    percent_format(half, width, width < 0.0995 ? 2 : 0), NULL);
}

/* --- columns -------------------------------------------------------------- */

static const char *const heads[] = { "n", "median_level", "baseline",
	"speedup_level", "confidence", "rule", "measured" };

enum { N_HEADS = sizeof heads / sizeof heads[0] };

/* Text of a case in this column, or NULL. */
static const char *
column_text(struct arena *a, const struct measured_case *m, const char *head)
{
	char number[JSON_DOUBLE_SIZE];
	const char *text;
	double x = NAN;

	if (strcmp(head, "n") == 0)
		return m->c->n == RESULT_UNKNOWN
		    ? NULL
		    : arena_printf(a, "%ld", m->c->n);
	if (strcmp(head, "baseline") == 0)
		return m->c->baseline;
	if (strcmp(head, "rule") == 0)
		return m->rule != NULL ? m->rule : m->c->rule;
	if (strcmp(head, "measured") == 0) {
		text = measured_text(a, m->options, m->c->rule, LANGUAGE_EN);
		return text == NULL && m->is_published
		    ? message(MESSAGE_RULE_UNKNOWN, LANGUAGE_EN)
		    : text;
	}
	if (strcmp(head, "median_level") == 0)
		x = m->c->median_level;
	else if (strcmp(head, "speedup_level") == 0)
		x = m->c->speedup_level;
	else if (!m->is_published)
		x = m->options->confidence;
	return isfinite(x) ? arena_strdup(a, json_double(number, x)) : NULL;
}

static int
is_among(const char *text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] != NULL && strcmp(list[i], text) == 0)
			return 1;
	return 0;
}

void
measured_columns_add(struct table *t)
{
	for (int i = 0; i < N_HEADS; i++) {
		size_t k = 0;

		while (k < t->n_columns &&
		    strcmp(t->columns[k].head, heads[i]) != 0)
			k++;
		if (k == t->n_columns)
			table_column(t, heads[i], NULL, TABLE_LEFT);
	}
}

void
measured_columns_fill(
    struct table *t, const struct measured_case *cases, size_t n)
{
	const struct table_row *row = &t->rows[t->n_rows - 1];
	struct arena a = ARENA_INIT;
	const char **texts = arena_calloc(&a, n + 1, sizeof *texts);
	struct strbuf sb;

	strbuf_init(&sb, MAX_TEXT);
	while (row->n_cells < t->n_columns) {
		const char *head = t->columns[row->n_cells].head;

		assert(is_among(head, heads, N_HEADS));
		strbuf_reset(&sb);
		for (size_t i = 0; i < n; i++) {
			texts[i] = column_text(&a, &cases[i], head);
			if (texts[i] != NULL && !is_among(texts[i], texts, i))
				strbuf_printf(&sb, "%s%s",
				    sb.len > 0 ? "; " : "", texts[i]);
		}
		table_cell(t, sb.buf);
	}
	strbuf_release(&sb);
	arena_release(&a);
}
