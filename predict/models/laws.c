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

/* A fit: form of the law and points. */
struct law_fit {
	double (*form)(double n, double s, double crosstalk); /* ln X - ln l */
	const double *gpus, *speed;
	size_t n;
};

static double
usl_form(double n, double s, double crosstalk)
{
	return log(n / (1 + s * (n - 1) + crosstalk * n * (n - 1)));
}

static double
gustafson_form(double n, double s, double crosstalk)
{
	(void)crosstalk;
	return log(n - s * (n - 1));
}

/* The mean residual, ln l, and the remaining sum of squares. */
static double
law_squares(const struct law_fit *f, double s, double crosstalk, double *level)
{
	double mean = 0, sum = 0;

	for (size_t i = 0; i < f->n; i++)
		mean += log(f->speed[i]) - f->form(f->gpus[i], s, crosstalk);
	mean /= (double)f->n;
	for (size_t i = 0; i < f->n; i++) {
		double r =
		    log(f->speed[i]) - f->form(f->gpus[i], s, crosstalk) - mean;

		sum += r * r;
	}
	if (level != NULL)
		*level = mean;
	return sum;
}

/* The s with the least squares: equal steps over 0..last, then golden sections
 * between the neighbours of the best of them. */
static double
law_share(const struct law_fit *f, double crosstalk, int steps, int sections,
    double last)
{
	const double golden = (sqrt(5) - 1) / 2;
	double best = 0, least = INFINITY, low, high, a, b, fa, fb;

	for (int i = 0; i <= steps; i++) {
		double s = last * i / steps;
		double squares = law_squares(f, s, crosstalk, NULL);

		if (squares < least) {
			least = squares;
			best = s;
		}
	}
	low = fmax(0, best - last / steps);
	high = fmin(last, best + last / steps);
	a = high - golden * (high - low);
	b = low + golden * (high - low);
	fa = law_squares(f, a, crosstalk, NULL);
	fb = law_squares(f, b, crosstalk, NULL);
	for (int i = 0; i < sections; i++) {
		if (fa <= fb) {
			high = b;
			b = a;
			fb = fa;
			a = high - golden * (high - low);
			fa = law_squares(f, a, crosstalk, NULL);
		} else {
			low = a;
			a = b;
			fa = fb;
			b = low + golden * (high - low);
			fb = law_squares(f, b, crosstalk, NULL);
		}
	}
	a = (low + high) / 2;
	return law_squares(f, a, crosstalk, NULL) < least ? a : best;
}

static double
law_value(const struct law_fit *f, double s, double crosstalk, double target)
{
	double level;

	law_squares(f, s, crosstalk, &level);
	return exp(level + f->form(target, s, crosstalk));
}

static double
usl_value(const struct law_fit *f, double target)
{
	double best_s = 0, best_k = 0, least = INFINITY;

	for (int i = 0; i < USL_CROSSTALKS; i++) {
		double crosstalk = i == 0 ? 0 : 1e-6 * pow(10, (i - 1) / 8.0);
		double s =
		    law_share(f, crosstalk, USL_SHARE_STEPS, USL_SECTIONS, 1);
		double squares = law_squares(f, s, crosstalk, NULL);

		if (squares < least) {
			least = squares;
			best_s = s;
			best_k = crosstalk;
		}
	}
	return law_value(f, best_s, best_k, target);
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
	struct law_fit f = { usl_form, gpus, speed, n };

	assert(n > 0);
	if (law == LAW_LINEAR)
		return speed[n - 1] * target / gpus[n - 1];
	if (gpus[0] >= gpus[n - 1])
		return NAN;
	switch (law) {
	case LAW_AMDAHL:
		return law_value(&f,
		    law_share(&f, 0, SHARE_STEPS, SHARE_SECTIONS, 1), 0,
		    target);
	case LAW_GUSTAFSON:
		f.form = gustafson_form;
		return law_value(&f,
		    law_share(
			&f, 0, SHARE_STEPS, SHARE_SECTIONS, GUSTAFSON_LAST),
		    0, target);
	case LAW_USL:
		return usl_value(&f, target);
	default:
		return power_value(&f, target);
	}
}
