#include <config.h>

#include "common/stats/sample_size.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/stats/distribution.h"
#include "common/stats/rank_test.h"
#include "common/stats/stats.h"

static const double pi = 3.14159265358979323846;

double
pooled_log_stddev(const double *const *x, const size_t *n, size_t n_groups)
{
	struct stats_sum squares = STATS_SUM_INIT;
	size_t freedom = 0;
	int sane = 1;

	for (size_t g = 0; g < n_groups; g++) {
		double *logs = xcalloc(n[g] + 1, sizeof *logs);

		for (size_t i = 0; i < n[g]; i++) {
			logs[i] = log(x[g][i]); /* not finite below 0 */
			sane = sane && isfinite(logs[i]);
		}
		if (n[g] > 1) {
			stats_sum_add(&squares,
			    stats_variance(logs, n[g]) * (double)(n[g] - 1));
			freedom += n[g] - 1;
		}
		free(logs);
	}
	if (!sane || freedom == 0)
		return NAN;
	return sqrt(stats_sum_value(&squares) / (double)freedom);
}

static const double wanted_power = 0.8;
enum {
	LEAST_RUNS = 4,
	MOST_SMALL = 30, /* above, the formula's error is below 2 % */
	MOST_RUNS = 1000000
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
	if (!(guess <= MOST_RUNS))
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
ratio_mean_add(struct ratio_mean *m, double ratio, const double *const *x,
    const size_t *n, size_t n_samples)
{
	if (isnan(ratio))
		return;
	m->n++;
	m->logs += log(ratio);
	for (size_t i = 0; i < n_samples; i++) {
		const double s = pooled_log_stddev(&x[i], &n[i], 1);
		const double v = pi / 3 * s * s / (double)n[i];

		m->variances += v;
		m->squares += v * v / ((double)n[i] - 1);
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
