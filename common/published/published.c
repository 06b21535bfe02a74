/* Reads the tables of documents: Markdown, separated values, LaTeX, and the
 * JSON of DLPerf's scripts. */
#include <config.h>

#include "common/published/published.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "common/alloc.h"
#include "common/published/published_parts.h"
#include "common/text.h"

enum {
	MAX_PATTERNS = 50,
	MAX_LONGER = 4,    /* bytes by which a replacement may be longer */
	MAX_KIB = 16 << 10 /* heap of PCRE2; deeper braces do not match */
};

/* --- patterns ------------------------------------------------------------- */

/* A compiled pattern. */
struct compiled {
	const char *text;
	pcre2_code *code;
	pcre2_match_data *match;
};

static pcre2_match_context *limits;

static const struct compiled *
pattern_find(const char *text)
{
	static struct compiled patterns[MAX_PATTERNS];
	struct compiled *p = patterns;
	int problem = 0;
	size_t at;

	while (p->text != NULL && p->text != text)
		p++;
	if (p->text == text)
		return p;
	assert(p < &patterns[MAX_PATTERNS - 1]);
	if (limits == NULL) {
		limits = pcre2_match_context_create(NULL);
		pcre2_set_heap_limit(limits, MAX_KIB);
	}
	p->text = text;
	p->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
	    PCRE2_ALT_VERBNAMES | PCRE2_DUPNAMES, &problem, &at, NULL);
	assert(p->code != NULL);
	p->match = pcre2_match_data_create_from_pattern(p->code, NULL);
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
	char *text = arena_calloc(a, 1, size);

	if (pcre2_substitute(p->code, (PCRE2_SPTR)s, len, 0,
		PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_UNSET_EMPTY |
		    PCRE2_SUBSTITUTE_UNKNOWN_UNSET,
		p->match, limits, (PCRE2_SPTR) "${keep}${*MARK}",
		PCRE2_ZERO_TERMINATED, (PCRE2_UCHAR *)text, &size) < 0) {
		memcpy(text, s, len);
		text[len] = '\0';
	}
	return text;
}

/* --- markup --------------------------------------------------------------- */

/* Start of patterns for LaTeX. Defines <option>, text in brackets, which may be
 * absent, and <group>, text in braces. */
#define LATEX \
	"(?s)(?(DEFINE)(?<option>(?:\\[[^][]*+\\])?+)" \
	"(?<group>\\{(?:\\\\.|[^{}\\\\]++|(?&group))*+(?:\\}|\\z)))"

/* Remove the markup of Markdown or LaTeX from a text and collapse blanks. */
static const char *
plain(struct published_reader *r, int is_latex, struct text_span span)
{
	/* The address of a link ends before that of the next one, which keeps
	 * unclosed links linear. */
	static const char links[] = "(?<!\\\\)!?\\[(?<keep>[^][\\\\]*+)\\]"
				    "(\\((?:[^()\\]]|\\](?!\\()|(?2))*+\\))";
	/* A single '*' or '_' is text: "node_num", "4*1". A superscript may be
	 * a power. */
	static const char markdown[] =
	    "(?i)\\\\(?<keep>[[:punct:]])|\\[\\^[^][]*+\\]"
	    "|<sup\\b[^<>]*+>(*:^)|(?:<br\\b[^<>]*+>|<p>|&nbsp;)(*: )"
	    "|</?(?:(?:sub|strong|em|span|div|font|code|small|center|del|img"
	    "|b|i|p|a|u|sup|br)\\b|!)[^<>]*+>|\\*\\*|__|~~|`"
	    "|&amp;(*:&)|&lt;(*:<)|&gt;(*:>)";
	/* Commands that stand for a character, or whose arguments are not text.
	 * The arguments of other commands are kept. */
	static const char latex[] = LATEX
	    "(?(DEFINE)(?<argument>(?&group)?+(?&option)))"
	    "(?<=\\d)\\\\,(?=\\d)(*:,)|\\\\[,;:! \\\\](*: )"
	    "|\\\\(?<keep>[^a-zA-Z])|\\\\(?:times(*:x)|pm(*:±))(?![a-zA-Z])"
	    "|\\\\(?:color|h?phantom|footnote|textsuperscript|cite|label|ref"
	    "|(?<multi>multirow))(?![a-zA-Z])(?&option)(?&argument)"
	    "(?(multi)(?&argument))|\\\\[a-zA-Z]*+|~(*: )|\\{,\\}(*:,)|[{}$]";
	/* Including no-break and ideographic spaces. */
	static const char blanks[] =
	    "(?:[ \\t\\r\\n]|\xc2\xa0|\xe3\x80\x80)++(*: )";
	const char *const steps[2][3] = { { links, markdown, blanks },
		{ latex, blanks, blanks } };
	char *text = NULL;

	for (int i = 0; i < 3; i++) {
		text = published_replace(
		    steps[is_latex][i], &r->p->arena, span.s, span.end);
		span = (struct text_span){ text, text + strlen(text) };
	}
	if (span.end > span.s && span.end[-1] == ' ')
		text[span.end - span.s - 1] = '\0';
	return text + (*text == ' ');
}

/* --- cells ---------------------------------------------------------------- */

/* Count lines from the last place to s, which must not precede it. */
static void
move_to(struct published_reader *r, const char *s)
{
	for (; r->place < s; r->place++)
		if (*r->place == '\n') {
			r->line++;
			r->line_start = r->place + 1;
		}
}

/* Start a row at s. */
static void
add_row(struct published_reader *r, const char *s)
{
	move_to(r, s);
	r->rows = arena_grow(&r->p->arena, r->rows, r->n_rows, sizeof *r->rows);
	r->rows[r->n_rows++] = (struct published_row){ .line = r->line };
}

/* Add a cell to the last row, at s, and empty ones for further columns that it
 * spans. */
static void
add_cell(
    struct published_reader *r, const char *text, const char *s, long across)
{
	struct published_row *row = &r->rows[r->n_rows - 1];

	move_to(r, s);
	for (; across > 0 && !r->failed; across--, text = "") {
		if (row->n_cells == PUBLISHED_MAX_COLUMNS ||
		    r->n_cells == PUBLISHED_MAX_CELLS) {
			error_at(r->e, ERROR_LIMIT, r->name, r->line, 0,
			    "a table of too many columns or cells");
			r->failed = 1;
			return;
		}
		row->cells = arena_grow(
		    &r->p->arena, row->cells, row->n_cells, sizeof *row->cells);
		row->cells[row->n_cells++] = (struct published_cell){
			.text = text,
			.line = r->line,
			.col = s - r->line_start + 1,
		};
		r->n_cells++;
	}
}

/* --- separated values ----------------------------------------------------- */

/* Read values separated by commas, tabs or semicolons and quoted as in RFC
 * 4180; a blank line ends a table. */
static void
read_csv(struct published_reader *r)
{
	while (r->at < r->end && !r->failed) {
		char separator;

		while (r->at < r->end && (*r->at == '\n' || *r->at == '\r'))
			r->at++;
		separator = text_separator(text_line(r->at, r->end), ",\t;");
		while (!r->failed && r->at < r->end &&
		    text_line(r->at, r->end).end > r->at) {
			add_row(r, r->at);
			do {
				const char *from = r->at;
				struct strbuf sb =
				    STRBUF_INIT(PUBLISHED_MAX_BYTES);

				r->at =
				    text_csv_cell(from, r->end, separator, &sb);
				add_cell(r,
				    plain(r, 0,
					(struct text_span){
					    sb.buf, sb.buf + sb.len }),
				    from, 1);
				strbuf_release(&sb);
			} while (
			    !r->failed && r->at < r->end && *r->at++ != '\n');
		}
		published_finish(r);
	}
}

/* --- DLPerf's JSON -------------------------------------------------------- */

/* Read the JSON of DLPerf's scripts and of extract_logs --protocol=dlperf:
 * models, their cases, and the numbers of each case. Each model is a table. */
static void
read_dlperf(struct published_reader *r)
{
	static const char token[] =
	    "\\A[\\s,]*+(?:\"(?<key>[^\"\\\\]*+)\"\\s*+:\\s*+"
	    "(?:(?<open>\\{)|(?<value>[^\\s,{}\"[]++|\"[^\"]*+\"))"
	    "|(?<close>\\}))";
	/* average_speed is omitted, since no other number depends on it. */
	static const char *const heads[] = { "case", "batch_size_per_device",
		"median_speed", "speedup" };
	const char *s = memchr(r->at, '{', (size_t)(r->end - r->at));
	struct arena *a = &r->p->arena;
	struct text_span part[5];

	s++;
	for (int depth = 1; depth > 0 && !r->failed; s = part[0].end) {
		struct published_cell *cell;
		const char *key, *text;

		if (!published_match(token, s, r->end, part, 5) ||
		    (part[4].s == NULL && (part[2].s != NULL) != (depth < 3))) {
			move_to(r, s);
			r->failed =
			    error_at(r->e, ERROR_INPUT, r->name, r->line, 0,
				"not JSON as DLPerf's scripts write it");
			return;
		}
		if (part[4].s != NULL) {
			if (--depth == 1)
				published_finish(r);
			continue;
		}
		key = span_copy(a, part[1]);
		if (depth == 1)
			r->headings[0] = key;
		if (depth < 3)
			add_row(r, part[1].s);
		for (size_t i = 0; i < 4 && depth < 3; i++) {
			text = i == 0 ? key : "";
			add_cell(r, depth == 1 ? heads[i] : text, part[1].s, 1);
		}
		for (size_t i = 1; i < 4 && depth == 3; i++) {
			if (strcmp(key, heads[i]) != 0)
				continue;
			move_to(r, part[1].s);
			cell = &r->rows[r->n_rows - 1].cells[i];
			cell->text = span_copy(a, part[3]);
			cell->line = r->line;
			cell->col = part[1].s - r->line_start + 1;
		}
		depth += depth < 3;
	}
}

int
published_is_dlperf(const char *text, size_t len)
{
	return memmem(text, len, "\"schema\"", 8) == NULL &&
	    memmem(text, len, "\"median_speed\"", 14) != NULL;
}

/* --- LaTeX ---------------------------------------------------------------- */

/* Read the rows [s, stop) of a tabular. */
static void
read_tabular(struct published_reader *r, const char *s, const char *stop)
{
	/* Blanks, rules and comments between rows. */
	static const char rules[] = LATEX
	    "\\A(?:\\s|%[^\\n]*+|\\\\(?:hline|toprule|midrule|bottomrule"
	    "|cmidrule|cline|addlinespace)(?:[([][^])]*+[])])*+(?&group)?+)++";
	static const char cell[] =
	    LATEX "\\A\\s*+(?<at>)(?:\\\\multicolumn(?&option)\\{(?<across>"
		  "\\d+)\\}(?&group))?(?<text>(?:[^&\\\\{]++|(?&group)"
		  "|\\\\[^\\\\])*+)(?:(?<next>&)|\\\\\\\\|\\\\?\\z)";
	struct text_span part[7];

	while (!r->failed) {
		if (published_match(rules, s, stop, part, 1))
			s = part[0].end;
		if (s >= stop)
			return;
		add_row(r, s);
		do {
			if (!published_match(cell, s, stop, part, 7))
				return;
			s = part[0].end;
			add_cell(r, plain(r, 1, part[5]), part[3].s,
			    part[4].s != NULL ? strtol(part[4].s, NULL, 10)
					      : 1);
		} while (part[6].s != NULL && !r->failed);
	}
}

static void
read_latex(struct published_reader *r)
{
	/* tabular*, tabularx and tabulary have a width before the columns. */
	static const char begin[] =
	    LATEX "\\\\begin\\{(?:(?:tabular|longtable|array)\\}"
		  "|tabular[*xy]\\}(?=\\{)(?&group))(?&option)(?&group)?+";
	struct text_span all;

	for (const char *stop;
	     !r->failed && published_match(begin, r->at, r->end, &all, 1);
	     r->at = stop) {
		stop = memmem(all.end, (size_t)(r->end - all.end), "\\end{", 5);
		stop = stop != NULL ? stop : r->end;
		read_tabular(r, all.end, stop);
		published_finish(r);
	}
}

/* --- a table in one line -------------------------------------------------- */

/* Read tables whose heads and complete rows are in one line, as in a web page
 * copied as text: "node_num gpu_num samples/s 1 1 306.35 1 4 1079.19". */
static void
read_flat(struct published_reader *r, struct text_span line)
{
	/* Three heads or more, and cells that begin with digits. */
	static const char flat[] =
	    "(?<![^ \\t])(?<heads>(?:[^\\d \\t][^ \\t]*+[ \\t]++){3,20}+)"
	    "(*SKIP)(?<cells>(?:\\d[^ \\t]*+(?:[ \\t]++|\\z))++)";
	struct text_span part[3], word;

	for (; published_match(flat, line.s, line.end, part, 3);
	     line.s = part[0].end) {
		size_t n = 0, n_heads = 0;
		int known = 1, counts = 0, values = 0;
		struct published_table *t;

		for (const char *s = part[1].s; !r->failed &&
		     published_match("[^ \\t]++", s, part[0].end, &word, 1);
		     s = word.end, n++) {
			if (n == 0 || (word.s >= part[2].s && n % n_heads == 0))
				add_row(r, word.s);
			n_heads += word.s < part[2].s;
			add_cell(r, plain(r, 0, word), word.s, 1);
		}
		published_finish(r);
		if (r->failed)
			return;
		t = &r->p->tables[r->p->n - 1];
		for (size_t i = 0; i < t->n_columns; i++) {
			const enum published_role role = t->columns[i].role;

			known &= t->columns[i].known;
			counts |=
			    role >= PUBLISHED_NODES && role <= PUBLISHED_CASE;
			values |= role >= PUBLISHED_RATE;
		}
		if (known && counts && values && n % n_heads == 0)
			published_remark(r->p, t, REMARK_NO_BORDERS, NULL);
		else
			r->p->n--; /* other text */
	}
}

/* --- Markdown ------------------------------------------------------------- */

/* True if a line can be a row of a table. */
static int
is_row(const struct published_reader *r, struct text_span l)
{
	const struct text_span own = span_trim(l);

	return r->is_bare ? own.s < own.end && *own.s == '|'
			  : memchr(l.s, '|', (size_t)(l.end - l.s)) != NULL;
}

/* True for a line of dashes: "|---|:--:|", "-- | --". */
static int
is_dashes(struct text_span l)
{
	return published_match(
	    "\\A(?=[^-]*+-)(?=[^|]*+\\|)[ \\t|:-]++\\z", l.s, l.end, NULL, 0);
}

/* Read a table at the line, without its line of dashes. Returns its end. */
static const char *
read_lines(struct published_reader *r, struct text_span l)
{
	const char *stop = l.end;

	for (int i = 0; l.s < r->end && !r->failed && is_row(r, l);
	     i++, l = text_line_after(l, r->end)) {
		struct text_span row = span_trim(l);
		int more = 1;

		stop = l.end;
		if (i == 1 && is_dashes(l))
			continue;
		/* The cells are within the outer '|'. */
		row.s += row.s < row.end && *row.s == '|';
		if (row.end > row.s && row.end[-1] == '|' &&
		    (row.end - 1 == row.s || row.end[-2] != '\\'))
			row.end--;
		add_row(r, l.s);
		for (; more && !r->failed; row.s++) {
			struct text_span cell = row;

			while (row.s < row.end && *row.s != '|')
				row.s += *row.s == '\\' && row.s + 1 < row.end
				    ? 2
				    : 1;
			cell.end = row.s;
			cell = span_trim(cell);
			add_cell(r, plain(r, 0, cell), cell.s, 1);
			more = row.s < row.end;
		}
	}
	published_finish(r);
	return stop;
}

static void
read_markdown(struct published_reader *r)
{
	static const char heading[] =
	    "\\A[ \\t-]*+(?<level>#{1,6})(?= )(?<text>.*)";
	struct text_span l = text_line(r->at, r->end), part[3];
	int fenced = 0; /* in a code block, '#' is no heading */

	for (; !r->failed && l.s < r->end; l = text_line_after(l, r->end)) {
		if (is_row(r, l) &&
		    (r->is_bare ||
			(!is_dashes(l) &&
			    is_dashes(text_line_after(l, r->end))))) {
			l.end = read_lines(r, l);
			continue;
		}
		if (r->is_bare)
			continue;
		fenced ^= published_match(
		    "\\A[ \\t]*+(?:```|~~~)", l.s, l.end, NULL, 0);
		if (!fenced && r->p->html == 0 &&
		    published_match("(?i)<table", l.s, l.end, NULL, 0)) {
			move_to(r, l.s);
			r->p->html = r->line;
		}
		/* "## Results" clears headings of lower levels. */
		if (!fenced && published_match(heading, l.s, l.end, part, 3)) {
			size_t i = (size_t)(part[1].end - part[1].s);

			r->headings[i - 1] = plain(r, 0, part[2]);
			for (; i < PUBLISHED_MAX_HEADINGS; i++)
				r->headings[i] = NULL;
		}
		read_flat(r, l);
	}
}

/* --- documents ------------------------------------------------------------ */

int
published_read(const char *name, const char *text, size_t len, int is_bare,
    struct published *p, struct error *e)
{
	struct published_reader r = {
		.p = p, .name = name, .e = e, .is_bare = is_bare
	};

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
	p->text = (struct text_span){ text, text + len };
	r.at = r.place = r.line_start = text;
	r.end = p->text.end;
	r.line = 1;
	while (text < r.end && memchr(" \t\r\n", *text, 4) != NULL)
		text++;
	if (is_bare)
		read_markdown(&r);
	else if (text < r.end && *text == '{')
		read_dlperf(&r);
	else if (memmem(text, (size_t)(r.end - text), "\\begin{", 7) != NULL)
		read_latex(&r);
	else if (published_match(
		     "\\A[^,;\\t\\n]*+[,;\\t]", text, r.end, NULL, 0) &&
	    memchr(r.at, '|', len) == NULL &&
	    memmem(r.at, len, "<table", 6) == NULL)
		read_csv(&r);
	else
		read_markdown(&r);
	if (r.failed)
		published_release(p);
	return r.failed ? -1 : 0;
}

void
published_release(struct published *p)
{
	arena_release(&p->arena);
	*p = (struct published){ .arena = ARENA_INIT };
}
