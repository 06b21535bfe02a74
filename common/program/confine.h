/* Giving up rights that reading does not need: Landlock (Linux 5.13 and later)
 * for files, a seccomp filter for system calls.  A program calls both before it
 * reads its first input, so that no input, whatever its bytes make the reader
 * do, changes a file other than the outputs or starts a program.
 *
 *	const char *const outputs[] = { "result/a.json", NULL };
 *	if (confine_calls(e) != 0 || confine_writing(outputs, 2, 0, e) != 0)
 *		return -1;
 *
 * Both return 0 where the kernel lacks the feature or DLSCALE_CONFINE=off is in
 * the environment; -1 with ERROR_SYSTEM where the kernel has it and a step
 * fails. */
#ifndef COMMON_PROGRAM_CONFINE_H
#define COMMON_PROGRAM_CONFINE_H

#include <stddef.h>

#include "common/error.h"

/* Restrict this process, and the threads it starts, to writing below the
 * folders of its outputs and to starting no program.  For good.
 *
 * outputs    [n] paths as for outfile_open; NULL and "-" are skipped.  A folder
 *            that does not exist yet stands for the nearest one above it
 * temporary  1: also allow the folder of temporary files */
int confine_writing(
    const char *const *outputs, size_t n, int temporary, struct error *e);

/* Make starting a program or process, opening a connection, tracing a process
 * and making links fail with EPERM in this process and the threads it starts.
 * For good.  Does nothing in a build with a sanitizer, which needs some of
 * these calls. */
int confine_calls(struct error *e);

#endif
