#include <config.h>

#include "common/result/collective_groups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/defaults.h"
#include "common/text.h"

/* 1 KiB, 1 MiB, 10 MiB, then steps of 10 and of 50 MiB. */
double
size_bin_end(int bin)
{
	if (bin < 2)
		return bin == 0 ? 1024 : MIB;
	if (bin <= 11)
		return 10 * MIB * (bin - 1);
	return bin < SIZE_BINS - 1 ? MIB * (100 + 50 * (bin - 11)) : INFINITY;
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
	return text_same(x->kind, "by-size");
}

size_t
collective_groups_by_size(const struct result_case *c,
    struct collective_bin bins[SIZE_BINS], size_t *n_runs)
{
	double seconds = 0;
	size_t n = 0;

	*n_runs = 0;
	memset(bins, 0, SIZE_BINS * sizeof *bins);
	for (size_t i = 0; i < c->n_runs; i++) {
		const struct result_run *run = &c->runs[i];
		int by_size = 0, any = 0;

		for (size_t k = 0; k < run->n_collectives; k++)
			by_size |= collective_is_by_size(&run->collectives[k]);
		for (size_t k = 0; k < run->n_collectives; k++) {
			const struct result_collective *x =
			    &run->collectives[k];
			struct collective_bin *b = &bins[size_bin(x->bytes)];
			const double count = (double)x->count;

			if (x->count == RESULT_UNKNOWN || isnan(x->time_s) ||
			    collective_is_by_size(x) != by_size)
				continue;
			any = 1;
			b->count += count;
			b->bytes += count * x->bytes;
			b->seconds += count * x->time_s;
			b->bus += count * x->time_s * x->bus_gb_per_s;
		}
		*n_runs += (size_t)any;
	}
	for (int i = 0; i < SIZE_BINS; i++) {
		const struct collective_bin b = bins[i];
		const double runs = (double)*n_runs;

		if (!(b.count > 0))
			continue;
		bins[n++] = (struct collective_bin){ .bin = i,
			.count = b.count / runs,
			.bytes = b.bytes / runs,
			.seconds = b.seconds / runs,
			.bus = b.bus / b.seconds }; /* bytes per link / time */
		seconds += b.seconds / runs;
	}
	for (size_t i = 0; i < n; i++)
		bins[i].share = seconds > 0 ? bins[i].seconds / seconds : 0;
	return n;
}
