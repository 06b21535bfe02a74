/* The chart of a comparison of two results: a ratio and its interval a case.
 * charts[] names it. */
#ifndef PLOTS_CHARTS_CHART_COMPARE_H
#define PLOTS_CHARTS_CHART_COMPARE_H

#include "plots/charts/chart.h"

/* Fill d->series with one line whose points have the ratio of new over old as
 * CHART_VALUE, in the order of the cases, and d->rows with them and their
 * geometric mean; nothing where the set is not of two
 * files with cases in common.
 *
 * names  unused
 *
 * Returns 0; -1 as comparison_init, and with ERROR_LIMIT for more cases than an
 * axis has labels. */
int compare_fill(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e);

#endif
