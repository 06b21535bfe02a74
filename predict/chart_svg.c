/* The SVG of --chart.  It needs no other program, so that it is the same
 * everywhere; main.c calls it with what was predicted. */
#include <config.h>

#include "predict/chart_svg.h"

#include <math.h>
#include <string.h>

#include "common/table/table.h"
#include "common/units/units.h"

enum {
	WIDTH = 800,
	PLOT_HEIGHT = 380,
	LEFT = 90,
	RIGHT = 30,
	TOP = 60,
	AXIS = 60, /* below the plot: ticks and title */
	LEGEND_ROW = 20,
	CHARACTER = 8, /* pixels that one takes at most */
	MAX_TICKS = 12,
	MIN_TICKS = 3
};

/* Okabe and Ito's colours, which colour-blind readers distinguish. */
static const char *const colours[CHART_SVG_MAX_SERIES] = { "#0072b2", "#d55e00",
	"#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000" };

/* The plot: pixels, and what its edges stand for, in logarithms. */
struct svg_plot {
	FILE *out;
	double x0, x1, y0, y1; /* ln of GPUs and of speed */
	int width;
};

static double
at_x(const struct svg_plot *p, double gpus)
{
	return LEFT +
	    (log(gpus) - p->x0) / (p->x1 - p->x0) * (p->width - LEFT - RIGHT);
}

static double
at_y(const struct svg_plot *p, double speed)
{
	return TOP + (p->y1 - log(speed)) / (p->y1 - p->y0) * PLOT_HEIGHT;
}

/* --- ranges --------------------------------------------------------------- */

static void
include_point(struct svg_plot *p, double gpus, double speed)
{
	p->x0 = fmin(p->x0, log(gpus));
	p->x1 = fmax(p->x1, log(gpus));
	p->y0 = fmin(p->y0, log(speed));
	p->y1 = fmax(p->y1, log(speed));
}

/* The band is that of the standard level, 80 %. */
static void
include_case(
    struct svg_plot *p, const struct forecast *f, const struct forecast_case *c)
{
	const double gpus = (double)c->shape.gpus;

	include_point(p, gpus, scaling_speed(&f->s, c->t, gpus));
	include_point(p, gpus, scaling_speed(&f->s, c->standard_low, gpus));
	include_point(p, gpus, scaling_speed(&f->s, c->standard_high, gpus));
	include_point(p, gpus, scaling_speed(&f->s, f->s.baseline->t, gpus));
}

static void
set_ranges(struct svg_plot *p, const struct forecast_set *f)
{
	p->x0 = p->y0 = INFINITY;
	p->x1 = p->y1 = -INFINITY;
	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->items[i].n_cases; k++)
			include_case(p, &f->items[i], &f->items[i].cases[k]);
	/* Room for marks at the edges, and for a single point. */
	p->x0 -= 0.03 * (p->x1 - p->x0) + 0.05;
	p->x1 += 0.03 * (p->x1 - p->x0) + 0.05;
	p->y0 -= 0.03 * (p->y1 - p->y0) + 0.05;
	p->y1 += 0.03 * (p->y1 - p->y0) + 0.05;
}

/* --- axes ----------------------------------------------------------------- */

static void
put_tick_x(const struct svg_plot *p, double gpus)
{
	const double x = at_x(p, gpus);

	fprintf(p->out,
	    "<path class=\"g\" d=\"M%.2f %dv%d\"/>"
	    "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n",
	    x, TOP, PLOT_HEIGHT, x, TOP + PLOT_HEIGHT + 20, gpus);
}

static void
put_tick_y(const struct svg_plot *p, double speed)
{
	const double y = at_y(p, speed);

	/* A tick has few digits, which 12 show as they are. */
	fprintf(p->out,
	    "<path class=\"g\" d=\"M%d %.2fh%d\"/>"
	    "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%.12g</text>\n",
	    LEFT, y, p->width - LEFT - RIGHT, LEFT - 8, y + 4, speed);
}

/* Powers of two, fewer where they do not fit. */
static void
put_axis_x(const struct svg_plot *p)
{
	const int from = (int)ceil(p->x0 / log(2) - 1e-9);
	const int to = (int)floor(p->x1 / log(2) + 1e-9);
	const int step = (to - from) / MAX_TICKS + 1;

	for (int i = from; i <= to; i += step)
		if (i >= 0)
			put_tick_x(p, exp2(i));
}

/* parts[n] in each decade; returns how many fit, and writes them if asked. */
static int
put_decades(const struct svg_plot *p, const double *parts, int n, int write)
{
	const int from = (int)floor(p->y0 / log(10));
	const int to = (int)floor(p->y1 / log(10));
	int ticks = 0;

	for (int i = from; i <= to; i++)
		for (int k = 0; k < n; k++) {
			const double speed = parts[k] * pow(10, i);

			if (log(speed) < p->y0 || log(speed) > p->y1)
				continue;
			ticks++;
			if (write)
				put_tick_y(p, speed);
		}
	return ticks;
}

/* Equal steps of 1, 2 or 5 times a power of ten, for less than a decade. */
static void
put_steps(const struct svg_plot *p)
{
	static const double parts[] = { 1, 2, 5, 10 };
	const double low = exp(p->y0), high = exp(p->y1);
	const double wanted = (high - low) / MIN_TICKS;
	const double power = pow(10, floor(log10(wanted)));
	double step = power;

	for (int i = 0; i < 4 && parts[i] * power <= wanted; i++)
		step = parts[i] * power;
	for (double k = ceil(low / step); k * step <= high; k++)
		put_tick_y(p, k * step);
}

/* 1, 2, 5 in each decade; 1 alone where these are too many, equal steps where
 * they are too few. */
static void
put_axis_y(const struct svg_plot *p)
{
	static const double parts[] = { 1, 2, 5 };
	const int ticks = put_decades(p, parts, 3, 0);

	if (ticks < MIN_TICKS)
		put_steps(p);
	else
		put_decades(p, parts, ticks > MAX_TICKS ? 1 : 3, 1);
}

static void
put_axes(const struct svg_plot *p, const struct forecast_set *f)
{
	const int middle = TOP + PLOT_HEIGHT / 2;

	put_axis_x(p);
	put_axis_y(p);
	fprintf(p->out,
	    "<path class=\"f\" d=\"M%d %dv%dh%d\"/>\n"
	    "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">GPUs</text>\n"
	    "<text transform=\"translate(20 %d) rotate(-90)\" "
	    "text-anchor=\"middle\">%s (",
	    LEFT, TOP, PLOT_HEIGHT, p->width - LEFT - RIGHT,
	    LEFT + (p->width - LEFT - RIGHT) / 2, TOP + PLOT_HEIGHT + 45,
	    middle, f->items[0].s.kind == SPEED_STEP_TIME ? "step" : "speed");
	table_html_text(p->out, f->items[0].s.unit);
	fputs(")</text>\n", p->out);
}

/* --- series --------------------------------------------------------------- */

enum { COLUMN = 0 }; /* instead of GPUs a node: the cases of one node */

/* The row that a predicted case stands on. */
static long
row_of(const struct forecast_case *c)
{
	return c->shape.nodes == 1 ? COLUMN : c->shape.gpus_per_node;
}

/* Does a case stand on the line of a row? */
static int
is_in_row(const struct forecast_case *c, long row)
{
	return row == COLUMN ? c->shape.nodes == 1
			     : c->shape.gpus_per_node == row;
}

static void
put_ideal(const struct svg_plot *p, const struct forecast *f, int colour)
{
	const struct scaling_case *b = f->s.baseline;
	const double last = exp(p->x1), first = (double)b->gpus;

	fprintf(p->out,
	    "<path class=\"i\" stroke=\"%s\" d=\"M%.2f %.2fL%.2f %.2f\"/>\n",
	    colours[colour], at_x(p, first),
	    at_y(p, scaling_speed(&f->s, b->t, first)), at_x(p, last),
	    at_y(p, scaling_speed(&f->s, b->t, last)));
}

/* One point of a row's outline: t is its time, low, middle or high. */
static void
put_corner(const struct svg_plot *p, const struct forecast *f,
    const struct forecast_case *c, double t, int first)
{
	const double gpus = (double)c->shape.gpus;

	fprintf(p->out, "%c%.2f %.2f", first ? 'M' : 'L', at_x(p, gpus),
	    at_y(p, scaling_speed(&f->s, t, gpus)));
}

/* The line of a row through all its cases, and the band around it, which has no
 * width at measured ones. */
static void
put_row(
    const struct svg_plot *p, const struct forecast *f, long row, int colour)
{
	int n = 0;

	fprintf(p->out, "<path class=\"b\" fill=\"%s\" d=\"", colours[colour]);
	for (size_t i = 0; i < f->n_cases; i++)
		if (is_in_row(&f->cases[i], row))
			put_corner(p, f, &f->cases[i],
			    f->cases[i].standard_high, n++ == 0);
	for (size_t i = f->n_cases; i-- > 0;)
		if (is_in_row(&f->cases[i], row))
			put_corner(
			    p, f, &f->cases[i], f->cases[i].standard_low, 0);
	fprintf(p->out, "z\"/>\n<path class=\"l\" stroke=\"%s\" d=\"",
	    colours[colour]);
	n = 0;
	for (size_t i = 0; i < f->n_cases; i++)
		if (is_in_row(&f->cases[i], row))
			put_corner(p, f, &f->cases[i], f->cases[i].t, n++ == 0);
	fputs("\"/>\n", p->out);
}

static void
put_points(const struct svg_plot *p, const struct forecast *f, int colour)
{
	for (size_t i = 0; i < f->n_cases; i++) {
		const struct forecast_case *c = &f->cases[i];
		const double gpus = (double)c->shape.gpus;
		char buf[UNITS_TEXT_SIZE];
		const double speed = scaling_speed(&f->s, c->t, gpus);

		fprintf(p->out,
		    "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%d\" fill=\"%s\" "
		    "stroke=\"%s\"><title>",
		    at_x(p, gpus), at_y(p, speed), c->measured ? 5 : 4,
		    c->measured ? colours[colour] : "#ffffff", colours[colour]);
		table_html_text(p->out, c->shape.name);
		fprintf(p->out, ": %s ", number_format(buf, speed, 5));
		table_html_text(p->out, f->s.unit);
		fprintf(p->out, ", %s</title></circle>\n",
		    c->measured ? "measured" : "predicted");
	}
}

/* A row is drawn where something of it is predicted. */
static void
put_rows(const struct svg_plot *p, const struct forecast *f, int colour)
{
	for (size_t i = 0; i < f->n_cases; i++) {
		const long row = row_of(&f->cases[i]);
		size_t k = 0;

		if (f->cases[i].how == FORECAST_MEASURED)
			continue;
		while (k < i &&
		    (f->cases[k].how == FORECAST_MEASURED ||
			row_of(&f->cases[k]) != row))
			k++;
		if (k == i)
			put_row(p, f, row, colour);
	}
}

/* --- the whole ------------------------------------------------------------ */

int
chart_svg_check(const struct forecast_set *f, struct error *e)
{
	if (forecast_n_predicted(f) == 0)
		return error_set(
		    e, ERROR_EMPTY, "--chart: nothing is predicted");
	if (f->n > CHART_SVG_MAX_SERIES)
		return error_set(e, ERROR_LIMIT,
		    "--chart: %zu series, of which %d can be distinguished; "
		    "choose by --select",
		    f->n, CHART_SVG_MAX_SERIES);
	return 0;
}

/* What a series is called in the legend. */
static const char *
series_name(struct series_set *set, const struct forecast_set *f, size_t i)
{
	const char *name = series_text(set, f->items[i].s.series,
	    set->n > 1 ? set->differing : UINT64_MAX, LANGUAGE_EN);

	return name[0] != '\0' ? name : "speed";
}

static void
put_legend(const struct svg_plot *p, struct series_set *set,
    const struct forecast_set *f)
{
	int y = TOP + PLOT_HEIGHT + AXIS;

	for (size_t i = 0; i < f->n; i++, y += LEGEND_ROW) {
		fprintf(p->out,
		    "<circle cx=\"%d\" cy=\"%d\" r=\"5\" fill=\"%s\"/>"
		    "<text x=\"%d\" y=\"%d\">",
		    LEFT, y + LEGEND_ROW / 2, colours[i], LEFT + 14,
		    y + LEGEND_ROW / 2 + 4);
		table_html_text(p->out, series_name(set, f, i));
		fputs("</text>\n", p->out);
	}
	fprintf(p->out,
	    "<text class=\"n\" x=\"%d\" y=\"%d\">filled: measured; open: "
	    "predicted, with its 80 %% interval; dashed: ideal</text>\n",
	    LEFT, y + LEGEND_ROW / 2 + 4);
}

static void
put_head(const struct svg_plot *p, int height)
{
	fprintf(p->out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
	    "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
	    "aria-labelledby=\"t d\">\n"
	    "<title id=\"t\">Predicted scaling</title>\n"
	    "<desc id=\"d\">Speed over the number of GPUs, both axes "
	    "logarithmic: measured cases, predicted cases with their 80 %% "
	    "interval, and the ideal line.</desc>\n"
	    "<style>text { font: 13px sans-serif; fill: #202020; } "
	    ".h { font-size: 16px; } .n { fill: #606060; } "
	    ".g { stroke: #e4e4e4; } "
	    ".f { stroke: #404040; fill: none; } "
	    ".i { stroke-dasharray: 6 4; fill: none; opacity: 0.7; } "
	    ".b { opacity: 0.2; } .l { fill: none; stroke-width: 2; } "
	    "circle { stroke-width: 1.5; }</style>\n"
	    "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n"
	    "<text class=\"h\" x=\"%d\" y=\"32\" text-anchor=\"middle\">"
	    "Predicted scaling</text>\n",
	    p->width, height, p->width, height, p->width, height, p->width / 2);
}

void
chart_svg_write(struct series_set *set, const struct forecast_set *f, FILE *out)
{
	struct svg_plot p = { .out = out, .width = WIDTH };
	const int height =
	    TOP + PLOT_HEIGHT + AXIS + LEGEND_ROW * ((int)f->n + 2);

	/* No name is cut off. */
	for (size_t i = 0; i < f->n; i++) {
		const size_t n = strlen(series_name(set, f, i));
		const int wanted =
		    LEFT + RIGHT + CHARACTER * (int)(n < 1000 ? n : 1000);

		p.width = wanted > p.width ? wanted : p.width;
	}
	set_ranges(&p, f);
	put_head(&p, height);
	put_axes(&p, f);
	for (size_t i = 0; i < f->n; i++) {
		if (f->items[i].s.n == 0)
			continue;
		put_ideal(&p, &f->items[i], (int)i);
		put_rows(&p, &f->items[i], (int)i);
		put_points(&p, &f->items[i], (int)i);
	}
	put_legend(&p, set, f);
	fputs("</svg>\n", out);
}
