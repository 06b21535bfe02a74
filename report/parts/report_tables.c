#include <config.h>

#include "report/parts/report_tables.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/hash_index.h"

struct table *
report_tables_add(struct report_tables *list)
{
	struct table *t;

	list->items =
	    vec_grow(list->items, list->n, &list->alloc, sizeof *list->items);
	t = &list->items[list->n++];
	*t = TABLE_INIT;
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
	const char **names = xcalloc(list->n + 1, sizeof *names);
	int *copies = xcalloc(list->n + 1, sizeof *copies);
	struct hash_index known = HASH_INDEX_INIT;

	if (is_page)
		table_page_start(
		    "report_results", language_names[how->lang], f);
	for (size_t i = 0; i < list->n; i++) {
		struct table *t = &list->items[i];

		if (t->n_rows == 0)
			continue;
		names[i] = arena_printf(&t->arena, "%s\n%s",
		    t->name != NULL ? t->name : "",
		    t->title != NULL ? t->title : "");
		t->copies = copies[hash_index_first(&known, names, i)]++;
	}
	hash_index_release(&known);
	free(copies);
	free(names);
	table_write(list->items, list->n, how->format, how->colour, f);
	if (is_page)
		table_page_end(f);
}
