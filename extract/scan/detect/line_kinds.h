/* The lines of a piece of a log, and of which kinds they are: lines that differ
 * in free digits only (digit_mask.h) are of one kind, and one to most formats.
 * Internal to extract/scan.
 *
 *	struct line_kinds all = { 0 };
 *	line_kinds_split(&all, data, len);
 *	for (size_t i = 0; i < all.n_kinds; i++)
 *		... line_kinds_text(&all, &all.lines[all.kinds[i].first]) ...
 *	line_kinds_release(&all);
 */
#ifndef EXTRACT_SCAN_DETECT_LINE_KINDS_H
#define EXTRACT_SCAN_DETECT_LINE_KINDS_H

#include <stddef.h>
#include <stdint.h>

#include "common/hash_index.h"
#include "extract/format/patterns/required_literal.h"
#include "extract/scan/detect/unread_lines.h"

struct kind_entry;

struct piece_line {
	size_t at, len; /* in the data, or in clean */
	int cleaned;
	size_t masked; /* where its masked copy stands */
	size_t kind;   /* index in the kinds */
	size_t times;  /* that such a line is there: of the first one; 0: of
	                  the others */
	int given_up;  /* detection's: 1: some pattern gave up on it, and no
	                  other is asked */
};

/* Lines that differ in digits only.  All but the first is detection's. */
struct line_kind {
	size_t first;   /* line */
	int has_digits; /* 1: some are free; 0: its lines are all the same */
	struct required_literal_set set; /* detection's: what it is made of,
	                                    where a format is asked about it */
	int asked;                      /* 1: the current format may match it */
	int alike;                      /* 1: its lines are the same to it */
	const struct kind_entry *known; /* of logs before, or NULL */
	int given_up;                   /* 1: a pattern gave up on a line */
};

enum { LINE_KINDS_RECENT = 4 /* kinds that the next line is likely of */ };

struct line_kinds {
	struct piece_line *lines; /* [n_lines] */
	size_t n_lines, alloc_lines;
	struct line_kind *kinds; /* [n_kinds] */
	size_t n_kinds, alloc_kinds;
	const char *data;
	char *clean; /* [n_clean] lines that needed it */
	size_t n_clean, alloc_clean;
	/* The lines without their digits, one of each kind, and where the
	 * digits are. */
	char *masked;
	unsigned char *most;
	size_t n_masked, alloc_masked;
	size_t recent[LINE_KINDS_RECENT]; /* [n_recent] of the last lines */
	size_t n_recent;
	struct hash_index by_masked; /* the kinds, by their masked copies */
};

/* Free it; it is empty then, as one whose bytes are all 0. */
void line_kinds_release(struct line_kinds *all);

/* Cut a piece of a log into lines, cleaned where need be, and find their kinds,
 * in place of what was there.
 *
 * data  [len] borrowed until the next */
void line_kinds_split(struct line_kinds *all, const char *data, size_t len);

/* The same of lines that are cut already: [n], copied. */
void line_kinds_load(
    struct line_kinds *all, const struct unread_line *lines, size_t n);

/* A line's text, l->len bytes. */
static inline const char *
line_kinds_text(const struct line_kinds *all, const struct piece_line *l)
{
	return (l->cleaned ? all->clean : all->data) + l->at;
}

/* A kind's text with its free digits as '0': as long as its first line. */
static inline const char *
line_kinds_masked(const struct line_kinds *all, const struct line_kind *k)
{
	return all->masked + all->lines[k->first].masked;
}

#endif
