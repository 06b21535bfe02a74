#include <config.h>

#include "common/stats/rounded_runs.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"

void
rounded_runs_init(struct rounded_runs *r, size_t n)
{
	r->value = xcalloc(3 * n + 1, sizeof *r->value);
	r->low = r->value + n;
	r->high = r->low + n;
	r->n = n;
}

void
rounded_runs_release(struct rounded_runs *r)
{
	free(r->value);
	r->value = NULL;
	r->n = 0;
}

int
rounded_runs_are(const struct rounded_runs *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->low[i] < r->high[i])
			return 1;
	return 0;
}

int
rounded_median(const struct rounded_runs *r, double confidence,
    struct interval *out, struct error *e)
{
	struct interval low, high;

	if (rank_test_median(r->value, r->n, confidence, out, e) != 0 ||
	    rank_test_median(r->low, r->n, confidence, &low, e) != 0 ||
	    rank_test_median(r->high, r->n, confidence, &high, e) != 0)
		return -1;
	out->low = low.low;
	out->high = high.high;
	if (r->n == 1 && rounded_runs_are(r)) {
		out->low = r->low[0];
		out->high = r->high[0];
	}
	return 0;
}

int
rounded_ratio(const struct rounded_runs *a, const struct rounded_runs *b,
    double confidence, struct interval *out, struct error *e)
{
	struct interval low, high;

	if (rank_test_ratio(
		a->value, a->n, b->value, b->n, confidence, out, e) != 0 ||
	    rank_test_ratio(a->low, a->n, b->high, b->n, confidence, &low, e) !=
		0 ||
	    rank_test_ratio(
		a->high, a->n, b->low, b->n, confidence, &high, e) != 0)
		return -1;
	out->low = low.low;
	out->high = high.high;
	if (a->n == 1 && b->n == 1 &&
	    (rounded_runs_are(a) || rounded_runs_are(b))) {
		out->low = a->low[0] / b->high[0];
		out->high = a->high[0] / b->low[0];
	}
	return 0;
}
