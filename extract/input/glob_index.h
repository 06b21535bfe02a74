/* Which of many globs a path fits, without a look at each of them: a path that
 * fits one holds a few letters of it, and globs are looked up by these.
 *
 *	struct glob_index x = GLOB_INDEX_INIT;
 *	glob_index_add(&x, "old/run[12].log", 0);
 *	glob_index_add(&x, "train-*.out", 7);
 *	glob_index_sort(&x);
 *	place = glob_index_next(&x, "old/run2.log", 0);
 *	glob_index_release(&x);
 */
#ifndef EXTRACT_INPUT_GLOB_INDEX_H
#define EXTRACT_INPUT_GLOB_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define GLOB_INDEX_NONE SIZE_MAX

struct glob_key;

struct glob_index {
	struct glob_key *keys; /* once sorted, by their letters */
	size_t n, alloc;
};

#define GLOB_INDEX_INIT \
	{ \
		NULL, 0, 0 \
	}

/* Add a glob, which is borrowed.  No two have one place; GLOB_INDEX_NONE is
 * none. */
void glob_index_add(struct glob_index *x, const char *glob, size_t place);

/* After the last of them, and once: choose the letters of each. */
void glob_index_sort(struct glob_index *x);

/* The lowest place, from one on, of a glob that fits a path as
 * file_list_fits has it; or GLOB_INDEX_NONE. */
size_t glob_index_next(
    const struct glob_index *x, const char *path, size_t from);

/* Free it; it is as after GLOB_INDEX_INIT. */
void glob_index_release(struct glob_index *x);

#endif
