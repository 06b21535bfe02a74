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
#include "plots/charts/chart.h"
#include "plots/script_layout.h"

enum {
	SCRIPT_MAX_BYTES = 64 << 20,
	SCRIPT_MAX_SIZE = 20000 /* of width and height */
};

/* Add the script to out.
 *
 * Returns 0; -1 with ERROR_SYSTEM if a template cannot be read, ERROR_LIMIT
 * beyond SCRIPT_MAX_BYTES. */
int script_write(const struct chart_data *d, const struct script_how *how,
    struct strbuf *out, struct error *e);

#endif
