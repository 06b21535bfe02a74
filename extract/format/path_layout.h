/* Layouts: metadata in the path of a log.  NAME.layout files are data like
 * formats, with patterns for paths and sample paths that are checked; a
 * template (--path) is a layout for the paths of one tree.
 *
 *	struct path_layout_set set;
 *	if (path_layout_set_load(&set, &path, &e) != 0) ...
 *	path_layout_match(&set, "4n8g/r50_b128_fp32_1.log", &m);
 *	for (i = 0; i < m.n_metadata; i++)
 *		... m.metadata[i].key, .value, .layout ...
 *	path_layout_match_release(&m);
 */
#ifndef EXTRACT_FORMAT_PATH_LAYOUT_H
#define EXTRACT_FORMAT_PATH_LAYOUT_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/format/format.h"

/* Keys of layouts: nodes gpus_per_node gpus model batch_size
 * batch_size_per_device precision framework run rank.  A group label_NAME gives
 * the free label NAME. */
struct path_layout_metadata {
	const char *key;
	const char *value;
	int is_label;       /* 1: a free label */
	int user;           /* 1: from a user's layout or --path */
	const char *layout; /* layout that states it */
};

struct path_layout_match {
	struct arena arena;
	struct path_layout_metadata *metadata;
	size_t n_metadata, alloc_metadata;
};

struct path_layout_set {
	struct arena arena;
	struct format **layouts; /* by priority, highest first, then name */
	size_t n_layouts, alloc_layouts;
};

/* Read all *.layout files of the folders, with the rules and errors of
 * format_set_load. */
int path_layout_set_load(struct path_layout_set *set,
    const struct search_path *path, struct error *e);
void path_layout_set_release(struct path_layout_set *set);

/* Match a path against every layout.  Parts are separated by "/"; the path is
 * relative to the operand, preceded by the operand's own last parts if they
 * help.  The first layout that gives a key wins.
 *
 * m  filled; release it with path_layout_match_release
 *
 * Thread-safe. */
void path_layout_match(const struct path_layout_set *set, const char *path,
    struct path_layout_match *m);
void path_layout_match_release(struct path_layout_match *m);

/* The rank that path_layout_match finds, or NULL; the caller frees it.  Tries
 * only layouts that state a rank, for speed. */
char *path_layout_rank(const struct path_layout_set *set, const char *path);

/* Find the last occurrence of the number rank in path, preferably after "rank".
 * Returns its first digit and sets len to its digits; NULL if there is none. */
const char *path_layout_rank_place(
    const char *path, const char *rank, size_t *len);

/* The value of key, or NULL. */
const char *path_layout_match_get(
    const struct path_layout_match *m, const char *key);

/* Name of the layout of a template of --path. */
#define PATH_TEMPLATE_NAME "--path"

/* Add a template such as {model}-n{nodes}-bs{batch}-r{run}.log before all
 * layouts of the set and after the templates added earlier.
 *
 * template  {FIELD} captures a field of layouts: digits for a count, else any
 *           text up to the next part of the template. {batch} is the batch size
 *           per device, {label_NAME} a free label.  '*' matches any text
 *           without '/'.  The template matches the end of a path, starting at a
 *           part; it omits suffixes of compressed files.
 *
 * Returns 0, or -1 with ERROR_USAGE if a field is unknown or repeated. */
int path_template_add(
    struct path_layout_set *set, const char *template, struct error *e);

/* True if a template of the set matches the path. */
int path_template_fits(const struct path_layout_match *m);

#endif
