/* Formats that may be a log's, and which of them is the best.  Internal to
 * extract/.
 *
 * The best is the one with the most steps (step matches), then with the most
 * summaries; of equals the one with more signs, then the higher priority,
 * then the first by name.  A generic format steps back for any other that
 * finds something; but where that are single steps, fewer than DETECT_FEW,
 * and the generic one has the time of the whole run, it is a run that was
 * timed from outside; and where the other is a benchmark of collectives next
 * to steps and a figure of the generic one, it was run before the training.
 * Only where none of them finds that, result patterns are asked too: a log
 * may print losses and no times.
 */
#ifndef EXTRACT_SCAN_DETECT_CANDIDATE_H
#define EXTRACT_SCAN_DETECT_CANDIDATE_H

#include <stdint.h>

#include "extract/format/format.h"

enum { DETECT_FEW = 5 /* steps of which fewer are no run */ };

/* What one format found. */
struct candidate {
	const struct format *format; /* NULL: nothing */
	int64_t n_steps, n_summaries, n_results, n_signatures;
};

/* Is a better than b, of whom format may be NULL?  0 where a found nothing. */
int candidate_is_better(const struct candidate *a, const struct candidate *b);

/* Are these too few steps to make a run of?  Means stand for many. */
int candidate_is_slight(const struct candidate *c);

#endif
