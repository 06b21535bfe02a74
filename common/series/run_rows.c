/* Reads tables of runs into rows. Separated values, JSON and lines of text all
 * become cells with a head; a declaration may split cells further. */
#include <config.h>

#include "common/series/runs_table.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/hash_index.h"
#include "common/json/json.h"
#include "common/result/result.h"
#include "common/stats/stats.h"
#include "common/text.h"

enum {
	MAX_CELLS = 1 << 25, /* of a table, empty ones included */
	MAX_CELL = 1 << 16,
	MAX_START = 1 << 16, /* bytes that "has" patterns are matched against */
	MAX_ITEMS = 8        /* items of an array that become cells */
};

/* --- declarations --------------------------------------------------------- */

/* Keys of a declaration (doc/exchange.md, common/tables/), those with patterns
 * first. Those from FORM_SPLIT to FORM_OTHERS have a word before their text. */
enum form_key {
	FORM_HAS,     /* pattern in all texts of this kind; all must match */
	FORM_CONTEXT, /* pattern of a line whose cells apply to rows below */
	FORM_ROW,     /* pattern of a row in a line of text */
	FORM_EACH,    /* pattern of heads, each of which yields a row */
	FORM_SPLIT,   /* head, and pattern that takes cells out of its cells */
	FORM_ONLY,    /* head, and pattern that its cell must match in a row */
	FORM_PAIRS,   /* head whose cells hold KEY=VALUE, separated by '/' */
	FORM_FIELD,   /* field of a run, and heads that stand for it: "a|b" */
	FORM_SET,     /* head, and the text of its cells in all rows */
	FORM_WORD,    /* text of a cell, and its meaning */
	FORM_OTHERS,  /* "labels": heads that nothing else names are labels */
	FORM_ROWS,    /* path of the rows in JSON: names and '*' */
	FORM_STRIP,   /* prefix to remove from heads */
	N_FORM_KEYS
};

struct table_form {
	const char *path; /* of its file; NULL: form_any */
	struct form_list {
		struct form_line *lines;
		size_t n;
	} keys[N_FORM_KEYS];
};

struct form_line {
	const char *word, *text;
	struct pcre2_real_code_8 *pattern; /* compiled text, or NULL */
};

static struct form_line each_item = { .text = "*" };
static const struct table_form form_any = {
	.keys = { [FORM_ROWS] = { &each_item, 1 }, [FORM_OTHERS] = { NULL, 1 } }
};

/* True for a name of run_fields or "label_NAME". */
static int
is_own_name(const char *name)
{
	return strncmp(name, "label_", 6) == 0 || run_field_find(name) != NULL;
}

static int
read_form_line(struct table_form *f, char *text, long number, struct arena *a,
    struct error *e)
{
	/* In the order of enum form_key. */
	static const char *const names[] = { "has", "context", "row", "each",
		"split", "only", "pairs", "field", "set", "word", "others",
		"rows", "strip" };
	const char *name = strsep(&text, " "), *word = NULL;
	struct form_list *list;
	struct form_line *line;
	size_t key = 0, at;
	int problem;

	if (name[0] == '\0' || name[0] == '#')
		return 0;
	while (key < N_FORM_KEYS && strcmp(names[key], name) != 0)
		key++;
	if (key == N_FORM_KEYS || text == NULL)
		return error_at(e, ERROR_INPUT, f->path, number, 0, "'%s' %s",
		    name, key == N_FORM_KEYS ? "is no key" : "has no value");
	if (key >= FORM_SPLIT && key <= FORM_OTHERS)
		word = strsep(&text, " ");
	list = &f->keys[key];
	list->lines =
	    arena_longer(a, list->lines, list->n, sizeof *list->lines);
	line = &list->lines[list->n++];
	*line = (struct form_line){ word, text != NULL ? text : "", NULL };
	if (key <= FORM_ONLY)
		line->pattern = pcre2_compile((PCRE2_SPTR)line->text,
		    PCRE2_ZERO_TERMINATED, PCRE2_DUPNAMES, &problem, &at, NULL);
	return (key <= FORM_ONLY && line->pattern == NULL) ||
		(key == FORM_FIELD && !is_own_name(word))
	    ? error_at(e, ERROR_INPUT, f->path, number, 0, "bad '%s'", name)
	    : 0;
}

/* All declarations in the order of their file names, then form_any; NULL on
 * failure. */
static const struct table_form *
table_forms(struct error *e)
{
	/* Kept, because a call with many operands needs them for each. */
	static struct arena arena = ARENA_INIT;
	static struct table_form *forms;
	char *folder =
	    forms == NULL ? install_path_find("tables", NULL, e) : NULL;
	glob_t found = { 0 };

	if (folder != NULL) {
		glob(arena_printf(&arena, "%s/*.table", folder), 0, NULL,
		    &found);
		forms = arena_calloc(&arena, found.gl_pathc + 1, sizeof *forms);
		forms[found.gl_pathc] = form_any;
	}
	for (size_t i = 0; forms != NULL && i < found.gl_pathc; i++) {
		struct strbuf sb = STRBUF_INIT(MAX_CELL);
		char *line, *text;
		int rc;

		forms[i].path = arena_strdup(&arena, found.gl_pathv[i]);
		rc = text_file_read(forms[i].path, &sb, e);
		text = strbuf_finish(&sb, &arena);
		for (long number = 1;
		     rc == 0 && (line = strsep(&text, "\n")) != NULL; number++)
			rc = read_form_line(&forms[i], line, number, &arena, e);
		if (rc != 0)
			forms = NULL;
	}
	globfree(&found);
	free(folder);
	return forms;
}

/* --- rows ----------------------------------------------------------------- */

/* State of a reader. After an error, which is reported once, rc is -1 and no
 * more rows are added. */
struct row_reader {
	struct run_rows *t;
	const char *name;
	const struct table_form *form;
	size_t most; /* rows */
	struct hash_index heads;
	size_t alloc_heads;
	/* Cells of the next row; if several have one head, the last counts. */
	struct row_cell {
		size_t head;
		const char *text;
	} * cells;
	size_t n_cells, alloc_cells;
	size_t n_all; /* cells of all rows */
	long line;    /* number of the line or, in JSON, of the row */
	int rc;
	struct error *e;
};

const char *
run_row_cell(const struct run_row *row, size_t head)
{
	return head < row->n && row->cells[head] != NULL ? row->cells[head]
							 : "";
}

size_t
run_rows_head(const struct run_rows *t, const char *name)
{
	const size_t len = strlen(name);
	size_t found = t->n_heads;

	for (size_t k = t->n_heads; k-- > 0;) {
		const size_t n = strlen(t->heads[k]);

		if (strcmp(t->heads[k], name) == 0)
			return k;
		if (found == t->n_heads && n > len &&
		    t->heads[k][n - len - 1] == '.' &&
		    strcmp(t->heads[k] + n - len, name) == 0)
			found = k;
	}
	return found;
}

static int
is_done(const struct row_reader *x)
{
	return x->rc != 0 || x->t->n >= x->most;
}

/* Index of a head, which is added if it is new. */
static size_t
place_of(struct row_reader *x, const char *head)
{
	struct run_rows *t = x->t;
	size_t k;

	t->heads =
	    vec_grow(t->heads, t->n_heads, &x->alloc_heads, sizeof *t->heads);
	t->heads[t->n_heads] = head;
	k = hash_index_first(&x->heads, t->heads, t->n_heads);
	t->n_heads += k == t->n_heads;
	return k;
}

static void
add_cell(struct row_reader *x, const char *head, const char *text)
{
	x->cells =
	    vec_grow(x->cells, x->n_cells, &x->alloc_cells, sizeof *x->cells);
	x->cells[x->n_cells++] = (struct row_cell){ place_of(x, head), text };
}

/* The last cell under the head that run_rows_head finds for a name; "" if there
 * is none. */
static const char *
cell_of(const struct row_reader *x, const char *name)
{
	const size_t head = run_rows_head(x->t, name);

	for (size_t i = x->n_cells; i-- > 0;)
		if (x->cells[i].head == head)
			return x->cells[i].text;
	return "";
}

/* Add the named groups of a pattern's first match as cells. The text of group
 * "KEY" is the head of the cell of group "VALUE".
 *
 * from  in: offset at which the search starts; out: end of the match, which
 *       must be greater; NULL: search from the start of the text
 *
 * Returns 1, or 0 without a match. */
static int
add_match(struct row_reader *x, const struct form_line *how, const char *text,
    size_t *from)
{
	pcre2_match_data *match =
	    pcre2_match_data_create_from_pattern(how->pattern, NULL);
	const size_t *at = pcre2_get_ovector_pointer(match);
	const int found =
	    pcre2_match(how->pattern, (PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
		from != NULL ? *from : 0, 0, match, NULL) > 0 &&
	    (from == NULL || at[1] > *from);
	uint32_t n, size;
	PCRE2_SPTR name; /* after the number of its group, in two bytes */
	const char *key = NULL;

	pcre2_pattern_info(how->pattern, PCRE2_INFO_NAMECOUNT, &n);
	pcre2_pattern_info(how->pattern, PCRE2_INFO_NAMEENTRYSIZE, &size);
	pcre2_pattern_info(how->pattern, PCRE2_INFO_NAMETABLE, &name);
	for (uint32_t i = 0; found && i < n; i++, name += size) {
		const size_t group = 2 * (256 * (size_t)name[0] + name[1]);
		const char *head = (const char *)name + 2, *cell;

		if (at[group] == PCRE2_UNSET)
			continue;
		cell = arena_strndup(
		    x->t->arena, text + at[group], at[group + 1] - at[group]);
		if (strcmp(head, "KEY") == 0)
			key = cell;
		else
			add_cell(
			    x, strcmp(head, "VALUE") == 0 ? key : head, cell);
	}
	if (found && from != NULL)
		*from = at[1];
	pcre2_match_data_free(match);
	return found;
}

/* Add the parts k=v of a cell, separated by '/', as cells with the heads
 * "HEAD.k"; the other parts stay. */
static void
add_pairs(struct row_reader *x, const char *head)
{
	struct arena *a = x->t->arena;
	char *parts = arena_strdup(a, cell_of(x, head)), *part, *value;
	const char *others = NULL;

	if (strchr(parts, '=') == NULL)
		return;
	while ((part = strsep(&parts, "/")) != NULL) {
		value = strchr(part, '=');
		if (value != NULL) {
			*value++ = '\0';
			add_cell(x, arena_join(a, head, ".", part), value);
		} else {
			others = arena_join(a, others, "/", part);
		}
	}
	add_cell(x, head, others != NULL ? others : "");
}

/* The meaning that a "word" line gives a cell's text, or the text itself. */
static const char *
meaning_of(const struct row_reader *x, const char *text)
{
	const struct form_list *words = &x->form->keys[FORM_WORD];

	for (size_t i = 0; i < words->n; i++)
		if (strcmp(words->lines[i].word, text) == 0)
			return words->lines[i].text;
	return text;
}

/* Add a row of the cells, unless a cell that "only" names does not match. */
static void
add_row(struct row_reader *x)
{
	const struct form_list *only = &x->form->keys[FORM_ONLY];
	struct run_rows *t = x->t;
	struct run_row row = { .n = t->n_heads, .line = x->line };

	for (size_t i = 0; i < only->n; i++)
		if (run_rows_head(t, only->lines[i].word) < t->n_heads &&
		    !add_match(x, &only->lines[i],
			cell_of(x, only->lines[i].word), NULL))
			return;
	x->n_all += t->n_heads;
	if (x->n_all > MAX_CELLS && x->rc == 0)
		x->rc = error_set(x->e, ERROR_LIMIT, "%s: more than %d cells",
		    x->name, MAX_CELLS);
	if (x->rc != 0)
		return;
	row.cells = arena_calloc(t->arena, t->n_heads, sizeof *row.cells);
	for (size_t i = 0; i < x->n_cells; i++)
		row.cells[x->cells[i].head] = meaning_of(x, x->cells[i].text);
	t->rows = arena_grow(t->arena, t->rows, t->n, sizeof *t->rows);
	t->rows[t->n++] = row;
}

/* Split the cells as the declaration states, and add a row of them or, with
 * "each", one row for each head that its pattern matches. In the heads of such
 * a row the group's name replaces its text: "{metric}_value". */
static void
finish_row(struct row_reader *x)
{
	const struct form_list *keys = x->form->keys;
	const size_t mark = x->n_cells;
	struct run_rows *t = x->t;
	size_t n;

	for (size_t i = 0; i < keys[FORM_SPLIT].n; i++)
		add_match(x, &keys[FORM_SPLIT].lines[i],
		    cell_of(x, keys[FORM_SPLIT].lines[i].word), NULL);
	for (size_t i = 0; i < keys[FORM_PAIRS].n; i++)
		add_pairs(x, keys[FORM_PAIRS].lines[i].word);
	n = x->n_cells;
	if (keys[FORM_EACH].n == 0)
		add_row(x);
	for (size_t i = 0; i < n && keys[FORM_EACH].n > 0 && !is_done(x); i++) {
		const char *head = t->heads[x->cells[i].head], *group;
		struct row_cell part;
		size_t at, len;

		if (x->cells[i].text[0] == '\0' ||
		    !add_match(x, keys[FORM_EACH].lines, head, NULL))
			continue;
		part = x->cells[n];
		group = t->heads[part.head];
		at = (size_t)(strstr(head, part.text) - head);
		len = strlen(part.text);
		for (size_t k = 0; k < n; k++) {
			const char *other = t->heads[x->cells[k].head];

			if (strncmp(other, head, at + len) == 0)
				add_cell(x,
				    arena_printf(t->arena, "%.*s{%s}%s",
					(int)at, head, group, other + at + len),
				    x->cells[k].text);
		}
		add_row(x);
		x->n_cells = n;
	}
	x->n_cells = mark;
}

/* --- separated values ----------------------------------------------------- */

/* A cell without trailing blanks, and without the leading apostrophe that keeps
 * spreadsheets from evaluating it. */
static const char *
plain_cell(char *text)
{
	for (size_t len = strlen(text); len > 0 && text[len - 1] == ' ';)
		text[--len] = '\0';
	return text[0] == '\'' && text[1] != '\0' &&
		strchr("=+-@", text[1]) != NULL
	    ? text + 1
	    : text;
}

static void
read_separated(struct row_reader *x, const char *text, size_t len)
{
	const char *end = text + len;
	const char separator = text_separator(text_line(text, end), "\t,;|");
	const char **heads = NULL, **cells = NULL;
	const size_t mark = x->n_cells;
	size_t n_heads = 0, alloc = 0;

	while (text < end && !is_done(x)) {
		size_t n = 0;

		x->line++;
		do {
			struct strbuf sb = STRBUF_INIT(MAX_CELL);

			text = text_csv_cell(text, end, separator, &sb);
			cells = vec_grow(cells, n, &alloc, sizeof *cells);
			cells[n++] =
			    plain_cell(strbuf_finish(&sb, x->t->arena));
		} while (text < end && *text++ == separator);
		if ((n == 1 && cells[0][0] == '\0') || cells[0][0] == '#')
			continue;
		if (heads == NULL) {
			for (size_t k = 0; k < n; k++)
				place_of(x, cells[k]);
			heads = cells;
			n_heads = n;
			cells = NULL;
			alloc = 0;
			continue;
		}
		if (n != n_heads && x->form->path == NULL)
			x->rc = error_set(x->e, ERROR_INPUT,
			    "%s:%ld: %zu cells, not %zu as in the head",
			    x->name, x->line, n, n_heads);
		for (size_t k = 0; k < n && k < n_heads; k++)
			add_cell(x, heads[k], cells[k]);
		finish_row(x);
		x->n_cells = mark;
	}
	free(heads);
	free(cells);
}

/* --- JSON ----------------------------------------------------------------- */

/* Mean of the numbers of an array; NAN for anything else. */
static double
mean_of(const struct json_value *array, struct arena *a)
{
	struct json_cursor c = { 0, NULL };
	struct json_value item;
	const char *key;
	double sum = 0, number;

	while (json_read_next(array, &c, &key, &item)) {
		const char *text = json_read_text(&item, a);

		sum += text != NULL &&
			parse_double(text, 0, RESULT_NUMBER_MAX, &number) == 0
		    ? number
		    : NAN;
	}
	return sum / (double)c.n;
}

/* Add the scalars in a value as cells, except those of the member that the path
 * of the rows descends into. For an array of arrays of numbers, such as the
 * times of processes, also add the index (from 0) of the array with the highest
 * mean, and the ratio of that mean to the median of all means.
 *
 * head  of the value; "" at the top */
static void
add_scalars(struct row_reader *x, const struct json_value *v, const char *head,
    const char *except)
{
	struct arena *a = x->t->arena;
	const char *text = json_read_text(v, a), *key;
	struct json_cursor c = { 0, NULL };
	struct json_value item;
	double *means = NULL, ratio;
	size_t alloc = 0, most = 0;
	int is_array = 0;

	if (text != NULL)
		add_cell(x, head[0] != '\0' ? head : ".", text);
	while (json_read_next(v, &c, &key, &item)) {
		is_array = key == NULL;
		if (is_array) {
			means = vec_grow(means, c.n - 1, &alloc, sizeof *means);
			means[c.n - 1] = mean_of(&item, a);
			if (means[c.n - 1] > means[most])
				most = c.n - 1;
		}
		if (is_array ? c.n > MAX_ITEMS || !json_read_text(&item, a)
			     : text_same(key, except))
			continue;
		key = is_array ? arena_printf(a, "[%zu]", c.n - 1)
			       : arena_strdup(a, key);
		add_scalars(x, &item, arena_join(a, head, ".", key), NULL);
	}
	if (is_array)
		add_cell(x, arena_printf(a, "%s.#", head),
		    arena_printf(a, "%zu", c.n));
	ratio =
	    is_array && c.n > 1 ? means[most] / stats_median(means, c.n) : NAN;
	if (isfinite(ratio)) {
		add_cell(x, arena_printf(a, "%s.slowest", head),
		    arena_printf(a, "%zu", most));
		add_cell(x, arena_printf(a, "%s.slowest_ratio", head),
		    arena_printf(a, "%.17g", ratio));
	}
	free(means);
}

/* Add a row for each value that the path leads to.
 *
 * head   names of the path above v
 * stars  number of '*' above v */
static void
add_rows(struct row_reader *x, const struct json_value *v, const char *path,
    const char *head, int stars)
{
	struct arena *a = x->t->arena;
	const size_t len = strcspn(path, "."), mark = x->n_cells;
	const char *rest = path + len + (path[len] == '.');
	const char *name = arena_strndup(a, path, len), *key;
	struct json_cursor c = { 0, NULL };
	struct json_value inner;

	if (strcmp(name, "*") == 0) {
		while (!is_done(x) && json_read_next(v, &c, &key, &inner)) {
			add_cell(x, arena_printf(a, "*%d", stars + 1),
			    key != NULL ? arena_strdup(a, key)
					: arena_printf(a, "%zu", c.n));
			add_rows(x, &inner, rest, head, stars + 1);
			x->n_cells = mark;
		}
		return;
	}
	add_scalars(x, v, head, len > 0 ? name : NULL);
	if (len == 0) {
		x->line++;
		finish_row(x);
	} else {
		json_read_member(v, name, &inner);
	}
	if (len > 0 && inner.json != NULL)
		add_rows(
		    x, &inner, rest, arena_join(a, head, ".", name), stars);
	x->n_cells = mark;
}

/* Read a row from each line, or all rows of the first path that leads to
 * any. */
static void
read_json(struct row_reader *x, const char *text, size_t len, int by_line)
{
	const struct form_list *paths = &x->form->keys[FORM_ROWS];
	const char *end = text + len;
	struct text_span l = { text, end };
	struct json_doc d;

	if (by_line)
		l = text_line(text, end);
	for (; l.s < end && !is_done(x); l = text_line_after(l, end)) {
		if (l.s + strspn(l.s, " \t\r") >= l.end) {
			x->line++;
			continue;
		}
		x->rc =
		    json_doc_parse(by_line ? arena_printf(x->t->arena, "%s:%ld",
						 x->name, x->line + 1)
					   : x->name,
			l.s, (size_t)(l.end - l.s), &d, x->e);
		if (x->rc != 0)
			return;
		if (by_line)
			x->rc = json_read_is_object(&d.top, x->e);
		for (size_t i = 0; i < paths->n && (by_line || x->t->n == 0);
		     i++)
			add_rows(x, &d.top, by_line ? "" : paths->lines[i].text,
			    "", 0);
		json_doc_release(&d);
	}
}

/* --- lines ---------------------------------------------------------------- */

/* Add a row for each match of a "row" pattern, in lines that match no "context"
 * pattern. */
static void
read_lines(struct row_reader *x, const char *text, size_t len)
{
	const struct form_list *keys = x->form->keys;
	const char *end = text + len;
	struct text_span l = text_line(text, end);
	size_t n_context = x->n_cells;

	for (; l.s < end && !is_done(x); l = text_line_after(l, end)) {
		const char *line;
		size_t from = 0;
		int is_context = 0;

		x->line++;
		line = arena_strndup(x->t->arena, l.s, (size_t)(l.end - l.s));
		for (size_t i = 0; i < keys[FORM_CONTEXT].n && !is_context; i++)
			is_context = add_match(
			    x, &keys[FORM_CONTEXT].lines[i], line, &from);
		/* Cells of this line replace those of contexts above. */
		for (size_t i = n_context; is_context && i < x->n_cells; i++) {
			size_t k = 0;

			while (k < n_context &&
			    x->cells[k].head != x->cells[i].head)
				k++;
			x->cells[k] = x->cells[i];
			n_context += k == n_context;
		}
		for (size_t i = 0; !is_context && i < keys[FORM_ROW].n; i++)
			while (
			    add_match(x, &keys[FORM_ROW].lines[i], line, &from))
				finish_row(x);
		x->n_cells = n_context;
	}
}

/* --- tables --------------------------------------------------------------- */

/* Name the heads as the declaration states. */
static void
name_heads(struct row_reader *x)
{
	const struct form_list *keys = x->form->keys;
	struct run_rows *t = x->t;
	struct arena *a = t->arena;
	const char **names = arena_calloc(a, t->n_heads, sizeof *names);

	for (size_t i = 0; i < keys[FORM_FIELD].n; i++) {
		char *heads = arena_strdup(a, keys[FORM_FIELD].lines[i].text);
		size_t k = t->n_heads;

		while (heads != NULL && (k == t->n_heads || names[k] != NULL))
			k = run_rows_head(t, strsep(&heads, "|"));
		if (k < t->n_heads && names[k] == NULL)
			names[k] = keys[FORM_FIELD].lines[i].word;
	}
	for (size_t k = 0; k < t->n_heads; k++) {
		const char *head = t->heads[k];

		for (size_t i = 0; i < keys[FORM_STRIP].n; i++) {
			const char *prefix = keys[FORM_STRIP].lines[i].text;
			const char *rest = head + strlen(prefix);

			if (names[k] == NULL &&
			    strncmp(head, prefix, strlen(prefix)) == 0)
				names[k] = is_own_name(rest)
				    ? rest
				    : arena_printf(a, "label_%s", rest);
		}
		if (names[k] == NULL)
			names[k] = keys[FORM_OTHERS].n > 0 ? head : "";
	}
	free(t->heads);
	t->heads = names;
}

/* False for most logs, whose first line has no separators or is a sentence. */
static int
has_heads(const char *text, size_t len)
{
	const char *eol = memchr(text, '\n', len);
	const size_t first = eol != NULL ? (size_t)(eol - text) : len;

	return (len > 0 && strchr("{[ \r\n#", text[0]) != NULL) ||
	    (strcspn(text, "\t,;|") < first &&
		memmem(text, first, ": ", 2) == NULL);
}

static int
read_form(struct run_rows *t, const char *name, const char *text, size_t len,
    const struct table_form *form, size_t most, struct error *e)
{
	struct row_reader x = {
		.t = t, .name = name, .form = form, .most = most, .e = e
	};
	const struct form_list *keys = form->keys;
	const char *start = text + strspn(text, " \t\r\n");
	const int is_json = start < text + len && strchr("{[", *start) != NULL;
	const int is_any = form->path == NULL;
	const char *beginning = len <= MAX_START || keys[FORM_HAS].n == 0
	    ? text
	    : arena_strndup(t->arena, text, MAX_START);
	const int by_line = is_any && *start == '{';

	if (is_any ? !has_heads(text, len) : (keys[FORM_ROWS].n > 0) != is_json)
		return 0;
	for (size_t i = 0; i < keys[FORM_HAS].n; i++)
		if (!add_match(&x, &keys[FORM_HAS].lines[i], beginning, NULL))
			return 0;
	t->is_lines = !is_json || by_line;
	for (size_t i = 0; i < keys[FORM_SET].n; i++)
		add_cell(&x, keys[FORM_SET].lines[i].word,
		    keys[FORM_SET].lines[i].text);
	if (is_json)
		read_json(&x, text, len, by_line);
	else if (keys[FORM_ROW].n > 0)
		read_lines(&x, text, len);
	else
		read_separated(&x, text, len);
	name_heads(&x);
	hash_index_release(&x.heads);
	free(x.cells);
	return x.rc;
}

int
run_rows_read(struct run_rows *t, const char *name, const char *text,
    size_t len, size_t most, struct error *e)
{
	struct arena *a = t->arena;
	const struct table_form *forms = table_forms(e);
	const struct table_form *f = forms != NULL ? forms : &form_any;
	int rc;

	do {
		*t = (struct run_rows){ .arena = a };
		t->is_declared = f->path != NULL;
		rc = read_form(
		    t, name, text, len, f, most, t->is_declared ? NULL : e);
		f++;
	} while (t->is_declared && (rc != 0 || t->n == 0));
	return forms != NULL ? rc : -1;
}
