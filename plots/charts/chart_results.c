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

/* Name of a row: values in which the compared series differ, and the case
 * unless all rows with a ratio are of the same nodes and GPUs. */
static const char *
point_name(struct chart_data *d, const struct comparison *c,
    const struct comparison_row *row)
{
	const struct series_point *p =
	    row->after != NULL ? row->after : row->before;
	const uint64_t keys = d->set->differing &
	    ~(SERIES_BIT(SERIES_SOURCE) | SERIES_BIT(SERIES_RULE) |
		SERIES_BIT(SERIES_KIND));
	const char *name = "";
	int one_shape = isfinite(row->ratio);

	for (size_t k = 0; one_shape && k < c->n; k++)
		one_shape = !isfinite(c->rows[k].ratio) ||
		    case_shape_order(c->rows[k].after->c, p->c) == 0;
	for (size_t k = 0; k < d->set->n_keys; k++)
		if (keys & SERIES_BIT(k))
			name =
			    arena_join(&d->arena, name, " ", row->s->values[k]);
	return one_shape && name != NULL && name[0] != '\0'
	    ? name
	    : arena_join(&d->arena, name, " ", p->c->name);
}

/* Add a row with "1.056 [1.025, 1.090]". */
static void
add_row(struct chart_data *d, const char *name, const struct chart_number *y,
    int decimals, const char *verdict, double weight)
{
	const char *at = arena_printf(&d->arena, "%.*f", decimals, y->at);

	d->rows[d->n_rows++] = (struct chart_row){ name,
		isnan(y->low) ? at
			      : arena_printf(&d->arena, "%s [%.*f, %.*f]", at,
				    decimals, y->low, decimals, y->high),
		verdict, at, *y, weight };
}

/* True if the runs of either side are in doubt. */
static int
is_flagged(const struct comparison_row *row)
{
	return case_is_doubtful(row->before->c, 0) ||
	    case_is_doubtful(row->after->c, 0);
}

/* Add the ratios, and their mean below the cases. All have as many decimals as
 * the most precise one takes. */
static void
add_ratios(struct chart_data *d, const struct comparison *c)
{
	struct chart_series *s =
	    chart_series_add(d, message(MESSAGE_RATIO, d->lang), c->n);
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
		const struct chart_number y = { row->ratio, row->low,
			row->high };
		const char *verdict = comparison_verdict_text(row, d->lang);
		struct chart_point *p;

		if (!isfinite(row->ratio))
			continue;
		if (is_flagged(row)) /* "slower, flagged" */
			verdict = arena_join(&d->arena, verdict,
			    message(MESSAGE_COMMA, d->lang),
			    message(MESSAGE_FLAGGED, d->lang));
		p = chart_point_add(s, (double)s->n_points + 1, y, "");
		p->level[CHART_VALUE] = row->level;
		p->aside = 1;
		p->change = (row->verdict == COMPARISON_FASTER) -
		    (row->verdict == COMPARISON_SLOWER);
		p->is_open = is_flagged(row) || p->change == 0;
		/* Proven changes first, then by size. */
		add_row(d, point_name(d, c, row), &y, decimals, verdict,
		    fabs(log(row->ratio)) + (p->change != 0 ? 1e3 : 0));
	}
	d->n_series = s->n_points > 0;
	if (c->n_both < 2 || isnan(c->mean))
		return;
	d->mean = (struct chart_number){ c->mean, c->mean_low, c->mean_high };
	d->mean_level = c->confidence;
	add_row(d, message(MESSAGE_GEOMETRIC_MEAN, d->lang), &d->mean, decimals,
	    "", INFINITY);
}

/* Flagged cases, direction of the ratio, changes that cannot be proven, cases
 * that only one of the results has ("4n8g (only in old)"), the shaded range. */
static const char *
remark_of(struct chart_data *d, const struct comparison *c)
{
	enum { NAMED = 6 };
	size_t n = 0, n_flagged = 0, n_missing = 0;
	const char *missing = "", *note;

	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];
		const char *why = message(MESSAGE_NO_FIGURE, d->lang);

		if (isfinite(row->ratio)) {
			n_flagged += (size_t)is_flagged(row);
			n++;
			continue;
		}
		if (row->before == NULL || row->after == NULL)
			why = message_with(&d->arena, MESSAGE_ONLY_IN, d->lang,
			    c->files[row->after != NULL]->name, NULL);
		if (n_missing++ < NAMED)
			missing = chart_list_missing(
			    d, missing, point_name(d, c, row), why);
	}
	note = chart_note_share(d, MESSAGE_NOTE_FLAGGED, n_flagged, n);
	note = chart_note_join(d, note,
	    message_with(&d->arena, MESSAGE_NOTE_RATIO, d->lang,
		c->files[1]->name, c->files[0]->name));
	note = chart_note_join(
	    d, note, comparison_impossible(c, d->lang, &d->arena));
	if (n_missing > NAMED)
		missing = arena_printf(&d->arena, "%s%s+%zu", missing,
		    message(MESSAGE_COMMA, d->lang), n_missing - NAMED);
	if (n_missing > 0)
		note = chart_note_join(d, note,
		    arena_printf(&d->arena, "%s: %s",
			message(MESSAGE_NOT_DRAWN, d->lang), missing));
	if (d->delta > 0)
		note = chart_note_join(d, note,
		    message_with(&d->arena, MESSAGE_NOTE_SHADED, d->lang,
			arena_printf(&d->arena, "%.4g %%", 100 * d->delta),
			NULL));
	return note;
}

void
chart_fill_ratios(struct chart_data *d)
{
	static const struct comparison_how usual = {
		.confidence = NAN, .detect = NAN, .allow_mixed = 1
	};
	const struct comparison_how *how =
	    d->how.comparison != NULL ? d->how.comparison : &usual;
	struct comparison c;

	if (!(d->set->differing & SERIES_BIT(SERIES_SOURCE)))
		return;
	d->failed = comparison_init(d->set, how, &c, d->e) != 0;
	if (d->failed)
		return;
	d->delta = how->delta;
	add_ratios(d, &c);
	d->remark = remark_of(d, &c);
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
