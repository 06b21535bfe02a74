/* Write the gnuplot script of a picture: head, data blocks, templates, and the
 * checksum line. */
#include <config.h>

#include "plots/draw.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/files/files.h"
#include "common/json/json.h"
#include "common/text.h"

/* Text as a gnuplot string of the picture's format. */
static const char *
quoted(struct script *s, const char *text)
{
	struct strbuf tex = STRBUF_INIT(SCRIPT_MAX_BYTES);

	if (strcmp(s->how.format->name, "tex") == 0) {
		quote_tex(&tex, text);
		text = strbuf_finish(&tex, &s->d.arena);
	}
	return quote_string(&s->d.arena, text);
}

/* --- data ----------------------------------------------------------------- */

/* Append a coordinate, with few enough digits to hide rounding errors. */
static void
add_place(struct strbuf *out, double x)
{
	strbuf_printf(out, isfinite(x) ? "%.12g" : "NaN", x);
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
add_word(struct script *s, const char *name)
{
	char *clean = arena_strdup(&s->d.arena, name);
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
	add_number(s->out, y->at > 0 || s->d.y.base == 0 ? y->at : NAN);
	add_number(s->out, y->low);
	add_number(s->out, y->high);
}

/* Label of a point of a line. Points aside that are close to each other share
 * the label of the first. The label of a box of a stack is "142 ms, 34 %", or
 * the share alone, whichever fits, or "". */
static const char *
point_label(struct script *s, const struct chart_series *line,
    const struct chart_point *p)
{
	const double height = 0.06; /* of a label, share of the plot's */
	struct chart_data *d = &s->d;
	const enum chart_quantity q = d->chart->quantity;
	const struct chart_point *first = NULL;
	const char *label = "", *share;
	double room;

	if (d->chart->is_stack) {
		share = strstr(p->name, ", ") + 2;
		room = (p->y[q].high - p->y[q].low) / (d->y.high - d->y.low) *
		    (s->forest.right - s->forest.left);
		return script_text_width(p->name) < room ? p->name
		    : script_text_width(share) < room    ? share
							 : "";
	}
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
			label = arena_join(&d->arena, label, ", ", o->name);
	}
	return label;
}

/* Write the points of n lines as a data block, $data or $bands. A block without
 * lines gets a row of NaN, so that gnuplot can read it. */
static void
write_block(struct script *s, const char *name,
    const struct chart_series *lines, size_t n)
{
	const struct chart *chart = s->d.chart;

	strbuf_printf(s->out, "$%s << EOD\n%s", name,
	    chart->over_gpus
		? "# GPUs, median low high, speedup low high, efficiency low "
		  "high (%), name, per GPU low high, flagged\n"
		: "# x, value low high, nothing, name\n");
	for (size_t i = 0; i < n; i++) {
		const struct chart_series *line = &lines[i];

		strbuf_addstr(s->out, i > 0 ? "\n\n" : "");
		for (size_t k = 0; k < line->n_points; k++) {
			const struct chart_point *p = &line->points[k];
			struct chart_number second = p->y[CHART_SPEEDUP];
			struct chart_number third = p->y[CHART_EFFICIENCY];

			if (!chart->over_gpus) {
				second.at = p->trend;
				third.low = p->is_open ? 1 : NAN;
			}
			if (k == 0 && chart->of_steps && chart->sideways)
				second = s->d.rows[i].y;
			if (chart->is_ratio)
				third.high = p->change;
			/* An empty line breaks the line that joins points. */
			if (p->aside)
				strbuf_addch(s->out, '\n');
			add_place(s->out, p->x);
			add_interval(s, &p->y[CHART_VALUE]);
			add_interval(s, &second);
			add_interval(s, &third);
			add_word(s, point_label(s, line, p));
			if (chart->over_gpus) {
				add_interval(s, &p->y[CHART_OTHER]);
				strbuf_printf(s->out, " %d", p->is_open);
			}
			strbuf_addch(s->out, '\n');
		}
	}
	if (n == 0)
		strbuf_addstr(s->out,
		    "NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN \"\" NaN NaN "
		    "NaN 0\n");
	strbuf_addstr(s->out, "EOD\n\n");
}

/* Write the column numbers of a quantity in $data and $runs, and its distinct
 * ideal lines, IDEAL_AT * x**IDEAL_POWER. */
static void
write_quantity(const struct script *s, enum chart_quantity q)
{
	const struct chart_data *d = &s->d;

	strbuf_printf(s->out,
	    "COLUMN = %d\nRUN_COLUMN = %d\nN_IDEAL = %zu\n"
	    "array IDEAL_AT[%zu]\narray IDEAL_POWER[%zu]\n",
	    q == CHART_OTHER ? 12 : 2 + 3 * q, 2 + q, s->n_ideals, d->n_series,
	    d->n_series);
	if (s->n_ideals == 0) /* gnuplot still reads the first element */
		strbuf_addstr(s->out, "IDEAL_AT[1] = 1\nIDEAL_POWER[1] = 0\n");
	for (size_t i = 0; i < s->n_ideals; i++) {
		const double at = chart_ideal(d, &d->series[i], q, 1);
		const double twice = chart_ideal(d, &d->series[i], q, 2);

		strbuf_printf(s->out, "IDEAL_AT[%zu] = ", i + 1);
		add_place(s->out, at);
		strbuf_printf(s->out, "\nIDEAL_POWER[%zu] = %ld\n", i + 1,
		    isfinite(at) ? lround(log2(twice / at)) : 0);
	}
}

/* Write the shift that separates the intervals of several series, in shares of
 * the plot's width, and the runs as dots, except those inside their median's
 * mark. A series without runs gets a row that gnuplot can read. */
static void
write_runs(const struct script *s)
{
	const double mark = 0.02; /* half its height, share of the plot's */
	const struct chart_data *d = &s->d;
	const enum chart_quantity q = d->chart->quantity;
	const int is_log = d->x.base > 0;
	const double range =
	    is_log ? log(d->x.high / d->x.low) : d->x.high - d->x.low;

	strbuf_printf(s->out,
	    is_log
		? "dodge(x, i) = x * exp(%.6g * (i - (FIRST + LAST) / 2.0))\n"
		: "dodge(x, i) = x + %.6g * (i - (FIRST + LAST) / 2.0)\n",
	    (d->n_series > 1 && d->has_intervals
		    ? fmin(0.03 / (double)d->n_series, 0.008)
		    : 0) *
		range);
	strbuf_addstr(s->out,
	    "$runs << EOD\n# GPUs, value, speedup, efficiency (%), per GPU\n");
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
		strbuf_addstr(s->out, n == 0 ? "NaN NaN NaN NaN NaN\n" : "");
	}
	strbuf_addstr(s->out, "EOD\n\n");
}

/* True if the text has a character of two columns, which pdflatex lacks. */
static int
has_wide(const char *text)
{
	const char *end = text + strlen(text);
	uint32_t cp;

	while (text < end) {
		text += utf8_decode(text, (size_t)(end - text), &cp);
		if (utf8_char_width(cp) == 2)
			return 1;
	}
	return 0;
}

/* --- the head ------------------------------------------------------------- */

/* Write the start and the terminal. Sizes of fonts, lines and points follow the
 * zoom. For formats sized in inches a pixel is 1/96 inch. */
static void
write_start(struct script *s)
{
	const struct script_how *how = &s->how;
	const char *format = how->format->name, *picture = how->picture;
	const int is_svg = strcmp(format, "svg") == 0;
	const int is_png = strcmp(format, "png") == 0;
	const double k = how->zoom * (is_png ? how->scale : 1);
	const double w = how->width * k, h = s->height * k;
	const double pt = SCRIPT_FONT_PT * k;
	struct arena *a = &s->d.arena;
	char *name = arena_strdup(a, s->d.chart->name);

	strbuf_printf(s->out, "# %s, drawn by plot_results.", name);
	if (picture != NULL && how->script != NULL)
		strbuf_printf(s->out,
		    "  In this folder, gnuplot %s\n# draws %s again.",
		    quote_string(a, how->script), quote_string(a, picture));
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
	for (char *p = name; (p = strchr(p, '-')) != NULL;)
		*p = '_';
	if (strcmp(format, "tex") == 0) {
		/* pdflatex's own fonts lack Chinese. */
		const int chinese =
		    has_wide(chart_describe(&s->d)) || has_wide(s->d.title);

		strbuf_printf(s->out,
		    "set terminal tikz standalone size %.3fin,%.3fin font "
		    "'\\sffamily\\fontsize{%.3g}{%.3g}\\selectfont' "
		    "background '%s'%s\n",
		    w / 96, h / 96, pt, 1.2 * pt, how->theme->background,
		    chinese ? " header '\\usepackage{ctex}% Chinese texts: "
			      "compile with xelatex or lualatex.'"
			    : "");
	} else {
		strbuf_printf(s->out, "set terminal %s%s size ", format,
		    is_svg ? "" : "cairo");
		if (is_svg || is_png)
			strbuf_printf(s->out, "%.0f,%.0f", w, h);
		else
			strbuf_printf(s->out, "%.3fin,%.3fin", w / 96, h / 96);
		strbuf_printf(s->out,
		    " noenhanced linewidth %.4g font %s background '%s'", k,
		    quote_string(a,
			arena_printf(a, "%s,%.4g",
			    how->font != NULL ? how->font : "sans-serif",
			    is_svg ? SCRIPT_FONT * k : 10)),
		    how->theme->background);
		/* The margins of SVG do not follow a fontscale. */
		if (is_svg)
			strbuf_printf(s->out, " name '%s'\n", name);
		else
			strbuf_printf(s->out,
			    " fontscale %.4g pointscale %.4g\n",
			    (is_png ? 1 : 0.67) * k, k);
	}
	strbuf_addstr(s->out, "if (strlen(OUTPUT) > 0) set output OUTPUT\n\n");
}

/* A font of the format; sizes in SVG are absolute, and at least 6 points. */
static const char *
font_size(struct script *s, const char *font)
{
	return strcmp(s->how.format->name, "svg") != 0
	    ? font
	    : arena_printf(&s->d.arena, ",%.4g",
		  fmax(strtod(font + 1, NULL) * s->how.zoom, 8));
}

/* Write texts, the colours of the theme, and the line styles of the series and
 * of their runs. */
static void
write_texts(struct script *s)
{
	enum { RUN_STYLE = 200 };
	const struct picture_format *f = s->how.format;
	const struct chart_data *d = &s->d;
	const struct palette *palette = s->how.palette;
	const struct theme *t = s->how.theme;
	char shade[SERIES_SHADE_SIZE];

	strbuf_printf(s->out,
	    "TITLE = %s\nNOTE = %s\nX_TITLE = %s\nY_TITLE = %s\n"
	    "TITLE_FONT = '%s'\nNOTE_FONT = '%s'\nPOINT = %s",
	    quoted(s, s->title), quoted(s, s->note),
	    quoted(s,
		d->chart->sideways && !d->chart->is_grid ? d->y_title
							 : d->x_title),
	    quoted(s, d->y_title), font_size(s, f->title_font),
	    font_size(s, f->note_font), f->point);
	strbuf_printf(s->out,
	    "\nX_DOWN = %g\nTITLE_X = 0.5\nTITLE_Y = %.4f\nNOTE_Y = %.4f\n\n",
	    (strcmp(f->name, "svg") == 0 ? 0.6 : 0) - s->more_labels,
	    s->title_y, s->note_y);
	strbuf_printf(s->out,
	    "FOREGROUND = '%s'\nBACKGROUND = '%s'\nGRID = '%s'\nFAINT = '%s'\n"
	    "LINE_WIDTH = %.3g\n",
	    t->foreground, t->background, t->grid, t->faint,
	    1.8 * t->line_width);
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *c = &d->series[i];
		struct series_style style = series_style_of(
		    palette, t, c->colour, d->n_colours, c->mark, c->dash);

		/* Boxes have no marks or dashes: use shades. Those of a stack
		 * contain texts. */
		if (d->chart->sample == LEGEND_BOX)
			style.colour = series_shade(style.colour, t,
			    c->colour / palette->n + d->chart->is_stack, shade);
		strbuf_printf(s->out,
		    "set style line %zu lc rgb '%s' pt %d dt %d\n"
		    "set style line %zu lc rgb '#%s%s' pt 7\n",
		    i + 1, style.colour, style.mark, style.dash,
		    RUN_STYLE + i + 1, d->chart->of_steps ? "a0" : "50",
		    style.colour + 1);
	}
	if (d->chart->is_ratio) /* slower */
		strbuf_printf(s->out, "set style line 2 lc rgb '%s'\n",
		    series_style_of(palette, t, 1, 2, 0, 0).colour);
	strbuf_addstr(s->out, "set style line 100 lc rgb FAINT\n\n");
}

static void
write_axis(struct script *s, char name, const struct axis *a, int labelled)
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

/* Shade the windows of a small chart (equal windows once), draw the settling
 * points as dotted lines in the colour of their run, and write the labels of a
 * history's changes, each with a dotted line.
 *
 * first, end  its series */
static void
write_marks(struct script *s, int facet, size_t first, size_t end)
{
	enum { WINDOW_TAG = 400, SETTLED_TAG = 500, CHANGE_TAG = 600 };

	for (size_t i = first; i < end; i++) {
		const struct chart_mark *m = &s->d.series[i].mark_at;
		int again = 0;

		for (size_t k = first; k < i; k++) {
			const struct chart_mark *o = &s->d.series[k].mark_at;

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
	for (size_t i = 0; i < s->n_changes; i++) {
		const struct change *c = &s->changes[i];
		const double y =
		    1 - (c->row + 0.5) * CHANGE_ROW / s->plot_height;

		if (c->facet != facet)
			continue;
		strbuf_printf(s->out,
		    "set label %zu %s at first %.12g, graph %.4f %s offset "
		    "%s,0 font NOTE_FONT tc rgb FOREGROUND\n"
		    "set arrow %zu from first %.12g, graph 0 to first %.12g, "
		    "graph %.4f nohead lc rgb FAINT dt 3\n",
		    CHANGE_TAG + i, quoted(s, c->text), c->x, y,
		    c->is_left ? "right" : "left", c->is_left ? "-0.5" : "0.5",
		    CHANGE_TAG + i, c->x, c->x, y);
	}
}

/* Write the names of the series: at the ends of their lines, or in a legend. */
static void
write_names(struct script *s)
{
	const double px = 1.0 / s->how.width;

	if (s->n_entries > 0)
		strbuf_addstr(s->out, "# Names of series.\n");
	for (size_t i = 0; i < s->n_entries; i++) {
		const struct legend_entry *e = &s->entries[i];
		const int is_ideal = e->sample == LEGEND_IDEAL;
		const double from = e->x - (LEGEND_SAMPLE - 6) * px,
			     to = e->x - 6 * px;
		const size_t tag =
		    s->place == PLACE_ENDS ? 300 + i : 100 + 2 * i;

		if (s->place == PLACE_ENDS) {
			strbuf_printf(s->out,
			    "set label %zu %s at screen %.4f,%.4f left tc ls "
			    "%d\n",
			    tag, quoted(s, e->name), e->x, e->y, e->style);
			continue;
		}
		if (is_ideal || e->sample <= LEGEND_STROKE)
			strbuf_printf(s->out,
			    "set arrow %zu from screen %.4f,%.4f to screen "
			    "%.4f,%.4f nohead ls %d %s\n",
			    tag, from, e->y, to, e->y, e->style,
			    is_ideal ? "dt 2 lw 1.5" : "lw 1.8");
		if (!is_ideal && e->sample != LEGEND_STROKE)
			strbuf_printf(s->out,
			    "set label %zu '' at screen %.4f,%.4f point ls %d "
			    "%s\n",
			    tag, (from + to) / 2, e->y, e->style,
			    e->sample == LEGEND_BOX ? "pt 5 ps 1.6 * POINT"
						    : "ps POINT");
		strbuf_printf(s->out,
		    "set label %zu %s at screen %.4f,%.4f left tc rgb "
		    "FOREGROUND\n",
		    tag + 1, quoted(s, e->name), e->x, e->y);
	}
	strbuf_addch(s->out, '\n');
}

/* --- templates ------------------------------------------------------------ */

static int
add_template(struct script *s, const char *name, struct error *e)
{
	const char *file = arena_printf(&s->d.arena, "%s.gp", name);
	char *path = install_path_find("plots", file, e);
	const int rc = path != NULL ? text_file_read(path, s->out, e) : -1;

	free(path);
	return rc;
}

/* Write the margins and the marks of plot i, counted from the top left, the
 * title of its y axis if the title is above the plot, and its axes if there are
 * several plots. */
static void
write_box(struct script *s, int i, size_t first, size_t next)
{
	const struct chart_data *d = &s->d;
	const int column = i % s->columns, row = i / s->columns;
	const double w = s->how.width, h = s->height;
	const double left = s->left + column * (s->plot_width + s->gap);
	const double top = s->top * h - s->facet_title -
	    row * (s->plot_height + s->facet_title + s->facet_below);

	strbuf_printf(s->out,
	    "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
	    "set tmargin at screen %.4f\nset bmargin at screen %.4f\n",
	    left / w, (left + s->plot_width) / w, top / h,
	    (top - s->plot_height) / h);
	if (!d->chart->sideways && (i == 0 || s->panels))
		strbuf_printf(s->out,
		    "set label 4 %s at screen %.4f,%.4f left tc rgb "
		    "FOREGROUND\n",
		    i == 0 ? "Y_TITLE" : quoted(s, d->second_y_title),
		    (left - s->left + 8) / w, s->top + 13.0 / h);
	if (d->n_facets > 0)
		strbuf_printf(s->out,
		    "set label 3 %s at screen %.4f,%.4f center tc rgb "
		    "FOREGROUND\n",
		    quoted(s, s->facets[i]), (left + s->plot_width / 2) / w,
		    (top + s->facet_title - FACET_TITLE / 2.0) / h);
	write_marks(s, i, first, next);
	if (s->panels && i == 1) {
		strbuf_addstr(s->out, "unset logscale y\n");
		write_quantity(s, d->second->quantity);
		write_axis(s, 'y', &d->second_y, 1);
	}
	if (d->n_facets > 0) {
		strbuf_printf(s->out, "set xlabel %s\n",
		    row == s->rows - 1 ? "X_TITLE" : "''");
		write_axis(s, 'y', &d->y, column == 0);
	}
}

/* Write the plots: one, two panels of the same series, or one per facet. Titles
 * and legend belong to the first. */
static int
write_plots(struct script *s, struct error *e)
{
	const struct chart_data *d = &s->d;
	const int n = s->panels ? 2 : d->n_facets > 0 ? (int)d->n_facets : 1;
	size_t first = 0, next = d->n_series;

	if (n > 1)
		strbuf_addstr(s->out, "set multiplot\n");
	if (d->n_facets > 0)
		strbuf_addstr(s->out, "POINT = 0.75 * POINT\n");
	for (int i = 0; i < n; i++, first = next) {
		const struct chart *chart =
		    i > 0 && s->panels ? d->second : d->chart;

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
		write_box(s, i, first, next);
		if (add_template(s,
			chart->template != NULL ? chart->template : chart->name,
			e) != 0)
			return -1;
	}
	strbuf_addstr(s->out, n > 1 ? "unset multiplot\n" : "");
	return 0;
}

int
script_write(struct script *s, struct strbuf *out, struct error *e)
{
	const struct chart_data *d = &s->d;
	const struct chart *chart = d->chart;
	const struct chart_series *bands = d->series + d->n_series;
	enum { LINE = 12 };

	assert(d->n_series > 0 && s->how.width > 0);
	s->out = out;
	write_start(s);
	write_texts(s);
	strbuf_printf(out, "N = %zu\n", d->n_series);
	write_block(s, "data", d->series, d->n_series);
	if (chart->keyed && !chart->of_steps) /* medians of runs */
		write_runs(s);
	if (chart->over_gpus) {
		strbuf_printf(out, "RIGHT_FROM = %.6g\n", axis_at(&d->x, 0.7));
		write_quantity(s, chart->quantity);
		strbuf_printf(out,
		    "N_BANDS = %zu\narray BAND_OF[%zu]\nBAND_OF[1] = 1\n",
		    d->n_bands, d->n_bands + 1);
		for (size_t i = 0; i < d->n_bands; i++)
			strbuf_printf(out, "BAND_OF[%zu] = %d\n", i + 1,
			    bands[i].band_of + 1);
		write_block(s, "bands", bands, d->n_bands);
	} else {
		strbuf_printf(out, "N_LIMITS = %d\nLIMIT = %.12g\n",
		    d->limit > 0, d->limit);
	}
	write_axis(s, 'x', chart->sideways ? &d->y : &d->x, 1);
	write_axis(s, 'y', chart->sideways ? &d->x : &d->y, 1);
	if (chart->sideways) /* from the top down */
		strbuf_printf(out, "set yrange [%g:%g]\n", d->x.high, d->x.low);
	/* Labels stand upright above their bars, if these are wide enough. */
	if (chart->labelled && chart->has_names)
		strbuf_printf(out, "LABELS_SHOWN = %d\n",
		    0.8 * s->plot_width / (double)d->n_series >=
			LINE * (d->x.high - d->x.low));
	strbuf_addch(out, '\n');
	if (chart->sideways) {
		enum { TINT = 2 /* texts stay legible */, INSET = 14 };
		const struct theme *t = s->how.theme;
		char shade[SERIES_SHADE_SIZE];

		/* Write the colour of the largest number of a grid, the
		 * equivalent range of ratios, and the texts of a chart with
		 * cases down the side. */
		if (d->chart->is_grid)
			strbuf_printf(s->out, "CELL = '%s'\n",
			    series_shade(
				series_style_of(s->how.palette, t, 0, 1, 0, 0)
				    .colour,
				t, TINT, shade));
		strbuf_printf(
		    s->out, "DELTA = %.12g\n# Texts at the right.\n", d->delta);
		for (size_t i = 0;
		     i < d->n_rows && s->forest.level < CHART_ROW_TEXTS; i++)
			strbuf_printf(s->out,
			    "set label %zu %s at screen %.4f, first %zu left "
			    "tc rgb FOREGROUND\n",
			    1000 + i,
			    quoted(s, d->rows[i].texts[s->forest.level]),
			    (s->forest.right + INSET) / (double)s->how.width,
			    i + 1);
		strbuf_addch(s->out, '\n');
	}
	write_names(s);
	strbuf_addstr(out, "FIRST = 1\nLAST = N\n");
	if (add_template(s, "style", e) != 0)
		return -1;
	strbuf_addch(out, '\n');
	if (write_plots(s, e) != 0)
		return -1;
	strbuf_addstr(out, "unset output\n");
	return out->full ? error_set(e, ERROR_LIMIT, "the script is too large")
			 : 0;
}
