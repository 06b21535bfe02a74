#include <config.h>

#include "common/stats/rank_test.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"

static const double exact_cost = 5e7;

static int
check_confidence(double confidence, struct error *e)
{
	if (!(confidence > 0.0 && confidence < 1.0))
		return error_set(e, ERROR_DOMAIN,
		    "confidence %g is not between 0 and 1", confidence);
	return 0;
}

/* Check that the sample is not empty and its values are finite and, for ratios,
 * above 0. */
static int
check_sample(const double *x, size_t n, int positive, struct error *e)
{
	if (n == 0)
		return error_set(e, ERROR_DOMAIN, "no values");
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(x[i]))
			return error_set(e, ERROR_DOMAIN,
			    "value %zu of %zu is %g, not a finite number",
			    i + 1, n, x[i]);
		if (positive && x[i] <= 0.0)
			return error_set(e, ERROR_DOMAIN,
			    "value %zu of %zu is %g, not above 0", i + 1, n,
			    x[i]);
	}
	return 0;
}

static double *
sorted_copy(const double *x, size_t n)
{
	double *copy = xreallocarray(NULL, n, sizeof *copy);

	memcpy(copy, x, n * sizeof *copy);
	stats_sort(copy, n);
	return copy;
}

/* Find the largest k <= most whose level 1 - 2 sum_{i<k} C(n,i) / 2^n reaches
 * confidence, else 1; 0 for n = 1. The binomials are doubles times 2^shift:
 * exact up to 2^53, without overflow. */
static size_t
median_rank(size_t n, size_t most, double confidence, double *level)
{
	double term = 1.0, sum = 0.0;
	int shift = 0;
	size_t rank = 0;

	assert(n <= INT_MAX);
	for (size_t k = 1; k <= most; k++) {
		double reached;

		sum += term;
		reached = 1.0 - ldexp(sum, shift + 1 - (int)n);
		if (k > 1 && reached < confidence)
			break;
		rank = k;
		*level = reached;
		term = term * (double)(n - k + 1) / (double)k;
		if (term > 0x1p500) {
			term *= 0x1p-500;
			sum *= 0x1p-500;
			shift += 500;
		}
	}
	return rank;
}

static const struct interval no_interval = { NAN, NAN, NAN, 0 };

int
rank_test_median(const double *x, size_t n, double confidence,
    struct interval *out, struct error *e)
{
	double *sorted;

	if (check_confidence(confidence, e) != 0 ||
	    check_sample(x, n, 0, e) != 0)
		return -1;
	*out = no_interval;
	out->rank = median_rank(n, n / 2, confidence, &out->level);
	if (out->rank == 0)
		return 0;
	sorted = sorted_copy(x, n);
	out->low = sorted[out->rank - 1];
	out->high = sorted[n - out->rank];
	free(sorted);
	return 0;
}

int
rank_test_is_exact(size_t m, size_t n)
{
	const double few = (double)(m < n ? m : n);
	const double many = (double)(m < n ? n : m);

	return (few + many) * few * few * many <= exact_cost;
}

int
rank_test_level_is_exact(size_t m, size_t n)
{
	const double few = (double)(m < n ? m : n);
	const double many = (double)(m < n ? n : m);

	/* The counts for 400 and 400 are below 1e240. */
	return few <= 400.0 && 2.0 * few * few * many <= exact_cost;
}

/* Count the subsets of m of the n scores with each sum.
 *
 * score  [n] ascending, >= 0
 * last   set to the largest sum
 *
 * Returns [*last + 1] counts, freed by the caller. Counts are doubles: exact up
 * to 2^53, above with the error of about n roundings (all terms are positive).
 */
static double *
count_sums(const long *score, size_t n, size_t m, size_t *last)
{
	size_t width = 1, reach = 0;
	double *ways, *row;

	for (size_t i = n - m; i < n; i++)
		width += (size_t)score[i];
	ways = xcalloc((m + 1) * width, sizeof *ways);
	ways[0] = 1.0;
	for (size_t i = 0; i < n; i++) {
		const size_t add = (size_t)score[i];

		reach += add; /* bound of the sums so far */
		if (reach >= width)
			reach = width - 1;
		for (size_t k = i + 1 < m ? i + 1 : m; k > 0; k--) {
			double *to = ways + k * width;
			const double *from = to - width;

			for (size_t s = add; s <= reach; s++)
				to[s] += from[s - add];
		}
	}
	row = xreallocarray(NULL, width, sizeof *row);
	memcpy(row, ways + m * width, width * sizeof *row);
	free(ways);
	*last = width - 1;
	return row;
}

/* Distribution of U for the levels 1 - 2 P(U <= c - 1): cumulative counts
 * ways[] and their total, or the normal approximation if ways is NULL. */
struct u_levels {
	double *ways; /* [m n + 1], or NULL */
	double total;
	double mean, stddev; /* of U */
};

/* Counts of U for m and n distinct values: the coefficients of the Gaussian
 * binomial, the product over i = 1..m of (1 - q^(n+i)) / (1 - q^i) (MacMahon
 * 1916). Each factor takes a subtracting and an adding pass. The rounding
 * errors of the subtraction are in the upper half, which is taken from the
 * lower one by symmetry.
 *
 * few  the smaller of m and n
 *
 * Returns [few * many + 1] counts, freed by the caller. */
static double *
count_u(size_t few, size_t many)
{
	const size_t last = few * many;
	double *ways = xcalloc(last + 1, sizeof *ways);

	ways[0] = 1.0;
	for (size_t i = 1; i <= few; i++) {
		const size_t top = i * many; /* largest U so far */

		for (size_t u = top; u >= many + i; u--)
			ways[u] -= ways[u - many - i];
		for (size_t u = i; u <= top; u++)
			ways[u] += ways[u - i];
		for (size_t u = 0; u < top - u; u++)
			ways[top - u] = ways[u];
	}
	return ways;
}

static void
u_levels_init(struct u_levels *u, size_t m, size_t n)
{
	const size_t few = m < n ? m : n, many = m < n ? n : m;

	u->mean = (double)m * (double)n / 2.0;
	u->stddev = sqrt(u->mean * (double)(m + n + 1) / 6.0);
	u->ways = NULL;
	u->total = 0.0;
	if (!rank_test_level_is_exact(m, n))
		return;
	u->ways = count_u(few, many);
	for (size_t i = 0; i <= m * n; i++)
		u->ways[i] = u->total += u->ways[i];
}

static double
u_level(const struct u_levels *u, size_t c)
{
	if (u->ways != NULL)
		return 1.0 - 2.0 * u->ways[c - 1] / u->total;
	/* Continuity correction: U <= c - 1 becomes U <= c - 1/2. */
	return erf((u->mean - ((double)c - 0.5)) / (u->stddev * sqrt(2.0)));
}

size_t
rank_test_ratio_rank(size_t m, size_t n, double confidence, double *level)
{
	size_t good = 1, bad = m * n / 2 + 1;
	struct u_levels u;

	*level = NAN;
	if (bad == 1)
		return 0;
	u_levels_init(&u, m, n);
	/* The level decreases with c. */
	while (bad - good > 1) {
		const size_t c = good + (bad - good) / 2;

		if (u_level(&u, c) >= confidence)
			good = c;
		else
			bad = c;
	}
	*level = u_level(&u, good);
	free(u.ways);
	return good;
}

/* Count the quotients a[i] / b[j] <= t of ascending a and b in O(m + n): the
 * quotient grows with i and falls with j. */
static size_t
count_quotients(const double *a, size_t m, const double *b, size_t n, double t)
{
	size_t count = 0, j = 0;

	for (size_t i = 0; i < m; i++) {
		while (j < n && a[i] / b[j] > t)
			j++;
		count += n - j;
	}
	return count;
}

/* Positive doubles are ordered like their bits as integers. */
union double_bits {
	double x;
	uint64_t bits;
};

/* Find the rank-th smallest quotient (from 1) of the ascending a and b by
 * bisection over the bits of a double: 64 steps give the exact quotient. */
static double
select_quotient(
    const double *a, size_t m, const double *b, size_t n, size_t rank)
{
	union double_bits low = { a[0] / b[n - 1] }, high = { a[m - 1] / b[0] };

	while (low.bits < high.bits) {
		union double_bits middle;

		middle.bits = low.bits + (high.bits - low.bits) / 2;
		if (count_quotients(a, m, b, n, middle.x) >= rank)
			high = middle;
		else
			low.bits = middle.bits + 1;
	}
	return low.x;
}

int
rank_test_ratio(const double *a, size_t m, const double *b, size_t n,
    double confidence, struct interval *out, struct error *e)
{
	struct interval found = no_interval;
	double *num, *den;
	int rc = -1;

	if (check_confidence(confidence, e) != 0 ||
	    check_sample(a, m, 1, e) != 0 || check_sample(b, n, 1, e) != 0)
		return -1;
	num = sorted_copy(a, m);
	den = sorted_copy(b, n);
	if (!isfinite(num[m - 1] / den[0]) || !(num[0] / den[n - 1] > 0.0)) {
		error_set(e, ERROR_DOMAIN, "%g / %g is out of range",
		    num[m - 1], den[0]);
		goto out;
	}
	found.rank = rank_test_ratio_rank(m, n, confidence, &found.level);
	if (found.rank > 0) {
		found.low = select_quotient(num, m, den, n, found.rank);
		found.high =
		    select_quotient(num, m, den, n, m * n + 1 - found.rank);
	}
	*out = found;
	rc = 0;
out:
	free(num);
	free(den);
	return rc;
}

int
rank_test_ratio_median(const double *a, size_t m, const double *b, size_t n,
    double *median, struct error *e)
{
	const size_t pairs = m * n;
	double *num, *den, low, high;

	if (check_sample(a, m, 1, e) != 0 || check_sample(b, n, 1, e) != 0)
		return -1;
	num = sorted_copy(a, m);
	den = sorted_copy(b, n);
	low = select_quotient(num, m, den, n, (pairs + 1) / 2);
	high = select_quotient(num, m, den, n, pairs / 2 + 1);
	free(num);
	free(den);
	if (!isfinite(high) || !(low > 0.0))
		return error_set(e, ERROR_DOMAIN, "a quotient is out of range");
	/* The geometric mean is consistent for a / b and b / a. */
	*median = low < high ? sqrt(low) * sqrt(high) : low;
	return 0;
}

double
rank_test_u_at_most(size_t m, size_t n, size_t u)
{
	struct u_levels levels;
	double below;

	assert(m > 0 && n > 0);
	if (u >= m * n)
		return 1.0;
	u_levels_init(&levels, m, n);
	below = levels.ways != NULL ? levels.ways[u] / levels.total
				    : erfc((levels.mean - ((double)u + 0.5)) /
					  (levels.stddev * sqrt(2.0))) /
		2.0;
	free(levels.ways);
	return below;
}

int
rank_test_ratio_side(const double *a, size_t m, const double *b, size_t n,
    double bound, int below, double *p, struct error *e)
{
	double *num, *den;
	size_t against;

	if (!(bound > 0.0) || !isfinite(bound))
		return error_set(
		    e, ERROR_DOMAIN, "the bound %g is not above 0", bound);
	if (check_sample(a, m, 1, e) != 0 || check_sample(b, n, 1, e) != 0)
		return -1;
	num = sorted_copy(a, m);
	den = sorted_copy(b, n);
	/* A quotient equal to the bound counts against both claims. */
	if (below)
		against = m * n -
		    count_quotients(num, m, den, n, nextafter(bound, 0.0));
	else
		against = count_quotients(num, m, den, n, bound);
	free(num);
	free(den);
	*p = rank_test_u_at_most(m, n, against);
	return 0;
}

double
rank_test_median_level(size_t n, size_t k)
{
	double level = NAN;

	if (k > 0 && 2 * k <= n)
		(void)median_rank(n, k, -1.0, &level);
	return level;
}

double
rank_test_limit_level(size_t m, size_t n, size_t c)
{
	if (m < 2 || n < 2 || c == 0)
		return NAN;
	return fmin(rank_test_median_level(m, (c + n - 1) / n),
	    rank_test_median_level(n, (c + m - 1) / m));
}

/* Pooled value with its origin. */
struct pooled {
	double value;
	int of_a;
};

static int
pooled_ascending(const void *x, const void *y)
{
	const struct pooled *p = x, *q = y;

	return (p->value > q->value) - (p->value < q->value);
}

/* Pooled ranks and their sums. */
struct ranks {
	long *score;     /* [m + n] twice the midrank - 2, ascending */
	long long sum;   /* sum of all scores */
	long long sum_a; /* sum of the scores of a */
	double ties;     /* sum of t^3 - t over groups of t equal values */
};

static void
ranks_init(
    struct ranks *r, const double *a, size_t m, const double *b, size_t n)
{
	const size_t all = m + n;
	struct pooled *pool = xreallocarray(NULL, all, sizeof *pool);

	for (size_t i = 0; i < all; i++)
		pool[i] = (struct pooled){ i < m ? a[i] : b[i - m], i < m };
	qsort(pool, all, sizeof *pool, pooled_ascending);
	*r = (struct ranks){ xreallocarray(NULL, all, sizeof *r->score), 0, 0,
		0.0 };
	for (size_t i = 0, end; i < all; i = end) {
		double t;

		end = i + 1;
		while (end < all && !(pool[i].value < pool[end].value))
			end++;
		t = (double)(end - i);
		r->ties += t * (t * t - 1.0);
		for (size_t j = i; j < end; j++) {
			r->score[j] = (long)(i + end - 1);
			r->sum += r->score[j];
			r->sum_a += pool[j].of_a ? r->score[j] : 0;
		}
	}
	free(pool);
}

/* Share of the subsets of m scores whose sum is at least as far from the mean m
 * sum / all as the observed one. Integers make the comparison exact. */
static double
exact_p(const struct ranks *r, size_t m, size_t all, long long sum_m)
{
	const long long middle = (long long)m * r->sum;
	const long long seen = llabs(sum_m * (long long)all - middle);
	double far = 0.0, total = 0.0, *ways;
	size_t last;

	ways = count_sums(r->score, all, m, &last);
	for (size_t s = 0; s <= last; s++) {
		const long long at = (long long)s * (long long)all - middle;

		total += ways[s];
		if (llabs(at) >= seen)
			far += ways[s];
	}
	free(ways);
	return far / total;
}

static double
normal_p(const struct ranks *r, size_t m, size_t n)
{
	const double x = (double)m, y = (double)n, all = x + y;
	const double u = ((double)r->sum_a - x * (x - 1.0)) / 2.0;
	const double variance =
	    x * y / 12.0 * (all + 1.0 - r->ties / (all * (all - 1.0)));
	const double far = fabs(u - x * y / 2.0) - 0.5;

	if (!(variance > 0.0) || !(far > 0.0))
		return 1.0;
	return erfc(far / sqrt(2.0 * variance));
}

int
rank_test_mann_whitney(const double *a, size_t m, const double *b, size_t n,
    double *p, struct error *e)
{
	struct ranks r;
	size_t u; /* for samples without ties */

	if (check_sample(a, m, 0, e) != 0 || check_sample(b, n, 0, e) != 0)
		return -1;
	ranks_init(&r, a, m, b, n);
	u = (size_t)(r.sum_a / 2) - m * (m - 1) / 2;
	if (!(r.ties > 0.0) && rank_test_level_is_exact(m, n))
		*p = fmin(1.0,
		    2.0 *
			rank_test_u_at_most(
			    m, n, u < m * n - u ? u : m * n - u));
	else if (!rank_test_is_exact(m, n))
		*p = normal_p(&r, m, n);
	else if (m <= n)
		*p = exact_p(&r, m, m + n, r.sum_a);
	else
		*p = exact_p(&r, n, m + n, r.sum - r.sum_a);
	free(r.score);
	return 0;
}

long
rank_test_runs_for(double confidence, int of_two)
{
	double level = 0;
	long n = 1;

	while (n < 1000 && !(level >= confidence)) {
		n++;
		if (of_two)
			rank_test_ratio_rank(
			    (size_t)n, (size_t)n, confidence, &level);
		else
			level = rank_test_median_level((size_t)n, 1);
	}
	return n;
}

/* --- rounded runs --------------------------------------------------------- */

void
rounded_runs_init(struct rounded_runs *r, size_t n)
{
	r->value = xcalloc(3 * n + 1, sizeof *r->value);
	r->low = r->value + n;
	r->high = r->low + n;
	r->n = n;
}

void
rounded_runs_release(struct rounded_runs *r)
{
	free(r->value);
	r->value = NULL;
	r->n = 0;
}

int
rounded_runs_are(const struct rounded_runs *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->low[i] < r->high[i])
			return 1;
	return 0;
}

int
rounded_median(const struct rounded_runs *r, double confidence,
    struct interval *out, struct error *e)
{
	struct interval low, high;

	if (rank_test_median(r->value, r->n, confidence, out, e) != 0 ||
	    rank_test_median(r->low, r->n, confidence, &low, e) != 0 ||
	    rank_test_median(r->high, r->n, confidence, &high, e) != 0)
		return -1;
	out->low = low.low;
	out->high = high.high;
	if (r->n == 1 && rounded_runs_are(r)) {
		out->low = r->low[0];
		out->high = r->high[0];
	}
	return 0;
}

int
rounded_ratio(const struct rounded_runs *a, const struct rounded_runs *b,
    double confidence, struct interval *out, struct error *e)
{
	struct interval low, high;

	if (rank_test_ratio(
		a->value, a->n, b->value, b->n, confidence, out, e) != 0 ||
	    rank_test_ratio(a->low, a->n, b->high, b->n, confidence, &low, e) !=
		0 ||
	    rank_test_ratio(
		a->high, a->n, b->low, b->n, confidence, &high, e) != 0)
		return -1;
	out->low = low.low;
	out->high = high.high;
	if (a->n == 1 && b->n == 1 &&
	    (rounded_runs_are(a) || rounded_runs_are(b))) {
		out->low = a->low[0] / b->high[0];
		out->high = a->high[0] / b->low[0];
	}
	return 0;
}
