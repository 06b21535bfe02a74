/* Charts of several results: ratios of two of them, and histories of many. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "common/defaults.h"
#include "common/result/case_text.h"
#include "common/series/result_comparison.h"
#include "common/series/series.h"
#include "common/stats/change_points.h"
#include "common/stats/stats.h"
#include "common/units/units.h"
#include "plots/charts/chart.h"

/* --- ratios --------------------------------------------------------------- */

/* Add a row with "1.056 [1.025, 1.090] faster", and its point. */
static struct chart_point *
add_row(struct chart_data *d, struct chart_series *s, const char *name,
    struct chart_number y, int decimals, const char *verdict)
{
	const char *at = arena_printf(&d->arena, "%.*f", decimals, y.at);
	const char *interval = isnan(y.low)
	    ? at
	    : arena_printf(&d->arena, "%s [%.*f, %.*f]", at, decimals, y.low,
		  decimals, y.high);
	struct chart_point *p =
	    chart_point_add(s, (double)s->n_points + 1, y, "");

	p->aside = 1;
	d->rows[d->n_rows++] = (struct chart_row){ name,
		{ arena_join(&d->arena, interval, " ", verdict), interval, at },
		y };
	return p;
}

/* The case of a point of the set. */
static struct chart_case *
case_of(struct chart_data *d, const struct series_point *p)
{
	struct chart_case *c = d->cases;

	while (c->p != p)
		c++;
	return c;
}

/* Add the ratios, and their mean below the cases. All have as many decimals as
 * the most precise one takes. */
static void
add_ratios(struct chart_data *d, const struct comparison *c)
{
	struct chart_series *s =
	    chart_series_add(d, message(MESSAGE_RATIO, d->lang), c->n + 1);
	const char *comma = message(MESSAGE_COMMA, d->lang);
	int decimals = 2;

	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];
		char text[UNITS_TEXT_SIZE];
		const char *dot = strchr(comparison_ratio_text(text, row->ratio,
					     row->low, row->high),
		    '.');

		if (dot != NULL && (int)strlen(dot + 1) > decimals)
			decimals = (int)strlen(dot + 1);
	}
	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];
		const int both = row->before != NULL && row->after != NULL;
		struct chart_case *own =
		    case_of(d, row->after != NULL ? row->after : row->before);
		const char *verdict;
		struct chart_point *p;

		own->is_drawn = isfinite(row->ratio);
		own->why = both
		    ? message(MESSAGE_NO_FIGURE, d->lang)
		    : message_with(&d->arena, MESSAGE_ONLY_IN, d->lang,
			  c->files[row->after != NULL]->name, NULL);
		if (!own->is_drawn)
			continue;
		own->is_flagged = case_is_doubtful(row->before->c, 0) ||
		    case_is_doubtful(row->after->c, 0);
		verdict = comparison_verdict_text(row, d->lang);
		if (own->is_flagged) /* "slower, flagged" */
			verdict = arena_join(&d->arena, verdict, comma,
			    message(MESSAGE_FLAGGED, d->lang));
		p = add_row(d, s, chart_case_name(d, own, " "),
		    (struct chart_number){ row->ratio, row->low, row->high },
		    decimals, verdict);
		p->level[CHART_VALUE] = row->level;
		p->change = (row->verdict == COMPARISON_FASTER) -
		    (row->verdict == COMPARISON_SLOWER);
		p->is_open = own->is_flagged || p->change == 0;
	}
	d->n_series = s->n_points > 0;
	d->has_mean = c->n_both >= 2 && !isnan(c->mean);
	if (d->has_mean)
		add_row(d, s, message(MESSAGE_GEOMETRIC_MEAN, d->lang),
		    (struct chart_number){ c->mean, c->mean_low, c->mean_high },
		    decimals, "")
		    ->change = 2;
}

void
chart_fill_ratios(struct chart_data *d)
{
	static const struct comparison_how usual = {
		.confidence = NAN, .detect = NAN, .allow_mixed = 1
	};
	const struct comparison_how *how =
	    d->how.comparison != NULL ? d->how.comparison : &usual;
	const uint64_t sides = SERIES_BIT(SERIES_SOURCE) |
	    SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_KIND);
	struct comparison c;

	if (!(d->set->differing & SERIES_BIT(SERIES_SOURCE)))
		return;
	d->failed = comparison_init(d->set, how, &c, d->e) != 0;
	if (d->failed)
		return;
	for (size_t i = 0; i < d->n_cases; i++)
		d->cases[i].name = series_name_part(
		    d->set, d->cases[i].s, d->set->differing & ~sides, d->lang);
	d->delta = how->delta;
	add_ratios(d, &c);
	d->remark = chart_note_join(d,
	    message_with(&d->arena, MESSAGE_NOTE_RATIO, d->lang,
		c.files[1]->name, c.files[0]->name),
	    comparison_impossible(&c, d->lang, &d->arena));
	comparison_release(&c);
}

/* --- history -------------------------------------------------------------- */

/* True if each series of the set holds one case over time: points sorted by
 * date, each from a different file, named for its date or commit; the files are
 * in one array, sorted by date. */
static int
is_history(const struct series_set *set)
{
	int several = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct series_point *p = set->items[i].points;

		for (size_t k = 1; k < set->items[i].n_points; k++)
			if (p[k].c->gpus != p[0].c->gpus ||
			    p[k].c->nodes != p[0].c->nodes ||
			    p[k].source == p[k - 1].source)
				return 0;
		several |= set->items[i].n_points > 1;
	}
	return several;
}

/* Find levels as report_results --history does, in at most the last
 * CHANGE_POINTS_MAX points; each point's level is their median. */
static void
fill_levels(struct chart_series *s, struct arena *a)
{
	const size_t n = s->n_points;
	const size_t skip = n > CHANGE_POINTS_MAX ? n - CHANGE_POINTS_MAX : 0;
	double *logs = arena_calloc(a, n, sizeof *logs);
	double *p = arena_calloc(a, n, sizeof *p);
	size_t *at = arena_calloc(a, n, sizeof *at), n_at, begin = skip;
	const struct change_series series = { logs + skip, n - skip, NULL, 0 };

	for (size_t i = 0; i < n; i++)
		logs[i] = log(s->points[i].y[CHART_VALUE].at);
	n_at = change_points_find(logs + skip, n - skip, at, n);
	n_at = change_points_prove(
	    &series, 1 - DEFAULT_CONFIDENCE, at, p, n_at, NULL);
	for (size_t k = 0; k <= n_at; k++) {
		const size_t end = k < n_at ? skip + at[k] : n;
		double level;

		for (size_t i = begin; i < end; i++)
			p[i - begin] = s->points[i].y[CHART_VALUE].at;
		level = stats_median(p, end - begin);
		for (size_t i = begin; i < end; i++)
			s->points[i].trend = level;
		s->points[begin].starts_level = begin > 0;
		begin = end;
	}
}

void
chart_fill_history(struct chart_data *d)
{
	const struct result_file *first;
	const struct chart_case *c = d->cases, *end;
	size_t n_flagged = 0;

	if (!is_history(d->set))
		return;
	first = series_next_source(d->set, NULL);
	for (size_t i = 0; i < d->n_cases; i++)
		if ((size_t)(c[i].p->source - first) >= d->n_x_names)
			d->n_x_names = (size_t)(c[i].p->source - first) + 1;
	d->x_names = arena_calloc(&d->arena, d->n_x_names, sizeof *d->x_names);
	for (size_t i = 0; i < d->n_x_names; i++)
		d->x_names[i] = "";
	while (c < d->cases + d->n_cases) {
		struct chart_series *s = chart_series_add(
		    d, chart_case_name(d, c, " "), c->s->n_points);

		for (end = c + c->s->n_points; c < end; c++) {
			const size_t place = (size_t)(c->p->source - first);
			struct chart_point *p = chart_case_add(
			    s, (double)place + 1, c->c, c->p->source->name);

			d->x_names[place] = p->name;
			p->n_runs = 0;
			p->is_open = case_is_doubtful(c->c, 0);
			n_flagged += (size_t)p->is_open;
		}
		fill_levels(s, &d->arena);
	}
	d->remark = chart_note_share(
	    d, MESSAGE_NOTE_POINTS_FLAGGED, n_flagged, d->n_cases);
	if (d->n_series < 2 || d->n_series > CHART_MAX_FACETS)
		return;
	/* Each series gets a small chart of its values relative to its first
	 * level. On one axis, series of very different values would hide
	 * changes of some per cent. */
	d->is_relative = 1;
	d->n_facets = d->n_series;
	d->facets = arena_calloc(&d->arena, d->n_facets, sizeof *d->facets);
	for (size_t i = 0; i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];
		const double level = s->points[0].trend;
		const double base =
		    isfinite(level) ? level : s->points[0].y[CHART_VALUE].at;

		d->facets[i] = s->name;
		s->facet = (int)i;
		s->name = message(MESSAGE_MEDIAN, d->lang);
		for (size_t k = 0; k < s->n_points; k++) {
			struct chart_number *y = &s->points[k].y[CHART_VALUE];

			*y = (struct chart_number){ y->at / base, y->low / base,
				y->high / base };
			s->points[k].trend /= base;
		}
	}
}
