/* Draw a chart in terminal cells: titles above, labels left of and below the
 * plot, the legend last. */
#include <config.h>

#include "plots/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/program/options.h"
#include "common/terminal.h"
#include "common/text.h"

/* --- the canvas ----------------------------------------------------------- */

enum { CANVAS_DOTS_X = 2, CANVAS_DOTS_Y = 4 }; /* of a cell */

/* Colours: plain, faint, and from CANVAS_SERIES on one per series. */
enum { CANVAS_PLAIN, CANVAS_FAINT, CANVAS_SERIES, CANVAS_N_COLOURS = 8 };

/* Each cell holds a character or 2 x 4 dots (a Braille pattern). */
struct canvas_cell {
	char text[5]; /* UTF-8 character; "": dots */
	uint8_t dots; /* bit mask in the order of Braille patterns */
	uint8_t colour;
	uint8_t covered; /* 1: right half of a wide character */
};

/* A canvas with a plot at its top: its axes, and its place in cells. */
struct canvas {
	int columns, lines;
	struct canvas_cell *cells; /* [lines][columns] */
	const struct chart_data *d;
	const struct axis *x, *y;
	int left, width, height; /* of the plot */
};

/* The cell at a position; NULL outside the canvas. */
static struct canvas_cell *
cell_at(struct canvas *c, int column, int line)
{
	if (column < 0 || column >= c->columns || line < 0 || line >= c->lines)
		return NULL;
	return &c->cells[(size_t)line * (size_t)c->columns + (size_t)column];
}

/* Set the dot (x, y), in dots from the top left; ignored outside the canvas. */
static void
draw_dot(struct canvas *c, int x, int y, int colour)
{
	/* Bits of the two columns of dots, from top to bottom. */
	static const uint8_t bits[CANVAS_DOTS_X][CANVAS_DOTS_Y] = {
		{ 0x01, 0x02, 0x04, 0x40 }, { 0x08, 0x10, 0x20, 0x80 }
	};
	struct canvas_cell *cell = x < 0 || y < 0
	    ? NULL
	    : cell_at(c, x / CANVAS_DOTS_X, y / CANVAS_DOTS_Y);

	if (cell == NULL)
		return;
	/* Faint dots do not recolour a cell that has dots. */
	if (cell->dots == 0 || colour != CANVAS_FAINT)
		cell->colour = (uint8_t)colour;
	cell->dots |= bits[x % CANVAS_DOTS_X][y % CANVAS_DOTS_Y];
}

/* Draw a line of dots.
 *
 * every  1: all dots; n > 1: every n-th dot, a dotted line */
static void
draw_line(
    struct canvas *c, int x0, int y0, int x1, int y1, int every, int colour)
{
	/* Bresenham 1965, IBM Systems Journal 4(1). */
	const int dx = abs(x1 - x0), dy = -abs(y1 - y0);
	int off = dx + dy;

	for (long i = 0;; i++) {
		const int twice = 2 * off;

		if (i % every == 0)
			draw_dot(c, x0, y0, colour);
		if (x0 == x1 && y0 == y1)
			break;
		if (twice >= dy) {
			off += dy;
			x0 += x0 < x1 ? 1 : -1;
		}
		if (twice <= dx) {
			off += dx;
			y0 += y0 < y1 ? 1 : -1;
		}
	}
}

enum text_align { TEXT_LEFT, TEXT_CENTRE, TEXT_RIGHT };

/* Write lines of text, cut at the canvas's edge. Text covers dots.
 *
 * at  by align: their first column, middle column or column after the last */
static void
draw_text(struct canvas *c, int at, int line, enum text_align align,
    const char *text, int colour)
{
	for (const char *end; *text != '\0'; line++) {
		int column = at;

		end = text + strcspn(text, "\n");
		column -= (int)utf8_width(text, (size_t)(end - text)) *
		    (int)align / 2;
		while (text < end) {
			struct canvas_cell *cell = cell_at(c, column, line);
			uint32_t cp;
			const size_t n =
			    utf8_decode(text, strnlen(text, 4), &cp);
			const int bad = utf8_is_control(cp);
			const int width =
			    utf8_char_width(bad ? UTF8_INVALID : cp);

			column += width;
			if (width > 0 && cell != NULL && column <= c->columns) {
				*cell =
				    (struct canvas_cell){ .colour =
							      (uint8_t)colour };
				memcpy(cell->text, bad ? "\xef\xbf\xbd" : text,
				    bad ? 3 : n);
				cell[width - 1].covered = width == 2;
			}
			text += n;
		}
		text += *text == '\n';
	}
}

/* Plain, faint, and those of the 16 standard terminal colours that are readable
 * on light and dark backgrounds. */
static const char *const colour_codes[CANVAS_N_COLOURS] = { "\033[0m",
	"\033[0;2m", "\033[0;34m", "\033[0;31m", "\033[0;32m", "\033[0;35m",
	"\033[0;36m", "\033[0;33m" };

static int
is_empty(const struct canvas_cell *cell)
{
	return (cell->text[0] == '\0' || cell->text[0] == ' ') &&
	    cell->dots == 0 && !cell->covered;
}

/* Append the lines to sb without trailing spaces, and free the cells.
 *
 * colour  1: with the terminal's colours */
static void
canvas_write(const struct canvas *c, int colour, struct strbuf *sb)
{
	for (int y = 0; y < c->lines; y++) {
		const struct canvas_cell *row =
		    &c->cells[(size_t)y * (size_t)c->columns];
		int end = c->columns, now = CANVAS_PLAIN;

		while (end > 0 && is_empty(&row[end - 1]))
			end--;
		for (const struct canvas_cell *cell = row; cell < row + end;
		     cell++) {
			if (cell->covered)
				continue;
			if (is_empty(cell)) {
				strbuf_addch(sb, ' ');
				continue;
			}
			if (colour && cell->colour != now) {
				now = cell->colour;
				strbuf_addstr(sb, colour_codes[now]);
			}
			if (cell->text[0] != '\0')
				strbuf_addstr(sb, cell->text);
			else /* U+2800 plus one bit per dot */
				strbuf_printf(sb, "\xe2%c%c",
				    0xa0 | cell->dots >> 6,
				    0x80 | (cell->dots & 0x3f));
		}
		if (now != CANVAS_PLAIN)
			strbuf_addstr(sb, colour_codes[CANVAS_PLAIN]);
		strbuf_addch(sb, '\n');
	}
	free(c->cells);
}

/* --- plots ---------------------------------------------------------------- */

enum {
	LABELS = 10, /* columns for the labels of the y axis */
	AROUND = 14, /* columns beside the plot */
	BELOW = 3,   /* lines: the axis, its labels, its title */
};

#define FILLED "\xe2\x97\x8f" /* circle */

static int
series_colour(size_t i)
{
	return CANVAS_SERIES + (int)(i % (CANVAS_N_COLOURS - CANVAS_SERIES));
}

/* Letter that marks a series, without I and O, which look like digits. */
static const char *
letter_of(size_t i, char text[2])
{
	static const char letters[] = "ABCDEFGHJKLMNPQRSTUVWXYZ";

	text[0] = letters[i % (sizeof letters - 1)];
	text[1] = '\0';
	return text;
}

/* Clamp a value to the axis. */
static double
kept_in(const struct axis *a, double v)
{
	return v < a->low ? a->low : v > a->high ? a->high : v;
}

/* Convert axis values to dots of the canvas; y to the nearest one of the
 * plot. */
static int
dot_x(const struct canvas *c, double v)
{
	return c->left * CANVAS_DOTS_X +
	    (int)lround(axis_share(c->x, v) * (c->width * CANVAS_DOTS_X - 1));
}

static int
dot_y(const struct canvas *c, double v)
{
	const int n = c->height * CANVAS_DOTS_Y - 1;

	return n - (int)lround(axis_share(c->y, kept_in(c->y, v)) * n);
}

/* Draw a line's character in a cell. */
static void
draw_rule(struct canvas *c, int column, int line, const char *rule)
{
	draw_text(c, column, line, TEXT_LEFT, rule, CANVAS_FAINT);
}

/* Draw the lines of both axes, the y axis's labels if asked for, and the x
 * axis's labels and title. */
static void
draw_axes(struct canvas *c, int y_labels, const char *x_title)
{
	const int lines = c->x->label_lines > 1 ? c->x->label_lines : 1;
	const int axis = c->left - 1;

	for (int i = 0; i < c->height; i++)
		draw_rule(c, axis, i, "\xe2\x94\x82");
	for (size_t i = 0; y_labels && i < c->y->n; i++) {
		const struct axis_tick *t = &c->y->ticks[i];
		const int line = dot_y(c, t->at) / CANVAS_DOTS_Y;

		if (t->label[0] == '\0')
			continue;
		draw_rule(c, axis, line, "\xe2\x94\xa4");
		draw_text(
		    c, axis - 1, line, TEXT_RIGHT, t->label, CANVAS_PLAIN);
	}
	draw_rule(c, axis, c->height, "\xe2\x94\x94");
	for (int i = 0; i < c->width; i++)
		draw_rule(c, c->left + i, c->height, "\xe2\x94\x80");
	for (size_t i = 0; i < c->x->n; i++) {
		const struct axis_tick *t = &c->x->ticks[i];
		const int at = dot_x(c, t->at) / CANVAS_DOTS_X;

		if (t->is_minor)
			continue;
		draw_rule(c, at, c->height, "\xe2\x94\xac");
		draw_text(
		    c, at, c->height + 1, TEXT_CENTRE, t->label, CANVAS_PLAIN);
	}
	draw_text(c, c->left + (c->width - (int)utf8_columns(x_title)) / 2,
	    c->height + 1 + lines, TEXT_LEFT, x_title, CANVAS_PLAIN);
}

/* Draw a vertical line over the height of the plot, with every n-th dot, unless
 * at is NAN. */
static void
draw_vertical(struct canvas *c, double at, int every, int colour)
{
	if (isfinite(at))
		draw_line(c, dot_x(c, at), 0, dot_x(c, at),
		    c->height * CANVAS_DOTS_Y - 1, every, colour);
}

/* --- charts with values upwards ------------------------------------------- */

/* Draw a series' letter at a point, over all lines. */
static void
mark_point(struct canvas *c, size_t i, double x, double y)
{
	char letter[2];

	draw_text(c, dot_x(c, x) / CANVAS_DOTS_X, dot_y(c, y) / CANVAS_DOTS_Y,
	    TEXT_LEFT, letter_of(i, letter), series_colour(i));
}

/* Draw the ideal line of a series with a dot every four dots. Returns 1 if it
 * has one. */
static int
draw_ideal(struct canvas *c, const struct chart_series *s)
{
	const enum chart_quantity q = c->d->chart->quantity;
	const int n = c->width * CANVAS_DOTS_X;

	for (int i = 0; i < n; i += 4) {
		const double ideal =
		    chart_ideal(c->d, s, q, axis_at(c->x, (double)i / (n - 1)));

		if (ideal >= c->y->low && ideal <= c->y->high)
			draw_dot(c, c->left * CANVAS_DOTS_X + i,
			    dot_y(c, ideal), CANVAS_FAINT);
	}
	return isfinite(chart_ideal(c->d, s, q, c->x->high));
}

/* Draw a series: points with intervals, joined by lines except those aside; for
 * steps, dots and a line through the running median; or bars.
 *
 * shift  in units of x
 * every  draw every n-th dot of the lines; 0: no lines */
static void
draw_points(struct canvas *c, const struct chart_series *s, double shift,
    int every, int colour)
{
	const struct chart *chart = c->d->chart;
	int x0 = 0, y0 = 0, has = 0;

	for (const struct chart_point *p = s->points;
	     p < s->points + s->n_points; p++) {
		const struct chart_number *y = &p->y[chart->quantity];
		const double v = chart->of_steps ? p->trend : y->at;
		const int x = dot_x(c, p->x + shift);
		int at;

		if (chart->of_steps && isfinite(y->at) && !isfinite(y->low) &&
		    y->at >= c->y->low && y->at <= c->y->high)
			draw_dot(c, x, dot_y(c, y->at), colour);
		if (!isfinite(v))
			continue;
		at = dot_y(c, v);
		if (chart->sample == LEGEND_BOX) {
			const int left = dot_x(c, p->x + shift) /
			    CANVAS_DOTS_X * CANVAS_DOTS_X;
			const int ranged =
			    isfinite(y->low) && isfinite(y->high);

			/* Draw a bar of two columns of dots from 0. With an
			 * interval one column ends at its low, the other at its
			 * high end. */
			for (int i = 0; i < 2; i++)
				draw_line(c, left + i, dot_y(c, 0), left + i,
				    dot_y(c,
					!ranged     ? y->at
					    : i > 0 ? y->high
						    : y->low),
				    1, colour);
		} else if (!chart->of_steps && y->high > y->low)
			draw_line(c, x, dot_y(c, y->low), x, dot_y(c, y->high),
			    1, colour);
		if (p->aside)
			continue;
		if (has && every > 0)
			draw_line(c, x0, y0, x, at, every, colour);
		x0 = x;
		y0 = at;
		has = 1;
	}
}

/* Draw the letter of the i-th series at each point or at the foot of each bar;
 * for steps, at the last median. */
static void
draw_letters(
    struct canvas *c, const struct chart_series *s, double shift, size_t i)
{
	const struct chart *chart = c->d->chart;
	const int is_box = chart->sample == LEGEND_BOX;
	double median = NAN;

	for (size_t k = 0; k < s->n_points; k++) {
		const struct chart_point *p = &s->points[k];
		const double y = p->y[chart->quantity].at;

		if (isfinite(p->trend))
			median = p->trend;
		if (!isfinite(y) || chart->of_steps)
			continue;
		mark_point(c, i, p->x + shift, is_box ? 0 : y);
		if ((p->aside && chart->over_gpus) || chart->labelled)
			draw_text(c, dot_x(c, p->x + shift) / CANVAS_DOTS_X + 2,
			    dot_y(c, y) / CANVAS_DOTS_Y, TEXT_LEFT, p->name,
			    CANVAS_FAINT);
	}
	if (chart->of_steps && isfinite(median))
		mark_point(c, i, s->points[s->n_points - 1].x, median);
}

/* Append a line of text, which is not printed through a canvas. */
static void
add_line(struct strbuf *sb, int indent, const char *text, size_t len)
{
	char *line = xstrndup(text, len);

	text_sanitise(line, "");
	strbuf_printf(sb, "%*s%s\n", indent, "", line);
	free(line);
}

/* Append the legend, one line per series. Long names are not cut. */
static void
add_legend(const struct chart_data *d, const struct chart_series *s, size_t n,
    int colour, int ideal, struct strbuf *sb)
{
	const char *lines[] = { ideal ? d->ideal_title : NULL,
		d->limit > 0 ? d->limit_title : NULL };
	char letter[2];

	for (size_t i = 0; i < n; i++) {
		if (s[i].name[0] == '\0')
			continue;
		strbuf_printf(sb, "%*s%s%s%s  ", LABELS, "",
		    colour ? colour_codes[series_colour(i)] : "",
		    letter_of(i, letter),
		    colour ? colour_codes[CANVAS_PLAIN] : "");
		add_line(sb, 0, s[i].name, strlen(s[i].name));
	}
	for (int i = 0; i < 2; i++)
		if (lines[i] != NULL) {
			strbuf_printf(
			    sb, "%*s\xe2\xa0\x82\xe2\xa0\x82", LABELS, "");
			add_line(sb, 1, lines[i], strlen(lines[i]));
		}
}

/* Draw a plot and its legend.
 *
 * s      [n] its series: all, or those of a facet
 * lines  height of the plot with its axis */
static void
draw_upright(const struct chart_data *d, const struct chart_series *s, size_t n,
    int columns, int lines, int colour, struct strbuf *sb)
{
	const int more = d->x.label_lines > 1 ? d->x.label_lines - 1 : 0;
	struct canvas c = { columns, lines + more,
		xcalloc(
		    (size_t)columns * (size_t)(lines + more), sizeof *c.cells),
		d, &d->x, &d->y, LABELS, columns - AROUND, lines - BELOW };
	/* Bars of several series are side by side. */
	const double step =
	    d->chart->sample == LEGEND_BOX ? 0.8 / (double)n : 0;
	int ideal = 0;

	add_line(sb, 0, d->y_title, strlen(d->y_title));
	draw_axes(&c, 1, d->x_title);
	for (size_t i = 0; i < n; i++)
		ideal |= draw_ideal(&c, &s[i]);
	for (int i = 0; i < c.width * CANVAS_DOTS_X; i += 4)
		if (d->limit > 0 && d->limit <= d->y.high)
			draw_dot(&c, c.left * CANVAS_DOTS_X + i,
			    dot_y(&c, d->limit), CANVAS_FAINT);
	for (size_t i = 0; i < d->n_bands; i++) {
		const struct chart_series *band = &d->series[d->n_series + i];
		const struct chart_series *of = &d->series[band->band_of];

		if (of >= s && of < s + n)
			draw_points(
			    &c, band, 0, 3, series_colour((size_t)(of - s)));
	}
	/* The ends of a measured window, and the settling point. */
	for (size_t i = 0; i < n; i++) {
		draw_vertical(&c, s[i].mark_at.from, 2, CANVAS_FAINT);
		draw_vertical(&c, s[i].mark_at.to, 2, CANVAS_FAINT);
		draw_vertical(&c, s[i].mark_at.settled, 4, series_colour(i));
	}
	for (size_t i = n; i-- > 0;)
		draw_points(&c, &s[i], ((double)i - (double)(n - 1) / 2) * step,
		    d->chart->sample <= LEGEND_STROKE, series_colour(i));
	for (size_t i = 0; i < n; i++)
		draw_letters(
		    &c, &s[i], ((double)i - (double)(n - 1) / 2) * step, i);
	canvas_write(&c, colour, sb);
	add_legend(d, s, n, colour, ideal, sb);
}

/* --- cases down the side ---------------------------------------------------*/

/* Draw an interval on a line, with a mark at its value. */
static void
draw_interval(struct canvas *c, int line, const struct chart_number *y,
    const char *mark, int colour)
{
	const int dots = line * CANVAS_DOTS_Y + 1;

	if (isfinite(y->low) && isfinite(y->high))
		draw_line(c, dot_x(c, kept_in(c->x, y->low)), dots,
		    dot_x(c, kept_in(c->x, y->high)), dots, 1, colour);
	draw_text(
	    c, dot_x(c, y->at) / CANVAS_DOTS_X, line, TEXT_LEFT, mark, colour);
}

/* Draw a point of series i: the number of a grid's cell, the box of a stack
 * with its letter, else a mark with its interval. The mark of a ratio that is
 * proven to be faster or slower is a triangle. */
static void
draw_cell(struct canvas *c, int line, size_t i, const struct chart_point *p)
{
	/* Slower, no proven change or no ratio, faster, mean; the second row:
	 * open points. */
	static const char *const marks[2][4] = {
		{ "\xe2\x96\xbc", FILLED, "\xe2\x96\xb2", "\xe2\x97\x86" },
		{ "\xe2\x96\xbd", "\xe2\x97\x8b", "\xe2\x96\xb3", "" }
	};
	const struct chart *chart = c->d->chart;
	const struct chart_number *y = &p->y[CHART_VALUE];
	const int at = dot_x(c, y->at);
	char letter[2];

	if (chart->is_grid) {
		draw_text(c, at / CANVAS_DOTS_X, line, TEXT_CENTRE, p->name,
		    CANVAS_PLAIN);
	} else if (chart->is_stack) {
		const int from = dot_x(c, y->low);

		for (int dot = 1; dot < CANVAS_DOTS_Y; dot++)
			draw_line(c, from, line * CANVAS_DOTS_Y + dot, at - 1,
			    line * CANVAS_DOTS_Y + dot, 1, series_colour(i));
		draw_text(c, (from + at) / 2 / CANVAS_DOTS_X, line, TEXT_LEFT,
		    letter_of(i, letter), series_colour(i));
	} else {
		draw_interval(c, line, y, marks[p->is_open][p->change + 1],
		    chart->is_ratio && p->change == 0
			? CANVAS_PLAIN
			: CANVAS_SERIES + (p->change < 0));
	}
}

static void
draw_sideways(struct chart_data *d, int columns, int colour, struct strbuf *sb)
{
	const struct chart *chart = d->chart;
	struct canvas c = {
		.columns = columns, .d = d, .x = &d->y, .y = &d->x
	};
	struct forest f;

	forest_lay_out(d, columns, 1, &f);
	c.left = f.left;
	c.width = f.right - f.left;
	c.height = (int)d->n_rows * f.lines;
	c.lines = c.height + BELOW;
	c.cells = xcalloc((size_t)columns * (size_t)c.lines, sizeof *c.cells);
	draw_axes(&c, 0, chart->is_grid ? d->x_title : d->y_title);
	if (chart->is_ratio) {
		draw_vertical(&c, 1, 2, CANVAS_FAINT);
		draw_vertical(&c, 1 / (1 + d->delta), 4, CANVAS_FAINT);
		draw_vertical(&c, 1 + d->delta, 4, CANVAS_FAINT);
	}
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];

		for (size_t k = 0; k < s->n_points && !chart->of_steps; k++)
			draw_cell(&c,
			    ((int)s->points[k].x - 1) * f.lines +
				(f.lines - 1) / 2,
			    i, &s->points[k]);
	}
	for (size_t i = 0; i < d->n_rows; i++) {
		const int line = (int)i * f.lines;

		if (chart->of_steps)
			draw_interval(&c, line + (f.lines - 1) / 2,
			    &d->rows[i].y, FILLED, CANVAS_PLAIN);
		draw_text(&c, f.left - 2, line, TEXT_RIGHT, d->x.ticks[i].label,
		    CANVAS_PLAIN);
		if (f.level < CHART_ROW_TEXTS)
			draw_text(&c, f.right + 1, line + (f.lines - 1) / 2,
			    TEXT_LEFT, d->rows[i].texts[f.level], CANVAS_PLAIN);
	}
	canvas_write(&c, colour, sb);
	if (chart->is_stack)
		add_legend(d, d->series, d->n_series, colour, 0, sb);
}

/* --- all of it ------------------------------------------------------------ */

/* Append the lines of a text, centred. */
static void
add_centred(struct strbuf *sb, struct arena *a, const char *text, int columns)
{
	const char *line = quote_wrap(a, text, (size_t)columns);

	for (size_t len; *line != '\0'; line += len + (line[len] != '\0')) {
		len = strcspn(line, "\n");
		add_line(
		    sb, (columns - (int)utf8_width(line, len)) / 2, line, len);
	}
}

/* Title, note, axes, a line and a letter per series, whiskers for known
 * intervals, a dotted ideal line, the legend. */
int
terminal_chart_draw(struct series_set *set, const struct chart *chart,
    const struct chart_how *how, struct error *e)
{
	enum { LEAST = 12 };
	struct chart_how fitting = *how;
	struct chart_data d;
	const struct chart_series *s, *end;
	struct strbuf text = STRBUF_INIT(SCRIPT_MAX_BYTES);
	const int colour = terminal_colour();
	int columns, lines;

	/* The plot keeps its aspect ratio. */
	terminal_size(&columns, &lines);
	columns = columns < 40 ? 40 : columns > 400 ? 400 : columns;
	lines = columns < 80 ? 24 : columns > 200 ? 60 : columns * 3 / 10;
	fitting.room = columns - AROUND;
	fitting.max_ticks = (lines - BELOW - 3) / 2;
	if (fitting.max_ticks < 2)
		fitting.max_ticks = 2;
	if (chart_collect(chart, set, &fitting, &d, e) != 0)
		return -1;
	add_centred(&text, &d.arena, d.title, columns);
	add_centred(
	    &text, &d.arena, chart_note_line(&d, (size_t)columns), columns);
	/* Leave lines for titles, the legend and a prompt. */
	lines -= 5 + (d.n_facets == 0 ? (int)d.n_series : 0);
	lines = lines > LEAST ? lines : LEAST;
	if (chart->sideways)
		draw_sideways(&d, columns, colour, &text);
	else if (d.n_facets == 0)
		draw_upright(
		    &d, d.series, d.n_series, columns, lines, colour, &text);
	/* Series are sorted by facet. */
	s = end = d.series;
	for (size_t f = 0; f < d.n_facets; f++, s = end) {
		while (end < d.series + d.n_series && end->facet == (int)f)
			end++;
		strbuf_addch(&text, '\n');
		add_centred(&text, &d.arena, d.facets[f], columns);
		draw_upright(
		    &d, s, (size_t)(end - s), columns, lines, colour, &text);
	}
	fwrite(text.buf, 1, text.len, terminal_raw());
	strbuf_release(&text);
	chart_release(&d);
	return 0;
}
