/* Predictions in the charts over GPUs: each one's series is found by its
 * configuration, and continued by a band.  chart.c calls it. */
#ifndef PLOTS_CHARTS_CHART_BAND_H
#define PLOTS_CHARTS_CHART_BAND_H

#include "common/result/predictions.h"
#include "plots/charts/chart.h"

/* Make d->bands of the predictions for the series that are drawn.
 *
 * Returns 0; -1 with ERROR_INPUT if no prediction is of any of them. */
int chart_bands_make(struct chart_data *d, const struct series_set *set,
    const struct predictions *p, struct error *e);

/* Confidence levels of the bands' intervals, each once.  Returns how many.
 *
 * levels  [most] */
size_t chart_band_levels(
    const struct chart_data *d, double *levels, size_t most);

#endif
