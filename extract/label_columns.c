/* Labels as columns, for the CSV tables of cases and of runs. */
#include <config.h>

#include "extract/label_columns.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

static int
label_columns_have(const struct label_columns *l, const char *key)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->keys[i], key) == 0)
			return 1;
	return 0;
}

void
label_columns_init(struct label_columns *l, const struct result *r)
{
	*l = (struct label_columns){ NULL, 0, 0 };
	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t k = 0; k < r->cases[i].n_labels; k++) {
			const char *key = r->cases[i].labels[k].key;

			if (label_columns_have(l, key))
				continue;
			l->keys =
			    vec_grow(l->keys, l->n, &l->alloc, sizeof *l->keys);
			l->keys[l->n++] = key;
		}
}

void
label_columns_release(struct label_columns *l)
{
	free(l->keys);
	*l = (struct label_columns){ NULL, 0, 0 };
}

void
label_columns_add(const struct label_columns *l, struct table *t)
{
	for (size_t i = 0; i < l->n; i++)
		table_column(t, l->keys[i], NULL, TABLE_LEFT);
}

void
label_columns_fill(
    const struct label_columns *l, const struct result_case *c, struct table *t)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *value = "";

		for (size_t k = 0; k < c->n_labels; k++)
			if (strcmp(c->labels[k].key, l->keys[i]) == 0)
				value = c->labels[k].value;
		table_cell(t, value);
	}
}
