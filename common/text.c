#include <config.h>

#include "common/text.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

int
parse_long(const char *text, long min, long max, long *out)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0 || v < min || v > max ||
	    isspace((unsigned char)text[0]))
		return -1;
	*out = v;
	return 0;
}

int
parse_double(const char *text, double min, double max, double *out)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end != '\0' || !isfinite(v) || v < min || v > max ||
	    isspace((unsigned char)text[0]))
		return -1;
	*out = v;
	return 0;
}

/* --- lines ---------------------------------------------------------------- */

struct text_span
text_line(const char *s, const char *end)
{
	const char *nl = s < end ? memchr(s, '\n', (size_t)(end - s)) : NULL;

	nl = nl != NULL ? nl : end;
	return (struct text_span){ s, nl > s && nl[-1] == '\r' ? nl - 1 : nl };
}

struct text_span
text_line_after(struct text_span l, const char *end)
{
	const char *nl =
	    l.end < end ? memchr(l.end, '\n', (size_t)(end - l.end)) : NULL;

	return text_line(nl != NULL ? nl + 1 : end, end);
}

struct text_span
span_trim(struct text_span l)
{
	while (l.s < l.end && (*l.s == ' ' || *l.s == '\t'))
		l.s++;
	while (l.end > l.s && (l.end[-1] == ' ' || l.end[-1] == '\t'))
		l.end--;
	return l;
}

char *
span_copy(struct arena *a, struct text_span l)
{
	return arena_strndup(a, l.s, (size_t)(l.end - l.s));
}

char
text_separator(struct text_span l, const char *marks)
{
	char best = *marks;
	size_t most = 0;

	for (const char *mark = marks; *mark != '\0'; mark++) {
		size_t n = 0;

		for (const char *s = l.s; s < l.end; s++)
			n += *s == *mark;
		if (n > most) {
			most = n;
			best = *mark;
		}
	}
	return best;
}

const char *
text_csv_cell(const char *s, const char *end, char separator, struct strbuf *sb)
{
	int quoted;

	while (s < end && *s == ' ')
		s++;
	quoted = s < end && *s == '"';
	for (s += quoted; s < end; s++) {
		if (quoted && *s == '"') {
			quoted = s + 1 < end && s[1] == '"';
			s += quoted;
			if (!quoted)
				continue;
		} else if (!quoted && (*s == separator || *s == '\n')) {
			break;
		}
		if (quoted || *s != '\r')
			strbuf_addch(sb, *s);
	}
	return s;
}

/* --- UTF-8 ---------------------------------------------------------------- */

/* First and last code point of a range of characters whose width is not 1.
 * Whole blocks, including unassigned code points. */
struct width_range {
	uint32_t from, to;
	int width;
};

static const struct width_range widths[] = {
	{ 0x0000, 0x001f, 0 },                        /* controls */
	{ 0x007f, 0x009f, 0 }, { 0x00ad, 0x00ad, 0 }, /* soft hyphen */
	{ 0x0300, 0x036f, 0 }, /* combining diacritical marks */
	{ 0x1100, 0x115f, 2 }, /* Hangul initial letters */
	{ 0x1160, 0x11ff, 0 }, /* Hangul medial and final letters */
	{ 0x1ab0, 0x1aff, 0 }, /* combining marks extended */
	{ 0x200b, 0x200f, 0 }, /* zero width space to direction marks */
	{ 0x202a, 0x202e, 0 }, { 0x2060, 0x206f, 0 },
	{ 0x20d0, 0x20ff, 0 }, /* combining marks for symbols */
	{ 0x2e80, 0x3029, 2 }, /* CJK radicals to CJK punctuation */
	{ 0x302a, 0x302d, 0 }, /* ideographic tone marks */
	{ 0x302e, 0x303e, 2 }, { 0x3041, 0x3098, 2 },
	{ 0x3099, 0x309a, 0 }, /* kana voiced marks */
	{ 0x309b, 0xa4cf, 2 }, /* kana, CJK, Yi */
	{ 0xa960, 0xa97f, 2 }, /* Hangul extended A */
	{ 0xac00, 0xd7a3, 2 }, /* Hangul syllables */
	{ 0xf900, 0xfaff, 2 }, /* CJK compatibility ideographs */
	{ 0xfe00, 0xfe0f, 0 }, /* variation selectors */
	{ 0xfe10, 0xfe19, 2 }, /* vertical forms */
	{ 0xfe20, 0xfe2f, 0 }, /* combining half marks */
	{ 0xfe30, 0xfe6f, 2 }, /* compatibility and small forms */
	{ 0xfeff, 0xfeff, 0 }, /* byte order mark */
	{ 0xff01, 0xff60, 2 }, /* full-width forms */
	{ 0xffe0, 0xffe6, 2 },
	{ 0x16fe0, 0x1b2ff, 2 }, /* Tangut, Khitan, kana, Nushu */
	{ 0x1f200, 0x1f64f, 2 }, /* enclosed ideographs, emoji */
	{ 0x1f680, 0x1f6ff, 2 }, { 0x1f90c, 0x1faff, 2 },
	{ 0x20000, 0x3fffd, 2 }, /* CJK extensions */
	{ 0xe0001, 0xe01ef, 0 }, /* tags, variation selectors */
};

size_t
utf8_decode(const char *s, size_t len, uint32_t *cp)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned lowest = 0x80, highest = 0xbf; /* range of the second byte */
	size_t need;
	uint32_t c;

	assert(len > 0);
	c = u[0];
	*cp = c;
	if (c < 0x80)
		return 1;
	*cp = UTF8_INVALID;
	if (c < 0xc2 || c > 0xf4)
		return 1;
	need = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	/* Unicode 15, table 3-7: no overlong forms, no surrogates, nothing
	 * above U+10FFFF. */
	if (c == 0xe0)
		lowest = 0xa0;
	else if (c == 0xed)
		highest = 0x9f;
	else if (c == 0xf0)
		lowest = 0x90;
	else if (c == 0xf4)
		highest = 0x8f;
	c &= 0x7fu >> need;
	for (size_t i = 1; i < need; i++) {
		if (i >= len || u[i] < lowest || u[i] > highest)
			return i;
		c = c << 6 | (u[i] & 0x3f);
		lowest = 0x80;
		highest = 0xbf;
	}
	*cp = c;
	return need;
}

int
utf8_valid(const char *s, size_t len)
{
	size_t i = 0;
	uint32_t cp;

	while (i < len) {
		i += utf8_decode(s + i, len - i, &cp);
		if (cp == UTF8_INVALID)
			return 0;
	}
	return 1;
}

/* Order of a code point and a range, for bsearch. */
static int
range_order(const void *cp, const void *range)
{
	const uint32_t c = *(const uint32_t *)cp;
	const struct width_range *r = range;

	return (c > r->to) - (c < r->from);
}

int
utf8_is_control(uint32_t cp)
{
	return cp == UTF8_INVALID || cp < 0x20 || (cp >= 0x7f && cp < 0xa0) ||
	    cp == 0x61c || cp == 0x200e || cp == 0x200f ||
	    (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069);
}

int
utf8_char_width(uint32_t cp)
{
	const struct width_range *r = NULL;

	if (cp < 0x20 || cp >= 0x7f)
		r = bsearch(&cp, widths, sizeof widths / sizeof widths[0],
		    sizeof widths[0], range_order);
	return r != NULL ? r->width : 1;
}

size_t
utf8_width(const char *s, size_t len)
{
	size_t i = 0, width = 0;
	uint32_t cp;

	while (i < len) {
		i += utf8_decode(s + i, len - i, &cp);
		width += (size_t)utf8_char_width(cp);
	}
	return width;
}

size_t
utf8_columns(const char *text)
{
	size_t widest = 0;

	while (*text != '\0') {
		const size_t len = strcspn(text, "\n");
		const size_t width = utf8_width(text, len);

		widest = width > widest ? width : widest;
		text += len + (text[len] == '\n');
	}
	return widest;
}
