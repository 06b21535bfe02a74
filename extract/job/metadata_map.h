/* --map: a table of files and their metadata, for trees whose names and logs
 * lack them.
 *
 *	file,nodes,gpus_per_node,model,label_link
 *	old/run[12].log,1,8,resnet50,nvlink
 *	train-*.out,4,8,,ib
 *
 * The first column is a path, or a glob that matches the same number of path
 * components. A file takes from each matching row the values that no earlier
 * row states. An empty cell states nothing.
 */
#ifndef EXTRACT_JOB_METADATA_MAP_H
#define EXTRACT_JOB_METADATA_MAP_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/measure/metadata.h"

struct metadata_map_column {
	const char *key; /* from the vocabulary, or a label */
	int is_label;
};

struct metadata_map_row {
	const char *glob;
	const char **values; /* [n_columns]; "": not stated */
	long line;           /* line in the table, from 1 */
};

struct metadata_map {
	struct arena arena;
	struct metadata_map_column *columns; /* all but the first */
	size_t n_columns;
	struct metadata_map_row *rows;
	size_t n_rows, alloc_rows;
	/* Index of metadata_map_next: rows with paths, sorted, and rows with
	 * globs. */
	struct metadata_map_row **paths; /* [n_paths] */
	size_t n_paths;
	struct metadata_map_row **globs; /* [n_globs] in order */
	size_t n_globs;
};

#define METADATA_MAP_INIT \
	{ \
		.arena = ARENA_INIT \
	}

/* Read a table of comma-separated cells, with double quotes around cells that
 * contain commas. Blank lines and those that begin with '#' are ignored.
 *
 * Returns 0; or -1 with "FILE:LINE: ..." if a column is not in the vocabulary,
 * a row has more or fewer cells than the header, or a count is invalid. */
int metadata_map_read(
    struct metadata_map *map, const char *path, struct error *e);
void metadata_map_release(struct metadata_map *map);

/* First row at or after `from` that matches a file, or map->n_rows. Uses binary
 * search for paths, so that a table may have a row for each of many files.
 *
 *	for (i = metadata_map_next(map, path, 0); i < map->n_rows;
 *	     i = metadata_map_next(map, path, i + 1)) ... map->rows[i] ... */
size_t metadata_map_next(
    const struct metadata_map *map, const char *path, size_t from);

/* Collect the values of the rows that match a file.
 *
 * path    of the run's first file
 * stated  set; the strings live as long as the map */
void metadata_map_state(const struct metadata_map *map, const char *path,
    struct metadata_stated *stated);

#endif
