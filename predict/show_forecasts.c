/* Forecasts as tables, one per series with the answers below it, or as one flat
 * table. Measured values are shown in full, predicted ones with
 * five digits in tables, twelve elsewhere. */
#include <config.h>

#include "predict/show_forecasts.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_write.h"
#include "common/result/case_text.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/cell.h"
#include "report/parts/columns.h"
#include "report/parts/notes.h"

enum { DIGITS = 5, RATIO_DIGITS = 3, GROUP = 3, TEXT_SIZE = 80 };

/* Input of a table. */
struct sheet {
	const struct show *show;
	const struct forecast *f;
	struct table *t;
	int flat; /* 1: one table for programs */
};

/* Text of a message with its arguments. */
static const char *
say(const struct sheet *at, enum message what, ...)
{
	const char *text;
	va_list list;

	va_start(list, what);
	text =
	    text_fill_list(&at->t->arena, message(what, at->show->lang), list);
	va_end(list);
	return text;
}

/* "%g" as a text. */
static const char *
plain(const struct sheet *at, double x)
{
	return arena_printf(&at->t->arena, "%g", x);
}

/* A head of the table. */
static void
head(const struct sheet *at, enum message what, const char *unit,
    enum table_align align)
{
	table_column(at->t, message(what, at->show->lang), unit, align);
}

/* --- numbers -------------------------------------------------------------- */

double
forecast_rounded(double x)
{
	char buf[32];

	if (!isfinite(x))
		return x;
	snprintf(buf, sizeof buf, "%.12g", x);
	return strtod(buf, NULL);
}

static void
put_number(const struct sheet *at, double x, int digits)
{
	char buf[UNITS_TEXT_SIZE], exact[JSON_DOUBLE_SIZE];

	if (!isfinite(x))
		table_cell(at->t, at->flat ? "" : "n/a");
	else if (at->flat)
		table_cell(at->t, json_double(exact, forecast_rounded(x)));
	else
		table_cell(at->t, number_format(buf, x, digits));
	table_numeric(at->t);
}

static void
put_count(const struct sheet *at, long count)
{
	put_number(at, count == RESULT_UNKNOWN ? NAN : (double)count, DIGITS);
}

/* "[0.25, 0.33]" */
static void
put_range(const struct sheet *at, double low, double high)
{
	char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE];

	table_cellf(at->t, "[%s, %s]", number_format(a, low, DIGITS),
	    number_format(b, high, DIGITS));
}

static void
put_percent(const struct sheet *at, double share)
{
	if (!isfinite(share))
		table_cell(at->t, at->flat ? "" : "n/a");
	else if (at->flat)
		put_number(at, share, DIGITS);
	else
		table_cellf(at->t, "%.1f", 100 * share);
}

/* "10,167": five digits, the whole ones in groups of three. */
static const char *
grouped_number(struct arena *a, double x)
{
	char buf[TEXT_SIZE];

	number_format(buf, x, DIGITS - 1 + (fabs(x) >= 1e4));
	for (size_t at = strcspn(buf, "."); at > GROUP;) {
		at -= GROUP;
		memmove(buf + at + 1, buf + at, strlen(buf + at) + 1);
		buf[at] = ',';
	}
	return arena_strdup(a, buf);
}

void
forecast_speed_ends(const struct forecast *f, const struct forecast_case *c,
    size_t i, double *low, double *high)
{
	const double gpus = (double)c->shape.gpus;
	const double a = scaling_speed(&f->s, c->t_low[i], gpus);
	const double b = scaling_speed(&f->s, c->t_high[i], gpus);

	*low = fmin(a, b);
	*high = fmax(a, b);
}

/* --- the first line ------------------------------------------------------- */

static const char *
growth_text(const struct sheet *at, const struct forecast_case *c)
{
	/* Of the row that the case was predicted from. */
	const int of_gpus =
	    c->shape.nodes == RESULT_UNKNOWN || c->shape.nodes == 1;

	if (c->how == FORECAST_BY_TRANSFER)
		return say(at, MESSAGE_FROM_BATCH, plain(at, c->sibling_batch));
	if (c->how == FORECAST_BY_LINK)
		return say(at, MESSAGE_FROM_LINK_ALONE);
	if (c->pooled > 0)
		return say(
		    at, MESSAGE_GROWTH_SERIES, plain(at, (double)c->pooled));
	if (c->n_counts > 2)
		return say(at,
		    of_gpus ? MESSAGE_GROWTH_GPUS : MESSAGE_GROWTH_NODES,
		    plain(at, (double)c->n_counts));
	return say(at,
	    c->n_counts < 2 ? MESSAGE_GROWTH_PUBLISHED
		: of_gpus   ? MESSAGE_GROWTH_TWO_GPUS
			    : MESSAGE_GROWTH_TWO_NODES);
}

/* "4n8g: 10,167 samples/s, 80 % interval 9,572-10,628, speedup 29.0; ..." */
static const char *
forecast_headline(const struct sheet *at)
{
	const struct forecast_case *c = forecast_first(at->f);
	struct arena *a = &at->t->arena;
	char ratio[UNITS_TEXT_SIZE];
	double low, high, gpus;

	if (c == NULL)
		return say(at, MESSAGE_NOTHING_PREDICTED);
	gpus = (double)c->shape.gpus;
	forecast_speed_ends(at->f, c, 0, &low, &high);
	number_format(
	    ratio, scaling_speedup(&at->f->s, c->t, gpus), RATIO_DIGITS);
	return say(at, MESSAGE_HEADLINE, c->shape.name,
	    grouped_number(a, scaling_speed(&at->f->s, c->t, gpus)),
	    at->f->s.unit,
	    c->how == FORECAST_BY_LINK
		? say(at, MESSAGE_RANGE)
		: say(at, MESSAGE_LEVEL_INTERVAL,
		      plain(at, 100 * at->show->request->levels[0])),
	    grouped_number(a, low), grouped_number(a, high), ratio,
	    growth_text(at, c),
	    c->warnings & 1U << WARNING_FLAGGED
		? say(at, MESSAGE_RESTS_ON_FLAGGED)
		: "");
}

/* --- columns -------------------------------------------------------------- */

/* The columns of a flat table, after those of the configuration. */
static void
add_flat_columns(const struct sheet *at)
{
	static const char *const heads[] = { "case", "nodes", "gpus_per_node",
		"gpus", "unit", "median", "median_low", "median_high",
		"median_level", "speedup", "efficiency" };
	const struct answers_request *ask = at->show->ask;
	struct table *t = at->t;

	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		table_column(t, heads[i], NULL, TABLE_LEFT);
	for (int i = 0; i < N_SCALING_LAWS && at->show->request->compare; i++)
		table_column(t, scaling_law_names[i], NULL, TABLE_LEFT);
	if (!isnan(ask->samples)) {
		table_column(t, "seconds", NULL, TABLE_LEFT);
		table_column(t, "gpu_hours", NULL, TABLE_LEFT);
	}
	if (!isnan(ask->samples) && !isnan(ask->price))
		table_column(t, "cost", NULL, TABLE_LEFT);
	table_column(t, "how", NULL, TABLE_LEFT);
	table_column(t, "notes", NULL, TABLE_LEFT);
}

static void
add_columns(const struct sheet *at, const char *unit)
{
	const struct show *show = at->show;
	const double level = 100 * show->request->levels[0];

	head(at, MESSAGE_CASE, NULL, TABLE_LEFT);
	head(at, MESSAGE_GPUS, NULL, TABLE_RIGHT);
	head(at,
	    at->f->s.kind != SPEED_STEP_TIME ? MESSAGE_SPEED : MESSAGE_STEP,
	    unit, TABLE_DECIMAL);
	table_column(at->t, say(at, MESSAGE_LEVEL_INTERVAL, plain(at, level)),
	    unit, TABLE_RIGHT);
	head(at, MESSAGE_SPEEDUP, NULL, TABLE_DECIMAL);
	head(at, MESSAGE_EFFICIENCY, "%", TABLE_DECIMAL);
	for (int i = 0; i < N_SCALING_LAWS && show->request->compare; i++)
		table_column(at->t, scaling_law_titles[i], unit, TABLE_DECIMAL);
	if (!isnan(show->ask->samples)) {
		head(at, MESSAGE_TIME, NULL, TABLE_RIGHT);
		head(at, MESSAGE_GPU_HOURS, NULL, TABLE_DECIMAL);
	}
	if (!isnan(show->ask->samples) && !isnan(show->ask->price))
		head(at, MESSAGE_PRICE, NULL, TABLE_DECIMAL);
	head(at, MESSAGE_HOW, NULL, TABLE_LEFT);
	head(at, MESSAGE_REMARKS, NULL, TABLE_LEFT);
}

/* The cells that name a case, of both kinds of tables. */
static void
put_shape(const struct sheet *at, const struct scaling_target *shape)
{
	table_cell(at->t, shape->name);
	if (at->flat) {
		put_count(at, shape->nodes);
		put_count(at, shape->gpus_per_node);
	}
	table_cellf(at->t, "%ld", shape->gpus);
	table_numeric(at->t);
	if (at->flat)
		table_cell(at->t, at->f->s.unit);
}

static void
put_interval(const struct sheet *at, const struct forecast_case *c)
{
	double low, high;

	forecast_speed_ends(at->f, c, 0, &low, &high);
	if (at->flat) {
		const int known = c->measured == NULL;

		put_number(at, known ? low : NAN, DIGITS);
		put_number(at, known ? high : NAN, DIGITS);
		put_percent(at,
		    known && c->how != FORECAST_BY_LINK
			? at->show->request->levels[0]
			: NAN);
	} else if (c->measured != NULL) {
		table_cell(at->t, "");
	} else {
		put_range(at, low, high);
	}
}

static void
put_speed(const struct sheet *at, const struct forecast_case *c)
{
	const struct scaling_case *m = c->measured;

	if (m == NULL)
		put_number(at,
		    scaling_speed(&at->f->s, c->t, (double)c->shape.gpus),
		    DIGITS);
	else if (m->point->text != NULL)
		table_cell(at->t, m->point->text);
	else if (at->flat)
		cell_unrounded(at->t, m->speed);
	else if (m->speed >= 1000)
		table_cellf(at->t, "%.2f", m->speed);
	else
		put_number(at, m->speed, DIGITS);
	table_numeric(at->t);
}

static void
put_cost(const struct sheet *at, const struct forecast_case *c)
{
	const struct answers_request *ask = at->show->ask;
	struct cost_answer a;
	char buf[UNITS_TEXT_SIZE], low[UNITS_TEXT_SIZE];
	char high[UNITS_TEXT_SIZE];

	if (isnan(ask->samples))
		return;
	a = cost_make(&at->f->s, c, ask->samples, ask->price);
	if (at->flat)
		put_number(at, a.seconds, DIGITS);
	else if (c->measured != NULL)
		table_cell(at->t, seconds_format(buf, a.seconds));
	else
		table_cellf(at->t, "%s [%s, %s]",
		    seconds_format(buf, a.seconds),
		    seconds_format(low, fmin(a.seconds_low, a.seconds_high)),
		    seconds_format(high, fmax(a.seconds_low, a.seconds_high)));
	put_number(at, a.gpu_hours, RATIO_DIGITS + 1);
	if (!isnan(ask->price))
		put_number(at, a.cost, RATIO_DIGITS + 1);
}

/* "2n8g late-warmup 6/6, 2n8g drift 2/6": the flags of the cases that a case
 * rests on, with the share of runs that have each. */
static const char *
flagged_codes(struct arena *a, const struct forecast_case *c)
{
	const char *all = "";

	for (size_t i = 0; i < c->n_rests; i++)
		for (size_t k = 0; k < c->rests[i]->n_doubts; k++) {
			const struct case_flag *f = &c->rests[i]->doubts[k];

			all = arena_join(a, all, ", ",
			    arena_printf(a, "%s %s %zu/%zu", c->rests[i]->name,
				f->from.code == REMARK_OTHER
				    ? f->from.args[0].text
				    : remark_rows[f->from.code].name,
				f->n, c->rests[i]->point->c->n_runs));
		}
	return all;
}

static void
put_case(const struct sheet *at, const struct forecast_case *c)
{
	const double gpus = (double)c->shape.gpus;
	const struct result_case *measured =
	    c->measured != NULL ? c->measured->point->c : NULL;
	struct table *t = at->t;
	const char *notes = "";

	put_shape(at, &c->shape);
	put_speed(at, c);
	put_interval(at, c);
	/* As the result has them, unless --baseline names another case. */
	if (at->flat && measured != NULL &&
	    text_same(measured->baseline, at->f->s.baseline->name)) {
		cell_unrounded(at->t, measured->speedup);
		cell_unrounded(at->t, measured->efficiency);
	} else {
		put_number(
		    at, scaling_speedup(&at->f->s, c->t, gpus), RATIO_DIGITS);
		put_percent(at, scaling_efficiency(&at->f->s, c->t));
	}
	for (int i = 0; i < N_SCALING_LAWS && at->show->request->compare; i++)
		if (c->measured != NULL)
			table_cell(t, "");
		else
			put_number(at, c->laws[i], DIGITS);
	put_cost(at, c);
	table_cellf(t, "%s%s", say(at, forecast_hows[c->how].text),
	    c->forced ? say(at, MESSAGE_AND_FORCED) : "");
	if (c->how == FORECAST_BY_TRANSFER)
		notes = say(at, MESSAGE_BATCH_FROM, plain(at, c->sibling_batch),
		    c->anchor);
	for (int i = 0; i < N_FORECAST_WARNINGS; i++)
		if (c->warnings & 1U << i)
			notes = arena_join(&t->arena, notes, "; ",
			    i == WARNING_FLAGGED && !at->flat
				? say(at, MESSAGE_FLAGGED)
				: forecast_warnings[i].word);
	if (at->flat && c->warnings & 1U << WARNING_FLAGGED)
		notes = arena_printf(
		    &t->arena, "%s: %s", notes, flagged_codes(&t->arena, c));
	table_cell(t, notes);
}

/* Note cases without a speed: "1n8g (OOM)". */
static void
note_absent(const struct sheet *at)
{
	const struct series *s = at->f->s.series;
	struct arena *a = &at->t->arena;
	const char *list = NULL;

	for (size_t i = 0; i < s->n_points; i++) {
		const struct series_point *p = &s->points[i];

		if (p->text != NULL && !isfinite(p->c->median_speed))
			list = arena_join(a, list, ", ",
			    arena_printf(a, "%s (%s)",
				p->c->name != NULL ? p->c->name : "?",
				p->text));
	}
	if (list != NULL)
		note_message(at->t, at->show->lang, MESSAGE_NOT_USED, list);
}

/* --- below the table ------------------------------------------------------ */

/* Note the flags of all measured cases. */
static void
note_flags(const struct sheet *at)
{
	struct arena *a = &at->t->arena;

	for (size_t i = 0; i < at->f->s.n; i++) {
		const struct scaling_case *c = &at->f->s.cases[i];

		for (size_t k = 0; k < c->n_doubts; k++)
			note_message(at->t, at->show->lang,
			    MESSAGE_RESTS_FLAGGED, c->name,
			    arena_join(a,
				case_flag_text(
				    &c->doubts[k], at->show->lang, a),
				"",
				c->doubts[k].n < c->point->c->n_runs
				    ? ""
				    : remark_text(
					  &REMARK(REMARK_OF_RUNS,
					      remark_count(c->doubts[k].n),
					      remark_count(
						  c->point->c->n_runs)),
					  at->show->lang, a)));
	}
}

static void
note_warnings(const struct sheet *at)
{
	unsigned warnings = 0;
	int forced = 0, linked = 0;

	for (size_t i = 0; i < at->f->n_cases; i++) {
		warnings |= at->f->cases[i].warnings;
		forced |= at->f->cases[i].forced;
		linked |= at->f->cases[i].how == FORECAST_BY_LINK;
	}
	for (int i = 0; i < N_FORECAST_WARNINGS; i++)
		if (warnings & 1U << i && i != WARNING_FLAGGED)
			table_note(at->t, "%s: %s", forecast_warnings[i].word,
			    say(at, forecast_warnings[i].text,
				i == WARNING_RISING ? K_RISING_SERIES
						    : K_BEYOND_SERIES,
				i == WARNING_RISING ? K_RISING_MISSED
						    : K_BEYOND_MISSED,
				i == WARNING_RISING ? K_RISING_SLOWER
						    : K_BEYOND_SLOWER));
	note_flags(at);
	if (forced)
		note_message(at->t, at->show->lang, MESSAGE_IS_FORCED);
	if (linked)
		note_message(at->t, at->show->lang, MESSAGE_LINK_ERROR);
	if (linked && at->f->gradients_by_model)
		note_message(at->t, at->show->lang, MESSAGE_GRADIENTS_OF_MODEL,
		    arena_printf(&at->t->arena, "%.0f", at->f->gradient_bytes),
		    at->f->s.series->values[SERIES_MODEL]);
}

/* "6 nodes", "beyond 16 nodes". */
static const char *
until_text(const struct sheet *at, const struct until_answer *a, long count)
{
	const char *text = say(at,
	    a->gpus_per_node == RESULT_UNKNOWN ? MESSAGE_N_GPUS
					       : MESSAGE_N_NODES,
	    plain(at, (double)(count > 0 ? count : a->limit)));

	return count > 0 ? text : say(at, MESSAGE_BEYOND, text);
}

static void
note_until(const struct sheet *at)
{
	const struct answers_request *ask = at->show->ask;
	const double level = at->show->request->levels[0];
	struct until_answer a;
	const char *first;

	if (isnan(ask->until))
		return;
	if (until_find(at->f, ask->until, level, &a) != 0) {
		note_message(at->t, at->show->lang, MESSAGE_UNTIL_NO_ROW,
		    plain(at, 100 * ask->until));
		return;
	}
	first = until_text(at, &a, a.count > 0 ? a.count : a.limit);
	first = a.count > 0 ? say(at, MESSAGE_FROM_ON, first)
			    : say(at, MESSAGE_NOT_WITHIN, first,
				  plain(at, exp2(floor(K_FARTHEST))));
	note_message(at->t, at->show->lang, MESSAGE_UNTIL,
	    plain(at, 100 * a.target), first, until_text(at, &a, a.earliest),
	    until_text(at, &a, a.latest), plain(at, 100 * level),
	    a.gpus_per_node == RESULT_UNKNOWN
		? ""
		: say(at, MESSAGE_GPUS_A_NODE,
		      plain(at, (double)a.gpus_per_node)));
}

static void
note_bandwidth(const struct sheet *at)
{
	struct error e = ERROR_INIT;
	struct bandwidth_answer a;
	const char *text;

	if (isnan(at->show->ask->want))
		return;
	if (bandwidth_find(at->f, at->show->ask, &a, &e) != 0)
		text = e.message;
	else if (isnan(a.bit_per_s))
		text = say(at, MESSAGE_NO_BANDWIDTH, plain(at, 100 * a.target),
		    a.of->shape.name,
		    arena_printf(&at->t->arena, "%.1f", 100 * a.best));
	else if (a.low < a.high)
		text = say(at, MESSAGE_BANDWIDTH_RANGE,
		    plain(at, 100 * a.target), a.of->shape.name,
		    arena_printf(&at->t->arena, "%.3g", 1e-9 * a.low),
		    arena_printf(&at->t->arena, "%.3g", 1e-9 * a.high));
	else
		text = say(at, MESSAGE_BANDWIDTH_FOR, plain(at, 100 * a.target),
		    a.of->shape.name,
		    arena_printf(&at->t->arena, "%.3g", 1e-9 * a.bit_per_s));
	table_note(at->t, "%s", text);
}

/* --- tables --------------------------------------------------------------- */

static void
add_rows(const struct sheet *at, uint64_t keys)
{
	const struct show *show = at->show;
	const struct series *s = at->f->s.series;
	const size_t n = at->f->n_cases + at->f->n_refused;

	for (size_t i = 0; i < n; i++) {
		const struct table_row *row;
		const struct forecast_refused *r = i < at->f->n_cases
		    ? NULL
		    : &at->f->refused[i - at->f->n_cases];

		if (r != NULL && r->why.code == REMARK_IS_MEASURED)
			continue;
		table_row(at->t);
		keys_cells(at->t, show->set, s, keys);
		if (r == NULL) {
			put_case(at, &at->f->cases[i]);
			continue;
		}
		put_shape(at, &r->shape);
		row = &at->t->rows[at->t->n_rows - 1];
		while (row->n_cells + 2 < at->t->n_columns)
			table_cell(at->t, "");
		table_cell(at->t,
		    say(at, MESSAGE_REFUSED, remark_rows[r->why.code].reason));
		table_cell(at->t,
		    at->flat ? remark_text(&r->why, LANGUAGE_EN, &at->t->arena)
			     : "");
	}
}

void
show_series(const struct show *show, const struct forecast *f, struct table *t)
{
	const struct sheet sheet = { show, f, t, 0 }, *at = &sheet;
	const char *of = series_text(show->set, at->f->s.series,
	    show->set->n > 1 ? show->set->differing : 0, show->lang);
	const struct forecast_backtest *b = forecast_best_backtest(at->f);
	const struct series_point *p = &at->f->s.series->points[0];
	const char *rule = measured_text(
	    &at->t->arena, &p->source->result.rule, p->c->rule, show->lang);
	const char *common = series_text(
	    show->set, at->f->s.series, ~SERIES_BIT(SERIES_RULE), show->lang);

	table_title(at->t, "%s",
	    arena_join(&at->t->arena, of, ": ", forecast_headline(at)));
	add_columns(at, at->f->s.unit);
	add_rows(at, 0);
	note_warnings(at);
	note_absent(at);
	for (size_t i = 0; i < at->f->n_refused; i++)
		if (at->f->refused[i].why.code != REMARK_IS_MEASURED)
			table_note(at->t, "%s: %s",
			    at->f->refused[i].shape.name,
			    remark_text(&at->f->refused[i].why, show->lang,
				&at->t->arena));
	if (b != NULL)
		note_message(at->t, at->show->lang,
		    b->inside ? MESSAGE_BACKTEST_INSIDE
			      : MESSAGE_BACKTEST_OUTSIDE,
		    b->of->name,
		    arena_printf(&at->t->arena, "%+.1f", 100 * b->error));
	note_until(at);
	note_bandwidth(at);
	if (rule != NULL)
		common = arena_join(&at->t->arena, common,
		    message(MESSAGE_COMMA, show->lang), rule);
	if (common[0] != '\0')
		note_message(
		    at->t, at->show->lang, MESSAGE_PREDICTED_OF, common);
}

static void
make_what_ifs(const struct sheet *at, size_t i)
{
	const struct show *show = at->show;

	table_title(at->t, "%s", say(at, MESSAGE_WHAT_IF));
	head(at, MESSAGE_WHAT_CHANGES, NULL, TABLE_LEFT);
	head(at, MESSAGE_CASE, NULL, TABLE_LEFT);
	head(at, MESSAGE_STEP_NOW, "s", TABLE_DECIMAL);
	head(at, MESSAGE_STEP_THEN, "s", TABLE_DECIMAL);
	head(at, MESSAGE_RANGE, "s", TABLE_RIGHT);
	head(at, MESSAGE_FASTER_BY, NULL, TABLE_DECIMAL);
	head(at, MESSAGE_OVERLAP, NULL, TABLE_LEFT);
	for (size_t k = 0; k < show->ask->n_what_ifs; k++)
		for (size_t c = 0; c < at->f->n_cases; c++) {
			const struct forecast_case *of = &at->f->cases[c];
			const struct what_if *w = &show->ask->what_ifs[k];
			char busy[UNITS_TEXT_SIZE], link[UNITS_TEXT_SIZE];
			struct what_if_answer r;
			struct error e = ERROR_INIT;

			if (of->shape.nodes < 2)
				continue;
			if (what_if_answer(show->forecasts, show->ask, i, of, w,
				&r, &e) != 0) {
				table_note(at->t, "%s", e.message);
				continue;
			}
			table_row(at->t);
			table_cell(at->t, w->text);
			table_cell(at->t, of->shape.name);
			put_number(at, r.before_s, DIGITS);
			put_number(at, r.step.step_s, DIGITS);
			put_range(at, r.step.low_s, r.step.high_s);
			put_number(
			    at, r.before_s / r.step.step_s, RATIO_DIGITS);
			if (isnan(r.gamma))
				table_cell(at->t, say(at, MESSAGE_BOTH_ENDS));
			else
				table_cellf(at->t, "%.2f", r.gamma);
			if (r.bound)
				note_message(at->t, at->show->lang,
				    MESSAGE_BOUND, w->text, of->shape.name,
				    number_format(
					busy, r.communication.busy_s, 2),
				    number_format(
					link, r.communication.link_s, 2));
		}
}

static void
make_diagnosis(const struct sheet *at)
{
	table_title(at->t, "%s", say(at, MESSAGE_WHAT_LIMITS));
	head(at, MESSAGE_CASE, NULL, TABLE_LEFT);
	for (int k = 0; k < N_DIAGNOSIS_PARTS; k++)
		head(at, diagnosis_parts[k].head, "%", TABLE_DECIMAL);
	for (size_t i = 0; i < at->f->s.n; i++) {
		double parts[N_DIAGNOSIS_PARTS];

		diagnosis_of(&at->f->s, &at->f->s.cases[i], parts);
		table_row(at->t);
		table_cell(at->t, at->f->s.cases[i].name);
		for (int k = 0; k < N_DIAGNOSIS_PARTS; k++)
			if (isnan(parts[k]))
				table_cell(at->t, "-");
			else
				table_cellf(at->t, "%.1f", 100 * parts[k]);
	}
	note_message(at->t, at->show->lang, MESSAGE_DIAGNOSIS);
}

/* --- pages ---------------------------------------------------------------- */

void
show_flat(const struct show *show, struct table *t)
{
	struct sheet at = { show, &show->forecasts->items[0], t, 1 };
	const uint64_t keys =
	    keys_known(show->set, ~SERIES_BIT(SERIES_UNIT)) | KEYS_ALWAYS;

	t->name = "prediction";
	keys_columns(t, show->set, keys);
	add_flat_columns(&at);
	for (size_t i = 0; i < show->forecasts->n; i++) {
		at.f = &show->forecasts->items[i];
		add_rows(&at, keys);
	}
}

void
show_tables(const struct show *show, const struct table_format *format,
    enum table_colour colour, FILE *f)
{
	enum { FORECAST, WHAT_IFS, DIAGNOSIS, N_KINDS };
	const int is_html = strcmp(format->name, "html") == 0;
	const int is_flat = format->is_flat;
	const size_t n = is_flat ? 1 : N_KINDS * show->forecasts->n;

	if (is_html)
		table_page_start(
		    "predict_scaling", language_names[show->lang], f);
	for (size_t i = 0; i < n; i++) {
		const size_t of = i / N_KINDS, kind = i % N_KINDS;
		struct table t = TABLE_INIT;
		const struct sheet at = { show, &show->forecasts->items[of], &t,
			0 };

		if ((kind == WHAT_IFS && show->ask->n_what_ifs == 0) ||
		    (kind == DIAGNOSIS && !show->ask->diagnose))
			continue;
		if (i > 0)
			fputc('\n', f);
		if (is_flat)
			show_flat(show, &t);
		else if (kind == FORECAST)
			show_series(show, at.f, &t);
		else if (kind == WHAT_IFS)
			make_what_ifs(&at, of);
		else
			make_diagnosis(&at);
		table_write(&t, 1, format, colour, f);
		table_release(&t);
	}
	if (is_html)
		table_page_end(f);
}
