#include <config.h>

#include "tests/unit/logs.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"

const struct meaning imagenet = { .kind = VALUE_STEP_TIME,
	.unit = "s",
	.base = BASE_AUTO,
	.rule = "window" };
const struct meaning dllogger = {
	.kind = VALUE_RATE, .unit = "images/s", .base = 1, .rule = "window"
};
const struct meaning speedometer = { .kind = VALUE_RATE,
	.statistic = STATISTIC_WINDOW_MEAN,
	.unit = "samples/s",
	.rule = "window" };

struct log *
log_new(const struct meaning *meaning)
{
	struct log *log = xcalloc(1, sizeof *log);

	log->path = log->shown = "a.log";
	log->meaning = meaning;
	return log;
}

void
log_drop(struct log *log)
{
	sample_store_release(&log->samples);
	free(log->summaries);
	free(log);
}

struct sample *
log_add(struct log *log, int epoch, int iter, double value)
{
	const struct sample x = { value, NAN, ++log->lines, epoch, iter,
		SAMPLE_NONE, SAMPLE_NONE, SAMPLE_NONE, NAN };

	*sample_store_next(&log->samples) = x;
	return log_item(log, log->samples.n++);
}

struct sample *
log_item(struct log *log, size_t i)
{
	return &log->samples.items[i];
}

const struct log *
log_pack(struct log *log)
{
	return log;
}

void
log_add_range(struct log *log, int epoch, int first, int last, double value)
{
	int i;

	for (i = first; i <= last; i++)
		log_add(log, epoch, i, value);
}

void
log_add_summary(struct log *log, double value, const char *unit)
{
	log->summaries = vec_grow(log->summaries, log->n_summaries,
	    &log->alloc_summaries, sizeof *log->summaries);
	log->summaries[log->n_summaries++] =
	    (struct log_summary){ value, unit, ++log->lines, 0, 0, NULL };
}

void
log_state(struct log *log, const char *key, const char *value, int64_t line)
{
	log->metadata = vec_grow(log->metadata, log->n_metadata,
	    &log->alloc_metadata, sizeof *log->metadata);
	log->metadata[log->n_metadata++] =
	    (struct log_metadata){ key, value, line, LOG_PROGRAM };
}
