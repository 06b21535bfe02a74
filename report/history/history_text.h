/* What is printed of the trends of a history: a table, and sentences. */
#ifndef REPORT_HISTORY_HISTORY_TEXT_H
#define REPORT_HISTORY_HISTORY_TEXT_H

#include <stdio.h>

#include "report/history/trend.h"
#include "report/parts/report_tables.h"

/* Write the table of --history=FILE show: a row a point, changes where the new
 * level begins.
 *
 * points  of trend_as_series */
void history_table_write(struct trend_set *set, struct series_set *points,
    const struct report_how *how, FILE *f);

/* Write what --history=FILE when answers: sentences, or JSON where json is not
 * 0.
 *
 * path  of the history, for JSON */
void history_when_write(struct trend_set *set, const char *path,
    enum language lang, int json, FILE *f);

/* What a trend is of: its configuration, as far as it is not the same in all,
 * and the case.  Lives in the set's arena. */
const char *history_trend_name(
    struct trend_set *set, const struct trend *t, enum language lang);

/* Decimals of a change and its interval in per cent: those that the interval
 * supports, two at most, and more where it leaves 0 out. */
int history_change_decimals(const struct trend_change *c);

#endif
