/* Cases made of runs that a test defines: begin(), add() each run, make(),
 * check the result, finish(). */
#ifndef TESTS_UNIT_CASE_RUNS_H
#define TESTS_UNIT_CASE_RUNS_H

#include <math.h>

#include "extract/measure/cases/case.h"
#include "tests/tap.h"

enum { MAX = 64 };
static struct case_run runs[MAX];
static size_t n_runs;
static struct result result;
static struct case_notes notes;
static struct error error;

static inline void
begin(void)
{
	n_runs = 0;
	result_init(&result);
}

static inline void
finish(void)
{
	result_release(&result);
	notes = (struct case_notes){ NULL, 0 };
}

/* Add a run of ResNet-50 on `nodes` nodes of `per_node` devices at `value`
 * samples/s. Its other members may be changed before make(). */
static inline struct case_run *
add(long nodes, long per_node, const char *run, double value)
{
	struct case_run *r = &runs[n_runs++];

	CHECK(n_runs < MAX);
	*r = (struct case_run){ .where = "", .order = n_runs };
	result_run_init(&r->measured.run);
	r->measured.run.run = run;
	r->measured.run.path = run;
	r->measured.run.value = r->measured.run.samples_per_s = value;
	r->measured.unit = "samples/s";
	r->measured.kind = RULE_WINDOW;
	r->measured.work = NAN;
	r->measured.work_unit = NULL;
	r->metadata = (struct metadata){ .framework = "pytorch",
		.model = "r50",
		.precision = "fp32",
		.batch_size_per_device = 128,
		.nodes = nodes,
		.gpus_per_node = per_node,
		.gpus = nodes * per_node };
	return r;
}

/* Make the cases of all runs with cases_make(). */
static inline int
make(const char *baseline, int strong, int mixed)
{
	const struct case_options o = { baseline, 0.95, NULL, strong, 0,
		mixed };
	const struct case_run *list[sizeof runs / sizeof runs[0]];

	for (size_t i = 0; i < n_runs; i++)
		list[i] = &runs[i];
	return cases_make(list, n_runs, &o, &result, &notes, &error);
}

#endif
