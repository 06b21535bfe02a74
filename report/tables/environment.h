/* The table of what numbers were measured on: hardware, software, when.  From
 * this machine, from files of lines "key: value" such as run_sweep's
 * machine.txt, and from results, which keep what their logs stated.
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

/* Fill an empty table: a row an item, a column a source.
 *
 * paths  [n] results and files of lines; n = 0: this machine is described
 * how    lang and flat are looked at
 *
 * Returns 0; -1 with ERROR_SYSTEM or ERROR_INPUT for a file that cannot be read
 * or holds neither. */
int environment_make(char *const *paths, size_t n, const struct report_how *how,
    struct table *t, struct error *e);

/* The same of the sources of a set, which were read before, and of their
 * machines: how->machine, or the machine.txt next to each.  Of more than three
 * sources a row each.
 *
 * Returns 0; -1 as environment_make, for how->machine. */
int environment_of_set(const struct series_set *set,
    const struct report_how *how, struct table *t, struct error *e);

/* The machine.txt next to a file; NULL: there is none.  Free with free(). */
char *environment_machine_next_to(const char *path);

#endif
