#include <config.h>

#include "tests/unit/logs.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"

const struct meaning imagenet = { VALUE_STEP_TIME, STATISTIC_INSTANT,
	SCOPE_GLOBAL, "s", BASE_AUTO, 0, "window", 0, NULL };
const struct meaning dllogger = { VALUE_RATE, STATISTIC_INSTANT, SCOPE_GLOBAL,
	"images/s", 1, 0, "window", 0, NULL };
const struct meaning speedometer = { VALUE_RATE, STATISTIC_WINDOW_MEAN,
	SCOPE_GLOBAL, "samples/s", 0, 0, "window", 0, NULL };

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
	free(log->samples);
	free(log->summaries);
	free(log);
}

struct sample *
log_add(struct log *log, int epoch, int iter, double value)
{
	log->samples = vec_grow(log->samples, log->n_samples,
	    &log->alloc_samples, sizeof *log->samples);
	log->samples[log->n_samples] =
	    (struct sample){ value, NAN, ++log->lines, epoch, iter, SAMPLE_NONE,
		    SAMPLE_NONE, SAMPLE_NONE };
	return &log->samples[log->n_samples++];
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
	    (struct log_summary){ value, unit, ++log->lines };
}
