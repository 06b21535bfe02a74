/* How pictures look: formats, palettes, themes, and the marks of series.
 *
 *	const struct palette *p = palette_find("viridis");
 *	struct series_style s = series_style_of(p, theme, 2, 5);
 */
#ifndef PLOTS_STYLE_PICTURE_STYLE_H
#define PLOTS_STYLE_PICTURE_STYLE_H

#include "common/strbuf.h"

/* Colours of series, in the order of use. */
struct palette {
	const char *name;
	int n;       /* colours in use on one background */
	int ordered; /* from dark to light; more than n: those too near to
	                white or black are left out on such a background.
	                0: no order */
	const char *colours[10];
};

/* Colours of all that is not a series. */
struct theme {
	const char *name;
	const char *background, *foreground, *grid, *faint;
	const char *instead_of_black; /* for a palette's black */
	double line_width;            /* times that of the others */
	int is_dark;
};

/* The last ones have the name NULL. */
extern const struct palette palettes[];
extern const struct theme themes[];

/* Their names, for options; the last is NULL. */
extern const char *const palette_names[];
extern const char *const theme_names[];

/* The row of that name; NULL stands for the first. */
const struct palette *palette_find(const char *name);
const struct theme *theme_find(const char *name);

/* gnuplot's numbers of a point's shape and of a line's dashes. */
enum { STYLE_N_DASHES = 5 }; /* that are distinguished */

struct series_style {
	const char *colour; /* "#0072B2" */
	int mark, dash;
};

/* The style of a series.
 *
 * colour  its colour among n_colours, from 0
 * mark    its mark, from 0
 * dash    its dashes, from 0; -1: others once all colours are used */
struct series_style series_style_of(const struct palette *p,
    const struct theme *t, int colour, int n_colours, int mark, int dash);

enum { SERIES_SHADE_SIZE = 8 };

/* Shades of a colour, for what has neither marks nor dashes: 0 is the
 * colour itself, 1 to 3 are mixed with the background, then they come again.
 *
 * shade  gets the text
 *
 * Returns it. */
const char *series_shade(const char *colour, const struct theme *t, int which,
    char shade[SERIES_SHADE_SIZE]);

/* A kind of picture that gnuplot is asked for. */
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

#endif
