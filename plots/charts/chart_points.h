/* Cases as points of a chart over GPUs. */
#ifndef PLOTS_CHARTS_CHART_POINTS_H
#define PLOTS_CHARTS_CHART_POINTS_H

#include "plots/charts/chart.h"

/* Ratio of the baseline's GPUs to the case's; NAN if there is no baseline. */
double chart_ideal_share(const struct result_case *c);

/* Let the point show the runs of its case where they are few enough. */
void chart_point_set_runs(struct chart_point *p, const struct result_case *c);

/* Set p to what stands at a case's GPUs: speed, speedup, efficiency in %, with
 * their intervals, and the runs where they are few enough to show. */
void chart_point_of_case(struct chart_point *p, const struct result_case *c);

/* Has the point what the chart draws: a finite number above 0? */
int chart_point_is_drawn(
    const struct chart *chart, const struct chart_point *p);

/* Has the point what the chart draws, and of a chart over GPUs a place?  Of
 * a chart that does not state what it draws all points have. */
int chart_draws(const struct chart *chart, const struct series_point *p);

#endif
