/* The check of a published table: reading it, finding the baseline of each row,
 * and asking for the checks of cells, which are in check_blame.c and
 * check_against.c.  Called by main.c; it knows no form of output. */
#include <config.h>

#include "report/check/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/strbuf.h"
#include "report/check/check_parts.h"

/* --- cells that cannot be read -------------------------------------------- */

/* The cells that could not be read as what their column holds. */
static void
add_unread(const struct check_table *c)
{
	for (size_t i = 0; i < c->t->n_rows; i++) {
		const struct published_row *row = &c->t->rows[i];

		for (size_t k = 0; k < c->t->n_columns; k++) {
			const struct published_cell *cell = &row->cells[k];
			enum remark_code why = cell->problem;

			if (cell == row->problem_cell)
				why = row->problem;
			else if (cell->kind != PUBLISHED_BAD &&
			    cell->kind != PUBLISHED_MALFORMED)
				continue;
			check_add_text(c, row, k,
			    cell->kind == PUBLISHED_MALFORMED ? CHECK_MALFORMED
							      : CHECK_UNREAD,
			    NULL, remark_plain(why));
		}
	}
}

/* --- baselines ------------------------------------------------------------ */

/* A row and what it is of but for its size. */
struct keyed_row {
	const char *key;
	size_t row;
};

static int
keyed_row_compare(const void *a, const void *b)
{
	const struct keyed_row *x = a, *y = b;
	const int order = strcmp(x->key, y->key);

	if (order != 0)
		return order;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Is the row that of a group which has its own baseline: a title above it parts
 * it from others, or its speedup is 1 though it is of several GPUs? */
static int
starts_group(const struct check_table *c, const struct published_row *row)
{
	if (row->group != NULL)
		return 1;
	for (size_t k = 0; k < c->t->n_columns; k++)
		if (c->t->columns[k].role == PUBLISHED_SPEEDUP &&
		    check_prints_one(&row->cells[k]))
			return 1;
	return 0;
}

/* Rows [from, to) have one key: the baseline is the first of one GPU, else the
 * one of the table that alone has one GPU, else the first of the fewest. */
static void
set_baseline(const struct check_table *c, const struct keyed_row *rows,
    size_t from, size_t to, size_t only)
{
	size_t least = NO_ROW;

	for (size_t i = from; i < to; i++) {
		const long gpus = c->t->rows[rows[i].row].gpus;

		if (gpus != PUBLISHED_UNKNOWN &&
		    (least == NO_ROW || gpus < c->t->rows[least].gpus))
			least = rows[i].row;
	}
	if (least != NO_ROW && c->t->rows[least].gpus != 1 && only != NO_ROW &&
	    !starts_group(c, &c->t->rows[least]))
		least = only;
	for (size_t i = from; i < to; i++)
		c->baseline[rows[i].row] = least;
}

/* The column of that head; n_columns for none. */
static size_t
column_of_head(const struct published_table *t, const char *head)
{
	size_t k = 0;

	while (k < t->n_columns && strcmp(t->columns[k].head, head) != 0)
		k++;
	return k;
}

/* Rows of several global batches, all of one batch for each GPU, may be of one
 * baseline or each its own; our CSV states which. */
static void
set_stated_baseline(const struct check_table *c, const struct keyed_row *rows,
    size_t from, size_t to)
{
	const struct published_table *t = c->t;
	const size_t of = column_of_head(t, "case");
	const size_t stated = column_of_head(t, "baseline");

	if (of == t->n_columns || stated == t->n_columns)
		return;
	for (size_t i = from; i < to; i++) {
		const size_t row = rows[i].row;
		const char *base = t->rows[row].cells[stated].text;
		const size_t set = c->baseline[row];

		if (set == NO_ROW || base[0] == '\0')
			continue;
		if (strcmp(t->rows[set].cells[of].text, base) != 0 &&
		    strcmp(t->rows[row].cells[of].text, base) == 0)
			c->baseline[row] = row;
		c->stated[row] =
		    strcmp(t->rows[c->baseline[row]].cells[of].text, base) == 0;
	}
}

static void
find_baselines(const struct check_table *c)
{
	const size_t n = c->t->n_rows;
	struct keyed_row *rows = xcalloc(n + 1, sizeof *rows);
	size_t only = NO_ROW, n_only = 0;

	for (size_t i = 0; i < n; i++) {
		rows[i] = (struct keyed_row){
			published_row_key(&c->r->arena, c->t, &c->t->rows[i]), i
		};
		if (c->t->rows[i].gpus == 1) {
			only = i;
			n_only++;
		}
	}
	qsort(rows, n, sizeof *rows, keyed_row_compare);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && strcmp(rows[i].key, rows[k].key) == 0;)
			k++;
		set_baseline(c, rows, i, k, n_only == 1 ? only : NO_ROW);
		set_stated_baseline(c, rows, i, k);
	}
	free(rows);
}

/* --- tables --------------------------------------------------------------- */

/* Is there anything in it that a benchmark measures? */
static int
is_of_interest(const struct published_table *t)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].role >= PUBLISHED_RATE)
			return 1;
	return 0;
}

static int
finding_compare(const void *a, const void *b)
{
	const struct check_finding *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->col != y->col)
		return x->col < y->col ? -1 : 1;
	return x->verdict < y->verdict ? -1 : x->verdict > y->verdict;
}

static void
check_one(const struct check_table *own, const struct series_set *set)
{
	struct check_table c = *own;

	c.r->n_tables++;
	c.baseline = xcalloc(c.t->n_rows + 1, sizeof *c.baseline);
	c.stated = xcalloc(c.t->n_rows + 1, 1);
	find_baselines(&c);
	for (size_t i = 0; i < c.t->n_remarks; i++)
		check_remark(&c, remark_copy(&c.t->remarks[i], &c.r->arena));
	add_unread(&c);
	check_blame(&c);
	if (set != NULL)
		check_against(&c, set);
	free(c.baseline);
	free(c.stated);
}

static void
check_all(const struct check_ask *ask, const struct published *p,
    const struct series_set *set, struct check_report *r)
{
	struct check_names models, frameworks;

	check_names_init(&models, set, SERIES_MODEL, p);
	check_names_init(&frameworks, set, SERIES_FRAMEWORK, p);
	for (size_t i = 0; i < p->n; i++) {
		const struct check_table c = { .r = r,
			.ask = ask,
			.t = &p->tables[i],
			.models = &models,
			.frameworks = &frameworks };

		if (!is_of_interest(c.t))
			continue;
		check_names_at(&models, c.t);
		check_names_at(&frameworks, c.t);
		check_one(&c, set);
	}
	check_names_release(&models);
	check_names_release(&frameworks);
}

int
check_text(const struct check_ask *ask, const char *name, const char *text,
    size_t len, const struct series_set *set, struct check_report *r,
    struct error *e)
{
	struct published p;

	*r = (struct check_report){ .arena = ARENA_INIT };
	if (published_read(name, text, len, &p, e) != 0)
		return -1;
	r->file = arena_strdup(&r->arena, name);
	check_all(ask, &p, set, r);
	if (r->n > 0)
		qsort(r->findings, r->n, sizeof *r->findings, finding_compare);
	published_release(&p);
	if (r->n_tables > 0)
		return 0;
	check_release(r);
	return error_at(e, ERROR_EMPTY, name, 0, 0,
	    "no table of speeds, times or speedups in it");
}

int
check_read(const struct check_ask *ask, const char *path,
    const struct series_set *set, struct check_report *r, struct error *e)
{
	struct strbuf sb;
	int rc;

	strbuf_init(&sb, PUBLISHED_MAX_BYTES);
	rc = text_file_read(path, &sb, e);
	if (rc == 0)
		rc = check_text(ask, strcmp(path, "-") == 0 ? "stdin" : path,
		    sb.buf, sb.len, set, r, e);
	strbuf_release(&sb);
	return rc;
}

int
check_exit_status(const struct check_report *r)
{
	if (r->counts[CHECK_DIFFERS] + r->counts[CHECK_MALFORMED] > 0)
		return EXIT_STATUS_GATE;
	return r->counts[CHECK_FOLLOWS] + r->counts[CHECK_CUT] > 0
	    ? EXIT_STATUS_OK
	    : EXIT_STATUS_EMPTY;
}
