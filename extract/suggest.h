/* extract_logs --suggest: a format for a log that none knows.
 *
 * Lines of one shape (the same text but for the numbers in it) are gathered;
 * what each number does from line to line shows what it is.  The proposal holds
 * its evidence as comments, and lines of the log as samples.
 */
#ifndef EXTRACT_SUGGEST_H
#define EXTRACT_SUGGEST_H

#include <stdio.h>

#include "common/error.h"

/* Write a proposal for the log to out.
 *
 * Returns 0; -1 with ERROR_EMPTY if no shape has something that counts and
 * something that behaves like a time or a rate, or if it cannot be read. */
int suggest_format(const char *path, FILE *out, struct error *e);

#endif
