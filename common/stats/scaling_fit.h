/* Scaling laws fitted to speeds over device counts, with standard errors.
 *
 *	Amdahl     X = l n / (1 + s (n - 1))
 *	Gustafson  X = l (n - s (n - 1))
 *	USL        X = l n / (1 + s (n - 1) + k n (n - 1))
 *
 * by least squares of ln X with l free and s, k >= 0. Speeds are fitted because
 * speedups share the noise of their baseline. */
#ifndef COMMON_STATS_SCALING_FIT_H
#define COMMON_STATS_SCALING_FIT_H

#include <stddef.h>

enum scaling_fit_law {
	SCALING_AMDAHL,
	SCALING_GUSTAFSON,
	SCALING_USL,
	N_SCALING_FITS
};

struct scaling_fit {
	enum scaling_fit_law law;
	int sizes;                /* number of distinct n */
	double speed_of_one;      /* l, in the unit of the speeds */
	double serial, coherence; /* s, k; k is 0 except for USL */
	/* Standard errors of l, s and k; NAN if held at 0. */
	double speed_of_one_error, serial_error, coherence_error;
	int freedom;     /* points minus fitted parameters */
	double residual; /* standard deviation of ln X around the law */
	double aic;      /* Akaike's, to compare laws of one series */
	double peak;     /* n of the highest speed; INFINITY: no maximum */
};

struct scaling_law {
	const char *name; /* "Amdahl" */
	int min_sizes;    /* distinct n for a fit: the parameters + 2 */
};

extern const struct scaling_law scaling_laws[N_SCALING_FITS];

/* Fit a law to n and speed [count], all > 0.
 *
 * Returns 0; -1 for fewer sizes than min_sizes, values out of range, or a fit
 * that does not converge; out then holds law and sizes.
 * Source: Amdahl 1967, AFIPS 30; Gustafson 1988, CACM 31(5); Gunther 2007,
 * Guerrilla Capacity Planning; Gauss-Newton with halved steps. */
int scaling_fit(enum scaling_fit_law law, const double *n, const double *speed,
    size_t count, struct scaling_fit *out);

/* Half the width of an interval of a parameter: its standard error times the
 * quantile of Student's t, like R's confint.default with the residual df. */
double scaling_fit_half_width(
    const struct scaling_fit *f, double error, double confidence);

/* Largest n whose efficiency, speed / (l n), is at least the share; INFINITY if
 * unbounded. */
double scaling_fit_reach(const struct scaling_fit *f, double share);

#endif
