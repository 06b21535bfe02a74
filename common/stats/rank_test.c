#include <config.h>

#include "common/stats/rank_test.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/stats/stats.h"

static const double exact_cost = 5e7; /* additions */
enum { EXACT_PAIRS = 60, MOST_RUNS = 1000 };

/* --- distributions of rank sums ------------------------------------------- */

/* Distribution of a sum X >= 0 under the null hypothesis. It is symmetric. */
struct null_sum {
	double *below; /* [last + 1] P(X <= x); NULL: normal approximation */
	size_t last;   /* largest X */
	double mean, variance;
	double half; /* continuity correction */
};

static double
at_most(const struct null_sum *d, size_t x)
{
	if (x >= d->last)
		return 1.0;
	if (d->below != NULL)
		return d->below[x];
	return erfc((d->mean - ((double)x + d->half)) /
		   sqrt(2.0 * d->variance)) /
	    2.0;
}

/* Turn counts into the probabilities of at most x. */
static void
accumulate(double *counts, size_t last)
{
	for (size_t x = 1; x <= last; x++)
		counts[x] += counts[x - 1];
	for (size_t x = 0; x <= last; x++)
		counts[x] /= counts[last];
}

/* Choose the interval from the rank-th of `all` sorted values to the rank-th
 * from the end: the largest rank c whose level 1 - 2 P(X <= c - 1), which falls
 * with c, reaches confidence, else 1. One value has no interval: rank 0. */
static struct interval
interval_ranks(const struct null_sum *d, size_t all, double confidence)
{
	struct interval out = { NAN, NAN, NAN, 0, NAN };
	size_t bad = all / 2 + 1;

	if (bad == 1)
		return out;
	out.rank = 1;
	while (bad - out.rank > 1) {
		const size_t c = out.rank + (bad - out.rank) / 2;

		if (1.0 - 2.0 * at_most(d, c - 1) >= confidence)
			out.rank = c;
		else
			bad = c;
	}
	out.level = 1.0 - 2.0 * at_most(d, out.rank - 1);
	return out;
}

/* True if the counts for m and n values take at most exact_cost additions and
 * do not overflow; those for 400 and 400 are below 1e240. */
static int
u_is_exact(size_t m, size_t n)
{
	const double few = (double)(m < n ? m : n);
	const double many = (double)(m < n ? n : m);

	return few <= 400.0 && 2.0 * few * few * many <= exact_cost;
}

/* Mann-Whitney U of m and n values without ties. The counts are the
 * coefficients of the Gaussian binomial, the product over i = 1..m of
 * (1 - q^(n+i)) / (1 - q^i) (MacMahon 1916). Each factor takes a subtracting
 * and an adding pass over the lower half. The upper half, where the subtraction
 * has rounding errors, mirrors it. */
static struct null_sum
null_of_u(size_t m, size_t n)
{
	struct null_sum d = { .last = m * n, .half = 0.5 };
	const size_t few = m < n ? m : n, many = m < n ? n : m;

	d.mean = (double)m * (double)n / 2.0;
	d.variance = d.mean * (double)(m + n + 1) / 6.0;
	if (!u_is_exact(m, n))
		return d;
	d.below = xcalloc(d.last + 1, sizeof *d.below);
	d.below[0] = 1.0;
	for (size_t i = 1; i <= few; i++) {
		const size_t top = i * many; /* largest U so far */

		for (size_t u = top / 2; u >= many + i; u--)
			d.below[u] -= d.below[u - many - i];
		for (size_t u = i; u <= top / 2; u++)
			d.below[u] += d.below[u - i];
		for (size_t u = 0; u < top - u; u++)
			d.below[top - u] = d.below[u];
	}
	accumulate(d.below, d.last);
	return d;
}

/* Null distribution of the sum of the scores of positive values.
 *
 * score  [n] ranks times 1 for half = 0.5, times 2 for half = 1 */
static struct null_sum
null_of_signs(const long *score, size_t n, double half)
{
	struct null_sum d = { .half = half };
	size_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		d.last += (size_t)score[i];
		d.variance += (double)score[i] * (double)score[i] / 4.0;
	}
	d.mean = (double)d.last / 2.0;
	if (n > EXACT_PAIRS)
		return d;
	d.below = xcalloc(d.last + 1, sizeof *d.below);
	d.below[0] = 1.0;
	for (size_t i = 0; i < n; i++) {
		for (size_t s = sum + 1; s-- > 0;)
			d.below[s + (size_t)score[i]] += d.below[s];
		sum += (size_t)score[i];
	}
	accumulate(d.below, d.last);
	return d;
}

/* Distribution of the number of n values below the median, lower half only.
 * Binomials are doubles times 2^shift, exact up to 2^53, without overflow. */
static struct null_sum
null_of_halves(size_t n)
{
	struct null_sum d = { .last = n };
	double term = 1.0, sum = 0.0;
	int shift = 0;

	assert(n <= INT_MAX);
	d.below = xcalloc(n / 2 + 1, sizeof *d.below);
	for (size_t k = 0; k < n / 2; k++) {
		sum += term;
		d.below[k] = ldexp(sum, shift - (int)n);
		term = term * (double)(n - k) / (double)(k + 1);
		if (term > 0x1p500) {
			term *= 0x1p-500;
			sum *= 0x1p-500;
			shift += 500;
		}
	}
	return d;
}

/* A value; marked if it is of the first sample, or positive. */
struct marked_value {
	double value;
	int marked;
};

struct midranks {
	long *score;        /* [n] twice the midranks, ascending */
	size_t all, marked; /* sums of the scores */
	double ties;        /* sum of t^3 - t over groups of t equal values */
};

/* Sort v and rank its values. Values that differ by at most a relative
 * tolerance count as equal. The caller frees score. */
static struct midranks
rank_values(struct marked_value *v, size_t n, double tolerance)
{
	struct midranks r = { xcalloc(n, sizeof *r.score), 0, 0, 0.0 };

	qsort(v, n, sizeof *v, double_order);
	for (size_t i = 0, end; i < n; i = end) {
		double t;

		end = i + 1;
		while (end < n && v[end].value <= v[i].value * (1 + tolerance))
			end++;
		t = (double)(end - i);
		r.ties += t * (t * t - 1.0);
		for (size_t k = i; k < end; k++) {
			r.score[k] = (long)(i + end + 1);
			r.all += i + end + 1;
			r.marked += v[k].marked ? i + end + 1 : 0;
		}
	}
	return r;
}

/* --- median --------------------------------------------------------------- */

int
rank_test_median(
    const double *x, size_t n, double confidence, struct interval *out)
{
	struct null_sum d;
	double *sorted;

	if (isnan(stats_min(x, n)) || !(confidence > 0.0 && confidence < 1.0))
		return -1;
	d = null_of_halves(n);
	*out = interval_ranks(&d, n, confidence);
	free(d.below);
	if (out->rank == 0)
		return 0;
	sorted = stats_sorted(x, n);
	out->low = sorted[out->rank - 1];
	out->high = sorted[n - out->rank];
	free(sorted);
	return 0;
}

/* Level of the interval from the k-th of n values to the k-th from the end. */
static double
median_level(size_t n, size_t k)
{
	const struct null_sum d = null_of_halves(n);
	const double level = 2 * k <= n ? 1.0 - 2.0 * at_most(&d, k - 1) : NAN;

	free(d.below);
	return level;
}

double
rank_test_limit_level(size_t m, size_t n, size_t c)
{
	if (m < 2 || n < 2)
		return NAN;
	return fmin(
	    median_level(m, (c + n - 1) / n), median_level(n, (c + m - 1) / m));
}

/* --- ratio ---------------------------------------------------------------- */

/* Sorted samples of a ratio. */
struct quotients {
	double *a, *b; /* [m], [n] ascending */
	size_t m, n;
};

/* Count the quotients a[i] / b[j] <= t in O(m + n): the quotient grows with i
 * and falls with j. */
static size_t
count_quotients(const struct quotients *q, double t)
{
	size_t count = 0, j = 0;

	for (size_t i = 0; i < q->m; i++) {
		while (j < q->n && q->a[i] / q->b[j] > t)
			j++;
		count += q->n - j;
	}
	return count;
}

/* Positive doubles are ordered like their bits as integers. */
union double_bits {
	double x;
	uint64_t bits;
};

/* Find the rank-th smallest quotient (from 1) by bisection over the bits of a
 * double: 64 steps give the exact quotient. */
static double
select_quotient(const struct quotients *q, size_t rank)
{
	union double_bits low = { q->a[0] / q->b[q->n - 1] };
	union double_bits high = { q->a[q->m - 1] / q->b[0] };

	while (low.bits < high.bits) {
		union double_bits middle;

		middle.bits = low.bits + (high.bits - low.bits) / 2;
		if (count_quotients(q, middle.x) >= rank)
			high = middle;
		else
			low.bits = middle.bits + 1;
	}
	return low.x;
}

static void
quotients_release(struct quotients *q)
{
	free(q->a);
	free(q->b);
}

static int
quotients_init(
    struct quotients *q, const double *a, size_t m, const double *b, size_t n)
{
	if (!(stats_min(a, m) > 0.0 && stats_min(b, n) > 0.0))
		return -1;
	*q = (struct quotients){ stats_sorted(a, m), stats_sorted(b, n), m, n };
	if (isfinite(q->a[m - 1] / q->b[0]) && q->a[0] / q->b[n - 1] > 0.0)
		return 0;
	quotients_release(q);
	return -1;
}

struct interval
rank_test_ratio_rank(size_t m, size_t n, double confidence)
{
	const struct null_sum d = null_of_u(m, n);
	const struct interval out = interval_ranks(&d, m * n, confidence);

	free(d.below);
	return out;
}

int
rank_test_ratio(const double *a, size_t m, const double *b, size_t n,
    double confidence, struct interval *out)
{
	struct quotients q;
	double low, high;

	if (!(confidence > 0.0 && confidence < 1.0) ||
	    quotients_init(&q, a, m, b, n) != 0)
		return -1;
	*out = rank_test_ratio_rank(m, n, confidence);
	if (out->rank > 0) {
		out->low = select_quotient(&q, out->rank);
		out->high = select_quotient(&q, m * n + 1 - out->rank);
	}
	low = select_quotient(&q, (m * n + 1) / 2);
	high = select_quotient(&q, m * n / 2 + 1);
	/* The geometric mean is consistent for a / b and b / a. */
	out->middle = low < high ? sqrt(low) * sqrt(high) : low;
	quotients_release(&q);
	return 0;
}

double
rank_test_u_at_most(size_t m, size_t n, size_t u)
{
	const struct null_sum d = null_of_u(m, n);
	const double p = at_most(&d, u);

	free(d.below);
	return p;
}

double
rank_test_least_p(size_t m, size_t n, int of_one)
{
	return of_one ? exp2(-(double)m) : rank_test_u_at_most(m, n, 0);
}

long
rank_test_runs_for(double p, int of_one)
{
	size_t n = 2;

	/* The tolerance allows for rounding. */
	while (
	    n < MOST_RUNS && rank_test_least_p(n, n, of_one) > p * (1 + 1e-12))
		n++;
	return (long)n;
}

/* --- Mann and Whitney ----------------------------------------------------- */

/* Share of the subsets of m of all scores whose sum is at least as far from the
 * mean m r->all / all as the observed one. Integers make the comparison exact.
 * Counts are exact up to 2^53; larger ones have the error of about `all`
 * roundings (all terms are positive). */
static double
exact_p(const struct midranks *r, size_t m, size_t all)
{
	const long long middle = (long long)(m * r->all);
	const long long seen = llabs((long long)(r->marked * all) - middle);
	size_t width = 1;
	double far = 0.0, total = 0.0;
	double *ways; /* [m + 1][width] counts by size and sum */

	for (size_t i = all - m; i < all; i++)
		width += (size_t)r->score[i];
	ways = xcalloc((m + 1) * width, sizeof *ways);
	ways[0] = 1.0;
	for (size_t i = 0, sum = 0; i < all; i++) {
		const size_t score = (size_t)r->score[i];

		sum += score;
		for (size_t k = i + 1 < m ? i + 1 : m; k > 0; k--) {
			double *to = ways + k * width;
			const double *from = to - width;

			for (size_t x = sum < width ? sum : width - 1;
			     x >= score; x--)
				to[x] += from[x - score];
		}
	}
	for (size_t x = 0; x < width; x++) {
		total += ways[m * width + x];
		if (llabs((long long)(x * all) - middle) >= seen)
			far += ways[m * width + x];
	}
	free(ways);
	return far / total;
}

int
rank_test_mann_whitney(
    const double *a, size_t m, const double *b, size_t n, double *p)
{
	const double x = (double)m, y = (double)n, all = x + y;
	struct marked_value *pool;
	struct midranks r;
	size_t u; /* for samples without ties */

	if (isnan(stats_min(a, m)) || isnan(stats_min(b, n)))
		return -1;
	if (m > n)
		return rank_test_mann_whitney(b, n, a, m, p);
	pool = xcalloc(m + n, sizeof *pool);
	for (size_t i = 0; i < m + n; i++)
		pool[i] =
		    (struct marked_value){ i < m ? a[i] : b[i - m], i < m };
	r = rank_values(pool, m + n, 0.0);
	free(pool);
	u = r.marked / 2 - m * (m + 1) / 2;
	if (!(r.ties > 0.0) && u_is_exact(m, n)) {
		*p = 2.0 *
		    rank_test_u_at_most(m, n, u < m * n - u ? u : m * n - u);
	} else if (all * x * x * y <= exact_cost) {
		*p = exact_p(&r, m, m + n);
	} else {
		const double variance =
		    x * y / 12.0 * (all + 1.0 - r.ties / (all * (all - 1.0)));
		const double far =
		    fabs((double)r.marked - x * (all + 1.0)) / 2.0 - 0.5;

		*p = variance > 0.0 && far > 0.0
		    ? erfc(far / sqrt(2.0 * variance))
		    : 1.0;
	}
	*p = fmin(1.0, *p);
	free(r.score);
	return 0;
}

/* --- Wilcoxon ------------------------------------------------------------- */

/* Probability that the sum of the ranks of the ratios on one side of the bound
 * is at most the observed one. NAN for too many pairs and for ratios that are
 * not finite and above 0.
 *
 * keep  the side, which includes ratios equal to the bound: 1 above, -1 below;
 *       0: the side with the smaller sum, without those ratios */
static double
signed_p(const double *r, size_t n, double bound, int keep)
{
	struct marked_value *v;
	struct midranks ranks;
	struct null_sum d;
	size_t kept = 0, sum;
	double p;

	if (n > SIGNED_RANK_MAX_PAIRS || !(stats_min(r, n) > 0.0))
		return NAN;
	v = xcalloc(n, sizeof *v);
	for (size_t i = 0; i < n; i++) {
		const double x = log(r[i] / bound);

		if (x < 0.0 || x > 0.0 || keep != 0)
			v[kept++] = (struct marked_value){ fabs(x),
				x > 0.0 || (!(x < 0.0) && keep > 0) };
	}
	/* 1.25 and 1 / 1.25 have equal distance from 1, except for rounding. */
	ranks = rank_values(v, kept, 1e-12);
	d = null_of_signs(ranks.score, kept, 1.0);
	sum = ranks.marked;
	if (keep < 0 || (keep == 0 && sum > ranks.all - sum))
		sum = ranks.all - sum;
	p = at_most(&d, sum);
	free(d.below);
	free(ranks.score);
	free(v);
	return p;
}

/* Like rank_test_ratio, for pairs. */
static int
signed_rank_ratio(
    const double *r, size_t n, double confidence, struct interval *out)
{
	const size_t all = n * (n + 1) / 2;
	double *walsh; /* means of two logarithms, ascending */
	long *ranks;
	struct null_sum d;
	size_t k = 0;

	if (n > SIGNED_RANK_MAX_PAIRS || !(stats_min(r, n) > 0.0) ||
	    !(confidence > 0.0 && confidence < 1.0))
		return -1;
	walsh = xcalloc(all, sizeof *walsh);
	ranks = xcalloc(n, sizeof *ranks);
	for (size_t i = 0; i < n; i++) {
		ranks[i] = (long)i + 1;
		for (size_t j = i; j < n; j++)
			walsh[k++] = (log(r[i]) + log(r[j])) / 2.0;
	}
	stats_sort(walsh, all);
	d = null_of_signs(ranks, n, 0.5);
	*out = interval_ranks(&d, all, confidence);
	if (out->rank > 0) {
		out->low = exp(walsh[out->rank - 1]);
		out->high = exp(walsh[all - out->rank]);
	}
	out->middle = exp(stats_median(walsh, all));
	free(d.below);
	free(ranks);
	free(walsh);
	return 0;
}

/* --- rounded runs --------------------------------------------------------- */

/* True if any run has low < high. */
static int
rounded_runs_are(const struct rounded_runs *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->low[i] < r->high[i])
			return 1;
	return 0;
}

int
rounded_median(
    const struct rounded_runs *r, double confidence, struct interval *out)
{
	struct interval high;

	if (rank_test_median(r->low, r->n, confidence, out) != 0 ||
	    rank_test_median(r->high, r->n, confidence, &high) != 0)
		return -1;
	out->high = high.high;
	if (r->n == 1 && rounded_runs_are(r)) {
		out->low = r->low[0];
		out->high = r->high[0];
	}
	return 0;
}

static int
interval_of(const double *a, size_t m, const double *b, size_t n,
    double confidence, struct interval *out)
{
	return b != NULL ? rank_test_ratio(a, m, b, n, confidence, out)
			 : signed_rank_ratio(a, m, confidence, out);
}

int
rounded_ratio(const struct rounded_runs *a, const struct rounded_runs *b,
    double confidence, struct interval *out)
{
	static const struct rounded_runs pairs = { NULL, NULL, NULL, 0 };
	struct interval low, high;

	b = b != NULL ? b : &pairs;
	if (interval_of(a->value, a->n, b->value, b->n, confidence, out) != 0)
		return -1;
	if (!rounded_runs_are(a) && !rounded_runs_are(b))
		return 0;
	if (interval_of(a->low, a->n, b->high, b->n, confidence, &low) != 0 ||
	    interval_of(a->high, a->n, b->low, b->n, confidence, &high) != 0)
		return -1;
	out->low = low.low;
	out->high = high.high;
	if (a->n == 1 && b->n == 1) {
		out->low = a->low[0] / b->high[0];
		out->high = a->high[0] / b->low[0];
	}
	return 0;
}

double
rounded_side(const struct rounded_runs *a, const struct rounded_runs *b,
    double bound, int below)
{
	const double *x = below ? a->high : a->low;
	struct quotients q;
	size_t against;

	if (!(bound > 0.0) || isinf(bound))
		return NAN;
	if (b == NULL)
		return signed_p(x, a->n, bound, below ? 1 : -1);
	if (quotients_init(&q, x, a->n, below ? b->low : b->high, b->n) != 0)
		return NAN;
	if (below)
		against =
		    a->n * b->n - count_quotients(&q, nextafter(bound, 0.0));
	else
		against = count_quotients(&q, bound);
	quotients_release(&q);
	return rank_test_u_at_most(a->n, b->n, against);
}

int
rounded_p(const struct rounded_runs *a, const struct rounded_runs *b, double *p)
{
	if (b != NULL) {
		if (rank_test_mann_whitney(a->value, a->n, b->value, b->n, p) !=
		    0)
			return -1;
	} else {
		const double side = signed_p(a->value, a->n, 1.0, 0);

		if (isnan(side))
			return -1;
		*p = fmin(1.0, 2.0 * side);
	}
	if (rounded_runs_are(a) || (b != NULL && rounded_runs_are(b)))
		*p = fmax(*p,
		    fmin(1.0,
			2.0 *
			    fmin(rounded_side(a, b, 1.0, 0),
				rounded_side(a, b, 1.0, 1))));
	return 0;
}

/* --- sample size ---------------------------------------------------------- */

static const double pi = 3.14159265358979323846;

double
log_squares(const double *x, size_t n)
{
	double *logs = xcalloc(n + 1, sizeof *logs), squares = 0;

	for (size_t i = 0; i < n; i++)
		logs[i] = log(x[i]); /* not finite below 0 */
	if (n > 1)
		squares = stats_variance(logs, n) * (double)(n - 1);
	free(logs);
	return squares;
}

static const double wanted_power = 0.8;
enum {
	LEAST_RUNS = 4,
	MOST_SMALL = 30, /* above, the formula's error is below 2 % */
	MOST_NEEDED = 1000000
};

/* Detectable change of n and n runs relative to the spread: ln(1 + change) / s
 * with power 0.8, simulated with normal noise (80 % quantile of the interval's
 * lower end, 200,000 trials). 0: n and n runs prove nothing at this
 * confidence. */
static const struct {
	long n;
	double shown[3]; /* per small_confidences[] */
} small_samples[] = {
	{ 4, { 2.3918, 2.8799, 0 } },
	{ 5, { 1.8050, 2.3115, 3.1121 } },
	{ 6, { 1.6239, 1.9251, 2.5505 } },
	{ 7, { 1.4678, 1.7730, 2.3286 } },
	{ 8, { 1.4051, 1.5499, 2.0997 } },
	{ 9, { 1.2829, 1.5065, 1.9152 } },
	{ 10, { 1.2202, 1.3955, 1.7550 } },
	{ 11, { 1.1609, 1.3048, 1.6662 } },
	{ 12, { 1.1086, 1.2528, 1.5818 } },
	{ 15, { 0.9629, 1.1044, 1.3594 } },
	{ 20, { 0.8285, 0.9347, 1.1649 } },
	{ 25, { 0.7341, 0.8307, 1.0302 } },
	{ 30, { 0.6673, 0.7561, 0.9336 } },
};
static const double small_confidences[3] = { 0.90, 0.95, 0.99 };

/* Detectable change by the normal formula, at a level. */
static double
normal_shown(double n, double level)
{
	return (normal_quantile(0.5 + level / 2.0) +
		   normal_quantile(wanted_power)) *
	    sqrt(2.0 / n * (pi / 3.0));
}

/* The same, at the level that n and n runs achieve. */
static double
achieved_shown(long n, double confidence)
{
	return normal_shown((double)n,
	    rank_test_ratio_rank((size_t)n, (size_t)n, confidence).level);
}

/* Ratio of simulation to formula for a row of the table, interpolated between
 * the confidences by normal quantile. */
static double
row_excess(int row, double confidence)
{
	const double z = normal_quantile(0.5 + confidence / 2.0);
	double excess = NAN, at = NAN;

	for (int k = 0; k < 3; k++) {
		const double level = small_confidences[k];
		const double last = excess, from = at;

		at = normal_quantile(0.5 + level / 2.0);
		if (small_samples[row].shown[k] > 0.0)
			excess = small_samples[row].shown[k] /
			    achieved_shown(small_samples[row].n, level);
		if (k > 0 && z < at)
			return last +
			    (excess - last) * (z - from) / (at - from);
		if (z <= at)
			break;
	}
	return excess;
}

/* Detectable change of n and n runs: ln(1 + change) / spread. */
static double
shown_change(long n, double confidence)
{
	double first, share;
	int k = 1;

	if (n > MOST_SMALL)
		return normal_shown((double)n, confidence);
	while (n > small_samples[k].n)
		k++;
	/* Interpolate in 1 / n, as the excess falls with it. */
	first = 1.0 / (double)small_samples[k - 1].n;
	share = (first - 1.0 / (double)n) /
	    (first - 1.0 / (double)small_samples[k].n);
	return achieved_shown(n, confidence) *
	    (row_excess(k - 1, confidence) * (1.0 - share) +
		row_excess(k, confidence) * share);
}

/* The smallest n at which n and n runs reach the confidence. */
static long
least_runs(double confidence)
{
	const long n = rank_test_runs_for((1 - confidence) / 2, 0);

	return n > LEAST_RUNS ? n : LEAST_RUNS;
}

int
runs_needed(double log_stddev, double change, double confidence, long *n)
{
	double guess;
	long runs;

	if (!(confidence > 0.0 && confidence < 1.0) || !(log_stddev >= 0.0) ||
	    !(change > 0.0) || !isfinite(change))
		return -1;
	guess = log_stddev * normal_shown(1.0, confidence) / log1p(change);
	guess = ceil(guess * guess);
	if (!(guess <= MOST_NEEDED))
		return -1;
	/* The formula underestimates small samples and may be off by rounding:
	 * search by the inequality. */
	runs = least_runs(confidence);
	if (guess > MOST_SMALL + 1)
		runs = runs > (long)guess - 1 ? runs : (long)guess - 1;
	while (log_stddev * shown_change(runs, confidence) > log1p(change))
		runs++;
	*n = runs;
	return 0;
}

double
detectable_change(double log_stddev, long n, double confidence)
{
	if (!(log_stddev >= 0.0) || !isfinite(log_stddev) ||
	    !(confidence > 0.0 && confidence < 1.0) ||
	    n < least_runs(confidence))
		return NAN;
	return expm1(log_stddev * shown_change(n, confidence));
}

int
stddev_interval(
    double stddev, double freedom, double confidence, double *low, double *high)
{
	const double tail = (1.0 - confidence) / 2.0;

	if (!(stddev >= 0.0) || !isfinite(stddev) || !(freedom > 0.0) ||
	    !(confidence > 0.0 && confidence < 1.0))
		return -1;
	*low =
	    stddev * sqrt(freedom / chi_square_quantile(1.0 - tail, freedom));
	*high = stddev * sqrt(freedom / chi_square_quantile(tail, freedom));
	return 0;
}

/* --- several cases -------------------------------------------------------- */

void
ratio_mean_add(struct ratio_mean *m, double ratio, const struct rounded_runs *a,
    const struct rounded_runs *b)
{
	const struct rounded_runs *const samples[] = { a, b };

	if (isnan(ratio))
		return;
	m->n++;
	m->logs += log(ratio);
	for (size_t i = 0; i < 2 && samples[i] != NULL; i++) {
		const double n = (double)samples[i]->n;
		const double s = sqrt(
		    log_squares(samples[i]->value, samples[i]->n) / (n - 1));
		const double v = pi / 3 * s * s / n;

		m->variances += v;
		m->squares += v * v / (n - 1);
	}
}

double
ratio_mean_interval(
    const struct ratio_mean *m, double confidence, double *low, double *high)
{
	const double n = (double)m->n, mean = m->logs / n;
	const double half = student_quantile(0.5 + confidence / 2,
				m->variances * m->variances / m->squares) *
	    sqrt(m->variances) / n;

	*low = exp(mean - half);
	*high = exp(mean + half);
	return exp(mean);
}

struct ranked_p {
	double p;
	size_t index;
};

void
p_adjust(const double *p, size_t n, int holm, double *out)
{
	struct ranked_p *ranked = xcalloc(n, sizeof *ranked);
	/* From the smallest p for Holm, else from the largest. */
	double last = holm ? 0.0 : 1.0;
	size_t tested = 0;

	for (size_t i = 0; i < n; i++) {
		out[i] = p[i];
		if (!isnan(p[i]))
			ranked[tested++] = (struct ranked_p){ p[i], i };
	}
	qsort(ranked, tested, sizeof *ranked, double_order);
	for (size_t k = 0; k < tested; k++) {
		const size_t i = holm ? k : tested - 1 - k;
		const double x = ranked[i].p;

		if (holm)
			last = fmax(last, x * (double)(tested - i));
		else
			last = fmin(last, x * (double)tested / (double)(i + 1));
		out[ranked[i].index] = fmin(1.0, last);
	}
	free(ranked);
}
