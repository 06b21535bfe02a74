/* Which distance between printed iterations is the usual one.  Called by
 * steps.c as it counts steps; it knows neither samples nor epochs. */
#include <config.h>

#include "extract/measure/steps/print_distances.h"

#include <stdlib.h>

#include "common/alloc.h"

void
print_distances_add(
    struct print_distances *d, long distance, size_t times, size_t n_steps)
{
	const size_t n_small = sizeof d->small / sizeof *d->small;

	if (distance <= 0)
		return;
	if ((size_t)distance < n_small) {
		d->small[distance] += times;
		return;
	}
	/* Room for all; what is not written to takes no memory. */
	if (d->large == NULL)
		d->large = xcalloc(n_steps, sizeof *d->large);
	for (; times > 0; times--)
		d->large[d->n_large++] =
		    distance < UINT32_MAX ? (uint32_t)distance : UINT32_MAX;
}

static int
compare_distances(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

long
print_distances_usual(const struct print_distances *d)
{
	size_t best = 0, run = 0;
	long usual = 0;

	for (size_t i = 1; i < sizeof d->small / sizeof *d->small; i++)
		if (d->small[i] > best) {
			best = d->small[i];
			usual = (long)i;
		}
	if (d->n_large > 1)
		qsort(
		    d->large, d->n_large, sizeof *d->large, compare_distances);
	for (size_t i = 0; i < d->n_large; i++) {
		run = i > 0 && d->large[i] == d->large[i - 1] ? run + 1 : 1;
		if (run > best) {
			best = run;
			usual = (long)d->large[i];
		}
	}
	return usual;
}

long
print_distances_ranks(const struct print_distances *d, size_t n)
{
	for (size_t i = 255; i > 1; i--)
		if (d->ranks[i] > 0)
			return i < 255 && 2 * d->ranks[i] >= n ? (long)i : 0;
	return 0;
}

void
print_distances_release(struct print_distances *d)
{
	free(d->large);
	d->large = NULL;
	d->n_large = 0;
}
