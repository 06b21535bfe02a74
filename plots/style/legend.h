/* Legend of a picture. gnuplot's own legend clips long names and many entries.
 *
 *	struct legend l;
 *	legend_lay_out(entries, n, width, 0, &l);
 *	... a picture that is l.height pixels higher ...
 *	legend_write(out, &l, -1, l.height, width, height, quote);
 *	legend_release(&l);
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
	struct arena arena;
	struct legend_entry *entries; /* with names broken into lines */
	size_t n;
	int columns, column_width; /* pixels */
	int height;                /* of all rows in pixels; 0: no legend */
};

/* Break the names into lines and choose the columns so that nothing is clipped.
 *
 * entries      [n]; names are copied
 * width        available, in pixels
 * max_columns  0: as many as fit */
void legend_lay_out(const struct legend_entry *entries, size_t n, int width,
    int max_columns, struct legend *out);

/* Append the commands that draw the legend in a picture of width x height
 * pixels.
 *
 * left   of the legend, in pixels; below 0: centred
 * y      top of the legend, in pixels from the bottom of the picture
 * quote  appends text as a gnuplot string */
void legend_write(struct strbuf *out, const struct legend *l, double left,
    double y, int width, int height,
    void (*quote)(struct strbuf *, const char *));

/* Free all. */
void legend_release(struct legend *l);

#endif
