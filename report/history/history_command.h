/* report_results --history=FILE: add and remove results, show and draw trends,
 * report changes. */
#ifndef REPORT_HISTORY_HISTORY_COMMAND_H
#define REPORT_HISTORY_HISTORY_COMMAND_H

#include "common/error.h"
#include "report/parts/report_tables.h"

struct history_ask {
	const char *path;                 /* of the history */
	const char *date, *host, *commit; /* as given, or NULL */
	const char *machine;              /* a machine.txt, or NULL */
	int force;                        /* overwrite an edited script */
	const struct opt_list *select;    /* as of struct series_how */
	double confidence;                /* 0 < confidence < 1 */
	const char *output;               /* a file, "-" or NULL */
	const char *format;               /* as given, or NULL */
	const struct report_how *how;     /* of tables */
};

/* Run a command: "add R.json...", "remove R.json...", "show", "plot" or "when".
 *
 * Returns 0; -1 with ERROR_USAGE for other operands or an option that the
 * command does not take, else as history_file_open, history_file_add,
 * trend_collect and draw_all. */
int history_command(const struct history_ask *ask, char *const *operands,
    size_t n, struct error *e);

#endif
