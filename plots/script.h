/* Gnuplot script of a picture: a head with the data, then unchanged copies of
 * templates/style.gp and the chart's template, so that the file is
 * self-contained.
 *
 * Set in the head for the templates:
 *	TITLE NOTE X_TITLE Y_TITLE               texts
 *	TITLE_FONT NOTE_FONT POINT               fonts, size of points
 *	X_DOWN                                   offset in lines of the x axis'
 *	         title
 *	FOREGROUND BACKGROUND GRID FAINT         colours
 *	TITLE_X TITLE_Y NOTE_Y                   positions (screen)
 *	N, NAME[1..N]                            series
 *	FIRST LAST                               series of the chart or
 *	                                         the current small chart
 *	line styles 1..N for series, 100 for the ideal line, 201..200+N for
 *	         the dots of runs
 *	labels and arrows from 100 on            the legend
 *	$data    one block (gnuplot's index) per series; columns: 1 GPUs, 2-4
 *	         median low high, 5-7 speedup low high, 8-10 efficiency low
 *	         high (%), 11 name of a case aside, 12-14 median by GPU low
 *	         high, 15 1: flagged; NaN: unknown. Of other charts: 5 level
 *	         of a history, 8 the same where it begins; 9 1: flagged;
 *	         10 of a ratio: 1 faster, -1 slower, 0 not proven
 *	RIGHT_FROM                               x beyond which labels stand
 *	         to the left of their points
 *	COLUMN, RUN_COLUMN                       for charts over GPUs, the
 *	         chart's column of $data, and of $runs
 *	N_IDEAL, IDEAL_OF, _AT, _POWER[1..N_IDEAL]   ideal lines: the number of
 *	         the (first) series, and y = _AT * x**_POWER
 *	dodge(x, i)                              x of series i, shifted so
 *	         that intervals of several series do not cover each other
 *	$runs    for charts of medians, one block per series, one line per run
 *	         that lies outside of the median's mark: 1 GPUs, 2 value,
 *	         3 speedup, 4 efficiency (%), 5 value by GPU
 *	N_BANDS, BAND_OF[1..N_BANDS]             predictions, each with the
 *	         number of its series
 *	$bands   for charts over GPUs, one block per prediction, like $data
 *	LABELS LABELS_SHOWN                      for labelled bars: options of
 *	         their labels, and 1 if the bars are wide enough for them
 *	N_LIMITS LIMIT                           for other charts: 1 and an
 *	         upper limit drawn as a line, or 0
 * and axes with their ranges and ticks.
 */
#ifndef PLOTS_SCRIPT_H
#define PLOTS_SCRIPT_H

#include <stddef.h>

#include "common/error.h"
#include "common/strbuf.h"
#include "plots/charts/chart.h"
#include "plots/style/picture_style.h"

enum {
	SCRIPT_MAX_BYTES = 64 << 20,
	SCRIPT_MAX_SIZE = 20000 /* limit of width and height */
};

enum {
	SCRIPT_WIDE = 560 /* layout pixels: space for two charts, and for two
	                     numbers after a name */
};

enum { FACET_TITLE = 26 }; /* height of the title of a small chart, pixels */

enum { SCRIPT_FONT = 13 };  /* font size in pixels assumed by layouts */
#define SCRIPT_FONT_PT 9.75 /* the same in points */

/* Where the names of the series are. AUTO: ENDS if they fit there, else where
 * the most room for the plot is left. */
enum legend_place {
	PLACE_AUTO,
	PLACE_ENDS, /* of the lines, at the right edge of the plot */
	PLACE_RIGHT,
	PLACE_INSIDE, /* in a corner of the plot */
	PLACE_BELOW,
	PLACE_NONE
};
extern const char *const legend_place_names[]; /* ends with NULL */

/* Settings of a picture. */
struct script_how {
	const struct picture_format *format;
	int width, height; /* layout pixels: those for a font of SCRIPT_FONT;
	                        height 0: as needed for titles and legend */
	double zoom;       /* pixels of 1/96 inch per layout pixel, > 0 */
	int bare;          /* 1: without title and note */
	enum legend_place place;
	const char *picture; /* file name without folder, or NULL */
	const char *script;  /* file name of the script, or NULL */
	const struct palette *palette;
	const struct theme *theme;
	const char *font; /* NULL: sans-serif */
	double scale;     /* pixels of a bitmap per pixel of 1/96 inch, > 0 */
};

/* Name of a line at its end. */
struct end_label {
	const char *text;
	double y;  /* share of the plot's height from below, then spread so that
	              labels do not overlap */
	int style; /* number of the line style */
};

/* Sizes of a legend in pixels. gnuplot's own legend clips long names and many
 * entries. */
enum {
	LEGEND_SAMPLE = 38, /* sample before a name, including the gap */
	LEGEND_GAP = 14,    /* between columns */
	LEGEND_MARGIN = 10, /* left and right */
	LEGEND_ROW = 20,    /* height of an entry of one line */
	LEGEND_MORE = 16,   /* for each further line */
	LEGEND_BELOW = 8    /* space below the last row */
};

struct legend_entry {
	const char *name; /* broken into lines */
	int style;        /* number of the gnuplot line style, from 1 */
	enum legend_sample sample;
};

/* Layout of charts with cases down the side: space for names at the left and
 * texts at the right. */

/* Sizes of texts, in pixels or terminal cells. */
struct forest_metric {
	int letter;         /* width of an average character */
	int line;           /* height of a line of text */
	int gap, least_gap; /* between rows; minimum if the height is fixed, < 0
	                       if lines may be closer */
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
	const char **numbers;  /* [n] at number_at, likewise */
};

enum {
	MAX_CHANGES = 256, /* of a history, with labels */
	CHANGE_ROW = 16    /* height of a row of labels, pixels */
};

/* Label of a change between two levels of a history. */
struct change {
	double x, from, to; /* place; ends in shares of the plot's width */
	int row;            /* from the top of the plot */
	int facet;          /* index of its small chart */
	int is_left;        /* 1: the label ends at x */
	const char *text;   /* "-6.0 % since 00cae156" */
};

/* Layout of a picture; its texts live in the chart's arena. */
struct script_layout {
	int width, height;        /* layout pixels */
	const char *title, *note; /* broken into lines */
	int title_lines, note_lines;
	int y_above;        /* 1: the titles of the y axes are above the
	                           plots, not beside them */
	int more_labels;    /* lines of labels below the first one */
	double top, bottom; /* edges of all plots, in shares of the height */
	double title_y, note_y; /* middle of the first line, likewise */
	size_t *ideals;         /* [n_ideals] series whose ideal line no earlier
	                           series has */
	size_t n_ideals;
	struct legend_entry *entries; /* [n_entries] of the legend, if any */
	size_t n_entries;
	int legend_columns, column_width, legend_height; /* of all rows */
	enum legend_place place;                         /* not PLACE_AUTO */
	struct end_label *ends; /* [n_ends] from the top down */
	size_t n_ends;
	int panels;        /* 1: two charts side by side, no facets */
	int columns, rows; /* of plots */
	int left, gap,
	    right; /* of the plots, between and beside them, pixels */
	double plot_width, plot_height; /* of one plot, pixels */
	const char **facets;            /* [n_facets] their titles, in lines */
	int facet_title;                /* height of the titles in pixels */
	int facet_below;        /* height of the x labels below a facet */
	struct forest forest;   /* for charts with cases down the side */
	struct change *changes; /* [n_changes] */
	size_t n_changes;
};

/* Width of a text's widest line in layout pixels, at least what it takes. */
int script_text_width(const char *text);

/* Collect a chart's data for a picture and lay it out. In a picture of a fixed
 * height, what does not fit is left out in this order: letters become smaller,
 * down to 6 points; title and note go (how->bare); names become letters that
 * the note explains; only the most important rows, small charts or series are
 * drawn, and the note counts them. Returns as chart_collect. */
int script_collect(const struct chart *chart, struct series_set *set,
    struct script_how *how, struct chart_how *chart_how, struct chart_data *d,
    struct script_layout *l, struct error *e);

/* Lay out a picture. */
void script_lay_out(struct chart_data *d, const struct script_how *how,
    struct script_layout *l);

/* Lay out a chart with names down the side in a picture or on a terminal. */
void forest_lay_out(struct chart_data *d, int width,
    const struct forest_metric *m, struct forest *out);

/* Height of the legend's row that starts at entry `first`. */
int script_legend_row(const struct script_layout *l, size_t first);

/* Append the script of a picture to out.
 *
 * Returns 0; -1 with ERROR_SYSTEM if a template cannot be read, ERROR_LIMIT
 * beyond SCRIPT_MAX_BYTES. */
int script_write(struct chart_data *d, const struct script_how *how,
    const struct script_layout *l, struct strbuf *out, struct error *e);

#endif
