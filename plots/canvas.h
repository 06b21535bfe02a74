/* A picture of characters: each cell holds a character or, in Braille patterns,
 * 2 x 4 dots, and a colour of the terminal.
 *
 *	struct canvas c;
 *	canvas_init(&c, 80, 24);
 *	canvas_line(&c, 0, 0, 159, 95, 1, 1);
 *	canvas_text(&c, 3, 0, "speedup", CANVAS_PLAIN);
 *	canvas_write(&c, colour, &sb);
 *	canvas_release(&c);
 */
#ifndef PLOTS_CANVAS_H
#define PLOTS_CANVAS_H

#include <stddef.h>
#include <stdint.h>

#include "common/strbuf.h"

enum { CANVAS_DOTS_X = 2, CANVAS_DOTS_Y = 4 }; /* of a cell */

/* Colours: plain, faint, and those of series from CANVAS_SERIES on. */
enum { CANVAS_PLAIN, CANVAS_FAINT, CANVAS_SERIES, CANVAS_N_COLOURS = 8 };

struct canvas_cell {
	char text[5]; /* a character in UTF-8; "": dots */
	uint8_t dots; /* a bit each, as Braille patterns number them */
	uint8_t colour;
	uint8_t covered; /* 1: the right half of a wide character */
};

struct canvas {
	int columns, lines;
	struct canvas_cell *cells; /* [lines][columns] */
};

/* An empty one of that size, each at least 1; and free it. */
void canvas_init(struct canvas *c, int columns, int lines);
void canvas_release(struct canvas *c);

/* A dot; x from the left, y from the top, in dots.  Outside is nothing. */
void canvas_dot(struct canvas *c, int x, int y, int colour);

/* A line of dots from one place to another.
 *
 * every  1: all dots; n > 1: every n-th, a dotted line */
void canvas_line(
    struct canvas *c, int x0, int y0, int x1, int y1, int every, int colour);

/* A text from a cell on, cut where the canvas ends; it stands over dots. */
void canvas_text(
    struct canvas *c, int column, int line, const char *text, int colour);

/* Add the lines to sb, without spaces at their ends.
 *
 * colour  1: with the terminal's colours */
void canvas_write(const struct canvas *c, int colour, struct strbuf *sb);

#endif
