/* Charts of cases that are not over the number of GPUs: medians side by side,
 * a sweep of batch sizes, and where the time of a step goes.  Rows of charts[]
 * name them.
 */
#ifndef PLOTS_CHARTS_CHARTS_CASE_H
#define PLOTS_CHARTS_CHARTS_CASE_H

#include "plots/charts/chart.h"

/* Fill d->series; points have the place on the x axis, from 1, in place of
 * GPUs (bars, phases) or the batch size of a device (batch).  Nothing is filled
 * where the set has nothing of the kind: fewer than two batch sizes, no phases.
 *
 * names  [set->n] of the series
 *
 * Returns 0. */
int bars_fill(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e);
int batch_fill(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e);
int phases_fill(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e);

/* Has the case a median, one of a known batch size, or phases, to be drawn? */
int bars_draws(const struct result_case *c);
int batch_draws(const struct result_case *c);
int phases_draws(const struct result_case *c);

/* Make d->x for bars and phases; that of batch is as that over GPUs. */
void bars_x(struct chart_data *d, int room);
void phases_x(struct chart_data *d, int room);

#endif
