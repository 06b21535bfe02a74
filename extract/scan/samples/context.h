/* Records that span several lines: a header line states the epoch and the
 * iteration of the values on the following lines. A header applies until the
 * next one of the same rank. Internal to extract/.
 */
#ifndef EXTRACT_SCAN_SAMPLES_CONTEXT_H
#define EXTRACT_SCAN_SAMPLES_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "common/hash_index.h"
#include "extract/log/log.h"
#include "extract/format/matcher.h"

/* The last header of a rank; SAMPLE_NONE for values not stated. */
struct context {
	int32_t rank; /* or SAMPLE_NONE */
	int32_t epoch, iter, iters;
	double stamp; /* as in struct sample, or NAN */
};

/* Contexts of all ranks of a log. Initialise with zeros. */
struct contexts {
	struct context *items;
	size_t n, alloc;
	size_t last; /* index of the last lookup */
	struct hash_index by_rank;
};

/* Update a rank's context from a match of a context pattern. Fields that the
 * pattern does not capture keep their values. */
void contexts_update(
    struct contexts *all, const struct match *match, int32_t rank);

/* Fill in fields of a sample that its own line does not print. */
void contexts_fill(struct contexts *all, struct sample *s);

/* Free the list. */
void contexts_release(struct contexts *all);

#endif
