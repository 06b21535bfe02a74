/* The page of a comparison of two results: the verdict in one sentence, the
 * ratios as a chart, the tables, and the runs of each number. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/series/result_comparison.h"
#include "common/utf8.h"
#include "plots/style/svg.h"
#include "report/page/page_parts.h"
#include "report/tables/report.h"

enum {
	WIDTH = 900, /* in SVG units */
	NAMES = 330, /* of these for the names */
	NAME_COLUMNS = 34,
	ROW = 26,
	MARGIN = 12,
	TICKS = 24, /* height of the numbers of the axis */
	MAX_DRAWN = 40,
	MAX_LABELS = 8
};

/* Series of the chart, which have a colour and a shape each: a circle, a
 * square, a triangle. */
enum { DRAWN_UNPROVEN, DRAWN_SLOWER, DRAWN_FASTER, N_DRAWN };

/* "PyTorch, 1n2g" */
static const char *
row_name(const struct html_page *pg, const struct comparison_row *row)
{
	const char *group = compare_row_group(pg->set, row, pg->lang);
	const char *name =
	    series_case_name(pg->a, compare_row_case(row), pg->lang);

	return group[0] == '\0'
	    ? name
	    : arena_join(pg->a, group, message(MESSAGE_COMMA, pg->lang), name);
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

/* --- the verdict ---------------------------------------------------------- */

static int
drawn_of(const struct comparison_row *row)
{
	return row->verdict == COMPARISON_SLOWER ? DRAWN_SLOWER
	    : row->verdict == COMPARISON_FASTER  ? DRAWN_FASTER
						 : DRAWN_UNPROVEN;
}

/* The verdict as a sentence, "slower in 2 of 24 cases, most in PyTorch, 1n2g:
 * 0.94 [0.93, 0.95]", and the numbers of cases, "cases: 24 · not proven: 20 ·
 * equivalent: 18 · only in old: 1". */
static void
put_verdict(const struct html_page *pg, const struct comparison *c)
{
	static const char *const words[N_DRAWN] = { "", "{slower|更慢}",
		"{faster|更快}" };
	const char *old = c->files[0]->name, *new = c->files[1]->name;
	const long n_both = (long)c->n_both;
	const struct comparison_row *most[N_DRAWN] = { NULL };
	long n[N_DRAWN] = { 0 }, n_equivalent = 0, alone[2] = { 0 };
	long flagged = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];
		const int of = drawn_of(row);

		alone[0] += row->after == NULL;
		alone[1] += row->before == NULL;
		flagged += (row->before != NULL &&
			       case_is_doubtful(row->before->c, 0)) ||
		    (row->after != NULL && case_is_doubtful(row->after->c, 0));
		if (row->before == NULL || row->after == NULL)
			continue;
		n[of]++;
		n_equivalent += row->is_equivalent != 0;
		if (most[of] == NULL ||
		    fabs(log(row->ratio)) > fabs(log(most[of]->ratio)))
			most[of] = row;
	}
	if (n[DRAWN_SLOWER] + n[DRAWN_FASTER] > 0)
		page_put(pg,
		    "<p>{Compared with @, @ is proven to be |与 @ 相比，@ "
		    "经证实}",
		    old, new);
	else if (n_equivalent == n_both)
		page_put(pg,
		    "<p>{@ is as fast as @, within --delta, in # of # cases|@ "
		    "与 @ 速度相当（在 --delta 之内）：# 个规模，共 # 个}",
		    new, old, n_both, n_both);
	else
		page_put(pg,
		    "<p>{No case of # is proven to differ between @ and @|# "
		    "个规模中，没有一个被证实在 @ 与 @ 之间有差异}",
		    n_both, old, new);
	for (int of = DRAWN_SLOWER; of <= DRAWN_FASTER; of++) {
		if (n[of] == 0)
			continue;
		if (of == DRAWN_FASTER && n[DRAWN_SLOWER] > 0)
			page_put(pg, "{, and |，}");
		page_put(pg, words[of]);
		page_put(pg,
		    n_both > 1
			? "{ in # of # cases, most in |的规模有 # 个（共 "
			  "# 个），最甚者为 }"
			: "{: |：}",
		    n[of], n_both);
		page_put(pg, "$@</a> (<strong>^</strong>)",
		    compare_row_case(most[of]), row_name(pg, most[of]),
		    ratio_text(
			pg, most[of]->ratio, most[of]->low, most[of]->high));
	}
	page_put(pg, "{.|。}");
	if (n_both > 1)
		page_put(pg,
		    "{ On average @ is @ times as fast.| @ 的平均速度为 @ "
		    "倍。}",
		    new, ratio_text(pg, c->mean, c->mean_low, c->mean_high));
	page_put(pg,
	    "</p>\n<p class=\"faint\">{cases compared|比较的规模}: * · "
	    "{not proven|未证实}: * · ^: *",
	    n_both, n[DRAWN_UNPROVEN], message(MESSAGE_EQUIVALENT, pg->lang),
	    n_equivalent);
	if (flagged > 0)
		page_put(pg, " · <a href=\"#compare\">{in doubt|存疑}: *</a>",
		    flagged);
	for (int i = 0; i < 2; i++)
		if (alone[i] > 0)
			page_put(pg, " · @: *",
			    text_fill(pg->a, message(MESSAGE_ONLY_IN, pg->lang),
				c->files[i]->name),
			    alone[i]);
	page_put(pg, " · {confidence|置信水平}: ^</p>\n",
	    page_percent(pg, c->confidence));
}

/* --- the chart ------------------------------------------------------------ */

static int
by_ratio(const void *pa, const void *pb)
{
	const struct comparison_row *a = *(
					const struct comparison_row *const *)pa,
				    *b = *(
					const struct comparison_row *const *)pb;

	if (a->ratio != b->ratio)
		return a->ratio < b->ratio ? -1 : 1;
	return (a > b) - (a < b);
}

/* The first columns of a name, with an ellipsis if it is longer. */
static const char *
short_name(const struct html_page *pg, const char *name)
{
	const size_t len = strlen(name);
	size_t end = 0, columns = 0;

	if (utf8_columns(name) <= NAME_COLUMNS)
		return name;
	while (end < len && columns < NAME_COLUMNS - 1) {
		uint32_t cp;
		const size_t size = utf8_decode(name + end, len - end, &cp);

		end += size > 0 ? size : 1;
		columns += (size_t)utf8_char_width(cp);
	}
	return arena_printf(pg->a, "%.*s…", (int)end, name);
}

/* Draw row i of the chart. */
static void
put_ratio(const struct html_page *pg, const struct svg_plot *plot,
    const struct comparison_row *row, size_t i)
{
	const char *name = row_name(pg, row);
	const char *semicolon = message(MESSAGE_SEMICOLON, pg->lang);
	const struct page_mark m = { .series = (size_t)drawn_of(row),
		.x = row->ratio,
		.y = (double)i + 0.5,
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
		    page_flags(pg, row->after->c) },
		.c = row->after->c };

	page_put(pg, "<text x=\"*\" y=\"~\" text-anchor=\"end\">^</text>\n",
	    (long)NAMES - MARGIN, svg_y(plot, m.y) + 6, short_name(pg, name));
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
		.left = NAMES,
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
	/* Slowest first. The ends are the most telling ones. */
	qsort(rows, n, sizeof(struct comparison_row *), by_ratio);
	drawn = n < MAX_DRAWN ? n : MAX_DRAWN;
	plot.bottom = MARGIN + (int)drawn * ROW;
	axis_ratio(low, high > low ? high : low * AXIS_LOG_MARGIN, MAX_LABELS,
	    &plot.x);
	plot.y.low = (double)drawn;
	if (drawn < n)
		page_put(pg,
		    "<p>{The chart shows the # slowest and # fastest of # "
		    "cases.|图中为最慢的 # 个与最快的 # 个规模，共 # 个。}"
		    "</p>\n",
		    (long)(drawn / 2), (long)(drawn - drawn / 2), (long)n);
	fputs("<div class=\"charts wide\">\n", pg->f);
	page_figure(pg, &plot,
	    page_words(pg, "speed of @ over @", "@ 与 @ 的速度之比",
		c->files[1]->name, c->files[0]->name),
	    NULL, page_words(pg, "The table has all ratios.", "各比值见下表。"),
	    WIDTH, plot.bottom + TICKS);
	page_put(pg, "<path class=\"ideal\" d=\"M~ *V*\"/>\n", svg_x(&plot, 1),
	    (long)plot.top, (long)plot.bottom);
	for (size_t i = 0; i < drawn; i++)
		put_ratio(
		    pg, &plot, rows[i < drawn / 2 ? i : n - drawn + i], i);
	fputs("</svg>\n</figure>\n", pg->f);
	page_key(pg, names, N_DRAWN, 0);
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
	for (size_t i = 0; i < tables->n; i++) {
		struct table *of = &tables->items[i];
		const char *id = i == 0
		    ? "compare"
		    : arena_printf(pg.a, "%s-%zu", of->name, i);
		const char *head = arena_strdup(pg.a,
		    i == 0 ? page_words(&pg, "Cases", "各规模")
			: of->title != NULL ? of->title
			: strcmp(of->name, "gate") == 0
			? message(MESSAGE_GATE, pg.lang)
			: of->name);

		if (of->n_rows == 0)
			continue;
		page_put(&pg, "<section>\n<h2 id=\"of-^\">@</h2>\n", id, head);
		page_table(&pg, of, head, id);
		fputs("</section>\n", f);
	}
	page_put(&pg, "<section>\n<h2 id=\"origins\">" PAGE_ORIGINS "</h2>\n");
	for (size_t i = 0; i < panels->n; i++)
		page_all_details(&pg, &panels->items[i]);
	fputs("</section>\n", f);
	page_end(&pg);
	return 0;
}
