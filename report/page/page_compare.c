/* The page of a comparison of two results: the verdict in one sentence, the
 * ratios as a chart, the tables, and the runs of each number. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/series/result_comparison.h"
#include "report/page/page_parts.h"
#include "report/tables/report.h"

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

/* --- the chart ------------------------------------------------------------ */

static int
by_ratio(const void *pa, const void *pb)
{
	const struct comparison_row *const *a = pa, *const *b = pb;

	if ((*a)->ratio != (*b)->ratio)
		return (*a)->ratio < (*b)->ratio ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

/* Draw a row of the chart, whose middle is at y. */
static void
put_ratio(const struct html_page *pg, const struct svg_plot *plot,
    const struct comparison_row *row, double y)
{
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
			comparison_verdict_text(row, pg->lang), semicolon,
			row->p_holm, semicolon, message(MESSAGE_RUNS, pg->lang),
			row->n_before, row->n_after),
		    case_doubts_text(row->after->c, 0, NULL, pg->lang, pg->a) },
		.c = row->after->c };

	page_put(pg, "<text x=\"*\" y=\"~\">^</text>\n", (long)MARGIN,
	    svg_y(plot, y) - 10, name);
	page_mark(pg, plot, &m);
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
	for (size_t i = 0; i < drawn; i++)
		put_ratio(pg, &plot, rows[i], (double)i + 0.75);
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
