/* The first screen of the page: the finding in one sentence, what was measured,
 * the series by rank, and one chart. Also the section of doubts, to which it
 * links, and the charts: inline SVG with colours from page.css and interaction
 * from page.js. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/hash_index.h"
#include "common/result/case_text.h"
#include "common/result/work_rate.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/page/page_parts.h"
#include "report/parts/columns.h"

enum {
	WIDTH = 560, /* in SVG units */
	HEIGHT = 340,
	LEFT = 82,
	RIGHT = 16,
	TOP = 14,
	BOTTOM = 54,
	N_COLOURS = 8,
	ROOM = 40,       /* letters along the axis of devices */
	MAX_LABELS = 10, /* of the y axis */
	LEAST_SPAN = 50, /* %; if all are above it, the axis is cut off */
	MAX_PERCENTS = 7,
	MAX_ALTERNATIVE = 1 << 20, /* bytes of a picture's text */
	MAX_RANKED = 10,           /* rows; all are in the table of the panel */
	MAX_NAMED = 8              /* cases listed for a doubt */
};

/* Share of the median beyond which an interval's end makes it doubtful. */
static const double wide = 0.05;

/* The series of a panel, ranked at the device count that most of them have. */
struct ranking {
	const struct panel *panel;
	struct ranked_series {
		size_t i; /* in the panel */
		const struct series_point *p;
		double speed; /* for times, their reciprocal */
	} * items;            /* fastest first */
	size_t n;
	long gpus;   /* or RESULT_UNKNOWN */
	size_t best; /* item with the highest efficiency; n: none has one */
};

static int
compare_counts(const void *pa, const void *pb)
{
	const long a = *(const long *)pa, b = *(const long *)pb;

	return (a > b) - (a < b);
}

/* The number of devices at which most series have a speed; if there are
 * several such numbers, the largest. */
static long
common_count(const struct panel *p, struct arena *a)
{
	long *counts = NULL, best = RESULT_UNKNOWN;
	size_t n = 0, most = 0;
	const struct series *last = NULL;

	for (struct panel_point x = { NULL }; panel_next(p, &x);) {
		/* The points of a series are in ascending order of devices. */
		if (!isfinite(x.c->median_speed) ||
		    (x.s == last && counts[n - 1] == x.c->gpus))
			continue;
		last = x.s;
		counts = arena_grow(a, counts, n, sizeof *counts);
		counts[n++] = x.c->gpus;
	}
	if (n > 1)
		qsort(counts, n, sizeof *counts, compare_counts);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && counts[end] == counts[i];)
			end++;
		if (end - i >= most) {
			most = end - i;
			best = counts[i];
		}
	}
	return best;
}

static int
compare_ranked(const void *pa, const void *pb)
{
	const struct ranked_series *a = pa, *b = pb;

	if (a->speed != b->speed)
		return a->speed > b->speed ? -1 : 1;
	return (a->i > b->i) - (a->i < b->i);
}

static struct ranking
rank_series(const struct panel *p, struct arena *a)
{
	const int is_time =
	    work_kind_is_time(work_kind_of(p->s[0]->points[0].c->unit));
	struct ranking r = { .panel = p,
		.items = arena_calloc(a, p->n, sizeof *r.items),
		.gpus = common_count(p, a) };
	double most = -INFINITY;

	for (struct panel_point x = { NULL }; panel_next(p, &x);) {
		const double value = x.c->median_speed;
		const struct ranked_series own = { x.i, x.p,
			is_time ? 1 / value : value };
		struct ranked_series *last = r.n > 0 ? &r.items[r.n - 1] : NULL;

		if (x.c->gpus != r.gpus || !isfinite(own.speed))
			continue;
		if (last == NULL || last->i != x.i)
			r.items[r.n++] = own;
		else if (own.speed > last->speed)
			*last = own;
	}
	qsort(r.items, r.n, sizeof *r.items, compare_ranked);
	r.best = r.n;
	for (size_t i = 0; i < r.n; i++) {
		const struct result_case *c = r.items[i].p->c;

		if (cell_is_baseline(c) || !(c->efficiency > most))
			continue;
		most = c->efficiency;
		r.best = i;
	}
	return r;
}

/* The panel, or its N_COLOURS fastest series in the order of the panel. */
static struct panel
fastest_series(const struct html_page *pg, const struct panel *p)
{
	const struct ranking r = rank_series(p, pg->a);
	struct panel top = *p;
	int *taken = arena_calloc(pg->a, p->n, sizeof *taken);

	if (p->n <= N_COLOURS)
		return top;
	for (size_t i = 0; i < r.n && i < N_COLOURS; i++)
		taken[r.items[i].i] = 1;
	top.s = arena_calloc(pg->a, N_COLOURS, sizeof *top.s);
	top.n = 0;
	for (size_t i = 0; i < p->n; i++)
		if (taken[i])
			top.s[top.n++] = p->s[i];
	return top;
}

/* --- charts --------------------------------------------------------------- */

enum page_chart { CHART_EFFICIENCY, CHART_THROUGHPUT, N_CHARTS };

/* A case that can be drawn. */
struct drawn_case {
	const struct series_point *p;
	double y, low, high; /* the last two NAN: no interval */
};

struct drawn_chart {
	const struct html_page *pg;
	const struct panel *p;
	enum page_chart kind;
	struct svg_plot plot;
	struct drawn_line {
		struct drawn_case *points; /* by devices */
		size_t n;
	} lines[N_COLOURS];
};

/* Find the points, and the axes over all of them. Returns 0 if no series is
 * drawn as a line. */
static int
find_lines(struct drawn_chart *x)
{
	struct axis *y = &x->plot.y;
	double low = INFINITY, high = 0; /* of y */
	long *counts = NULL;
	size_t n = 0, n_counts = 0, n_lines = 0;

	for (size_t i = 0; i < x->p->n; i++) {
		const struct series *s = x->p->s[i];
		struct drawn_line *l = &x->lines[i];

		l->points =
		    arena_calloc(x->pg->a, s->n_points, sizeof *l->points);
		for (size_t k = 0; k < s->n_points; k++) {
			const struct result_case *c = s->points[k].c;
			const double percent = 100 * c->efficiency / c->speedup;
			struct drawn_case q = { &s->points[k], c->median_speed,
				c->median_low, c->median_high };

			if (x->kind == CHART_EFFICIENCY)
				q = (struct drawn_case){ q.p,
					100 * c->efficiency,
					c->speedup_low * percent,
					c->speedup_high * percent };
			if (c->gpus <= 0 || !isfinite(q.y) || q.y <= 0)
				continue;
			l->points[l->n++] = q;
			counts =
			    arena_grow(x->pg->a, counts, n, sizeof *counts);
			counts[n++] = c->gpus;
			low = fmin(low, q.low > 0 ? q.low : q.y);
			high = fmax(high, fmax(q.y, q.high));
		}
		n_lines += l->n > 1 &&
		    l->points[0].p->c->gpus < l->points[l->n - 1].p->c->gpus;
	}
	if (n_lines == 0)
		return 0;
	qsort(counts, n, sizeof *counts, compare_counts);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || counts[i] != counts[n_counts - 1])
			counts[n_counts++] = counts[i];
	axis_counts(counts, n_counts, ROOM, 0, &x->plot.x);
	if (x->kind == CHART_THROUGHPUT)
		axis_amount(low, high, MAX_LABELS, y);
	else if (low >= LEAST_SPAN)
		axis_span(low, fmax(high, 100), MAX_PERCENTS, y);
	else
		axis_linear(fmax(high, 100), MAX_PERCENTS, y);
	return 1;
}

/* --- parts ---------------------------------------------------------------- */

/* Shapes of markers around (0, 0), one a series. */
static const char *const shape_paths[N_COLOURS] = {
	"M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z", /* circle */
	"M-4-4h8v8h-8z",                                /* square */
	"M0-5.5L5 4h-10z",                              /* triangle, up */
	"M0-6L6 0L0 6L-6 0z",                           /* diamond */
	"M0 5.5L-5-4h10z",                              /* triangle, down */
	"M-1.8-5h3.6v3.2h3.2v3.6h-3.2v3.2h-3.6v-3.2h-3.2v-3.6h3.2z",
	"M-5.5 0L4-5v10z", /* triangle, left */
	"M0-6L1.8-1.8L6 0L1.8 1.8L0 6L-1.8 1.8L-6 0L-1.8-1.8z",
};

void
page_figure(const struct html_page *pg, const struct svg_plot *plot,
    const char *head, const char *unit, const char *text, int width, int height)
{
	page_put(pg, "<figure>\n<figcaption>^", head);
	if (unit != NULL)
		page_put(pg, " (^)", unit);
	page_put(pg,
	    "</figcaption>\n<svg viewBox=\"0 0 * *\" role=\"img\" "
	    "aria-label=\"^\">\n<desc>^</desc>\n",
	    (long)width, (long)height, head, text);
	svg_grid(plot);
}

void
page_mark(const struct html_page *pg, const struct svg_plot *plot,
    const struct page_mark *m)
{
	const double x = svg_x(plot, m->x), y = svg_y(plot, m->y);
	const long number = m->c != NULL
	    ? case_links_number(pg->how->links, m->c)
	    : CASE_NO_LINK;
	const long series = (long)m->series;

	if (isfinite(m->low) && isfinite(m->high) && m->low < m->high) {
		page_put(pg, "<path class=\"s s*\" data-s=\"*\" d=\"", series,
		    series);
		if (m->sideways)
			page_put(pg, "M~ ~v8m0-4H~m0-4v8\"/>\n",
			    svg_x(plot, m->low), y - 4, svg_x(plot, m->high));
		else
			page_put(pg, "M~ ~h8m-4 0V~m-4 0h8\"/>\n", x - 4,
			    svg_y(plot, m->low), svg_y(plot, m->high));
	}
	page_put(pg,
	    "<path class=\"p m*\" data-s=\"*\" d=\"^\" "
	    "transform=\"translate(~ ~)\"",
	    series, series, shape_paths[m->series], x, y);
	for (size_t i = 0; i < sizeof m->lines / sizeof m->lines[0]; i++)
		if (m->lines[i] != NULL && m->lines[i][0] != '\0')
			page_put(pg, " data-t*=\"^\"", (long)i, m->lines[i]);
	if (number != CASE_NO_LINK)
		page_put(pg, " data-case=\"case-*\"", number);
	if (m->devices > 0)
		fprintf(pg->f, " data-at=\"%.9g\" data-v=\"%.9g\"",
		    (double)m->devices, m->speed);
	fputs("/>\n", pg->f);
}

void
page_key(const struct html_page *pg, const char *const *names, size_t n)
{
	fputs("<ul class=\"key\">", pg->f);
	for (size_t i = 0; i < n; i++)
		page_put(pg,
		    "<li data-s=\"*\"><svg viewBox=\"0 0 32 16\" "
		    "aria-hidden=\"true\"><path class=\"s s*\" "
		    "d=\"M0 8h32\"/><path class=\"m*\" d=\"^\" "
		    "transform=\"translate(16 8)\"/></svg> @</li>",
		    (long)i, (long)i, (long)i, shape_paths[i], names[i]);
	fputs("</ul>\n", pg->f);
}

/* --- drawing -------------------------------------------------------------- */

const char *
page_value_text(const struct html_page *pg, const struct series_point *p)
{
	const struct result_case *c = p->c;
	const char *text;

	if (p->text != NULL || !isfinite(c->median_speed))
		return p->text != NULL ? p->text : "n/a";
	text = arena_printf(pg->a, "%s %s %s",
	    text_of_value(pg->a, pg->how, p, c->median_speed),
	    c->unit != NULL ? c->unit : "",
	    text_of_interval(
		pg->a, pg->how, p, c->median_low, c->median_high, 0));
	return !isfinite(c->median_level)
	    ? text
	    : page_words(pg, "@ (@ CI)", "@（@ 置信区间）", text,
		  page_percent(pg, c->median_level));
}

/* "speedup 29.3 [29.0, 29.6], efficiency 91.7 %", or NULL. */
static const char *
speedup_text(const struct html_page *pg, const struct series_point *p)
{
	const struct result_case *c = p->c;

	if (!isfinite(c->efficiency) || cell_is_baseline(c))
		return NULL;
	return arena_printf(pg->a, "%s %s %s%s%s %.1f %%",
	    message(MESSAGE_SPEEDUP, pg->lang),
	    text_of_speedup(pg->a, pg->how, p, c->speedup),
	    text_of_interval(
		pg->a, pg->how, p, c->speedup_low, c->speedup_high, 1),
	    message(MESSAGE_COMMA, pg->lang),
	    message(MESSAGE_EFFICIENCY, pg->lang), 100 * c->efficiency);
}

static void
put_chart(const struct drawn_chart *x)
{
	const struct html_page *pg = x->pg;
	const struct series_point *first = &x->p->s[0]->points[0];
	const char *metric = first->source->result.rule.metric;
	const int is_efficiency = x->kind == CHART_EFFICIENCY;
	const enum message head = is_efficiency  ? MESSAGE_EFFICIENCY
	    : text_same(metric, "step-time")     ? MESSAGE_STEP_TIME
	    : text_same(metric, "time-to-train") ? MESSAGE_TIME_TO_TRAIN
						 : MESSAGE_THROUGHPUT;
	struct strbuf text = STRBUF_INIT(MAX_ALTERNATIVE);

	for (size_t i = 0; i < x->p->n; i++) {
		const struct drawn_line *l = &x->lines[i];

		strbuf_printf(&text,
		    "%s: ", panel_series_name(pg->set, x->p, i, pg->lang));
		for (size_t k = 0; k < l->n; k++)
			strbuf_printf(&text, "%ld: %.4g; ",
			    l->points[k].p->c->gpus, l->points[k].y);
	}
	page_figure(pg, &x->plot, message(head, pg->lang),
	    is_efficiency ? "%" : first->c->unit, text.buf, WIDTH, HEIGHT);
	strbuf_release(&text);
	if (is_efficiency)
		svg_ideal(&x->plot, x->plot.x.low, 100, x->plot.x.high, 100);
	for (size_t i = 0; i < x->p->n; i++) {
		const struct drawn_line *l = &x->lines[i];

		/* One series: its line, its whiskers, its markers. */
		page_put(pg, "<path class=\"s s*\" data-s=\"*\" d=\"", (long)i,
		    (long)i);
		for (size_t k = 0; k < l->n; k++)
			page_put(pg, "^~ ~ ", k == 0 ? "M" : "L",
			    svg_x(&x->plot, (double)l->points[k].p->c->gpus),
			    svg_y(&x->plot, l->points[k].y));
		fputs("\"/>\n", pg->f);
		for (size_t k = 0; k < l->n; k++) {
			const struct drawn_case *q = &l->points[k];
			const struct result_case *c = q->p->c;
			const int is_time =
			    work_kind_is_time(work_kind_of(c->unit));

			const struct page_mark m = { .series = i,
				.x = (double)c->gpus,
				.y = q->y,
				.low = q->low > 0 ? q->low : NAN,
				.high = q->high,
				.lines = { page_case_name(pg, x->p->s[i], c),
				    page_value_text(pg, q->p),
				    speedup_text(pg, q->p),
				    arena_printf(pg->a, "%s: %ld",
					message(MESSAGE_RUNS, pg->lang), c->n),
				    case_doubts_text(
					c, 1, NULL, pg->lang, pg->a) },
				.c = c,
				.devices =
				    isfinite(c->median_speed) ? c->gpus : 0,
				.speed = is_time ? 1 / c->median_speed
						 : c->median_speed };

			page_mark(pg, &x->plot, &m);
		}
	}
	page_put(pg, "<text x=\"*\" y=\"*\" text-anchor=\"middle\">^</text>\n",
	    (long)(LEFT + WIDTH - RIGHT) / 2, (long)HEIGHT - 6,
	    message(pg->set->devices, pg->lang));
	fputs("</svg>\n</figure>\n", pg->f);
}

/* Draw the charts numbered `from` to `end` - 1 with one legend. Charts without
 * a line are not counted. */
static void
put_charts(const struct html_page *pg, const struct panel *p, int from, int end)
{
	const struct panel drawn = fastest_series(pg, p);
	const char *names[N_COLOURS];
	int n = 0;

	fputs("<div class=\"charts\">\n", pg->f);
	for (int kind = 0; kind < N_CHARTS; kind++) {
		struct drawn_chart x = { .pg = pg,
			.p = &drawn,
			.kind = (enum page_chart)kind,
			.plot = { .out = pg->f,
			    .left = LEFT,
			    .right = WIDTH - RIGHT,
			    .top = TOP,
			    .bottom = HEIGHT - BOTTOM } };

		if (!find_lines(&x) || n++ < from || n > end)
			continue;
		put_chart(&x);
	}
	for (size_t i = 0; i < drawn.n; i++)
		names[i] = panel_series_name(pg->set, &drawn, i, pg->lang);
	if (n > from)
		page_key(pg, names, drawn.n);
	if (n > from && drawn.n < p->n)
		page_put(pg,
		    "<p>{The charts show the # fastest of # lines; others are "
		    "chosen by --select=KEY=VALUE.|图中为 # 条最快的线，共 # "
		    "条；其余可用 --select=KEY=VALUE 选择。}</p>\n",
		    (long)drawn.n, (long)p->n);
	fputs("</div>\n", pg->f);
}

void
page_charts(const struct html_page *pg, const struct panel *p)
{
	/* With a single panel, the lead shows its first chart, or both charts
	 * if the panel has a single series. */
	const int shown = pg->panels->n > 1 ? 0 : p->n > 1 ? 1 : N_CHARTS;

	put_charts(pg, p, shown, N_CHARTS);
}

/* --- the finding ---------------------------------------------------------- */

static const char *
ranked_name(const struct html_page *pg, const struct ranking *r, size_t i)
{
	return panel_series_name(pg->set, r->panel, r->items[i].i, pg->lang);
}

/* A speed as in other tables, with commas from 10,000 up: "12,442". */
static const char *
grouped_speed(const struct html_page *pg, const struct series_point *p)
{
	const char *text = text_of_value(pg->a, pg->how, p, p->c->median_speed);
	const size_t n = strspn(text, "0123456789");
	struct strbuf sb = STRBUF_INIT(UNITS_TEXT_SIZE);

	if (n < 5)
		return text;
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			strbuf_addch(&sb, ',');
		strbuf_addch(&sb, text[i]);
	}
	strbuf_addstr(&sb, text + n);
	return strbuf_finish(&sb, pg->a);
}

/* "32 GPUs", or the name of the case. */
static const char *
place_text(const struct html_page *pg, const struct result_case *c)
{
	const char *devices = message(pg->set->devices, pg->lang);

	if (c->gpus <= 1)
		return series_case_name(pg->a, c, pg->lang);
	return pg->lang == LANGUAGE_ZH
	    ? arena_printf(pg->a, "%s为 %ld", devices, c->gpus)
	    : arena_printf(pg->a, "%ld %s", c->gpus, devices);
}

/* Write the speed of the fastest series with its lead over the second, or of
 * the only series with its speedup; then the series that scales best. */
static void
put_finding(const struct html_page *pg, const struct ranking *r)
{
	const struct series_point *p = r->items[0].p;
	const struct result_case *c = p->c, *other;

	page_put(pg,
	    r->n == 1 ? "{@ on @: |@，@：}"
		      : "{@ is the fastest on @: |@ 在 @ 时最快：}",
	    ranked_name(pg, r, 0), place_text(pg, c));
	page_put(pg, "$<strong>^</strong></a> ^", c, grouped_speed(pg, p),
	    c->unit != NULL ? c->unit : "");
	if (r->n == 1 && isfinite(c->speedup) && !cell_is_baseline(c))
		page_put(pg, "{, speedup |，加速比 }$<strong>^</strong></a>", c,
		    text_of_speedup(pg->a, pg->how, p, c->speedup));
	if (r->n > 1) {
		const double lead = r->items[0].speed / r->items[1].speed - 1;

		other = r->items[1].p->c;
		page_put(pg, "{, @ ahead of @|，以 @ 领先 @}",
		    arena_printf(
			pg->a, lead < 0.1 ? "%.1f %%" : "%.0f %%", 100 * lead),
		    ranked_name(pg, r, 1));
		/* Both intervals must be known. */
		if (!(other->median_low > c->median_high ||
			c->median_low > other->median_high))
			page_put(pg,
			    "{ (not proven: the intervals are not apart)|"
			    "（未证实：区间未分开）}");
	}
	if (r->best == r->n)
		return;
	other = r->items[r->best].p->c;
	if (r->n == 1)
		page_put(pg, "{, efficiency |，并行效率 }");
	else
		page_put(pg, "{; @ scales best: |；@ 扩展效率最高：}",
		    ranked_name(pg, r, r->best));
	page_put(pg, "$<strong>~&#160;%</strong></a>", other,
	    100 * other->efficiency);
}

/* Write the series by rank: name, speed, and a percentage with its bar: the
 * efficiency, or, if no series has one, the share of the fastest speed. */
static void
put_ranked(const struct html_page *pg, const struct ranking *r)
{
	const struct result_case *first = r->items[0].p->c;
	const char *caption =
	    page_words(pg, "Speeds on @", "@ 时的速度", place_text(pg, first));

	page_put(pg,
	    "<div class=\"scroll rank\" tabindex=\"0\" role=\"group\" "
	    "aria-label=\"^\">\n<table><caption>^</caption>\n<thead><tr>"
	    "<th scope=\"col\">{configuration|配置}</th>"
	    "<th scope=\"col\" class=\"num\">^ <span class=\"unit\">(^)</span>"
	    "</th><th scope=\"col\" class=\"num\">^ <span class=\"unit\">(%)"
	    "</span></th></tr></thead>\n<tbody>\n",
	    caption, caption, message(case_headline(first), pg->lang),
	    first->unit != NULL ? first->unit : "",
	    r->best < r->n ? message(MESSAGE_EFFICIENCY, pg->lang)
			   : page_words(pg, "of the fastest", "相对最快"));
	for (size_t i = 0; i < r->n && i < MAX_RANKED; i++) {
		const struct ranked_series *own = &r->items[i];
		const struct result_case *c = own->p->c;
		const double percent = 100 *
		    (r->best < r->n ? c->efficiency
				    : own->speed / r->items[0].speed);

		page_put(pg,
		    "<tr><th scope=\"row\">@</th><td class=\"num\">$^</a></td>"
		    "<td class=\"num bar\">",
		    ranked_name(pg, r, i), c, grouped_speed(pg, own->p));
		if (isfinite(percent))
			page_put(pg,
			    "$~</a> <svg viewBox=\"0 0 100 12\" "
			    "aria-hidden=\"true\"><path class=\"full\" "
			    "d=\"M0 0h100v12h-100z\"/><path class=\"part\" "
			    "d=\"M0 0h~v12H0z\"/></svg>",
			    c, percent, fmin(fmax(percent, 0), 100));
		fputs("</td></tr>\n", pg->f);
	}
	fputs("</tbody></table>\n", pg->f);
	if (r->n > MAX_RANKED)
		page_put(pg,
		    "<p class=\"note\"><a href=\"#panel-0\">" PAGE_MORE
		    "</a></p>\n",
		    (long)(r->n - MAX_RANKED));
	fputs("</div>\n", pg->f);
}

/* --- doubts --------------------------------------------------------------- */

/* A doubt about a case. Doubts with the same text are one item of the list. */
struct doubt {
	struct panel_point x;
	size_t next; /* index of the next one with this text; 0: none */
	size_t last; /* in the first one with this text: index of the last */
	size_t n;    /* in the first one: their number; 0: not the first */
};

struct doubts {
	const struct html_page *pg;
	struct doubt *items;
	const char **texts; /* of the items */
	size_t n;
	size_t n_texts; /* number of different texts */
	struct hash_index known;
};

static void
add_doubt(struct doubts *l, const struct panel_point *x, const char *text)
{
	const size_t n = l->n++;
	size_t first;

	l->items = arena_grow(l->pg->a, l->items, n, sizeof *l->items);
	l->texts = arena_grow(l->pg->a, l->texts, n, sizeof *l->texts);
	l->texts[n] = text;
	l->items[n] = (struct doubt){ .x = *x, .last = n };
	first = hash_index_first(&l->known, l->texts, n);
	l->items[l->items[first].last].next = first < n ? n : 0;
	l->items[first].last = n;
	l->n_texts += l->items[first].n++ == 0;
}

/* Add the doubts of a case: that it failed, or its flags, a wide interval, too
 * few runs. */
static void
add_doubts(struct doubts *l, const struct panel_point *x)
{
	const struct html_page *pg = l->pg;
	const struct result_case *c = x->c;
	const double asked = x->p->source->result.rule.confidence;
	struct case_flag *flags;
	size_t n;

	if (x->p->failed != NULL) {
		add_doubt(l, x,
		    arena_printf(pg->a, "%s: %s", x->p->text,
			excluded_text(x->p->failed, pg->lang, pg->a)));
		return;
	}
	flags = case_doubts(c, 1, pg->a, &n);
	for (size_t i = 0; i < n; i++)
		add_doubt(l, x, case_flag_text(&flags[i], pg->lang, pg->a));
	if (fmax(c->median_high - c->median_speed,
		c->median_speed - c->median_low) > wide * c->median_speed)
		add_doubt(l, x,
		    page_words(pg,
			"wide interval: the median may be off by more than 5 %",
			"区间较宽：中位数的误差可能超过 5 %"));
	if (c->n == 1)
		add_doubt(l, x,
		    page_words(pg,
			"only one run: the variation between runs is unknown",
			"仅一次运行，各次运行间的差异未知"));
	else if (c->median_level < asked &&
	    (c->n < DEFAULT_RUNS || asked > DEFAULT_CONFIDENCE))
		add_doubt(l, x,
		    page_words(pg,
			"too few runs: @ give an interval of the median at "
			"only @",
			"运行次数不足：@ 次的中位数区间置信水平仅 @",
			arena_printf(pg->a, "%ld", c->n),
			page_percent(pg, c->median_level)));
}

/* The section of doubts: excluded logs, flags, wide intervals, too few runs.
 * Returns its HTML, which the caller frees, and sets n to their number. */
static char *
doubts_section(const struct html_page *page, size_t *n)
{
	struct html_page of_text = *page, *pg = &of_text;
	struct doubts l = { .pg = pg };
	const struct result_file *s = NULL;
	size_t len;
	char *text;
	const char *comma = message(MESSAGE_COMMA, pg->lang);

	pg->f = open_memstream(&text, &len);
	for (struct panel_point x = { NULL }; panel_next_of_set(pg->set, &x);)
		add_doubts(&l, &x);
	hash_index_release(&l.known);
	*n = l.n_texts;
	page_put(pg,
	    "<section class=\"card doubt\" aria-labelledby=\"doubts\">\n"
	    "<h2 id=\"doubts\" tabindex=\"-1\">{What is doubtful|存疑之处}</h2>"
	    "\n<ul>\n");
	while ((s = series_next_source(pg->set, s)) != NULL) {
		const struct result *r = &s->result;
		const struct result_case **cases =
		    arena_calloc(pg->a, r->n_cases, sizeof *cases);
		size_t n_groups;
		const struct excluded_group *excluded =
		    excluded_groups(r, pg->lang, pg->a, &n_groups);

		for (size_t i = 0; i < r->n_cases; i++)
			cases[i] = &r->cases[i];
		if (!result_rule_is_strong(&r->rule) &&
		    result_cases_look_strong(cases, r->n_cases)) {
			page_put(pg, "<li>@: @</li>\n", s->name,
			    message(MESSAGE_LOOKS_STRONG, pg->lang));
			++*n;
		}
		for (size_t i = 0; i < n_groups; i++)
			page_put(pg,
			    "<li>@: {excluded logs|被排除的日志}: #: @ (@)"
			    "</li>\n",
			    s->name, (long)excluded[i].n, excluded[i].words,
			    excluded[i].place);
		*n += n_groups;
		/* Remarks made when the results were read, for example about
		 * published tables. */
		for (size_t i = 0; i < s->n_remarks; i++)
			page_put(pg, "<li>@</li>\n", s->remarks[i]);
	}
	/* Write an item for each text, with its cases. */
	for (size_t i = 0; i < l.n; i++) {
		const struct doubt *d = &l.items[i];
		size_t named = 0;

		if (d->n == 0)
			continue;
		page_put(pg, "<li>@", l.texts[i]);
		for (size_t k = i; named < d->n && named < MAX_NAMED; named++) {
			const struct panel_point *x = &l.items[k].x;

			page_put(pg, "`$@</a>", named == 0 ? ": " : comma, x->c,
			    page_case_name(pg, x->s, x->c));
			k = l.items[k].next;
		}
		if (named < d->n)
			page_put(
			    pg, "`" PAGE_MORE, comma, (long)(d->n - named));
		fputs("</li>\n", pg->f);
	}
	if (*n == 0)
		page_put(pg,
		    "<li>{Nothing: no run is in doubt, all intervals are "
		    "narrow, no log was excluded.|无：各次运行均不存疑，区间都较"
		    "窄，没有日志被排除。}</li>\n");
	fputs("</ul>\n</section>\n", pg->f);
	fclose(pg->f);
	return text;
}

/* --- the first screen ----------------------------------------------------- */

char *
page_lead(const struct html_page *pg)
{
	size_t n_doubts;
	char *doubts = doubts_section(pg, &n_doubts);
	const struct panel_list groups = panel_split(
	    pg->set, SERIES_BIT(SERIES_MODEL) | SERIES_BIT(SERIES_UNIT));
	struct ranking *r = arena_calloc(pg->a, groups.n, sizeof *r);
	size_t main = 0;
	const struct panel all = panel_of_all(pg->set, pg->a);
	const char *rule = notes_rule_text(&all, pg->a, pg->lang);
	long n_cases = 0, runs = 0;

	for (size_t i = 0; i < groups.n; i++) {
		r[i] = rank_series(&groups.items[i], pg->a);
		if (r[i].n > r[main].n)
			main = i;
	}
	page_put(pg, PAGE_LEAD);
	for (size_t i = 0; i < groups.n; i++) {
		/* The main group comes first. */
		const size_t k = i == 0 ? main : i <= main ? i - 1 : i;
		const char *title = groups.n > 1
		    ? panel_title(pg->set, &groups.items[k], 0, pg->lang)
		    : "";

		if (i == 1)
			page_put(pg,
			    "<details><summary>" PAGE_MORE "</summary>\n",
			    (long)(groups.n - 1));
		page_put(pg, title[0] != '\0' ? "<p>@: " : "<p>", title);
		if (r[k].n == 0)
			page_put(
			    pg, "{no case has a number|没有任何规模有数值}");
		else
			put_finding(pg, &r[k]);
		page_put(pg, "{.|。}</p>\n");
	}
	if (groups.n > 1)
		fputs("</details>\n", pg->f);
	/* One line about what was measured. */
	for (struct panel_point x = { NULL }; panel_next(&all, &x);) {
		n_cases++;
		runs += x.c->n > 0 ? x.c->n : 0;
	}
	page_put(pg, "<p class=\"faint\">{cases|规模}: *", n_cases);
	if (runs > 0)
		page_put(pg, " · ^: *", message(MESSAGE_RUNS, pg->lang), runs);
	page_put(
	    pg, " · <a href=\"#doubts\">{doubts|存疑}: *</a>", (long)n_doubts);
	if (rule != NULL)
		page_put(pg, " · ^: @", message(MESSAGE_RULE, pg->lang), rule);
	fputs("</p>\n", pg->f);
	if (r[main].n > 0) {
		fputs("<div class=\"first\">\n", pg->f);
		if (r[main].n > 1)
			put_ranked(pg, &r[main]);
		put_charts(
		    pg, r[main].panel, 0, r[main].panel->n == 1 ? N_CHARTS : 1);
		fputs("</div>\n", pg->f);
	}
	fputs("</section>\n", pg->f);
	return doubts;
}
