#include <config.h>

#include "report/parts/report_tables.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/text.h"

int
report_wants_json(const char *format, const char *output)
{
	const char *dot = output != NULL ? strrchr(output, '.') : NULL;

	if (format != NULL)
		return strcmp(format, "json") == 0;
	return dot != NULL && strcasecmp(dot, ".json") == 0;
}

struct table *
report_tables_add(struct report_tables *list)
{
	struct table *t;

	list->items =
	    vec_grow(list->items, list->n, &list->alloc, sizeof *list->items);
	t = &list->items[list->n++];
	table_init(t);
	return t;
}

void
report_tables_release(struct report_tables *list)
{
	for (size_t i = 0; i < list->n; i++)
		table_release(&list->items[i]);
	free(list->items);
}

/* The start of a self-contained HTML page. */
static void
write_page_start(const struct report_how *how, FILE *f)
{
	fprintf(f,
	    "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width\">\n"
	    "<title>report_results</title>\n"
	    "<style>\n"
	    "body { font-family: sans-serif; margin: 2em; }\n"
	    "table { border-collapse: collapse; margin: 1em 0; }\n"
	    "caption { font-weight: bold; text-align: left; "
	    "padding: 0.3em 0; }\n"
	    "th, td { padding: 0.2em 0.8em; "
	    "border-bottom: 1px solid #ccc; text-align: left; }\n"
	    ".num { text-align: right; "
	    "font-variant-numeric: tabular-nums; }\n"
	    ".unit, .note { color: #666; font-weight: normal; }\n"
	    "</style>\n</head>\n<body>\n",
	    language_names[how->lang]);
}

void
report_tables_write(
    const struct report_tables *list, const struct report_how *how, FILE *f)
{
	const int is_page = strcmp(how->format->name, "html") == 0;
	const int is_json = strcmp(how->format->name, "json") == 0;

	if (is_page)
		write_page_start(how, f);
	for (size_t i = 0, written = 0; i < list->n; i++) {
		struct table *t = &list->items[i];

		if (t->n_rows == 0)
			continue;
		t->copies = 0;
		for (size_t k = 0; k < i; k++)
			t->copies += list->items[k].n_rows > 0 &&
			    text_same(list->items[k].name, t->name) &&
			    text_same(list->items[k].title, t->title);
		if (is_json)
			fputs(written == 0 ? "[\n" : ",\n", f);
		else if (written > 0)
			fputc('\n', f);
		written++;
		table_write(t, how->format, how->colour, f);
	}
	if (is_json)
		fputs("]\n", f);
	if (is_page)
		fputs("</body>\n</html>\n", f);
}
