/* Texts of a chart: title, axis titles, the note on baselines, intervals and
 * cases that are not drawn, and a text alternative to the picture. */
#include <config.h>

#include "plots/charts/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/result/case_text.h"
#include "common/text.h"
#include "common/units/units.h"

/* --- parts of the note ---------------------------------------------------- */

const char *
chart_note_join(struct chart_data *d, const char *note, const char *part)
{
	return arena_join(
	    &d->arena, note, message(MESSAGE_SEMICOLON, d->lang), part);
}

const char *
chart_note_share(struct chart_data *d, enum message what, size_t n, size_t of)
{
	return n == 0 ? NULL
		      : text_fill(&d->arena, message(what, d->lang),
			    arena_printf(&d->arena, "%zu", n),
			    arena_printf(&d->arena, "%zu", of), "");
}

/* Text of a shared baseline; the legend names different baselines. */
static const char *
baseline_text(struct chart_data *d)
{
	const struct chart_series *first = &d->series[0];
	const int shared = d->shared_base != NULL, several = d->n_series > 1;
	const char *baseline = message(MESSAGE_BASELINE, d->lang);
	const char *comma = message(MESSAGE_COMMA, d->lang);
	const char *unit, *text;
	char number[UNITS_TEXT_SIZE];
	double times;
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
		return NULL;
	text = arena_printf(&d->arena, "%s: %s%s%s", baseline,
	    shared && several ? d->shared_base->name : "",
	    shared && several ? " " : "", first->base_name);
	unit = first->source->points[0].c->unit;
	times = chart_fitting_unit(unit != NULL ? unit : "", first->base_value,
	    first->base_value, &unit);
	text = !shared && several
	    ? arena_join(&d->arena, text, comma,
		  message(MESSAGE_BASELINE_OF_EACH, d->lang))
	    : arena_printf(&d->arena, "%s = %s %s", text,
		  number_format(number, first->base_value * times, 5), unit);
	return first->base_flag ? arena_printf(&d->arena, "%s (%s)", text,
				      message(MESSAGE_NO_1N1G, d->lang))
				: text;
}

/* Confidence levels of the intervals of n lines, "95 % / 99 %": they depend on
 * the number of runs. "" if no interval has one. */
static const char *
levels_of(struct chart_data *d, const struct chart_series *lines, size_t n,
    enum chart_quantity q)
{
	const char *levels = "";

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < lines[i].n_points; k++) {
			const struct chart_point *p = &lines[i].points[k];
			char text[UNITS_TEXT_SIZE];

			if (isnan(p->y[q].low) || isnan(p->y[q].at) ||
			    !isfinite(p->level[q]))
				continue;
			snprintf(
			    text, sizeof text, " / %.4g %%", 100 * p->level[q]);
			if (strstr(levels, text) == NULL)
				levels = arena_printf(
				    &d->arena, "%s%s", levels, text);
		}
	return levels[0] != '\0' ? levels + 3 : "";
}

/* Explanation of the error bars and the bands, if any. */
static const char *
intervals_text(struct chart_data *d)
{
	const enum chart_quantity q = d->chart->quantity;
	const enum message what = d->chart->is_ratio ? MESSAGE_RATIO
	    : q == CHART_VALUE                       ? MESSAGE_MEDIAN
						     : MESSAGE_SPEEDUP;
	const char *levels = levels_of(d, d->series, d->n_series, q);
	const char *note = NULL;

	d->has_intervals = levels[0] != '\0';
	if (d->has_intervals)
		note = arena_printf(&d->arena, "%s: %s",
		    message(MESSAGE_ERROR_BARS, d->lang),
		    text_fill(&d->arena, message(MESSAGE_CI_OF, d->lang),
			levels, message(what, d->lang)));
	if (d->n_bands == 0)
		return note;
	levels = levels_of(d, d->series + d->n_series, d->n_bands, CHART_VALUE);
	return chart_note_join(d, note,
	    text_fill(&d->arena,
		message(levels[0] != '\0' ? MESSAGE_NOTE_PREDICTED
					  : MESSAGE_NOTE_PREDICTED_RANGE,
		    d->lang),
		levels));
}

/* Reason why a case is not drawn: the published word, or that a value is
 * missing; NULL if it is drawn or was published as "-". */
static const char *
missing_word(const struct chart_data *d, const struct chart_case *c)
{
	const char *text = c->p->text;

	if (c->is_drawn || text_same(text, "-"))
		return NULL;
	if (c->why != NULL || d->chart->is_ratio)
		return c->why;
	/* The text of a published number is not a reason. */
	if (text != NULL && text[0] != '\0' && !(c->c->median_speed > 0))
		return text;
	return message(!d->chart->over_gpus || c->c->gpus > 0
		? MESSAGE_NO_FIGURE
		: MESSAGE_GPUS_UNKNOWN,
	    d->lang);
}

/* Limits in columns for names of cases in the note, which is one line. */
enum { MOST_NAMES = 60, SHORT_NAMES = 34 };

/* Name the cases that are not drawn, or count them if their names are too long
 * or flagged cases are named.
 *
 * flagged  1: flagged cases are named */
static const char *
missing_text(struct chart_data *d, int flagged)
{
	enum { NAMED = 4 };
	const char *comma = message(MESSAGE_COMMA, d->lang), *names = "";
	size_t n = 0, n_all = 0;

	for (size_t i = 0; i < d->n_cases; i++) {
		const struct chart_case *c = &d->cases[i];
		const char *why = missing_word(d, c);

		n_all += c->is_drawn || why != NULL;
		if (why != NULL && ++n <= NAMED)
			names = arena_join(&d->arena, names, comma,
			    arena_printf(&d->arena, "%s (%s)",
				arena_join(&d->arena, c->name, " ", c->c->name),
				why));
	}
	if (n > 0 && n <= NAMED && !flagged &&
	    utf8_columns(names) <= MOST_NAMES)
		return arena_printf(&d->arena, "%s: %s",
		    message(MESSAGE_NOT_DRAWN, d->lang), names);
	return chart_note_share(d, MESSAGE_NOTE_NOT_DRAWN, n, n_all);
}

/* State how many of the drawn cases are flagged and, if the names are short,
 * which: a series if all its cases are, else the cases. NULL if none is. The
 * reasons would take too much room above a plot. */
static const char *
flags_text(struct chart_data *d)
{
	const struct chart_case *c = d->cases, *last = c + d->n_cases, *end;
	const int of_speedup = chart_is_of_speedup(d->chart);
	const char *names = "";
	size_t n = 0, n_flagged = 0;

	for (; c < last; c = end) {
		size_t drawn = 0, flagged = 0;
		const char *own = c->name;

		for (end = c; end < last && end->s == c->s; end++) {
			drawn += (size_t)end->is_drawn;
			if (!end->is_drawn ||
			    !(end->is_flagged ||
				case_is_doubtful(end->c, of_speedup)))
				continue;
			flagged++;
			own = arena_join(&d->arena, own, " ", end->c->name);
		}
		if (flagged == drawn && c->name[0] != '\0')
			own = c->name;
		if (flagged > 0)
			names = arena_join(&d->arena, names, " / ", own);
		n += drawn;
		n_flagged += flagged;
	}
	if (n_flagged == 0)
		return NULL;
	return text_fill(&d->arena,
	    message(d->chart->over_gpus || d->chart->is_ratio
		    ? MESSAGE_NOTE_FLAGGED
		    : MESSAGE_NOTE_CASES_FLAGGED,
		d->lang),
	    arena_printf(&d->arena, "%zu", n_flagged),
	    arena_printf(&d->arena, "%zu", n),
	    n_flagged < n && utf8_columns(names) <= SHORT_NAMES
		? arena_printf(&d->arena, " (%s)", names)
		: "");
}

/* Replace the names of the series by letters, and return a text that explains
 * the letters. Series of the same name share a letter. */
static const char *
letters_text(struct chart_data *d)
{
	const char **names =
	    arena_calloc(&d->arena, d->n_series, sizeof *names);
	const char *note = NULL;
	int n = 0;

	for (size_t i = 0; i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];
		size_t k = 0;

		names[i] = s->name;
		while (strcmp(names[k], names[i]) != 0)
			k++;
		s->name = k < i
		    ? d->series[k].name
		    : arena_printf(&d->arena, n < 26 ? "%c" : "%c%d",
			  'A' + n % 26, n / 26);
		if (k < i)
			continue;
		n++;
		note = chart_note_join(d, note,
		    arena_printf(&d->arena, "%s: %s", s->name, names[i]));
	}
	return note;
}

/* --- titles --------------------------------------------------------------- */

const char *
chart_unit(const struct chart_data *d, const struct chart *chart)
{
	const char *unit = d->set->items[0].points[0].c->unit;

	if (chart->title == MESSAGE_COST_OF_WORK)
		return "";
	if (d->is_relative)
		return "×";
	if (chart->unit != NULL)
		return chart->unit;
	if (d->y_unit != NULL)
		return d->y_unit;
	if (d->set->differing & SERIES_BIT(SERIES_UNIT))
		return message(MESSAGE_MIXED_UNITS, d->lang);
	return unit != NULL ? unit : message(MESSAGE_UNKNOWN, d->lang);
}

const char *
chart_y_title(
    struct chart_data *d, const struct chart *chart, const struct axis *y)
{
	const struct series_point *first = &d->set->items[0].points[0];
	const char *unit = chart_unit(d, chart), *work = "samples";
	enum message title = chart->title;

	if (d->is_relative) {
		title = MESSAGE_OVER_FIRST_LEVEL;
	} else if (d->y_unit != NULL) {
		if (chart->unit == NULL && strcmp(d->y_unit, "s") != 0)
			title = MESSAGE_THROUGHPUT;
	} else if (title == MESSAGE_COST_OF_WORK) {
		/* "cost of a million samples", by the unit of the speeds */
		if (work_kind_of(first->c->unit) == WORK_RATE)
			work = arena_strndup(&d->arena, first->c->unit,
			    strlen(first->c->unit) - strlen("/s"));
		return text_fill(&d->arena, message(title, d->lang), work);
	} else if (title == MESSAGE_THROUGHPUT && d->metric != NULL) {
		title = d->metric->title;
	} else if (title == MESSAGE_THROUGHPUT && d->is_time) {
		title =
		    text_same(first->source->result.rule.metric, "step-time")
		    ? MESSAGE_STEP_TIME
		    : MESSAGE_TIME_TO_TRAIN;
	}
	if (y->times > 1) /* the same name as for the axis */
		chart_fitting_unit(unit, 2 / y->times, 2 / y->times, &unit);
	return arena_printf(&d->arena, unit[0] != '\0' ? "%s (%s)" : "%s",
	    message(title, d->lang), unit);
}

void
chart_texts_set(struct chart_data *d)
{
	const struct chart *chart = d->chart;
	const uint64_t alike = ~d->set->differing &
	    ~(SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_WORK) |
		SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_KIND));
	const char *comma = message(MESSAGE_COMMA, d->lang);
	const size_t mean = (size_t)d->has_mean;
	const char *flags = flags_text(d), *note = NULL;

	/* The title states what all series have in common, nodes and GPUs if
	 * the names do not, and the name of a single series of a history. */
	d->title = arena_join(&d->arena,
	    series_text(d->set, &d->set->items[0], alike, d->lang), comma,
	    d->shape);
	if (chart->is_history && d->n_series == 1)
		d->title =
		    arena_join(&d->arena, d->title, comma, d->series[0].name);
	if (d->how.title != NULL)
		d->title = d->how.title;
	d->x_title = message(
	    chart->x_title == MESSAGE_GPUS ? d->set->devices : chart->x_title,
	    d->lang);
	if (chart->x_unit != NULL)
		d->x_title = arena_printf(
		    &d->arena, "%s (%s)", d->x_title, chart->x_unit);
	d->y_title = chart_y_title(d, chart, &d->y);
	d->ideal_title = message(MESSAGE_IDEAL, d->lang);
	if (d->n_all > 0)
		note = chart_note_share(d, MESSAGE_NOTE_SHOWN,
		    chart_n_parts(d) - mean, d->n_all - mean);
	note = chart_note_join(d, note, flags);
	note = chart_note_join(d, note, d->remark);
	if (!chart->of_steps && !chart->is_history)
		note = chart_note_join(d, note, missing_text(d, flags != NULL));
	if (d->delta > 0)
		note = chart_note_join(d, note,
		    text_fill(&d->arena, message(MESSAGE_NOTE_SHADED, d->lang),
			arena_printf(&d->arena, "%.4g %%", 100 * d->delta)));
	note = chart_note_join(d, note, baseline_text(d));
	note = chart_note_join(d, note, intervals_text(d));
	if (chart->note != 0)
		note = chart_note_join(d, note, message(chart->note, d->lang));
	if (d->how.lettered && (!chart->sideways || chart->is_stack))
		note = chart_note_join(d, note, letters_text(d));
	d->note = note != NULL ? note : "";
}

const char *
chart_note_line(struct chart_data *d, size_t columns)
{
	const char *separator = message(MESSAGE_SEMICOLON, d->lang);
	char *line = arena_strdup(&d->arena, d->note);

	while (utf8_columns(line) > columns) {
		char *first = strstr(line, separator), *last = first;
		char *open = strstr(line, " ("), *close = strchr(line, ')');
		const char *see = strstr(line, "report_results");

		for (char *p = first; p != NULL; p = strstr(p + 1, separator))
			last = p;
		/* Drop the names in the first part before the second part if
		 * the note refers to report_results for them. */
		if (first == last && close != NULL && open < close &&
		    close < see && (first == NULL || see < first))
			memmove(open, close + 1, strlen(close + 1) + 1);
		else if (last != NULL)
			*last = '\0';
		else
			break;
	}
	return line;
}

/* --- for those who do not see it ------------------------------------------ */

const char *
chart_describe(struct chart_data *d)
{
	enum { MOST = 12 }; /* series */
	const int turned = d->chart->sideways && !d->chart->is_grid;
	struct strbuf sb = STRBUF_INIT(1 << 16);

	strbuf_printf(&sb, "x: %s; y: %s. ", turned ? d->y_title : d->x_title,
	    turned ? d->x_title : d->y_title);
	for (size_t i = 0; i < d->n_rows; i++)
		strbuf_printf(
		    &sb, "%s: %s. ", d->rows[i].name, d->rows[i].texts[0]);
	for (size_t i = 0; d->n_rows == 0 && i < d->n_series && i < MOST; i++) {
		const struct chart_series *s = &d->series[i];
		const double times = d->y.times > 0 ? d->y.times : 1;
		char place[UNITS_TEXT_SIZE], number[UNITS_TEXT_SIZE];
		int n = 0;

		/* Describe a series: its name, first and last number. */
		if (d->n_facets > 0)
			strbuf_printf(&sb, "%s, ", d->facets[s->facet]);
		strbuf_printf(&sb, "%s (", s->name);
		for (size_t k = 0; k < s->n_points; k++) {
			const struct chart_point *p = &s->points[k];
			const double y = p->y[d->chart->quantity].at;

			if (!isfinite(y) || (n > 0 && k + 1 < s->n_points))
				continue;
			snprintf(place, sizeof place, "%.6g", p->x);
			strbuf_printf(&sb, "%s%s: %s",
			    n++ > 0 ? " \xe2\x80\xa6 " : "",
			    d->n_x_names > 0 ? d->x_names[(size_t)p->x - 1]
					     : place,
			    number_format(number, y * times, 4));
		}
		strbuf_addstr(&sb, "). ");
	}
	if (d->n_rows == 0 && d->n_series > MOST)
		strbuf_printf(&sb, "+%zu. ", d->n_series - MOST);
	strbuf_addstr(&sb, d->note);
	return strbuf_finish(&sb, &d->arena);
}
