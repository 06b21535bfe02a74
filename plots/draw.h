/* Draw charts of a set of series into files or the terminal. */
#ifndef PLOTS_DRAW_H
#define PLOTS_DRAW_H

#include "common/error.h"
#include "common/program/options.h"
#include "common/series/series.h"
#include "common/strbuf.h"
#include "plots/charts/chart.h"
#include "plots/script.h"

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
 * several charts, else as chart_collect, script_write, gnuplot_run and
 * outfile_commit. */
int draw_all(
    struct series_set *set, const struct draw_how *how, struct error *e);

/* Draw a chart on stdout with characters, as wide and high as the terminal and
 * in its colours (terminal_chart.c). Returns as chart_collect. */
int terminal_chart_draw(struct series_set *set, const struct chart *chart,
    const struct chart_how *how, struct error *e);

/* --- gnuplot -------------------------------------------------------------- */

/* Run a script and append its output to a picture, whatever file the script
 * names. If gnuplot succeeds, its stderr is printed as a warning.
 *
 * format   format that the picture's start and end are checked against
 * missing  set to 1 if gnuplot is not installed
 *
 * Returns 0; -1 with ERROR_SYSTEM if gnuplot is not installed (the message
 * names the package), failed, or wrote no complete picture. */
int gnuplot_run(const struct strbuf *script,
    const struct picture_format *format, struct strbuf *picture, int *missing,
    struct error *e);

/* Check with fontconfig's fc-list that fonts have all characters of the script
 * beyond Latin, Greek and Cyrillic. PNG and PDF would show a black box for a
 * missing one.
 *
 * Returns 0 if fonts have all of them or fc-list fails; -1 with ERROR_SYSTEM
 * that names the first missing character. */
int gnuplot_check_fonts(const struct strbuf *script, struct error *e);

/* Check that a font family is installed; generic names such as serif always
 * are.
 *
 * Returns 0 if it is, or if fc-list fails; -1 with ERROR_SYSTEM. */
int gnuplot_check_family(const char *family, struct error *e);

#endif
