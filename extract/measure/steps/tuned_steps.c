#include <config.h>

#include "extract/measure/steps/window.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

/* A line at which tuning starts or ends. */
struct tuning_change {
	size_t log;
	int64_t line;
	size_t number; /* in the order in which they were read */
	int on;
};

struct tuning_changes {
	struct tuning_change *changes; /* [n] by log, line and number */
	size_t n, alloc;
};

static int
by_line(const void *a, const void *b)
{
	const struct tuning_change *x = a, *y = b;

	if (x->log != y->log)
		return x->log < y->log ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Read the changes that a log states.  What was set before the start holds from
 * the first line on, wherever it is printed.
 *
 * begins, ends  set to 1 if the log shows the start or end of tuning */
static void
read_changes(struct tuning_changes *t, const struct log *log, size_t number,
    int *begins, int *ends)
{
	for (size_t i = 0; i < log->n_metadata; i++) {
		const struct log_metadata *f = &log->metadata[i];
		const int on = strcmp(f->key, "tuning_from") == 0;
		const int before_start = on && strcmp(f->value, "0") == 0;

		if (!on && strcmp(f->key, "tuning_until") != 0)
			continue;
		*begins |= on;
		*ends |= !on;
		t->changes =
		    vec_grow(t->changes, t->n, &t->alloc, sizeof *t->changes);
		t->changes[t->n] = (struct tuning_change){ number,
			before_start ? 0 : f->line, t->n, on };
		t->n++;
	}
}

/* True if the program was tuning at a line: use the last change before it. */
static int
tunes_at(const struct tuning_changes *t, size_t log, int64_t line)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct tuning_change *c = &t->changes[middle];

		if (c->log < log || (c->log == log && c->line <= line))
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && t->changes[low - 1].log == log &&
	    t->changes[low - 1].on;
}

/* True if a step ran during tuning. If it covers the iterations since the
 * previous line, that line counts as well.
 *
 * before  line of the previous step in the same log; 0: none; set to the line
 *         of this step */
static int
is_tuned(const struct tuning_changes *t, const struct steps *s,
    const struct step *step, int64_t *before)
{
	const size_t log = sample_index_place(&s->index, step->entry).log;
	const int tuned = tunes_at(t, log, step->line) ||
	    (!s->instant && *before > 0 && tunes_at(t, log, *before));

	*before = steps_lines(s, step).last_line;
	return tuned;
}

/* Position after the last tuned step of the window's first epoch. */
static long
find_after(const struct tuning_changes *t, const struct steps *s,
    const struct window *w)
{
	struct step_walk walk = steps_walk(s, w->first_epoch);
	struct step step;
	int64_t before = 0;
	long after = 0;
	int rest = 0; /* a step without tuning follows */

	while (steps_next(&walk, &step)) {
		rest = !is_tuned(t, s, &step, &before);
		if (!rest)
			after = step.done - s->points + w->parts[0].offset;
	}
	return rest ? after : RESULT_UNKNOWN;
}

void
tuned_steps_count(const struct log *const *logs, size_t n,
    const struct steps *s, const struct window *w, struct tuned_steps *out)
{
	struct tuning_changes t = { .n = 0 };
	int64_t before = 0;
	int begins = 0;

	*out =
	    (struct tuned_steps){ .all = (long)w->n, .after = RESULT_UNKNOWN };
	for (size_t i = 0; i < n; i++)
		read_changes(&t, logs[i], i, &begins, &out->ends);
	if (t.n > 0)
		qsort(t.changes, t.n, sizeof *t.changes, by_line);
	for (size_t i = 0; begins && i < w->n; i++)
		out->n += is_tuned(&t, s, &w->steps[i], &before);
	if (out->n > 0 && w->parts[0].epoch == w->first_epoch)
		out->after = find_after(&t, s, w);
	free(t.changes);
}
