/* Chart of forecasts: speed over GPUs on logarithmic axes. Measured cases are
 * points, predicted ones a line with its 80 % band. Each series has a colour
 * and a dashed ideal line.
 */
#ifndef PREDICT_CHART_SVG_H
#define PREDICT_CHART_SVG_H

#include <stdio.h>

#include "common/error.h"
#include "predict/forecast/forecast.h"

/* Number of colours. */
enum { CHART_SVG_MAX_SERIES = 7 };

/* Check that the forecasts can be drawn.
 *
 * Returns 0; -1 with ERROR_EMPTY where nothing is predicted, ERROR_LIMIT for
 * more series than colours. */
int chart_svg_check(const struct forecast_set *f, struct error *e);

/* Write an SVG file. Equal forecasts give equal bytes. Errors of out are left
 * to outfile_commit. */
void chart_svg_write(
    struct series_set *set, const struct forecast_set *f, FILE *out);

#endif
