/* Runs into cases, cases into speedups (doc/measurement.md, "Cases").
 *
 *	struct case_options o = { .confidence = 0.95 };
 *	cases_make(runs, n_runs, &o, &result, &notes);
 */
#ifndef EXTRACT_MEASURE_CASES_CASE_H
#define EXTRACT_MEASURE_CASES_CASE_H

#include <stddef.h>

#include "common/result/result.h"
#include "extract/measure/cases/case_run.h"

/* Fill r->cases from n runs: a case for each configuration, in natural order of
 * framework, model, precision, batch, labels and GPUs; runs in natural order of
 * their names.
 *
 * runs   [n] of one array, in its order; borrowed, as case_label_runs leaves
 *        them; their strings must live as long as r
 * notes  what people should know: few runs, a baseline that was not asked for
 *
 * Returns 0, or -1 with ERROR_USAGE if no case is called o->baseline. */
int cases_make(const struct case_run *const *runs, size_t n,
    const struct case_options *o, struct result *r, struct case_notes *notes,
    struct error *e);

/* Flag the runs of a case of five or more that lie over 14.8 median distances
 * from its median, which is known. */
void case_flag_outliers(struct result_case *c, struct arena *a);

/* Do values form two groups: is the largest gap wide against the spread on
 * either side?  Of alike runs less than 1 % do.
 *
 * v  [n] ascending
 *
 * Returns how many are of the lower one, 0: they are one. */
size_t case_two_groups(const double *v, size_t n);

/* Flag the runs of a case that form two groups. */
void case_flag_groups(struct result_case *c, struct arena *a);

/* Of times to train: let the runs in a case's folders that failed count.  One
 * is the slowest, which the olympic mean drops; with more there is no valid
 * time (MLPerf training rules).  The runs of the case are flagged.  After
 * cases_make, when r->excluded is known. */
void cases_count_failed(struct result *r);

/* The case's name: "4n8g", "8g" where the nodes are unknown, "unknown". */
const char *case_name(const struct metadata *f, struct arena *a);

/* What sets a case apart: "resnet50 fp32 b128 4n8g" with the parts that are
 * known. */
const char *case_describe(const struct result_case *c, struct arena *a);

#endif
