#include <config.h>

#include "common/series/run_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json_read.h"
#include "common/strbuf.h"
#include "common/stats/stats.h"
#include "common/text.h"

enum {
	MAX_HEADS = 1024,
	MAX_ROWS = 1000000,
	MAX_CELL = 1 << 16,
	MAX_LINE = 1 << 20,
	MAX_ITEMS = 8 /* of an array, as cells */
};

/* State while reading. */
struct row_reader {
	struct run_rows *t;
	const char *name;
	const struct table_form *form;
	int first;
	struct result_pair *context; /* cells that hold for rows below */
	size_t n_context, alloc_context;
	struct error *e;
};

/* --- rows ----------------------------------------------------------------- */

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

void
run_rows_release(struct run_rows *t)
{
	free(t->heads);
	free(t->rows);
}

static int
add_head(struct run_rows *t, const char *head, size_t *k, struct error *e)
{
	for (*k = 0; *k < t->n_heads; ++*k)
		if (strcmp(t->heads[*k], head) == 0)
			return 0;
	if (t->n_heads == MAX_HEADS)
		return error_set(
		    e, ERROR_LIMIT, "more than %d columns", MAX_HEADS);
	t->heads =
	    vec_grow(t->heads, t->n_heads, &t->alloc_heads, sizeof *t->heads);
	t->heads[t->n_heads++] = head;
	return 0;
}

static struct run_row *
new_row(struct row_reader *x, long line)
{
	struct run_rows *t = x->t;

	if (t->n == MAX_ROWS) {
		error_set(x->e, ERROR_LIMIT, "%s: more than %d rows", x->name,
		    MAX_ROWS);
		return NULL;
	}
	t->rows = vec_grow(t->rows, t->n, &t->alloc, sizeof *t->rows);
	t->rows[t->n] = (struct run_row){ .line = line };
	return &t->rows[t->n++];
}

static int
set_cell(struct row_reader *x, struct run_row *row, const char *head,
    const char *text)
{
	size_t k;

	if (add_head(x->t, head, &k, x->e) != 0)
		return error_prefix(x->e, "%s", x->name);
	if (k >= row->n) {
		const char **cells =
		    arena_calloc(x->t->arena, x->t->n_heads + 1, sizeof *cells);

		if (row->n > 0)
			memcpy(cells, row->cells, row->n * sizeof *cells);
		row->cells = cells;
		row->n = x->t->n_heads;
	}
	row->cells[k] = text;
	return 0;
}

static void
add_context(struct row_reader *x, const char *head, const char *text)
{
	x->context = vec_grow(
	    x->context, x->n_context, &x->alloc_context, sizeof *x->context);
	x->context[x->n_context++] = (struct result_pair){ head, text };
}

/* Add a row that begins with the cells of the context. */
static struct run_row *
row_of_context(struct row_reader *x, long line)
{
	struct run_row *row = new_row(x, line);

	for (size_t i = 0; row != NULL && i < x->n_context; i++)
		if (set_cell(x, row, x->context[i].key, x->context[i].value) !=
		    0)
			return NULL;
	return row;
}

/* --- CSV ------------------------------------------------------------------ */

struct csv_reader {
	const char *at, *end;
	char separator;
	long line;
	const char *cells[MAX_HEADS];
	size_t n;
};

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

/* Read the next row that is neither empty nor a comment. Returns 0 at the
 * end. */
static int
read_row(struct csv_reader *c, struct arena *a)
{
	while (c->at < c->end) {
		struct strbuf sb;

		c->line++;
		c->n = 0;
		do {
			strbuf_init(&sb, MAX_CELL);
			c->at = text_csv_cell(c->at, c->end, c->separator, &sb);
			if (c->n < MAX_HEADS)
				c->cells[c->n++] =
				    plain_cell(strbuf_finish(&sb, a));
			strbuf_release(&sb);
		} while (c->at < c->end && *c->at++ == c->separator);
		if ((c->n > 1 || c->cells[0][0] != '\0') &&
		    c->cells[0][0] != '#')
			return 1;
	}
	return 0;
}

static int
read_csv(struct row_reader *x, const char *text, size_t len)
{
	struct csv_reader *c = xmalloc(sizeof *c);
	size_t n_columns, *places;
	int rc = 0;

	*c = (struct csv_reader){ .at = text,
		.end = text + len,
		.separator =
		    text_separator(text_line(text, text + len), "\t,;|") };
	x->t->is_lines = 1;
	if (!read_row(c, x->t->arena)) {
		free(c);
		return 0;
	}
	n_columns = c->n;
	places = xcalloc(n_columns, sizeof *places);
	for (size_t k = 0; rc == 0 && k < n_columns; k++)
		rc = add_head(x->t, c->cells[k], &places[k], x->e);
	while (
	    rc == 0 && !(x->first && x->t->n > 0) && read_row(c, x->t->arena)) {
		struct run_row *row;

		if (c->n != n_columns && x->form->name == NULL)
			rc = error_set(x->e, ERROR_INPUT,
			    "%s:%ld: %zu cells, not %zu as in the head",
			    x->name, c->line, c->n, n_columns);
		row = rc == 0 ? new_row(x, c->line) : NULL;
		rc = row != NULL ? 0 : -1;
		for (size_t k = 0; rc == 0 && k < c->n && k < n_columns; k++)
			rc = set_cell(
			    x, row, x->t->heads[places[k]], c->cells[k]);
	}
	free(places);
	free(c);
	return rc;
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
		if (head[0] != '\0')
			key = arena_printf(a, "%s.%s", head, key);
		add_scalars(x, &item, key, NULL);
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
 * stars  number of '*' above v */
static int
expand(struct row_reader *x, const struct json_value *v, const char *path,
    const char *head, int stars)
{
	struct arena *a = x->t->arena;
	const size_t len = strcspn(path, "."), mark = x->n_context;
	const char *rest = path + len + (path[len] == '.');
	const char *name = arena_strndup(a, path, len), *key;
	struct json_cursor c = { 0, NULL };
	struct json_value inner;
	int rc = 0;

	if (x->first && x->t->n > 0)
		return 0;
	if (strcmp(name, "*") == 0) {
		while (rc == 0 && json_read_next(v, &c, &key, &inner)) {
			add_context(x, arena_printf(a, "*%d", stars + 1),
			    key != NULL ? arena_strdup(a, key)
					: arena_printf(a, "%zu", c.n));
			rc = expand(x, &inner, rest, head, stars + 1);
			x->n_context = mark;
		}
		return rc;
	}
	add_scalars(x, v, head, len > 0 ? name : NULL);
	if (len == 0) {
		rc = row_of_context(x, (long)x->t->n + 1) != NULL ? 0 : -1;
	} else {
		json_read_member(v, name, &inner);
		if (inner.json != NULL)
			rc = expand(x, &inner, rest,
			    head[0] == '\0'
				? name
				: arena_printf(a, "%s.%s", head, name),
			    stars);
	}
	x->n_context = mark;
	return rc;
}

/* Read a line for each object. */
static int
read_json_lines(struct row_reader *x, const char *text, size_t len)
{
	const char *end = text + len;
	struct text_span l = text_line(text, end);
	int rc = 0;

	x->t->is_lines = 1;
	for (long line = 1; rc == 0 && l.s < end && !(x->first && x->t->n > 0);
	     l = text_line_after(l, end), line++) {
		struct json_doc d;

		if (l.s + strspn(l.s, " \t\r") >= l.end)
			continue;
		rc = json_doc_parse(
		    arena_printf(x->t->arena, "%s:%ld", x->name, line), l.s,
		    (size_t)(l.end - l.s), &d, x->e);
		if (rc != 0)
			return -1;
		rc = json_read_is_object(&d.top, x->e);
		if (rc == 0)
			rc = expand(x, &d.top, "", "", 0);
		if (rc == 0)
			x->t->rows[x->t->n - 1].line = line;
		json_doc_release(&d);
	}
	return rc;
}

/* --- lines ---------------------------------------------------------------- */

/* A line without blanks at its ends, and with one blank for several. */
static char *
plain_line(struct arena *a, const char *s, size_t len)
{
	char *line = arena_strndup(a, s, len), *to = line;

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

/* Add the row of a line, or one for each of the pairs of value and unit that
 * its cell "values" holds. */
static int
add_line_rows(struct row_reader *x, const struct template_match *m, long line)
{
	struct arena *a = x->t->arena;
	char *pairs = NULL;

	do {
		struct run_row *row = row_of_context(x, line);
		int rc = row != NULL ? 0 : -1;

		for (size_t i = 0; rc == 0 && i < m->n; i++) {
			if (strcmp(m->cells[i].key, "values") != 0)
				rc = set_cell(
				    x, row, m->cells[i].key, m->cells[i].value);
			else if (pairs == NULL)
				pairs = arena_strdup(a, m->cells[i].value);
		}
		if (rc == 0 && pairs != NULL) {
			const char *value = strsep(&pairs, " ");
			const char *unit =
			    pairs != NULL ? strsep(&pairs, " ") : "";

			rc = set_cell(x, row, "value", value);
			if (rc == 0)
				rc = set_cell(x, row, "unit", unit);
		}
		if (rc != 0)
			return -1;
	} while (pairs != NULL);
	return 0;
}

static int
read_lines(struct row_reader *x, const char *text, size_t len)
{
	const struct form_list *rows = &x->form->keys[FORM_ROW];
	const struct form_list *contexts = &x->form->keys[FORM_CONTEXT];
	const char *end = text + len;
	struct text_span l = text_line(text, end);
	int rc = 0;

	x->t->is_lines = 1;
	for (long n = 1; rc == 0 && l.s < end && !(x->first && x->t->n > 0);
	     l = text_line_after(l, end), n++) {
		struct template_match m;
		const char *line;
		size_t i = 0;

		if (l.end - l.s > MAX_LINE)
			continue;
		line = plain_line(x->t->arena, l.s, (size_t)(l.end - l.s));
		while (i < contexts->n &&
		    !template_matches(
			x->t->arena, contexts->items[i].value, line, &m))
			i++;
		if (i < contexts->n) {
			const char *key = NULL;

			/* "{KEY}: {VALUE}" sets the head KEY. */
			for (i = 0; i < m.n; i++)
				if (strcmp(m.cells[i].key, "KEY") == 0)
					key = m.cells[i].value;
				else
					add_context(x,
					    key != NULL &&
						    strcmp(m.cells[i].key,
							"VALUE") == 0
						? key
						: m.cells[i].key,
					    m.cells[i].value);
			continue;
		}
		for (i = 0; i < rows->n; i++)
			if (template_matches(
				x->t->arena, rows->items[i].value, line, &m)) {
				rc = add_line_rows(x, &m, n);
				break;
			}
	}
	return rc;
}

/* --- cells of cells ------------------------------------------------------- */

/* Make cells of the parts k=v of a head's cells; the other parts stay. */
static int
split_pairs(struct row_reader *x, const char *name)
{
	const size_t head = run_rows_head(x->t, name);
	struct arena *a = x->t->arena;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->t->n; i++) {
		char *parts =
			 arena_strdup(a, run_row_cell(&x->t->rows[i], head)),
		     *part;
		const char *others = NULL;

		if (strchr(parts, '=') == NULL)
			continue;
		while (rc == 0 && (part = strsep(&parts, "/")) != NULL) {
			char *value = strchr(part, '=');

			if (value == NULL) {
				others = arena_join(a, others, "/", part);
				continue;
			}
			*value++ = '\0';
			rc = set_cell(x, &x->t->rows[i], part, value);
		}
		if (rc == 0)
			rc = set_cell(x, &x->t->rows[i], x->t->heads[head],
			    others != NULL ? others : "");
	}
	return rc;
}

/* Replace each row by one for each head that a template matches, with the cells
 * of the template, and under the names of fields those of the heads that the
 * template fills. */
static int
each_head(struct row_reader *x, const char *template)
{
	const struct form_list *fields = &x->form->keys[FORM_FIELD];
	struct run_rows *t = x->t;
	const size_t n_heads = t->n_heads, n = t->n;
	struct run_row *old = t->rows;
	int rc = 0;

	t->rows = NULL;
	t->n = t->alloc = 0;
	for (size_t i = 0; rc == 0 && i < n * n_heads; i++) {
		const struct run_row *from = &old[i / n_heads];
		struct template_match m;
		struct run_row *row;

		if (run_row_cell(from, i % n_heads)[0] == '\0' ||
		    !template_matches(
			t->arena, template, t->heads[i % n_heads], &m))
			continue;
		row = new_row(x, from->line);
		rc = row != NULL ? 0 : -1;
		for (size_t k = 0; rc == 0 && k < from->n; k++)
			if (from->cells[k] != NULL)
				rc = set_cell(
				    x, row, t->heads[k], from->cells[k]);
		for (size_t k = 0; rc == 0 && k < m.n; k++)
			rc = set_cell(x, row, m.cells[k].key, m.cells[k].value);
		for (size_t k = 0; rc == 0 && k < fields->n; k++) {
			const char *head = fields->items[k].value;

			if (strchr(head, '{') != NULL)
				rc = set_cell(x, row, head,
				    run_row_cell(from,
					run_rows_head(t,
					    template_fill(
						t->arena, head, &m))));
		}
	}
	free(old);
	return rc;
}

/* Apply the keys of a declaration to all rows. */
static int
shape_rows(struct row_reader *x)
{
	const struct table_form *f = x->form;
	struct run_rows *t = x->t;
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct form_list *splits = &f->keys[FORM_SPLIT];
		struct run_row *row = &t->rows[i];
		const char *done = NULL;
		struct template_match m;

		/* Of several templates of one head the first that matches
		 * counts. */
		for (size_t k = 0; k < splits->n; k++) {
			const struct result_pair *how = &splits->items[k];

			if (text_same(done, how->key) ||
			    !template_matches(t->arena, how->value,
				run_row_cell(row, run_rows_head(t, how->key)),
				&m))
				continue;
			done = how->key;
			for (size_t c = 0; rc == 0 && c < m.n; c++)
				rc = set_cell(
				    x, row, m.cells[c].key, m.cells[c].value);
		}
	}
	for (size_t i = 0; rc == 0 && i < f->keys[FORM_PAIRS].n; i++)
		rc = split_pairs(x, f->keys[FORM_PAIRS].items[i].key);
	for (size_t i = 0; rc == 0 && i < f->keys[FORM_EACH].n; i++)
		rc = each_head(x, f->keys[FORM_EACH].items[i].value);
	/* Keep the rows that have the text of each "only" whose head the table
	 * has, and of no "skip". */
	for (size_t i = 0; rc == 0 && i < t->n; i++) {
		int counts = 1;

		for (size_t key = FORM_ONLY; key <= FORM_SKIP; key++)
			for (size_t k = 0; k < f->keys[key].n; k++) {
				const struct result_pair *p =
				    &f->keys[key].items[k];
				const size_t head = run_rows_head(t, p->key);

				counts &= head == t->n_heads ||
				    (strcmp(run_row_cell(&t->rows[i], head),
					 p->value) == 0) == (key == FORM_ONLY);
			}
		if (x->first || counts)
			t->rows[kept++] = t->rows[i];
	}
	if (rc == 0)
		t->n = kept;
	return rc;
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
	struct result_pair any = { "*", "*" };
	const struct form_list all = { &any, 1 };
	const struct form_list *paths =
	    form->name != NULL ? &form->keys[FORM_ROWS] : &all;
	struct json_doc d;
	int rc;

	if (form->name != NULL && (form->kind == TABLE_JSON) != is_json)
		return 0;
	if (form->kind == TABLE_LINES)
		rc = read_lines(&x, text, len);
	else if (!is_json)
		rc = read_csv(&x, text, len);
	else if (form->name == NULL && *start == '{')
		rc = read_json_lines(&x, text, len);
	else if ((rc = json_doc_parse(name, text, len, &d, e)) == 0) {
		/* The first path that leads to rows. */
		for (size_t i = 0; rc == 0 && i < paths->n && t->n == 0; i++)
			rc = expand(&x, &d.top, paths->items[i].value, "", 0);
		json_doc_release(&d);
	}
	if (rc == 0)
		rc = shape_rows(&x);
	free(x.context);
	return rc;
}
