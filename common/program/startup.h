/* What every program does before anything else. */
#ifndef COMMON_PROGRAM_STARTUP_H
#define COMMON_PROGRAM_STARTUP_H

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

#endif
