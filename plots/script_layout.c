/* Layout of a picture: texts, legend, plot, small charts, names at the ends of
 * lines. */
#include <config.h>

#include "plots/script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/units/units.h"
#include "common/utf8.h"
#include "plots/style/quote.h"

/* Sizes in pixels, for a sans-serif font of SCRIPT_FONT pixels. */
enum {
	LETTER_WIDTH = 8, /* average character */
	NOTE_CHAR = 7,    /* of the note */
	TITLE_CHAR = 9,   /* average character of the title */
	TITLE_LINE = 22,  /* line height of the title */
	NOTE_LINE = 17,   /* line height of the note */
	PLOT_HEIGHT = 340,
	LEAST_PLOT = 56,    /* in a picture of a fixed height */
	X_AXIS_HEIGHT = 58, /* labels and title of the x axis */
	Y_AXIS_LABEL = 22,  /* around the labels of the y axis */
	Y_AXIS_WIDTH = 110, /* y axis and right margin */
	RIGHT = 22,         /* for half of a label of the x axis */
	/* Names at the ends of lines. */
	DIRECT_MAX_SERIES = 8,
	/* Small charts. */
	FACET_HEIGHT = 200, /* of a plot, at most */
	FACET_BELOW = 34,   /* x labels */
	FACET_MIN_WIDTH = 210,
	FACET_NARROW = 120, /* in a narrow picture */
	FACET_LEAST = 90,   /* in one that is also low */
	FACET_GAP = 18,
	FACET_LEFT = 78 /* y title, and labels of four characters */
};

const char *const legend_place_names[] = { "auto", "ends", "right", "inside",
	"below", "none", NULL };

static int
larger_of(int a, int b)
{
	return a > b ? a : b;
}

int
script_text_width(const char *text)
{
	/* DejaVu Sans at SCRIPT_FONT: narrow, wide, and other characters. */
	enum { NARROW = 5, OTHER = 8, CAPITAL = 9, WIDE = 12, CHINESE = 13 };
	const size_t len = strlen(text);
	int widest = 0, line = 0;
	uint32_t cp;

	for (size_t i = 0; i < len;) {
		i += utf8_decode(text + i, len - i, &cp);
		if (cp == '\n')
			line = 0;
		else if (cp > 0x7f)
			line += utf8_char_width(cp) == 2 ? CHINESE : WIDE;
		else if (strchr(" ijlftrI.,:;'|!()[]/-", (int)cp) != NULL)
			line += NARROW;
		else if (strchr("mwMW%@", (int)cp) != NULL)
			line += WIDE;
		else
			line += cp >= 'A' && cp <= 'Z' ? CAPITAL : OTHER;
		widest = larger_of(widest, line);
	}
	return widest;
}

/* Preferred height of a plot: landscape in narrow pictures, too. */
static int
plot_height(const struct script_how *how)
{
	const int h = how->width * 11 / 20;

	return h < PLOT_HEIGHT ? h : PLOT_HEIGHT;
}

/* List the series whose ideal line no earlier series has. */
static void
find_ideals(struct chart_data *d, struct script_layout *l)
{
	const enum chart_quantity q = d->chart->quantity;

	l->ideals = arena_calloc(&d->arena, d->n_series, sizeof *l->ideals);
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];
		const double y = chart_ideal(d, s, q, 1);
		size_t k = 0;

		while (k < i &&
		    !(fabs(y - chart_ideal(d, &d->series[k], q, 1)) <=
			    1e-9 * fabs(y) &&
			d->series[k].flat == s->flat))
			k++;
		if (isfinite(y) && k == i)
			l->ideals[l->n_ideals++] = i;
	}
}

/* --- names at the ends of lines ------------------------------------------- */

/* Last point of the line of series i, or of its prediction, or NULL. */
static const struct chart_point *
last_point(const struct chart_data *d, size_t i)
{
	const struct chart_series *s = &d->series[i];
	const struct chart_point *last = NULL;

	for (size_t k = d->n_series; k < d->n_series + d->n_bands; k++)
		if (d->series[k].band_of == (int)i)
			s = &d->series[k];
	for (size_t k = 0; k < s->n_points; k++)
		if (!s->points[k].aside &&
		    chart_point_is_drawn(d->chart, &s->points[k]))
			last = &s->points[k];
	return last;
}

/* Text at a line's end: the name, if there are several, and in charts of
 * speedup and efficiency the last number: "PyTorch 29.7×, 93 %".
 *
 * panels  1: one of two charts beside each other is of the speedup */
static const char *
end_text(struct chart_data *d, const char *name, const struct chart_point *last,
    const struct script_how *how, int panels)
{
	const double share = last->y[CHART_EFFICIENCY].at;
	char speedup[UNITS_TEXT_SIZE];
	const char *text;

	if (d->chart->quantity != CHART_EFFICIENCY &&
	    d->chart->quantity != CHART_SPEEDUP && !panels)
		return name;
	text = arena_printf(&d->arena, "%s\xc3\x97",
	    number_format(speedup, last->y[CHART_SPEEDUP].at, 3));
	if (d->chart->quantity == CHART_EFFICIENCY)
		text = arena_printf(&d->arena, "%.0f %%", share);
	else if (how->width >= SCRIPT_WIDE && isfinite(share))
		text = arena_printf(&d->arena, "%s, %.0f %%", text, share);
	return chart_join(d, d->n_series > 1 ? name : "", " ", text);
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
make_ends(
    struct chart_data *d, const struct script_how *how, struct script_layout *l)
{
	const enum chart_quantity q =
	    l->panels ? d->second->quantity : d->chart->quantity;
	const struct axis *y = l->panels ? &d->second_y : &d->y;
	double x = NAN, ideal;
	int alike = 1;

	if (d->n_facets > 0 || d->chart->of_steps || d->chart->sideways ||
	    d->limit > 0 || d->chart->sample != LEGEND_LINE ||
	    d->n_series > DIRECT_MAX_SERIES ||
	    (d->n_series < 2 && !chart_is_of_speedup(d->chart)))
		return 0;
	l->ends = arena_calloc(&d->arena, d->n_series + 1, sizeof *l->ends);
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];
		const struct chart_point *last = last_point(d, i);

		if (last == NULL || last->x < x || last->x > x)
			return 0;
		x = last->x;
		l->ends[l->n_ends++] = (struct end_label){
			end_text(d, s->name, last, how, l->panels),
			axis_share(y, last->y[q].at), (int)i + 1
		};
	}
	ideal = chart_ideal(d, &d->series[0], q, x);
	for (size_t i = 1; i < d->n_series; i++)
		alike &= fabs(chart_ideal(d, &d->series[i], q, x) - ideal) <=
		    1e-9 * ideal;
	/* Lines with different ends are named at the top. */
	if (l->n_ideals > 0)
		l->ends[l->n_ends++] = (struct end_label){ alike
			    ? d->ideal_title
			    : message(MESSAGE_DOTTED_IDEAL, d->lang),
			alike ? axis_share(y, ideal) : 1, 100 };
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

/* Reserve space at the right for the labels. */
static void
make_room_for_ends(struct script_layout *l)
{
	l->right = 0;
	for (size_t i = 0; i < l->n_ends; i++)
		l->right = larger_of(
		    l->right, script_text_width(l->ends[i].text) + 20);
}

/* Lay out the labels, without their numbers if these would take too much of the
 * picture. Returns 1 if the names stand there. */
static int
lay_out_ends(
    struct chart_data *d, const struct script_how *how, struct script_layout *l)
{
	/* Share of the width that the labels may take. */
	const double most = l->panels ? 0.3 : 0.45;
	const int height = how->height > 0 ? how->height / 2 : plot_height(how);

	if (!make_ends(d, how, l) || (int)l->n_ends * NOTE_LINE > height)
		return 0;
	make_room_for_ends(l);
	if (l->right <= most * l->width)
		return 1;
	for (size_t i = 0; i < l->n_ends; i++)
		if (l->ends[i].style <= (int)d->n_series)
			l->ends[i].text = d->series[l->ends[i].style - 1].name;
	make_room_for_ends(l);
	return how->place == PLACE_ENDS || l->right <= most * l->width;
}

/* --- the legend ----------------------------------------------------------- */

/* List the entries of the legend: the ideal line, then the series, if there are
 * several names. Series of one name in several facets look alike and share an
 * entry. The note explains names that are letters, and with them all lines. */
static void
list_entries(struct chart_data *d, struct script_layout *l)
{
	const int lines = !d->how.lettered;
	struct legend_entry *e =
	    arena_calloc(&d->arena, d->n_series + 2, sizeof *e);
	struct legend_entry *first;

	l->entries = e;
	if (lines && l->n_ideals > 0)
		*e++ =
		    (struct legend_entry){ d->ideal_title, 100, LEGEND_IDEAL };
	if (lines && d->limit > 0)
		*e++ =
		    (struct legend_entry){ d->limit_title, 100, LEGEND_IDEAL };
	first = e;
	for (size_t i = 0;
	     (!d->chart->sideways || d->chart->is_stack) && i < d->n_series;
	     i++) {
		const char *name = d->series[i].name;
		size_t k = d->n_facets > 0 ? 0 : i;

		while (strcmp(d->series[k].name, name) != 0)
			k++;
		if (k == i)
			*e++ = (struct legend_entry){ name, (int)i + 1,
				d->chart->sample };
	}
	l->n_entries = (size_t)((e == first + 1 ? first : e) - l->entries);
}

int
script_legend_row(const struct script_layout *l, size_t first)
{
	size_t end = first + (size_t)l->legend_columns;
	int lines = 1;

	for (size_t i = first; i < l->n_entries && i < end; i++)
		lines = larger_of(lines, quote_count_lines(l->entries[i].name));
	return LEGEND_ROW + (lines - 1) * LEGEND_MORE;
}

/* List the entries, break their names into lines and choose the columns so that
 * nothing is clipped.
 *
 * width        available, in pixels
 * max_columns  0: as many as fit */
static void
fill_legend(
    struct chart_data *d, struct script_layout *l, int width, int max_columns)
{
	const int room = width - 2 * LEGEND_MARGIN;
	const int most = larger_of((room - LEGEND_SAMPLE) / LETTER_WIDTH, 10);
	int widest = 0, columns, n;

	list_entries(d, l);
	n = (int)l->n_entries;
	for (int i = 0; i < n; i++) {
		struct legend_entry *e = &l->entries[i];

		e->name = quote_wrap(&d->arena, e->name, (size_t)most);
		widest = larger_of(widest, script_text_width(e->name));
	}
	l->column_width = LEGEND_SAMPLE + widest + LEGEND_GAP;
	columns = (room + LEGEND_GAP) / l->column_width;
	if (max_columns > 0 && columns > max_columns)
		columns = max_columns;
	l->legend_columns = larger_of(columns < n ? columns : n, 1);
	l->legend_height = n > 0 ? LEGEND_BELOW : 0;
	for (int i = 0; i < n; i += l->legend_columns)
		l->legend_height += script_legend_row(l, (size_t)i);
}

/* Choose the place of the names and lay out the legend, if any: below the plot,
 * but in a picture too low for that beside it. */
static void
lay_out_legend(
    struct chart_data *d, const struct script_how *how, struct script_layout *l)
{
	const int is_free = how->place == PLACE_AUTO;

	l->place = how->place;
	if (is_free || l->place == PLACE_ENDS)
		l->place = lay_out_ends(d, how, l) ? PLACE_ENDS : PLACE_BELOW;
	if (l->place == PLACE_BELOW)
		fill_legend(d, l, how->width, 0);
	if (is_free && l->place == PLACE_BELOW && how->height > 0 &&
	    !d->chart->sideways && l->legend_height > how->height / 4)
		l->place = PLACE_RIGHT;
	if (l->place == PLACE_RIGHT || l->place == PLACE_INSIDE)
		fill_legend(d, l, how->width / 2, 1);
	if (is_free && l->place == PLACE_RIGHT &&
	    (l->column_width > 0.4 * how->width ||
		l->legend_height > how->height - X_AXIS_HEIGHT)) {
		l->place = PLACE_BELOW;
		fill_legend(d, l, how->width, 0);
	}
	if (l->place == PLACE_RIGHT)
		l->right = l->column_width + 8;
	else if (l->place != PLACE_ENDS)
		l->right = RIGHT;
}

/* --- cases down the side ---------------------------------------------------*/

enum {
	VERDICT_LEAST = 10, /* columns of verdicts that are broken into lines */
	LINES_OF_DOTS = 2   /* lines per row if steps are drawn as dots */
};

const struct forest_metric forest_pixels = { 8, 18, 9, -4, 14, 12, 60 };
const struct forest_metric forest_cells = { 1, 1, 0, 0, 1, 2, 1 };

/* Width of a text in pixels (or cells). */
static int
width_in(const struct forest_metric *m, const char *text)
{
	return m->letter > 1 ? script_text_width(text)
			     : (int)utf8_columns(text);
}

/* Break the verdicts into lines of at most `columns`. Returns the width of the
 * widest. */
static int
wrap_verdicts(struct chart_data *d, struct forest *f,
    const struct forest_metric *m, int columns)
{
	int widest = 0;

	for (size_t i = 0; i < f->n; i++) {
		f->verdicts[i] = d->how.lettered
		    ? ""
		    : quote_wrap(
			  &d->arena, d->rows[i].verdict, (size_t)columns);
		widest = larger_of(widest, width_in(m, f->verdicts[i]));
	}
	return widest;
}

/* Choose the numbers, with or without their intervals. Returns the width of the
 * widest. */
static int
choose_numbers(const struct chart_data *d, struct forest *f,
    const struct forest_metric *m, int brief)
{
	int widest = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct chart_row *row = &d->rows[i];

		f->numbers[i] =
		    brief && row->brief != NULL ? row->brief : row->number;
		widest = larger_of(widest, width_in(m, f->numbers[i]));
	}
	return widest;
}

void
forest_lay_out(struct chart_data *d, int width, const struct forest_metric *m,
    struct forest *f)
{
	int names = 0, numbers, verdicts, room, row;

	*f = (struct forest){ .width = width,
		.n = d->n_rows,
		.lines = larger_of(d->x.label_lines, 1) };
	f->verdicts = arena_calloc(&d->arena, f->n, sizeof *f->verdicts);
	f->numbers = arena_calloc(&d->arena, f->n, sizeof *f->numbers);
	for (size_t i = 0; i < f->n; i++)
		names = larger_of(names, width_in(m, d->x.ticks[i].label));
	f->left = m->margin + names + m->tick;
	numbers = choose_numbers(d, f, m, 0);
	verdicts = wrap_verdicts(d, f, m, width);
	/* Leave the plot a third of the width, without the intervals of the
	 * numbers, or a fifth, with verdicts in lines, then without numbers. */
	room = width - 3 * m->margin - f->left - width / 5;
	if (numbers + verdicts > room - width / 3 + width / 5)
		numbers = choose_numbers(d, f, m, 1);
	if (numbers + verdicts > room)
		verdicts = wrap_verdicts(d, f, m, VERDICT_LEAST);
	f->right = width - m->margin * (1 + (verdicts > 0)) - verdicts;
	if (numbers > 0 && numbers + verdicts <= room) {
		f->right -= m->margin + numbers;
		f->number_at = f->right + m->margin;
	}
	f->verdict_at = width - m->margin - verdicts;
	for (size_t i = 0; i < f->n; i++)
		f->lines =
		    larger_of(f->lines, quote_count_lines(f->verdicts[i]));
	if (d->chart->of_steps)
		f->lines = larger_of(f->lines, LINES_OF_DOTS);
	row = f->lines * m->line;
	f->height = larger_of((int)f->n * (row + m->gap), m->least_height);
	f->min_height = (int)f->n * (row + m->least_gap);
}

/* --- plots ---------------------------------------------------------------- */

/* Small charts beside each other, of n: in a low picture narrower ones, if
 * their rows have no room else. */
static int
facet_columns(const struct script_how *how, int n)
{
	const int room = how->width - FACET_LEFT - RIGHT;
	const int row = LEAST_PLOT + FACET_TITLE + FACET_BELOW;
	const int columns = larger_of(
	    room / (how->width < SCRIPT_WIDE ? FACET_NARROW : FACET_MIN_WIDTH),
	    1);
	const int rows = (n + columns - 1) / columns;

	return how->height > 0 && X_AXIS_HEIGHT + rows * row > how->height
	    ? larger_of(room / FACET_LEAST, 1)
	    : columns;
}

/* Width of the y axis' labels. */
static int
label_width(const struct axis *y)
{
	int widest = 0;

	for (size_t i = 0; i < y->n; i++)
		widest =
		    larger_of(widest, script_text_width(y->ticks[i].label));
	return widest;
}

/* Place the plots beside each other: one, two panels, or small charts. */
static void
lay_out_width(
    struct chart_data *d, const struct script_how *how, struct script_layout *l)
{
	const int n = l->panels ? 2 : d->n_facets > 0 ? (int)d->n_facets : 1;
	const int around = Y_AXIS_LABEL + (l->y_above ? 0 : NOTE_LINE + 9);
	int columns = facet_columns(how, n);

	columns = columns > n ? n : columns;
	/* Balance the rows: four charts become 2 x 2, not 3 + 1. */
	l->rows = l->panels ? 1 : (n + columns - 1) / columns;
	l->columns = (n + l->rows - 1) / l->rows;
	l->left = around + label_width(&d->y);
	l->gap = l->panels ? around + label_width(&d->second_y) : FACET_GAP;
	if (d->chart->sideways) {
		forest_lay_out(d, how->width, &forest_pixels, &l->forest);
		l->left = l->forest.left;
		l->right = l->width - l->forest.right;
	}
	l->plot_width = (double)(l->width - l->left - l->right -
			    (l->columns - 1) * l->gap) /
	    l->columns;
}

/* Wrap the titles of facets to the facets' width. */
static void
lay_out_facet_titles(struct chart_data *d, struct script_layout *l)
{
	int lines = 1;

	l->facets = arena_calloc(&d->arena, d->n_facets, sizeof *l->facets);
	for (size_t i = 0; i < d->n_facets; i++) {
		l->facets[i] = quote_wrap(&d->arena, d->facets[i],
		    (size_t)larger_of((int)(l->plot_width / LETTER_WIDTH), 2));
		lines = larger_of(lines, quote_count_lines(l->facets[i]));
	}
	l->facet_title =
	    d->n_facets == 0 ? 0 : FACET_TITLE + (lines - 1) * TITLE_LINE;
}

/* Compute the vertical layout. Without a fixed height the picture grows with
 * the texts above and below the plot. */
static void
lay_out_height(const struct chart_data *d, const struct script_how *how,
    struct script_layout *l)
{
	const double high =
	    fmin(fmax(0.75 * l->plot_width, FACET_NARROW), FACET_HEIGHT);
	const int around = l->facet_title + l->facet_below;
	const int plots = d->n_facets > 0
	    ? l->rows * ((int)high + around) - l->facet_below
	    : d->chart->sideways ? l->forest.height
				 : plot_height(how);
	const int title = l->title_lines * TITLE_LINE;
	const int top = 20 + title + l->note_lines * NOTE_LINE +
	    (l->y_above ? TITLE_LINE : 0);
	const int bottom = X_AXIS_HEIGHT +
	    (l->place == PLACE_BELOW ? l->legend_height : 0) +
	    l->more_labels * NOTE_LINE;

	l->height = how->height > 0 ? how->height : top + plots + bottom;
	l->top = 1 - (double)top / l->height;
	l->bottom = (double)bottom / l->height;
	l->title_y = 1 - (8.0 + TITLE_LINE / 2.0) / l->height;
	l->note_y = 1 - (8.0 + title + NOTE_LINE / 2.0) / l->height;
	l->plot_height =
	    (double)(l->height - top - bottom + l->facet_below) / l->rows -
	    around;
}

/* Place the labels of a history's changes in rows so that none covers another,
 * and extend the y axis by the rows. */
static void
place_changes(struct chart_data *d, struct script_layout *l)
{
	const double font = 0.9; /* the note's */
	int rows = 0;

	l->changes = arena_calloc(&d->arena, MAX_CHANGES, sizeof *l->changes);
	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 1; k < d->series[i].n_points; k++) {
			const struct chart_point *p = &d->series[i].points[k];
			struct change *c = &l->changes[l->n_changes];
			const char *by;
			double wide;

			if (!p->starts_level || l->n_changes == MAX_CHANGES)
				continue;
			*c = (struct change){ .x = p->x,
				.from = axis_share(&d->x, p->x),
				.facet = d->series[i].facet };
			by = arena_printf(&d->arena, "%+.1f",
			    100 * (p->trend / p[-1].trend - 1));
			c->text = message_with(&d->arena, MESSAGE_CHANGE_SINCE,
			    d->lang, by, p->name);
			wide =
			    font * script_text_width(c->text) / l->plot_width;
			if (c->from + wide > 1 && c->from - wide < 0) {
				c->text = arena_printf(&d->arena, "%s %%", by);
				wide = 0.3 * wide;
			}
			c->is_left = c->from + wide > 1;
			c->from -= c->is_left ? wide : 0;
			c->to = c->from + wide;
			/* Below each label that it would cover. */
			for (const struct change *o = l->changes; o < c; o++)
				if (o->facet == c->facet && o->from < c->to &&
				    c->from < o->to)
					c->row = larger_of(c->row, o->row + 1);
			rows = larger_of(rows, c->row + 1);
			l->n_changes++;
		}
	if (rows > 0)
		axis_limit(&d->y, d->y.low,
		    axis_at(&d->y,
			1 /
			    (1 -
				fmin(rows * CHANGE_ROW / l->plot_height, 0.6))),
		    2);
}

void
script_lay_out(
    struct chart_data *d, const struct script_how *how, struct script_layout *l)
{
	const size_t note_columns = (size_t)(how->width - 40) / NOTE_CHAR;
	int y_title = script_text_width(d->y_title);

	*l = (struct script_layout){ .width = how->width,
		.panels = d->second != NULL && how->width >= SCRIPT_WIDE,
		.title = "",
		.note = "" };
	if (!how->bare) {
		l->title = quote_wrap(&d->arena, d->title,
		    (size_t)larger_of(how->width - Y_AXIS_WIDTH, 40) /
			TITLE_CHAR);
		l->note = quote_wrap(
		    &d->arena, chart_note_line(d, note_columns), note_columns);
	}
	l->title_lines = quote_count_lines(l->title);
	l->note_lines = quote_count_lines(l->note);
	if (!d->chart->sideways && d->x.label_lines > 1)
		l->more_labels = d->x.label_lines - 1;
	l->facet_below = FACET_BELOW + l->more_labels * NOTE_LINE;
	if (l->panels)
		y_title =
		    larger_of(y_title, script_text_width(d->second_y_title));
	find_ideals(d, l);
	lay_out_legend(d, how, l);
	/* A title that is longer than the y axis stands above it. */
	for (int again = 1; again;) {
		lay_out_width(d, how, l);
		lay_out_facet_titles(d, l);
		lay_out_height(d, how, l);
		again = !l->y_above && !d->chart->sideways &&
		    y_title > l->plot_height + (l->rows > 1 ? 0 : RIGHT);
		l->y_above |= again;
	}
	spread_ends(l, NOTE_LINE / l->plot_height);
}

/* --- what fits ------------------------------------------------------------ */

/* Set what fits into a picture: room, max_ticks, and max_facets. */
static void
fit(const struct script_how *how, struct chart_how *fitting)
{
	enum { MOST_ROWS = 6, AROUND = 180, LEAST = 120 };
	const int rows = how->height == 0
	    ? MOST_ROWS
	    : (how->height - AROUND) / (LEAST + FACET_TITLE + FACET_BELOW);
	const int height = how->height > 0 ? how->height : PLOT_HEIGHT + 120;

	fitting->room =
	    larger_of((how->width - Y_AXIS_WIDTH) / LETTER_WIDTH, 1);
	fitting->max_ticks = larger_of((height - 90) / 24, 2);
	fitting->max_facets = facet_columns(how, 1) * larger_of(rows, 0);
}

/* Leave out the next thing if the plots are too low. Returns 0 if they are high
 * enough, or nothing is left to leave out. */
static int
leave_out(struct script_how *how, struct chart_how *chart_how,
    const struct chart_data *d, const struct script_layout *l)
{
	const double least_font = 6; /* points */
	const double pt = SCRIPT_FONT_PT * how->zoom;
	const double least =
	    d->chart->sideways ? l->forest.min_height : LEAST_PLOT;
	const double lacking = l->rows * (least - l->plot_height);
	size_t n = d->n_rows > 0 ? d->n_rows
	    : d->n_facets > 0    ? d->n_facets
				 : d->n_series;

	if (how->height == 0 || lacking <= 0)
		return 0;
	if (pt > least_font * 1.001) {
		const double k = fmax(
		    how->height / (how->height + lacking), least_font / pt);

		how->zoom *= k;
		how->width = (int)lround(how->width / k);
		how->height = (int)lround(how->height / k);
	} else if (!how->bare) {
		how->bare = 1;
	} else if (!chart_how->lettered &&
	    (l->n_entries > 0 || d->chart->is_ratio)) {
		chart_how->lettered = 1;
	} else if (n > 1) {
		const double share = fmax(l->plot_height, 0) / least;

		chart_how->most = d->n_rows > 0 && share * (double)n >= 1
		    ? (size_t)(share * (double)n)
		    : n - 1;
	} else {
		return 0;
	}
	return 1;
}

int
script_collect(const struct chart *chart, struct series_set *set,
    struct script_how *how, struct chart_how *chart_how, struct chart_data *d,
    struct script_layout *l, struct error *e)
{
	for (;;) {
		fit(how, chart_how);
		if (chart_collect(chart, set, chart_how, d, e) != 0)
			return -1;
		script_lay_out(d, how, l);
		if (chart_set_room(d,
			larger_of((int)(l->plot_width / LETTER_WIDTH), 1),
			e) != 0)
			return -1;
		script_lay_out(d, how, l);
		if (!leave_out(how, chart_how, d, l))
			break;
		chart_release(d);
	}
	place_changes(d, l);
	return 0;
}
