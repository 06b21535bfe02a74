/* Steps on trial, by the lines on which a log states that tuning began or
 * ended.  Called by measure_steps.c; knows no options and no sentences. */
#include <config.h>

#include "extract/measure/tuned_steps.h"

#include <string.h>

/* Does a log state anywhere that tuning began, or ended? */
static int
log_states(const struct log *log, const char *key)
{
	for (size_t i = 0; i < log->n_metadata; i++)
		if (strcmp(log->metadata[i].key, key) == 0)
			return 1;
	return 0;
}

/* Was the program tuning at a line?  What was set before the start holds from
 * the first line on, wherever it is printed. */
static int
tunes_at(const struct log *log, int64_t line)
{
	int64_t last = -1;
	int tunes = 0;

	for (size_t i = 0; i < log->n_metadata; i++) {
		const struct log_metadata *f = &log->metadata[i];
		const int from = strcmp(f->key, "tuning_from") == 0;
		const int64_t at =
		    from && strcmp(f->value, "0") == 0 ? 0 : f->line;

		if ((!from && strcmp(f->key, "tuning_until") != 0) ||
		    at > line || at < last)
			continue;
		last = at;
		tunes = from;
	}
	return tunes;
}

/* Was a step on trial?  One that speaks for those since the line before is if
 * that line's was.
 *
 * before  the line of the step before it in the same log; 0: none */
static int
is_tuned(const struct log *const *logs, const struct steps *s,
    const struct step *step, int64_t before)
{
	const struct log *log = logs[step->source];

	return tunes_at(log, step->first_line) ||
	    (!s->instant && before > 0 && tunes_at(log, before));
}

/* The line that the next step follows. */
static int64_t
line_before(const struct step *step)
{
	return step->last_line;
}

/* The position after the last step on trial of the window's first epoch. */
static long
find_after(const struct log *const *logs, const struct steps *s,
    const struct window *w)
{
	const struct steps_epoch *epoch = &s->epochs[w->first_epoch];
	const long offset = w->parts[0].offset;
	struct steps_cursor c;
	int64_t before = 0;
	long after = 0;
	int rest = 0; /* a step follows it */

	steps_open(s, &c);
	steps_seek(&c, w->first_epoch);
	while (c.next < epoch->end) {
		const struct step *step = steps_next(&c);

		rest = !is_tuned(logs, s, step, before);
		if (!rest)
			after = step->done - s->points + offset;
		before = line_before(step);
	}
	steps_close(&c);
	return rest ? after : RESULT_UNKNOWN;
}

void
tuned_steps_count(const struct log *const *logs, size_t n,
    const struct steps *s, const struct window *w, struct tuned_steps *out)
{
	struct window_walk walk;
	const struct step *step;
	int64_t before = 0;
	int begins = 0;

	*out = (struct tuned_steps){ .after = RESULT_UNKNOWN };
	for (size_t i = 0; i < n; i++) {
		begins |= log_states(logs[i], "tuning_from");
		out->ends |= log_states(logs[i], "tuning_until");
	}
	if (!begins)
		return;
	window_walk_open(&walk, s, w);
	while ((step = window_walk_next(&walk)) != NULL) {
		out->all++;
		out->n += is_tuned(logs, s, step, before);
		before = line_before(step);
	}
	window_walk_close(&walk);
	if (out->n > 0 && w->parts[0].epoch == w->first_epoch)
		out->after = find_after(logs, s, w);
}
