/* The table of cases on standard output.  main calls it; it knows the result
 * and no log, so that it prints nothing that the JSON does not hold. */
#include <config.h>

#include "extract/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json_write.h"
#include "common/result/case_text.h"
#include "common/result/measured_columns.h"
#include "common/result/measured_text.h"
#include "common/series/metric_choice.h"
#include "common/stats/rank_test.h"
#include "common/strbuf.h"
#include "common/units/units.h"
#include "extract/measure/cases/case.h"
#include "extract/label_columns.h"
#include "extract/case_traits.h"
#include "extract/show_collectives.h"

enum { DIGITS = 5, SPEEDUP_DIGITS = 3, MAX_TEXT = 1 << 16 };

/* A thing that can set cases apart. */
struct view {
	const struct result *r;
	struct table t;
	struct strbuf text;
	int csv;
	int flagged;             /* some run has a flag: there is a column */
	struct arena arena;      /* of flags */
	struct case_flags flags; /* of the table */
	struct label_columns labels; /* for csv */
	int within;                  /* a case shows its only run's interval */
	const struct run_metric *metric; /* no speed; or NULL */
	int olympic; /* its mean has a column, as MLPerf scores times */
	int column[N_CASE_TRAITS]; /* 1: the trait has a column */
};

static void
add_title(struct view *v)
{
	struct strbuf *sb = &v->text, title;
	int k;

	strbuf_init(&title, MAX_TEXT);
	for (k = 0; k < N_CASE_TRAITS; k++) {
		const char *text;

		v->column[k] = case_traits_differ(v->r, (enum case_trait)k);
		if (v->column[k] || k >= CASE_TRAIT_RULE)
			continue;
		text = case_trait_of(&v->r->cases[0], (enum case_trait)k, sb);
		if (text != NULL)
			strbuf_printf(&title, "%s%s%s%s",
			    title.len == 0              ? ""
				: k >= CASE_TRAIT_BATCH ? ", "
							: " ",
			    k == CASE_TRAIT_BATCH ? "batch " : "", text,
			    k == CASE_TRAIT_BATCH ? " per device" : "");
	}
	if (title.len > 0)
		table_title(&v->t, "%s", title.buf);
	strbuf_release(&title);
}

/* What the medians are of: a speed, a time or another figure of a run. */
static const char *
value_head(const struct result *r)
{
	const char *metric = r->rule.metric;

	if (metric_choice_of(r) != NULL)
		return message(
		    metric_choice_title(metric_choice_of(r)), LANGUAGE_EN);
	if (metric == NULL || strcmp(metric, "throughput") == 0)
		return "median";
	return strcmp(metric, "step-time") == 0 ? "step time" : "time to train";
}

static void
add_columns(struct view *v)
{
	const char *unit =
	    v->column[CASE_TRAIT_UNIT] || v->r->cases[0].unit[0] == '\0'
	    ? NULL
	    : v->r->cases[0].unit;
	struct table *t = &v->t;
	int k;

	for (k = 0; k < N_CASE_TRAITS; k++)
		if (v->column[k])
			table_column(t, case_trait_heads[k], NULL,
			    k == CASE_TRAIT_BATCH ? TABLE_RIGHT : TABLE_LEFT);
	table_column(t, "case", NULL, TABLE_LEFT);
	table_column(t, "runs", NULL, TABLE_RIGHT);
	table_column(t, value_head(v->r), unit, TABLE_DECIMAL);
	table_column(t, "interval", unit, TABLE_INTERVAL);
	if (v->olympic)
		table_column(t, "olympic mean", unit, TABLE_DECIMAL);
	if (v->metric == NULL) {
		table_column(t, "speedup", NULL, TABLE_DECIMAL);
		table_column(t, "interval", NULL, TABLE_INTERVAL);
		table_column(t, "eff.", "%", TABLE_DECIMAL);
	}
	if (v->flagged)
		table_column(t, "flags", NULL, TABLE_LEFT);
}

/* Decimals of a number: so many digits, but no more than its interval
 * supports. */
static int
shown_decimals(double x, double low, double high, int digits)
{
	const int supported = interval_decimals(low, high);
	const int decimals = significant_decimals(x, digits);

	return decimals < supported ? decimals : supported;
}

static void
number_cell(struct view *v, double x, int decimals)
{
	char text[UNITS_TEXT_SIZE];

	if (isnan(x))
		table_cell(&v->t, "-");
	else if (fabs(x) < 1e-5 || fabs(x) >= 1e15)
		table_cell(&v->t, number_format(text, x, DIGITS));
	else
		table_cellf(&v->t, "%.*f", decimals, x);
}

/* A number and its interval. */
static void
value_cells(struct view *v, double x, double low, double high, int digits,
    enum table_emphasis emphasis)
{
	const int decimals = shown_decimals(x, low, high, digits);

	number_cell(v, x, decimals);
	table_emphasise(&v->t, emphasis);
	if (isnan(low))
		table_cell(&v->t, "");
	else
		table_cellf(
		    &v->t, "[%.*f, %.*f]", decimals, low, decimals, high);
}

/* As value_cells; of a case of one run with what that alone states. */
static void
median_cells(struct view *v, const struct result_case *c)
{
	const char *within = within_run_text(&v->arena, c, LANGUAGE_EN);
	const double half = case_within_run(c) * c->median_speed;

	if (within == NULL) {
		value_cells(v, c->median_speed, c->median_low, c->median_high,
		    DIGITS, TABLE_STRONG);
		return;
	}
	number_cell(v, c->median_speed,
	    shown_decimals(c->median_speed, c->median_speed - half,
		c->median_speed + half, DIGITS));
	table_emphasise(&v->t, TABLE_STRONG);
	table_cell(&v->t, within);
	v->within = 1;
}

static int
is_baseline(const struct result_case *c)
{
	return c->baseline != NULL && strcmp(c->baseline, c->name) == 0;
}

static int
is_flagged(const struct result *r)
{
	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t k = 0; k < r->cases[i].n_runs; k++)
			if (r->cases[i].runs[k].n_flags > 0)
				return 1;
	return 0;
}

/* Each name once. */
static void
note_baselines(struct view *v)
{
	const struct result *r = v->r;

	for (size_t i = 0; i < r->n_cases; i++) {
		size_t k = 0;

		if (!is_baseline(&r->cases[i]))
			continue;
		while (k < i &&
		    !(is_baseline(&r->cases[k]) &&
			strcmp(r->cases[k].name, r->cases[i].name) == 0))
			k++;
		if (k == i)
			table_note(&v->t, "baseline: %s%s", r->cases[i].name,
			    r->cases[i].baseline_flag ? " (1n1g is missing)"
						      : "");
	}
}

static void
flags_cell(struct view *v, const struct result_case *c)
{
	if (v->flagged)
		table_cell(&v->t, case_flags_marks(&v->flags, c, &v->arena));
}

/* --- for machines --------------------------------------------------------- */

/* The columns that report_results writes too (report/tables/scaling.c). */
static void
csv_add_columns(struct view *v)
{
	static const char *const before[] = { "framework", "model", "precision",
		"batch_size_per_device" };
	static const char *const after[] = { "nodes", "gpus_per_node", "gpus",
		"unit", "n", "median", "median_low", "median_high",
		"median_level", "speedup", "speedup_low", "speedup_high",
		"speedup_level", "efficiency", "flags", "case", "baseline",
		"rule", "half_width" };

	for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
		table_column(&v->t, before[i], NULL, TABLE_LEFT);
	label_columns_init(&v->labels, v->r);
	label_columns_add(&v->labels, &v->t);
	for (size_t i = 0; i < sizeof after / sizeof after[0]; i++)
		table_column(&v->t, after[i], NULL, TABLE_LEFT);
	measured_columns_add(&v->t);
}

static void
csv_number(struct view *v, double x)
{
	char exact[JSON_DOUBLE_SIZE];

	table_cell(&v->t, isfinite(x) ? json_double(exact, x) : "");
}

static void
csv_count(struct view *v, long count)
{
	if (count == RESULT_UNKNOWN)
		table_cell(&v->t, "");
	else
		table_cellf(&v->t, "%ld", count);
}

static void
csv_add_row(struct view *v, const struct result_case *c)
{
	const struct measured_case measured = { c, &v->r->rule, NULL, 0 };

	table_row(&v->t);
	table_cell(&v->t, c->framework);
	table_cell(&v->t, c->model);
	table_cell(&v->t, c->precision);
	csv_count(v, c->batch_size_per_device);
	label_columns_fill(&v->labels, c, &v->t);
	csv_count(v, c->nodes);
	csv_count(v, c->gpus_per_node);
	csv_count(v, c->gpus);
	table_cell(&v->t, c->unit);
	csv_count(v, c->n);
	csv_number(v, c->median_speed);
	csv_number(v, c->median_low);
	csv_number(v, c->median_high);
	csv_number(v, c->median_level);
	csv_number(v, c->speedup);
	csv_number(v, c->speedup_low);
	csv_number(v, c->speedup_high);
	csv_number(v, c->speedup_level);
	csv_number(v, c->efficiency);
	table_cell(&v->t, case_flags_text(c, &v->arena));
	table_cell(&v->t, c->name);
	table_cell(&v->t, c->baseline);
	table_cell(&v->t, c->rule);
	csv_number(v, case_within_run(c));
	measured_columns_fill(&v->t, &measured, 1);
}

/* --- for people ----------------------------------------------------------- */

static void
speedup_cells(struct view *v, const struct result_case *c)
{
	if (is_baseline(c)) {
		table_cell(&v->t, "1");
		table_cell(&v->t, "");
	} else {
		value_cells(v, c->speedup, c->speedup_low, c->speedup_high,
		    SPEEDUP_DIGITS, TABLE_PLAIN);
	}
	if (isnan(c->efficiency))
		table_cell(&v->t, "-");
	else
		table_cellf(&v->t, "%.1f", 100 * c->efficiency);
}

static void
add_row(struct view *v, const struct result_case *c)
{
	int k;

	table_row(&v->t);
	for (k = 0; k < N_CASE_TRAITS; k++)
		if (v->column[k])
			table_cell(&v->t,
			    case_trait_of(c, (enum case_trait)k, &v->text));
	table_cell(&v->t, c->name);
	table_cellf(&v->t, "%ld", c->n);
	median_cells(v, c);
	if (v->olympic)
		number_cell(v, c->olympic_speed,
		    shown_decimals(c->median_speed, c->median_low,
			c->median_high, DIGITS));
	if (v->metric == NULL)
		speedup_cells(v, c);
	flags_cell(v, c);
}

/* "; 95 % takes 6 runs", where a level falls short of what was asked for. */
static void
add_takes(struct view *v, int short_of, int of_two)
{
	const double confidence = v->r->rule.confidence;

	if (short_of)
		strbuf_printf(&v->text, "; %.6g %% takes %ld runs%s",
		    100 * confidence, rank_test_runs_for(confidence, of_two),
		    of_two ? " of each" : "");
}

/* "93.75 % CI with 5 runs, 97.85 % CI with 10 runs; 99 % takes 8 runs" */
static void
note_levels(struct view *v)
{
	const struct result *r = v->r;
	struct strbuf *sb = &v->text;
	size_t i, j;
	int short_of = 0;

	strbuf_reset(sb);
	for (i = 0; i < r->n_cases; i++) {
		if (isnan(r->cases[i].median_level))
			continue;
		for (j = 0; j < i; j++)
			if (r->cases[j].n == r->cases[i].n)
				break;
		if (j == i)
			strbuf_printf(sb, "%s%.2f %% CI with %ld runs",
			    sb->len > 0 ? ", " : "",
			    r->cases[i].median_level * 100, r->cases[i].n);
		short_of |= r->cases[i].median_level < r->rule.confidence;
	}
	add_takes(v, short_of, 0);
	if (sb->len > 0)
		table_note(&v->t, "interval of the median: %s", sb->buf);
	if (v->within)
		table_note(
		    &v->t, "%s", message(MESSAGE_WITHIN_MEANS, LANGUAGE_EN));
}

/* Has the earlier case a speedup of this level over as many runs? */
static int
is_level_of(const struct result_case *earlier, const struct result_case *c,
    long base_runs, const struct result *r)
{
	const struct result_case *b = case_baseline(r, earlier);

	return b != NULL && b->n == base_runs &&
	    fabs(earlier->speedup_level - c->speedup_level) < 1e-12;
}

static void
note_speedup_levels(struct view *v)
{
	const struct result *r = v->r;
	struct strbuf *sb = &v->text;
	size_t i, j;
	int short_of = 0;

	strbuf_reset(sb);
	for (i = 0; i < r->n_cases; i++) {
		const struct result_case *c = &r->cases[i];
		const struct result_case *b = case_baseline(r, c);

		if (b == NULL || isnan(c->speedup_level))
			continue;
		for (j = 0; j < i; j++)
			if (r->cases[j].n == c->n &&
			    is_level_of(&r->cases[j], c, b->n, r))
				break;
		if (j == i)
			strbuf_printf(sb, "%s%.2f %% CI with %ld and %ld runs",
			    sb->len > 0 ? ", " : "", c->speedup_level * 100,
			    c->n, b->n);
		short_of |= c->speedup_level < r->rule.confidence;
	}
	add_takes(v, short_of, 1);
	if (sb->len > 0)
		table_note(&v->t, "interval of the speedup: %s", sb->buf);
}

/* Is the rule of case i that of an earlier case? */
static int
rule_seen(const struct result *r, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (strcmp(r->cases[j].rule, r->cases[i].rule) == 0)
			return 1;
	return 0;
}

/* Which iterations the numbers were measured on; the rule is named where the
 * table has a column for it. */
static void
note_rule(struct view *v)
{
	const struct result *r = v->r;

	for (size_t i = 0; i < r->n_cases; i++) {
		const char *rule = r->cases[i].rule;
		const char *text =
		    measured_text(&v->arena, &r->rule, rule, LANGUAGE_EN);

		if (rule_seen(r, i))
			continue;
		if (v->column[CASE_TRAIT_RULE])
			table_note(&v->t, "rule %s measured: %s", rule, text);
		else
			table_note(&v->t, "measured: %s", text);
	}
}

/* From what a metric is, in its first run. */
static void
note_metric(struct view *v)
{
	const struct result_run *run = &v->r->cases[0].runs[0];
	const struct result_metric *m =
	    v->metric != NULL ? run_metric_of(run, v->metric->name) : NULL;

	if (m != NULL && m->source != NULL)
		table_note(&v->t, "%s: %s (%s)", v->metric->name, m->source,
		    run->path);
}

static void
show_cases(struct view *v, const struct table_format *format,
    enum table_colour colour, FILE *f)
{
	size_t i;

	table_init(&v->t);
	if (v->csv) {
		csv_add_columns(v);
		for (i = 0; i < v->r->n_cases; i++)
			csv_add_row(v, &v->r->cases[i]);
		table_write(&v->t, format, colour, f);
		table_release(&v->t);
		return;
	}
	add_title(v);
	add_columns(v);
	for (i = 0; i < v->r->n_cases; i++)
		add_row(v, &v->r->cases[i]);
	for (i = 0; i < v->flags.n; i++)
		table_note(
		    &v->t, "%s: %s", v->flags.marks[i], v->flags.sentences[i]);
	note_baselines(v);
	note_levels(v);
	note_speedup_levels(v);
	note_metric(v);
	if (v->metric == NULL || v->metric->of_window)
		note_rule(v);
	table_write(&v->t, format, colour, f);
	table_release(&v->t);
}

/* Excluded ones of this reason up to number i, which is one. */
static size_t
count_reason(const struct result *r, size_t i)
{
	size_t j, n = 0;

	for (j = 0; j <= i; j++)
		n += strcmp(r->excluded[j].reason, r->excluded[i].reason) == 0;
	return n;
}

static void
show_excluded(struct view *v, const struct table_format *format,
    enum table_colour colour, FILE *f)
{
	size_t i, left_out = 0;

	table_init(&v->t);
	table_title(&v->t, "Excluded");
	table_column(&v->t, "log", NULL, TABLE_LEFT);
	table_column(&v->t, "reason", NULL, TABLE_LEFT);
	table_column(&v->t, "message", NULL, TABLE_LEFT);
	for (i = 0; i < v->r->n_excluded; i++) {
		const struct result_excluded *x = &v->r->excluded[i];

		if (i >= SHOW_EXCLUDED &&
		    (left_out > 100 * SHOW_EXCLUDED ||
			count_reason(v->r, i) > SHOW_EXCLUDED)) {
			left_out++;
			continue;
		}
		table_row(&v->t);
		table_cell(&v->t, excluded_place(x, &v->arena));
		table_cell(&v->t, x->reason);
		table_cell(&v->t, excluded_rest(x, LANGUAGE_EN, &v->arena));
	}
	if (left_out > 0)
		table_note(&v->t, "And %zu more; the result names them all.",
		    left_out);
	table_write(&v->t, format, colour, f);
	table_release(&v->t);
}

void
show_result(const struct result *r, const struct table_format *format,
    enum table_colour colour, FILE *f)
{
	struct view v = {
		.r = r,
		.csv = format == &table_csv,
		.flagged = is_flagged(r),
		.arena = ARENA_INIT,
		.flags = CASE_FLAGS_INIT(LANGUAGE_EN),
		.metric = metric_choice_of(r),
		.olympic = format != &table_csv && r->rule.metric != NULL &&
		    strcmp(r->rule.metric, "time-to-train") == 0,
	};

	strbuf_init(&v.text, MAX_TEXT);
	if (r->n_cases > 0)
		show_cases(&v, format, colour, f);
	if (!v.csv)
		show_collectives(r, format, colour, f);
	if (r->n_excluded > 0 && !v.csv) {
		if (r->n_cases > 0)
			fputc('\n', f);
		show_excluded(&v, format, colour, f);
	}
	strbuf_release(&v.text);
	case_flags_release(&v.flags);
	arena_release(&v.arena);
	label_columns_release(&v.labels);
}
