#include <config.h>

#include "common/series/runs_table.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/hash_index.h"
#include "common/json/json.h"
#include "common/stats/stats.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "common/units/units.h"

enum {
	MAX_HEADS = 1024,
	MAX_ROWS = 1000000,
	MAX_CELL = 1 << 16,
	MAX_LINE = 1 << 20,
	MAX_ITEMS = 8, /* of an array, as cells */
	TEMPLATE_MAX_CELLS = 16
};

/* --- declarations --------------------------------------------------------- */

static const char *const key_names[N_FORM_KEYS] = { [FORM_HAS] = "has",
	[FORM_ROWS] = "rows",
	[FORM_CONTEXT] = "context",
	[FORM_ROW] = "row",
	[FORM_EACH] = "each",
	[FORM_STRIP] = "strip",
	[FORM_SPLIT] = "split",
	[FORM_PAIRS] = "pairs",
	[FORM_FIELD] = "field",
	[FORM_SET] = "set",
	[FORM_WORD] = "word",
	[FORM_ONLY] = "only",
	[FORM_SKIP] = "skip",
	[FORM_OTHERS] = "others" };

const struct table_form table_form_any = { .keys = {
					       [FORM_OTHERS] = { NULL, 1 } } };

/* The first word of *text, which is cut off with the blanks after it. */
static char *
take_word(char **text)
{
	char *word = *text;

	*text += strcspn(*text, " \t");
	if (**text != '\0')
		*(*text)++ = '\0';
	*text += strspn(*text, " \t");
	return word;
}

static int
read_form_line(struct table_form *f, char *text, long number, struct arena *a,
    struct error *e)
{
	const char *name = take_word(&text), *word = text;
	struct form_list *list;
	size_t key = 0;

	if (name[0] == '\0' || name[0] == '#')
		return 0;
	while (key < N_FORM_KEYS && strcmp(key_names[key], name) != 0)
		key++;
	if (key == N_FORM_KEYS || text[0] == '\0')
		return error_at(e, ERROR_INPUT, f->path, number, 0, "'%s' %s",
		    name, key == N_FORM_KEYS ? "is no key" : "has no value");
	/* Others are one template or path. */
	if (key >= FORM_SPLIT)
		word = take_word(&text);
	if ((key == FORM_FIELD || key == FORM_SET) &&
	    strncmp(word, "label:", 6) != 0 &&
	    run_field_find(word).head == NULL)
		return error_at(e, ERROR_INPUT, f->path, number, 0,
		    "unknown member '%s'", word);
	list = &f->keys[key];
	list->items =
	    arena_longer(a, list->items, list->n, sizeof *list->items);
	list->items[list->n++] = (struct result_pair){ word, text };
	return 0;
}

const struct table_form *
table_forms(size_t *n, struct error *e)
{
	/* A call with many operands asks for them at each. */
	static struct arena arena = ARENA_INIT;
	static struct table_form *forms;
	static size_t n_forms;
	char *folder =
	    forms == NULL ? install_path_find("tables", NULL, e) : NULL;
	int rc = forms == NULL && folder == NULL ? -1 : 0;
	glob_t found = { 0 };

	if (folder != NULL) {
		glob(arena_printf(&arena, "%s/*.table", folder), 0, NULL,
		    &found);
		forms = arena_calloc(&arena, found.gl_pathc + 1, sizeof *forms);
	}
	for (size_t i = 0; rc == 0 && i < found.gl_pathc; i++) {
		struct table_form *f = &forms[n_forms++];
		size_t len;
		char *whole = read_whole_file(found.gl_pathv[i], &len, e);
		char *text = arena_strdup(&arena, whole), *line;

		f->path = arena_strdup(&arena, found.gl_pathv[i]);
		free(whole);
		rc = text == NULL ? -1 : 0;
		for (long number = 1;
		     rc == 0 && (line = strsep(&text, "\n")) != NULL; number++)
			rc = read_form_line(f, line, number, &arena, e);
	}
	globfree(&found);
	free(folder);
	if (rc != 0) {
		forms = NULL;
		n_forms = 0;
	}
	*n = n_forms;
	return forms;
}

/* --- templates ------------------------------------------------------------ */

/* Texts that the names in braces of a template stand for. */
struct template_match {
	struct result_pair cells[TEMPLATE_MAX_CELLS];
	size_t n;
};

/* Match a whole text: "{name} = {value}". A name stands for a text of at least
 * one byte, the shortest before what follows it; "{name#}" for digits.
 *
 * Returns 1, or 0 without a match. The cells are in a. */
static int
template_matches(struct arena *a, const char *template, const char *text,
    struct template_match *m)
{
	m->n = 0;
	for (;;) {
		const size_t before = strcspn(template, "{");
		const char *name = template + before + 1, *end;
		size_t len, follows;

		if (strncmp(template, text, before) != 0)
			return 0;
		text += before;
		if (template[before] == '\0')
			return *text == '\0';
		len = strcspn(name, "}");
		if (name[len] == '\0' || *text == '\0' ||
		    m->n == TEMPLATE_MAX_CELLS)
			return 0;
		template = name + len + 1;
		/* A text after the last name ends the text. */
		follows = strcspn(template, "{");
		end = text + strlen(text);
		if (follows > 0 && template[follows] == '\0')
			end -= follows < (size_t)(end - text)
			    ? follows
			    : (size_t)(end - text) - 1;
		else if (follows > 0)
			end = memmem(
			    text + 1, strlen(text + 1), template, follows);
		if (end == NULL ||
		    (name[len - 1] == '#' &&
			strspn(text, "0123456789") < (size_t)(end - text)))
			return 0;
		m->cells[m->n++] = (struct result_pair){
			arena_strndup(a, name, len - (name[len - 1] == '#')),
			arena_strndup(a, text, (size_t)(end - text))
		};
		text = end;
	}
}

/* Replace the names in braces by their cells. */
static const char *
template_fill(
    struct arena *a, const char *template, const struct template_match *m)
{
	const size_t before = strcspn(template, "{");
	const char *name = template + before + 1, *value = "";
	size_t len;

	if (template[before] == '\0' || name[len = strcspn(name, "}")] == '\0')
		return template;
	for (size_t i = 0; i < m->n; i++)
		if (strlen(m->cells[i].key) == len &&
		    strncmp(m->cells[i].key, name, len) == 0)
			value = m->cells[i].value;
	return arena_printf(a, "%.*s%s%s", (int)before, template, value,
	    template_fill(a, name + len + 1, m));
}

/* --- rows ----------------------------------------------------------------- */

/* State while reading. After an error, which is reported once, rc is -1 and
 * what is added does not matter. */
struct row_reader {
	struct run_rows *t;
	const char *name;
	const struct table_form *form;
	int first;
	struct result_pair *context; /* cells that hold for rows below */
	size_t n_context, alloc_context;
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

	for (size_t k = t->n_heads; k-- > 0;)
		if (strcmp(t->heads[k], name) == 0)
			return k;
	for (size_t k = t->n_heads; k-- > 0;) {
		const size_t n = strlen(t->heads[k]);

		if (n > len && t->heads[k][n - len - 1] == '.' &&
		    strcmp(t->heads[k] + n - len, name) == 0)
			return k;
	}
	return t->n_heads;
}

static int
is_done(const struct row_reader *x)
{
	return x->rc != 0 || (x->first && x->t->n > 0);
}

static void
limit(struct row_reader *x, int most, const char *of)
{
	if (x->rc == 0)
		x->rc = error_set(x->e, ERROR_LIMIT, "%s: more than %d %s",
		    x->name, most, of);
}

/* Index of a head, which is added if it is new. */
static size_t
place_of(struct row_reader *x, const char *head)
{
	struct run_rows *t = x->t;

	for (size_t k = 0; k < t->n_heads; k++)
		if (strcmp(t->heads[k], head) == 0)
			return k;
	if (t->n_heads == MAX_HEADS) {
		limit(x, MAX_HEADS, "columns");
		return 0;
	}
	t->heads = arena_grow(t->arena, t->heads, t->n_heads, sizeof *t->heads);
	t->heads[t->n_heads] = head;
	return t->n_heads++;
}

static void
set_cell(struct row_reader *x, struct run_row *row, size_t k, const char *text)
{
	if (k >= row->n) {
		const char **cells =
		    arena_calloc(x->t->arena, x->t->n_heads + 1, sizeof *cells);

		if (row->n > 0)
			memcpy(cells, row->cells, row->n * sizeof *cells);
		row->cells = cells;
		row->n = x->t->n_heads;
	}
	row->cells[k] = text;
}

static void
set_cells(struct row_reader *x, struct run_row *row,
    const struct result_pair *cells, size_t n)
{
	for (size_t i = 0; i < n && x->rc == 0; i++)
		set_cell(x, row, place_of(x, cells[i].key), cells[i].value);
}

/* Add a row that begins with the cells of the context. */
static struct run_row *
new_row(struct row_reader *x, long line)
{
	struct run_rows *t = x->t;

	if (t->n == MAX_ROWS) {
		limit(x, MAX_ROWS, "rows");
		t->n--;
	}
	t->rows = arena_grow(t->arena, t->rows, t->n, sizeof *t->rows);
	t->rows[t->n] = (struct run_row){ .line = line };
	set_cells(x, &t->rows[t->n], x->context, x->n_context);
	return &t->rows[t->n++];
}

static void
add_context(struct row_reader *x, const char *head, const char *text)
{
	x->context = vec_grow(
	    x->context, x->n_context, &x->alloc_context, sizeof *x->context);
	x->context[x->n_context++] = (struct result_pair){ head, text };
}

/* --- CSV ------------------------------------------------------------------ */

/* A cell without blanks at its end, and without what keeps spreadsheets from
 * evaluating it. */
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
read_csv(struct row_reader *x, const char *text, size_t len)
{
	const char *end = text + len;
	const char separator = text_separator(text_line(text, end), "\t,;|");
	struct arena *a = x->t->arena;
	const char **cells = arena_calloc(a, MAX_HEADS, sizeof *cells);
	size_t *places = NULL, n_columns = 0;

	x->t->is_lines = 1;
	for (long line = 1; text < end && !is_done(x); line++) {
		struct run_row *row;
		size_t n = 0;

		do {
			struct strbuf sb = STRBUF_INIT(MAX_CELL);

			text = text_csv_cell(text, end, separator, &sb);
			if (n < MAX_HEADS)
				cells[n++] = plain_cell(strbuf_finish(&sb, a));
			strbuf_release(&sb);
		} while (text < end && *text++ == separator);
		if ((n == 1 && cells[0][0] == '\0') || cells[0][0] == '#')
			continue;
		if (places == NULL) {
			n_columns = n;
			places = arena_calloc(a, n, sizeof *places);
			for (size_t k = 0; k < n; k++)
				places[k] = place_of(x, cells[k]);
			continue;
		}
		if (n != n_columns && x->form->path == NULL) {
			x->rc = error_set(x->e, ERROR_INPUT,
			    "%s:%ld: %zu cells, not %zu as in the head",
			    x->name, line, n, n_columns);
			break;
		}
		row = new_row(x, line);
		for (size_t k = 0; k < n && k < n_columns; k++)
			set_cell(x, row, places[k], cells[k]);
	}
}

/* --- JSON ----------------------------------------------------------------- */

/* Of an array of arrays of numbers, such as the times of processes, add the
 * number of that with the highest mean, from 0, and the ratio of this mean to
 * the median of all means. */
static void
add_slowest(struct row_reader *x, const struct json_value *v, const char *head)
{
	struct json_cursor c = { 0, NULL };
	struct json_value list, item;
	struct arena *a = x->t->arena;
	double *means = NULL, number;
	size_t n = 0, alloc = 0, most = 0;
	const char *key;

	while (json_read_next(v, &c, &key, &list)) {
		struct json_cursor at = { 0, NULL };
		double sum = 0;

		while (json_read_next(&list, &at, &key, &item)) {
			const char *text = json_read_text(&item, a);

			sum += text != NULL &&
				parse_double(
				    text, 0, RESULT_NUMBER_MAX, &number) == 0
			    ? number
			    : NAN;
		}
		means = vec_grow(means, n, &alloc, sizeof *means);
		means[n] = sum / (double)at.n;
		most = n++ > 0 && means[most] >= means[n - 1] ? most : n - 1;
	}
	number = n > 1 ? means[most] / stats_median(means, n) : NAN;
	if (isfinite(number)) {
		add_context(x, arena_printf(a, "%s.slowest", head),
		    arena_printf(a, "%zu", most));
		add_context(x, arena_printf(a, "%s.slowest_ratio", head),
		    arena_printf(a, "%.17g", number));
	}
	free(means);
}

/* Add the scalars in a value to the context, except those of the member that
 * the path of the rows descends into.
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
	int is_array = 0;

	if (text != NULL)
		add_context(x, head[0] != '\0' ? head : ".", text);
	while (json_read_next(v, &c, &key, &item)) {
		is_array = key == NULL;
		if (is_array ? c.n > MAX_ITEMS || !json_read_text(&item, a)
			     : text_same(key, except))
			continue;
		key = is_array ? arena_printf(a, "[%zu]", c.n - 1)
			       : arena_strdup(a, key);
		add_scalars(x, &item, arena_join(a, head, ".", key), NULL);
	}
	if (is_array) {
		add_context(x, arena_printf(a, "%s.#", head),
		    arena_printf(a, "%zu", c.n));
		add_slowest(x, v, head);
	}
}

/* Add a row for each value that the path leads to.
 *
 * head   names of the path above v
 * stars  number of '*' above v
 * line   of the row; 0: its number */
static void
expand(struct row_reader *x, const struct json_value *v, const char *path,
    const char *head, int stars, long line)
{
	struct arena *a = x->t->arena;
	const size_t len = strcspn(path, "."), mark = x->n_context;
	const char *rest = path + len + (path[len] == '.');
	const char *name = arena_strndup(a, path, len), *key;
	struct json_cursor c = { 0, NULL };
	struct json_value inner;

	if (strcmp(name, "*") == 0) {
		while (!is_done(x) && json_read_next(v, &c, &key, &inner)) {
			add_context(x, arena_printf(a, "*%d", stars + 1),
			    key != NULL ? arena_strdup(a, key)
					: arena_printf(a, "%zu", c.n));
			expand(x, &inner, rest, head, stars + 1, line);
			x->n_context = mark;
		}
		return;
	}
	add_scalars(x, v, head, len > 0 ? name : NULL);
	if (len == 0)
		new_row(x, line > 0 ? line : (long)x->t->n + 1);
	else
		json_read_member(v, name, &inner);
	if (len > 0 && inner.json != NULL)
		expand(x, &inner, rest, arena_join(a, head, ".", name), stars,
		    line);
	x->n_context = mark;
}

/* Read a row of each line, or of what the first path leads to that leads to
 * rows. */
static void
read_json(struct row_reader *x, const char *text, size_t len, int by_line)
{
	struct result_pair any = { "*", "*" };
	const struct form_list all = { &any, 1 };
	const struct form_list *paths =
	    x->form->path != NULL ? &x->form->keys[FORM_ROWS] : &all;
	const char *end = text + len;
	struct text_span l = { text, end };
	struct json_doc d;

	x->t->is_lines = by_line;
	if (by_line)
		l = text_line(text, end);
	for (long line = 1; l.s < end && !is_done(x);
	     l = text_line_after(l, end), line++) {
		if (l.s + strspn(l.s, " \t\r") >= l.end)
			continue;
		x->rc = json_doc_parse(by_line
			? arena_printf(x->t->arena, "%s:%ld", x->name, line)
			: x->name,
		    l.s, (size_t)(l.end - l.s), &d, x->e);
		if (x->rc != 0)
			return;
		if (by_line)
			x->rc = json_read_is_object(&d.top, x->e);
		if (x->rc == 0 && by_line)
			expand(x, &d.top, "", "", 0, line);
		for (size_t i = 0; !by_line && i < paths->n && x->t->n == 0;
		     i++)
			expand(x, &d.top, paths->items[i].value, "", 0, 0);
		json_doc_release(&d);
	}
}

/* --- lines ---------------------------------------------------------------- */

/* A line without blanks at its ends, and with one blank for several. */
static char *
plain_line(struct arena *a, struct text_span l)
{
	char *line = arena_strndup(a, l.s, (size_t)(l.end - l.s)), *to = line;

	for (const char *at = line; *at != '\0'; at++) {
		const char byte = strchr("\t\r", *at) != NULL ? ' ' : *at;

		if (byte != ' ' || (to > line && to[-1] != ' '))
			*to++ = byte;
	}
	while (to > line && to[-1] == ' ')
		to--;
	*to = '\0';
	return line;
}

/* Match the templates of a key, in their order. */
static int
any_matches(const struct row_reader *x, enum form_key key, const char *text,
    struct template_match *m)
{
	const struct form_list *l = &x->form->keys[key];

	for (size_t i = 0; i < l->n; i++)
		if (template_matches(x->t->arena, l->items[i].value, text, m))
			return 1;
	return 0;
}

static void
read_lines(struct row_reader *x, const char *text, size_t len)
{
	const char *end = text + len;
	struct text_span l = text_line(text, end);

	x->t->is_lines = 1;
	for (long n = 1; l.s < end && !is_done(x);
	     l = text_line_after(l, end), n++) {
		const char *line, *key = NULL;
		struct template_match m;
		char *values = NULL;

		if (l.end - l.s > MAX_LINE)
			continue;
		line = plain_line(x->t->arena, l);
		if (any_matches(x, FORM_CONTEXT, line, &m)) {
			/* "{KEY}: {VALUE}" sets the head KEY. */
			for (size_t i = 0; i < m.n; i++) {
				const struct result_pair c = m.cells[i];

				if (strcmp(c.key, "KEY") == 0)
					key = c.value;
				else
					add_context(x,
					    key != NULL &&
						    !strcmp(c.key, "VALUE")
						? key
						: c.key,
					    c.value);
			}
			continue;
		}
		if (!any_matches(x, FORM_ROW, line, &m))
			continue;
		/* "{values}" holds pairs of value and unit, each a row. */
		for (size_t i = 0; i < m.n; i++)
			if (strcmp(m.cells[i].key, "values") == 0) {
				values =
				    arena_strdup(x->t->arena, m.cells[i].value);
				m.cells[i] = m.cells[--m.n];
			}
		do {
			struct run_row *row = new_row(x, n);
			struct result_pair pair[2] = { { "value", NULL },
				{ "unit", "" } };

			set_cells(x, row, m.cells, m.n);
			if (values == NULL)
				break;
			pair[0].value = strsep(&values, " ");
			if (values != NULL)
				pair[1].value = strsep(&values, " ");
			set_cells(x, row, pair, 2);
		} while (values != NULL && x->rc == 0);
	}
}

/* --- cells of cells ------------------------------------------------------- */

/* Make cells of the parts k=v of a head's cells, with the heads "HEAD.k"; the
 * other parts stay. */
static void
split_pairs(struct row_reader *x, const char *name)
{
	const size_t head = run_rows_head(x->t, name);
	struct arena *a = x->t->arena;

	for (size_t i = 0; x->rc == 0 && i < x->t->n; i++) {
		struct run_row *row = &x->t->rows[i];
		char *parts = arena_strdup(a, run_row_cell(row, head)), *part;
		const char *others = NULL;

		if (strchr(parts, '=') == NULL)
			continue;
		while ((part = strsep(&parts, "/")) != NULL) {
			char *value = strchr(part, '=');

			if (value == NULL) {
				others = arena_join(a, others, "/", part);
				continue;
			}
			*value++ = '\0';
			set_cell(x, row,
			    place_of(x, arena_join(a, name, ".", part)), value);
		}
		set_cell(x, row, head, others != NULL ? others : "");
	}
}

/* Replace each row by one for each head that a template matches, with the cells
 * of the template, and under the names of fields those of the heads that the
 * template fills. */
static void
each_head(struct row_reader *x, const char *template)
{
	const struct form_list *fields = &x->form->keys[FORM_FIELD];
	struct run_rows *t = x->t;
	const size_t n_heads = t->n_heads, n = t->n;
	const struct run_row *old = t->rows;

	t->rows = NULL;
	t->n = 0;
	for (size_t i = 0; x->rc == 0 && i < n * n_heads; i++) {
		const struct run_row *from = &old[i / n_heads];
		struct template_match m;
		struct run_row *row;

		if (run_row_cell(from, i % n_heads)[0] == '\0' ||
		    !template_matches(
			t->arena, template, t->heads[i % n_heads], &m))
			continue;
		row = new_row(x, from->line);
		for (size_t k = 0; k < from->n; k++)
			if (from->cells[k] != NULL)
				set_cell(x, row, k, from->cells[k]);
		set_cells(x, row, m.cells, m.n);
		for (size_t k = 0; k < fields->n; k++) {
			const char *head = fields->items[k].value;
			const size_t at =
			    run_rows_head(t, template_fill(t->arena, head, &m));

			if (strchr(head, '{') != NULL)
				set_cell(x, row, place_of(x, head),
				    run_row_cell(from, at));
		}
	}
}

/* Apply the keys of a declaration to all rows. */
static void
shape_rows(struct row_reader *x)
{
	const struct form_list *keys = x->form->keys;
	struct run_rows *t = x->t;
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct run_row *row = &t->rows[i];
		const char *done = NULL;
		struct template_match m;

		/* Of several templates of one head the first that matches
		 * counts. */
		for (size_t k = 0; k < keys[FORM_SPLIT].n; k++) {
			const struct result_pair *how =
			    &keys[FORM_SPLIT].items[k];

			if (text_same(done, how->key) ||
			    !template_matches(t->arena, how->value,
				run_row_cell(row, run_rows_head(t, how->key)),
				&m))
				continue;
			done = how->key;
			set_cells(x, row, m.cells, m.n);
		}
	}
	for (size_t i = 0; i < keys[FORM_PAIRS].n; i++)
		split_pairs(x, keys[FORM_PAIRS].items[i].key);
	for (size_t i = 0; i < keys[FORM_EACH].n; i++)
		each_head(x, keys[FORM_EACH].items[i].value);
	/* Keep the rows that have the text of each "only" whose head the table
	 * has, and of no "skip". */
	for (size_t i = 0; i < t->n && !x->first; i++) {
		int counts = 1;

		for (size_t key = FORM_ONLY; key <= FORM_SKIP; key++)
			for (size_t k = 0; k < keys[key].n; k++) {
				const struct result_pair *p =
				    &keys[key].items[k];
				const size_t head = run_rows_head(t, p->key);

				counts &= head == t->n_heads ||
				    (strcmp(run_row_cell(&t->rows[i], head),
					 p->value) == 0) == (key == FORM_ONLY);
			}
		if (counts)
			t->rows[kept++] = t->rows[i];
	}
	t->n = x->first ? t->n : kept;
}

int
run_rows_read(struct run_rows *t, const char *name, const char *text,
    size_t len, const struct table_form *form, int first, struct error *e)
{
	struct row_reader x = {
		.t = t, .name = name, .form = form, .first = first, .e = e
	};
	const char *start = text + strspn(text, " \t\r\n");
	const int is_json = start < text + len && strchr("{[", *start) != NULL;

	if (form->path != NULL && (form->keys[FORM_ROWS].n > 0) != is_json)
		return 0;
	if (form->keys[FORM_ROW].n > 0)
		read_lines(&x, text, len);
	else if (is_json)
		read_json(&x, text, len, form->path == NULL && *start == '{');
	else
		read_csv(&x, text, len);
	x.n_context = 0;
	shape_rows(&x);
	free(x.context);
	return x.rc;
}

/* --- heads ---------------------------------------------------------------- */

int
head_is(const char *head, enum head_words words)
{
	static const char *const words_of[] = {
		[HEAD_IDENTITY] =
		    " job jobid jobname jobuuid slurmjobid id uuid runid "
		    "runuuid batchid jubewpid jubebenchmarkid host hostname "
		    "machinename node nodelist jobnodelist path file filename "
		    "url hash hashcode commit gitcommit sha user ",
		[HEAD_TIME] = " date datetime time timestamp started ended "
			      "start end starttime endtime ",
		[HEAD_RUN] = " run runnumber runindex repeat repetition rep "
			     "replica replicate trial attempt jubewpiteration ",
		[HEAD_STEP] = " step steps iter iteration iterations "
			      "globalstep epoch batchidx trainerglobalstep ",
		[HEAD_METRIC] = " metric name measure variable ",
		[HEAD_PARALLEL] =
		    " tp pp dp cp ep etp sp vp vpp fsdp fsdp2 hsdp ddp zero "
		    "zerostage tpsize ppsize dpsize cpsize epsize "
		    "tensorparallel pipelineparallel dataparallel "
		    "contextparallel expertparallel tensorparallelsize "
		    "pipelineparallelsize dataparallelsize "
		    "contextparallelsize expertparallelsize "
		    "tensormodelparallelsize pipelinemodelparallelsize "
		    "dataparallelshard dataparallelreplicate ",
	};
	char word[PUBLISHED_WORD_SIZE];

	return strstr(words_of[words],
		   published_word(head, strlen(head), word)) != NULL;
}

/* Cut an ending off, ignoring case. Returns 1 if the text has it. */
static int
cut_ending(char *text, const char *ending)
{
	const size_t len = strlen(text), n = strlen(ending);

	if (len <= n || strcasecmp(text + len - n, ending) != 0)
		return 0;
	text[len - n] = '\0';
	return 1;
}

char *
published_head(struct arena *a, const char *head, int *per_gpu)
{
	static const char *const gpus[] = { "/gpu", "_per_gpu", " per gpu",
		"/device", "/chip" };
	char *text = arena_strdup(a, head), *open = strpbrk(text, "(["), *unit;

	if (open != NULL && open > text) {
		unit = arena_strndup(a, open + 1, strcspn(open + 1, ")]"));
		*open = '\0';
		cut_ending(text, " ");
	} else {
		unit = text;
	}
	*per_gpu = 0;
	for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++)
		*per_gpu |= strpbrk(unit, "/_ ") != NULL &&
		    (strstr(unit, "/s") != NULL ||
			strcasestr(unit, "per") != NULL) &&
		    strcasestr(unit, "batch") == NULL &&
		    cut_ending(unit, gpus[i]);
	cut_ending(text, "_avg");
	if (unit != text)
		return arena_printf(a, "%s (%s)", text, unit);
	unit = strrchr(text, '_');
	if (unit != NULL && published_unit_find(unit + 1, strlen(unit + 1)))
		return arena_printf(
		    a, "%.*s (%s)", (int)(unit - text), text, unit + 1);
	unit = arena_strdup(a, text);
	for (char *at = unit; *at != '\0'; at++)
		*at = *at == '_' ? ' ' : *at;
	return published_unit_find(unit, strlen(unit)) != NULL ? unit : text;
}

struct value_unit
value_unit_of(struct arena *a, const char *text, enum published_role role)
{
	struct value_unit u = { NULL, 1, 0 };
	struct published_column c;
	char *plain = published_head(a, text, &u.per_gpu);
	const struct published_unit *unit;

	cut_ending(plain, "/op");
	unit = published_unit_find(plain, strlen(plain));
	if (unit == NULL) {
		published_head_read(a, plain, &c);
		unit = c.unit;
		role = role == PUBLISHED_OTHER ? c.role : role;
	}
	if (unit == NULL) {
		u.name = role == PUBLISHED_RATE ? "samples/s" : NULL;
	} else if (unit->measure == PUBLISHED_PER_SECOND) {
		u.name = unit->rate;
		u.scale = unit->scale;
	} else if (unit->measure == PUBLISHED_BITS_PER_SECOND) {
		u.name = "GB/s";
		u.scale = unit->scale / 8e9;
	} else if (unit->measure != PUBLISHED_SECONDS) {
		u.name = unit->name;
	} else if (role == PUBLISHED_DURATION || unit->scale >= 60) {
		/* The time of a whole training is in minutes. */
		u = (struct value_unit){ "min", unit->scale / 60, 0 };
	} else {
		u = (struct value_unit){ "s", unit->scale, 0 };
	}
	return u;
}

int
run_rows_are_unique(const struct run_rows *t, size_t head)
{
	struct hash_index known = HASH_INDEX_INIT;
	const char **texts = xcalloc(t->n + 1, sizeof *texts);
	size_t i = 0;

	for (; t->n > 1 && i < t->n; i++) {
		const char *text = run_row_cell(&t->rows[i], head);
		const size_t len = strlen(text);
		double stamp;

		texts[i] = text;
		if (hash_index_first(&known, texts, i) != i ||
		    (len < 5 && strchr(text, '.') == NULL) ||
		    (strpbrk(text, "/.") == NULL &&
			strspn(text, "0123456789abcdefABCDEF-_") != len &&
			stamp_parse(text, len, &stamp) != STAMP_DATE))
			break;
	}
	hash_index_release(&known);
	free(texts);
	return t->n > 1 && i == t->n;
}
