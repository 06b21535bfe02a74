#include <config.h>

#include "extract/log/power_log.h"

#include <math.h>
#include <stdlib.h>

/* The share of an interval between the file's first and last time. */
static double
covered_share(const struct power_log *p, double from, double to)
{
	double first = INFINITY, last = -INFINITY;

	for (size_t i = 0; i < p->n; i++) {
		first = fmin(first, p->rows[i].at);
		last = fmax(last, p->rows[i].at);
	}
	first = fmax(first, from);
	last = fmin(last, to);
	return to > from ? fmax(0, last - first) / (to - from) : last >= first;
}

int
power_log_mean(
    const struct power_log *p, double from, double to, struct power_mean *mean)
{
	const int by_time = !isnan(from);
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct power_row *row = &p->rows[i];

		if (by_time && !(row->at >= from && row->at <= to))
			continue;
		if (n++ == 0)
			mean->first_line = row->line;
		mean->last_line = row->line;
		sum += row->watts;
	}
	if (n == 0)
		return -1;
	mean->watts = sum / (double)n;
	mean->covered = by_time ? covered_share(p, from, to) : 1;
	return 0;
}

void
power_log_release(struct power_log *p)
{
	free(p->rows);
	*p = (struct power_log){ .name = NULL };
}
