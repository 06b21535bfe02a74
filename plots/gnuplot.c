/* The process of gnuplot. */
#include <config.h>

#include "plots/gnuplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/utf8.h"
#include "common/process.h"

enum { MAX_SAID = 1024 }; /* bytes of gnuplot's stderr that are relayed */

static FILE *
temporary_file(struct error *e)
{
	FILE *f = tmpfile();

	if (f == NULL)
		error_errno(e, errno, "cannot make a temporary file");
	return f;
}

/* A temporary file that holds the text. */
static FILE *
file_of(const struct strbuf *text, struct error *e)
{
	FILE *f = temporary_file(e);

	if (f == NULL)
		return NULL;
	if (fwrite(text->buf, 1, text->len, f) != text->len || fflush(f) != 0) {
		error_errno(e, errno, "cannot write a temporary file");
		fclose(f);
		return NULL;
	}
	return f;
}

/* Echoed commands only repeat the script; and in the C locale gnuplot 5.4
 * complains of a sign that we do not use. */
static int
is_noise(const char *line)
{
	return strncmp(line, "gnuplot>", 8) == 0 ||
	    strstr(line, "iconv failed to convert degree sign") != NULL;
}

/* What a program printed, in one line: lines that are not empty, joined by ";
 * ". NULL if it printed nothing. */
static char *
what_was_printed(FILE *f)
{
	char line[512];
	struct strbuf sb;

	strbuf_init(&sb, MAX_SAID);
	rewind(f);
	while (fgets(line, sizeof line, f) != NULL) {
		char *start = line + strspn(line, " \t\r\n\f^");
		size_t len = strlen(start);

		while (len > 0 && strchr(" \t\r\n", start[len - 1]) != NULL)
			len--;
		if (len == 0 || is_noise(start))
			continue;
		if (sb.len > 0)
			strbuf_addstr(&sb, "; ");
		strbuf_add(&sb, start, len);
	}
	if (sb.len == 0) {
		strbuf_release(&sb);
		return NULL;
	}
	return strbuf_detach(&sb);
}

/* True if the file starts and, but for a few bytes, ends like such a picture.
 */
static int
is_whole(FILE *f, const struct picture_format *format)
{
	char start[16] = "", end[65] = "";
	size_t len;
	long size;

	rewind(f);
	len = fread(start, 1, strlen(format->magic), f);
	if (len < strlen(format->magic) ||
	    memcmp(start, format->magic, len) != 0)
		return 0;
	if (fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0)
		return 0;
	if (fseek(f, size > 64 ? size - 64 : 0, SEEK_SET) != 0)
		return 0;
	len = fread(end, 1, 64, f);
	for (size_t i = 0; i + strlen(format->end) <= len; i++)
		if (memcmp(end + i, format->end, strlen(format->end)) == 0)
			return 1;
	return 0;
}

static int
judge_gnuplot(int status, const char *program,
    const struct picture_format *format, FILE *out, FILE *err, char **warnings,
    struct error *e)
{
	char *printed = what_was_printed(err);

	if (status > 0) {
		error_set(e, ERROR_SYSTEM, "%s failed with status %d%s%s",
		    program, status, printed != NULL ? ": " : "",
		    printed != NULL ? printed : "");
		free(printed);
		return -1;
	}
	if (format != NULL && !is_whole(out, format)) {
		error_set(e, ERROR_SYSTEM, "%s left no whole %s picture%s%s",
		    program, format->name, printed != NULL ? ": " : "",
		    printed != NULL ? printed : "");
		free(printed);
		return -1;
	}
	*warnings = printed;
	rewind(out);
	return 0;
}

/* Run gnuplot in the zone of UTC, or the length of a PDF's date, and with it
 * all offsets in the file, would be the zone's. */
static int
run_in_utc(char *const *argv, FILE *in, FILE *out, FILE *err, int *missing,
    struct error *e)
{
	const char *zone = getenv("TZ");
	char *old = zone != NULL ? xstrdup(zone) : NULL;
	int status;

	setenv("TZ", "UTC0", 1);
	status = process_run(argv, in, out, err, missing, e);
	if (old != NULL)
		setenv("TZ", old, 1);
	else
		unsetenv("TZ");
	free(old);
	return status;
}

int
gnuplot_run(const struct strbuf *script, const struct picture_format *format,
    FILE *out, char **warnings, int *missing, struct error *e)
{
	char *from_env = getenv("GNUPLOT"), fallback[] = "gnuplot";
	char defaults[] = "-d", option[] = "-e", no_file[] = "OUTPUT=''";
	char from_stdin[] = "-";
	char *argv[] = { fallback, defaults, option, no_file, from_stdin,
		NULL };
	FILE *in = file_of(script, e), *err = NULL;
	int status, rc = -1;

	*missing = 0;
	*warnings = NULL;
	if (in == NULL)
		return -1;
	if (from_env != NULL && from_env[0] != '\0')
		argv[0] = from_env;
	err = temporary_file(e);
	if (err == NULL)
		goto out;
	status = run_in_utc(argv, in, out, err, missing, e);
	if (*missing)
		error_set(e, ERROR_SYSTEM,
		    "there is no program '%s': install gnuplot (on Debian: "
		    "apt-get install gnuplot-nox) or name it by the "
		    "environment variable GNUPLOT",
		    argv[0]);
	if (status >= 0)
		rc = judge_gnuplot(
		    status, argv[0], format, out, err, warnings, e);
	fclose(err);
out:
	fclose(in);
	return rc;
}

/* --- fonts ---------------------------------------------------------------- */

enum {
	FIRST_RARE = 0x590, /* every font that we meet has what is before */
	MAX_RARE = 256      /* characters that are asked about */
};

static int
is_rare(uint32_t cp)
{
	return cp >= FIRST_RARE && cp != UTF8_INVALID &&
	    (cp < 0x2000 || cp > 0x2bff);
}

/* The different rare characters of the text.  Returns how many. */
static size_t
rare_characters(const struct strbuf *text, uint32_t rare[MAX_RARE])
{
	size_t n = 0;

	for (size_t i = 0; i < text->len;) {
		uint32_t cp;
		size_t k = 0;

		i += utf8_decode(text->buf + i, text->len - i, &cp);
		if (!is_rare(cp))
			continue;
		while (k < n && rare[k] != cp)
			k++;
		if (k == n && n < MAX_RARE)
			rare[n++] = cp;
	}
	return n;
}

/* 1: there is a font of that pattern of fontconfig's, 0: there is none, -1:
 * fc-list does not answer. */
static int
any_font(char *pattern)
{
	char program[] = "fc-list", what[] = "family";
	char *argv[] = { program, pattern, what, NULL };
	FILE *f[3] = { tmpfile(), tmpfile(), tmpfile() };
	int absent, has = -1;

	if (f[0] != NULL && f[1] != NULL && f[2] != NULL &&
	    process_run(argv, f[0], f[1], f[2], &absent, NULL) == 0) {
		rewind(f[1]);
		has = getc(f[1]) != EOF;
	}
	for (int i = 0; i < 3; i++)
		if (f[i] != NULL)
			fclose(f[i]);
	return has;
}

/* 1: a font has all of them, 0: none has, -1: fc-list does not answer. */
static int
fonts_have(const uint32_t *cps, size_t n)
{
	struct strbuf pattern;
	int has;

	strbuf_init(&pattern, 8192);
	strbuf_addstr(&pattern, ":charset=");
	for (size_t i = 0; i < n; i++)
		strbuf_printf(
		    &pattern, "%s%lx", i > 0 ? " " : "", (unsigned long)cps[i]);
	has = any_font(pattern.buf);
	strbuf_release(&pattern);
	return has;
}

int
gnuplot_check_family(const char *family, struct error *e)
{
	static const char special[] = "\\-:,="; /* of fontconfig's patterns */
	static const char *const generic[] = { "sans-serif", "sans", "serif",
		"monospace", "mono" };
	struct strbuf pattern;
	int has;

	for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
		if (strcasecmp(family, generic[i]) == 0)
			return 0;
	strbuf_init(&pattern, 4096);
	for (const char *p = family; *p != '\0'; p++) {
		if (strchr(special, *p) != NULL)
			strbuf_addch(&pattern, '\\');
		strbuf_addch(&pattern, *p);
	}
	has = any_font(pattern.buf);
	strbuf_release(&pattern);
	if (has != 0)
		return 0;
	return error_set(e, ERROR_SYSTEM,
	    "--font: there is no font '%s' on this machine, another would be "
	    "taken in its place; 'fc-list : family' lists all",
	    family);
}

int
gnuplot_check_fonts(const struct strbuf *script, struct error *e)
{
	uint32_t rare[MAX_RARE];
	size_t n = rare_characters(script, rare);

	if (n == 0 || fonts_have(rare, n) != 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (fonts_have(&rare[i], 1) == 0)
			return error_set(e, ERROR_SYSTEM,
			    "no font has the character U+%04lX, gnuplot would "
			    "draw a black box; install a font (on Debian for "
			    "Chinese: apt-get install fonts-wqy-microhei) or "
			    "write SVG",
			    (unsigned long)rare[i]);
	return 0;
}
