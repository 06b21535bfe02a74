/* Other programs, run as processes, and the time they take. */
#ifndef COMMON_PROCESS_H
#define COMMON_PROCESS_H

#include <stdio.h>
#include <sys/types.h>

#include "common/error.h"

/* Seconds of the monotonic clock. Thread-safe. */
double seconds_now(void);

/* Start argv[0], looked up in $PATH, and return once it runs.
 *
 * prepare  called in the child before that, to set its streams and the like;
 *          returns 0, or -1 with errno, and then nothing is run
 * why      set to the errno of a failure (ENOENT: there is no such program)
 *
 * Returns its process, to be waited for; -1 with ERROR_SYSTEM. */
pid_t process_start(char *const *argv, int (*prepare)(void *ctx), void *ctx,
    int *why, struct error *e);

/* Run argv[0], looked up in $PATH, and wait for its end.
 *
 * in, out, err  its stdin, stdout and stderr, at the position they have; in is
 *               read from its start
 *
 * Returns its exit status (128 + n for signal n); -1 with ERROR_SYSTEM and
 * *absent set to whether there is no such program. */
int process_run(char *const *argv, FILE *in, FILE *out, FILE *err, int *absent,
    struct error *e);

#endif
