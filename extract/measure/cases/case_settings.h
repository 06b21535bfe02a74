/* What sets runs apart that their logs state in settings of any name
 * (extract/log/settings/stated_settings.h).
 *
 *	while ((key = case_settings_split(rows, n, &arena)) != NULL)
 *		... each row's value is a label; its set is split ...
 *	text = case_settings_differences(rows of one case, n, &arena);
 */
#ifndef EXTRACT_MEASURE_CASES_CASE_SETTINGS_H
#define EXTRACT_MEASURE_CASES_CASE_SETTINGS_H

#include <stddef.h>

#include "common/arena.h"

/* A run of a group whose cases are compared. */
struct settings_row {
	const char *text;  /* stated_settings_text's, or NULL: not known */
	size_t set;        /* runs of one set would share a case */
	const char *value; /* out: what the run states; NULL: nothing */
};

/* Find a setting on which runs of a set do not agree, and fill in its values.
 * Of several that make the same parts it is the one of the shortest name.  One
 * that would leave almost each run alone is none: a sweep.
 *
 * rows  [n] of one group
 *
 * Returns the name of the label, the shortest that is unique; NULL: there is
 * none. */
const char *case_settings_split(
    struct settings_row *rows, size_t n, struct arena *a);

/* In what runs of one case still differ: "lr (5 values), wd (2 values)"; NULL:
 * in nothing. */
const char *case_settings_differences(
    struct settings_row *rows, size_t n, struct arena *a);

#endif
