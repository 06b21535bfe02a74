/* Tables from raw cells: layouts in papers become a row of heads above a row
 * for each case; then the role of each column, the configuration of each row
 * and the value of each cell are found. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"
#include "common/strbuf.h"
#include "common/units/units.h"

/* The cell at a position; an empty cell if the row has none there. */
static const struct published_cell *
grid_at(const struct grid *g, size_t row, size_t column)
{
	static const struct published_cell no_cell = {
		.text = "", .across = 1, .down = 1
	};

	return row < g->n && column < g->rows[row].n_cells
	    ? &g->rows[row].cells[column]
	    : &no_cell;
}

/* True if all cells of the row are empty. */
static int
grid_row_is_empty(const struct published_row *row)
{
	for (size_t i = 0; i < row->n_cells; i++)
		if (row->cells[i].text[0] != '\0')
			return 0;
	return 1;
}

/* --- decimal marks -------------------------------------------------------- */

/* Decimal mark of the grid's numbers: ',' if several cells require it ("390,1",
 * "2.970,3") and none requires a point, else '.'.
 *
 * example  set to the text of a cell with ',', or NULL */
static char
grid_decimal_mark(const struct grid *g, const char **example)
{
	/* The last mark of a number, if it is there once. "1,570" is ambiguous:
	 * groups have three digits, and the first does not begin with 0. */
	static struct published_pattern number = {
		.text = "\\A(?!(?!0)\\d{0,3}[.,]\\d{3}(?![.,]*\\d))"
			"(?:[\\d.]*(?<comma>,)|[\\d,]*\\.)\\d++(?![.,]*\\d)"
	};
	const char *first = NULL;
	size_t commas = 0;

	*example = NULL;
	for (size_t i = 1; i < g->n; i++)
		for (size_t k = 0; k < g->rows[i].n_cells; k++) {
			const char *text = g->rows[i].cells[k].text;
			struct text_span part[2];

			if (!published_match(&number, text, NULL, part, 2))
				continue;
			if (part[1].s == NULL)
				return '.';
			if (commas++ == 0)
				first = text;
		}
	/* A single one may be a typo. */
	if (commas <= 1)
		return '.';
	*example = first;
	return ',';
}

/* --- heads ---------------------------------------------------------------- */

/* The role of a head.
 *
 * known  set to 1 if a word of it or its unit is known */
static enum published_role
role_of(struct arena *a, const char *text, int *known)
{
	struct published_column h;

	published_head_read(a, text, &h);
	*known = h.known || (h.unit != NULL && h.framework == NULL);
	return h.role;
}

/* Cells of a row: with text, with a known head, and beginning with a digit. */
struct row_words {
	size_t texts, heads, numbers;
};

static struct row_words
words_of(struct arena *a, const struct published_row *row)
{
	struct row_words w = { 0, 0, 0 };

	for (size_t i = 0; i < row->n_cells; i++) {
		const char *text = row->cells[i].text;
		int known;

		if (text[0] == '\0')
			continue;
		(void)role_of(a, text, &known);
		w.texts++;
		w.heads += known != 0;
		w.numbers += isdigit((unsigned char)text[0]) != 0;
	}
	return w;
}

static void
remove_rows(struct grid *g, size_t n)
{
	memmove(g->rows, g->rows + n, (g->n - n) * sizeof *g->rows);
	g->n -= n;
}

/* Remove empty rows above the heads, which Markdown may require, and those of a
 * single text, as spreadsheets have. */
static void
remove_titles(struct arena *a, struct grid *g, const char **title)
{
	while (g->n > 1) {
		const struct published_row *row = &g->rows[0];
		const struct row_words first = words_of(a, row);
		size_t next = 1;

		if (first.texts > 0) {
			while (next + 1 < g->n &&
			    grid_row_is_empty(&g->rows[next]))
				next++;
			if (first.texts != 1 || first.heads > 0 ||
			    row->cells[0].text[0] == '\0' ||
			    grid_at(g, next, 0)->text[0] == '\0' ||
			    words_of(a, &g->rows[next]).heads < 2)
				return;
			*title = row->cells[0].text;
		}
		remove_rows(g, next);
	}
}

/* True if the second row also contains heads. */
static int
has_two_heads(struct arena *a, const struct grid *g)
{
	struct row_words first, second;
	size_t merged = 0;

	if (g->n < 3)
		return 0;
	first = words_of(a, &g->rows[0]);
	second = words_of(a, &g->rows[1]);
	if (second.numbers > 0 || second.heads == 0)
		return 0;
	for (size_t i = 0; i < g->rows[0].n_cells || i < g->rows[1].n_cells;
	     i++) {
		const struct published_cell *up = grid_at(g, 0, i);

		merged += up->across > 1 || up->down > 1 ||
		    (up->text[0] == '\0') !=
			(grid_at(g, 1, i)->text[0] == '\0');
	}
	/* "(img/s)" below each head states its unit. */
	return merged == 0 ? second.heads == second.texts && first.numbers == 0
			   : 2 * second.heads >= second.texts;
}

static void
join_heads(struct arena *a, struct grid *g)
{
	const size_t n = g->rows[0].n_cells > g->rows[1].n_cells
	    ? g->rows[0].n_cells
	    : g->rows[1].n_cells;
	struct published_cell *joined = arena_calloc(a, n, sizeof *joined);

	for (size_t i = 0; i < n; i++) {
		const struct published_cell *up = grid_at(g, 0, i), *left = up;
		const struct published_cell *low = grid_at(g, 1, i);
		size_t k = i;

		/* The upper head is its own, or one to the left that spans it.
		 * A head above an empty cell was merged downwards and spans no
		 * other column. */
		while (left->text[0] == '\0' && k-- > 0)
			left = grid_at(g, 0, k);
		if (left->text[0] != '\0' &&
		    (left->across > 1 ? k + (size_t)left->across > i
				      : grid_at(g, 1, k)->text[0] != '\0'))
			up = left;
		joined[i] = low->text[0] != '\0' ? *low : *up;
		joined[i].across = joined[i].down = 1;
		if (up->text[0] != '\0' && low->text[0] != '\0' &&
		    strcmp(up->text, low->text) != 0)
			joined[i].text =
			    arena_printf(a, "%s %s", up->text, low->text);
	}
	g->rows[1] = (struct published_row){
		.cells = joined, .n_cells = n, .line = g->rows[0].line
	};
	remove_rows(g, 1);
}

/* --- transposed tables ---------------------------------------------------- */

/* True if a table has a column for each case: its heads are cases, "4n8g" or "8
 * GPUs", or its first head names a count and the others are numbers.
 *
 * cases  set to 1 if the heads are cases */
static int
lies_on_its_side(struct arena *a, const struct grid *g, int *cases)
{
	size_t n_cases = 0, counts = 0, heads = 0;
	enum published_role corner;
	int known;

	for (size_t i = 1; g->n >= 2 && i < g->rows[0].n_cells; i++) {
		const char *text = g->rows[0].cells[i].text, *rest;
		long n, nodes, gpus;

		n_cases += published_case_read(text, &nodes, &gpus, &rest) != 0;
		counts += whole_parse(text, strlen(text), 1, 100000000, &n) ==
		    UNITS_OK;
		heads += text[0] != '\0';
	}
	*cases = n_cases >= 2 && n_cases == heads;
	if (*cases || counts < 2 || counts != heads)
		return *cases;
	corner = role_of(a, g->rows[0].cells[0].text, &known);
	return known && corner >= PUBLISHED_NODES &&
	    corner <= PUBLISHED_GPU_COUNT;
}

/* Transpose the grid. Returns -1 if there are too many columns. */
static int
grid_turn(struct published_reader *r)
{
	const struct grid g = r->g;

	r->g = (struct grid){ 0 };
	for (size_t column = 0; column < g.rows[0].n_cells; column++) {
		reader_row(r, r->place.s);
		r->g.rows[column].line = grid_at(&g, 0, column)->line;
		for (size_t row = 0; row < g.n; row++) {
			const struct published_cell *from =
			    grid_at(&g, row, column);
			struct published_cell *to;

			if (row > 0 && grid_row_is_empty(&g.rows[row]))
				continue;
			to = reader_add(r, from->text, NULL);
			if (to == NULL)
				return -1;
			to->line =
			    from->line > 0 ? from->line : g.rows[row].line;
			to->col = from->col;
		}
	}
	return 0;
}

/* --- columns -------------------------------------------------------------- */

/* Kinds of cells below a head, to resolve an ambiguous head. */
struct column_body {
	size_t n, numbers, whole, cases, shares;
	size_t gaps; /* words for a missing number */
};

/* True if text begins with a word for a missing number, such as OOM or TODO. */
static int
is_gap(const char *text)
{
	static struct published_pattern gap = {
		.text = "(?i)\\A(?:OOM|TODO|TBD|N/?A|nan|fail|failed|error"
			"|crash|timeout|none|失败|暂无)(?=[ (:,]|\\z)"
	};

	return published_match(&gap, text, NULL, NULL, 0);
}

static struct column_body
body_of(const struct grid *g, size_t column)
{
	const char *rest;
	struct column_body b = { 0 };

	for (size_t i = 1; i < g->n; i++) {
		const struct published_cell *c = grid_at(g, i, column);
		struct published_cell cell;
		long whole, nodes, gpus;

		published_quantity_read(c->text, '.', NULL, &cell);
		b.n += cell.kind != PUBLISHED_EMPTY;
		b.numbers +=
		    cell.kind != PUBLISHED_EMPTY && cell.kind != PUBLISHED_WORD;
		b.whole += whole_parse(c->text, strlen(c->text), 0, LONG_MAX,
			       &whole) == UNITS_OK;
		b.cases +=
		    published_case_read(c->text, &nodes, &gpus, &rest) != 0;
		b.shares += cell.unit != NULL &&
		    cell.unit->measure == PUBLISHED_PER_CENT;
		b.gaps += cell.kind == PUBLISHED_WORD && is_gap(c->text);
	}
	return b;
}

static int
is_value(enum published_role role)
{
	return role >= PUBLISHED_RATE && role <= PUBLISHED_BANDWIDTH;
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

/* Set the role of an unknown head: parameters and words are left of the values.
 * If no head is a known value, columns of numbers are frameworks.
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
	if (has_values && b->numbers > 0 && implied == PUBLISHED_RATE) {
		/* "PyTorch (img/s)" next to other values. */
		c->role = PUBLISHED_RATE;
		return;
	}
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

/* The unit that a column "unit" has in all rows, or NULL. */
static const struct published_unit *
unit_of_rows(const struct published_table *t, const struct grid *g)
{
	const struct published_unit *unit = NULL;
	size_t k = 0;

	while (k < t->n_columns && strcasecmp(t->columns[k].head, "unit") != 0)
		k++;
	for (size_t i = 1; i < g->n; i++) {
		const char *text = grid_at(g, i, k)->text;
		const struct published_unit *u =
		    published_unit_find(text, strlen(text));

		if (u == NULL || (unit != NULL && u != unit))
			return NULL;
		unit = u;
	}
	return unit;
}

/* Set the role of an ambiguous head by its cells. */
static void
settle_role(struct published_table *t, struct published_column *c,
    const struct grid *g, int has_values, int is_left)
{
	const struct column_body b = body_of(g, (size_t)(c - t->columns));

	if (!c->known) {
		settle_unknown(t, c, &b, has_values, is_left);
		return;
	}
	switch (c->role) {
	case PUBLISHED_SPEEDUP:
		if (strcasecmp(c->head, "scaling") == 0 && b.shares > 0)
			c->role = PUBLISHED_EFFICIENCY;
		break;
	case PUBLISHED_GPU_COUNT:
	case PUBLISHED_CASE:
		if (b.cases > 0)
			c->role = PUBLISHED_CASE;
		else if (b.n > 0 &&
		    (c->role == PUBLISHED_CASE || b.numbers == 0))
			c->role = PUBLISHED_LABEL;
		break;
	case PUBLISHED_OTHER:
		if (is_left && b.n > 0 && b.whole == b.n) {
			c->role = PUBLISHED_LABEL;
			c->framework = NULL;
		}
		break;
	case PUBLISHED_MEDIAN:
		/* Without a unit it is a rate if headings state one or a
		 * framework is named, else ignored. */
		if (c->unit == NULL && c->framework == NULL)
			c->unit = unit_of_rows(t, g);
		c->role =
		    c->unit == NULL && t->unit == NULL && c->framework == NULL
		    ? PUBLISHED_ASIDE
		    : PUBLISHED_RATE;
		/* FALLTHROUGH */
	case PUBLISHED_BANDWIDTH:
	case PUBLISHED_RATE:
		if (c->unit != NULL && c->unit->measure != PUBLISHED_PER_CENT)
			c->role = role_of_unit(c->unit, c->role);
		break;
	default:
		break;
	}
}

/* Read the heads; resolve ambiguous ones by their cells. */
static void
read_columns(
    struct published *p, struct published_table *t, const struct grid *g)
{
	int has_values = 0, is_left;

	t->n_columns = g->rows[0].n_cells;
	t->columns =
	    arena_calloc(&p->arena, t->n_columns + 1, sizeof *t->columns);
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_cell *cell = grid_at(g, 0, i);
		struct published_column *c = &t->columns[i];

		published_head_read(&p->arena, cell->text, c);
		c->line = cell->line;
		c->col = cell->col;
		has_values |= c->known && is_value(c->role);
	}
	is_left = has_values;
	for (size_t i = 0; i < t->n_columns; i++) {
		settle_role(t, &t->columns[i], g, has_values, is_left);
		is_left &= !is_value(t->columns[i].role);
	}
}

static void
read_cell(struct published_table *t, size_t i, struct published_cell *cell)
{
	struct published_column *c = &t->columns[i];
	const int is_number = c->role >= PUBLISHED_RATE;
	const long line = cell->line, col = cell->col;

	published_quantity_read(cell->text, t->point,
	    c->unit == NULL && c->role == PUBLISHED_RATE ? t->unit : c->unit,
	    cell);
	/* "about 30" is not a word like OOM. */
	if (is_number && cell->kind == PUBLISHED_WORD &&
	    strpbrk(cell->text, "0123456789") != NULL && !is_gap(cell->text)) {
		cell->kind = PUBLISHED_BAD;
		cell->problem = REMARK_CELL_NO_WORD;
	}
	cell->line = line;
	cell->col = col;
	if (is_number) {
		if (cell->kind == PUBLISHED_NUMBER &&
		    cell->number.decimals > c->decimals)
			c->decimals = cell->number.decimals;
	} else if (cell->kind != PUBLISHED_EMPTY) {
		if (c->role != PUBLISHED_OTHER || cell->kind == PUBLISHED_BAD ||
		    cell->kind == PUBLISHED_MALFORMED)
			cell->kind = PUBLISHED_WORD;
		if (cell->kind == PUBLISHED_WORD)
			cell->number.value = NAN;
		cell->problem = REMARK_NONE;
	}
}

/* --- rows ----------------------------------------------------------------- */

static void
read_row(
    struct published *p, struct published_table *t, struct published_row *row)
{
	struct published_cell *cells = row->cells;

	if (row->n_cells > t->n_columns)
		row->extra_col = cells[t->n_columns].col;
	for (size_t i = t->n_columns; i < row->n_cells; i++)
		if (cells[i].text[0] != '\0')
			published_row_refuse(
			    row, &cells[0], REMARK_CELL_TOO_MANY);
	if (row->n_cells < t->n_columns) {
		row->cells =
		    arena_calloc(&p->arena, t->n_columns, sizeof *cells);
		memcpy(row->cells, cells, row->n_cells * sizeof *cells);
	}
	for (size_t i = 0; i < t->n_columns; i++) {
		if (i >= row->n_cells)
			row->cells[i] = (struct published_cell){ .text = "",
				.line = row->line };
		read_cell(t, i, &row->cells[i]);
	}
}

/* True if the empty cell is merged with the one above, though the format does
 * not state it: it describes its row, as do the cells to its left, which equal
 * those of the row above. */
static int
is_merged(const struct published_table *t, const struct grid *g, size_t row,
    size_t column)
{
	if (grid_row_is_empty(&g->rows[row]) ||
	    grid_at(g, row - 1, column)->text[0] == '\0' ||
	    t->columns[column].role < PUBLISHED_NODES ||
	    t->columns[column].role > PUBLISHED_LABEL)
		return 0;
	for (size_t k = 0; k < column; k++)
		if (t->columns[k].role >= PUBLISHED_NODES &&
		    t->columns[k].role <= PUBLISHED_LABEL &&
		    strcmp(grid_at(g, row, k)->text,
			grid_at(g, row - 1, k)->text) != 0)
			return 0;
	return 1;
}

/* Copy the text of vertically merged cells to each row. If merging is inferred
 * and not stated by the format, add a remark. */
static void
fill_merged(
    struct published *p, struct published_table *t, const struct grid *g)
{
	for (size_t k = 0; k < t->n_columns; k++) {
		long left = 0;
		int guessed = 0;

		for (size_t i = 1; i < g->n; i++) {
			const struct published_cell *from = grid_at(g, i, k);

			if (from->text[0] != '\0') {
				left = from->down - 1;
				continue;
			}
			if (k >= g->rows[i].n_cells || i == 1 ||
			    (left <= 0 &&
				(p->keeps_empty || !is_merged(t, g, i, k))))
				continue;
			guessed |= left <= 0;
			left -= left > 0;
			g->rows[i].cells[k].text = grid_at(g, i - 1, k)->text;
		}
		if (guessed)
			published_remark(
			    p, t, REMARK_READ_AS_ABOVE, t->columns[k].head);
	}
}

static void
read_rows(struct published *p, struct published_table *t, const struct grid *g)
{
	const char *group = NULL;

	fill_merged(p, t, g);
	t->rows = g->rows; /* read in place, without the heads */
	for (size_t i = 1; i < g->n; i++) {
		struct published_row *row = &g->rows[i];
		const char *text = grid_at(g, i, 0)->text, *rest;
		size_t k = 1;
		long nodes, gpus;

		if (grid_row_is_empty(row))
			continue;
		while (k < row->n_cells && row->cells[k].text[0] == '\0')
			k++;
		/* The title of a group of rows is the only cell of its row, in
		 * the column of cases. */
		if (text[0] != '\0' && k == row->n_cells &&
		    row->n_cells <= t->n_columns &&
		    t->columns[0].role == PUBLISHED_CASE &&
		    !published_case_read(text, &nodes, &gpus, &rest)) {
			group = text;
			continue;
		}
		row->group = group;
		read_row(p, t, row);
		t->rows[t->n_rows++] = *row;
	}
	published_counts_read(p, t);
}

static void
make_table(struct published_reader *r, const char *title)
{
	struct published *p = r->p;
	const char **headings =
	    arena_calloc(&p->arena, r->n_headings + 1, sizeof *headings);
	struct published_table *t;
	const char *example;
	struct strbuf sb = STRBUF_INIT(1024);

	p->tables = arena_grow(&p->arena, p->tables, p->n, sizeof *p->tables);
	t = &p->tables[p->n++];
	t->line = r->g.rows[0].line;
	t->batch = PUBLISHED_UNKNOWN;
	memcpy(headings, r->headings, r->n_headings * sizeof *headings);
	t->headings = headings;
	t->n_headings = r->n_headings;
	if (title != NULL)
		headings[t->n_headings++] = title;
	for (size_t i = 0; i < t->n_headings; i++) {
		t->heading = headings[i];
		published_heading_read(&p->arena, t->heading, t);
	}
	t->point = grid_decimal_mark(&r->g, &example);
	read_columns(p, t, &r->g);
	read_rows(p, t, &r->g);
	if (example != NULL)
		published_remark(p, t, REMARK_DECIMAL_COMMA, example);
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].guessed && t->columns[i].head[0] != '\0')
			strbuf_printf(&sb, "%s'%s'", sb.len > 0 ? ", " : "",
			    t->columns[i].head);
	if (sb.len > 0)
		published_remark(p, t, REMARK_READ_AS_SPEEDS,
		    arena_printf(
			&p->arena, "%s%s", sb.buf, sb.full ? " ..." : ""));
	strbuf_release(&sb);
}

/* The grid is normalized to one row of heads above one row per case: titles
 * above the heads are removed, two rows of heads merged, and a table whose
 * heads are cases or GPU counts is transposed. */
int
reader_finish(struct published_reader *r)
{
	struct arena *a = &r->p->arena;
	struct grid *g = &r->g;
	const char *title = NULL;
	int cases;

	remove_titles(a, g, &title);
	if (g->n == 0 || g->rows[0].n_cells == 0) {
		*g = (struct grid){ 0 };
		return 0;
	}
	if (has_two_heads(a, g))
		join_heads(a, g);
	if (lies_on_its_side(a, g, &cases)) {
		if (grid_turn(r) != 0)
			return -1;
		/* The first head names the other column, such as a model. */
		if (cases)
			g->rows[0].cells[0].text = "case";
	}
	if (r->p->n == PUBLISHED_MAX_TABLES)
		return error_at(r->e, ERROR_LIMIT, r->name, g->rows[0].line, 0,
		    "more than %d tables", PUBLISHED_MAX_TABLES);
	make_table(r, title);
	*g = (struct grid){ 0 };
	return 0;
}

/* --- queries -------------------------------------------------------------- */

const char *
published_row_name(struct arena *a, const struct published_table *t,
    const struct published_row *row)
{
	struct strbuf sb = STRBUF_INIT(200);

	if (row->group != NULL)
		strbuf_printf(&sb, "%s, ", row->group);
	if (row->nodes != PUBLISHED_UNKNOWN &&
	    row->node_gpus != PUBLISHED_UNKNOWN)
		strbuf_printf(&sb, "%ldn%ldg", row->nodes, row->node_gpus);
	else if (row->gpus != PUBLISHED_UNKNOWN)
		strbuf_printf(&sb, "%ldg", row->gpus);
	if (row->label != NULL)
		strbuf_printf(&sb, "%s%s", sb.len > 0 ? " " : "", row->label);
	for (size_t i = 0; i < t->n_columns; i++) {
		const enum published_role role = t->columns[i].role;
		const char *text = row->cells[i].text;

		if (text[0] != '\0' && role >= PUBLISHED_BATCH &&
		    role <= PUBLISHED_LABEL)
			strbuf_printf(&sb, "%s%s%s", sb.len > 0 ? ", " : "",
			    role <= PUBLISHED_GLOBAL_BATCH ? "b" : "", text);
	}
	if (sb.len == 0)
		strbuf_printf(&sb, "row of line %ld", row->line);
	return strbuf_finish(&sb, a);
}

const char *
published_row_key(struct arena *a, const struct published_table *t,
    const struct published_row *row)
{
	struct strbuf sb;

	strbuf_init(&sb, 2 * PUBLISHED_MAX_BYTES);
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
		if (role != PUBLISHED_GLOBAL_BATCH || text[0] == '\0')
			strbuf_addstr(&sb, text);
		else if (t->strong || row->gpus == PUBLISHED_UNKNOWN ||
		    row->global_batch == PUBLISHED_UNKNOWN ||
		    row->global_batch % row->gpus != 0)
			strbuf_printf(&sb, "global %s", text);
		else /* weak scaling */
			strbuf_printf(
			    &sb, "each %ld", row->global_batch / row->gpus);
	}
	return strbuf_finish(&sb, a);
}
