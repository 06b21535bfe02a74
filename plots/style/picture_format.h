/* The kinds of pictures that gnuplot is asked for. */
#ifndef PLOTS_STYLE_PICTURE_FORMAT_H
#define PLOTS_STYLE_PICTURE_FORMAT_H

#include "common/strbuf.h"

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

#endif
