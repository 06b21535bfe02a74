/* Least-squares fits of five laws. The errors in doc/prediction.md depend on
 * the numbers of steps below. */
#include <config.h>

#include "predict/models/laws.h"

#include <assert.h>
#include <math.h>

enum {
	SHARE_STEPS = 200,   /* of s over its range */
	SHARE_SECTIONS = 60, /* golden sections about the best */
	USL_SHARE_STEPS = 60,
	USL_SECTIONS = 40,
	USL_CROSSTALKS = 34 /* 0 and 1e-6 * 10^(i / 8) */
};

#define GUSTAFSON_LAST 0.999 /* s = 1 has no speedup to fit */

const char *const scaling_law_names[N_SCALING_LAWS] = { "linear", "amdahl",
	"gustafson", "usl", "power" };
const char *const scaling_law_titles[N_SCALING_LAWS] = { "linear", "Amdahl",
	"Gustafson", "USL", "power" };

/* A fit: its law and points. */
struct law_fit {
	enum scaling_law law;
	const double *gpus, *speed;
	size_t n;
};

/* ln X - ln l at a number of GPUs. */
static double
law_form(enum scaling_law law, double n, double s, double crosstalk)
{
	return law == LAW_GUSTAFSON
	    ? log(n - s * (n - 1))
	    : log(n / (1 + s * (n - 1) + crosstalk * n * (n - 1)));
}

/* The remaining sum of squares; sets level to the mean residual, ln l. */
static double
law_squares(const struct law_fit *f, double s, double crosstalk, double *level)
{
	double sum = 0;

	*level = 0;
	for (size_t i = 0; i < f->n; i++)
		*level += log(f->speed[i]) -
		    law_form(f->law, f->gpus[i], s, crosstalk);
	*level /= (double)f->n;
	for (size_t i = 0; i < f->n; i++) {
		double r = log(f->speed[i]) -
		    law_form(f->law, f->gpus[i], s, crosstalk) - *level;

		sum += r * r;
	}
	return sum;
}

/* The s with the least squares: equal steps over 0..last, then golden sections
 * between the neighbours of the best of them. Sets level for it. */
static double
law_share(const struct law_fit *f, double crosstalk, int steps, int sections,
    double last, double *squares, double *level)
{
	const double golden = (sqrt(5) - 1) / 2;
	double best = 0, low, high, a, b, fa, fb;

	*squares = INFINITY;
	for (int i = 0; i <= steps; i++) {
		const double s = last * i / steps;
		const double own = law_squares(f, s, crosstalk, level);

		if (own < *squares) {
			*squares = own;
			best = s;
		}
	}
	low = fmax(0, best - last / steps);
	high = fmin(last, best + last / steps);
	a = high - golden * (high - low);
	b = low + golden * (high - low);
	fa = law_squares(f, a, crosstalk, level);
	fb = law_squares(f, b, crosstalk, level);
	for (int i = 0; i < sections; i++) {
		if (fa <= fb) {
			high = b;
			b = a;
			fb = fa;
			a = high - golden * (high - low);
			fa = law_squares(f, a, crosstalk, level);
		} else {
			low = a;
			a = b;
			fa = fb;
			b = low + golden * (high - low);
			fb = law_squares(f, b, crosstalk, level);
		}
	}
	a = (low + high) / 2;
	if (law_squares(f, a, crosstalk, level) < *squares)
		best = a;
	*squares = law_squares(f, best, crosstalk, level);
	return best;
}

/* ln X over ln N by the straight line. */
static double
power_value(const struct law_fit *f, double target)
{
	double mx = 0, my = 0, xx = 0, xy = 0;

	for (size_t i = 0; i < f->n; i++) {
		mx += log(f->gpus[i]) / (double)f->n;
		my += log(f->speed[i]) / (double)f->n;
	}
	for (size_t i = 0; i < f->n; i++) {
		double x = log(f->gpus[i]) - mx;

		xx += x * x;
		xy += x * (log(f->speed[i]) - my);
	}
	return exp(my + xy / xx * (log(target) - mx));
}

double
law_predict(enum scaling_law law, const double *gpus, const double *speed,
    size_t n, double target)
{
	const struct law_fit f = { law, gpus, speed, n };
	const int is_usl = law == LAW_USL;
	double least = INFINITY, value = NAN;

	assert(n > 0);
	if (law == LAW_LINEAR)
		return speed[n - 1] * target / gpus[n - 1];
	if (gpus[0] >= gpus[n - 1])
		return NAN;
	if (law == LAW_POWER)
		return power_value(&f, target);
	for (int i = 0; i < (is_usl ? USL_CROSSTALKS : 1); i++) {
		const double crosstalk =
		    i == 0 ? 0 : 1e-6 * pow(10, (i - 1) / 8.0);
		double squares, level;
		const double s = law_share(&f, crosstalk,
		    is_usl ? USL_SHARE_STEPS : SHARE_STEPS,
		    is_usl ? USL_SECTIONS : SHARE_SECTIONS,
		    law == LAW_GUSTAFSON ? GUSTAFSON_LAST : 1, &squares,
		    &level);

		if (squares >= least)
			continue;
		least = squares;
		value = exp(level + law_form(law, target, s, crosstalk));
	}
	return value;
}
