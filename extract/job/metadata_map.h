/* --map: a table of files and what is known of them, for trees whose names and
 * logs lack it.
 *
 *	file,nodes,gpus_per_node,model,label_link
 *	old/run[12].log,1,8,resnet50,nvlink
 *	train-*.out,4,8,,ib
 *
 * The first column is a path, or a glob, of as many parts as it has; a file
 * takes from each row that fits what no row before stated.  An empty cell
 * states nothing.
 */
#ifndef EXTRACT_JOB_METADATA_MAP_H
#define EXTRACT_JOB_METADATA_MAP_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/measure/metadata.h"

struct metadata_map_column {
	const char *key; /* of the vocabulary, or the name of a label */
	int is_label;
};

struct metadata_map_row {
	const char *glob;
	const char **values; /* [n_columns]; "": nothing */
	long line;           /* of the table, from 1 */
};

struct metadata_map {
	struct arena arena;
	struct metadata_map_column *columns; /* without the first */
	size_t n_columns;
	struct metadata_map_row *rows;
	size_t n_rows, alloc_rows;
	/* For metadata_map_next: the rows that are paths, by these, and the
	 * others. */
	size_t *paths;
	size_t n_paths;
	size_t *globs; /* [n_globs] rows that are globs, in their order */
	size_t n_globs;
};

#define METADATA_MAP_INIT \
	{ \
		.arena = ARENA_INIT \
	}

/* Read a table: cells between commas, in double quotes where they hold some;
 * blank lines and those that begin with '#' do not count.
 *
 * Returns 0; or -1 with "FILE:LINE: ..." where a column is none of the
 * vocabulary, a row has other cells than the header, or a count is none. */
int metadata_map_read(
    struct metadata_map *map, const char *path, struct error *e);
void metadata_map_release(struct metadata_map *map);

/* The first row that fits a file from one on, or map->n_rows.  It looks at few
 * of them, so that a table may have a row for each of many files.
 *
 *	for (i = metadata_map_next(map, path, 0); i < map->n_rows;
 *	     i = metadata_map_next(map, path, i + 1)) ... map->rows[i] ... */
size_t metadata_map_next(
    const struct metadata_map *map, const char *path, size_t from);

/* What the rows state that fit a file.
 *
 * path    of the run's first file
 * stated  the strings live as long as the map */
void metadata_map_state(const struct metadata_map *map, const char *path,
    struct metadata_stated *stated);

#endif
