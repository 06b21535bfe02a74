/* Which case of another result one is compared with: the one that a look at all
 * of them finds, of many cases without such a look. */
#include <config.h>

#include "common/series/case_partners.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/alloc.h"
#include "common/text.h"
#include "tests/tap.h"

enum { MAX_SERIES = 12, MAX_POINTS = 3 };

static struct result_file files[2];
static struct result_case cases[MAX_SERIES][MAX_POINTS];
static struct series_point points[MAX_SERIES][MAX_POINTS];
static struct series items[MAX_SERIES];
static struct series_set set = { .n_keys = SERIES_LABELS + 1 };

/* A list without an end of small numbers that look random (Lehmer 1951). */
static unsigned
next_random(unsigned *state, unsigned below)
{
	*state = (unsigned)((uint64_t)*state * 48271 % 2147483647);
	return *state % below;
}

static void
fill_set(unsigned *state)
{
	static const char *const texts[] = { NULL, "a", "b", "" };
	static const enum series_key keys[] = { SERIES_FRAMEWORK, SERIES_BATCH,
		SERIES_GLOBAL_BATCH, SERIES_RULE, SERIES_LABELS };

	set.items = items;
	set.n = 1 + next_random(state, MAX_SERIES);
	for (size_t i = 0; i < set.n; i++) {
		const unsigned file = next_random(state, 2);

		items[i] = (struct series){ .points = points[i],
			.n_points = 1 + next_random(state, MAX_POINTS) };
		for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
			items[i].values[keys[k]] =
			    texts[next_random(state, k < 2 ? 3 : 2)];
		items[i].values[SERIES_SOURCE] = file == 0 ? "old" : "new";
		for (size_t k = 0; k < items[i].n_points; k++) {
			struct result_case *c = &cases[i][k];

			result_case_init(c);
			c->nodes = 1;
			c->gpus = next_random(state, 3) > 0
			    ? (long)next_random(state, 2)
			    : RESULT_UNKNOWN;
			c->name = texts[next_random(state, 4)];
			points[i][k] =
			    (struct series_point){ .source = &files[file],
				    .c = c };
		}
	}
}

static int
is_alike(const struct series *a, const struct series *b, int but_batch)
{
	for (size_t k = 0; k < set.n_keys; k++)
		if (k != SERIES_SOURCE && k != SERIES_RULE &&
		    !(but_batch &&
			(k == SERIES_BATCH || k == SERIES_GLOBAL_BATCH)) &&
		    !text_same(a->values[k], b->values[k]))
			return 0;
	return 1;
}

static const struct series_point *
first_of_shape(const struct series *s, const struct result_case *c)
{
	for (size_t i = 0; i < s->n_points; i++) {
		const struct result_case *x = s->points[i].c;

		if (x->gpus == c->gpus && x->nodes == c->nodes &&
		    (c->gpus != RESULT_UNKNOWN || text_same(x->name, c->name)))
			return &s->points[i];
	}
	return NULL;
}

/* last  1: the last such point, not the first */
static const struct series_point *
look_at_all(const struct series *s, const struct series_point *p, int but_batch,
    int last, const struct series **of)
{
	const struct series_point *found = NULL;

	for (size_t i = 0; i < set.n && (found == NULL || last); i++) {
		const struct series_point *x = first_of_shape(&items[i], p->c);

		if (x == NULL || x->source == p->source ||
		    !is_alike(&items[i], s, but_batch))
			continue;
		found = x;
		*of = &items[i];
	}
	return found;
}

static void
check_point(const struct partners *all, const struct series *s,
    const struct series_point *p, int allow_batch, size_t *n)
{
	const struct series *want_of = NULL, *of = NULL, *ignored;
	const struct series_point *by_batch = p, *want_by_batch = NULL;
	const struct series_point *want = look_at_all(s, p, 0, 0, &want_of);
	const struct series_point *got;

	if (want == NULL && allow_batch)
		want = look_at_all(s, p, 1, 0, &want_of);
	else if (want == NULL)
		want_by_batch = look_at_all(s, p, 1, 1, &ignored);
	got = partners_find(all, s, p, allow_batch, &of, &by_batch);
	n[0] += got != want || of != want_of || by_batch != want_by_batch;
	n[1] += got != NULL;
	n[2] += by_batch != NULL;
}

static void
test_as_a_look_at_all(void)
{
	unsigned state = 11;
	size_t n[3] = { 0 }; /* wrong, found, of another batch */

	for (int round = 0; round < 2000; round++) {
		struct partners all;

		fill_set(&state);
		all = partners_of(&set);
		for (size_t i = 0; i < set.n; i++)
			for (size_t k = 0; k < items[i].n_points; k++)
				check_point(&all, &items[i], &points[i][k],
				    round % 2, n);
		partners_release(&all);
	}
	CHECK_INT(n[0], 0);
	CHECK(n[1] > 500);
	CHECK(n[2] > 100);
}

/* 20,000 configurations in two files: milliseconds; each compared with each
 * takes half a minute. */
static void
test_many(void)
{
	enum { N = 20000 };
	static char names[N][8];
	struct series *many = xcalloc(2 * N, sizeof *many);
	struct series_point *each = xcalloc(2 * N, sizeof *each);
	const struct series_set both = {
		.n_keys = SERIES_LABELS, .items = many, .n = 2 * N
	};
	const clock_t from = clock();
	struct partners all;
	size_t wrong = 0;

	result_case_init(&cases[0][0]);
	for (size_t i = 0; i < 2 * N; i++) {
		snprintf(names[i % N], sizeof names[0], "%zu", i % N);
		many[i].values[SERIES_MODEL] = names[i % N];
		many[i].points = &each[i];
		many[i].n_points = 1;
		each[i].source = &files[i / N];
		each[i].c = &cases[0][0];
	}
	all = partners_of(&both);
	for (size_t i = 0; i < N; i++) {
		const struct series_point *by_batch;
		const struct series *of;

		wrong += partners_find(&all, &many[i], &each[i], 0, &of,
			     &by_batch) != &each[i + N];
	}
	CHECK_INT(wrong, 0);
	CHECK((clock() - from) / CLOCKS_PER_SEC < 5);
	partners_release(&all);
	free(each);
	free(many);
}

static const struct tap_test tests[] = {
	TEST(test_as_a_look_at_all),
	TEST(test_many),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
