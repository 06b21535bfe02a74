/* What programs share besides their work: the start, main(), the terminal.
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

/* Make a process that was started in an odd way behave like any other:
 *
 * - A write beyond the file size limit (ulimit -f) fails with EFBIG instead of
 *   ending the process by SIGXFSZ, so that it is reported as a full disk is.
 * - Standard streams that are closed are opened so that using them fails.
 *   Otherwise the next file that is opened would get the number of standard
 *   output, and a table would be written into a result.
 *
 * Call it first in main(). */
void startup(void);

/* The work itself, once the options are read.
 *
 * operands  [n] what the command line names besides options
 *
 * Returns the exit status (EXIT_STATUS_OK, or that of a gate which failed); -1
 * with e filled. */
typedef int (*program_work)(char **operands, size_t n, struct error *e);

/* Read the command line, do the work, and report an error of either.  --help
 * and --version are answered without work.
 *
 * Returns the exit status. */
int program_main(
    const struct program *p, int argc, char **argv, program_work work);

enum {
	TERMINAL_COLUMNS = 80, /* where none is given */
	TERMINAL_LINES = 24,
	TERMINAL_MIN_COLUMNS = 40,
	TERMINAL_MAX_COLUMNS = 400,
	TERMINAL_MAX_LINES = 60
};

/* Columns and lines to draw in: $COLUMNS, else the terminal's own size, else
 * the defaults; kept within the limits.  Lines grow with the columns so that
 * the chart keeps its shape. */
void terminal_size(int *columns, int *lines);

/* True if stdout is a terminal that shows colours and NO_COLOR is not set. */
int terminal_colour(void);

#endif
