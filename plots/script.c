/* Write the gnuplot script of a picture: head, data blocks, templates, and the
 * checksum line. */
#include <config.h>

#include "plots/script.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/json/json_write.h"
#include "plots/style/quote.h"

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

	strbuf_printf(out, " %s", isfinite(x) ? json_double(buf, x) : "NaN");
}

/* Append a case's name inside a data block, where a backslash starts an escape:
 * no quotes, no line ends, and only the backslashes that the format needs. */
static void
add_word(struct strbuf *out, const struct picture_format *f, const char *name)
{
	struct strbuf quoted;
	char *clean = xstrdup(name);

	for (char *c = clean; *c != '\0'; c++)
		if (strchr("\"'\\$`", *c) != NULL || (unsigned char)*c < ' ')
			*c = '_';
	strbuf_init(&quoted, 1 << 16);
	f->quote(&quoted, clean);
	strbuf_addstr(out, " \"");
	/* Skip the surrounding quotes. */
	for (size_t i = 1; i + 1 < quoted.len; i++) {
		strbuf_addch(out, quoted.buf[i]);
		if (quoted.buf[i] == '\\')
			strbuf_addch(out, '\\');
	}
	strbuf_addch(out, '"');
	strbuf_release(&quoted);
	free(clean);
}

/* Append at, low and high. Values <= 0 become NaN on a logarithmic axis. */
static void
add_interval(struct strbuf *out, const struct chart_data *d,
    const struct chart_number *y)
{
	add_number(out, y->at > 0 || d->y.base == 0 ? y->at : NAN);
	add_number(out, y->low);
	add_number(out, y->high);
}

/* Label of point k of a series: cases aside that are next to each other share
 * the label of the first. Free with free(). */
static char *
point_label(const struct chart_data *d, const struct chart_series *s, size_t k)
{
	const double line = 0.06; /* height of a label, share of the plot's */
	const enum chart_quantity q = d->chart->quantity;
	const struct chart_point *p = &s->points[k], *first = NULL;
	struct strbuf sb;

	if (!d->chart->over_gpus || !p->aside)
		return xstrdup(d->chart->labelled ? p->name : "");
	strbuf_init(&sb, 1 << 16);
	for (size_t i = 0; i < s->n_points; i++) {
		const struct chart_point *o = &s->points[i];

		if (!o->aside || fabs(o->x - p->x) > 0)
			continue;
		if (first == NULL ||
		    !(fabs(axis_share(&d->y, o->y[q].at) -
			  axis_share(&d->y, first->y[q].at)) < line))
			first = o;
		if (first == p)
			strbuf_printf(
			    &sb, "%s%s", sb.len > 0 ? ", " : "", o->name);
	}
	return strbuf_detach(&sb);
}

/* Write a line of $data or $bands.
 *
 * name    label of the point; "": none
 * spread  of the point's series, or NULL */
static void
write_point(struct strbuf *out, const struct picture_format *f,
    const struct chart_data *d, const struct chart_point *p, const char *name,
    const struct chart_number *spread)
{
	struct chart_number second = p->y[CHART_SPEEDUP];
	struct chart_number third = p->y[CHART_EFFICIENCY];

	if (!d->chart->over_gpus) {
		second.at = p->trend;
		third.at = p->starts_level ? p->trend : NAN;
	}
	if (spread != NULL && isfinite(spread->at))
		second = *spread;
	if (d->chart->is_ratio)
		third.at = p->is_open ? 2 : 1;
	add_place(out, p->x);
	add_interval(out, d, &p->y[CHART_VALUE]);
	add_interval(out, d, &second);
	add_interval(out, d, &third);
	add_word(out, f, name);
	if (d->chart->over_gpus) {
		add_interval(out, d, &p->y[CHART_PER_GPU]);
		strbuf_printf(out, " %d", p->is_open);
	}
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
	    d->chart->over_gpus
		? "# GPUs, median low high, speedup low high, efficiency low "
		  "high (%), name, per GPU low high, flagged\n"
		: "# x, value low high, nothing, name\n");
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];

		strbuf_addstr(out, i > 0 ? "\n\n" : "");
		for (size_t k = 0; k < s->n_points; k++) {
			char *name;

			/* An empty line breaks the line that joins points. */
			if (s->points[k].aside)
				strbuf_addch(out, '\n');
			name = point_label(d, s, k);
			write_point(out, f, d, &s->points[k], name,
			    k == 0 ? &s->spread : NULL);
			free(name);
		}
	}
	strbuf_addstr(out, "EOD\n\n");
}

/* Write the distinct ideal lines. */
static void
write_ideal(struct strbuf *out, const struct chart_data *d)
{
	int n = 0;

	strbuf_printf(out, "array IDEAL_OF[%zu]\n", d->n_series);
	for (size_t i = 0; i < d->n_series; i++)
		if (script_has_own_ideal(d, i))
			strbuf_printf(out, "IDEAL_OF[%d] = %zu\n", ++n, i + 1);
	if (n == 0) /* gnuplot reads the first element even if it draws none */
		strbuf_addstr(out, "IDEAL_OF[1] = 1\n");
	strbuf_printf(out, "N_IDEAL = %d\n", n);
	n = 0;
	strbuf_addstr(out,
	    "$ideal << EOD\n# GPUs, value, speedup, efficiency (%), "
	    "per GPU\n");
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];
		/* A line is straight on logarithmic axes; a linear x axis may
		 * need a curve. */
		const int n_places = d->x.base > 0 ? 2 : 65;

		if (!script_has_own_ideal(d, i))
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
		strbuf_addstr(out, "NaN NaN NaN NaN NaN\n");
	strbuf_addstr(out, "EOD\n\n");
}

/* True if several series have intervals. */
static int
has_intervals(const struct chart_data *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++)
			if (isfinite(d->series[i]
					 .points[k]
					 .y[d->chart->quantity]
					 .low)) {
				n++;
				break;
			}
	return n > 1;
}

/* Write the shift that separates the intervals of several series, in shares of
 * the plot's width. */
static void
write_dodge(struct strbuf *out, const struct chart_data *d)
{
	const int is_log = d->x.base > 0;
	const double range =
	    is_log ? log(d->x.high / d->x.low) : d->x.high - d->x.low;
	double share = has_intervals(d) ? 0.03 / (double)d->n_series : 0;

	share = share < 0.008 ? share : 0.008;
	strbuf_printf(out,
	    is_log
		? "dodge(x, i) = x * exp(%.6g * (i - (FIRST + LAST) / 2.0))\n"
		: "dodge(x, i) = x + %.6g * (i - (FIRST + LAST) / 2.0)\n",
	    share * range);
}

/* Write the runs, drawn as dots, but not those inside their median's mark; a
 * series without runs gets an empty block. */
static void
write_runs(struct strbuf *out, const struct chart_data *d)
{
	const double mark = 0.02; /* half its height, share of the plot's */

	strbuf_addstr(out,
	    "$runs << EOD\n# GPUs, value, speedup, efficiency (%), per "
	    "GPU\n");
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];
		size_t n = 0;

		strbuf_addstr(out, i > 0 ? "\n\n" : "");
		for (size_t k = 0; k < s->n_points; k++)
			for (size_t r = 0; r < s->points[k].n_runs; r++) {
				const struct chart_point *p = &s->points[k];
				const enum chart_quantity q =
				    d->chart->quantity;
				const double off =
				    axis_share(
					&d->y, chart_run_value(s, p, q, r)) -
				    axis_share(&d->y, p->y[q].at);

				if (d->chart->sample == LEGEND_LINE &&
				    !(fabs(off) > mark))
					continue;
				add_place(out, p->x);
				for (int c = 0; c < CHART_N_QUANTITIES; c++)
					add_number(out,
					    chart_run_value(s, p,
						(enum chart_quantity)c, r));
				strbuf_addch(out, '\n');
				n++;
			}
		if (n == 0)
			strbuf_addstr(out, "NaN NaN NaN NaN NaN\n");
	}
	strbuf_addstr(out, "EOD\n\n");
}

/* Write the predictions; without any, a block of NaN that gnuplot can read. */
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
	    "efficiency low high (%), name, per GPU low high, flagged\n");
	for (size_t i = 0; i < d->n_bands; i++) {
		strbuf_addstr(out, i > 0 ? "\n\n" : "");
		for (size_t k = 0; k < d->bands[i].n_points; k++)
			write_point(
			    out, f, d, &d->bands[i].points[k], "", NULL);
	}
	if (d->n_bands == 0)
		strbuf_addstr(out,
		    "NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN \"\" NaN NaN "
		    "NaN 0\n");
	strbuf_addstr(out, "EOD\n\n");
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

/* Append the font's name and size in the terminals' syntax. */
static void
add_font(struct strbuf *out, const struct script_how *how, double size)
{
	char *font = xasprintf(
	    "%s,%.4g", how->font != NULL ? how->font : "sans-serif", size);

	quote_add(out, font);
	free(font);
}

/* Sizes of fonts, lines and points follow the zoom. For formats sized in inches
 * a pixel is 1/96 inch. */
static void
write_terminal(struct strbuf *out, const struct chart_data *d,
    const struct script_how *how, const struct script_layout *l)
{
	const char *name = how->format->name, *background;
	const int is_svg = strcmp(name, "svg") == 0,
		  is_png = strcmp(name, "png") == 0;
	const double k = how->zoom * (is_png ? how->scale : 1);
	const double w = l->width * k, h = l->height * k;
	const int is_zoomed = k < 1 || k > 1;

	background = how->theme->background;
	if (strcmp(name, "tex") == 0) {
		strbuf_printf(out,
		    "set terminal tikz standalone size %.3fin,%.3fin font '",
		    w / 96, h / 96);
		if (is_zoomed)
			strbuf_printf(out,
			    "\\sffamily\\fontsize{%.3g}{%.3g}\\selectfont",
			    SCRIPT_FONT_PT * k, 1.2 * SCRIPT_FONT_PT * k);
		else
			strbuf_addstr(out, "\\sffamily\\footnotesize");
		strbuf_printf(out, "' background '%s'\n", background);
		return;
	}
	if (is_svg)
		strbuf_printf(
		    out, "set terminal svg size %.0f,%.0f noenhanced ", w, h);
	else if (is_png)
		strbuf_printf(out,
		    "set terminal pngcairo size %.0f,%.0f noenhanced ", w, h);
	else
		strbuf_printf(out,
		    "set terminal %scairo size %.3fin,%.3fin noenhanced ", name,
		    w / 96, h / 96);
	if (is_zoomed && (is_svg || is_png))
		strbuf_printf(out, "linewidth %.4g ", k);
	if (is_zoomed && is_png)
		strbuf_printf(out, "fontscale %.4g pointscale %.4g ", k, k);
	strbuf_addstr(out, "font ");
	/* The margins of SVG do not follow a fontscale. */
	add_font(out, how, is_svg ? SCRIPT_FONT * k : 10);
	if (!is_svg && !is_png) {
		strbuf_printf(out, " fontscale %.4g", 0.67 * k);
		if (is_zoomed)
			strbuf_printf(
			    out, " linewidth %.4g pointscale %.4g", k, k);
	}
	strbuf_printf(out, " background '%s'", background);
	if (is_svg) {
		strbuf_addstr(out, " name '");
		for (const char *p = d->chart->name; *p != '\0'; p++)
			strbuf_addch(out, *p == '-' ? '_' : *p);
		strbuf_addch(out, '\'');
	}
	strbuf_addch(out, '\n');
}

static void
write_start(struct strbuf *out, const struct chart_data *d,
    const struct script_how *how, const struct script_layout *l)
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
		/* gnuplot runs a name that starts with '|' as a program. */
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

/* Append a font of a format; sizes in SVG are absolute. */
static void
add_font_size(
    struct strbuf *out, const struct script_how *how, const char *font)
{
	if (strcmp(how->format->name, "svg") == 0)
		strbuf_printf(out, ",%.4g", strtod(font + 1, NULL) * how->zoom);
	else
		strbuf_addstr(out, font);
}

static void
write_texts(struct strbuf *out, const struct chart_data *d,
    const struct script_how *how, const struct script_layout *l)
{
	const struct picture_format *f = how->format;

	set_text(out, f, "TITLE", l->title);
	set_text(out, f, "NOTE", l->note);
	set_text(
	    out, f, "X_TITLE", d->chart->sideways ? d->y_title : d->x_title);
	set_text(out, f, "Y_TITLE", l->y_title);
	strbuf_printf(out, "TITLE_FONT = '");
	add_font_size(out, how, f->title_font);
	strbuf_addstr(out, "'\nNOTE_FONT = '");
	add_font_size(out, how, f->note_font);
	strbuf_addstr(out, "'\n");
	strbuf_printf(out, "POINT = %s", f->point);
	if (strcmp(f->name, "svg") == 0 && (how->zoom < 1 || how->zoom > 1))
		strbuf_printf(out, " * %.4g", how->zoom);
	strbuf_addch(out, '\n');
	strbuf_printf(out, "TOP = %.4f\nBOTTOM = %.4f\n", l->top, l->bottom);
	strbuf_printf(
	    out, "X_DOWN = %d\n", l->label_lines > 1 ? 1 - l->label_lines : 0);
	strbuf_printf(out, "TITLE_X = 0.5\nTITLE_Y = %.4f\nNOTE_Y = %.4f\n\n",
	    l->title_y, l->note_y);
}

enum { RUN_STYLE = 200 }; /* plus the series' number: style of its runs */

/* Write the theme's colours, and colours and marks of all series. */
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

		/* Boxes have no marks or dashes: use shades. */
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

/* Append a tick's label. gnuplot uses it as a format: double each '%'. */
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

static void
write_axes(struct strbuf *out, const struct picture_format *f,
    const struct chart_data *d)
{
	write_axis(out, f, 'x', d->chart->sideways ? &d->y : &d->x, 1);
	write_axis(out, f, 'y', d->chart->sideways ? &d->x : &d->y, 1);
	if (d->chart->sideways) /* from the top down */
		strbuf_printf(out, "set yrange [%g:%g]\n", d->x.high, d->x.low);
}

/* Shade the windows (equal windows once) and draw the settling points as dotted
 * lines in the colour of their run.
 *
 * first, end  series of one of several small charts */
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

/* Write how labels of bars are turned to stand above their bars, and whether
 * bars are wide enough for them. */
static void
write_bar_labels(struct strbuf *out, const struct chart_data *d, int width)
{
	enum { LETTER = 7, LINE = 12, AROUND = 110 /* the plot */ };
	const double bar = 0.8 * (width - AROUND) /
	    ((d->x.high - d->x.low) * (double)d->n_series);
	size_t widest = 0;

	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++) {
			const size_t len = strlen(d->series[i].points[k].name);

			widest = len > widest ? len : widest;
		}
	strbuf_printf(out, "LABELS = '%s'\nLABELS_SHOWN = %d\n",
	    (double)widest * LETTER > bar ? "left rotate by 90 offset 0,0.4"
					  : "offset 0,0.7",
	    bar >= LINE);
}

/* Write the names at the ends of the lines. */
static void
write_ends(struct strbuf *out, const struct picture_format *f,
    const struct script_layout *l)
{
	strbuf_addstr(out, "# Names at the ends of the lines.\n");
	for (size_t i = 0; i < l->n_ends; i++) {
		const struct end_label *e = &l->ends[i];

		strbuf_printf(out, "set label %zu ", 300 + i);
		f->quote(out, e->text);
		strbuf_printf(out, " at screen %.4f,%.4f left tc ls %d\n",
		    l->right + 8.0 / l->width,
		    l->bottom + e->y * (l->top - l->bottom), e->style);
	}
	strbuf_addch(out, '\n');
}

/* Write the legend, if any, at its place. */
static void
write_legend(struct strbuf *out, const struct script_layout *l,
    const struct picture_format *f)
{
	enum { INSET = 10 };
	const struct legend *g = &l->legend;
	double x = -1, y = g->height; /* from below */

	if (l->place == PLACE_RIGHT || l->place == PLACE_INSIDE)
		y = l->top * l->height;
	if (l->place == PLACE_RIGHT)
		x = l->right * l->width + INSET;
	if (l->place == PLACE_INSIDE)
		x = SCRIPT_PLOT_LEFT + INSET;
	if (g->n > 0)
		legend_write(out, g, x, y, l->width, l->height, f->quote);
}

/* --- templates ------------------------------------------------------------ */

static int
add_template(struct strbuf *out, const char *name, struct error *e)
{
	char *file = xasprintf("%s.gp", name);
	char *path = install_path_find("plots", file, e);
	const int rc = path != NULL ? text_file_read(path, out, e) : -1;

	free(path);
	free(file);
	return rc;
}

static int
add_chart_template(
    struct strbuf *out, const struct chart *chart, struct error *e)
{
	return add_template(
	    out, chart->template != NULL ? chart->template : chart->name, e);
}

/* Write the columns of a quantity in $data, and in $runs and $ideal. */
static void
write_columns(struct strbuf *out, enum chart_quantity q)
{
	strbuf_printf(out, "COLUMN = %d\nRUN_COLUMN = %d\n",
	    q == CHART_PER_GPU ? 12 : 2 + 3 * q, 2 + q);
}

static void
write_box(struct strbuf *out, const struct facet_box *box)
{
	strbuf_printf(out,
	    "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
	    "set tmargin at screen %.4f\nset bmargin at screen %.4f\n",
	    box->left, box->right, box->top, box->bottom);
}

/* Write two charts of the same series side by side. Titles and legend belong to
 * the first. */
static int
write_panels(struct strbuf *out, const struct chart_data *d,
    const struct script_how *how, const struct script_layout *l,
    struct error *e)
{
	struct facet_box box = script_facet_box(how, l, 0);
	int rc;

	strbuf_addstr(out, "set multiplot\n");
	write_box(out, &box);
	rc = add_chart_template(out, d->chart, e);
	strbuf_addstr(out, "\nunset label\nunset arrow\n");
	box = script_facet_box(how, l, 1);
	write_box(out, &box);
	strbuf_addstr(out, "unset logscale y\nset ylabel ");
	how->format->quote(out, l->second_y_title);
	strbuf_addch(out, '\n');
	write_columns(out, d->second->quantity);
	write_axis(out, how->format, 'y', &d->second_y, 1);
	if (rc == 0)
		rc = add_chart_template(out, d->second, e);
	strbuf_addstr(out, "unset multiplot\n");
	return rc;
}

/* Write one small chart per facet, from the top left. Titles and legend belong
 * to the first. */
static int
write_facets(struct strbuf *out, const struct chart_data *d,
    const struct script_how *how, const struct script_layout *l,
    struct error *e)
{
	size_t first = 0, next;
	int rc = 0;

	strbuf_addstr(out, "set multiplot\nPOINT = 0.75 * POINT\n");
	for (int f = 0; rc == 0 && f < (int)d->n_facets; f++, first = next) {
		const int column = f % l->columns, row = f / l->columns;
		const struct facet_box box = script_facet_box(how, l, f);

		for (next = first;
		     next < d->n_series && d->series[next].facet == f;)
			next++;
		strbuf_printf(
		    out, "\nFIRST = %zu\nLAST = %zu\n", first + 1, next);
		write_box(out, &box);
		if (f > 0)
			strbuf_addstr(
			    out, "unset label\nunset arrow\nunset object\n");
		write_marks(out, d, first, next);
		strbuf_addstr(out, "set label 3 ");
		how->format->quote(out, l->facets[f]);
		strbuf_printf(out,
		    " at screen %.4f,%.4f center tc rgb FOREGROUND\n",
		    (box.left + box.right) / 2, box.title_y);
		strbuf_printf(out, "set xlabel %s\nset ylabel %s\n",
		    row == l->rows - 1 ? "X_TITLE" : "''",
		    column == 0 ? "Y_TITLE" : "''");
		write_axis(out, how->format, 'y', &d->y, column == 0);
		rc = add_chart_template(out, d->chart, e);
	}
	strbuf_addstr(out, "unset multiplot\n");
	return rc;
}

static int
write_plots(struct strbuf *out, const struct chart_data *d,
    const struct script_how *how, const struct script_layout *l,
    struct error *e)
{
	if (l->panels)
		return write_panels(out, d, how, l, e);
	if (d->n_facets > 0)
		return write_facets(out, d, how, l, e);
	return add_chart_template(out, d->chart, e);
}

int
script_write(const struct chart_data *d, const struct script_how *how,
    struct strbuf *out, struct error *e)
{
	struct script_layout l;
	int rc;

	assert(d->n_series > 0 && how->width > 0);
	if (script_lay_out(d, how, &l, e) != 0) {
		script_layout_release(&l);
		return -1;
	}
	write_start(out, d, how, &l);
	write_texts(out, d, how, &l);
	write_styles(out, d, how);
	write_data(out, how->format, d);
	if (d->chart->keyed && !d->chart->of_steps) { /* medians of runs */
		write_dodge(out, d);
		write_runs(out, d);
	}
	if (d->chart->over_gpus) {
		strbuf_printf(out, "RIGHT_FROM = %.6g\n", axis_at(&d->x, 0.7));
		write_columns(out, d->chart->quantity);
		write_bands(out, how->format, d);
	}
	write_ideal(out, d);
	if (!d->chart->over_gpus)
		strbuf_printf(out, "N_LIMITS = %d\nLIMIT = %.12g\n",
		    d->limit > 0, d->limit);
	write_axes(out, how->format, d);
	if (d->chart->labelled && d->chart->sample == LEGEND_BOX)
		write_bar_labels(out, d, l.width);
	strbuf_addch(out, '\n');
	if (d->n_facets == 0)
		write_marks(out, d, 0, d->n_series);
	if (d->chart->sideways)
		forest_write(out, d, &l.forest, how->format->quote);
	if (l.place == PLACE_ENDS || l.place == PLACE_RIGHT)
		strbuf_printf(out, "set rmargin at screen %.4f\n", l.right);
	if (l.place == PLACE_ENDS)
		write_ends(out, how->format, &l);
	write_legend(out, &l, how->format);
	strbuf_addstr(out, "FIRST = 1\nLAST = N\n");
	rc = add_template(out, "style", e);
	strbuf_addch(out, '\n');
	if (rc == 0)
		rc = write_plots(out, d, how, &l, e);
	script_layout_release(&l);
	strbuf_addstr(out, "unset output\n");
	if (rc == 0 && out->full)
		rc = error_set(e, ERROR_LIMIT, "the script is too large");
	return rc;
}

/* --- its file ------------------------------------------------------------- */

static const char seal[] = "# as plot_results wrote it: ";
enum { SEAL_SIZE = sizeof seal - 1 + 16 + 1 }; /* with newline */

/* FNV-1a (Fowler, Noll, Vo 1991), enough to notice edits. With another checksum
 * all existing scripts would count as edited. */
static uint64_t
script_checksum(const char *text, size_t len)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3u;
	return sum;
}

void
script_file_seal(struct strbuf *script)
{
	strbuf_printf(script, "%s%016" PRIx64 "\n", seal,
	    script_checksum(script->buf, script->len));
}

static int
is_sealed(const struct strbuf *text)
{
	char line[SEAL_SIZE + 1];
	size_t body;

	if (text->len < SEAL_SIZE)
		return 0;
	body = text->len - SEAL_SIZE;
	snprintf(line, sizeof line, "%s%016" PRIx64 "\n", seal,
	    script_checksum(text->buf, body));
	return memcmp(text->buf + body, line, SEAL_SIZE) == 0;
}

int
script_file_check(const char *path, int force, struct error *e)
{
	struct strbuf text;
	struct stat st;
	int rc;

	if (force || strcmp(path, "-") == 0 || stat(path, &st) != 0 ||
	    !S_ISREG(st.st_mode))
		return 0;
	strbuf_init(&text, SCRIPT_MAX_BYTES);
	rc = text_file_read(path, &text, e);
	if (rc == 0 && text.len > 0 && !is_sealed(&text))
		rc = error_set(e, ERROR_INPUT,
		    "'%s' was edited after plot_results wrote it; rename it, "
		    "or pass --force to overwrite it",
		    path);
	strbuf_release(&text);
	return rc;
}
