/* What report_results is asked for: tables, a comparison, a page, a check, the
 * environment, or something of a history; and which options mean something of
 * it. */
#ifndef REPORT_MODES_H
#define REPORT_MODES_H

#include "common/error.h"
#include "common/program/options.h"

enum report_mode {
	MODE_TABLES,
	MODE_COMPARE,
	MODE_PAGE,
	MODE_CHECK,
	MODE_ENVIRONMENT,
	MODE_ADD, /* from here on of --history=FILE, in the order of modes.c */
	MODE_REMOVE,
	MODE_SHOW,
	MODE_PLOT,
	MODE_WHEN,
	N_REPORT_MODES
};

/* The mode of that verb of --history=FILE; N_REPORT_MODES if it is none. */
enum report_mode report_mode_of_history(const char *verb);

/* Is there an option on the command line that means nothing in this mode?
 *
 * opts  all of the program's; each has a row in modes.c
 *
 * Returns 0; -1 with ERROR_USAGE, which names the option and what it is of. */
int report_mode_check(
    enum report_mode mode, const struct opt *opts, struct error *e);

#endif
