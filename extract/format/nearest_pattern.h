/* Why a line did not match: how far its patterns got.  Slow and only for
 * messages.  Internal to extract/.
 */
#ifndef EXTRACT_FORMAT_NEAREST_PATTERN_H
#define EXTRACT_FORMAT_NEAREST_PATTERN_H

#include <stddef.h>

#include "extract/format/format.h"

struct nearest_pattern {
	const struct pattern *pattern; /* NULL: none got anywhere */
	size_t start;                  /* where the attempt began */
	size_t end;                    /* up to where it matched */
	const char *rest;              /* what of the pattern came next; in
	                                  pattern->text */
};

enum { NEAREST_PATTERN_MIN = 4 }; /* fewer matching bytes are chance */

struct nearest_pattern_finder;

/* For patterns of f with a role out of roles (FIELD_NAME_IN).  Free it. */
struct nearest_pattern_finder *nearest_pattern_new(
    const struct format *f, unsigned roles);
void nearest_pattern_free(struct nearest_pattern_finder *nf);

/* The pattern that matched the longest piece of the line before it failed.
 * Returns 1; 0 if none matched NEAREST_PATTERN_MIN bytes. */
int nearest_pattern_find(struct nearest_pattern_finder *nf, const char *line,
    size_t len, struct nearest_pattern *out);

#endif
