/* Split bytes into lines and clean lines of escape sequences.
 *
 * A line ends at \n, \r\n or a lone \r (progress bars). Line numbers count \n
 * only, as in editors, sed and grep -n.
 */
#ifndef EXTRACT_INPUT_LINES_H
#define EXTRACT_INPUT_LINES_H

#include <stddef.h>
#include <stdint.h>

/* Flags of a line. A piece of a long line may have flags of other pieces. */
enum {
	LINE_CONTROL = 1, /* a byte below 0x20 other than \t \n \r */
	LINE_HIGH = 2,    /* a byte of 0x80 or above */
	LINE_UNTESTED = 4 /* line_flags() tells; only if the walker is lazy */
};

/* Called with each non-empty line: text without its line end. */
typedef void line_consumer(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number);

struct line_walker {
	int64_t number;  /* of the current line, from 1 */
	int64_t n_long;  /* lines split into pieces */
	size_t max_line; /* maximum bytes of a piece */
	size_t scanned;  /* scanned bytes of the unfinished line */
	unsigned flags;  /* of them */
	int open;        /* 1: the last end was \r, \n may follow */
	int cut;         /* 1: pieces of the current line were passed on */
	int lazy;        /* set by the user, 1: lines need not be tested */
};

/* Initialise a walker at the start of a file. */
void line_walker_init(struct line_walker *w, size_t max_line);

/* Pass all complete lines of data to take.
 *
 * data  [len] available bytes: the rest of the last call and more
 * last  1: end of the data, so the last line needs no line end
 *
 * Returns the number of consumed bytes. */
size_t line_walker_consume(struct line_walker *w, const char *data, size_t len,
    int last, line_consumer *consume, void *arg);

/* Flags of n bytes of a line without \r. */
unsigned line_flags(const char *text, size_t n);

/* Number of lines, valid after the last call. */
int64_t line_walker_lines(const struct line_walker *w);

/* Called with a piece of a line. */
typedef void piece_consumer(void *arg, const char *text, size_t len);

/* Pass on a line. If it has control characters, escape sequences (colours,
 * cursor moves, titles) and NULs are removed, and it is split into non-empty
 * pieces where backspaces rewrote it.
 *
 * flags  of the line
 * room   [len + 1] receives the pieces, each followed by a NUL */
void line_each_piece(const char *text, size_t len, unsigned flags, char *room,
    piece_consumer *consume, void *arg);

#endif
