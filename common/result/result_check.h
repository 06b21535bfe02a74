/* What follows from the runs of a result: baselines, the numbers of its cases,
 * and the flags that compare them. Writer and reader share these checks, so
 * that what is written can be read. */
#ifndef COMMON_RESULT_RESULT_CHECK_H
#define COMMON_RESULT_RESULT_CHECK_H

#include "common/error.h"
#include "common/hash_index.h"
#include "common/result/result.h"

/* Index of the cases of a result, to find baselines. */
struct baseline_index {
	const struct result *r;
	struct hash_index cases; /* by configuration, name and labels; cases of
				    one GPU also without labels */
};

/* Index the cases of r, which is borrowed. */
void baseline_index_init(struct baseline_index *x, const struct result *r);

/* Find the case that c->baseline names: c but for its size and, for one GPU,
 * for labels that it lacks. Of several the first over which the speedup of c
 * follows from the runs. NULL if there is none in the result. */
const struct result_case *baseline_index_find(
    const struct baseline_index *x, const struct result_case *c);

/* Free the index. */
void baseline_index_release(struct baseline_index *x);

/* Check that the numbers of each case follow from its runs and its baseline, to
 * the digits that they have, at least four: counts, name, median and means,
 * intervals and their levels, speedup and efficiency. Unknown numbers, and
 * those of cases without runs, are only checked for order. Iterations with an
 * unstated amount of work have any speedup.
 *
 * Returns 0; -1 with ERROR_INPUT, which states file, JSON path, the number and
 * what follows: "a.json: cases[1].median_speed: 311.1, but its runs give
 * 305". */
int result_check(const struct result *r, struct error *e);

/* Set the flags that follow from the numbers: doubts of a baseline on each
 * speedup over it, efficiencies above 1 beyond their interval, utilizations
 * above 100 %. Those of cases whose baseline is not in the result stay. */
void result_flag_doubts(struct result *r);

#endif
