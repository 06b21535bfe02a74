/* The parts of a chart whose cases stand down the side: how much room their
 * names and the texts at their right take, in a picture or a terminal, and
 * gnuplot's commands for these.
 *
 *	struct forest f;
 *	forest_lay_out(d, 800, &forest_pixels, &f);
 *	... a plot that is f.height pixels high ...
 *	forest_write(out, d, &f, quote);
 *	forest_release(&f);
 */
#ifndef PLOTS_FOREST_H
#define PLOTS_FOREST_H

#include "common/arena.h"
#include "common/strbuf.h"
#include "plots/charts/chart.h"

/* How large texts are: in pixels, or in a terminal's cells. */
struct forest_metric {
	int letter;         /* width of an average character */
	int line;           /* height of a line of text */
	int gap, least_gap; /* between rows; in a picture of a fixed height */
	int margin;         /* of the picture, and between columns of texts */
	int tick;           /* between a name and the axis */
	int least_height;   /* of the plot */
};

extern const struct forest_metric forest_pixels, forest_cells;

struct forest {
	struct arena arena;
	struct forest_metric metric;
	int width;              /* of the picture */
	int left, right;        /* of the plot */
	int height, min_height; /* of the plot: good, still legible */
	int number_at;          /* where numbers begin; 0: no room */
	int verdict_at;         /* where verdicts begin */
	int lines;              /* of text, of a row */
	size_t n;
	const char **verdicts; /* [n] broken into lines */
};

/* Choose places for a picture of a width. */
void forest_lay_out(const struct chart_data *d, int width,
    const struct forest_metric *metric, struct forest *out);

/* Add gnuplot's commands for margins, texts, the shaded range, and the diamond
 * of the mean.
 *
 * quote  writes a text as a string of gnuplot */
void forest_write(struct strbuf *out, const struct chart_data *d,
    const struct forest *f, void (*quote)(struct strbuf *, const char *));

/* Free all. */
void forest_release(struct forest *f);

#endif
