/* Quote texts of results for gnuplot scripts: text from a log must not become a
 * command. */
#include <config.h>

#include "plots/style/quote.h"

#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "common/utf8.h"

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

const char *
quote_tex_string(struct arena *a, const char *text)
{
	struct strbuf tex = STRBUF_INIT(SIZE_MAX / 4);

	quote_tex(&tex, text);
	return quote_string(a, strbuf_finish(&tex, a));
}

const char *
quote_comment(struct arena *a, const char *text)
{
	struct strbuf sb = STRBUF_INIT(SIZE_MAX / 4);

	while (*text != '\0')
		text += quote_char(&sb, text);
	for (size_t i = 0; i < sb.len; i++)
		if (sb.buf[i] == '\\')
			sb.buf[i] = '/';
	return strbuf_finish(&sb, a);
}

/* True if a line must not start with this character. */
static int
is_closing(uint32_t cp)
{
	static const wchar_t closing[] = { 0xff0c, 0x3002, 0xff1b, 0xff1a,
		0x3001, 0xff09, 0xff01, 0xff1f, 0x300b, 0x201d, 0 };

	return cp != 0 && wcschr(closing, (wchar_t)cp) != NULL;
}

/* True if a line may break between two characters: after a blank, and between
 * wide characters (Chinese). 2: preferred, after a comma or semicolon.
 *
 * before, after  adjacent characters; second: the one before before, or 0 */
static int
may_break(uint32_t second, uint32_t before, uint32_t after)
{
	if (before == 0xff0c || before == 0xff1b)
		return is_closing(after) ? 0 : 2;
	if (before == ' ')
		return second == ',' || second == ';' ? 2 : 1;
	if (utf8_char_width(before) == 2 && utf8_char_width(after) == 2)
		return !is_closing(after) && before != 0xff08;
	return 0;
}

/* End of the line that starts at text: all of it if it fits, else the last
 * preferred break in its second half, else the last break, else the character
 * that does not fit. */
static const char *
line_end(const char *text, size_t width)
{
	const char *p = text, *last = NULL, *good = NULL;
	size_t used = 0;
	uint32_t cp, before = 0, second = 0;

	for (; *p != '\0' && *p != '\n'; second = before, before = cp) {
		const size_t len = utf8_decode(p, strnlen(p, 4), &cp);
		const int place = p > text ? may_break(second, before, cp) : 0;

		if (place > 0)
			last = p;
		if (place > 1 && used * 2 > width)
			good = p;
		used += utf8_width(p, len);
		if (used > width && cp != ' ' && p > text)
			return good != NULL ? good : last != NULL ? last : p;
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
