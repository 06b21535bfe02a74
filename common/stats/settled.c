/* Where a row of times settles: extract/measure/steps/audit.c asks it of the
 * steps of a run, statistics.c lists it.  It knows neither logs nor units.  The
 * rows may be more than there is memory for, so that they are streams. */
#include <config.h>

#include "common/stats/settled.h"

#include <math.h>
#include <string.h>

#include "common/stats/stats.h"

/* --- the last half -------------------------------------------------------- */

/* A stream without its first values, or the distances of those from a
 * target. */
struct settled_rest {
	const struct stats_stream *of;
	size_t skip;
	int is_distance;
	double target;
};

static void
rewind_rest(void *arg)
{
	const struct settled_rest *r = arg;
	double ignored[256];

	r->of->rewind(r->of->arg);
	for (size_t left = r->skip, got; left > 0; left -= got) {
		const size_t most =
		    left < 256 || r->of->view != NULL ? left : 256;

		stats_stream_next(r->of, ignored, most, &got);
		if (got == 0)
			return;
	}
}

static size_t
read_rest(void *arg, double *out, size_t max)
{
	const struct settled_rest *r = arg;
	size_t n;
	const double *x = stats_stream_next(r->of, out, max, &n);

	for (size_t i = 0; i < n; i++)
		out[i] = r->is_distance ? fabs(x[i] - r->target) : x[i];
	return n;
}

static const double *
view_rest(void *arg, size_t max, size_t *n)
{
	const struct settled_rest *r = arg;

	return r->of->view(r->of->arg, max, n);
}

/* The median of the last half. */
static double
late_median(const struct stats_stream *s, size_t n)
{
	struct settled_rest rest = { .of = s, .skip = n / 2 };
	const struct stats_stream half = { rewind_rest, read_rest, &rest,
		s->view != NULL ? view_rest : NULL };

	return stats_stream_median(&half);
}

/* The median distance of the last half from the target. */
static double
late_distance(const struct stats_stream *s, size_t n, double target)
{
	struct settled_rest rest = { s, n / 2, 1, target };
	const struct stats_stream half = { rewind_rest, read_rest, &rest,
		NULL };

	return stats_stream_median(&half);
}

/* --- blocks --------------------------------------------------------------- */

/* The last times, and how many of them are too far from the target. */
struct settled_block {
	double target, tolerance;
	double times[SETTLED_BLOCK]; /* in a ring of size */
	size_t size;
	size_t n; /* that went in */
	int below, above;
};

/* -1, 0 or 1: too far below, near, too far above. */
static int
block_side(const struct settled_block *b, double t)
{
	if (!(fabs(t - b->target) > b->tolerance))
		return 0;
	return t < b->target ? -1 : 1;
}

static void
block_count(struct settled_block *b, double t, int how)
{
	const int where = block_side(b, t);

	b->below += where < 0 ? how : 0;
	b->above += where > 0 ? how : 0;
}

/* The median of a full block of which half is too far on one side: between the
 * nearest of that half and the nearest of the other. */
static double
block_median_of_halves(const struct settled_block *b, int which)
{
	double low = -INFINITY, high = INFINITY;

	for (size_t i = 0; i < b->size; i++) {
		const int where = block_side(b, b->times[i]);
		const int is_low = which < 0 ? where < 0 : where <= 0;

		if (is_low && b->times[i] > low)
			low = b->times[i];
		if (!is_low && b->times[i] < high)
			high = b->times[i];
	}
	return (low + high) / 2;
}

/* Is the median of a full block too far? */
static int
block_is_off(const struct settled_block *b)
{
	const int size = (int)b->size;

	if (2 * b->below < size && 2 * b->above < size)
		return 0;
	if (2 * b->below > size || 2 * b->above > size)
		return 1;
	/* The median lies between the two in the middle. */
	return block_side(b,
		   block_median_of_halves(b, 2 * b->below == size ? -1 : 1)) !=
	    0;
}

/* The first good block may begin with up to half of it that is not settled: the
 * first of them that is.
 *
 * near  how far off a single time may be */
static size_t
step_over(const struct stats_stream *s, size_t settled, size_t half,
    double target, double near)
{
	struct settled_rest rest = { .of = s, .skip = settled };
	double x[SETTLED_BLOCK / 2];
	size_t got, n = 0, i = 0;

	if (settled == 0)
		return 0;
	rewind_rest(&rest);
	while (n < half && (got = s->read(s->arg, x + n, half - n)) > 0)
		n += got;
	while (i < n && fabs(x[i] - target) > near)
		i++;
	return settled + i;
}

/* One more value: is the block that it fills off? */
static int
block_add(struct settled_block *b, double t)
{
	double *place = &b->times[b->n % b->size];

	if (b->n >= b->size)
		block_count(b, *place, -1);
	*place = t;
	block_count(b, t, 1);
	b->n++;
	return b->n >= b->size && block_is_off(b);
}

size_t
settled_from(const struct stats_stream *s, const struct value_counts *counts,
    size_t n, size_t block)
{
	struct settled_block b = { .size = block };
	double room[256], spread, near;
	const double *x;
	size_t got, settled = 0;

	if (n < block || n < SETTLED_FEW)
		return SETTLED_NEVER;
	b.target = counts != NULL ? value_counts_late_median(counts)
				  : late_median(s, n);
	spread = 1.4826 *
	    (counts != NULL ? value_counts_late_distance(counts, b.target)
			    : late_distance(s, n, b.target));
	if (block < SETTLED_BLOCK)
		spread *= 1 + 8 / (double)(n - n / 2);
	near = b.target * SETTLED_PERCENT / 100;
	/* A median of 20 scatters by 1.2533 / sqrt(20) of what one does. */
	b.tolerance = fmax(near, 4.5 * 1.2533 * spread / sqrt((double)block));
	/* Too few are off to make half of a block. */
	if (counts != NULL &&
	    2 * value_counts_beyond(counts, b.target, b.tolerance) < block)
		return 0;
	s->rewind(s->arg);
	while ((x = stats_stream_next(s, room, 256, &got)), got > 0)
		for (size_t i = 0; i < got; i++)
			if (block_add(&b, x[i]))
				settled = b.n - block + 1;
	if (settled + block > n)
		return SETTLED_NEVER; /* the last block is off */
	return step_over(
	    s, settled, block / 2, b.target, fmax(near, 3 * spread));
}

double
settled_of_array(const double *x, size_t n)
{
	struct stats_stream_array room;
	const struct stats_stream s = stats_stream_of_array(&room, x, n);
	const size_t at = settled_from(&s, NULL, n, SETTLED_BLOCK);

	return at == SETTLED_NEVER ? NAN : (double)at;
}
