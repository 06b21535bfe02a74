/* Layout of charts with cases down the side, for pictures and terminals: space
 * for names at the left and texts at the right, and the gnuplot commands for
 * them. */
#ifndef PLOTS_FOREST_H
#define PLOTS_FOREST_H

#include "common/strbuf.h"
#include "plots/charts/chart.h"

/* Sizes of texts, in pixels or terminal cells. */
struct forest_metric {
	int letter;         /* width of an average character */
	int line;           /* height of a line of text */
	int gap, least_gap; /* between rows; minimum if the height is fixed */
	int margin;         /* at the edges, and between columns of text */
	int tick;           /* between a name and the axis */
	int least_height;   /* of the plot */
};

extern const struct forest_metric forest_pixels, forest_cells;

struct forest {
	int width;              /* of the picture */
	int left, right;        /* of the plot */
	int height, min_height; /* of the plot: preferred, smallest legible */
	int number_at;          /* x of the numbers; 0: no space */
	int verdict_at;         /* x of the verdicts */
	int lines;              /* lines of text per row */
	size_t n;
	const char **verdicts; /* [n] broken into lines, in d's arena */
};

/* Lay out a picture of the given width. */
void forest_lay_out(struct chart_data *d, int width,
    const struct forest_metric *m, struct forest *out);

/* Append the gnuplot commands for margins, texts, the shaded range, and the
 * diamond of the mean.
 *
 * quote  returns text as a gnuplot string */
void forest_write(struct strbuf *out, struct chart_data *d,
    const struct forest *f,
    const char *(*quote)(struct arena *a, const char *text));

#endif
