/* What files that group or split series share. */
#ifndef COMMON_SERIES_SERIES_PARTS_H
#define COMMON_SERIES_SERIES_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/hash_index.h"
#include "common/result/work_rate.h"
#include "common/series/series.h"
#include "common/text.h"

/* A set without series, with the names of the keys of fixed place. */
void series_set_init(struct series_set *set);

/* True if a selection admits a case of a series with these values.  Values of
 * one key are alternatives, all keys must match.  Keys of a shape (nodes, gpus,
 * gpus_per_node, case) are the case's where no label has such a name.
 *
 * select  NULL or empty: it does
 * c       NULL: any of the series */
int series_is_selected(const struct series_set *set,
    const struct opt_list *select, const char *const *values,
    const struct result_case *c);

/* Require "key=value" items.  Returns 0, or -1 with ERROR_USAGE. */
int series_selection_check(const struct opt_list *select, struct error *e);

/* Fill e with ERROR_EMPTY and what could have been selected by the keys of
 * select.  Returns -1. */
int series_nothing_selected(const struct series_set *all,
    const struct opt_list *select, struct error *e);

/* Set baseline, speedup and efficiency of c over base.  Returns 0 where their
 * work cannot be compared, and leaves c as it is; else 1 and the scale. */
int series_case_speedup(struct result_case *c, const struct result_case *base,
    int strong, struct work_scale *scale);

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
