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

enum page_chart { CHART_SPEEDUP, CHART_EFFICIENCY, CHART_THROUGHPUT };

/* Value and interval of a case in a chart. Returns 0 if it cannot be drawn.
 *
 * low, high  NAN: none */
static int
chart_value(enum page_chart kind, const struct result_case *c, double *y,
    double *low, double *high)
{
	const double scale = c->efficiency / c->speedup * 100;
	const int of_speed = kind == CHART_THROUGHPUT;

	*y = of_speed ? c->median_speed : c->speedup;
	*low = of_speed ? c->median_low : c->speedup_low;
	*high = of_speed ? c->median_high : c->speedup_high;
	if (kind == CHART_EFFICIENCY) {
		*y = c->efficiency * 100;
		*low *= scale;
		*high *= scale;
	}
	return c->gpus > 0 && isfinite(*y) && *y > 0;
}

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

/* Fewest and most devices of the drawn points; 0: none. */
static void
drawn_devices(
    enum page_chart kind, const struct series *s, long *fewest, long *most)
{
	*fewest = *most = 0;
	for (size_t i = 0; i < s->n_points; i++) {
		const long gpus = s->points[i].c->gpus;
		double y, low, high;

		if (!chart_value(kind, s->points[i].c, &y, &low, &high))
			continue;
		*fewest = *fewest == 0 || gpus < *fewest ? gpus : *fewest;
		*most = gpus > *most ? gpus : *most;
	}
}

/* --- the ideal line ------------------------------------------------------- */

/* Ideal speedups over a baseline, which may be outside the chart. */
struct ideal_line {
	double base;        /* its devices */
	double first, last; /* device counts at the ends of the line */
};

/* Device count of a series' baseline, efficiency times devices over speedup of
 * any case; NAN: none. */
static double
baseline_devices(const struct series *s)
{
	for (size_t i = 0; i < s->n_points; i++) {
		const struct result_case *c = s->points[i].c;
		const double n = c->efficiency / c->speedup * (double)c->gpus;

		if (c->gpus > 0 && isfinite(n) && n > 0)
			return n;
	}
	return NAN;
}

/* The ideal line of series i, up to the last case of all series with the same
 * baseline. Returns 0 if the series is not drawn as a line or an earlier series
 * has the same baseline. */
static int
find_ideal(const struct panel *p, size_t i, struct ideal_line *out)
{
	const double base = baseline_devices(p->s[i]);
	long fewest, most;

	drawn_devices(CHART_SPEEDUP, p->s[i], &fewest, &most);
	if (isnan(base) || fewest == most)
		return 0;
	*out = (struct ideal_line){ base, (double)fewest, (double)most };
	for (size_t k = 0; k < p->n; k++) {
		if (!(fabs(baseline_devices(p->s[k]) - base) <= 1e-9 * base))
			continue;
		drawn_devices(CHART_SPEEDUP, p->s[k], &fewest, &most);
		if (k < i && fewest < most)
			return 0;
		if (most == 0)
			continue;
		out->first = fmin(out->first, (double)fewest);
		out->last = fmax(out->last, (double)most);
	}
	return 1;
}

/* Find the ranges of all points. Returns the number of series drawn as
 * lines. */
static size_t
find_axes(struct svg_plot *plot, enum page_chart kind, const struct panel *p)
{
	double y, low, high, y_low = INFINITY, y_high = 0;
	struct ideal_line ideal;
	size_t n_lines = 0;
	long fewest, most;

	plot->x.base = 2;
	plot->x.low = INFINITY;
	plot->x.high = -INFINITY;
	for (struct panel_point q = { NULL }; panel_next(p, &q);) {
		if (!chart_value(kind, q.c, &y, &low, &high))
			continue;
		add_tick(&plot->x, q.c->gpus);
		widen_limits(&plot->x.low, &plot->x.high, (double)q.c->gpus);
		widen_limits(&y_low, &y_high, y);
		if (isfinite(low) && low > 0)
			widen_limits(&y_low, &y_high, low);
		if (isfinite(high))
			widen_limits(&y_low, &y_high, high);
	}
	for (size_t i = 0; i < p->n; i++) {
		drawn_devices(kind, p->s[i], &fewest, &most);
		n_lines += fewest < most;
		if (kind == CHART_SPEEDUP && find_ideal(p, i, &ideal)) {
			widen_limits(&y_low, &y_high, ideal.first / ideal.base);
			widen_limits(&y_low, &y_high, ideal.last / ideal.base);
		}
	}
	if (n_lines == 0)
		return 0;
	if (kind == CHART_SPEEDUP)
		axis_ratio(y_low, y_high, MAX_LABELS, &plot->y);
	else if (kind == CHART_EFFICIENCY)
		axis_percent(y_high, MAX_PERCENTS, &plot->y);
	else
		axis_amount(y_low, y_high, MAX_LABELS, &plot->y);
	return n_lines;
}

/* Draw the ideal line of each baseline. Returns their number. */
static size_t
put_ideals(
    const struct svg_plot *plot, enum page_chart kind, const struct panel *p)
{
	struct ideal_line ideal;
	size_t n = 0;

	if (kind == CHART_EFFICIENCY) {
		svg_ideal(plot, plot->x.low, 100, plot->x.high, 100);
		return 1;
	}
	for (size_t i = 0; kind == CHART_SPEEDUP && i < p->n; i++)
		if (find_ideal(p, i, &ideal)) {
			svg_ideal(plot, ideal.first, ideal.first / ideal.base,
			    ideal.last, ideal.last / ideal.base);
			n++;
		}
	return n;
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
put_line(const struct html_page *pg, const struct svg_plot *plot,
    enum page_chart kind, const struct series *s, size_t i)
{
	const size_t colour = i % N_COLOURS;
	double y, low, high;
	char move = 'M';

	fprintf(pg->f, "<path class=\"s s%zu%s\" d=\"", colour, line_style(i));
	for (size_t k = 0; k < s->n_points; k++) {
		const struct result_case *c = s->points[k].c;

		if (!chart_value(kind, c, &y, &low, &high))
			continue;
		fprintf(pg->f, "%c%.1f %.1f ", move,
		    svg_x(plot, (double)c->gpus), svg_y(plot, y));
		move = 'L';
	}
	fputs("\"/>\n", pg->f);
	for (size_t k = 0; k < s->n_points; k++) {
		const struct result_case *c = s->points[k].c;
		const double x = svg_x(plot, (double)c->gpus);

		if (!chart_value(kind, c, &y, &low, &high))
			continue;
		if (isfinite(low) && isfinite(high) && low > 0 && high > low)
			fprintf(pg->f,
			    "<path class=\"s s%zu\" d=\"M%.1f %.1f h8 m-4 0 "
			    "V%.1f m-4 0 h8\"/>\n",
			    colour, x - 4, svg_y(plot, low), svg_y(plot, high));
		/* A marker links to the case's details. It is not a tab stop,
		 * since the table has the same link. */
		fprintf(pg->f, "<a href=\"#case-%ld\" tabindex=\"-1\">",
		    case_links_number(pg->how->links, c));
		page_put(pg, "<title>^", page_case_name(pg, s, c));
		fprintf(pg->f,
		    ": %.4g</title><circle class=\"hit\" cx=\"%.1f\" "
		    "cy=\"%.1f\" r=\"11\"/><circle class=\"m%zu\" "
		    "cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/></a>\n",
		    y, x, svg_y(plot, y), colour, x, svg_y(plot, y));
	}
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

/* The text alternative of the chart. */
static void
put_alternative(const struct html_page *pg, const struct panel *p,
    enum page_chart kind, const char *title)
{
	double y, low, high;

	page_put(pg, "<title>^</title><desc>", title);
	for (size_t i = 0; i < p->n; i++) {
		page_put(pg, "^: ", panel_series_name(pg->set, p, i, pg->lang));
		for (size_t k = 0; k < p->s[i]->n_points; k++) {
			const struct result_case *c = p->s[i]->points[k].c;

			if (chart_value(kind, c, &y, &low, &high))
				fprintf(pg->f, "%ld: %.4g; ", c->gpus, y);
		}
	}
	fputs("</desc>\n", pg->f);
}

/* Returns 1 if there is anything to draw.
 *
 * ideals  counts the ideal lines */
static int
put_chart(const struct html_page *pg, const struct panel *p,
    enum page_chart kind, size_t *ideals)
{
	const char *metric = p->s[0]->points[0].source->result.rule.metric;
	const char *head = message(kind == CHART_SPEEDUP ? MESSAGE_SPEEDUP
		: kind == CHART_EFFICIENCY               ? MESSAGE_EFFICIENCY
		: text_same(metric, "step-time")         ? MESSAGE_STEP_TIME
		: text_same(metric, "time-to-train")     ? MESSAGE_TIME_TO_TRAIN
							 : MESSAGE_THROUGHPUT,
	    pg->lang);
	const char *unit = kind == CHART_EFFICIENCY ? "%"
	    : kind == CHART_THROUGHPUT              ? p->s[0]->points[0].c->unit
						    : NULL;
	struct svg_plot plot = { .out = pg->f,
		.left = LEFT,
		.right = WIDTH - RIGHT,
		.top = TOP,
		.bottom = HEIGHT - BOTTOM };

	if (find_axes(&plot, kind, p) == 0)
		return 0;
	page_put(pg, "<figure>\n<figcaption>^", head);
	if (unit != NULL)
		page_put(pg, " (^)", unit);
	fprintf(pg->f,
	    "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", WIDTH,
	    HEIGHT);
	put_alternative(pg, p, kind, head);
	svg_grid(&plot);
	*ideals += put_ideals(&plot, kind, p);
	for (size_t i = 0; i < p->n; i++)
		put_line(pg, &plot, kind, p->s[i], i);
	fprintf(pg->f,
	    "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n"
	    "</svg>\n</figure>\n",
	    (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6,
	    message(series_devices(pg->set), pg->lang));
	return 1;
}

void
page_charts(const struct html_page *pg, const struct panel *p)
{
	size_t ideals = 0;
	int n = 0;

	if (p->n > MAX_LINES) {
		page_sentence(pg,
		    page_words(pg,
			"No charts: @ lines are too many for one chart; choose "
			"by --select=KEY=VALUE.",
			"未画图：@ 条线过多；可用 --select=KEY=VALUE 选择。"),
		    arena_printf(pg->a, "%zu", p->n));
		return;
	}
	fputs("<div class=\"charts\">\n", pg->f);
	n += put_chart(pg, p, CHART_SPEEDUP, &ideals);
	n += put_chart(pg, p, CHART_EFFICIENCY, &ideals);
	n += put_chart(pg, p, CHART_THROUGHPUT, &ideals);
	fputs("</div>\n", pg->f);
	if (n > 0)
		put_key(pg, p, ideals > 0);
}
