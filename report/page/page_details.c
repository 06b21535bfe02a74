/* Details of a number: runs with files and lines, the window, and how median,
 * interval and speedup are computed from them. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "common/result/case_text.h"
#include "common/result/result.h"
#include "common/result/work_rate.h"
#include "common/texts/remark.h"
#include "common/units/units.h"
#include "report/page/page_parts.h"
#include "report/parts/cell.h"
#include "report/parts/columns.h"

enum {
	DIGITS = 5,
	MAX_OPEN_DETAILS = 12 /* cases; more are folded together */
};

static const char *
ratio_text(const struct html_page *pg, double x)
{
	return arena_printf(pg->a, "%.*g", DIGITS, x);
}

/* --- sentences ------------------------------------------------------------ */

/* How a run's value is computed from its steps, the window, the iterations of
 * each run that are excluded, and the median of the runs. */
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

/* "Speedup 7.48: 0.359, the median of 1n1g, over 0.384, times 8, ...": times
 * the other way round, and with the work of a step where that grows. */
static void
put_speedup(const struct html_page *pg, const struct series *s,
    const struct series_point *p)
{
	const struct result_case *c = p->c;
	const struct series_point *base = series_baseline(s, c);
	const char *speedup = ratio_text(pg, c->speedup);
	const char *low = ratio_text(pg, c->speedup_low);
	const char *high = ratio_text(pg, c->speedup_high);
	const char *own, *other;
	struct work_scale scale;

	if (!isfinite(c->speedup) || base == NULL || base == p)
		return;
	own = text_of_value(pg->a, pg->how, p, c->median_speed);
	other = text_of_value(pg->a, pg->how, base, base->c->median_speed);
	if (work_kind_is_time(work_kind_of(c->unit)))
		page_put(pg,
		    "<p>{Speedup @: @, the median of @, over @|加速比 @：@（@ "
		    "的中位数）除以 @}",
		    speedup, other, c->baseline, own);
	else
		page_put(pg,
		    "<p>{Speedup @: @ over @, the median of @|加速比 @：@ 除以 "
		    "@，即 @ 的中位数}",
		    speedup, own, other, c->baseline);
	if (work_scale_of(c, base->c,
		result_rule_is_strong(&p->source->result.rule), &scale) &&
	    fabs(scale.own / scale.base - 1) > 1e-9)
		page_put(pg,
		    "{, times @, the ratio of the work of a step|，再乘以每步"
		    "工作量之比 @}",
		    ratio_text(pg, scale.own / scale.base));
	if (isfinite(c->speedup_low) && !isfinite(c->speedup_level))
		page_put(pg,
		    "{; in [@, @] by the rounding of what the logs print|；按"
		    "日志所印数字的舍入在 [@, @] 内}",
		    low, high);
	else if (isfinite(c->speedup_low))
		page_put(pg,
		    "{; in [@, @] with @ confidence (quotients of all pairs of "
		    "runs, exact)|；在 [@, @] 内，置信水平 @（所有运行对之比，"
		    "精确）}",
		    low, high, page_percent(pg, c->speedup_level));
	page_put(pg, "{. Compared with: |。 比较对象：}$@</a></p>\n", base->c,
	    page_case_name(pg, s, base->c));
	if (isfinite(c->efficiency) && c->efficiency > 0)
		page_put(pg,
		    "<p>{Efficiency @ %: speedup @ over @, the ratio of device "
		    "counts.|并行效率 @ %：加速比 @ 除以设备数之比 @。}</p>\n",
		    ratio_text(pg, 100 * c->efficiency), speedup,
		    ratio_text(pg, c->speedup / c->efficiency));
}

/* --- runs ----------------------------------------------------------------- */

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

/* The runs: values, iterations and lines, metrics with their sources. */
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
	const char *list = NULL;

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
		    file->lines != NULL ? file->lines[p->index] : 0L);
	put_speedup(pg, x->s, p);
	/* "model from path, batch_size_per_device from log line 7". */
	for (size_t i = 0; c->n_runs > 0 && i < c->runs[0].n_sources; i++) {
		const struct result_pair *y = &c->runs[0].sources[i];

		if (y->value != NULL) /* NULL in results of other programs */
			list = arena_join(pg->a, list,
			    message(MESSAGE_COMMA, pg->lang),
			    page_words(
				pg, "@ from @", "@：@", y->key, y->value));
	}
	if (list != NULL)
		page_put(pg,
		    "<p>{Metadata of the first run: @.|首次运行的元数据来源："
		    "@。}</p>\n",
		    list);
	if (c->n_runs > 0)
		put_runs(pg, p);
	fputs("</details>\n", pg->f);
}

void
page_all_details(const struct html_page *pg, const struct panel *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += p->s[i]->n_points;
	page_put(pg,
	    n > MAX_OPEN_DETAILS
		? "<details class=\"origins\"><summary>" PAGE_ORIGINS
		  " (*)</summary>\n"
		: "<div class=\"origins\"><h3>" PAGE_ORIGINS "</h3>\n",
	    (long)n);
	for (struct panel_point x = { NULL }; panel_next(p, &x);)
		put_case(pg, &x);
	fputs(n > MAX_OPEN_DETAILS ? "</details>\n" : "</div>\n", pg->f);
}
