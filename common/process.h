/* A program run with files as its standard streams. */
#ifndef COMMON_PROCESS_H
#define COMMON_PROCESS_H

#include <stdio.h>

#include "common/error.h"

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
