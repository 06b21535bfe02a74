#include <config.h>

#include "plots/draw.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/process.h"
#include "common/utf8.h"

enum {
	MAX_PRINTED = 1024, /* bytes of gnuplot's stderr that are relayed */
	END_LENGTH = 64     /* last bytes searched for the end of a picture */
};

/* Run a program.
 *
 * text      its stdin
 * out, err  its stdout and stderr are appended to them
 * missing   set to 1 if there is no such program
 *
 * Returns its exit status, or -1. */
static int
run_program(char *const *argv, const struct strbuf *text, struct strbuf *out,
    struct strbuf *err, int *missing, struct error *e)
{
	FILE *f[3] = { tmpfile(), tmpfile(), tmpfile() };
	struct strbuf *to[3] = { NULL, out, err };
	char piece[16384];
	int status = -1;

	*missing = 0;
	if (f[0] == NULL || f[1] == NULL || f[2] == NULL)
		error_errno(e, errno, "cannot make a temporary file");
	else if (fwrite(text->buf, 1, text->len, f[0]) != text->len ||
	    fflush(f[0]) != 0)
		error_errno(e, errno, "cannot write a temporary file");
	else
		status = process_run(argv, f[0], f[1], f[2], missing, e);
	for (int i = 1; status >= 0 && i < 3; i++) {
		size_t n;

		rewind(f[i]);
		while ((n = fread(piece, 1, sizeof piece, f[i])) > 0)
			strbuf_add(to[i], piece, n);
		if (ferror(f[i]))
			status = error_errno(
			    e, errno, "cannot read a temporary file");
	}
	for (int i = 0; i < 3; i++)
		if (f[i] != NULL)
			fclose(f[i]);
	return status;
}

/* --- gnuplot -------------------------------------------------------------- */

/* Append the non-empty lines of a program's output, joined by "; ". */
static void
join_lines(struct strbuf *text, struct strbuf *to)
{
	static const char around[] = " \t\r\f^";

	for (char *line = text->buf, *end; *line != '\0'; line = end) {
		size_t len = strcspn(line, "\n");

		end = line + len + (line[len] != '\0');
		line[len] = '\0';
		line += strspn(line, around);
		len = strlen(line);
		while (len > 0 && strchr(around, line[len - 1]) != NULL)
			len--;
		/* Skip echoed commands, and a warning of gnuplot 5.4 in the C
		 * locale about a sign that is not used. */
		if (len == 0 || strncmp(line, "gnuplot>", 8) == 0 ||
		    strstr(line, "iconv failed to convert degree sign") != NULL)
			continue;
		strbuf_addstr(to, to->len > 0 ? "; " : "");
		strbuf_add(to, line, len);
	}
}

int
gnuplot_run(const struct strbuf *script, const struct picture_format *format,
    struct strbuf *picture, int *missing, struct error *e)
{
	char *from_env = getenv("GNUPLOT"), fallback[] = "gnuplot";
	char defaults[] = "-d", option[] = "-e", no_file[] = "OUTPUT=''";
	char from_stdin[] = "-";
	char *argv[] = { from_env != NULL && from_env[0] != '\0' ? from_env
								 : fallback,
		defaults, option, no_file, from_stdin, NULL };
	struct strbuf err = STRBUF_INIT(SIZE_MAX / 4),
		      printed = STRBUF_INIT(MAX_PRINTED);
	const size_t n = strlen(format->magic);
	const char *colon;
	size_t end;
	int status, is_whole;

	/* The length of a PDF's date, and so all offsets in the file, depend on
	 * the time zone. */
	setenv("TZ", "UTC0", 1);
	status = run_program(argv, script, picture, &err, missing, e);
	if (err.len > 0)
		join_lines(&err, &printed);
	colon = printed.len > 0 ? ": " : "";
	/* It starts with the format's magic and has its end mark in the last
	 * bytes. */
	end = picture->len < END_LENGTH ? picture->len : END_LENGTH;
	is_whole = picture->len >= n &&
	    memcmp(picture->buf, format->magic, n) == 0 &&
	    memmem(picture->buf + picture->len - end, end, format->end,
		strlen(format->end)) != NULL;
	if (*missing)
		error_set(e, ERROR_SYSTEM,
		    "cannot find '%s': install gnuplot (on Debian: apt-get "
		    "install gnuplot-nox) or set the environment variable "
		    "GNUPLOT",
		    argv[0]);
	else if (status > 0)
		error_set(e, ERROR_SYSTEM, "%s failed with status %d%s%s",
		    argv[0], status, colon, printed.buf);
	else if (status == 0 && !is_whole)
		error_set(e, ERROR_SYSTEM,
		    "%s wrote an incomplete %s picture%s%s", argv[0],
		    format->name, colon, printed.buf);
	else if (status == 0 && printed.len > 0)
		fprintf(
		    stderr, "plot_results: gnuplot warns: %s\n", printed.buf);
	strbuf_release(&err);
	strbuf_release(&printed);
	return status == 0 && is_whole ? 0 : -1;
}

/* --- fonts ---------------------------------------------------------------- */

enum {
	FIRST_RARE = 0x590, /* all fonts have the characters below */
	MAX_RARE = 256      /* characters checked */
};

/* True if a font matches a fontconfig pattern, or fc-list fails. Empties the
 * pattern. */
static int
any_font(struct strbuf *pattern)
{
	char program[] = "fc-list", what[] = "family";
	char *argv[] = { program, pattern->buf, what, NULL };
	struct strbuf none = STRBUF_INIT(1), out = STRBUF_INIT(SIZE_MAX / 4),
		      err = STRBUF_INIT(SIZE_MAX / 4);
	int missing, has;

	has = run_program(argv, &none, &out, &err, &missing, NULL) != 0 ||
	    out.len > 0;
	strbuf_release(&out);
	strbuf_release(&err);
	strbuf_release(pattern);
	return has;
}

/* Check a font family, as gnuplot_check_fonts. */
static int
check_family(const char *family, struct error *e)
{
	static const char special[] = "\\-:,="; /* of fontconfig patterns */
	static const char *const generic[] = { "sans-serif", "sans", "serif",
		"monospace", "mono" };
	struct strbuf pattern = STRBUF_INIT(4096);

	for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
		if (strcasecmp(family, generic[i]) == 0)
			return 0;
	for (const char *p = family; *p != '\0'; p++) {
		if (strchr(special, *p) != NULL)
			strbuf_addch(&pattern, '\\');
		strbuf_addch(&pattern, *p);
	}
	if (any_font(&pattern))
		return 0;
	return error_set(e, ERROR_SYSTEM,
	    "--font: no font '%s' on this machine, gnuplot would use another; "
	    "'fc-list : family' lists all",
	    family);
}

int
gnuplot_check_fonts(
    const char *family, const struct strbuf *script, struct error *e)
{
	struct strbuf pattern = STRBUF_INIT(8192);
	uint32_t rare[MAX_RARE];
	size_t i, n = 0;

	if (family != NULL && check_family(family, e) != 0)
		return -1;
	/* The distinct rare characters: one font has all of them, or some font
	 * has each. */
	strbuf_addstr(&pattern, ":charset=");
	for (i = 0; i < script->len;) {
		uint32_t cp;
		size_t k = 0;

		i += utf8_decode(script->buf + i, script->len - i, &cp);
		if (cp < FIRST_RARE || cp == 0xfffd || cp == UTF8_INVALID ||
		    (cp >= 0x2000 && cp <= 0x2bff))
			continue;
		while (k < n && rare[k] != cp)
			k++;
		if (k < n || n == MAX_RARE)
			continue;
		strbuf_printf(
		    &pattern, "%s%lx", n > 0 ? " " : "", (unsigned long)cp);
		rare[n++] = cp;
	}
	if (n == 0)
		strbuf_release(&pattern);
	if (n == 0 || any_font(&pattern))
		return 0;
	for (i = 0; i < n; i++) {
		strbuf_printf(&pattern, ":charset=%lx", (unsigned long)rare[i]);
		if (!any_font(&pattern))
			break;
	}
	if (i == n)
		return 0;
	return error_set(e, ERROR_SYSTEM,
	    "no font has the character U+%04lX, gnuplot would draw a black "
	    "box; install a font (on Debian for Chinese: apt-get install "
	    "fonts-wqy-microhei) or write SVG",
	    (unsigned long)rare[i]);
}
