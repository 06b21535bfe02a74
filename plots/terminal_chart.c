/* Draw a chart in terminal cells: titles above, labels left of and below the
 * plot, the legend last. */
#include <config.h>

#include "plots/terminal_chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/utf8.h"
#include "plots/canvas.h"
#include "plots/forest.h"

enum {
	LABELS = 10, /* columns for the labels of the y axis */
	BELOW = 3,   /* lines: the axis, its labels, its title */
	LETTERS = 24
};

/* Position and size of the plot in the canvas, in cells. */
struct terminal_plot {
	const struct chart_data *d;
	struct canvas *c;
	int left, top, columns, lines;
};

int
terminal_chart_room(int columns)
{
	return columns - LABELS - 4;
}

int
terminal_chart_max_ticks(int lines)
{
	const int n = (lines - BELOW - 3) / 2;

	return n < 2 ? 2 : n;
}

/* Letter that marks a series, without I and O, which look like digits. */
static char
series_letter(size_t i)
{
	return "ABCDEFGHJKLMNPQRSTUVWXYZ"[i % LETTERS];
}

static int
series_colour(size_t i)
{
	return CANVAS_SERIES + (int)(i % (CANVAS_N_COLOURS - CANVAS_SERIES));
}

/* Convert axis values to dots of the canvas. */
static int
dot_x(const struct terminal_plot *p, double v)
{
	const int n = p->columns * CANVAS_DOTS_X - 1;

	return p->left * CANVAS_DOTS_X +
	    (int)lround(axis_share(&p->d->x, v) * n);
}

static int
dot_y(const struct terminal_plot *p, double v)
{
	const int n = p->lines * CANVAS_DOTS_Y - 1;

	return p->top * CANVAS_DOTS_Y + n -
	    (int)lround(axis_share(&p->d->y, v) * n);
}

/* Clamp a value to the axis. */
static double
kept_in(const struct axis *a, double v)
{
	return v < a->low ? a->low : v > a->high ? a->high : v;
}

static int
kept_y(const struct terminal_plot *p, double v)
{
	return dot_y(p, kept_in(&p->d->y, v));
}

static void
draw_y_axis(const struct terminal_plot *p)
{
	for (int i = 0; i < p->lines; i++)
		canvas_text(p->c, p->left - 1, p->top + i, "\xe2\x94\x82",
		    CANVAS_FAINT);
	for (size_t i = 0; i < p->d->y.n; i++) {
		const struct axis_tick *t = &p->d->y.ticks[i];
		const int line = dot_y(p, t->at) / CANVAS_DOTS_Y;
		const int width = (int)utf8_width(t->label, strlen(t->label));

		if (t->label[0] == '\0')
			continue;
		canvas_text(
		    p->c, p->left - 1, line, "\xe2\x94\xa4", CANVAS_FAINT);
		canvas_text(
		    p->c, p->left - 2 - width, line, t->label, CANVAS_PLAIN);
	}
}

enum text_align { TEXT_LEFT, TEXT_CENTRE, TEXT_RIGHT };

/* Draw the lines of a text from `line` on; at: the first, middle or last
 * column, by align. */
static void
draw_text(const struct terminal_plot *p, int at, int line,
    enum text_align align, const char *label)
{
	while (*label != '\0') {
		const size_t len = strcspn(label, "\n");
		const int width = (int)utf8_width(label, len);
		const int before = align == TEXT_LEFT ? 0
		    : align == TEXT_CENTRE            ? width / 2
						      : width - 1;
		char *one = xstrndup(label, len);

		canvas_text(p->c, at - before, line++, one, CANVAS_PLAIN);
		free(one);
		label += len + (label[len] != '\0');
	}
}

static void
draw_x_axis(const struct terminal_plot *p)
{
	const int line = p->top + p->lines;
	int width;

	canvas_text(p->c, p->left - 1, line, "\xe2\x94\x94", CANVAS_FAINT);
	for (int i = 0; i < p->columns; i++)
		canvas_text(
		    p->c, p->left + i, line, "\xe2\x94\x80", CANVAS_FAINT);
	for (size_t i = 0; i < p->d->x.n; i++) {
		const struct axis_tick *t = &p->d->x.ticks[i];
		const int at = dot_x(p, t->at) / CANVAS_DOTS_X;

		if (t->is_minor)
			continue;
		canvas_text(p->c, at, line, "\xe2\x94\xac", CANVAS_FAINT);
		draw_text(p, at, line + 1, TEXT_CENTRE, t->label);
	}
	width = (int)utf8_width(p->d->x_title, strlen(p->d->x_title));
	canvas_text(p->c, p->left + (p->columns - width) / 2,
	    line + 1 + (p->d->x.label_lines > 1 ? p->d->x.label_lines : 1),
	    p->d->x_title, CANVAS_PLAIN);
}

/* Draw a series' letter, over all lines. */
static void
put_letter(const struct terminal_plot *p, size_t i, double x, double y)
{
	const char mark[2] = { series_letter(i), '\0' };

	canvas_text(p->c, dot_x(p, x) / CANVAS_DOTS_X,
	    kept_y(p, y) / CANVAS_DOTS_Y, mark, series_colour(i));
}

/* Draw the ideal line of a series with a dot every four dots. */
static void
draw_ideal(const struct terminal_plot *p, const struct chart_series *s)
{
	const struct axis *x = &p->d->x;
	const int n = p->columns * CANVAS_DOTS_X;
	int x0 = 0, y0 = 0, has = 0;

	for (int i = 0; i < n; i++) {
		const double share = (double)i / (n - 1);
		const double v = axis_at(x, share);
		const double ideal = chart_ideal(s, p->d->chart->quantity, v);
		int y;

		if (!isfinite(ideal) || ideal < p->d->y.low ||
		    ideal > p->d->y.high) {
			has = 0;
			continue;
		}
		y = dot_y(p, ideal);
		if (!has || i - x0 >= 4 || abs(y - y0) >= 4) {
			canvas_dot(
			    p->c, p->left * CANVAS_DOTS_X + i, y, CANVAS_FAINT);
			x0 = i;
			y0 = y;
		}
		has = 1;
	}
}

/* Draw points with their intervals, and lines between those not aside.
 *
 * every  draw every n-th dot of the lines; 0: no lines */
static void
draw_points(const struct terminal_plot *p, const struct chart_point *points,
    size_t n, int every, int colour)
{
	int x0 = 0, y0 = 0, has = 0;

	for (size_t k = 0; k < n; k++) {
		const struct chart_number *y =
		    &points[k].y[p->d->chart->quantity];
		const int x = dot_x(p, points[k].x);
		const int at = isfinite(y->at) ? kept_y(p, y->at) : 0;

		if (!isfinite(y->at))
			continue;
		if (isfinite(y->low) && isfinite(y->high) && y->high > y->low)
			canvas_line(p->c, x, kept_y(p, y->low), x,
			    kept_y(p, y->high), 1, colour);
		if (points[k].aside)
			continue;
		if (has && every > 0)
			canvas_line(p->c, x0, y0, x, at, every, colour);
		x0 = x;
		y0 = at;
		has = 1;
	}
}

/* Draw steps as dots, and the running median over them. */
static void
draw_steps(const struct terminal_plot *p, size_t i)
{
	const struct chart_series *s = &p->d->series[i];
	const int colour = series_colour(i);
	double median = NAN;

	for (size_t k = 0; k < s->n_points; k++) {
		const struct chart_point *pt = &s->points[k];
		const double y = pt->y[CHART_VALUE].at, last = median;

		if (isfinite(y))
			canvas_dot(p->c, dot_x(p, pt->x), dot_y(p, y), colour);
		if (!isfinite(pt->trend))
			continue;
		median = pt->trend;
		if (isfinite(last))
			canvas_line(p->c, dot_x(p, pt[-1].x), dot_y(p, last),
			    dot_x(p, pt->x), dot_y(p, median), 1, colour);
	}
	put_letter(p, i, s->points[s->n_points - 1].x, median);
}

/* Draw lines at the ends of measured windows and at settling points. */
static void
draw_marks(const struct terminal_plot *p)
{
	const int top = p->top * CANVAS_DOTS_Y;
	const int bottom = (p->top + p->lines) * CANVAS_DOTS_Y - 1;

	for (size_t i = 0; i < p->d->n_series; i++) {
		const struct chart_mark *m = &p->d->series[i].mark_at;
		const double at[] = { m->from, m->to, m->settled };

		for (int k = 0; k < 3; k++)
			if (isfinite(at[k]))
				canvas_line(p->c, dot_x(p, at[k]), top,
				    dot_x(p, at[k]), bottom, k < 2 ? 2 : 4,
				    k < 2 ? CANVAS_FAINT : series_colour(i));
	}
}

/* Draw a bar of two columns of dots. With an interval one column ends at its
 * low, the other at its high end. */
static void
draw_box(const struct terminal_plot *p, double x, const struct chart_number *y,
    int colour)
{
	const int has = isfinite(y->low) && isfinite(y->high);
	const int at = dot_x(p, x) / CANVAS_DOTS_X * CANVAS_DOTS_X;
	const int foot = dot_y(p, 0);

	canvas_line(
	    p->c, at, foot, at, kept_y(p, has ? y->low : y->at), 1, colour);
	canvas_line(p->c, at + 1, foot, at + 1,
	    kept_y(p, has ? y->high : y->at), 1, colour);
}

/* Draw bars from 0: side by side, or stacked with the last one drawn first. */
static void
draw_boxes(const struct terminal_plot *p)
{
	const size_t n = p->d->n_series;
	const double width = 0.8 / (double)n;

	for (size_t i = n; i-- > 0;) {
		const struct chart_series *s = &p->d->series[i];
		const double shift = p->d->chart->is_stack
		    ? 0
		    : ((double)i - (double)(n - 1) / 2) * width;

		for (size_t k = 0; k < s->n_points; k++) {
			const struct chart_number *y =
			    &s->points[k].y[CHART_VALUE];
			const double x = s->points[k].x + shift;

			draw_box(p, x, y, series_colour(i));
			/* Letters go to the foot of the bar, so that the
			 * interval stays visible. */
			put_letter(p, i, x, p->d->chart->is_stack ? y->at : 0);
		}
	}
}

static void
draw_letters(const struct terminal_plot *p, size_t i)
{
	const struct chart_series *s = &p->d->series[i];
	const struct chart *chart = p->d->chart;

	for (size_t k = 0; k < s->n_points; k++) {
		const struct chart_point *pt = &s->points[k];
		const double y = pt->y[chart->quantity].at;

		if (!isfinite(y))
			continue;
		put_letter(p, i, pt->x, y);
		if ((pt->aside && chart->over_gpus) || chart->labelled)
			canvas_text(p->c, dot_x(p, pt->x) / CANVAS_DOTS_X + 2,
			    kept_y(p, y) / CANVAS_DOTS_Y, pt->name,
			    CANVAS_FAINT);
	}
}

/* Length in bytes of a text's first line; a line that is too long is cut at a
 * space, else where it is full. */
static size_t
line_length(const char *text, size_t columns)
{
	const size_t end = strcspn(text, "\n");
	size_t space = 0, used = 0;
	uint32_t cp;

	for (size_t i = 0, n; i < end; i += n) {
		n = utf8_decode(text + i, end - i, &cp);
		used += (size_t)utf8_char_width(cp);
		if (used > columns && space > 0)
			return space;
		if (used > columns)
			return i > 0 ? i : n;
		if (text[i] == ' ')
			space = i;
	}
	return end;
}

/* Append the lines of a text, centred. */
static void
add_centred(struct strbuf *sb, const char *text, int columns)
{
	while (text != NULL && *text != '\0') {
		const size_t len = line_length(text, (size_t)columns);
		const size_t used = utf8_width(text, len);

		strbuf_addchars(sb, ' ',
		    used < (size_t)columns ? ((size_t)columns - used) / 2 : 0);
		strbuf_add(sb, text, len);
		strbuf_addch(sb, '\n');
		text += len;
		text += strspn(text, " \n");
	}
}

/* Append the legend, one line per series. Long names are not cut. */
static void
add_legend(const struct chart_data *d, int colour, int ideal, struct strbuf *sb)
{
	for (size_t i = 0; i < d->n_series; i++) {
		struct canvas c;
		const char mark[2] = { series_letter(i), '\0' };
		const char *name = d->series[i].name;

		if (name == NULL || name[0] == '\0')
			continue;
		canvas_init(
		    &c, LABELS + 4 + (int)utf8_width(name, strlen(name)), 1);
		canvas_text(&c, LABELS, 0, mark, series_colour(i));
		canvas_text(&c, LABELS + 3, 0, name, CANVAS_PLAIN);
		canvas_write(&c, colour, sb);
		canvas_release(&c);
	}
	if (ideal)
		strbuf_printf(sb, "%*s\xe2\xa0\x82\xe2\xa0\x82 %s\n", LABELS,
		    "", d->ideal_title);
	if (d->limit > 0)
		strbuf_printf(sb, "%*s\xe2\xa0\x82\xe2\xa0\x82 %s\n", LABELS,
		    "", d->limit_title);
}

/* --- cases down the side ---------------------------------------------------*/

/* Draw a vertical line over the height of the plot. */
static void
draw_vertical(const struct terminal_plot *p, double at, int every)
{
	canvas_line(p->c, dot_x(p, at), p->top * CANVAS_DOTS_Y, dot_x(p, at),
	    (p->top + p->lines) * CANVAS_DOTS_Y - 1, every, CANVAS_FAINT);
}

/* Line in the middle of row i. */
static int
row_middle(const struct forest *f, size_t i)
{
	return (int)i * f->lines + (f->lines - 1) / 2;
}

/* Draw an interval with a mark at its value. */
static void
draw_interval(const struct terminal_plot *p, const struct forest *f, size_t i,
    const struct chart_number *y, const char *mark, int colour)
{
	const int middle = row_middle(f, i);
	const int dots = middle * CANVAS_DOTS_Y + 1;

	if (isfinite(y->low) && isfinite(y->high))
		canvas_line(p->c, dot_x(p, kept_in(&p->d->x, y->low)), dots,
		    dot_x(p, kept_in(&p->d->x, y->high)), dots, 1, colour);
	canvas_text(
	    p->c, dot_x(p, y->at) / CANVAS_DOTS_X, middle, mark, colour);
}

/* Draw the texts of all rows. */
static void
draw_rows(const struct terminal_plot *p, const struct forest *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const int line = (int)i * f->lines;

		draw_text(
		    p, f->left - 3, line, TEXT_RIGHT, p->d->y.ticks[i].label);
		if (f->number_at > 0)
			canvas_text(p->c, f->number_at, row_middle(f, i),
			    p->d->rows[i].number, CANVAS_PLAIN);
		draw_text(p, f->verdict_at, line, TEXT_LEFT, f->verdicts[i]);
	}
}

/* Draw ratios with their intervals; marks are filled where a change is
 * proven. */
static void
draw_ratios(const struct terminal_plot *p, const struct forest *f)
{
	static const char filled[] = "\xe2\x97\x8f", open[] = "\xe2\x97\x8b",
			  diamond[] = "\xe2\x97\x86";
	const struct chart_series *s = &p->d->series[0];

	draw_vertical(p, 1, 2);
	if (p->d->delta > 0) {
		draw_vertical(p, 1 / (1 + p->d->delta), 4);
		draw_vertical(p, 1 + p->d->delta, 4);
	}
	for (size_t i = 0; i < s->n_points; i++)
		draw_interval(p, f, i, &s->points[i].y[CHART_VALUE],
		    s->points[i].is_open ? open : filled, CANVAS_SERIES);
	if (p->d->mean.at > 0)
		draw_interval(
		    p, f, f->n - 1, &p->d->mean, diamond, CANVAS_SERIES);
}

/* Draw steps as dots spread over the height of their row. */
static void
draw_spreads(const struct terminal_plot *p, const struct forest *f)
{
	static const char mark[] = "\xe2\x97\x8f";
	const int height = f->lines * CANVAS_DOTS_Y;

	for (size_t i = 0; i < p->d->n_series; i++) {
		const struct chart_series *s = &p->d->series[i];

		for (size_t k = 0; k < s->n_points; k++)
			canvas_dot(p->c,
			    dot_x(p, s->points[k].y[CHART_VALUE].at),
			    (int)i * height + (int)(k * 5 % (size_t)height),
			    series_colour((size_t)s->colour));
		draw_interval(p, f, i, &s->spread, mark, CANVAS_PLAIN);
	}
}

static void
draw_forest(
    const struct chart_data *d, int columns, int colour, struct strbuf *sb)
{
	struct chart_data turned = *d;
	struct canvas c;
	struct forest f;
	struct terminal_plot p = { .d = &turned, .c = &c };

	turned.x = d->y;
	turned.y = d->x;
	turned.x_title = d->y_title;
	forest_lay_out(d, columns, &forest_cells, &f);
	p.left = f.left;
	p.columns = f.right - f.left;
	p.lines = f.height;
	canvas_init(&c, columns, p.lines + BELOW);
	for (int i = 0; i < p.lines; i++)
		canvas_text(&c, p.left - 1, i, "\xe2\x94\x82", CANVAS_FAINT);
	draw_x_axis(&p);
	if (d->chart->of_steps)
		draw_spreads(&p, &f);
	else
		draw_ratios(&p, &f);
	draw_rows(&p, &f);
	canvas_write(&c, colour, sb);
	canvas_release(&c);
	forest_release(&f);
}

/* Draw the plot and its legend.
 *
 * first  index of d's first series among all series */
static void
draw_plot(const struct chart_data *d, int first, int columns, int lines,
    int colour, struct strbuf *sb)
{
	struct canvas c;
	struct terminal_plot p = { .d = d,
		.c = &c,
		.left = LABELS,
		.columns = terminal_chart_room(columns),
		.lines = lines - BELOW - 3 };
	const int is_plain =
	    !d->chart->of_steps && d->chart->sample != LEGEND_BOX;
	int ideal = 0;

	if (d->chart->sideways) {
		draw_forest(d, columns, colour, sb);
		return;
	}
	strbuf_printf(sb, "%s\n", d->y_title);
	canvas_init(&c, columns,
	    p.lines + BELOW +
		(d->x.label_lines > 1 ? d->x.label_lines - 1 : 0));
	draw_y_axis(&p);
	draw_x_axis(&p);
	for (size_t i = 0; i < d->n_series; i++) {
		if (!isfinite(chart_ideal(&d->series[i], d->chart->quantity,
			d->x.low > 0 ? d->x.low : 1)))
			continue;
		ideal = 1;
		draw_ideal(&p, &d->series[i]);
	}
	if (d->limit > 0)
		for (int i = 0; i < p.columns * CANVAS_DOTS_X; i += 4)
			canvas_dot(&c, p.left * CANVAS_DOTS_X + i,
			    dot_y(&p, d->limit), CANVAS_FAINT);
	for (size_t i = 0; i < d->n_bands; i++)
		if (d->bands[i].series >= first &&
		    d->bands[i].series < first + (int)d->n_series)
			draw_points(&p, d->bands[i].points,
			    d->bands[i].n_points, 3,
			    series_colour(
				(size_t)(d->bands[i].series - first)));
	if (d->chart->sample == LEGEND_BOX)
		draw_boxes(&p);
	draw_marks(&p);
	for (size_t i = 0; d->chart->of_steps && i < d->n_series; i++)
		draw_steps(&p, i);
	for (size_t i = 0; is_plain && i < d->n_series; i++)
		draw_points(&p, d->series[i].points, d->series[i].n_points,
		    legend_sample_is_line(d->chart->sample), series_colour(i));
	for (size_t i = 0; is_plain && i < d->n_series; i++)
		draw_letters(&p, i);
	canvas_write(&c, colour, sb);
	canvas_release(&c);
	add_legend(d, colour, ideal, sb);
}

void
terminal_chart_draw(const struct chart_data *d, int columns, int lines,
    int colour, struct strbuf *sb)
{
	struct chart_data facet = *d;

	add_centred(sb, d->title, columns);
	add_centred(sb, d->note, columns);
	if (d->n_facets == 0)
		draw_plot(d, 0, columns, lines, colour, sb);
	/* Series are sorted by facet. */
	for (size_t f = 0; f < d->n_facets; f++) {
		facet.n_series = 0;
		while (
		    facet.series + facet.n_series < d->series + d->n_series &&
		    facet.series[facet.n_series].facet == (int)f)
			facet.n_series++;
		strbuf_addch(sb, '\n');
		add_centred(sb, d->facets[f], columns);
		draw_plot(&facet, (int)(facet.series - d->series), columns,
		    lines, colour, sb);
		facet.series += facet.n_series;
	}
}
