/* Assign keys of series to the colours, dashes and facets of a chart. */
#include <config.h>

#include "plots/charts/chart.h"

#include <stdlib.h>
#include <string.h>

#include "common/strbuf.h"
#include "common/text.h"
#include "plots/style/picture_style.h"

enum { FEW_SERIES = 7 }; /* series that each get their own colour */

/* Find the key that an option names, n_keys if it is not given. Returns 0; -1
 * with ERROR_USAGE that lists the keys that distinguish series. */
static int
find_key(const struct series_set *set, const char *option, const char *name,
    size_t *key, struct error *e)
{
	struct strbuf sb;

	*key = name == NULL ? set->n_keys : 0;
	while (*key < set->n_keys && strcmp(set->keys[*key], name) != 0)
		++*key;
	if (name == NULL || *key < set->n_keys)
		return 0;
	strbuf_init(&sb, 4096);
	for (size_t k = 0; k < set->n_keys; k++)
		if (set->differing & SERIES_BIT(k))
			strbuf_printf(
			    &sb, "%s%s", sb.len > 0 ? ", " : "", set->keys[k]);
	error_set(e, ERROR_USAGE,
	    "%s: there is no key '%s'; the series differ in: %s", option, name,
	    sb.len > 0 ? sb.buf : "nothing");
	strbuf_release(&sb);
	return -1;
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
facet_series_name(
    struct chart_data *d, const struct chart_series *s, uint64_t keys)
{
	const char *name;

	if (s->part != NULL)
		return chart_join(d,
		    series_name_part(d->set, s->source, keys, d->lang), " ",
		    s->part);
	name = series_text(d->set, s->source, keys, d->lang);
	if (name[0] != '\0')
		return name;
	return message(s->source->points[0].text != NULL ? MESSAGE_PUBLISHED
							 : MESSAGE_MEASURED,
	    d->lang);
}

static int
set_facets(struct chart_data *d, size_t key, struct error *e)
{
	const uint64_t rest =
	    d->set->differing & ~d->chart->over & ~SERIES_BIT(key);
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
		    series_text(d->set, s->source, SERIES_BIT(key), d->lang);
		s->name = facet_series_name(d, s, rest);
	}
	qsort(d->series, d->n_series, sizeof *d->series, compare_facets);
	set_facet_styles(d);
	return 0;
}

int
composition_may_divide(const struct chart *chart)
{
	return chart->keyed && !chart->sideways;
}

/* Key that divides many series into the fewest small charts of few series each,
 * the largest of at least two; charts over GPUs also into charts of one: many
 * crossing lines are easier to read one by one. n_keys: none. */
static size_t
dividing_key(const struct chart_data *d)
{
	const uint64_t differ = d->set->differing & ~d->chart->over;
	const size_t none = d->set->n_keys;
	size_t best = none;

	if (d->n_series <= FEW_SERIES || !composition_may_divide(d->chart))
		return none;
	for (int least = 2; best == none && least > !d->chart->over_gpus;
	     least--) {
		int fewest = d->how.max_facets < CHART_MAX_FACETS
		    ? d->how.max_facets
		    : CHART_MAX_FACETS;

		for (size_t k = 0; k < none; k++) {
			int values[CHART_MAX_SERIES];
			int sizes[CHART_MAX_SERIES] = { 0 }, largest = 0;
			const int n = number_values(d, k, values);

			for (size_t i = 0; i < d->n_series; i++)
				if (++sizes[values[i]] > largest)
					largest = sizes[values[i]];
			if ((differ & SERIES_BIT(k)) != 0 && n > 1 &&
			    n <= fewest && largest >= least &&
			    largest <= FEW_SERIES) {
				best = k;
				fewest = n - 1;
			}
		}
	}
	return best;
}

/* First differing key with at most FEW_SERIES values and fewer values than
 * series; n_keys: none. */
static size_t
grouping_key(const struct chart_data *d)
{
	int values[CHART_MAX_SERIES];

	for (size_t k = 0; k < d->set->n_keys; k++) {
		const int n = number_values(d, k, values);

		if ((d->set->differing & SERIES_BIT(k)) != 0 && n > 1 &&
		    n <= FEW_SERIES && n < (int)d->n_series)
			return k;
	}
	return d->set->n_keys;
}

/* Default styles without keys: each series has its own colour and mark. Groups
 * of repetitions drawn as lines or down the side have one colour each and a
 * dash per member. */
static void
set_default_styles(struct chart_data *d)
{
	const int sideways = d->chart->sideways;
	int groups[CHART_MAX_SERIES], members[CHART_MAX_SERIES];
	int most = 0, n_groups = 0;

	d->n_colours = (int)d->n_series;
	for (size_t i = 0; i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];
		size_t k = 0;

		s->colour = s->mark = (int)i;
		s->dash = -1;
		while (d->series[k].group != s->group)
			k++;
		groups[i] = k < i ? groups[k] : n_groups++;
		members[i] = 0;
		for (; k < i; k++)
			members[i] += groups[k] == groups[i];
		most = members[i] + 1 > most ? members[i] + 1 : most;
	}
	if ((d->chart->sample != LEGEND_STROKE && !sideways) || n_groups < 2 ||
	    most < 2 || (most > STYLE_N_DASHES && !sideways))
		return;
	d->n_colours = n_groups;
	for (size_t i = 0; i < d->n_series; i++) {
		d->series[i].colour = groups[i];
		d->series[i].dash = members[i];
	}
}

int
composition_set(struct chart_data *d, struct error *e)
{
	const struct chart_how *how = &d->how;
	const size_t none = d->set->n_keys;
	const int asked = how->colour_by != NULL || how->dash_by != NULL ||
	    how->facet_by != NULL;
	int dashes[CHART_MAX_SERIES];
	size_t colour, dash, facet;

	set_default_styles(d);
	if (!d->chart->keyed)
		return 0;
	if (find_key(d->set, "--color-by", how->colour_by, &colour, e) != 0 ||
	    find_key(d->set, "--dash-by", how->dash_by, &dash, e) != 0 ||
	    find_key(d->set, "--facet-by", how->facet_by, &facet, e) != 0)
		return -1;
	if (!asked)
		facet = dividing_key(d);
	if (facet < none && set_facets(d, facet, e) != 0)
		return -1;
	if (!asked && d->n_facets == 0 && d->chart->over_gpus &&
	    d->n_series > FEW_SERIES)
		colour = grouping_key(d);
	if (colour < none)
		set_colours(d, colour);
	if (dash < none)
		number_values(d, dash, dashes);
	for (size_t i = 0; dash < none && i < d->n_series; i++)
		d->series[i].dash = dashes[i];
	return 0;
}
