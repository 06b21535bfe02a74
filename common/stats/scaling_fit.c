#include <config.h>

#include "common/stats/scaling_fit.h"

#include <math.h>
#include <string.h>

#include "common/stats/distribution.h"
#include "common/stats/stats.h"

enum { MAX_PARAMETERS = 3, MAX_STEPS = 200, MAX_HALVINGS = 40 };
static const double pi = 3.14159265358979323846;

const struct scaling_law scaling_laws[N_SCALING_FITS] = {
	[SCALING_AMDAHL] = { "Amdahl", 4 },
	[SCALING_GUSTAFSON] = { "Gustafson", 4 },
	[SCALING_USL] = { "USL", 5 },
};

typedef double matrix[MAX_PARAMETERS][MAX_PARAMETERS];

/* Points, law and the free ones of s and k. The parameters are ln l, s, k. */
struct fit_problem {
	enum scaling_fit_law law;
	const double *n, *speed;
	size_t count;
	int is_free[MAX_PARAMETERS];
};

/* Sum of squares of ln X, and the normal equations a d = b, with a of held
 * parameters that of the unit matrix. */
static double
sum_squares(const struct fit_problem *f, const double *p, matrix a, double *b)
{
	double sum = 0;

	for (int j = 0; j < MAX_PARAMETERS; j++) {
		b[j] = 0;
		for (int k = 0; k < MAX_PARAMETERS; k++)
			a[j][k] = j == k && !f->is_free[j];
	}
	for (size_t i = 0; i < f->count; i++) {
		const double n = f->n[i];
		const int linear = f->law == SCALING_GUSTAFSON;
		/* X / l is d or n / d. */
		const double d = linear
		    ? n - p[1] * (n - 1)
		    : 1 + p[1] * (n - 1) + p[2] * n * (n - 1);
		const double shape = linear ? d : n / d;
		const double off = log(f->speed[i]) - p[0] - log(shape);
		/* Derivatives of ln X. */
		const double by[MAX_PARAMETERS] = { 1, -(n - 1) / d,
			-n * (n - 1) / d };

		if (!(shape > 0))
			return INFINITY;
		sum += off * off;
		for (int j = 0; j < MAX_PARAMETERS; j++) {
			b[j] += f->is_free[j] ? by[j] * off : 0;
			for (int k = 0; k < MAX_PARAMETERS; k++)
				a[j][k] += f->is_free[j] && f->is_free[k]
				    ? by[j] * by[k]
				    : 0;
		}
	}
	return sum;
}

/* Invert a symmetric 3 by 3 matrix by Cramer's rule. Returns -1 if it is
 * singular. */
static int
invert_matrix(matrix a, matrix out)
{
	double det = 0;

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++) {
			const int r = (i + 1) % 3, s = (i + 2) % 3;
			const int u = (j + 1) % 3, v = (j + 2) % 3;

			out[j][i] = a[r][u] * a[s][v] - a[r][v] * a[s][u];
		}
	for (int j = 0; j < 3; j++)
		det += a[0][j] * out[j][0];
	for (int i = 0; i < 9; i++)
		out[i / 3][i % 3] /= det;
	return isnormal(det) ? 0 : -1;
}

/* Gauss-Newton from l of the smallest n and s and k near 0. Each step is halved
 * until the sum of squares does not grow. Returns the sum of squares, NAN if it
 * does not converge. */
static double
fit_parameters(const struct fit_problem *f, double *p)
{
	matrix a, inverse;
	double b[MAX_PARAMETERS];
	size_t least = 0;

	for (size_t i = 1; i < f->count; i++)
		if (f->n[i] < f->n[least])
			least = i;
	p[0] = log(f->speed[least] / f->n[least]);
	p[1] = f->is_free[1] ? 0.01 : 0;
	p[2] = f->is_free[2] ? 1e-5 : 0;
	for (int step = 0; step < MAX_STEPS; step++) {
		const double sum = sum_squares(f, p, a, b);
		double slope[MAX_PARAMETERS], next[MAX_PARAMETERS];
		double share = 1, largest = 0, better;
		int halvings = 0;

		if (!isfinite(sum) || invert_matrix(a, inverse) != 0)
			return NAN;
		memcpy(slope, b, sizeof slope);
		do {
			for (int i = 0; i < MAX_PARAMETERS; i++) {
				next[i] = p[i];
				for (int k = 0; k < MAX_PARAMETERS; k++)
					next[i] +=
					    share * inverse[i][k] * slope[k];
			}
			share /= 2;
			better = sum_squares(f, next, a, b);
		} while (!(better <= sum) && halvings++ < MAX_HALVINGS);
		if (!(better <= sum))
			return sum; /* no step improves the fit */
		for (int i = 0; i < MAX_PARAMETERS; i++) {
			largest = fmax(largest,
			    fabs(next[i] - p[i]) / (1e-9 + fabs(next[i])));
			p[i] = next[i];
		}
		if (largest < 1e-12)
			return better;
	}
	return NAN;
}

int
scaling_fit(enum scaling_fit_law law, const double *n, const double *speed,
    size_t count, struct scaling_fit *out)
{
	struct fit_problem f = { law, n, speed, count,
		{ 1, 1, law == SCALING_USL } };
	double p[MAX_PARAMETERS], b[MAX_PARAMETERS], sum, variance;
	double *const errors[] = { &out->speed_of_one_error, &out->serial_error,
		&out->coherence_error };
	matrix a, inverse;
	int free, rc;

	*out = (struct scaling_fit){ .law = law };
	for (size_t i = 0, k; i < count; i++) {
		for (k = 0; k < i && fabs(n[k] - n[i]) > 1e-12;)
			k++;
		out->sizes += k == i;
	}
	if (out->sizes < scaling_laws[law].min_sizes ||
	    !(stats_min(n, count) > 0) || !(stats_min(speed, count) > 0))
		return -1;
	sum = fit_parameters(&f, p);
	/* Hold negative parameters at 0, k first. */
	for (int i = 2; i > 0;) {
		if (!f.is_free[i] || (isfinite(sum) && p[i] >= 0)) {
			i--;
			continue;
		}
		f.is_free[i] = 0;
		sum = fit_parameters(&f, p);
		i = 2;
	}
	if (!isfinite(sum))
		return -1;
	out->speed_of_one = exp(p[0]);
	out->serial = p[1];
	out->coherence = p[2];
	out->peak = p[2] > 0 && p[1] < 1 ? sqrt((1 - p[1]) / p[2]) : INFINITY;

	free = f.is_free[0] + f.is_free[1] + f.is_free[2];
	out->freedom = (int)count - free;
	variance = sum / out->freedom;
	out->residual = sqrt(variance);
	/* Like R's AIC of nls, which counts the variance as a parameter. */
	out->aic = (double)count * (log(2 * pi * sum / (double)count) + 1) +
	    2 * (free + 1);
	sum_squares(&f, p, a, b);
	rc = invert_matrix(a, inverse);
	for (int i = 0; i < MAX_PARAMETERS; i++)
		*errors[i] = rc == 0 && f.is_free[i]
		    ? sqrt(variance * inverse[i][i])
		    : NAN;
	out->speed_of_one_error *= out->speed_of_one; /* of ln l */
	return 0;
}

double
scaling_fit_half_width(
    const struct scaling_fit *f, double error, double confidence)
{
	return error * student_quantile((1 + confidence) / 2, f->freedom);
}

double
scaling_fit_reach(const struct scaling_fit *f, double share)
{
	const double s = f->serial, k = f->coherence;

	if (f->law == SCALING_GUSTAFSON)
		return share > 1 - s ? s / (share - (1 - s)) : INFINITY;
	/* The positive root of k n^2 + (s - k) n = s + 1 / share - 1 */
	return 2 * (s + 1 / share - 1) /
	    (s - k + sqrt((s - k) * (s - k) + 4 * k * (s + 1 / share - 1)));
}
