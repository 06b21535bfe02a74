/* Tables for --palette, --theme and --format, and texts of pictures. */
#include <config.h>

#include "plots/style/picture_style.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "common/text.h"

/* Okabe and Ito 2008: distinguishable by colour-blind readers; without their
 * yellow, too light for lines. viridis: van der Walt and Smith 2015, without
 * its lightest end. */
const struct palette palettes[] = {
	{ "okabe-ito", 7, 0,
	    { "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9",
		"#000000" } },
	{ "viridis", 7, 10,
	    { "#440154", "#482878", "#3E4989", "#31688E", "#26828E", "#1F9E89",
		"#35B779", "#6ECE58", "#B5DE2B", "#FDE725" } },
	{ "grey", 4, 6,
	    { "#000000", "#484848", "#7C7C7C", "#A4A4A4", "#C8C8C8",
		"#F4F4F4" } },
	{ .name = NULL },
};

const struct theme themes[] = {
	{ "light", "#ffffff", "#404040", "#e4e4e4", "#707070", "#000000", 1,
	    0 },
	{ "dark", "#1b1e23", "#d8d8d8", "#3a3f47", "#a0a0a0", "#f4f4f4", 1, 1 },
	{ "print", "#ffffff", "#000000", "#f0f0f0", "#404040", "#000000", 1.4,
	    0 },
	{ .name = NULL },
};

const char *const palette_names[] = { "okabe-ito", "viridis", "grey", NULL };
const char *const theme_names[] = { "light", "dark", "print", NULL };

const struct palette *
palette_find(const char *name)
{
	for (const struct palette *p = palettes; name && p->name; p++)
		if (strcmp(p->name, name) == 0)
			return p;
	return &palettes[0];
}

const struct theme *
theme_find(const char *name)
{
	for (const struct theme *t = themes; name && t->name; t++)
		if (strcmp(t->name, name) == 0)
			return t;
	return &themes[0];
}

struct series_style
series_style_of(const struct palette *p, const struct theme *t, int colour,
    int n_colours, int mark, int dash)
{
	/* Filled shapes first: circle, square, triangles, diamond, pentagon;
	 * then the open ones. */
	static const int marks[] = { 7, 5, 9, 13, 11, 15, 6, 4, 8, 12, 10, 14 };
	const int n_marks = (int)(sizeof marks / sizeof *marks);
	/* The darkest of many shades are illegible on a dark background. */
	const int n = p->n - 2 * (t->is_dark && p->ordered > p->n + 2);
	int i = colour % n;
	struct series_style s;

	if (p->ordered > 0 && n_colours > 1 && n_colours < n)
		i = colour * (n - 1) / (n_colours - 1);
	if (p->ordered > 0 && t->is_dark)
		i = p->ordered - 1 - i;
	s.colour = p->colours[i];
	if (p->ordered == 0 && strcmp(s.colour, "#000000") == 0)
		s.colour = t->instead_of_black;
	if (t->is_dark && strcmp(s.colour, "#0072B2") == 0)
		s.colour = "#3D9BE0";
	s.mark = marks[mark % n_marks];
	s.dash = (dash >= 0 ? dash : colour / n) % STYLE_N_DASHES + 1;
	return s;
}

const char *
series_shade(const char *colour, const struct theme *t, int which,
    char shade[SERIES_SHADE_SIZE])
{
	static const double mixes[] = { 0, 0.4, 0.65, 0.82 };
	const double share = mixes[which % (int)(sizeof mixes / sizeof *mixes)];
	const unsigned long own = strtoul(colour + 1, NULL, 16);
	const unsigned long other = strtoul(t->background + 1, NULL, 16);
	unsigned long mixed = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		const double x = (double)(own >> shift & 0xff),
			     y = (double)(other >> shift & 0xff);

		mixed |= (unsigned long)(x + share * (y - x) + 0.5) << shift;
	}
	snprintf(shade, SERIES_SHADE_SIZE, "#%06lX", mixed);
	return shade;
}

/* --- texts ---------------------------------------------------------------- */

size_t
quote_char(struct strbuf *sb, const char *text)
{
	uint32_t cp;
	size_t len = utf8_decode(text, strnlen(text, 4), &cp);

	if (cp == UTF8_INVALID)
		strbuf_addstr(sb, "\xef\xbf\xbd");
	else if (utf8_is_control(cp) || cp == 0xfffe || cp == 0xffff)
		strbuf_addch(sb, ' ');
	else
		strbuf_add(sb, text, len);
	return len;
}

/* Quotes become a variable: gnuplot accepts '' for a quote inside a string, but
 * not at its start and not twice, and its search for @macros counts quotes
 * inside double quotes. "]]>" is split: it is illegal in XML, and gnuplot's SVG
 * terminal does not escape ">". */
const char *
quote_string(struct arena *a, const char *text)
{
	struct strbuf sb = STRBUF_INIT(SIZE_MAX / 4);

	strbuf_addch(&sb, '\'');
	while (*text != '\0') {
		if (*text == '\n') {
			strbuf_addstr(&sb, "'.\"\\n\".'");
			text++;
		} else if (*text == '\'') {
			strbuf_addstr(&sb, "'." QUOTE_NAME ".'");
			text++;
		} else if (strncmp(text, "]]>", 3) == 0) {
			strbuf_addstr(&sb, "]] >");
			text += 3;
		} else {
			text += quote_char(&sb, text);
		}
	}
	strbuf_addch(&sb, '\'');
	return strbuf_finish(&sb, a);
}

void
quote_tex(struct strbuf *sb, const char *text)
{
	static const char special[] = "%_#&${}~^\\<>|\"";
	static const char *const tex[] = { "\\%", "\\_", "\\#", "\\&", "\\$",
		"\\{", "\\}", "\\textasciitilde{}", "\\textasciicircum{}",
		"\\textbackslash{}", "\\textless{}", "\\textgreater{}",
		"\\textbar{}", "\\textquotedbl{}" };

	for (; *text != '\0'; text++) {
		const char *at = strchr(special, *text);

		if (at != NULL)
			strbuf_addstr(sb, tex[at - special]);
		else
			strbuf_addch(sb, *text);
	}
}

const struct picture_format picture_formats[] = {
	{ "svg", "<?xml", "</svg>", ",16", ",11.5", "0.65", NULL, 0 },
	{ "png", "\x89PNG", "IEND", ",12", ",8.5", "0.9", NULL, 0 },
	{ "pdf", "%PDF", "%%EOF", ",12", ",8.5", "0.6",
	    "/CreationDate (D:", 1 },
	{ "eps", "%!PS", "%%EOF", ",12", ",8.5", "0.6", "%%CreationDate: ", 1 },
	{ "tex", "\\document", "\\end{document}", "\\sffamily\\large",
	    "\\sffamily\\scriptsize", "0.8", "%% generated with", 1 },
	{ .name = NULL },
};

/* True if a line may break between two characters: after a blank, and between
 * wide characters (Chinese), but not before a closing mark. */
static int
may_break(uint32_t before, uint32_t after)
{
	static const wchar_t closing[] = { 0xff0c, 0x3002, 0xff1b, 0xff1a,
		0x3001, 0xff09, 0xff01, 0xff1f, 0x300b, 0x201d, 0 };

	return before == ' ' ||
	    (utf8_char_width(before) == 2 && utf8_char_width(after) == 2 &&
		wcschr(closing, (wchar_t)after) == NULL);
}

/* End of the line that starts at text: all of it if it fits, else the last
 * break, else the character that does not fit. */
static const char *
line_end(const char *text, size_t width)
{
	const char *p = text, *last = NULL;
	size_t used = 0;
	uint32_t cp, before = 0;

	for (; *p != '\0' && *p != '\n'; before = cp) {
		const size_t len = utf8_decode(p, strnlen(p, 4), &cp);

		if (p > text && may_break(before, cp))
			last = p;
		used += utf8_width(p, len);
		if (used > width && cp != ' ' && p > text)
			return last != NULL ? last : p;
		p += len;
	}
	return p;
}

const char *
quote_wrap(struct arena *a, const char *text, size_t width)
{
	struct strbuf sb = STRBUF_INIT(SIZE_MAX / 4);

	while (*text != '\0') {
		const char *end = line_end(text, width), *stop = end;

		while (stop > text && stop[-1] == ' ')
			stop--;
		strbuf_add(&sb, text, (size_t)(stop - text));
		if (*end != '\0')
			strbuf_addch(&sb, '\n');
		text = *end == '\n' ? end + 1 : end;
	}
	return strbuf_finish(&sb, a);
}

int
quote_count_lines(const char *text)
{
	int n = text[0] != '\0';

	for (; *text != '\0'; text++)
		n += *text == '\n';
	return n;
}
