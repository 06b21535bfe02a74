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
#ifndef REPORT_ENVIRONMENT_H
#define REPORT_ENVIRONMENT_H

#include <stddef.h>

#include "common/error.h"
#include "common/table/table.h"
#include "report/report_tables.h"

/* Fill an empty table: a row an item, a column a source.
 *
 * paths  [n] results and files of lines; n = 0: this machine is described
 * how    lang and flat are looked at
 *
 * Returns 0; -1 with ERROR_SYSTEM or ERROR_INPUT for a file that cannot be read
 * or holds neither. */
int environment_make(char *const *paths, size_t n, const struct report_how *how,
    struct table *t, struct error *e);

#endif
