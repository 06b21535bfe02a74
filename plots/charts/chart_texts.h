/* The texts around a chart. */
#ifndef PLOTS_CHARTS_CHART_TEXTS_H
#define PLOTS_CHARTS_CHART_TEXTS_H

#include "plots/charts/chart.h"

/* Set d's title, note and titles of axes; where baselines differ, their names
 * are added to those of the series.
 *
 * names  [set->n] of the set's series */
void chart_texts_set(struct chart_data *d, struct series_set *set,
    const char *const *names, const struct chart_how *how);

#endif
