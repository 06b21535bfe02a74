/* From a set of series to files: which charts, their names, the scripts,
 * gnuplot's runs. */
#include <config.h>

#include "plots/draw.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/files/outfile.h"
#include "common/program/program_main.h"
#include "common/strbuf.h"
#include "plots/charts/chart.h"
#include "plots/gnuplot.h"
#include "plots/script.h"
#include "plots/style/svg.h"
#include "plots/terminal_chart.h"

/* One picture and its files. */
struct picture {
	const struct chart *chart;
	const struct picture_format *format;
	char *path;                /* of the picture; NULL: none is drawn */
	char *script_path;         /* NULL: none is written */
	int script_only;           /* path is only what the script names */
	char *title, *description; /* of an SVG; NULL: not known yet */
};

/* Pixels of 1/96 inch. */
static const struct size_unit {
	const char *name;
	double pixels;
} size_units[] = { { "px", 1 }, { "in", 96 }, { "cm", 96 / 2.54 },
	{ "mm", 9.6 / 2.54 }, { "pt", 96 / 72.0 } };

/* Widths of a column and of the text of a printed page, in millimetres, as
 * most journals have them. */
static const struct named_size {
	const char *name, *size;
} named_sizes[] = { { "column", "86mm" }, { "page", "178mm" } };

/* Cut a unit from the end of text.  Returns its pixels, 1 without a unit. */
static double
cut_unit(char *text)
{
	const size_t len = strlen(text);

	for (size_t i = 0; i < sizeof size_units / sizeof *size_units; i++)
		if (len > 2 &&
		    strcmp(text + len - 2, size_units[i].name) == 0) {
			text[len - 2] = '\0';
			return size_units[i].pixels;
		}
	return 1;
}

/* One side of a picture.  Returns 0, or -1 if it is none or out of range. */
static int
parse_side(const char *text, double unit, int *out)
{
	double pixels;
	char *end;

	if (text[0] < '0' || text[0] > '9' ||
	    strspn(text, "0123456789.") != strlen(text))
		return -1;
	pixels = strtod(text, &end) * unit;
	if (*end != '\0' || !(pixels >= 200 && pixels <= SCRIPT_MAX_SIZE))
		return -1;
	*out = (int)lround(pixels);
	return 0;
}

int
draw_parse_size(const char *text, struct draw_how *how, struct error *e)
{
	char *copy, *x;
	double unit;
	int bad;

	for (size_t i = 0; i < sizeof named_sizes / sizeof *named_sizes; i++)
		if (strcmp(text, named_sizes[i].name) == 0)
			text = named_sizes[i].size;
	copy = xstrdup(text);
	unit = cut_unit(copy);
	how->script.width = how->script.height = 0;
	x = strchr(copy, 'x');
	if (x != NULL)
		*x = '\0';
	bad = parse_side(copy, unit, &how->script.width) != 0 ||
	    (x != NULL && parse_side(x + 1, unit, &how->script.height) != 0);
	free(copy);
	if (bad)
		return error_set(e, ERROR_USAGE,
		    "--size: '%s' is not W or WxH, 200 to %d pixels each, "
		    "then px, in, cm, mm or pt, and none of column and page",
		    text, SCRIPT_MAX_SIZE);
	return 0;
}

/* --- which charts --------------------------------------------------------- */

enum { MAX_CHARTS = 32 };

static void
add_chart(const struct chart **out, size_t *n, const struct chart *c)
{
	for (size_t i = 0; i < *n; i++)
		if (out[i] == c)
			return;
	if (*n < MAX_CHARTS)
		out[(*n)++] = c;
}

static int
add_named(const struct chart **out, size_t *n, const char *name, size_t len,
    struct series_set *set, const struct chart_how *how, struct error *e)
{
	char *copy = xstrndup(name, len);
	const struct chart *c = chart_find(copy);
	int rc = 0;

	if (strcmp(copy, "all") == 0)
		for (c = charts; c->name != NULL; c++) {
			if (chart_honours(c, set, how, NULL) == 0 &&
			    chart_is_possible(c, set, how->records))
				add_chart(out, n, c);
		}
	else if (c != NULL)
		add_chart(out, n, c);
	else
		rc = error_set(e, ERROR_USAGE,
		    "--chart: there is no chart '%s'; --list-charts shows all",
		    copy);
	free(copy);
	return rc;
}

/* Each chart once, in the order asked for; "all" are those that the set has
 * numbers for and that heed the options given.  Returns how many, or -1. */
static int
asked_charts(const struct opt_list *list, struct series_set *set,
    const struct chart_how *how, const struct chart *out[MAX_CHARTS],
    struct error *e)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		for (const char *p = list->items[i];;) {
			size_t len = strcspn(p, ",");

			if (add_named(out, &n, p, len, set, how, e) != 0)
				return -1;
			if (p[len] == '\0')
				break;
			p += len + 1;
		}
	/* The first that there are numbers for: bandwidths have no speedup, and
	 * cases of one number of GPUs are bars. */
	for (const struct chart *c = charts;
	     list->n == 0 && n == 0 && c->name != NULL; c++)
		if (chart_is_possible(c, set, how->records))
			add_chart(out, &n, c);
	if (n == 0)
		add_chart(out, &n, charts);
	return (int)n;
}

/* --- which files ---------------------------------------------------------- */

/* The ending of the last part of a path, without the dot; "" if none. */
static const char *
suffix_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash != NULL ? slash + 1 : path;
	const char *dot = strrchr(base, '.');

	return dot != NULL && dot != base ? dot + 1 : "";
}

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* The name of the format that was asked for or that the file's ending
 * states. */
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
	    "--output: the ending of '%s' is none of .svg, .png, .pdf, .eps, "
	    ".tex, .gp: "
	    "give --format",
	    how->output);
	return NULL;
}

/* "a/b.svg" with another ending. */
static char *
with_suffix(const char *path, const char *suffix)
{
	const char *old = suffix_of(path);
	size_t len = strlen(path) - (*old != '\0' ? strlen(old) + 1 : 0);

	return xasprintf("%.*s.%s", (int)len, path, suffix);
}

/* The script of a picture: "a.gp" of a.svg, but "a.png.gp" of a.png, so that
 * two formats of one chart have two. */
static char *
script_name(const char *picture, const struct picture_format *format)
{
	if (strcmp(format->name, "svg") == 0)
		return with_suffix(picture, "gp");
	return xasprintf("%s.gp", picture);
}

/* Names of files may not hold what chart and model names may. */
static char *
file_name(const char *name)
{
	char *s = xstrdup(name);

	for (char *p = s; *p != '\0'; p++)
		if (*p == '/' || (unsigned char)*p < ' ')
			*p = '_';
	if (s[0] == '-')
		s[0] = '_';
	return s;
}

static int
name_files(const struct draw_how *how, struct picture *p, struct error *e)
{
	const char *format = format_name(how, e);
	char *name;

	if (format == NULL)
		return -1;
	p->script_only = strcmp(format, "gp") == 0;
	p->format = picture_format_find(p->script_only ? "svg" : format);
	if (how->output == NULL) {
		name = file_name(how->name);
		p->path = xasprintf("%s/%s_%s.%s", how->output_dir, name,
		    p->chart->name, p->format->suffix);
		p->script_path = script_name(p->path, p->format);
		free(name);
	} else if (strcmp(how->output, "-") == 0) {
		p->path = p->script_only ? NULL : xstrdup("-");
		p->script_path = p->script_only ? xstrdup("-") : NULL;
		return 0;
	} else if (p->script_only) {
		p->path = with_suffix(how->output, "svg");
		p->script_path = xstrdup(how->output);
	} else {
		p->path = xstrdup(how->output);
		p->script_path = script_name(how->output, p->format);
	}
	if (!p->script_only && strcasecmp(suffix_of(p->path), "gp") == 0)
		return error_set(e, ERROR_USAGE,
		    "--output: '%s' would be the picture and its script",
		    p->path);
	return 0;
}

static void
picture_release(struct picture *p)
{
	free(p->path);
	free(p->script_path);
	free(p->title);
	free(p->description);
}

/* --- one picture ---------------------------------------------------------- */

static int
make_script(struct series_set *set, const struct draw_how *how,
    struct picture *p, struct strbuf *script, struct error *e)
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
	chart_how.room = script_room(&script_how, 0);
	chart_how.max_ticks = script_max_ticks(&script_how);
	chart_how.max_facets = script_max_facets(&script_how);
	if (chart_collect(p->chart, set, &chart_how, &data, e) != 0)
		return -1;
	if (data.n_facets > 0)
		chart_set_room(&data, script_room(&script_how, data.n_facets),
		    how->chart.linear);
	rc = script_write(&data, &script_how, script, e);
	p->title = chart_long_title(&data);
	p->description = chart_describe(&data);
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

/* Overwrite the time at which it was drawn, digit by digit, so that the same
 * numbers give the same bytes: 1 January 2000 where it must be a date. */
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

/* gnuplot's TikZ asks for what only an old package of LaTeX's knew, and UTF-8
 * needs nothing any more. */
static void
remove_unicode_option(struct strbuf *picture)
{
	static const char option[] = "\\SetUnicodeOption{";
	char *p = memmem(picture->buf, picture->len, option, sizeof option - 1);

	if (p != NULL)
		*p = '%';
}

static int
copy_picture(FILE *from, const struct picture *p, struct error *e)
{
	struct strbuf picture;
	char piece[16384];
	size_t got;
	int rc;

	strbuf_init(&picture, SIZE_MAX / 4);
	errno = 0;
	while ((got = fread(piece, 1, sizeof piece, from)) > 0)
		strbuf_add(&picture, piece, got);
	if (ferror(from)) {
		strbuf_release(&picture);
		return error_errno(e, errno, "cannot read a temporary file");
	}
	remove_date(&picture, p->format);
	if (strcmp(p->format->name, "tex") == 0)
		remove_unicode_option(&picture);
	if (strcmp(p->format->name, "svg") == 0)
		svg_set_texts(&picture, p->title, p->description);
	rc = outfile_write(p->path, text_to_file, &picture, e);
	strbuf_release(&picture);
	return rc;
}

static int
draw_picture(const struct picture *p, const struct strbuf *script,
    const struct draw_how *how, int *missing, struct error *e)
{
	FILE *out = tmpfile();
	char *warnings;
	int rc;

	if (out == NULL)
		return error_errno(e, errno, "cannot make a temporary file");
	if (strcmp(p->format->name, "svg") != 0 &&
	    strcmp(p->format->name, "tex") != 0 &&
	    ((how->script.font != NULL &&
		 gnuplot_check_family(how->script.font, e) != 0) ||
		gnuplot_check_fonts(script, e) != 0)) {
		fclose(out);
		return -1;
	}
	rc = gnuplot_run(script, p->format, out, &warnings, missing, e);
	if (rc == 0 && warnings != NULL)
		fprintf(how->messages, "plot_results: gnuplot warns: %s\n",
		    warnings);
	free(warnings);
	if (rc == 0)
		rc = copy_picture(out, p, e);
	fclose(out);
	return rc;
}

static void
say_written(const char *path, const struct draw_how *how)
{
	if (!how->quiet && strcmp(path, "-") != 0)
		fprintf(how->out, "%s\n", path);
}

/* What has a meaning for some formats only.  Returns 0, or -1 with
 * ERROR_USAGE. */
static int
check_format(
    const struct draw_how *how, const struct picture *p, struct error *e)
{
	const char *name = p->format->name;

	if (strcmp(name, "png") != 0 &&
	    (how->script.scale < 1 || how->script.scale > 1))
		return error_set(e, ERROR_USAGE,
		    "--scale is of PNG; the size of %s is --size's", name);
	if (strcmp(name, "tex") == 0 && how->script.font != NULL)
		return error_set(e, ERROR_USAGE,
		    "--font: TeX sets the texts in the document's fonts");
	return 0;
}

static int
draw_one(struct series_set *set, const struct draw_how *how, struct picture *p,
    int *missing, struct error *e)
{
	struct strbuf script;
	int rc = check_format(how, p, e);

	if (rc != 0)
		return rc;
	strbuf_init(&script, SCRIPT_MAX_BYTES);
	rc = make_script(set, how, p, &script, e);
	if (rc == 0 && p->script_path != NULL) {
		script_file_seal(&script);
		rc = script_file_check(p->script_path, how->force, e);
	}
	if (rc == 0 && p->script_path != NULL)
		rc = outfile_write(p->script_path, text_to_file, &script, e);
	if (rc == 0 && !p->script_only) {
		rc = draw_picture(p, &script, how, missing, e);
		if (rc == 0)
			say_written(p->path, how);
	}
	if (p->script_path != NULL && (rc == 0 || *missing))
		say_written(p->script_path, how);
	strbuf_release(&script);
	return rc;
}

/* A chart on stdout, made of characters. */
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
	fwrite(text.buf, 1, text.len, how->out);
	strbuf_release(&text);
	chart_release(&data);
	return 0;
}

int
draw_all(struct series_set *set, const struct draw_how *how, struct error *e)
{
	const struct chart *asked[MAX_CHARTS];
	int n = asked_charts(how->charts, set, &how->chart, asked, e),
	    any_missing = 0, rc = 0;

	if (n < 0)
		return -1;
	if (n > 1 && how->output != NULL && !how->terminal)
		return error_set(e, ERROR_USAGE,
		    "--output names one file for %d charts: use --output-dir",
		    n);
	for (int i = 0; i < n && rc == 0; i++) {
		struct picture p = { .chart = asked[i] };
		int missing = 0;

		if (how->terminal) {
			rc = draw_in_terminal(set, how, asked[i], e);
			continue;
		}
		if (name_files(how, &p, e) == 0)
			rc = draw_one(set, how, &p, &missing, e);
		else
			rc = -1;
		/* The other scripts are of use without gnuplot too. */
		if (missing && p.script_path != NULL) {
			any_missing = 1;
			rc = 0;
		}
		picture_release(&p);
	}
	if (rc == 0 && any_missing)
		error_prefix(e, "only scripts were written, no pictures");
	return rc != 0 || any_missing ? -1 : 0;
}
