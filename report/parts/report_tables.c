#include <config.h>

#include "report/parts/report_tables.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/text.h"

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

void
report_tables_write(
    const struct report_tables *list, const struct report_how *how, FILE *f)
{
	const int is_page = strcmp(how->format->name, "html") == 0;

	if (is_page)
		table_page_start(
		    "report_results", language_names[how->lang], f);
	for (size_t i = 0; i < list->n; i++) {
		struct table *t = &list->items[i];

		t->copies = 0;
		for (size_t k = 0; k < i; k++)
			t->copies += list->items[k].n_rows > 0 &&
			    text_same(list->items[k].name, t->name) &&
			    text_same(list->items[k].title, t->title);
	}
	table_write_all(list->items, list->n, how->format, how->colour, f);
	if (is_page)
		table_page_end(f);
}
