/* The gnuplot script of a picture: a head made from the numbers, then
 * templates/style.gp and the chart's template
 * as they are, so that the file runs alone and shows the same picture.
 *
 * What the head sets for the templates:
 *	TITLE NOTE X_TITLE Y_TITLE               texts
 *	TITLE_FONT NOTE_FONT POINT               of texts, size of points
 *	X_DOWN                                   lines by which labels of the
 *	         x axis push its title down, <= 0
 *	FOREGROUND BACKGROUND GRID FAINT         colours
 *	TOP BOTTOM TITLE_X TITLE_Y NOTE_Y        where they stand (screen)
 *	N, NAME[1..N]                            series
 *	FIRST LAST                               those of the chart, of
 *	                                         several side by side
 *	line styles 1..N of the series, 100 of the ideal line, 201..200+N of
 *	         the dots of runs
 *	labels and arrows from 100 on            the legend
 *	$data    a block (gnuplot's index) a series; columns: 1 GPUs, 2-4
 *	         median low high, 5-7 speedup low high, 8-10 efficiency low
 *	         high (%), 11 name of a case aside; NaN: unknown
 *	N_IDEAL, IDEAL_OF[1..N_IDEAL]            ideal lines, each the number
 *	         of the (first) series that it belongs to
 *	run_place(x)                             where a run's dot stands
 *	$runs    of charts of medians, a block a series, a line a run: 1 GPUs,
 *	         2 value, 3 speedup, 4 efficiency (%)
 *	N_BANDS, BAND_OF[1..N_BANDS]             predictions, each the number of
 *	         its series
 *	$bands   of charts over GPUs, a block a prediction; columns as $data's
 *	$ideal   a block an ideal line; columns: 1 GPUs, 2 value, 3 speedup,
 *	         4 efficiency (%)
 *	N_LIMITS LIMIT                           of other charts: 1 and a line
 *	         that nothing can be above, or 0
 * and axes with their ranges and ticks.
 */
#ifndef PLOTS_SCRIPT_H
#define PLOTS_SCRIPT_H

#include "common/error.h"
#include "common/strbuf.h"
#include "plots/chart.h"
#include "plots/picture_style.h"

/* A kind of picture. */
struct picture_format {
	const char *name;   /* of --format */
	const char *suffix; /* of files, without the dot */
	const char *magic;  /* first bytes of such a file */
	const char *end;    /* among its last 64 bytes */
	/* gnuplot's terminals differ in what a size means; for these all
	 * look alike. */
	const char *title_font, *note_font;
	const char *point;
	/* Writes a text as a string of gnuplot. */
	void (*quote)(struct strbuf *out, const char *text);
	/* After this text stands the time of drawing, or NULL. */
	const char *date_after;
};

/* The last one has the name NULL. */
extern const struct picture_format picture_formats[];

/* The row of that name, or of that file suffix, or NULL. */
const struct picture_format *picture_format_find(const char *name);

struct script_how {
	const struct picture_format *format;
	int width, height;   /* pixels of 1/96 inch; height 0: as high as titles
	                        and legend make it */
	const char *picture; /* the file's name without folder, or NULL */
	const char *script;  /* the script's own, or NULL */
	const struct palette *palette;
	const struct theme *theme;
	const char *font; /* NULL: sans-serif */
	double scale;     /* of a bitmap's pixels, > 0 */
};

enum {
	SCRIPT_MAX_BYTES = 64 << 20,
	SCRIPT_MAX_SIZE = 20000 /* of width and height */
};

/* Characters along the x axis, and labels along the y axis, for chart_how.
 *
 * n_facets  small charts side by side, 0: one chart */
int script_room(const struct script_how *how, size_t n_facets);
/* Small charts that may stand in a picture without being asked for. */
int script_max_facets(const struct script_how *how);
int script_max_ticks(const struct script_how *how);

/* Add the script to out.
 *
 * Returns 0; -1 with ERROR_SYSTEM if a template cannot be read, ERROR_LIMIT
 * beyond SCRIPT_MAX_BYTES. */
int script_write(const struct chart_data *d, const struct script_how *how,
    struct strbuf *out, struct error *e);

#endif
