#include <config.h>

#include "extract/log/log.h"

#include <stddef.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

void
log_init(struct log *log)
{
	memset(log, 0, offsetof(struct log, tail));
	log->problem.code = ERROR_NONE;
	log->problem.message[0] = '\0';
}

void
log_release(struct log *log)
{
	free(log->metadata);
	if (log->borrowed != 1)
		sample_store_release(&log->samples);
	if (log->borrowed) {
		log_init(log);
		return;
	}
	free(log->summaries);
	free(log->works);
	detail_store_release(&log->details);
	free(log->collectives);
	hash_index_release(&log->collective_index);
	free(log->buckets);
	arena_release(&log->arena);
	log_init(log);
}

static void
keep_finer(double *unit, double x)
{
	if (x > 0 && (!(*unit > 0) || x < *unit))
		*unit = x;
}

void
log_units_join(struct log_units *units, const struct log_units *more)
{
	keep_finer(&units->value, more->value);
	keep_finer(&units->mean, more->mean);
	keep_finer(&units->total, more->total);
}

const struct sample *
log_sample_from(const struct log *log, int64_t line)
{
	const struct sample *x = log->samples.items;
	size_t low = 0, high = log->samples.n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (x[middle].line < line)
			low = middle + 1;
		else
			high = middle;
	}
	return low < log->samples.n ? &x[low] : NULL;
}

double
log_stamp_at(const struct log *log, long line)
{
	const struct sample *x = log_sample_from(log, line);

	return x != NULL && x->line == line ? x->stamp : NAN;
}

int64_t
log_first_step(const struct log *log)
{
	return log->samples.n > 0 ? log->samples.items[0].line : INT64_MAX;
}
