/* The forms a table can be written in, by name and by the suffix of a file.
 * The only file that knows all of table_FORM.c; each of those builds on
 * table.c, which knows none. */
#include <config.h>

#include "common/table/table.h"

#include <string.h>
#include <strings.h>

static const struct table_format *const formats[] = {
	&table_text,
	&table_markdown,
	&table_csv,
	&table_latex,
	&table_html,
};

enum { N_FORMATS = sizeof formats / sizeof formats[0] };

/* In the order of formats[]; the test compares them. */
const char *const table_format_names[] = { "text", "markdown", "csv", "latex",
	"html", NULL };

const struct table_format *
table_format_find(const char *name)
{
	size_t i;

	for (i = 0; i < N_FORMATS; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

const struct table_format *
table_format_of_file(const char *path)
{
	const char *dot = path != NULL ? strrchr(path, '.') : NULL;
	size_t i;

	if (dot == NULL)
		return NULL;
	if (strcasecmp(dot, ".htm") == 0)
		return &table_html;
	for (i = 0; i < N_FORMATS; i++)
		if (strcasecmp(dot + 1, formats[i]->suffix) == 0)
			return formats[i];
	return NULL;
}
