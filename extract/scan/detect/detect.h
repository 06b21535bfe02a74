/* Finds the format of a log: all formats are tried on a piece of it.  Internal
 * to extract/.
 *
 * The best format has the most step matches, then the most summaries, then the
 * most signatures, then the highest priority, then the first name. A specific
 * format that finds anything is preferred to a generic one, with two
 * exceptions: fewer than DETECT_FEW single steps next to a generic time of the
 * whole run (a run timed from outside), and a benchmark of collectives next to
 * generic steps and a summary (a benchmark before the training). Results are
 * looked for only if no format finds steps or summaries: a log may print losses
 * without times.
 */
#ifndef EXTRACT_SCAN_DETECT_DETECT_H
#define EXTRACT_SCAN_DETECT_DETECT_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format/format.h"
#include "extract/format/matcher.h"
#include "extract/scan/detect/line_types.h"

/* Matches of one format. */
struct candidate {
	const struct format *format; /* NULL: nothing */
	int64_t n_steps, n_summaries, n_results, n_signatures;
};

struct detection {
	struct candidate best, runner_up;
	size_t n_lines; /* lines examined */
	int alone;      /* 1: only the best and generic formats have steps */
};

/* Steps of another program in a log. */
struct other_steps {
	const struct format *format; /* NULL: none */
	int64_t steps;
	int64_t first_line; /* line number, from 1 */
};

enum {
	DETECT_FEW = 5, /* minimum number of steps of a run */
	/* In a piece of at least DETECT_MANY_LINES lines, one of DETECT_SPARSE
	 * lines must match. */
	DETECT_MANY_LINES = 1000,
	DETECT_SPARSE = 200,
	/* A piece is skipped, unless it is the end, if the work so far (bytes
	 * of lines times formats tried) exceeds DETECT_WORK plus
	 * DETECT_WORK_EACH per byte before the piece. */
	DETECT_WORK = 12 << 20,
	DETECT_WORK_EACH = 12,
	/* Bytes that patterns may scan in lines from FORMAT_METERED on: in a
	 * file, and again in the lines that its format does not match. */
	DETECT_MATCH_WORK = 4 << 20
};

struct detector;

/* Create a detector; set and m are borrowed. */
struct detector *detector_new(const struct format_set *set, struct matcher *m);
void detector_free(struct detector *d);

/* Look at a piece of a log.
 *
 * data  [len] the piece; its ends may cut lines
 *
 * Fills out; best.format is NULL if nothing was found. */
void detector_run(
    struct detector *d, const char *data, size_t len, struct detection *out);

/* Find the steps that another program printed into a log.
 *
 * chosen  the log's format
 * types   unmatched lines
 *
 * Fills out with the format that has the most steps on lines that chosen does
 * not match, at least DETECT_FEW. Generic formats are not tried, because they
 * match any kind of progress. */
void detector_find_other(struct detector *d, const struct format *chosen,
    const struct line_types *types, struct other_steps *out);

/* Begin a new file: reset the work counted against DETECT_WORK and
 * DETECT_MATCH_WORK. */
void detector_new_file(struct detector *d);

/* True if the work so far allows examining the piece at this offset. */
int detector_may_look(struct detector *d, int64_t at);

/* True if pieces were skipped because of these limits. */
int detector_was_cut(const struct detector *d);

/* True if later pieces may show more: nothing was found, only a generic format,
 * or so little that it may be source code or output of another program. */
int detection_is_vague(const struct detection *x);

/* True if piece a is better evidence than piece b of the same log. */
int detection_is_better(const struct detection *a, const struct detection *b);

#endif
