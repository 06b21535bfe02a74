/* The legend of a picture, laid out here and not by gnuplot, which clips names
 * that are long and entries that are many.
 *
 *	struct legend l;
 *	legend_lay_out(entries, n, width, &l);
 *	... a picture that is l.height pixels higher ...
 *	legend_write(out, &l, width, height);
 *	legend_release(&l);
 */
#ifndef PLOTS_STYLE_LEGEND_H
#define PLOTS_STYLE_LEGEND_H

#include <stddef.h>

#include "common/arena.h"
#include "common/strbuf.h"

/* LINE: with a mark; STROKE: without. */
enum legend_sample {
	LEGEND_LINE,
	LEGEND_STROKE,
	LEGEND_POINT,
	LEGEND_BOX,
	LEGEND_IDEAL
};

/* True if points of such a series are joined. */
int legend_sample_is_line(enum legend_sample sample);

struct legend_entry {
	const char *name;
	int style; /* of gnuplot's line styles, from 1 */
	enum legend_sample sample;
};

struct legend {
	struct arena arena;
	struct legend_entry *entries; /* names are broken into lines */
	size_t n;
	int columns, column_width; /* pixels */
	int height;                /* pixels of all rows; 0: no legend */
};

/* Break the names into lines and choose columns so that nothing is clipped.
 *
 * entries  [n]; names are copied
 * width    of the picture, pixels */
void legend_lay_out(const struct legend_entry *entries, size_t n, int width,
    struct legend *out);

/* Add the commands that draw it at the bottom of a picture of width x height
 * pixels.
 *
 * quote  writes a text as a string of gnuplot */
void legend_write(struct strbuf *out, const struct legend *l, int width,
    int height, void (*quote)(struct strbuf *, const char *));

/* Free all. */
void legend_release(struct legend *l);

#endif
