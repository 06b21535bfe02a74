#include <config.h>

#include "report/parts/panel.h"

#include <stdlib.h>

#include "common/hash_index.h"
#include "common/series/series.h"

static int
point_next(const struct series *s, struct panel_point *x)
{
	if (x->next == s->n_points) {
		x->i++;
		x->next = 0;
		return 0;
	}
	x->s = s;
	x->p = &s->points[x->next++];
	x->c = x->p->c;
	return 1;
}

int
panel_next(const struct panel *p, struct panel_point *x)
{
	while (x->i < p->n)
		if (point_next(p->s[x->i], x))
			return 1;
	return 0;
}

int
panel_next_of_set(const struct series_set *set, struct panel_point *x)
{
	while (x->i < set->n)
		if (point_next(&set->items[x->i], x))
			return 1;
	return 0;
}

static int
panel_has_values(const void *panels, size_t i, const void *values)
{
	const struct panel *p = (const struct panel *)panels + i;

	return series_values_same(p->s[0]->values, values, p->keys);
}

struct panel_list
panel_split(struct series_set *set, uint64_t keys)
{
	struct arena *a = &set->arena;
	struct panel_list l = { NULL, 0 };
	struct hash_index by_values = HASH_INDEX_INIT;

	for (size_t i = 0; i < set->n; i++) {
		const char *const *values = set->items[i].values;
		const uint32_t hash = series_values_hash(0, values, keys);
		size_t k = hash_index_find(
		    &by_values, hash, panel_has_values, l.items, values);
		struct panel *p;

		if (k == HASH_INDEX_NONE) {
			k = l.n++;
			hash_index_add(&by_values, hash, k);
			l.items = arena_grow(a, l.items, k, sizeof *l.items);
			l.items[k].keys = keys;
		}
		p = &l.items[k];
		p->s = arena_grow(a, p->s, p->n, sizeof *p->s);
		p->s[p->n++] = &set->items[i];
	}
	hash_index_release(&by_values);
	for (size_t k = 0; k < l.n; k++)
		l.items[k].differing =
		    series_differing(l.items[k].s, l.items[k].n);
	return l;
}

struct panel
panel_of_all(const struct series_set *set, struct arena *a)
{
	struct panel p = { .differing = set->differing,
		.s = arena_calloc(a, set->n + 1, sizeof *p.s),
		.n = set->n };

	for (size_t i = 0; i < set->n; i++)
		p.s[i] = &set->items[i];
	return p;
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
	const uint64_t differing = p->differing & ~SERIES_BIT(SERIES_UNIT);
	const char *name = series_text(set, s, differing, lang);

	if (name[0] == '\0')
		name = series_text(set, s, SERIES_BIT(SERIES_FRAMEWORK), lang);
	if (name[0] != '\0')
		return name;
	return message(
	    series_is_published(s) ? MESSAGE_PUBLISHED : MESSAGE_MEASURED,
	    lang);
}

/* --- links ---------------------------------------------------------------- */

static int
compare_links(const void *pa, const void *pb)
{
	const uintptr_t a = (uintptr_t)((const struct case_link *)pa)->c;
	const uintptr_t b = (uintptr_t)((const struct case_link *)pb)->c;

	return (a > b) - (a < b);
}

struct case_links
case_links_of(const struct panel_list *panels, struct arena *a)
{
	struct case_links l = { NULL, 0 };

	for (size_t i = 0; i < panels->n; i++)
		for (struct panel_point x = { NULL };
		     panel_next(&panels->items[i], &x); l.n++) {
			l.items = arena_grow(a, l.items, l.n, sizeof *l.items);
			l.items[l.n] = (struct case_link){ x.c, l.n };
		}
	if (l.n > 1)
		qsort(l.items, l.n, sizeof *l.items, compare_links);
	return l;
}

long
case_links_number(const struct case_links *l, const struct result_case *c)
{
	const struct case_link key = { c, 0 };
	const struct case_link *found =
	    bsearch(&key, l->items, l->n, sizeof key, compare_links);

	return found != NULL ? (long)found->number : CASE_NO_LINK;
}

void
case_links_cell(
    const struct case_links *l, struct table *t, const struct result_case *c)
{
	const long number = l != NULL ? case_links_number(l, c) : CASE_NO_LINK;
	struct table_cell *cell = table_last_cell(t);

	if (number != CASE_NO_LINK && cell->text[0] != '\0')
		cell->link = arena_printf(&t->arena, "#case-%ld", number);
}
