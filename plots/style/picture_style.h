/* Style of pictures: formats, palettes, themes, the marks of series, and texts.
 *
 *	const struct palette *p = palette_find("viridis");
 *	struct series_style s = series_style_of(p, theme, 2, 5);
 */
#ifndef PLOTS_STYLE_PICTURE_STYLE_H
#define PLOTS_STYLE_PICTURE_STYLE_H

#include "common/alloc.h"

/* Colours of series in the order of use. */
struct palette {
	const char *name;
	int n;       /* number of colours used on a background */
	int ordered; /* number of colours from dark to light; 0: unordered. More
	                than n: those close to the background are omitted. */
	const char *colours[10];
};

/* Colours of everything except series. */
struct theme {
	const char *name;
	const char *background, *foreground, *grid, *faint;
	const char *instead_of_black; /* replaces a palette's black */
	double line_width;            /* relative to other themes */
	int is_dark;
};

/* The last entry has the name NULL. */
extern const struct palette palettes[];
extern const struct theme themes[];

/* Names for options; the last is NULL. */
extern const char *const palette_names[];
extern const char *const theme_names[];

/* Find by name; the first one if name is NULL or unknown. */
const struct palette *palette_find(const char *name);
const struct theme *theme_find(const char *name);

/* Point types and dash types are numbered as in gnuplot. */
enum { STYLE_N_DASHES = 5 }; /* distinguishable dash types */

struct series_style {
	const char *colour; /* "#0072B2" */
	int mark, dash;
};

/* Style of a series.
 *
 * colour  index among n_colours colours, from 0
 * mark    index, from 0
 * dash    index, from 0; -1: changes when the colours repeat */
struct series_style series_style_of(const struct palette *p,
    const struct theme *t, int colour, int n_colours, int mark, int dash);

enum { SERIES_SHADE_SIZE = 8 };

/* Shade of a colour, for boxes without marks or dashes: 0 is the colour itself,
 * 1 to 3 are mixed with the background, then they repeat.
 *
 * shade  buffer for the result
 *
 * Returns shade. */
const char *series_shade(const char *colour, const struct theme *t, int which,
    char shade[SERIES_SHADE_SIZE]);

/* Format of a picture and its gnuplot settings. */
struct picture_format {
	const char *name;  /* of --format; suffix of file names, without dot */
	const char *magic; /* first bytes of the file */
	const char *end;   /* within the last 64 bytes */
	/* gnuplot's terminals interpret sizes differently; these look
	 * alike. */
	const char *title_font, *note_font;
	const char *point;
	/* Text in the file before the time of drawing, or NULL. */
	const char *date_after;
	int is_document; /* 1: usually part of a LaTeX document */
};

/* The last entry has the name NULL. */
extern const struct picture_format picture_formats[];

/* --- texts ---------------------------------------------------------------- */

/* gnuplot executes backquoted text even inside double quotes, and a newline
 * ends a command. So untrusted text is put in single quotes, where only the
 * quote itself is special; it is replaced by a variable. */

/* Variable that holds a quote, and the command that sets it, which must come
 * before any text in a script. */
#define QUOTE_NAME "QUOTE"
#define QUOTE_SET QUOTE_NAME " = sprintf(\"%c\", 39)\n"

/* The texts that these functions return live in the arena. */

/* Text as a gnuplot string expression: 'it'.QUOTE.'s'. A newline starts a new
 * line of the label ('a'."\n".'b'); other control characters become spaces,
 * invalid UTF-8 becomes U+FFFD. */
const char *quote_string(struct arena *a, const char *text);

/* Append text with TeX's special characters escaped. */
void quote_tex(struct strbuf *sb, const char *text);

/* Append the first character of text, or a space for a control character and
 * U+FFFD for an invalid one. Returns its length in text. */
size_t quote_char(struct strbuf *sb, const char *text);

/* Break text into lines of at most `width` terminal columns: at the last blank
 * or between wide characters. Words longer than a line, such as paths, are cut.
 *
 * width  >= 2 */
const char *quote_wrap(struct arena *a, const char *text, size_t width);

/* Number of lines of a text, 0 for an empty one. */
int quote_count_lines(const char *text);

#endif
