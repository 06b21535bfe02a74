#include <config.h>

#include "common/result/case_flags.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "common/text.h"

enum { MAX_TEXT = 1 << 20 };

/* Efficiency of a case without an interval up to which the noise of two single
 * runs explains what is above 1. */
#define EFFICIENCY_WITHOUT_DOUBT 1.05

/* Which flags of a case are listed, and what makes two of them one. */
enum flag_choice {
	ALL_FLAGS,
	EXACT_FLAGS, /* all; flags with other numbers are other flags */
	DOUBTS,
	DOUBTS_OF_RUNS /* without those of the case */
};

int
case_is_flagged(const struct result_case *c)
{
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_flags; k++)
			if (!remark_is_detail(&c->runs[i].flags[k]))
				return 1;
	return c->n_flags > 0;
}

static int
has_doubt(const struct remark *flags, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (remark_is_doubt(&flags[i]))
			return 1;
	return 0;
}

/* Number of doubtful runs, up to `most`. */
static size_t
doubtful_runs(const struct result_case *c, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_runs && n < most; i++)
		n += (size_t)has_doubt(c->runs[i].flags, c->runs[i].n_flags);
	return n;
}

int
case_is_doubtful(const struct result_case *c, int of_speedup)
{
	return doubtful_runs(c, 1) > 0 ||
	    (of_speedup && has_doubt(c->flags, c->n_flags));
}

static struct case_flag *
list_flags(const struct result_case *c, enum flag_choice choice,
    struct arena *a, size_t *n)
{
	const int all = choice == ALL_FLAGS || choice == EXACT_FLAGS;
	struct hash_index known = HASH_INDEX_INIT;
	size_t most = c->n_flags, *last; /* last run with each */
	struct case_flag *list;
	const char **keys;

	for (size_t i = 0; i < c->n_runs; i++)
		most += c->runs[i].n_flags;
	list = arena_calloc(a, most, sizeof *list);
	keys = xcalloc(most + 1, sizeof *keys);
	last = xcalloc(most + 1, sizeof *last);
	*n = 0;
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_flags; k++) {
			const struct remark *flag = &c->runs[i].flags[k];
			size_t at;

			if (all ? remark_is_detail(flag)
				: !remark_is_doubt(flag))
				continue;
			keys[*n] = remark_key(flag, choice == EXACT_FLAGS, a);
			at = hash_index_first(&known, keys, *n);
			if (at == *n)
				list[(*n)++] =
				    (struct case_flag){ *flag, *flag, 0 };
			else if (last[at] == i)
				continue;
			remark_widen(&list[at].from, &list[at].to, flag);
			list[at].n++;
			last[at] = i;
		}
	for (size_t i = 0; choice != DOUBTS_OF_RUNS && i < c->n_flags; i++)
		if (all || remark_is_doubt(&c->flags[i]))
			list[(*n)++] =
			    (struct case_flag){ c->flags[i], c->flags[i], 0 };
	hash_index_release(&known);
	free(keys);
	free(last);
	return list;
}

struct case_flag *
case_doubts(
    const struct result_case *c, int of_speedup, struct arena *a, size_t *n)
{
	return list_flags(c, of_speedup ? DOUBTS : DOUBTS_OF_RUNS, a, n);
}

static void
add_flag(struct result_case *c, const struct remark *flag, struct arena *a)
{
	c->flags = arena_longer(a, c->flags, c->n_flags, sizeof *c->flags);
	c->flags[c->n_flags++] = *flag;
}

void
case_flag_speedup(
    struct result_case *c, const struct result_case *b, struct arena *a)
{
	const double low = c->efficiency * c->speedup_low / c->speedup;
	struct case_flag *doubts, *first;
	size_t n;

	c->n_flags = 0;
	if (!isfinite(c->speedup) || b == c)
		return;
	doubts = first = case_doubts(b, 0, a, &n);
	for (size_t i = 1; i < n; i++)
		if (doubts[i].n > first->n)
			first = &doubts[i];
	if (n > 0)
		add_flag(c,
		    &REMARK(REMARK_BASELINE_DOUBT, remark_name(b->name),
			remark_count(doubtful_runs(b, b->n_runs)),
			remark_count(b->n_runs), remark_inner(&first->from),
			remark_number(n > 1 ? (double)(n - 1) : NAN)),
		    a);
	if (isfinite(low) ? low > 1 : c->efficiency > EFFICIENCY_WITHOUT_DOUBT)
		add_flag(c,
		    &REMARK(REMARK_EFFICIENCY_HIGH,
			remark_number(100 * c->efficiency),
			remark_number(100 * low), remark_number(100)),
		    a);
}

/* "new: stalls take 40 % of the time (2 of 6 runs)". The number is left out if
 * all runs have the flag and no side is given. */
static const char *
flag_text(const struct case_flag *f, size_t n_runs, const char *side,
    enum language lang, struct arena *a)
{
	struct strbuf sb;

	strbuf_init(&sb, MAX_TEXT);
	if (side != NULL)
		strbuf_printf(&sb, "%s%s", side, message(MESSAGE_COLON, lang));
	remark_add(&sb, &f->from, &f->to, lang);
	if (f->n > 0 && (side != NULL || f->n < n_runs))
		remark_add(&sb,
		    &REMARK(REMARK_OF_RUNS, remark_count(f->n),
			remark_count(n_runs)),
		    NULL, lang);
	return strbuf_finish(&sb, a);
}

const char *
case_flag_text(const struct case_flag *f, const struct result_case *c,
    enum language lang, struct arena *a)
{
	return flag_text(f, c->n_runs, NULL, lang, a);
}

/* --- marks in tables ------------------------------------------------------ */

static int
has_key(const void *flags, size_t i, const void *key)
{
	return strcmp(((const struct table_flag *)flags)[i].key, key) == 0;
}

/* Mark of the i-th flag (from 0): bijective base 26. */
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

static int
mark_order(const void *x, const void *y)
{
	const char *a = *(const char *const *)x, *b = *(const char *const *)y;
	const size_t n = strlen(a), m = strlen(b);

	return n != m ? (n > m) - (n < m) : strcmp(a, b);
}

/* Add a flag of a case to those of the table, and return its mark. */
static const char *
mark_of(struct case_flags *f, const struct case_flag *flag,
    const struct result_case *c, const char *side, struct arena *a)
{
	const char *key = arena_printf(a, "%s\n%s",
	    remark_key(&flag->from, 0, a), side != NULL ? side : "");
	const uint32_t hash = hash_text(0, key);
	const size_t i =
	    hash_index_find(&f->known, hash, has_key, f->items, key);
	struct table_flag *old;

	if (i == HASH_INDEX_NONE) {
		f->items =
		    vec_grow(f->items, f->n, &f->alloc, sizeof *f->items);
		f->items[f->n] = (struct table_flag){ *flag, c->n_runs, side,
			key, mark_name(f->n, a), c };
		hash_index_add(&f->known, hash, f->n);
		return f->items[f->n++].mark;
	}
	old = &f->items[i];
	if (old->last != c) {
		remark_widen(&old->flag.from, &old->flag.to, &flag->from);
		remark_widen(&old->flag.from, &old->flag.to, &flag->to);
		old->flag.n += flag->n;
		old->n_runs += c->n_runs;
		old->last = c;
	}
	return old->mark;
}

const char *
case_flags_sentence(const struct case_flags *f, size_t i, struct arena *a)
{
	const struct table_flag *x = &f->items[i];

	return flag_text(&x->flag, x->n_runs, x->side, f->lang, a);
}

/* Marks, or for f NULL sentences, of the chosen flags. */
static const char *
marks_of(struct case_flags *f, const struct result_case *c,
    enum flag_choice choice, const char *side, enum language lang,
    struct arena *a)
{
	struct arena own = ARENA_INIT;
	struct strbuf marks;
	size_t n;
	const struct case_flag *list = list_flags(c, choice, &own, &n);

	const char **texts = arena_calloc(&own, n, sizeof *texts);

	for (size_t i = 0; i < n; i++)
		texts[i] = f != NULL
		    ? mark_of(f, &list[i], c, side, a)
		    : flag_text(&list[i], c->n_runs, side, lang, &own);
	if (f != NULL && n > 0)
		qsort(texts, n, sizeof *texts, mark_order);
	strbuf_init(&marks, MAX_TEXT);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			strbuf_addstr(&marks, f != NULL ? " " : "; ");
		strbuf_addstr(&marks, texts[i]);
	}
	arena_release(&own);
	return strbuf_finish(&marks, a);
}

const char *
case_flags_marks(
    struct case_flags *f, const struct result_case *c, struct arena *a)
{
	return f == NULL ? marks_of(NULL, c, EXACT_FLAGS, NULL, LANGUAGE_EN, a)
			 : marks_of(f, c, ALL_FLAGS, NULL, f->lang, a);
}

const char *
case_doubts_marks(struct case_flags *f, const struct result_case *c,
    int of_speedup, const char *side, struct arena *a)
{
	return marks_of(
	    f, c, of_speedup ? DOUBTS : DOUBTS_OF_RUNS, side, f->lang, a);
}

const char *
case_doubts_text(const struct result_case *c, int of_speedup, const char *side,
    enum language lang, struct arena *a)
{
	return marks_of(
	    NULL, c, of_speedup ? DOUBTS : DOUBTS_OF_RUNS, side, lang, a);
}

void
case_flags_release(struct case_flags *f)
{
	free(f->items);
	hash_index_release(&f->known);
	*f = (struct case_flags)CASE_FLAGS_INIT(f->lang);
}
