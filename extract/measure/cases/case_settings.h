/* Splits sets of runs by settings of any name that their logs state
 * (extract/log/stated_settings.h).
 *
 *	while ((key = case_settings_split(rows, n, &arena)) != NULL)
 *		... each row's value is a label; its set is split ...
 *	text = case_settings_differences(rows of one case, n, &arena);
 */
#ifndef EXTRACT_MEASURE_CASES_CASE_SETTINGS_H
#define EXTRACT_MEASURE_CASES_CASE_SETTINGS_H

#include <stddef.h>

#include "common/arena.h"

/* A run of a group of comparable cases. */
struct settings_row {
	const char *text;  /* from stated_settings_text; NULL: unknown */
	size_t set;        /* runs of a set would share a case */
	const char *value; /* out: value stated by the run, or NULL */
};

/* Find a setting that differs within a set, and fill in its values.  If several
 * divide the runs in the same way, the one with the shortest name is chosen.  A
 * setting that would leave almost every run alone is a sweep and is not used.
 *
 * rows  [n] of one group
 *
 * Returns the shortest unique name as the label; NULL: no such setting. */
const char *case_settings_split(
    struct settings_row *rows, size_t n, struct arena *a);

/* Differences that remain within a case: "lr (5 values), wd (2 values)"; NULL:
 * none. */
const char *case_settings_differences(
    struct settings_row *rows, size_t n, struct arena *a);

#endif
