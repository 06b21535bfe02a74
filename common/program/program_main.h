/* The frame of main() that programs share which read files and print: start,
 * options, the work, what the options collected, a full disk under stdout.
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

#endif
