/* extract_logs --suggest: proposes a format for an unknown log.
 *
 * Lines of one shape (equal except for numbers) are grouped. The meaning of
 * each number follows from its name, its unit and its changes from line to
 * line. The proposal contains the evidence as comments, and lines of the log as
 * samples.
 */
#ifndef EXTRACT_SUGGEST_H
#define EXTRACT_SUGGEST_H

#include <stdio.h>

#include "common/error.h"

/* Write a proposed format for the log to out.
 *
 * Returns 0; -1 with ERROR_EMPTY if no shape has a counter and a time or rate,
 * or with another error if the log cannot be read. */
int suggest_format(const char *path, FILE *out, struct error *e);

#endif
