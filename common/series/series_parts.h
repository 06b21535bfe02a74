/* What the files series*.c share.  No other file includes it. */
#ifndef COMMON_SERIES_SERIES_PARTS_H
#define COMMON_SERIES_SERIES_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/hash_index.h"
#include "common/result/result.h"
#include "common/series/series.h"
#include "common/text.h"

/* The values that state which series a case of a source is of.
 *
 * Returns 0, or -1 with ERROR_LIMIT for too many names of labels. */
int series_case_values(struct series_set *set, const struct result_file *s,
    const struct result_case *c, int by_source,
    const char *values[SERIES_MAX_KEYS], struct error *e);

/* True if a selection admits a series with these values.  Values of one key are
 * alternatives, all keys must match; keys of a shape are tested for each case.
 *
 * select  NULL or empty: it does */
int series_is_selected(const struct series_set *set,
    const struct opt_list *select, const char *const *values);

/* The same of a case's shape (nodes, gpus, gpus_per_node, case), where no label
 * has such a key. */
int series_case_is_selected(const struct series_set *set,
    const struct opt_list *select, const struct result_case *c);

/* Require "key=value" items.  Returns 0, or -1 with ERROR_USAGE. */
int series_selection_check(const struct opt_list *select, struct error *e);

/* Fill e with ERROR_EMPTY and what could have been selected by the keys of
 * select.  Returns -1. */
int series_nothing_selected(const struct series_set *all,
    const struct opt_list *select, struct error *e);

/* A new series with these values; pointers to others are stale after it. */
struct series *series_add(struct series_set *set, const char *const *values);

/* Add a copy of a point at the end. */
void series_add_point(struct series *s, const struct series_point *p);

/* Add a point for each run that failed in a case without any other run: where
 * it is clear of which series it is.  The points are not in order after it.
 *
 * Returns as series_case_values. */
int series_add_failed(struct series_set *set, const struct result_set *l,
    const struct series_how *how, struct error *e);

/* Where the points of a series are from several files: give each a copy of its
 * case, with baseline, speedup, its interval and efficiency over the smallest
 * case of the whole series (the one that --baseline named, where it did) on the
 * same device.  A case that has none loses the speedup that it had over its own
 * file's.
 *
 * s  points sorted by GPUs, then nodes
 * a  where the copies live */
void series_speedup(struct series *s, struct arena *a);

/* True if the values of these keys are the same.  Unknown values are equal.
 *
 * a, b  [SERIES_MAX_KEYS]
 * keys  bits of them */
static inline int
series_values_same(const char *const *a, const char *const *b, uint64_t keys)
{
	for (size_t k = 0; k < SERIES_MAX_KEYS; k++)
		if ((keys & SERIES_BIT(k)) != 0 && !text_same(a[k], b[k]))
			return 0;
	return 1;
}

/* A hash of them; begin as hash_bytes has it.  Unknown values add nothing: a
 * key that is met later does not change the hashes of series before it. */
static inline uint32_t
series_values_hash(uint32_t begin, const char *const *values, uint64_t keys)
{
	for (size_t k = 0; k < SERIES_MAX_KEYS; k++)
		if ((keys & SERIES_BIT(k)) != 0)
			begin = hash_text(begin, values[k]);
	return begin;
}

/* --- shapes --------------------------------------------------------------- */

/* On how many nodes and GPUs a case ran.  Where the GPUs are unknown, cases of
 * one name have one shape. */
struct case_shape {
	long nodes, gpus; /* or RESULT_UNKNOWN */
	const char *name; /* of the case, or NULL */
};

/* The shape of a case, whose name it borrows. */
static inline struct case_shape
case_shape_of(const struct result_case *c)
{
	return (struct case_shape){ c->nodes, c->gpus, c->name };
}

/* True if both are the same. */
static inline int
case_shape_same(struct case_shape a, struct case_shape b)
{
	return a.gpus == b.gpus && a.nodes == b.nodes &&
	    (a.gpus != RESULT_UNKNOWN || text_same(a.name, b.name));
}

/* A hash, which is the same of shapes that are; begin as hash_bytes has it. */
static inline uint32_t
case_shape_hash(uint32_t begin, struct case_shape x)
{
	const long counts[] = { x.nodes, x.gpus };
	const uint32_t hash = hash_bytes(begin, counts, sizeof counts);

	return x.gpus == RESULT_UNKNOWN ? hash_text(hash, x.name) : hash;
}

#endif
