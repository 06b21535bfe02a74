/* Collects the lines of a log that its format did not match, by type: lines of
 * one type differ only in free digits. They may be steps printed by another
 * program. The first types are kept, up to UNREAD_MAX_BYTES. Internal to
 * extract/.
 */
#ifndef EXTRACT_SCAN_DETECT_UNREAD_LINES_H
#define EXTRACT_SCAN_DETECT_UNREAD_LINES_H

#include <stddef.h>
#include <stdint.h>

enum {
	UNREAD_MIN_LINE = 8,         /* bytes; shorter lines are skipped */
	UNREAD_MAX_LINE = 16 << 10,  /* longer lines are skipped */
	UNREAD_MAX_BYTES = 256 << 10 /* bytes of all texts */
};

/* A line type. */
struct unread_line {
	uint64_t hash; /* hash of the masked text */
	char *text;    /* [len] the first such line */
	size_t len;
	int64_t first; /* line number, from 1 */
	int64_t times; /* such lines */
};

struct unread_lines;

/* Create an empty list; free it. */
struct unread_lines *unread_lines_new(void);
void unread_lines_free(struct unread_lines *u);

/* Add an unmatched line.
 *
 * text  [len] without control characters; copied
 * line  line number, from 1 */
void unread_lines_add(
    struct unread_lines *u, const char *text, size_t len, int64_t line);

/* All line types [n] in the order of their first lines; valid until the next
 * line is added. */
const struct unread_line *unread_lines_all(
    const struct unread_lines *u, size_t *n);

/* True if some line types were not kept. */
int unread_lines_overflowed(const struct unread_lines *u);

#endif
