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
#include "report/tables/report_makers.h"

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

static const struct result_case *
row_case(const struct comparison_row *row)
{
	return row->after != NULL ? row->after->c : row->before->c;
}

/* "PyTorch, 1n2g" */
static const char *
row_name(const struct html_page *pg, const struct comparison_row *row)
{
	const char *group = compare_row_group(pg->set, row, pg->lang);
	const char *name = series_case_name(pg->a, row_case(row), pg->lang);

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

/* The compared cases by verdict, and the most distant one of each. */
struct tally {
	size_t n[N_DRAWN], n_equivalent;
	const struct comparison_row *most[N_DRAWN];
};

static int
drawn_of(const struct comparison_row *row)
{
	return row->verdict == COMPARISON_SLOWER ? DRAWN_SLOWER
	    : row->verdict == COMPARISON_FASTER  ? DRAWN_FASTER
						 : DRAWN_UNPROVEN;
}

static struct tally
count_verdicts(const struct comparison *c)
{
	struct tally t = { { 0 }, 0, { NULL } };

	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];
		const int of = drawn_of(row);

		if (row->before == NULL || row->after == NULL)
			continue;
		t.n[of]++;
		t.n_equivalent += row->is_equivalent != 0;
		if (t.most[of] == NULL ||
		    fabs(log(row->ratio)) > fabs(log(t.most[of]->ratio)))
			t.most[of] = row;
	}
	return t;
}

/* "slower in 2 of 24 cases, most in PyTorch, 1n2g: 0.94 [0.93, 0.95]" */
static void
put_side(const struct html_page *pg, const struct comparison *c,
    const struct tally *t, int of, const char *en, const char *zh)
{
	const struct comparison_row *row = t->most[of];
	const long n = (long)t->n[of], n_both = (long)c->n_both;

	page_say(pg, en, zh);
	if (n_both > 1)
		page_say(pg, " in # of # cases, most in ",
		    "的规模有 # 个（共 # 个），最甚者为 ", n, n_both);
	else
		page_say(pg, ": ", "：");
	page_link(pg, row_case(row));
	page_put(pg, "@</a> (<strong>^</strong>)", row_name(pg, row),
	    ratio_text(pg, row->ratio, row->low, row->high));
}

static void
put_verdict(const struct html_page *pg, const struct comparison *c,
    const struct tally *t)
{
	const char *old = c->files[0]->name, *new = c->files[1]->name;
	const int slower = t->n[DRAWN_SLOWER] > 0;
	const int faster = t->n[DRAWN_FASTER] > 0;

	fputs("<p>", pg->f);
	if (!slower && !faster && t->n_equivalent == c->n_both)
		page_say(pg,
		    "@ is as fast as @, within --delta, in # of # cases",
		    "@ 与 @ 速度相当（在 --delta 之内）：# 个规模，共 # 个",
		    new, old, (long)c->n_both, (long)c->n_both);
	else if (!slower && !faster)
		page_say(pg, "No case of # is proven to differ between @ and @",
		    "# 个规模中，没有一个被证实在 @ 与 @ 之间有差异",
		    (long)c->n_both, old, new);
	else
		page_say(pg, "Compared with @, @ is proven to be ",
		    "与 @ 相比，@ 经证实", old, new);
	if (slower)
		put_side(pg, c, t, DRAWN_SLOWER, "slower", "更慢");
	if (slower && faster)
		page_say(pg, ", and ", "，");
	if (faster)
		put_side(pg, c, t, DRAWN_FASTER, "faster", "更快");
	fputs(pg->lang == LANGUAGE_ZH ? "。" : ".", pg->f);
	if (c->n_both > 1)
		page_say(pg, " On average @ is @ times as fast.",
		    " @ 的平均速度为 @ 倍。", new,
		    ratio_text(pg, c->mean, c->mean_low, c->mean_high));
	fputs("</p>\n", pg->f);
}

/* "cases: 24 · not proven: 20 · equivalent: 18 · only in old: 1" */
static void
put_counts(const struct html_page *pg, const struct comparison *c,
    const struct tally *t)
{
	size_t alone[2] = { 0, 0 }, flagged = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];

		alone[0] += row->after == NULL;
		alone[1] += row->before == NULL;
		flagged += (row->before != NULL &&
			       case_is_doubtful(row->before->c, 0)) ||
		    (row->after != NULL && case_is_doubtful(row->after->c, 0));
	}
	fprintf(pg->f, "<p class=\"faint\">%s: %zu · %s: %zu · %s: %zu",
	    page_words(pg, "cases compared", "比较的规模"), c->n_both,
	    page_words(pg, "not proven", "未证实"), t->n[DRAWN_UNPROVEN],
	    message(MESSAGE_EQUIVALENT, pg->lang), t->n_equivalent);
	if (flagged > 0)
		fprintf(pg->f, " · <a href=\"#compare\">%s: %zu</a>",
		    page_words(pg, "in doubt", "存疑"), flagged);
	for (int i = 0; i < 2; i++)
		if (alone[i] > 0)
			page_put(pg, " · @: ^",
			    text_fill(pg->a, message(MESSAGE_ONLY_IN, pg->lang),
				c->files[i]->name),
			    arena_printf(pg->a, "%zu", alone[i]));
	page_put(pg, " · ^: ^</p>\n", page_words(pg, "confidence", "置信水平"),
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

static void
put_ratio(const struct html_page *pg, const struct svg_plot *plot,
    const struct comparison_row *row, double y)
{
	const int of = drawn_of(row);
	const char *name = row_name(pg, row);
	const char *p = arena_printf(pg->a, "p = %.3g", row->p_holm);
	const struct page_marker m = { (size_t)of, svg_x(plot, row->ratio), y,
		{ name, ratio_text(pg, row->ratio, row->low, row->high),
		    arena_printf(pg->a, "%s → %s",
			page_value_text(pg, row->before),
			page_value_text(pg, row->after)),
		    arena_printf(pg->a, "%s%s%s%s%s: %zu, %zu",
			comparison_verdict_text(row, pg->lang),
			message(MESSAGE_SEMICOLON, pg->lang), p,
			message(MESSAGE_SEMICOLON, pg->lang),
			message(MESSAGE_RUNS, pg->lang), row->n_before,
			row->n_after),
		    page_flags(pg, row->after->c) },
		case_links_number(pg->how->links, row->after->c), NAN, NAN };

	page_put(pg, "<text x=\"^\" y=\"^\" text-anchor=\"end\">^</text>\n",
	    arena_printf(pg->a, "%d", NAMES - MARGIN),
	    arena_printf(pg->a, "%.1f", y + 6), short_name(pg, name));
	page_whisker(pg, (size_t)of, y, svg_x(plot, row->low),
	    svg_x(plot, row->high), 0);
	page_marker(pg, &m);
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
	plot.y.high = 1;
	if (drawn < n)
		page_sentence(pg,
		    "The chart shows the # slowest and # fastest of # cases.",
		    "图中为最慢的 # 个与最快的 # 个规模，共 # 个。",
		    (long)(drawn / 2), (long)(drawn - drawn / 2), (long)n);
	fputs("<div class=\"charts wide\">\n", pg->f);
	page_figure(pg,
	    text_fill(pg->a,
		page_words(pg, "speed of @ over @", "@ 与 @ 的速度之比"),
		c->files[1]->name, c->files[0]->name),
	    NULL, page_words(pg, "The table has all ratios.", "各比值见下表。"),
	    WIDTH, plot.bottom + TICKS);
	svg_grid(&plot);
	fprintf(pg->f, "<path class=\"ideal\" d=\"M%.1f %dV%d\"/>\n",
	    svg_x(&plot, 1), plot.top, plot.bottom);
	for (size_t i = 0; i < drawn; i++) {
		const size_t k = i < drawn / 2 ? i : n - drawn + i;

		put_ratio(
		    pg, &plot, rows[k], plot.top + ROW * ((double)i + 0.5));
	}
	page_figure_end(pg);
	page_key(pg, names, N_DRAWN, 0);
	fputs("</div>\n", pg->f);
}

int
page_compare_write(struct series_set *set, const struct report_how *how,
    const struct panel_list *panels, const struct report_tables *tables,
    FILE *f, struct error *e)
{
	const struct comparison *c = how->comparison;
	const struct html_page pg = { f, how->lang, &set->arena, set, panels,
		how, set->differing };
	const struct tally t = count_verdicts(c);
	const char *title = text_fill(pg.a,
	    page_words(&pg, "@ compared with @", "@ 与 @ 的比较"),
	    c->files[1]->name, c->files[0]->name);

	if (page_begin(&pg, title, e) != 0)
		return -1;
	fprintf(f, "<section class=\"lead\" aria-label=\"%s\">\n",
	    page_words(&pg, "Summary", "摘要"));
	put_verdict(&pg, c, &t);
	put_counts(&pg, c, &t);
	put_chart(&pg, c);
	fputs("</section>\n", f);
	for (size_t i = 0; i < tables->n; i++) {
		const struct table *of = &tables->items[i];
		const char *id = i == 0
		    ? "compare"
		    : arena_printf(pg.a, "%s-%zu", of->name, i);
		const char *head = i == 0 ? page_words(&pg, "Cases", "各规模")
		    : of->title != NULL   ? of->title
		    : strcmp(of->name, "gate") == 0
		    ? message(MESSAGE_GATE, pg.lang)
		    : of->name;

		if (of->n_rows == 0)
			continue;
		page_put(&pg, "<section>\n<h2 id=\"^\">@</h2>\n",
		    arena_printf(pg.a, "of-%s", id), head);
		page_table(&pg, of, head, id);
		fputs("</section>\n", f);
	}
	page_put(&pg, "<section>\n<h2 id=\"origins\">^</h2>\n",
	    page_words(&pg, "Where the numbers come from", "数据出处"));
	for (size_t i = 0; i < panels->n; i++)
		page_all_details(&pg, &panels->items[i]);
	fputs("</section>\n", f);
	page_end(&pg);
	return 0;
}
