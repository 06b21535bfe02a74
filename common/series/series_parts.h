/* What the files series*.c share.  No other file includes it. */
#ifndef COMMON_SERIES_SERIES_PARTS_H
#define COMMON_SERIES_SERIES_PARTS_H

#include "common/error.h"
#include "common/series/series_set.h"

/* The values that state which series a case of a source is of.
 *
 * Returns 0, or -1 with ERROR_LIMIT for too many names of labels. */
int series_case_values(struct series_set *set, const struct result_file *s,
    const struct result_case *c, int by_source,
    const char *values[SERIES_MAX_KEYS], struct error *e);

/* True if a selection admits a series with these values.  Values of one key are
 * alternatives, all keys must match; keys of a shape are tested for each case.
 *
 * select  NULL or empty: it does */
int series_is_selected(const struct series_set *set,
    const struct opt_list *select, const char *const *values);

/* The same of a case's shape (nodes, gpus, gpus_per_node, case), where no label
 * has such a key. */
int series_case_is_selected(const struct series_set *set,
    const struct opt_list *select, const struct result_case *c);

/* Require "key=value" items.  Returns 0, or -1 with ERROR_USAGE. */
int series_selection_check(const struct opt_list *select, struct error *e);

/* Fill e with ERROR_EMPTY and what could have been selected by the keys of
 * select.  Returns -1. */
int series_nothing_selected(const struct series_set *all,
    const struct opt_list *select, struct error *e);

/* A new series with these values; pointers to others are stale after it. */
struct series *series_add(struct series_set *set, const char *const *values);

/* Add a copy of a point at the end. */
void series_add_point(struct series *s, const struct series_point *p);

/* Add a point for each run that failed in a case without any other run: where
 * it is clear of which series it is.  The points are not in order after it.
 *
 * Returns as series_case_values. */
int series_add_failed(struct series_set *set, const struct result_set *l,
    const struct series_how *how, struct error *e);

#endif
