/* Rendered text of a Markdown or LaTeX cell, without links, tags, emphasis,
 * escapes and footnote references. A match of a pattern is replaced by its
 * group "keep" and the name of its mark, "(*:x)", or deleted without either. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "common/published/published_parts.h"
#include "common/strbuf.h"

/* Blanks, with no-break and ideographic ones. */
static struct published_pattern blanks = {
	.text = "(?:[ \\t\\r\\n]|\xc2\xa0|\xe3\x80\x80)++(*: )"
};

/* The address of a link ends before that of the next one, which keeps unclosed
 * links linear. The text of a link is kept, an image is not. */
static struct published_pattern links = {
	.text = "(?<!\\\\)(?:!\\[[^][\\\\]*+\\]"
		"(\\((?:[^()\\]]|\\](?!\\()|(?1))*+\\))"
		"|\\[(?<keep>[^][\\\\]*+)\\](?1))"
};

/* A footnote mark, "[1]", "*", "2", "a", unless it is the power of 10 before
 * it. */
#define FOOTNOTE \
	"(?<!(?<!\\d)10)(?<!(?<!\\d)10\\*\\*)<sup>" \
	"(?:[a-z]|[][*\\d, ]*+)(?=<)"

/* A single '*' or '_' is text: "node_num", "4*1". */
static struct published_pattern markdown = {
	.text =
	    "(?i)\\\\(?<keep>[[:punct:]])|" FOOTNOTE
	    "|<sup\\b[^<>]*+>(*:^)|(?:<br\\b[^<>]*+>|<p>|&nbsp;)(*: )"
	    "|</?(?:(?:sub|strong|em|span|div|font|code|small|center|del|img"
	    "|b|i|p|a|u|sup|br)\\b|!)[^<>]*+>"
	    "|\\*\\*|__|~~|`|&amp;(*:&)|&lt;(*:<)|&gt;(*:>)|&times;(*:x)"
	    "|&#124;(*:|)"
};

/* Commands with their own text, or with arguments that are not text. Others
 * keep the text of their arguments. */
static struct published_pattern latex = { .text = PUBLISHED_LATEX
	"(?(DEFINE)(?<argument>(?&group)?+(?&option)))"
	"(?<=\\d)\\\\,(?=\\d)(*:,)|\\\\[,;:! \\\\](*: )"
	"|\\\\(?<keep>[^a-zA-Z])|\\\\(?:times(*:x)|pm(*:±)|dagger(*:†)"
	"|ddagger(*:‡)|ast(*:*)|approx(*:~)|sim(*:~)|footnotemark)"
	"(?![a-zA-Z])(?&option)|\\\\(?:rotatebox|(?:text|cell|row)?color"
	"|colorbox|[hv]?phantom|[hv]space|footnote|tnote|textsuperscript"
	"|citep?|label|ref|(?<multi>multirow))(?![a-zA-Z])(?&option)"
	"(?&argument)(?(multi)(?&argument))|\\\\[a-zA-Z]*+"
	"|~(*: )|\\{,\\}(*:,)|[{}$]" };

/* Collapse and trim the blanks of [s, end). */
static const char *
finish_text(struct arena *a, const char *s, const char *end)
{
	char *text = published_replace(&blanks, a, s, end);
	size_t len = strlen(text);

	if (len > 0 && text[len - 1] == ' ')
		text[len - 1] = '\0';
	return text + (*text == ' ');
}

const char *
published_plain_latex(struct arena *a, const char *s, const char *end)
{
	const char *text = published_replace(&latex, a, s, end);

	return finish_text(a, text, text + strlen(text));
}

const char *
published_plain(struct arena *a, const char *s, const char *end)
{
	const char *math, *close;
	struct strbuf sb;

	if (end - s > 2 && (*s == '*' || *s == '_') && end[-1] == *s &&
	    s[1] != *s) {
		s++;
		end--;
	}
	strbuf_init(&sb, (size_t)(end - s) + 1);
	/* "$7.6\\times$" is LaTeX. */
	for (; (math = memchr(s, '$', (size_t)(end - s))) != NULL &&
	     (close = memchr(math + 1, '$', (size_t)(end - math) - 1)) != NULL;
	     s = close + 1) {
		strbuf_add(&sb, s, (size_t)(math - s));
		strbuf_addstr(&sb, published_plain_latex(a, math + 1, close));
	}
	strbuf_add(&sb, s, (size_t)(end - s));
	s = published_replace(&links, a, sb.buf, sb.buf + sb.len);
	strbuf_release(&sb);
	s = published_replace(&markdown, a, s, s + strlen(s));
	return finish_text(a, s, s + strlen(s));
}
