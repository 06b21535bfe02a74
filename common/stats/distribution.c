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

/* Avoids a division by 0 in Lentz's method. */
static double
off_zero(double x)
{
	return fabs(x) < 1e-300 ? 1e-300 : x;
}

/* I_x(a, b) by continued fraction, for x < (a + 1) / (a + b + 2). */
static double
beta_fraction(double a, double b, double x)
{
	double c = 1.0, d = 1.0 / off_zero(1.0 - (a + b) * x / (a + 1.0));
	double h = d;

	for (int i = 1; i < MAX_TERMS; i++) {
		const double k = (double)i, was = h;
		double term = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));

		d = 1.0 / off_zero(1.0 + term * d);
		c = off_zero(1.0 + term / c);
		h *= d * c;
		term = -(a + k) * (a + b + k) * x /
		    ((a + 2 * k) * (a + 2 * k + 1));
		d = 1.0 / off_zero(1.0 + term * d);
		c = off_zero(1.0 + term / c);
		h *= d * c;
		if (fabs(h - was) <= DBL_EPSILON * fabs(h))
			break;
	}
	return h *
	    exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) -
		lgamma(b)) /
	    a;
}

/* P(T > t) of Student's t, for t > 0. */
static double
student_above(double t, double df)
{
	const double a = df / 2.0, b = 0.5, x = df / (df + t * t);

	if (x < (a + 1.0) / (a + b + 2.0))
		return beta_fraction(a, b, x) / 2.0;
	return (1.0 - beta_fraction(b, a, 1.0 - x)) / 2.0;
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
