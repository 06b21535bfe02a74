/* Layout of a picture: texts, legend, plot, small charts, names at the ends of
 * lines. */
#include <config.h>

#include "plots/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "common/units/units.h"

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
	Y_AXIS_LABEL = 26,  /* around the labels of the y axis */
	Y_AXIS_WIDTH = 110, /* y axis and right margin */
	FOREST_LINE = 18,   /* of a chart with names down the side */
	RIGHT = 22,         /* for half of a label of the x axis */
	/* Names at the ends of lines. */
	DIRECT_MAX_SERIES = 8,
	/* Small charts. */
	FACET_HEIGHT = 200, /* of a plot, at most */
	FACET_BELOW = 34,   /* x labels */
	FACET_MIN_WIDTH = 210,
	FACET_NARROW = 100, /* in a narrow picture */
	FACET_GAP = 18,
	FACET_LEFT = 58 /* labels of four characters */
};

const char *const legend_place_names[] = { "auto", "ends", "right", "inside",
	"below", "none", NULL };

static int
larger_of(int a, int b)
{
	return a > b ? a : b;
}

static int
smaller_of(int a, int b)
{
	return a < b ? a : b;
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

/* Count the ideal lines: one if all series share it, else one per series. */
static void
count_ideals(struct script *s)
{
	const struct chart_data *d = &s->d;
	const enum chart_quantity q = d->chart->quantity;
	const double first = chart_ideal(d, d->series, q, 1);
	int any = isfinite(first), alike = 1;

	for (size_t i = 1; i < d->n_series; i++) {
		const double y = chart_ideal(d, &d->series[i], q, 1);

		any |= isfinite(y);
		alike &= fabs(y - first) <= 1e-9 * fabs(y) &&
		    d->series[i].flat == d->series->flat;
	}
	s->n_ideals = !any ? 0 : alike ? 1 : d->n_series;
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
 * speedup and efficiency the last number: "PyTorch 29.7×, 93 %". */
static const char *
end_text(struct script *s, const char *name, const struct chart_point *last)
{
	struct arena *a = &s->d.arena;
	const enum chart_quantity q = s->d.chart->quantity;
	const double share = last->y[CHART_EFFICIENCY].at;
	char speedup[UNITS_TEXT_SIZE];
	const char *text;

	if (!chart_is_of_speedup(s->d.chart) && !s->panels)
		return name;
	if (q == CHART_EFFICIENCY)
		text = arena_printf(a, "%.0f %%", share);
	else
		text = arena_printf(a, "%s\xc3\x97",
		    number_format(speedup, last->y[CHART_SPEEDUP].at, 3));
	if (q != CHART_EFFICIENCY && s->how.width >= SCRIPT_WIDE &&
	    isfinite(share))
		text = arena_printf(a, "%s, %.0f %%", text, share);
	return arena_join(a, s->d.n_series > 1 ? name : "", " ", text);
}

static int
compare_ends(const void *a, const void *b)
{
	const struct legend_entry *x = a, *y = b;

	return (x->y < y->y) - (x->y > y->y);
}

/* Make the labels of the series and of a shared ideal line. Returns 0 if names
 * cannot be placed at the ends: a line ends further left than another, the
 * chart has no lines, or there are too many. */
static int
make_ends(struct script *s)
{
	struct chart_data *d = &s->d;
	const enum chart_quantity q =
	    s->panels ? d->second->quantity : d->chart->quantity;
	const struct axis *y = s->panels ? &d->second_y : &d->y;
	double x = NAN, ideal;

	if (d->n_facets > 0 || d->chart->of_steps || d->chart->sideways ||
	    d->limit > 0 || d->chart->sample != LEGEND_LINE ||
	    d->n_series > DIRECT_MAX_SERIES ||
	    (d->n_series < 2 && !chart_is_of_speedup(d->chart)))
		return 0;
	s->entries =
	    arena_calloc(&d->arena, d->n_series + 1, sizeof *s->entries);
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_point *last = last_point(d, i);

		if (last == NULL || last->x < x || last->x > x)
			return 0;
		x = last->x;
		s->entries[s->n_entries++] = (struct legend_entry){
			.name = end_text(s, d->series[i].name, last),
			.style = (int)i + 1,
			.y = axis_share(y, last->y[q].at)
		};
	}
	/* The ideal line, or that of the first series. */
	ideal = chart_ideal(d, &d->series[0], q, x);
	if (isfinite(ideal))
		s->entries[s->n_entries++] =
		    (struct legend_entry){ .name = d->ideal_title,
			    .style = 100,
			    .y = axis_share(y, ideal) };
	qsort(s->entries, s->n_entries, sizeof *s->entries, compare_ends);
	return 1;
}

/* Lay out the labels at the ends of lines, without their numbers if these would
 * take too much of the picture. Returns 1 if the names are placed there. */
static int
lay_out_ends(struct script *s)
{
	/* Share of the width that the labels may take. */
	const double most = (s->panels ? 0.3 : 0.45) * s->how.width;
	const int height = s->how.height > 0
	    ? s->how.height / 2
	    : smaller_of(s->how.width * 11 / 20, PLOT_HEIGHT);

	if (!make_ends(s) || (int)s->n_entries * NOTE_LINE > height)
		return 0;
	for (int with_numbers = 1; with_numbers >= 0; with_numbers--) {
		s->right = 0;
		for (size_t i = 0; i < s->n_entries; i++) {
			struct legend_entry *e = &s->entries[i];

			if (!with_numbers && e->style <= (int)s->d.n_series)
				e->name = s->d.series[e->style - 1].name;
			s->right = larger_of(
			    s->right, script_text_width(e->name) + 20);
		}
		if (s->right <= most)
			return 1;
	}
	return s->how.place == PLACE_ENDS;
}

/* --- the legend ----------------------------------------------------------- */

/* List the entries: the ideal line, then the series, if there are several
 * names; break their names into lines and choose the columns so that nothing is
 * clipped. Series of one name in several facets look alike and share an entry.
 *
 * width        available, in pixels
 * max_columns  0: as many as fit */
static void
fill_legend(struct script *s, int width, int max_columns)
{
	const struct chart_data *d = &s->d;
	const char *const guides[] = { s->n_ideals > 0 ? d->ideal_title : NULL,
		d->limit > 0 ? d->limit_title : NULL };
	const int room = width - 2 * LEGEND_MARGIN;
	const int most = larger_of((room - LEGEND_SAMPLE) / LETTER_WIDTH, 10);
	struct legend_entry *e =
	    arena_calloc(&s->d.arena, d->n_series + 2, sizeof *e);
	int widest = 0, n = 0, n_guides, columns, end;

	s->entries = e;
	for (int i = 0; i < 2; i++)
		if (guides[i] != NULL)
			e[n++] = (struct legend_entry){ .name = guides[i],
				.style = 100,
				.sample = LEGEND_IDEAL };
	n_guides = n;
	for (size_t i = 0;
	     (!d->chart->sideways || d->chart->is_stack) && i < d->n_series;
	     i++) {
		const char *name = d->series[i].name;
		size_t k = d->n_facets > 0 ? 0 : i;

		while (strcmp(d->series[k].name, name) != 0)
			k++;
		if (k == i)
			e[n++] = (struct legend_entry){ .name = name,
				.style = (int)i + 1,
				.sample = d->chart->sample };
	}
	n -= n == n_guides + 1;
	s->n_entries = (size_t)n;
	for (int i = 0; i < n; i++) {
		e[i].name = quote_wrap(&s->d.arena, e[i].name, (size_t)most);
		widest = larger_of(widest, script_text_width(e[i].name));
	}
	s->column_width = LEGEND_SAMPLE + widest + LEGEND_GAP;
	columns = (room + LEGEND_GAP) / s->column_width;
	if (max_columns > 0 && columns > max_columns)
		columns = max_columns;
	s->legend_columns = larger_of(smaller_of(columns, n), 1);
	s->legend_height = 0;
	for (int i = 0; i < n; i = end) {
		int lines = 1;

		for (end = i; end < n && end < i + s->legend_columns; end++) {
			e[end].y = s->legend_height;
			lines =
			    larger_of(lines, quote_count_lines(e[end].name));
		}
		s->legend_height += LEGEND_ROW + (lines - 1) * LEGEND_MORE;
	}
	s->legend_height += n > 0 ? LEGEND_BELOW : 0;
}

/* Set the places of names in the picture. Those at the ends of lines are given
 * as shares of the plot's height and moved apart: down, then up from the x
 * axis. Those of a legend are given in pixels from its top. */
static void
place_names(struct script *s)
{
	enum { INSET = 10 };
	const double width = s->how.width, height = s->height;
	const double line = NOTE_LINE / s->plot_height;
	const double used = s->legend_columns * s->column_width - LEGEND_GAP;
	const double top =
	    s->place == PLACE_BELOW ? s->legend_height : s->top * height;
	const double left = s->place == PLACE_RIGHT ? width - s->right + INSET
	    : s->place == PLACE_INSIDE              ? s->left + INSET
	    : used < width                          ? (width - used) / 2
						    : LEGEND_MARGIN;
	struct legend_entry *e = s->entries;
	const size_t n = s->n_entries;

	for (size_t i = 1; s->place == PLACE_ENDS && i < n; i++)
		e[i].y = fmin(e[i].y, e[i - 1].y - line);
	for (size_t i = n; s->place == PLACE_ENDS && i-- > 0;)
		e[i].y = fmax(e[i].y, i + 1 < n ? e[i + 1].y + line : line / 4);
	for (size_t i = 0; i < n; i++)
		if (s->place == PLACE_ENDS) {
			e[i].x = 1 - (s->right - 8) / width;
			e[i].y = s->bottom + e[i].y * (s->top - s->bottom);
		} else {
			e[i].x = (left + LEGEND_SAMPLE - 6 +
				     (double)(i % (size_t)s->legend_columns) *
					 s->column_width) /
			    width;
			e[i].y = (top - e[i].y - LEGEND_ROW / 2.0) / height;
		}
}

/* --- cases down the side ---------------------------------------------------*/

/* Width of a text in pixels (or cells). */
static int
width_in(int cells, const char *text)
{
	return cells ? (int)utf8_columns(text) : script_text_width(text);
}

/* Width of the widest label of an axis, likewise. */
static int
label_width(int cells, const struct axis *a)
{
	int widest = 0;

	for (size_t i = 0; i < a->n; i++)
		widest = larger_of(widest, width_in(cells, a->ticks[i].label));
	return widest;
}

void
forest_lay_out(struct chart_data *d, int width, int cells, struct forest *f)
{
	/* Gaps at edges and between columns; between name and axis. */
	const int margin = cells ? 1 : 14, tick = cells ? 2 : 12;
	int texts = 0;

	*f = (struct forest){ .lines = larger_of(d->x.label_lines,
				  cells ? 1 : d->chart->of_steps + 1) };
	f->left = margin + label_width(cells, &d->x) + tick;
	/* Leave the plot 30 % of the width; a grid has no texts aside. */
	if (d->chart->is_grid)
		f->level = CHART_ROW_TEXTS;
	for (; f->level < CHART_ROW_TEXTS; f->level++, texts = 0) {
		for (size_t i = 0; i < d->n_rows; i++)
			texts = larger_of(
			    texts, width_in(cells, d->rows[i].texts[f->level]));
		if (f->left + texts + 2 * margin + width * 3 / 10 <= width)
			break;
	}
	f->right = width - margin - (texts > 0 ? texts + margin : 0);
}

/* --- plots ---------------------------------------------------------------- */

/* Number of small charts that fit side by side. */
static int
facet_columns(const struct script_how *how)
{
	const int room = how->width - FACET_LEFT - RIGHT;

	return larger_of(
	    room / (how->width < SCRIPT_WIDE ? FACET_NARROW : FACET_MIN_WIDTH),
	    1);
}

/* Place the plots beside each other: one, two panels, or small charts, whose
 * titles are broken into lines. Without a fixed height the picture grows with
 * the texts above and below the plot, which is landscape in narrow pictures,
 * too. */
static void
lay_out_plots(struct script *s)
{
	struct chart_data *d = &s->d;
	const int n = s->panels ? 2 : d->n_facets > 0 ? (int)d->n_facets : 1;
	const int columns = smaller_of(facet_columns(&s->how), n);
	const int title = quote_count_lines(s->title) * TITLE_LINE;
	const int top = 20 + title + quote_count_lines(s->note) * NOTE_LINE +
	    (d->chart->sideways ? 0 : TITLE_LINE);
	const int bottom = X_AXIS_HEIGHT +
	    (s->place == PLACE_BELOW ? s->legend_height : 0) +
	    s->more_labels * NOTE_LINE;
	int lines = 1, around, plots;

	/* Balance the rows: four charts become 2 x 2, not 3 + 1. */
	s->rows = s->panels ? 1 : (n + columns - 1) / columns;
	s->columns = (n + s->rows - 1) / s->rows;
	if (d->chart->has_names) /* half of the last one */
		s->right = larger_of(s->right, label_width(0, &d->x) / 2 + 4);
	s->left = Y_AXIS_LABEL + label_width(0, &d->y);
	s->gap =
	    s->panels ? Y_AXIS_LABEL + label_width(0, &d->second_y) : FACET_GAP;
	if (d->chart->sideways) {
		forest_lay_out(d, s->how.width, 0, &s->forest);
		s->left = s->forest.left;
		s->right = s->how.width - s->forest.right;
	}
	s->plot_width = (double)(s->how.width - s->left - s->right -
			    (s->columns - 1) * s->gap) /
	    s->columns;
	s->facets = arena_calloc(&d->arena, d->n_facets, sizeof *s->facets);
	for (size_t i = 0; i < d->n_facets; i++) {
		s->facets[i] = quote_wrap(&d->arena, d->facets[i],
		    (size_t)larger_of((int)(s->plot_width / LETTER_WIDTH), 2));
		lines = larger_of(lines, quote_count_lines(s->facets[i]));
	}
	s->facet_title =
	    d->n_facets == 0 ? 0 : FACET_TITLE + (lines - 1) * TITLE_LINE;
	around = s->facet_title + s->facet_below;
	plots = smaller_of(s->how.width * 11 / 20, PLOT_HEIGHT);
	if (d->chart->sideways)
		plots = larger_of(
		    (int)d->n_rows * (s->forest.lines * FOREST_LINE + 9), 60);
	if (d->n_facets > 0) {
		plots = (int)fmin(
		    fmax(0.75 * s->plot_width, FACET_NARROW), FACET_HEIGHT);
		plots = s->rows * (plots + around) - s->facet_below;
	}
	s->height = s->how.height > 0 ? s->how.height : top + plots + bottom;
	s->top = 1 - (double)top / s->height;
	s->bottom = (double)bottom / s->height;
	s->title_y = 1 - (8.0 + TITLE_LINE / 2.0) / s->height;
	s->note_y = 1 - (8.0 + title + NOTE_LINE / 2.0) / s->height;
	s->plot_height =
	    (double)(s->height - top - bottom + s->facet_below) / s->rows -
	    around;
}

void
script_lay_out(struct script *s)
{
	struct chart_data *d = &s->d;
	const int width = s->how.width;
	const size_t note_columns = (size_t)(width - 40) / NOTE_CHAR;
	const int asks =
	    s->how.place == PLACE_AUTO || s->how.place == PLACE_ENDS;

	*s = (struct script){ .how = s->how,
		.d = s->d,
		.panels = d->second != NULL && width >= SCRIPT_WIDE,
		.title = "",
		.note = "" };
	if (!s->how.bare) {
		s->title = quote_wrap(&d->arena, d->title,
		    (size_t)larger_of(width - Y_AXIS_WIDTH, 40) / TITLE_CHAR);
		s->note = quote_wrap(
		    &d->arena, chart_note_line(d, note_columns), note_columns);
	}
	if (!d->chart->sideways && d->x.label_lines > 1)
		s->more_labels = d->x.label_lines - 1;
	s->facet_below = FACET_BELOW + s->more_labels * NOTE_LINE;
	count_ideals(s);
	/* Choose the place of the names and lay out the legend, if any. */
	s->place = !asks      ? s->how.place
	    : lay_out_ends(s) ? PLACE_ENDS
			      : PLACE_BELOW;
	if (s->place == PLACE_NONE)
		s->n_entries = 0;
	else if (s->place == PLACE_BELOW)
		fill_legend(s, s->how.width, 0);
	else if (s->place != PLACE_ENDS)
		fill_legend(s, s->how.width / 2, 1);
	if (s->place != PLACE_ENDS)
		s->right =
		    s->place == PLACE_RIGHT ? s->column_width + 8 : RIGHT;
	lay_out_plots(s);
	place_names(s);
}

/* --- what fits ------------------------------------------------------------ */

/* If the plots are too low, take the next measure: a smaller font, no title and
 * note, letters as names, fewer parts. Returns 0 if none is needed or left. */
static int
leave_out(struct script *s, struct chart_how *chart_how)
{
	const double least_font = 6; /* points */
	struct script_how *how = &s->how;
	const double pt = SCRIPT_FONT_PT * how->zoom;
	const double least = s->d.chart->sideways
	    ? (double)s->d.n_rows * (s->forest.lines * FOREST_LINE - 4)
	    : LEAST_PLOT;
	const double lacking = s->rows * (least - s->plot_height);
	const size_t n = chart_n_parts(&s->d);

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
	} else if (!chart_how->lettered && s->n_entries > 0) {
		chart_how->lettered = 1;
	} else if (n > 1) {
		const double share = fmax(s->plot_height, 0) / least;

		chart_how->most = s->d.n_rows > 0 && share * (double)n >= 1
		    ? (size_t)(share * (double)n)
		    : n - 1;
	} else {
		return 0;
	}
	return 1;
}

int
script_collect(const struct chart *chart, struct series_set *set,
    struct script *s, struct chart_how *fitting, struct error *e)
{
	enum { MOST_ROWS = 6, AROUND = 180, LEAST = 120 };
	const struct script_how *how = &s->how;
	const double font = 0.9; /* the note's */
	struct chart_data *d = &s->d;
	int lines = 0;

	for (;;) {
		const int height =
		    how->height > 0 ? how->height : PLOT_HEIGHT + 120;
		const int rows = how->height == 0 ? MOST_ROWS
						  : (how->height - AROUND) /
			(LEAST + FACET_TITLE + FACET_BELOW);

		fitting->room =
		    larger_of((how->width - Y_AXIS_WIDTH) / LETTER_WIDTH, 1);
		fitting->max_ticks = larger_of((height - 90) / 24, 2);
		fitting->max_facets = facet_columns(how) * larger_of(rows, 0);
		if (chart_collect(chart, set, fitting, &s->d, e) != 0)
			return -1;
		script_lay_out(s);
		if (chart_set_room(&s->d,
			larger_of((int)(s->plot_width / LETTER_WIDTH), 1),
			e) != 0)
			return -1;
		script_lay_out(s);
		if (!leave_out(s, fitting))
			break;
		chart_release(&s->d);
	}
	/* Place the labels of a history's changes in rows so that none covers
	 * another, and extend the y axis by the rows. */
	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 1; k < d->series[i].n_points; k++) {
			const struct chart_point *p = &d->series[i].points[k];
			struct change *c;
			const char *by;
			double wide;

			if (!p->starts_level)
				continue;
			s->changes = arena_grow(
			    &d->arena, s->changes, s->n_changes, sizeof *c);
			c = &s->changes[s->n_changes++];
			*c = (struct change){ .x = p->x,
				.from = axis_share(&d->x, p->x),
				.facet = d->series[i].facet };
			by = arena_printf(&d->arena, "%+.1f",
			    100 * (p->trend / p[-1].trend - 1));
			c->text = text_fill(&d->arena,
			    message(MESSAGE_CHANGE_SINCE, d->lang), by,
			    p->name);
			wide =
			    font * script_text_width(c->text) / s->plot_width;
			c->is_left = c->from + wide > 1;
			c->from -= c->is_left ? wide : 0;
			c->to = c->from + wide;
			/* Place it below each label that it would cover. */
			for (const struct change *o = s->changes; o < c; o++)
				if (o->facet == c->facet && o->from < c->to &&
				    c->from < o->to)
					c->row = larger_of(c->row, o->row + 1);
			lines = larger_of(lines, c->row + 1);
		}
	if (lines > 0)
		axis_limit(&d->y, d->y.low,
		    axis_at(&d->y,
			1 /
			    (1 -
				fmin(
				    lines * CHANGE_ROW / s->plot_height, 0.6))),
		    2);
	return 0;
}
