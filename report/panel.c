#include <config.h>

#include "report/panel.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text_order.h"

static int
series_agree(const struct series *a, const struct series *b, uint64_t keys)
{
	for (size_t k = 0; k < SERIES_MAX_KEYS; k++)
		if ((keys & SERIES_BIT(k)) &&
		    !text_same(a->values[k], b->values[k]))
			return 0;
	return 1;
}

void
panel_split(const struct series_set *set, uint64_t keys, struct panel_list *out)
{
	out->items = xcalloc(set->n, sizeof *out->items);
	out->n = 0;
	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->items[i];
		struct panel *p;
		size_t k = 0;

		while (k < out->n && !series_agree(out->items[k].s[0], s, keys))
			k++;
		p = &out->items[k];
		if (k == out->n) {
			p->keys = keys;
			p->s = xcalloc(set->n - i, sizeof *p->s);
			out->n++;
		}
		p->s[p->n++] = s;
	}
}

void
panel_of_all(const struct series_set *set, struct panel *p)
{
	*p = (struct panel){ 0, xcalloc(set->n + 1, sizeof(*p->s)), set->n };
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
	uint64_t mask = p->keys | ~series_differing(p->s, p->n);

	mask &= ~(without | SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_RULE) |
	    SERIES_BIT(SERIES_KIND));
	return series_text(set, p->s[0], mask, lang);
}

const char *
panel_series_name(
    struct series_set *set, const struct panel *p, size_t i, enum language lang)
{
	const struct series *s = p->s[i];
	uint64_t mask =
	    SERIES_BIT(SERIES_FRAMEWORK) | series_differing(p->s, p->n);
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
same_shape(const struct result_case *c, const struct panel_row *row)
{
	return c->gpus == row->gpus && c->nodes == row->nodes &&
	    (c->gpus != RESULT_UNKNOWN || text_same(c->name, row->name));
}

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
	const struct panel_row *a = pa, *b = pb;
	int d = compare_counts(a->gpus, b->gpus);

	if (d == 0)
		d = compare_counts(a->nodes, b->nodes);
	if (d == 0 && a->name != NULL && b->name != NULL)
		d = strcmp(a->name, b->name);
	return d;
}

struct panel_row *
panel_rows(const struct panel *p, size_t *n)
{
	struct panel_row *rows;
	size_t all = 0, kept = 0;

	for (size_t i = 0; i < p->n; i++)
		all += p->s[i]->n_points;
	rows = xcalloc(all, sizeof *rows);
	all = 0;
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->s[i]->n_points; k++) {
			const struct result_case *c = p->s[i]->points[k].c;

			rows[all++] =
			    (struct panel_row){ c->nodes, c->gpus, c->name };
		}
	qsort(rows, all, sizeof *rows, compare_rows);
	for (size_t i = 0; i < all; i++) {
		const struct result_case c = { .nodes = rows[i].nodes,
			.gpus = rows[i].gpus,
			.name = rows[i].name };

		if (kept == 0 || !same_shape(&c, &rows[kept - 1]))
			rows[kept++] = rows[i];
	}
	*n = kept;
	return rows;
}

const struct series_point *
panel_find(const struct series *s, const struct panel_row *row)
{
	for (size_t i = 0; i < s->n_points; i++)
		if (same_shape(s->points[i].c, row))
			return &s->points[i];
	return NULL;
}
