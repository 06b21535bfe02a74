/* Sandbox: Landlock (Linux 5.13 and later) for files, a seccomp filter for
 * system calls. A program calls both before it reads its first input, so that a
 * malicious input can neither change files other than the outputs nor start
 * programs.
 *
 *	const char *const outputs[] = { "result/a.json", NULL };
 *	if (confine_calls(e) != 0 || confine_writing(outputs, 2, 0, e) != 0)
 *		return -1;
 *
 * Both return 0 if the kernel lacks the feature or DLSCALE_CONFINE=off is set;
 * -1 with ERROR_SYSTEM if a step fails. */
#ifndef COMMON_PROGRAM_CONFINE_H
#define COMMON_PROGRAM_CONFINE_H

#include <stddef.h>

#include "common/error.h"

/* Permanently restrict this process and its future threads to writing below the
 * folders of its outputs, and forbid starting programs.
 *
 * outputs    [n] paths as for outfile_open; NULL and "-" are skipped. For a
 *            missing folder the nearest existing parent is used
 * temporary  1: also allow the folder of temporary files */
int confine_writing(
    const char *const *outputs, size_t n, int temporary, struct error *e);

/* Permanently allow only the system calls that reading, computing and writing
 * need, in this process and its future threads. This forbids starting programs
 * or processes, connections, links, signals to other processes, typing into a
 * terminal, and changing modes, owners or times of files. Does nothing in
 * sanitizer builds, which need some of these calls. */
int confine_calls(struct error *e);

#endif
