#include <config.h>

#include "extract/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/case_text.h"
#include "common/result/result.h"
#include "common/series/runs_table.h"
#include "common/stats/stats.h"
#include "common/units/units.h"
#include "extract/measure/cases/case.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"
#include "report/tables/report.h"

/* --- what sets cases apart ------------------------------------------------ */

static const char *
labels_text(const struct column_row *x)
{
	struct strbuf text = STRBUF_INIT(SIZE_MAX);

	if (x->c->n_labels == 0)
		return NULL;
	for (size_t i = 0; i < x->c->n_labels; i++) {
		const struct result_pair *l = &x->c->labels[i];
		const int is_set = strcmp(l->value, "true") == 0;

		strbuf_printf(&text, "%s%s%s%s", i > 0 ? " " : "", l->key,
		    is_set ? "" : "=", is_set ? "" : l->value);
	}
	return strbuf_finish(&text, x->arena);
}

static const char *
unit_text(const struct column_row *x)
{
	return x->c->work_unit == NULL
	    ? x->c->unit
	    : arena_printf(x->arena, "%s of %s", x->c->unit, x->c->work_unit);
}

/* Columns that distinguish the cases of a result, where they differ. */
static const struct column case_traits[] = {
	{ { "framework", "框架" }, "framework", .cell = CELL_TEXT,
	    CASE_MEMBER(framework), .differs = 1 },
	{ { "model", "模型" }, "model", .cell = CELL_TEXT, CASE_MEMBER(model),
	    .differs = 1 },
	{ { "precision", "精度" }, "precision", .cell = CELL_TEXT,
	    CASE_MEMBER(precision), .differs = 1 },
	{ { "batch", "批大小" }, "batch_size_per_device", .align = TABLE_RIGHT,
	    .cell = CELL_COUNT, CASE_MEMBER(batch_size_per_device),
	    .differs = 1 },
	{ { "labels", "标签" }, .cell = CELL_MADE, .text = labels_text,
	    .differs = 1 },
	{ .cell = CELL_END },
};

static const struct column case_measures[] = {
	{ { "rule", "规则" }, .cell = CELL_TEXT, CASE_MEMBER(rule),
	    .differs = 1 },
	{ { "unit", "单位" }, .cell = CELL_MADE, .text = unit_text,
	    .differs = 1 },
	{ .cell = CELL_END },
};

enum {
	DIGITS = 5,
	METRIC_DIGITS = 4,
	TABLES_EXCLUDED = 20 /* reasons shown before "And N more" */
};

/* --- labels, in CSV ------------------------------------------------------- */

/* A flat table: the traits of the case, its labels, the columns. */
struct flat_table {
	const struct column *columns;
	uint64_t traits, shown;
	const char **keys;
	size_t n_keys;
};

static void
flat_start(struct flat_table *flat, const struct column *columns,
    const struct column_row *x)
{
	const struct result *r = x->result;

	*flat = (struct flat_table){ .columns = columns };
	flat->traits = columns_add(case_traits, x);
	/* The label keys of all cases, in result order. */
	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t k = 0; k < r->cases[i].n_labels; k++) {
			const char *key = r->cases[i].labels[k].key;
			size_t at = 0;

			while (at < flat->n_keys &&
			    strcmp(flat->keys[at], key) != 0)
				at++;
			if (at < flat->n_keys)
				continue;
			flat->keys = arena_grow(
			    x->arena, flat->keys, at, sizeof *flat->keys);
			flat->keys[flat->n_keys++] = key;
			table_column(x->t, key, NULL, TABLE_LEFT);
		}
	flat->shown = columns_add(columns, x);
}

static void
flat_row(const struct flat_table *flat, const struct column_row *x)
{
	table_row(x->t);
	columns_put(case_traits, flat->traits, x);
	for (size_t i = 0; i < flat->n_keys; i++)
		table_cell(x->t,
		    result_pair_value(
			x->c->labels, x->c->n_labels, flat->keys[i]));
	columns_put(flat->columns, flat->shown, x);
}

/* --- cases ---------------------------------------------------------------- */

/* Make the table of all cases, as one series. */
static void
make_cases(const struct result *r, const struct report_how *how,
    struct report_tables *list)
{
	const struct result_file file = { .result = *r };
	struct series all = { .n_points = r->n_cases };
	struct table *t = report_tables_add(list);
	const struct series *series = &all;
	const struct panel panel = { .s = &series, .n = 1 };
	struct case_flags flags = CASE_FLAGS_INIT(how->lang);
	struct result_case first = r->cases[0];
	uint64_t traits, measures, shown;
	const char *title = NULL;
	struct flat_table flat;
	struct column_row x = { .t = t,
		.how = how,
		.arena = &t->arena,
		.result = r,
		.s = &all,
		.c = r->cases };

	all.points = arena_calloc(&t->arena, r->n_cases, sizeof *all.points);
	for (size_t i = 0; i < r->n_cases; i++)
		all.points[i] = (struct series_point){
			.source = &file, .index = i, .c = &r->cases[i]
		};
	x.p = all.points;
	if (how->flat) {
		flat_start(&flat, case_columns, &x);
		measured_columns_add(t);
		for (size_t i = 0; i < r->n_cases; i++) {
			x.p = &all.points[i];
			x.c = x.p->c;
			flat_row(&flat, &x);
			measured_columns_fill(t,
			    &(struct panel_point){
				.s = &all, .p = x.p, .c = x.c },
			    1);
		}
		return;
	}
	x.panel = &panel;
	x.flags = &flags;
	/* The common traits: "pytorch resnet50 fp32, batch 64 per device". */
	for (int i = 0; case_traits[i].cell != CELL_END; i++) {
		const struct column *trait = &case_traits[i];
		const char *text = column_text(trait, &x);
		const int is_batch =
		    strcmp(trait->head[LANGUAGE_EN], "batch") == 0;

		if (text == NULL || column_differs(trait, &x))
			continue;
		title = arena_printf(x.arena, "%s%s%s%s%s",
		    title != NULL ? title : "",
		    title == NULL                        ? ""
			: is_batch || trait->key == NULL ? ", "
							 : " ",
		    is_batch ? "batch " : "", text,
		    is_batch ? " per device" : "");
	}
	if (title != NULL)
		table_title(t, "%s", title);
	traits = columns_add(case_traits, &x);
	measures = columns_add(case_measures, &x);
	/* If units differ, they are in each row, not in the heads. */
	if (column_differs(&case_measures[1], &x))
		first.unit = NULL;
	x.c = &first;
	shown = columns_add(case_columns, &x);
	for (size_t i = 0; i < all.n_points; i++) {
		x.p = &all.points[i];
		x.c = x.p->c;
		table_row(t);
		columns_put(case_traits, traits, &x);
		columns_put(case_measures, measures, &x);
		columns_put(case_columns, shown, &x);
	}
	notes_flags(t, &flags);
	notes_measured(NULL, t, &panel, NOTES_SPEEDUPS, how);
	case_flags_release(&flags);
}

/* --- excluded logs -------------------------------------------------------- */

static void
make_excluded(
    const struct result *r, const struct report_how *how, struct table *t)
{
	size_t n, shown = 0;
	const struct excluded_group *groups =
	    excluded_groups(r, how->lang, &t->arena, &n);

	table_title(
	    t, "%s", in_language(how->lang, "Excluded", "已排除的日志"));
	table_column(
	    t, in_language(how->lang, "log", "日志"), NULL, TABLE_LEFT);
	table_column(
	    t, in_language(how->lang, "reason", "原因"), NULL, TABLE_LEFT);
	table_column(
	    t, in_language(how->lang, "message", "说明"), NULL, TABLE_LEFT);
	for (size_t i = 0; i < n && i < TABLES_EXCLUDED; i++) {
		shown += groups[i].n;
		table_row(t);
		table_cell(t, groups[i].place);
		table_cell(t, remark_word(groups[i].reason, how->lang));
		table_cell(t, groups[i].words);
	}
	if (shown < r->n_excluded)
		table_note(t,
		    in_language(how->lang,
			"And %zu more; the result lists all.",
			"另有 %zu 个，结果文件中列出全部。"),
		    r->n_excluded - shown);
}

/* --- runs ----------------------------------------------------------------- */

static const struct result_run *
run_at(const struct column_row *x)
{
	return x->item;
}

/* True if all cases have the same unit. */
static int
has_one_unit(const struct column_row *x)
{
	static const struct column unit =
	    FLAT("unit", CELL_TEXT, CASE_MEMBER(unit));

	return x->result->n_cases > 0 && !column_differs(&unit, x);
}

static int
has_units(const struct column_row *x)
{
	return !has_one_unit(x);
}

/* Text before the name in the descriptions of all cases, such as "pytorch
 * resnet50 fp32 b128 "; NULL if it differs. */
static const char *
common_start(const struct column_row *x)
{
	const char *start = NULL;

	for (size_t i = 0; i < x->result->n_cases; i++) {
		const struct result_case *c = &x->result->cases[i];
		const char *own = case_describe(c, x->arena);
		const size_t len = strlen(own), n = strlen(c->name);

		if (len < n || strcmp(own + len - n, c->name) != 0)
			return NULL;
		own = arena_strndup(x->arena, own, len - n);
		if (start != NULL && strcmp(own, start) != 0)
			return NULL;
		start = own;
	}
	return start;
}

static int
has_common_start(const struct column_row *x)
{
	return common_start(x) != NULL;
}

static int
has_starts(const struct column_row *x)
{
	return common_start(x) == NULL;
}

static const char *
description_text(const struct column_row *x)
{
	return case_describe(x->c, x->arena);
}

static const char *
value_text(const struct column_row *x)
{
	char text[UNITS_TEXT_SIZE];

	return arena_strdup(
	    x->arena, number_format(text, run_at(x)->value, DIGITS));
}

static const char *
value_with_unit(const struct column_row *x)
{
	return arena_printf(x->arena, "%s %s", value_text(x), x->c->unit);
}

/* Format a range, "27-126"; NULL if unknown. */
static const char *
range_text(struct arena *a, long first, long last)
{
	if (first == RESULT_UNKNOWN || last == RESULT_UNKNOWN)
		return NULL;
	return arena_printf(a, "%ld-%ld", first, last);
}

static const char *
iterations_text(const struct column_row *x)
{
	return range_text(
	    x->arena, run_at(x)->first_iteration, run_at(x)->last_iteration);
}

static const char *
lines_text(const struct column_row *x)
{
	return range_text(
	    x->arena, run_at(x)->first_line, run_at(x)->last_line);
}

static const char *
flags_text(const struct column_row *x)
{
	return run_flags_text(run_at(x), x->how->lang, x->arena);
}

static const char *
flag_codes_text(const struct column_row *x)
{
	return run_flags_json(run_at(x), x->arena);
}

static const char *
rule_text(const struct column_row *x)
{
	return measured_text(
	    x->arena, &x->result->rule, x->c->rule, x->how->lang);
}

#define RUN(member) ITEM_MEMBER(struct result_run, member)

static const struct column run_columns[] = {
	{ { "case", "规模" }, .when = has_common_start, .cell = CELL_TEXT,
	    CASE_MEMBER(name) },
	{ { "case", "规模" }, .when = has_starts, .cell = CELL_MADE,
	    .text = description_text },
	{ { "run", "运行" }, .cell = CELL_TEXT, RUN(run) },
	{ { "value", "数值" }, .unit = "", .align = TABLE_DECIMAL,
	    .when = has_one_unit, .cell = CELL_MADE, .text = value_text },
	{ { "value", "数值" }, .when = has_units, .cell = CELL_MADE,
	    .text = value_with_unit },
	{ { "iterations", "迭代" }, .align = TABLE_RIGHT, .cell = CELL_MADE,
	    .text = iterations_text },
	{ { "lines", "行" }, .align = TABLE_RIGHT, .cell = CELL_MADE,
	    .text = lines_text },
	{ { "log", "日志" }, .cell = CELL_TEXT, RUN(path) },
	{ .cell = CELL_END },
};

/* In CSV, the columns are run_fields: the heads that the reader of tables of
 * runs knows, with the offsets of their members. */
static void
make_runs(const struct result *r, const struct report_how *how, struct table *t)
{
	struct column_row x = { .t = t,
		.how = how,
		.arena = &t->arena,
		.result = r,
		.c = r->cases };
	static const enum column_cell cells[] = { [RUN_WORD] = CELL_TEXT,
		[RUN_COUNT] = CELL_COUNT,
		[RUN_NUMBER] = CELL_EXACT,
		[RUN_FLAGS] = CELL_MADE,
		[RUN_FLAG_CODES] = CELL_MADE,
		[RUN_IGNORED] = CELL_MADE };
	struct flat_table flat = { .columns = run_columns };
	const char *start = common_start(&x);
	struct column columns[N_OWN_RUN_FIELDS + 1];

	for (size_t n = 0; n < N_OWN_RUN_FIELDS; n++) {
		const struct run_field f = run_fields[n];

		columns[n] = (struct column){ .key = f.head,
			.cell = cells[f.cell],
			.of_item = f.part == PART_RUN,
			.of_rule = f.part == PART_RULE,
			.at = f.at,
			.text = f.cell == RUN_FLAGS    ? flags_text
			    : f.cell == RUN_FLAG_CODES ? flag_codes_text
						       : rule_text };
	}
	columns[N_OWN_RUN_FIELDS] = (struct column){ .cell = CELL_END };
	if (how->flat)
		flat_start(&flat, columns, &x);
	else
		flat.shown = columns_add(run_columns, &x);
	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t k = 0; k < r->cases[i].n_runs; k++) {
			x.c = &r->cases[i];
			x.item = &x.c->runs[k];
			flat_row(&flat, &x);
		}
	if (start != NULL && start[0] != '\0')
		table_title(t, "%.*s", (int)strlen(start) - 1, start);
	/* The flags of the runs, and each distinct rule of the cases. */
	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t k = 0; k < r->cases[i].n_runs; k++) {
			const struct result_run *run = &r->cases[i].runs[k];

			for (size_t j = 0; j < run->n_flags; j++)
				table_note(t, "%s: %s.", run->path,
				    remark_text(
					&run->flags[j], how->lang, x.arena));
		}
	for (size_t i = 0; i < r->n_cases; i++) {
		size_t k = 0;

		while (strcmp(r->cases[k].rule, r->cases[i].rule) != 0)
			k++;
		if (k == i)
			table_note(t, "%s%s%s",
			    message(MESSAGE_MEASURED, how->lang),
			    message(MESSAGE_COLON, how->lang),
			    measured_text(x.arena, &r->rule, r->cases[i].rule,
				how->lang));
	}
}

/* --- metrics -------------------------------------------------------------- */

static void
note_metrics(struct table *t, const struct result *r,
    const struct metric_list *l, enum language lang)
{
	table_note(t, "%s",
	    l->n > 0
		? message(MESSAGE_MEDIANS_OF_RUNS, lang)
		: in_language(lang,
		      "The logs state no figures besides their throughput.",
		      "日志除吞吐率外没有其他数据。"));
	/* Note the source of each metric, from the first run that states it. */
	for (size_t n = 0; n < l->n; n++) {
		const char *name = l->items[n]->name;
		int noted = 0;

		for (size_t i = 0; i < r->n_cases; i++)
			for (size_t k = 0; k < r->cases[i].n_runs; k++) {
				const struct result_run *run =
				    &r->cases[i].runs[k];
				const struct result_metric *m =
				    run_metric_of(run, name);

				if (noted || m == NULL || m->source == NULL)
					continue;
				noted = 1;
				table_note(t, "%s: %s (%s).", name, m->source,
				    run->path);
			}
	}
}

/* Median of a metric over the runs of a case that have it; NAN: none. */
static double
metric_median(const struct result_case *c, const char *name)
{
	double *values = xcalloc(c->n_runs + 1, sizeof *values), median;

	for (size_t i = 0; i < c->n_runs; i++) {
		const struct result_metric *m =
		    run_metric_of(&c->runs[i], name);

		values[i] = m != NULL ? m->value : NAN;
	}
	median = stats_median_known(values, c->n_runs);
	free(values);
	return median;
}

static void
put_metric(const struct column_row *x)
{
	const struct result_metric *m = x->item;

	cell_unrounded(x->t, metric_median(x->c, m->name));
}

static const char *
doubts_text(const struct column_row *x)
{
	return case_doubts_text(x->c, 0, NULL, x->how->lang, x->arena);
}

static void
make_metrics(
    const struct result *r, const struct report_how *how, struct table *t)
{
	/* CSV: a row for each metric of a case. */
	static const struct column columns[] = {
		FLAT("nodes", CELL_COUNT, CASE_MEMBER(nodes)),
		FLAT("gpus_per_node", CELL_COUNT, CASE_MEMBER(gpus_per_node)),
		FLAT("gpus", CELL_COUNT, CASE_MEMBER(gpus)),
		FLAT("case", CELL_TEXT, CASE_MEMBER(name)),
		FLAT("n", CELL_COUNT, CASE_MEMBER(n)),
		FLAT("metric", CELL_TEXT,
		    ITEM_MEMBER(struct result_metric, name)),
		{ .key = "median", .cell = CELL_PUT, .put = put_metric },
		FLAT(
		    "unit", CELL_TEXT, ITEM_MEMBER(struct result_metric, unit)),
		{ .key = "flags", .cell = CELL_MADE, .text = doubts_text },
		{ .cell = CELL_END },
	};
	const struct result_file file = { .result = *r };
	struct series_point point = { .source = &file };
	const struct series all = { .points = &point, .n_points = 1 };
	struct case_flags flags = CASE_FLAGS_INIT(how->lang);
	struct column_row x = { .t = t,
		.how = how,
		.arena = &t->arena,
		.result = r,
		.c = r->cases };
	struct metric_list l = { .n = 0 };
	struct flat_table flat;
	int flagged = 0;

	for (size_t i = 0; i < r->n_cases; i++) {
		metric_list_add(&l, &r->cases[i]);
		flagged |= case_is_doubtful(&r->cases[i], 0);
	}
	if (how->flat) {
		flat_start(&flat, columns, &x);
		measured_columns_add(t);
	}
	for (size_t i = 0; i < r->n_cases && how->flat; i++)
		for (size_t k = 0; k < l.n; k++) {
			x.c = &r->cases[i];
			x.item = l.items[k];
			if (isnan(metric_median(x.c, l.items[k]->name)))
				continue;
			flat_row(&flat, &x);
			measured_columns_fill(t,
			    &(struct panel_point){
				.s = &all, .p = &point, .c = x.c },
			    1);
		}
	if (how->flat) {
		note_metrics(t, r, &l, how->lang);
		return;
	}
	table_column(t, message(MESSAGE_CASE, how->lang), NULL, TABLE_LEFT);
	table_column(t, message(MESSAGE_RUNS, how->lang), NULL, TABLE_RIGHT);
	metric_list_columns(&l, t, TABLE_DECIMAL);
	if (flagged)
		table_column(
		    t, message(MESSAGE_FLAGS, how->lang), NULL, TABLE_LEFT);
	for (size_t i = 0; i < r->n_cases; i++) {
		const struct result_case *c = &r->cases[i];

		table_row(t);
		table_cell(t, case_describe(c, &t->arena));
		table_cellf(t, "%ld", c->n);
		for (size_t k = 0; k < l.n; k++) {
			const double own = metric_median(c, l.items[k]->name);
			char text[UNITS_TEXT_SIZE];

			table_cell(t,
			    isnan(own)
				? ""
				: number_format(text, own, METRIC_DIGITS));
		}
		if (flagged)
			table_cell(
			    t, case_flags_marks(&flags, c, 0, NULL, &t->arena));
	}
	notes_flags(t, &flags);
	case_flags_release(&flags);
	note_metrics(t, r, &l, how->lang);
}

/* --- all ------------------------------------------------------------------ */

void
tables_write(const struct result *r, const char *name,
    const struct table_format *format, enum language lang,
    enum table_colour colour, FILE *f)
{
	const struct report_how how = { .lang = format->is_flat ? LANGUAGE_EN
								: lang,
		.format = format,
		.colour = colour,
		.ratio_decimals = -1,
		.flat = format->is_flat,
		.of_logs = 1 };
	struct report_tables list = { NULL, 0, 0 };

	if (strcmp(name, "runs") == 0) {
		make_runs(r, &how, report_tables_add(&list));
	} else if (strcmp(name, "metrics") == 0) {
		make_metrics(r, &how, report_tables_add(&list));
	} else {
		if (r->n_cases > 0)
			make_cases(r, &how, &list);
		if (r->n_excluded > 0 && !how.flat)
			make_excluded(r, &how, report_tables_add(&list));
	}
	for (size_t i = 0; i < list.n; i++)
		list.items[i].name = how.flat ? name : NULL;
	table_write(list.items, list.n, format, colour, f);
	report_tables_release(&list);
}
