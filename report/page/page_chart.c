/* Charts of the page as inline SVG: logarithmic axes with ticks at the device
 * counts, whiskers, the ideal line. Colours are in page.css. */
#include <config.h>

#include <math.h>

#include "common/text.h"
#include "plots/style/svg.h"
#include "report/page/page_parts.h"

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
	MAX_PERCENTS = 7
};

enum page_chart { CHART_SPEEDUP, CHART_EFFICIENCY, CHART_THROUGHPUT, N_CHARTS };

/* A case that can be drawn. */
struct drawn_case {
	const struct result_case *c;
	double y, low, high; /* the last two NAN: no interval */
};

struct drawn_line {
	const struct series *s;
	struct drawn_case *points; /* by devices */
	size_t n;
	long fewest, most; /* devices of the points; 0: none */
	/* Devices of the baseline, efficiency times devices over speedup of any
	 * case; NAN: none. */
	double base;
	/* Devices at the ends of the ideal line; 0: an earlier line has the
	 * same baseline, or this one is a single point. */
	double ideal_from, ideal_to;
};

struct drawn_chart {
	const struct html_page *pg;
	const struct panel *p;
	enum page_chart kind;
	struct svg_plot plot;
	struct drawn_line lines[MAX_LINES];
};

static void
widen_limits(double *low, double *high, double x)
{
	if (!(x >= *low))
		*low = x;
	if (!(x <= *high))
		*high = x;
}

/* Add a tick at a number of devices, unless it exists or there are too many. */
static void
add_tick(struct axis *x, long gpus)
{
	size_t i;

	for (i = 0; i < x->n; i++)
		if (lround(x->ticks[i].at) == gpus)
			return;
	if (x->n == MAX_TICKS)
		return;
	for (i = x->n++; i > 0 && x->ticks[i - 1].at > (double)gpus; i--)
		x->ticks[i] = x->ticks[i - 1];
	x->ticks[i] = (struct axis_tick){ .at = (double)gpus };
	snprintf(x->ticks[i].label, AXIS_LABEL_SIZE, "%ld", gpus);
}

static void
init_line(struct drawn_line *l, enum page_chart kind, const struct series *s,
    struct arena *a)
{
	const int of_speed = kind == CHART_THROUGHPUT;

	*l = (struct drawn_line){ .s = s,
		.points = arena_calloc(a, s->n_points, sizeof *l->points),
		.base = NAN };
	for (size_t i = 0; i < s->n_points; i++) {
		const struct result_case *c = s->points[i].c;
		const double scale = kind == CHART_EFFICIENCY
		    ? c->efficiency / c->speedup * 100
		    : 1;
		const double n = c->efficiency / c->speedup * (double)c->gpus;
		const struct drawn_case q = { c,
			of_speed                       ? c->median_speed
			    : kind == CHART_EFFICIENCY ? c->efficiency * 100
						       : c->speedup,
			of_speed ? c->median_low : c->speedup_low * scale,
			of_speed ? c->median_high : c->speedup_high * scale };

		if (isnan(l->base) && c->gpus > 0 && isfinite(n) && n > 0)
			l->base = n;
		if (c->gpus <= 0 || !isfinite(q.y) || q.y <= 0)
			continue;
		l->points[l->n++] = q;
		l->fewest =
		    l->fewest == 0 || c->gpus < l->fewest ? c->gpus : l->fewest;
		l->most = c->gpus > l->most ? c->gpus : l->most;
	}
}

/* Set the ideal line of line i, which reaches to the last case of all lines
 * with the same baseline. */
static void
set_ideal(struct drawn_chart *x, size_t i)
{
	struct drawn_line *l = &x->lines[i];
	double from = (double)l->fewest, to = (double)l->most;

	if (isnan(l->base) || l->fewest == l->most)
		return;
	for (size_t k = 0; k < x->p->n; k++) {
		const struct drawn_line *o = &x->lines[k];

		if (!(fabs(o->base - l->base) <= 1e-9 * l->base) || o->n == 0)
			continue;
		if (k < i && o->fewest < o->most)
			return;
		from = fmin(from, (double)o->fewest);
		to = fmax(to, (double)o->most);
	}
	l->ideal_from = from;
	l->ideal_to = to;
}

/* Find the points, and the axes over all of them. Returns 0 if no series is
 * drawn as a line. */
static int
find_lines(struct drawn_chart *x)
{
	struct axis *a = &x->plot.x;
	double y_low = INFINITY, y_high = 0;
	int n_lines = 0;

	a->base = 2;
	a->low = INFINITY;
	a->high = -INFINITY;
	for (size_t i = 0; i < x->p->n; i++)
		init_line(&x->lines[i], x->kind, x->p->s[i], x->pg->a);
	for (size_t i = 0; i < x->p->n; i++) {
		const struct drawn_line *l = &x->lines[i];

		n_lines += l->fewest < l->most;
		for (size_t k = 0; k < l->n; k++) {
			const struct drawn_case *q = &l->points[k];

			add_tick(a, q->c->gpus);
			widen_limits(&a->low, &a->high, (double)q->c->gpus);
			widen_limits(&y_low, &y_high, q->y);
			if (isfinite(q->low) && q->low > 0)
				widen_limits(&y_low, &y_high, q->low);
			if (isfinite(q->high))
				widen_limits(&y_low, &y_high, q->high);
		}
		if (x->kind == CHART_SPEEDUP)
			set_ideal(x, i);
		if (l->ideal_to > 0) {
			widen_limits(&y_low, &y_high, l->ideal_from / l->base);
			widen_limits(&y_low, &y_high, l->ideal_to / l->base);
		}
	}
	if (n_lines == 0)
		return 0;
	if (x->kind == CHART_SPEEDUP)
		axis_ratio(y_low, y_high, MAX_LABELS, &x->plot.y);
	else if (x->kind == CHART_EFFICIENCY)
		axis_percent(y_high, MAX_PERCENTS, &x->plot.y);
	else
		axis_amount(y_low, y_high, MAX_LABELS, &x->plot.y);
	return 1;
}

/* Lines of one colour differ in their dashes. */
static const char *
line_style(size_t i)
{
	static const char *const dashes[] = { "", " second", " third" };

	return dashes[i / N_COLOURS % 3];
}

/* One series: its line, its whiskers, its markers. */
static void
put_line(const struct drawn_chart *x, size_t i)
{
	const struct drawn_line *l = &x->lines[i];
	const size_t colour = i % N_COLOURS;
	FILE *f = x->pg->f;

	fprintf(f, "<path class=\"s s%zu%s\" d=\"", colour, line_style(i));
	for (size_t k = 0; k < l->n; k++)
		fprintf(f, "%c%.1f %.1f ", k == 0 ? 'M' : 'L',
		    svg_x(&x->plot, (double)l->points[k].c->gpus),
		    svg_y(&x->plot, l->points[k].y));
	fputs("\"/>\n", f);
	for (size_t k = 0; k < l->n; k++) {
		const struct drawn_case *q = &l->points[k];
		const double at = svg_x(&x->plot, (double)q->c->gpus);
		const double y = svg_y(&x->plot, q->y);

		if (isfinite(q->low) && isfinite(q->high) && q->low > 0 &&
		    q->high > q->low)
			fprintf(f,
			    "<path class=\"s s%zu\" d=\"M%.1f %.1f h8 m-4 0 "
			    "V%.1f m-4 0 h8\"/>\n",
			    colour, at - 4, svg_y(&x->plot, q->low),
			    svg_y(&x->plot, q->high));
		/* A marker links to the case's details. It is not a tab stop,
		 * since the table has the same link. */
		fprintf(f, "<a href=\"#case-%ld\" tabindex=\"-1\">",
		    case_links_number(x->pg->how->links, q->c));
		page_put(x->pg, "<title>^", page_case_name(x->pg, l->s, q->c));
		fprintf(f,
		    ": %.4g</title><circle class=\"hit\" cx=\"%.1f\" "
		    "cy=\"%.1f\" r=\"11\"/><circle class=\"m%zu\" "
		    "cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/></a>\n",
		    q->y, at, y, colour, at, y);
	}
}

/* Draw a chart. Returns the number of ideal lines. */
static int
put_chart(const struct drawn_chart *x)
{
	const struct html_page *pg = x->pg;
	const struct series_point *first = &x->p->s[0]->points[0];
	const char *metric = first->source->result.rule.metric;
	const char *head = message(x->kind == CHART_SPEEDUP ? MESSAGE_SPEEDUP
		: x->kind == CHART_EFFICIENCY               ? MESSAGE_EFFICIENCY
		: text_same(metric, "step-time")            ? MESSAGE_STEP_TIME
		: text_same(metric, "time-to-train") ? MESSAGE_TIME_TO_TRAIN
						     : MESSAGE_THROUGHPUT,
	    pg->lang);
	const char *unit = x->kind == CHART_EFFICIENCY ? "%"
	    : x->kind == CHART_THROUGHPUT              ? first->c->unit
						       : NULL;
	int ideals = 0;

	page_put(pg, "<figure>\n<figcaption>^", head);
	if (unit != NULL)
		page_put(pg, " (^)", unit);
	fprintf(pg->f,
	    "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", WIDTH,
	    HEIGHT);
	/* The text alternative. */
	page_put(pg, "<title>^</title><desc>", head);
	for (size_t i = 0; i < x->p->n; i++) {
		const struct drawn_line *l = &x->lines[i];

		page_put(
		    pg, "^: ", panel_series_name(pg->set, x->p, i, pg->lang));
		for (size_t k = 0; k < l->n; k++)
			fprintf(pg->f, "%ld: %.4g; ", l->points[k].c->gpus,
			    l->points[k].y);
	}
	fputs("</desc>\n", pg->f);
	svg_grid(&x->plot);
	if (x->kind == CHART_EFFICIENCY) {
		svg_ideal(&x->plot, x->plot.x.low, 100, x->plot.x.high, 100);
		ideals++;
	}
	for (size_t i = 0; i < x->p->n; i++) {
		const struct drawn_line *l = &x->lines[i];

		if (l->ideal_to == 0)
			continue;
		svg_ideal(&x->plot, l->ideal_from, l->ideal_from / l->base,
		    l->ideal_to, l->ideal_to / l->base);
		ideals++;
	}
	for (size_t i = 0; i < x->p->n; i++)
		put_line(x, i);
	fprintf(pg->f,
	    "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n"
	    "</svg>\n</figure>\n",
	    (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6,
	    message(pg->set->devices, pg->lang));
	return ideals;
}

/* The legend of all charts of the panel. */
static void
put_key(const struct html_page *pg, const struct panel *p, int with_ideal)
{
	fputs("<ul class=\"key\">", pg->f);
	for (size_t i = 0; i < p->n; i++) {
		fprintf(pg->f,
		    "<li><svg viewBox=\"0 0 32 16\" aria-hidden=\"true\">"
		    "<path class=\"s s%zu%s\" d=\"M0 8 h32\"/></svg> ",
		    i % N_COLOURS, line_style(i));
		page_put(
		    pg, "@</li>", panel_series_name(pg->set, p, i, pg->lang));
	}
	if (with_ideal)
		page_put(pg,
		    "<li><svg viewBox=\"0 0 32 16\" aria-hidden=\"true\">"
		    "<path class=\"ideal\" d=\"M0 8 h32\"/></svg> ^</li>",
		    message(MESSAGE_IDEAL, pg->lang));
	fputs("</ul>\n", pg->f);
}

void
page_charts(const struct html_page *pg, const struct panel *p)
{
	int ideals = 0, n = 0;

	if (p->n > MAX_LINES) {
		page_sentence(pg,
		    "No charts: # lines are too many for one chart; choose by "
		    "--select=KEY=VALUE.",
		    "未画图：# 条线过多；可用 --select=KEY=VALUE 选择。",
		    (long)p->n);
		return;
	}
	fputs("<div class=\"charts\">\n", pg->f);
	for (int kind = 0; kind < N_CHARTS; kind++) {
		struct drawn_chart x = { .pg = pg,
			.p = p,
			.kind = (enum page_chart)kind,
			.plot = { .out = pg->f,
			    .left = LEFT,
			    .right = WIDTH - RIGHT,
			    .top = TOP,
			    .bottom = HEIGHT - BOTTOM } };

		if (find_lines(&x)) {
			ideals += put_chart(&x);
			n++;
		}
	}
	fputs("</div>\n", pg->f);
	if (n > 0)
		put_key(pg, p, ideals > 0);
}
