/* What stands around a chart: title, axis titles, and the note that states
 * whose baseline, which intervals and what is not drawn. */
#include <config.h>

#include "plots/charts/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/result/case_text.h"
#include "common/series/metric_choice.h"
#include "common/strbuf.h"
#include "common/units/units.h"

/* What is added next is another part of the note. */
static void
start_part(struct strbuf *sb, enum language lang)
{
	if (sb->len > 0)
		strbuf_addstr(sb, lang == LANGUAGE_ZH ? "；" : "; ");
}

static int
same_base(const struct chart_series *a, const struct chart_series *b)
{
	if (a->base_name == NULL || b->base_name == NULL)
		return a->base_name == b->base_name;
	return strcmp(a->base_name, b->base_name) == 0;
}

static int
bases_agree(const struct chart_data *d)
{
	for (size_t i = 1; i < d->n_series; i++)
		if (!same_base(&d->series[0], &d->series[i]))
			return 0;
	return 1;
}

/* Each series' baseline, in the legend. */
static void
name_baselines(struct chart_data *d, enum language lang)
{
	for (size_t i = 0; i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];

		if (s->base_name != NULL)
			s->name = arena_printf(&d->arena, "%s%s%s %s", s->name,
			    message(MESSAGE_COMMA, lang),
			    message(MESSAGE_BASELINE, lang), s->base_name);
	}
}

/* The baseline that all series share is printed in the note, else each one's in
 * the legend. */
static void
say_baseline(struct chart_data *d, struct strbuf *sb, enum language lang)
{
	const struct chart_series *first = &d->series[0];
	const char *unit, *what;
	char number[UNITS_TEXT_SIZE];

	if (!bases_agree(d)) {
		name_baselines(d, lang);
		return;
	}
	if (first->base_name == NULL)
		return;
	unit = first->source->points[0].c->unit;
	if (d->shared_base == NULL && d->n_series > 1) {
		what = arena_printf(&d->arena, "%s%s",
		    message(MESSAGE_COMMA, lang),
		    message(MESSAGE_BASELINE_OF_EACH, lang));
	} else {
		number_format(number, first->base_value, 5);
		what = arena_printf(
		    &d->arena, " = %s %s", number, unit != NULL ? unit : "");
	}
	start_part(sb, lang);
	strbuf_printf(sb, "%s: %s%s%s%s%s%s%s", message(MESSAGE_BASELINE, lang),
	    d->shared_base != NULL && d->n_series > 1 ? d->shared_base->name
						      : "",
	    d->shared_base != NULL && d->n_series > 1 ? " " : "",
	    first->base_name, what, first->base_flag ? " (" : "",
	    first->base_flag ? message(MESSAGE_NO_1N1G, lang) : "",
	    first->base_flag ? ")" : "");
}

enum { MAX_LEVELS = 8 };

/* Confidence levels as texts, each once. */
struct level_texts {
	char text[MAX_LEVELS][UNITS_TEXT_SIZE];
	int n;
};

/* One more level, unless it is there, unknown, or there are too many. */
static void
add_level(struct level_texts *l, double level, int digits)
{
	char text[UNITS_TEXT_SIZE];

	if (!isfinite(level) || l->n == MAX_LEVELS)
		return;
	percent_format(text, level, digits);
	for (int i = 0; i < l->n; i++)
		if (strcmp(l->text[i], text) == 0)
			return;
	memcpy(l->text[l->n++], text, sizeof text);
}

/* Add a message with the levels, "95 % / 99 %", filled in. */
static void
add_levels(struct strbuf *sb, enum message what, const struct level_texts *l,
    enum language lang)
{
	char all[MAX_LEVELS * (UNITS_TEXT_SIZE + 3)] = "";
	const char *list[] = { all, NULL };
	size_t len = 0;

	for (int i = 0; i < l->n; i++)
		len += (size_t)snprintf(all + len, sizeof all - len, "%s%s",
		    i > 0 ? " / " : "", l->text[i]);
	message_fill(sb, what, lang, list);
}

/* What the bars are, if there are any: the levels reached differ with the
 * number of runs. */
static void
say_bars(struct chart_data *d, struct strbuf *sb, enum language lang)
{
	const enum chart_quantity q = d->chart->quantity;
	struct level_texts levels = { .n = 0 };

	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++) {
			const struct chart_point *p = &d->series[i].points[k];

			if (!isnan(p->y[q].low) && !isnan(p->y[q].at))
				add_level(&levels, p->level[q], 2);
		}
	if (levels.n == 0)
		return;
	start_part(sb, lang);
	strbuf_printf(sb, "%s: ", message(MESSAGE_ERROR_BARS, lang));
	add_levels(sb,
	    d->chart->is_ratio     ? MESSAGE_CI_OF_RATIO
		: q == CHART_VALUE ? MESSAGE_CI_OF_MEDIAN
				   : MESSAGE_CI_OF_SPEEDUP,
	    &levels, lang);
}

/* What the bands are. */
static void
say_bands(struct chart_data *d, struct strbuf *sb, enum language lang)
{
	struct level_texts levels = { .n = 0 };

	if (d->n_bands == 0)
		return;
	for (size_t i = 0; i < d->n_bands; i++)
		for (size_t k = 0; k < d->bands[i].n_points; k++)
			add_level(&levels,
			    d->bands[i].points[k].level[CHART_VALUE], 0);
	start_part(sb, lang);
	add_levels(sb,
	    levels.n > 0 ? MESSAGE_NOTE_PREDICTED
			 : MESSAGE_NOTE_PREDICTED_RANGE,
	    &levels, lang);
}

enum { MAX_FLAGS_NAMED = 6 };

/* The cases of the set that have this flag: "1n8g, 2n8g". */
static void
add_flagged_cases(struct chart_data *d, struct strbuf *sb,
    const struct series_set *set, const char *sentence, enum language lang)
{
	const size_t start = sb->len;

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct result_case *c = set->items[i].points[k].c;
			struct case_flags own = CASE_FLAGS_INIT(lang);
			int has = 0;

			case_flags_marks(&own, c, &d->arena);
			for (size_t j = 0; j < own.n; j++)
				has |= strcmp(own.sentences[j], sentence) == 0;
			case_flags_release(&own);
			if (has)
				strbuf_printf(sb, "%s%s",
				    sb->len > start ? ", " : "", c->name);
		}
}

/* The flags of the runs, and whose they are. */
static void
say_flags(struct chart_data *d, const struct series_set *set, struct strbuf *sb,
    enum language lang)
{
	struct case_flags all = CASE_FLAGS_INIT(lang);

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++)
			case_flags_marks(
			    &all, set->items[i].points[k].c, &d->arena);
	for (size_t i = 0; i < all.n && i < MAX_FLAGS_NAMED; i++) {
		start_part(sb, lang);
		add_flagged_cases(d, sb, set, all.sentences[i], lang);
		strbuf_printf(sb, ": %s", all.sentences[i]);
	}
	if (all.n > MAX_FLAGS_NAMED) {
		start_part(sb, lang);
		strbuf_printf(sb, "%s: +%zu", message(MESSAGE_FLAGS, lang),
		    all.n - MAX_FLAGS_NAMED);
	}
	case_flags_release(&all);
}

/* Why a point is not drawn: the published word, or that there is none. */
static const char *
missing_word(
    const struct chart *chart, const struct series_point *p, enum language lang)
{
	/* A published number is no reason. */
	if (p->text != NULL && p->text[0] != '\0' && !(p->c->median_speed > 0))
		return p->text;
	return message(!chart->over_gpus || p->c->gpus > 0
		? MESSAGE_NO_FIGURE
		: MESSAGE_GPUS_UNKNOWN,
	    lang);
}

/* True if nothing of the series is drawn, always for the same reason. */
static int
all_missing(
    const struct chart *chart, const struct series *s, enum language lang)
{
	for (size_t k = 0; k < s->n_points; k++)
		if (chart_draws(chart, &s->points[k]) ||
		    strcmp(missing_word(chart, &s->points[k], lang),
			missing_word(chart, &s->points[0], lang)) != 0)
			return 0;
	return 1;
}

/* "not drawn: TensorFlow 2n8g (OOM), MxNet (TODO)"; the first few, then how
 * many more. */
static void
say_missing(struct chart_data *d, struct series_set *set,
    const char *const *names, struct strbuf *sb, enum language lang)
{
	enum { NAMED = 4 };
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->items[i];
		/* A series without a name of its own is named by its cases. */
		const int all =
		    names[i][0] != '\0' && all_missing(d->chart, s, lang);

		for (size_t k = 0; k < (all ? 1 : s->n_points); k++) {
			const struct series_point *p = &s->points[k];

			if (chart_draws(d->chart, p) || n++ >= NAMED)
				continue;
			if (n == 1)
				start_part(sb, lang);
			strbuf_printf(sb, "%s%s%s%s%s (%s)",
			    n == 1 ? message(MESSAGE_NOT_DRAWN, lang) : "",
			    n == 1 ? ": " : message(MESSAGE_COMMA, lang),
			    names[i], names[i][0] != '\0' && !all ? " " : "",
			    all ? "" : p->c->name,
			    missing_word(d->chart, p, lang));
		}
	}
	if (n > NAMED)
		strbuf_printf(
		    sb, "%s+%zu", message(MESSAGE_COMMA, lang), n - NAMED);
}

/* Runs that would be too many for one chart. */
static void
say_left_out(struct chart_data *d, struct strbuf *sb, enum language lang)
{
	if (d->n_runs_left_out == 0)
		return;
	start_part(sb, lang);
	strbuf_printf(sb, "%s: +%zu (--select)",
	    message(MESSAGE_NOT_DRAWN, lang), d->n_runs_left_out);
}

/* A limit that bandwidths exceed is not that of their link; on it is not
 * above. */
static void
say_above_limit(struct chart_data *d, struct strbuf *sb, enum language lang)
{
	char above[32], of[32];
	const char *list[] = { above, of, NULL };
	size_t n = 0;

	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];
		int is_above = 0;

		for (size_t k = 0; k < s->n_points; k++)
			is_above |= s->points[k].y[CHART_VALUE].at > d->limit;
		n += (size_t)is_above;
	}
	if (!(d->limit > 0) || n == 0)
		return;
	snprintf(above, sizeof above, "%zu", n);
	snprintf(of, sizeof of, "%zu", d->n_series);
	start_part(sb, lang);
	message_fill(sb, MESSAGE_NOTE_ABOVE_LINK, lang, list);
}

static void
fill_axis_titles(struct chart_data *d, struct series_set *set, uint64_t differ,
    enum language lang)
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
		unit = differ & SERIES_BIT(SERIES_UNIT)
		    ? message(MESSAGE_MIXED_UNITS, lang)
		    : set->items[0].points[0].c->unit;
	if (title == MESSAGE_THROUGHPUT && d->metric != NULL &&
	    d->y_unit == NULL)
		title = metric_choice_title(d->metric);
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
		lang);
	if (d->chart->x_unit != NULL)
		d->x_title = arena_printf(
		    &d->arena, "%s (%s)", d->x_title, d->chart->x_unit);
	d->y_title = message(title, lang);
	if (unit == NULL || unit[0] != '\0')
		d->y_title = arena_printf(&d->arena, "%s (%s)", d->y_title,
		    unit != NULL ? unit : message(MESSAGE_UNKNOWN, lang));
	d->ideal_title = message(MESSAGE_IDEAL, lang);
}

void
chart_texts_set(struct chart_data *d, struct series_set *set,
    const char *const *names, const struct chart_how *how)
{
	uint64_t differ = set->differing;
	uint64_t alike = ~differ &
	    ~(SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_WORK) |
		SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_KIND));
	struct strbuf note;

	d->title = how->title;
	if (d->title == NULL)
		d->title = series_text(set, &set->items[0], alike, how->lang);
	/* One series is not named in a legend. */
	if (d->chart->names_in_title && d->n_series == 1 && how->title == NULL)
		d->title = arena_printf(&d->arena, "%s%s%s", d->title,
		    d->title[0] != '\0' ? message(MESSAGE_COMMA, how->lang)
					: "",
		    d->series[0].name);
	fill_axis_titles(d, set, differ, how->lang);
	strbuf_init(&note, 16384);
	if (d->remark != NULL)
		strbuf_addstr(&note, d->remark);
	say_baseline(d, &note, how->lang);
	say_bars(d, &note, how->lang);
	say_bands(d, &note, how->lang);
	say_above_limit(d, &note, how->lang);
	if (d->chart->note != 0) {
		start_part(&note, how->lang);
		strbuf_addstr(&note, message(d->chart->note, how->lang));
	}
	if (d->chart->over_gpus || d->chart->draws != NULL)
		say_missing(d, set, names, &note, how->lang);
	say_left_out(d, &note, how->lang);
	if (d->chart->over_gpus)
		say_flags(d, set, &note, how->lang);
	d->note = arena_strdup(&d->arena, note.buf);
	strbuf_release(&note);
}

/* --- for those who do not see it ------------------------------------------ */

enum { MAX_DESCRIBED = 12 /* series whose numbers are named */ };

/* What stands at a place of the x axis, as its tick names it. */
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

/* Its name, its first and its last number. */
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

/* Names, numbers and verdicts of a chart with names down the side. */
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
