/* Which format is a log in?  All formats are tried on a piece of it.  Internal
 * to extract/.
 *
 * The best is the one with the most steps (hot matches), then with the most
 * summaries; of equals the one with the higher priority, then the first by
 * name.  A generic format steps back for any other that finds something.  Only
 * where none of them finds that, result patterns are asked too: a log may print
 * losses and no times.
 */
#ifndef EXTRACT_DETECT_H
#define EXTRACT_DETECT_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format.h"
#include "extract/match.h"

/* What one format found. */
struct candidate {
	const struct format *format; /* NULL: nothing */
	int64_t n_hot, n_summaries, n_results;
};

struct detection {
	struct candidate best, runner_up;
	size_t n_lines; /* that were looked at */
};

enum { DETECT_HINT_MIN = 2 /* steps that make a hint good enough */ };

struct detector;

/* A detector over set; the matcher is borrowed. */
struct detector *detector_new(const struct format_set *set, struct matcher *m);
void detector_free(struct detector *d);

/* Look at a piece of a log.
 *
 * data  [len] the piece; lines cut at its ends do no harm
 * hint  tried first, or NULL; if it is not generic and finds
 *       DETECT_HINT_MIN steps, no other is tried
 *
 * Fills out; best.format is NULL if nothing was found. */
void detector_run(struct detector *d, const char *data, size_t len,
    const struct format *hint, struct detection *out);

#endif
