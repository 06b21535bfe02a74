/* Limits and ticks of chart axes. Labels do not overlap; those of counts are
 * only at measured values. Axes of amounts have minor ticks for reading values
 * between labels.
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
	char label[AXIS_LABEL_SIZE]; /* "": no label */
	int is_minor;                /* 1: short tick between labelled ones */
};

struct axis {
	double low, high; /* range shown */
	int base;         /* base of the logarithm: 2 or 10; 0: linear */
	struct axis_tick ticks[AXIS_MAX_TICKS]; /* ascending */
	size_t n;
	int label_lines; /* lines of the tallest label; 0: one */
	double times;    /* numbers in labels are multiplied by this: 1000 for
	                    seconds in ms; 0: 1 */
};

/* Axis of GPU counts: logarithmic to base 2 unless linear, ticks at the counts.
 *
 * counts  [n] strictly ascending, > 0; n >= 1
 * room    characters along the axis, >= 1. Labels that would touch another are
 *         omitted; the smallest and largest count have priority, then powers of
 *         two */
void axis_counts(
    const long *counts, size_t n, int room, int linear, struct axis *out);

/* Axis of sizes in bytes: logarithmic to base 2, ticks at powers of two in
 * units of 1024 ("64K", "1M"), as many as fit.
 *
 * low, high  range of the values, 1 <= low <= high */
void axis_sizes(double low, double high, int room, struct axis *out);

/* Axis of names, linear: name i is at i, from 1. If they do not fit, only every
 * second, third ... name gets a label; those of more than 20 columns are broken
 * into lines.
 *
 * n  >= 1 */
void axis_names(const char *const *names, size_t n, int room, struct axis *out);

/* Axis of names down the side: each name has a label, broken into lines of at
 * most `width` columns.
 *
 * n      1 .. AXIS_MAX_TICKS
 * width  >= 1 */
void axis_rows(const char *const *names, size_t n, int width, struct axis *out);

/* Axis of ratios: logarithmic to base 2, ticks at powers of two and minor ticks
 * between, or even steps if the range is below a factor of four.
 *
 * low, high  range of the values, 0 < low <= high
 * max_ticks  labels that fit, >= 2 */
void axis_ratio(double low, double high, int max_ticks, struct axis *out);

/* Axis of speeds or times: logarithmic to base 10, ticks at 1, 2, 5 times
 * powers of ten, only at powers of ten if these are too many, or even steps if
 * the range is below a factor of four. Parameters as for axis_ratio. */
void axis_amount(double low, double high, int max_ticks, struct axis *out);

/* A logarithmic axis extends beyond the values by at least this factor. */
#define AXIS_LOG_MARGIN 1.02

/* A linear axis extends beyond the largest value by this factor. */
#define AXIS_LINEAR_MARGIN 1.05

/* Linear axis from 0.
 *
 * high  largest value shown, >= 0; 0: the axis ends at 1 */
void axis_linear(double high, int max_ticks, struct axis *out);

/* Linear axis of a range of values, low <= high; does not start at 0. */
void axis_span(double low, double high, int max_ticks, struct axis *out);

/* Show the range from low to high; ticks are chosen anew if fewer than three
 * labels are left. low < high; > 0 on logarithmic axes. */
void axis_limit(struct axis *a, double low, double high, int max_ticks);

/* Set times, and label the ticks anew. */
void axis_set_times(struct axis *a, double times);

/* Position of a number on the axis: 0 at the low end, 1 at the high end. */
double axis_share(const struct axis *a, double v);

/* Number at a position of the axis. */
double axis_at(const struct axis *a, double share);

#endif
