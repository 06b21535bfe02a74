/* Which format is a log in?  All formats are tried on a piece of it.
 * Internal to extract/.
 *
 * Which is the best, candidate.h states.
 */
#ifndef EXTRACT_SCAN_DETECT_DETECT_H
#define EXTRACT_SCAN_DETECT_DETECT_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format/format.h"
#include "extract/format/matcher.h"
#include "extract/scan/detect/candidate.h"
#include "extract/scan/detect/unread_lines.h"

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

/* Has another program printed steps of its own into a log?
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

/* May the piece of the file at this offset be looked at, after the work that
 * was done? */
int detector_may_look(struct detector *d, int64_t at);

/* Was not all looked at, because of one of these limits? */
int detector_was_cut(const struct detector *d);

/* Is what was found worth a look further on: nothing, nothing but a
 * generic format, or so little that it may be a program's source, or another's
 * lines? */
int detection_is_vague(const struct detection *x);

/* Does a piece show more than another of the same log? */
int detection_is_better(const struct detection *a, const struct detection *b);

#endif
