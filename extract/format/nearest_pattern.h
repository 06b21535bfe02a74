/* Explains why a line did not match: the longest partial match of a pattern.
 * Slow; only for messages.  Internal to extract/.
 */
#ifndef EXTRACT_FORMAT_NEAREST_PATTERN_H
#define EXTRACT_FORMAT_NEAREST_PATTERN_H

#include <stddef.h>

#include "extract/format/format.h"

struct nearest_pattern {
	const struct pattern *pattern; /* NULL: no partial match */
	size_t start;                  /* start of the attempt */
	size_t end;                    /* end of the matched part */
	const char *rest;              /* rest of the pattern after the matched
	                                  part, in pattern->text */
};

enum { NEAREST_PATTERN_MIN = 4 }; /* fewer matching bytes are chance */

struct nearest_pattern_finder;

/* Create and free a finder for patterns of f with these roles
 * (FIELD_NAME_IN). */
struct nearest_pattern_finder *nearest_pattern_new(
    const struct format *f, unsigned roles);
void nearest_pattern_free(struct nearest_pattern_finder *nf);

/* Find the pattern that matches the longest part of the line before it fails.
 * Returns 1; 0 if none matches NEAREST_PATTERN_MIN bytes. */
int nearest_pattern_find(struct nearest_pattern_finder *nf, const char *line,
    size_t len, struct nearest_pattern *out);

#endif
