#include <config.h>

#include "report/keys.h"

static const enum word heads[SERIES_LABELS] = {
	[SERIES_FRAMEWORK] = WORD_FRAMEWORK,
	[SERIES_MODEL] = WORD_MODEL,
	[SERIES_PRECISION] = WORD_PRECISION,
	[SERIES_BATCH] = WORD_BATCH,
	[SERIES_GLOBAL_BATCH] = WORD_GLOBAL_BATCH,
	[SERIES_UNIT] = WORD_UNIT,
	[SERIES_RULE] = WORD_RULE,
	[SERIES_KIND] = WORD_KIND,
	[SERIES_SOURCE] = WORD_SOURCE,
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
			    k < SERIES_LABELS ? word(heads[k], lang)
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
