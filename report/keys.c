#include <config.h>

#include "report/keys.h"

static const enum message heads[SERIES_LABELS] = {
	[SERIES_FRAMEWORK] = MESSAGE_FRAMEWORK,
	[SERIES_MODEL] = MESSAGE_MODEL,
	[SERIES_PRECISION] = MESSAGE_PRECISION,
	[SERIES_BATCH] = MESSAGE_BATCH,
	[SERIES_GLOBAL_BATCH] = MESSAGE_GLOBAL_BATCH,
	[SERIES_UNIT] = MESSAGE_UNIT,
	[SERIES_RULE] = MESSAGE_RULE,
	[SERIES_KIND] = MESSAGE_KIND,
	[SERIES_SOURCE] = MESSAGE_SOURCE,
};

uint64_t
keys_known(const struct series_set *set, uint64_t mask)
{
	uint64_t known = 0;

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->n_keys; k++)
			if (set->items[i].values[k] != NULL)
				known |= SERIES_BIT(k);
	return known & mask;
}

void
keys_columns(struct table *t, const struct series_set *set, uint64_t keys,
    enum language lang)
{
	for (size_t k = 0; k < set->n_keys; k++)
		if (keys & SERIES_BIT(k))
			table_column(t,
			    k < SERIES_LABELS ? message(heads[k], lang)
					      : set->keys[k],
			    NULL, TABLE_LEFT);
}

void
keys_cells(struct table *t, const struct series_set *set,
    const struct series *s, uint64_t keys)
{
	for (size_t k = 0; k < set->n_keys; k++)
		if (keys & SERIES_BIT(k))
			table_cell(t, s->values[k]);
}
