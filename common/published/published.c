#include <config.h>

#include "common/published/published.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "common/alloc.h"
#include "common/published/published_parts.h"
#include "common/strbuf.h"
#include "common/utf8.h"

enum {
	MAX_LONGER = 4,    /* bytes by which a replacement may be longer */
	MAX_KIB = 16 << 10 /* for nested braces; deeper ones do not match */
};

static pcre2_match_context *limits;

void
published_release(struct published *p)
{
	arena_release(&p->arena);
	*p = (struct published){ .arena = ARENA_INIT };
}

void
published_remark(struct published *p, struct published_table *t,
    enum remark_code code, const char *text)
{
	t->remarks =
	    arena_grow(&p->arena, t->remarks, t->n_remarks, sizeof *t->remarks);
	t->remarks[t->n_remarks++] =
	    (struct remark){ .code = code, .args = { { .text = text } } };
}

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

static void
pattern_compile(struct published_pattern *p)
{
	static pcre2_general_context *context;
	static pcre2_compile_context *compile;
	int problem = 0;
	size_t at;

	if (context == NULL) {
		context = pcre2_general_context_create(
		    pattern_alloc, pattern_free, NULL);
		compile = pcre2_compile_context_create(context);
		limits = pcre2_match_context_create(context);
		pcre2_set_heap_limit(limits, MAX_KIB);
	}
	p->code = pcre2_compile((PCRE2_SPTR)p->text, PCRE2_ZERO_TERMINATED,
	    PCRE2_ALT_VERBNAMES | PCRE2_DUPNAMES, &problem, &at, compile);
	assert(p->code != NULL);
	p->match = pcre2_match_data_create_from_pattern(p->code, context);
}

int
published_match(struct published_pattern *p, const char *s, const char *end,
    struct text_span *parts, size_t n_parts)
{
	const size_t len = end != NULL ? (size_t)(end - s) : strlen(s);
	const size_t *at;
	int n;

	if (p->code == NULL)
		pattern_compile(p);
	n = pcre2_match(p->code, (PCRE2_SPTR)s, len, 0, 0, p->match, limits);
	at = pcre2_get_ovector_pointer(p->match);
	for (size_t i = 0; n > 0 && i < n_parts; i++)
		parts[i] = (int)i < n && at[2 * i] != PCRE2_UNSET
		    ? (struct text_span){ s + at[2 * i], s + at[2 * i + 1] }
		    : (struct text_span){ NULL, NULL };
	return n > 0;
}

char *
published_replace(struct published_pattern *p, struct arena *a, const char *s,
    const char *end)
{
	const size_t len = (size_t)(end - s);
	size_t size = len + MAX_LONGER + 1;
	char *text = arena_alloc(a, size);

	if (p->code == NULL)
		pattern_compile(p);
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

/* --- tables --------------------------------------------------------------- */

int
published_has(const struct published_table *t, enum published_role role)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].role == role)
			return 1;
	return 0;
}

int
published_has_cases(const struct published_table *t)
{
	return published_has(t, PUBLISHED_CASE) ||
	    published_has(t, PUBLISHED_GPUS) ||
	    published_has(t, PUBLISHED_GPU_COUNT) ||
	    (published_has(t, PUBLISHED_NODES) &&
		published_has(t, PUBLISHED_NODE_GPUS));
}

int
published_is_speed(enum published_role role)
{
	return role == PUBLISHED_RATE || role == PUBLISHED_STEP_TIME ||
	    role == PUBLISHED_DURATION;
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
	struct grid *g = &r->g;

	reader_move(r, s);
	r->row_place = r->place;
	g->rows = arena_grow(&r->p->arena, g->rows, g->n, sizeof *g->rows);
	g->rows[g->n++] = (struct published_row){ .line = r->place.line,
		.nodes = PUBLISHED_UNKNOWN,
		.gpus = PUBLISHED_UNKNOWN,
		.node_gpus = PUBLISHED_UNKNOWN,
		.batch = PUBLISHED_UNKNOWN,
		.global_batch = PUBLISHED_UNKNOWN };
}

struct published_cell *
reader_add(struct published_reader *r, const char *text, const char *s)
{
	struct published_row *row = &r->g.rows[r->g.n - 1];
	struct published_cell *cell;

	if (row->n_cells == PUBLISHED_MAX_COLUMNS ||
	    r->g.n_cells == PUBLISHED_MAX_CELLS) {
		error_at(r->e, ERROR_LIMIT, r->name, r->place.line, 0,
		    "a table of too many columns or cells");
		return NULL;
	}
	row->cells = arena_grow(
	    &r->p->arena, row->cells, row->n_cells, sizeof *row->cells);
	cell = &row->cells[row->n_cells++];
	*cell = (struct published_cell){
		.text = text, .line = row->line, .across = 1, .down = 1
	};
	r->g.n_cells++;
	if (s != NULL) {
		reader_move(r, s);
		cell->line = r->place.line;
		cell->col = (long)(s - r->place.line_start) + 1;
	}
	return cell;
}

int
reader_plain(struct published_reader *r, const char *s, const char *end)
{
	return reader_span(r, published_plain(&r->p->arena, s, end), s, 1, 1);
}

int
reader_span(struct published_reader *r, const char *text, const char *s,
    long across, long down)
{
	struct published_cell *cell = reader_add(r, text, s);

	if (cell == NULL)
		return -1;
	cell->across = across;
	cell->down = down;
	while (--across > 0)
		if (reader_add(r, "", s) == NULL)
			return -1;
	return 0;
}

/* --- format of a text ----------------------------------------------------- */

static int
ends_in(const char *name, const char *ending)
{
	const size_t n = strlen(name), m = strlen(ending);

	return n >= m && strcmp(name + n - m, ending) == 0;
}

static int
read_form(struct published_reader *r)
{
	const size_t len = (size_t)(r->end - r->at);
	const char *text = r->at;
	int is_values = ends_in(r->name, ".csv") || ends_in(r->name, ".tsv");

	while (text < r->end && memchr(" \t\r\n", *text, 4) != NULL)
		text++;
	if (text < r->end && *text == '{')
		return published_dlperf(r);
	for (; text < r->end && *text != '\n'; text++)
		is_values |= memchr(",;\t", *text, 3) != NULL;
	if (memmem(r->at, len, "\\begin{", 7) != NULL)
		return published_latex(r);
	if (memchr(r->at, '|', len) != NULL || ends_in(r->name, ".md") ||
	    ends_in(r->name, ".markdown") || ends_in(r->name, ".html") ||
	    memmem(r->at, len, "<table", 6) != NULL ||
	    published_is_ruled(r->at, r->end) || !is_values)
		return published_markdown(r);
	return published_csv(r);
}

/* Read [text, text + len) with the reader of one format. */
static int
read_by(int (*read)(struct published_reader *r), const char *name,
    const char *text, size_t len, long line, struct published *p,
    struct error *e)
{
	struct published_reader r = { .p = p,
		.name = name,
		.at = text,
		.end = text + len,
		.place = { text, text, line },
		.e = e };
	int rc;

	r.row_place = r.place;
	rc = read(&r);
	if (rc != 0)
		published_release(p);
	return rc;
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
