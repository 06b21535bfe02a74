/* Speedups of a published table.  A speedup may be over the row of the fewest
 * GPUs, over a row that prints 1, over the column before, or over what is not
 * in the table at all.  Which of them is settled for a column or a group of its
 * rows, never for a cell: so a wrong cell does not choose what it fits.  Called
 * by check_within.c. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "report/check/check_parts.h"

static const struct check_range nowhere = { NAN, NAN, NAN };

/* How the speedups of a column are read. */
struct speedup_plan {
	const struct check_table *c;
	size_t column;
	/* [n_rows] the row that a speedup is over; NO_ROW: not settled */
	size_t *base;
	char *done; /* [n_rows] its finding is added */
};

static const struct published_cell *
cell_of(const struct speedup_plan *p, size_t row)
{
	return &p->c->t->rows[row].cells[p->column];
}

/* Is it not settled yet what the speedup of that row is over? */
static int
is_open(const struct speedup_plan *p, size_t row)
{
	return p->base[row] == NO_ROW && !p->done[row] &&
	    check_is_number(cell_of(p, row));
}

/* --- over the row of the fewest GPUs -------------------------------------- */

/* Which quotient of the two columns before fits the cell: bit 0 one over the
 * other, bit 1 the inverse; 0 for neither. */
static int
is_ratio_of_columns(const struct speedup_plan *p, size_t row)
{
	size_t operands[2];
	struct check_readings s;
	int fits = 0;

	if (!check_columns_before(p->c, row, p->column, operands))
		return 0;
	s = check_read_ratio(p->c, row, operands);
	for (size_t i = 0; i < s.n; i++)
		if (check_judge(&cell_of(p, row)->number,
			p->c->t->columns[p->column].decimals,
			s.ratio[i]) != CHECK_DIFFERS)
			fits |= 1 << i;
	return fits;
}

/* Is the baseline by GPUs one that the column has: it prints 1, or it is of one
 * GPU and prints what nothing else explains? */
static int
has_fewest(const struct speedup_plan *p, size_t row)
{
	const struct check_table *c = p->c;
	const size_t base = c->baseline[row];

	return check_has_baseline(c, row) &&
	    !check_starts_elsewhere(c, base, p->column) &&
	    check_operand(c, p->column, row, base, published_is_speed) !=
	    NO_ROW &&
	    (!check_is_number(cell_of(p, base)) ||
		check_prints_one(cell_of(p, base)) ||
		!is_ratio_of_columns(p, base));
}

/* Take what a column of the table states. */
static void
take_stated(struct speedup_plan *p)
{
	for (size_t row = 0; row < p->c->t->n_rows; row++)
		if (p->c->stated[row] && is_open(p, row))
			p->base[row] = p->c->baseline[row];
}

/* Take it for all rows of its group, if the group has others: one alone may be
 * over a row of another. */
static void
take_fewest(struct speedup_plan *p)
{
	const size_t n = p->c->t->n_rows;

	for (size_t row = 0; row < n; row++)
		if (p->c->baseline[row] != row && is_open(p, row) &&
		    has_fewest(p, row))
			p->base[row] = p->base[p->c->baseline[row]] =
			    p->c->baseline[row];
}

/* Else a row that prints 1 is over itself. */
static void
take_itself(struct speedup_plan *p)
{
	for (size_t row = 0; row < p->c->t->n_rows; row++)
		if (p->base[row] == NO_ROW && !p->done[row] &&
		    p->c->baseline[row] == row && has_fewest(p, row))
			p->base[row] = row;
}

/* --- over the column before ----------------------------------------------- */

/* "baseline | ours | speedup": where half of the open cells are such a
 * quotient, all are, and in the same way. */
static void
take_columns(struct speedup_plan *p)
{
	size_t n = 0, fits[2] = { 0, 0 }, operands[2], way;

	for (size_t row = 0; row < p->c->t->n_rows; row++)
		if (is_open(p, row) &&
		    check_columns_before(p->c, row, p->column, operands)) {
			const int fit = is_ratio_of_columns(p, row);

			n++;
			fits[0] += (fit & 1) != 0;
			fits[1] += (fit & 2) != 0;
		}
	way = fits[1] > fits[0];
	if (fits[way] == 0 || 2 * fits[way] < n)
		return;
	for (size_t row = 0; row < p->c->t->n_rows; row++) {
		struct check_readings s;

		if (!is_open(p, row) ||
		    !check_columns_before(p->c, row, p->column, operands))
			continue;
		s = check_read_ratio(p->c, row, operands);
		s.ratio[0] = s.ratio[way];
		s.why[0] = s.why[way];
		s.n = 1;
		check_readings_judge(
		    p->c, &p->c->t->rows[row], p->column, &s, NAN);
		p->done[row] = 1;
	}
}

/* --- over a row that prints 1 --------------------------------------------- */

/* A row and the part of the table that it is in. */
struct row_part {
	const char *part;
	size_t row;
};

static int
row_part_compare(const void *a, const void *b)
{
	const struct row_part *x = a, *y = b;
	const int order = strcmp(x->part, y->part);

	if (order != 0)
		return order;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Ways to part a table, or each of its groups: not at all, by all counts, or by
 * one column. */
enum { PART_WHOLE, PART_COUNTS, PART_COLUMN };

static const char *
part_of(const struct speedup_plan *p, size_t row, size_t way)
{
	const struct published_row *r = &p->c->t->rows[row];

	const char *group = r->group != NULL ? r->group : "";

	if (way == PART_WHOLE)
		return group;
	if (way >= PART_COLUMN)
		return r->group == NULL
		    ? r->cells[way - PART_COLUMN].text
		    : arena_printf(&p->c->r->arena, "%s\n%s", group,
			  r->cells[way - PART_COLUMN].text);
	return arena_printf(&p->c->r->arena, "%s\n%ld %ld %ld %ld", group,
	    r->nodes, r->gpus, r->batch, r->global_batch);
}

/* Rows that print 1 in [from, to); the last of them in base. */
static size_t
count_ones(const struct speedup_plan *p, const struct row_part *rows,
    size_t from, size_t to, size_t *base)
{
	size_t ones = 0;

	for (size_t i = from; i < to; i++)
		if (check_prints_one(cell_of(p, rows[i].row))) {
			*base = rows[i].row;
			ones++;
		}
	return ones;
}

/* Take the row that prints 1 as the baseline of its part, if each part has one
 * and some part has other rows.
 *
 * least  parts that there must be
 *
 * Returns 1 if so. */
static int
take_ones_by(struct speedup_plan *p, struct row_part *rows, size_t n,
    size_t way, size_t least)
{
	size_t end, base = NO_ROW, others = 0, parts = 0;

	for (size_t i = 0; i < n; i++)
		rows[i].part = part_of(p, rows[i].row, way);
	qsort(rows, n, sizeof *rows, row_part_compare);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1;
		     end < n && strcmp(rows[i].part, rows[end].part) == 0;)
			end++;
		if (count_ones(p, rows, i, end, &base) != 1)
			return 0;
		others += end - i - 1;
		parts++;
	}
	if (others == 0 || parts < least)
		return 0;
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1;
		     end < n && strcmp(rows[i].part, rows[end].part) == 0;)
			end++;
		(void)count_ones(p, rows, i, end, &base);
		for (size_t k = i; k < end; k++)
			p->base[rows[k].row] = base;
	}
	return 1;
}

static int
may_part(enum published_role role)
{
	return role >= PUBLISHED_NODES && role <= PUBLISHED_LABEL;
}

static void
remark_ones(const struct speedup_plan *p, size_t way)
{
	const struct published_column *columns = p->c->t->columns;

	struct remark remark = REMARK(
	    way == PART_COUNTS ? REMARK_OVER_ONES_OF_SIZE : REMARK_OVER_ONES,
	    remark_name(columns[p->column].head));

	if (way >= PART_COLUMN)
		remark.args[1] = remark_name(columns[way - PART_COLUMN].head);
	check_remark(p->c, remark_copy(&remark, &p->c->r->arena));
}

/* sizes  1: only if each of several sizes has a row that prints 1, which no
 *        speedup over the fewest GPUs has */
static void
take_ones(struct speedup_plan *p, int sizes)
{
	const struct published_table *t = p->c->t;
	struct row_part *rows = xcalloc(t->n_rows + 1, sizeof *rows);
	const size_t first = sizes ? PART_COUNTS : PART_WHOLE;
	const size_t end = sizes ? PART_COLUMN : PART_COLUMN + p->column;
	size_t n = 0;
	int found = 0;

	for (size_t row = 0; row < t->n_rows; row++)
		if (is_open(p, row) &&
		    check_operand(p->c, p->column, row, row,
			published_is_speed) != NO_ROW)
			rows[n++].row = row;
	for (size_t way = first; n > 1 && !found && way < end; way++) {
		if (way >= PART_COLUMN &&
		    !may_part(t->columns[way - PART_COLUMN].role))
			continue;
		found = take_ones_by(p, rows, n, way, sizes ? 2 : 1);
		if (found)
			remark_ones(p, way);
	}
	free(rows);
}

/* --- over what is not in the table ---------------------------------------- */

/* The baseline that a row's speed and speedup imply. */
struct implied {
	struct check_range range;
	size_t row, k;
	const char *group;
};

/* 1 and the baseline's range; 0 for a row without a speed or time. */
static int
implied_of(const struct speedup_plan *p, size_t row, struct implied *out)
{
	const struct check_table *c = p->c;
	const size_t k =
	    check_operand(c, p->column, row, row, published_is_speed);
	struct check_range speed, speedup;

	if (k == NO_ROW || c->t->columns[k].role == PUBLISHED_STEP_TIME ||
	    check_is_of_steps(c, k))
		return 0;
	speed = check_range_of(&c->t->rows[row].cells[k].number);
	speedup = check_range_of(&cell_of(p, row)->number);
	out->row = row;
	out->k = k;
	out->range = c->t->columns[k].role == PUBLISHED_RATE
	    ? check_range_over(speed, speedup)
	    : check_range_times(speed, speedup);
	return 1;
}

enum { MAX_IMPLIED = 2000 }; /* rows; each is held against all */

/* Speedups over one baseline that is not in the table must imply the same: rows
 * of a group, of which at least three and more than half agree, are checked
 * against what these imply. */
static void
check_implied(struct speedup_plan *p, const struct implied *list, size_t n)
{
	struct check_range where = nowhere;
	struct check_range *ranges = xcalloc(n, sizeof *ranges);
	struct remark_arg base;
	size_t agree = 0;

	for (size_t i = 0; i < n; i++)
		ranges[i] = list[i].range;
	if (n <= MAX_IMPLIED)
		agree = check_range_overlap(ranges, n, &where);
	free(ranges);
	if (agree < 3 || 2 * agree <= n)
		return;
	base = remark_name(arena_printf(
	    &p->c->r->arena, "%.5g", (where.low + where.high) / 2));
	for (size_t i = 0; i < n; i++) {
		const struct check_table *c = p->c;
		const struct published_cell *cell =
		    &c->t->rows[list[i].row].cells[list[i].k];
		const int is_rate =
		    c->t->columns[list[i].k].role == PUBLISHED_RATE;
		const struct check_range speed = check_range_of(&cell->number);
		const struct remark_arg own =
		    check_cell_name(c, list[i].row, list[i].k);
		struct remark *quotient =
		    arena_alloc(&c->r->arena, sizeof *quotient);

		*quotient = REMARK(REMARK_QUOTIENT, remark_number(NAN),
		    is_rate ? own : base, is_rate ? base : own,
		    remark_number(NAN));
		check_cell(c, &c->t->rows[list[i].row], p->column,
		    is_rate ? check_range_over(speed, where)
			    : check_range_over(where, speed),
		    REMARK(REMARK_IMPLIED, remark_inner(quotient),
			remark_number((double)agree),
			remark_number((double)n)));
		p->done[list[i].row] = 1;
	}
}

static int
implied_compare(const void *a, const void *b)
{
	const struct implied *x = a, *y = b;
	const int order = strcmp(x->group, y->group);

	if (order != 0)
		return order;
	if (x->k != y->k)
		return x->k < y->k ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static void
take_implied(struct speedup_plan *p)
{
	const struct published_table *t = p->c->t;
	struct implied *list = xcalloc(t->n_rows + 1, sizeof *list);
	size_t n = 0, end;

	for (size_t row = 0; row < t->n_rows; row++)
		if (is_open(p, row) && implied_of(p, row, &list[n]))
			list[n++].group = published_row_key(
			    &p->c->r->arena, t, &t->rows[row]);
	if (n > 0)
		qsort(list, n, sizeof *list, implied_compare);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && list[end].k == list[i].k &&
		     strcmp(list[end].group, list[i].group) == 0;)
			end++;
		check_implied(p, list + i, end - i);
	}
	free(list);
}

/* --- all ------------------------------------------------------------------ */

static void
check_over_base(const struct speedup_plan *p, size_t row)
{
	const struct check_table *c = p->c;
	const size_t base = p->base[row];
	const size_t k = base == NO_ROW
	    ? NO_ROW
	    : check_operand(c, p->column, row, base, published_is_speed);
	struct check_readings s;

	if (k == NO_ROW) {
		check_add(c, &c->t->rows[row], p->column, CHECK_NO_BASELINE,
		    nowhere, remark_plain(REMARK_NO_QUOTIENT));
		return;
	}
	s = check_read_speedup(c, row, base, k);
	check_readings_judge(c, &c->t->rows[row], p->column, &s, NAN);
}

void
check_speedups(const struct check_table *c, size_t column)
{
	const size_t n = c->t->n_rows;
	struct speedup_plan p = { c, column, xcalloc(n + 1, sizeof *p.base),
		xcalloc(n + 1, 1) };

	for (size_t row = 0; row < n; row++)
		p.base[row] = NO_ROW;
	take_stated(&p);
	take_ones(&p, 1);
	take_fewest(&p);
	take_columns(&p);
	take_ones(&p, 0);
	take_implied(&p);
	take_itself(&p);
	for (size_t row = 0; row < n; row++)
		if (!p.done[row] && check_is_number(cell_of(&p, row)))
			check_over_base(&p, row);
	free(p.base);
	free(p.done);
}
