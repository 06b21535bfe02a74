#include <config.h>

#include "common/stats/many_cases.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/stats/distribution.h"
#include "common/stats/sample_size.h"

void
ratio_mean_add(struct ratio_mean *m, double ratio, const double *const *x,
    const size_t *n, size_t n_samples)
{
	static const double pi = 3.14159265358979323846;

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
ratio_mean_value(const struct ratio_mean *m)
{
	return m->n > 0 ? exp(m->logs / (double)m->n) : NAN;
}

void
ratio_mean_interval(
    const struct ratio_mean *m, double confidence, double *low, double *high)
{
	const double n = (double)m->n;
	double half;

	*low = *high = NAN;
	if (m->n == 0 || !(m->variances > 0))
		return;
	half = student_quantile(0.5 + confidence / 2,
		   m->variances * m->variances / m->squares) *
	    sqrt(m->variances) / n;
	*low = exp(m->logs / n - half);
	*high = exp(m->logs / n + half);
}

struct ranked_p {
	double p;
	size_t index;
};

static int
compare_p(const void *a, const void *b)
{
	const struct ranked_p *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

/* Sort the p values that are not NAN; out is NAN for the others.
 *
 * Returns n_tested values, freed by the caller. */
static struct ranked_p *
rank_p(const double *p, size_t n, double *out, size_t *n_tested)
{
	struct ranked_p *ranked = xcalloc(n, sizeof *ranked);

	*n_tested = 0;
	for (size_t i = 0; i < n; i++) {
		if (isnan(p[i]))
			out[i] = NAN;
		else
			ranked[(*n_tested)++] = (struct ranked_p){ p[i], i };
	}
	qsort(ranked, *n_tested, sizeof *ranked, compare_p);
	return ranked;
}

void
holm_adjust(const double *p, size_t n, double *out)
{
	size_t tested;
	struct ranked_p *ranked = rank_p(p, n, out, &tested);
	double largest = 0.0;

	for (size_t i = 0; i < tested; i++) {
		largest = fmax(largest, ranked[i].p * (double)(tested - i));
		out[ranked[i].index] = fmin(1.0, largest);
	}
	free(ranked);
}

void
benjamini_hochberg_adjust(const double *p, size_t n, double *out)
{
	size_t tested;
	struct ranked_p *ranked = rank_p(p, n, out, &tested);
	double least = 1.0;

	for (size_t i = tested; i-- > 0;) {
		least =
		    fmin(least, ranked[i].p * (double)tested / (double)(i + 1));
		out[ranked[i].index] = least;
	}
	free(ranked);
}
