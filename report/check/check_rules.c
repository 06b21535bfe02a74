/* Rules within a published table: how speedups, efficiencies, relative costs,
 * ratios, shares and rates follow from other cells. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "report/check/check_parts.h"

/* Up to two readings of a quotient: the work of a step may grow with the GPUs
 * or not, and a ratio of two columns has two directions. */
struct check_readings {
	struct check_range ratio[2];
	struct remark why[2]; /* REMARK_QUOTIENT */
	size_t n;
};

/* --- operands ------------------------------------------------------------- */

/* Add the finding that there is nothing to check a cell against. */
static void
add_unchecked(const struct check_table *c, size_t row, size_t column,
    enum remark_code why)
{
	check_add(c, &c->t->rows[row], column, CHECK_NO_BASELINE, check_nowhere,
	    remark_plain(why));
}

int
check_is_number(const struct published_cell *cell)
{
	return cell->kind == PUBLISHED_NUMBER && cell->number.value > 0;
}

/* True if framework, precision and batch of two columns do not contradict. */
static int
columns_match(
    const struct published_column *a, const struct published_column *b)
{
	if (a->framework != NULL && b->framework != NULL &&
	    strcasecmp(a->framework, b->framework) != 0)
		return 0;
	if (a->precision != NULL && b->precision != NULL &&
	    strcmp(a->precision, b->precision) != 0)
		return 0;
	return a->batch == PUBLISHED_UNKNOWN || b->batch == PUBLISHED_UNKNOWN ||
	    a->batch == b->batch;
}

/* The accepted column nearest to the left of i, else to the right, with numbers
 * in both rows; NO_ROW if there is none. */
static size_t
operand(const struct check_table *c, size_t i, size_t row, size_t base,
    int (*accepts)(enum published_role role))
{
	const struct published_table *t = c->t;

	for (size_t step = 0; step < 2 * t->n_columns; step++) {
		const size_t left = i - 1 - step;
		const size_t k = step < i ? left : i + 1 + (step - i);

		if (k >= t->n_columns)
			break;
		if (accepts(t->columns[k].role) &&
		    columns_match(&t->columns[i], &t->columns[k]) &&
		    check_is_number(&t->rows[row].cells[k]) &&
		    check_is_number(&t->rows[base].cells[k]))
			return k;
	}
	return NO_ROW;
}

size_t
check_speed_of(const struct check_table *c, size_t row, size_t column)
{
	return operand(c, column, row, row, published_is_speed);
}

static struct remark_arg
cell_name(const struct check_table *c, size_t row, size_t column)
{
	return remark_name(arena_printf(
	    &c->r->arena, "%.60s", c->t->rows[row].cells[column].text));
}

/* "60000 / 113.525s" */
static struct remark
quotient(double scale, struct remark_arg a, struct remark_arg b)
{
	return REMARK(
	    REMARK_QUOTIENT, remark_number(scale), a, b, remark_number(NAN));
}

static int
is_of_steps(const struct check_table *c, size_t k)
{
	const struct published_column *column = &c->t->columns[k];

	return column->unit != NULL && column->unit->rate != NULL &&
	    strcmp(column->unit->rate, "iterations/s") == 0;
}

static struct check_readings
read_speedup(const struct check_table *c, size_t row, size_t base, size_t k)
{
	const struct published_table *t = c->t;
	const struct published_number *own = &t->rows[row].cells[k].number;
	const struct published_number *first = &t->rows[base].cells[k].number;
	const int is_rate = t->columns[k].role == PUBLISHED_RATE;
	const int counted = t->rows[row].gpus != PUBLISHED_UNKNOWN &&
	    t->rows[base].gpus != PUBLISHED_UNKNOWN;
	const double scale = counted
	    ? (double)t->rows[row].gpus / (double)t->rows[base].gpus
	    : 1;
	struct check_readings s = { .n = 0 };
	struct check_range plain = is_rate
	    ? check_range_over(check_range_of(own), check_range_of(first))
	    : check_range_over(check_time_of_work(c, base, k),
		  check_time_of_work(c, row, k));
	const struct remark_arg a = cell_name(c, is_rate ? row : base, k);
	const struct remark_arg b = cell_name(c, is_rate ? base : row, k);

	if (row == base)
		plain = check_range_exact(1);
	if (t->columns[k].role == PUBLISHED_STEP_TIME || is_of_steps(c, k)) {
		s.ratio[s.n] = check_range_scaled(plain, scale);
		s.why[s.n++] = quotient(scale == 1 ? NAN : scale, a, b);
	}
	s.ratio[s.n] = plain;
	s.why[s.n++] = quotient(NAN, a, b);
	return s;
}

static void
judge_readings(const struct check_table *c, const struct published_row *row,
    size_t column, const struct check_readings *s, double by)
{
	const struct published_number *n = &row->cells[column].number;
	const double factor = isnan(by) ? 1 : 1 / by;
	size_t best = 0;
	enum check_verdict verdict = CHECK_DIFFERS;
	struct check_range range;
	struct remark why;

	for (size_t i = 0; i < s->n; i++) {
		enum check_verdict v;

		range = check_range_scaled(s->ratio[i], factor);
		v = check_judge(n, c->t->columns[column].decimals, range);
		if (v < verdict) {
			verdict = v;
			best = i;
		}
	}
	range = check_range_scaled(s->ratio[best], factor);
	why = s->why[best];
	why.args[3] = remark_number(by);
	check_add(c, row, column, verdict, range, why);
}

static int
has_baseline(const struct check_table *c, size_t row)
{
	return c->baseline[row] != NO_ROW &&
	    c->t->rows[row].gpus != PUBLISHED_UNKNOWN;
}

static int
starts_elsewhere(const struct check_table *c, size_t base, size_t column)
{
	const struct published_cell *cell = &c->t->rows[base].cells[column];

	return c->t->rows[base].gpus != 1 && check_is_number(cell) &&
	    !check_prints_one(cell);
}

long
check_baseline_gpus(const struct check_table *c, size_t row, size_t column)
{
	const size_t base = c->baseline[row];

	if (!has_baseline(c, row) || starts_elsewhere(c, base, column))
		return 1;
	return c->t->rows[base].gpus;
}

int
check_prints_one(const struct published_cell *cell)
{
	return check_is_number(cell) &&
	    fabs(cell->number.value - 1) <= cell->number.half * 1.001;
}

static int
columns_before(
    const struct check_table *c, size_t row, size_t column, size_t operands[2])
{
	const struct published_table *t = c->t;
	size_t n = 0;

	for (size_t k = column; k-- > 0 && n < 2;)
		if (t->columns[k].role >= PUBLISHED_RATE &&
		    t->columns[k].role <= PUBLISHED_BANDWIDTH &&
		    (n == 0 ||
			t->columns[k].role == t->columns[operands[0]].role))
			operands[n++] = k;
	return n == 2 && check_is_number(&t->rows[row].cells[operands[0]]) &&
	    check_is_number(&t->rows[row].cells[operands[1]]);
}

static struct check_readings
read_ratio(const struct check_table *c, size_t row, const size_t operands[2])
{
	const struct published_row *r = &c->t->rows[row];
	struct check_readings s = { .n = 2 };

	for (size_t i = 0; i < 2; i++) {
		const size_t a = operands[1 - i], b = operands[i];

		s.ratio[i] =
		    check_range_over(check_range_of(&r->cells[a].number),
			check_range_of(&r->cells[b].number));
		s.why[i] =
		    quotient(NAN, cell_name(c, row, a), cell_name(c, row, b));
	}
	return s;
}

/* --- speedups ------------------------------------------------------------- */

/* A speedup's baseline may be the row with the fewest GPUs, a row that prints
 * 1, the column before, or a value outside the table. It is decided for a
 * column or a group of rows, never for a cell, so that a wrong cell cannot
 * choose a baseline that fits it. */
struct speedup_plan {
	const struct check_table *c;
	size_t column;
	/* [n_rows] row of the baseline; NO_ROW: undecided */
	size_t *base;
	char *done; /* [n_rows] its finding is added */
};

static const struct published_cell *
cell_of(const struct speedup_plan *p, size_t row)
{
	return &p->c->t->rows[row].cells[p->column];
}

/* True if the baseline of that row is undecided. */
static int
is_open(const struct speedup_plan *p, size_t row)
{
	return p->base[row] == NO_ROW && !p->done[row] &&
	    check_is_number(cell_of(p, row));
}

/* Which quotient of the two columns before fits the cell: bit 0 the first over
 * the second, bit 1 the inverse; 0: neither. */
static int
is_ratio_of_columns(const struct speedup_plan *p, size_t row)
{
	size_t operands[2];
	struct check_readings s;
	int fits = 0;

	if (!columns_before(p->c, row, p->column, operands))
		return 0;
	s = read_ratio(p->c, row, operands);
	for (size_t i = 0; i < s.n; i++)
		if (check_judge(&cell_of(p, row)->number,
			p->c->t->columns[p->column].decimals,
			s.ratio[i]) != CHECK_DIFFERS)
			fits |= 1 << i;
	return fits;
}

/* True if the column uses the row with the fewest GPUs as baseline: it prints
 * 1, or has one GPU and prints a value without other explanation. */
static int
has_fewest(const struct speedup_plan *p, size_t row)
{
	const struct check_table *c = p->c;
	const size_t base = c->baseline[row];

	return has_baseline(c, row) && !starts_elsewhere(c, base, p->column) &&
	    operand(c, p->column, row, base, published_is_speed) != NO_ROW &&
	    (!check_is_number(cell_of(p, base)) ||
		check_prints_one(cell_of(p, base)) ||
		!is_ratio_of_columns(p, base));
}

/* Take the baselines that a column of the table states. */
static void
take_stated(struct speedup_plan *p)
{
	for (size_t row = 0; row < p->c->t->n_rows; row++)
		if (p->c->stated[row] && is_open(p, row))
			p->base[row] = p->c->baseline[row];
}

/* Take the row with the fewest GPUs as baseline of its group. A group of one
 * row is left: its baseline may be in another group. */
static void
take_fewest(struct speedup_plan *p)
{
	for (size_t row = 0; row < p->c->t->n_rows; row++) {
		const size_t base = p->c->baseline[row];

		if (base != row && is_open(p, row) && has_fewest(p, row))
			p->base[row] = p->base[base] = base;
	}
}

/* A remaining row that prints 1 is its own baseline. */
static void
take_itself(struct speedup_plan *p)
{
	for (size_t row = 0; row < p->c->t->n_rows; row++)
		if (p->c->baseline[row] == row && is_open(p, row) &&
		    has_fewest(p, row))
			p->base[row] = row;
}

/*  ours | speedup": where half of the open cells are such a quotient, all are,
 * and in the same way.|"baseline | ours | speedup": if half of the undecided
 * cells are such a quotient, all are taken as that quotient.| ours | speedup":
 * where half of the open cells are such a quotient, all are, and in the same
 * way. */
static void
take_columns(struct speedup_plan *p)
{
	size_t n = 0, fits[2] = { 0, 0 }, operands[2], way;

	for (size_t row = 0; row < p->c->t->n_rows; row++)
		if (is_open(p, row) &&
		    columns_before(p->c, row, p->column, operands)) {
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
		    !columns_before(p->c, row, p->column, operands))
			continue;
		s = read_ratio(p->c, row, operands);
		s.ratio[0] = s.ratio[way];
		s.why[0] = s.why[way];
		s.n = 1;
		judge_readings(p->c, &p->c->t->rows[row], p->column, &s, NAN);
		p->done[row] = 1;
	}
}

/* --- over a row that prints 1 --------------------------------------------- */

/* Ways to divide a table or its groups: not at all, by all counts, or by one
 * column. */
enum { PART_WHOLE, PART_COUNTS, PART_COLUMN };

static const char *
part_of(const struct speedup_plan *p, size_t row, size_t way)
{
	const struct published_row *r = &p->c->t->rows[row];
	const char *group = r->group != NULL ? r->group : "";
	struct arena *a = &p->c->r->arena;

	if (way == PART_WHOLE)
		return group;
	if (way == PART_COUNTS)
		return arena_printf(a, "%s\n%ld %ld %ld %ld", group, r->nodes,
		    r->gpus, r->batch, r->global_batch);
	return r->group == NULL ? r->cells[way - PART_COLUMN].text
				: arena_printf(a, "%s\n%s", group,
				      r->cells[way - PART_COLUMN].text);
}

/* Take the row that prints 1 as the baseline of its part, if each part has
 * exactly one and some part has other rows.
 *
 * least  smallest number of parts
 *
 * Returns 1 if taken. */
static int
take_ones_by(struct speedup_plan *p, struct check_keyed *rows, size_t n,
    size_t way, size_t least)
{
	size_t *bases = xcalloc(n, sizeof *bases), others = 0, parts = 0;
	int found = 1;

	for (size_t i = 0; i < n; i++)
		rows[i].key = part_of(p, rows[i].row, way);
	check_keyed_sort(rows, n);
	for (size_t i = 0, end; i < n; i = end) {
		size_t ones = 0, base = NO_ROW;

		end = check_keyed_end(rows, n, i);
		for (size_t k = i; k < end; k++)
			if (check_prints_one(cell_of(p, rows[k].row))) {
				base = rows[k].row;
				ones++;
			}
		for (size_t k = i; k < end; k++)
			bases[k] = base;
		found &= ones == 1;
		others += end - i - 1;
		parts++;
	}
	found &= others > 0 && parts >= least;
	for (size_t i = 0; found && i < n; i++)
		p->base[rows[i].row] = bases[i];
	free(bases);
	return found;
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

/* sizes  1: only divide by counts, into at least two parts; speedups over the
 *        fewest GPUs print one 1 only */
static void
take_ones(struct speedup_plan *p, int sizes)
{
	const struct published_table *t = p->c->t;
	struct check_keyed *rows = xcalloc(t->n_rows + 1, sizeof *rows);
	const size_t end = sizes ? PART_COLUMN : PART_COLUMN + p->column;
	size_t way = sizes ? PART_COUNTS : PART_WHOLE, n = 0;

	for (size_t row = 0; row < t->n_rows; row++)
		if (is_open(p, row) &&
		    check_speed_of(p->c, row, p->column) != NO_ROW)
			rows[n++].row = row;
	for (; n > 1 && way < end; way++) {
		const enum published_role role = way < PART_COLUMN
		    ? PUBLISHED_LABEL
		    : t->columns[way - PART_COLUMN].role;

		if (role >= PUBLISHED_NODES && role <= PUBLISHED_LABEL &&
		    take_ones_by(p, rows, n, way, sizes ? 2 : 1)) {
			remark_ones(p, way);
			break;
		}
	}
	free(rows);
}

/* --- over what is not in the table ---------------------------------------- */

enum { MAX_IMPLIED = 2000 }; /* rows; the comparison is quadratic */

/* Column of the speed or time that, with a row's speedup, implies a baseline;
 * NO_ROW if there is none. */
static size_t
implying_column(const struct speedup_plan *p, size_t row)
{
	const size_t k = check_speed_of(p->c, row, p->column);

	return k == NO_ROW || p->c->t->columns[k].role == PUBLISHED_STEP_TIME ||
		is_of_steps(p->c, k)
	    ? NO_ROW
	    : k;
}

/* Speedups over one baseline outside the table imply the same baseline. If at
 * least three and more than half of a group's rows agree, all rows are checked
 * against their baseline. */
static void
check_implied(struct speedup_plan *p, const struct check_keyed *rows, size_t n)
{
	const struct check_table *c = p->c;
	const size_t k = implying_column(p, rows[0].row);
	const int is_rate = c->t->columns[k].role == PUBLISHED_RATE;
	struct check_range *ranges = xcalloc(n, sizeof *ranges);
	struct check_range where = check_nowhere;
	struct arena *a = &c->r->arena;
	struct remark_arg base;
	size_t agree = 0;

	for (size_t i = 0; i < n; i++) {
		const struct published_cell *cells =
		    c->t->rows[rows[i].row].cells;
		const struct check_range speed =
					     check_range_of(&cells[k].number),
					 speedup = check_range_of(
					     &cells[p->column].number);

		ranges[i] = is_rate ? check_range_over(speed, speedup)
				    : check_range_times(speed, speedup);
	}
	if (n <= MAX_IMPLIED)
		agree = check_range_overlap(ranges, n, &where);
	free(ranges);
	if (agree < 3 || 2 * agree <= n)
		return;
	base =
	    remark_name(arena_printf(a, "%.5g", (where.low + where.high) / 2));
	for (size_t i = 0; i < n; i++) {
		const struct published_row *row = &c->t->rows[rows[i].row];
		const struct check_range speed =
		    check_range_of(&row->cells[k].number);
		const struct remark_arg own = cell_name(c, rows[i].row, k);
		struct remark *why = arena_alloc(a, sizeof *why);

		*why =
		    quotient(NAN, is_rate ? own : base, is_rate ? base : own);
		check_cell(c, row, p->column,
		    is_rate ? check_range_over(speed, where)
			    : check_range_over(where, speed),
		    REMARK(REMARK_IMPLIED, remark_inner(why),
			remark_number((double)agree),
			remark_number((double)n)));
		p->done[rows[i].row] = 1;
	}
}

static void
take_implied(struct speedup_plan *p)
{
	const struct published_table *t = p->c->t;
	struct check_keyed *rows = xcalloc(t->n_rows + 1, sizeof *rows);
	struct arena *a = &p->c->r->arena;
	size_t n = 0;

	for (size_t row = 0; row < t->n_rows; row++) {
		const size_t k =
		    is_open(p, row) ? implying_column(p, row) : NO_ROW;

		if (k != NO_ROW)
			rows[n++] = (struct check_keyed){
				arena_printf(a, "%s\n%zu",
				    published_row_key(a, t, &t->rows[row]), k),
				row
			};
	}
	check_keyed_sort(rows, n);
	for (size_t i = 0, end; i < n; i = end) {
		end = check_keyed_end(rows, n, i);
		check_implied(p, rows + i, end - i);
	}
	free(rows);
}

static void
check_over_base(const struct speedup_plan *p, size_t row)
{
	const struct check_table *c = p->c;
	const size_t base = p->base[row];
	const size_t k = base == NO_ROW
	    ? NO_ROW
	    : operand(c, p->column, row, base, published_is_speed);
	struct check_readings s;

	if (k == NO_ROW) {
		add_unchecked(c, row, p->column, REMARK_NO_QUOTIENT);
		return;
	}
	s = read_speedup(c, row, base, k);
	judge_readings(c, &c->t->rows[row], p->column, &s, NAN);
}

/* Check all speedups of a column. */
static void
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

/* --- other rules ---------------------------------------------------------- */

static int
is_speedup(enum published_role role)
{
	return role == PUBLISHED_SPEEDUP;
}

/* True if most efficiencies of the column are the printed speedup over the
 * GPUs, that is over a 1-GPU baseline outside the table. */
static int
is_of_one_gpu(const struct check_table *c, size_t column)
{
	const struct published_table *t = c->t;
	size_t n = 0, fits = 0;

	for (size_t row = 0; row < t->n_rows; row++) {
		const struct published_cell *cell = &t->rows[row].cells[column];
		const size_t k = operand(c, column, row, row, is_speedup);
		struct check_range x;

		if (k == NO_ROW || t->rows[row].gpus == PUBLISHED_UNKNOWN ||
		    !check_is_number(cell))
			continue;
		x = check_range_scaled(
		    check_range_of(&t->rows[row].cells[k].number),
		    1 / (double)t->rows[row].gpus);
		n++;
		fits += check_judge(&cell->number, t->columns[column].decimals,
			    x) != CHECK_DIFFERS;
	}
	return fits >= 2 && 2 * fits > n;
}

/* Speedup over GPUs, by speeds or by the printed speedup.
 *
 * of_one_gpu  cache of is_of_one_gpu; -1: unknown */
static void
check_efficiency(
    const struct check_table *c, size_t row, size_t column, int *of_one_gpu)
{
	const struct published_row *r = &c->t->rows[row];
	const size_t base = c->baseline[row];
	const int elsewhere =
	    has_baseline(c, row) && starts_elsewhere(c, base, column);
	struct check_readings s;
	double gpus;
	size_t k = NO_ROW;

	if (elsewhere && *of_one_gpu < 0)
		*of_one_gpu = is_of_one_gpu(c, column);
	if (!has_baseline(c, row) || (elsewhere && !*of_one_gpu)) {
		add_unchecked(c, row, column, REMARK_NO_BASELINE);
		return;
	}
	gpus = (double)r->gpus;
	if (!elsewhere) {
		gpus /= (double)c->t->rows[base].gpus;
		k = operand(c, column, row, base, published_is_speed);
	}
	if (k == NO_ROW)
		k = operand(c, column, row, row, is_speedup);
	if (k == NO_ROW) {
		add_unchecked(c, row, column, REMARK_NO_SPEED);
		return;
	}
	if (c->t->columns[k].role == PUBLISHED_SPEEDUP)
		s = (struct check_readings){ .ratio = { check_range_of(
						 &r->cells[k].number) },
			.why = { REMARK(REMARK_QUOTIENT, remark_number(NAN),
			    cell_name(c, row, k), { .text = NULL },
			    remark_number(NAN)) },
			.n = 1 };
	else
		s = read_speedup(c, row, base, k);
	judge_readings(c, r, column, &s, gpus);
}

static int
is_time(enum published_role role)
{
	return role == PUBLISHED_STEP_TIME || role == PUBLISHED_DURATION;
}

/* Relative cost: time on n GPUs over n times that on one; for rates the
 * efficiency. If it is printed in parentheses after a cell, k is that cell's
 * column. */
static int
relative_cost(const struct check_table *c, size_t row, size_t k,
    struct check_range *out, struct remark *why)
{
	const size_t base = c->baseline[row];
	const struct published_row *r = &c->t->rows[row];
	double n;

	if (!has_baseline(c, row) || k == NO_ROW ||
	    !check_is_number(&c->t->rows[base].cells[k]) ||
	    !check_is_number(&r->cells[k]))
		return 0;
	n = (double)r->gpus / (double)c->t->rows[base].gpus;
	*out = check_range_over(check_range_of(&r->cells[k].number),
	    check_range_of(&c->t->rows[base].cells[k].number));
	*out = check_range_scaled(*out, 1 / n);
	*why = REMARK(REMARK_QUOTIENT_SCALED, cell_name(c, row, k),
	    remark_number(n), cell_name(c, base, k));
	return 1;
}

static void
check_cost(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	const size_t base = c->baseline[row];
	struct check_range range;
	struct remark why;
	size_t k = NO_ROW;

	if (has_baseline(c, row))
		k = operand(c, column, row, base, is_time);
	if (relative_cost(c, row, k, &range, &why))
		check_cell(c, r, column, range, why);
	else
		add_unchecked(c, row, column, REMARK_NO_TIME);
}

/* True if "(99%)" after such a cell can be its relative cost or efficiency.
 * After memory or a bandwidth it is a share of something else. */
static int
has_share_of_work(enum published_role role)
{
	return published_is_speed(role) || role == PUBLISHED_MEAN_TIME;
}

/* Check the share in parentheses after a time or a speed. */
static void
check_share_after(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	struct published_cell cell = r->cells[column];
	struct check_range range;
	struct remark why;

	if (!has_share_of_work(c->t->columns[column].role) ||
	    isnan(cell.share.value) || row == c->baseline[row] ||
	    !relative_cost(c, row, column, &range, &why))
		return;
	check_add_text(c, r, column,
	    check_judge(&cell.share, cell.share.decimals, range),
	    arena_printf(
		&c->r->arena, "(%.*f%%)", cell.share.decimals, range.at * 100),
	    why);
}

/* First column of a role; NO_ROW if there is none. */
static size_t
column_of(const struct check_table *c, enum published_role role)
{
	for (size_t i = 0; i < c->t->n_columns; i++)
		if (c->t->columns[i].role == role)
			return i;
	return NO_ROW;
}

/* The two columns left of i of one kind, a / b or b / a. */
static void
check_ratio(const struct check_table *c, size_t row, size_t column)
{
	size_t operands[2];
	struct check_readings s;

	if (!columns_before(c, row, column, operands)) {
		add_unchecked(c, row, column, REMARK_NO_OPERANDS);
		return;
	}
	s = read_ratio(c, row, operands);
	judge_readings(c, &c->t->rows[row], column, &s, NAN);
}

/* The sum of column k, if all its cells are numbers. */
static struct check_range
total_of(const struct published_table *t, size_t k)
{
	struct check_range sum = { 0, 0, 0 };

	for (size_t i = 0; k != NO_ROW && i < t->n_rows; i++) {
		const struct published_cell *cell = &t->rows[i].cells[k];

		if (cell->kind != PUBLISHED_NUMBER)
			return check_nowhere;
		sum.low += cell->number.value - cell->number.half;
		sum.high += cell->number.value + cell->number.half;
		sum.at += cell->number.value;
	}
	return k != NO_ROW ? sum : check_nowhere;
}

/* Check a time's share of its column's sum. */
static void
check_share(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	const size_t k = column_of(c, PUBLISHED_DURATION);

	if (isnan(c->total.low) || k == NO_ROW ||
	    !check_is_number(&r->cells[k])) {
		add_unchecked(c, row, column, REMARK_NO_TOTAL);
		return;
	}
	check_cell(c, r, column,
	    check_range_over(check_range_of(&r->cells[k].number), c->total),
	    REMARK(REMARK_PART_OF, cell_name(c, row, k),
		remark_number(c->total.at)));
}

/* Check a total: count times value of each. */
static void
check_product(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	const size_t count = column_of(c, PUBLISHED_COUNT),
		     mean = column_of(c, PUBLISHED_MEAN_TIME);

	if (count == NO_ROW || mean == NO_ROW ||
	    !check_is_number(&r->cells[count]) ||
	    !check_is_number(&r->cells[mean]))
		return;
	check_cell(c, r, column,
	    check_range_times(check_range_exact(r->cells[count].number.value),
		check_range_of(&r->cells[mean].number)),
	    REMARK(REMARK_PRODUCT, cell_name(c, row, count),
		cell_name(c, row, mean)));
}

/* --- rates of times ------------------------------------------------------- */

static struct remark_arg
seconds_name(const struct check_table *c, int decimals, double seconds)
{
	return remark_name(
	    arena_printf(&c->r->arena, "%.*f", decimals, seconds));
}

/* Check samples over time, also with the time cut to fewer digits: a rate may
 * have been divided by 113 s where 113.525 s is printed. */
static void
check_rate_of_samples(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	const double samples = c->ask->samples;
	const size_t k = operand(c, column, row, row, is_time);
	const struct published_number *rate = &r->cells[column].number;
	const int decimals = c->t->columns[column].decimals;
	const struct published_number *t;
	struct check_range range;
	struct remark why;

	if (k == NO_ROW || c->t->columns[k].role != PUBLISHED_DURATION)
		return;
	t = &r->cells[k].number;
	range = check_range_over(check_range_exact(samples), check_range_of(t));
	why = REMARK(REMARK_SAMPLES_OVER, remark_number(samples),
	    seconds_name(c, t->decimals, t->value));
	if (check_judge(rate, decimals, range) != CHECK_DIFFERS) {
		check_cell(c, r, column, range, why);
		return;
	}
	for (int digits = t->decimals - 1; digits >= 0; digits--) {
		const double unit = pow(10, -digits);
		const double cut = floor(t->value / unit + 1e-9) * unit;
		const struct check_range short_range =
		    check_range_exact(samples / cut);

		if (cut > 0 &&
		    check_judge(rate, decimals, short_range) == CHECK_FOLLOWS) {
			why.args[2] = seconds_name(c, digits, cut);
			check_add(c, r, column, CHECK_CUT, range, why);
			return;
		}
	}
	check_cell(c, r, column, range, why);
}

/* Check batch times GPUs over the step time. */
static void
check_rate_of_steps(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	const size_t k = operand(c, column, row, row, is_time);
	const long batch = published_batch_of(c->t, r, column);
	double work;

	if (k == NO_ROW || c->t->columns[k].role != PUBLISHED_STEP_TIME ||
	    batch == PUBLISHED_UNKNOWN || r->gpus == PUBLISHED_UNKNOWN ||
	    is_of_steps(c, column))
		return;
	work = (double)batch * (double)r->gpus;
	check_cell(c, r, column,
	    check_range_over(
		check_range_exact(work), check_range_of(&r->cells[k].number)),
	    REMARK(REMARK_WORK_OVER, remark_number((double)batch),
		remark_number((double)r->gpus), cell_name(c, row, k)));
}

/* Check a number by the rule of its column. */
static void
check_by_role(const struct check_table *c, size_t row, size_t column)
{
	switch (c->t->columns[column].role) {
	case PUBLISHED_COST:
		check_cost(c, row, column);
		break;
	case PUBLISHED_RATIO:
		check_ratio(c, row, column);
		break;
	case PUBLISHED_SHARE:
		check_share(c, row, column);
		break;
	case PUBLISHED_DURATION:
		check_product(c, row, column);
		break;
	case PUBLISHED_RATE:
		if (!isnan(c->ask->samples))
			check_rate_of_samples(c, row, column);
		check_rate_of_steps(c, row, column);
		break;
	default:
		break;
	}
	check_share_after(c, row, column);
}

void
check_within(const struct check_table *own)
{
	struct check_table copy = *own;
	const struct check_table *c = &copy;

	copy.total = total_of(c->t, column_of(c, PUBLISHED_DURATION));
	for (size_t i = 0; i < c->t->n_columns; i++) {
		int of_one_gpu = -1;

		if (c->t->columns[i].role == PUBLISHED_SPEEDUP)
			check_speedups(c, i);
		if (c->t->columns[i].role == PUBLISHED_EFFICIENCY)
			for (size_t row = 0; row < c->t->n_rows; row++)
				if (check_is_number(&c->t->rows[row].cells[i]))
					check_efficiency(
					    c, row, i, &of_one_gpu);
	}
	for (size_t row = 0; row < c->t->n_rows; row++)
		for (size_t i = 0; i < c->t->n_columns; i++)
			if (check_is_number(&c->t->rows[row].cells[i]))
				check_by_role(c, row, i);
}
