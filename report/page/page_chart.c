/* Charts of the page as inline SVG: efficiency and speed over device counts,
 * with whiskers. Colours are in page.css; page.js makes them answer. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "common/strbuf.h"
#include "common/result/work_rate.h"
#include "common/text.h"
#include "plots/style/svg.h"
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
	MAX_LINES = 3 * N_COLOURS, /* with three kinds of dashes */
	MAX_TICKS = 12,
	MAX_LABELS = 10, /* of the y axis */
	LEAST_SPAN = 50, /* efficiencies above it need no axis from 0 */
	MAX_PERCENTS = 7,
	MAX_ALTERNATIVE = 1 << 20 /* bytes of a picture's text */
};

enum page_chart { CHART_EFFICIENCY, CHART_THROUGHPUT };

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
	} lines[MAX_LINES];
};

/* Add a tick at a number of devices, unless it exists or there are too many. */
static void
add_tick(struct axis *x, long gpus)
{
	size_t i = x->n;

	while (i > 0 && x->ticks[i - 1].at > (double)gpus)
		i--;
	if (x->n == MAX_TICKS || (i > 0 && lround(x->ticks[i - 1].at) == gpus))
		return;
	memmove(
	    &x->ticks[i + 1], &x->ticks[i], (x->n++ - i) * sizeof x->ticks[0]);
	x->ticks[i] = (struct axis_tick){ .at = (double)gpus };
	snprintf(x->ticks[i].label, AXIS_LABEL_SIZE, "%ld", gpus);
}

/* Find the points, and the axes over all of them. Returns 0 if no series is
 * drawn as a line. */
static int
find_lines(struct drawn_chart *x)
{
	struct axis *a = &x->plot.x, *y = &x->plot.y;
	double low = INFINITY, high = 0; /* of y */
	int n_lines = 0;

	a->base = 2;
	a->low = INFINITY;
	a->high = -INFINITY;
	for (size_t i = 0; i < x->p->n; i++) {
		const struct series *s = x->p->s[i];
		struct drawn_line *l = &x->lines[i];
		double fewest = INFINITY, most = -INFINITY;

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
			fewest = fmin(fewest, (double)c->gpus);
			most = fmax(most, (double)c->gpus);
			add_tick(a, c->gpus);
			low = fmin(low, q.low > 0 ? q.low : q.y);
			high = fmax(high, fmax(q.y, q.high));
		}
		n_lines += fewest < most;
		a->low = fmin(a->low, fewest);
		a->high = fmax(a->high, most);
	}
	if (n_lines == 0)
		return 0;
	if (x->kind == CHART_THROUGHPUT)
		axis_amount(low, high, MAX_LABELS, y);
	else if (low >= LEAST_SPAN)
		axis_span(low, fmax(high, 100), MAX_PERCENTS, y);
	else
		axis_linear(fmax(high, 100), MAX_PERCENTS, y);
	return 1;
}

/* --- parts ---------------------------------------------------------------- */

/* Lines of one colour differ in their dashes. */
static const char *
line_style(size_t i)
{
	static const char *const dashes[] = { "", " second", " third" };

	return dashes[i / N_COLOURS % 3];
}

/* The path of a marker's shape around (0, 0), for a series. */
static const char *
shape_path(size_t i)
{
	static const char *const shapes[N_COLOURS] = {
		"M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z", /* circle */
		"M-4-4h8v8h-8z",                                /* square */
		"M0-5.5L5 4h-10z",    /* triangle, up */
		"M0-6L6 0L0 6L-6 0z", /* diamond */
		"M0 5.5L-5-4h10z",    /* triangle, down */
		"M-1.8-5h3.6v3.2h3.2v3.6h-3.2v3.2h-3.6v-3.2h-3.2v-3.6h3.2z",
		"M-5.5 0L4-5v10z", /* triangle, left */
		"M0-6L1.8-1.8L6 0L1.8 1.8L0 6L-1.8 1.8L-6 0L-1.8-1.8z",
	};

	return shapes[(i + i / N_COLOURS) % N_COLOURS];
}

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
	const long series = (long)m->series, colour = series % N_COLOURS;

	if (isfinite(m->low) && isfinite(m->high) && m->low < m->high) {
		page_put(pg, "<path class=\"s s*\" data-s=\"*\" d=\"", colour,
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
	    colour, series, shape_path(m->series), x, y);
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
	for (size_t i = 0; i < n; i++) {
		const long colour = (long)(i % N_COLOURS);

		page_put(pg,
		    "<li data-s=\"*\"><svg viewBox=\"0 0 32 16\" "
		    "aria-hidden=\"true\"><path class=\"s s*^\" "
		    "d=\"M0 8h32\"/><path class=\"m*\" d=\"^\" "
		    "transform=\"translate(16 8)\"/></svg> @</li>",
		    (long)i, colour, line_style(i), colour, shape_path(i),
		    names[i]);
	}
	fputs("</ul>\n", pg->f);
}

/* --- drawing -------------------------------------------------------------- */

/* " [1.45, 1.79] (96.83 % CI)", or nothing. */
static const char *
interval_text(const struct html_page *pg, const char *text, double level)
{
	if (text[0] == '\0' || !isfinite(level))
		return "";
	return page_words(
	    pg, " @ (@ CI)", " @（@ 置信区间）", text, page_percent(pg, level));
}

const char *
page_value_text(const struct html_page *pg, const struct series_point *p)
{
	const struct result_case *c = p->c;

	if (p->text != NULL || !isfinite(c->median_speed))
		return p->text != NULL ? p->text : "n/a";
	return arena_printf(pg->a, "%s %s%s",
	    text_of_value(pg->a, pg->how, p, c->median_speed),
	    c->unit != NULL ? c->unit : "",
	    interval_text(pg,
		text_of_interval(
		    pg->a, pg->how, p, c->median_low, c->median_high, 0),
		c->median_level));
}

/* "speedup 29.3 [29.0, 29.6] (96.83 % CI) over 1n1g, efficiency 91.7 %", or
 * NULL. */
static const char *
speedup_text(const struct html_page *pg, const struct series_point *p)
{
	const struct result_case *c = p->c;
	const char *text;

	if (!isfinite(c->speedup) || cell_is_baseline(c))
		return NULL;
	text =
	    arena_printf(pg->a, "%s %s%s%s", message(MESSAGE_SPEEDUP, pg->lang),
		text_of_speedup(pg->a, pg->how, p, c->speedup),
		interval_text(pg,
		    text_of_interval(
			pg->a, pg->how, p, c->speedup_low, c->speedup_high, 1),
		    c->speedup_level),
		c->baseline != NULL
		    ? page_words(pg, " over @", "（相对 @）", c->baseline)
		    : "");
	return !isfinite(c->efficiency)
	    ? text
	    : arena_printf(pg->a, "%s%s%s %.1f %%", text,
		  message(MESSAGE_COMMA, pg->lang),
		  message(MESSAGE_EFFICIENCY, pg->lang), 100 * c->efficiency);
}

/* One series: its line, its whiskers, its markers. */
static void
put_line(const struct drawn_chart *x, size_t i)
{
	const struct drawn_line *l = &x->lines[i];
	const struct html_page *pg = x->pg;

	page_put(pg, "<path class=\"s s*^\" data-s=\"*\" d=\"",
	    (long)(i % N_COLOURS), line_style(i), (long)i);
	for (size_t k = 0; k < l->n; k++)
		page_put(pg, "^~ ~ ", k == 0 ? "M" : "L",
		    svg_x(&x->plot, (double)l->points[k].p->c->gpus),
		    svg_y(&x->plot, l->points[k].y));
	fputs("\"/>\n", pg->f);
	for (size_t k = 0; k < l->n; k++) {
		const struct drawn_case *q = &l->points[k];
		const struct result_case *c = q->p->c;
		const int is_time = work_kind_is_time(work_kind_of(c->unit));

		const struct page_mark m = { .series = i,
			.x = (double)c->gpus,
			.y = q->y,
			.low = q->low > 0 ? q->low : NAN,
			.high = q->high,
			.lines = { page_case_name(pg, x->p->s[i], c),
			    page_value_text(pg, q->p), speedup_text(pg, q->p),
			    arena_printf(pg->a, "%s: %ld",
				message(MESSAGE_RUNS, pg->lang), c->n),
			    case_doubts_text(c, 1, NULL, pg->lang, pg->a) },
			.c = c,
			.devices = isfinite(c->median_speed) ? c->gpus : 0,
			.speed =
			    is_time ? 1 / c->median_speed : c->median_speed };

		page_mark(pg, &x->plot, &m);
	}
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
	for (size_t i = 0; i < x->p->n; i++)
		put_line(x, i);
	page_put(pg, "<text x=\"*\" y=\"*\" text-anchor=\"middle\">^</text>\n",
	    (long)(LEFT + WIDTH - RIGHT) / 2, (long)HEIGHT - 6,
	    message(pg->set->devices, pg->lang));
	fputs("</svg>\n</figure>\n", pg->f);
}

void
page_charts(
    const struct html_page *pg, const struct panel *p, int from, int end)
{
	const struct panel drawn = page_fastest(pg, p, MAX_LINES);
	const char *names[MAX_LINES];
	int n = 0;

	if (drawn.n < p->n)
		page_put(pg,
		    "<p>{The charts show the # fastest of # lines; others are "
		    "chosen by --select=KEY=VALUE.|图中为 # 条最快的线，共 # "
		    "条；其余可用 --select=KEY=VALUE 选择。}</p>\n",
		    (long)drawn.n, (long)p->n);
	fputs("<div class=\"charts\">\n", pg->f);
	for (int kind = CHART_EFFICIENCY; kind <= CHART_THROUGHPUT; kind++) {
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
	fputs("</div>\n", pg->f);
}
