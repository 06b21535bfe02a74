/* Signed-rank test of pairs: A and B are measured alternately, so that drift
 * cancels in each quotient. Uses only the signs and ranks of ln ratio.
 *
 *	struct signed_rank s;
 *	if (signed_rank_ratio(new_over_old, 6, 0.95, &s, &e) != 0)
 *		return -1;
 *	... s.ratio, s.interval.low to s.interval.high at s.interval.level, s.p
 */
#ifndef COMMON_STATS_SIGNED_RANK_H
#define COMMON_STATS_SIGNED_RANK_H

#include <stddef.h>

#include "common/error.h"
#include "common/stats/rank_test.h"

enum { SIGNED_RANK_MAX_PAIRS = 2000 };

struct signed_rank {
	double ratio;             /* Hodges-Lehmann estimate */
	double p;                 /* two-sided; null hypothesis: ratio 1 */
	struct interval interval; /* of the ratio */
};

/* Wilcoxon's signed-rank test and interval of the ratio of pairs.
 *
 * r           [n] quotients new / old, > 0, finite; 1 <= n <=
 *             SIGNED_RANK_MAX_PAIRS
 * confidence  requested level, 0 < confidence < 1
 * out         ratio: exp of the median of all n (n + 1) / 2 means of two ln r
 *             (each with itself too); interval: from the k-th of these to the
 *             k-th from the end, with the largest k whose level 1 - 2 P(V <= k
 *             - 1) reaches confidence, else k = 1 (6 pairs: 0.96875; fewer
 *             cannot reach 0.95); n = 1: no interval. p: exact up to 60 pairs,
 *             with midranks for ties and without ratios of 1; above: normal
 *             with tie-corrected variance and continuity correction. Set on
 *             success only.
 *
 * Returns 0; -1 with ERROR_DOMAIN or ERROR_LIMIT.
 * Source: Hollander, Wolfe and Chicken 2014, Nonparametric Statistical Methods,
 * sections 3.1 to 3.3. */
int signed_rank_ratio(const double *r, size_t n, double confidence,
    struct signed_rank *out, struct error *e);

/* One-sided test of the claim that the ratio is below the bound (above it if
 * below is 0). A quotient equal to the bound counts against both claims.
 *
 * bound  > 0
 *
 * Returns like signed_rank_ratio. */
int signed_rank_side(const double *r, size_t n, double bound, int below,
    double *p, struct error *e);

#endif
