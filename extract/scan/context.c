/* Epoch and iteration that a header line printed, for the lines after it
 * which do not.  Called by scan_emit.c. */
#include <config.h>

#include "extract/scan/context.h"
#include "extract/scan/sample_from_match.h"

#include <stdlib.h>

#include "common/alloc.h"

/* The context of that rank, or NULL. */
static struct context *
context_find(struct contexts *all, int32_t rank)
{
	if (all->last < all->n && all->items[all->last].rank == rank)
		return &all->items[all->last];
	for (size_t i = 0; i < all->n; i++) {
		if (all->items[i].rank == rank) {
			all->last = i;
			return &all->items[i];
		}
	}
	return NULL;
}

static struct context *
context_add(struct contexts *all, int32_t rank)
{
	all->items =
	    vec_grow(all->items, all->n, &all->alloc, sizeof *all->items);
	all->items[all->n] =
	    (struct context){ rank, SAMPLE_NONE, SAMPLE_NONE, SAMPLE_NONE };
	all->last = all->n;
	return &all->items[all->n++];
}

void
contexts_update(struct contexts *all, const struct match *match, int32_t rank)
{
	struct context *x = context_find(all, rank);

	if (x == NULL)
		x = context_add(all, rank);
	for (size_t i = 0; i < match->pattern->n_captures; i++) {
		const struct capture *c = &match->pattern->captures[i];
		double v;

		if (match_number(match, c, &v) != 0 ||
		    !(v >= 0 && v <= INT32_MAX))
			continue;
		if (c->field == FIELD_EPOCH)
			x->epoch = (int32_t)v;
		else if (c->field == FIELD_ITER)
			x->iter = (int32_t)v;
		else if (c->field == FIELD_ITERS)
			x->iters = (int32_t)v;
	}
}

void
contexts_fill(struct contexts *all, struct sample *s)
{
	const struct context *x = context_find(all, s->rank);

	if (x == NULL)
		return;
	if (s->epoch == SAMPLE_NONE)
		s->epoch = x->epoch;
	if (s->iter == SAMPLE_NONE)
		s->iter = x->iter;
	if (s->iters == SAMPLE_NONE)
		s->iters = x->iters;
}

void
contexts_release(struct contexts *all)
{
	free(all->items);
	*all = (struct contexts){ NULL, 0, 0, 0 };
}
