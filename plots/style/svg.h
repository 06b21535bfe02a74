/* SVG plots without gnuplot: coordinates, grid and ideal line; and texts of SVG
 * files.
 *
 *	struct svg_plot p = { .out = f, .left = 82, .right = 544, ... };
 *	axis_amount(10, 900, 10, &p.y);
 *	svg_grid(&p);
 */
#ifndef PLOTS_STYLE_SVG_H
#define PLOTS_STYLE_SVG_H

#include <stdio.h>

#include "common/alloc.h"
#include "plots/style/axis.h"

struct svg_plot {
	FILE *out;
	int left, right, top, bottom; /* edges of the plot, pixels */
	struct axis x, y;
};

/* Position of a value in pixels, from the left or from the top. */
double svg_x(const struct svg_plot *p, double x);
double svg_y(const struct svg_plot *p, double y);

/* Write grid lines (class "grid") and texts for the labelled ticks. */
void svg_grid(const struct svg_plot *p);

/* Write a line (class "ideal") between two points in axis values. */
void svg_ideal(
    const struct svg_plot *p, double x0, double y0, double x1, double y1);

/* Append text escaped for SVG, without control characters. */
void svg_add_text(struct strbuf *sb, const char *text);

#endif
