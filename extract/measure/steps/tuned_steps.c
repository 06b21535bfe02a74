#include <config.h>

#include "extract/measure/steps/tuned_steps.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

/* The line of a log from which on the program tunes, or no longer does. */
struct tuning_change {
	int64_t line;
	size_t number; /* in the order of the log's metadata */
	int on;
};

/* All changes that a log states, in the order of their lines. */
struct tuning_log {
	struct tuning_change *changes;
	size_t n;
};

static int
by_line(const void *a, const void *b)
{
	const struct tuning_change *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* What was set before the start holds from the first line on, wherever it is
 * printed.
 *
 * begins, ends  set to 1 where it states that tuning began, or ended */
static struct tuning_log
tuning_log_read(const struct log *log, int *begins, int *ends)
{
	struct tuning_log t = { NULL, 0 };
	size_t alloc = 0;

	for (size_t i = 0; i < log->n_metadata; i++) {
		const struct log_metadata *f = &log->metadata[i];
		const int on = strcmp(f->key, "tuning_from") == 0;

		if (!on && strcmp(f->key, "tuning_until") != 0)
			continue;
		*begins |= on;
		*ends |= !on;
		t.changes = vec_grow(t.changes, t.n, &alloc, sizeof *t.changes);
		t.changes[t.n] = (struct tuning_change){
			on && strcmp(f->value, "0") == 0 ? 0 : f->line, t.n, on
		};
		t.n++;
	}
	if (t.n > 1)
		qsort(t.changes, t.n, sizeof *t.changes, by_line);
	return t;
}

/* True if the program was tuning at a line. */
static int
tunes_at(const struct tuning_log *t, int64_t line)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (t->changes[middle].line <= line)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && t->changes[low - 1].on;
}

/* True if a step was on trial.  A step that covers those since the line before
 * is if that line's was.
 *
 * before  the line of the step before it in the same log; 0: none */
static int
is_tuned(const struct tuning_log *logs, const struct steps *s,
    const struct step *step, int64_t before)
{
	const struct tuning_log *log = &logs[s->index.items[step->entry].log];

	return tunes_at(log, step->line) ||
	    (!s->instant && before > 0 && tunes_at(log, before));
}

/* The position after the last step on trial of the window's first epoch. */
static long
find_after(const struct tuning_log *logs, const struct steps *s,
    const struct window *w)
{
	const struct steps_epoch *epoch = &s->epochs[w->first_epoch];
	const long offset = w->parts[0].offset;
	int64_t before = 0;
	long after = 0;
	int rest = 0; /* a step follows it */

	for (size_t i = epoch->first; i < epoch->end; i++) {
		const struct step *step = &s->items[i];

		rest = !is_tuned(logs, s, step, before);
		if (!rest)
			after = step->done - s->points + offset;
		before = steps_lines(s, step).last_line;
	}
	return rest ? after : RESULT_UNKNOWN;
}

/* Count the window's steps. */
static void
count_all(const struct tuning_log *logs, const struct steps *s,
    const struct window *w, struct tuned_steps *out)
{
	int64_t before = 0;

	out->all = (long)w->n;
	for (size_t i = 0; i < w->n; i++) {
		const struct step *step = window_step(s, w, i);

		out->n += is_tuned(logs, s, step, before);
		before = steps_lines(s, step).last_line;
	}
	if (out->n > 0 && w->parts[0].epoch == w->first_epoch)
		out->after = find_after(logs, s, w);
}

void
tuned_steps_count(const struct log *const *logs, size_t n,
    const struct steps *s, const struct window *w, struct tuned_steps *out)
{
	struct tuning_log *all = xcalloc(n, sizeof *all);
	int begins = 0;

	*out = (struct tuned_steps){ .after = RESULT_UNKNOWN };
	for (size_t i = 0; i < n; i++)
		all[i] = tuning_log_read(logs[i], &begins, &out->ends);
	if (begins)
		count_all(all, s, w, out);
	for (size_t i = 0; i < n; i++)
		free(all[i].changes);
	free(all);
}
