/* Statistics of values that are too many to be kept: they are read again for
 * each question instead.  The results are those of common/stats/stats.h, to the
 * last bit; memory is a fixed amount whatever the number of values.
 *
 *	struct stats_stream s = { rewind, read, &arg };
 *	const size_t ranks[] = { 0, n / 2 };
 *	double values[2];
 *	stats_stream_select(&s, ranks, 2, values);
 */
#ifndef COMMON_STATS_STATS_STREAM_H
#define COMMON_STATS_STATS_STREAM_H

#include <stddef.h>

/* Values that can be read from the start as often as it takes, the same ones
 * each time. */
struct stats_stream {
	/* Go to the start. */
	void (*rewind)(void *arg);
	/* The next values, at most max, into out.  Returns how many; 0 at the
	 * end. */
	size_t (*read)(void *arg, double *out, size_t max);
	void *arg;
	/* The same without a copy: where the next values lie, n of them; or
	 * NULL: they lie nowhere. */
	const double *(*view)(void *arg, size_t max, size_t *n);
};

/* The next values, at most max, which are good until the next call.
 *
 * room  [max] for those that lie nowhere
 * n     how many there are; 0 at the end */
static inline const double *
stats_stream_next(
    const struct stats_stream *s, double *room, size_t max, size_t *n)
{
	if (s->view != NULL)
		return s->view(s->arg, max, n);
	*n = s->read(s->arg, room, max);
	return room;
}

enum {
	STATS_STREAM_MAX_RANKS = 16, /* that are asked for at once */
	STATS_STREAM_KEPT = 1 << 17  /* values that are kept to choose from */
};

/* The results of one reading. */
struct stats_stream_summary {
	size_t n;
	int finite;      /* 1: all values are */
	double mean;     /* NAN with none, or one that is not finite */
	double min, max; /* as mean */
};

/* Number, mean, least and largest value. */
void stats_stream_summarise(
    const struct stats_stream *s, struct stats_stream_summary *out);

/* Coefficient of variation, as stats_cv.
 *
 * sum  of s, from stats_stream_summarise */
double stats_stream_cv(
    const struct stats_stream *s, const struct stats_stream_summary *sum);

/* The values that would stand at some places if all were sorted: read some
 * times, each time in a narrower range (Munro and Paterson 1980, "Selection
 * and sorting with limited storage").
 *
 * sum  of s; all values finite
 * k    [n_k] places, from 0, < sum->n; n_k <= STATS_STREAM_MAX_RANKS
 * out  [n_k] */
void stats_stream_select(const struct stats_stream *s,
    const struct stats_stream_summary *sum, const size_t *k, size_t n_k,
    double *out);

/* The values that shares of all lie at or below, as stats_quantile.
 *
 * sum  of s; n >= 1, all finite
 * p    [n_p] from 0 to 1; n_p <= STATS_STREAM_MAX_RANKS / 2
 * out  [n_p] */
void stats_stream_quantiles(const struct stats_stream *s,
    const struct stats_stream_summary *sum, const double *p, size_t n_p,
    double *out);

/* The middle value, as stats_median: NAN with none, or one that is not
 * finite. */
double stats_stream_median(const struct stats_stream *s);

/* A stream over an array that outlives it.
 *
 * room  where the stream keeps its place */
struct stats_stream_array {
	const double *x; /* [n] */
	size_t n, at;
};
struct stats_stream stats_stream_of_array(
    struct stats_stream_array *room, const double *x, size_t n);

#endif
