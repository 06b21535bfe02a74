/* Charts of single steps: their times, how these are spread, loss and accuracy.
 * Rows of charts[] name them; the steps are d->records'.
 */
#ifndef PLOTS_CHARTS_CHARTS_STEPS_H
#define PLOTS_CHARTS_CHARTS_STEPS_H

#include "plots/charts/chart.h"

enum { CHARTS_STEPS_MAX_RUNS = 24 }; /* in one chart */

/* Fill d->series with a line a run whose log has records; points have the
 * step's position (or seconds, or the place of the run) in place of GPUs.  As
 * CHART_SPEEDUP they have the running median (steps; NAN near the ends), or the
 * first of a run its median between the 5th and 95th percentile (spread), which
 * stands in d->rows, too.
 *
 * names  [set->n] of the series
 *
 * Returns 0. */
int steps_fill(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e);
int spread_fill(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e);
int loss_fill(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e);
int loss_time_fill(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e);
int accuracy_fill(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e);

/* Make d->x for them: steps or seconds. */
void steps_x(struct chart_data *d, int room);

#endif
