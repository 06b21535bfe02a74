/* Stores epoch, iteration and time of header lines for the following lines. */
#include <config.h>

#include "extract/scan/samples/context.h"
#include "extract/scan/samples/sample_from_match.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/units/units.h"

static int
is_of_rank(const void *list, size_t i, const void *rank)
{
	return ((const struct context *)list)[i].rank == *(const int32_t *)rank;
}

/* The context of a rank, or NULL. */
static struct context *
context_find(struct contexts *all, int32_t rank)
{
	size_t i;

	if (all->last < all->n && all->items[all->last].rank == rank)
		return &all->items[all->last];
	i = hash_index_find(&all->by_rank, hash_bytes(0, &rank, sizeof rank),
	    is_of_rank, all->items, &rank);
	if (i == HASH_INDEX_NONE)
		return NULL;
	all->last = i;
	return &all->items[i];
}

static struct context *
context_add(struct contexts *all, int32_t rank)
{
	all->items =
	    vec_grow(all->items, all->n, &all->alloc, sizeof *all->items);
	all->items[all->n] = (struct context){ rank, SAMPLE_NONE, SAMPLE_NONE,
		SAMPLE_NONE, NAN };
	hash_index_add(
	    &all->by_rank, hash_bytes(0, &rank, sizeof rank), all->n);
	all->last = all->n;
	return &all->items[all->n++];
}

static void
read_stamp(
    struct context *x, const struct match *match, const struct capture *c)
{
	size_t len;
	const char *text = match_text(match, c, &len);

	if (text == NULL || stamp_parse(text, len, &x->stamp) == STAMP_BAD)
		x->stamp = NAN;
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

		if (c->field == FIELD_STAMP)
			read_stamp(x, match, c);
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
	if (isnan(s->stamp))
		s->stamp = x->stamp;
}

void
contexts_release(struct contexts *all)
{
	free(all->items);
	hash_index_release(&all->by_rank);
	*all = (struct contexts){ .items = NULL };
}
