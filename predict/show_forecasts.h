/* Forecasts shown: tables for people, one table or JSON for machines.
 */
#ifndef PREDICT_SHOW_FORECASTS_H
#define PREDICT_SHOW_FORECASTS_H

#include <stdio.h>

#include "common/table/table.h"
#include "predict/answers.h"
#include "predict/forecast/forecast.h"

#define PREDICTION_SCHEMA "dlscale-prediction/1"

/* What is shown. */
struct show {
	struct series_set *set;
	const struct forecast_set *forecasts;
	const struct forecast_request *request;
	const struct answers_request *ask;
};

/* All tables to f, with the first line for a person above each series. */
void show_tables(const struct show *show, const struct table_format *format,
    enum table_colour colour, FILE *f);

/* The table of series i, whose title is the first line and whose notes state
 * the rest in words.  Release it with table_release. */
void show_words(const struct show *show, size_t i, struct table *t);

/* The JSON form; errors of f are left to outfile_commit. */
void show_json(const struct show *show, FILE *f);

/* x with 12 significant digits: all that another compiler or C library gives
 * the same.  What is predicted is shown so, what was measured is not. */
double show_rounded(double x);

/* "doubling", "transfer", "from the link", "measured"; by enum forecast_how. */
extern const char *const forecast_how_words[];

#endif
