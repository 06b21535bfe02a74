/* The baseline of a case: the one that an exhaustive search finds, and fast for
 * many cases. */
#include <config.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/measure/cases/case.h"
#include "tests/tap.h"
#include "tests/unit/case_runs.h"

/* Next pseudorandom number in 0 .. below - 1 (Lehmer 1951). */
static unsigned
next_random(unsigned *state, unsigned below)
{
	*state = (unsigned)((uint64_t)*state * 48271 % 2147483647);
	return *state % below;
}

static const char *
label_of(const struct result_pair *labels, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(labels[i].key, key) == 0)
			return labels[i].value;
	return NULL;
}

/* True if run b may belong to the baseline of a, as documented. */
static int
may_be_compared(const struct case_run *a, const struct case_run *b, int strong)
{
	const struct metadata *f = &a->metadata, *g = &b->metadata;
	size_t lacking = 0;

	if (strcmp(f->framework, g->framework) != 0 ||
	    strcmp(f->model, g->model) != 0 ||
	    strcmp(f->precision, g->precision) != 0 ||
	    (strong ? f->batch_size_per_device * f->gpus !=
			g->batch_size_per_device * g->gpus
		    : f->batch_size_per_device != g->batch_size_per_device))
		return 0;
	for (size_t i = 0; i < f->n_labels; i++) {
		const char *key = f->labels[i].key;
		const char *other = label_of(g->labels, g->n_labels, key);

		if (other == NULL && g->gpus == 1 &&
		    label_of(f->varied, f->n_varied, key) != NULL)
			lacking++;
		else if (other == NULL ||
		    strcmp(other, f->labels[i].value) != 0)
			return 0;
	}
	return f->n_labels == g->n_labels + lacking;
}

enum { RANDOM_KEYS = 8 };

static const char *const random_keys[RANDOM_KEYS] = { "a", "b", "c", "d", "e",
	"f", "g", "h" };

/* Add run i of a round, with random metadata from few values.
 *
 * labels, varied  [RANDOM_KEYS], kept by the run; labels is filled in */
static void
add_random_run(unsigned *state, int round, int i, struct result_pair *labels,
    struct result_pair *varied)
{
	struct case_run *r = add(1 + next_random(state, 2),
	    1 << next_random(state, 3), "1", 100 + i);
	struct metadata *f = &r->metadata;

	f->framework = next_random(state, 4) ? "y" : "x";
	f->model = next_random(state, 2) ? "m" : "n";
	f->precision = next_random(state, 4) ? "fp32" : "amp";
	f->batch_size_per_device = 1 << next_random(state, 3);
	f->varied = varied;
	/* Now and then more keys than are tried in all combinations. */
	f->n_varied = round % 5 == 0 ? RANDOM_KEYS : 2;
	f->labels = labels;
	for (int k = 0; k < RANDOM_KEYS; k++)
		if (next_random(state, round % 3 ? 6 : 2) == 0)
			labels[f->n_labels++] =
			    (struct result_pair){ random_keys[k],
				    next_random(state, 3) ? "1" : "2" };
}

/* Cases with few values in every key: each has the baseline that an exhaustive
 * search finds. */
static void
test_baselines_at_random(void)
{
	static struct result_pair labels[MAX][RANDOM_KEYS], varied[RANDOM_KEYS];
	unsigned state = 7;

	for (int i = 0; i < RANDOM_KEYS; i++)
		varied[i] = (struct result_pair){ random_keys[i], "x" };
	for (int round = 0; round < 300; round++) {
		const int strong = round % 2;

		begin();
		for (int i = 0; i < 24; i++)
			add_random_run(&state, round, i, labels[i], varied);
		CHECK_INT(make(NULL, strong, 0), 0);
		for (size_t i = 0; i < n_runs; i++) {
			const struct case_run *best = NULL;
			const struct metadata *f = &runs[i].metadata;
			char name[32];

			for (size_t k = 0; k < n_runs; k++) {
				const struct metadata *g = &runs[k].metadata;

				if (may_be_compared(
					&runs[i], &runs[k], strong) &&
				    (best == NULL ||
					g->gpus < best->metadata.gpus ||
					(g->gpus == best->metadata.gpus &&
					    g->nodes < best->metadata.nodes)))
					best = &runs[k];
			}
			snprintf(name, sizeof name, "%ldn%ldg",
			    best->metadata.nodes, best->metadata.gpus_per_node);
			for (size_t c = 0; c < result.n_cases; c++)
				for (size_t k = 0; k < result.cases[c].n_runs;
				     k++)
					if (result.cases[c].runs[k].value ==
					    runs[i].measured.run.value)
						CHECK_STR(
						    result.cases[c].baseline,
						    name);
			CHECK(f->gpus >= best->metadata.gpus);
		}
		finish();
	}
}

/* A sweep of many labels. */
static void
test_many_labels(void)
{
	enum { N = 20000 };
	const struct case_options o = { NULL, 0.95, NULL, 0, 0, 0 };
	struct case_run *all = xcalloc(2 * N, sizeof *all);
	const struct case_run **list = xcalloc(2 * N, sizeof *list);
	struct result_pair *labels = xcalloc(N, sizeof *labels);
	size_t wrong = 0;

	begin();
	for (int i = 0; i < 2 * N; i++) {
		n_runs = 0;
		all[i] = *add(1, i % 2 ? 8 : 1, "1", i % 2 ? 700 : 100);
		labels[i / 2] = (struct result_pair){ "group",
			arena_printf(&result.arena, "g%d", i / 2) };
		all[i].metadata.labels = &labels[i / 2];
		all[i].metadata.n_labels = 1;
		list[i] = &all[i];
	}
	CHECK_INT(cases_make(list, 2 * N, &o, &result, &notes, &error), 0);
	CHECK_INT(result.n_cases, 2 * N);
	for (size_t i = 0; i < result.n_cases; i++)
		wrong += strcmp(result.cases[i].baseline, "1n1g") != 0 ||
		    !(fabs(result.cases[i].speedup -
			  (result.cases[i].gpus == 8 ? 7 : 1)) < 1e-12);
	CHECK_INT(wrong, 0);
	finish();
	free(labels);
	free(list);
	free(all);
}

static const struct tap_test tests[] = {
	TEST(test_baselines_at_random),
	TEST(test_many_labels),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
