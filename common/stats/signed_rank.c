#include <config.h>

#include "common/stats/signed_rank.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/stats/stats.h"

enum { EXACT_PAIRS = 60 };

static int
signed_rank_check(const double *r, size_t n, struct error *e)
{
	if (n == 0)
		return error_set(e, ERROR_DOMAIN, "no pairs");
	if (n > SIGNED_RANK_MAX_PAIRS)
		return error_set(e, ERROR_LIMIT, "more than %d pairs",
		    SIGNED_RANK_MAX_PAIRS);
	for (size_t i = 0; i < n; i++)
		if (!isfinite(r[i]) || !(r[i] > 0.0))
			return error_set(e, ERROR_DOMAIN,
			    "ratio %zu of %zu is %g, not above 0", i + 1, n,
			    r[i]);
	return 0;
}

/* Share of the 2^n choices of signs for each sum of the positive ranks. Shares
 * do not overflow.
 *
 * rank  [n] doubled, so that midranks are integers
 *
 * Returns [sum of rank + 1] shares, freed by the caller. */
static double *
sign_shares(const long *rank, size_t n)
{
	size_t width = 1, reach = 0;
	double *share;

	for (size_t i = 0; i < n; i++)
		width += (size_t)rank[i];
	share = xcalloc(width, sizeof *share);
	share[0] = 1.0;
	for (size_t i = 0; i < n; i++) {
		const size_t add = (size_t)rank[i];

		reach += add;
		for (size_t s = reach + 1; s-- > 0;) {
			const double with = s >= add ? share[s - add] : 0.0;

			share[s] = (share[s] + with) / 2.0;
		}
	}
	return share;
}

struct signed_value {
	double size; /* |ln r|, > 0 */
	int positive;
};

static int
compare_sizes(const void *a, const void *b)
{
	const struct signed_value *x = a, *y = b;

	return (x->size > y->size) - (x->size < y->size);
}

/* Doubled midranks of the absolute values, and the sum of the positive ones. */
struct signed_ranks {
	long *rank; /* [n] */
	size_t n;
	long positive, all;
	double squares; /* of the midranks, not doubled */
};

/* Ratios equal to the bound are dropped, or count against the claim. */
static void
signed_ranks_init(
    struct signed_ranks *s, const double *r, size_t n, double bound, int keep)
{
	struct signed_value *v = xcalloc(n, sizeof *v);

	*s = (struct signed_ranks){ xcalloc(n, sizeof *s->rank), 0, 0, 0, 0.0 };
	for (size_t i = 0; i < n; i++) {
		const double x = log(r[i] / bound);

		if (x < 0.0 || x > 0.0)
			v[s->n++] = (struct signed_value){ fabs(x), x > 0.0 };
		else if (keep != 0)
			v[s->n++] = (struct signed_value){ 0.0, keep > 0 };
	}
	qsort(v, s->n, sizeof *v, compare_sizes);
	for (size_t i = 0, end; i < s->n; i = end) {
		/* 1.25 and 1 / 1.25 have equal distance from 1, except for
		 * rounding. */
		end = i + 1;
		while (end < s->n && v[end].size <= v[i].size * (1.0 + 1e-12))
			end++;
		for (size_t k = i; k < end; k++) {
			s->rank[k] = (long)(i + end + 1);
			s->all += s->rank[k];
			s->positive += v[k].positive ? s->rank[k] : 0;
			s->squares +=
			    (double)s->rank[k] * (double)s->rank[k] / 4.0;
		}
	}
	free(v);
}

/* P(doubled sum of positive ranks <= given sum). */
static double
at_most(const struct signed_ranks *s, long sum)
{
	double p = 0.0, *share;

	if (s->n == 0)
		return 1.0;
	if (s->n > EXACT_PAIRS) {
		const double off =
		    ((double)sum + 1.0 - (double)s->all / 2.0) / 2.0;

		return erfc(-off / sqrt(s->squares / 4.0 * 2.0)) / 2.0;
	}
	share = sign_shares(s->rank, s->n);
	for (long i = 0; i <= sum; i++)
		p += share[i];
	free(share);
	return fmin(1.0, p);
}

/* Rank of the interval and its level, without ties. */
static size_t
interval_rank(size_t n, double confidence, double *level)
{
	const size_t all = n * (n + 1) / 2;
	struct signed_ranks s = { xcalloc(n, sizeof *s.rank), n, 0, 0, 0.0 };
	double *share = NULL, below = 0.0;
	size_t rank = 0;

	for (size_t i = 0; i < n; i++) {
		s.rank[i] = 2 * ((long)i + 1);
		s.all += s.rank[i];
		s.squares += (double)((i + 1) * (i + 1));
	}
	if (n <= EXACT_PAIRS)
		share = sign_shares(s.rank, n);
	for (size_t k = 1; k <= all / 2; k++) {
		double reached;

		if (share != NULL)
			below += share[2 * (k - 1)];
		else
			below = at_most(&s, 2 * ((long)k - 1));
		reached = 1.0 - 2.0 * below;
		if (k > 1 && reached < confidence)
			break;
		rank = k;
		*level = reached;
	}
	free(share);
	free(s.rank);
	return rank;
}

/* List all means of two logarithms, ascending. The caller frees them. */
static double *
walsh_averages(const double *r, size_t n)
{
	double *w = xcalloc(n * (n + 1) / 2, sizeof *w);
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i; j < n; j++)
			w[k++] =
			    i == j ? log(r[i]) : (log(r[i]) + log(r[j])) / 2.0;
	stats_sort(w, k);
	return w;
}

int
signed_rank_ratio(const double *r, size_t n, double confidence,
    struct signed_rank *out, struct error *e)
{
	const size_t all = n * (n + 1) / 2;
	struct signed_ranks s;
	double *walsh;
	long less;

	if (!(confidence > 0.0 && confidence < 1.0))
		return error_set(e, ERROR_DOMAIN,
		    "confidence %g is not between 0 and 1", confidence);
	if (signed_rank_check(r, n, e) != 0)
		return -1;
	walsh = walsh_averages(r, n);
	out->interval = (struct interval){ NAN, NAN, NAN, 0 };
	out->interval.rank =
	    n > 1 ? interval_rank(n, confidence, &out->interval.level) : 0;
	if (out->interval.rank > 0) {
		out->interval.low = exp(walsh[out->interval.rank - 1]);
		out->interval.high = exp(walsh[all - out->interval.rank]);
	}
	out->ratio = exp(stats_median(walsh, all));
	free(walsh);
	signed_ranks_init(&s, r, n, 1.0, 0);
	less =
	    s.positive < s.all - s.positive ? s.positive : s.all - s.positive;
	out->p = fmin(1.0, 2.0 * at_most(&s, less));
	free(s.rank);
	return 0;
}

int
signed_rank_side(const double *r, size_t n, double bound, int below, double *p,
    struct error *e)
{
	struct signed_ranks s;

	if (!(bound > 0.0) || !isfinite(bound))
		return error_set(
		    e, ERROR_DOMAIN, "the bound %g is not above 0", bound);
	if (signed_rank_check(r, n, e) != 0)
		return -1;
	signed_ranks_init(&s, r, n, bound, below ? 1 : -1);
	*p = at_most(&s, below ? s.positive : s.all - s.positive);
	free(s.rank);
	return 0;
}
