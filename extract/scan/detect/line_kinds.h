/* The lines of a piece of a log by kind: lines of one kind differ in free
 * digits only (digit_mask.h).  Internal to extract/scan.
 *
 *	struct line_kinds all = { 0 };
 *	line_kinds_split(&all, data, len);
 *	for (size_t i = 0; i < all.n_kinds; i++)
 *		... all.lines[all.kinds[i].first].text ...
 *	line_kinds_release(&all);
 */
#ifndef EXTRACT_SCAN_DETECT_LINE_KINDS_H
#define EXTRACT_SCAN_DETECT_LINE_KINDS_H

#include <stddef.h>
#include <stdint.h>

#include "common/hash_index.h"
#include "extract/scan/detect/unread_lines.h"

struct piece_line {
	const char *text; /* [len] */
	size_t len;
	size_t kind;   /* index in the kinds */
	int64_t times; /* such lines, of the first one; 0: of the others */
	int given_up;  /* detection's: 1: some pattern gave up on it, and no
	                  other is asked */
};

struct line_kind {
	size_t first;              /* line */
	int has_digits;            /* 1: some are free; 0: its lines are all the
	                              same */
	const char *masked;        /* the first line, its free digits as '0' */
	const unsigned char *most; /* see digit_mask_places */
};

struct line_kinds {
	struct piece_line *lines; /* [n_lines] */
	size_t n_lines, alloc_lines;
	struct line_kind *kinds; /* [n_kinds] */
	size_t n_kinds, alloc_kinds;
	char *clean;                     /* [n_clean] lines that needed it */
	char *masked;                    /* [n_masked] of all kinds */
	unsigned char *most;             /* the same */
	size_t n_clean, n_masked, alloc; /* of clean, masked and most */
	struct hash_index by_masked;     /* the kinds, by their masked copies */
};

/* Free it; it is empty then, as one whose bytes are all 0. */
void line_kinds_release(struct line_kinds *all);

/* Cut a piece of a log into lines, cleaned where need be, and find their kinds,
 * in place of what was there.
 *
 * data  [len] borrowed until the next */
void line_kinds_split(struct line_kinds *all, const char *data, size_t len);

/* The same of n lines of which each is a kind of its own; borrowed. */
void line_kinds_load(
    struct line_kinds *all, const struct unread_line *lines, size_t n);

#endif
