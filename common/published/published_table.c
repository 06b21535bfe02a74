/* Builds tables from the rows of a document: converts the layouts of papers to
 * a row of heads above one row per case, then finds the role of each column,
 * the configuration of each row and the value of each cell. */
#include <config.h>

#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/published/published_parts.h"
#include "common/units/units.h"

static const struct published_cell no_cell = { .text = "" };

/* The cell at a position; an empty cell if the row has none there. */
static const struct published_cell *
cell_at(const struct published_reader *r, size_t row, size_t column)
{
	return row < r->n_rows && column < r->rows[row].n_cells
	    ? &r->rows[row].cells[column]
	    : &no_cell;
}

static int
row_is_empty(const struct published_row *row)
{
	size_t i = 0;

	while (i < row->n_cells && row->cells[i].text[0] == '\0')
		i++;
	return i == row->n_cells;
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

/* --- layouts -------------------------------------------------------------- */

/* Append units to the heads if the second row has only units, "(ms)". */
static void
join_units(struct published_reader *r)
{
	int units = 0;

	for (size_t i = 0; r->n_rows > 1 && i < r->rows[1].n_cells; i++) {
		const char *low = cell_at(r, 1, i)->text;

		if (low[0] == '\0')
			continue;
		if (low[0] != '(' || low[strlen(low) - 1] != ')')
			return;
		units = 1;
	}
	for (size_t i = 0; units && i < r->rows[0].n_cells; i++) {
		struct published_cell *head = &r->rows[0].cells[i];

		if (cell_at(r, 1, i)->text[0] != '\0')
			head->text = arena_join(&r->p->arena, head->text, " ",
			    cell_at(r, 1, i)->text);
	}
	if (units) {
		r->rows[1] = r->rows[0];
		r->rows++;
		r->n_rows--;
	}
}

/* Transpose a table that has a column for each case: its heads are cases,
 * "4n8g" or "8 GPUs". */
static void
turn(struct published_reader *r)
{
	const struct published_row *from = r->rows;
	const size_t n = from->n_cells, n_from = r->n_rows;
	struct published_row *rows;
	const char *rest;
	long nodes, gpus;

	for (size_t i = 1; i < n; i++)
		if (!published_case_read(
			from->cells[i].text, &nodes, &gpus, &rest))
			return;
	if (n < 3 || n_from < 2)
		return;
	rows = arena_calloc(&r->p->arena, n, sizeof *rows);
	for (size_t k = 0; k < n; k++) {
		struct published_cell *cells =
		    arena_calloc(&r->p->arena, n_from, sizeof *cells);

		rows[k] = (struct published_row){ .cells = cells,
			.n_cells = n_from,
			.line = from->cells[k].line };
		for (size_t i = 0; i < n_from; i++) {
			cells[i] = *cell_at(r, i, k);
			if (cells[i].line == 0)
				cells[i].line = from[i].line;
		}
	}
	r->rows = rows;
	r->n_rows = n;
	/* The first head, such as "model", named what are now columns. */
	rows[0].cells[0].text = "case";
}

/* --- columns -------------------------------------------------------------- */

static int
is_value(enum published_role role)
{
	return role >= PUBLISHED_RATE && role <= PUBLISHED_BANDWIDTH;
}

/* True if text begins with a word for a missing number, such as OOM or TODO. */
static int
is_gap(const char *text)
{
	return published_match("(?i)\\A(?:OOM|TODO|TBD|N/?A|nan|fail|failed"
			       "|error|crash|timeout|none|失败|暂无)"
			       "(?=[ (:,]|\\z)",
	    text, NULL, NULL, 0);
}

/* The role implied by the unit of a head; role if unit is NULL. */
static enum published_role
role_of_unit(const struct published_unit *unit, enum published_role role)
{
	static const enum published_role roles[] = {
		[PUBLISHED_PER_SECOND] = PUBLISHED_RATE,
		[PUBLISHED_SECONDS] = PUBLISHED_STEP_TIME,
		[PUBLISHED_BITS_PER_SECOND] = PUBLISHED_BANDWIDTH,
		[PUBLISHED_BYTES] = PUBLISHED_MEMORY,
	};

	if (unit == NULL)
		return role;
	return unit->measure == PUBLISHED_SECONDS && unit->scale >= 60
	    ? PUBLISHED_DURATION
	    : roles[unit->measure]; /* 0 is PUBLISHED_OTHER */
}

/* Set the role of a median column. If neither its head nor a column "unit" with
 * the same text in all rows states a unit, it is a rate if the headings state a
 * unit or its head names a framework; otherwise it is ignored. */
static void
settle_median(const struct published_reader *r, const struct published_table *t,
    struct published_column *c)
{
	const char *unit = "";
	size_t k = 0;

	while (k < t->n_columns && strcasecmp(t->columns[k].head, "unit") != 0)
		k++;
	for (size_t i = 1; i < r->n_rows; i++)
		unit = i == 1 || strcmp(unit, cell_at(r, i, k)->text) == 0
		    ? cell_at(r, i, k)->text
		    : "";
	if (c->unit == NULL && c->framework == NULL)
		c->unit = published_unit_find(unit, strlen(unit));
	c->role = c->unit == NULL && t->unit == NULL && c->framework == NULL
	    ? PUBLISHED_ASIDE
	    : PUBLISHED_RATE;
}

/* Numbers of cells of each kind below a head, to resolve an ambiguous one. */
struct column_body {
	size_t n, numbers, whole, cases;
	size_t gaps; /* words for a missing number */
};

/* Set the role of an unknown head: words, and whole numbers left of the values,
 * are labels. If no head is a known value, numbers are speeds of frameworks.
 *
 * is_left  1: the table has values, all of them to the right */
static void
settle_unknown(struct published_table *t, struct published_column *c,
    const struct column_body *b, int has_values, int is_left)
{
	const enum published_role implied =
	    role_of_unit(c->unit, PUBLISHED_OTHER);
	const int has_cases = published_has_cases(t);

	c->role = PUBLISHED_OTHER;
	if ((b->numbers == 0 && b->n > b->gaps) ||
	    (c->framework == NULL && c->precision != NULL)) {
		if (has_values || has_cases)
			c->role = PUBLISHED_LABEL;
	} else if (has_values) {
		if (is_left && b->n > 0 && b->whole == b->n)
			c->role = PUBLISHED_LABEL;
	} else if (c->head[0] != '\0' &&
	    (has_cases || (b->numbers > 0 && published_is_speed(implied)))) {
		c->role = role_of_unit(c->unit, PUBLISHED_RATE);
		c->guessed = 1;
		return;
	}
	c->framework = NULL;
}

/* Set the role of an ambiguous head by its cells. */
static void
settle_role(const struct published_reader *r, struct published_table *t,
    struct published_column *c, int has_values, int is_left)
{
	struct column_body b = { 0 };

	for (size_t i = 1; i < r->n_rows; i++) {
		const char *rest;
		const char *text =
		    cell_at(r, i, (size_t)(c - t->columns))->text;
		struct published_cell cell;
		long whole, nodes, gpus;

		published_quantity_read(text, NULL, &cell);
		b.n += cell.kind != PUBLISHED_EMPTY;
		b.numbers += cell.kind > PUBLISHED_WORD;
		b.whole += whole_parse(text, strlen(text), 0, LONG_MAX,
			       &whole) == UNITS_OK;
		b.cases += published_case_read(text, &nodes, &gpus, &rest) != 0;
		b.gaps += cell.kind == PUBLISHED_WORD && is_gap(text);
	}
	if (!c->known) {
		settle_unknown(t, c, &b, has_values, is_left);
		return;
	}
	if (c->role == PUBLISHED_MEDIAN)
		settle_median(r, t, c);
	if (c->role == PUBLISHED_GPU_COUNT || c->role == PUBLISHED_CASE) {
		if (b.cases > 0)
			c->role = PUBLISHED_CASE;
		else if (b.n > 0 &&
		    (c->role == PUBLISHED_CASE || b.numbers == 0))
			c->role = PUBLISHED_LABEL;
	} else if (c->role == PUBLISHED_OTHER && is_left && b.n > 0 &&
	    b.whole == b.n) {
		c->role = PUBLISHED_LABEL;
		c->framework = NULL;
	} else if ((c->role == PUBLISHED_BANDWIDTH ||
		       c->role == PUBLISHED_RATE) &&
	    c->unit != NULL && c->unit->measure != PUBLISHED_PER_CENT) {
		c->role = role_of_unit(c->unit, c->role);
	}
}

/* Read the heads; resolve ambiguous ones by their cells. Returns the names of
 * those read as speeds of frameworks, or NULL. */
static const char *
read_columns(const struct published_reader *r, struct published_table *t)
{
	struct arena *a = &r->p->arena;
	struct strbuf guessed = STRBUF_INIT(PUBLISHED_MAX_BYTES);
	int has_values = 0, is_left;

	t->n_columns = r->rows[0].n_cells;
	t->columns = arena_calloc(a, t->n_columns + 1, sizeof *t->columns);
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_cell *cell = cell_at(r, 0, i);
		struct published_column *c = &t->columns[i];

		published_head_read(a, cell->text, c);
		c->line = cell->line;
		c->col = cell->col;
		has_values |= c->known && is_value(c->role);
	}
	is_left = has_values;
	for (size_t i = 0; i < t->n_columns; i++) {
		struct published_column *c = &t->columns[i];

		settle_role(r, t, c, has_values, is_left);
		is_left &= !is_value(c->role);
		if (c->guessed && c->head[0] != '\0')
			strbuf_printf(&guessed, "%s'%s'",
			    guessed.len > 0 ? ", " : "", c->head);
	}
	return guessed.len > 0 ? strbuf_finish(&guessed, a) : NULL;
}

/* --- rows ----------------------------------------------------------------- */

/* Mark a row as invalid because of a cell. The first reason is kept. */
static void
refuse(struct published_row *row, const struct published_cell *cell,
    enum remark_code problem)
{
	if (row->problem != REMARK_NONE)
		return;
	row->problem = problem;
	row->problem_cell = cell;
}

static void
read_cell(const struct published_table *t, struct published_column *c,
    struct published_cell *cell)
{
	const int is_number = c->role >= PUBLISHED_RATE;
	const long line = cell->line, col = cell->col;

	published_quantity_read(cell->text,
	    c->unit == NULL && c->role == PUBLISHED_RATE ? t->unit : c->unit,
	    cell);
	cell->line = line;
	cell->col = col;
	/* "about 30" is not a word like OOM. */
	if (is_number && cell->kind == PUBLISHED_WORD &&
	    strpbrk(cell->text, "0123456789") != NULL && !is_gap(cell->text)) {
		cell->kind = PUBLISHED_BAD;
		cell->problem = REMARK_CELL_NO_WORD;
	}
	if (is_number && cell->kind == PUBLISHED_NUMBER &&
	    cell->number.decimals > c->decimals)
		c->decimals = cell->number.decimals;
	if (is_number || cell->kind == PUBLISHED_EMPTY)
		return;
	if (c->role != PUBLISHED_OTHER || cell->kind == PUBLISHED_BAD)
		cell->kind = PUBLISHED_WORD;
	if (cell->kind == PUBLISHED_WORD)
		cell->number.value = NAN;
	cell->problem = REMARK_NONE;
}

static void
read_rows(struct published_reader *r, struct published_table *t)
{
	const char *group = NULL;

	t->rows = r->rows; /* read in place, without the heads */
	for (size_t i = 1; i < r->n_rows; i++) {
		struct published_row row = r->rows[i];
		const char *text = cell_at(r, i, 0)->text, *rest;
		size_t k = 1;
		long nodes, gpus;

		if (row_is_empty(&row))
			continue;
		while (k < row.n_cells && row.cells[k].text[0] == '\0')
			k++;
		/* The title of a group of rows is the only cell of its row, in
		 * the column of cases. */
		if (text[0] != '\0' && k == row.n_cells && k <= t->n_columns &&
		    t->columns[0].role == PUBLISHED_CASE &&
		    !published_case_read(text, &nodes, &gpus, &rest)) {
			group = text;
			continue;
		}
		row.group = group;
		row.cells =
		    arena_calloc(&r->p->arena, t->n_columns, sizeof *row.cells);
		for (k = 0; k < t->n_columns; k++) {
			row.cells[k] = k < row.n_cells
			    ? r->rows[i].cells[k]
			    : (struct published_cell){ .text = "",
				      .line = row.line };
			read_cell(t, &t->columns[k], &row.cells[k]);
		}
		for (; k < row.n_cells; k++)
			if (cell_at(r, i, k)->text[0] != '\0')
				refuse(
				    &row, &row.cells[0], REMARK_CELL_TOO_MANY);
		t->rows[t->n_rows++] = row;
	}
}

/* --- nodes, GPUs and batches ---------------------------------------------- */

/* The count that cell i of a row states for a role, or PUBLISHED_UNKNOWN. A
 * case such as "4n8g" states both nodes and GPUs. */
static long
count_in(const struct published_table *t, const struct published_row *row,
    size_t i, enum published_role role)
{
	const enum published_role own = t->columns[i].role;
	const char *text = row->cells[i].text, *rest;
	long nodes, n;

	if (own == PUBLISHED_CASE && role <= PUBLISHED_GPUS &&
	    published_case_read(text, &nodes, &n, &rest))
		return role == PUBLISHED_NODES ? nodes : n;
	return own == role &&
		whole_parse(text, strlen(text), 1, 1000000000, &n) == UNITS_OK
	    ? n
	    : PUBLISHED_UNKNOWN;
}

/* The first count of a role in a row. The row is refused if another count
 * differs or a cell of the role's columns, except global batches, is no count.
 *
 * from  set to its cell, or NULL */
static long
read_count(const struct published_table *t, struct published_row *row,
    enum published_role role, const struct published_cell **from)
{
	long first = PUBLISHED_UNKNOWN;

	*from = NULL;
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_cell *cell = &row->cells[i];
		const long n = count_in(t, row, i, role);

		if (n != PUBLISHED_UNKNOWN && *from == NULL) {
			first = n;
			*from = cell;
		} else if (n != PUBLISHED_UNKNOWN && n != first) {
			refuse(row, cell, REMARK_CELL_CONTRADICTS);
		} else if (n == PUBLISHED_UNKNOWN && role <= PUBLISHED_BATCH &&
		    t->columns[i].role == role &&
		    cell->kind != PUBLISHED_EMPTY) {
			refuse(row, cell, REMARK_CELL_NO_COUNT);
		}
	}
	return first;
}

/* True if an ambiguous column counts the GPUs of each node: all rows of several
 * nodes fit this meaning and not all fit a total. With either, each node has as
 * many GPUs as rows of one node state, if any, and the same number in all rows.
 *
 * doubt  set; REMARK_NONE if only the total fits or all rows have one node */
static int
counts_each(struct published_table *t, enum remark_code *doubt)
{
	int can_be_total = 1, can_be_each = 1, several = 0;
	long total = 0, each = 0;
	const struct published_cell *from;

	for (size_t i = 0; i < 2 * t->n_rows; i++) {
		struct published_row *row = &t->rows[i % t->n_rows];
		const long nodes = read_count(t, row, PUBLISHED_NODES, &from);
		const long count =
		    read_count(t, row, PUBLISHED_GPU_COUNT, &from);

		if (i < t->n_rows && nodes == 1 && count > each)
			total = each = count;
		if (i < t->n_rows || nodes <= 1 || count <= 0)
			continue;
		several = 1;
		if (each == 0) {
			each = count;
			total = count / nodes;
		}
		can_be_each &= count == each;
		can_be_total &= count % nodes == 0 && count / nodes == total;
	}
	*doubt = REMARK_NONE;
	if (several && can_be_each && !can_be_total) {
		*doubt = REMARK_GPUS_OF_EACH;
		return 1;
	}
	if (several && can_be_each == can_be_total)
		*doubt = REMARK_GPUS_OF_EITHER;
	return 0;
}

/* Set the counts of a row. Columns may state a count twice, "4n8g" and "32".
 * Given the nodes, GPUs per node and total GPUs follow from each other. The
 * batch per device, if not stated, is computed from the global batch. */
static void
read_counts(const struct published_table *t, struct published_row *row)
{
	const struct published_cell *of_nodes, *of_gpus, *from;
	long nodes, gpus;
	const char *rest;

	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].role == PUBLISHED_CASE &&
		    published_case_read(
			row->cells[i].text, &nodes, &gpus, &rest) &&
		    *rest != '\0')
			row->label = rest;
	row->nodes = nodes = read_count(t, row, PUBLISHED_NODES, &of_nodes);
	row->gpus = gpus = read_count(t, row, PUBLISHED_GPUS, &of_gpus);
	row->node_gpus = read_count(t, row, PUBLISHED_NODE_GPUS, &from);
	row->batch = read_count(t, row, PUBLISHED_BATCH, &from);
	row->global_batch = read_count(t, row, PUBLISHED_GLOBAL_BATCH, &from);
	if (nodes > 0 && row->node_gpus > 0) {
		row->gpus = nodes * row->node_gpus;
		if (gpus > 0 && gpus != row->gpus)
			refuse(row, of_gpus, REMARK_CELL_CONTRADICTS);
	} else if (nodes > 0 && gpus > 0) {
		row->node_gpus = gpus / nodes;
		if (gpus % nodes != 0)
			refuse(row, of_nodes, REMARK_CELL_UNEVEN);
	}
	/* A refused row has no counts. */
	if (row->problem != REMARK_NONE)
		row->nodes = row->gpus = row->node_gpus = PUBLISHED_UNKNOWN;
	if (row->batch == PUBLISHED_UNKNOWN && row->global_batch > 0 &&
	    row->gpus > 0 && row->global_batch % row->gpus == 0)
		row->batch = row->global_batch / row->gpus;
}

enum { MAX_COMPARED = 2000 }; /* rows; the comparison is quadratic */

/* Set nodes, GPUs and batches of all rows. */
static void
find_counts(struct published *p, struct published_table *t)
{
	enum published_role role = PUBLISHED_GPUS;
	enum remark_code doubt;
	int all = 0, each = 0;

	if (counts_each(t, &doubt))
		role = PUBLISHED_NODE_GPUS;
	for (size_t i = 0; i < t->n_columns; i++) {
		struct published_column *c = &t->columns[i];

		if (c->role != PUBLISHED_GPU_COUNT)
			continue;
		c->role = role;
		if (doubt != REMARK_NONE)
			published_remark(p, t, doubt, c->head);
	}
	for (size_t i = 0; i < t->n_rows; i++)
		read_counts(t, &t->rows[i]);
	/* Scaling is strong if some rows with different numbers of GPUs share
	 * the global batch and none share the batch per device. A speedup is
	 * computed over a row with the same batch. */
	for (size_t i = 0; i < t->n_rows && i < MAX_COMPARED; i++)
		for (size_t k = 0; k < i; k++) {
			const struct published_row *a = &t->rows[i];
			const struct published_row *b = &t->rows[k];

			if (a->gpus <= 0 || b->gpus <= 0 || a->gpus == b->gpus)
				continue;
			all |= a->global_batch > 0 &&
			    a->global_batch == b->global_batch;
			each |= a->batch > 0 && a->batch == b->batch;
		}
	t->strong = all && !each;
	if (all && each)
		published_remark(p, t, REMARK_BATCH_MAY_GROW, NULL);
}

/* --- tables --------------------------------------------------------------- */

/* The rows are normalized to one row of heads above one row per case. */
void
published_finish(struct published_reader *r)
{
	struct published *p = r->p;
	struct arena *a = &p->arena;
	struct published_table *t;
	const char *guessed;

	for (; r->n_rows > 1 && row_is_empty(&r->rows[0]); r->n_rows--)
		r->rows++;
	if (r->n_rows > 0 && p->n == PUBLISHED_MAX_TABLES && !r->failed) {
		error_at(r->e, ERROR_LIMIT, r->name, r->rows[0].line, 0,
		    "more than %d tables", PUBLISHED_MAX_TABLES);
		r->failed = 1;
	}
	if (r->n_rows > 0 && r->rows[0].n_cells > 0 && !r->failed) {
		join_units(r);
		turn(r);
		p->tables = arena_grow(a, p->tables, p->n, sizeof *p->tables);
		t = &p->tables[p->n++];
		*t = (struct published_table){ .line = r->rows[0].line,
			.batch = PUBLISHED_UNKNOWN };
		for (size_t i = 0; i < PUBLISHED_MAX_HEADINGS; i++) {
			t->headings[i] = r->headings[i];
			if (r->headings[i] == NULL)
				continue;
			t->heading = r->headings[i];
			published_heading_read(a, t->heading, t);
		}
		guessed = read_columns(r, t);
		read_rows(r, t);
		find_counts(p, t);
		if (guessed != NULL)
			published_remark(p, t, REMARK_READ_AS_SPEEDS, guessed);
	}
	r->rows = NULL;
	r->n_rows = r->n_cells = 0;
}

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

long
published_batch_of(const struct published_table *t,
    const struct published_row *row, size_t column)
{
	const struct published_column *c = &t->columns[column];

	if (row->batch != PUBLISHED_UNKNOWN)
		return row->batch;
	if (c->batch != PUBLISHED_UNKNOWN)
		return c->batch;
	return c->batch_varies ? PUBLISHED_UNKNOWN : t->batch;
}

const char *
published_row_key(struct arena *a, const struct published_table *t,
    const struct published_row *row)
{
	struct strbuf sb = STRBUF_INIT(2 * PUBLISHED_MAX_BYTES);

	if (row->group != NULL)
		strbuf_printf(&sb, "%s\n", row->group);
	if (row->label != NULL)
		strbuf_addstr(&sb, row->label);
	for (size_t i = 0; i < t->n_columns; i++) {
		const enum published_role role = t->columns[i].role;
		const char *text = row->cells[i].text;

		if (role < PUBLISHED_BATCH || role > PUBLISHED_LABEL ||
		    (role == PUBLISHED_BATCH && t->strong))
			continue;
		strbuf_addch(&sb, '\n');
		if (role == PUBLISHED_GLOBAL_BATCH && !t->strong &&
		    row->gpus > 0 && row->global_batch > 0 &&
		    row->global_batch % row->gpus == 0)
			strbuf_printf(
			    &sb, "each %ld", row->global_batch / row->gpus);
		else
			strbuf_addstr(&sb, text);
	}
	return strbuf_finish(&sb, a);
}
