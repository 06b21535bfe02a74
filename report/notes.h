/* What stands below tables. */
#ifndef REPORT_NOTES_H
#define REPORT_NOTES_H

#include "common/result/case_text.h"
#include "report/panel.h"
#include "report/report.h"

/* How the panel was measured, where all its series agree in it; and which of
 * its reference values have no known rule, where they stand next to
 * measured ones. */
void notes_rule(struct table *t, const struct panel *p, enum language lang);

/* Where reference values are from: all sources of the set, each once. */
void notes_origins(
    struct table *t, const struct series_set *set, enum language lang);

/* The levels that the intervals of the panel reach, with the runs that they
 * stand on; and how many runs the asked one takes where one falls short. */
void notes_levels(struct table *t, const struct panel *p, enum language lang);

/* Runs that were excluded, from all sources of the set, each once. */
void notes_excluded(
    struct table *t, const struct series_set *set, enum language lang);

/* The baselines of the panel's series, each once, and why one is not 1n1g. */
void notes_baseline(struct table *t, const struct panel *p, enum language lang);

/* The sentences that the marks in a table's cells stand for. */
void notes_flags(struct table *t, const struct case_flags *flags);

/* Has any run of the panel a flag? */
int notes_panel_is_flagged(const struct panel *p);

#endif
