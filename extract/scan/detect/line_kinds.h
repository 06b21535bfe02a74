/* Groups the lines of a piece of a log by type: lines of one type differ only
 * in free digits (digit_mask.h). Internal to extract/scan.
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
	size_t kind;   /* index in kinds */
	int64_t times; /* first line of a type: number of its lines; others:
			  0 */
	int given_up;  /* 1: a pattern reached a limit, so no other is tried */
};

struct line_kind {
	size_t first;              /* line */
	int has_digits;            /* 1: free digits; 0: all lines are equal */
	const char *masked;        /* the first line with free digits as '0' */
	const unsigned char *most; /* see digit_mask_places */
};

struct line_kinds {
	struct piece_line *lines; /* [n_lines] */
	size_t n_lines, alloc_lines;
	struct line_kind *kinds; /* [n_kinds] */
	size_t n_kinds, alloc_kinds;
	char *clean;                     /* [n_clean] cleaned lines */
	char *masked;                    /* [n_masked] masked copies */
	unsigned char *most;             /* the same */
	size_t n_clean, n_masked, alloc; /* for clean, masked and most */
	struct hash_index by_masked;     /* kinds by masked copy */
};

/* Free the contents and set them to empty, like { 0 }. */
void line_kinds_release(struct line_kinds *all);

/* Split a piece of a log into lines, clean them if necessary, and find their
 * types. Replaces the previous contents.
 *
 * data  [len] borrowed until the next call */
void line_kinds_split(struct line_kinds *all, const char *data, size_t len);

/* Load n lines, each as a type of its own; the lines are borrowed. */
void line_kinds_load(
    struct line_kinds *all, const struct unread_line *lines, size_t n);

#endif
