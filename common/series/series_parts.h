/* Private helpers for grouping and splitting series. */
#ifndef COMMON_SERIES_SERIES_PARTS_H
#define COMMON_SERIES_SERIES_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/hash_index.h"
#include "common/result/work_rate.h"
#include "common/series/series.h"
#include "common/text.h"

/* Initialize a set without series, with the names of the fixed keys. */
void series_set_init(struct series_set *set);

/* True if a selection matches a case of a series with these values. Values of
 * one key are alternatives; all keys must match. Topology keys (nodes, gpus,
 * gpus_per_node, case) refer to the case unless a label has that name.
 *
 * select  NULL or empty: match all
 * c       NULL: any case of the series */
int series_is_selected(const struct series_set *set,
    const struct opt_list *select, const char *const *values,
    const struct result_case *c);

/* Check that all items are "key=value". Returns 0, or -1 with ERROR_USAGE. */
int series_selection_check(const struct opt_list *select, struct error *e);

/* Fill e with ERROR_EMPTY and the values available for the keys of select.
 * Returns -1. */
int series_nothing_selected(const struct series_set *all,
    const struct opt_list *select, struct error *e);

/* Set baseline, speedup and efficiency of c over base. Returns 1 and sets the
 * scale, or 0 with c unchanged if their work cannot be compared. */
int series_case_speedup(struct result_case *c, const struct result_case *base,
    int strong, struct work_scale *scale);

/* True if the values of these keys are the same.  Unknown values are equal.
 *
 * a, b  [SERIES_MAX_KEYS]
 * keys  mask of keys */
static inline int
series_values_same(const char *const *a, const char *const *b, uint64_t keys)
{
	for (size_t k = 0; k < SERIES_MAX_KEYS; k++)
		if ((keys & SERIES_BIT(k)) != 0 && !text_same(a[k], b[k]))
			return 0;
	return 1;
}

/* Hash of the values of these keys; begin as for hash_bytes. Unknown values add
 * nothing, so that new keys do not change earlier hashes. */
static inline uint32_t
series_values_hash(uint32_t begin, const char *const *values, uint64_t keys)
{
	for (size_t k = 0; k < SERIES_MAX_KEYS; k++)
		if ((keys & SERIES_BIT(k)) != 0)
			begin = hash_text(begin, values[k]);
	return begin;
}

/* --- topologies ----------------------------------------------------------- */

/* Topology of a case. If the GPUs are unknown, it is identified by the name. */
struct case_shape {
	long nodes, gpus; /* or RESULT_UNKNOWN */
	const char *name; /* case name, or NULL */
};

/* The topology of a case. The name is borrowed. */
static inline struct case_shape
case_shape_of(const struct result_case *c)
{
	return (struct case_shape){ c->nodes, c->gpus, c->name };
}

/* True if both are equal. */
static inline int
case_shape_same(struct case_shape a, struct case_shape b)
{
	return a.gpus == b.gpus && a.nodes == b.nodes &&
	    (a.gpus != RESULT_UNKNOWN || text_same(a.name, b.name));
}

#endif
