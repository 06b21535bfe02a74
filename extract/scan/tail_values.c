/* Values of the last lines of a log. */
#include <config.h>

#include "extract/scan/tail_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

/* Upper bound of the values in TAIL_VALUES_BYTES, at two bytes each. */
enum { MANY_VALUES = TAIL_VALUES_BYTES };

static int
is_last(const struct tail_value *x, int64_t size)
{
	return size <= TAIL_VALUES_BYTES || x->at > size - TAIL_VALUES_BYTES;
}

void
tail_values_add(struct tail_values *all, const struct tail_value *x)
{
	if (all->n >= MANY_VALUES) {
		size_t first = 0;

		while (first < all->n && !is_last(&all->items[first], x->at))
			first++;
		all->n -= first;
		memmove(all->items, all->items + first,
		    all->n * sizeof *all->items);
	}
	all->items =
	    vec_grow(all->items, all->n, &all->alloc, sizeof *all->items);
	all->items[all->n++] = *x;
}

/* The index of a key in log->tail, or n_tail. */
static size_t
find_value(const struct log *log, const char *key)
{
	size_t i = 0;

	while (i < log->n_tail && strcmp(log->tail[i].key, key) != 0)
		i++;
	return i;
}

/* Set the line of the first non-finite loss since the last finite one. */
static void
note_nan_loss(struct log *log, size_t place, int64_t line)
{
	if (log->nan_loss_line == 0 ||
	    (place < log->n_tail &&
		log->tail[place].last_line > log->nan_loss_line))
		log->nan_loss_line = line;
}

static void
fill_one(struct log *log, const struct tail_value *x)
{
	const char *key = x->word->key != NULL ? x->word->key : x->word->name;
	const int all = x->word->tail == FIELD_NAME_ALL;
	const size_t i = find_value(log, key);
	struct log_tail_value *v = &log->tail[i];

	if (!isfinite(x->value)) {
		if (strcmp(key, "loss") == 0)
			note_nan_loss(log, i, x->line);
		return;
	}
	if (i == LOG_MAX_TAIL)
		return;
	if (i == log->n_tail) {
		*v = (struct log_tail_value){ .key = key,
			.max = all ? x->value : 0,
			.first_line = x->line };
		log->n_tail++;
	}
	v->last = x->value;
	v->last_line = x->line;
	if (!all)
		return;
	v->sum += x->value;
	v->n++;
	if (x->value > v->max)
		v->max = x->value;
}

void
tail_values_fill(const struct tail_values *all, int64_t size, struct log *log)
{
	log->n_tail = 0;
	log->nan_loss_line = 0;
	for (size_t i = 0; i < all->n; i++)
		if (is_last(&all->items[i], size))
			fill_one(log, &all->items[i]);
}
