#include <config.h>

#include "common/result/case_flags.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"

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

/* Flags of a case while they are listed. */
struct flag_list {
	struct case_flag *items;
	size_t *last; /* index of the last run with each */
	size_t n;
	int exact;
};

static int
is_like_flag(const void *list, size_t i, const void *flag)
{
	const struct flag_list *l = list;

	return remark_is_alike(l->items[i].flag, flag) &&
	    (!l->exact || remark_varied(l->items[i].flag, flag) == 0);
}

static struct case_flag *
list_flags(const struct result_case *c, enum flag_choice choice,
    struct arena *a, size_t *n)
{
	const int all = choice == ALL_FLAGS || choice == EXACT_FLAGS;
	struct flag_list l = { .exact = choice == EXACT_FLAGS };
	struct hash_index known = HASH_INDEX_INIT;
	size_t most = c->n_flags;

	for (size_t i = 0; i < c->n_runs; i++)
		most += c->runs[i].n_flags;
	l.items = arena_calloc(a, most, sizeof *l.items);
	l.last = xcalloc(most + 1, sizeof *l.last);
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_flags; k++) {
			const struct remark *flag = &c->runs[i].flags[k];
			const uint32_t hash = remark_hash(flag, l.exact);
			size_t at;

			if (all ? remark_is_detail(flag)
				: !remark_is_doubt(flag))
				continue;
			at = hash_index_find(
			    &known, hash, is_like_flag, &l, flag);
			if (at == HASH_INDEX_NONE) {
				at = l.n++;
				l.items[at] =
				    (struct case_flag){ .flag = flag };
				hash_index_add(&known, hash, at);
			} else if (l.last[at] == i) {
				continue;
			}
			l.items[at].varied |=
			    remark_varied(l.items[at].flag, flag);
			l.items[at].n++;
			l.last[at] = i;
		}
	for (size_t i = 0; choice != DOUBTS_OF_RUNS && i < c->n_flags; i++)
		if (all || remark_is_doubt(&c->flags[i]))
			l.items[l.n++] =
			    (struct case_flag){ .flag = &c->flags[i] };
	hash_index_release(&known);
	free(l.last);
	*n = l.n;
	return l.items;
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
			remark_count(b->n_runs), remark_inner(first->flag),
			remark_number(n > 1 ? (double)(n - 1) : NAN)),
		    a);
	if (isfinite(low) ? low > 1 : c->efficiency > EFFICIENCY_WITHOUT_DOUBT)
		add_flag(c,
		    &REMARK(REMARK_EFFICIENCY_HIGH,
			remark_number(100 * c->efficiency),
			remark_number(100 * low), remark_number(100)),
		    a);
}

const char *
case_flag_text(const struct case_flag *f, const struct result_case *c,
    enum language lang, struct arena *a)
{
	struct strbuf sb;

	strbuf_init(&sb, MAX_TEXT);
	remark_add(&sb, f->flag, f->varied, lang);
	if (f->n > 0 && f->n < c->n_runs)
		remark_add(&sb,
		    &REMARK(REMARK_OF_RUNS, remark_count(f->n),
			remark_count(c->n_runs)),
		    0, lang);
	return strbuf_finish(&sb, a);
}

/* "new: stalls take 40 % of the time (6 of 6 runs)" */
static const char *
text_of_side(const struct case_flag *f, const struct result_case *c,
    const char *side, enum language lang, struct arena *a)
{
	const struct remark all =
	    REMARK(REMARK_OF_RUNS, remark_count(f->n), remark_count(c->n_runs));

	return arena_printf(a, "%s%s%s%s", side, message(MESSAGE_COLON, lang),
	    case_flag_text(f, c, lang, a),
	    f->n == c->n_runs ? remark_text(&all, lang, a) : "");
}

/* --- marks in tables ------------------------------------------------------ */

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

	strbuf_init(&marks, MAX_TEXT);
	for (size_t i = 0; i < n; i++) {
		const char *text = side == NULL
		    ? case_flag_text(&list[i], c, lang, &own)
		    : text_of_side(&list[i], c, side, lang, &own);

		if (i > 0)
			strbuf_addstr(&marks, f != NULL ? " " : "; ");
		strbuf_addstr(&marks, f != NULL ? mark_of(f, text, a) : text);
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
	free(f->sentences);
	free(f->marks);
	hash_index_release(&f->by_sentence);
	*f = (struct case_flags)CASE_FLAGS_INIT(f->lang);
}
