/* Why a line did not match: how far its patterns got.  Slow and only for
 * messages.  Internal to extract/.
 */
#ifndef EXTRACT_NEAREST_H
#define EXTRACT_NEAREST_H

#include <stddef.h>

#include "extract/format.h"

struct nearest {
	const struct pattern *pattern; /* NULL: none got anywhere */
	size_t start;                  /* where the attempt began */
	size_t end;                    /* up to where it matched */
	const char *rest;              /* what of the pattern came next; in
	                                  pattern->text */
};

enum { NEAREST_MIN = 4 }; /* fewer matching bytes are chance */

struct nearest_finder;

/* For patterns of f with a role out of roles (WORD_IN).  Free it. */
struct nearest_finder *nearest_new(const struct format *f, unsigned roles);
void nearest_free(struct nearest_finder *nf);

/* The pattern that matched the longest piece of the line before it failed.
 * Returns 1; 0 if none matched NEAREST_MIN bytes. */
int nearest_find(struct nearest_finder *nf, const char *line, size_t len,
    struct nearest *out);

#endif
