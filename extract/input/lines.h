/* Cutting bytes into lines, and cleaning the few that need it.
 *
 * A line ends at \n, \r\n or a lone \r (progress bars); its number counts \n
 * only, as editors, sed and grep -n do.
 */
#ifndef EXTRACT_INPUT_LINES_H
#define EXTRACT_INPUT_LINES_H

#include <stddef.h>
#include <stdint.h>

/* What a line holds; a piece of a long line may have a flag of the others. */
enum {
	LINE_CONTROL = 1, /* a byte below 0x20 other than \t \n \r */
	LINE_HIGH = 2     /* a byte from 0x80 on */
};

/* Called with each line that is not empty: text without its end. */
typedef void line_consumer(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number);

struct line_walker {
	int64_t number;  /* of the current line, from 1 */
	int64_t n_long;  /* lines that were cut into pieces */
	size_t max_line; /* bytes of a piece */
	size_t scanned;  /* bytes of the unfinished line that were looked at */
	unsigned flags;  /* of them */
	int open;        /* 1: \r was the last end, \n is still to come */
	int cut;         /* 1: pieces of the current line were given */
};

/* A walker at the start of a file. */
void line_walker_init(struct line_walker *w, size_t max_line);

/* Give all complete lines of data to take.
 *
 * data  [len] what is available: the rest that the last call left, and more
 * last  1: nothing follows, so that the last line needs no end
 *
 * Returns how many bytes were used up. */
size_t line_walker_consume(struct line_walker *w, const char *data, size_t len,
    int last, line_consumer *consume, void *arg);

/* How many lines there were, after the last call. */
int64_t line_walker_lines(const struct line_walker *w);

/* A line without escape sequences (colours, cursor moves, titles) and NULs,
 * cut where back spaces rewrote it.
 *
 * text  [len] the line
 * out   [len + 1] room for the clean text; its pieces, which are never empty,
 *       stand one after the other, each with a NUL after
 * n_nul incremented by the NULs that were dropped
 *
 * Returns the bytes used in out. */
size_t line_clean(const char *text, size_t len, char *out, int64_t *n_nul);

#endif
