/* What the functions that fill charts share: series, points, and x axes of
 * names and of counts.  charts_case.c and its kind call it.
 */
#ifndef PLOTS_CHARTS_CHART_SERIES_H
#define PLOTS_CHARTS_CHART_SERIES_H

#include "plots/charts/chart.h"

/* One more series of d, empty, with room for n points; valid until the next.
 *
 * name  lives as long as d */
struct chart_series *chart_series_add(
    struct chart_data *d, const char *name, size_t n);

/* One more point of s, which has room for it: y as CHART_VALUE, all else
 * unknown.
 *
 * y      its ends are NAN where unknown
 * level  of that interval, NAN: unknown
 * name   lives as long as the chart */
struct chart_point *chart_point_add(struct chart_series *s, double x,
    const struct chart_number *y, double level, const char *name);

/* A number without an interval. */
struct chart_number chart_number_of(double at);

/* Make d->x of d->rows, names that take a third of the room at most.
 *
 * n_rows  1 .. AXIS_MAX_TICKS */
void chart_rows_x(struct chart_data *d, int room);

/* Make d->x of the names of the points, which stand at 1, 2, ... */
void chart_names_x(struct chart_data *d, int room);

/* Make d->x of the points' places, which are whole numbers above 0: numbers of
 * GPUs, batch sizes.
 *
 * linear  1: from 0 on; 0: logarithmic */
void chart_counts_x(struct chart_data *d, int room, int linear);

#endif
