/* For each case of a result the one of another that it is compared with.
 *
 *	struct partners all = partners_of(&set);
 *	q = partners_find(&all, s, p, 0, &other, &by_batch);
 *	partners_release(&all);
 */
#ifndef COMMON_SERIES_CASE_PARTNERS_H
#define COMMON_SERIES_CASE_PARTNERS_H

#include <stddef.h>
#include <stdint.h>

#include "common/hash_index.h"
#include "common/series/series.h"

struct partner;

struct partner_table {
	uint64_t keys;         /* that those of a chain agree in */
	struct partner *items; /* [n] */
	size_t n, alloc;
	struct hash_index first; /* of the chains */
};

/* Those that a point may be compared with. */
struct partners {
	struct partner_table same; /* of the same configuration */
	struct partner_table near; /* but for the batch size */
};

/* All points of the set, which must outlive them. */
struct partners partners_of(const struct series_set *set);

/* Free them. */
void partners_release(struct partners *all);

/* The other file's point for p of series s: of the same configuration, else,
 * where batch sizes may differ, of one that differs in them alone; NULL: there
 * is none.
 *
 * of        set to the series of what is returned
 * by_batch  set to one that differs in the batch size, where that may not be
 *           and there is no other; else NULL */
const struct series_point *partners_find(const struct partners *all,
    const struct series *s, const struct series_point *p, int allow_batch,
    const struct series **of, const struct series_point **by_batch);

#endif
