/* The columns of machine-readable tables that state what a row is of.  All
 * makers of tables call this. */
#include <config.h>

#include "report/parts/keys.h"

/* As in the result, where it has them. */
static const char *const heads[SERIES_LABELS] = {
	[SERIES_FRAMEWORK] = "framework",
	[SERIES_MODEL] = "model",
	[SERIES_PRECISION] = "precision",
	[SERIES_BATCH] = "batch_size_per_device",
	[SERIES_GLOBAL_BATCH] = "global_batch_size",
	[SERIES_UNIT] = "unit",
	[SERIES_WORK] = "work_unit",
	[SERIES_RULE] = "rule",
	[SERIES_KIND] = "kind",
	[SERIES_SOURCE] = "source",
};

uint64_t
keys_known(const struct series_set *set, uint64_t mask)
{
	uint64_t known = 0;

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->n_keys; k++)
			if (set->items[i].values[k] != NULL)
				known |= SERIES_BIT(k);
	if (!(set->differing & SERIES_BIT(SERIES_WORK)))
		known &= ~SERIES_BIT(SERIES_WORK);
	return known & mask;
}

void
keys_columns(struct table *t, const struct series_set *set, uint64_t keys)
{
	for (size_t k = 0; k < set->n_keys; k++)
		if (keys & SERIES_BIT(k))
			table_column(t,
			    k < SERIES_LABELS ? heads[k] : set->keys[k], NULL,
			    TABLE_LEFT);
}

void
keys_cells(struct table *t, const struct series_set *set,
    const struct series *s, uint64_t keys)
{
	for (size_t k = 0; k < set->n_keys; k++)
		if (keys & SERIES_BIT(k))
			table_cell(t, s->values[k]);
}

struct measured_case
keys_measured(const struct series *s, const struct series_point *p)
{
	return (struct measured_case){ .c = p->c,
		.options = &p->source->result.rule,
		.rule = s->values[SERIES_RULE],
		.is_published = series_is_published(s) };
}

void
keys_measured_cells(
    struct table *t, const struct series *s, const struct series_point *p)
{
	const struct measured_case one = keys_measured(s, p);

	measured_columns_fill(t, &one, 1);
}
