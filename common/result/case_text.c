/* Texts about cases.  Called by the tables of extract, report and plots; knows
 * no table. */
#include <config.h>

#include "common/result/case_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "common/text.h"

enum { MAX_TEXT = 1 << 20 };

/* --- the baseline --------------------------------------------------------- */

static int
same_labels(const struct result_case *a, const struct result_case *b)
{
	if (a->n_labels != b->n_labels)
		return 0;
	for (size_t i = 0; i < a->n_labels; i++)
		if (!text_same(a->labels[i].key, b->labels[i].key) ||
		    !text_same(a->labels[i].value, b->labels[i].value))
			return 0;
	return 1;
}

/* Under strong scaling all devices together have the same batch; where time to
 * train is measured, each size takes its own. */
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
		    !text_same(b->framework, c->framework) ||
		    !text_same(b->model, c->model) ||
		    !text_same(b->precision, c->precision) ||
		    !text_same(b->unit, c->unit) || !same_labels(b, c) ||
		    !same_batch(r, b, c))
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
	/* What rounding hides may be more, and is the median's interval. */
	return c->median_high - c->median_low > 2 * half * c->median_speed
	    ? NAN
	    : half;
}

/* --- flags ---------------------------------------------------------------- */

/* Bytes of the number that s begins with. */
static size_t
number_length(const char *s)
{
	const size_t n = strspn(s, "0123456789.");

	return n > 0 && s[0] != '.' ? n : 0;
}

/* Are the flags equal, but for numbers? */
static int
is_alike(const char *a, const char *b)
{
	while (*a != '\0' && *b != '\0') {
		const size_t m = number_length(a), n = number_length(b);

		if ((m > 0) != (n > 0) || (m == 0 && *a != *b))
			return 0;
		a += m > 0 ? m : 1;
		b += n > 0 ? n : 1;
	}
	return *a == *b;
}

/* The flag of a run that is like this one, or NULL. */
static const char *
flag_like(const struct result_run *run, const char *flag)
{
	for (size_t j = 0; j < run->n_flags; j++)
		if (is_alike(run->flags[j], flag))
			return run->flags[j];
	return NULL;
}

/* Is the k-th number of the flag another one in some run of the case? */
static int
is_varied(const struct result_case *c, const char *flag, size_t k)
{
	for (size_t i = 0; i < c->n_runs; i++) {
		const char *a = flag, *b = flag_like(&c->runs[i], flag);
		size_t seen = 0;

		while (b != NULL && *a != '\0') {
			const size_t m = number_length(a);
			const size_t n = number_length(b);

			if (m > 0 && seen++ == k &&
			    (m != n || memcmp(a, b, n) != 0))
				return 1;
			a += m > 0 ? m : 1;
			b += n > 0 ? n : 1;
		}
	}
	return 0;
}

/* The flag, with dots for the numbers that differ from run to run, and how many
 * runs have it. */
static void
add_sentence(struct strbuf *sb, const struct result_case *c, const char *flag)
{
	size_t k = 0, n = 0;

	for (const char *p = flag; *p != '\0';) {
		const size_t len = number_length(p);

		if (len > 0 && is_varied(c, flag, k++))
			strbuf_addstr(sb, "...");
		else
			strbuf_add(sb, p, len > 0 ? len : 1);
		p += len > 0 ? len : 1;
	}
	for (size_t i = 0; i < c->n_runs; i++)
		n += flag_like(&c->runs[i], flag) != NULL;
	if (n < c->n_runs)
		strbuf_printf(sb, " (%zu of %zu runs)", n, c->n_runs);
}

/* Did an earlier run, or an earlier flag of this run, state the same? */
static int
is_repeated(const struct result_case *c, size_t run, size_t flag)
{
	const char *text = c->runs[run].flags[flag];

	for (size_t i = 0; i < run; i++)
		if (flag_like(&c->runs[i], text) != NULL)
			return 1;
	for (size_t k = 0; k < flag; k++)
		if (is_alike(c->runs[run].flags[k], text))
			return 1;
	return 0;
}

static int
is_sentence(const void *sentences, size_t i, const void *sentence)
{
	return strcmp(((const char *const *)sentences)[i], sentence) == 0;
}

/* The mark of the i-th sentence, i from 0: digits of base 26 without a zero. */
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
			add_sentence(&sentence, c, c->runs[i].flags[j]);
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
	const char *text;

	strbuf_init(&sb, MAX_TEXT);
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t j = 0; j < c->runs[i].n_flags; j++) {
			const char *flag = c->runs[i].flags[j];
			size_t n = 0, before = 0;

			for (size_t k = 0; k < c->n_runs; k++)
				for (size_t m = 0; m < c->runs[k].n_flags; m++)
					if (strcmp(c->runs[k].flags[m], flag) ==
					    0) {
						n++;
						before += k < i;
						break;
					}
			if (before > 0)
				continue;
			strbuf_printf(
			    &sb, "%s%s", sb.len > 0 ? "; " : "", flag);
			if (n < c->n_runs)
				strbuf_printf(
				    &sb, " (%zu of %zu runs)", n, c->n_runs);
		}
	text = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	return text;
}

void
case_flags_release(struct case_flags *f)
{
	free(f->sentences);
	free(f->marks);
	hash_index_release(&f->by_sentence);
	*f = (struct case_flags)CASE_FLAGS_INIT;
}
