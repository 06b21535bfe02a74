/* Least-squares fits of five laws. The errors in doc/prediction.md depend on
 * the numbers of steps below. */
#include <config.h>

#include "predict/models/models.h"

#include <assert.h>

/* How a law is fitted: s by equal steps over 0 to last, then by golden sections
 * about the best; k from 0 and 1e-6 * 10^(i / 8). */
static const struct {
	int steps, sections, crosstalks;
	double last;
} searches[N_SCALING_LAWS] = {
	[LAW_AMDAHL] = { 200, 60, 1, 1 },
	[LAW_GUSTAFSON] = { 200, 60, 1, 0.999 }, /* s = 1 has no speedup */
	[LAW_USL] = { 60, 40, 34, 1 },
};

const char *const scaling_law_names[N_SCALING_LAWS] = { "linear", "amdahl",
	"gustafson", "usl", "power" };
const char *const scaling_law_titles[N_SCALING_LAWS] = { "linear", "Amdahl",
	"Gustafson", "USL", "power" };

/* A law, its points and parameters. */
struct law_fit {
	enum scaling_law law;
	const double *gpus, *speed;
	size_t n;
	double crosstalk; /* k */
	double level;     /* ln l of the last sum of squares */
};

/* ln X - ln l at a number of GPUs. */
static double
law_form(const struct law_fit *f, double n, double s)
{
	return f->law == LAW_GUSTAFSON
	    ? log(n - s * (n - 1))
	    : log(n / (1 + s * (n - 1) + f->crosstalk * n * (n - 1)));
}

/* The remaining sum of squares, with the mean residual as level. */
static double
law_squares(struct law_fit *f, double s)
{
	double sum = 0;

	f->level = 0;
	for (size_t i = 0; i < f->n; i++)
		f->level += log(f->speed[i]) - law_form(f, f->gpus[i], s);
	f->level /= (double)f->n;
	for (size_t i = 0; i < f->n; i++) {
		double r =
		    log(f->speed[i]) - law_form(f, f->gpus[i], s) - f->level;

		sum += r * r;
	}
	return sum;
}

/* The s with the least squares, which are set with the level. */
static double
law_share(struct law_fit *f, double *squares)
{
	const double golden = (sqrt(5) - 1) / 2;
	const double last = searches[f->law].last;
	const int steps = searches[f->law].steps;
	double best = 0, low, high, at[2], of[2];

	*squares = INFINITY;
	for (int i = 0; i <= steps; i++) {
		const double s = last * i / steps, own = law_squares(f, s);

		if (own < *squares) {
			*squares = own;
			best = s;
		}
	}
	low = fmax(0, best - last / steps);
	high = fmin(last, best + last / steps);
	at[0] = high - golden * (high - low);
	at[1] = low + golden * (high - low);
	of[0] = law_squares(f, at[0]);
	of[1] = law_squares(f, at[1]);
	for (int i = 0; i < searches[f->law].sections; i++) {
		const int up = of[0] > of[1];

		*(up ? &low : &high) = at[!up];
		at[!up] = at[up];
		of[!up] = of[up];
		at[up] = up ? low + golden * (high - low)
			    : high - golden * (high - low);
		of[up] = law_squares(f, at[up]);
	}
	if (law_squares(f, (low + high) / 2) < *squares)
		best = (low + high) / 2;
	*squares = law_squares(f, best);
	return best;
}

double
law_predict(enum scaling_law law, const double *gpus, const double *speed,
    size_t n, double target)
{
	struct law_fit f = { law, gpus, speed, n, 0, 0 };
	double least = INFINITY, value = NAN, mx = 0, my = 0, xx = 0, xy = 0;

	assert(n > 0);
	if (law == LAW_LINEAR)
		return speed[n - 1] * target / gpus[n - 1];
	if (gpus[0] >= gpus[n - 1])
		return NAN;
	if (law == LAW_POWER) { /* ln X over ln N by the straight line */
		for (size_t i = 0; i < n; i++) {
			mx += log(gpus[i]) / (double)n;
			my += log(speed[i]) / (double)n;
		}
		for (size_t i = 0; i < n; i++) {
			const double x = log(gpus[i]) - mx;

			xx += x * x;
			xy += x * (log(speed[i]) - my);
		}
		return exp(my + xy / xx * (log(target) - mx));
	}
	for (int i = 0; i < searches[law].crosstalks; i++) {
		double squares, s;

		f.crosstalk = i == 0 ? 0 : 1e-6 * pow(10, (i - 1) / 8.0);
		s = law_share(&f, &squares);
		if (squares < least) {
			least = squares;
			value = exp(f.level + law_form(&f, target, s));
		}
	}
	return value;
}
