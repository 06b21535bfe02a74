/* Layout of a picture: texts, legend, plot, small charts, names at the ends of
 * lines. */
#include <config.h>

#include "plots/script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/utf8.h"
#include "plots/style/quote.h"

/* Sizes in pixels, for a sans-serif font of SCRIPT_FONT pixels. */
enum {
	LETTER_WIDTH = 7, /* average character */
	TITLE_CHAR = 9,   /* average character of the title */
	TITLE_LINE = 22,  /* line height of the title */
	NOTE_LINE = 17,   /* line height of the note */
	PLOT_HEIGHT = 340,
	X_AXIS_HEIGHT = 74, /* labels and title of the x axis */
	Y_AXIS_WIDTH = 110, /* y axis and right margin */
	/* Names at the ends of lines. */
	DIRECT_MAX_NAME = 24, /* characters */
	DIRECT_MAX_SERIES = 8,
	DIRECT_MIN_WIDTH = 480,
	/* Small charts. */
	FACET_HEIGHT = 200, /* of a plot */
	FACET_LEAST = 60,   /* minimum in a picture of a fixed height */
	FACET_TITLE = 26,   /* above it */
	FACET_BELOW = 34,   /* x labels */
	FACET_MIN_WIDTH = 210,
	FACET_GAP = 18,
	FACET_LEFT = 78, /* y labels and title */
	FACET_RIGHT = 22
};

int
script_has_own_ideal(const struct chart_data *d, size_t i)
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
		n += (size_t)script_has_own_ideal(d, i);
	return n;
}

const struct chart_point *
script_last_point(const struct chart_data *d, const struct chart_series *s)
{
	const struct chart_point *last = NULL;

	for (size_t k = 0; k < s->n_points; k++) {
		const double y = s->points[k].y[d->chart->quantity].at;

		if (!s->points[k].aside && isfinite(y) && y > 0)
			last = &s->points[k];
	}
	return last;
}

/* Height of a line's end above the x axis, in pixels; NAN if its name cannot be
 * written there: another line ends further right, or the name is too long. */
static double
end_height(const struct chart_data *d, const struct chart_series *s, int pixels)
{
	const struct chart_point *last = script_last_point(d, s);

	if (last == NULL ||
	    utf8_width(s->name, strlen(s->name)) > DIRECT_MAX_NAME)
		return NAN;
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_point *other =
		    script_last_point(d, &d->series[i]);

		if (other != NULL && other->x > last->x)
			return NAN;
	}
	return axis_share(&d->y, last->y[d->chart->quantity].at) * pixels;
}

/* True if names fit at the ends of the lines without overlap. */
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

/* Reserve space for the names at the right. */
static void
lay_out_names(const struct chart_data *d, const struct script_how *how,
    struct script_layout *l)
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

/* True unless an earlier facet's series has the same name: these look alike and
 * share a legend entry. */
static int
is_first_of_name(const struct chart_data *d, size_t i)
{
	for (size_t k = 0; d->n_facets > 0 && k < i; k++)
		if (strcmp(d->series[k].name, d->series[i].name) == 0)
			return 0;
	return 1;
}

/* Legend entries: the ideal line, then the series. */
static void
lay_out_legend(const struct chart_data *d, const struct script_how *how,
    struct script_layout *l)
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
	/* A single entry needs no legend. */
	legend_lay_out(
	    entries, n > 1 || l->direct ? n : 0, how->width, &l->legend);
	free(entries);
}

static void
lay_out_facets(int n, const struct script_how *how, struct script_layout *l)
{
	int columns = (how->width - FACET_LEFT - FACET_RIGHT) / FACET_MIN_WIDTH;

	if (n == 0)
		return;
	columns = columns < 1 ? 1 : columns > n ? n : columns;
	/* Balance the rows: four charts become 2 x 2, not 3 + 1. */
	l->rows = (n + columns - 1) / columns;
	l->columns = (n + l->rows - 1) / l->rows;
}

/* Width of a facet's plot in pixels. */
static double
facet_width(const struct script_how *how, const struct script_layout *l)
{
	return (double)(how->width - FACET_LEFT - FACET_RIGHT -
		   (l->columns - 1) * FACET_GAP) /
	    l->columns;
}

/* Wrap the titles of facets to the facets' width. */
static void
lay_out_facet_titles(const struct chart_data *d, const struct script_how *how,
    struct script_layout *l)
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

/* Height of the x labels below a facet. */
static int
facet_below(const struct script_layout *l)
{
	const int more = l->label_lines > 1 ? l->label_lines - 1 : 0;

	return FACET_BELOW + more * NOTE_LINE;
}

/* Compute the vertical layout. Without a fixed height the picture grows with
 * the texts above and below the plot. */
static void
lay_out_picture(const struct script_how *how, struct script_layout *l)
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

/* Check that a picture of a fixed height leaves enough for the plot. Returns 0,
 * or -1 with ERROR_USAGE. */
static int
check_room(const struct script_layout *l, struct error *e)
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

int
script_lay_out(const struct chart_data *d, const struct script_how *how,
    struct script_layout *l, struct error *e)
{
	const size_t title = (size_t)(how->width - Y_AXIS_WIDTH) / TITLE_CHAR;
	const size_t note =
	    (size_t)(how->width - Y_AXIS_WIDTH) / (LETTER_WIDTH - 1);

	*l = (struct script_layout){ .width = how->width,
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

void
script_layout_release(struct script_layout *l)
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
	struct script_layout l = { .rows = 0 };
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

struct facet_box
script_facet_box(
    const struct script_how *how, const struct script_layout *l, int i)
{
	const double w = l->width, h = l->height;
	const double wide = facet_width(how, l);
	const double all = (l->top - l->bottom) * h;
	const int below = facet_below(l);
	const double high = (all + below) / l->rows - l->facet_title - below;
	const double left = FACET_LEFT + i % l->columns * (wide + FACET_GAP);
	const double top = l->top * h -
	    i / l->columns * (high + l->facet_title + below) - l->facet_title;

	return (struct facet_box){ .left = left / w,
		.right = (left + wide) / w,
		.top = top / h,
		.bottom = (top - high) / h,
		.title_y = (top + l->facet_title - FACET_TITLE / 2.0) / h };
}
