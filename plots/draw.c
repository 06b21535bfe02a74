/* Draw a set of series into files: choose charts and file names, write scripts,
 * run gnuplot. */
#include <config.h>

#include "plots/draw.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/process.h"
#include "common/sha256.h"
#include "common/text.h"
#include "plots/style/svg.h"

/* The files of a picture, in the order in which their names are printed. */
enum file { PICTURE, SCRIPT, CAPTION, N_FILES };

struct picture {
	struct arena arena; /* of the paths */
	const struct draw_how *how;
	struct script script; /* with chart data after script_collect */
	const struct chart *chart;
	const char *paths[N_FILES]; /* NULL: not written */
	struct strbuf texts[N_FILES];
};

enum { LEAST_SIDE = 130 /* pixels: 3.5 cm, with a little tolerance */ };

/* Parse "W" or "WxH" with an optional unit into pixels; the height is 0 if not
 * given. Returns 0, or -1 if it is not a size or out of range.
 *
 * is_print  set to 1 if the unit is a unit of length */
static int
parse_sides(const char *text, double *width, double *height, int *is_print)
{
	static const struct {
		const char *name;
		double pixels; /* of 1/96 inch */
	} units[] = { { "", 1 }, { "px", 1 }, { "in", 96 }, { "cm", 96 / 2.54 },
		{ "mm", 9.6 / 2.54 }, { "pt", 96 / 72.0 } };
	double *const sides[] = { width, height };
	char digits[2][32];
	size_t unit = 0;
	int len = 0;
	const int n = sscanf(
	    text, "%31[0-9.]%nx%31[0-9.]%n", digits[0], &len, digits[1], &len);

	while (unit < 6 && strcmp(text + len, units[unit].name) != 0)
		unit++;
	if (n < 1 || unit == 6)
		return -1;
	*height = 0;
	for (int i = 0; i < n; i++) {
		char *end;

		*sides[i] = strtod(digits[i], &end) * units[unit].pixels;
		if (digits[i][0] == '.' || *end != '\0' ||
		    !(*sides[i] >= LEAST_SIDE && *sides[i] <= SCRIPT_MAX_SIZE))
			return -1;
	}
	*is_print = unit > 1;
	return 0;
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

/* True if the chart supports the options and the set has data for it. */
static int
is_usable(
    const struct chart *c, struct series_set *set, const struct chart_how *how)
{
	return chart_honours(c, set, how, NULL) == 0 &&
	    chart_is_possible(c, set, how);
}

/* Choose the chart that shows the set best: special ones for sweeps of batch
 * sizes, many series and strong scaling; "scaling" if the set has speedups
 * (bandwidths have none); else the first chart with data.
 *
 * narrow  1: without space for two charts beside each other */
static const struct chart *
default_chart(struct series_set *set, const struct chart_how *how, int narrow)
{
	enum { SWEEP = 3, MANY_LINES = 8, MANY_BARS = 4 };
	const uint64_t measuring = SERIES_BIT(SERIES_RULE) |
	    SERIES_BIT(SERIES_KIND) | SERIES_BIT(SERIES_SOURCE);
	const int is_sweep = set->n >= SWEEP &&
	    (set->differing & ~measuring) == SERIES_BIT(SERIES_BATCH);
	const int scales = chart_is_possible(charts, set, how);
	int is_strong = 1, is_large = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->items[i];

		is_strong &=
		    result_rule_is_strong(&s->points[0].source->result.rule);
		for (size_t k = 0; k < s->n_points; k++)
			is_large |= s->points[k].c->gpus > charts->linear_to;
	}
	const struct {
		const char *name;
		int is_best;
	} best[] = {
		{ "batch", is_sweep },
		{ "heatmap", scales && set->n > MANY_LINES },
		{ "step-time", scales && is_strong },
		/* Speedups on logarithmic axes hide losses. */
		{ "efficiency", scales && narrow && is_large },
		{ "scaling", scales },
		{ "dots", set->n > MANY_BARS },
	};

	for (size_t i = 0; i < sizeof best / sizeof *best; i++) {
		const struct chart *c = chart_find(best[i].name);

		if (best[i].is_best && (c == charts || is_usable(c, set, how)))
			return c;
	}
	for (const struct chart *c = charts; c->name != NULL; c++)
		if (chart_is_possible(c, set, how))
			return c;
	return charts;
}

/* Choose the charts of the names, in the order given, or the default. "all"
 * means those that the set has data for and that support the options given.
 * Returns their number, or -1. */
static int
choose_charts(const struct chart *to[MAX_CHARTS], struct series_set *set,
    const struct draw_how *draw, struct error *e)
{
	const struct chart_how *how = &draw->chart;
	const struct opt_list *list = draw->charts;
	const int narrow = draw->terminal || draw->script.width < SCRIPT_WIDE;
	int n = 0;

	for (size_t i = 0; i < list->n; i++)
		for (const char *name = list->items[i]; name != NULL;) {
			const size_t len = strcspn(name, ",");
			const int all =
			    len == 3 && strncmp(name, "all", 3) == 0;
			const int before = n;

			for (const struct chart *c = charts;
			     c->name != NULL && n < MAX_CHARTS; c++)
				if (all ? is_usable(c, set, how)
					: strlen(c->name) == len &&
					    strncmp(c->name, name, len) == 0)
					to[n++] = c;
			if (n == before && !all)
				return error_set(e, ERROR_USAGE,
				    "--chart: unknown chart '%.*s'; "
				    "--list-charts lists all",
				    (int)len, name);
			name = name[len] != '\0' ? name + len + 1 : NULL;
		}
	if (n == 0)
		to[n++] = default_chart(set, how, narrow);
	return n;
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

/* Replace the suffix of a path. */
static const char *
with_suffix(struct picture *p, const char *path, const char *suffix)
{
	const char *old = suffix_of(path);
	const size_t len = strlen(path) - (*old != '\0' ? strlen(old) + 1 : 0);

	return arena_printf(&p->arena, "%.*s.%s", (int)len, path, suffix);
}

/* Choose the format, by --format or else the suffix of --output; NULL with
 * ERROR_USAGE. A script alone is one that draws SVG.
 *
 * script_only  set to 1 for the format gp */
static const struct picture_format *
choose_format(const struct draw_how *how, int *script_only, struct error *e)
{
	const struct picture_format *f = picture_formats;
	const char *name = how->format != NULL ? how->format
	    : how->output == NULL || strcmp(how->output, "-") == 0
	    ? "svg"
	    : suffix_of(how->output);

	*script_only = strcasecmp(name, "gp") == 0;
	while (!*script_only && f->name && strcasecmp(name, f->name) != 0)
		f++;
	if (f->name != NULL)
		return f;
	error_set(e, ERROR_USAGE,
	    "--output: the suffix of '%s' is not .svg, .png, .pdf, .eps, .tex "
	    "or .gp; pass --format",
	    how->output);
	return NULL;
}

/* Choose the format and name the files. */
static int
name_files(struct picture *p, struct error *e)
{
	const struct draw_how *how = p->how;
	int script_only;
	const struct picture_format *f = choose_format(how, &script_only, e);
	const int to_stdout = text_same(how->output, "-");
	char *name = arena_strdup(&p->arena, how->name);
	const char *path = how->output;

	if (f == NULL)
		return -1;
	p->script.how.format = f;
	/* Model names may have characters that file names must not have. */
	for (char *c = name; *c != '\0'; c++)
		if (*c == '/' || (unsigned char)*c < ' ' ||
		    (c == name && *c == '-'))
			*c = '_';
	if (path == NULL)
		path = arena_printf(&p->arena, "%s/%s_%s.%s", how->output_dir,
		    name, p->chart->name, f->name);
	else if (script_only && !to_stdout)
		path = with_suffix(p, path, "svg");
	/* "a.gp" for a.svg, but "a.png.gp" for a.png, so that each format of a
	 * chart has its own script. */
	if (script_only && how->output != NULL)
		p->paths[SCRIPT] = how->output;
	else if (!to_stdout)
		p->paths[SCRIPT] = f == picture_formats
		    ? with_suffix(p, path, "gp")
		    : arena_printf(&p->arena, "%s.gp", path);
	if (!script_only)
		p->paths[PICTURE] = path;
	if (how->caption == NULL && !to_stdout)
		p->paths[CAPTION] = with_suffix(
		    p, path, f->is_document ? "caption.tex" : "caption.txt");
	else if (!text_same(how->caption, "none"))
		p->paths[CAPTION] = how->caption;
	if (!to_stdout) {
		p->script.how.picture = base_of(path);
		p->script.how.script = base_of(p->paths[SCRIPT]);
	}
	return 0;
}

/* Check the files, and options that only some formats support. Returns 0, or -1
 * with ERROR_USAGE. */
static int
check_files(const struct picture *p, struct error *e)
{
	const struct draw_how *how = p->how;
	const char *format = p->script.how.format->name;
	const char *caption = p->paths[CAPTION];

	for (int i = 0; i < N_FILES; i++)
		if (outfile_spare(p->paths[i], how->inputs, how->n_inputs, e) !=
		    0)
			return -1;
	if (p->paths[PICTURE] != NULL &&
	    strcasecmp(suffix_of(p->paths[PICTURE]), "gp") == 0)
		return error_set(e, ERROR_USAGE,
		    "--output: '%s' would be both the picture and its script",
		    p->paths[PICTURE]);
	if (strcmp(format, "png") != 0 &&
	    (how->script.scale < 1 || how->script.scale > 1))
		return error_set(e, ERROR_USAGE,
		    "--scale: only for PNG; use --size for %s", format);
	if (caption != NULL && strcmp(caption, "-") != 0 &&
	    (text_same(caption, p->paths[PICTURE]) ||
		text_same(caption, p->paths[SCRIPT])))
		return error_set(e, ERROR_USAGE,
		    "--caption: '%s' is also the picture or its script",
		    caption);
	if (strcmp(format, "tex") == 0 && how->script.font != NULL)
		return error_set(e, ERROR_USAGE,
		    "--font: not for TeX, which uses the fonts of the "
		    "document");
	return 0;
}

/* --- edited scripts ------------------------------------------------------- */

/* Users restyle scripts by hand: a checksum line shows whether a script was
 * edited, and edited scripts are not overwritten. */

static const char seal[] = "# as plot_results wrote it: ";
enum { SEAL_SIZE = sizeof seal - 1 + 16 + 1 }; /* with newline */

/* Last line of a script: a comment with a checksum of all text before it,
 * FNV-1a (Fowler, Noll, Vo 1991), enough to notice edits. With another checksum
 * all existing scripts would count as edited. */
static const char *
seal_of(const char *text, size_t len, char line[SEAL_SIZE + 1])
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3u;
	snprintf(line, SEAL_SIZE + 1, "%s%016" PRIx64 "\n", seal, sum);
	return line;
}

/* Check that a script may be written to path: no file exists, it is not a
 * regular file, it is empty, or it ends with the checksum of its text. Returns
 * 0; -1 with ERROR_INPUT, or ERROR_SYSTEM if it cannot be read.
 *
 * path   "-": stdout
 * force  1: allow any file */
static int
check_script_file(const char *path, int force, struct error *e)
{
	char line[SEAL_SIZE + 1];
	struct strbuf text = STRBUF_INIT(SCRIPT_MAX_BYTES);
	struct stat st;
	size_t body;
	int rc;

	if (force || strcmp(path, "-") == 0 || stat(path, &st) != 0 ||
	    !S_ISREG(st.st_mode))
		return 0;
	rc = text_file_read(path, &text, e);
	body = text.len > SEAL_SIZE ? text.len - SEAL_SIZE : 0;
	if (rc == 0 && text.len > 0 &&
	    strcmp(text.buf + body, seal_of(text.buf, body, line)) != 0)
		rc = error_set(e, ERROR_INPUT,
		    "'%s' was edited after plot_results wrote it; rename it, "
		    "or pass --force to overwrite it",
		    path);
	strbuf_release(&text);
	return rc;
}

/* --- gnuplot -------------------------------------------------------------- */

/* Append the contents of a file to sb, up to the limit of sb. */
static void
read_back(FILE *f, struct strbuf *sb)
{
	char piece[16384];
	size_t n;

	rewind(f);
	while ((n = fread(piece, 1, sizeof piece, f)) > 0)
		strbuf_add(sb, piece, n);
}

/* True if a picture has the format's start, and its end mark at the end. */
static int
is_whole(const struct strbuf *picture, const struct picture_format *format)
{
	enum { END_LENGTH = 64 };
	const size_t end =
	    picture->len < END_LENGTH ? picture->len : END_LENGTH;

	return strncmp(picture->buf, format->magic, strlen(format->magic)) ==
	    0 &&
	    memmem(picture->buf + picture->len - end, end, format->end,
		strlen(format->end)) != NULL;
}

/* Run a script and append its output to a picture, whatever file the script
 * names.
 *
 * format   format that the picture's start and end are checked against
 * missing  set to 1 if gnuplot is not installed
 *
 * Returns 0; -1 with ERROR_SYSTEM if gnuplot is not installed (the message
 * names the package), failed, or wrote no complete picture. */
static int
run_gnuplot(const struct strbuf *script, const struct picture_format *format,
    struct strbuf *picture, int *missing, struct error *e)
{
	char *from_env = getenv("GNUPLOT"), fallback[] = "gnuplot";
	char defaults[] = "-d", option[] = "-e", no_file[] = "OUTPUT=''";
	char from_stdin[] = "-";
	char *argv[] = { from_env != NULL && from_env[0] != '\0' ? from_env
								 : fallback,
		defaults, option, no_file, from_stdin, NULL };
	FILE *const files[] = { tmpfile(), tmpfile(), tmpfile() };
	struct strbuf said = STRBUF_INIT(SIZE_MAX / 4);
	int status = -1, rc = -1;

	/* The length of a PDF's date, and so all offsets in the file, depend on
	 * the time zone. */
	setenv("TZ", "UTC0", 1);
	if (files[0] == NULL || files[1] == NULL || files[2] == NULL ||
	    fwrite(script->buf, 1, script->len, files[0]) != script->len ||
	    fflush(files[0]) != 0)
		error_errno(e, errno, "cannot write a temporary file");
	else
		status =
		    process_run(argv, files[0], files[1], files[2], missing, e);
	if (status >= 0) {
		read_back(files[1], picture);
		read_back(files[2], &said);
	}
	for (char *c = said.buf; *c != '\0'; c++)
		if (*c == '\n')
			*c = c[1] == '\0' ? '\0' : ' ';
	if (*missing)
		error_set(e, ERROR_SYSTEM,
		    "cannot find '%s': install gnuplot (on Debian: apt-get "
		    "install gnuplot-nox) or set the environment variable "
		    "GNUPLOT",
		    argv[0]);
	else if (status > 0)
		error_set(e, ERROR_SYSTEM, "%s failed with status %d: %.900s",
		    argv[0], status, said.buf);
	else if (status == 0 && !is_whole(picture, format))
		error_set(e, ERROR_SYSTEM, "%s wrote an incomplete %s picture",
		    argv[0], format->name);
	else
		rc = status;
	strbuf_release(&said);
	for (int i = 0; i < 3; i++)
		if (files[i] != NULL)
			fclose(files[i]);
	return rc;
}

/* --- one picture ---------------------------------------------------------- */

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

/* Draw the picture from its script, without the time of drawing. In a TikZ
 * document, comment out an option that only an old LaTeX package defines and
 * that UTF-8 no longer needs.
 *
 * missing  set to 1 if there is no gnuplot */
static int
draw_picture(struct picture *p, int *missing, struct error *e)
{
	const struct picture_format *format = p->script.how.format;
	struct strbuf *picture = &p->texts[PICTURE];
	struct chart_data *d = &p->script.d;
	char *old;

	if (run_gnuplot(&p->texts[SCRIPT], format, picture, missing, e) != 0)
		return -1;
	remove_date(picture, format);
	if (strcmp(format->name, "tex") == 0 &&
	    (old = strstr(picture->buf, "\\SetUnicodeOption{")) != NULL)
		*old = '%';
	if (strcmp(format->name, "svg") == 0) {
		const char *title =
		    arena_join(&d->arena, d->title, ": ", d->y_title);
		struct strbuf out = STRBUF_INIT(SIZE_MAX / 4);
		const char *rest = picture->buf, *at, *end;
		int n = 0;

		/* Replace the title and description of an SVG picture, and
		 * remove the titles of its parts, which browsers show as
		 * tooltips. */
		while ((at = strstr(rest, "<title>")) != NULL &&
		    (end = strstr(at, "</title>")) != NULL) {
			strbuf_add(&out, rest, (size_t)(at - rest));
			rest = end + strlen("</title>");
			if (n++ > 0)
				continue;
			strbuf_addstr(&out, "<title>");
			svg_add_text(&out, title);
			strbuf_addstr(&out, "</title>\n<desc>");
			svg_add_text(&out, chart_describe(d));
			strbuf_addstr(&out, "</desc>");
			end = strstr(rest, "</desc>");
			if (end != NULL)
				rest = end + strlen("</desc>");
		}
		strbuf_addstr(&out, rest);
		strbuf_release(picture);
		*picture = out;
	}
	return 0;
}

/* Write the files and print their names. The script ends with the hash of its
 * picture, if there is one, and its own checksum. */
static int
write_files(struct picture *p, struct error *e)
{
	static const enum file order[] = { SCRIPT, PICTURE, CAPTION };
	char line[SEAL_SIZE + 1], hash[SHA256_BASE64_SIZE];
	struct strbuf *script = &p->texts[SCRIPT];

	if (p->paths[PICTURE] != NULL && p->paths[SCRIPT] != NULL) {
		sha256_base64(
		    p->texts[PICTURE].buf, p->texts[PICTURE].len, hash);
		strbuf_printf(
		    script, "# %s: sha256-%s\n", p->script.how.picture, hash);
	}
	strbuf_addstr(script, seal_of(script->buf, script->len, line));
	for (int i = 0; i < N_FILES; i++) {
		const enum file k = order[i];

		if (p->paths[k] != NULL &&
		    outfile_write(p->paths[k], &p->texts[k], e) != 0)
			return -1;
	}
	for (int i = 0; i < N_FILES; i++)
		if (p->paths[i] != NULL && !p->how->quiet &&
		    strcmp(p->paths[i], "-") != 0)
			puts(p->paths[i]);
	return 0;
}

/* Make and write the files of a picture.
 *
 * missing  set to 1 if there is no gnuplot, but a script was written */
static int
draw_one(
    struct series_set *set, struct picture *p, int *missing, struct error *e)
{
	struct chart_how chart_how = p->how->chart;
	int no_gnuplot = 0;

	if (script_collect(p->chart, set, &p->script, &chart_how, e) != 0 ||
	    script_write(&p->script, &p->texts[SCRIPT], e) != 0 ||
	    (p->paths[SCRIPT] != NULL &&
		check_script_file(p->paths[SCRIPT], p->how->force, e) != 0) ||
	    (p->how->output == NULL &&
		make_folders(p->how->output_dir, e) != 0))
		return -1;
	/* Go on without gnuplot: scripts are useful without pictures. */
	if (p->paths[PICTURE] != NULL && draw_picture(p, &no_gnuplot, e) != 0 &&
	    !(no_gnuplot && p->paths[SCRIPT] != NULL))
		return -1;
	if (no_gnuplot)
		p->paths[PICTURE] = p->paths[CAPTION] = NULL;
	/* By default, write a caption only if the picture has no title and
	 * note. */
	if (p->how->caption == NULL && !p->script.how.bare)
		p->paths[CAPTION] = NULL;
	if (p->paths[CAPTION] != NULL) {
		struct chart_data *d = &p->script.d;
		const char *texts[] = { arena_join(&d->arena, d->title, ": ",
					    d->y_title),
			d->note };

		/* Make the caption: title and note as sentences, escaped for
		 * LaTeX or plain. */
		for (int i = 0; i < 2; i++) {
			if (texts[i][0] == '\0')
				continue;
			if (strcasecmp(suffix_of(p->paths[CAPTION]), "tex") ==
			    0)
				quote_tex(&p->texts[CAPTION], texts[i]);
			else
				strbuf_addstr(&p->texts[CAPTION], texts[i]);
			strbuf_addstr(&p->texts[CAPTION], ".\n");
		}
	}
	*missing |= no_gnuplot;
	return write_files(p, e);
}

int
draw_all(struct series_set *set, const struct draw_how *how, struct error *e)
{
	const struct chart *chosen[MAX_CHARTS];
	const int n = choose_charts(chosen, set, how, e);
	int missing = 0, rc = n < 0 ? -1 : 0;

	if (n > 1 && !how->terminal &&
	    (how->output != NULL ||
		(how->caption != NULL && strcmp(how->caption, "none") != 0)))
		return error_set(e, ERROR_USAGE,
		    "--%s names one file for %d charts: use --output-dir",
		    how->output != NULL ? "output" : "caption", n);
	for (int i = 0; i < n && rc == 0; i++) {
		struct picture *p = xcalloc(1, sizeof *p);

		p->how = how;
		p->chart = chosen[i];
		p->script.how = how->script;
		for (int k = 0; k < N_FILES; k++)
			strbuf_init(&p->texts[k],
			    k == PICTURE ? SIZE_MAX / 4 : SCRIPT_MAX_BYTES);
		if (how->terminal)
			rc = terminal_chart_draw(set, p->chart, &how->chart, e);
		else if (name_files(p, e) != 0 || check_files(p, e) != 0)
			rc = -1;
		else
			rc = draw_one(set, p, &missing, e);
		for (int k = 0; k < N_FILES; k++)
			strbuf_release(&p->texts[k]);
		chart_release(&p->script.d);
		arena_release(&p->arena);
		free(p);
	}
	if (rc == 0 && missing)
		error_prefix(e,
		    "only the scripts were written, not the "
		    "pictures");
	return rc != 0 || missing ? -1 : 0;
}
