/* Columns that state what a row is of, for tables that a machine reads. */
#ifndef REPORT_PARTS_KEYS_H
#define REPORT_PARTS_KEYS_H

#include <stdint.h>

#include "common/series/series.h"
#include "common/table/table.h"
#include "common/result/measured_columns.h"

/* The keys among mask that are known in some series of the set; what counts the
 * work of an iteration only where series differ in it. */
uint64_t keys_known(const struct series_set *set, uint64_t mask);

/* A column for each of the keys, in the order of struct series_set; heads are
 * the result's names, in no language. */
void keys_columns(struct table *t, const struct series_set *set, uint64_t keys);

/* Their cells; unknown values are empty. */
void keys_cells(struct table *t, const struct series_set *set,
    const struct series *s, uint64_t keys);

/* How a case was measured, for measured_columns_fill.  Borrows from both. */
struct measured_case keys_measured(
    const struct series *s, const struct series_point *p);

/* Fill the row's last cells, of measured_columns_add, where it is of one case.
 */
void keys_measured_cells(
    struct table *t, const struct series *s, const struct series_point *p);

#endif
