/* Common parts of all programs: start, main(), terminal.
 *
 *	int
 *	main(int argc, char **argv)
 *	{
 *		return program_main(&program, argc, argv, make_tables);
 *	}
 */
#ifndef COMMON_PROGRAM_PROGRAM_MAIN_H
#define COMMON_PROGRAM_PROGRAM_MAIN_H

#include <stddef.h>

#include "common/error.h"
#include "common/program/options.h"

/* Normalise the environment of the process:
 *
 * - A write beyond the file size limit (ulimit -f) fails with EFBIG instead of
 *   SIGXFSZ, so that it is reported like a full disk.
 * - Closed standard streams are opened such that using them fails. Otherwise
 *   the next opened file would become standard output, and a table would be
 *   written into a result.
 * - stdout and stderr are protected (common/terminal.h).
 * - A stack that is too small ends the program with a message.
 *
 * Call it first in main(). */
void startup(void);

/* Callback that does the work after the options are parsed.
 *
 * operands  [n] operands of the command line
 *
 * Returns the exit status (EXIT_STATUS_OK or EXIT_STATUS_GATE); -1 with e
 * filled. */
typedef int (*program_work)(char **operands, size_t n, struct error *e);

/* Parse the command line, call work and report errors. Handles --help and
 * --version without calling it.
 *
 * Returns the exit status. */
int program_main(
    const struct program *p, int argc, char **argv, program_work work);

enum {
	TERMINAL_COLUMNS = 80, /* default */
	TERMINAL_LINES = 24,
	TERMINAL_MIN_COLUMNS = 40,
	TERMINAL_MAX_COLUMNS = 400,
	TERMINAL_MAX_LINES = 60
};

/* Columns and lines of a chart: $COLUMNS, else the terminal's size, else the
 * defaults, within the limits. The lines grow with the columns to keep the
 * aspect ratio. */
void terminal_size(int *columns, int *lines);

/* True if stdout is a terminal with colours and NO_COLOR is not set. */
int terminal_colour(void);

#endif
