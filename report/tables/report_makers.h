/* The kinds of tables, one file each.
 *
 * A new kind is a file with a report_maker, its declaration here, and a row of
 * reports[] in report.c.
 */
#ifndef REPORT_TABLES_REPORT_MAKERS_H
#define REPORT_TABLES_REPORT_MAKERS_H

#include "common/error.h"
#include "common/series/result_comparison.h"
#include "common/series/series.h"
#include "report/parts/columns.h"

/* Add tables of a set to a list. */
typedef void report_maker(struct series_set *set, const struct report_how *how,
    struct report_tables *list);

report_maker comparison_make, collectives_make, law_make, phases_make;

/* A kind of table with one row per case. */
struct case_table {
	const struct column *columns;
	int of_series; /* 1: a table for each series; 0: for each panel */
	int labels;    /* 1: labels are columns; 0: they name groups of rows */
	/* Keys of a flat table: never with a column, with one only where they
	 * differ, with one even if they are unknown. */
	uint64_t without, if_differing, always;
	int (*includes)(const struct series_point *p); /* NULL: all */
};

extern const struct case_table scaling_table, speedup_table, times_table,
    dlperf_table;

/* Add a flat table of all series, or a table for each panel or series with a
 * case. */
void case_tables_make(struct series_set *set, const struct case_table *kind,
    const struct report_how *how, struct report_tables *list);

/* The table of extract_logs with the collectives of all cases; without columns
 * if there are none.
 *
 * t  empty */
void collectives_of_logs_make(
    const struct result *r, const struct report_how *how, struct table *t);

/* Columns of a case; they read how, arena, panel, s, p, c and flags. */
extern const struct column case_columns[];

/* Columns that distinguish the cases of a result: framework, model, precision,
 * batch, labels, rule and unit, where they differ. They read how, arena, result
 * and c. */
extern const struct column case_traits[], case_measures[];

/* Note which runs are sessions, and the rows whose old and new runs do not take
 * turns (struct comparison_row, order). */
void compare_note_order(struct table *t, struct series_set *set,
    const struct comparison *c, enum language lang);

/* Name of a row's series: its configuration without the file; "" if there is
 * only one. Lives in the set's arena. */
const char *compare_row_group(struct series_set *set,
    const struct comparison_row *row, enum language lang);

/* The case of a row, of the new result if that has it. */
const struct result_case *compare_row_case(const struct comparison_row *row);

/* Add the table of how->comparison. */
report_maker compare_make;

/* --- pivot tables --------------------------------------------------------- */

/* Add a table whose rows and columns are the values of how's keys
 * "framework,batch", with the numbers "median,speedup" in its cells; a table
 * per combination of the keys that are neither rows nor columns; if flat, one
 * table with these keys as first columns. Keys that are NULL or "" are nodes
 * and gpus, or framework; numbers that are NULL are the median.
 *
 * Returns 0; -1 with ERROR_USAGE for a key or a number that is not there, is
 * named twice or on both sides, ERROR_INPUT if two cases share a cell. */
int pivot_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list, struct error *e);

/* Sort the cases within each series by "median", "speedup", "efficiency", "n",
 * "nodes" or "gpus", descending with a '-' in front; unknown values last.
 * Returns 0; -1 with ERROR_USAGE for another key. */
int pivot_sort(struct series_set *set, const char *by, struct error *e);

/* --- the environment ------------------------------------------------------ */

/* The table of the environment of measurements: hardware, software, date.
 * Sources are this machine, files of lines "key: value" such as run_sweep's
 * machine.txt, and results with what their logs stated. */

/* Fill an empty table: one row per item, one column per source.
 *
 * paths  [n] results, extracted folders of logs, and files of lines; n = 0:
 *        this machine is described
 * how    only lang and flat are used
 *
 * Returns 0; -1 with ERROR_SYSTEM or ERROR_INPUT for a file that cannot be read
 * or holds neither. */
int environment_make(char *const *paths, size_t n, const struct report_how *how,
    struct table *t, struct error *e);

/* As environment_make, for the sources of a set and their machines:
 * how->machine, or the machine.txt next to each. More than three sources are
 * rows.
 *
 * Returns 0; -1 as environment_make, for how->machine. */
int environment_of_set(const struct series_set *set,
    const struct report_how *how, struct table *t, struct error *e);

/* Path of the machine.txt next to a file or in a folder, or NULL. Free with
 * free(). */
char *environment_machine_next_to(const char *path);

#endif
