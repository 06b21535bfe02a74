/* Adjusted p values.  Called by comparisons and gates over many cases. */
#include <config.h>

#include "common/stats/multiple_tests.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"

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

/* Those that were tested, ascending; the others are copied to out.
 *
 * Returns an array to be freed; sets n_tested. */
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
