/* Texts of a chart: title, axis titles, and the note on baselines, intervals
 * and cases that are not drawn. */
#include <config.h>

#include "plots/charts/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/result/case_text.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "common/units/units.h"

enum { MAX_LEVELS = 200 /* bytes of the list of confidence levels */ };

/* Start a new part of the note. */
static void
start_part(struct strbuf *sb, enum language lang)
{
	if (sb->len > 0)
		strbuf_addstr(sb, lang == LANGUAGE_ZH ? "；" : "; ");
}

/* Print a shared baseline in the note, different baselines in the legend. */
static void
say_baseline(struct chart_data *d, struct strbuf *sb)
{
	const struct chart_series *first = &d->series[0];
	const char *baseline = message(MESSAGE_BASELINE, d->lang);
	const char *comma = message(MESSAGE_COMMA, d->lang);
	const int many = d->n_series > 1;
	const char *unit =
	    first->base_name != NULL ? first->source->points[0].c->unit : NULL;
	char number[UNITS_TEXT_SIZE];
	int differ = 0;

	for (size_t i = 1; i < d->n_series; i++)
		differ |= !text_same(first->base_name, d->series[i].base_name);
	for (size_t i = 0; differ && i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];

		if (s->base_name != NULL)
			s->name = arena_printf(&d->arena, "%s%s%s %s", s->name,
			    comma, baseline, s->base_name);
	}
	if (differ || first->base_name == NULL)
		return;
	start_part(sb, d->lang);
	strbuf_printf(sb, "%s: ", baseline);
	if (d->shared_base != NULL && many)
		strbuf_printf(sb, "%s ", d->shared_base->name);
	strbuf_addstr(sb, first->base_name);
	if (d->shared_base == NULL && many)
		strbuf_printf(sb, "%s%s", comma,
		    message(MESSAGE_BASELINE_OF_EACH, d->lang));
	else
		strbuf_printf(sb, " = %s %s",
		    number_format(number, first->base_value, 5),
		    unit != NULL ? unit : "");
	if (first->base_flag)
		strbuf_printf(sb, " (%s)", message(MESSAGE_NO_1N1G, d->lang));
}

/* Add a confidence level to a list, " / 95 % / 99 %", unless it is already
 * listed or unknown. */
static void
add_level(struct strbuf *levels, double level, int digits)
{
	char percent[UNITS_TEXT_SIZE], text[UNITS_TEXT_SIZE + 3];

	if (!isfinite(level))
		return;
	snprintf(
	    text, sizeof text, " / %s", percent_format(percent, level, digits));
	if (strstr(levels->buf, text) == NULL)
		strbuf_addstr(levels, text);
}

/* Add a message with the levels filled in, and release them. */
static void
fill_levels(struct chart_data *d, struct strbuf *sb, enum message what,
    struct strbuf *levels)
{
	const char *list[] = { levels->len > 0 ? levels->buf + 3 : "", NULL };

	message_fill(sb, what, d->lang, list);
	strbuf_release(levels);
}

/* Explain the error bars, if any. Their confidence levels depend on the number
 * of runs. */
static void
say_bars(struct chart_data *d, struct strbuf *sb)
{
	const enum chart_quantity q = d->chart->quantity;
	struct strbuf levels;

	strbuf_init(&levels, MAX_LEVELS);
	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++) {
			const struct chart_point *p = &d->series[i].points[k];

			if (!isnan(p->y[q].low) && !isnan(p->y[q].at))
				add_level(&levels, p->level[q], 2);
		}
	if (levels.len == 0)
		return;
	start_part(sb, d->lang);
	strbuf_printf(sb, "%s: ", message(MESSAGE_ERROR_BARS, d->lang));
	fill_levels(d, sb,
	    d->chart->is_ratio     ? MESSAGE_CI_OF_RATIO
		: q == CHART_VALUE ? MESSAGE_CI_OF_MEDIAN
				   : MESSAGE_CI_OF_SPEEDUP,
	    &levels);
}

/* Explain the bands. */
static void
say_bands(struct chart_data *d, struct strbuf *sb)
{
	struct strbuf levels;

	if (d->n_bands == 0)
		return;
	strbuf_init(&levels, MAX_LEVELS);
	for (size_t i = 0; i < d->n_bands; i++)
		for (size_t k = 0; k < d->bands[i].n_points; k++)
			add_level(&levels,
			    d->bands[i].points[k].level[CHART_VALUE], 0);
	start_part(sb, d->lang);
	fill_levels(d, sb,
	    levels.len > 0 ? MESSAGE_NOTE_PREDICTED
			   : MESSAGE_NOTE_PREDICTED_RANGE,
	    &levels);
}

/* Add how many of the drawn cases are flagged: "3 of 12 cases flagged, see
 * report_results". The sentences take too much room above a plot. */
static void
say_flags(struct chart_data *d, const struct series_set *set, struct strbuf *sb)
{
	char flagged[32], of[32];
	const char *list[] = { flagged, of, NULL };
	size_t n = 0, n_flagged = 0;

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct series_point *p = &set->items[i].points[k];
			struct case_flags own = CASE_FLAGS_INIT(d->lang);

			if (!chart_draws(d->chart, p))
				continue;
			case_flags_marks(&own, p->c, &d->arena);
			n_flagged += own.n > 0;
			n++;
			case_flags_release(&own);
		}
	if (n_flagged == 0)
		return;
	snprintf(flagged, sizeof flagged, "%zu", n_flagged);
	snprintf(of, sizeof of, "%zu", n);
	start_part(sb, d->lang);
	message_fill(sb, MESSAGE_NOTE_FLAGGED, d->lang, list);
}

/* Reason why a point is not drawn: the published word, or that a value is
 * missing; NULL: it is drawn. */
static const char *
missing_word(const struct chart_data *d, const struct series_point *p)
{
	if (chart_draws(d->chart, p))
		return NULL;
	/* The text of a published number is not a reason. */
	if (p->text != NULL && p->text[0] != '\0' && !(p->c->median_speed > 0))
		return p->text;
	return message(!d->chart->over_gpus || p->c->gpus > 0
		? MESSAGE_NO_FIGURE
		: MESSAGE_GPUS_UNKNOWN,
	    d->lang);
}

/* Add "not drawn: TensorFlow 2n8g (OOM), MxNet (TODO)": the first few, then the
 * number of the others. */
static void
say_missing(struct chart_data *d, struct series_set *set,
    const char *const *names, struct strbuf *sb)
{
	enum { NAMED = 4 };
	const char *comma = message(MESSAGE_COMMA, d->lang);
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->items[i];
		const char *first = missing_word(d, &s->points[0]);
		/* No point is drawn, all for one reason: the series is named
		 * once. A series without a name lists its cases. */
		int all = names[i][0] != '\0' && first != NULL;

		for (size_t k = 1; k < s->n_points; k++)
			all &= text_same(first, missing_word(d, &s->points[k]));
		for (size_t k = 0; k < (all ? 1 : s->n_points); k++) {
			const char *why = missing_word(d, &s->points[k]);

			if (why == NULL || n++ >= NAMED)
				continue;
			if (n == 1) {
				start_part(sb, d->lang);
				strbuf_printf(sb, "%s: ",
				    message(MESSAGE_NOT_DRAWN, d->lang));
			}
			strbuf_printf(sb, "%s%s%s%s (%s)", n == 1 ? "" : comma,
			    names[i], names[i][0] != '\0' && !all ? " " : "",
			    all ? "" : s->points[k].c->name, why);
		}
	}
	if (n > NAMED)
		strbuf_printf(sb, "%s+%zu", comma, n - NAMED);
}

/* Note series that exceed the limit: it cannot be that of their link. */
static void
say_above_limit(struct chart_data *d, struct strbuf *sb)
{
	char above[32], of[32];
	const char *list[] = { above, of, NULL };
	size_t n = 0;

	for (size_t i = 0; d->limit > 0 && i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];
		int is_above = 0;

		for (size_t k = 0; k < s->n_points; k++)
			is_above |= s->points[k].y[CHART_VALUE].at > d->limit;
		n += (size_t)is_above;
	}
	if (n == 0)
		return;
	snprintf(above, sizeof above, "%zu", n);
	snprintf(of, sizeof of, "%zu", d->n_series);
	start_part(sb, d->lang);
	message_fill(sb, MESSAGE_NOTE_ABOVE_LINK, d->lang, list);
}

void
chart_axis_titles_set(struct chart_data *d, struct series_set *set)
{
	const char *unit = d->chart->unit;
	enum message title = d->chart->title;
	const struct result_rule *rule =
	    &set->items[0].points[0].source->result.rule;

	if (d->y_unit != NULL && unit == NULL) {
		unit = d->y_unit;
		if (strcmp(unit, "s") != 0)
			title = MESSAGE_THROUGHPUT;
	}
	if (unit == NULL)
		unit = set->differing & SERIES_BIT(SERIES_UNIT)
		    ? message(MESSAGE_MIXED_UNITS, d->lang)
		    : set->items[0].points[0].c->unit;
	if (title == MESSAGE_THROUGHPUT && d->metric != NULL &&
	    d->y_unit == NULL)
		title = run_metric_title(d->metric);
	if (title == MESSAGE_THROUGHPUT && d->is_time && d->y_unit == NULL)
		title = strcmp(rule->metric, "step-time") == 0
		    ? MESSAGE_STEP_TIME
		    : MESSAGE_TIME_TO_TRAIN;
	if (d->is_relative) {
		title = MESSAGE_OVER_FIRST_LEVEL;
		unit = "×";
	}
	d->x_title =
	    message(d->chart->x_title == MESSAGE_GPUS ? series_devices(set)
						      : d->chart->x_title,
		d->lang);
	if (d->chart->x_unit != NULL)
		d->x_title = arena_printf(
		    &d->arena, "%s (%s)", d->x_title, d->chart->x_unit);
	d->y_title = message(title, d->lang);
	if (unit == NULL || unit[0] != '\0')
		d->y_title = arena_printf(&d->arena, "%s (%s)", d->y_title,
		    unit != NULL ? unit : message(MESSAGE_UNKNOWN, d->lang));
	d->ideal_title = message(MESSAGE_IDEAL, d->lang);
}

void
chart_texts_set(struct chart_data *d, struct series_set *set,
    const char *const *names, const char *title)
{
	const uint64_t alike = ~set->differing &
	    ~(SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_WORK) |
		SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_KIND));
	struct strbuf note;

	d->title = title != NULL
	    ? title
	    : series_text(set, &set->items[0], alike, d->lang);
	/* A single series has no legend. */
	if (d->chart->names_in_title && d->n_series == 1 && title == NULL)
		d->title = chart_join(d, d->title,
		    message(MESSAGE_COMMA, d->lang), d->series[0].name);
	chart_axis_titles_set(d, set);
	strbuf_init(&note, 16384);
	if (d->remark != NULL)
		strbuf_addstr(&note, d->remark);
	say_baseline(d, &note);
	say_bars(d, &note);
	say_bands(d, &note);
	say_above_limit(d, &note);
	if (d->chart->note != 0) {
		start_part(&note, d->lang);
		strbuf_addstr(&note, message(d->chart->note, d->lang));
	}
	if (d->chart->over_gpus || d->chart->draws != NULL)
		say_missing(d, set, names, &note);
	if (d->n_runs_left_out > 0) { /* too many for one chart */
		start_part(&note, d->lang);
		strbuf_printf(&note, "%s: +%zu (--select)",
		    message(MESSAGE_NOT_DRAWN, d->lang), d->n_runs_left_out);
	}
	if (d->chart->over_gpus)
		say_flags(d, set, &note);
	d->note = arena_strdup(&d->arena, note.buf);
	strbuf_release(&note);
}

/* --- for those who do not see it ------------------------------------------ */

enum { MAX_DESCRIBED = 12 /* series listed with their numbers */ };

/* Text of an x position: its tick's label. */
static void
describe_place(struct strbuf *sb, const struct chart_data *d, double x)
{
	char number[UNITS_TEXT_SIZE];

	for (size_t i = 0; i < d->x.n; i++)
		if (fabs(d->x.ticks[i].at - x) <= 1e-9 * fabs(x) &&
		    d->x.ticks[i].label[0] != '\0') {
			strbuf_addstr(sb, d->x.ticks[i].label);
			return;
		}
	strbuf_addstr(sb, number_format(number, x, 4));
}

static void
describe_point(
    struct strbuf *sb, const struct chart_data *d, const struct chart_point *p)
{
	char number[UNITS_TEXT_SIZE];

	describe_place(sb, d, p->x);
	strbuf_printf(
	    sb, ": %s", number_format(number, p->y[d->chart->quantity].at, 4));
}

/* Describe a series: its name, first and last number. */
static void
describe_series(
    struct strbuf *sb, const struct chart_data *d, const struct chart_series *s)
{
	const struct chart_point *first = NULL, *last = NULL;

	for (size_t i = 0; i < s->n_points; i++)
		if (isfinite(s->points[i].y[d->chart->quantity].at)) {
			first = first != NULL ? first : &s->points[i];
			last = &s->points[i];
		}
	if (d->n_facets > 0)
		strbuf_printf(sb, "%s, ", d->facets[s->facet]);
	strbuf_printf(sb, "%s (", s->name);
	if (first != NULL)
		describe_point(sb, d, first);
	if (last != first) {
		strbuf_addstr(sb, " \xe2\x80\xa6 ");
		describe_point(sb, d, last);
	}
	strbuf_addstr(sb, "). ");
}

/* Describe the rows of a sideways chart: names, numbers and verdicts. */
static void
describe_rows(struct strbuf *sb, const struct chart_data *d)
{
	for (size_t i = 0; i < d->n_rows; i++)
		strbuf_printf(sb, "%s: %s%s%s. ", d->rows[i].name,
		    d->rows[i].number, d->rows[i].verdict[0] != '\0' ? " " : "",
		    d->rows[i].verdict);
}

char *
chart_describe(const struct chart_data *d)
{
	const size_t n =
	    d->n_series < MAX_DESCRIBED ? d->n_series : MAX_DESCRIBED;
	struct strbuf sb;

	strbuf_init(&sb, 1 << 16);
	strbuf_printf(&sb, "x: %s; y: %s. ",
	    d->chart->sideways ? d->y_title : d->x_title,
	    d->chart->sideways ? d->x_title : d->y_title);
	describe_rows(&sb, d);
	for (size_t i = 0; d->n_rows == 0 && i < n; i++)
		describe_series(&sb, d, &d->series[i]);
	if (d->n_rows == 0 && n < d->n_series)
		strbuf_printf(&sb, "+%zu. ", d->n_series - n);
	strbuf_addstr(&sb, d->note);
	return strbuf_detach(&sb);
}

char *
chart_long_title(const struct chart_data *d)
{
	struct strbuf sb;

	strbuf_init(&sb, 1 << 16);
	strbuf_printf(&sb, "%s%s%s", d->title, d->title[0] != '\0' ? ": " : "",
	    d->y_title);
	return strbuf_detach(&sb);
}
