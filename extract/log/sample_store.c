#include <config.h>

#include "extract/log/sample_store.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"

void
sample_store_add(struct sample_store *all, const struct sample *x)
{
	all->items =
	    vec_grow(all->items, all->n, &all->alloc, sizeof *all->items);
	all->items[all->n++] = *x;
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

void
detail_store_add_decimal(struct detail_store *all, const struct log_detail *x,
    uint64_t digits, unsigned decimals)
{
	struct log_detail y = *x;

	y.value = (double)digits / pow(10, decimals);
	detail_store_add(all, &y);
}

void
detail_store_add_row(struct detail_store *all, const struct detail_row *row)
{
	for (size_t i = 0; i < row->n; i++) {
		const struct log_detail x = { row->keys[i], 0, row->line,
			row->sample };

		detail_store_add_decimal(
		    all, &x, row->digits[i], row->decimals[i]);
	}
}

static double
column_number(const double *x, const int32_t *digits, int decimals, size_t i)
{
	return x != NULL ? x[i] : digits[i] / pow(10, decimals);
}

void
sample_store_add_columns(
    struct sample_store *all, const struct sample_columns *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct sample x = c->same;

		x.line = c->line[i];
		if (c->epoch != NULL)
			x.epoch = c->epoch[i];
		if (c->iter != NULL)
			x.iter = c->iter[i];
		if (c->iter_from != NULL)
			x.iter_from = c->iter_from[i];
		if (c->iters != NULL)
			x.iters = c->iters[i];
		if (c->rank != NULL)
			x.rank = c->rank[i];
		if (c->value != NULL || c->value_digits != NULL)
			x.value = column_number(
			    c->value, c->value_digits, c->value_decimals, i);
		if (c->second != NULL || c->second_digits != NULL)
			x.second = column_number(
			    c->second, c->second_digits, c->second_decimals, i);
		sample_store_add(all, &x);
	}
}

void
sample_store_join(
    struct sample_store *all, struct sample_store *more, int64_t lines)
{
	for (size_t i = 0; i < more->n; i++) {
		more->items[i].line += lines;
		sample_store_add(all, &more->items[i]);
	}
	sample_store_release(more);
}
