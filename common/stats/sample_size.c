#include <config.h>

#include "common/stats/sample_size.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/stats/stats.h"

static const double pi = 3.14159265358979323846;

/* For 0 < p <= 1/2. */
static double
lower_quantile(double p)
{
	const double t = sqrt(-2.0 * log(p));
	double x = (2.515517 + t * (0.802853 + t * 0.010328)) /
		(1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
	    t;

	/* The start is within 4.5e-4; each step cubes the error. */
	for (int i = 0; i < 2; i++) {
		const double off = erfc(-x / sqrt(2.0)) / 2.0 - p;
		const double u = off * sqrt(2.0 * pi) * exp(x * x / 2.0);

		x -= u / (1.0 + x * u / 2.0);
	}
	return x;
}

double
normal_quantile(double p)
{
	if (!(p >= 0.0 && p <= 1.0))
		return NAN;
	if (p <= 0.0)
		return -INFINITY;
	if (p >= 1.0)
		return INFINITY;
	return p <= 0.5 ? lower_quantile(p) : -lower_quantile(1.0 - p);
}

double
pooled_log_stddev(const double *const *x, const size_t *n, size_t n_groups)
{
	struct stats_sum squares = STATS_SUM_INIT;
	size_t freedom = 0;
	int sane = 1;

	for (size_t g = 0; g < n_groups; g++) {
		double *logs;

		if (n[g] == 0)
			continue;
		logs = xreallocarray(NULL, n[g], sizeof *logs);
		for (size_t i = 0; i < n[g]; i++) {
			logs[i] = x[g][i] > 0.0 ? log(x[g][i]) : NAN;
			sane = sane && isfinite(logs[i]);
		}
		if (n[g] > 1)
			stats_sum_add(&squares,
			    stats_variance(logs, n[g]) * (double)(n[g] - 1));
		freedom += n[g] - 1;
		free(logs);
	}
	if (!sane || freedom == 0)
		return NAN;
	return sqrt(stats_sum_value(&squares) / (double)freedom);
}

static const double wanted_power = 0.8;
enum { LEAST_RUNS = 4, MOST_RUNS = 1000000 };

/* Can n and n runs prove anything?  Only if their best level does. */
static int
enough_to_prove(long n, double confidence)
{
	double ways = 1.0; /* C(2n, n); infinite is fine */

	if (n < LEAST_RUNS)
		return 0;
	for (long i = 1; i <= n && ways < 0x1p60; i++)
		ways = ways * (double)(n + i) / (double)i;
	return 1.0 - 2.0 / ways >= confidence;
}

/* ln of the change that n and n runs show. */
static double
log_change(double log_stddev, double n, double confidence)
{
	const double z = normal_quantile(0.5 + confidence / 2.0) +
	    normal_quantile(wanted_power);

	return z * log_stddev * sqrt(2.0 / n * (pi / 3.0));
}

int
runs_needed(double log_stddev, double change, double confidence, long *n,
    struct error *e)
{
	double guess;
	long runs;

	if (!(confidence > 0.0 && confidence < 1.0))
		return error_set(e, ERROR_DOMAIN,
		    "confidence %g is not between 0 and 1", confidence);
	if (!(log_stddev >= 0.0) || !isfinite(log_stddev))
		return error_set(e, ERROR_DOMAIN,
		    "spread %g is not a number from 0 up", log_stddev);
	if (!(change > 0.0) || !isfinite(change))
		return error_set(
		    e, ERROR_DOMAIN, "change %g is not above 0", change);
	guess = log_change(log_stddev, 1.0, confidence) / log1p(change);
	guess = ceil(guess * guess);
	if (!(guess <= MOST_RUNS))
		return error_set(e, ERROR_LIMIT,
		    "a change of %g %% takes more than %d runs", 100.0 * change,
		    MOST_RUNS);
	/* The guess may be off by a rounding: the inequality decides. */
	runs = guess < LEAST_RUNS + 1 ? LEAST_RUNS : (long)guess - 1;
	while (!enough_to_prove(runs, confidence) ||
	    log_change(log_stddev, (double)runs, confidence) > log1p(change))
		runs++;
	*n = runs;
	return 0;
}

double
detectable_change(double log_stddev, long n, double confidence)
{
	if (!(log_stddev >= 0.0) || !isfinite(log_stddev) ||
	    !(confidence > 0.0 && confidence < 1.0) ||
	    !enough_to_prove(n, confidence))
		return NAN;
	return expm1(log_change(log_stddev, (double)n, confidence));
}
