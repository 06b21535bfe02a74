/* Axes of a chart: how far they reach and where their ticks stand, so that
 * labels neither collide nor show what was not measured.  Axes of amounts have
 * minor ticks too, so that values can be read off between the labels.
 *
 *	struct axis x;
 *	long gpus[] = { 1, 2, 4, 8, 16, 32 };
 *	axis_counts(gpus, 6, 90, &x);
 */
#ifndef PLOTS_STYLE_AXIS_H
#define PLOTS_STYLE_AXIS_H

#include <stddef.h>

enum { AXIS_MAX_TICKS = 128, AXIS_LABEL_SIZE = 400 };

struct axis_tick {
	double at;
	char label[AXIS_LABEL_SIZE]; /* "": a tick without a label */
	int is_minor;                /* 1: stands between others, short */
};

struct axis {
	double low, high; /* the range shown */
	int base;         /* of its logarithm: 2 or 10; 0: linear */
	struct axis_tick ticks[AXIS_MAX_TICKS]; /* ascending */
	size_t n;
	int label_lines; /* of the highest label; 0: one */
};

/* An axis of GPU counts: logarithm to base 2 unless linear, ticks at the
 * counts.
 *
 * counts  [n] ascending, > 0, different; n >= 1
 * room    characters that fit along the axis, >= 1; labels that would touch
 *         each other are left away: the smallest and the largest count come
 *         first, then powers of two, then the others */
void axis_counts(
    const long *counts, size_t n, int room, int linear, struct axis *out);

/* An axis of sizes in bytes: logarithm to base 2, ticks at powers of two in
 * units of 1024 ("64K", "1M"), as many as fit.
 *
 * low, high  of what is shown, 1 <= low <= high */
void axis_sizes(double low, double high, int room, struct axis *out);

/* An axis of names, linear: the i-th stands at i, from 1 on.  Long ones are
 * broken into lines between words; where that is not enough every second, third
 * ... has no label.
 *
 * n  >= 1 */
void axis_names(const char *const *names, size_t n, int room, struct axis *out);

/* The same down the side: each name has a label, of lines of so many columns.
 *
 * n      1 .. AXIS_MAX_TICKS
 * width  >= 1 */
void axis_rows(const char *const *names, size_t n, int width, struct axis *out);

/* An axis of ratios: logarithm to base 2, ticks at powers of two and minor ones
 * between, at even steps where the range is less than a factor of four.
 *
 * low, high  of what is shown, 0 < low <= high
 * max_ticks  that fit, >= 2 */
void axis_ratio(double low, double high, int max_ticks, struct axis *out);

/* An axis of speeds or times: logarithm to base 10, ticks at 1, 2, 5 times
 * powers of ten, at powers of ten only where these are too many, and at even
 * steps where the range is less than a factor of four.  As axis_ratio. */
void axis_amount(double low, double high, int max_ticks, struct axis *out);

/* An axis of per cent: linear, from 0 to at least 100.
 *
 * high  largest value shown, >= 0, in per cent */
void axis_percent(double high, int max_ticks, struct axis *out);

/* Both ends of a logarithmic axis are at least this factor off the values. */
#define AXIS_LOG_MARGIN 1.02

/* Beyond the largest value a linear axis goes on by this factor. */
#define AXIS_LINEAR_MARGIN 1.05

/* A linear axis from 0 on of any numbers.
 *
 * high  largest value shown, >= 0; all are 0: up to 1 */
void axis_linear(double high, int max_ticks, struct axis *out);

/* A linear axis of numbers of which some are below 0, 0 among them.
 *
 * low, high  of what is shown, low < 0, high >= 0 */
void axis_span(double low, double high, int max_ticks, struct axis *out);

/* Where a number stands: 0 at the low end of the axis, 1 at the high one. */
double axis_share(const struct axis *a, double v);

#endif
