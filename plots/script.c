/* Write the gnuplot script of a picture: head, data blocks, templates, and the
 * checksum line. */
#include <config.h>

#include "plots/script.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/files/infile.h"
#include "common/json/json_write.h"
#include "plots/style/quote.h"

/* A script that is being written. */
struct script {
	struct strbuf *out;
	struct chart_data *d;
	const struct script_how *how;
	const struct script_layout *l;
};

/* Text as a gnuplot string of the picture's format. */
static const char *
quoted(const struct script *s, const char *text)
{
	return s->how->format->quote(&s->d->arena, text);
}

/* --- data ----------------------------------------------------------------- */

/* Append a coordinate, with few enough digits to hide rounding errors. */
static void
add_place(struct strbuf *out, double x)
{
	if (isfinite(x))
		strbuf_printf(out, "%.12g", x);
	else
		strbuf_addstr(out, "NaN");
}

static void
add_number(struct strbuf *out, double x)
{
	char buf[JSON_DOUBLE_SIZE];

	strbuf_addch(out, ' ');
	strbuf_addstr(out, isfinite(x) ? json_double(buf, x) : "NaN");
}

/* Append a case's name inside a data block, where a backslash starts an escape:
 * no quotes, no line ends, and only the backslashes that the format needs. */
static void
add_word(const struct script *s, const char *name)
{
	char *clean = arena_strdup(&s->d->arena, name);
	const char *text;

	for (char *c = clean; *c != '\0'; c++)
		if (strchr("\"'\\$`", *c) != NULL || (unsigned char)*c < ' ')
			*c = '_';
	text = quoted(s, clean);
	strbuf_addstr(s->out, " \"");
	/* Skip the surrounding quotes. */
	for (text++; text[1] != '\0'; text++) {
		strbuf_addch(s->out, *text);
		if (*text == '\\')
			strbuf_addch(s->out, '\\');
	}
	strbuf_addch(s->out, '"');
}

/* Append at, low and high. Values <= 0 become NaN on a logarithmic axis. */
static void
add_interval(const struct script *s, const struct chart_number *y)
{
	add_number(s->out, y->at > 0 || s->d->y.base == 0 ? y->at : NAN);
	add_number(s->out, y->low);
	add_number(s->out, y->high);
}

/* Label of point k of a line: cases aside that are next to each other share the
 * label of the first. */
static const char *
point_label(struct chart_data *d, const struct chart_series *line, size_t k)
{
	const double height = 0.06; /* of a label, share of the plot's */
	const enum chart_quantity q = d->chart->quantity;
	const struct chart_point *p = &line->points[k], *first = NULL;
	const char *label = "";

	if (!d->chart->over_gpus || !p->aside)
		return d->chart->labelled ? p->name : "";
	for (size_t i = 0; i < line->n_points; i++) {
		const struct chart_point *o = &line->points[i];

		if (!o->aside || fabs(o->x - p->x) > 0)
			continue;
		if (first == NULL ||
		    !(fabs(axis_share(&d->y, o->y[q].at) -
			  axis_share(&d->y, first->y[q].at)) < height))
			first = o;
		if (first == p)
			label = chart_join(d, label, ", ", o->name);
	}
	return label;
}

/* Label of a box of a stack: "142 ms, 34 %", or its share alone, if it fits. */
static const char *
box_label(const struct script *s, const struct chart_point *p)
{
	const struct forest *f = &s->l->forest;
	const struct chart_number *y = &p->y[CHART_VALUE];
	const double room = (y->high - y->low) / (s->d->y.high - s->d->y.low) *
	    (f->right - f->left);
	const char *share = strstr(p->name, ", ") + 2;

	return script_text_width(p->name) < room ? p->name
	    : script_text_width(share) < room    ? share
						 : "";
}

/* Write the points of a line: a block of $data or $bands. */
static void
write_line(const struct script *s, const struct chart_series *line)
{
	const struct chart *chart = s->d->chart;

	for (size_t k = 0; k < line->n_points; k++) {
		const struct chart_point *p = &line->points[k];
		struct chart_number second = p->y[CHART_SPEEDUP];
		struct chart_number third = p->y[CHART_EFFICIENCY];

		if (!chart->over_gpus) {
			second.at = p->trend;
			third.at = p->starts_level ? p->trend : NAN;
		}
		if (k == 0 && isfinite(line->spread.at))
			second = line->spread;
		if (chart->is_ratio)
			third.high = p->change;
		if (!chart->over_gpus)
			third.low = p->is_open ? 1 : NAN;
		/* An empty line breaks the line that joins points. */
		if (p->aside)
			strbuf_addch(s->out, '\n');
		add_place(s->out, p->x);
		add_interval(s, &p->y[CHART_VALUE]);
		add_interval(s, &second);
		add_interval(s, &third);
		add_word(s,
		    chart->is_stack ? box_label(s, p)
				    : point_label(s->d, line, k));
		if (chart->over_gpus) {
			add_interval(s, &p->y[CHART_OTHER]);
			strbuf_printf(s->out, " %d", p->is_open);
		}
		strbuf_addch(s->out, '\n');
	}
}

static const char columns_over_gpus[] =
    "# GPUs, median low high, speedup low high, efficiency low high (%), name, "
    "per GPU low high, flagged\n";

/* Write a data block of n lines; one without any gets a line that gnuplot can
 * read. */
static void
write_block(const struct script *s, const char *name, const char *columns,
    const struct chart_series *lines, size_t n)
{
	strbuf_printf(s->out, "$%s << EOD\n%s", name, columns);
	for (size_t i = 0; i < n; i++) {
		strbuf_addstr(s->out, i > 0 ? "\n\n" : "");
		write_line(s, &lines[i]);
	}
	if (n == 0)
		strbuf_addstr(s->out,
		    "NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN \"\" NaN NaN "
		    "NaN 0\n");
	strbuf_addstr(s->out, "EOD\n\n");
}

static void
write_data(const struct script *s)
{
	const struct chart_data *d = s->d;

	strbuf_printf(s->out, "N = %zu\n", d->n_series);
	write_block(s, "data",
	    d->chart->over_gpus ? columns_over_gpus
				: "# x, value low high, nothing, name\n",
	    d->series, d->n_series);
}

/* Columns of a block without any line, which gnuplot can read. */
static const char no_values[] = "NaN NaN NaN NaN NaN\n";
static const char run_columns[] =
    "# GPUs, value, speedup, efficiency (%), per GPU\n";

/* Write the columns of a quantity in $data and in $runs, and its distinct ideal
 * lines, IDEAL_AT * x**IDEAL_POWER. */
static void
write_quantity(const struct script *s, enum chart_quantity q)
{
	const struct chart_data *d = s->d;
	const struct script_layout *l = s->l;

	strbuf_printf(s->out,
	    "COLUMN = %d\nRUN_COLUMN = %d\nN_IDEAL = %zu\n"
	    "array IDEAL_OF[%zu]\narray IDEAL_AT[%zu]\n"
	    "array IDEAL_POWER[%zu]\n",
	    q == CHART_OTHER ? 12 : 2 + 3 * q, 2 + q, l->n_ideals, d->n_series,
	    d->n_series, d->n_series);
	if (l->n_ideals == 0) /* gnuplot reads the first element even so */
		strbuf_addstr(s->out,
		    "IDEAL_OF[1] = 1\nIDEAL_AT[1] = 1\n"
		    "IDEAL_POWER[1] = 0\n");
	for (size_t i = 0; i < l->n_ideals; i++) {
		const struct chart_series *line = &d->series[l->ideals[i]];
		const double at = chart_ideal(d, line, q, 1);

		strbuf_printf(s->out,
		    "IDEAL_OF[%zu] = %zu\nIDEAL_AT[%zu] = %.12g\n"
		    "IDEAL_POWER[%zu] = %ld\n",
		    i + 1, l->ideals[i] + 1, i + 1, at, i + 1,
		    lround(log2(chart_ideal(d, line, q, 2) / at)));
	}
}

/* Write the shift that separates the intervals of several series, in shares of
 * the plot's width. */
static void
write_dodge(const struct script *s)
{
	const struct chart_data *d = s->d;
	const enum chart_quantity q = d->chart->quantity;
	const int is_log = d->x.base > 0;
	const double range =
	    is_log ? log(d->x.high / d->x.low) : d->x.high - d->x.low;
	size_t n = 0; /* series with intervals */

	for (size_t i = 0; i < d->n_series; i++) {
		int has = 0;

		for (size_t k = 0; k < d->series[i].n_points; k++)
			has |= isfinite(d->series[i].points[k].y[q].low);
		n += (size_t)has;
	}
	strbuf_printf(s->out,
	    is_log
		? "dodge(x, i) = x * exp(%.6g * (i - (FIRST + LAST) / 2.0))\n"
		: "dodge(x, i) = x + %.6g * (i - (FIRST + LAST) / 2.0)\n",
	    (n > 1 ? fmin(0.03 / (double)d->n_series, 0.008) : 0) * range);
}

/* Write the runs, drawn as dots, but not those inside their median's mark; a
 * series without runs gets an empty block. */
static void
write_runs(const struct script *s)
{
	const double mark = 0.02; /* half its height, share of the plot's */
	const struct chart_data *d = s->d;
	const enum chart_quantity q = d->chart->quantity;

	strbuf_printf(s->out, "$runs << EOD\n%s", run_columns);
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *line = &d->series[i];
		size_t n = 0;

		strbuf_addstr(s->out, i > 0 ? "\n\n" : "");
		for (size_t k = 0; k < line->n_points; k++) {
			const struct chart_point *p = &line->points[k];
			const double at = axis_share(&d->y, p->y[q].at);

			for (size_t r = 0; r < p->n_runs; r++) {
				const double v = axis_share(
				    &d->y, chart_run_value(d, line, p, q, r));

				if (d->chart->sample == LEGEND_LINE &&
				    !(fabs(v - at) > mark))
					continue;
				add_place(s->out, p->x);
				for (int c = 0; c < CHART_N_QUANTITIES; c++)
					add_number(s->out,
					    chart_run_value(d, line, p,
						(enum chart_quantity)c, r));
				strbuf_addch(s->out, '\n');
				n++;
			}
		}
		strbuf_addstr(s->out, n == 0 ? no_values : "");
	}
	strbuf_addstr(s->out, "EOD\n\n");
}

static void
write_bands(const struct script *s)
{
	const struct chart_data *d = s->d;
	const struct chart_series *bands = d->series + d->n_series;

	strbuf_printf(s->out,
	    "N_BANDS = %zu\narray BAND_OF[%zu]\nBAND_OF[1] = 1\n", d->n_bands,
	    d->n_bands + 1);
	for (size_t i = 0; i < d->n_bands; i++)
		strbuf_printf(
		    s->out, "BAND_OF[%zu] = %d\n", i + 1, bands[i].band_of + 1);
	write_block(s, "bands", columns_over_gpus, bands, d->n_bands);
}

/* --- the head ------------------------------------------------------------- */

static int
is_format(const struct script *s, const char *name)
{
	return strcmp(s->how->format->name, name) == 0;
}

/* Sizes of fonts, lines and points follow the zoom. For formats sized in inches
 * a pixel is 1/96 inch. */
static void
write_terminal(const struct script *s)
{
	const struct script_how *how = s->how;
	const int is_svg = is_format(s, "svg"), is_png = is_format(s, "png");
	const int is_inches = !is_svg && !is_png;
	const double k = how->zoom * (is_png ? how->scale : 1);
	const double unit = is_inches ? 96 : 1;
	const double w = s->l->width * k / unit, h = s->l->height * k / unit;
	const double pt = SCRIPT_FONT_PT * k;
	char *name = arena_strdup(&s->d->arena, s->d->chart->name);

	if (is_format(s, "tex")) {
		strbuf_printf(s->out,
		    "set terminal tikz standalone size %.3fin,%.3fin font "
		    "'\\sffamily\\fontsize{%.3g}{%.3g}\\selectfont' "
		    "background '%s'\n",
		    w, h, pt, 1.2 * pt, how->theme->background);
		return;
	}
	strbuf_printf(s->out, "set terminal %s%s size ", how->format->name,
	    is_svg ? "" : "cairo");
	strbuf_printf(s->out, is_inches ? "%.3fin,%.3fin" : "%.0f,%.0f", w, h);
	strbuf_printf(s->out,
	    " noenhanced linewidth %.4g font %s background '%s'", k,
	    quote_string(&s->d->arena,
		arena_printf(&s->d->arena, "%s,%.4g",
		    how->font != NULL ? how->font : "sans-serif",
		    is_svg ? SCRIPT_FONT * k : 10)),
	    how->theme->background);
	for (char *p = name; (p = strchr(p, '-')) != NULL;)
		*p = '_';
	/* The margins of SVG do not follow a fontscale. */
	if (is_svg)
		strbuf_printf(s->out, " name '%s'\n", name);
	else
		strbuf_printf(s->out, " fontscale %.4g pointscale %.4g\n",
		    (is_png ? 1 : 0.67) * k, k);
}

static void
write_start(const struct script *s)
{
	const char *picture = s->how->picture;
	struct arena *a = &s->d->arena;

	strbuf_printf(
	    s->out, "# %s, drawn by plot_results.", s->d->chart->name);
	if (picture != NULL && s->how->script != NULL)
		strbuf_printf(s->out,
		    "  In this folder, \"gnuplot %s\"\n# draws %s again.",
		    quote_comment(a, s->how->script),
		    quote_comment(a, picture));
	strbuf_addstr(s->out, "\nreset\n" QUOTE_SET);
	/* gnuplot runs a name that starts with '|' as a program. */
	if (picture != NULL)
		strbuf_printf(s->out, "if (!exists(\"OUTPUT\")) OUTPUT = %s\n",
		    quote_string(a,
			arena_printf(a, "%s%s", picture[0] == '|' ? "./" : "",
			    picture)));
	else
		strbuf_addstr(s->out, "OUTPUT = ''\n");
	strbuf_addstr(s->out, "set encoding utf8\n");
	write_terminal(s);
	strbuf_addstr(s->out, "if (strlen(OUTPUT) > 0) set output OUTPUT\n\n");
}

/* A font of the format; sizes in SVG are absolute, and at least 6 points. */
static const char *
font_size(const struct script *s, const char *font)
{
	if (!is_format(s, "svg"))
		return font;
	return arena_printf(&s->d->arena, ",%.4g",
	    fmax(strtod(font + 1, NULL) * s->how->zoom, 8));
}

static void
write_texts(const struct script *s)
{
	enum { CROWDED = 60 };
	const struct picture_format *f = s->how->format;
	const struct chart_data *d = s->d;

	strbuf_printf(s->out,
	    "TITLE = %s\nNOTE = %s\nX_TITLE = %s\nY_TITLE = %s\n"
	    "TITLE_FONT = '%s'\nNOTE_FONT = '%s'\nPOINT = %s",
	    quoted(s, s->l->title), quoted(s, s->l->note),
	    quoted(s,
		d->chart->sideways && !d->chart->is_grid ? d->y_title
							 : d->x_title),
	    quoted(s, s->l->y_above || d->chart->sideways ? "" : d->y_title),
	    font_size(s, f->title_font), font_size(s, f->note_font), f->point);
	/* Many points of a history would cover its level. */
	if (d->chart->names_in_title && d->series[0].n_points > CROWDED)
		strbuf_addstr(s->out, " * 0.6");
	strbuf_printf(s->out,
	    "\nX_DOWN = %g\nTITLE_X = 0.5\nTITLE_Y = %.4f\nNOTE_Y = %.4f\n\n",
	    (is_format(s, "svg") ? 0.6 : 0) - s->l->more_labels, s->l->title_y,
	    s->l->note_y);
}

enum { RUN_STYLE = 200 }; /* plus the series' number: style of its runs */

/* Write the theme's colours, and colours and marks of all series. */
static void
write_styles(const struct script *s)
{
	const struct palette *palette = s->how->palette;
	const struct theme *t = s->how->theme;

	strbuf_printf(s->out,
	    "FOREGROUND = '%s'\nBACKGROUND = '%s'\nGRID = '%s'\nFAINT = '%s'\n"
	    "LINE_WIDTH = %.3g\n",
	    t->foreground, t->background, t->grid, t->faint,
	    1.8 * t->line_width);
	for (size_t i = 0; i < s->d->n_series; i++) {
		const struct chart_series *c = &s->d->series[i];
		struct series_style style = series_style_of(
		    palette, t, c->colour, s->d->n_colours, c->mark, c->dash);
		char shade[SERIES_SHADE_SIZE];

		/* Boxes have no marks or dashes: use shades. Those of a stack
		 * contain texts. */
		if (s->d->chart->sample == LEGEND_BOX)
			style.colour = series_shade(style.colour, t,
			    c->colour / palette->n + s->d->chart->is_stack,
			    shade);
		strbuf_printf(s->out,
		    "set style line %zu lc rgb '%s' pt %d dt %d\n"
		    "set style line %zu lc rgb '#%s%s' pt 7\n",
		    i + 1, style.colour, style.mark, style.dash,
		    RUN_STYLE + i + 1, s->d->chart->of_steps ? "a0" : "50",
		    style.colour + 1);
	}
	if (s->d->chart->is_ratio) {
		struct series_style slower =
		    series_style_of(palette, t, 1, 2, 0, 0);

		strbuf_printf(
		    s->out, "set style line 2 lc rgb '%s'\n", slower.colour);
	}
	strbuf_addstr(s->out, "set style line 100 lc rgb FAINT\n\n");
}

static void
write_axis(
    const struct script *s, char name, const struct axis *a, int labelled)
{
	if (a->base > 0)
		strbuf_printf(s->out, "set logscale %c %d\n", name, a->base);
	strbuf_printf(s->out, "set %crange [%.12g:%.12g]\nset %ctics (", name,
	    a->low, a->high, name);
	for (size_t i = 0; i < a->n; i++) {
		const struct axis_tick *t = &a->ticks[i];

		if (i > 0)
			strbuf_addstr(s->out, i % 6 == 0 ? ", \\\n    " : ", ");
		/* gnuplot uses a label as a format: double each '%'. */
		for (const char *p = quoted(s, labelled ? t->label : "");
		     *p != '\0'; p++)
			strbuf_addchars(s->out, *p, *p == '%' ? 2 : 1);
		strbuf_printf(
		    s->out, " %.12g%s", t->at, t->label[0] == '\0' ? " 1" : "");
	}
	strbuf_addstr(s->out, ")\n");
}

static void
write_axes(const struct script *s)
{
	const struct chart_data *d = s->d;

	write_axis(s, 'x', d->chart->sideways ? &d->y : &d->x, 1);
	write_axis(s, 'y', d->chart->sideways ? &d->x : &d->y, 1);
	if (d->chart->sideways) /* from the top down */
		strbuf_printf(
		    s->out, "set yrange [%g:%g]\n", d->x.high, d->x.low);
}

/* Shade the windows (equal windows once) and draw the settling points as dotted
 * lines in the colour of their run.
 *
 * first, end  series of one of several small charts */
static void
write_marks(const struct script *s, size_t first, size_t end)
{
	enum { WINDOW_TAG = 400, SETTLED_TAG = 500 };

	for (size_t i = first; i < end; i++) {
		const struct chart_mark *m = &s->d->series[i].mark_at;
		int again = 0;

		for (size_t k = first; k < i; k++) {
			const struct chart_mark *o = &s->d->series[k].mark_at;

			again |= fabs(o->from - m->from) < 1e-9 &&
			    fabs(o->to - m->to) < 1e-9;
		}
		if (!again && isfinite(m->from))
			strbuf_printf(s->out,
			    "set object %zu rectangle from first %.12g, "
			    "graph 0 to first %.12g, graph 1 behind "
			    "fc rgb '#d8808080' fs solid noborder\n",
			    WINDOW_TAG + i, m->from, m->to);
		if (isfinite(m->settled))
			strbuf_printf(s->out,
			    "set arrow %zu from first %.12g, graph 0 to first "
			    "%.12g, graph 1 nohead ls %zu dt 3 lw 1\n",
			    SETTLED_TAG + i, m->settled, m->settled, i + 1);
	}
}

/* Write the labels of a history's changes, each with a dotted line.
 *
 * facet  index of the small chart, or 0 */
static void
write_changes(const struct script *s, int facet)
{
	enum { TAG = 600 };

	for (size_t i = 0; i < s->l->n_changes; i++) {
		const struct change *c = &s->l->changes[i];
		const double y =
		    1 - (c->row + 0.5) * CHANGE_ROW / s->l->plot_height;

		if (c->facet != facet)
			continue;
		strbuf_printf(s->out,
		    "set label %zu %s at first %.12g, graph %.4f %s offset "
		    "%s,0 font NOTE_FONT tc rgb FOREGROUND\n"
		    "set arrow %zu from first %.12g, graph 0 to first %.12g, "
		    "graph %.4f nohead lc rgb FAINT dt 3\n",
		    TAG + i, quoted(s, c->text), c->x, y,
		    c->is_left ? "right" : "left", c->is_left ? "-0.5" : "0.5",
		    TAG + i, c->x, c->x, y);
	}
}

/* Write how labels of bars are turned to stand above their bars, and whether
 * bars are wide enough for them. */
static void
write_bar_labels(const struct script *s)
{
	enum { LETTER = 7, LINE = 12 };
	const struct chart_data *d = s->d;
	const double bar = 0.8 * s->l->plot_width /
	    ((d->x.high - d->x.low) * (double)d->n_series);
	size_t widest = 0;

	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++) {
			const size_t len = strlen(d->series[i].points[k].name);

			widest = len > widest ? len : widest;
		}
	strbuf_printf(s->out, "LABELS = '%s'\nLABELS_SHOWN = %d\n",
	    (double)widest * LETTER > bar ? "left rotate by 90 offset 0,0.4"
					  : "offset 0,0.7",
	    bar >= LINE);
}

/* Write the legend: a sample and a name per entry.
 *
 * left  of the legend, in pixels
 * y     its top, in pixels from the bottom of the picture */
static void
write_legend(const struct script *s, double left, double y)
{
	const struct script_layout *l = s->l;
	const int width = l->width, height = l->height;
	const size_t columns = (size_t)l->legend_columns;

	strbuf_addstr(s->out, "# The legend: a sample and a name each.\n");
	for (size_t i = 0; i < l->n_entries; i++) {
		const struct legend_entry *e = &l->entries[i];
		const int is_ideal = e->sample == LEGEND_IDEAL;
		const int is_box = e->sample == LEGEND_BOX;
		const double x = left + (double)(i % columns) * l->column_width;
		const double from = x / width;
		const double to = (x + LEGEND_SAMPLE - 12) / width;
		const double middle = (y - LEGEND_ROW / 2.0) / height;
		const size_t tag = 100 + 2 * i;

		if (is_ideal || e->sample <= LEGEND_STROKE)
			strbuf_printf(s->out,
			    "set arrow %zu from screen %.4f,%.4f to screen "
			    "%.4f,%.4f nohead ls %d %s\n",
			    tag, from, middle, to, middle, e->style,
			    is_ideal ? "dt 2 lw 1.5" : "lw 1.8");
		if (!is_ideal && e->sample != LEGEND_STROKE)
			strbuf_printf(s->out,
			    "set label %zu '' at screen %.4f,%.4f point ls %d "
			    "%s\n",
			    tag, (from + to) / 2, middle, e->style,
			    is_box ? "pt 5 ps 1.6 * POINT" : "ps POINT");
		strbuf_printf(s->out,
		    "set label %zu %s at screen %.4f,%.4f left tc rgb "
		    "FOREGROUND\n",
		    tag + 1, quoted(s, e->name),
		    (x + LEGEND_SAMPLE - 6) / width, middle);
		if ((i + 1) % columns == 0)
			y -= script_legend_row(l, i + 1 - columns);
	}
}

/* Write the names of the series at their place: at the ends of the lines or in
 * a legend, if any. */
static void
write_names(const struct script *s)
{
	enum { INSET = 10 };
	const struct script_layout *l = s->l;
	const double used =
	    (double)l->legend_columns * l->column_width - LEGEND_GAP;
	double left = used < l->width ? (l->width - used) / 2 : LEGEND_MARGIN;

	if (l->place == PLACE_ENDS) {
		strbuf_addstr(s->out, "# Names at the ends of the lines.\n");
		for (size_t i = 0; i < l->n_ends; i++)
			strbuf_printf(s->out,
			    "set label %zu %s at screen %.4f,%.4f left tc ls "
			    "%d\n",
			    300 + i, quoted(s, l->ends[i].text),
			    1 - (l->right - 8.0) / l->width,
			    l->bottom + l->ends[i].y * (l->top - l->bottom),
			    l->ends[i].style);
		strbuf_addch(s->out, '\n');
	}
	if (l->place == PLACE_RIGHT)
		left = l->width - l->right + INSET;
	if (l->place == PLACE_INSIDE)
		left = l->left + INSET;
	if (l->n_entries > 0)
		write_legend(s, left,
		    l->place == PLACE_BELOW ? l->legend_height
					    : l->top * l->height);
}

/* Write a diamond spanning the interval, below a line.
 *
 * half  of the diamond's height, in rows */
static void
write_mean(
    struct strbuf *out, const struct chart_number *y, size_t row, double half)
{
	const double at = (double)row;
	const double low = isfinite(y->low) ? y->low : y->at,
		     high = isfinite(y->high) ? y->high : y->at;

	strbuf_printf(out,
	    "set arrow 95 from graph 0, first %g to graph 1, first %g nohead "
	    "lc rgb GRID lw 2\n",
	    at - 0.5, at - 0.5);
	strbuf_printf(out,
	    "set object 95 polygon from first %.12g, first %g to "
	    "first %.12g, first %g to first %.12g, first %g to "
	    "first %.12g, first %g to first %.12g, first %g "
	    "fc rgb FOREGROUND fs solid border lc rgb FOREGROUND\n",
	    low, at, y->at, at - half, high, at, y->at, at + half, low, at);
}

/* Write the texts of a chart with cases down the side, the shaded range, and
 * the diamond of the mean. */
static void
write_rows(const struct script *s)
{
	static const char text[] =
	    "set label %zu %s at screen %.4f, first %zu left tc rgb "
	    "FOREGROUND\n";
	const struct chart_data *d = s->d;
	const struct forest *f = &s->l->forest;
	const double w = f->width;
	size_t tag = 1000;

	strbuf_addstr(s->out, "# Numbers and verdicts at the right.\n");
	for (size_t i = 0; i < f->n; i++, tag += 2) {
		if (f->number_at > 0)
			strbuf_printf(s->out, text, tag,
			    quoted(s, f->numbers[i]), f->number_at / w, i + 1);
		if (f->verdicts[i][0] != '\0')
			strbuf_printf(s->out, text, tag + 1,
			    quoted(s, f->verdicts[i]), f->verdict_at / w,
			    i + 1);
	}
	if (d->delta > 0)
		strbuf_printf(s->out,
		    "set object 94 rectangle from first %.12g, graph 0 to "
		    "first %.12g, graph 1 behind fc rgb '#d8808080' fs solid "
		    "noborder\n",
		    1 / (1 + d->delta), 1 + d->delta);
	if (d->mean.at > 0)
		write_mean(s->out, &d->mean, f->n, 0.32 / f->lines);
	strbuf_addch(s->out, '\n');
}

/* Write the range of a grid's numbers, and the colour of the largest. */
static void
write_cells(const struct script *s)
{
	enum { TINT = 2 }; /* texts stay legible */
	const struct series_style style =
	    series_style_of(s->how->palette, s->how->theme, 0, 1, 0, 0);
	char shade[SERIES_SHADE_SIZE];
	double low = INFINITY, high = 100;

	for (size_t i = 0; i < s->d->n_series; i++)
		for (size_t k = 0; k < s->d->series[i].n_points; k++) {
			low = fmin(low, s->d->series[i].points[k].trend);
			high = fmax(high, s->d->series[i].points[k].trend);
		}
	strbuf_printf(s->out, "LOW = %.6g\nHIGH = %.6g\nCELL = '%s'\n",
	    low - fmax(0.2 * (high - low), 1), high,
	    series_shade(style.colour, s->how->theme, TINT, shade));
}

/* --- templates ------------------------------------------------------------ */

static int
add_template(const struct script *s, const char *name, struct error *e)
{
	const char *file = arena_printf(&s->d->arena, "%s.gp", name);
	char *path = install_path_find("plots", file, e);
	const int rc = path != NULL ? text_file_read(path, s->out, e) : -1;

	free(path);
	return rc;
}

/* Write the margins of plot i, counted from the top left, and the title of its
 * y axis if that stands above it. */
static void
write_box(const struct script *s, int i)
{
	const struct script_layout *l = s->l;
	const double w = l->width, h = l->height;
	const double left = l->left + i % l->columns * (l->plot_width + l->gap);
	const double top = l->top * h - l->facet_title -
	    i / l->columns * (l->plot_height + l->facet_title + l->facet_below);

	strbuf_printf(s->out,
	    "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
	    "set tmargin at screen %.4f\nset bmargin at screen %.4f\n",
	    left / w, (left + l->plot_width) / w, top / h,
	    (top - l->plot_height) / h);
	if (l->y_above && (i == 0 || l->panels))
		strbuf_printf(s->out,
		    "set label 4 %s at screen %.4f,%.4f left tc rgb "
		    "FOREGROUND\n",
		    quoted(s, i == 0 ? s->d->y_title : s->d->second_y_title),
		    (left - l->left + 8) / w, l->top + 13.0 / h);
	if (s->d->n_facets > 0)
		strbuf_printf(s->out,
		    "set label 3 %s at screen %.4f,%.4f center tc rgb "
		    "FOREGROUND\n",
		    quoted(s, l->facets[i]), (left + l->plot_width / 2) / w,
		    (top + l->facet_title - FACET_TITLE / 2.0) / h);
}

/* Write the axes of plot i, which is not the only one. */
static void
write_box_axes(const struct script *s, int i)
{
	const struct script_layout *l = s->l;
	const int column = i % l->columns, row = i / l->columns;

	if (l->panels && i == 1) {
		strbuf_printf(s->out, "unset logscale y\nset ylabel %s\n",
		    quoted(s, l->y_above ? "" : s->d->second_y_title));
		write_quantity(s, s->d->second->quantity);
		write_axis(s, 'y', &s->d->second_y, 1);
	}
	if (s->d->n_facets == 0)
		return;
	strbuf_printf(s->out, "set xlabel %s\nset ylabel %s\n",
	    row == l->rows - 1 ? "X_TITLE" : "''",
	    column == 0 ? "Y_TITLE" : "''");
	write_axis(s, 'y', &s->d->y, column == 0);
}

/* Write the plots: one, two panels of the same series, or one per facet. Titles
 * and legend belong to the first. */
static int
write_plots(const struct script *s, struct error *e)
{
	const struct chart_data *d = s->d;
	const int n = s->l->panels ? 2 : d->n_facets > 0 ? (int)d->n_facets : 1;
	const struct chart *chart;
	size_t first = 0, next = d->n_series;

	if (n > 1)
		strbuf_addstr(s->out, "set multiplot\n");
	if (d->n_facets > 0)
		strbuf_addstr(s->out, "POINT = 0.75 * POINT\n");
	for (int i = 0; i < n; i++, first = next) {
		if (i > 0)
			strbuf_addstr(s->out,
			    "\nunset label\nunset arrow\nunset object\n");
		if (d->n_facets > 0) {
			for (next = first;
			     next < d->n_series && d->series[next].facet == i;)
				next++;
			strbuf_printf(s->out, "\nFIRST = %zu\nLAST = %zu\n",
			    first + 1, next);
		}
		write_box(s, i);
		write_marks(s, first, next);
		write_changes(s, i);
		write_box_axes(s, i);
		chart = i > 0 && s->l->panels ? d->second : d->chart;
		if (add_template(s,
			chart->template != NULL ? chart->template : chart->name,
			e) != 0)
			return -1;
	}
	strbuf_addstr(s->out, n > 1 ? "unset multiplot\n" : "");
	return 0;
}

int
script_write(struct chart_data *d, const struct script_how *how,
    const struct script_layout *l, struct strbuf *out, struct error *e)
{
	const struct script s = { .out = out, .d = d, .how = how, .l = l };
	const struct chart *chart = d->chart;

	assert(d->n_series > 0 && how->width > 0);
	write_start(&s);
	write_texts(&s);
	write_styles(&s);
	write_data(&s);
	if (chart->keyed && !chart->of_steps) { /* medians of runs */
		write_dodge(&s);
		write_runs(&s);
	}
	if (chart->over_gpus) {
		strbuf_printf(out, "RIGHT_FROM = %.6g\n", axis_at(&d->x, 0.7));
		write_quantity(&s, chart->quantity);
		write_bands(&s);
	}
	if (!chart->over_gpus)
		strbuf_printf(out, "N_LIMITS = %d\nLIMIT = %.12g\n",
		    d->limit > 0, d->limit);
	write_axes(&s);
	if (chart->labelled && chart->sample == LEGEND_BOX && !chart->sideways)
		write_bar_labels(&s);
	strbuf_addch(out, '\n');
	if (chart->is_grid)
		write_cells(&s);
	if (chart->sideways)
		write_rows(&s);
	write_names(&s);
	strbuf_addstr(out, "FIRST = 1\nLAST = N\n");
	if (add_template(&s, "style", e) != 0)
		return -1;
	strbuf_addch(out, '\n');
	if (write_plots(&s, e) != 0)
		return -1;
	strbuf_addstr(out, "unset output\n");
	if (out->full)
		return error_set(e, ERROR_LIMIT, "the script is too large");
	return 0;
}
