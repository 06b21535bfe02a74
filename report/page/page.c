/* The HTML page: head with content security policy, panels, tables, metrics and
 * sources. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/files/infile.h"
#include "common/result/predictions.h"
#include "common/result/work_rate.h"
#include "common/sha256.h"
#include "common/strbuf.h"
#include "common/texts/remark.h"
#include "common/units/units.h"
#include "report/page/page_parts.h"
#include "report/parts/cell.h"
#include "report/tables/report_makers.h"

enum {
	PAGE_MAX_FILE = 1 << 20,
	MAX_OPEN_DETAILS = 12, /* details that are open */
	METRIC_DIGITS = 5,
	MAX_HEADLINES = 6, /* the others are folded */
	SPEED_DIGITS = 5,
	RATIO_DIGITS = 3
};

/* Read report/page/NAME. Returns 0 or -1. */
static int
load_part(const char *name, struct strbuf *out, struct error *e)
{
	char *path = install_path_find("page", name, e);
	const int rc = path != NULL ? text_file_read(path, out, e) : -1;

	free(path);
	return rc;
}

static void
put_head(const struct html_page *pg, const char *title,
    const struct strbuf *style, const struct strbuf *script)
{
	char style_hash[SHA256_BASE64_SIZE], script_hash[SHA256_BASE64_SIZE];

	sha256_base64(style->buf, style->len, style_hash);
	sha256_base64(script->buf, script->len, script_hash);
	fprintf(pg->f,
	    "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\""
	    "default-src 'none'; style-src 'sha256-%s'; "
	    "script-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n"
	    "<meta name=\"viewport\" "
	    "content=\"width=device-width, initial-scale=1\">\n",
	    language_names[pg->lang], style_hash, script_hash);
	page_put(pg, "<title>^</title>\n<style>", title);
	fwrite(style->buf, 1, style->len, pg->f);
	fputs("</style>\n</head>\n<body>\n", pg->f);
}

/* --- the table of a panel ------------------------------------------------- */

/* Optional columns, which are omitted where empty. */
struct page_columns {
	int nodes, median_interval, speedup_interval, runs, flags;
};

static void
add_columns(const struct html_page *pg, const struct page_columns *shown,
    const char *unit, struct table *t)
{
	const enum language lang = pg->lang;
	const char *interval = message(MESSAGE_MEDIAN_INTERVAL, lang);

	table_column(
	    t, page_words(pg, "configuration", "配置"), NULL, TABLE_LEFT);
	table_column(t, message(MESSAGE_CASE, lang), NULL, TABLE_LEFT);
	if (shown->nodes)
		table_column(
		    t, message(MESSAGE_NODES, lang), NULL, TABLE_RIGHT);
	table_column(t, message(pg->set->devices, lang), NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_MEDIAN, lang), unit, TABLE_DECIMAL);
	if (shown->median_interval)
		table_column(t, interval, NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_SPEEDUP, lang), NULL, TABLE_DECIMAL);
	if (shown->speedup_interval)
		table_column(t, interval, NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_EFFICIENCY, lang), "%", TABLE_DECIMAL);
	if (shown->runs)
		table_column(t, message(MESSAGE_RUNS, lang), NULL, TABLE_RIGHT);
	if (shown->flags)
		table_column(t, message(MESSAGE_FLAGS, lang), NULL, TABLE_LEFT);
}

/* The row of a case; each number links to its details. */
static void
add_row(const struct html_page *pg, const struct page_columns *shown,
    const struct panel *p, const struct panel_point *x,
    struct case_flags *flags, struct table *t)
{
	const struct report_how *how = pg->how;
	const struct result_case *c = x->c;

	table_row(t);
	table_cell(t, panel_series_name(pg->set, p, x->i, pg->lang));
	table_cell(t, series_case_name(pg->a, c, pg->lang));
	if (shown->nodes)
		cell_count(t, how, c->nodes);
	cell_count(t, how, c->gpus);
	cell_value(t, how, x->p, "");
	if (shown->median_interval)
		cell_median_interval(t, how, x->p);
	cell_speedup(t, how, x->p, c->speedup);
	if (shown->speedup_interval)
		cell_interval(t, how, x->p, c->speedup_low, c->speedup_high, 1);
	cell_percent(t, how, c->efficiency);
	if (isfinite(c->efficiency))
		case_links_cell(how->links, t, c);
	if (shown->runs) {
		cell_count(t, how, c->n);
		if (c->n != RESULT_UNKNOWN)
			case_links_cell(how->links, t, c);
	}
	if (shown->flags)
		table_cell(t, case_flags_marks(flags, c, pg->a));
}

static void
put_table(const struct html_page *pg, const struct panel *p, const char *id)
{
	struct case_flags flags = CASE_FLAGS_INIT(pg->lang);
	struct page_columns shown = { .flags = notes_panel_is_flagged(p) };
	struct table t;

	for (struct panel_point x = { NULL }; panel_next(p, &x);) {
		shown.nodes |= x.c->nodes != RESULT_UNKNOWN;
		shown.median_interval |=
		    isfinite(x.c->median_low) || isfinite(case_within_run(x.c));
		shown.speedup_interval |= isfinite(x.c->speedup_low);
		shown.runs |= x.c->n > 0;
	}
	table_init(&t);
	add_columns(pg, &shown, p->s[0]->points[0].c->unit, &t);
	for (struct panel_point x = { NULL }; panel_next(p, &x);)
		add_row(pg, &shown, p, &x, &flags, &t);
	notes_flags(&t, &flags);
	notes_doubts(pg->set, &t, p, pg->lang);
	notes_measured(pg->set, &t, p, NOTES_SPEEDUPS, pg->how);
	page_table(pg, &t,
	    page_words(pg, "Table of medians and speedups", "中位数与加速比表"),
	    id);
	table_release(&t);
	case_flags_release(&flags);
}

/* Details of the numbers; many cases are folded together. */
static void
put_all_details(const struct html_page *pg, const struct panel *p)
{
	const char *head =
	    page_words(pg, "Where the numbers come from", "数据出处");
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += p->s[i]->n_points;
	if (n > MAX_OPEN_DETAILS)
		fprintf(
		    pg->f, "<details><summary>%s (%zu)</summary>\n", head, n);
	else
		fprintf(pg->f, "<h3>%s</h3>\n", head);
	for (struct panel_point x = { NULL }; panel_next(p, &x);)
		page_details(pg, &x);
	if (n > MAX_OPEN_DETAILS)
		fputs("</details>\n", pg->f);
}

static void
put_panel(const struct html_page *pg, size_t i)
{
	const struct panel *p = &pg->panels->items[i];
	const char *title = panel_title(pg->set, p, 0, pg->lang);

	page_put(pg, "<section>\n<h2>@</h2>\n",
	    title[0] != '\0' ? title : page_words(pg, "Results", "结果"));
	page_charts(pg, p);
	put_table(pg, p, arena_printf(pg->a, "table-%zu", i));
	put_all_details(pg, p);
	fputs("</section>\n", pg->f);
}

/* --- other sections ------------------------------------------------------- */

/* The table of metrics such as MFU, if results have any. */
static void
put_metrics(const struct html_page *pg)
{
	const char *head = page_words(pg, "Metrics", "其他指标");
	struct metric_list l = { .n = 0 };
	char text[UNITS_TEXT_SIZE];
	struct table t;

	for (struct panel_point x = { NULL }; panel_next_of_set(pg->set, &x);)
		metric_list_add(&l, x.c);
	if (l.n == 0)
		return;
	table_init(&t);
	table_column(&t, message(MESSAGE_CASE, pg->lang), NULL, TABLE_LEFT);
	metric_list_columns(&l, &t, TABLE_DECIMAL);
	for (struct panel_point x = { NULL }; panel_next_of_set(pg->set, &x);) {
		if (x.c->n_runs == 0)
			continue;
		table_row(&t);
		table_cell(&t, page_case_name(pg, x.s, x.c));
		for (size_t k = 0; k < l.n; k++) {
			const double m = metric_median(x.c, l.items[k]->name);

			table_cell(&t,
			    isfinite(m) ? number_format(text, m, METRIC_DIGITS)
					: "");
			case_links_cell(pg->how->links, &t, x.c);
		}
	}
	table_note(&t, "%s",
	    page_words(pg,
		"Medians over the runs of a case; the case names each run's "
		"value and its source.",
		"各规模多次运行的中位数；点击可见每次运行的值及其来源。"));
	page_metrics_note(pg, &t, &l);
	page_section(pg, "metrics", head);
	page_table(pg, &t, head, "table-metrics");
	fputs("</section>\n", pg->f);
	table_release(&t);
}

/* The tables of --table that have rows, as a section. */
static void
put_tables(const struct html_page *pg, report_maker *make, const char *head,
    const char *id)
{
	struct report_tables list = { NULL, 0, 0 };
	size_t n = 0;

	make(pg->set, pg->how, &list);
	for (size_t i = 0; i < list.n; i++) {
		if (list.items[i].n_rows == 0)
			continue;
		if (n++ == 0)
			page_section(pg, id, head);
		page_table(pg, &list.items[i], head, NULL);
	}
	if (n > 0)
		fputs("</section>\n", pg->f);
	report_tables_release(&list);
}

/* The source files, and the machine and software that they state. */
static void
put_sources(const struct html_page *pg, const struct table *environment)
{
	const char *head =
	    page_words(pg, "What it was measured on", "测量环境");
	const char *comma = message(MESSAGE_COMMA, pg->lang);
	const struct result_file *s = NULL;

	page_section(pg, "sources", head);
	fputs("<ul class=\"files\">\n", pg->f);
	while ((s = series_next_source(pg->set, s)) != NULL) {
		const char *version = s->result.tool_version;

		page_put(
		    pg, "<li>^ @", page_words(pg, "File", "文件"), s->path);
		if (s->result.tool_name != NULL) {
			fputs(comma, pg->f);
			page_say(pg, "by @", "由 @ 生成",
			    arena_printf(pg->a, "%s %s", s->result.tool_name,
				version != NULL ? version : ""));
			fprintf(pg->f, "%s%s: %zu%s%s: %zu", comma,
			    page_words(pg, "logs", "日志"), s->result.n_inputs,
			    comma, message(MESSAGE_EXCLUDED, pg->lang),
			    s->result.n_excluded);
		}
		for (size_t i = 0; i < s->n_origins; i++)
			page_put(pg, "^^: @", comma,
			    message(MESSAGE_PUBLISHED_AT, pg->lang),
			    s->origins[i]);
		fputs("</li>\n", pg->f);
	}
	fputs("</ul>\n", pg->f);
	if (environment->n_rows > 0)
		page_table(pg, environment, head, NULL);
	fputs("</section>\n", pg->f);
}

/* The excluded logs and the reasons, if any. */
static void
put_excluded(const struct html_page *pg)
{
	const char *head = page_words(pg, "Excluded logs", "被排除的日志");
	const struct result_file *s = NULL;
	struct table t;

	table_init(&t);
	table_column(&t, message(MESSAGE_SOURCE, pg->lang), NULL, TABLE_LEFT);
	table_column(&t, page_words(pg, "log", "日志文件"), NULL, TABLE_LEFT);
	table_column(&t, page_words(pg, "reason", "原因"), NULL, TABLE_LEFT);
	table_column(&t, page_words(pg, "what would include it", "如何纳入"),
	    NULL, TABLE_LEFT);
	while ((s = series_next_source(pg->set, s)) != NULL)
		for (size_t k = 0; k < s->result.n_excluded; k++) {
			const struct result_excluded *x =
			    &s->result.excluded[k];

			table_row(&t);
			table_cell(&t, s->name);
			table_cell(&t, x->path);
			table_cell(&t, remark_word(x->reason, pg->lang));
			table_cell(&t, excluded_text(x, pg->lang, &t.arena));
		}
	if (t.n_rows > 0) {
		page_section(pg, "excluded", head);
		page_table(pg, &t, head, "table-excluded");
		fputs("</section>\n", pg->f);
	}
	table_release(&t);
}

/* --- summary -------------------------------------------------------------- */

/* " [1.45, 1.79] (96.83 % CI)", or nothing. */
static void
put_interval(const struct html_page *pg, const char *text, double level)
{
	if (text[0] == '\0' || !isfinite(level))
		return;
	page_put(pg, " ^", text);
	page_say(pg, " (@ CI)", "（@ 置信区间）", page_percent(pg, level));
}

/* "15.0 samples/s on 2 GPUs (1n2g)" */
static void
put_speed(const struct html_page *pg, const struct series_point *p)
{
	const struct result_case *c = p->c;
	const char *name = series_case_name(pg->a, c, pg->lang);

	page_link(pg, c);
	page_put(pg, "<strong>^",
	    p->text != NULL
		? p->text
		: text_of_value(pg->a, pg->how, p, c->median_speed));
	if (isfinite(c->median_speed))
		page_put(pg, " ^", c->unit);
	fputs("</strong></a>", pg->f);
	if (!isfinite(c->speedup) || cell_is_baseline(c))
		put_interval(pg,
		    text_of_interval(
			pg->a, pg->how, p, c->median_low, c->median_high, 0),
		    c->median_level);
	if (c->gpus == RESULT_UNKNOWN)
		page_say(pg, " on @", "，@", name);
	else
		page_say(pg, " on @ (@)", "，@（@）", page_devices(pg, c->gpus),
		    name);
}

/* "speedup 1.66 [1.45, 1.79] (96.83 % CI) over 1n1g, efficiency 82.8 %" */
static void
put_speedup(const struct html_page *pg, const struct series_point *p)
{
	const struct result_case *c = p->c;
	const char *comma = message(MESSAGE_COMMA, pg->lang);

	fprintf(pg->f, "%s%s ", comma, message(MESSAGE_SPEEDUP, pg->lang));
	page_link(pg, c);
	page_put(pg, "<strong>^</strong></a>",
	    text_of_speedup(pg->a, pg->how, p, c->speedup));
	put_interval(pg,
	    text_of_interval(
		pg->a, pg->how, p, c->speedup_low, c->speedup_high, 1),
	    c->speedup_level);
	if (c->baseline != NULL)
		page_say(pg, " over @", "（相对 @）", c->baseline);
	if (!isfinite(c->efficiency))
		return;
	fprintf(pg->f, "%s%s ", comma, message(MESSAGE_EFFICIENCY, pg->lang));
	page_link(pg, c);
	fprintf(pg->f, "%.1f %%</a>", 100 * c->efficiency);
}

static void
put_headline(const struct html_page *pg, const struct panel *p, size_t i)
{
	const struct series_point *q = NULL;
	const char *of =
	    panel_title(pg->set, p, SERIES_BIT(SERIES_FRAMEWORK), pg->lang);

	/* The largest case with a speedup, else the largest case. */
	for (size_t k = 0; k < p->s[i]->n_points; k++) {
		const struct series_point *own = &p->s[i]->points[k];

		if ((own->text != NULL || isfinite(own->c->median_speed)) &&
		    (q == NULL || isfinite(own->c->speedup) ||
			!isfinite(q->c->speedup)))
			q = own;
	}
	if (q == NULL)
		return;
	page_put(pg, "<p>@", panel_series_name(pg->set, p, i, pg->lang));
	if (of[0] != '\0')
		page_put(pg, "^@", message(MESSAGE_COMMA, pg->lang), of);
	fputs(": ", pg->f);
	put_speed(pg, q);
	if (isfinite(q->c->speedup) && !cell_is_baseline(q->c))
		put_speedup(pg, q);
	fputs("</p>\n", pg->f);
}

/* One line about what was measured. */
static void
put_counts(const struct html_page *pg)
{
	const struct result_file *s = NULL;
	const struct panel all = panel_of_all(pg->set, pg->a);
	const char *rule = notes_rule_text(&all, pg->a, pg->lang);
	size_t n_cases = 0, n_logs = 0, n_excluded = 0;
	long runs = 0, fewest = RESULT_UNKNOWN, most = RESULT_UNKNOWN;

	for (struct panel_point x = { NULL }; panel_next(&all, &x);) {
		const long gpus = x.c->gpus;

		n_cases++;
		runs += x.c->n > 0 ? x.c->n : 0;
		if (gpus == RESULT_UNKNOWN)
			continue;
		if (most == RESULT_UNKNOWN)
			fewest = most = gpus;
		fewest = gpus < fewest ? gpus : fewest;
		most = gpus > most ? gpus : most;
	}
	while ((s = series_next_source(pg->set, s)) != NULL) {
		n_logs += s->result.n_inputs;
		n_excluded += s->result.n_excluded;
	}
	fprintf(pg->f, "<p class=\"faint\">%s: %zu",
	    page_words(pg, "cases", "规模"), n_cases);
	if (fewest != RESULT_UNKNOWN)
		fprintf(pg->f, " · %s: %ld",
		    message(pg->set->devices, pg->lang), fewest);
	if (most != fewest)
		fprintf(pg->f, "–%ld", most);
	if (runs > 0)
		fprintf(
		    pg->f, " · %s: %ld", message(MESSAGE_RUNS, pg->lang), runs);
	if (n_logs > 0)
		fprintf(pg->f, " · %s: %zu", page_words(pg, "logs", "日志"),
		    n_logs);
	if (n_excluded > 0)
		fprintf(pg->f, " · <a href=\"#excluded\">%s: %zu</a>",
		    message(MESSAGE_EXCLUDED, pg->lang), n_excluded);
	if (rule != NULL)
		page_put(pg, " · ^: @", message(MESSAGE_RULE, pg->lang), rule);
	fputs("</p>\n", pg->f);
}

/* One line about what was measured, and the headline of each series. */
static void
page_summary(const struct html_page *pg)
{
	size_t n = 0;

	fprintf(pg->f, "<section class=\"card lead\" aria-label=\"%s\">\n",
	    page_words(pg, "Summary", "摘要"));
	put_counts(pg);
	for (size_t i = 0; i < pg->panels->n; i++)
		for (size_t k = 0; k < pg->panels->items[i].n; k++) {
			if (n++ == MAX_HEADLINES) {
				fputs("<details><summary>", pg->f);
				page_more(pg, pg->set->n - MAX_HEADLINES);
				fputs("</summary>\n", pg->f);
			}
			put_headline(pg, &pg->panels->items[i], k);
		}
	fputs(n > MAX_HEADLINES ? "</details>\n</section>\n" : "</section>\n",
	    pg->f);
}

/* --- predictions ---------------------------------------------------------- */

/* A cell with a link, unless it is empty. */
static void
put_linked(struct table *t, const char *text, const char *link)
{
	table_cell(t, text);
	if (text[0] != '\0')
		table_link(t, link);
}

static const char *
number_text(struct arena *a, double x, int digits)
{
	char buf[UNITS_TEXT_SIZE];

	return isfinite(x) ? arena_strdup(a, number_format(buf, x, digits))
			   : "";
}

static void
put_case(struct table *t, const struct prediction_case *c, const char *link)
{
	struct arena *a = &t->arena;
	const char *low = number_text(a, c->first.low, SPEED_DIGITS);
	const char *high = number_text(a, c->first.high, SPEED_DIGITS);

	table_row(t);
	table_cell(t, c->name);
	table_cell(t, c->gpus >= 0 ? arena_printf(a, "%ld", c->gpus) : "");
	/* Measured cases have no interval. */
	put_linked(t,
	    c->measured ? arena_printf(a, "%.12g", c->speed)
			: number_text(a, c->speed, SPEED_DIGITS),
	    link);
	put_linked(t,
	    low[0] != '\0' && high[0] != '\0'
		? arena_printf(a, "[%s, %s]", low, high)
		: "",
	    link);
	put_linked(t, number_text(a, c->speedup, RATIO_DIGITS), link);
	put_linked(t,
	    isfinite(c->efficiency)
		? arena_printf(a, "%.1f", 100 * c->efficiency)
		: "",
	    link);
	table_cellf(t, "%s%s", c->how != NULL ? c->how : "",
	    c->forced ? ", forced" : "");
	table_cell(t, c->warnings);
}

/* The measured cases of a predicted series, and its notes. */
static void
put_details(const struct html_page *pg, const struct prediction_series *s,
    const char *title, const char *link)
{
	fprintf(pg->f, "<details id=\"%s\">\n<summary>", link + 1);
	page_say(pg, "Sources of the prediction: @", "预测依据：@", title);
	fputs("</summary>\n", pg->f);
	page_sentence(pg,
	    "From @, by predict_scaling, of these measured cases:",
	    "来自 @，由 predict_scaling 依据下列实测规模得出：", s->path);
	fputs("<ul>\n", pg->f);
	for (size_t i = 0; i < s->n_cases; i++)
		if (s->cases[i].measured)
			page_put(pg, "<li>@: ^ @</li>\n", s->cases[i].name,
			    arena_printf(pg->a, "%.12g", s->cases[i].speed),
			    s->unit);
	fputs("</ul>\n", pg->f);
	for (size_t i = 0; i < s->n_notes; i++)
		page_put(pg, "<p>@</p>\n", s->notes[i]);
	fputs("</details>\n", pg->f);
}

static void
put_series(const struct html_page *pg, const struct prediction_series *s,
    size_t number)
{
	const enum language lang = pg->lang;
	const enum message speed = work_kind_of(s->unit) == WORK_STEP_TIME
	    ? MESSAGE_STEP_TIME
	    : MESSAGE_THROUGHPUT;
	/* A prediction without a title is named by its file. */
	const char *title = s->title != NULL ? s->title : s->path;
	const char *link = arena_printf(pg->a, "#prediction-%zu", number);
	const char *interval = page_words(pg, "range", "范围");
	struct table t;

	/* "80 % interval", from the first case with a level; ranges have
	 * none. */
	for (size_t i = s->n_cases; i-- > 0;)
		if (isfinite(s->cases[i].first.level))
			interval = text_fill(pg->a,
			    page_words(pg, "@ interval", "@ 区间"),
			    arena_printf(
				pg->a, "%g %%", 100 * s->cases[i].first.level));
	page_put(pg, "<p><strong>@</strong></p>\n", title);
	table_init(&t);
	table_column(&t, message(MESSAGE_CASE, lang), NULL, TABLE_LEFT);
	table_column(&t, message(pg->set->devices, lang), NULL, TABLE_RIGHT);
	table_column(&t, message(speed, lang), s->unit, TABLE_DECIMAL);
	table_column(&t, interval, s->unit, TABLE_INTERVAL);
	table_column(&t, message(MESSAGE_SPEEDUP, lang), NULL, TABLE_DECIMAL);
	table_column(&t, message(MESSAGE_EFFICIENCY, lang), "%", TABLE_DECIMAL);
	table_column(&t, page_words(pg, "how", "方式"), NULL, TABLE_LEFT);
	table_column(&t, page_words(pg, "warnings", "警告"), NULL, TABLE_LEFT);
	for (size_t i = 0; i < s->n_cases; i++)
		put_case(&t, &s->cases[i], link);
	page_table(pg, &t, page_words(pg, "Predictions", "预测"),
	    arena_printf(pg->a, "predicted-%zu", number));
	table_release(&t);
	put_details(pg, s, title, link);
}

/* A section with the predictions, if any. */
static void
page_predictions(const struct html_page *pg)
{
	const struct predictions *p = pg->how->predictions;

	if (p == NULL || p->n == 0)
		return;
	page_section(pg, "predictions", page_words(pg, "Predictions", "预测"));
	page_sentence(pg,
	    "Cases that were not run, each with an interval, and the measured "
	    "cases, unchanged.",
	    "未运行的规模，各附区间；已测的规模照原值列出。");
	for (size_t i = 0; i < p->n; i++)
		put_series(pg, &p->items[i], i);
	fputs("</section>\n", pg->f);
}

/* --- the page ------------------------------------------------------------- */

static void
put_body(const struct html_page *pg, const char *title,
    const struct table *environment)
{
	fprintf(pg->f,
	    "<a class=\"skip\" href=\"#report\">%s</a>\n"
	    "<main id=\"report\" tabindex=\"-1\">\n",
	    page_words(pg, "Skip to the report", "跳到报告正文"));
	page_put(pg, "<h1>@</h1>\n", title);
	page_summary(pg);
	page_doubts(pg);
	for (size_t i = 0; i < pg->panels->n; i++)
		put_panel(pg, i);
	put_metrics(pg);
	put_tables(pg, phases_make,
	    page_words(pg, "Phases of a step", "单步各阶段"), "phases");
	put_tables(pg, collectives_make,
	    page_words(pg, "Collectives", "集合通信"), "collectives");
	page_predictions(pg);
	put_sources(pg, environment);
	put_excluded(pg);
	fputs("</main>\n<footer>", pg->f);
	page_say(
	    pg, "Made by @.", "由 @ 生成。", "report_results, " PACKAGE_STRING);
	fputs("</footer>\n", pg->f);
}

int
page_write(struct series_set *set, const struct report_how *how, FILE *f,
    struct error *e)
{
	struct strbuf style, script;
	struct case_links links;
	struct report_how linked = *how;
	struct panel_list l;
	struct table environment;
	struct panel all;
	const char *title;
	const struct html_page pg = { f, how->lang, &set->arena, set, &l,
		&linked, set->differing };
	int rc;

	if (set->n == 0)
		return error_set(e, ERROR_EMPTY, "no case to show");
	if (series_need_speeds(set, "the page", e) != 0)
		return -1;
	strbuf_init(&style, PAGE_MAX_FILE);
	strbuf_init(&script, PAGE_MAX_FILE);
	rc = load_part("page.css", &style, e);
	if (rc == 0)
		rc = load_part("page.js", &script, e);
	table_init(&environment);
	if (rc == 0)
		rc = environment_of_set(set, how, &environment, e);
	environment.title = NULL; /* the section has a head */
	if (rc == 0) {
		l = panel_split(set, PANEL_KEYS | SERIES_BIT(SERIES_UNIT));
		links = case_links_of(&l, &set->arena);
		linked.links = &links;
		all = panel_of_all(set, &set->arena);
		title = panel_title(set, &all, 0, how->lang);
		if (title[0] == '\0')
			title = page_words(
			    &pg, "Training throughput", "训练吞吐量");
		put_head(&pg, title, &style, &script);
		put_body(&pg, title, &environment);
		fputs("<script>", f);
		fwrite(script.buf, 1, script.len, f);
		fputs("</script>\n</body>\n</html>\n", f);
	}
	table_release(&environment);
	strbuf_release(&style);
	strbuf_release(&script);
	return rc;
}
