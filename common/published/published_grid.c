/* The cells of a table before their meaning is known. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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
	row->cells[row->n++] = (struct grid_cell){ text, line, col, 1, 1 };
	g->n_cells++;
	return 0;
}

void
grid_set_span(struct grid *g, long across, long down)
{
	struct grid_row *row = &g->rows[g->n - 1];

	row->cells[row->n - 1].across = across;
	row->cells[row->n - 1].down = down;
}

void
grid_release(struct grid *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->rows[i].cells);
	free(g->rows);
	*g = (struct grid){ 0 };
}

const struct grid_cell *
grid_at(const struct grid *g, size_t row, size_t column)
{
	static const struct grid_cell no_cell = { "", 0, 0, 1, 1 };

	return row < g->n && column < g->rows[row].n
	    ? &g->rows[row].cells[column]
	    : &no_cell;
}

int
grid_row_is_empty(const struct grid_row *row)
{
	for (size_t i = 0; i < row->n; i++)
		if (row->cells[i].text[0] != '\0')
			return 0;
	return 1;
}

/* --- decimal marks -------------------------------------------------------- */

/* True if exactly three digits follow every mark in [s, end). */
static int
is_grouped(const char *s, const char *end, char mark)
{
	for (; s < end; s++)
		if (*s == mark &&
		    (strspn(s + 1, "0123456789") != 3 || s + 4 > end))
			return 0;
	return 1;
}

/* What parts the decimals of a text's first number: ',' or '.', or 0 where it
 * may be either, as in "1,570". */
static char
decimal_mark_of(const char *s)
{
	size_t dots = 0, commas = 0, whole, len;
	char last = 0;

	s += strcspn(s, "0123456789");
	len = strspn(s, "0123456789.,");
	while (len > 0 && !isdigit((unsigned char)s[len - 1]))
		len--;
	for (size_t i = 0; i < len; i++) {
		dots += s[i] == '.';
		commas += s[i] == ',';
		last = s[i] == '.' || s[i] == ',' ? s[i] : last;
	}
	if (dots + commas == 0)
		return 0;
	if (dots > 0 && commas > 0)
		return (last == '.' ? dots : commas) == 1 ? last : 0;
	if (dots + commas > 1)
		return 0;
	/* One mark: no group begins with 0 or has other than three digits. */
	whole = strcspn(s, ".,");
	if (is_grouped(s, s + len, last) && whole <= 3 && *s != '0')
		return 0;
	return last;
}

char
grid_decimal_mark(const struct grid *g, const char **example)
{
	size_t commas = 0;

	*example = NULL;
	for (size_t i = 1; i < g->n; i++)
		for (size_t k = 0; k < g->rows[i].n; k++) {
			const char *text = g->rows[i].cells[k].text;
			const char mark = isdigit((unsigned char)text[0])
			    ? decimal_mark_of(text)
			    : 0;

			if (mark == '.') {
				*example = NULL;
				return '.';
			}
			if (mark == ',' && commas++ == 0)
				*example = text;
		}
	/* One alone may be a slip. */
	if (commas > 1)
		return ',';
	*example = NULL;
	return '.';
}
