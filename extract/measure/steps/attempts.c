#include <config.h>

#include "extract/measure/steps/attempts.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/alloc.h"

/* Numbers that fall back are not enough: lines of many ranks overtake each
 * other, in blocks of a pipe's buffer too.  So a fall must be deep and what
 * follows must rise again below the old height, line after line. */
enum {
	ATTEMPTS_MIN_FALL = 3, /* lines that a restart falls back by */
	/* A stream of one process falls back on fewer than one line in so
	 * many. */
	FALLS_ONE_IN = 20,
	FEW_FALLS = 2,
	/* Lines of an attempt whose times are compared. */
	COMPARED = 1000,
	MAX_LABEL = 1 << 16
};

/* A number in the order of all epochs. */
struct attempt_place {
	int32_t epoch, iter;
};

static int
place_order(const struct attempt_place *a, const struct attempt_place *b)
{
	if (a->epoch != b->epoch)
		return a->epoch < b->epoch ? -1 : 1;
	return (a->iter > b->iter) - (a->iter < b->iter);
}

/* The lines of one process, or of all that do not state who they are. */
struct stream {
	struct attempt_place high, last;
	int seen;
	size_t fallen; /* index + 1 of the line that fell back; 0: none did */
	long risen;    /* lines that rose since, below the height */
};

/* The search through one log. */
struct attempt_search {
	const struct sample_index *r;
	size_t source;
	struct stream *streams; /* by label; one if there are none */
	size_t n_streams;
	size_t *found; /* starts of attempts but the first */
	size_t n_found, alloc_found;
	size_t falls, lines;
};

static void
search_add(struct attempt_search *s, size_t index)
{
	s->found =
	    vec_grow(s->found, s->n_found, &s->alloc_found, sizeof *s->found);
	s->found[s->n_found++] = index;
}

/* The attempt of all begins where the first of them fell back; the others
 * follow. */
static void
search_begin(struct attempt_search *s)
{
	size_t first = SIZE_MAX;

	for (size_t i = 0; i < s->n_streams; i++) {
		struct stream *x = &s->streams[i];

		if (x->fallen > 0 && x->fallen - 1 < first)
			first = x->fallen - 1;
		x->seen = x->fallen > 0;
		x->high = x->last;
		x->fallen = 0;
	}
	search_add(s, first);
}

static void
stream_follow(struct attempt_search *s, struct stream *stream,
    struct attempt_place p, size_t index)
{
	const int order = stream->seen ? place_order(&p, &stream->last) : 1;

	s->lines++;
	if (stream->fallen > 0 && order > 0)
		stream->risen++;
	/* It only overtook. */
	if (stream->fallen > 0 && place_order(&p, &stream->high) > 0)
		stream->fallen = 0;
	if (stream->seen && order < 0 && place_order(&p, &stream->high) < 0) {
		s->falls++;
		stream->fallen = index + 1;
		stream->risen = 0;
	}
	stream->last = p;
	if (!stream->seen || place_order(&p, &stream->high) > 0)
		stream->high = p;
	stream->seen = 1;
	if (stream->fallen > 0 && stream->risen == ATTEMPTS_MIN_FALL)
		search_begin(s);
}

/* --- More lines of an iteration than there are ranks -----------------------*/

/* How often an iteration was printed in the current attempt. */
struct place_count {
	size_t attempt; /* from 1; another one's count is none */
	long n;
};

/* An attempt begins with the line that is one too many for world ranks.  Only
 * for one log, all of which the index holds. */
static void
find_too_many(struct attempt_search *s, long world)
{
	const struct sample_index *r = s->r;
	struct place_count *counts = xcalloc(r->n, sizeof *counts);
	size_t *groups = xcalloc(r->n, sizeof *groups); /* of each sample */
	size_t attempt = 1;

	for (size_t i = 0, end; i < r->n; i = end) {
		end = sample_index_group_end(r, i);
		for (size_t k = i; k < end; k++)
			groups[r->items[k].index] = i;
	}
	for (size_t i = 0; i < r->n; i++) {
		struct place_count *c = &counts[groups[i]];

		if (c->attempt == attempt && c->n == world) {
			search_add(s, i);
			attempt++;
		}
		if (c->attempt != attempt)
			*c = (struct place_count){ attempt, 0 };
		c->n++;
	}
	free(groups);
	free(counts);
}

/* --- All logs --------------------------------------------------------------*/

/* The starts of attempts in one log. */
static void
search_log(struct attempt_search *s, long world, size_t usual)
{
	const struct sample_index *r = s->r;
	const struct sample_store *all = &r->logs[s->source]->samples;
	struct attempt_place p = { 0, 0 };
	const int by_label =
	    r->n_logs == 1 && r->labelled && r->max_label < MAX_LABEL;

	s->n_streams = by_label ? (size_t)r->max_label + 1 : 1;
	s->streams = xcalloc(s->n_streams, sizeof *s->streams);
	for (size_t i = 0; i < all->n; i++) {
		const struct sample *x = &all->items[i];

		p.epoch = sample_index_epoch(r, x->epoch, p.epoch);
		p.iter = x->iter;
		stream_follow(s, &s->streams[by_label ? x->rank : 0], p, i);
	}
	for (size_t i = 0; i < s->n_streams; i++)
		if (s->streams[i].fallen > 0) {
			search_begin(s); /* and ended soon */
			break;
		}
	if (!by_label && usual > 1 && s->n_found + 1 > 2 * usual)
		s->n_found = 0;
	if (s->falls > FEW_FALLS + s->lines / FALLS_ONE_IN)
		s->n_found = 0;
	if (s->n_found == 0 && world > 0 && r->n_logs == 1 && !by_label &&
	    r->most > (size_t)world)
		find_too_many(s, world);
	free(s->streams);
}

void
attempts_find(
    const struct sample_index *r, long world, size_t usual, struct attempts *a)
{
	struct attempt_search *logs = xcalloc(r->n_logs, sizeof *logs);
	const size_t width = r->n_logs;

	*a = (struct attempts){ .n = 1 };
	for (size_t i = 0; i < width && r->numbered; i++) {
		logs[i] = (struct attempt_search){ .r = r, .source = i };
		search_log(&logs[i], world, usual);
		if (logs[i].n_found + 1 > a->n)
			a->n = logs[i].n_found + 1;
	}
	a->starts = xcalloc((a->n + 1) * width, sizeof *a->starts);
	/* A rank that lacks one lacks the first. */
	for (size_t i = 0; i < width; i++) {
		const size_t late = a->n - 1 - logs[i].n_found;

		for (size_t k = 0; k < logs[i].n_found; k++)
			a->starts[(late + 1 + k) * width + i] =
			    logs[i].found[k];
		a->starts[a->n * width + i] = r->logs[i]->samples.n;
		free(logs[i].found);
	}
	free(logs);
}

void
attempts_release(struct attempts *a)
{
	free(a->starts);
	*a = (struct attempts){ .n = 0 };
}

/* The times of the second half of an attempt in the first log, and the stamps
 * at its ends. */
struct attempt_sum {
	double seconds, first_stamp, last_stamp;
	size_t n;
};

static struct attempt_sum
sum_attempt(const struct sample_index *r, size_t from, size_t to)
{
	const int is_rate = r->logs[0]->meaning->kind == VALUE_RATE;
	const struct sample *items = r->logs[0]->samples.items;
	struct attempt_sum sum = { 0, NAN, NAN, 0 };

	if (to > from) {
		sum.first_stamp = items[from].stamp;
		sum.last_stamp = items[to - 1].stamp;
	}
	for (size_t i = from + (to - from) / 2; i < to && sum.n < COMPARED;
	     i++) {
		const double value = items[i].value;

		if (!(value > 0))
			continue;
		sum.seconds += is_rate ? 1 / value : value;
		sum.n++;
	}
	return sum;
}

int
attempts_are_in_turn(const struct sample_index *r, const struct attempts *a)
{
	struct attempt_sum before = { 0, NAN, NAN, 0 };

	for (size_t k = 0; k < a->n; k++) {
		const struct attempt_sum now = sum_attempt(r,
		    a->starts[k * r->n_logs], a->starts[(k + 1) * r->n_logs]);

		if (k > 0 && now.first_stamp >= before.last_stamp)
			return 1;
		if (k > 0 && isnan(now.first_stamp) &&
		    fabs(now.seconds - before.seconds) * (double)now.n >
			2 * fmax(now.seconds, before.seconds))
			return 1;
		before = now;
	}
	return 0;
}
