#include <config.h>

#include "common/stats/value_counts.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"

enum {
	SLOTS_LOG = 13, /* four for each value, so that most have their own */
	SLOTS = 1 << SLOTS_LOG,
	READ = 512 /* values that are read at once */
};

/* --- Counting --------------------------------------------------------------*/

#define FREE UINT64_MAX /* no finite double's */

/* A value has the first slot from its place on that is free. */
struct slots {
	uint64_t bits[SLOTS]; /* of a value, or FREE */
	size_t early[SLOTS], late[SLOTS];
	size_t n_used;
};

/* Source: Knuth, The Art of Computer Programming 3, 6.4, multiplicative
 * hashing by the golden ratio. */
static inline size_t
place_of(uint64_t bits)
{
	return (size_t)(bits * 0x9e3779b97f4a7c15 >> (64 - SLOTS_LOG));
}

/* Count x in counts, which are the table's early or late. */
static inline void
count_value(struct slots *t, size_t *counts, double x)
{
	uint64_t bits;
	size_t i;

	x += 0.0;
	memcpy(&bits, &x, sizeof bits);
	for (i = place_of(bits); t->bits[i] != bits; i = (i + 1) % SLOTS)
		if (t->bits[i] == FREE) {
			t->bits[i] = bits;
			t->n_used++;
			break;
		}
	counts[i]++;
}

/* Returns 0 if too many are different. */
static int
count_all(struct slots *t, const struct stats_stream *s, size_t n)
{
	double room[READ];
	const double *x;
	size_t got, done = 0;

	s->rewind(s->arg);
	while ((x = stats_stream_next(s, room, READ, &got)), got > 0) {
		const size_t left = n / 2 > done ? n / 2 - done : 0;
		const size_t early = left < got ? left : got;

		for (size_t i = 0; i < early; i++)
			count_value(t, t->early, x[i]);
		for (size_t i = early; i < got; i++)
			count_value(t, t->late, x[i]);
		done += got;
		if (t->n_used > VALUE_COUNTS_MOST)
			return 0;
	}
	return done > 0;
}

/* --- Values in their order -------------------------------------------------*/

static int
compare_values(const void *pa, const void *pb)
{
	const struct counted_value *a = pa, *b = pb;

	return (a->value > b->value) - (a->value < b->value);
}

/* Those of the table, in an array that the caller frees. */
static struct counted_value *
sort_values(const struct slots *t)
{
	struct counted_value *x = xcalloc(t->n_used, sizeof *x);
	size_t n = 0;

	for (size_t i = 0; i < SLOTS; i++) {
		if (t->bits[i] == FREE)
			continue;
		memcpy(&x[n].value, &t->bits[i], sizeof x[n].value);
		x[n].late = t->late[i];
		x[n++].all = t->early[i] + t->late[i];
	}
	qsort(x, n, sizeof *x, compare_values);
	return x;
}

int
value_counts_make(
    struct value_counts *c, const struct stats_stream *s, size_t n)
{
	struct slots *t = xcalloc(1, sizeof *t);
	int few;

	for (size_t i = 0; i < SLOTS; i++)
		t->bits[i] = FREE;
	few = count_all(t, s, n);
	if (few) {
		c->of = sort_values(t);
		c->n_different = t->n_used;
		c->n = n;
	}
	free(t);
	return few;
}

void
value_counts_release(struct value_counts *c)
{
	free(c->of);
	*c = (struct value_counts){ .of = NULL };
}

/* The value at place k of the last half, of all. */
static double
late_at(const struct counted_value *x, size_t k)
{
	for (; k >= x->late; x++)
		k -= x->late;
	return x->value;
}

static double
value_at(const struct value_counts *c, size_t k)
{
	const struct counted_value *x = c->of;

	for (; k >= x->all; x++)
		k -= x->all;
	return x->value;
}

double
value_counts_quantile(const struct value_counts *c, double p)
{
	const double place = (double)(c->n - 1) * p;
	const size_t k = (size_t)place;

	return stats_between(value_at(c, k),
	    value_at(c, k + 1 < c->n ? k + 1 : k), place - (double)k);
}

/* The median of the last half, of which x holds so many of each value. */
static double
median_of_late(const struct value_counts *c, const struct counted_value *x)
{
	const size_t n = c->n - c->n / 2;
	const double middle = late_at(x, n / 2);

	return n % 2 == 1 ? middle : (late_at(x, (n - 1) / 2) + middle) / 2.0;
}

double
value_counts_late_median(const struct value_counts *c)
{
	return median_of_late(c, c->of);
}

double
value_counts_late_distance(const struct value_counts *c, double target)
{
	struct counted_value *x = xcalloc(c->n_different, sizeof *x);
	double median;

	for (size_t i = 0; i < c->n_different; i++) {
		x[i] = c->of[i];
		x[i].value = fabs(x[i].value - target);
	}
	qsort(x, c->n_different, sizeof *x, compare_values);
	median = median_of_late(c, x);
	free(x);
	return median;
}

size_t
value_counts_beyond(
    const struct value_counts *c, double target, double distance)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_different; i++)
		if (fabs(c->of[i].value - target) > distance)
			n += c->of[i].all;
	return n;
}
