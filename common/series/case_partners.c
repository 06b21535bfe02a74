/* Results may have thousands of cases, so partners are found by hash tables: of
 * configuration and shape, and of these without the batch size. */
#include <config.h>

#include "common/series/case_partners.h"

#include <stdlib.h>

#include "common/alloc.h"
#include "common/series/series_parts.h"

/* Keys that distinguish no cases of two files, and those in which they may
 * differ if that is admitted. */
#define SIDE_KEYS \
	(SERIES_BIT(SERIES_SOURCE) | SERIES_BIT(SERIES_KIND) | \
	    SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_WORK))
#define BATCH_KEYS (SERIES_BIT(SERIES_BATCH) | SERIES_BIT(SERIES_GLOBAL_BATCH))

/* A point that another may be compared with.  Those of one configuration and
 * shape are a chain, in the order of the set. */
struct partner {
	const struct series *s;
	const struct series_point *p;
	size_t next; /* place of the next of the chain + 1; 0: none */
	size_t last; /* of the first of a chain: place of its last */
};

static int
is_of_chain(const void *table, size_t i, const void *key)
{
	const struct partner_table *t = table;
	const struct partner *x = &t->items[i], *y = key;

	return case_shape_same(
		   case_shape_of(x->p->c), case_shape_of(y->p->c)) &&
	    series_values_same(x->s->values, y->s->values, t->keys);
}

static uint32_t
partner_hash(const struct partner_table *t, const struct partner *x)
{
	return series_values_hash(
	    case_shape_hash(0, case_shape_of(x->p->c)), x->s->values, t->keys);
}

/* Place of the first of the chain that x is of, or HASH_INDEX_NONE. */
static size_t
partner_chain(const struct partner_table *t, const struct partner *x)
{
	return hash_index_find(
	    &t->first, partner_hash(t, x), is_of_chain, t, x);
}

static void
partner_add(struct partner_table *t, struct partner x)
{
	const size_t first = partner_chain(t, &x);

	x.last = t->n;
	if (first == HASH_INDEX_NONE) {
		hash_index_add(&t->first, partner_hash(t, &x), t->n);
	} else {
		struct partner *last = &t->items[t->items[first].last];

		/* Of a series that has the shape twice the first counts. */
		if (last->s == x.s)
			return;
		last->next = t->n + 1;
		t->items[first].last = t->n;
	}
	t->items = vec_grow(t->items, t->n, &t->alloc, sizeof *t->items);
	t->items[t->n++] = x;
}

static void
partner_table_fill(struct partner_table *t, const struct series_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++)
			partner_add(t,
			    (struct partner){ .s = &set->items[i],
				.p = &set->items[i].points[k] });
}

static void
partner_table_release(struct partner_table *t)
{
	free(t->items);
	hash_index_release(&t->first);
}

/* The first of a chain from that place + 1 on that is of another file, or
 * NULL. */
static const struct partner *
partner_of_other(
    const struct partner_table *t, size_t at, const struct series_point *p)
{
	for (; at > 0; at = t->items[at - 1].next)
		if (t->items[at - 1].s->points[0].source != p->source)
			return &t->items[at - 1];
	return NULL;
}

struct partners
partners_of(const struct series_set *set)
{
	struct partners all = { { .keys = ~SIDE_KEYS },
		{ .keys = ~(SIDE_KEYS | BATCH_KEYS) } };

	partner_table_fill(&all.same, set);
	partner_table_fill(&all.near, set);
	return all;
}

void
partners_release(struct partners *all)
{
	partner_table_release(&all->same);
	partner_table_release(&all->near);
}

const struct series_point *
partners_find(const struct partners *all, const struct series *s,
    const struct series_point *p, int allow_batch, const struct series **of,
    const struct series_point **by_batch)
{
	const struct partner key = { .s = s, .p = p };
	const struct partner *found;

	*by_batch = NULL;
	found = partner_of_other(
	    &all->same, partner_chain(&all->same, &key) + 1, p);
	if (found == NULL)
		found = partner_of_other(
		    &all->near, partner_chain(&all->near, &key) + 1, p);
	else
		allow_batch = 1;
	if (found == NULL)
		return NULL;
	if (allow_batch) {
		*of = found->s;
		return found->p;
	}
	/* The last one is named. */
	for (; found != NULL;
	     found = partner_of_other(&all->near, found->next, p))
		*by_batch = found->p;
	return NULL;
}
