/* The lines of a log that its format did not match, by kind: lines that differ
 * in digits only are one.  Another program may have printed its steps there.
 * Internal to extract/.
 *
 * Bounded: of too many kinds those with the smallest hashes are kept, whole.
 * So it does not matter in which order lines come, nor in how many parts: what
 * is kept of a log is the same.
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

/* There are none: another log begins. */
void unread_lines_clear(struct unread_lines *u);

/* A line was not matched.
 *
 * text  [len] without controls; copied if it is kept
 * line  of the file, from 1 */
void unread_lines_add(
    struct unread_lines *u, const char *text, size_t len, int64_t line);

/* There are more of a kind that was added.
 *
 * text  [len] one of them, whatever its free digits (digit_mask_line)
 * more  how many */
void unread_lines_count(
    struct unread_lines *u, const char *text, size_t len, int64_t more);

/* Add those of a part of the log.
 *
 * lines  of the file that are before the part */
void unread_lines_join(
    struct unread_lines *u, const struct unread_lines *part, int64_t lines);

/* All kinds in the order of their first lines; good until the next change.
 *
 * n  out */
const struct unread_line *unread_lines_all(struct unread_lines *u, size_t *n);

/* 1: not all kinds could be kept. */
int unread_lines_overflowed(const struct unread_lines *u);

#endif
