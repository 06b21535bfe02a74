/* Draw a set of series into files: choose charts and file names, write scripts,
 * run gnuplot. */
#include <config.h>

#include "plots/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/files/outfile.h"
#include "common/program/program_main.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "plots/charts/chart.h"
#include "plots/gnuplot.h"
#include "plots/script.h"
#include "plots/style/quote.h"
#include "plots/style/svg.h"
#include "plots/terminal_chart.h"

/* A picture and its files. */
struct picture {
	const struct chart *chart;
	const struct picture_format *format;
	char *path;         /* file of the picture; NULL: not drawn */
	char *script_path;  /* NULL: not written */
	char *caption_path; /* NULL: not written */
	int script_only;    /* path is not written, only named in the script */
};

enum { LEAST_SIDE = 130 /* pixels: 3.5 cm, with a little tolerance */ };

/* Parse one side of a picture from text[len]. Returns 0, or -1 if it is not a
 * size or out of range. */
static int
parse_side(const char *text, size_t len, double unit, double *out)
{
	char *end;

	if (text[0] < '0' || text[0] > '9' || strspn(text, "0123456789.") < len)
		return -1;
	*out = strtod(text, &end) * unit;
	if (end != text + len || !(*out >= LEAST_SIDE))
		return -1;
	return *out <= SCRIPT_MAX_SIZE ? 0 : -1;
}

/* Parse "W", "WxH" with a unit, in pixels; height 0: not given. Returns 0 or
 * -1.
 *
 * is_print  set to 1 if the unit is one of length */
static int
parse_sides(const char *text, double *width, double *height, int *is_print)
{
	static const struct {
		const char *name;
		double pixels; /* of 1/96 inch */
	} units[] = { { "px", 1 }, { "in", 96 }, { "cm", 96 / 2.54 },
		{ "mm", 9.6 / 2.54 }, { "pt", 96 / 72.0 } };
	size_t len = strlen(text), n;
	double unit = 1;

	*height = 0;
	*is_print = 0;
	for (size_t i = 0; len > 2 && i < sizeof units / sizeof *units; i++)
		if (strcmp(text + len - 2, units[i].name) == 0) {
			len -= 2;
			unit = units[i].pixels;
			*is_print = i > 0;
			break;
		}
	n = strcspn(text, "x");
	if (n >= len)
		return parse_side(text, len, unit, width);
	if (parse_side(text, n, unit, width) != 0)
		return -1;
	return parse_side(text + n + 1, len - n - 1, unit, height);
}

int
draw_parse_size(
    const char *text, double font_pt, struct draw_how *how, struct error *e)
{
	/* Widths of a column and of the text on pages of common journals. */
	static const struct {
		const char *name, *size;
		double font_pt;
		int captioned; /* title and note go into the caption */
	} named[] = { { "column", "86mm", 8, 1 },
		{ "two-column", "178mm", 8, 1 }, { "page", "178mm", 9.75, 0 },
		{ "slide", "1920x1080", 24, 0 } };
	const char *size = text;
	double width, height, pt = NAN;
	int is_print;

	how->script.bare = 0;
	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		if (strcmp(text, named[i].name) == 0) {
			size = named[i].size;
			pt = named[i].font_pt;
			how->script.bare = named[i].captioned;
		}
	if (parse_sides(size, &width, &height, &is_print) != 0)
		return error_set(e, ERROR_USAGE,
		    "--size: '%s' is not W or WxH (%d to %d pixels each, or "
		    "with px, in, cm, mm or pt), column, two-column, page or "
		    "slide",
		    text, LEAST_SIDE, SCRIPT_MAX_SIZE);
	if (is_print && size == text && width < 454) /* 12 cm */
		how->script.bare = 1;
	if (isnan(pt) && is_print)
		pt = width < 265 ? 7 : 8; /* 7 cm */
	else if (isnan(pt))
		pt = width >= 1280 && height > 0 ? width / 80 : SCRIPT_FONT_PT;
	if (isfinite(font_pt))
		pt = font_pt;
	how->script.zoom = pt / SCRIPT_FONT_PT;
	how->script.width = (int)lround(width / how->script.zoom);
	how->script.height = (int)lround(height / how->script.zoom);
	return 0;
}

/* --- which charts --------------------------------------------------------- */

enum { MAX_CHARTS = 32 };

/* Charts to draw, without duplicates, in the order given. */
struct chosen {
	const struct chart *items[MAX_CHARTS];
	int n;
};

static void
choose(struct chosen *to, const struct chart *c)
{
	for (int i = 0; i < to->n; i++)
		if (to->items[i] == c)
			return;
	if (to->n < MAX_CHARTS)
		to->items[to->n++] = c;
}

/* Choose a chart by name; "all" means the charts that the set has data for and
 * that support the options given. */
static int
choose_named(struct chosen *to, const char *name, struct series_set *set,
    const struct chart_how *how, struct error *e)
{
	const struct chart *c = chart_find(name);

	if (c != NULL) {
		choose(to, c);
		return 0;
	}
	if (strcmp(name, "all") != 0)
		return error_set(e, ERROR_USAGE,
		    "--chart: unknown chart '%s'; --list-charts lists all",
		    name);
	for (c = charts; c->name != NULL; c++)
		if (chart_honours(c, set, how, NULL) == 0 &&
		    chart_is_possible(c, set, how->records))
			choose(to, c);
	return 0;
}

/* list  names, or several separated by commas */
static int
choose_charts(struct chosen *to, const struct opt_list *list,
    struct series_set *set, const struct chart_how *how, struct error *e)
{
	to->n = 0;
	for (size_t i = 0; i < list->n; i++)
		for (const char *p = list->items[i]; p != NULL;) {
			const size_t len = strcspn(p, ",");
			char *name = xstrndup(p, len);
			const int rc = choose_named(to, name, set, how, e);

			free(name);
			if (rc != 0)
				return -1;
			p = p[len] != '\0' ? p + len + 1 : NULL;
		}
	/* Default: the first chart with data. Bandwidths have no speedup, and
	 * cases with one number of GPUs are drawn as bars. */
	for (const struct chart *c = charts;
	     list->n == 0 && to->n == 0 && c->name != NULL; c++)
		if (chart_is_possible(c, set, how->records))
			choose(to, c);
	if (to->n == 0)
		choose(to, charts);
	return 0;
}

/* --- which files ---------------------------------------------------------- */

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Suffix of a path's file name, without the dot; "" if none. */
static const char *
suffix_of(const char *path)
{
	const char *base = base_of(path), *dot = strrchr(base, '.');

	return dot != NULL && dot != base ? dot + 1 : "";
}

/* Name of the format: --format, else the suffix of --output, else svg. */
static const char *
format_name(const struct draw_how *how, struct error *e)
{
	const char *suffix;

	if (how->format != NULL)
		return how->format;
	if (how->output == NULL || strcmp(how->output, "-") == 0)
		return "svg";
	suffix = suffix_of(how->output);
	if (strcasecmp(suffix, "gp") == 0)
		return "gp";
	for (const struct picture_format *f = picture_formats; f->name; f++)
		if (strcasecmp(suffix, f->suffix) == 0)
			return f->name;
	error_set(e, ERROR_USAGE,
	    "--output: the suffix of '%s' is not .svg, .png, .pdf, .eps, .tex "
	    "or .gp; pass --format",
	    how->output);
	return NULL;
}

/* Replace the suffix of a path. */
static char *
with_suffix(const char *path, const char *suffix)
{
	const char *old = suffix_of(path);
	const size_t len = strlen(path) - (*old != '\0' ? strlen(old) + 1 : 0);

	return xasprintf("%.*s.%s", (int)len, path, suffix);
}

/* Path of the picture in the output folder. Characters of model names that file
 * names cannot have become '_'. */
static char *
path_in_folder(const struct draw_how *how, const struct picture *p)
{
	char *name = xstrdup(how->name), *path;

	for (char *c = name; *c != '\0'; c++)
		if (*c == '/' || (unsigned char)*c < ' ')
			*c = '_';
	if (name[0] == '-')
		name[0] = '_';
	path = xasprintf("%s/%s_%s.%s", how->output_dir, name, p->chart->name,
	    p->format->suffix);
	free(name);
	return path;
}

static int
name_files(const struct draw_how *how, struct picture *p, struct error *e)
{
	const char *format = format_name(how, e);

	if (format == NULL)
		return -1;
	if (how->caption != NULL && strcmp(how->caption, "none") != 0)
		p->caption_path = xstrdup(how->caption);
	p->script_only = strcmp(format, "gp") == 0;
	p->format = picture_format_find(p->script_only ? "svg" : format);
	if (how->output != NULL && strcmp(how->output, "-") == 0) {
		*(p->script_only ? &p->script_path : &p->path) = xstrdup("-");
		return 0;
	}
	if (how->output == NULL) {
		p->path = path_in_folder(how, p);
	} else if (p->script_only) {
		p->path = with_suffix(how->output, "svg");
		p->script_path = xstrdup(how->output);
		return 0;
	} else {
		p->path = xstrdup(how->output);
	}
	/* "a.gp" for a.svg, but "a.png.gp" for a.png, so that each format of a
	 * chart has its own script. */
	p->script_path = strcmp(p->format->name, "svg") == 0
	    ? with_suffix(p->path, "gp")
	    : xasprintf("%s.gp", p->path);
	if (!p->script_only && strcasecmp(suffix_of(p->path), "gp") == 0)
		return error_set(e, ERROR_USAGE,
		    "--output: '%s' would be both the picture and its script",
		    p->path);
	if (how->script.bare && how->caption == NULL)
		p->caption_path = with_suffix(p->path,
		    p->format->is_document ? "caption.tex" : "caption.txt");
	return 0;
}

/* --- one picture ---------------------------------------------------------- */

struct picture_texts {
	char *title, *description; /* of an SVG; free with free() */
	struct strbuf caption;
};

/* Append title and note as sentences, escaped for LaTeX or plain. */
static void
add_caption(struct strbuf *sb, const struct chart_data *d, const char *title,
    int is_tex)
{
	const char *texts[] = { title, d->note };

	for (int i = 0; i < 2; i++) {
		if (texts[i][0] == '\0')
			continue;
		if (is_tex)
			quote_tex(sb, texts[i]);
		else
			strbuf_addstr(sb, texts[i]);
		strbuf_addstr(sb, ".\n");
	}
}

static int
make_script(struct series_set *set, const struct draw_how *how,
    const struct picture *p, struct strbuf *script, struct picture_texts *texts,
    struct error *e)
{
	struct script_how script_how = how->script;
	struct chart_how chart_how = how->chart;
	struct chart_data data;
	int rc;

	script_how.format = p->format;
	if (p->script_path != NULL && p->path != NULL) {
		script_how.picture = base_of(p->path);
		script_how.script = base_of(p->script_path);
	}
	chart_how.room = script_room(&script_how, NULL);
	chart_how.max_ticks = script_max_ticks(&script_how);
	chart_how.max_facets = script_max_facets(&script_how);
	if (chart_collect(p->chart, set, &chart_how, &data, e) != 0)
		return -1;
	rc = chart_set_room(
	    &data, &how->chart, script_room(&script_how, &data), e);
	if (rc == 0)
		rc = script_write(&data, &script_how, script, e);
	texts->title = chart_long_title(&data);
	texts->description = chart_describe(&data);
	if (p->caption_path != NULL)
		add_caption(&texts->caption, &data, texts->title,
		    strcasecmp(suffix_of(p->caption_path), "tex") == 0);
	chart_release(&data);
	return rc;
}

/* context is a struct strbuf. */
static int
text_to_file(FILE *f, void *context, struct error *e)
{
	const struct strbuf *text = context;

	(void)e;
	fwrite(text->buf, 1, text->len, f);
	return 0;
}

/* Overwrite the time of drawing in place so that the same numbers give the same
 * bytes: with 1 January 2000 in PDF, else with spaces. */
static void
remove_date(struct strbuf *picture, const struct picture_format *format)
{
	static const char date[] = "20000101000000";
	const char *after = format->date_after;
	char *p = after != NULL
	    ? memmem(picture->buf, picture->len, after, strlen(after))
	    : NULL;
	const char *end = picture->buf + picture->len;
	size_t k = 0;

	if (p == NULL)
		return;
	p += strlen(after);
	if (strcmp(format->name, "tex") == 0) /* on the next line */
		while (p < end && *p++ != '\n')
			;
	for (; p < end && *p != '\n' && *p != ')'; p++)
		if (strcmp(format->name, "pdf") == 0)
			*p = k < sizeof date - 1 ? date[k++] : *p;
		else if (*p != '%')
			*p = ' ';
}

/* Comment out an option that gnuplot's TikZ writes: only an old LaTeX package
 * defines it, and UTF-8 no longer needs it. */
static void
remove_unicode_option(struct strbuf *picture)
{
	static const char option[] = "\\SetUnicodeOption{";
	char *p = memmem(picture->buf, picture->len, option, sizeof option - 1);

	if (p != NULL)
		*p = '%';
}

/* Draw a script into the picture's file. */
static int
draw_picture(const struct picture *p, const struct strbuf *script,
    const struct draw_how *how, const struct picture_texts *texts, int *missing,
    struct error *e)
{
	const char *name = p->format->name;
	const int is_svg = strcmp(name, "svg") == 0,
		  is_tex = strcmp(name, "tex") == 0;
	struct strbuf picture;
	int rc = 0;

	if (!is_svg && !is_tex && how->script.font != NULL)
		rc = gnuplot_check_family(how->script.font, e);
	if (rc == 0 && !is_svg && !is_tex)
		rc = gnuplot_check_fonts(script, e);
	if (rc != 0)
		return -1;
	strbuf_init(&picture, SIZE_MAX / 4);
	rc = gnuplot_run(script, p->format, &picture, missing, e);
	if (rc == 0) {
		remove_date(&picture, p->format);
		if (is_tex)
			remove_unicode_option(&picture);
		if (is_svg)
			svg_set_texts(
			    &picture, texts->title, texts->description);
		rc = outfile_write(p->path, text_to_file, &picture, e);
	}
	strbuf_release(&picture);
	return rc;
}

static void
say_written(const char *path, const struct draw_how *how)
{
	if (!how->quiet && strcmp(path, "-") != 0)
		puts(path);
}

/* Check options that only some formats support, and the files. Returns 0, or -1
 * with ERROR_USAGE. */
static int
check_format(
    const struct draw_how *how, const struct picture *p, struct error *e)
{
	const char *name = p->format->name;

	if (strcmp(name, "png") != 0 &&
	    (how->script.scale < 1 || how->script.scale > 1))
		return error_set(e, ERROR_USAGE,
		    "--scale: only for PNG; use --size for %s", name);
	if (p->caption_path != NULL &&
	    (text_same(p->caption_path, p->path) ||
		text_same(p->caption_path, p->script_path)) &&
	    strcmp(p->caption_path, "-") != 0)
		return error_set(e, ERROR_USAGE,
		    "--caption: '%s' is also the picture or its script",
		    p->caption_path);
	if (strcmp(name, "tex") == 0 && how->script.font != NULL)
		return error_set(e, ERROR_USAGE,
		    "--font: not for TeX, which uses the fonts of the "
		    "document");
	return 0;
}

static int
draw_one(struct series_set *set, const struct draw_how *how,
    const struct picture *p, int *missing, struct error *e)
{
	struct picture_texts texts = { .title = NULL };
	struct strbuf script;
	int rc = check_format(how, p, e);

	if (rc != 0)
		return rc;
	strbuf_init(&script, SCRIPT_MAX_BYTES);
	strbuf_init(&texts.caption, SCRIPT_MAX_BYTES);
	rc = make_script(set, how, p, &script, &texts, e);
	if (rc == 0 && p->script_path != NULL) {
		script_file_seal(&script);
		rc = script_file_check(p->script_path, how->force, e);
	}
	if (rc == 0 && p->script_path != NULL)
		rc = outfile_write(p->script_path, text_to_file, &script, e);
	if (rc == 0 && !p->script_only) {
		rc = draw_picture(p, &script, how, &texts, missing, e);
		if (rc == 0)
			say_written(p->path, how);
	}
	if (p->script_path != NULL && (rc == 0 || *missing))
		say_written(p->script_path, how);
	if (rc == 0 && p->caption_path != NULL) {
		rc = outfile_write(
		    p->caption_path, text_to_file, &texts.caption, e);
		if (rc == 0)
			say_written(p->caption_path, how);
	}
	strbuf_release(&script);
	free(texts.title);
	free(texts.description);
	strbuf_release(&texts.caption);
	return rc;
}

/* Draw a chart on stdout with characters. */
static int
draw_in_terminal(struct series_set *set, const struct draw_how *how,
    const struct chart *chart, struct error *e)
{
	struct chart_how chart_how = how->chart;
	struct chart_data data;
	struct strbuf text;
	int columns, lines;

	terminal_size(&columns, &lines);
	chart_how.room = terminal_chart_room(columns);
	chart_how.max_ticks = terminal_chart_max_ticks(lines);
	chart_how.max_facets = TERMINAL_CHART_MAX_FACETS;
	if (chart_collect(chart, set, &chart_how, &data, e) != 0)
		return -1;
	strbuf_init(&text, SCRIPT_MAX_BYTES);
	terminal_chart_draw(&data, columns, lines, terminal_colour(), &text);
	fwrite(text.buf, 1, text.len, stdout);
	strbuf_release(&text);
	chart_release(&data);
	return 0;
}

int
draw_all(struct series_set *set, const struct draw_how *how, struct error *e)
{
	struct chosen chosen;
	int any_missing = 0, rc = 0;

	if (choose_charts(&chosen, how->charts, set, &how->chart, e) != 0)
		return -1;
	if (chosen.n > 1 && how->output != NULL && !how->terminal)
		return error_set(e, ERROR_USAGE,
		    "--output names one file for %d charts: use --output-dir",
		    chosen.n);
	if (chosen.n > 1 && how->caption != NULL &&
	    strcmp(how->caption, "none") != 0)
		return error_set(e, ERROR_USAGE,
		    "--caption names one file for %d charts", chosen.n);
	for (int i = 0; i < chosen.n && rc == 0; i++) {
		struct picture p = { .chart = chosen.items[i] };
		int missing = 0;

		if (how->terminal) {
			rc = draw_in_terminal(set, how, p.chart, e);
			continue;
		}
		rc = name_files(how, &p, e);
		if (rc == 0)
			rc = draw_one(set, how, &p, &missing, e);
		/* Go on: the other scripts are useful without gnuplot too. */
		if (missing && p.script_path != NULL) {
			any_missing = 1;
			rc = 0;
		}
		free(p.path);
		free(p.script_path);
		free(p.caption_path);
	}
	if (rc == 0 && any_missing)
		error_prefix(e,
		    "only the scripts were written, not the "
		    "pictures");
	return rc != 0 || any_missing ? -1 : 0;
}
