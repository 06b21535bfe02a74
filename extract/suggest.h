/* extract_logs --suggest: proposes a format for an unknown log.
 *
 * Lines of one shape (the same text but for the numbers in it) are gathered;
 * the changes of each number from line to line show its meaning. The proposal
 * contains the evidence as comments, and lines of the log as samples.
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
