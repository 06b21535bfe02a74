/* Statistics of values that are too many to be kept: they are read again for
 * each question instead.  The results are those of common/stats.h, to the last
 * bit; memory is a fixed amount whatever the number of values.
 *
 *	struct stream s = { rewind, read, &arg };
 *	const size_t ranks[] = { 0, n / 2 };
 *	double values[2];
 *	stream_select(&s, ranks, 2, values);
 */
#ifndef COMMON_STREAM_H
#define COMMON_STREAM_H

#include <stddef.h>

/* Values that can be read from the start as often as it takes, the same ones
 * each time. */
struct stream {
	/* Go to the start. */
	void (*rewind)(void *arg);
	/* The next values, at most max, into out.  Returns how many; 0 at the
	 * end. */
	size_t (*read)(void *arg, double *out, size_t max);
	void *arg;
};

enum {
	STREAM_MAX_RANKS = 16, /* that are asked for at once */
	STREAM_KEPT = 1 << 17  /* values that are kept to choose from */
};

/* What one reading tells. */
struct stream_summary {
	size_t n;
	int finite;      /* 1: all values are */
	double mean;     /* NAN with none, or one that is not finite */
	double min, max; /* as mean */
};

/* Number, mean, least and largest value. */
void stream_summarise(const struct stream *s, struct stream_summary *out);

/* Coefficient of variation, as stats_cv.
 *
 * sum  of s, from stream_summarise */
double stream_cv(const struct stream *s, const struct stream_summary *sum);

/* The values that would stand at some places if all were sorted: read some
 * times, each time in a narrower range (Munro and Paterson 1980, "Selection
 * and sorting with limited storage").
 *
 * sum  of s; all values finite
 * k    [n_k] places, from 0, < sum->n; n_k <= STREAM_MAX_RANKS
 * out  [n_k] */
void stream_select(const struct stream *s, const struct stream_summary *sum,
    const size_t *k, size_t n_k, double *out);

/* The values that shares of all lie at or below, as stats_quantile.
 *
 * sum  of s; n >= 1, all finite
 * p    [n_p] from 0 to 1; n_p <= STREAM_MAX_RANKS / 2
 * out  [n_p] */
void stream_quantiles(const struct stream *s, const struct stream_summary *sum,
    const double *p, size_t n_p, double *out);

/* The middle value, as stats_median: NAN with none, or one that is not
 * finite. */
double stream_median(const struct stream *s);

/* A stream over an array that outlives it.
 *
 * room  where the stream keeps its place */
struct stream_array {
	const double *x; /* [n] */
	size_t n, at;
};
struct stream stream_of_array(
    struct stream_array *room, const double *x, size_t n);

#endif
