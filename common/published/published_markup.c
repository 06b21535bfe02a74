/* Rendered text of a Markdown or LaTeX cell, without links, tags, emphasis,
 * escapes and footnote references. The functions add the markup at s to out and
 * return the position after it; none reads beyond end. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "common/published/published_parts.h"
#include "common/strbuf.h"

/* A piece of markup and its text. */
struct replacement {
	const char *markup, *text;
};

/* Replace the first piece of the list that s begins with. Returns s if none
 * matches.
 *
 * list  terminated by NULL */
static const char *
read_replacement(struct strbuf *out, const char *s, const char *end,
    const struct replacement *list)
{
	for (; list->markup != NULL; list++)
		if (span_starts(s, end, list->markup)) {
			strbuf_addstr(out, list->text);
			return s + strlen(list->markup);
		}
	return s;
}

/* The text with blanks collapsed and trimmed, no-break and ideographic ones
 * included. Allocated in a. */
static char *
finish_text(struct strbuf *out, struct arena *a)
{
	static const char *const blanks[] = { " ", "\t", "\r", "\n", "\xc2\xa0",
		"\xe3\x80\x80", NULL };
	char *text = arena_alloc(a, out->len + 1), *to = text;

	for (const char *s = out->buf; *s != '\0';) {
		const size_t blank = published_word_at(s, blanks);

		if (blank == 0)
			*to++ = *s;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
		s += blank > 0 ? blank : 1;
	}
	if (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
	strbuf_release(out);
	return text;
}

/* The next c at or after s, or NULL if other or the end comes first. Stopping
 * at other, where the next search may begin, keeps unclosed markup linear. */
static const char *
find_before(const char *s, const char *end, char c, char other)
{
	for (; s < end && *s != other; s++)
		if (*s == c)
			return s;
	return NULL;
}

/* --- Markdown and HTML ---------------------------------------------------- */

/* True for a footnote mark, "[1]", "*", "2", "a", that is not the power of 10
 * before it. */
static int
is_footnote(const char *s, const char *end, const struct strbuf *out)
{
	const char *before = out->buf + out->len;

	if (out->len >= 2 && memcmp(before - 2, "10", 2) == 0 &&
	    (out->len == 2 || !isdigit((unsigned char)before[-3])))
		return 0;
	if (end - s == 1 && isalpha((unsigned char)*s))
		return 1;
	while (s < end && strchr("[]*0123456789, ", *s) != NULL)
		s++;
	return s == end;
}

/* Read a tag: a break is a blank, a footnote mark is dropped, other formatting
 * tags and comments keep their content. Any other "<" is text. */
static const char *
read_tag(struct strbuf *out, const char *s, const char *end)
{
	static const char *const names[] = { "br", "sup", "sub", "strong", "em",
		"span", "div", "font", "code", "small", "center", "del", "img",
		"b", "i", "p", "a", "u", "!", NULL };
	const char *close = find_before(s + 1, end, '>', '<'), *stop;
	const char *name = s + 1 + (s + 1 < end && s[1] == '/');
	const size_t len = close != NULL ? published_word_at(name, names) : 0;

	if (len == 0 || (*name != '!' && isalnum((unsigned char)name[len]))) {
		strbuf_addch(out, *s);
		return s + 1;
	}
	if (span_starts(s, end, "<br") || span_starts(s, end, "<p>"))
		strbuf_addch(out, ' ');
	if (span_starts(s, end, "<sup>")) {
		stop = find_before(close + 1, end, '<', '\0');
		if (stop != NULL && is_footnote(close + 1, stop, out))
			return stop;
		strbuf_addch(out, '^');
	}
	return close + 1;
}

/* The "]" of a link, "[text](address)", whose text begins at s, without '[' and
 * escapes; NULL for other text.
 *
 * stop  set to the end of the address */
static const char *
find_link(const char *s, const char *end, const char **stop)
{
	const char *text_end;
	int depth = 0;

	while (s < end && strchr("[]\\", *s) == NULL)
		s++;
	text_end = s;
	if (!span_starts(s, end, "]("))
		return NULL;
	for (s++; s < end && (depth == 0 || !span_starts(s, end, "](")); s++) {
		depth += (*s == '(') - (*s == ')');
		if (depth == 0) {
			*stop = s + 1;
			return text_end;
		}
	}
	return NULL;
}

/* Read an escape, math, tag, emphasis, image, entity or character. A single '*'
 * or '_' is emphasis only around the whole cell: not in "node_num" and "4*1".
 */
static const char *
read_inline(struct strbuf *out, struct arena *a, const char *s, const char *end)
{
	static const struct replacement list[] = { { "**", "" }, { "__", "" },
		{ "~~", "" }, { "`", "" }, { "&nbsp;", " " }, { "&amp;", "&" },
		{ "&lt;", "<" }, { "&gt;", ">" }, { "&times;", "x" },
		{ "&#124;", "|" }, { NULL, NULL } };
	const char *next, *stop;

	if (*s == '\\' && s + 1 < end && ispunct((unsigned char)s[1])) {
		strbuf_addch(out, s[1]);
		return s + 2;
	}
	if (*s == '<')
		return read_tag(out, s, end);
	/* "$7.6\\times$" is LaTeX. */
	next = *s == '$' ? find_before(s + 1, end, '$', '\0') : NULL;
	if (next != NULL) {
		strbuf_addstr(out, published_plain_latex(a, s + 1, next));
		return next + 1;
	}
	if (span_starts(s, end, "![") && find_link(s + 2, end, &stop) != NULL)
		return stop;
	next = read_replacement(out, s, end, list);
	if (next == s)
		strbuf_addch(out, *next++);
	return next;
}

const char *
published_plain(struct arena *a, const char *s, const char *end)
{
	const char *link = NULL, *link_stop = NULL, *found, *stop;
	struct strbuf out;

	strbuf_init(&out, (size_t)(end - s) + 1);
	if (end - s > 2 && (s[0] == '*' || s[0] == '_') && end[-1] == s[0] &&
	    s[1] != s[0]) {
		s++;
		end--;
	}
	while (s < end) {
		if (s == link) {
			s = link_stop;
		} else if (*s == '[' &&
		    (found = find_link(s + 1, end, &stop)) != NULL) {
			link = found;
			link_stop = stop;
			s++;
		} else {
			s = read_inline(&out, a, s, end);
		}
	}
	return finish_text(&out, a);
}

/* --- LaTeX ---------------------------------------------------------------- */

const char *
latex_skip_group(const char *s, const char *end)
{
	int depth = 0;

	if (s >= end || *s != '{')
		return s;
	for (; s < end; s++) {
		if (*s == '\\' && s + 1 < end) {
			s++;
			continue;
		}
		depth += (*s == '{') - (*s == '}');
		if (depth == 0)
			return s + 1;
	}
	return end;
}

const char *
latex_skip_option(const char *s, const char *end)
{
	if (s < end && *s == '[')
		while (s < end && *s++ != ']')
			;
	return s;
}

/* Commands with their own text, or with arguments that are not text. Others
 * keep the text of their arguments. */
static const struct {
	const char *name, *text;
	int arguments; /* dropped, with options */
} commands[] = { { "times", "x", 0 }, { "pm", "±", 0 }, { "dagger", "†", 0 },
	{ "ddagger", "‡", 0 }, { "ast", "*", 0 }, { "approx", "~", 0 },
	{ "sim", "~", 0 }, { "footnotemark", "", 0 }, { "rotatebox", "", 1 },
	{ "color", "", 1 }, { "textcolor", "", 1 }, { "cellcolor", "", 1 },
	{ "rowcolor", "", 1 }, { "colorbox", "", 1 }, { "hspace", "", 1 },
	{ "phantom", "", 1 }, { "hphantom", "", 1 }, { "vphantom", "", 1 },
	{ "vspace", "", 1 }, { "footnote", "", 1 }, { "tnote", "", 1 },
	{ "textsuperscript", "", 1 }, { "cite", "", 1 }, { "citep", "", 1 },
	{ "label", "", 1 }, { "ref", "", 1 }, { "multirow", "", 2 } };

/* The command after a backslash: "\times" is a word, "\%" a character,
 * "\textbf{...}" keeps its content. */
static const char *
read_command(struct strbuf *out, const char *s, const char *end)
{
	const char *name = s;
	size_t len;

	/* "390\,000" */
	if (s + 1 < end && *s == ',' && out->len > 0 &&
	    isdigit((unsigned char)out->buf[out->len - 1]) &&
	    isdigit((unsigned char)s[1])) {
		strbuf_addch(out, ',');
		return s + 1;
	}
	while (s < end && isalpha((unsigned char)*s))
		s++;
	len = (size_t)(s - name);
	if (len == 0 && s < end) {
		strbuf_addch(out, strchr(",;:! \\", *s) != NULL ? ' ' : *s);
		return s + 1;
	}
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (strlen(commands[i].name) == len &&
		    memcmp(commands[i].name, name, len) == 0) {
			strbuf_addstr(out, commands[i].text);
			s = latex_skip_option(s, end);
			for (int k = 0; k < commands[i].arguments; k++)
				s = latex_skip_option(
				    latex_skip_group(s, end), end);
			break;
		}
	return s;
}

const char *
published_plain_latex(struct arena *a, const char *s, const char *end)
{
	static const struct replacement list[] = { { "~", " " }, { "{,}", "," },
		{ "{", "" }, { "}", "" }, { "$", "" }, { NULL, NULL } };
	struct strbuf out;
	const char *next;

	strbuf_init(&out, (size_t)(end - s) + 1);
	for (; s < end; s = next)
		if (*s == '\\') {
			next = read_command(&out, s + 1, end);
		} else {
			next = read_replacement(&out, s, end, list);
			if (next == s)
				strbuf_addch(&out, *next++);
		}
	return finish_text(&out, a);
}
