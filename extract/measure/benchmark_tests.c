#include <config.h>

#include "extract/measure/benchmark_tests.h"

#include <math.h>
#include <string.h>

#include "common/text.h"

size_t
benchmark_test_end(const struct log *log, size_t i)
{
	const struct log_collective *rows = log->collectives;
	size_t end, j;

	for (end = i + 1; end < log->n_collectives; end++) {
		if (!text_same(rows[end].collective, rows[i].collective))
			break;
		for (j = end; j-- > i;)
			if (strcmp(rows[j].kind, rows[end].kind) == 0)
				break;
		if (j + 1 > i && rows[end].bytes <= rows[j].bytes)
			break;
	}
	return end;
}

int
benchmark_log(const struct log *log)
{
	return log->samples.n == 0 && log->n_collectives > 0;
}

/* The bandwidth of the largest message in rows [from, end): the bus bandwidth,
 * else bytes over time. Returns NULL if there is none.
 *
 * room  buffer for the result */
static const struct log_summary *
largest_bandwidth(
    const struct log *log, size_t from, size_t end, struct log_summary *room)
{
	double most = -1;

	*room = (struct log_summary){ NAN, "GB/s", 0, 0, 0, NULL };
	for (size_t i = from; i < end; i++) {
		const struct log_collective *x = &log->collectives[i];
		const double v = x->bus > 0 ? x->bus : x->algorithm;

		if (!(v > 0) || x->bytes <= most)
			continue;
		most = x->bytes;
		room->value = v;
		room->line = x->line;
	}
	return most < 0 ? NULL : room;
}

const struct log_summary *
benchmark_figure(
    const struct log *log, size_t from, size_t end, struct log_summary *room)
{
	const int64_t last =
	    end < log->n_collectives ? log->collectives[end].line : INT64_MAX;

	size_t low = 0, high = log->n_summaries;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (log->summaries[middle].line < last)
			low = middle + 1;
		else
			high = middle;
	}
	while (
	    low-- > 0 && log->summaries[low].line > log->collectives[from].line)
		if (strcmp(log->summaries[low].unit, "GB/s") == 0)
			return &log->summaries[low];
	return largest_bandwidth(log, from, end, room);
}
