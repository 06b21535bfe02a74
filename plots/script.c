#include <config.h>

#include "plots/script.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/install_path.h"
#include "common/json/json_write.h"
#include "common/utf8.h"
#include "plots/legend.h"
#include "plots/quote.h"
#include "plots/forest.h"

/* --- layout --------------------------------------------------------------- */

/* Sizes in pixels, of a sans-serif font of FONT pixels. */
enum {
	FONT = 13,
	LETTER_WIDTH = 7, /* of an average character */
	TITLE_CHAR = 9,   /* the same of the title */
	TITLE_LINE = 22,  /* height of its lines */
	NOTE_LINE = 17,   /* of the note's */
	PLOT_HEIGHT = 340,
	X_AXIS_HEIGHT = 74, /* labels and title of the x axis */
	Y_AXIS_WIDTH = 110, /* of the y axis, and the margin on the right */
	/* Of names at the ends of lines. */
	DIRECT_MAX_NAME = 24, /* characters */
	DIRECT_MAX_SERIES = 8,
	DIRECT_MIN_WIDTH = 480,
	/* Of charts side by side. */
	FACET_HEIGHT = 200, /* of a plot */
	FACET_LEAST = 60,   /* the same in a picture of a fixed height */
	FACET_TITLE = 26,   /* above it */
	FACET_BELOW = 34,   /* labels of the x axis */
	FACET_MIN_WIDTH = 210,
	FACET_GAP = 18,
	FACET_LEFT = 78, /* labels and title of the y axis */
	FACET_RIGHT = 22
};

struct layout {
	int width, height;  /* pixels */
	char *title, *note; /* broken into lines */
	int title_lines, note_lines;
	int label_lines;        /* of the x axis */
	double top, bottom;     /* of the plot, in shares of the height */
	double title_y, note_y; /* middle of the first line, the same */
	struct legend legend;
	int direct;   /* names stand at the ends of lines, not in the legend */
	double right; /* end of the plot then, in shares of the width */
	int columns, rows; /* of facets; 0: one chart */
	char **facets;     /* [n_facets] their titles, broken into lines */
	size_t n_facets;
	int facet_title;      /* pixels of them */
	struct forest forest; /* of charts with cases down the side */
};

/* Has series i an ideal line that no earlier one has? */
static int
has_own_ideal(const struct chart_data *d, size_t i)
{
	double y = chart_ideal(&d->series[i], d->chart->quantity, 1);

	if (!isfinite(y))
		return 0;
	for (size_t k = 0; k < i; k++) {
		double other =
		    chart_ideal(&d->series[k], d->chart->quantity, 1);

		if (fabs(y - other) <= 1e-9 * fabs(y) &&
		    d->series[k].flat == d->series[i].flat)
			return 0;
	}
	return 1;
}

static size_t
count_ideals(const struct chart_data *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_series; i++)
		n += (size_t)has_own_ideal(d, i);
	return n;
}

/* The last point of a series' line, or NULL. */
static const struct chart_point *
last_point(const struct chart_data *d, const struct chart_series *s)
{
	const struct chart_point *last = NULL;

	for (size_t k = 0; k < s->n_points; k++) {
		const double y = s->points[k].y[d->chart->quantity].at;

		if (!s->points[k].aside && isfinite(y) && y > 0)
			last = &s->points[k];
	}
	return last;
}

static double
axis_share(const struct axis *a, double v)
{
	return a->base > 0 ? log(v / a->low) / log(a->high / a->low)
			   : (v - a->low) / (a->high - a->low);
}

/* Where a line ends, in pixels above the x axis; NAN if its name cannot stand
 * there: it ends before the others, or the name is long. */
static double
end_height(const struct chart_data *d, const struct chart_series *s, int pixels)
{
	const struct chart_point *last = last_point(d, s);

	if (last == NULL ||
	    utf8_width(s->name, strlen(s->name)) > DIRECT_MAX_NAME)
		return NAN;
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_point *other = last_point(d, &d->series[i]);

		if (other != NULL && other->x > last->x)
			return NAN;
	}
	return axis_share(&d->y, last->y[d->chart->quantity].at) * pixels;
}

/* May names stand at the ends of the lines, without touching each other? */
static int
names_fit(const struct chart_data *d, const struct script_how *how)
{
	const int pixels = how->height > 0 ? how->height / 2 : PLOT_HEIGHT;

	if (d->n_facets > 0 || d->n_bands > 0 || d->chart->of_steps ||
	    d->limit > 0 || d->chart->sample != LEGEND_LINE ||
	    d->n_series < 2 || d->n_series > DIRECT_MAX_SERIES ||
	    how->width < DIRECT_MIN_WIDTH)
		return 0;
	for (size_t i = 0; i < d->n_series; i++) {
		const double y = end_height(d, &d->series[i], pixels);

		if (isnan(y))
			return 0;
		for (size_t k = 0; k < i; k++)
			if (fabs(end_height(d, &d->series[k], pixels) - y) <
			    NOTE_LINE)
				return 0;
	}
	return 1;
}

/* Room at the right for the names. */
static void
lay_out_names(
    const struct chart_data *d, const struct script_how *how, struct layout *l)
{
	size_t widest = 0;

	l->direct = names_fit(d, how);
	for (size_t i = 0; l->direct && i < d->n_series; i++) {
		const char *name = d->series[i].name;
		const size_t width = utf8_width(name, strlen(name));

		widest = width > widest ? width : widest;
	}
	l->right = 1 - ((double)widest * LETTER_WIDTH + 20) / how->width;
}

/* Series of several facets that have the same name look alike, and stand in the
 * legend once. */
static int
is_first_of_name(const struct chart_data *d, size_t i)
{
	for (size_t k = 0; d->n_facets > 0 && k < i; k++)
		if (strcmp(d->series[k].name, d->series[i].name) == 0)
			return 0;
	return 1;
}

/* The ideal line first, then the series. */
static void
lay_out_legend(
    const struct chart_data *d, const struct script_how *how, struct layout *l)
{
	struct legend_entry *entries =
	    xcalloc(d->n_series + 2, sizeof *entries);
	size_t n = 0;

	if (count_ideals(d) > 0)
		entries[n++] =
		    (struct legend_entry){ d->ideal_title, 100, LEGEND_IDEAL };
	if (d->limit > 0)
		entries[n++] =
		    (struct legend_entry){ d->limit_title, 100, LEGEND_IDEAL };
	for (size_t i = 0; !l->direct && !d->chart->sideways && i < d->n_series;
	     i++)
		if (is_first_of_name(d, i))
			entries[n++] = (struct legend_entry){ d->series[i].name,
				(int)i + 1, d->chart->sample };
	/* One series is not named. */
	legend_lay_out(
	    entries, n > 1 || l->direct ? n : 0, how->width, &l->legend);
	free(entries);
}

static void
lay_out_facets(int n, const struct script_how *how, struct layout *l)
{
	int columns = (how->width - FACET_LEFT - FACET_RIGHT) / FACET_MIN_WIDTH;

	if (n == 0)
		return;
	columns = columns < 1 ? 1 : columns > n ? n : columns;
	/* Four are 2 x 2 rather than 3 + 1. */
	l->rows = (n + columns - 1) / columns;
	l->columns = (n + l->rows - 1) / l->rows;
}

/* Pixels between the axes of a facet. */
static double
facet_width(const struct script_how *how, const struct layout *l)
{
	return (double)(how->width - FACET_LEFT - FACET_RIGHT -
		   (l->columns - 1) * FACET_GAP) /
	    l->columns;
}

/* Break the titles of facets into lines of their width. */
static void
lay_out_facet_titles(
    const struct chart_data *d, const struct script_how *how, struct layout *l)
{
	int lines = 1;

	l->n_facets = d->n_facets;
	l->facets = xcalloc(d->n_facets + 1, sizeof *l->facets);
	for (size_t i = 0; i < d->n_facets; i++) {
		l->facets[i] = quote_wrap(d->facets[i],
		    (size_t)(facet_width(how, l) / (LETTER_WIDTH + 1)));
		if (quote_count_lines(l->facets[i]) > lines)
			lines = quote_count_lines(l->facets[i]);
	}
	l->facet_title = FACET_TITLE + (lines - 1) * TITLE_LINE;
}

/* Room for the labels of the x axis below a facet. */
static int
facet_below(const struct layout *l)
{
	const int more = l->label_lines > 1 ? l->label_lines - 1 : 0;

	return FACET_BELOW + more * NOTE_LINE;
}

/* Pictures grow with what stands above and below the plot. */
static void
lay_out_picture(const struct script_how *how, struct layout *l)
{
	const int plot = l->rows > 0
	    ? l->rows * (FACET_HEIGHT + l->facet_title + facet_below(l)) -
		facet_below(l)
	    : l->forest.n > 0 ? l->forest.height
			      : PLOT_HEIGHT;
	int top = 14 + l->title_lines * TITLE_LINE + l->note_lines * NOTE_LINE;
	int bottom = X_AXIS_HEIGHT + l->legend.height +
	    (l->label_lines > 1 ? (l->label_lines - 1) * NOTE_LINE : 0);

	l->height = how->height;
	if (l->height == 0)
		l->height = top + plot + bottom;
	l->top = 1 - (double)(top + 6) / l->height;
	l->bottom = (double)bottom / l->height;
	l->title_y = 1 - (8.0 + TITLE_LINE / 2.0) / l->height;
	l->note_y = 1 -
	    (8.0 + l->title_lines * TITLE_LINE + NOTE_LINE / 2.0) / l->height;
}

/* In a picture of a fixed height the plot keeps a part of it: what stands
 * above and below gives way.  Returns 0, or -1 with ERROR_USAGE. */
static int
check_room(const struct layout *l, struct error *e)
{
	double least = 0.2;

	if ((l->top - l->bottom) * l->height < l->forest.min_height)
		return error_set(e, ERROR_USAGE,
		    "--size: %zu lines of cases and what stands above and "
		    "below take %.0f pixels in height; give the width alone, "
		    "and the height follows",
		    l->forest.n,
		    l->forest.min_height +
			(1 - l->top + l->bottom) * l->height);
	if (l->rows > 0)
		least = l->rows * (FACET_LEAST + l->facet_title) /
		    (double)l->height;
	if (l->forest.n > 0 || l->top - l->bottom >= least)
		return 0;
	return error_set(e, ERROR_USAGE,
	    "--size: titles and the legend of %zu entries leave no room for "
	    "the plot in %dx%d pixels; give the width alone, and the height "
	    "follows",
	    l->legend.n, l->width, l->height);
}

static int
lay_out(const struct chart_data *d, const struct script_how *how,
    struct layout *l, struct error *e)
{
	const size_t title = (size_t)(how->width - Y_AXIS_WIDTH) / TITLE_CHAR;
	const size_t note =
	    (size_t)(how->width - Y_AXIS_WIDTH) / (LETTER_WIDTH - 1);

	*l = (struct layout){ .width = how->width,
		.label_lines = d->chart->sideways ? 0 : d->x.label_lines };
	l->title = quote_wrap(d->title, title);
	l->note = quote_wrap(d->note, note);
	l->title_lines = quote_count_lines(l->title);
	l->note_lines = quote_count_lines(l->note);
	if (d->chart->sideways)
		forest_lay_out(d, how->width, &forest_pixels, &l->forest);
	lay_out_names(d, how, l);
	lay_out_legend(d, how, l);
	lay_out_facets((int)d->n_facets, how, l);
	lay_out_facet_titles(d, how, l);
	lay_out_picture(how, l);
	return check_room(l, e);
}

static void
layout_release(struct layout *l)
{
	free(l->title);
	free(l->note);
	legend_release(&l->legend);
	forest_release(&l->forest);
	for (size_t i = 0; i < l->n_facets; i++)
		free(l->facets[i]);
	free(l->facets);
}

int
script_room(const struct script_how *how, size_t n_facets)
{
	struct layout l = { .rows = 0 };
	double width = how->width - Y_AXIS_WIDTH;
	int room;

	lay_out_facets((int)n_facets, how, &l);
	if (l.rows > 0)
		width = facet_width(how, &l);
	room = (int)(width / (LETTER_WIDTH + 1));
	return room < 1 ? 1 : room;
}

int
script_max_facets(const struct script_how *how)
{
	enum { MOST_ROWS = 6, AROUND = 180, LEAST = 120 };
	const int columns =
	    (how->width - FACET_LEFT - FACET_RIGHT) / FACET_MIN_WIDTH;
	const int rows = how->height == 0
	    ? MOST_ROWS
	    : (how->height - AROUND) / (LEAST + FACET_TITLE + FACET_BELOW);

	return columns > 0 && rows > 0 ? columns * rows : 0;
}

int
script_max_ticks(const struct script_how *how)
{
	const int height = how->height > 0 ? how->height : PLOT_HEIGHT + 120;
	const int n = (height - 120) / 24;

	return n < 2 ? 2 : n;
}

/* --- the head ------------------------------------------------------------- */

static void
set_text(struct strbuf *out, const struct picture_format *f, const char *name,
    const char *text)
{
	strbuf_printf(out, "%s = ", name);
	f->quote(out, text);
	strbuf_addch(out, '\n');
}

/* The font's name and size, as the terminals want them. */
static void
add_font(struct strbuf *out, const struct script_how *how, int size)
{
	char *font = xasprintf(
	    "%s,%d", how->font != NULL ? how->font : "sans-serif", size);

	quote_add(out, font);
	free(font);
}

static void
write_svg(struct strbuf *out, const struct chart_data *d,
    const struct script_how *how, const struct layout *l)
{
	strbuf_printf(out, "set terminal svg size %d,%d noenhanced font ",
	    l->width, l->height);
	add_font(out, how, FONT);
	strbuf_printf(out, " background '%s' name '", how->theme->background);
	for (const char *p = d->chart->name; *p != '\0'; p++)
		strbuf_addch(out, *p == '-' ? '_' : *p);
	strbuf_addstr(out, "'\n");
}

static void
write_png(
    struct strbuf *out, const struct script_how *how, const struct layout *l)
{
	strbuf_printf(out, "set terminal pngcairo size %.0f,%.0f noenhanced ",
	    floor(l->width * how->scale + 0.5),
	    floor(l->height * how->scale + 0.5));
	if (how->scale < 1 || how->scale > 1)
		strbuf_printf(out,
		    "fontscale %.4g linewidth %.4g pointscale %.4g ",
		    how->scale, how->scale, how->scale);
	strbuf_addstr(out, "font ");
	add_font(out, how, 10);
	strbuf_printf(out, " background '%s'\n", how->theme->background);
}

/* Pictures with a size on paper: a pixel is 1/96 inch. */
static void
write_paper(
    struct strbuf *out, const struct script_how *how, const struct layout *l)
{
	strbuf_printf(out, "set terminal %s size %.3fin,%.3fin noenhanced ",
	    strcmp(how->format->name, "eps") == 0 ? "epscairo" : "pdfcairo",
	    l->width / 96.0, l->height / 96.0);
	strbuf_addstr(out, "font ");
	add_font(out, how, 10);
	strbuf_printf(
	    out, " fontscale 0.67 background '%s'\n", how->theme->background);
}

static void
write_terminal(struct strbuf *out, const struct chart_data *d,
    const struct script_how *how, const struct layout *l)
{
	const char *name = how->format->name;

	if (strcmp(name, "svg") == 0)
		write_svg(out, d, how, l);
	else if (strcmp(name, "png") == 0)
		write_png(out, how, l);
	else if (strcmp(name, "tex") == 0)
		strbuf_printf(out,
		    "set terminal tikz standalone size %.3fin,%.3fin "
		    "font '\\sffamily\\footnotesize' background '%s'\n",
		    l->width / 96.0, l->height / 96.0, how->theme->background);
	else
		write_paper(out, how, l);
}

static void
write_start(struct strbuf *out, const struct chart_data *d,
    const struct script_how *how, const struct layout *l)
{
	strbuf_printf(out, "# %s, drawn by plot_results.", d->chart->name);
	if (how->picture != NULL && how->script != NULL) {
		strbuf_addstr(out, "  In this folder, \"gnuplot ");
		quote_comment(out, how->script);
		strbuf_addstr(out, "\"\n# draws ");
		quote_comment(out, how->picture);
		strbuf_addstr(out, " again.");
	}
	strbuf_addstr(out, "\nreset\n" QUOTE_SET);
	if (how->picture != NULL) {
		/* A name that starts with '|' would be run as a program. */
		char *name = xasprintf(
		    "%s%s", how->picture[0] == '|' ? "./" : "", how->picture);

		strbuf_addstr(out, "if (!exists(\"OUTPUT\")) ");
		strbuf_addstr(out, "OUTPUT = ");
		quote_add(out, name);
		strbuf_addch(out, '\n');
		free(name);
	} else {
		strbuf_addstr(out, "OUTPUT = ''\n");
	}
	strbuf_addstr(out, "set encoding utf8\n");
	write_terminal(out, d, how, l);
	strbuf_addstr(out, "if (strlen(OUTPUT) > 0) set output OUTPUT\n\n");
}

static void
write_texts(struct strbuf *out, const struct chart_data *d,
    const struct script_how *how, const struct layout *l)
{
	const struct picture_format *f = how->format;

	set_text(out, f, "TITLE", l->title);
	set_text(out, f, "NOTE", l->note);
	set_text(
	    out, f, "X_TITLE", d->chart->sideways ? d->y_title : d->x_title);
	set_text(out, f, "Y_TITLE", d->chart->sideways ? "" : d->y_title);
	strbuf_printf(out, "TITLE_FONT = '%s'\nNOTE_FONT = '%s'\n",
	    f->title_font, f->note_font);
	strbuf_printf(out, "POINT = %s\n", f->point);
	strbuf_printf(out, "TOP = %.4f\nBOTTOM = %.4f\n", l->top, l->bottom);
	strbuf_printf(
	    out, "X_DOWN = %d\n", l->label_lines > 1 ? 1 - l->label_lines : 0);
	strbuf_printf(out, "TITLE_X = 0.5\nTITLE_Y = %.4f\nNOTE_Y = %.4f\n\n",
	    l->title_y, l->note_y);
}

enum { RUN_STYLE = 200 }; /* and the series: the style of its runs */

/* Colours and marks of all series, and of what is none. */
static void
write_styles(struct strbuf *out, const struct chart_data *d,
    const struct script_how *how)
{
	const struct theme *t = how->theme;

	strbuf_printf(out,
	    "FOREGROUND = '%s'\nBACKGROUND = '%s'\nGRID = '%s'\nFAINT = '%s'\n"
	    "LINE_WIDTH = %.3g\n",
	    t->foreground, t->background, t->grid, t->faint,
	    1.8 * t->line_width);
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *c = &d->series[i];
		struct series_style s = series_style_of(
		    how->palette, t, c->colour, d->n_colours, c->mark, c->dash);
		char shade[SERIES_SHADE_SIZE];

		/* Boxes have neither marks nor dashes. */
		if (d->chart->sample == LEGEND_BOX)
			s.colour = series_shade(
			    s.colour, t, c->colour / how->palette->n, shade);

		strbuf_printf(out,
		    "set style line %zu lc rgb '%s' pt %d dt %d\n"
		    "set style line %zu lc rgb '#%s%s' pt 7\n",
		    i + 1, s.colour, s.mark, s.dash, RUN_STYLE + i + 1,
		    d->chart->of_steps ? "a0" : "50", s.colour + 1);
	}
	strbuf_addstr(out, "set style line 100 lc rgb FAINT\n\n");
}

/* Of the picture, not of the data: digits that only rounding made are left
 * out. */
static void
add_place(struct strbuf *out, double x)
{
	if (isfinite(x))
		strbuf_printf(out, "%.12g", x);
	else
		strbuf_addstr(out, "NaN");
}

/* gnuplot takes the label of a tick as a format of its number. */
static void
add_tick_label(
    struct strbuf *out, const struct picture_format *f, const char *label)
{
	struct strbuf quoted;

	strbuf_init(&quoted, 1 << 16);
	f->quote(&quoted, label);
	for (const char *p = quoted.buf; *p != '\0'; p++) {
		strbuf_addch(out, *p);
		if (*p == '%')
			strbuf_addch(out, '%');
	}
	strbuf_release(&quoted);
}

static void
write_axis(struct strbuf *out, const struct picture_format *f, char name,
    const struct axis *a, int labelled)
{
	if (a->base > 0)
		strbuf_printf(out, "set logscale %c %d\n", name, a->base);
	strbuf_printf(out, "set %crange [", name);
	add_place(out, a->low);
	strbuf_addch(out, ':');
	add_place(out, a->high);
	strbuf_printf(out, "]\nset %ctics (", name);
	for (size_t i = 0; i < a->n; i++) {
		if (i > 0)
			strbuf_addstr(out, i % 6 == 0 ? ", \\\n    " : ", ");
		add_tick_label(out, f, labelled ? a->ticks[i].label : "");
		strbuf_addch(out, ' ');
		add_place(out, a->ticks[i].at);
		strbuf_addstr(out, a->ticks[i].label[0] == '\0' ? " 1" : "");
	}
	strbuf_addstr(out, ")\n");
}

/* --- data ----------------------------------------------------------------- */

static void
add_number(struct strbuf *out, double x)
{
	char buf[JSON_DOUBLE_SIZE];

	strbuf_printf(out, " %s", isfinite(x) ? json_double(buf, x) : "NaN");
}

/* A case's name inside of a data block, where a backslash begins an escape: no
 * quotes, no line ends, and no backslash but what the format needs. */
static void
add_word(struct strbuf *out, const struct picture_format *f, const char *name)
{
	struct strbuf clean, quoted;

	strbuf_init(&clean, 1 << 16);
	strbuf_init(&quoted, 1 << 16);
	for (; *name != '\0'; name++)
		strbuf_addch(&clean,
		    strchr("\"'\\$`\n\r", *name) != NULL ||
			    (unsigned char)*name < ' '
			? '_'
			: *name);
	f->quote(&quoted, clean.buf);
	strbuf_addstr(out, " \"");
	/* Without the quotes around it. */
	for (size_t i = 1; i + 1 < quoted.len; i++) {
		strbuf_addch(out, quoted.buf[i]);
		if (quoted.buf[i] == '\\')
			strbuf_addch(out, '\\');
	}
	strbuf_addch(out, '"');
	strbuf_release(&clean);
	strbuf_release(&quoted);
}

static void
write_point(struct strbuf *out, const struct picture_format *f,
    const struct chart_data *d, const struct chart_point *p)
{
	add_place(out, p->x);
	for (int q = 0; q < CHART_N_QUANTITIES; q++) {
		double at = p->y[q].at;

		/* Nothing at or below 0 can stand on a logarithmic axis. */
		add_number(out, at > 0 || d->y.base == 0 ? at : NAN);
		add_number(out, p->y[q].low);
		add_number(out, p->y[q].high);
	}
	add_word(out, f, p->aside || d->chart->labelled ? p->name : "");
	strbuf_addch(out, '\n');
}

static void
write_data(struct strbuf *out, const struct picture_format *f,
    const struct chart_data *d)
{
	strbuf_printf(
	    out, "N = %zu\narray NAME[%zu]\n", d->n_series, d->n_series);
	for (size_t i = 0; i < d->n_series; i++) {
		strbuf_printf(out, "NAME[%zu] = ", i + 1);
		f->quote(out, d->series[i].name);
		strbuf_addch(out, '\n');
	}
	strbuf_addstr(out, "$data << EOD\n");
	strbuf_addstr(out,
	    d->chart->fill != NULL
		? "# x, value low high, nothing, name\n"
		: "# GPUs, median low high, speedup low high, efficiency low "
		  "high (%), name\n");
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];

		strbuf_addstr(out, i > 0 ? "\n\n" : "");
		for (size_t k = 0; k < s->n_points; k++) {
			/* One empty line breaks the line that joins points. */
			if (s->points[k].aside)
				strbuf_addch(out, '\n');
			write_point(out, f, d, &s->points[k]);
		}
	}
	strbuf_addstr(out, "EOD\n\n");
}

static void
write_ideal(struct strbuf *out, const struct chart_data *d)
{
	int n = 0;

	strbuf_printf(out, "array IDEAL_OF[%zu]\n", d->n_series);
	for (size_t i = 0; i < d->n_series; i++)
		if (has_own_ideal(d, i))
			strbuf_printf(out, "IDEAL_OF[%d] = %zu\n", ++n, i + 1);
	if (n == 0) /* gnuplot looks at the first even where it draws none */
		strbuf_addstr(out, "IDEAL_OF[1] = 1\n");
	strbuf_printf(out, "N_IDEAL = %d\n", n);
	n = 0;
	strbuf_addstr(
	    out, "$ideal << EOD\n# GPUs, value, speedup, efficiency (%)\n");
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];
		/* Two ends make a line but where an axis bends it. */
		const int n_places = d->x.base > 0 ? 2 : 65;

		if (!has_own_ideal(d, i))
			continue;
		strbuf_addstr(out, n++ > 0 ? "\n\n" : "");
		for (int k = 0; k < n_places; k++) {
			const double share = (double)k / (n_places - 1);
			const double x = k == n_places - 1
			    ? d->x.high
			    : d->x.low + share * (d->x.high - d->x.low);

			if (!(x > 0))
				continue;
			add_place(out, x);
			for (int q = 0; q < CHART_N_QUANTITIES; q++) {
				strbuf_addch(out, ' ');
				add_place(out,
				    chart_ideal(s, (enum chart_quantity)q, x));
			}
			strbuf_addch(out, '\n');
		}
	}
	if (n == 0)
		strbuf_addstr(out, "NaN NaN NaN NaN\n");
	strbuf_addstr(out, "EOD\n\n");
}

/* Its points are medians of runs. */
static int
shows_runs(const struct chart *chart)
{
	return chart->fill == NULL || (chart->keyed && !chart->of_steps);
}

/* Of the width of the plot. */
#define RUN_SHIFT 0.012

/* The runs of all points, each a dot; a series without any still has its
 * block. */
static void
write_runs(struct strbuf *out, const struct chart_data *d)
{
	const double span =
	    d->x.base > 0 ? log(d->x.high / d->x.low) : d->x.high - d->x.low;

	/* Left of the marks and whiskers, which would cover them. */
	strbuf_printf(out, "run_place(x) = x %c %.6g\n",
	    d->x.base > 0 ? '*' : '-',
	    d->x.base > 0 ? exp(-RUN_SHIFT * span) : RUN_SHIFT * span);
	strbuf_addstr(
	    out, "$runs << EOD\n# GPUs, value, speedup, efficiency (%)\n");
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];
		size_t n = 0;

		strbuf_addstr(out, i > 0 ? "\n\n" : "");
		for (size_t k = 0; k < s->n_points; k++)
			for (size_t r = 0; r < s->points[k].n_runs; r++) {
				const struct chart_point *p = &s->points[k];

				add_place(out, p->x);
				for (int q = 0; q < CHART_N_QUANTITIES; q++)
					add_number(out,
					    chart_run_value(s, p,
						(enum chart_quantity)q, r));
				strbuf_addch(out, '\n');
				n++;
			}
		if (n == 0)
			strbuf_addstr(out, "NaN NaN NaN NaN\n");
	}
	strbuf_addstr(out, "EOD\n\n");
}

/* The bands; without any there still is a block that gnuplot can look at. */
static void
write_bands(struct strbuf *out, const struct picture_format *f,
    const struct chart_data *d)
{
	strbuf_printf(out,
	    "N_BANDS = %zu\narray BAND_OF[%zu]\nBAND_OF[1] = 1\n", d->n_bands,
	    d->n_bands + 1);
	for (size_t i = 0; i < d->n_bands; i++)
		strbuf_printf(
		    out, "BAND_OF[%zu] = %d\n", i + 1, d->bands[i].series + 1);
	strbuf_addstr(out,
	    "$bands << EOD\n# GPUs, median low high, speedup low high, "
	    "efficiency low high (%)\n");
	for (size_t i = 0; i < d->n_bands; i++) {
		strbuf_addstr(out, i > 0 ? "\n\n" : "");
		for (size_t k = 0; k < d->bands[i].n_points; k++)
			write_point(out, f, d, &d->bands[i].points[k]);
	}
	if (d->n_bands == 0)
		strbuf_addstr(out, "NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN\n");
	strbuf_addstr(out, "EOD\n\n");
}

/* Windows are shaded, once where runs have the same; settling points are dotted
 * lines in the colour of their run.
 *
 * first, end  the series of a chart, of several side by side */
static void
write_marks(
    struct strbuf *out, const struct chart_data *d, size_t first, size_t end)
{
	enum { WINDOW_TAG = 400, SETTLED_TAG = 500 };

	for (size_t i = first; i < end; i++) {
		const struct chart_mark *m = &d->series[i].mark_at;
		int again = 0;

		for (size_t k = first; k < i; k++) {
			const struct chart_mark *other = &d->series[k].mark_at;

			again |= fabs(other->from - m->from) < 1e-9 &&
			    fabs(other->to - m->to) < 1e-9;
		}
		if (!again && isfinite(m->from))
			strbuf_printf(out,
			    "set object %zu rectangle from first %.12g, "
			    "graph 0 to first %.12g, graph 1 behind "
			    "fc rgb '#d8808080' fs solid noborder\n",
			    WINDOW_TAG + i, m->from, m->to);
		if (isfinite(m->settled))
			strbuf_printf(out,
			    "set arrow %zu from first %.12g, graph 0 to first "
			    "%.12g, graph 1 nohead ls %zu dt 3 lw 1\n",
			    SETTLED_TAG + i, m->settled, m->settled, i + 1);
	}
}

/* Names at the ends of their lines. */
static void
write_names(struct strbuf *out, const struct chart_data *d,
    const struct script_how *how, const struct layout *l)
{
	strbuf_printf(out,
	    "# Names at the ends of the lines.\n"
	    "set rmargin at screen %.4f\n",
	    l->right);
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_point *p = last_point(d, &d->series[i]);

		strbuf_printf(out, "set label %zu ", 300 + i);
		how->format->quote(out, d->series[i].name);
		strbuf_addstr(out, " at first ");
		add_place(out, p->x);
		strbuf_addstr(out, ", first ");
		add_place(out, p->y[d->chart->quantity].at);
		strbuf_addstr(out, " left offset 1.4,0 tc rgb FOREGROUND\n");
	}
	strbuf_addch(out, '\n');
}

/* --- templates ------------------------------------------------------------ */

static int
add_template(struct strbuf *out, const char *name, struct error *e)
{
	char *file = xasprintf("%s.gp", name), piece[4096];
	char *path = install_path_find("plots", file, e);
	FILE *f = path != NULL ? fopen(path, "rb") : NULL;
	size_t got;
	int rc = path != NULL ? 0 : -1;

	if (path != NULL && f == NULL)
		rc = error_errno(e, errno, "cannot read '%s'", path);
	if (f != NULL) {
		errno = 0;
		while ((got = fread(piece, 1, sizeof piece, f)) > 0)
			strbuf_add(out, piece, got);
		if (ferror(f))
			rc = error_errno(e, errno, "cannot read '%s'", path);
		fclose(f);
	}
	free(path);
	free(file);
	return rc;
}

/* A small chart for each facet, from the top left on; titles and legend
 * stand in the first one's commands. */
static int
write_facets(struct strbuf *out, const struct chart_data *d,
    const struct script_how *how, const struct layout *l, struct error *e)
{
	const double w = l->width, h = l->height;
	const double wide = facet_width(how, l);
	const double all = (l->top - l->bottom) * h;
	const int below = facet_below(l);
	const double high = (all + below) / l->rows - l->facet_title - below;
	size_t first = 0, next;
	int rc = 0;

	strbuf_addstr(out, "set multiplot\nPOINT = 0.75 * POINT\n");
	for (int f = 0; rc == 0 && f < (int)d->n_facets; f++, first = next) {
		const int column = f % l->columns, row = f / l->columns;
		const double left = FACET_LEFT + column * (wide + FACET_GAP);
		const double top = l->top * h -
		    row * (high + l->facet_title + below) - l->facet_title;

		for (next = first;
		     next < d->n_series && d->series[next].facet == f;)
			next++;
		strbuf_printf(
		    out, "\nFIRST = %zu\nLAST = %zu\n", first + 1, next);
		strbuf_printf(out,
		    "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
		    "set tmargin at screen %.4f\nset bmargin at screen %.4f\n",
		    left / w, (left + wide) / w, top / h, (top - high) / h);
		if (f > 0)
			strbuf_addstr(
			    out, "unset label\nunset arrow\nunset object\n");
		write_marks(out, d, first, next);
		strbuf_addstr(out, "set label 3 ");
		how->format->quote(out, l->facets[f]);
		strbuf_printf(out,
		    " at screen %.4f,%.4f center tc rgb FOREGROUND\n",
		    (left + wide / 2) / w,
		    (top + l->facet_title - FACET_TITLE / 2.0) / h);
		strbuf_printf(out, "set xlabel %s\nset ylabel %s\n",
		    row == l->rows - 1 ? "X_TITLE" : "''",
		    column == 0 ? "Y_TITLE" : "''");
		write_axis(out, how->format, 'y', &d->y, column == 0);
		rc = add_template(out, d->chart->name, e);
	}
	strbuf_addstr(out, "unset multiplot\n");
	return rc;
}

int
script_write(const struct chart_data *d, const struct script_how *how,
    struct strbuf *out, struct error *e)
{
	struct layout l;
	int rc;

	assert(d->n_series > 0 && how->width > 0);
	if (lay_out(d, how, &l, e) != 0) {
		layout_release(&l);
		return -1;
	}
	write_start(out, d, how, &l);
	write_texts(out, d, how, &l);
	write_styles(out, d, how);
	write_data(out, how->format, d);
	if (shows_runs(d->chart))
		write_runs(out, d);
	if (d->chart->fill == NULL)
		write_bands(out, how->format, d);
	write_ideal(out, d);
	if (d->chart->fill != NULL)
		strbuf_printf(out, "N_LIMITS = %d\nLIMIT = %.12g\n",
		    d->limit > 0, d->limit);
	write_axis(
	    out, how->format, 'x', d->chart->sideways ? &d->y : &d->x, 1);
	write_axis(
	    out, how->format, 'y', d->chart->sideways ? &d->x : &d->y, 1);
	if (d->chart->sideways) /* from the top down */
		strbuf_printf(out, "set yrange [%g:%g]\n", d->x.high, d->x.low);
	strbuf_addch(out, '\n');
	if (d->n_facets == 0)
		write_marks(out, d, 0, d->n_series);
	if (d->chart->sideways)
		forest_write(out, d, &l.forest, how->format->quote);
	if (l.direct)
		write_names(out, d, how, &l);
	if (l.legend.n > 0)
		legend_write(
		    out, &l.legend, l.width, l.height, how->format->quote);
	strbuf_addstr(out, "FIRST = 1\nLAST = N\n");
	rc = add_template(out, "style", e);
	strbuf_addch(out, '\n');
	if (rc == 0 && d->n_facets > 0)
		rc = write_facets(out, d, how, &l, e);
	else if (rc == 0)
		rc = add_template(out, d->chart->name, e);
	layout_release(&l);
	strbuf_addstr(out, "unset output\n");
	if (rc == 0 && out->full)
		rc = error_set(e, ERROR_LIMIT, "the script is too large");
	return rc;
}
