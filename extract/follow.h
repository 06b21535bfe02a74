/* extract_logs --follow: watch runs while they write their logs.
 */
#ifndef EXTRACT_FOLLOW_H
#define EXTRACT_FOLLOW_H

#include <stddef.h>

#include "common/error.h"
#include "extract/job/settings.h"

/* Examine the operands every settings->interval seconds until SIGINT, SIGTERM
 * or settings->timeout. Print changes to standard output (a redrawn table on a
 * terminal, else a line per change), and write the result whenever its runs
 * change. Files are compared by name, size and time, which also works on
 * network file systems.
 *
 * operands  [n] operands of extract_logs
 * path      path of the result
 *
 * Returns 0; -1 with ERROR_EMPTY if no run entered the result, or with another
 * error. */
int follow(const struct settings *s, const char *const *operands, size_t n,
    const char *path, struct error *e);

#endif
