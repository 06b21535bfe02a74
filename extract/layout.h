/* Layouts: what the path of a log says.  Data like formats: NAME.layout files
 * with patterns over the path and sample paths that are checked.
 *
 *	struct layout_set set;
 *	if (layout_set_load(&set, &path, &e) != 0) ...
 *	layout_match(&set, "4n8g/r50_b128_fp32_1.log", &m);
 *	for (i = 0; i < m.n_facts; i++)
 *		... m.facts[i].key, .value, .layout ...
 *	layout_match_release(&m);
 */
#ifndef EXTRACT_LAYOUT_H
#define EXTRACT_LAYOUT_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/format.h"

/* Keys that layouts give: nodes gpus_per_node gpus model batch_size
 * batch_size_per_device precision framework run rank; any other name that a
 * pattern captures as label_NAME is the free label NAME. */
struct layout_fact {
	const char *key;
	const char *value;
	int is_label;       /* 1: a free label */
	const char *layout; /* name of the layout that said so */
};

struct layout_match {
	struct arena arena;
	struct layout_fact *facts;
	size_t n_facts, alloc_facts;
};

struct layout_set {
	struct arena arena;
	struct format **layouts; /* by priority, highest first, then name */
	size_t n_layouts, alloc_layouts;
};

/* Read all *.layout files of the folders; rules and errors as
 * format_set_load. */
int layout_set_load(
    struct layout_set *set, const struct search_path *path, struct error *e);
void layout_set_release(struct layout_set *set);

/* Ask every layout about a path ("/" between its parts, relative to the
 * operand, with the operand's own last parts in front where they help).  For
 * each key the first layout that knows it wins.
 *
 * m  filled; release it with layout_match_release
 *
 * Thread-safe. */
void layout_match(
    const struct layout_set *set, const char *path, struct layout_match *m);
void layout_match_release(struct layout_match *m);

/* The value of key, or NULL. */
const char *layout_match_get(const struct layout_match *m, const char *key);

/* Run the samples of one layout.  Returns 0, or -1 with e filled. */
int layout_check(const struct format *layout, struct error *e);

#endif
