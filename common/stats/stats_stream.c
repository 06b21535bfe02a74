#include <config.h>

#include "common/stats/stats_stream.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"

enum {
	READ = 512,       /* values that are read at once */
	BUCKETS_LOG = 12, /* of parts that a range is cut into */
	BUCKETS = 1 << BUCKETS_LOG
};

/* --- Sums ------------------------------------------------------------------*/

void
stats_stream_summarise(
    const struct stats_stream *s, struct stats_stream_summary *out)
{
	struct stats_sum sum = STATS_SUM_INIT;
	double room[READ];
	const double *x;
	size_t n;

	*out = (struct stats_stream_summary){ 0, 1, NAN, INFINITY, -INFINITY };
	s->rewind(s->arg);
	while ((x = stats_stream_next(s, room, READ, &n)), n > 0) {
		for (size_t i = 0; i < n; i++) {
			if (!isfinite(x[i]))
				out->finite = 0;
			if (x[i] < out->min)
				out->min = x[i];
			if (x[i] > out->max)
				out->max = x[i];
			stats_sum_add(&sum, x[i]);
		}
		out->n += n;
	}
	if (out->n == 0 || !out->finite)
		out->min = out->max = NAN;
	else
		out->mean = stats_sum_value(&sum) / (double)out->n;
}

double
stats_stream_cv(
    const struct stats_stream *s, const struct stats_stream_summary *sum)
{
	struct stats_sum squares = STATS_SUM_INIT;
	double room[READ];
	const double *x;
	size_t n;

	if (sum->n < 2 || !(sum->mean > 0.0))
		return NAN;
	s->rewind(s->arg);
	while ((x = stats_stream_next(s, room, READ, &n)), n > 0)
		for (size_t i = 0; i < n; i++)
			stats_sum_add(
			    &squares, (x[i] - sum->mean) * (x[i] - sum->mean));
	return sqrt(stats_sum_value(&squares) / (double)(sum->n - 1)) /
	    sum->mean;
}

/* --- Places ----------------------------------------------------------------*/

/* Doubles in the order of whole numbers; -0 is 0. */
static inline uint64_t
key_of(double x)
{
	uint64_t u;

	x += 0.0;
	memcpy(&u, &x, sizeof u);
	return u >> 63 ? ~u : u | (uint64_t)1 << 63;
}

static double
value_of(uint64_t key)
{
	const uint64_t u = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
	double x;

	memcpy(&x, &u, sizeof x);
	return x;
}

struct value_bucket {
	size_t n;
	uint64_t low, high; /* least and largest key in it */
};

/* Where some of the places lie. */
struct value_range {
	uint64_t low, high; /* keys, both included */
	size_t below, n;    /* values below low, and in it */
	unsigned shift;     /* key - low, so much to the right: a bucket */
	struct value_bucket *buckets; /* [BUCKETS], or */
	double *kept;                 /* [n] all of them */
	size_t n_kept;
};

/* What stats_stream_select hands on. */
struct quantile_search {
	const struct stats_stream *stream;
	const size_t *k; /* [n_k] */
	size_t n_k;
	double *out;                       /* [n_k] */
	char done[STATS_STREAM_MAX_RANKS]; /* out is filled */
	struct value_range ranges[STATS_STREAM_MAX_RANKS],
	    next[STATS_STREAM_MAX_RANKS];
	size_t n_ranges, n_next;
};

static void
range_prepare(struct value_range *r)
{
	r->n_kept = 0;
	r->kept = NULL;
	r->buckets = NULL;
	if (r->n <= STATS_STREAM_KEPT) {
		r->kept = xcalloc(r->n, sizeof *r->kept);
		return;
	}
	r->buckets = xcalloc(BUCKETS, sizeof *r->buckets);
	for (r->shift = 0; (r->high - r->low) >> r->shift >= BUCKETS;)
		r->shift++;
}

static inline void
range_add(struct value_range *r, double x)
{
	const uint64_t key = key_of(x);
	struct value_bucket *b;

	if (key < r->low || key > r->high)
		return;
	if (r->kept != NULL) {
		assert(r->n_kept < r->n);
		r->kept[r->n_kept++] = x;
		return;
	}
	b = &r->buckets[(key - r->low) >> r->shift];
	if (b->n++ == 0)
		b->low = b->high = key;
	else if (key < b->low)
		b->low = key;
	else if (key > b->high)
		b->high = key;
}

static void
read_once(struct quantile_search *s)
{
	double room[READ];
	const double *x;
	size_t n;

	s->stream->rewind(s->stream->arg);
	while ((x = stats_stream_next(s->stream, room, READ, &n)), n > 0)
		for (size_t r = 0; r < s->n_ranges; r++)
			for (size_t i = 0; i < n; i++)
				range_add(&s->ranges[r], x[i]);
}

/* Look into the range again, in the next reading. */
static void
go_on_in(struct quantile_search *s, const struct value_bucket *b, size_t below)
{
	for (size_t i = 0; i < s->n_next; i++)
		if (s->next[i].low == b->low)
			return;
	s->next[s->n_next++] = (struct value_range){ b->low, b->high, below,
		b->n, 0, NULL, NULL, 0 };
}

/* Place k lies in the range r, which has been read. */
static void
narrow_range(struct quantile_search *s, struct value_range *r, size_t i)
{
	size_t below = r->below, b;

	if (r->kept != NULL) {
		s->out[i] =
		    stats_select(r->kept, r->n_kept, s->k[i] - r->below);
		s->done[i] = 1;
		return;
	}
	for (b = 0; s->k[i] - below >= r->buckets[b].n; b++)
		below += r->buckets[b].n;
	if (r->buckets[b].low == r->buckets[b].high) {
		s->out[i] = value_of(r->buckets[b].low);
		s->done[i] = 1;
	} else {
		go_on_in(s, &r->buckets[b], below);
	}
}

static void
narrow_all(struct quantile_search *s)
{
	s->n_next = 0;
	for (size_t j = 0; j < s->n_ranges; j++) {
		struct value_range *r = &s->ranges[j];

		for (size_t i = 0; i < s->n_k; i++)
			if (!s->done[i] && s->k[i] >= r->below &&
			    s->k[i] - r->below < r->n)
				narrow_range(s, r, i);
		free(r->kept);
		free(r->buckets);
	}
	memcpy(s->ranges, s->next, sizeof s->ranges);
	s->n_ranges = s->n_next;
}

void
stats_stream_select(const struct stats_stream *stream,
    const struct stats_stream_summary *sum, const size_t *k, size_t n_k,
    double *out)
{
	struct quantile_search s = {
		.stream = stream, .k = k, .n_k = n_k, .out = out, .n_ranges = 1
	};

	assert(n_k <= STATS_STREAM_MAX_RANKS && sum->finite);
	for (size_t i = 0; i < n_k; i++)
		assert(k[i] < sum->n);
	s.ranges[0] = (struct value_range){ key_of(sum->min), key_of(sum->max),
		0, sum->n, 0, NULL, NULL, 0 };
	while (s.n_ranges > 0) {
		for (size_t r = 0; r < s.n_ranges; r++)
			range_prepare(&s.ranges[r]);
		read_once(&s);
		narrow_all(&s);
	}
}

void
stats_stream_quantiles(const struct stats_stream *s,
    const struct stats_stream_summary *sum, const double *p, size_t n_p,
    double *out)
{
	size_t k[STATS_STREAM_MAX_RANKS] = { 0 };
	double x[STATS_STREAM_MAX_RANKS] = { 0 };

	assert(2 * n_p <= STATS_STREAM_MAX_RANKS);
	for (size_t i = 0; i < n_p; i++) {
		k[2 * i] = (size_t)((double)(sum->n - 1) * p[i]);
		k[2 * i + 1] = k[2 * i] + 1 < sum->n ? k[2 * i] + 1 : k[2 * i];
	}
	stats_stream_select(s, sum, k, 2 * n_p, x);
	for (size_t i = 0; i < n_p; i++) {
		const double at = (double)(sum->n - 1) * p[i];

		out[i] = stats_between(
		    x[2 * i], x[2 * i + 1], at - (double)k[2 * i]);
	}
}

double
stats_stream_median(const struct stats_stream *s)
{
	struct stats_stream_summary sum;
	double middle[2] = { 0 };

	stats_stream_summarise(s, &sum);
	if (sum.n == 0 || !sum.finite)
		return NAN;
	stats_stream_select(
	    s, &sum, (size_t[]){ sum.n / 2, (sum.n - 1) / 2 }, 2, middle);
	return sum.n % 2 == 1 ? middle[0] : (middle[1] + middle[0]) / 2.0;
}

/* --- Arrays ----------------------------------------------------------------*/

static void
rewind_array(void *arg)
{
	((struct stats_stream_array *)arg)->at = 0;
}

static size_t
read_array(void *arg, double *out, size_t max)
{
	struct stats_stream_array *a = arg;
	const size_t n = a->n - a->at < max ? a->n - a->at : max;

	if (n > 0)
		memcpy(out, a->x + a->at, n * sizeof *out);
	a->at += n;
	return n;
}

static const double *
view_array(void *arg, size_t max, size_t *n)
{
	struct stats_stream_array *a = arg;
	const size_t at = a->at;

	*n = a->n - at < max ? a->n - at : max;
	a->at += *n;
	return a->x + at;
}

struct stats_stream
stats_stream_of_array(
    struct stats_stream_array *room, const double *x, size_t n)
{
	*room = (struct stats_stream_array){ x, n, 0 };
	return (
	    struct stats_stream){ rewind_array, read_array, room, view_array };
}
