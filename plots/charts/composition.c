/* Assign keys of series to the colours, dashes and facets of a chart. */
#include <config.h>

#include "plots/charts/chart.h"

#include <stdlib.h>
#include <string.h>

#include "common/strbuf.h"
#include "common/text.h"

enum { FEW_SERIES = 7 }; /* series that each get their own colour */

/* Find the key that an option names, n_keys if it is not given. Returns 0; -1
 * with ERROR_USAGE that lists the keys that distinguish series. */
static int
find_key(const struct series_set *set, const char *option, const char *name,
    size_t *key, struct error *e)
{
	struct strbuf sb = STRBUF_INIT(4096);

	*key = name == NULL ? set->n_keys : 0;
	while (*key < set->n_keys && strcmp(set->keys[*key], name) != 0)
		++*key;
	if (name == NULL || *key < set->n_keys)
		return 0;
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

/* What series are grouped by: a key of the set, or their names. */
enum { BY_NAME = SERIES_MAX_KEYS };

/* Groups of series that share a text, numbered in order of appearance. */
struct series_groups {
	int n;
	int largest; /* size of the largest */
	int number[CHART_MAX_SERIES];
	int rank[CHART_MAX_SERIES]; /* position in its group */
};

static const char *
text_of(const struct chart_series *s, size_t by)
{
	return by == BY_NAME ? s->name : s->source->values[by];
}

static struct series_groups
group_series(const struct chart_data *d, size_t by)
{
	struct series_groups g = { .n = 0 };

	for (size_t i = 0; i < d->n_series; i++) {
		const char *text = text_of(&d->series[i], by);

		g.number[i] = -1;
		for (size_t k = 0; k < i; k++)
			if (text_same(text_of(&d->series[k], by), text)) {
				g.number[i] = g.number[k];
				g.rank[i]++;
			}
		if (g.number[i] < 0)
			g.number[i] = g.n++;
		if (g.rank[i] >= g.largest)
			g.largest = g.rank[i] + 1;
	}
	return g;
}

static int
compare_facets(const void *a, const void *b)
{
	const struct chart_series *x = a, *y = b;

	if (x->facet != y->facet)
		return x->facet < y->facet ? -1 : 1;
	return x->mark - y->mark; /* keeps the original order */
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

/* Divide the series by a key. Series that differ only in that key share a
 * style. */
static int
set_facets(struct chart_data *d, size_t key, struct error *e)
{
	const uint64_t rest =
	    d->set->differing & ~d->chart->over & ~SERIES_BIT(key);
	struct series_groups g = group_series(d, key);

	d->n_facets = (size_t)g.n;
	if (d->n_facets > CHART_MAX_FACETS)
		return error_set(e, ERROR_LIMIT,
		    "--facet-by: %zu small charts are too many, the limit is "
		    "%d; choose by --select=KEY=VALUE",
		    d->n_facets, CHART_MAX_FACETS);
	d->facets = arena_calloc(&d->arena, d->n_facets, sizeof *d->facets);
	for (size_t i = 0; i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];

		s->facet = g.number[i];
		d->facets[s->facet] =
		    series_text(d->set, s->source, SERIES_BIT(key), d->lang);
		s->name = facet_series_name(d, s, rest);
	}
	qsort(d->series, d->n_series, sizeof *d->series, compare_facets);
	g = group_series(d, BY_NAME);
	d->n_colours = g.n;
	for (size_t i = 0; i < d->n_series; i++) {
		d->series[i].colour = d->series[i].mark = g.number[i];
		d->series[i].dash = -1;
	}
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
			const struct series_groups g = group_series(d, k);

			if ((differ & SERIES_BIT(k)) != 0 && g.n > 1 &&
			    g.n <= fewest && g.largest >= least &&
			    g.largest <= FEW_SERIES) {
				best = k;
				fewest = g.n - 1;
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
	for (size_t k = 0; k < d->set->n_keys; k++) {
		const int n = group_series(d, k).n;

		if ((d->set->differing & SERIES_BIT(k)) != 0 && n > 1 &&
		    n <= FEW_SERIES && n < (int)d->n_series)
			return k;
	}
	return d->set->n_keys;
}

int
composition_set(struct chart_data *d, struct error *e)
{
	const struct chart_how *how = &d->how;
	const size_t none = d->set->n_keys;
	const int asked = how->colour_by != NULL || how->dash_by != NULL ||
	    how->facet_by != NULL;
	struct series_groups g;
	size_t colour, dash, facet;

	/* Without keys each series has its own colour and mark. */
	d->n_colours = (int)d->n_series;
	for (size_t i = 0; i < d->n_series; i++) {
		d->series[i].mark = d->series[i].colour = (int)i;
		d->series[i].dash = -1;
	}
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
	if (colour < none) {
		/* Series of one colour differ in marks. */
		g = group_series(d, colour);
		d->n_colours = g.n;
		for (size_t i = 0; i < d->n_series; i++) {
			d->series[i].colour = g.number[i];
			d->series[i].mark = g.rank[i];
			d->series[i].dash = 0;
		}
	}
	if (dash < none) {
		g = group_series(d, dash);
		for (size_t i = 0; i < d->n_series; i++)
			d->series[i].dash = g.number[i];
	}
	return 0;
}
