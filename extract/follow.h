/* extract_logs --follow: watch runs while they write their logs.
 */
#ifndef EXTRACT_FOLLOW_H
#define EXTRACT_FOLLOW_H

#include <stddef.h>

#include "common/error.h"
#include "extract/job/settings.h"

/* Look at the operands every settings->interval seconds until SIGINT, SIGTERM
 * or settings->timeout; show what is new on standard output (a table that is
 * drawn anew on a terminal, else a line for each change), and write the result
 * whenever a run enters it.  Files are looked at by name, size and time, so
 * that it works on network file systems.
 *
 * operands  [n] as of extract_logs
 * path      of the result
 *
 * Returns 0; -1 with ERROR_EMPTY if no run entered the result, or with what
 * else went wrong. */
int follow(const struct settings *s, const char *const *operands, size_t n,
    const char *path, struct error *e);

#endif
