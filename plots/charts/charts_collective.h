/* The two charts of collectives: bus bandwidth against the size of a message,
 * and how the time is shared out over sizes.  Rows of charts[] name them.
 */
#ifndef PLOTS_CHARTS_CHARTS_COLLECTIVE_H
#define PLOTS_CHARTS_CHARTS_COLLECTIVE_H

#include "common/series/series.h"
#include "plots/charts/chart.h"

/* Fill d->series, whose points have bytes (or the bin of
 * common/result/collective_groups.h, from 1) in place of GPUs and their figure
 * as CHART_VALUE.
 *
 * names  [set->n] of the series
 *
 * Returns 0. */
int bandwidth_fill(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e);
int sizes_fill(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e);

/* Has the case a bandwidth, or times of collectives, to be drawn? */
int bandwidth_draws(const struct result_case *c);
int sizes_draws(const struct result_case *c);

/* Make d->x for them. */
void bandwidth_x(struct chart_data *d, int room);
void sizes_x(struct chart_data *d, int room);

#endif
