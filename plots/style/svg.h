/* Plots drawn as SVG without gnuplot: where numbers stand, grid and ideal line;
 * and texts of SVG.
 *
 *	struct svg_plot p = { .out = f, .left = 82, .right = 544, ... };
 *	axis_amount(10, 900, 10, &p.y);
 *	svg_grid(&p);
 */
#ifndef PLOTS_STYLE_SVG_H
#define PLOTS_STYLE_SVG_H

#include <stdio.h>

#include "common/strbuf.h"
#include "plots/style/axis.h"

struct svg_plot {
	FILE *out;
	int left, right, top, bottom; /* edges of the plot, pixels */
	struct axis x, y;
};

/* Pixels from the left and from the top. */
double svg_x(const struct svg_plot *p, double x);
double svg_y(const struct svg_plot *p, double y);

/* Write the ticks that have labels: lines of the class "grid" and texts. */
void svg_grid(const struct svg_plot *p);

/* Write a line of the class "ideal" between two places of the axes. */
void svg_ideal(
    const struct svg_plot *p, double x0, double y0, double x1, double y1);

/* Add text as SVG has it: escaped, without control characters. */
void svg_add_text(struct strbuf *sb, const char *text);

/* Replace the title and the description of a picture, and remove the titles of
 * its parts, which browsers show as tool tips.
 *
 * picture             SVG as gnuplot wrote it
 * title, description  any text; it is escaped */
void svg_set_texts(
    struct strbuf *picture, const char *title, const char *description);

#endif
