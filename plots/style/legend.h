/* Legend of a picture. gnuplot's own legend clips long names and many entries.
 *
 *	struct legend l;
 *	legend_lay_out(&arena, entries, n, width, 0, &l);
 *	... a picture that is l.height pixels higher ...
 *	legend_write(out, &l, -1, l.height, width, height);
 */
#ifndef PLOTS_STYLE_LEGEND_H
#define PLOTS_STYLE_LEGEND_H

#include <stddef.h>

#include "common/arena.h"
#include "common/strbuf.h"

/* LINE: line with marks; STROKE: line without. */
enum legend_sample {
	LEGEND_LINE,
	LEGEND_STROKE,
	LEGEND_POINT,
	LEGEND_BOX,
	LEGEND_IDEAL
};

/* True if points of series with this sample are joined. */
int legend_sample_is_line(enum legend_sample sample);

struct legend_entry {
	const char *name;
	int style; /* number of the gnuplot line style, from 1 */
	enum legend_sample sample;
};

struct legend {
	struct legend_entry *entries; /* with names broken into lines */
	size_t n;
	int columns, column_width; /* pixels */
	int height;                /* of all rows in pixels; 0: no legend */
};

/* Break the names into lines and choose the columns so that nothing is clipped.
 *
 * a            holds the legend's entries and names
 * entries      [n]; names are copied
 * width        available, in pixels
 * max_columns  0: as many as fit */
void legend_lay_out(struct arena *a, const struct legend_entry *entries,
    size_t n, int width, int max_columns, struct legend *out);

/* Append the commands that draw the legend in a picture of width x height
 * pixels.
 *
 * a      holds texts for the call
 * left   of the legend, in pixels; below 0: centred
 * y      top of the legend, in pixels from the bottom of the picture
 * quote  returns text as a gnuplot string */
void legend_write(struct strbuf *out, struct arena *a, const struct legend *l,
    double left, double y, int width, int height,
    const char *(*quote)(struct arena *a, const char *text));

#endif
