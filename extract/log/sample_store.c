#include <config.h>

#include "extract/log/sample_store.h"

#include <stdlib.h>

#include "common/alloc.h"

struct sample *
sample_store_next(struct sample_store *all)
{
	all->items =
	    vec_grow(all->items, all->n, &all->alloc, sizeof *all->items);
	return &all->items[all->n];
}

void
sample_store_add(struct sample_store *all, const struct sample *x)
{
	*sample_store_next(all) = *x;
	all->n++;
}

struct sample_store
sample_store_longest_bar(const struct sample_store *all)
{
	struct sample_store kept = SAMPLE_STORE_INIT;
	int32_t iters = SAMPLE_NONE;
	double most = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct sample *x = &all->items[i];

		if (x->value * x->iter > most) {
			most = x->value * x->iter;
			iters = x->iters;
		}
	}
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].iters == iters)
			sample_store_add(&kept, &all->items[i]);
	return kept;
}

void
sample_store_release(struct sample_store *all)
{
	free(all->items);
	*all = (struct sample_store)SAMPLE_STORE_INIT;
}

void
detail_store_add(struct detail_store *all, const struct log_detail *x)
{
	all->items =
	    vec_grow(all->items, all->n, &all->alloc, sizeof *all->items);
	all->items[all->n++] = *x;
}

void
detail_store_release(struct detail_store *all)
{
	free(all->items);
	*all = (struct detail_store){ .n = 0 };
}
