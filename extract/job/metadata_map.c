#include <config.h>

#include "extract/job/metadata_map.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/text.h"
#include "extract/input/file_list.h"
#include "extract/format/patterns/field_names.h"

enum { MAX_COLUMNS = 64, MAX_CELL = 65536, MAX_ROWS = 1000000 };

/* State while reading the table. */
struct metadata_map_reader {
	struct metadata_map *map;
	const char *path;
	const char *at, *end; /* the current line */
	long line;
	struct error *e;
};

static int
map_error(
    const struct metadata_map_reader *r, const char *what, const char *name)
{
	return error_at(r->e, ERROR_INPUT, r->path, r->line, 0, "%s%s%s%s",
	    what, name != NULL ? " '" : "", name != NULL ? name : "",
	    name != NULL ? "'" : "");
}

/* Read the cells of a line, without surrounding spaces; a quote in a quoted
 * cell is doubled. Returns their number, of which MAX_COLUMNS are stored; 0 and
 * sets e if one is malformed. */
static size_t
read_cells(struct metadata_map_reader *r, const char *cells[MAX_COLUMNS])
{
	const char *at = r->at, *const end = r->end;
	char *to = arena_alloc(&r->map->arena, (size_t)(end - at) + 1);
	size_t n = 0;

	for (;; at++) {
		char *cell = to;

		at += strspn(at, " \t");
		if (at < end && *at == '"') {
			for (at++; at < end && (*at != '"' || at[1] == '"');
			     at++) {
				at += *at == '"';
				*to++ = *at;
			}
			if (at == end) {
				map_error(r, "a quote is not closed", NULL);
				return 0;
			}
			at++;
			at += strspn(at, " \t\r");
			if (at < end && *at != ',') {
				map_error(r,
				    "there is text after a quoted cell", NULL);
				return 0;
			}
		}
		while (at < end && *at != ',')
			*to++ = *at++;
		while (to > cell && strchr(" \t\r", to[-1]) != NULL)
			to--;
		if (to - cell > MAX_CELL) {
			map_error(r, "a cell is longer than 64 KiB", NULL);
			return 0;
		}
		*to++ = '\0';
		if (n < MAX_COLUMNS)
			cells[n] = cell;
		n++;
		if (at >= end)
			return n;
	}
}

static int
read_header(struct metadata_map_reader *r)
{
	struct metadata_map *map = r->map;
	const char *cells[MAX_COLUMNS];
	size_t n, i, j;

	n = read_cells(r, cells);
	if (n == 0)
		return -1;
	if (strcmp(cells[0], "file") != 0)
		return map_error(
		    r, "the first column is to be 'file', not", cells[0]);
	if (n < 2)
		return map_error(r, "there is no column after 'file'", NULL);
	if (n > MAX_COLUMNS)
		return map_error(r, "there are too many columns", NULL);
	map->columns = arena_calloc(&map->arena, n - 1, sizeof *map->columns);
	for (i = 1; i < n; i++) {
		const struct field_name *w =
		    field_name_find(cells[i], strlen(cells[i]));
		const int label =
		    strncmp(cells[i], "label_", 6) == 0 && cells[i][6] != '\0';

		if (!label &&
		    (w == NULL ||
			(w->roles & FIELD_NAME_IN(ROLE_LAYOUT)) == 0 ||
			strcmp(w->name, "rank") == 0))
			return map_error(r,
			    "a column is a field of layouts (doc/formats.md) "
			    "or label_NAME, not",
			    cells[i]);
		for (j = 1; j < i; j++)
			if (strcmp(cells[i], cells[j]) == 0)
				return map_error(
				    r, "there are two columns", cells[i]);
		map->columns[map->n_columns++] = (struct metadata_map_column){
			label ? cells[i] + 6 : w->name, label
		};
	}
	return 0;
}

/* Check that a count is valid; convert framework and the like to lower case. */
static int
check_value(const struct metadata_map_reader *r,
    const struct metadata_map_column *c, char *value)
{
	const struct field_name *w =
	    c->is_label ? NULL : field_name_find(c->key, strlen(c->key));
	long n;

	if (w == NULL || value[0] == '\0')
		return 0;
	if (w->lowercase)
		text_lowercase(value);
	if (w->type == FIELD_NAME_COUNT &&
	    parse_long(value, 1, LONG_MAX, &n) != 0) {
		error_at(r->e, ERROR_INPUT, r->path, r->line, 0,
		    "%s: '%s' is not a whole number above 0", c->key, value);
		return -1;
	}
	return 0;
}

static int
read_row(struct metadata_map_reader *r)
{
	struct metadata_map *map = r->map;
	const char *cells[MAX_COLUMNS];
	const size_t n = read_cells(r, cells);
	struct metadata_map_row row = { cells[0], NULL, r->line };

	if (n == 0)
		return -1;
	if (n != map->n_columns + 1)
		return error_at(r->e, ERROR_INPUT, r->path, r->line, 0,
		    "the row has %zu cells, the header %zu", n,
		    map->n_columns + 1);
	if (cells[0][0] == '\0')
		return map_error(r, "the row names no file", NULL);
	if (map->n_rows == MAX_ROWS)
		return map_error(r, "the table has too many rows", NULL);
	row.values = arena_calloc(&map->arena, n, sizeof *row.values);
	for (size_t i = 0; i < map->n_columns; i++) {
		char *value = arena_strdup(&map->arena, cells[i + 1]);

		if (check_value(r, &map->columns[i], value) != 0)
			return -1;
		row.values[i] = value;
	}
	map->rows =
	    vec_grow(map->rows, map->n_rows, &map->alloc_rows, sizeof row);
	map->rows[map->n_rows++] = row;
	return 0;
}

struct map_path {
	const char *path;
	size_t row;
};

static int
by_path(const void *a, const void *b)
{
	const struct map_path *x = a, *y = b;
	const int d = strcmp(x->path, y->path);

	return d != 0 ? d : (x->row > y->row) - (x->row < y->row);
}

/* Sort the rows with paths; list those with globs separately. */
static void
index_rows(struct metadata_map *map)
{
	struct map_path *paths = xcalloc(map->n_rows + 1, sizeof *paths);

	map->paths = arena_calloc(&map->arena, map->n_rows, sizeof *map->paths);
	map->globs = arena_calloc(&map->arena, map->n_rows, sizeof *map->globs);
	for (size_t i = 0; i < map->n_rows; i++)
		if (strpbrk(map->rows[i].glob, "*?[\\") == NULL)
			paths[map->n_paths++] =
			    (struct map_path){ map->rows[i].glob, i };
		else
			map->globs[map->n_globs++] = i;
	qsort(paths, map->n_paths, sizeof *paths, by_path);
	for (size_t i = 0; i < map->n_paths; i++)
		map->paths[i] = paths[i].row;
	free(paths);
}

/* Read all lines. Blank lines and those that begin with '#' are skipped. */
static int
read_lines(struct metadata_map_reader *r, const char *text)
{
	int rc = 0;

	if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3;
	while (rc == 0 && *text != '\0') {
		r->line++;
		r->at = text;
		r->end = text + strcspn(text, "\n");
		text = r->end + (*r->end == '\n');
		if (*r->at == '#' || r->at + strspn(r->at, " \t\r") >= r->end)
			continue;
		rc = r->map->columns == NULL ? read_header(r) : read_row(r);
	}
	if (rc == 0 && r->map->columns == NULL) {
		r->line++;
		rc = map_error(r, "the table is empty", NULL);
	}
	return rc;
}

int
metadata_map_read(struct metadata_map *map, const char *path, struct error *e)
{
	struct metadata_map_reader r = { map, path, NULL, NULL, 0, e };
	size_t len;
	char *text = read_whole_file(path, &len, e);
	int rc;

	*map = (struct metadata_map)METADATA_MAP_INIT;
	if (text == NULL)
		return error_prefix(e, "--map: '%s'", path);
	if (memchr(text, '\0', len) != NULL) {
		r.line = 1;
		rc = map_error(&r, "the table holds NUL bytes", NULL);
	} else {
		rc = read_lines(&r, text);
	}
	free(text);
	if (rc != 0)
		metadata_map_release(map);
	else
		index_rows(map);
	return rc;
}

void
metadata_map_release(struct metadata_map *map)
{
	free(map->rows);
	arena_release(&map->arena);
	*map = (struct metadata_map)METADATA_MAP_INIT;
}

/* First row with exactly that path at or after `from`, or map->n_rows. */
static size_t
next_of_path(const struct metadata_map *map, const char *path, size_t from)
{
	size_t low = 0, high = map->n_paths;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const size_t row = map->paths[middle];
		const int d = strcmp(map->rows[row].glob, path);

		if (d < 0 || (d == 0 && row < from))
			low = middle + 1;
		else
			high = middle;
	}
	return low < map->n_paths &&
		strcmp(map->rows[map->paths[low]].glob, path) == 0
	    ? map->paths[low]
	    : map->n_rows;
}

size_t
metadata_map_next(const struct metadata_map *map, const char *path, size_t from)
{
	size_t next = map->n_rows;

	for (size_t i = 0; i < map->n_globs && next == map->n_rows; i++)
		if (map->globs[i] >= from &&
		    file_list_fits(path, map->rows[map->globs[i]].glob))
			next = map->globs[i];
	for (const char *s = path; *s != '\0'; s++)
		if (s == path || s[-1] == '/') {
			const size_t row = next_of_path(map, s, from);

			next = row < next ? row : next;
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
