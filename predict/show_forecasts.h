/* Output of forecasts: tables, one flat table (CSV), or JSON.
 */
#ifndef PREDICT_SHOW_FORECASTS_H
#define PREDICT_SHOW_FORECASTS_H

#include <stdio.h>

#include "common/table/table.h"
#include "predict/answers.h"
#include "predict/forecast/forecast.h"

/* Forecasts and the questions about them. */
struct show {
	struct series_set *set;
	const struct forecast_set *forecasts;
	const struct forecast_request *request;
	const struct answers_request *ask;
};

/* Write all tables to f, each series with its headline as title. */
void show_tables(const struct show *show, const struct table_format *format,
    enum table_colour colour, FILE *f);

/* Write the forecasts as JSON. Errors of f are left to outfile_commit. */
void show_json(const struct show *show, FILE *f);

/* --- the chart of --chart (chart_svg.c) ----------------------------------- */

/* Number of colours. */
enum { CHART_SVG_MAX_SERIES = 7 };

/* Check that the forecasts can be drawn: speed over GPUs on logarithmic axes,
 * measured cases as points, predicted ones as a line with their 80 % band, each
 * series in a colour with a dashed ideal line.
 *
 * Returns 0; -1 with ERROR_EMPTY where nothing is predicted, ERROR_LIMIT for
 * more series than colours. */
int chart_svg_check(const struct forecast_set *f, struct error *e);

/* Write an SVG file. Equal forecasts give equal bytes. Errors of out are left
 * to outfile_commit. */
void chart_svg_write(
    struct series_set *set, const struct forecast_set *f, FILE *out);

#endif
