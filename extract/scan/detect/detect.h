/* Finds the format of a log: all formats are tried on a piece of it.  Internal
 * to extract/.
 *
 * The best format has the most step matches, then the most summaries, then the
 * most signatures, then the highest priority, then the first name. A specific
 * format that finds anything is preferred to a generic one, with two
 * exceptions: fewer than DETECT_FEW single steps next to a generic time of the
 * whole run (a run timed from outside), and a benchmark of collectives next to
 * generic steps and a summary (a benchmark before the training). Results are
 * searched for only if no format finds steps or summaries: a log may print
 * losses without times.
 */
#ifndef EXTRACT_SCAN_DETECT_DETECT_H
#define EXTRACT_SCAN_DETECT_DETECT_H

#include <string.h>
#include <stddef.h>
#include <stdint.h>

#include "extract/format/format.h"
#include "extract/format/matcher.h"
#include "common/alloc.h"
#include "common/hash_index.h"

/* --- Types of lines --------------------------------------------------------*/

/* Lines of one type differ only in free digits, which are all digits except the
 * significant ones in names ("layer1", "_2", "@3"; see pattern.h). A
 * digit-insensitive pattern matches all lines of a type or none. */

/* Copy a line with its free digits set to '0'.
 *
 * out   [len]
 * most  [len] 9 for a free digit, else 0: largest XOR of a byte and its copy */
void digit_mask_places(
    const char *line, size_t len, char *out, unsigned char *most);

enum { DIGIT_MASK_MIN = 16 /* minimum line length for digit_mask_fits */ };

/* Bytes that are compared together. */
typedef unsigned char digit_mask_block __attribute__((vector_size(16)));

/* 0xff for each byte of the block at i that differs from the copy by at most
 * `most`. */
static inline digit_mask_block
digit_mask_match(
    const char *line, const char *copy, const unsigned char *most, size_t i)
{
	digit_mask_block x, t, m;

	memcpy(&x, line + i, sizeof x);
	memcpy(&t, copy + i, sizeof t);
	memcpy(&m, most + i, sizeof m);
	return (digit_mask_block)((x ^ t) <= m);
}

/* True if copy is the line's masked copy. The bytes '0' to '9' are those whose
 * XOR with '0' is at most 9.
 *
 * line, copy, most  [len] at least DIGIT_MASK_MIN */
static inline int
digit_mask_fits(
    const char *line, const char *copy, const unsigned char *most, size_t len)
{
	digit_mask_block same =
	    digit_mask_match(line, copy, most, len - sizeof same);
	uint64_t halves[2];

	for (size_t i = 0; i + sizeof same <= len; i += sizeof same)
		same &= digit_mask_match(line, copy, most, i);
	memcpy(halves, &same, sizeof halves);
	return (halves[0] & halves[1]) == UINT64_MAX;
}

struct line_type {
	const char *text; /* [len] the first such line */
	size_t len;
	int64_t first;  /* its number */
	int64_t times;  /* such lines */
	uint64_t hash;  /* of the masked text; types differ in it */
	int has_digits; /* 1: free digits; 0: all lines are equal */
};

/* Line types in the order of their first lines. Initialise with zeros. */
struct line_types {
	struct line_type *items; /* [n] */
	size_t n, alloc;
	struct hash_index by_hash;
	size_t last; /* type of the last line, whose masks follow */
	char *masked;
	unsigned char *most;
	size_t alloc_masks;
};

enum {
	UNREAD_MIN_LINE = 8,         /* bytes; shorter lines are skipped */
	UNREAD_MAX_LINE = 16 << 10,  /* longer lines are skipped */
	UNREAD_MAX_BYTES = 256 << 10 /* bytes of all texts */
};

/* The lines of a log that its format did not match: they may be steps printed
 * by another program. The first types are kept, up to UNREAD_MAX_BYTES.
 * Initialise with zeros. */
struct unread_lines {
	struct line_types types;
	struct arena texts;
	size_t bytes;
	int overflowed; /* 1: some line types were not kept */
};

/* Add an unmatched line.
 *
 * text    [len] without control characters; copied
 * number  line number, from 1 */
void unread_lines_add(
    struct unread_lines *u, const char *text, size_t len, int64_t number);

/* Free the lines and leave u empty. */
void unread_lines_release(struct unread_lines *u);

/* --- Formats ---------------------------------------------------------------*/

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
