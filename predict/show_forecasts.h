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
	enum language lang; /* English in formats for programs */
};

/* Write all tables to f, each series with its headline as title. */
void show_tables(const struct show *show, const struct table_format *format,
    enum table_colour colour, FILE *f);

/* Fill an empty table: of one series, with notes; of all, for programs. */
void show_series(
    const struct show *show, const struct forecast *f, struct table *t);
void show_flat(const struct show *show, struct table *t);

/* Round a computed number to 12 significant digits, which do not depend on
 * compiler and C library. */
double forecast_rounded(double x);

/* Ends of interval i as speeds, the lower one first. */
void forecast_speed_ends(const struct forecast *f,
    const struct forecast_case *c, size_t i, double *low, double *high);

/* Write the forecasts as JSON (forecast_json.c). Errors of f are left to
 * outfile_commit. */
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
