/* What distinguishes the series of one chart: which keys are colours, which
 * dashes, which facets. */
#include <config.h>

#include "plots/charts/composition.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "plots/style/picture_style.h"

enum { FEW_SERIES = 7 }; /* each has a colour of its own */

/* The place of a key in the set, or n_keys. */
static size_t
find_key(const struct series_set *set, const char *name)
{
	size_t k = 0;

	while (k < set->n_keys && strcmp(set->keys[k], name) != 0)
		k++;
	return k;
}

/* Names the keys by which series can be distinguished. */
static int
no_such_key(const struct series_set *set, const char *option, const char *name,
    struct error *e)
{
	const uint64_t differ = set->differing;
	struct strbuf sb;
	int rc;

	strbuf_init(&sb, 4096);
	for (size_t k = 0; k < set->n_keys; k++)
		if (differ & SERIES_BIT(k))
			strbuf_printf(
			    &sb, "%s%s", sb.len > 0 ? ", " : "", set->keys[k]);
	rc = error_set(e, ERROR_USAGE,
	    "%s: there is no key '%s'; the series differ in: %s", option, name,
	    sb.len > 0 ? sb.buf : "nothing");
	strbuf_release(&sb);
	return rc;
}

static int
same_value(const struct series *a, const struct series *b, size_t key)
{
	const char *x = a->values[key], *y = b->values[key];

	return x == NULL || y == NULL ? x == y : strcmp(x, y) == 0;
}

/* The number of a series' value among the different ones of the series before
 * it, from 0. */
static int
value_index(const struct chart_data *d, size_t i, size_t key)
{
	int n = 0;

	for (size_t k = 0; k <= i; k++) {
		size_t first = 0;

		while (!same_value(
		    d->series[first].source, d->series[k].source, key))
			first++;
		if (same_value(d->series[k].source, d->series[i].source, key))
			return n;
		n += first == k;
	}
	return n;
}

static int
count_values(const struct chart_data *d, size_t key)
{
	int most = 0;

	for (size_t i = 0; i < d->n_series; i++) {
		const int index = value_index(d, i, key);

		most = index > most ? index : most;
	}
	return most + 1;
}

/* The first key that sorts the series into a few groups of several. */
static size_t
grouping_key(const struct chart_data *d, const struct series_set *set)
{
	const uint64_t differ = set->differing;

	for (size_t k = 0; k < set->n_keys; k++) {
		const int n = differ & SERIES_BIT(k) ? count_values(d, k) : 1;

		if (n > 1 && n <= FEW_SERIES && n < (int)d->n_series)
			return k;
	}
	return set->n_keys;
}

/* Series of a colour have different marks. */
static void
set_marks(struct chart_data *d)
{
	for (size_t i = 0; i < d->n_series; i++) {
		d->series[i].mark = 0;
		for (size_t k = 0; k < i; k++)
			d->series[i].mark +=
			    d->series[k].colour == d->series[i].colour;
	}
}

static void
set_colours(struct chart_data *d, size_t key)
{
	d->n_colours = count_values(d, key);
	for (size_t i = 0; i < d->n_series; i++) {
		d->series[i].colour = value_index(d, i, key);
		d->series[i].dash = 0;
	}
	set_marks(d);
}

static int
compare_facets(const void *a, const void *b)
{
	const struct chart_series *x = a, *y = b;

	if (x->facet != y->facet)
		return x->facet < y->facet ? -1 : 1;
	return x->mark - y->mark; /* still its place */
}

/* Series that differ in the facet's key alone look alike. */
static void
set_facet_styles(struct chart_data *d)
{
	d->n_colours = 0;
	for (size_t i = 0; i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];
		size_t k = 0;

		while (strcmp(d->series[k].name, s->name) != 0)
			k++;
		s->colour = k < i ? d->series[k].colour : d->n_colours++;
		s->mark = s->colour;
		s->dash = -1;
	}
}

/* The name of a series without the facet's key. */
static const char *
facet_series_name(struct chart_data *d, struct series_set *set,
    const struct chart_series *s, uint64_t keys, enum language lang)
{
	const char *name = s->part != NULL
	    ? series_name_part(set, s->source, keys, lang)
	    : series_text(set, s->source, keys, lang);

	if (s->part != NULL)
		return arena_printf(&d->arena, "%s%s%s", name,
		    name[0] != '\0' ? " " : "", s->part);
	if (name[0] != '\0')
		return name;
	return message(s->source->points[0].text != NULL ? MESSAGE_PUBLISHED
							 : MESSAGE_MEASURED,
	    lang);
}

static int
set_facets(struct chart_data *d, struct series_set *set, size_t key,
    enum language lang, struct error *e)
{
	const uint64_t rest =
	    set->differing & ~d->chart->over & ~SERIES_BIT(key);

	d->n_facets = (size_t)count_values(d, key);
	if (d->n_facets > COMPOSITION_MAX_FACETS)
		return error_set(e, ERROR_LIMIT,
		    "--facet-by: %zu small charts are too many, the limit is "
		    "%d; choose by --select=KEY=VALUE",
		    d->n_facets, COMPOSITION_MAX_FACETS);
	d->facets = arena_calloc(&d->arena, d->n_facets, sizeof *d->facets);
	for (size_t i = 0; i < d->n_series; i++)
		d->series[i].facet = value_index(d, i, key);
	for (size_t i = 0; i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];

		d->facets[s->facet] =
		    series_text(set, s->source, SERIES_BIT(key), lang);
		s->name = facet_series_name(d, set, s, rest, lang);
	}
	qsort(d->series, d->n_series, sizeof *d->series, compare_facets);
	set_facet_styles(d);
	return 0;
}

/* How many series share the most frequent value of the key. */
static int
largest_group(const struct chart_data *d, size_t key)
{
	int most = 0;

	for (size_t i = 0; i < d->n_series; i++) {
		int n = 0;

		for (size_t k = 0; k < d->n_series; k++)
			n += same_value(
			    d->series[i].source, d->series[k].source, key);
		most = n > most ? n : most;
	}
	return most;
}

/* The key that divides many series into the fewest small charts of few
 * series each, in one of them at least so many; n_keys: there is none. */
static size_t
dividing_key(const struct chart_data *d, const struct series_set *set, int most,
    int least)
{
	const uint64_t differ = set->differing & ~d->chart->over;
	size_t best = set->n_keys;
	int fewest =
	    (most < COMPOSITION_MAX_FACETS ? most : COMPOSITION_MAX_FACETS) + 1;

	for (size_t k = 0; d->n_series > FEW_SERIES && k < set->n_keys; k++) {
		const int n = differ & SERIES_BIT(k) ? count_values(d, k) : 1;
		const int largest = n > 1 ? largest_group(d, k) : 0;

		if (n > 1 && n < fewest && largest >= least &&
		    largest <= FEW_SERIES) {
			best = k;
			fewest = n;
		}
	}
	return best;
}

int
composition_may_divide(const struct chart *chart)
{
	return chart->keyed && !chart->sideways;
}

int
composition_set(struct chart_data *d, struct series_set *set,
    const struct chart_how *how, struct error *e)
{
	const struct {
		const char *option, *name;
	} keys[] = { { "--color-by", how->colour_by },
		{ "--dash-by", how->dash_by },
		{ "--facet-by", how->facet_by } };
	const int asked = how->colour_by != NULL || how->dash_by != NULL ||
	    how->facet_by != NULL;
	size_t found[3];

	for (int i = 0; i < 3; i++) {
		found[i] = set->n_keys;
		if (keys[i].name == NULL)
			continue;
		found[i] = find_key(set, keys[i].name);
		if (found[i] == set->n_keys)
			return no_such_key(
			    set, keys[i].option, keys[i].name, e);
	}
	if (!asked && composition_may_divide(d->chart))
		found[2] = dividing_key(d, set, how->max_facets, 2);
	/* A dozen lines across each other show less than one by one. */
	if (!asked && found[2] == set->n_keys && d->chart->over_gpus)
		found[2] = dividing_key(d, set, how->max_facets, 1);
	if (found[2] < set->n_keys &&
	    set_facets(d, set, found[2], how->lang, e) != 0)
		return -1;
	if (!asked && d->n_facets == 0 && d->chart->over_gpus &&
	    d->n_series > FEW_SERIES)
		found[0] = grouping_key(d, set);
	if (found[0] < set->n_keys)
		set_colours(d, found[0]);
	if (keys[1].name != NULL)
		for (size_t i = 0; i < d->n_series; i++)
			d->series[i].dash = value_index(d, i, found[1]);
	return 0;
}

/* The number of a series in its group and of the group among the groups. */
static void
find_in_group(const struct chart_data *d, size_t i, int *group, int *member)
{
	*group = *member = 0;
	for (size_t k = 0; k < i; k++) {
		size_t first = 0;

		*member += d->series[k].group == d->series[i].group;
		while (d->series[first].group != d->series[k].group)
			first++;
		*group +=
		    first == k && d->series[k].group != d->series[i].group;
	}
}

void
chart_styles_set(struct chart_data *d)
{
	int most = 0, n_groups = 0, group, member;

	d->n_colours = (int)d->n_series;
	for (size_t i = 0; i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];

		s->colour = s->mark = (int)i;
		s->dash = -1;
		find_in_group(d, i, &group, &member);
		most = member + 1 > most ? member + 1 : most;
		n_groups = group + 1 > n_groups ? group + 1 : n_groups;
	}
	if ((d->chart->sample != LEGEND_STROKE && !d->chart->sideways) ||
	    n_groups < 2 || most < 2 ||
	    (most > STYLE_N_DASHES && !d->chart->sideways))
		return;
	d->n_colours = n_groups;
	for (size_t i = 0; i < d->n_series; i++) {
		find_in_group(d, i, &group, &member);
		d->series[i].colour = group;
		d->series[i].dash = member;
	}
}
