/* Assign keys of series to the colours, dashes and facets of a chart. */
#include <config.h>

#include "plots/charts/chart.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "plots/style/picture_style.h"

enum { FEW_SERIES = 7 }; /* series that each get their own colour */

/* Index of a key in the set, or n_keys. */
static size_t
find_key(const struct series_set *set, const char *name)
{
	size_t k = 0;

	while (k < set->n_keys && strcmp(set->keys[k], name) != 0)
		k++;
	return k;
}

/* Fail with ERROR_USAGE that lists the keys that distinguish series. */
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

/* Number the distinct values of a key among the series in order of appearance.
 *
 * out  [d->n_series]
 *
 * Returns their count. */
static int
number_values(const struct chart_data *d, size_t key, int out[CHART_MAX_SERIES])
{
	int n = 0;

	for (size_t i = 0; i < d->n_series; i++) {
		const char *value = d->series[i].source->values[key];
		size_t k = 0;

		while (!text_same(d->series[k].source->values[key], value))
			k++;
		out[i] = k < i ? out[k] : n++;
	}
	return n;
}

/* First differing key with at most FEW_SERIES values and fewer values than
 * series; n_keys: none. */
static size_t
grouping_key(const struct chart_data *d, const struct series_set *set)
{
	int values[CHART_MAX_SERIES];

	for (size_t k = 0; k < set->n_keys; k++) {
		const int n = number_values(d, k, values);

		if ((set->differing & SERIES_BIT(k)) != 0 && n > 1 &&
		    n <= FEW_SERIES && n < (int)d->n_series)
			return k;
	}
	return set->n_keys;
}

/* Set a colour per value of a key; series of one colour differ in marks. */
static void
set_colours(struct chart_data *d, size_t key)
{
	int colours[CHART_MAX_SERIES];

	d->n_colours = number_values(d, key, colours);
	for (size_t i = 0; i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];

		s->colour = colours[i];
		s->dash = s->mark = 0;
		for (size_t k = 0; k < i; k++)
			s->mark += colours[k] == colours[i];
	}
}

static int
compare_facets(const void *a, const void *b)
{
	const struct chart_series *x = a, *y = b;

	if (x->facet != y->facet)
		return x->facet < y->facet ? -1 : 1;
	return x->mark - y->mark; /* keeps the original order */
}

/* Series that differ only in the facet's key share a style. */
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

/* Name of a series without the facet's key. */
static const char *
facet_series_name(struct chart_data *d, struct series_set *set,
    const struct chart_series *s, uint64_t keys)
{
	const char *name = s->part != NULL
	    ? series_name_part(set, s->source, keys, d->lang)
	    : series_text(set, s->source, keys, d->lang);

	if (s->part != NULL)
		return arena_printf(&d->arena, "%s%s%s", name,
		    name[0] != '\0' ? " " : "", s->part);
	if (name[0] != '\0')
		return name;
	return message(s->source->points[0].text != NULL ? MESSAGE_PUBLISHED
							 : MESSAGE_MEASURED,
	    d->lang);
}

static int
set_facets(
    struct chart_data *d, struct series_set *set, size_t key, struct error *e)
{
	const uint64_t rest =
	    set->differing & ~d->chart->over & ~SERIES_BIT(key);
	int facets[CHART_MAX_SERIES];

	d->n_facets = (size_t)number_values(d, key, facets);
	if (d->n_facets > CHART_MAX_FACETS)
		return error_set(e, ERROR_LIMIT,
		    "--facet-by: %zu small charts are too many, the limit is "
		    "%d; choose by --select=KEY=VALUE",
		    d->n_facets, CHART_MAX_FACETS);
	d->facets = arena_calloc(&d->arena, d->n_facets, sizeof *d->facets);
	for (size_t i = 0; i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];

		s->facet = facets[i];
		d->facets[s->facet] =
		    series_text(set, s->source, SERIES_BIT(key), d->lang);
		s->name = facet_series_name(d, set, s, rest);
	}
	qsort(d->series, d->n_series, sizeof *d->series, compare_facets);
	set_facet_styles(d);
	return 0;
}

/* Key that divides many series into the fewest small charts (at most `most`) of
 * few series each, the largest of at least `least`; n_keys: none. */
static size_t
dividing_key(const struct chart_data *d, const struct series_set *set, int most,
    int least)
{
	const uint64_t differ = set->differing & ~d->chart->over;
	size_t best = set->n_keys;
	int fewest = (most < CHART_MAX_FACETS ? most : CHART_MAX_FACETS) + 1;

	for (size_t k = 0; d->n_series > FEW_SERIES && k < set->n_keys; k++) {
		int values[CHART_MAX_SERIES], sizes[CHART_MAX_SERIES] = { 0 };
		const int n = number_values(d, k, values);
		int largest = 0;

		for (size_t i = 0; i < d->n_series; i++)
			if (++sizes[values[i]] > largest)
				largest = sizes[values[i]];
		if ((differ & SERIES_BIT(k)) != 0 && n > 1 && n < fewest &&
		    largest >= least && largest <= FEW_SERIES) {
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
	enum { COLOUR, DASH, FACET };
	static const char *const options[] = { "--color-by", "--dash-by",
		"--facet-by" };
	const char *const names[] = { how->colour_by, how->dash_by,
		how->facet_by };
	int asked = 0, dashes[CHART_MAX_SERIES];
	size_t key[3];

	for (int i = 0; i < 3; i++) {
		key[i] = set->n_keys;
		if (names[i] == NULL)
			continue;
		asked = 1;
		key[i] = find_key(set, names[i]);
		if (key[i] == set->n_keys)
			return no_such_key(set, options[i], names[i], e);
	}
	if (!asked && composition_may_divide(d->chart))
		key[FACET] = dividing_key(d, set, how->max_facets, 2);
	/* Many crossing lines are easier to read one by one. */
	if (!asked && key[FACET] == set->n_keys && d->chart->over_gpus)
		key[FACET] = dividing_key(d, set, how->max_facets, 1);
	if (key[FACET] < set->n_keys && set_facets(d, set, key[FACET], e) != 0)
		return -1;
	if (!asked && d->n_facets == 0 && d->chart->over_gpus &&
	    d->n_series > FEW_SERIES)
		key[COLOUR] = grouping_key(d, set);
	if (key[COLOUR] < set->n_keys)
		set_colours(d, key[COLOUR]);
	if (key[DASH] < set->n_keys)
		number_values(d, key[DASH], dashes);
	for (size_t i = 0; key[DASH] < set->n_keys && i < d->n_series; i++)
		d->series[i].dash = dashes[i];
	return 0;
}

void
chart_styles_set(struct chart_data *d)
{
	int groups[CHART_MAX_SERIES], members[CHART_MAX_SERIES];
	int most = 0, n_groups = 0;

	d->n_colours = (int)d->n_series;
	for (size_t i = 0; i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];

		s->colour = s->mark = (int)i;
		s->dash = -1;
		groups[i] = -1;
		members[i] = 0;
		for (size_t k = 0; k < i; k++)
			if (d->series[k].group == s->group) {
				groups[i] = groups[k];
				members[i]++;
			}
		if (groups[i] < 0)
			groups[i] = n_groups++;
		most = members[i] + 1 > most ? members[i] + 1 : most;
	}
	if ((d->chart->sample != LEGEND_STROKE && !d->chart->sideways) ||
	    n_groups < 2 || most < 2 ||
	    (most > STYLE_N_DASHES && !d->chart->sideways))
		return;
	d->n_colours = n_groups;
	for (size_t i = 0; i < d->n_series; i++) {
		d->series[i].colour = groups[i];
		d->series[i].dash = members[i];
	}
}
