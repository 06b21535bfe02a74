/* Draw charts of a set of series into files or the terminal.
 *
 * A picture is a gnuplot script: a head with the data, then unchanged copies of
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
 *	N                                        number of series
 *	FIRST LAST                               series of the chart or
 *	                                         the current small chart
 *	line styles 1..N for series, 100 for the ideal line, 201..200+N for
 *	         the dots of runs
 *	labels and arrows from 100 on            the legend
 *	$data    one block (gnuplot's index) per series; columns: 1 GPUs, 2-4
 *	         median low high, 5-7 speedup low high, 8-10 efficiency low
 *	         high (%), 11 name of a case aside, 12-14 median by GPU low
 *	         high, 15 1: flagged; NaN: unknown. Of other charts: 5 level
 *	         of a history or running median; 9 1: flagged;
 *	         10 of a ratio: 1 faster, -1 slower, 0 not proven, 2 the mean
 *	RIGHT_FROM                               x beyond which labels stand
 *	         to the left of their points
 *	COLUMN, RUN_COLUMN                       for charts over GPUs, the
 *	         chart's column of $data, and of $runs
 *	N_IDEAL, IDEAL_AT, IDEAL_POWER[1..N_IDEAL]   ideal lines of the first
 *	         or of all series: y = _AT * x**_POWER
 *	dodge(x, i)                              x of series i, shifted so
 *	         that intervals of several series do not cover each other
 *	$runs    for charts of medians, one block per series, one line per run
 *	         that lies outside of the median's mark: 1 GPUs, 2 value,
 *	         3 speedup, 4 efficiency (%), 5 value by GPU
 *	N_BANDS, BAND_OF[1..N_BANDS]             predictions, each with the
 *	         number of its series
 *	$bands   for charts over GPUs, one block per prediction, like $data
 *	LABELS_SHOWN                             1 if bars are wide enough for
 *	         their labels
 *	DELTA                                    for ratios: those from
 *	         1 / (1 + DELTA) to 1 + DELTA are equivalent
 *	N_LIMITS LIMIT                           for other charts: 1 and an
 *	         upper limit drawn as a line, or 0
 * and axes with their ranges and ticks.
 */
#ifndef PLOTS_DRAW_H
#define PLOTS_DRAW_H

#include <stddef.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/program/options.h"
#include "common/series/series.h"
#include "plots/charts/chart.h"
#include "plots/style/picture_style.h"

enum {
	SCRIPT_MAX_BYTES = 64 << 20,
	SCRIPT_MAX_SIZE = 20000, /* limit of width and height */
	SCRIPT_WIDE = 560, /* layout pixels: space for two charts, and for two
	                      numbers after a name */
	FACET_TITLE = 26,  /* height of the title of a small chart, pixels */
	SCRIPT_FONT = 13   /* font size in pixels assumed by layouts */
};
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

/* A name in a legend, or at the end of a line. */
struct legend_entry {
	const char *name; /* broken into lines */
	int style;        /* number of the gnuplot line style, from 1 */
	enum legend_sample sample;
	double x, y; /* left and middle of its first line, in shares of the
	                picture */
};

/* Layout of a chart with cases down the side: names at the left, texts at the
 * right, in pixels or cells. */
struct forest {
	int left, right; /* of the plot; the texts follow */
	int lines;       /* of text per row */
	int level;       /* index of the texts; CHART_ROW_TEXTS: none */
};

enum { CHANGE_ROW = 16 }; /* height of a row of labels of changes, pixels */

/* Label of a change between two levels of a history. */
struct change {
	double x, from, to; /* place; ends in shares of the plot's width */
	int row;            /* from the top of the plot */
	int facet;          /* index of its small chart */
	int is_left;        /* 1: the label ends at x */
	const char *text;   /* "-6.0 % since 00cae156" */
};

/* A picture: its chart and its layout. Texts live in the chart's arena. */
struct script {
	struct strbuf *out; /* of script_write */
	struct script_how how;
	struct chart_data d;
	int height;               /* layout pixels; the width is how's */
	const char *title, *note; /* broken into lines */
	int more_labels;          /* lines of labels below the first one */
	double top, bottom; /* edges of all plots, in shares of the height */
	double title_y, note_y; /* middle of the first line, likewise */
	size_t n_ideals;        /* lines: that of the first series, or of all */
	struct legend_entry *entries; /* [n_entries] names */
	size_t n_entries;
	int legend_columns, column_width, legend_height; /* of all rows */
	enum legend_place place;                         /* not PLACE_AUTO */
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

/* Upper estimate of the width of a text's widest line, in layout pixels. */
int script_text_width(const char *text);

/* Collect a chart's data for a picture and lay it out. In a picture of a fixed
 * height, what does not fit is left out in this order: letters become smaller,
 * down to 6 points; title and note go (how.bare); names become letters that
 * the note explains; only the most important rows, small charts or series are
 * drawn, and the note counts them. Returns as chart_collect. */
int script_collect(const struct chart *chart, struct series_set *set,
    struct script *s, struct chart_how *chart_how, struct error *e);

/* Lay out s->d by s->how. */
void script_lay_out(struct script *s);

/* Lay out a chart with names down the side.
 *
 * cells  1: in cells of a terminal; 0: in layout pixels */
void forest_lay_out(
    struct chart_data *d, int width, int cells, struct forest *out);

/* Append the script of a picture to out.
 *
 * Returns 0; -1 with ERROR_SYSTEM if a template cannot be read, ERROR_LIMIT
 * beyond SCRIPT_MAX_BYTES. */
int script_write(struct script *s, struct strbuf *out, struct error *e);

struct draw_how {
	const struct opt_list *charts; /* names, with commas; empty: first with
	                                  data */
	struct chart_how chart;        /* draw_all sets room and max_ticks */
	struct script_how script;      /* draw_all also sets format and files */
	const char *output;            /* file, "-" (stdout), or NULL */
	const char *output_dir;        /* used if output is NULL */
	const char *name;              /* prefix of file names in output_dir */
	const char *format;            /* "svg", ... "gp", or NULL */
	/* File that gets the title and the note instead of the picture; "none":
	 * they are left out; NULL: they are in the picture, but in column sizes
	 * next to it, in NAME.caption.txt or .tex. */
	const char *caption;
	const char *const
	    *inputs; /* [n_inputs] files that are not overwritten */
	size_t n_inputs;
	int terminal; /* characters on stdout, no files */
	int quiet;
	int force; /* overwrite edited scripts */
};

/* Set the script's size and font size.
 *
 * text     "800" (pixels of 1/96 inch), "800x600", "16x9cm", "6in", or a name:
 *          column, two-column, page, slide
 * font_pt  font size in points; NAN: 9.75 in pictures sized in pixels, 7 or 8
 *          in print sizes, 24 on a slide (1920 pixels wide or in proportion)
 *
 * Returns 0; -1 with ERROR_USAGE. */
int draw_parse_size(
    const char *text, double font_pt, struct draw_how *how, struct error *e);

/* Draw all charts and print the file names unless quiet.
 *
 * Edited scripts are not overwritten unless forced. Files are written
 * atomically, the picture last; the script names its SHA-256, since a kill may
 * leave the picture of another run next to it. Without gnuplot the scripts are
 * still written and the error says so.
 *
 * Returns 0; -1 with ERROR_USAGE for an unknown chart or format or one file for
 * several charts, ERROR_SYSTEM if gnuplot is missing or fails, else as
 * chart_collect, script_write and outfile_commit. */
int draw_all(
    struct series_set *set, const struct draw_how *how, struct error *e);

/* Draw a chart on stdout with characters, as wide and high as the terminal and
 * in its colours (terminal_chart.c). Returns as chart_collect. */
int terminal_chart_draw(struct series_set *set, const struct chart *chart,
    const struct chart_how *how, struct error *e);

#endif
