/* Finds the format of a log: all formats are tried on a piece of it.  Internal
 * to extract/.
 *
 * The best is the one with the most steps (step matches), then with the most
 * summaries; of equals the one with more signatures, then the higher priority,
 * then the first by name.  A generic format steps back for any other that
 * finds something.  But where that is fewer than DETECT_FEW single steps and
 * the generic one has the time of the whole run, it is a run that was timed
 * from outside; and where the other is a benchmark of collectives next to
 * steps and a figure of the generic one, it was run before the training.
 * Results are looked for only where no format finds steps or summaries: a log
 * may print losses and no times.
 */
#ifndef EXTRACT_SCAN_DETECT_DETECT_H
#define EXTRACT_SCAN_DETECT_DETECT_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format/format.h"
#include "extract/format/matcher.h"
#include "extract/scan/detect/unread_lines.h"

/* What one format found. */
struct candidate {
	const struct format *format; /* NULL: nothing */
	int64_t n_steps, n_summaries, n_results, n_signatures;
};

struct detection {
	struct candidate best, runner_up;
	size_t n_lines; /* that were looked at */
	int alone;      /* 1: no format but the best, and generic ones, has
	                   steps there */
};

/* Steps of another program in a log. */
struct other_steps {
	const struct format *format; /* NULL: none */
	int64_t steps;
	int64_t first_line; /* of the file, from 1 */
};

enum {
	DETECT_FEW = 5, /* steps of which fewer are no run */
	/* Of a piece of so many lines one in so many must show something. */
	DETECT_MANY_LINES = 1000,
	DETECT_SPARSE = 200,
	/* Bytes of the lines of a file, times the formats that are asked about
	 * them, and so many more for each byte before a piece: then no piece
	 * but the end is looked at until there are enough. */
	DETECT_WORK = 12 << 20,
	DETECT_WORK_EACH = 12,
	/* Bytes that patterns may go over in lines from FORMAT_METERED on: of
	 * a file, and of the lines that its format does not know. */
	DETECT_MATCH_WORK = 4 << 20
};

struct detector;

/* A detector over set; the matcher is borrowed. */
struct detector *detector_new(const struct format_set *set, struct matcher *m);
void detector_free(struct detector *d);

/* Look at a piece of a log.
 *
 * data  [len] the piece; lines cut at its ends do no harm
 *
 * Fills out; best.format is NULL if nothing was found. */
void detector_run(
    struct detector *d, const char *data, size_t len, struct detection *out);

/* Find the steps that another program printed into a log.
 *
 * chosen  the log's format
 * lines   [n] that it did not match, in the order of the file
 *
 * Fills out with the format that has most steps on those lines, of which
 * chosen knows nothing at all; fewer than DETECT_FEW are none, and generic
 * formats are not asked, which read progress of any kind. */
void detector_find_other(struct detector *d, const struct format *chosen,
    const struct unread_line *lines, size_t n, struct other_steps *out);

/* A new file begins: none of the work of DETECT_WORK and DETECT_MATCH_WORK is
 * done. */
void detector_new_file(struct detector *d);

/* True if the piece of the file at this offset may be looked at, after the work
 * that was done. */
int detector_may_look(struct detector *d, int64_t at);

/* True if not all was looked at, because of one of these limits. */
int detector_was_cut(const struct detector *d);

/* True if a look further on may find more: nothing was found, nothing but a
 * generic format, or so little that it may be a program's source, or another's
 * lines. */
int detection_is_vague(const struct detection *x);

/* True if a piece shows more than another of the same log. */
int detection_is_better(const struct detection *a, const struct detection *b);

#endif
