#include <config.h>

#include "extract/job/extraction.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/files/files.h"
#include "common/text.h"
#include "extract/input/file_list.h"
#include "extract/format/patterns/field_names.h"

enum { MAX_COLUMNS = 64, MAX_CELL = 65536, MAX_ROWS = 1000000 };

/* State while reading the table. */
struct metadata_map_reader {
	struct metadata_map *map;
	long line;
	const char *cells[MAX_COLUMNS]; /* of the line, [n_cells] */
	size_t n_cells;                 /* may exceed MAX_COLUMNS */
	struct error *e;
};

/* Read the cells of a line, without surrounding spaces; a quote in a quoted
 * cell is doubled. Returns 0 or -1. */
static int
read_cells(struct metadata_map_reader *r, const char *at, const char *end)
{
	char *to = arena_calloc(&r->map->arena, 1, (size_t)(end - at) + 1);

	for (r->n_cells = 0;; at++) {
		char *cell = to;

		at += strspn(at, " \t");
		if (at < end && *at == '"') {
			for (at++; at < end && (*at != '"' || at[1] == '"');
			     at++) {
				at += *at == '"';
				*to++ = *at;
			}
			if (at == end)
				return error_set(
				    r->e, ERROR_INPUT, "a quote is not closed");
			at++;
			at += strspn(at, " \t\r");
			if (at < end && *at != ',')
				return error_set(r->e, ERROR_INPUT,
				    "there is text after a quoted cell");
		}
		while (at < end && *at != ',')
			*to++ = *at++;
		while (to > cell && strchr(" \t\r", to[-1]) != NULL)
			to--;
		if (to - cell > MAX_CELL)
			return error_set(
			    r->e, ERROR_INPUT, "a cell is longer than 64 KiB");
		*to++ = '\0';
		if (r->n_cells < MAX_COLUMNS)
			r->cells[r->n_cells] = cell;
		r->n_cells++;
		if (at >= end)
			return 0;
	}
}

static int
read_header(struct metadata_map_reader *r)
{
	struct metadata_map *map = r->map;
	const size_t n = r->n_cells;

	if (strcmp(r->cells[0], "file") != 0)
		return error_set(r->e, ERROR_INPUT,
		    "the first column must be 'file', not '%s'", r->cells[0]);
	if (n < 2)
		return error_set(
		    r->e, ERROR_INPUT, "there is no column after 'file'");
	if (n > MAX_COLUMNS)
		return error_set(
		    r->e, ERROR_INPUT, "there are too many columns");
	map->columns = arena_calloc(&map->arena, n - 1, sizeof *map->columns);
	for (size_t i = 1; i < n; i++) {
		const char *cell = r->cells[i];
		const struct field_name *w =
		    field_name_find(cell, strlen(cell));
		const int label =
		    strncmp(cell, "label_", 6) == 0 && cell[6] != '\0';

		if (!label &&
		    (w == NULL ||
			(w->roles & FIELD_NAME_IN(ROLE_LAYOUT)) == 0 ||
			strcmp(w->name, "rank") == 0))
			return error_set(r->e, ERROR_INPUT,
			    "a column must be a field of layouts "
			    "(doc/formats.md) or label_NAME, not '%s'",
			    cell);
		for (size_t j = 1; j < i; j++)
			if (strcmp(cell, r->cells[j]) == 0)
				return error_set(r->e, ERROR_INPUT,
				    "there are two columns '%s'", cell);
		map->columns[map->n_columns++] =
		    (struct metadata_map_column){ label ? cell + 6 : w->name,
			    label };
	}
	return 0;
}

/* Read a row: counts are checked, framework and the like become lower case. */
static int
read_row(struct metadata_map_reader *r)
{
	struct metadata_map *map = r->map;
	struct metadata_map_row row = { r->cells[0], NULL, r->line };

	if (r->n_cells != map->n_columns + 1)
		return error_set(r->e, ERROR_INPUT,
		    "the row has %zu cells, the header %zu", r->n_cells,
		    map->n_columns + 1);
	if (row.glob[0] == '\0')
		return error_set(r->e, ERROR_INPUT, "the row names no file");
	if (map->n_rows == MAX_ROWS)
		return error_set(
		    r->e, ERROR_INPUT, "the table has too many rows");
	row.values =
	    arena_calloc(&map->arena, map->n_columns, sizeof *row.values);
	for (size_t i = 0; i < map->n_columns; i++) {
		const struct metadata_map_column *c = &map->columns[i];
		const struct field_name *w = c->is_label
		    ? NULL
		    : field_name_find(c->key, strlen(c->key));
		char *value = arena_strdup(&map->arena, r->cells[i + 1]);
		long n;

		row.values[i] = value;
		if (w == NULL || value[0] == '\0')
			continue;
		if (w->lowercase)
			text_lowercase(value);
		if (w->type == FIELD_NAME_COUNT &&
		    parse_long(value, 1, LONG_MAX, &n) != 0)
			return error_set(r->e, ERROR_INPUT,
			    "%s: '%s' is not a whole number above 0", c->key,
			    value);
	}
	map->rows = arena_grow(&map->arena, map->rows, map->n_rows, sizeof row);
	map->rows[map->n_rows++] = row;
	return 0;
}

static int
by_path(const void *a, const void *b)
{
	const struct metadata_map_row *x = *(struct metadata_map_row *const *)a;
	const struct metadata_map_row *y = *(struct metadata_map_row *const *)b;
	const int d = strcmp(x->glob, y->glob);

	return d != 0 ? d : (x > y) - (x < y);
}

int
metadata_map_read(struct metadata_map *map, const char *path, struct error *e)
{
	struct metadata_map_reader r = { .map = map, .line = 1, .e = e };
	size_t len;
	char *text = read_whole_file(path, &len, e);
	const char *at = text, *end;
	int rc = 0;

	*map = (struct metadata_map){ .n_rows = 0 };
	if (text == NULL)
		return error_prefix(e, "--map");
	if (memchr(text, '\0', len) != NULL)
		rc = error_set(e, ERROR_INPUT, "the table holds NUL bytes");
	else if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	for (; rc == 0 && *at != '\0'; at = end + (*end == '\n')) {
		end = at + strcspn(at, "\n");
		if (*at != '#' && at + strspn(at, " \t\r") < end)
			rc = read_cells(&r, at, end) != 0 ? -1
			    : map->columns == NULL        ? read_header(&r)
							  : read_row(&r);
		r.line += rc == 0;
	}
	if (rc == 0 && map->columns == NULL)
		rc = error_set(e, ERROR_INPUT, "the table is empty");
	free(text);
	if (rc != 0) {
		metadata_map_release(map);
		return error_prefix(e, "%s:%ld", path, r.line);
	}
	/* Sort the rows with paths; list those with globs separately. */
	map->paths = arena_calloc(&map->arena, map->n_rows, sizeof *map->paths);
	map->globs = arena_calloc(&map->arena, map->n_rows, sizeof *map->globs);
	for (size_t i = 0; i < map->n_rows; i++)
		if (strpbrk(map->rows[i].glob, "*?[\\") == NULL)
			map->paths[map->n_paths++] = &map->rows[i];
		else
			map->globs[map->n_globs++] = &map->rows[i];
	if (map->n_paths > 1)
		qsort(map->paths, map->n_paths, sizeof *map->paths, by_path);
	return 0;
}

void
metadata_map_release(struct metadata_map *map)
{
	arena_release(&map->arena);
	*map = (struct metadata_map){ .n_rows = 0 };
}

size_t
metadata_map_next(const struct metadata_map *map, const char *path, size_t from)
{
	size_t next = map->n_rows;

	for (size_t i = 0; i < map->n_globs && next == map->n_rows; i++)
		if (map->globs[i] >= map->rows + from &&
		    file_list_fits(path, map->globs[i]->glob))
			next = (size_t)(map->globs[i] - map->rows);
	for (const char *s = path; *s != '\0'; s++) {
		size_t low = 0, high = map->n_paths;

		if (s > path && s[-1] != '/')
			continue;
		/* Find the first row, at or after `from`, with the path s. */
		while (low < high) {
			const size_t middle = low + (high - low) / 2;
			const struct metadata_map_row *row = map->paths[middle];
			const int d = strcmp(row->glob, s);

			if (d < 0 || (d == 0 && row < map->rows + from))
				low = middle + 1;
			else
				high = middle;
		}
		if (low < map->n_paths &&
		    strcmp(map->paths[low]->glob, s) == 0 &&
		    map->paths[low] < map->rows + next)
			next = (size_t)(map->paths[low] - map->rows);
	}
	return next;
}

void
metadata_map_state(const struct metadata_map *map, const char *path,
    struct metadata_stated *stated)
{
	for (size_t i = metadata_map_next(map, path, 0); i < map->n_rows;
	     i = metadata_map_next(map, path, i + 1)) {
		const struct metadata_map_row *row = &map->rows[i];

		for (size_t k = 0; k < map->n_columns; k++) {
			const struct metadata_map_column *c = &map->columns[k];

			if (row->values[k][0] == '\0')
				continue;
			if (c->is_label)
				metadata_label(stated, METADATA_MAP, c->key,
				    row->values[k]);
			else
				metadata_state(stated, METADATA_MAP, c->key,
				    row->values[k], row->line);
		}
	}
}
