/* Finds the steps of a timeline of allreduces. */
#include <config.h>

#include "extract/scan/timeline_steps.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "extract/log/log.h"

void
timeline_steps_release(struct timeline_steps *s)
{
	free(s->seen);
	free(s->items);
	*s = (struct timeline_steps)TIMELINE_STEPS_INIT;
}

void
timeline_steps_tensor(struct timeline_steps *s, size_t tensor)
{
	while (s->n_seen <= tensor) {
		s->seen = vec_grow(
		    s->seen, s->n_seen, &s->alloc_seen, sizeof *s->seen);
		s->seen[s->n_seen++] = 0;
	}
	/* The largest step number after the next response. */
	if (s->seen[tensor] == s->step + 1)
		s->again = 1;
	s->seen[tensor] = s->step + 1 + (size_t)s->again;
}

void
timeline_steps_response(
    struct timeline_steps *s, const struct timeline_carried *x)
{
	/* Earlier tensors of the response also belong to the new step although
	 * they are marked with the old one. That is harmless: the other tensors
	 * reveal the next step. */
	s->step += (size_t)s->again;
	s->again = 0;
	if (s->step > TIMELINE_MAX_STEPS + 1 || s->n == TIMELINE_MAX_RESPONSES)
		return;
	s->items = vec_grow(s->items, s->n, &s->alloc, sizeof *s->items);
	s->items[s->n] = *x;
	s->items[s->n++].step = s->step;
}

/* --- the end -------------------------------------------------------------- */

/* Responses of a step, items [from, to), and its start time. */
struct step_span {
	size_t from, to;
	double start;
};

static void
add_metadata(struct log *log, const char *key, double value)
{
	if (!isfinite(value))
		return;
	log->metadata = vec_grow(log->metadata, log->n_metadata,
	    &log->alloc_metadata, sizeof *log->metadata);
	log->metadata[log->n_metadata++] = (struct log_metadata){ key,
		arena_printf(&log->arena, "%.9g", value), 0, LOG_PROGRAM };
}

static double
last_end(const struct timeline_steps *s, const struct step_span *x)
{
	double end = -INFINITY;

	for (size_t i = x->from; i < x->to; i++)
		end = fmax(end, s->items[i].end);
	return end;
}

/* Time during which at least one transfer ran. Items are sorted by end time,
 * not by start time. */
static double
busy_time(const struct timeline_steps *s, const struct step_span *x)
{
	double busy = 0, from = INFINITY;

	/* Iterate backwards, clipping at `from`. */
	for (size_t i = x->to; i-- > x->from;) {
		const double end = fmin(s->items[i].end, from);

		if (s->items[i].start < end) {
			busy += end - s->items[i].start;
			from = s->items[i].start;
		}
	}
	return busy;
}

/* Collect complete steps. Returns their number. */
static size_t
find_whole(const struct timeline_steps *s, struct step_span *out)
{
	struct step_span x = { 0, 0, NAN };
	size_t n = 0;

	for (; x.from < s->n; x.from = x.to) {
		const size_t step = s->items[x.from].step;
		double end;

		for (x.to = x.from; x.to < s->n && s->items[x.to].step == step;)
			x.to++;
		end = last_end(s, &x);
		if (x.to < s->n && !isnan(x.start) && end > x.start &&
		    n < TIMELINE_MAX_STEPS)
			out[n++] = x;
		x.start = end;
	}
	return n;
}

/* The most frequent number of responses per step; on a tie the larger. */
static size_t
usual_responses(const struct step_span *steps, size_t n)
{
	size_t best = 0, most = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t length = steps[i].to - steps[i].from;
		size_t same = 0;

		for (size_t k = 0; k < n; k++)
			same += steps[k].to - steps[k].from == length;
		if (same > most || (same == most && length > best)) {
			most = same;
			best = length;
		}
	}
	return best;
}

static void
add_buckets(
    const struct timeline_steps *s, const struct step_span *x, struct log *log)
{
	for (size_t i = x->from; i < x->to; i++) {
		const struct timeline_carried *r = &s->items[i];
		const struct log_bucket b = { (long)(i - x->from), r->bytes,
			(r->ready - x->start) / 1e6,
			(r->start - x->start) / 1e6,
			(r->end - r->start) / 1e6 };

		if (isfinite(b.bytes))
			log_buckets_add(log, &b, "allreduce");
	}
}

void
timeline_steps_end(const struct timeline_steps *s, struct log *log)
{
	struct step_span *steps = xcalloc(TIMELINE_MAX_STEPS, sizeof *steps);
	const size_t n = find_whole(s, steps);
	const size_t usual = usual_responses(steps, n);

	for (size_t i = 0; i < n; i++) {
		const struct step_span *x = &steps[i];
		double bytes = 0;

		for (size_t k = x->from; k < x->to; k++)
			bytes += s->items[k].bytes;
		add_metadata(
		    log, "phase_step_ms", (last_end(s, x) - x->start) / 1e3);
		add_metadata(log, "phase_busy_ms", busy_time(s, x) / 1e3);
		add_metadata(log, "phase_bytes", bytes);
		if (x->to - x->from == usual)
			add_buckets(s, x, log);
	}
	free(steps);
}
