/* The page of a history: what changed in sentences, a chart for each trend with
 * its levels and changes, and the table. */
#include <config.h>

#include "report/history/history.h"

#include <math.h>
#include <string.h>

#include "common/utf8.h"
#include "plots/style/svg.h"
#include "report/page/page_parts.h"
#include "report/parts/columns.h"

enum {
	WIDTH = 900, /* in SVG units */
	HEIGHT = 260,
	LEFT = 90,
	RIGHT = 16,
	TOP = 26, /* with room for the labels of changes */
	BOTTOM = 34,
	X_LABELS = 6,
	Y_LABELS = 6,
	LETTER = 9, /* width of one of a label, about */
	MAX_SENTENCES = 6,
	MAX_CHARTS = 24
};

/* Series of the charts, which have a colour and a shape each: a circle, a
 * square, a triangle. */
enum { POINT_SAME, POINT_SLOWER, POINT_FASTER, N_POINT_KINDS };

/* The share of a change with its sign: "-6.0 %". */
static const char *
change_share(struct arena *a, const struct trend_change *c)
{
	return arena_printf(
	    a, "%+.*f %%", history_change_decimals(c), 100 * (c->ratio - 1));
}

/* How many cases are slower or faster at their end than at their start, by
 * proven changes, and each change as a sentence. */
static void
put_finding(const struct html_page *pg, struct trend_set *set)
{
	long n_slower = 0, n_faster = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct trend *t = &set->items[i];
		double ratio = 1;

		for (size_t k = 0; k < t->n_changes; k++)
			if (t->changes[k].proven)
				ratio *= t->changes[k].ratio;
		n_slower += ratio < 1;
		n_faster += ratio > 1;
	}
	if (set->n > 1)
		page_put(pg,
		    n_slower + n_faster == 0
			? "<p>{No change is proven in # cases.|# 个规模中没有"
			  "变化得到证实。}</p>\n"
			: "<p>{Of # cases # are slower now than at the start, "
			  "and # faster, by proven changes.|# 个规模中，经证实"
			  "的变化使 # 个比开始时慢，# 个更快。}</p>\n",
		    (long)set->n, n_slower, n_faster);
	fputs("<ul>\n", pg->f);
	for (size_t i = 0; i < set->n_findings; i++) {
		if (i == MAX_SENTENCES)
			page_put(pg,
			    "</ul>\n<details><summary>{more cases|其他规模}"
			    "</summary>\n<ul>\n");
		page_put(pg, "<li>@</li>\n",
		    history_sentence(set, &set->findings[i], pg->lang));
	}
	fputs(set->n_findings > MAX_SENTENCES ? "</ul></details>\n" : "</ul>\n",
	    pg->f);
}

/* --- the charts ----------------------------------------------------------- */

/* The levels between proven changes as lines, at the means of their points,
 * and the changes above their first points, unless a label would touch the one
 * before it. */
static void
put_levels(const struct html_page *pg, const struct svg_plot *plot,
    const struct trend *t)
{
	double label_end = 0;

	for (size_t from = 0, end; from < t->n_points; from = end) {
		const struct trend_change *c = t->points[from].change;
		double sum = 0;

		for (end = from; end < t->n_points; end++) {
			const struct trend_change *o = t->points[end].change;

			if (end > from && o != NULL && o->proven)
				break;
			sum += t->points[end].c.median_speed;
		}
		if (c != NULL && c->proven) {
			const char *text =
			    arena_printf(pg->a, "%s %s", change_share(pg->a, c),
				trend_point_name(pg->a, t->points[from].row));
			const double width =
			    LETTER * (double)utf8_columns(text);
			const double left = fmax(LEFT,
			    fmin(svg_x(plot, (double)from),
				WIDTH - RIGHT - width));

			if (left >= label_end) {
				label_end = left + width + LETTER;
				page_put(pg,
				    "<text class=\"change\" x=\"~\" y=\"*\">^"
				    "</text>\n",
				    left, (long)TOP - 8, text);
			}
		}
		sum /= (double)(end - from);
		svg_ideal(
		    plot, (double)from - 0.4, sum, (double)end - 0.6, sum);
	}
}

/* The points, whose tooltips have every change. */
static void
put_points(const struct html_page *pg, const struct svg_plot *plot,
    const struct trend *t)
{
	const char *comma = message(MESSAGE_COMMA, pg->lang);

	for (size_t k = 0; k < t->n_points; k++) {
		const struct trend_point *p = &t->points[k];
		const struct history_metadata *at = &p->row->metadata;
		const struct trend_change *c = p->change;
		const struct page_mark m = {
			.series = c == NULL || !c->proven ? POINT_SAME
			    : c->ratio < 1                ? POINT_SLOWER
							  : POINT_FASTER,
			.x = (double)k,
			.y = p->c.median_speed,
			.low = p->c.median_low,
			.high = p->c.median_high,
			.lines = { arena_join(pg->a,
				       arena_join(
					   pg->a, at->date, comma, at->commit),
				       comma, at->host),
			    arena_printf(pg->a, "%s %s %s",
				text_of_value(pg->a, pg->how, &t->own[k],
				    p->c.median_speed),
				t->c->unit != NULL ? t->c->unit : "",
				isfinite(p->c.median_low)
				    ? text_of_interval(pg->a, pg->how,
					  &t->own[k], p->c.median_low,
					  p->c.median_high, 0)
				    : ""),
			    arena_printf(pg->a, "%s: %ld",
				message(MESSAGE_RUNS, pg->lang), p->c.n),
			    c == NULL ? NULL
				      : arena_printf(pg->a, "%s %s",
					    message(MESSAGE_CHANGE, pg->lang),
					    change_share(pg->a, c)),
			    p->n_doubtful == 0
				? NULL
				: page_words(pg, "runs in doubt: @",
				      "存疑的运行：@",
				      arena_printf(
					  pg->a, "%zu", p->n_doubtful)) },
		};

		page_mark(pg, plot, &m);
	}
}

static void
put_chart(
    const struct html_page *pg, struct trend_set *set, const struct trend *t)
{
	const size_t step = (t->n_points + X_LABELS - 1) / X_LABELS;
	struct svg_plot plot = { .out = pg->f,
		.left = LEFT,
		.right = WIDTH - RIGHT,
		.top = TOP,
		.bottom = HEIGHT - BOTTOM };
	double low = INFINITY, high = -INFINITY;

	for (size_t k = 0; k < t->n_points; k++) {
		const struct result_case *c = &t->points[k].c;

		low = fmin(low, fmin(c->median_speed, c->median_low));
		high = fmax(high, fmax(c->median_speed, c->median_high));
	}
	axis_span(low, high, Y_LABELS, &plot.y);
	plot.x.low = -0.5;
	plot.x.high = (double)t->n_points - 0.5;
	for (size_t k = 0; k < t->n_points; k += step) {
		struct axis_tick *tick = &plot.x.ticks[plot.x.n++];
		struct strbuf name = STRBUF_INIT(AXIS_LABEL_SIZE);

		tick->at = (double)k;
		svg_add_text(&name, trend_point_name(pg->a, t->points[k].row));
		if (name.len < AXIS_LABEL_SIZE)
			memcpy(tick->label, name.buf, name.len + 1);
		strbuf_release(&name);
	}
	page_figure(pg, &plot, history_trend_name(set, t, pg->lang), t->c->unit,
	    history_sentence(set,
		&(struct trend_finding){
		    t, t->n_changes > 0 ? t->changes : NULL },
		pg->lang),
	    WIDTH, HEIGHT);
	put_levels(pg, &plot, t);
	put_points(pg, &plot, t);
	fputs("</svg>\n</figure>\n", pg->f);
}

int
history_page_write(struct trend_set *set, const struct report_how *how, FILE *f,
    struct error *e)
{
	const struct html_page pg = { f, how->lang, &set->arena, &set->series,
		NULL, how };
	const char *const names[N_POINT_KINDS] = {
		page_words(&pg, "median of the runs", "各次运行的中位数"),
		page_words(&pg, "slower from here on", "此后更慢"),
		page_words(&pg, "faster from here on", "此后更快"),
	};
	const char *head = page_words(&pg, "All points", "各点");
	struct table t = TABLE_INIT;

	if (page_begin(&pg,
		page_words(&pg, "Speeds over time", "速度随时间的变化"),
		e) != 0)
		return -1;
	page_put(&pg, PAGE_LEAD);
	put_finding(&pg, set);
	fputs("<div class=\"charts wide\">\n", f);
	page_key(&pg, names, N_POINT_KINDS);
	for (size_t i = 0; i < set->n && i < MAX_CHARTS; i++)
		put_chart(&pg, set, &set->items[i]);
	fputs("</div>\n", f);
	if (set->n > MAX_CHARTS)
		page_put(&pg,
		    "<p>{Charts of the first # of # cases; others are chosen "
		    "by --select=KEY=VALUE.|仅画出前 # 个规模（共 # 个）；其余"
		    "可用 --select=KEY=VALUE 选择。}</p>\n",
		    (long)MAX_CHARTS, (long)set->n);
	fputs("</section>\n", f);
	history_table_make(set, how, &t);
	page_section(&pg, "points", head);
	page_table(&pg, &t, head, "history");
	fputs("</section>\n", f);
	page_end(&pg);
	return 0;
}
