/* The HTML page: templates, panels, metrics, predictions and sources. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/files/infile.h"
#include "common/result/case_text.h"
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
	METRIC_DIGITS = 5,
	SPEED_DIGITS = 5,
	RATIO_DIGITS = 3
};

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
		case '{': /* to the part in the page's language */
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
page_devices(const struct html_page *pg, long count)
{
	static const struct {
		enum message kind;
		const char *en, *plural, *zh;
	} names[] = {
		{ MESSAGE_GPUS, "GPU", "s", " GPU" },
		{ MESSAGE_CPU_PROCESSES, "CPU process", "es", " CPU 进程" },
		{ MESSAGE_TPU_CHIPS, "TPU chip", "s", " TPU 芯片" },
		{ MESSAGE_NPUS, "NPU", "s", " NPU" },
		{ MESSAGE_DEVICES, "device", "s", "设备" },
	};
	size_t i = 0;

	while (i + 1 < sizeof names / sizeof names[0] &&
	    names[i].kind != pg->set->devices)
		i++;
	if (pg->lang == LANGUAGE_ZH)
		return arena_printf(pg->a, "%ld 个%s", count, names[i].zh);
	return arena_printf(pg->a, "%ld %s%s", count, names[i].en,
	    count == 1 ? "" : names[i].plural);
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

void
page_metrics_table(const struct html_page *pg, struct table *t,
    const struct metric_list *l, const char *id)
{
	const char *head = page_words(pg, "Metrics", "其他指标");

	if (l->more)
		table_note(t, "%s",
		    page_words(pg,
			"More metrics than a page shows; the result has all.",
			"指标多于页面所能显示的数量；结果文件中有全部指标。"));
	page_table(pg, t, head, id);
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
	 * module, so that it runs when the whole page is there; it shows the
	 * bar of tools, which has the words of what it adds. */
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

/* --- the table of a panel ------------------------------------------------- */

/* The table of a panel, whose numbers link to their details. Columns of nodes,
 * intervals, runs and flags are omitted where they are empty. */
static void
put_table(const struct html_page *pg, const struct panel *p, const char *id)
{
	const struct report_how *how = pg->how;
	const enum language lang = pg->lang;
	const struct result_case *first = p->s[0]->points[0].c;
	const int with_flags = notes_panel_is_flagged(p);
	int with_nodes = 0, with_interval = 0, with_speedups = 0, with_runs = 0;
	struct case_flags flags = CASE_FLAGS_INIT(lang);
	struct table t = TABLE_INIT;

	for (struct panel_point x = { NULL }; panel_next(p, &x);) {
		with_nodes |= x.c->nodes != RESULT_UNKNOWN;
		with_interval |=
		    isfinite(x.c->median_low) || isfinite(case_within_run(x.c));
		with_speedups |= isfinite(x.c->speedup_low);
		with_runs |= x.c->n > 0;
	}
	const struct {
		const char *head, *unit;
		enum table_align align;
		int shown;
	} columns[] = {
		{ page_words(pg, "configuration", "配置"), NULL, TABLE_LEFT,
		    1 },
		{ message(MESSAGE_CASE, lang), NULL, TABLE_LEFT, 1 },
		{ message(MESSAGE_NODES, lang), NULL, TABLE_RIGHT, with_nodes },
		{ message(pg->set->devices, lang), NULL, TABLE_RIGHT, 1 },
		{ message(case_headline(first), lang), first->unit,
		    TABLE_DECIMAL, 1 },
		{ message(MESSAGE_MEDIAN_INTERVAL, lang), NULL, TABLE_RIGHT,
		    with_interval },
		{ message(MESSAGE_SPEEDUP, lang), NULL, TABLE_DECIMAL, 1 },
		{ message(MESSAGE_MEDIAN_INTERVAL, lang), NULL, TABLE_RIGHT,
		    with_speedups },
		{ message(MESSAGE_EFFICIENCY, lang), "%", TABLE_DECIMAL, 1 },
		{ message(MESSAGE_RUNS, lang), NULL, TABLE_RIGHT, with_runs },
		{ message(MESSAGE_FLAGS, lang), NULL, TABLE_LEFT, with_flags },
	};

	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		if (columns[i].shown)
			table_column(&t, columns[i].head, columns[i].unit,
			    columns[i].align);
	for (struct panel_point x = { NULL }; panel_next(p, &x);) {
		const struct result_case *c = x.c;

		table_row(&t);
		table_cell(&t, panel_series_name(pg->set, p, x.i, lang));
		table_cell(&t, series_case_name(pg->a, c, lang));
		if (with_nodes)
			cell_count(&t, how, c->nodes);
		cell_count(&t, how, c->gpus);
		cell_value(&t, how, x.p, "");
		if (with_interval)
			cell_median_interval(&t, how, x.p);
		cell_speedup(&t, how, x.p, c->speedup);
		if (with_speedups)
			cell_interval(
			    &t, how, x.p, c->speedup_low, c->speedup_high, 1);
		cell_percent(&t, how, c->efficiency);
		if (isfinite(c->efficiency))
			case_links_cell(how->links, &t, c);
		if (with_runs)
			cell_count(&t, how, c->n);
		if (with_runs && c->n != RESULT_UNKNOWN)
			case_links_cell(how->links, &t, c);
		if (with_flags)
			table_cell(&t, case_flags_marks(&flags, c, pg->a));
	}
	notes_flags(&t, &flags);
	notes_doubts(pg->set, &t, p, lang);
	notes_measured(pg->set, &t, p, NOTES_SPEEDUPS, how);
	case_flags_release(&flags);
	page_table(pg, &t,
	    page_words(pg, "Table of medians and speedups", "中位数与加速比表"),
	    id);
}

/* --- other sections ------------------------------------------------------- */

/* The table of metrics such as MFU, if results have any. */
static void
put_metrics(const struct html_page *pg)
{
	struct metric_list l = { .n = 0 };
	char text[UNITS_TEXT_SIZE];
	struct table t = TABLE_INIT;

	for (struct panel_point x = { NULL }; panel_next_of_set(pg->set, &x);)
		metric_list_add(&l, x.c);
	if (l.n == 0)
		return;
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
	page_section(pg, "metrics", page_words(pg, "Metrics", "其他指标"));
	page_metrics_table(pg, &t, &l, "table-metrics");
	fputs("</section>\n", pg->f);
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

/* The source files, the machine and software that they state, and the excluded
 * logs with the reasons. */
static void
put_sources(const struct html_page *pg, struct table *environment)
{
	const char *comma = message(MESSAGE_COMMA, pg->lang);
	const char *head =
	    page_words(pg, "What it was measured on", "测量环境");
	const struct result_file *s = NULL;
	struct table t = TABLE_INIT;

	table_column(&t, message(MESSAGE_SOURCE, pg->lang), NULL, TABLE_LEFT);
	table_column(&t, page_words(pg, "log", "日志文件"), NULL, TABLE_LEFT);
	table_column(&t, page_words(pg, "reason", "原因"), NULL, TABLE_LEFT);
	table_column(&t, page_words(pg, "what would include it", "如何纳入"),
	    NULL, TABLE_LEFT);
	page_section(pg, "sources", head);
	fputs("<ul class=\"files\">\n", pg->f);
	while ((s = series_next_source(pg->set, s)) != NULL) {
		const struct result *r = &s->result;

		page_put(pg, "<li>{File|文件} @", s->path);
		if (r->tool_name != NULL)
			page_put(pg, "^{by @|由 @ 生成}^{logs|日志}: *^^: *",
			    comma,
			    arena_printf(pg->a, "%s %s", r->tool_name,
				r->tool_version != NULL ? r->tool_version : ""),
			    comma, (long)r->n_inputs, comma,
			    message(MESSAGE_EXCLUDED, pg->lang),
			    (long)r->n_excluded);
		for (size_t i = 0; i < s->n_origins; i++)
			page_put(pg, "^^: @", comma,
			    message(MESSAGE_PUBLISHED, pg->lang),
			    s->origins[i]);
		fputs("</li>\n", pg->f);
		for (size_t k = 0; k < r->n_excluded; k++) {
			const struct result_excluded *x = &r->excluded[k];

			table_row(&t);
			table_cell(&t, s->name);
			table_cell(&t, x->path);
			table_cell(&t, remark_word(x->reason, pg->lang));
			table_cell(&t, excluded_text(x, pg->lang, &t.arena));
		}
	}
	fputs("</ul>\n", pg->f);
	if (environment->n_rows > 0)
		page_table(pg, environment, head, NULL);
	fputs("</section>\n", pg->f);
	if (t.n_rows > 0) {
		head = page_words(pg, "Excluded logs", "被排除的日志");
		page_section(pg, "excluded", head);
		page_table(pg, &t, head, "table-excluded");
		fputs("</section>\n", pg->f);
	}
	table_release(&t);
}

/* --- predictions ---------------------------------------------------------- */

/* A measured speed as in other tables: two decimals, at least five digits. */
static const char *
measured_speed(struct arena *a, double x)
{
	const int decimals = significant_decimals(x, SPEED_DIGITS);

	return arena_printf(a, "%.*f", decimals > 2 ? decimals : 2, x);
}

/* A row of a predicted series. Measured cases have no interval. */
static void
put_predicted(
    struct table *t, const struct prediction_case *c, const char *link)
{
	struct arena *a = &t->arena;
	char text[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];
	const char *linked[] = { "", "", "", "" };

	if (isfinite(c->speed))
		linked[0] = c->measured
		    ? measured_speed(a, c->speed)
		    : arena_strdup(
			  a, number_format(text, c->speed, SPEED_DIGITS));
	if (isfinite(c->first.low) && isfinite(c->first.high))
		linked[1] = arena_printf(a, "[%s, %s]",
		    number_format(text, c->first.low, SPEED_DIGITS),
		    number_format(high, c->first.high, SPEED_DIGITS));
	if (isfinite(c->speedup))
		linked[2] = number_format(text, c->speedup, RATIO_DIGITS);
	if (isfinite(c->efficiency))
		linked[3] = arena_printf(a, "%.1f", 100 * c->efficiency);
	table_row(t);
	table_cell(t, c->name);
	table_cellf(t, c->gpus >= 0 ? "%ld" : "", c->gpus);
	for (int i = 0; i < 4; i++) {
		table_cell(t, linked[i]);
		if (linked[i][0] != '\0')
			table_link(t, link);
	}
	table_cellf(t, "%s%s", c->how != NULL ? c->how : "",
	    c->forced ? ", forced" : "");
	table_cell(t, c->warnings);
}

/* The table of a predicted series, its measured cases and its notes. */
static void
put_prediction(const struct html_page *pg, const struct prediction_series *s,
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
	struct table t = TABLE_INIT;

	/* "80 % interval", from the first case with a level; ranges have
	 * none. */
	for (size_t i = s->n_cases; i-- > 0;)
		if (isfinite(s->cases[i].first.level))
			interval = page_words(pg, "@ interval", "@ 区间",
			    arena_printf(
				pg->a, "%g %%", 100 * s->cases[i].first.level));
	page_put(pg, "<p><strong>@</strong></p>\n", title);
	table_column(&t, message(MESSAGE_CASE, lang), NULL, TABLE_LEFT);
	table_column(&t, message(pg->set->devices, lang), NULL, TABLE_RIGHT);
	table_column(&t, message(speed, lang), s->unit, TABLE_DECIMAL);
	table_column(&t, interval, s->unit, TABLE_INTERVAL);
	table_column(&t, message(MESSAGE_SPEEDUP, lang), NULL, TABLE_DECIMAL);
	table_column(&t, message(MESSAGE_EFFICIENCY, lang), "%", TABLE_DECIMAL);
	table_column(&t, page_words(pg, "how", "方式"), NULL, TABLE_LEFT);
	table_column(&t, page_words(pg, "warnings", "警告"), NULL, TABLE_LEFT);
	for (size_t i = 0; i < s->n_cases; i++)
		put_predicted(&t, &s->cases[i], link);
	page_table(pg, &t, page_words(pg, "Predictions", "预测"),
	    arena_printf(pg->a, "predicted-%zu", number));
	page_put(pg,
	    "<details id=\"^\">\n<summary>{Sources of the prediction: @|"
	    "预测依据：@}</summary>\n<p>{From @, by predict_scaling, of these "
	    "measured cases:|来自 @，由 predict_scaling 依据下列实测规模得出："
	    "}</p>\n<ul>\n",
	    link + 1, title, s->path);
	for (size_t i = 0; i < s->n_cases; i++)
		if (s->cases[i].measured)
			page_put(pg, "<li>@: ^ @</li>\n", s->cases[i].name,
			    measured_speed(pg->a, s->cases[i].speed), s->unit);
	fputs("</ul>\n", pg->f);
	for (size_t i = 0; i < s->n_notes; i++)
		page_put(pg, "<p>@</p>\n", s->notes[i]);
	fputs("</details>\n", pg->f);
}

/* --- the page ------------------------------------------------------------- */

static void
put_body(const struct html_page *pg, struct table *environment)
{
	const struct panel_list *panels = pg->panels;
	const struct predictions *predictions = pg->how->predictions;
	size_t n_doubts;
	char *doubts = page_doubts(pg, &n_doubts);

	page_lead(pg, n_doubts);
	for (size_t i = 0; i < panels->n; i++) {
		const struct panel *p = &panels->items[i];
		const char *title = panel_title(pg->set, p, 0, pg->lang);

		page_put(pg, "<section>\n<h2 id=\"panel-*\">@</h2>\n", (long)i,
		    title[0] != '\0' && panels->n > 1
			? title
			: page_words(pg, "Results", "结果"));
		page_charts(pg, p,
		    panels->n == 1 && p->n <= PAGE_LEAD_LINES
			? PAGE_CHARTS_OTHERS
			: PAGE_CHARTS_ALL);
		put_table(pg, p, arena_printf(pg->a, "table-%zu", i));
		page_all_details(pg, p);
		fputs("</section>\n", pg->f);
	}
	put_metrics(pg);
	put_tables(pg, phases_make,
	    page_words(pg, "Phases of a step", "单步各阶段"), "phases");
	put_tables(pg, collectives_make,
	    page_words(pg, "Collectives", "集合通信"), "collectives");
	if (predictions != NULL && predictions->n > 0) {
		page_section(
		    pg, "predictions", page_words(pg, "Predictions", "预测"));
		page_put(pg,
		    "<p>{Cases that were not run, each with an interval, and "
		    "the measured cases, unchanged.|未运行的规模，各附区间；"
		    "已测的规模照原值列出。}</p>\n");
		for (size_t i = 0; i < predictions->n; i++)
			put_prediction(pg, &predictions->items[i], i);
		fputs("</section>\n", pg->f);
	}
	fputs(doubts, pg->f);
	free(doubts);
	put_sources(pg, environment);
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
	rc = environment_of_set(set, how, &environment, e);
	environment.title = NULL; /* the section has a head */
	l = panel_split(set, PANEL_KEYS | SERIES_BIT(SERIES_UNIT));
	links = case_links_of(&l, &set->arena);
	linked.links = &links;
	all = panel_of_all(set, &set->arena);
	title = panel_title(set, &all, 0, how->lang);
	if (title[0] == '\0')
		title = page_words(&pg, "Training throughput", "训练吞吐量");
	if (rc == 0)
		rc = page_begin(&pg, title, e);
	if (rc == 0) {
		put_body(&pg, &environment);
		page_end(&pg);
	}
	table_release(&environment);
	return rc;
}
