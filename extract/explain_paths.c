#include <config.h>

#include "extract/modes.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "common/table/table.h"
#include "extract/format/path_layout.h"

enum { MAX_NAMED_KEYS = 64 };

/* State of --explain-paths: the keys of all files in order of appearance. */
struct paths_preview {
	const struct extraction *x;
	struct arena arena;
	const char *keys[MAX_NAMED_KEYS];
	size_t n_keys;
	size_t n_mute, n_unfit; /* files whose names state nothing; files that
				   do not fit --path */
};

static const char *
key_of(struct paths_preview *p, const char *key, int is_label)
{
	return is_label ? arena_printf(&p->arena, "label %s", key) : key;
}

static size_t
find_key(struct paths_preview *p, const char *key)
{
	size_t i = 0;

	while (i < p->n_keys && strcmp(p->keys[i], key) != 0)
		i++;
	return i;
}

/* Set a value's cell unless a source of higher precedence has set it. */
static void
note_metadata(struct paths_preview *p, const char *cells[MAX_NAMED_KEYS],
    const char *key, const char *value)
{
	const size_t i = find_key(p, key);

	if (i == p->n_keys) {
		if (p->n_keys == MAX_NAMED_KEYS)
			return;
		p->keys[p->n_keys++] = arena_strdup(&p->arena, key);
	}
	if (cells[i] == NULL)
		cells[i] = arena_strdup(&p->arena, value);
}

static void
note_source(struct strbuf *by, const char *name)
{
	const char *at = strstr(by->buf, name);

	if (at == NULL)
		strbuf_printf(by, "%s%s", by->len > 0 ? ", " : "", name);
}

/* Collect the metadata of one file.
 *
 * by  out: sources of the metadata */
static void
look_at_file(struct paths_preview *p, const struct log_file *file,
    const char *cells[MAX_NAMED_KEYS], struct strbuf *by)
{
	const struct metadata_map *map = &p->x->map;
	struct path_layout_match m;

	for (size_t i = metadata_map_next(map, file->where, 0); i < map->n_rows;
	     i = metadata_map_next(map, file->where, i + 1)) {
		const struct metadata_map_row *row = &map->rows[i];

		for (size_t k = 0; k < map->n_columns; k++)
			if (row->values[k][0] != '\0')
				note_metadata(p, cells,
				    key_of(p, map->columns[k].key,
					map->columns[k].is_label),
				    row->values[k]);
		note_source(
		    by, arena_printf(&p->arena, "map line %ld", row->line));
	}
	path_layout_match(&p->x->layouts, file->where, &m);
	for (size_t i = 0; i < m.n_metadata; i++) {
		note_metadata(p, cells,
		    key_of(p, m.metadata[i].key, m.metadata[i].is_label),
		    m.metadata[i].value);
		note_source(by, m.metadata[i].layout);
	}
	p->n_mute += by->len == 0;
	p->n_unfit += !path_template_fits(&m);
	path_layout_match_release(&m);
}

static void
add_notes(const struct paths_preview *p, struct table *t)
{
	const size_t n = p->x->files.n_files;

	if (p->x->settings->paths.n > 0 && p->n_unfit > 0)
		table_note(
		    t, "%zu of %zu names do not fit --path.", p->n_unfit, n);
	if (p->n_mute > 0)
		table_note(t,
		    "%zu of %zu names state nothing; what their logs lack "
		    "--path='...{nodes}...' can find in the name, or "
		    "--map=FILE can state for each.",
		    p->n_mute, n);
}

void
explain_paths(const struct extraction *x, FILE *out)
{
	struct paths_preview p = { .x = x, .arena = ARENA_INIT };
	const size_t n = x->files.n_files;
	const char *(*cells)[MAX_NAMED_KEYS] = xcalloc(n, sizeof *cells);
	const char **by = xcalloc(n, sizeof *by);
	struct table t;

	for (size_t i = 0; i < n; i++) {
		struct strbuf sb;

		strbuf_init(&sb, 4096);
		look_at_file(&p, &x->files.files[i], cells[i], &sb);
		by[i] = arena_strdup(&p.arena, sb.buf);
		strbuf_release(&sb);
	}
	table_init(&t);
	table_column(&t, "log", NULL, TABLE_LEFT);
	for (size_t k = 0; k < p.n_keys; k++)
		table_column(&t, p.keys[k], NULL, TABLE_LEFT);
	table_column(&t, "stated by", NULL, TABLE_LEFT);
	for (size_t i = 0; i < n; i++) {
		table_row(&t);
		table_cell(&t, x->files.files[i].shown);
		for (size_t k = 0; k < p.n_keys; k++)
			table_cell(&t, cells[i][k] != NULL ? cells[i][k] : "");
		table_cell(&t, by[i]);
	}
	add_notes(&p, &t);
	table_write(
	    &t, table_format_find(x->settings->format), TABLE_COLOUR_OFF, out);
	table_release(&t);
	arena_release(&p.arena);
	free(cells);
	free(by);
}
