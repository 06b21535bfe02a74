/* The lines of a log that its format did not match, by kind: lines that differ
 * in digits only are one.  Another program may have printed its steps there.
 * Internal to extract/.
 *
 * Bounded: of too many kinds those with the smallest hashes are kept, whatever
 * the order of the lines.
 */
#ifndef EXTRACT_SCAN_DETECT_UNREAD_LINES_H
#define EXTRACT_SCAN_DETECT_UNREAD_LINES_H

#include <stddef.h>
#include <stdint.h>

enum {
	UNREAD_MIN_LINE = 8,         /* bytes: no shorter line is a step */
	UNREAD_MAX_LINE = 16 << 10,  /* longer lines are passed over */
	UNREAD_MAX_BYTES = 256 << 10 /* kept of a log's lines in all */
};

/* A kind of line. */
struct unread_line {
	uint64_t hash; /* of the masked text */
	char *text;    /* [len] of one of them */
	size_t len;
	int64_t first; /* line of the file, from 1 */
	int64_t times; /* such lines */
};

struct unread_lines;

/* None yet; and free them. */
struct unread_lines *unread_lines_new(void);
void unread_lines_free(struct unread_lines *u);

/* A line was not matched.
 *
 * text  [len] without controls; copied if it is kept
 * line  of the file, from 1 */
void unread_lines_add(
    struct unread_lines *u, const char *text, size_t len, int64_t line);

/* All kinds in the order of their first lines; good until the next change.
 *
 * n  out */
const struct unread_line *unread_lines_all(struct unread_lines *u, size_t *n);

/* 1: not all kinds could be kept. */
int unread_lines_overflowed(const struct unread_lines *u);

#endif
