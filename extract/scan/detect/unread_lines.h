/* The lines of a log that its format did not match, by kind: lines of one kind
 * differ in free digits only. Another program may have printed its steps there.
 * The first kinds are kept, up to UNREAD_MAX_BYTES. Internal to extract/.
 */
#ifndef EXTRACT_SCAN_DETECT_UNREAD_LINES_H
#define EXTRACT_SCAN_DETECT_UNREAD_LINES_H

#include <stddef.h>
#include <stdint.h>

enum {
	UNREAD_MIN_LINE = 8,         /* bytes: no shorter line is a step */
	UNREAD_MAX_LINE = 16 << 10,  /* longer lines are skipped */
	UNREAD_MAX_BYTES = 256 << 10 /* of all texts */
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

/* Create an empty list; and free it. */
struct unread_lines *unread_lines_new(void);
void unread_lines_free(struct unread_lines *u);

/* Add a line that was not matched.
 *
 * text  [len] without controls; copied
 * line  its number, from 1 */
void unread_lines_add(
    struct unread_lines *u, const char *text, size_t len, int64_t line);

/* All kinds [n] in the order of their first lines; valid until the next line is
 * added. */
const struct unread_line *unread_lines_all(
    const struct unread_lines *u, size_t *n);

/* True if not all kinds were kept. */
int unread_lines_overflowed(const struct unread_lines *u);

#endif
