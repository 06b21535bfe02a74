/* What stands below tables. */
#ifndef REPORT_NOTES_H
#define REPORT_NOTES_H

#include "report/panel.h"
#include "report/report.h"

/* How the panel was measured, where all its series agree in it; and which of
 * its published figures nobody knows the rule of, where they stand beside
 * measured ones. */
void notes_rule(struct table *t, const struct panel *p, enum language lang);

/* Where published figures are from: all sources of the set, each once. */
void notes_origins(
    struct table *t, const struct series_set *set, enum language lang);

/* The levels that the intervals of the panel reach. */
void notes_levels(struct table *t, const struct panel *p, enum language lang);

/* Runs that were excluded, from all sources of the set, each once. */
void notes_excluded(
    struct table *t, const struct series_set *set, enum language lang);

/* What is remarkable about a case: the baseline, few runs, the flags of its
 * runs, joined by "; ". */
const char *notes_flags(
    struct arena *a, const struct series_point *p, enum language lang);

#endif
