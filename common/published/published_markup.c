/* Rendered text of a Markdown or LaTeX cell, without links, tags, emphasis,
 * escapes and footnote references. */
#include <config.h>

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"
#include "common/strbuf.h"

/* Unread input [at, end) and the text so far. */
struct markup {
	const char *at, *end;
	struct strbuf out;
};

/* A piece of markup and its text. */
struct replacement {
	const char *markup, *text;
};

static int
markup_starts(const struct markup *m, const char *word)
{
	const size_t n = strlen(word);

	return (size_t)(m->end - m->at) >= n &&
	    strncasecmp(m->at, word, n) == 0;
}

/* Replace the first of the n pieces that matches here. Returns 1, or 0 if none
 * does. */
static int
read_replacement(struct markup *m, const struct replacement *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (markup_starts(m, list[i].markup)) {
			strbuf_addstr(&m->out, list[i].text);
			m->at += strlen(list[i].markup);
			return 1;
		}
	return 0;
}

/* Length of a blank here, including no-break and ideographic ones, or 0. */
static size_t
blank_at(const char *s)
{
	if (strncmp(s, "\xc2\xa0", 2) == 0)
		return 2;
	if (strncmp(s, "\xe3\x80\x80", 3) == 0)
		return 3;
	return *s != '\0' && strchr(" \t\r\n", *s) != NULL;
}

/* The text with blanks collapsed and trimmed. Allocated in a. */
static char *
finish_text(struct markup *m, struct arena *a)
{
	char *text = arena_alloc(a, m->out.len + 1), *to = text;

	for (const char *s = m->out.buf; *s != '\0';) {
		const size_t blank = blank_at(s);

		if (blank == 0)
			*to++ = *s;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
		s += blank > 0 ? blank : 1;
	}
	if (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
	strbuf_release(&m->out);
	return text;
}

/* --- Markdown and HTML ---------------------------------------------------- */

/* True for a footnote mark: "[1]", "*", "2", "a". */
static int
is_footnote(const char *s, const char *end)
{
	if (end - s == 1 && isalpha((unsigned char)*s))
		return 1;
	for (; s < end; s++)
		if (strchr("[]*0123456789, ", *s) == NULL)
			return 0;
	return 1;
}

/* True for the contents of a formatting tag or a comment.  Any other "<...>" is
 * text. */
static int
is_tag(const char *s, const char *end)
{
	static const char *const names[] = { "br", "sup", "sub", "b", "strong",
		"i", "em", "p", "a", "span", "div", "font", "code", "small",
		"center", "u", "del", "img" };
	size_t len = 0;

	if (*s == '!')
		return 1;
	s += *s == '/';
	while (s + len < end && isalnum((unsigned char)s[len]))
		len++;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strlen(names[i]) == len &&
		    strncasecmp(s, names[i], len) == 0)
			return 1;
	return 0;
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

/* True if the text so far ends with 10, so that "<sup>3</sup>" is its power. */
static int
ends_in_ten(const struct markup *m)
{
	const size_t n = m->out.len;

	return n >= 2 && memcmp(m->out.buf + n - 2, "10", 2) == 0 &&
	    (n == 2 || !isdigit((unsigned char)m->out.buf[n - 3]));
}

/* Read a tag: a break is a blank, a footnote mark is dropped, other tags keep
 * their content. */
static void
read_tag(struct markup *m)
{
	const char *close = find_before(m->at + 1, m->end, '>', '<');

	if (close == NULL || !is_tag(m->at + 1, close)) {
		strbuf_addch(&m->out, *m->at++);
		return;
	}
	if (markup_starts(m, "<br") || markup_starts(m, "<p>"))
		strbuf_addch(&m->out, ' ');
	if (markup_starts(m, "<sup>")) {
		const char *stop = find_before(close + 1, m->end, '<', '\0');

		if (stop != NULL && is_footnote(close + 1, stop) &&
		    !ends_in_ten(m)) {
			m->at = stop;
			return;
		}
		strbuf_addch(&m->out, '^');
	}
	m->at = close + 1;
}

/* The "](" that ends the text of a link whose '[' is at s; NULL if another '['
 * or an escape precedes it. */
static const char *
link_text_end(const char *s, const char *end)
{
	for (s++; s + 1 < end && *s != '[' && *s != '\\'; s++)
		if (*s == ']')
			return s[1] == '(' ? s : NULL;
	return NULL;
}

/* The end of the address whose "](" is at s; NULL if it does not end before the
 * next "](". */
static const char *
address_end(const char *s, const char *end)
{
	int depth = 0;

	for (s++; s < end; s++) {
		depth += (*s == '(') - (*s == ')');
		if (depth == 0)
			return s + 1;
		if (*s == ']' && s + 1 < end && s[1] == '(')
			return NULL;
	}
	return NULL;
}

/* "![alt](address)" is an image and is dropped. */
static int
read_picture(struct markup *m)
{
	const char *text =
	    markup_starts(m, "![") ? link_text_end(m->at + 1, m->end) : NULL;
	const char *stop = text != NULL ? address_end(text, m->end) : NULL;

	if (stop != NULL)
		m->at = stop;
	return stop != NULL;
}

/* "$7.6\\times$" is LaTeX. */
static int
read_math(struct markup *m, struct arena *a)
{
	const char *stop =
	    *m->at == '$' ? find_before(m->at + 1, m->end, '$', '\0') : NULL;

	if (stop == NULL)
		return 0;
	strbuf_addstr(&m->out,
	    published_plain_latex(a, m->at + 1, (size_t)(stop - m->at - 1)));
	m->at = stop + 1;
	return 1;
}

/* Read an inline element: escape, math, tag, emphasis, image, entity or a
 * character. A single '*' or '_' is emphasis only around the whole cell: not in
 * "node_num" and "4*1". */
static void
read_inline(struct markup *m, struct arena *a)
{
	static const struct replacement list[] = { { "**", "" }, { "__", "" },
		{ "~~", "" }, { "`", "" }, { "&nbsp;", " " }, { "&amp;", "&" },
		{ "&lt;", "<" }, { "&gt;", ">" }, { "&times;", "x" },
		{ "&#124;", "|" } };

	if (*m->at == '\\' && m->at + 1 < m->end &&
	    ispunct((unsigned char)m->at[1])) {
		strbuf_addch(&m->out, m->at[1]);
		m->at += 2;
	} else if (*m->at == '<') {
		read_tag(m);
	} else if (!read_math(m, a) &&
	    !read_replacement(m, list, sizeof list / sizeof list[0]) &&
	    !read_picture(m)) {
		strbuf_addch(&m->out, *m->at++);
	}
}

const char *
published_plain(struct arena *a, const char *s, size_t len)
{
	struct markup m = { s, s + len, { 0 } };
	size_t open = 0; /* links whose address is still to be read */

	if (len > 2 && (s[0] == '*' || s[0] == '_') && s[len - 1] == s[0] &&
	    s[1] != s[0]) {
		m.at++;
		m.end--;
	}
	strbuf_init(&m.out, len + 1);
	while (m.at < m.end) {
		const char *stop = open > 0 && markup_starts(&m, "](")
		    ? address_end(m.at, m.end)
		    : NULL;

		if (stop != NULL) {
			open--;
			m.at = stop;
		} else if (*m.at == '[' && link_text_end(m.at, m.end) != NULL) {
			open++;
			m.at++;
		} else {
			read_inline(&m, a);
		}
	}
	return finish_text(&m, a);
}

/* --- LaTeX ---------------------------------------------------------------- */

/* Skip an option in brackets and n arguments in braces. */
static void
skip_arguments(struct markup *m, int n)
{
	while (m->at < m->end && ((n > 0 && *m->at == '{') || *m->at == '[')) {
		const char open = *m->at, close = open == '[' ? ']' : '}';
		int depth = 0;

		n -= open == '{';
		for (; m->at < m->end; m->at++) {
			depth += (*m->at == open) - (*m->at == close);
			if (depth == 0)
				break;
		}
		m->at += m->at < m->end;
	}
}

/* Add the text of the command named by len bytes at name, and skip its
 * arguments that are not text. */
static void
read_named_command(struct markup *m, const char *name, size_t len)
{
	static const struct replacement texts[] = { { "times", "x" },
		{ "pm", "±" }, { "dagger", "†" }, { "ddagger", "‡" },
		{ "ast", "*" }, { "approx", "~" }, { "sim", "~" },
		{ "footnotemark", "" } };
	static const char *const dropped[] = { "rotatebox", "color",
		"textcolor", "cellcolor", "rowcolor", "colorbox", "hspace",
		"phantom", "hphantom", "vphantom", "vspace", "footnote",
		"tnote", "textsuperscript", "cite", "citep", "label", "ref" };

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (strlen(texts[i].markup) == len &&
		    memcmp(texts[i].markup, name, len) == 0) {
			strbuf_addstr(&m->out, texts[i].text);
			skip_arguments(m, 0);
		}
	for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++)
		if (strlen(dropped[i]) == len &&
		    memcmp(dropped[i], name, len) == 0)
			skip_arguments(m, 1);
	if (len == 8 && memcmp(name, "multirow", 8) == 0)
		skip_arguments(m, 2);
}

/* The command after a backslash: "\times" is a word, "\%" a character,
 * "\textbf{...}" keeps its content. */
static void
read_command(struct markup *m)
{
	const char *name = ++m->at;

	if (m->at == m->end)
		return;
	/* "390\,000" */
	if (*m->at == ',' && m->out.len > 0 && m->at + 1 < m->end &&
	    isdigit((unsigned char)m->out.buf[m->out.len - 1]) &&
	    isdigit((unsigned char)m->at[1])) {
		strbuf_addch(&m->out, *m->at++);
		return;
	}
	if (!isalpha((unsigned char)*m->at)) {
		strbuf_addch(&m->out, strchr(",;:! \\", *m->at) ? ' ' : *m->at);
		m->at++;
		return;
	}
	while (m->at < m->end && isalpha((unsigned char)*m->at))
		m->at++;
	read_named_command(m, name, (size_t)(m->at - name));
}

const char *
published_plain_latex(struct arena *a, const char *s, size_t len)
{
	static const struct replacement list[] = { { "~", " " }, { "{,}", "," },
		{ "{", "" }, { "}", "" }, { "$", "" } };
	struct markup m = { s, s + len, { 0 } };

	strbuf_init(&m.out, len + 1);
	while (m.at < m.end) {
		if (*m.at == '\\')
			read_command(&m);
		else if (!read_replacement(
			     &m, list, sizeof list / sizeof list[0]))
			strbuf_addch(&m.out, *m.at++);
	}
	return finish_text(&m, a);
}
