/* The modes of report_results: tables, a comparison, a page, a check, the
 * environment, or a verb of a history. */
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

/* Values of struct opt's modes. */
#define IN(mode) (1u << (mode))
#define IN_TABLES (IN(MODE_TABLES) | IN(MODE_COMPARE))
#define IN_RESULTS (IN_TABLES | IN(MODE_PAGE))
#define IN_TRENDS (IN(MODE_SHOW) | IN(MODE_PLOT) | IN(MODE_WHEN))
#define IN_HISTORY (IN(MODE_ADD) | IN(MODE_REMOVE) | IN_TRENDS)
#define IN_CASES (IN_RESULTS | IN(MODE_CHECK) | IN_TRENDS)
#define IN_WRITTEN (IN_CASES | IN(MODE_ENVIRONMENT))

/* The mode of a verb of --history=FILE; N_REPORT_MODES for any other text. */
enum report_mode report_mode_of_history(const char *verb);

/* Reject an option of the command line that has no effect in this mode.
 *
 * opts  all of the program's
 *
 * Returns 0; -1 with ERROR_USAGE, which names the option and its modes. */
int report_mode_check(
    enum report_mode mode, const struct opt *opts, struct error *e);

#endif
