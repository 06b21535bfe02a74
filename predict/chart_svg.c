/* The SVG of --chart, drawn without gnuplot so that it is reproducible. */
#include <config.h>

#include "predict/forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/table/table.h"
#include "common/units/units.h"
#include "plots/style/svg.h"

enum {
	WIDTH = 800,
	PLOT_HEIGHT = 380,
	LEFT = 90,
	RIGHT = 30,
	TOP = 60,
	AXIS = 60, /* below the plot: ticks and title */
	LEGEND_ROW = 20,
	CHARACTER = 8, /* widest character, pixels */
	MAX_TICKS = 12
};

/* Okabe and Ito's colours, which colour-blind readers distinguish. */
static const char *const colours[CHART_SVG_MAX_SERIES] = { "#0072b2", "#d55e00",
	"#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000" };

static void
set_axes(struct svg_plot *p, const struct forecast_set *set)
{
	const size_t band = 2 * set->request->n_levels + 1;
	double low = INFINITY, high = 0;
	size_t n = 0;
	long *gpus; /* distinct counts of all cases, ascending */

	for (size_t i = 0; i < set->n; i++)
		n += set->items[i].n_cases;
	gpus = xcalloc(n, sizeof *gpus);
	n = 0;
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_cases; k++) {
			const struct forecast *f = &set->items[i];
			const struct forecast_case *c = &f->cases[k];
			const double ideal = scaling_speed(
			    &f->s, f->s.baseline->t, (double)c->shape.gpus);
			size_t at = n;

			/* The band is that of the standard level, 80 %. */
			low = fmin(low, fmin(c->speed[band], ideal));
			high = fmax(high, fmax(c->speed[band + 1], ideal));
			while (at > 0 && gpus[at - 1] > c->shape.gpus)
				at--;
			if (at > 0 && gpus[at - 1] == c->shape.gpus)
				continue;
			memmove(gpus + at + 1, gpus + at,
			    (n++ - at) * sizeof *gpus);
			gpus[at] = c->shape.gpus;
		}
	axis_counts(gpus, n, (p->right - p->left) / CHARACTER, 0, &p->x);
	axis_amount(low, high, MAX_TICKS, &p->y);
	free(gpus);
}

/* --- series --------------------------------------------------------------- */

/* The row of a case: its GPUs per node, or 0 (the column) for one node. */
static long
row_of(const struct forecast_case *c)
{
	return c->shape.nodes == 1 ? 0 : c->shape.gpus_per_node;
}

/* Write the corners of a row's outline at the times t[end] of its cases, first
 * case to last or backwards. */
static void
put_corners(const struct svg_plot *p, const struct forecast *f, long row,
    size_t end, int backwards)
{
	int n = 0;

	for (size_t i = 0; i < f->n_cases; i++) {
		const struct forecast_case *c =
		    &f->cases[backwards ? f->n_cases - 1 - i : i];
		const double gpus = (double)c->shape.gpus;

		/* A row starts with the one-node case of the same width. */
		if (row_of(c) != row &&
		    (row == 0 || c->shape.gpus_per_node != row))
			continue;
		fprintf(p->out, "%c%.2f %.2f",
		    n++ == 0 && !backwards ? 'M' : 'L', svg_x(p, gpus),
		    svg_y(p, scaling_speed(&f->s, c->t[end], gpus)));
	}
}

static void
put_points(const struct svg_plot *p, const struct forecast *f, int colour)
{
	for (size_t i = 0; i < f->n_cases; i++) {
		const struct forecast_case *c = &f->cases[i];
		const double gpus = (double)c->shape.gpus;
		char buf[UNITS_TEXT_SIZE];
		const int flagged =
		    c->measured != NULL && c->measured->n_doubts > 0;

		fprintf(p->out,
		    "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%d\" fill=\"%s\" "
		    "stroke=\"%s\"%s><title>",
		    svg_x(p, gpus), svg_y(p, c->speed[0]), c->measured ? 5 : 4,
		    c->measured && !flagged ? colours[colour] : "#ffffff",
		    colours[colour],
		    flagged ? " stroke-dasharray=\"2 2\"" : "");
		table_html_text(p->out, c->shape.name);
		fprintf(p->out, ": %s ", number_format(buf, c->speed[0], 5));
		table_html_text(p->out, f->s.unit);
		fprintf(p->out, ", %s</title></circle>\n",
		    flagged           ? "measured, flagged"
			: c->measured ? "measured"
				      : "predicted");
	}
}

/* Draw the rows with predicted cases, each once: a line through all its cases,
 * and the band between two ends, which has no width at measured cases. */
static void
put_rows(
    const struct svg_plot *p, const struct forecast *f, size_t band, int colour)
{
	for (size_t i = 0; i < f->n_cases; i++) {
		const long row = row_of(&f->cases[i]);
		int drawn = f->cases[i].how == FORECAST_MEASURED;

		for (size_t k = 0; k < i; k++)
			drawn |= f->cases[k].how != FORECAST_MEASURED &&
			    row_of(&f->cases[k]) == row;
		if (drawn)
			continue;
		fprintf(p->out, "<path class=\"b\" fill=\"%s\" d=\"",
		    colours[colour]);
		put_corners(p, f, row, band + 1, 0);
		put_corners(p, f, row, band, 1);
		fprintf(p->out, "z\"/>\n<path class=\"l\" stroke=\"%s\" d=\"",
		    colours[colour]);
		put_corners(p, f, row, 0, 0);
		fputs("\"/>\n", p->out);
	}
}

/* --- the whole ------------------------------------------------------------ */

/* Name of a series in the legend. */
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
	    "<text class=\"n\" x=\"%d\" y=\"%d\">filled: measured; dashed "
	    "edge: flagged; open: predicted, with its 80 %% interval; dashed: "
	    "ideal</text>\n",
	    LEFT, y + LEGEND_ROW / 2 + 4);
}

void
chart_svg_write(struct series_set *set, const struct forecast_set *f, FILE *out)
{
	struct svg_plot p = { .out = out,
		.left = LEFT,
		.top = TOP,
		.bottom = TOP + PLOT_HEIGHT };
	const int height =
	    TOP + PLOT_HEIGHT + AXIS + LEGEND_ROW * ((int)f->n + 2);
	int width = WIDTH;

	/* Widen the chart for long names. */
	for (size_t i = 0; i < f->n; i++) {
		const size_t n = strlen(series_name(set, f, i));
		const int wanted =
		    LEFT + RIGHT + CHARACTER * (int)(n < 1000 ? n : 1000);

		width = wanted > width ? wanted : width;
	}
	p.right = width - RIGHT;
	set_axes(&p, f);
	fprintf(out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
	    "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
	    "aria-labelledby=\"t d\">\n"
	    "<title id=\"t\">Predicted scaling</title>\n"
	    "<desc id=\"d\">Speed over the number of GPUs, both axes "
	    "logarithmic: measured cases, predicted cases with their 80 %% "
	    "interval, and the ideal line.</desc>\n"
	    "<style>text { font: 13px sans-serif; fill: #202020; } "
	    ".h { font-size: 16px; } .n { fill: #606060; } "
	    ".grid { stroke: #e4e4e4; } "
	    ".frame { stroke: #404040; fill: none; } "
	    ".ideal { stroke-dasharray: 6 4; fill: none; opacity: 0.7; } "
	    ".b { opacity: 0.2; } .l { fill: none; stroke-width: 2; } "
	    "circle { stroke-width: 1.5; }</style>\n"
	    "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n"
	    "<text class=\"h\" x=\"%d\" y=\"32\" text-anchor=\"middle\">"
	    "Predicted scaling</text>\n",
	    width, height, width, height, width, height, width / 2);
	svg_grid(&p);
	fprintf(out,
	    "<path class=\"frame\" d=\"M%d %dV%dH%d\"/>\n"
	    "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">GPUs</text>\n"
	    "<text transform=\"translate(20 %d) rotate(-90)\" "
	    "text-anchor=\"middle\">%s (",
	    p.left, p.top, p.bottom, p.right, (p.left + p.right) / 2,
	    p.bottom + 45, (p.top + p.bottom) / 2,
	    f->items[0].s.kind == WORK_STEP_TIME ? "step" : "speed");
	table_html_text(out, f->items[0].s.unit);
	fputs(")</text>\n", out);
	for (size_t i = 0; i < f->n; i++) {
		const struct scaling_series *s = &f->items[i].s;
		const struct scaling_case *b = s->baseline;

		if (s->n == 0)
			continue;
		fprintf(out, "<g stroke=\"%s\">", colours[i]);
		svg_ideal(&p, (double)b->shape.gpus,
		    scaling_speed(s, b->t, (double)b->shape.gpus), p.x.high,
		    scaling_speed(s, b->t, p.x.high));
		fputs("</g>\n", out);
		put_rows(
		    &p, &f->items[i], 2 * f->request->n_levels + 1, (int)i);
		put_points(&p, &f->items[i], (int)i);
	}
	put_legend(&p, set, f);
	fputs("</svg>\n", out);
}
