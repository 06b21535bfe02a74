#include <config.h>

#include "extract/measure/steps/sample_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

enum {
	DAY_S = 86400,
	LEAP_YEAR_S = 366 * DAY_S,
	HOUR_S = 3600,
	/* With steps further apart, jumps of an hour are not recognised. */
	MAX_DISTANCE_S = 60,
	/* With more jumps, the clocks of ranks differ by an hour. */
	MAX_HOURS = 4
};

/* Stamps below this are in 1972, which stands for an unknown year. */
#define YEARLESS_END_S (3.0 * 365 * DAY_S + 1.0 * DAY_S)

/* --- Epochs by their numbers -----------------------------------------------*/

static int
is_epoch(const void *epochs, size_t i, const void *number)
{
	return ((const int32_t *)epochs)[i] == *(const int32_t *)number;
}

static size_t
epoch_find(const struct sample_index *r, int32_t number)
{
	return hash_index_find(&r->by_number,
	    hash_bytes(0, &number, sizeof number), is_epoch, r->epochs,
	    &number);
}

int32_t
sample_index_epoch(const struct sample_index *r, int32_t number, int32_t last)
{
	/* Successive lines usually have the same epoch. */
	if (r->epochs[last] == number)
		return last;
	return (int32_t)epoch_find(r, number);
}

static int32_t
epoch_add(struct sample_index *r, int32_t number, int32_t last)
{
	size_t i;

	if (r->n_epochs > 0 && r->epochs[last] == number)
		return last;
	i = epoch_find(r, number);
	if (i == HASH_INDEX_NONE) {
		i = r->n_epochs++;
		r->epochs =
		    vec_grow(r->epochs, i, &r->alloc_epochs, sizeof *r->epochs);
		r->epochs[i] = number;
		hash_index_add(
		    &r->by_number, hash_bytes(0, &number, sizeof number), i);
	}
	return (int32_t)i;
}

/* --- Clocks ----------------------------------------------------------------*/

/* State of a clock in one log. */
struct clock_course {
	double before;   /* previous stamp, corrected; or NAN */
	double distance; /* last difference below MAX_DISTANCE_S */
	double shift;    /* correction to add to a stamp */
	int32_t hours;   /* jumps of an hour so far */
};

/* Seconds after which a clock with that stamp wraps around; 0: never. */
static double
clock_period(double stamp)
{
	if (stamp < DAY_S)
		return DAY_S;
	return stamp < YEARLESS_END_S ? LEAP_YEAR_S : 0;
}

/* True if d is an hour forward or back, up to the time of a few steps. */
static int
is_hour(const struct clock_course *c, double d)
{
	const double slack = 5 * c->distance > 2 ? 5 * c->distance : 2;

	return c->distance > 0 && fabs(fabs(d) - HOUR_S) < slack;
}

/* Correct a clock that wraps around at midnight or new year, or is set by an
 * hour: daylight saving begins and ends while jobs run, and a jump of an hour
 * up to a few steps is hardly anything else. Ranks that overtake each other
 * step back by seconds only; a rank still in the old day steps back by the
 * whole period.
 *
 * hours  1: also correct jumps of an hour */
static void
follow_clock(struct clock_course *c, double stamp, int hours)
{
	const double period = clock_period(stamp);
	double d;

	if (isnan(stamp))
		return;
	d = stamp + c->shift - c->before;
	if (period > 0 && d < -period / 2) {
		c->shift += period;
	} else if (period > 0 && c->shift >= period && d > period / 2) {
		c->shift -= period;
	} else if (hours && is_hour(c, d)) {
		c->shift -= d > 0 ? HOUR_S : -HOUR_S;
		c->hours++;
	} else if (d > 0 && d < MAX_DISTANCE_S) {
		c->distance = d;
	}
	c->before = stamp + c->shift;
}

static void
release_stamps(struct sample_index *r)
{
	for (size_t i = 0; r->stamps != NULL && i < r->n_logs; i++)
		free(r->stamps[i]);
	free(r->stamps);
	r->stamps = NULL;
}

/* Correct the clocks of all logs.
 *
 * hours  1: also correct jumps of an hour
 *
 * Sets r->hours to the most jumps of a log. Returns 1 if any stamp was
 * corrected. */
static int
follow_clocks(struct sample_index *r, int hours)
{
	int shifted = 0;

	r->hours = 0;
	for (size_t i = 0; i < r->n_logs; i++) {
		const struct sample_store *all = &r->logs[i]->samples;
		struct clock_course clock = { NAN, 0, 0, 0 };

		for (size_t k = 0; k < all->n; k++) {
			follow_clock(&clock, all->items[k].stamp, hours);
			shifted |= fabs(clock.shift) > 0;
			r->stamps[i][k] = all->items[k].stamp + clock.shift;
		}
		if (clock.hours > r->hours)
			r->hours = clock.hours;
	}
	return shifted;
}

static void
correct_clocks(struct sample_index *r)
{
	r->stamps = xcalloc(r->n_logs, sizeof *r->stamps);
	for (size_t i = 0; i < r->n_logs; i++)
		r->stamps[i] =
		    xcalloc(r->logs[i]->samples.n, sizeof **r->stamps);
	if (!follow_clocks(r, 1) ||
	    (r->hours > MAX_HOURS && !follow_clocks(r, 0)))
		release_stamps(r);
}

/* --- Order -----------------------------------------------------------------*/

static int
place_order(const void *a, const void *b)
{
	const struct sample_place *x = a, *y = b;

	if (x->epoch != y->epoch)
		return x->epoch < y->epoch ? -1 : 1;
	if (x->iter != y->iter)
		return x->iter < y->iter ? -1 : 1;
	if (x->log != y->log)
		return x->log < y->log ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Find the epochs of a log and what all its samples have in common. Returns 1
 * if each iteration comes after those of the lines before. */
static int
examine_log(struct sample_index *r, size_t log)
{
	const struct sample *items = r->logs[log]->samples.items;
	int32_t epoch = 0, last_epoch = -1, last_iter = 0;
	int ascends = 1;

	for (size_t i = r->from[log]; i < r->to[log]; i++) {
		const struct sample *x = &items[i];

		epoch = epoch_add(r, x->epoch, epoch);
		if (epoch <= last_epoch &&
		    (epoch < last_epoch || x->iter <= last_iter))
			ascends = 0;
		last_epoch = epoch;
		last_iter = x->iter;
		if (x->iter == SAMPLE_NONE)
			r->numbered = 0;
		if (x->iter == 0 || x->iter_from == 0) {
			r->has_zero = 1;
			r->first_has_zero |= epoch == 0;
		}
		if (x->rank == SAMPLE_NONE)
			r->labelled = 0;
		else if (x->rank > r->max_label)
			r->max_label = x->rank;
	}
	return ascends;
}

/* Set the places of the samples. Lines without numbers are counted. */
static void
sort_places(struct sample_index *r)
{
	struct sample_place *p = xreallocarray(NULL, r->n, sizeof *p);
	int32_t epoch = 0;
	int sorted = 1;

	r->items = p;
	for (size_t log = 0; log < r->n_logs; log++)
		for (size_t i = r->from[log]; i < r->to[log]; i++) {
			const struct sample *x =
			    &r->logs[log]->samples.items[i];

			epoch = r->numbered
			    ? sample_index_epoch(r, x->epoch, epoch)
			    : 0;
			*p++ = (struct sample_place){ epoch,
				r->numbered ? x->iter
					    : (int32_t)(i - r->from[log]),
				(uint32_t)log, (uint32_t)i };
			sorted &=
			    p - r->items < 2 || place_order(p - 2, p - 1) < 0;
		}
	if (!sorted)
		qsort(r->items, r->n, sizeof *r->items, place_order);
	for (size_t i = 0; i < r->n; i++)
		r->items[i].epoch = r->epochs[r->items[i].epoch];
}

void
sample_index_collect(struct sample_index *r, const struct log *const *logs,
    size_t n_logs, const size_t *from, const size_t *to)
{
	int ascends = n_logs == 1;

	*r = (struct sample_index){ .logs = logs,
		.n_logs = n_logs,
		.numbered = 1,
		.labelled = 1,
		.max_label = -1,
		.most = 1,
		.least = 1 };
	r->from = xcalloc(n_logs, sizeof *r->from);
	r->to = xcalloc(n_logs, sizeof *r->to);
	for (size_t i = 0; i < n_logs; i++) {
		r->from[i] = from != NULL ? from[i] : 0;
		r->to[i] = to != NULL ? to[i] : logs[i]->samples.n;
		r->n += r->to[i] - r->from[i];
	}
	for (size_t i = 0; i < n_logs; i++)
		ascends &= examine_log(r, i);
	if (n_logs > 1) {
		r->labelled = 1;
		r->max_label = (int32_t)n_logs - 1;
	}
	if (r->n > 0 && !ascends && (r->numbered || n_logs > 1)) {
		sort_places(r);
		r->least = SIZE_MAX;
		for (size_t i = 0, end; i < r->n; i = end) {
			end = sample_index_group_end(r, i);
			r->most = end - i > r->most ? end - i : r->most;
			r->least = end - i < r->least ? end - i : r->least;
		}
	}
	if (logs[0]->meaning->kind == VALUE_STAMP ||
	    logs[0]->meaning->kind == VALUE_ELAPSED)
		correct_clocks(r);
}

void
sample_index_release(struct sample_index *r)
{
	release_stamps(r);
	free(r->items);
	free(r->from);
	free(r->to);
	hash_index_release(&r->by_number);
	free(r->epochs);
	*r = (struct sample_index){ .n = 0 };
}
