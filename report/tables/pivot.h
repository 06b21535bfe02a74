/* Pivot tables: rows, columns and numbers by any keys. */
#ifndef REPORT_TABLES_PIVOT_H
#define REPORT_TABLES_PIVOT_H

#include "common/error.h"
#include "common/series/series.h"
#include "report/parts/report_tables.h"

/* Keys of a topology, besides those of a series set. */
enum pivot_topology {
	PIVOT_NODES,
	PIVOT_GPUS,
	PIVOT_GPUS_PER_NODE,
	PIVOT_CASE,
	N_PIVOT_TOPOLOGY
};

enum { PIVOT_MAX_KEYS = 16, PIVOT_MAX_VALUES = 8 };

/* A key is an index of the set's keys, or n_keys + enum pivot_topology. */
struct pivot {
	size_t rows[PIVOT_MAX_KEYS], columns[PIVOT_MAX_KEYS];
	size_t n_rows, n_columns;
	int values[PIVOT_MAX_VALUES]; /* index in the list of numbers */
	size_t n_values;
};

/* Read "framework,batch" and "median,speedup".
 *
 * rows, columns  NULL or "": nodes and gpus; framework
 * values         NULL: median
 *
 * Returns 0; -1 with ERROR_USAGE for a key or a number that is not there, is
 * named twice or on both sides. */
int pivot_init(struct pivot *p, const struct series_set *set, const char *rows,
    const char *columns, const char *values, struct error *e);

/* Add a table per combination of the keys that are neither rows nor columns; if
 * flat, one table with these keys as first columns. Returns 0; -1 with
 * ERROR_INPUT if two cases share a cell. */
int pivot_make(const struct pivot *p, struct series_set *set,
    const struct report_how *how, struct report_tables *list, struct error *e);

/* Sort the cases within each series by "median", "speedup", "efficiency", "n",
 * "nodes" or "gpus", descending with a '-' in front; unknown values last.
 * Returns 0; -1 with ERROR_USAGE for another key. */
int pivot_sort(struct series_set *set, const char *by, struct error *e);

#endif
