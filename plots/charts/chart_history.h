/* The chart of a history: the medians of each case over time, and the levels
 * between its change points.  charts[] names it. */
#ifndef PLOTS_CHARTS_CHART_HISTORY_H
#define PLOTS_CHARTS_CHART_HISTORY_H

#include "plots/charts/chart.h"

/* Fill d->series from a set whose series hold one case over time: points by
 * date, each from another file, which is named for its date or commit; the
 * files are in one array, by date.  Any other set fills nothing.
 *
 * A point has its place in time, from 1, in place of GPUs, its median as
 * CHART_VALUE, the median of its level as CHART_SPEEDUP, and where a level
 * begins that again as CHART_EFFICIENCY.
 *
 * names  [set->n] of the series
 *
 * Returns 0. */
int history_fill(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e);

/* Make d->x: the names of the files. */
void history_x(struct chart_data *d, int room);

#endif
