/* Records that span several lines: a header line contains the epoch and the
 * iteration, the following lines the values. A header holds until the next one
 * of the same rank. Internal to extract/.
 */
#ifndef EXTRACT_SCAN_SAMPLES_CONTEXT_H
#define EXTRACT_SCAN_SAMPLES_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "common/hash_index.h"
#include "extract/log/log.h"
#include "extract/format/matcher.h"

/* The last header of a rank; SAMPLE_NONE if not stated. */
struct context {
	int32_t rank; /* label, or SAMPLE_NONE */
	int32_t epoch, iter, iters;
	double stamp; /* as that of a sample, or NAN */
};

/* Of all ranks of a log.  All zero: none yet. */
struct contexts {
	struct context *items;
	size_t n, alloc;
	size_t last; /* looked up last */
	struct hash_index by_rank;
};

/* Note a match of a context pattern on a line of that rank. Fields that the
 * pattern does not capture keep their earlier values. */
void contexts_update(
    struct contexts *all, const struct match *match, int32_t rank);

/* Fill in fields of the sample that its own line does not print. */
void contexts_fill(struct contexts *all, struct sample *s);

/* Remove all contexts, for a new log. */
void contexts_clear(struct contexts *all);

/* Free the list. */
void contexts_release(struct contexts *all);

#endif
