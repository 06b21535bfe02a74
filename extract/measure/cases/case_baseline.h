/* Which case another is compared with.
 *
 *	x = baseline_index_new(r, o);
 *	b = baseline_index_find(x, &r->cases[i], run);
 *	baseline_index_free(x);
 */
#ifndef EXTRACT_MEASURE_CASES_CASE_BASELINE_H
#define EXTRACT_MEASURE_CASES_CASE_BASELINE_H

#include "common/result/result.h"
#include "extract/measure/cases/case_run.h"

struct baseline_index;

/* Get ready to look baselines up among the cases of a result, whose labels and
 * medians are known.  Both live longer; the caller frees it. */
struct baseline_index *baseline_index_new(
    const struct result *r, const struct case_options *o);
void baseline_index_free(struct baseline_index *x);

/* The baseline of a case of that result: of those that may be, or are called
 * o->baseline, the one of fewest GPUs, then of its own rule, then of fewest
 * nodes; itself, if there is no other.
 *
 * run  one of the case
 *
 * Returns NULL where its GPUs are unknown, none is called so, or its batch is
 * unknown where scaling is strong. */
const struct result_case *baseline_index_find(const struct baseline_index *x,
    const struct result_case *c, const struct case_run *run);

#endif
