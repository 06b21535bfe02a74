/* Charts drawn on the terminal with characters, without other programs, on a
 * canvas: each cell holds a character or 2 x 4 dots (a Braille pattern), and a
 * terminal colour.
 *
 *	struct canvas c;
 *	canvas_init(&c, 80, 24);
 *	canvas_line(&c, 0, 0, 159, 95, 1, 1);
 *	canvas_text(&c, 3, 0, TEXT_LEFT, "speedup", CANVAS_PLAIN);
 *	canvas_write(&c, colour, &sb);
 *	canvas_release(&c);
 */
#ifndef PLOTS_TERMINAL_CHART_H
#define PLOTS_TERMINAL_CHART_H

#include <stdint.h>

#include "common/strbuf.h"
#include "plots/charts/chart.h"

/* --- the canvas ----------------------------------------------------------- */

enum { CANVAS_DOTS_X = 2, CANVAS_DOTS_Y = 4 }; /* of a cell */

/* Colours: plain, faint, and from CANVAS_SERIES on one per series. */
enum { CANVAS_PLAIN, CANVAS_FAINT, CANVAS_SERIES, CANVAS_N_COLOURS = 8 };

struct canvas_cell {
	char text[5]; /* UTF-8 character; "": dots */
	uint8_t dots; /* bit mask in the order of Braille patterns */
	uint8_t colour;
	uint8_t covered; /* 1: right half of a wide character */
};

struct canvas {
	int columns, lines;
	struct canvas_cell *cells; /* [lines][columns] */
};

/* Create an empty canvas (both sizes at least 1), or free it. */
void canvas_init(struct canvas *c, int columns, int lines);
void canvas_release(struct canvas *c);

/* Set a dot, x from the left, y from the top, in dots; ignored outside. */
void canvas_dot(struct canvas *c, int x, int y, int colour);

/* Draw a line of dots.
 *
 * every  1: all dots; n > 1: every n-th dot, a dotted line */
void canvas_line(
    struct canvas *c, int x0, int y0, int x1, int y1, int every, int colour);

enum text_align { TEXT_LEFT, TEXT_CENTRE, TEXT_RIGHT };

/* Write lines of text, cut at the canvas's edge. Text covers dots.
 *
 * at  their first or middle column, or the one after the last, by align */
void canvas_text(struct canvas *c, int at, int line, enum text_align align,
    const char *text, int colour);

/* Append the lines to sb without trailing spaces.
 *
 * colour  1: with the terminal's colours */
void canvas_write(const struct canvas *c, int colour, struct strbuf *sb);

/* --- the chart ------------------------------------------------------------ */

/* Draw a chart on stdout, as wide and high as the terminal and in its colours.
 * Returns as chart_collect. */
int terminal_chart_draw(struct series_set *set, const struct chart *chart,
    const struct chart_how *how, struct error *e);

#endif
