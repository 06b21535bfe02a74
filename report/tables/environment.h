/* The table of the environment of measurements: hardware, software, date.
 * Sources are this machine, files of lines "key: value" such as run_sweep's
 * machine.txt, and results with what their logs stated.
 *
 *	struct table t;
 *	table_init(&t);
 *	if (environment_make(paths, n, &how, &t, &e) != 0) ...
 *	table_write(&t, how.format, how.colour, stdout);
 *	table_release(&t);
 */
#ifndef REPORT_TABLES_ENVIRONMENT_H
#define REPORT_TABLES_ENVIRONMENT_H

#include <stddef.h>

#include "common/error.h"
#include "common/series/series.h"
#include "common/table/table.h"
#include "report/parts/report_tables.h"

/* Fill an empty table: one row per item, one column per source.
 *
 * paths  [n] results and files of lines; n = 0: this machine is described
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

/* Path of the machine.txt next to a file, or NULL. Free with free(). */
char *environment_machine_next_to(const char *path);

#endif
