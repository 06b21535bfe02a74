/* The HTML pages of results and of a comparison: templates, tables, where
 * numbers come from, predictions and sources. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/result/case_text.h"
#include "common/result/result.h"
#include "common/result/work_rate.h"
#include "common/series/result_comparison.h"
#include "common/sha256.h"
#include "common/units/units.h"
#include "report/page/page_parts.h"
#include "report/parts/columns.h"
#include "report/tables/report.h"

enum { PAGE_MAX_FILE = 1 << 20, DIGITS = 5 };

/* --- templates, names and tables ------------------------------------------ */

const char *
page_words(const struct html_page *pg, const char *en, const char *zh, ...)
{
	const char *text;
	va_list list;

	va_start(list, zh);
	text = text_fill_list(pg->a, pg->lang == LANGUAGE_ZH ? zh : en, list);
	va_end(list);
	return text;
}

void
page_put(const struct html_page *pg, const char *html, ...)
{
	FILE *f = pg->f;
	const char *text;
	va_list list;

	va_start(list, html);
	for (; *html != '\0'; html++)
		switch (*html) {
		case '{': /* skip to the page's language */
			if (pg->lang == LANGUAGE_ZH)
				html = strchr(html, '|');
			break;
		case '|':
			html = strchr(html, '}');
			break;
		case '}':
			break;
		case '#':
			if (isalnum((unsigned char)html[1]))
				putc('#', f);
			else
				fprintf(
				    f, "<bdi>%ld</bdi>", va_arg(list, long));
			break;
		case '*':
			fprintf(f, "%ld", va_arg(list, long));
			break;
		case '~':
			fprintf(f, "%.1f", va_arg(list, double));
			break;
		case '$':
			fprintf(f, "<a href=\"#case-%ld\">",
			    case_links_number(pg->how->links,
				va_arg(list, const struct result_case *)));
			break;
		case '`':
			fputs(va_arg(list, const char *), f);
			break;
		case '@':
		case '^':
			text = va_arg(list, const char *);
			fputs(*html == '@' ? "<bdi>" : "", f);
			table_html_text(f, text != NULL ? text : "unknown");
			fputs(*html == '@' ? "</bdi>" : "", f);
			break;
		default:
			putc(*html, f);
		}
	va_end(list);
}

void
page_section(const struct html_page *pg, const char *id, const char *head)
{
	page_put(pg, "<section aria-labelledby=\"^\">\n<h2 id=\"^\">^</h2>\n",
	    id, id, head);
}

const char *
page_case_name(const struct html_page *pg, const struct series *s,
    const struct result_case *c)
{
	const uint64_t differ = pg->set->differing &
	    ~(SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_RULE) |
		SERIES_BIT(SERIES_KIND));

	return arena_join(pg->a, series_text(pg->set, s, differ, pg->lang),
	    message(MESSAGE_COMMA, pg->lang),
	    series_case_name(pg->a, c, pg->lang));
}

const char *
page_percent(const struct html_page *pg, double share)
{
	return arena_printf(pg->a, "%.4g %%", 100 * share);
}

void
page_table(const struct html_page *pg, struct table *t, const char *label,
    const char *id)
{
	page_put(pg, "<div class=\"scroll`\"`", id != NULL ? " data" : "",
	    id != NULL ? arena_printf(pg->a, " id=\"%s\"", id) : "");
	page_put(
	    pg, " tabindex=\"0\" role=\"group\" aria-label=\"^\">\n", label);
	table_write(t, 1, &table_html, TABLE_COLOUR_OFF, pg->f);
	fputs("</div>\n", pg->f);
	table_release(t);
}

/* Write the tables with rows as a section, and empty them. */
static void
page_tables(const struct html_page *pg, const struct report_tables *tables,
    const char *id, const char *head)
{
	size_t n = 0;

	for (size_t i = 0; i < tables->n; i++) {
		struct table *t = &tables->items[i];

		if (t->n_rows == 0)
			continue;
		if (n == 0)
			page_section(pg, id, head);
		else if (t->title == NULL)
			table_title(t, "%s", message(MESSAGE_GATE, pg->lang));
		page_table(
		    pg, t, head, arena_printf(pg->a, "%s-table-%zu", id, n++));
	}
	if (n > 0)
		fputs("</section>\n", pg->f);
}

/* --- head and end --------------------------------------------------------- */

int
page_begin(const struct html_page *pg, const char *title, struct error *e)
{
	static const char *const names[] = { "page.html", "page.css",
		"page.js" };
	const char *texts[3];
	char hashes[3][SHA256_BASE64_SIZE];

	for (int i = 0; i < 3; i++) {
		struct strbuf sb = STRBUF_INIT(PAGE_MAX_FILE);
		char *path = install_path_find("page", names[i], e);
		const int rc = path != NULL ? text_file_read(path, &sb, e) : -1;

		free(path);
		sha256_base64(sb.buf, sb.len, hashes[i]);
		texts[i] = strbuf_finish(&sb, pg->a);
		if (rc != 0)
			return -1;
	}
	/* The policy allows only this style and this script. The script is a
	 * module, so that it runs after the page is parsed; it shows the
	 * toolbar, whose attributes hold the words that it needs. */
	page_put(pg, texts[0], hashes[1], hashes[2], title, texts[1], texts[2],
	    title);
	return 0;
}

void
page_end(const struct html_page *pg)
{
	page_put(pg,
	    "</main>\n<footer>{Made by @.|由 @ 生成。}</footer>\n</body>\n"
	    "</html>\n",
	    "report_results, " PACKAGE_STRING);
}

/* --- where numbers come from ---------------------------------------------- */

static const char *
digits_text(const struct html_page *pg, double x)
{
	return arena_printf(pg->a, "%.*g", DIGITS, x);
}

/* Write how a run's value is computed from its steps, the window, the excluded
 * iterations of each run, and the median of the runs. */
static void
put_median(const struct html_page *pg, const struct series_point *p)
{
	const struct result_case *c = p->c;
	const struct result_rule *rule = &p->source->result.rule;
	const long skip = rule->skip_iterations, warm = rule->warmup_batches;
	const char *window = measured_text(pg->a, rule, c->rule, pg->lang);

	if (c->batch_size_per_device > 0 && c->gpus > 0 && c->n_runs > 0 &&
	    isfinite(c->runs[0].step_s) &&
	    (rule->metric == NULL || strcmp(rule->metric, "throughput") == 0))
		page_put(pg,
		    "<p>{Each run: global batch # (# × #) over its mean step.|"
		    "每次运行：总批大小 #（# × #）除以平均单步时间。}</p>\n",
		    c->batch_size_per_device * c->gpus, c->gpus,
		    c->batch_size_per_device);
	if (window != NULL)
		page_put(pg,
		    "<p>{Window: @; positions count from 0.|测量窗口：@；位置从 "
		    "0 计起。}</p>\n",
		    window);
	if (text_same(rule->rule, "window") && skip >= 0 && warm >= 0)
		page_put(pg,
		    "<p>{Excluded of each run: its first # iterations (# "
		    "skipped, # of warm-up), not yet steady, and all after the "
		    "window.|每次运行排除前 # 次迭代（跳过 # 次，预热 # 次），"
		    "此时尚未稳定；窗口之后的也排除。}</p>\n",
		    skip + warm, skip, warm);
	if (isfinite(c->median_low) && isfinite(c->median_level))
		page_put(pg,
		    "<p>{Median of # runs; the true median is in [@, @] with @ "
		    "confidence (order statistics, exact).|# 次运行的中位数；"
		    "真实中位数在 [@, @] 内，置信水平 @（次序统计量，精确）。}"
		    "</p>\n",
		    c->n, text_of_value(pg->a, pg->how, p, c->median_low),
		    text_of_value(pg->a, pg->how, p, c->median_high),
		    page_percent(pg, c->median_level));
	else
		page_put(pg,
		    "<p>{Median of # runs, without an interval.|# 次运行的"
		    "中位数，无区间。}</p>\n",
		    c->n);
}

/* Write "Speedup 7.48: 0.359 over 0.384, times 8, ...": times are divided
 * the other way round; the factor is the growth of a step's work, if any. */
static void
put_speedup(const struct html_page *pg, const struct series *s,
    const struct series_point *p)
{
	const struct result_case *c = p->c;
	const struct series_point *base = series_baseline(s, c);
	const int is_time = work_kind_is_time(work_kind_of(c->unit));
	const struct series_point *over = is_time ? base : p;
	const struct series_point *under = is_time ? p : base;
	const char *speedup = digits_text(pg, c->speedup);
	struct work_scale scale;

	if (!isfinite(c->speedup) || base == NULL || base == p)
		return;
	page_put(pg, "<p>{Speedup @: @ over @|加速比 @：@ 除以 @}", speedup,
	    text_of_value(pg->a, pg->how, over, over->c->median_speed),
	    text_of_value(pg->a, pg->how, under, under->c->median_speed));
	if (work_scale_of(c, base->c,
		result_rule_is_strong(&p->source->result.rule), &scale) &&
	    fabs(scale.own / scale.base - 1) > 1e-9)
		page_put(pg,
		    "{, times @, the ratio of the work of a step|，再乘以每步"
		    "工作量之比 @}",
		    digits_text(pg, scale.own / scale.base));
	if (isfinite(c->speedup_low))
		page_put(pg, "{; in [@, @]|；在 [@, @] 内}",
		    digits_text(pg, c->speedup_low),
		    digits_text(pg, c->speedup_high));
	if (isfinite(c->speedup_low) && isfinite(c->speedup_level))
		page_put(pg,
		    "{ with @ confidence (quotients of all pairs of runs, "
		    "exact)|，置信水平 @（所有运行对之比，精确）}",
		    page_percent(pg, c->speedup_level));
	page_put(pg, "{. Compared with: |。 比较对象：}$@</a></p>\n", base->c,
	    page_case_name(pg, s, base->c));
	if (isfinite(c->efficiency) && c->efficiency > 0)
		page_put(pg,
		    "<p>{Efficiency @ %: speedup @ over @, the ratio of device "
		    "counts.|并行效率 @ %：加速比 @ 除以设备数之比 @。}</p>\n",
		    digits_text(pg, 100 * c->efficiency), speedup,
		    digits_text(pg, c->speedup / c->efficiency));
}

/* Add "25–124", "25" or an empty cell. */
static void
add_span(struct table *t, long first, long last)
{
	if (first == RESULT_UNKNOWN)
		table_cell(t, NULL);
	else if (last == RESULT_UNKNOWN || last == first)
		table_cellf(t, "%ld", first);
	else
		table_cellf(t, "%ld–%ld", first, last);
}

/* Write the runs: values, iterations, lines, metrics with their sources. */
static void
put_runs(const struct html_page *pg, const struct series_point *p)
{
	const struct {
		const char *head, *unit;
	} columns[] = {
		{ page_words(pg, "run", "运行"), NULL },
		{ page_words(pg, "value", "值"), p->c->unit },
		{ page_words(pg, "mean step", "平均单步"), "s" },
		{ page_words(pg, "iterations averaged", "平均的迭代数"), NULL },
		{ page_words(pg, "iterations as logged", "日志中的迭代号"),
		    NULL },
		{ page_words(pg, "lines of the log", "日志行号"), NULL },
		{ page_words(pg, "log", "日志文件"), NULL },
		{ page_words(pg, "flags", "备注"), NULL },
	};
	struct metric_list l = { .n = 0 };
	struct table t = TABLE_INIT;
	char text[UNITS_TEXT_SIZE];

	metric_list_add(&l, p->c);
	for (int i = 0; i < 8; i++)
		table_column(&t, columns[i].head, columns[i].unit,
		    i > 0 && i < 6 ? TABLE_RIGHT : TABLE_LEFT);
	metric_list_columns(&l, &t, TABLE_RIGHT);
	for (size_t i = 0; i < p->c->n_runs; i++) {
		const struct result_run *run = &p->c->runs[i];

		table_row(&t);
		table_cell(&t, run->run);
		table_cell(&t, text_of_value(&t.arena, pg->how, p, run->value));
		table_cell(&t,
		    isfinite(run->step_s)
			? number_format(text, run->step_s, DIGITS)
			: NULL);
		add_span(&t, run->iterations, RESULT_UNKNOWN);
		add_span(&t, run->first_iteration, run->last_iteration);
		add_span(&t, run->first_line, run->last_line);
		table_cell(&t, run->path);
		table_cell(&t, run_flags_text(run, pg->lang, &t.arena));
		for (size_t k = 0; k < l.n; k++) {
			const struct result_metric *m =
			    run_metric_of(run, l.items[k]->name);

			if (m == NULL || !isfinite(m->value))
				table_cell(&t, NULL);
			else
				table_cellf(&t,
				    m->source != NULL ? "%s (%s)" : "%s",
				    number_format(text, m->value, DIGITS),
				    m->source);
		}
	}
	if (l.more)
		table_note(&t, "%s",
		    page_words(pg, "The result has more metrics.",
			"结果文件中有更多指标。"));
	page_table(pg, &t, message(MESSAGE_RUNS, pg->lang), NULL);
}

static void
put_case(const struct html_page *pg, const struct panel_point *x)
{
	const struct series_point *p = x->p;
	const struct result_file *file = p->source;
	const struct result_case *c = x->c;

	page_put(pg, "<details id=\"case-*\">\n<summary>@",
	    case_links_number(pg->how->links, c), page_case_name(pg, x->s, c));
	if (p->text == NULL && isfinite(c->median_speed))
		page_put(pg, ": ^ ^",
		    text_of_value(pg->a, pg->how, p, c->median_speed), c->unit);
	fputs("</summary>\n", pg->f);
	if (p->text == NULL)
		put_median(pg, p);
	else if (p->failed != NULL)
		page_put(pg, "<p>{No number: @|无数值：@}</p>\n",
		    arena_printf(pg->a, "%s: %s", p->failed->path,
			excluded_text(p->failed, pg->lang, pg->a)));
	else
		page_put(pg,
		    "<p>{Published: @ in @, line #.|公布值：@，见 @ 第 # 行。}"
		    "</p>\n",
		    p->text, file->path,
		    file->values != NULL ? file->values[p->index].line : 0L);
	put_speedup(pg, x->s, p);
	if (c->n_runs > 0)
		put_runs(pg, p);
	fputs("</details>\n", pg->f);
}

/* Where the numbers come from: the details of all cases of a panel. */
static void
page_all_details(const struct html_page *pg, const struct panel *p)
{
	page_put(pg,
	    "<details class=\"origins\"><summary>{Where the numbers come from|"
	    "数据出处}</summary>\n");
	for (struct panel_point x = { NULL }; panel_next(p, &x);)
		put_case(pg, &x);
	fputs("</details>\n", pg->f);
}

/* --- sections ------------------------------------------------------------- */

static const char *
devices_title(const struct column_row *x)
{
	return message(x->set->devices, x->how->lang);
}

/* Write the table of a panel, with links from numbers to their details. It is
 * as in the report, but in one group, so that it can be sorted. */
static void
put_table(const struct html_page *pg, const struct panel *p, const char *id)
{
	struct case_flags flags = CASE_FLAGS_INIT(pg->lang);
	struct table t = TABLE_INIT;
	struct column_row row = { .t = &t,
		.how = pg->how,
		.arena = pg->a,
		.set = pg->set,
		.panel = p,
		.s = p->s[0],
		.p = &p->s[0]->points[0],
		.c = p->s[0]->points[0].c,
		.links = 1,
		.flags = &flags };
	uint64_t shown;

	table_column(
	    &t, page_words(pg, "configuration", "配置"), NULL, TABLE_LEFT);
	table_column(
	    &t, message(pg->set->devices, pg->lang), NULL, TABLE_RIGHT);
	shown = columns_add(case_columns, &row);
	for (struct panel_point x = { NULL }; panel_next(p, &x);) {
		row.s = x.s;
		row.p = x.p;
		row.c = x.c;
		table_row(&t);
		table_cell(&t, panel_series_name(pg->set, p, x.i, pg->lang));
		cell_count(&t, pg->how, x.c->gpus);
		columns_put(case_columns, shown, &row);
	}
	notes_flags(&t, &flags);
	notes_measured(pg->set, &t, p, NOTES_SPEEDUPS, pg->how);
	case_flags_release(&flags);
	page_table(pg, &t,
	    page_words(pg, "Table of medians and speedups", "中位数与加速比表"),
	    id);
}

/* Write the tables of one kind of --table. */
static void
put_tables(const struct html_page *pg, report_maker *make, const char *id,
    const char *head)
{
	struct report_tables list = { NULL, 0, 0 };

	make(pg->set, pg->how, &list);
	page_tables(pg, &list, id, head);
	report_tables_release(&list);
}

/* --- predictions ---------------------------------------------------------- */

static const char *
predicted_title(const struct column_row *x)
{
	return message(work_kind_of(x->c->unit) == WORK_STEP_TIME
		? MESSAGE_STEP_TIME
		: MESSAGE_THROUGHPUT,
	    x->how->lang);
}

static const char *
predicted_interval(const struct column_row *x)
{
	const struct prediction_interval *in =
	    &((const struct prediction_case *)x->item)->first;
	char low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

	if (!isfinite(in->low) || !isfinite(in->high))
		return NULL;
	number_format(low, in->low, DIGITS);
	number_format(high, in->high, DIGITS);
	/* A range has no level. */
	return isfinite(in->level)
	    ? arena_printf(
		  x->arena, "[%s, %s] (%g %%)", low, high, 100 * in->level)
	    : arena_printf(x->arena, "[%s, %s]", low, high);
}

static const char *
predicted_how(const struct column_row *x)
{
	const struct prediction_case *c = x->item;

	return c->forced ? arena_join(x->arena, c->how, ", ", "forced")
			 : c->how;
}

/* The tables of predicted series, with their measured cases and notes. */
static void
put_predictions(const struct html_page *pg, const struct predictions *p)
{
#define MEMBER(name) ITEM_MEMBER(struct prediction_case, name)
	static const struct column columns[] = {
		{ { "case", "规模" }, .cell = CELL_TEXT, MEMBER(name) },
		{ .key = "gpus",
		    .align = TABLE_RIGHT,
		    .cell = CELL_COUNT,
		    .title = devices_title,
		    MEMBER(gpus) },
		{ .key = "speed",
		    .unit = "",
		    .align = TABLE_DECIMAL,
		    .cell = CELL_DIGITS,
		    .title = predicted_title,
		    MEMBER(speed) },
		{ { "interval", "区间" }, .unit = "", .align = TABLE_RIGHT,
		    .cell = CELL_MADE, .text = predicted_interval },
		{ { "speedup", "加速比" }, .align = TABLE_DECIMAL,
		    .cell = CELL_RATIO, MEMBER(speedup) },
		{ { "efficiency", "效率" }, .unit = "%", .align = TABLE_DECIMAL,
		    .cell = CELL_SHARE, MEMBER(efficiency) },
		{ { "how", "方式" }, .cell = CELL_MADE, .text = predicted_how },
		{ { "warnings", "警告" }, .cell = CELL_TEXT, MEMBER(warnings) },
		{ .cell = CELL_END },
	};
#undef MEMBER
	const char *head = page_words(pg, "Predictions", "预测");

	page_section(pg, "predictions", head);
	for (size_t i = 0; i < p->n; i++) {
		const struct prediction_series *s = &p->items[i];
		struct table t = TABLE_INIT;
		struct result_case of_unit;
		struct column_row row = { .t = &t,
			.how = pg->how,
			.arena = pg->a,
			.set = pg->set,
			.c = &of_unit };
		uint64_t shown;

		result_case_init(&of_unit);
		of_unit.unit = s->unit;
		/* A prediction without a title is named by its file. */
		table_title(&t, "%s", s->title != NULL ? s->title : s->path);
		shown = columns_add(columns, &row);
		for (size_t k = 0; k < s->n_cases; k++) {
			row.item = &s->cases[k];
			table_row(&t);
			columns_put(columns, shown, &row);
		}
		table_note(&t, "%s",
		    page_words(pg, "by predict_scaling, in @",
			"由 predict_scaling 得出，见 @", s->path));
		for (size_t k = 0; k < s->n_notes; k++)
			table_note(&t, "%s", s->notes[k]);
		page_table(
		    pg, &t, head, arena_printf(pg->a, "predicted-%zu", i));
	}
	fputs("</section>\n", pg->f);
}

/* --- the page ------------------------------------------------------------- */

static void
put_body(const struct html_page *pg, struct table *environment)
{
	const struct panel_list *panels = pg->panels;
	char *doubts = page_lead(pg);
	const char *comma = message(MESSAGE_COMMA, pg->lang);
	const char *head =
	    page_words(pg, "What it was measured on", "测量环境");
	const struct result_file *s = NULL;

	for (size_t i = 0; i < panels->n; i++) {
		const struct panel *p = &panels->items[i];
		const char *title = panel_title(pg->set, p, 0, pg->lang);

		page_put(pg, "<section>\n<h2 id=\"panel-*\">@</h2>\n", (long)i,
		    title[0] != '\0' && panels->n > 1
			? title
			: page_words(pg, "Results", "结果"));
		page_charts(pg, p);
		put_table(pg, p, arena_printf(pg->a, "table-%zu", i));
		page_all_details(pg, p);
		fputs("</section>\n", pg->f);
	}
	put_tables(pg, phases_make, "phases",
	    page_words(pg, "Phases of a step", "单步各阶段"));
	put_tables(pg, collectives_make, "collectives",
	    page_words(pg, "Collectives", "集合通信"));
	if (pg->how->predictions != NULL && pg->how->predictions->n > 0)
		put_predictions(pg, pg->how->predictions);
	fputs(doubts, pg->f);
	free(doubts);
	/* The source files, and the machine and software that they state. */
	page_section(pg, "sources", head);
	fputs("<ul class=\"files\">\n", pg->f);
	while ((s = series_next_source(pg->set, s)) != NULL) {
		page_put(pg, "<li>{File|文件} @", s->path);
		for (size_t i = 0; i < s->n_origins; i++)
			page_put(pg, "^^: @", comma,
			    message(MESSAGE_PUBLISHED, pg->lang),
			    s->origins[i]);
		fputs("</li>\n", pg->f);
	}
	fputs("</ul>\n", pg->f);
	if (environment->n_rows > 0)
		page_table(pg, environment, head, NULL);
	fputs("</section>\n", pg->f);
}

int
page_write(struct series_set *set, const struct report_how *how, FILE *f,
    struct error *e)
{
	struct case_links links;
	struct report_how linked = *how;
	struct panel_list l;
	struct table environment = TABLE_INIT;
	struct panel all;
	const char *title;
	const struct html_page pg = { f, how->lang, &set->arena, set, &l,
		&linked };
	int rc;

	if (set->n == 0)
		return error_set(e, ERROR_EMPTY, "no case to show");
	if (series_need_speeds(set, "the page", e) != 0)
		return -1;
	environment_of_set(set, how, &environment);
	environment.title = NULL; /* the section has a head */
	l = panel_split(set, PANEL_KEYS | SERIES_BIT(SERIES_UNIT));
	links = case_links_of(&l, &set->arena);
	linked.links = &links;
	all = panel_of_all(set, &set->arena);
	title = panel_title(set, &all, 0, how->lang);
	if (title[0] == '\0')
		title = page_words(&pg, "Training throughput", "训练吞吐量");
	rc = page_begin(&pg, title, e);
	if (rc == 0) {
		put_body(&pg, &environment);
		page_end(&pg);
	}
	table_release(&environment);
	return rc;
}

/* --- the page of a comparison --------------------------------------------- */

enum {
	WIDTH = 900, /* in SVG units */
	ROW = 44,
	MARGIN = 12,
	TICKS = 24, /* height of the numbers of the axis */
	MAX_DRAWN = 40,
	MAX_LABELS = 8
};

/* Series of the chart, which have a colour and a shape each: a circle, a
 * square, a triangle. */
enum { DRAWN_UNPROVEN, DRAWN_SLOWER, DRAWN_FASTER, N_DRAWN };

static int
drawn_of(const struct comparison_row *row)
{
	return row->verdict == COMPARISON_SLOWER ? DRAWN_SLOWER
	    : row->verdict == COMPARISON_FASTER  ? DRAWN_FASTER
						 : DRAWN_UNPROVEN;
}

/* "PyTorch, 1n2g" */
static const char *
row_name(const struct html_page *pg, const struct comparison_row *row)
{
	return arena_join(pg->a, compare_row_group(pg->set, row, pg->lang),
	    message(MESSAGE_COMMA, pg->lang),
	    series_case_name(pg->a, compare_row_case(row), pg->lang));
}

/* "0.940 [0.931, 0.948]" */
static const char *
ratio_text(const struct html_page *pg, double ratio, double low, double high)
{
	char text[3][UNITS_TEXT_SIZE];

	comparison_ratio_text(text[0], ratio, low, high);
	if (!isfinite(low) || !isfinite(high))
		return arena_strdup(pg->a, text[0]);
	return arena_printf(pg->a, "%s [%s, %s]", text[0],
	    comparison_ratio_text(text[1], low, low, high),
	    comparison_ratio_text(text[2], high, low, high));
}

/* The verdict as a sentence, "slower in 2 of 24 cases, most in PyTorch, 1n2g:
 * 0.94 [0.93, 0.95]", and the numbers of cases. */
static void
put_verdict(const struct html_page *pg, const struct comparison *c)
{
	static const char *const words[N_DRAWN] = { "", "{slower|更慢}",
		"{faster|更快}" };
	const char *old = c->files[0]->name, *new = c->files[1]->name;
	const char *before = "";
	const long n_both = (long)c->n_both;
	const struct comparison_row *most[N_DRAWN] = { NULL };
	long n[N_DRAWN] = { 0 }, n_doubtful = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];
		const int of = drawn_of(row);

		if (row->before == NULL || row->after == NULL)
			continue;
		n[of]++;
		n_doubtful += case_is_doubtful(row->before->c, 0) ||
		    case_is_doubtful(row->after->c, 0);
		if (most[of] == NULL ||
		    fabs(log(row->ratio)) > fabs(log(most[of]->ratio)))
			most[of] = row;
	}
	if (n[DRAWN_SLOWER] + n[DRAWN_FASTER] > 0)
		page_put(pg,
		    "<p>{Compared with @, @ is proven to be |与 @ 相比，@ "
		    "经证实}",
		    old, new);
	else
		page_put(pg,
		    "<p>{No case of # is proven to differ between @ and @|# "
		    "个规模中，没有一个被证实在 @ 与 @ 之间有差异}",
		    n_both, old, new);
	for (int of = DRAWN_SLOWER; of <= DRAWN_FASTER; of++) {
		if (n[of] == 0)
			continue;
		page_put(pg, before);
		page_put(pg, words[of]);
		page_put(pg,
		    "{ in # of # cases, most in |的规模有 # 个（共 # 个），"
		    "最甚者为 }$@</a> (<strong>^</strong>)",
		    n[of], n_both, compare_row_case(most[of]),
		    row_name(pg, most[of]),
		    ratio_text(
			pg, most[of]->ratio, most[of]->low, most[of]->high));
		before = "{, and |，}";
	}
	page_put(pg,
	    "{. On average @ is @ times as fast.|。 @ 的平均速度为 @ 倍。}</p>\n"
	    "<p class=\"faint\">{cases compared|比较的规模}: * · "
	    "{not proven|未证实}: * · "
	    "<a href=\"#compare\">{in doubt|存疑}: *</a></p>\n",
	    new, ratio_text(pg, c->mean, c->mean_low, c->mean_high), n_both,
	    n[DRAWN_UNPROVEN], n_doubtful);
}

static int
by_ratio(const void *pa, const void *pb)
{
	const struct comparison_row *const *a = pa, *const *b = pb;

	if ((*a)->ratio != (*b)->ratio)
		return (*a)->ratio < (*b)->ratio ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

static void
put_chart(const struct html_page *pg, const struct comparison *c)
{
	const struct comparison_row **rows =
	    arena_calloc(pg->a, c->n + 1, sizeof(struct comparison_row *));
	const char *const names[N_DRAWN] = {
		page_words(pg, "not proven", "未证实"),
		message(MESSAGE_SLOWER, pg->lang),
		message(MESSAGE_FASTER, pg->lang),
	};
	struct svg_plot plot = { .out = pg->f,
		.left = MARGIN,
		.right = WIDTH - MARGIN,
		.top = MARGIN };
	double low = 1, high = 1;
	size_t n = 0, drawn;

	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];

		if (!isfinite(row->ratio))
			continue;
		rows[n++] = row;
		low = fmin(low, fmin(row->ratio, row->low));
		high = fmax(high, fmax(row->ratio, row->high));
	}
	if (n == 0)
		return;
	qsort(rows, n, sizeof(struct comparison_row *), by_ratio);
	drawn = n < MAX_DRAWN ? n : MAX_DRAWN;
	plot.bottom = MARGIN + (int)drawn * ROW;
	axis_ratio(low, high > low ? high : low * AXIS_LOG_MARGIN, MAX_LABELS,
	    &plot.x);
	plot.y.low = (double)drawn;
	if (drawn < n)
		page_put(pg,
		    "<p>{The chart shows the # slowest of # cases.|图中为最慢"
		    "的 # 个规模，共 # 个。}</p>\n",
		    (long)drawn, (long)n);
	fputs("<div class=\"charts wide\">\n", pg->f);
	page_figure(pg, &plot,
	    page_words(pg, "speed of @ over @", "@ 与 @ 的速度之比",
		c->files[1]->name, c->files[0]->name),
	    NULL, page_words(pg, "The table has all ratios.", "各比值见下表。"),
	    WIDTH, plot.bottom + TICKS);
	svg_ideal(&plot, 1, plot.y.low, 1, plot.y.high);
	for (size_t i = 0; i < drawn; i++) {
		const struct comparison_row *row = rows[i];
		const double y = (double)i + 0.75;
		const char *name = row_name(pg, row);
		const char *semicolon = message(MESSAGE_SEMICOLON, pg->lang);
		const struct page_mark m = { .series = (size_t)drawn_of(row),
			.x = row->ratio,
			.y = y,
			.low = row->low,
			.high = row->high,
			.sideways = 1,
			.lines = { name,
			    ratio_text(pg, row->ratio, row->low, row->high),
			    arena_printf(pg->a, "%s → %s",
				page_value_text(pg, row->before),
				page_value_text(pg, row->after)),
			    arena_printf(pg->a, "%s%sp = %.3g%s%s: %zu, %zu",
				comparison_verdict_text(row, pg->lang),
				semicolon, row->p_holm, semicolon,
				message(MESSAGE_RUNS, pg->lang),
				row->before_runs.n, row->after_runs.n),
			    case_doubts_text(
				row->after->c, 0, NULL, pg->lang, pg->a) },
			.c = row->after->c };

		/* Draw a row of the chart, whose middle is at y. */
		page_put(pg, "<text x=\"*\" y=\"~\">^</text>\n", (long)MARGIN,
		    svg_y(&plot, y) - 10, name);
		page_mark(pg, &plot, &m);
	}
	fputs("</svg>\n</figure>\n", pg->f);
	page_key(pg, names, N_DRAWN);
	fputs("</div>\n", pg->f);
}

int
page_compare_write(struct series_set *set, const struct report_how *how,
    const struct panel_list *panels, struct report_tables *tables, FILE *f,
    struct error *e)
{
	const struct comparison *c = how->comparison;
	const struct html_page pg = { f, how->lang, &set->arena, set, panels,
		how };
	const char *title = page_words(&pg, "@ compared with @",
	    "@ 与 @ 的比较", c->files[1]->name, c->files[0]->name);

	if (page_begin(&pg, title, e) != 0)
		return -1;
	page_put(&pg, PAGE_LEAD);
	put_verdict(&pg, c);
	put_chart(&pg, c);
	fputs("</section>\n", f);
	page_tables(&pg, tables, "compare", page_words(&pg, "Cases", "各规模"));
	page_section(&pg, "origins", page_words(&pg, "Provenance", "数据出处"));
	for (size_t i = 0; i < panels->n; i++)
		page_all_details(&pg, &panels->items[i]);
	fputs("</section>\n", f);
	page_end(&pg);
	return 0;
}
