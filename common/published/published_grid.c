/* The cells of a table before their meaning is known. */
#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "common/published/published_parts.h"

struct grid_row *
grid_add_row(struct grid *g, long line)
{
	struct grid_row *row;

	g->rows = vec_grow(g->rows, g->n, &g->alloc, sizeof *g->rows);
	row = &g->rows[g->n++];
	*row = (struct grid_row){ NULL, 0, 0, line };
	return row;
}

int
grid_add_cell(struct grid *g, const char *text, long line, long col)
{
	struct grid_row *row = &g->rows[g->n - 1];

	if (row->n == PUBLISHED_MAX_COLUMNS ||
	    g->n_cells == PUBLISHED_MAX_CELLS)
		return -1;
	row->cells =
	    vec_grow(row->cells, row->n, &row->alloc, sizeof *row->cells);
	row->cells[row->n++] = (struct grid_cell){ text, line, col };
	g->n_cells++;
	return 0;
}

void
grid_release(struct grid *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->rows[i].cells);
	free(g->rows);
	*g = (struct grid){ 0 };
}
