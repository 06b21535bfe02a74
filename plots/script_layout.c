/* Layout of a picture: texts, legend, plot, small charts, names at the ends of
 * lines. */
#include <config.h>

#include "plots/script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/units/units.h"
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
	DIRECT_MAX_SERIES = 8,
	WIDE = 560, /* picture with space for two numbers after the name */
	/* Small charts. */
	FACET_HEIGHT = 200, /* of a plot */
	FACET_LEAST = 60,   /* minimum in a picture of a fixed height */
	FACET_TITLE = 26,   /* above it */
	FACET_BELOW = 34,   /* x labels */
	FACET_MIN_WIDTH = 210,
	FACET_GAP = 18,
	FACET_LEFT = 78, /* y title, and labels of four characters */
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

/* Preferred height of a plot: landscape in narrow pictures, too. */
static int
plot_height(const struct script_how *how)
{
	const int h = how->width * 11 / 20;

	return h < PLOT_HEIGHT ? h : PLOT_HEIGHT;
}

const char *const legend_place_names[] = { "auto", "ends", "right", "inside",
	"below", "none", NULL };

/* --- names at the ends of lines ------------------------------------------- */

/* Text at a line's end: the name and in charts of speedup and efficiency the
 * last number: "PyTorch 29.7×, 93 %". */
static char *
end_text(const struct chart_data *d, const struct chart_series *s,
    const struct script_how *how)
{
	const struct chart_point *last = script_last_point(d, s);
	const double share = last->y[CHART_EFFICIENCY].at;
	char speedup[UNITS_TEXT_SIZE];

	if (d->chart->quantity == CHART_EFFICIENCY)
		return xasprintf("%s %.0f %%", s->name, share);
	if (d->chart->quantity != CHART_SPEEDUP)
		return xstrdup(s->name);
	number_format(speedup, last->y[CHART_SPEEDUP].at, 3);
	if (how->width < WIDE || !isfinite(share))
		return xasprintf("%s %s\xc3\x97", s->name, speedup);
	return xasprintf("%s %s\xc3\x97, %.0f %%", s->name, speedup, share);
}

static int
compare_ends(const void *a, const void *b)
{
	const struct end_label *x = a, *y = b;

	return (x->y < y->y) - (x->y > y->y);
}

/* Make the labels of the series and of a shared ideal line. Returns 0 if names
 * cannot stand at the ends: a line ends further left than another, the chart
 * has no lines, or there are too many. */
static int
make_ends(const struct chart_data *d, const struct script_how *how,
    struct script_layout *l)
{
	const enum chart_quantity q =
	    l->panels ? d->second->quantity : d->chart->quantity;
	const struct axis *y = l->panels ? &d->second_y : &d->y;
	double x = NAN;

	if (d->n_facets > 0 || d->n_bands > 0 || d->chart->of_steps ||
	    d->chart->sideways || d->limit > 0 ||
	    d->chart->sample != LEGEND_LINE || d->n_series < 2 ||
	    d->n_series > DIRECT_MAX_SERIES)
		return 0;
	l->ends = xcalloc(d->n_series + 1, sizeof *l->ends);
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_point *last =
		    script_last_point(d, &d->series[i]);

		if (last == NULL || last->x < x || last->x > x)
			return 0;
		x = last->x;
		l->ends[l->n_ends++] =
		    (struct end_label){ .text = end_text(d, &d->series[i], how),
			    .y = axis_share(y, last->y[q].at),
			    .style = (int)i + 1 };
	}
	if (count_ideals(d) == 1)
		l->ends[l->n_ends++] = (struct end_label){ .text = xstrdup(
							       d->ideal_title),
			.y = axis_share(y, chart_ideal(&d->series[0], q, x)),
			.style = 100 };
	qsort(l->ends, l->n_ends, sizeof *l->ends, compare_ends);
	return 1;
}

/* Move the labels apart, first downwards, then back up from the x axis.
 *
 * gap  between two labels, share of the plot's height */
static void
spread_ends(struct script_layout *l, double gap)
{
	for (size_t i = 1; i < l->n_ends; i++)
		l->ends[i].y = fmin(l->ends[i].y, l->ends[i - 1].y - gap);
	for (size_t i = l->n_ends; i-- > 0;)
		l->ends[i].y = fmax(l->ends[i].y,
		    i + 1 < l->n_ends ? l->ends[i + 1].y + gap : gap / 4);
}

/* Columns of the widest label. */
static size_t
widest_end(const struct script_layout *l)
{
	size_t widest = 0;

	for (size_t i = 0; i < l->n_ends; i++) {
		const char *text = l->ends[i].text;
		const size_t width = utf8_width(text, strlen(text));

		widest = width > widest ? width : widest;
	}
	return widest;
}

/* Reserve space at the right for the labels, without their numbers if these
 * would take too much of the picture. Returns 1 if the names stand there. */
static int
lay_out_ends(const struct chart_data *d, const struct script_how *how,
    struct script_layout *l)
{
	const double least =
	    l->panels ? 0.7 : 0.55; /* share of the width left for the plot */
	const int height = how->height > 0 ? how->height / 2 : plot_height(how);

	if (!make_ends(d, how, l) || (int)l->n_ends * NOTE_LINE > height)
		return 0;
	l->right = 1 - ((double)widest_end(l) * LETTER_WIDTH + 20) / how->width;
	if (l->right >= least)
		return 1;
	for (size_t i = 0; i < l->n_ends; i++)
		if (l->ends[i].style <= (int)d->n_series) {
			free(l->ends[i].text);
			l->ends[i].text =
			    xstrdup(d->series[l->ends[i].style - 1].name);
		}
	l->right = 1 - ((double)widest_end(l) * LETTER_WIDTH + 20) / how->width;
	return how->place == PLACE_ENDS || l->right >= least;
}

/* --- the legend ----------------------------------------------------------- */

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

/* Legend entries: the ideal line, then the series. Free with free(). */
static struct legend_entry *
legend_entries(const struct chart_data *d, size_t *n)
{
	struct legend_entry *entries =
	    xcalloc(d->n_series + 2, sizeof *entries);

	*n = 0;
	if (count_ideals(d) > 0)
		entries[(*n)++] =
		    (struct legend_entry){ d->ideal_title, 100, LEGEND_IDEAL };
	if (d->limit > 0)
		entries[(*n)++] =
		    (struct legend_entry){ d->limit_title, 100, LEGEND_IDEAL };
	for (size_t i = 0; !d->chart->sideways && i < d->n_series; i++)
		if (is_first_of_name(d, i))
			entries[(*n)++] =
			    (struct legend_entry){ d->series[i].name,
				    (int)i + 1, d->chart->sample };
	return entries;
}

/* True if a legend inside would cover small charts or most of the plot. */
static int
covers_plot(const struct chart_data *d, const struct script_how *how,
    const struct script_layout *l)
{
	return d->n_facets > 0 ||
	    l->legend.height > (how->height - X_AXIS_HEIGHT) / 2;
}

/* Choose the place of the names and lay out the legend, if any. Below the plot
 * unless a fixed height is too small for that. */
static void
lay_out_legend(const struct chart_data *d, const struct script_how *how,
    struct script_layout *l)
{
	size_t n;
	struct legend_entry *entries = legend_entries(d, &n);

	l->place = how->place;
	if (l->place == PLACE_AUTO || l->place == PLACE_ENDS)
		l->place = lay_out_ends(d, how, l) ? PLACE_ENDS : PLACE_BELOW;
	if (n < 2 || l->place == PLACE_ENDS || l->place == PLACE_NONE)
		n = 0; /* a single entry needs no legend */
	if (l->place == PLACE_BELOW) {
		legend_lay_out(entries, n, how->width, 0, &l->legend);
		if (how->place == PLACE_AUTO && how->height > 0 &&
		    l->legend.height > how->height / 4)
			l->place = PLACE_RIGHT;
	}
	if (l->place == PLACE_RIGHT || l->place == PLACE_INSIDE) {
		legend_release(&l->legend);
		legend_lay_out(entries, n, how->width / 2, 1, &l->legend);
	}
	if (l->place == PLACE_RIGHT)
		l->right =
		    1 - (double)(l->legend.column_width + 8) / how->width;
	if (l->place == PLACE_RIGHT && how->place == PLACE_AUTO &&
	    l->right < 0.6)
		l->place = PLACE_INSIDE;
	if (l->place == PLACE_INSIDE && how->place == PLACE_AUTO &&
	    covers_plot(d, how, l)) {
		l->place = PLACE_BELOW;
		legend_release(&l->legend);
		legend_lay_out(entries, n, how->width, 0, &l->legend);
	}
	free(entries);
}

static void
lay_out_facets(const struct chart_data *d, const struct script_how *how,
    struct script_layout *l)
{
	const int n = (int)d->n_facets;
	int columns = (how->width - FACET_LEFT - FACET_RIGHT) / FACET_MIN_WIDTH;

	l->gap = l->panels ? FACET_LEFT : FACET_GAP;
	l->left = FACET_LEFT;
	for (size_t i = 0; i < d->y.n; i++) {
		const char *label = d->y.ticks[i].label;
		const int width =
		    (int)utf8_width(label, strlen(label)) * LETTER_WIDTH;

		if (l->left < FACET_LEFT - 28 + width)
			l->left = FACET_LEFT - 28 + width;
	}
	if (l->panels) {
		l->rows = 1;
		l->columns = 2;
	}
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
	const double right = l->place == PLACE_ENDS || l->place == PLACE_RIGHT
	    ? (1 - l->right) * how->width
	    : FACET_RIGHT;

	return (how->width - l->left - right - (l->columns - 1) * l->gap) /
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
	l->facet_title = l->panels ? 0 : FACET_TITLE + (lines - 1) * TITLE_LINE;
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
	const int plot = l->panels ? plot_height(how)
	    : l->rows > 0
	    ? l->rows * (FACET_HEIGHT + l->facet_title + facet_below(l)) -
		facet_below(l)
	    : l->forest.n > 0 ? l->forest.height
			      : plot_height(how);
	int top = 14 + l->title_lines * TITLE_LINE + l->note_lines * NOTE_LINE;
	int bottom = X_AXIS_HEIGHT +
	    (l->place == PLACE_BELOW ? l->legend.height : 0) +
	    (l->label_lines > 1 ? (l->label_lines - 1) * NOTE_LINE : 0);

	l->height = how->height;
	if (l->height == 0)
		l->height = top + plot + bottom;
	l->top = 1 - (double)(top + 6) / l->height;
	l->bottom = (double)bottom / l->height;
	l->title_y = 1 - (8.0 + TITLE_LINE / 2.0) / l->height;
	l->note_y = 1 -
	    (8.0 + l->title_lines * TITLE_LINE + NOTE_LINE / 2.0) / l->height;
	spread_ends(l, NOTE_LINE / ((l->top - l->bottom) * l->height));
}

/* Check that a picture of a fixed height leaves enough for the plot. Returns 0,
 * or -1 with ERROR_USAGE. */
static int
check_room(const struct script_layout *l, struct error *e)
{
	double least = 0.2;

	if (l->forest.n > 0 &&
	    (l->top - l->bottom) * l->height < l->forest.min_height)
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

/* Break the title of the y axis at the height of a plot. */
static void
lay_out_y_title(const struct chart_data *d, struct script_layout *l)
{
	const double plot = (l->top - l->bottom) * l->height;
	const double height =
	    l->rows > 0 ? plot / l->rows - l->facet_title : plot;
	const size_t columns =
	    height > 10 * LETTER_WIDTH ? (size_t)(height / LETTER_WIDTH) : 10;

	l->y_title = quote_wrap(d->chart->sideways ? "" : d->y_title, columns);
	l->second_y_title =
	    quote_wrap(l->panels ? d->second_y_title : "", columns);
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
	l->title = quote_wrap(how->bare ? "" : d->title, title);
	l->note = quote_wrap(how->bare ? "" : d->note, note);
	l->title_lines = quote_count_lines(l->title);
	l->note_lines = quote_count_lines(l->note);
	if (d->chart->sideways)
		forest_lay_out(d, how->width, &forest_pixels, &l->forest);
	l->panels = d->second != NULL && how->width >= WIDE;
	lay_out_legend(d, how, l);
	lay_out_facets(d, how, l);
	lay_out_facet_titles(d, how, l);
	lay_out_picture(how, l);
	lay_out_y_title(d, l);
	return check_room(l, e);
}

void
script_layout_release(struct script_layout *l)
{
	free(l->title);
	free(l->note);
	free(l->y_title);
	free(l->second_y_title);
	legend_release(&l->legend);
	forest_release(&l->forest);
	for (size_t i = 0; i < l->n_facets; i++)
		free(l->facets[i]);
	free(l->facets);
	for (size_t i = 0; i < l->n_ends; i++)
		free(l->ends[i].text);
	free(l->ends);
}

int
script_room(const struct script_how *how, const struct chart_data *d)
{
	struct script_layout l = { .rows = 0 };
	double width = how->width - Y_AXIS_WIDTH;
	int room;

	if (d != NULL) {
		l.panels = d->second != NULL && how->width >= WIDE;
		lay_out_legend(d, how, &l);
		lay_out_facets(d, how, &l);
	}
	if (l.rows > 0)
		width = facet_width(how, &l);
	else if (l.place == PLACE_ENDS || l.place == PLACE_RIGHT)
		width = l.right * how->width - Y_AXIS_WIDTH + FACET_RIGHT;
	script_layout_release(&l);
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
	const double left = l->left + i % l->columns * (wide + l->gap);
	const double top = l->top * h -
	    i / l->columns * (high + l->facet_title + below) - l->facet_title;

	return (struct facet_box){ .left = left / w,
		.right = (left + wide) / w,
		.top = top / h,
		.bottom = (top - high) / h,
		.title_y = (top + l->facet_title - FACET_TITLE / 2.0) / h };
}
