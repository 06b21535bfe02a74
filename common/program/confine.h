/* Giving up rights that reading does not need, where the kernel can take them:
 * with Landlock, on Linux from 5.13 on, and with a filter of system calls.  A
 * reader of files from elsewhere calls it before the first of them, so that
 * none, whatever its bytes do to the reader, can change a file but the outputs
 * or start a program.
 *
 *	const char *const outputs[] = { "result/a.json", NULL };
 *	confine_calls();
 *	confine_writing(outputs, 2, 0);
 *
 * DLSCALE_CONFINE=off in the environment turns it off. */
#ifndef COMMON_PROGRAM_CONFINE_H
#define COMMON_PROGRAM_CONFINE_H

#include <stddef.h>

/* From now on let this process, and the threads that it starts, write only
 * below the folders of its outputs, and start no program.  For good.
 *
 * outputs    [n] paths as for outfile_open; NULL and "-" are none.  Where a
 *            folder is not there yet, the nearest one above it counts
 * temporary  1: also in the folder of temporary files
 *
 * Returns 1; 0 where the system has no such thing, or it is turned off. */
int confine_writing(const char *const *outputs, size_t n, int temporary);

/* From now on let this process, and the threads that it starts, start no
 * program, open no connection, trace no other process, make no links: by a
 * filter of system calls (seccomp), which fail with EPERM.  For good.  For
 * programs that need nothing of this, at their start.
 *
 * Returns 1; 0 where the system has no such thing, it is turned off, or the
 * program was built with a sanitizer, which needs some of it. */
int confine_calls(void);

#endif
