#include <config.h>

#include "common/result/collective_groups.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/defaults.h"

/* Upper bounds: 1 KiB, 1 MiB, 10 MiB, then steps of 10 and of 50 MiB; the last
 * bin is unbounded. */
enum { N_TENS = 9, N_FIFTIES = 18 };
_Static_assert((int)SIZE_BINS == 3 + N_TENS + N_FIFTIES + 1, "all bins");

double
size_bin_end(int bin)
{
	assert(bin >= 0 && bin < SIZE_BINS);
	if (bin == 0)
		return 1024;
	if (bin == 1)
		return MIB;
	bin -= 2;
	if (bin <= N_TENS)
		return 10 * MIB * (1 + bin);
	bin -= N_TENS;
	return bin <= N_FIFTIES ? MIB * (100 + 50 * bin) : INFINITY;
}

int
size_bin(double bytes)
{
	int bin = 0;

	while (bytes > size_bin_end(bin))
		bin++;
	return bin;
}

static void
show_size(double bytes, char *to, size_t room)
{
	if (bytes < MIB)
		snprintf(to, room, "%.0fKB", bytes / 1024);
	else
		snprintf(to, room, "%.0fMB", bytes / MIB);
}

void
size_bin_label(int bin, const char *comma, char label[SIZE_LABEL_SIZE])
{
	char from[SIZE_LABEL_SIZE / 3] = "0", to[SIZE_LABEL_SIZE / 3];
	const double end = size_bin_end(bin);

	if (bin > 0)
		show_size(size_bin_end(bin - 1), from, sizeof from);
	if (!isfinite(end)) {
		snprintf(label, SIZE_LABEL_SIZE, ">%s", from);
		return;
	}
	show_size(end, to, sizeof to);
	snprintf(label, SIZE_LABEL_SIZE, "(%s%s%s]", from, comma, to);
}

int
collective_is_by_size(const struct result_collective *x)
{
	return x->kind != NULL && strcmp(x->kind, "by-size") == 0;
}

/* Add the collectives of a run. Returns 1 if there are any, else 0. */
static int
add_run(const struct result_run *run, struct collective_bin *bins)
{
	int by_size = 0, any = 0;

	for (size_t i = 0; i < run->n_collectives; i++)
		by_size |= collective_is_by_size(&run->collectives[i]);
	for (size_t i = 0; i < run->n_collectives; i++) {
		const struct result_collective *x = &run->collectives[i];
		struct collective_bin *b = &bins[size_bin(x->bytes)];
		const double n = (double)x->count;

		if (x->count == RESULT_UNKNOWN || isnan(x->time_s) ||
		    collective_is_by_size(x) != by_size)
			continue;
		any = 1;
		b->count += n;
		b->bytes += n * x->bytes;
		b->seconds += n * x->time_s;
		b->bus += n * x->time_s * x->bus_gb_per_s;
	}
	return any;
}

size_t
collective_groups_by_size(const struct result_case *c,
    struct collective_bin bins[SIZE_BINS], size_t *n_runs)
{
	double seconds = 0;
	size_t n = 0;

	*n_runs = 0;
	memset(bins, 0, SIZE_BINS * sizeof *bins);
	for (size_t i = 0; i < c->n_runs; i++)
		*n_runs += (size_t)add_run(&c->runs[i], bins);
	for (int i = 0; i < SIZE_BINS; i++) {
		struct collective_bin b = bins[i];

		if (!(b.count > 0))
			continue;
		b.bin = i;
		b.bus /= b.seconds; /* bytes per link over time */
		b.count /= (double)*n_runs;
		b.bytes /= (double)*n_runs;
		b.seconds /= (double)*n_runs;
		seconds += b.seconds;
		bins[n++] = b;
	}
	for (size_t i = 0; i < n; i++)
		bins[i].share = seconds > 0 ? bins[i].seconds / seconds : 0;
	return n;
}
