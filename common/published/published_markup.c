/* What a cell of Markdown or LaTeX states when it is rendered: without links,
 * tags, emphasis, escapes and references to footnotes. */
#include <config.h>

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"
#include "common/strbuf.h"

/* What is read: [at, end). */
struct markup {
	const char *at, *end;
	struct strbuf out;
};

static int
markup_starts(const struct markup *m, const char *word)
{
	const size_t n = strlen(word);

	return (size_t)(m->end - m->at) >= n && memcmp(m->at, word, n) == 0;
}

/* As starts, in any case of ASCII letters. */
static int
starts_fold(const struct markup *m, const char *word)
{
	for (size_t i = 0; word[i] != '\0'; i++)
		if (m->at + i >= m->end ||
		    tolower((unsigned char)m->at[i]) != word[i])
			return 0;
	return 1;
}

/* The first c from at on, or NULL. */
static const char *
find_character(const char *at, const char *end, char c)
{
	return at < end ? memchr(at, c, (size_t)(end - at)) : NULL;
}

/* Bytes of a no-break or an ideographic space here, or 0. */
static size_t
wide_blank(const char *s)
{
	if (strncmp(s, "\xc2\xa0", 2) == 0)
		return 2;
	return strncmp(s, "\xe3\x80\x80", 3) == 0 ? 3 : 0;
}

static char *
finish_text(struct markup *m, struct arena *a)
{
	const char *s = m->out.buf;
	size_t len = m->out.len, n = 0;
	char *to = arena_alloc(a, len + 1);

	/* Blanks become one, and none at the ends. */
	for (size_t i = 0; i < len; i++) {
		const size_t wide = wide_blank(s + i);
		const int blank = wide > 0 || strchr(" \t\r\n", s[i]) != NULL;

		i += wide > 0 ? wide - 1 : 0;
		if (!blank)
			to[n++] = s[i];
		else if (n > 0 && to[n - 1] != ' ')
			to[n++] = ' ';
	}
	if (n > 0 && to[n - 1] == ' ')
		n--;
	to[n] = '\0';
	strbuf_release(&m->out);
	return to;
}

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

/* True for the inside of a formatting tag or a comment.  Any other "<...>" is
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

/* Where what begins at "<" ends: at a '>' before any other '<', or NULL.  Each
 * of these searches ends where the next could begin, so that a text of nothing
 * but beginnings is read in one go. */
static const char *
tag_end(const char *s, const char *end)
{
	for (s++; s < end && *s != '<'; s++)
		if (*s == '>')
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

/* A tag: a break is a blank, a footnote's mark is nothing, of all others the
 * content stays. */
static void
read_tag(struct markup *m)
{
	const char *close = tag_end(m->at, m->end);

	if (close == NULL || !is_tag(m->at + 1, close)) {
		strbuf_addch(&m->out, *m->at++);
		return;
	}
	if (starts_fold(m, "<br") || starts_fold(m, "<p>"))
		strbuf_addch(&m->out, ' ');
	if (starts_fold(m, "<sup>")) {
		const char *stop = find_character(close + 1, m->end, '<');

		if (stop != NULL && is_footnote(close + 1, stop) &&
		    !ends_in_ten(m)) {
			m->at = stop;
			return;
		}
		strbuf_addch(&m->out, '^');
	}
	m->at = close + 1;
}

/* The end of the text of a link, its "](", of which '[' is the begin; NULL
 * where another '[' or an escape comes before. */
static const char *
link_text_end(const char *s, const char *end)
{
	for (s++; s + 1 < end; s++) {
		if (*s == '[' || *s == '\\')
			return NULL;
		if (*s == ']')
			return s[1] == '(' ? s : NULL;
	}
	return NULL;
}

/* The end of an address from its "](" on, NULL if there is none before the next
 * "](". */
static const char *
address_end(const char *s, const char *end)
{
	int depth = 0;

	for (s++; s < end; s++) {
		depth += *s == '(';
		depth -= *s == ')';
		if (depth == 0)
			return s + 1;
		if (*s == ']' && s + 1 < end && s[1] == '(')
			return NULL;
	}
	return NULL;
}

/* "![alt](address)" is a picture and nothing. */
static int
read_picture(struct markup *m)
{
	const char *text, *stop;

	if (!markup_starts(m, "!["))
		return 0;
	text = link_text_end(m->at + 1, m->end);
	stop = text != NULL ? address_end(text, m->end) : NULL;
	if (stop == NULL)
		return 0;
	m->at = stop;
	return 1;
}

/* True if a "[" here begins a link.  The text in brackets is kept; the address
 * is dropped at its bracket. */
static int
begins_link(const struct markup *m)
{
	return link_text_end(m->at, m->end) != NULL;
}

static const struct {
	const char *name, *text;
} entities[] = {
	{ "&nbsp;", " " },
	{ "&amp;", "&" },
	{ "&lt;", "<" },
	{ "&gt;", ">" },
	{ "&times;", "x" },
	{ "&#124;", "|" },
};

static int
read_entity(struct markup *m)
{
	for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++)
		if (markup_starts(m, entities[i].name)) {
			strbuf_addstr(&m->out, entities[i].text);
			m->at += strlen(entities[i].name);
			return 1;
		}
	return 0;
}

/* "**", "__", "`", "~~" are emphasis; a single '*' or '_' stays unless it
 * embraces the whole cell, for "node_num" and "4*1" are none. */
static size_t
emphasis_length(const struct markup *m)
{
	if (markup_starts(m, "**") || markup_starts(m, "__") ||
	    markup_starts(m, "~~"))
		return 2;
	return *m->at == '`';
}

/* "$7.6\\times$" is LaTeX. */
static int
read_math(struct markup *m, struct arena *a)
{
	const char *stop = find_character(m->at + 1, m->end, '$');

	if (stop == NULL)
		return 0;
	strbuf_addstr(&m->out,
	    published_plain_latex(a, m->at + 1, (size_t)(stop - m->at - 1)));
	m->at = stop + 1;
	return 1;
}

/* The end of a link's address that begins here, or NULL; open counts links
 * whose address is to come. */
static const char *
link_address(const struct markup *m, size_t open)
{
	return open > 0 && markup_starts(m, "](") ? address_end(m->at, m->end)
						  : NULL;
}

/* What may stand anywhere: escapes, math, tags, emphasis, pictures, entities,
 * and else a character. */
static void
read_inline(struct markup *m, struct arena *a)
{
	if (*m->at == '\\' && m->at + 1 < m->end &&
	    ispunct((unsigned char)m->at[1])) {
		strbuf_addch(&m->out, m->at[1]);
		m->at += 2;
	} else if (*m->at == '<') {
		read_tag(m);
	} else if (*m->at == '$' && read_math(m, a)) {
		return;
	} else if (emphasis_length(m) > 0) {
		m->at += emphasis_length(m);
	} else if (!read_picture(m) && !read_entity(m)) {
		strbuf_addch(&m->out, *m->at++);
	}
}

const char *
published_plain(struct arena *a, const char *s, size_t len)
{
	struct markup m = { s, s + len, { 0 } };
	size_t open = 0;

	if (len > 2 && (s[0] == '*' || s[0] == '_') && s[len - 1] == s[0] &&
	    s[1] != s[0]) {
		m.at++;
		m.end--;
	}
	strbuf_init(&m.out, len + 1);
	while (m.at < m.end) {
		const char *stop = link_address(&m, open);

		if (stop != NULL) {
			open--;
			m.at = stop;
		} else if (*m.at == '[' && begins_link(&m)) {
			open++;
			m.at++;
		} else {
			read_inline(&m, a);
		}
	}
	return finish_text(&m, a);
}

/* LaTeX's commands that are text, and those whose first arguments are none. */
static const struct {
	const char *name, *text;
	int arguments; /* of it that are no text */
} latex_commands[] = {
	{ "times", "x", 0 },
	{ "pm", "±", 0 },
	{ "dagger", "†", 0 },
	{ "ddagger", "‡", 0 },
	{ "ast", "*", 0 },
	{ "approx", "~", 0 },
	{ "sim", "~", 0 },
	{ "multirow", "", 2 },
	{ "rotatebox", "", 1 },
	{ "color", "", 1 },
	{ "textcolor", "", 1 },
	{ "cellcolor", "", 1 },
	{ "rowcolor", "", 1 },
	{ "colorbox", "", 1 },
	{ "hspace", "", 1 },
	{ "phantom", "", 1 },
	{ "hphantom", "", 1 },
	{ "vphantom", "", 1 },
	{ "vspace", "", 1 },
	{ "footnote", "", 1 },
	{ "footnotemark", "", 0 },
	{ "tnote", "", 1 },
	{ "textsuperscript", "", 1 },
	{ "cite", "", 1 },
	{ "citep", "", 1 },
	{ "label", "", 1 },
	{ "ref", "", 1 },
};

/* Step over an option in brackets and n arguments in braces. */
static void
skip_arguments(struct markup *m, int n)
{
	while (m->at < m->end && (n > 0 || *m->at == '[')) {
		const char open = *m->at;
		int depth = 0;

		if (open != '[' && open != '{')
			return;
		n -= open == '{';
		for (; m->at < m->end; m->at++) {
			depth += *m->at == open;
			depth -= *m->at == (open == '[' ? ']' : '}');
			if (depth == 0)
				break;
		}
		m->at += m->at < m->end;
	}
}

/* The command after a backslash: "\times" is a word, "\%" a sign, of
 * "\textbf{...}" the content stays. */
static void
read_command(struct markup *m)
{
	const char *name = ++m->at;

	/* "390\,000" */
	if (markup_starts(m, ",") && m->out.len > 0 && m->at + 1 < m->end &&
	    isdigit((unsigned char)m->out.buf[m->out.len - 1]) &&
	    isdigit((unsigned char)m->at[1])) {
		strbuf_addch(&m->out, *m->at++);
		return;
	}
	if (m->at < m->end && !isalpha((unsigned char)*m->at)) {
		strbuf_addch(&m->out, strchr(",;:! \\", *m->at) ? ' ' : *m->at);
		m->at++;
		return;
	}
	while (m->at < m->end && isalpha((unsigned char)*m->at))
		m->at++;
	for (size_t i = 0; i < sizeof latex_commands / sizeof latex_commands[0];
	     i++)
		if (strlen(latex_commands[i].name) == (size_t)(m->at - name) &&
		    memcmp(latex_commands[i].name, name,
			(size_t)(m->at - name)) == 0) {
			strbuf_addstr(&m->out, latex_commands[i].text);
			skip_arguments(m, latex_commands[i].arguments);
		}
}

const char *
published_plain_latex(struct arena *a, const char *s, size_t len)
{
	struct markup m = { s, s + len, { 0 } };

	strbuf_init(&m.out, len + 1);
	while (m.at < m.end) {
		if (*m.at == '\\') {
			read_command(&m);
		} else if (*m.at == '~') {
			strbuf_addch(&m.out, ' ');
			m.at++;
		} else if (markup_starts(&m, "{,}")) {
			strbuf_addch(&m.out, ',');
			m.at += 3;
		} else if (strchr("{}$", *m.at) != NULL) {
			m.at++;
		} else {
			strbuf_addch(&m.out, *m.at++);
		}
	}
	return finish_text(&m, a);
}
