#include <config.h>

#include "common/stats/distribution.h"

#include <float.h>
#include <math.h>

static const double pi = 3.14159265358979323846;

/* Quantile for 0 < p <= 1/2. */
static double
lower_quantile(double p)
{
	const double t = sqrt(-2.0 * log(p));
	double x = (2.515517 + t * (0.802853 + t * 0.010328)) /
		(1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
	    t;

	/* The initial error is below 4.5e-4; each step cubes it. */
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

enum { MAX_TERMS = 10000 };

/* P(X > x) of chi-square: the series of the incomplete gamma function. */
static double
chi_square_above(double x, double df)
{
	const double a = df / 2.0, half = x / 2.0;
	double term = 1.0 / a, sum = term;

	for (int k = 1; k < MAX_TERMS && term > sum * DBL_EPSILON / 4.0; k++) {
		term *= half / (a + k);
		sum += term;
	}
	return 1.0 - sum * exp(a * log(half) - half - lgamma(a));
}

/* I_x(a, b) by its series, all of whose terms are positive; for x <= 1/2. */
static double
beta_series(double a, double b, double x)
{
	double term = 1.0 / a, sum = term;

	for (int k = 0; k < MAX_TERMS && term > sum * DBL_EPSILON / 4.0; k++) {
		term *= (a + b + k) / (a + 1 + k) * x;
		sum += term;
	}
	return sum *
	    exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) -
		lgamma(b));
}

/* P(T > t) of Student's t, for t > 0. */
static double
student_above(double t, double df)
{
	const double x = df / (df + t * t), y = t * t / (df + t * t);

	return x < 0.5 ? beta_series(df / 2.0, 0.5, x) / 2.0
		       : (1.0 - beta_series(0.5, df / 2.0, y)) / 2.0;
}

/* Quantile x > 0 of p: doubling, then bisection to the tolerance; NAN for
 * arguments out of range.
 *
 * above  P(X > x) */
static double
search_quantile(
    double (*above)(double x, double df), double p, double df, double tolerance)
{
	double low = 0.0, high = 1.0;

	if (!(p > 0.0 && p < 1.0) || !(df > 0.0) || !isfinite(df))
		return NAN;
	while (above(high, df) > 1.0 - p && high < 1e300)
		high *= 2.0;
	for (int i = 0; i < 200 && high - low > tolerance * high; i++) {
		const double middle = low + (high - low) / 2.0;

		if (above(middle, df) > 1.0 - p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double
chi_square_quantile(double p, double df)
{
	return search_quantile(chi_square_above, p, df, 1e-12);
}

double
student_quantile(double p, double df)
{
	const double x =
	    search_quantile(student_above, fmax(p, 1.0 - p), df, 1e-13);

	return p > 0.5 ? x : p < 0.5 ? -x : 0.0 * x;
}
