#include <config.h>

#include "tests/unit/logs.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"

const struct meaning imagenet = { VALUE_STEP_TIME, STATISTIC_INSTANT,
	SCOPE_GLOBAL, "s", BASE_AUTO, 0, "window", 0, 0, NULL, 0, 0, 0, 0,
	SECOND_NONE, 0 };
const struct meaning dllogger = { VALUE_RATE, STATISTIC_INSTANT, SCOPE_GLOBAL,
	"images/s", 1, 0, "window", 0, 0, NULL, 0, 0, 0, 0, SECOND_NONE, 0 };
const struct meaning speedometer = { VALUE_RATE, STATISTIC_WINDOW_MEAN,
	SCOPE_GLOBAL, "samples/s", 0, 0, "window", 0, 0, NULL, 0, 0, 0, 0,
	SECOND_NONE, 0 };

/* A log and its samples while they can still be changed. */
struct hand_log {
	struct log log;
	struct sample *items;
	size_t n, alloc;
};

struct log *
log_new(const struct meaning *meaning)
{
	struct hand_log *hand = xcalloc(1, sizeof *hand);

	hand->log.path = hand->log.shown = "a.log";
	hand->log.meaning = meaning;
	return &hand->log;
}

void
log_drop(struct log *log)
{
	struct hand_log *hand = (struct hand_log *)log;

	sample_store_release(&log->samples);
	free(log->summaries);
	free(hand->items);
	free(hand);
}

struct sample *
log_add(struct log *log, int epoch, int iter, double value)
{
	struct hand_log *hand = (struct hand_log *)log;

	hand->items =
	    vec_grow(hand->items, hand->n, &hand->alloc, sizeof *hand->items);
	hand->items[hand->n] = (struct sample){ value, NAN, ++log->lines, epoch,
		iter, SAMPLE_NONE, SAMPLE_NONE, SAMPLE_NONE, NAN };
	return &hand->items[hand->n++];
}

struct sample *
log_item(struct log *log, size_t i)
{
	return &((struct hand_log *)log)->items[i];
}

const struct log *
log_pack(struct log *log)
{
	const struct hand_log *hand = (const struct hand_log *)log;

	sample_store_release(&log->samples);
	for (size_t i = 0; i < hand->n; i++)
		sample_store_add(&log->samples, &hand->items[i]);
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

struct step
step_at(const struct steps *s, size_t i)
{
	struct steps_cursor c;
	struct step step = { 0 };

	assert(i < s->n);
	steps_open(s, &c);
	do
		step = *steps_next(&c);
	while (c.index < i);
	steps_close(&c);
	return step;
}

void
log_state(struct log *log, const char *key, const char *value, int64_t line)
{
	log->metadata = vec_grow(log->metadata, log->n_metadata,
	    &log->alloc_metadata, sizeof *log->metadata);
	log->metadata[log->n_metadata++] =
	    (struct log_metadata){ key, value, line, LOG_PROGRAM };
}
