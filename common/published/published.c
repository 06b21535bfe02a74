/* Patterns, markup, the positions of cells, and the format of a document. */
#include <config.h>

#include "common/published/published.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "common/alloc.h"
#include "common/published/published_parts.h"
#include "common/strbuf.h"
#include "common/utf8.h"

enum {
	MAX_PATTERNS = 101,
	MAX_LONGER = 4,    /* bytes by which a replacement may be longer */
	MAX_KIB = 16 << 10 /* for nested braces; deeper ones do not match */
};

static pcre2_match_context *limits;

static void *
pattern_alloc(size_t size, void *user)
{
	(void)user;
	return xmalloc(size);
}

static void
pattern_free(void *memory, void *user)
{
	(void)user;
	free(memory);
}

/* A compiled pattern. */
struct compiled {
	const char *text;
	pcre2_code *code;
	pcre2_match_data *match;
};

static const struct compiled *
pattern_find(const char *text)
{
	static struct compiled patterns[MAX_PATTERNS];
	static pcre2_general_context *context;
	static pcre2_compile_context *compile;
	struct compiled *p = &patterns[(uintptr_t)text % MAX_PATTERNS];
	int problem = 0;
	size_t at;

	while (p->text != NULL && p->text != text)
		p = &patterns[(size_t)(p - patterns + 1) % MAX_PATTERNS];
	if (p->text == text)
		return p;
	if (context == NULL) {
		context = pcre2_general_context_create(
		    pattern_alloc, pattern_free, NULL);
		compile = pcre2_compile_context_create(context);
		limits = pcre2_match_context_create(context);
		pcre2_set_heap_limit(limits, MAX_KIB);
	}
	p->text = text;
	p->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
	    PCRE2_ALT_VERBNAMES | PCRE2_DUPNAMES, &problem, &at, compile);
	assert(p->code != NULL);
	p->match = pcre2_match_data_create_from_pattern(p->code, context);
	return p;
}

int
published_match(const char *pattern, const char *s, const char *end,
    struct text_span *parts, size_t n_parts)
{
	const size_t len = end != NULL ? (size_t)(end - s) : strlen(s);
	const struct compiled *p = pattern_find(pattern);
	const int n =
	    pcre2_match(p->code, (PCRE2_SPTR)s, len, 0, 0, p->match, limits);
	const size_t *at = pcre2_get_ovector_pointer(p->match);

	for (size_t i = 0; n > 0 && i < n_parts; i++)
		parts[i] = (int)i < n && at[2 * i] != PCRE2_UNSET
		    ? (struct text_span){ s + at[2 * i], s + at[2 * i + 1] }
		    : (struct text_span){ NULL, NULL };
	return n > 0;
}

char *
published_replace(
    const char *pattern, struct arena *a, const char *s, const char *end)
{
	const struct compiled *p = pattern_find(pattern);
	const size_t len = (size_t)(end - s);
	size_t size = len + MAX_LONGER + 1;
	char *text = arena_alloc(a, size);

	if (pcre2_substitute(p->code, (PCRE2_SPTR)s, len, 0,
		PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_UNSET_EMPTY |
		    PCRE2_SUBSTITUTE_UNKNOWN_UNSET,
		p->match, limits, (PCRE2_SPTR) "${keep}${*MARK}",
		PCRE2_ZERO_TERMINATED, (PCRE2_UCHAR *)text, &size) < 0)
		memcpy(text, s, len);
	return text;
}

/* --- markup --------------------------------------------------------------- */

/* Patterns for the rendered text of a Markdown or LaTeX cell, without links,
 * tags, emphasis, escapes and footnote references. */

/* Blanks, with no-break and ideographic ones. */
static const char blanks[] = "(?:[ \\t\\r\\n]|\xc2\xa0|\xe3\x80\x80)++(*: )";

/* The address of a link ends before that of the next one, which keeps unclosed
 * links linear. The text of a link is kept, an image is not. */
static const char links[] = "(?<!\\\\)(?:!\\[[^][\\\\]*+\\]"
			    "(\\((?:[^()\\]]|\\](?!\\()|(?1))*+\\))"
			    "|\\[(?<keep>[^][\\\\]*+)\\](?1))";

/* A footnote mark, "[1]", "*", "2", "a", unless it is the power of 10 before
 * it. */
#define FOOTNOTE \
	"(?<!(?<!\\d)10)(?<!(?<!\\d)10\\*\\*)<sup>" \
	"(?:[a-z]|[][*\\d, ]*+)(?=<)"

/* A single '*' or '_' is text: "node_num", "4*1". */
static const char markdown[] =
    "(?i)\\\\(?<keep>[[:punct:]])|" FOOTNOTE
    "|<sup\\b[^<>]*+>(*:^)|(?:<br\\b[^<>]*+>|<p>|&nbsp;)(*: )"
    "|</?(?:(?:sub|strong|em|span|div|font|code|small|center|del|img"
    "|b|i|p|a|u|sup|br)\\b|!)[^<>]*+>"
    "|\\*\\*|__|~~|`|&amp;(*:&)|&lt;(*:<)|&gt;(*:>)|&times;(*:x)"
    "|&#124;(*:|)";

/* Commands with their own text, or with arguments that are not text. Others
 * keep the text of their arguments. */
static const char latex[] = PUBLISHED_LATEX
    "(?(DEFINE)(?<argument>(?&group)?+(?&option)))"
    "(?<=\\d)\\\\,(?=\\d)(*:,)|\\\\[,;:! \\\\](*: )"
    "|\\\\(?<keep>[^a-zA-Z])|\\\\(?:times(*:x)|pm(*:±)|dagger(*:†)"
    "|ddagger(*:‡)|ast(*:*)|approx(*:~)|sim(*:~)|footnotemark)"
    "(?![a-zA-Z])(?&option)|\\\\(?:rotatebox|(?:text|cell|row)?color"
    "|colorbox|[hv]?phantom|[hv]space|footnote|tnote|textsuperscript"
    "|citep?|label|ref|(?<multi>multirow))(?![a-zA-Z])(?&option)"
    "(?&argument)(?(multi)(?&argument))|\\\\[a-zA-Z]*+"
    "|~(*: )|\\{,\\}(*:,)|[{}$]";

/* Collapse and trim the blanks of [s, end). */
static const char *
finish_text(struct arena *a, const char *s, const char *end)
{
	char *text = published_replace(blanks, a, s, end);
	size_t len = strlen(text);

	if (len > 0 && text[len - 1] == ' ')
		text[len - 1] = '\0';
	return text + (*text == ' ');
}

const char *
published_plain_latex(struct arena *a, const char *s, const char *end)
{
	const char *text = published_replace(latex, a, s, end);

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
	s = published_replace(links, a, sb.buf, sb.buf + sb.len);
	strbuf_release(&sb);
	s = published_replace(markdown, a, s, s + strlen(s));
	return finish_text(a, s, s + strlen(s));
}

/* --- reading -------------------------------------------------------------- */

static void
reader_move(struct published_reader *r, const char *s)
{
	struct text_place *p = &r->place;

	if (s < p->s)
		*p = r->row_place;
	for (; p->s < s; p->s++)
		if (*p->s == '\n') {
			p->line++;
			p->line_start = p->s + 1;
		}
}

void
reader_row(struct published_reader *r, const char *s)
{
	reader_move(r, s);
	r->row_place = r->place;
	r->rows = arena_grow(&r->p->arena, r->rows, r->n_rows, sizeof *r->rows);
	r->rows[r->n_rows++] = (struct published_row){ .line = r->place.line };
}

struct published_cell *
reader_cell(
    struct published_reader *r, const char *text, const char *s, long across)
{
	struct published_row *row = &r->rows[r->n_rows - 1];
	const size_t first = row->n_cells;

	for (long i = 0; i < across; i++, text = "") {
		if (row->n_cells == PUBLISHED_MAX_COLUMNS ||
		    r->n_cells == PUBLISHED_MAX_CELLS) {
			if (!r->failed)
				error_at(r->e, ERROR_LIMIT, r->name,
				    r->place.line, 0,
				    "a table of too many columns or cells");
			r->failed = 1;
			return &r->spare;
		}
		if (s != NULL)
			reader_move(r, s);
		row->cells = arena_grow(
		    &r->p->arena, row->cells, row->n_cells, sizeof *row->cells);
		row->cells[row->n_cells++] = (struct published_cell){
			.text = text,
			.line = s != NULL ? r->place.line : row->line,
			.col = s != NULL ? s - r->place.line_start + 1 : 0,
			.across = across - i,
		};
		r->n_cells++;
	}
	return &row->cells[first];
}

/* Call the reader of the text's format. */
static void
read_form(struct published_reader *r)
{
	static const char by_name[] =
	    "\\.(?:(csv|tsv)|(?:md|markdown|html))\\z";
	const size_t len = (size_t)(r->end - r->at);
	struct text_span part[2], line;
	const char *text = r->at;
	int is_values, is_markup;

	while (text < r->end && memchr(" \t\r\n", *text, 4) != NULL)
		text++;
	if (text < r->end && *text == '{') {
		published_dlperf(r);
		return;
	}
	if (memmem(r->at, len, "\\begin{", 7) != NULL) {
		published_latex(r);
		return;
	}
	is_markup = published_match(by_name, r->name, NULL, part, 2);
	is_values = is_markup && part[1].s != NULL;
	for (line = text_line(text, r->end); line.s < line.end; line.s++)
		is_values |= memchr(",;\t", *line.s, 3) != NULL;
	if (is_values && (!is_markup || part[1].s != NULL) &&
	    memchr(r->at, '|', len) == NULL &&
	    memmem(r->at, len, "<table", 6) == NULL &&
	    !published_is_ruled(r->at, r->end))
		published_csv(r);
	else
		published_markdown(r);
}

/* Read [text, text + len) with the reader of one format. */
static int
read_by(void (*read)(struct published_reader *r), const char *name,
    const char *text, size_t len, long line, struct published *p,
    struct error *e)
{
	struct published_reader r = { .p = p,
		.name = name,
		.at = text,
		.end = text + len,
		.place = { text, text, line },
		.row_place = { text, text, line },
		.e = e };

	read(&r);
	if (r.failed)
		published_release(p);
	return r.failed ? -1 : 0;
}

int
published_read(const char *name, const char *text, size_t len,
    struct published *p, struct error *e)
{
	*p = (struct published){ .arena = ARENA_INIT };
	if (len > PUBLISHED_MAX_BYTES)
		return error_at(e, ERROR_LIMIT, name, 0, 0,
		    "larger than %d MiB", PUBLISHED_MAX_BYTES >> 20);
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		len -= 3;
	}
	if (!utf8_valid(text, len) || memchr(text, '\0', len) != NULL)
		return error_at(
		    e, ERROR_INPUT, name, 0, 0, "not a text in UTF-8");
	return len == 0 ? 0 : read_by(read_form, name, text, len, 1, p, e);
}

int
published_read_block(const char *name, const char *text, size_t len, long line,
    struct published *p, struct error *e)
{
	*p = (struct published){ .arena = ARENA_INIT, .keeps_empty = 1 };
	return read_by(published_block, name, text, len, line, p, e);
}

void
published_release(struct published *p)
{
	arena_release(&p->arena);
	*p = (struct published){ .arena = ARENA_INIT };
}
