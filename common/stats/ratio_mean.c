/* What several ratios state together.  common/series/result_comparison.c adds
 * up its rows here; nothing here knows cases or units. */
#include <config.h>

#include "common/stats/ratio_mean.h"

#include <math.h>

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
