/* Texts of a chart: title, axis titles, the note on baselines, intervals and
 * cases that are not drawn, and a description for those who do not see it. */
#include <config.h>

#include "plots/charts/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/result/case_flags.h"
#include "common/text.h"
#include "common/units/units.h"
#include "common/utf8.h"

/* --- the note ------------------------------------------------------------- */

void
chart_note_part(const struct chart_data *d, struct strbuf *note)
{
	if (note->len > 0)
		strbuf_addstr(note, message(MESSAGE_SEMICOLON, d->lang));
}

void
chart_note_missing(struct chart_data *d, struct strbuf *note, size_t *n,
    size_t most, const char *name, const char *why)
{
	const char *reason = arena_printf(&d->arena, " (%s)", why);
	const size_t len = strlen(reason);

	if ((*n)++ >= most)
		return;
	if (*n == 1) {
		chart_note_part(d, note);
		strbuf_printf(
		    note, "%s: ", message(MESSAGE_NOT_DRAWN, d->lang));
	} else {
		/* Cases of one reason share it. */
		if (note->len > len &&
		    strcmp(note->buf + note->len - len, reason) == 0)
			note->buf[note->len -= len] = '\0';
		strbuf_addstr(note, message(MESSAGE_COMMA, d->lang));
	}
	strbuf_printf(note, "%s%s", name, reason);
}

/* Add a part: a message with its texts, NULL: none. */
static void
say(const struct chart_data *d, struct strbuf *note, enum message what,
    const char *first, const char *second)
{
	const char *list[] = { first, second, NULL };

	chart_note_part(d, note);
	message_fill(note, what, d->lang, list);
}

void
chart_note_share(struct chart_data *d, struct strbuf *note, enum message what,
    size_t n, size_t of)
{
	const char *list[] = { arena_printf(&d->arena, "%zu", n),
		arena_printf(&d->arena, "%zu", of), "", NULL };

	if (n == 0)
		return;
	chart_note_part(d, note);
	message_fill(note, what, d->lang, list);
}

/* Print a shared baseline in the note, different baselines in the legend. */
static void
say_baseline(struct chart_data *d, struct strbuf *note)
{
	const struct chart_series *first = &d->series[0];
	const char *baseline = message(MESSAGE_BASELINE, d->lang);
	const char *comma = message(MESSAGE_COMMA, d->lang);
	const char *unit;
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
		return;
	chart_note_part(d, note);
	strbuf_printf(note, "%s: ", baseline);
	if (d->shared_base != NULL && d->n_series > 1)
		strbuf_printf(note, "%s ", d->shared_base->name);
	strbuf_addstr(note, first->base_name);
	unit = first->source->points[0].c->unit;
	times = chart_fitting_unit(unit != NULL ? unit : "", first->base_value,
	    first->base_value, &unit);
	if (d->shared_base == NULL && d->n_series > 1)
		strbuf_printf(note, "%s%s", comma,
		    message(MESSAGE_BASELINE_OF_EACH, d->lang));
	else
		strbuf_printf(note, " = %s %s",
		    number_format(number, first->base_value * times, 5), unit);
	if (first->base_flag)
		strbuf_printf(note, " (%s)", message(MESSAGE_NO_1N1G, d->lang));
}

/* Confidence levels of the intervals of n lines, "95 % / 99 %": they depend on
 * the number of runs. "" if no interval has one. */
static const char *
levels_of(struct chart_data *d, const struct chart_series *lines, size_t n,
    enum chart_quantity q, int digits)
{
	enum { MAX_LEVELS = 200 /* bytes */ };
	char text[UNITS_TEXT_SIZE];
	struct strbuf sb = STRBUF_INIT(MAX_LEVELS);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < lines[i].n_points; k++) {
			const struct chart_point *p = &lines[i].points[k];

			if (isnan(p->y[q].low) || isnan(p->y[q].at) ||
			    !isfinite(p->level[q]))
				continue;
			snprintf(text, sizeof text, " / %.*g %%", digits,
			    100 * p->level[q]);
			if (strstr(sb.buf, text) == NULL)
				strbuf_addstr(&sb, text);
		}
	if (sb.len == 0)
		return "";
	return strbuf_finish(&sb, &d->arena) + 3;
}

/* Explain the error bars and the bands, if any. */
static void
say_intervals(struct chart_data *d, struct strbuf *note)
{
	const enum chart_quantity q = d->chart->quantity;
	const char *levels = levels_of(d, d->series, d->n_series, q, 4);
	const char *list[] = { levels, NULL };

	if (levels[0] != '\0') {
		chart_note_part(d, note);
		strbuf_printf(
		    note, "%s: ", message(MESSAGE_ERROR_BARS, d->lang));
		message_fill(note,
		    d->chart->is_ratio     ? MESSAGE_CI_OF_RATIO
			: q == CHART_VALUE ? MESSAGE_CI_OF_MEDIAN
					   : MESSAGE_CI_OF_SPEEDUP,
		    d->lang, list);
	}
	if (d->n_bands == 0)
		return;
	levels =
	    levels_of(d, d->series + d->n_series, d->n_bands, CHART_VALUE, 2);
	say(d, note,
	    levels[0] != '\0' ? MESSAGE_NOTE_PREDICTED
			      : MESSAGE_NOTE_PREDICTED_RANGE,
	    levels, NULL);
}

/* Note series that exceed the limit: it cannot be that of their link. */
static void
say_above_limit(struct chart_data *d, struct strbuf *note)
{
	size_t n = 0;

	for (size_t i = 0; d->limit > 0 && i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];
		int is_above = 0;

		for (size_t k = 0; k < s->n_points; k++)
			is_above |= s->points[k].y[CHART_VALUE].at > d->limit;
		n += (size_t)is_above;
	}
	chart_note_share(d, note, MESSAGE_NOTE_ABOVE_LINK, n, d->n_series);
}

/* Reason why a case is not drawn: the published word, or that a value is
 * missing; NULL: it is drawn. */
static const char *
missing_word(const struct chart_data *d, const struct chart_case *c)
{
	const char *text = c->p->text;

	/* A table has "-" where there never was a number. */
	if (c->is_drawn || (text != NULL && strcmp(text, "-") == 0))
		return NULL;
	/* The text of a published number is not a reason. */
	if (text != NULL && text[0] != '\0' && !(c->c->median_speed > 0))
		return text;
	if (c->is_lone)
		return message(MESSAGE_ONE_COUNT, d->lang);
	return message(!d->chart->over_gpus || c->c->gpus > 0
		? MESSAGE_NO_FIGURE
		: MESSAGE_GPUS_UNKNOWN,
	    d->lang);
}

/* Columns of the names of cases in the note, which is one line: of the names of
 * one kind, and of each if there are two kinds. */
enum { MOST_NAMES = 60, SHORT_NAMES = 34 };

/* Name the cases that are not drawn, or count them if their names are too long.
 *
 * flagged  1: the note counts flagged cases */
static void
say_missing(struct chart_data *d, struct strbuf *note, int flagged)
{
	enum { NAMED = 4 };
	const struct chart_case *c = d->cases, *last = c + d->n_cases, *end;
	size_t n = 0, n_cases = 0;
	struct strbuf names = STRBUF_INIT(16384);

	for (; c < last; c = end) {
		const char *first = missing_word(d, c);
		/* No case is drawn, all for one reason: the series is named
		 * once. A series without a name lists its cases. */
		int all = c->name[0] != '\0' && first != NULL;

		for (end = c; end < last && end->s == c->s; end++) {
			all &= text_same(first, missing_word(d, end));
			n_cases += missing_word(d, end) != NULL;
		}
		for (; c < end; c = all ? end : c + 1)
			if (missing_word(d, c) != NULL)
				chart_note_missing(d, &names, &n, NAMED,
				    all ? c->name
					: chart_join(
					      d, c->name, " ", c->c->name),
				    missing_word(d, c));
	}
	if (n > NAMED ||
	    (n > 1 &&
		utf8_columns(names.buf) >
		    (flagged ? SHORT_NAMES : MOST_NAMES))) {
		chart_note_share(d, note,
		    flagged ? MESSAGE_NOTE_ALSO_NOT_DRAWN
			    : MESSAGE_NOTE_NOT_DRAWN,
		    n_cases, d->n_cases);
	} else if (n > 0) {
		chart_note_part(d, note);
		strbuf_addstr(note, names.buf);
	}
	strbuf_release(&names);
}

/* Add how many of the drawn cases are flagged, and which: series of which all
 * are, or their cases. The sentences take too much room above a plot. Returns 1
 * if any is flagged. */
static int
say_flags(struct chart_data *d, struct strbuf *note)
{
	const struct chart_case *c = d->cases, *last = c + d->n_cases, *end;
	const char *list[4] = { NULL }, *names = "";
	size_t n = 0, n_flagged = 0;

	for (; c < last; c = end) {
		size_t drawn = 0, flagged = 0;
		const char *own = c->name;

		for (end = c; end < last && end->s == c->s; end++) {
			if (!end->is_drawn)
				continue;
			drawn++;
			if (!case_is_doubtful(
				end->c, chart_is_of_speedup(d->chart)))
				continue;
			flagged++;
			own = chart_join(d, own, " ", end->c->name);
		}
		if (flagged > 0 && flagged == drawn && c->name[0] != '\0')
			own = c->name;
		if (flagged > 0)
			names = chart_join(d, names, " / ", own);
		n += drawn;
		n_flagged += flagged;
	}
	if (n_flagged == 0)
		return 0;
	list[0] = arena_printf(&d->arena, "%zu", n_flagged);
	list[1] = arena_printf(&d->arena, "%zu", n);
	list[2] = n_flagged < n && utf8_columns(names) <= SHORT_NAMES
	    ? arena_printf(&d->arena, " (%s)", names)
	    : "";
	chart_note_part(d, note);
	message_fill(note,
	    d->chart->over_gpus ? MESSAGE_NOTE_FLAGGED
				: MESSAGE_NOTE_CASES_FLAGGED,
	    d->lang, list);
	return 1;
}

/* Count the rows, small charts or series that are left; the mean is none. */
static void
say_left_out(struct chart_data *d, struct strbuf *note)
{
	const size_t mean = d->mean.at > 0;
	const size_t n = d->n_rows > 0 ? d->n_rows - mean
	    : d->n_facets > 0          ? d->n_facets
				       : d->n_series;

	if (d->n_all > 0)
		chart_note_share(
		    d, note, MESSAGE_NOTE_SHOWN, n, d->n_all - mean);
}

/* Replace the names of the series by letters and explain these, and the lines
 * that no legend names. */
static void
say_letters(struct chart_data *d, struct strbuf *note)
{
	const char **names =
	    arena_calloc(&d->arena, d->n_series, sizeof *names);
	int n = 0, differ = 0;

	for (size_t i = 1; i < d->n_series; i++)
		differ |= strcmp(d->series[i].name, d->series[0].name) != 0;
	for (size_t i = 0; differ && i < d->n_series; i++) {
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
		chart_note_part(d, note);
		strbuf_printf(note, "%s: %s", s->name, names[i]);
	}
	if (isfinite(chart_ideal(d, d->series, d->chart->quantity, 1)))
		say(d, note, MESSAGE_DOTTED_IDEAL, NULL, NULL);
	if (d->limit > 0) {
		chart_note_part(d, note);
		strbuf_addstr(note, d->limit_title);
	}
}

/* --- titles --------------------------------------------------------------- */

/* "cost of a million samples", by the unit of the speeds. */
static const char *
cost_title(struct chart_data *d, const char *unit)
{
	const char *items[] = { "samples", NULL };
	struct strbuf sb = STRBUF_INIT(4096);

	if (work_kind_of(unit) == WORK_RATE)
		items[0] =
		    arena_strndup(&d->arena, unit, strlen(unit) - strlen("/s"));
	message_fill(&sb, MESSAGE_COST_OF_WORK, d->lang, items);
	return strbuf_finish(&sb, &d->arena);
}

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
	const char *unit = chart_unit(d, chart);
	enum message title = chart->title;

	if (d->is_relative) {
		title = MESSAGE_OVER_FIRST_LEVEL;
	} else if (d->y_unit != NULL) {
		if (chart->unit == NULL && strcmp(d->y_unit, "s") != 0)
			title = MESSAGE_THROUGHPUT;
	} else if (title == MESSAGE_COST_OF_WORK) {
		return cost_title(d, first->c->unit);
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

/* What all series have in common, the nodes and GPUs that their names lack, and
 * the name of a single series that has no legend. */
static const char *
own_title(struct chart_data *d)
{
	const uint64_t alike = ~d->set->differing &
	    ~(SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_WORK) |
		SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_KIND));
	const char *comma = message(MESSAGE_COMMA, d->lang);
	const char *title =
	    series_text(d->set, &d->set->items[0], alike, d->lang);

	if (d->shape != NULL)
		title = chart_join(d, title, comma, d->shape);
	if (d->chart->names_in_title && d->n_series == 1)
		title = chart_join(d, title, comma, d->series[0].name);
	return title;
}

void
chart_texts_set(struct chart_data *d)
{
	const struct chart *chart = d->chart;
	const enum message x_title =
	    chart->x_title == MESSAGE_GPUS ? d->set->devices : chart->x_title;
	struct strbuf note = STRBUF_INIT(16384);
	int flagged;

	d->title = d->how.title != NULL ? d->how.title : own_title(d);
	d->x_title = message(x_title, d->lang);
	if (chart->x_unit != NULL)
		d->x_title = arena_printf(
		    &d->arena, "%s (%s)", d->x_title, chart->x_unit);
	d->y_title = chart_y_title(d, chart, &d->y);
	d->ideal_title = message(MESSAGE_IDEAL, d->lang);
	say_left_out(d, &note);
	flagged = say_flags(d, &note);
	if (d->remark != NULL) {
		chart_note_part(d, &note);
		strbuf_addstr(&note, d->remark);
	}
	if (chart->lists_missing)
		say_missing(d, &note, flagged);
	say_baseline(d, &note);
	say_intervals(d, &note);
	if (isfinite(d->mean.low) && d->mean.at > 0)
		say(d, &note, MESSAGE_NOTE_DIAMOND,
		    arena_printf(&d->arena, "%.4g %%", 100 * d->mean_level),
		    NULL);
	say_above_limit(d, &note);
	if (chart->note != 0)
		say(d, &note, chart->note, NULL, NULL);
	if (d->how.lettered && (!chart->sideways || chart->is_stack))
		say_letters(d, &note);
	d->note = strbuf_finish(&note, &d->arena);
}

/* Remove the names in parentheses from the first part of a line, which ends at
 * `end`, if report_results has them. Returns 1 if it did. */
static int
drop_names(char *line, const char *end)
{
	const char *see = strstr(line, "report_results");
	char *open = strstr(line, " ("), *close = strchr(line, ')');

	if (see == NULL || see >= end || open == NULL || close == NULL ||
	    close >= see)
		return 0;
	memmove(open, close + 1, strlen(close + 1) + 1);
	return 1;
}

const char *
chart_note_line(struct chart_data *d, size_t columns)
{
	const char *separator = message(MESSAGE_SEMICOLON, d->lang);
	char *line = arena_strdup(&d->arena, d->note);
	char *first, *last;

	while (utf8_columns(line) > columns &&
	    (first = strstr(line, separator)) != NULL) {
		for (char *p = last = first; p != NULL;
		     p = strstr(p + 1, separator))
			last = p;
		/* Rather a second part than names in the first. */
		if (last > first || !drop_names(line, first))
			*last = '\0';
	}
	return line;
}

const char *
chart_long_title(struct chart_data *d)
{
	return chart_join(d, d->title, ": ", d->y_title);
}

/* --- for those who do not see it ------------------------------------------ */

enum { MAX_DESCRIBED = 12 /* series listed with their numbers */ };

/* Describe a point: its tick's label, else its position, and its number. */
static void
describe_point(
    struct strbuf *sb, const struct chart_data *d, const struct chart_point *p)
{
	char number[UNITS_TEXT_SIZE];
	const char *place = number_format(number, p->x, 4);

	for (size_t i = d->x.n; i-- > 0;)
		if (fabs(d->x.ticks[i].at - p->x) <= 1e-9 * fabs(p->x) &&
		    d->x.ticks[i].label[0] != '\0')
			place = d->x.ticks[i].label;
	strbuf_addstr(sb, place);
	strbuf_printf(sb, ": %s",
	    number_format(number,
		p->y[d->chart->quantity].at * (d->y.times > 0 ? d->y.times : 1),
		4));
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

/* Describe row i: its number and verdict, of a heat map each column with its
 * number. */
static void
describe_row(struct strbuf *sb, const struct chart_data *d, size_t i)
{
	const struct chart_row *row = &d->rows[i];
	const struct chart_series *s = &d->series[i];

	strbuf_printf(sb, d->chart->is_grid ? "%s (" : "%s: ", row->name);
	for (size_t k = 0; d->chart->is_grid && k < s->n_points; k++)
		strbuf_printf(sb, "%s%s: %s", k > 0 ? ", " : "",
		    d->x_names[(size_t)s->points[k].y[CHART_VALUE].at - 1],
		    s->points[k].name);
	strbuf_printf(sb, "%s%s%s%s. ", row->number,
	    row->verdict[0] != '\0' ? " " : "", row->verdict,
	    d->chart->is_grid ? ")" : "");
}

const char *
chart_describe(struct chart_data *d)
{
	const int turned = d->chart->sideways && !d->chart->is_grid;
	struct strbuf sb = STRBUF_INIT(1 << 16);

	strbuf_printf(&sb, "x: %s; y: %s. ", turned ? d->y_title : d->x_title,
	    turned ? d->x_title : d->y_title);
	for (size_t i = 0; i < d->n_rows; i++)
		describe_row(&sb, d, i);
	for (size_t i = 0; d->n_rows == 0 && i < d->n_series; i++)
		if (i < MAX_DESCRIBED)
			describe_series(&sb, d, &d->series[i]);
	if (d->n_rows == 0 && d->n_series > MAX_DESCRIBED)
		strbuf_printf(&sb, "+%zu. ", d->n_series - MAX_DESCRIBED);
	strbuf_addstr(&sb, d->note);
	return strbuf_finish(&sb, &d->arena);
}
