/* Trends of a history as a table and as sentences. */
#ifndef REPORT_HISTORY_HISTORY_TEXT_H
#define REPORT_HISTORY_HISTORY_TEXT_H

#include <stdio.h>

#include "report/history/trend.h"
#include "report/parts/report_tables.h"

/* Write the table of --history=FILE show: one row per point; a change is at the
 * first point of the new level.
 *
 * points  of trend_as_series */
void history_table_write(struct trend_set *set, struct series_set *points,
    const struct report_how *how, FILE *f);

/* Write the answer of --history=FILE when: sentences, or JSON if json is not 0.
 *
 * path  of the history, for JSON */
void history_when_write(struct trend_set *set, const char *path,
    enum language lang, int json, FILE *f);

/* Decimals of a change and its interval in per cent: as many as the interval
 * supports, at most two, but more where needed to show that it excludes 0. */
int history_change_decimals(const struct trend_change *c);

#endif
