/* Forecasts as tables, one per series with the answers below it, or as one flat
 * table; and as JSON, keys in the order of doc/prediction.md. Measured values
 * are shown in full, predicted ones with five digits in tables, twelve
 * elsewhere. */
#include <config.h>

#include "predict/forecast.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json.h"
#include "common/result/case_text.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"

enum { DIGITS = 5, RATIO_DIGITS = 3, GROUP = 3, TEXT_SIZE = 80 };

/* Forecasts, and the one that a table is about. */
struct sheet {
	struct series_set *set;
	const struct forecast_set *forecasts;
	const struct forecast_request *ask;
	enum language lang; /* English in formats for programs */
	const struct forecast *f;
	struct table *t;
	int flat;  /* 1: one table for programs */
	int blank; /* 1: the next cells are empty */
};

/* Text of a message with its arguments, if any. */
static const char *
say(const struct sheet *at, enum message what, ...)
{
	const char *text;
	va_list list;

	va_start(list, what);
	text = text_fill_list(&at->t->arena, message(what, at->lang), list);
	va_end(list);
	return text;
}

/* "%g" as a text. */
static const char *
plain(const struct sheet *at, double x)
{
	return arena_printf(&at->t->arena, "%g", x);
}

/* --- numbers -------------------------------------------------------------- */

/* Round a computed number to 12 significant digits, which do not depend on
 * compiler and C library. */
static double
rounded(double x)
{
	char buf[32];

	if (!isfinite(x))
		return x;
	snprintf(buf, sizeof buf, "%.12g", x);
	return strtod(buf, NULL);
}

/* Format x with all its digits; "" if unknown. */
static const char *
exact(const struct sheet *at, double x)
{
	char buf[JSON_DOUBLE_SIZE];

	return isfinite(x) ? arena_strdup(&at->t->arena, json_double(buf, x))
			   : "";
}

/* Format x with n significant digits; in flat tables with twelve. */
static const char *
digits(const struct sheet *at, double x, int n)
{
	char buf[UNITS_TEXT_SIZE];

	if (at->flat)
		return exact(at, rounded(x));
	return arena_strdup(&at->t->arena, number_format(buf, x, n));
}

static const char *
count(const struct sheet *at, long n)
{
	return digits(at, n == RESULT_UNKNOWN ? NAN : (double)n, DIGITS);
}

/* "[0.25, 0.33]" */
static const char *
range(const struct sheet *at, double low, double high)
{
	return arena_printf(&at->t->arena, "[%s, %s]", digits(at, low, DIGITS),
	    digits(at, high, DIGITS));
}

static const char *
percent(const struct sheet *at, double share)
{
	if (at->flat || !isfinite(share))
		return digits(at, share, DIGITS);
	return arena_printf(&at->t->arena, "%.1f", 100 * share);
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

/* --- the first line ------------------------------------------------------- */

/* "80 % interval" */
static const char *
interval_word(const struct sheet *at)
{
	return say(
	    at, MESSAGE_LEVEL_INTERVAL, plain(at, 100 * at->ask->levels[0]));
}

/* "4n8g: 10,167 samples/s, 80 % interval 9,572-10,628, speedup 29.0; ..." */
static const char *
forecast_headline(const struct sheet *at)
{
	const struct forecast_case *c = forecast_first(at->f);
	struct arena *a = &at->t->arena;
	const char *growth, *counted;

	if (c == NULL)
		return say(at, MESSAGE_NOTHING_PREDICTED);
	/* What is counted in the row that the case was predicted from. */
	counted = c->shape.nodes == RESULT_UNKNOWN || c->shape.nodes == 1
	    ? "GPU"
	    : remark_word("node", at->lang);
	if (c->how == FORECAST_BY_TRANSFER)
		growth =
		    say(at, MESSAGE_FROM_BATCH, plain(at, c->sibling_batch));
	else if (c->how == FORECAST_BY_LINK)
		growth = say(at, MESSAGE_FROM_LINK_ALONE);
	else if (c->pooled > 0)
		growth = say(
		    at, MESSAGE_GROWTH_SERIES, plain(at, (double)c->pooled));
	else if (c->n_counts > 2)
		growth = say(at, MESSAGE_GROWTH_COUNTS,
		    plain(at, (double)c->n_counts), counted);
	else
		growth = say(at,
		    c->n_counts < 2 ? MESSAGE_GROWTH_PUBLISHED
				    : MESSAGE_GROWTH_TWO,
		    counted);
	return say(at, MESSAGE_HEADLINE, c->shape.name,
	    grouped_number(a, c->speed[0]), at->f->s.unit,
	    c->how == FORECAST_BY_LINK ? say(at, MESSAGE_RANGE)
				       : interval_word(at),
	    grouped_number(a, c->speed[1]), grouped_number(a, c->speed[2]),
	    digits(at, c->speedup, RATIO_DIGITS), growth,
	    c->warnings & 1U << WARNING_FLAGGED
		? say(at, MESSAGE_RESTS_ON_FLAGGED)
		: "");
}

/* --- rows ----------------------------------------------------------------- */

/* Text of a speed; for a measured case, the published text if there is one. */
static const char *
speed_text(const struct sheet *at, const struct forecast_case *c)
{
	const struct scaling_case *m = c->measured;

	if (m == NULL)
		return digits(at, c->speed[0], DIGITS);
	if (m->point->text != NULL)
		return m->point->text;
	if (at->flat)
		return exact(at, m->speed);
	return m->speed >= 1000 ? arena_printf(&at->t->arena, "%.2f", m->speed)
				: digits(at, m->speed, DIGITS);
}

/* "3 min 20 s [3 min 1 s, 4 min]" */
static const char *
time_text(const struct sheet *at, const struct forecast_case *c,
    const struct cost_answer *cost)
{
	const double *s = cost->seconds;
	char buf[UNITS_TEXT_SIZE], low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

	if (at->flat)
		return digits(at, s[0], DIGITS);
	seconds_format(buf, s[0]);
	return c->measured != NULL
	    ? arena_strdup(&at->t->arena, buf)
	    : arena_printf(&at->t->arena, "%s [%s, %s]", buf,
		  seconds_format(low, fmin(s[1], s[2])),
		  seconds_format(high, fmax(s[1], s[2])));
}

/* Add a column if the table has no rows yet, else its cell in the last row. The
 * cell is numeric unless its column is left-aligned.
 *
 * head, unit  in tables for readers; head NULL: no such column
 * key         in flat tables; NULL: no such column */
static void
put(const struct sheet *at, const char *head, const char *unit,
    enum table_align align, const char *key, const char *text)
{
	if (at->flat ? key == NULL : head == NULL)
		return;
	if (at->t->n_rows > 0) {
		table_cell(at->t, at->blank ? "" : text);
		if (align != TABLE_LEFT)
			table_last_cell(at->t)->is_numeric = 1;
	} else if (at->flat) {
		table_column(at->t, key, NULL, TABLE_LEFT);
	} else {
		table_column(at->t, head, unit, align);
	}
}

/* Add the columns, or the cells of a case.
 *
 * refused  1: only its shape is known */
static void
put_case(const struct sheet *sheet, const struct forecast_case *c, int refused,
    const char *how, const char *notes)
{
	struct sheet copy = *sheet, *at = &copy;
	const struct scaling_series *s = &at->f->s;
	const char *unit = s->unit;
	const struct forecast_request *ask = at->ask;
	const int predicted = c->measured == NULL;
	const double level =
	    c->how == FORECAST_BY_LINK ? NAN : at->ask->levels[0];
	const struct cost_answer cost =
	    cost_make(s, c, ask->samples, ask->price);
	const char *speedup = digits(at, c->speedup, RATIO_DIGITS);
	const char *efficiency = percent(at, c->efficiency);

	/* Use those of the result, unless --baseline names another case. */
	if (at->flat && !predicted &&
	    text_same(
		c->measured->point->c->baseline, s->baseline->shape.name)) {
		speedup = exact(at, c->measured->point->c->speedup);
		efficiency = exact(at, c->measured->point->c->efficiency);
	}
	put(at, say(at, MESSAGE_CASE), NULL, TABLE_LEFT, "case", c->shape.name);
	put(at, NULL, NULL, TABLE_RIGHT, "nodes", count(at, c->shape.nodes));
	put(at, NULL, NULL, TABLE_RIGHT, "gpus_per_node",
	    count(at, c->shape.gpus_per_node));
	put(at, say(at, MESSAGE_GPUS), NULL, TABLE_RIGHT, "gpus",
	    arena_printf(&at->t->arena, "%ld", c->shape.gpus));
	put(at, NULL, NULL, TABLE_LEFT, "unit", unit);
	at->blank = refused;
	put(at,
	    say(at, s->kind != WORK_STEP_TIME ? MESSAGE_SPEED : MESSAGE_STEP),
	    unit, TABLE_DECIMAL, "median", speed_text(at, c));
	put(at, interval_word(at), unit, TABLE_RIGHT, NULL,
	    predicted ? range(at, c->speed[1], c->speed[2]) : "");
	at->blank |= !predicted;
	put(at, NULL, NULL, TABLE_RIGHT, "median_low",
	    digits(at, c->speed[1], DIGITS));
	put(at, NULL, NULL, TABLE_RIGHT, "median_high",
	    digits(at, c->speed[2], DIGITS));
	put(at, NULL, NULL, TABLE_RIGHT, "median_level", exact(at, level));
	at->blank = refused;
	put(at, say(at, MESSAGE_SPEEDUP), NULL, TABLE_DECIMAL, "speedup",
	    speedup);
	put(at, say(at, MESSAGE_EFFICIENCY), "%", TABLE_DECIMAL, "efficiency",
	    efficiency);
	at->blank |= !predicted;
	for (int i = 0; i < N_SCALING_LAWS && at->ask->compare; i++)
		put(at, scaling_law_titles[i], unit, TABLE_DECIMAL,
		    scaling_law_names[i], digits(at, c->laws[i], DIGITS));
	at->blank = refused;
	if (!isnan(ask->samples)) {
		put(at, say(at, MESSAGE_TIME), NULL, TABLE_RIGHT, "seconds",
		    time_text(at, c, &cost));
		put(at, say(at, MESSAGE_GPU_HOURS), NULL, TABLE_DECIMAL,
		    "gpu_hours", digits(at, cost.gpu_hours, RATIO_DIGITS + 1));
	}
	if (!isnan(ask->samples) && !isnan(ask->price))
		put(at, say(at, MESSAGE_PRICE), NULL, TABLE_DECIMAL, "cost",
		    digits(at, cost.cost, RATIO_DIGITS + 1));
	at->blank = 0;
	put(at, say(at, MESSAGE_HOW), NULL, TABLE_LEFT, "how", how);
	put(at, say(at, MESSAGE_REMARKS), NULL, TABLE_LEFT, "notes", notes);
}

/* Add the rows of a series, each after its keys. */
static void
add_rows(const struct sheet *at, uint64_t keys)
{
	const struct forecast *f = at->f;

	for (size_t i = 0; i < f->n_cases; i++) {
		const struct forecast_case *c = &f->cases[i];
		const char *notes = "";

		if (c->how == FORECAST_BY_TRANSFER)
			notes = say(at, MESSAGE_BATCH_FROM,
			    plain(at, c->sibling_batch), c->anchor);
		for (int k = 0; k < N_FORECAST_WARNINGS; k++)
			if (c->warnings & 1U << k)
				notes = arena_join(&at->t->arena, notes, "; ",
				    k == WARNING_FLAGGED && !at->flat
					? say(at, MESSAGE_FLAGGED)
					: forecast_warnings[k].word);
		table_row(at->t);
		keys_cells(at->t, at->set, f->s.series, keys);
		put_case(at, c, 0,
		    arena_join(&at->t->arena,
			say(at, forecast_hows[c->how].text), "",
			c->forced ? say(at, MESSAGE_AND_FORCED) : ""),
		    notes);
	}
	for (size_t i = 0; i < f->n_refused; i++) {
		const struct remark *why = &f->refused[i].why;

		if (why->code == REMARK_IS_MEASURED)
			continue;
		table_row(at->t);
		keys_cells(at->t, at->set, f->s.series, keys);
		put_case(at,
		    &(struct forecast_case){ .shape = f->refused[i].shape }, 1,
		    say(at, MESSAGE_REFUSED, remark_rows[why->code].reason),
		    at->flat ? remark_text(why, LANGUAGE_EN, &at->t->arena)
			     : "");
	}
}

/* --- below the table ------------------------------------------------------ */

/* Note the warnings, the flags of all measured cases, and cases without a
 * speed: "1n8g (OOM)". */
static void
note_warnings(const struct sheet *at)
{
	const enum language lang = at->lang;
	const struct forecast *f = at->f;
	const struct series *s = f->s.series;
	struct arena *a = &at->t->arena;
	const char *absent = NULL;
	unsigned warnings = 0;
	int forced = 0, linked = 0;

	for (size_t i = 0; i < f->n_cases; i++) {
		warnings |= f->cases[i].warnings;
		forced |= f->cases[i].forced;
		linked |= f->cases[i].how == FORECAST_BY_LINK;
	}
	for (int i = 0; i < WARNING_FLAGGED; i++)
		if (warnings & 1U << i)
			table_note(at->t, "%s: %s", forecast_warnings[i].word,
			    i == WARNING_RISING
				? say(at, forecast_warnings[i].text,
				      K_RISING_SERIES, K_RISING_MISSED,
				      K_RISING_SLOWER)
				: say(at, forecast_warnings[i].text,
				      K_BEYOND_SERIES, K_BEYOND_MISSED,
				      K_BEYOND_SLOWER));
	for (size_t i = 0; i < f->s.n; i++)
		for (size_t k = 0; k < f->s.cases[i].n_doubts; k++) {
			const struct scaling_case *c = &f->s.cases[i];
			const struct case_flag *flag = &c->doubts[k];
			const size_t runs = c->point->c->n_runs;

			note_message(at->t, lang, MESSAGE_RESTS_FLAGGED,
			    c->shape.name,
			    arena_join(a, case_flag_text(flag, lang, a), "",
				flag->n < runs
				    ? ""
				    : remark_text(&REMARK(REMARK_OF_RUNS,
						      remark_count(flag->n),
						      remark_count(runs)),
					  lang, a)));
		}
	if (forced)
		note_message(at->t, lang, MESSAGE_IS_FORCED);
	if (linked)
		note_message(at->t, lang, MESSAGE_LINK_ERROR);
	if (linked && f->gradients_by_model)
		note_message(at->t, lang, MESSAGE_GRADIENTS_OF_MODEL,
		    arena_printf(a, "%.0f", f->gradient_bytes),
		    s->values[SERIES_MODEL]);
	for (size_t i = 0; i < s->n_points; i++) {
		const struct series_point *p = &s->points[i];

		if (p->text != NULL && !isfinite(p->c->median_speed))
			absent = arena_join(a, absent, ", ",
			    arena_printf(a, "%s (%s)",
				p->c->name != NULL ? p->c->name : "?",
				p->text));
	}
	if (absent != NULL)
		note_message(at->t, lang, MESSAGE_NOT_USED, absent);
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
	const struct forecast_request *ask = at->ask;
	const double level = at->ask->levels[0];
	struct until_answer a;
	const char *first;

	if (isnan(ask->until))
		return;
	if (until_find(at->f, ask->until, level, &a) != 0) {
		note_message(at->t, at->lang, MESSAGE_UNTIL_NO_ROW,
		    plain(at, 100 * ask->until));
		return;
	}
	first = until_text(at, &a, a.first[0] > 0 ? a.first[0] : a.limit);
	first = a.first[0] > 0 ? say(at, MESSAGE_FROM_ON, first)
			       : say(at, MESSAGE_NOT_WITHIN, first,
				     plain(at, exp2(floor(K_FARTHEST))));
	note_message(at->t, at->lang, MESSAGE_UNTIL,
	    plain(at, 100 * ask->until), first, until_text(at, &a, a.first[1]),
	    until_text(at, &a, a.first[2]), plain(at, 100 * level),
	    a.gpus_per_node == RESULT_UNKNOWN
		? ""
		: say(at, MESSAGE_GPUS_A_NODE,
		      plain(at, (double)a.gpus_per_node)));
}

static void
note_bandwidth(const struct sheet *at)
{
	const char *target = plain(at, 100 * at->ask->want), *text;
	struct arena *a = &at->t->arena;
	struct error e = ERROR_INIT;
	struct bandwidth_answer b;

	if (isnan(at->ask->want))
		return;
	if (bandwidth_find(at->f, at->ask, &b, &e) != 0)
		text = e.message;
	else if (isnan(b.bit_per_s))
		text = say(at, MESSAGE_NO_BANDWIDTH, target, b.of->shape.name,
		    arena_printf(a, "%.1f", 100 * b.best));
	else
		text = say(at,
		    b.low < b.high ? MESSAGE_BANDWIDTH_RANGE
				   : MESSAGE_BANDWIDTH_FOR,
		    target, b.of->shape.name,
		    arena_printf(a, "%.3g", 1e-9 * b.low),
		    arena_printf(a, "%.3g", 1e-9 * b.high));
	table_note(at->t, "%s", text);
}

/* --- tables --------------------------------------------------------------- */

/* Passed instead of a case when columns are added. */
static const struct forecast_case no_case = { .shape = { "" } };

static void
show_series(const struct sheet *at)
{
	const struct forecast *f = at->f;
	const struct forecast_backtest *b = forecast_best_backtest(f);
	const struct series_point *p = &f->s.series->points[0];
	struct table *t = at->t;
	const char *rule = measured_text(
	    &t->arena, &p->source->result.rule, p->c->rule, at->lang);
	const char *common = series_text(
	    at->set, f->s.series, ~SERIES_BIT(SERIES_RULE), at->lang);

	table_title(t, "%s",
	    arena_join(&t->arena,
		series_text(at->set, f->s.series,
		    at->set->n > 1 ? at->set->differing : 0, at->lang),
		": ", forecast_headline(at)));
	put_case(at, &no_case, 1, "", "");
	add_rows(at, 0);
	note_warnings(at);
	for (size_t i = 0; i < f->n_refused; i++)
		if (f->refused[i].why.code != REMARK_IS_MEASURED)
			table_note(t, "%s: %s", f->refused[i].shape.name,
			    remark_text(
				&f->refused[i].why, at->lang, &t->arena));
	if (b != NULL)
		note_message(t, at->lang,
		    b->inside ? MESSAGE_BACKTEST_INSIDE
			      : MESSAGE_BACKTEST_OUTSIDE,
		    b->of->shape.name,
		    arena_printf(&t->arena, "%+.1f", 100 * b->error));
	note_until(at);
	note_bandwidth(at);
	if (rule != NULL)
		common =
		    arena_join(&t->arena, common, say(at, MESSAGE_COMMA), rule);
	if (common[0] != '\0')
		note_message(t, at->lang, MESSAGE_PREDICTED_OF, common);
}

/* Add the columns, or the cells of an answer. */
static void
put_what_if(const struct sheet *at, const char *change, const char *name,
    const struct what_if_answer *r)
{
	put(at, say(at, MESSAGE_CHANGE), NULL, TABLE_LEFT, NULL, change);
	put(at, say(at, MESSAGE_CASE), NULL, TABLE_LEFT, NULL, name);
	put(at, say(at, MESSAGE_STEP_NOW), "s", TABLE_DECIMAL, NULL,
	    digits(at, r->before_s, DIGITS));
	put(at, say(at, MESSAGE_STEP_THEN), "s", TABLE_DECIMAL, NULL,
	    digits(at, r->step.step_s, DIGITS));
	put(at, say(at, MESSAGE_RANGE), "s", TABLE_RIGHT, NULL,
	    range(at, r->step.low_s, r->step.high_s));
	put(at, say(at, MESSAGE_FASTER_BY), NULL, TABLE_DECIMAL, NULL,
	    digits(at, r->before_s / r->step.step_s, RATIO_DIGITS));
	put(at, say(at, MESSAGE_OVERLAP), NULL, TABLE_LEFT, NULL,
	    isnan(r->gamma) ? say(at, MESSAGE_BOTH_ENDS)
			    : arena_printf(&at->t->arena, "%.2f", r->gamma));
}

static void
show_what_ifs(const struct sheet *at)
{
	const size_t n_cases = at->f->n_cases;
	struct what_if_answer r = { 0 };

	table_title(at->t, "%s", say(at, MESSAGE_WHAT_IF));
	put_what_if(at, "", "", &r);
	for (size_t k = 0; k < at->ask->n_what_ifs * n_cases; k++) {
		const struct forecast_case *of = &at->f->cases[k % n_cases];
		const struct what_if *w = &at->ask->what_ifs[k / n_cases];
		struct error e = ERROR_INIT;

		if (of->shape.nodes < 2)
			continue;
		if (what_if_answer(at->forecasts, at->f, of, w, &r, &e) != 0) {
			table_note(at->t, "%s", e.message);
			continue;
		}
		table_row(at->t);
		put_what_if(at, w->text, of->shape.name, &r);
		if (r.bound)
			note_message(at->t, at->lang, MESSAGE_BOUND, w->text,
			    of->shape.name, digits(at, r.busy_s, 2),
			    digits(at, r.link_s, 2));
	}
}

static void
show_diagnosis(const struct sheet *at)
{
	struct table *t = at->t;

	table_title(t, "%s", say(at, MESSAGE_WHAT_LIMITS));
	table_column(t, say(at, MESSAGE_CASE), NULL, TABLE_LEFT);
	for (int k = 0; k < N_DIAGNOSIS_PARTS; k++)
		table_column(
		    t, say(at, diagnosis_parts[k].head), "%", TABLE_DECIMAL);
	for (size_t i = 0; i < at->f->s.n; i++) {
		double parts[N_DIAGNOSIS_PARTS];

		diagnosis_make(&at->f->s, &at->f->s.cases[i], parts);
		table_row(t);
		table_cell(t, at->f->s.cases[i].shape.name);
		for (int k = 0; k < N_DIAGNOSIS_PARTS; k++)
			table_cell(
			    t, isnan(parts[k]) ? "-" : percent(at, parts[k]));
	}
	note_message(t, at->lang, MESSAGE_DIAGNOSIS);
}

/* --- pages ---------------------------------------------------------------- */

/* One table of all series. */
static void
show_flat(const struct sheet *sheet)
{
	struct sheet at = *sheet;
	const uint64_t keys =
	    keys_known(at.set, ~SERIES_BIT(SERIES_UNIT)) | KEYS_ALWAYS;

	at.flat = 1;
	at.lang = LANGUAGE_EN;
	at.f = &at.forecasts->items[0];
	at.t->name = "prediction";
	keys_columns(at.t, at.set, keys);
	put_case(&at, &no_case, 1, "", "");
	for (; at.f < at.forecasts->items + at.forecasts->n; at.f++)
		add_rows(&at, keys);
}

void
show_tables(struct series_set *set, const struct forecast_set *forecasts,
    enum language lang, const struct table_format *format,
    enum table_colour colour, FILE *f)
{
	static void (*const kinds[])(const struct sheet *) = { show_series,
		show_what_ifs, show_diagnosis, show_flat };
	const int is_html = strcmp(format->name, "html") == 0;
	struct sheet at = { set, forecasts, forecasts->request, lang,
		forecasts->items, NULL, 0, 0 };
	const int wanted[] = { !format->is_flat,
		!format->is_flat && at.ask->n_what_ifs > 0,
		!format->is_flat && at.ask->diagnose, format->is_flat };

	if (is_html)
		report_page_start("predict_scaling", language_names[lang], f);
	for (size_t i = 0; i < forecasts->n; i++, at.f++)
		for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
			struct table t = TABLE_INIT;

			if (!wanted[k] || (format->is_flat && i > 0))
				continue;
			if (i > 0 || k % 3 > 0)
				fputc('\n', f);
			at.t = &t;
			kinds[k](&at);
			table_write(&t, 1, format, colour, f);
			table_release(&t);
		}
	if (is_html)
		report_page_end(f);
}

/* --- JSON ----------------------------------------------------------------- */

/* A computed number and its key. */
struct keyed_number {
	const char *key;
	double x;
};

#define WRITE_NUMBERS(j, ...) \
	write_numbers( \
	    j, (const struct keyed_number[]){ __VA_ARGS__, { NULL, 0 } })

static void
write_numbers(struct json_writer *j, const struct keyed_number *n)
{
	for (; n->key != NULL; n++)
		json_write_double(j, n->key, rounded(n->x));
}

/* Write the warnings, and the flags of the measured cases that a case rests on,
 * if any. */
static void
write_warnings(
    struct json_writer *j, const struct forecast_case *c, struct arena *a)
{
	json_write_begin_array(j, "warnings");
	for (int i = 0; i < N_FORECAST_WARNINGS; i++)
		if (c->warnings & 1U << i)
			json_write_string(j, NULL, forecast_warnings[i].word);
	json_write_end(j);
	if (!(c->warnings & 1U << WARNING_FLAGGED))
		return;
	json_write_begin_array(j, "flags");
	for (size_t i = 0; i < c->n_rests; i++)
		for (size_t k = 0; k < c->rests[i]->n_doubts; k++) {
			const struct scaling_case *of = c->rests[i];
			const struct case_flag *f = &of->doubts[k];

			json_write_begin_object(j, NULL);
			json_write_string(j, "case", of->shape.name);
			json_write_string(
			    j, "code", remark_rows[f->from.code].name);
			json_write_long(j, "runs", (long)f->n);
			json_write_long(j, "of", (long)of->point->c->n_runs);
			json_write_string(
			    j, "text", case_flag_text(f, LANGUAGE_EN, a));
			json_write_end(j);
		}
	json_write_end(j);
}

static void
write_case(struct json_writer *j, const struct sheet *at,
    const struct forecast_case *c)
{
	static const char *const cost_keys[] = { "seconds", "seconds_low",
		"seconds_high", "gpu_hours", "gpu_hours_low", "gpu_hours_high",
		"cost", "cost_low", "cost_high" };
	/* A range over degrees of overlap has no confidence level. */
	const int by_link = c->how == FORECAST_BY_LINK;
	const size_t n_levels = c->measured != NULL ? 0
	    : by_link                               ? 1
						    : at->ask->n_levels;

	json_write_begin_object(j, NULL);
	json_write_string(j, "case", c->shape.name);
	json_write_long(j, "nodes", c->shape.nodes);
	json_write_long(j, "gpus_per_node", c->shape.gpus_per_node);
	json_write_long(j, "gpus", c->shape.gpus);
	json_write_bool(j, "measured", c->measured != NULL);
	json_write_string(j, "model", forecast_hows[c->how].word);
	json_write_bool(j, "forced", c->forced);
	json_write_double(j, "speed",
	    c->measured != NULL ? c->measured->speed : rounded(c->speed[0]));
	WRITE_NUMBERS(j, { "speedup", c->speedup },
	    { "efficiency", c->efficiency }, { "step_s", c->step_s });
	json_write_begin_array(j, "intervals");
	for (size_t i = 0; i < n_levels; i++) {
		json_write_begin_object(j, NULL);
		WRITE_NUMBERS(j,
		    { "level", by_link ? NAN : at->ask->levels[i] },
		    { "low", c->speed[2 * i + 1] },
		    { "high", c->speed[2 * i + 2] });
		json_write_end(j);
	}
	json_write_end(j);
	WRITE_NUMBERS(
	    j, { "doublings", c->doublings }, { "growth", c->growth });
	json_write_string(j, "anchor", c->anchor);
	write_warnings(j, c, &at->set->arena);
	if (at->ask->compare && c->measured == NULL) {
		json_write_begin_object(j, "compare");
		for (int i = 0; i < N_SCALING_LAWS; i++)
			WRITE_NUMBERS(j, { scaling_law_names[i], c->laws[i] });
		json_write_end(j);
	}
	if (!isnan(at->ask->samples)) {
		const struct cost_answer a =
		    cost_make(&at->f->s, c, at->ask->samples, at->ask->price);
		const double means[] = { a.seconds[0], a.gpu_hours, a.cost };

		for (int i = 0; i < 9; i++)
			WRITE_NUMBERS(j,
			    { cost_keys[i],
				means[i / 3] *
				    (a.seconds[i % 3] / a.seconds[0]) });
	}
	json_write_end(j);
}

/* Write the answers about a series. */
static void
write_answers(struct json_writer *j, const struct sheet *at)
{
	const struct forecast_request *ask = at->ask;
	const struct forecast *f = at->f;
	struct until_answer until;
	struct bandwidth_answer b;

	json_write_begin_array(j, "what_if");
	for (size_t k = 0; k < ask->n_what_ifs * f->n_cases; k++) {
		const struct forecast_case *c = &f->cases[k % f->n_cases];
		const struct what_if *w = &ask->what_ifs[k / f->n_cases];
		struct what_if_answer a;
		struct error e = ERROR_INIT;

		if (c->shape.nodes < 2)
			continue;
		json_write_begin_object(j, NULL);
		json_write_string(j, "text", w->text);
		json_write_string(j, "case", c->shape.name);
		if (what_if_answer(at->forecasts, f, c, w, &a, &e) != 0) {
			json_write_string(j, "message", e.message);
		} else {
			WRITE_NUMBERS(j, { "before_s", a.before_s },
			    { "step_s", a.step.step_s },
			    { "low", a.step.low_s }, { "high", a.step.high_s },
			    { "gamma", a.gamma }, { "busy_s", a.busy_s },
			    { "link_s", a.link_s });
			json_write_bool(j, "bound", a.bound);
		}
		json_write_end(j);
	}
	json_write_end(j);
	if (isnan(ask->until) ||
	    until_find(f, ask->until, at->ask->levels[0], &until) != 0) {
		json_write_string(j, "until", NULL);
	} else {
		/* A count of 0 means that none was found. */
		json_write_begin_object(j, "until");
		WRITE_NUMBERS(j, { "target", ask->until });
		json_write_long(j, "gpus_per_node", until.gpus_per_node);
		WRITE_NUMBERS(j,
		    { "nodes", until.first[0] > 0 ? until.first[0] : NAN },
		    { "earliest", until.first[1] > 0 ? until.first[1] : NAN },
		    { "latest", until.first[2] > 0 ? until.first[2] : NAN },
		    { "limit", until.limit });
		json_write_end(j);
	}
	if (isnan(ask->want) || bandwidth_find(f, ask, &b, NULL) != 0) {
		json_write_string(j, "bandwidth", NULL);
	} else {
		json_write_begin_object(j, "bandwidth");
		json_write_string(j, "case", b.of->shape.name);
		WRITE_NUMBERS(j, { "target", ask->want },
		    { "bit_per_s", b.bit_per_s }, { "low", b.low },
		    { "high", b.high }, { "best", b.best });
		json_write_end(j);
	}
	json_write_begin_array(j, "diagnosis");
	for (size_t i = 0; i < f->s.n && ask->diagnose; i++) {
		double parts[N_DIAGNOSIS_PARTS];

		diagnosis_make(&f->s, &f->s.cases[i], parts);
		json_write_begin_object(j, NULL);
		json_write_string(j, "case", f->s.cases[i].shape.name);
		/* Parts that were not measured are omitted. */
		for (int k = 0; k < N_DIAGNOSIS_PARTS; k++)
			if (k == DIAGNOSIS_LOSS || !isnan(parts[k]))
				WRITE_NUMBERS(
				    j, { diagnosis_parts[k].key, parts[k] });
		json_write_end(j);
	}
	json_write_end(j);
}

static void
write_series(struct json_writer *j, struct sheet *at)
{
	const struct forecast *f = at->f;
	const struct forecast_case *first = forecast_first(f);
	const struct forecast_backtest *b = forecast_best_backtest(f);
	struct table t = TABLE_INIT;

	json_write_begin_object(j, NULL);
	json_write_begin_object(j, "configuration");
	for (size_t k = 0; k < at->set->n_keys; k++)
		if (f->s.series->values[k] != NULL)
			json_write_string(
			    j, at->set->keys[k], f->s.series->values[k]);
	json_write_end(j);
	json_write_string(
	    j, "baseline", f->s.n > 0 ? f->s.baseline->shape.name : NULL);
	WRITE_NUMBERS(j, { "growth", first != NULL ? first->growth : NAN });
	json_write_long(
	    j, "pooled_series", first != NULL ? (long)first->pooled : 0);
	json_write_string(j, "unit", f->s.unit);
	/* Title and notes of the table, for programs that display the file. */
	at->t = &t;
	show_series(at);
	json_write_string(j, "title", t.title);
	json_write_begin_array(j, "notes");
	for (size_t k = 0; k < t.n_notes; k++)
		json_write_string(j, NULL, t.notes[k]);
	json_write_end(j);
	table_release(&t);
	if (b != NULL) {
		json_write_begin_object(j, "backtest");
		json_write_string(j, "case", b->of->shape.name);
		json_write_double(j, "measured", b->of->speed);
		WRITE_NUMBERS(
		    j, { "predicted", b->predicted }, { "error", b->error });
		json_write_bool(j, "inside", b->inside);
		json_write_end(j);
	} else {
		json_write_string(j, "backtest", NULL);
	}
	json_write_begin_array(j, "cases");
	for (size_t c = 0; c < f->n_cases; c++)
		write_case(j, at, &f->cases[c]);
	json_write_end(j);
	json_write_begin_array(j, "refused");
	for (size_t k = 0; k < f->n_refused; k++) {
		const struct forecast_refused *r = &f->refused[k];

		json_write_begin_object(j, NULL);
		json_write_string(j, "case", r->shape.name);
		json_write_string(j, "code", remark_rows[r->why.code].reason);
		json_write_string(j, "message",
		    remark_text(&r->why, LANGUAGE_EN, &at->set->arena));
		json_write_end(j);
	}
	json_write_end(j);
	write_answers(j, at);
	json_write_end(j);
}

void
show_json(struct series_set *set, const struct forecast_set *forecasts, FILE *f)
{
	struct json_writer j = JSON_TO_FILE(f, JSON_WRITE_PRETTY);
	struct table t = TABLE_INIT;
	struct sheet at = { set, forecasts, forecasts->request, LANGUAGE_EN,
		forecasts->items, NULL, 0, 0 };

	json_write_begin_object(&j, NULL);
	json_write_string(&j, "schema", "dlscale-prediction/1");
	json_write_begin_object(&j, "tool");
	json_write_string(&j, "name", "predict_scaling");
	json_write_string(&j, "version", PACKAGE_VERSION);
	json_write_end(&j);
	json_write_begin_array(&j, "series");
	for (; at.f < forecasts->items + forecasts->n; at.f++)
		write_series(&j, &at);
	json_write_end(&j);
	at.t = &t;
	show_flat(&at);
	json_write_begin_array(&j, "tables");
	table_json_put(&j, &t);
	json_write_end(&j);
	table_release(&t);
	json_write_end(&j);
	json_write_finish(&j);
}
