#include <config.h>

#include "report/keys.h"

#include <math.h>

#include "common/json/json_write.h"

/* As in the result, where it has them. */
static const char *const heads[SERIES_LABELS] = {
	[SERIES_FRAMEWORK] = "framework",
	[SERIES_MODEL] = "model",
	[SERIES_PRECISION] = "precision",
	[SERIES_BATCH] = "batch_size_per_device",
	[SERIES_GLOBAL_BATCH] = "global_batch_size",
	[SERIES_UNIT] = "unit",
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

void
keys_measured_columns(struct table *t)
{
	static const char *const measured[] = { "n", "median_level", "baseline",
		"speedup_level", "rule" };

	for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++)
		table_column(t, measured[i], NULL, TABLE_LEFT);
}

static void
put_level(struct table *t, double level)
{
	char exact[JSON_DOUBLE_SIZE];

	table_cell(t, isfinite(level) ? json_double(exact, level) : "");
}

void
keys_measured_cells(
    struct table *t, const struct series *s, const struct series_point *p)
{
	if (p->c->n == RESULT_UNKNOWN)
		table_cell(t, "");
	else
		table_cellf(t, "%ld", p->c->n);
	put_level(t, p->c->median_level);
	table_cell(t, p->c->baseline);
	put_level(t, p->c->speedup_level);
	table_cell(t, s->values[SERIES_RULE]);
}
