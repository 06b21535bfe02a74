#include <config.h>

#include "report/parts/case_links.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/alloc.h"

static int
compare_links(const void *pa, const void *pb)
{
	const uintptr_t a = (uintptr_t)((const struct case_link *)pa)->c;
	const uintptr_t b = (uintptr_t)((const struct case_link *)pb)->c;

	return (a > b) - (a < b);
}

void
case_links_init(struct case_links *l, const struct panel_list *panels)
{
	size_t n = 0;

	for (size_t i = 0; i < panels->n; i++)
		for (size_t k = 0; k < panels->items[i].n; k++)
			n += panels->items[i].s[k]->n_points;
	l->items = xcalloc(n + 1, sizeof *l->items);
	l->n = 0;
	for (size_t i = 0; i < panels->n; i++)
		for (size_t k = 0; k < panels->items[i].n; k++) {
			const struct series *s = panels->items[i].s[k];

			for (size_t j = 0; j < s->n_points; j++, l->n++)
				l->items[l->n] =
				    (struct case_link){ s->points[j].c, l->n };
		}
	if (l->n > 1)
		qsort(l->items, l->n, sizeof *l->items, compare_links);
}

long
case_links_number(const struct case_links *l, const struct result_case *c)
{
	const struct case_link key = { c, 0 };
	const struct case_link *found = l->n == 0
	    ? NULL
	    : bsearch(&key, l->items, l->n, sizeof key, compare_links);

	return found != NULL ? (long)found->number : CASE_NO_LINK;
}

/* "#case-3", in the table's arena; NULL: nowhere. */
static const char *
link_text(
    const struct case_links *l, struct table *t, const struct result_case *c)
{
	const long number = l != NULL ? case_links_number(l, c) : CASE_NO_LINK;

	return number == CASE_NO_LINK
	    ? NULL
	    : arena_printf(&t->arena, "#case-%ld", number);
}

void
case_links_cell(
    const struct case_links *l, struct table *t, const struct result_case *c)
{
	const struct table_row *row = &t->rows[t->n_rows - 1];
	struct table_cell *cell = &row->cells[row->n_cells - 1];

	if (row->n_cells > 0 && cell->text[0] != '\0')
		cell->link = link_text(l, t, c);
}

void
case_links_table(
    const struct case_links *l, struct table *t, const struct result_case *c)
{
	const char *link = link_text(l, t, c);

	for (size_t i = 0; i < t->n_rows; i++)
		for (size_t k = 0; k < t->rows[i].n_cells; k++)
			if (t->rows[i].cells[k].text[0] != '\0')
				t->rows[i].cells[k].link = link;
}

void
case_links_release(struct case_links *l)
{
	free(l->items);
	*l = (struct case_links){ NULL, 0 };
}
