/* Output of forecasts: tables, one flat table (CSV), or JSON.
 */
#ifndef PREDICT_SHOW_FORECASTS_H
#define PREDICT_SHOW_FORECASTS_H

#include <stdio.h>

#include "common/table/table.h"
#include "predict/answers.h"
#include "predict/forecast/forecast.h"

#define PREDICTION_SCHEMA "dlscale-prediction/1"

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

/* Make the table of series i with its headline as title and the answers as
 * notes. Release it with table_release. */
void show_words(const struct show *show, size_t i, struct table *t);

/* Write the forecasts as JSON. Errors of f are left to outfile_commit. */
void show_json(const struct show *show, FILE *f);

/* Round x to 12 significant digits, which do not depend on compiler and C
 * library. For predicted values; measured ones are written in full. */
double show_rounded(double x);

/* Words by enum forecast_how: "doubling", "transfer", "from the link",
 * "measured". */
extern const char *const forecast_how_words[];

#endif
