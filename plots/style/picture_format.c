/* The kinds of pictures that gnuplot is asked for.  script.c writes a
 * script for one of them; nothing here knows a chart. */
#include <config.h>

#include "plots/style/picture_format.h"

#include <string.h>

#include "plots/style/quote.h"

const struct picture_format picture_formats[] = {
	{ "svg", "svg", "<?xml", "</svg>", ",16", ",11.5", "0.65", quote_add,
	    NULL },
	{ "png", "png", "\x89PNG", "IEND", ",12", ",8.5", "0.9", quote_add,
	    NULL },
	{ "pdf", "pdf", "%PDF", "%%EOF", ",12", ",8.5", "0.6", quote_add,
	    "/CreationDate (D:" },
	{ "eps", "eps", "%!PS", "%%EOF", ",12", ",8.5", "0.6", quote_add,
	    "%%CreationDate: " },
	{ "tex", "tex", "\\document", "\\end{document}", "\\large",
	    "\\scriptsize", "0.8", quote_add_tex, "%% generated with" },
	{ .name = NULL },
};

const struct picture_format *
picture_format_find(const char *name)
{
	for (const struct picture_format *f = picture_formats; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}
