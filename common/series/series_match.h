/* The values of series: whether two agree in some keys, and a hash of them, by
 * which series are found that do. */
#ifndef COMMON_SERIES_SERIES_MATCH_H
#define COMMON_SERIES_SERIES_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "common/hash_index.h"
#include "common/series/series_set.h"
#include "common/text.h"

/* Are the values of these keys the same?  Unknown ones are.
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

#endif
