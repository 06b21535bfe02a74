/* Records that span several lines: a header line names the epoch and the
 * iteration, the lines after it hold the values.  What the header stated stays
 * until the next one of the same rank.  Internal to extract/.
 */
#ifndef EXTRACT_SCAN_SAMPLES_CONTEXT_H
#define EXTRACT_SCAN_SAMPLES_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "common/hash_index.h"
#include "extract/log/log.h"
#include "extract/format/matcher.h"

/* What the last header of a rank stated; SAMPLE_NONE where it did not. */
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

/* Take down a match of a context pattern on a line of that rank.  What the
 * pattern does not capture stays as an earlier header of the rank stated. */
void contexts_update(
    struct contexts *all, const struct match *match, int32_t rank);

/* Give the sample the place that its own line did not print. */
void contexts_fill(struct contexts *all, struct sample *s);

/* A new log: there are none. */
void contexts_clear(struct contexts *all);

/* Free the list. */
void contexts_release(struct contexts *all);

#endif
