#include <config.h>

#include "report/parts/panel.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "common/series/series_parts.h"
#include "common/text.h"

/* Has that panel the values of its keys? */
static int
panel_has_values(const void *panels, size_t i, const void *values)
{
	const struct panel *p = (const struct panel *)panels + i;

	return series_values_same(p->s[0]->values, values, p->keys);
}

void
panel_split(const struct series_set *set, uint64_t keys, struct panel_list *out)
{
	struct hash_index by_values = HASH_INDEX_INIT;
	size_t *alloc = xcalloc(set->n, sizeof *alloc); /* of each panel */

	out->items = xcalloc(set->n, sizeof *out->items);
	out->n = 0;
	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->items[i];
		const char *const *values = s->values;
		const uint32_t hash = series_values_hash(0, values, keys);
		size_t k = hash_index_find(
		    &by_values, hash, panel_has_values, out->items, values);
		struct panel *p;

		if (k == HASH_INDEX_NONE) {
			k = out->n++;
			out->items[k].keys = keys;
			hash_index_add(&by_values, hash, k);
		}
		p = &out->items[k];
		p->s = vec_grow(p->s, p->n, &alloc[k], sizeof *p->s);
		p->s[p->n++] = s;
	}
	for (size_t k = 0; k < out->n; k++)
		out->items[k].differing =
		    series_differing(out->items[k].s, out->items[k].n);
	hash_index_release(&by_values);
	free(alloc);
}

void
panel_of_all(const struct series_set *set, struct panel *p)
{
	*p = (struct panel){ .differing = set->differing,
		.s = xcalloc(set->n + 1, sizeof *p->s),
		.n = set->n };
	for (size_t i = 0; i < set->n; i++)
		p->s[i] = &set->items[i];
}

void
panel_release(struct panel_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->items[i].s);
	free(l->items);
	*l = (struct panel_list){ NULL, 0 };
}

const char *
panel_title(struct series_set *set, const struct panel *p, uint64_t without,
    enum language lang)
{
	uint64_t mask = p->keys | ~p->differing;

	mask &= ~(without | SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_WORK) |
	    SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_KIND));
	return series_text(set, p->s[0], mask, lang);
}

const char *
panel_series_name(
    struct series_set *set, const struct panel *p, size_t i, enum language lang)
{
	const struct series *s = p->s[i];
	const uint64_t mask = SERIES_BIT(SERIES_FRAMEWORK) | p->differing;
	const char *name =
	    series_text(set, s, mask & ~SERIES_BIT(SERIES_UNIT), lang);

	if (name[0] != '\0')
		return name;
	return message(
	    series_is_published(s) ? MESSAGE_PUBLISHED : MESSAGE_MEASURED,
	    lang);
}

/* --- rows ----------------------------------------------------------------- */

static int
compare_counts(long a, long b)
{
	if (a == b)
		return 0;
	if (a == RESULT_UNKNOWN || b == RESULT_UNKNOWN)
		return a == RESULT_UNKNOWN ? 1 : -1;
	return a < b ? -1 : 1;
}

static int
compare_rows(const void *pa, const void *pb)
{
	const struct case_shape *a = pa, *b = pb;
	int d = compare_counts(a->gpus, b->gpus);

	if (d == 0)
		d = compare_counts(a->nodes, b->nodes);
	return d != 0 ? d : text_order(a->name, b->name);
}

struct case_shape *
panel_rows(const struct panel *p, size_t *n)
{
	struct case_shape *rows;
	size_t all = 0, kept = 0;

	for (size_t i = 0; i < p->n; i++)
		all += p->s[i]->n_points;
	rows = xcalloc(all, sizeof *rows);
	all = 0;
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->s[i]->n_points; k++)
			rows[all++] = case_shape_of(p->s[i]->points[k].c);
	qsort(rows, all, sizeof *rows, compare_rows);
	for (size_t i = 0; i < all; i++)
		if (kept == 0 || !case_shape_same(rows[i], rows[kept - 1]))
			rows[kept++] = rows[i];
	*n = kept;
	return rows;
}

static int
is_row(const void *rows, size_t i, const void *shape)
{
	return case_shape_same(((const struct case_shape *)rows)[i],
	    *(const struct case_shape *)shape);
}

const struct series_point **
panel_cells(const struct panel *p, const struct case_shape *rows, size_t n)
{
	const struct series_point **cells =
	    xcalloc(n * p->n + 1, sizeof *cells);
	struct hash_index by_shape = HASH_INDEX_INIT;

	for (size_t i = 0; i < n; i++)
		hash_index_add(&by_shape, case_shape_hash(0, rows[i]), i);
	for (size_t k = 0; k < p->n; k++)
		for (size_t i = 0; i < p->s[k]->n_points; i++) {
			const struct series_point *x = &p->s[k]->points[i];
			const struct case_shape shape = case_shape_of(x->c);
			const size_t row = hash_index_find(&by_shape,
			    case_shape_hash(0, shape), is_row, rows, &shape);

			if (row != HASH_INDEX_NONE &&
			    cells[row * p->n + k] == NULL)
				cells[row * p->n + k] = x;
		}
	hash_index_release(&by_shape);
	return cells;
}
