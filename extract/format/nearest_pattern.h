/* Explains why a line did not match: the longest partial match of a pattern.
 * Slow, and for one thread only; for messages.  Internal to extract/.
 */
#ifndef EXTRACT_FORMAT_NEAREST_PATTERN_H
#define EXTRACT_FORMAT_NEAREST_PATTERN_H

#include <stddef.h>

#include "extract/format/format.h"

struct nearest_pattern {
	const struct format *format;
	const struct pattern *pattern; /* NULL: no partial match */
	size_t start;                  /* start of the attempt */
	size_t end;                    /* end of the matched part */
	const char *rest;              /* rest of the pattern after the matched
	                                  part, in pattern->text */
};

enum { NEAREST_PATTERN_MIN = 4 }; /* fewer matching bytes are chance */

/* Find the pattern of n formats with one of these roles (FIELD_NAME_IN) that
 * matches the longest part of the line before it fails.  Returns 1; 0 if none
 * matches NEAREST_PATTERN_MIN bytes. */
int nearest_pattern_find(const struct format *const *formats, size_t n,
    unsigned roles, const char *line, size_t len, struct nearest_pattern *out);

#endif
