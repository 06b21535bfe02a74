/* A picture of forecasts: speed over GPUs, both axes logarithmic.  Measured
 * cases are points, predicted ones a line with its 80 % band; refused ones are
 * not there.  One colour a series, a dashed line where speed would be ideal.
 */
#ifndef PREDICT_CHART_SVG_H
#define PREDICT_CHART_SVG_H

#include <stdio.h>

#include "common/error.h"
#include "predict/forecast/forecast.h"

/* How many series have a colour of their own. */
enum { CHART_SVG_MAX_SERIES = 7 };

/* May these be drawn?
 *
 * Returns 0; -1 with ERROR_EMPTY where nothing is predicted, ERROR_LIMIT for
 * more series than colours. */
int chart_svg_check(const struct forecast_set *f, struct error *e);

/* Write a whole SVG file; the same bytes for the same forecasts.  Errors of
 * out are left to outfile_commit. */
void chart_svg_write(
    struct series_set *set, const struct forecast_set *f, FILE *out);

#endif
