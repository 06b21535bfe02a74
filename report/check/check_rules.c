/* Rules within a published table: the baseline of each row, and how speedups,
 * efficiencies, relative costs, ratios, shares and rates follow from other
 * cells. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "report/check/check_parts.h"

/* What a cell should be. A quotient has up to two readings: the work of a step
 * may grow with the GPUs or not, and a ratio of two columns has two directions.
 */
struct check_readings {
	struct check_range ratio[2];
	struct remark why[2];
	size_t n;              /* 0: nothing to check the cell against */
	enum remark_code none; /* why; REMARK_NONE: no finding */
};

/* --- ranges --------------------------------------------------------------- */

static struct check_range
range_over(struct check_range a, struct check_range b)
{
	return (
	    struct check_range){ a.low / b.high, a.high / b.low, a.at / b.at };
}

static struct check_range
range_times(struct check_range a, struct check_range b)
{
	return (
	    struct check_range){ a.low * b.low, a.high * b.high, a.at * b.at };
}

static struct check_range
scaled(struct check_range a, double factor)
{
	return range_times(a, check_range_between(factor, factor));
}

/* --- cells ---------------------------------------------------------------- */

static const struct published_cell *
cell_at(const struct check_table *c, size_t row, size_t column)
{
	return &c->t->rows[row].cells[column];
}

static struct check_range
range_at(const struct check_table *c, size_t row, size_t column)
{
	return check_range_of(&cell_at(c, row, column)->number);
}

/* True for a number that prints 1, as a baseline's speedup. */
static int
prints_one(const struct check_table *c, size_t row, size_t column)
{
	const struct published_number *n = &cell_at(c, row, column)->number;

	return check_is_number(c, row, column) &&
	    fabs(n->value - 1) <= n->half * 1.001;
}

/* --- baselines ------------------------------------------------------------ */

/* A row and the key of its group. */
struct keyed {
	const char *key;
	size_t row;
	size_t base; /* of the rows of its part that print 1 */
};

static int
keyed_compare(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	const int order = strcmp(x->key, y->key);

	return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

/* Sort rows by their groups. */
static void
keyed_sort(struct keyed *rows, size_t n)
{
	if (n > 0)
		qsort(rows, n, sizeof *rows, keyed_compare);
}

/* One past the last row of the group that starts at first. */
static size_t
keyed_end(const struct keyed *rows, size_t n, size_t first)
{
	size_t end = first + 1;

	while (end < n && strcmp(rows[first].key, rows[end].key) == 0)
		end++;
	return end;
}

/* Baseline of n rows, which have one key: the first with one GPU, else the
 * table's only row with one GPU, else the first with the fewest GPUs. */
static void
set_baseline(const struct check_table *c, const struct keyed *rows, size_t n,
    size_t only)
{
	size_t least = NO_ROW;
	int own;

	for (size_t i = 0; i < n; i++) {
		const long gpus = c->t->rows[rows[i].row].gpus;

		if (gpus != PUBLISHED_UNKNOWN &&
		    (least == NO_ROW || gpus < c->t->rows[least].gpus))
			least = rows[i].row;
	}
	/* The group has its own baseline if a title separates it from others,
	 * or it prints a speedup of 1 with several GPUs. */
	own = least == NO_ROW || c->t->rows[least].group != NULL;
	for (size_t k = 0; !own && k < c->t->n_columns; k++)
		own = c->t->columns[k].role == PUBLISHED_SPEEDUP &&
		    prints_one(c, least, k);
	if (!own && c->t->rows[least].gpus != 1 && only != NO_ROW)
		least = only;
	for (size_t i = 0; i < n; i++)
		c->baseline[rows[i].row] = least;
}

void
check_find_baselines(const struct check_table *c)
{
	const size_t n = c->t->n_rows, of = check_column_of(c->t, "case");
	const size_t stated = check_column_of(c->t, "baseline");
	struct keyed *rows = arena_calloc(&c->r->arena, n, sizeof *rows);
	size_t only = NO_ROW, n_only = 0;

	for (size_t i = 0; i < n; i++) {
		rows[i].key =
		    published_row_key(&c->r->arena, c->t, &c->t->rows[i]);
		rows[i].row = i;
		if (c->t->rows[i].gpus == 1) {
			only = i;
			n_only++;
		}
	}
	keyed_sort(rows, n);
	for (size_t i = 0, k; i < n; i = k) {
		k = keyed_end(rows, n, i);
		set_baseline(c, rows + i, k - i, n_only == 1 ? only : NO_ROW);
	}
	/* Rows with several global batches but one batch per GPU may share a
	 * baseline or not; our CSV states which. */
	for (size_t row = 0; row < n && of < c->t->n_columns; row++) {
		const char *base = check_text_at(c, row, stated);
		size_t *set = &c->baseline[row];

		if (*set == NO_ROW || base[0] == '\0')
			continue;
		if (strcmp(check_text_at(c, *set, of), base) != 0 &&
		    strcmp(check_text_at(c, row, of), base) == 0)
			*set = row;
		c->stated[row] = strcmp(check_text_at(c, *set, of), base) == 0;
	}
}

/* --- operands ------------------------------------------------------------- */

/* Sets of roles, for operand. */
#define ROLE(role) (1u << (role))
#define TIMES (ROLE(PUBLISHED_STEP_TIME) | ROLE(PUBLISHED_DURATION))
#define SPEEDS (ROLE(PUBLISHED_RATE) | TIMES)

/* The column of one of the roles nearest to the left of i, else to the right,
 * with numbers in both rows, whose framework, precision and batch do not
 * contradict; NO_ROW if there is none. */
static size_t
operand(const struct check_table *c, size_t i, size_t row, size_t base,
    unsigned roles)
{
	const struct published_column *a = &c->t->columns[i];
	const size_t n = c->t->n_columns;

	for (size_t step = 0; step + 1 < n; step++) {
		const size_t k = step < i ? i - 1 - step : step + 1;
		const struct published_column *b = &c->t->columns[k];

		if ((ROLE(b->role) & roles) != 0 &&
		    (a->framework == NULL || b->framework == NULL ||
			strcasecmp(a->framework, b->framework) == 0) &&
		    (a->precision == NULL || b->precision == NULL ||
			strcmp(a->precision, b->precision) == 0) &&
		    (a->batch == PUBLISHED_UNKNOWN ||
			b->batch == PUBLISHED_UNKNOWN ||
			a->batch == b->batch) &&
		    check_is_number(c, row, k) && check_is_number(c, base, k))
			return k;
	}
	return NO_ROW;
}

size_t
check_speed_of(const struct check_table *c, size_t row, size_t column)
{
	return operand(c, column, row, row, SPEEDS);
}

static struct remark_arg
cell_name(const struct check_table *c, size_t row, size_t column)
{
	return remark_name(
	    arena_printf(&c->r->arena, "%.60s", check_text_at(c, row, column)));
}

/* "60000 / 113.525s" */
static struct remark
quotient(double scale, struct remark_arg a, struct remark_arg b)
{
	return REMARK(
	    REMARK_QUOTIENT, remark_number(scale), a, b, remark_number(NAN));
}

static void
add_reading(
    struct check_readings *s, struct check_range range, struct remark why)
{
	s->ratio[s->n] = range;
	s->why[s->n++] = why;
}

/* True for the time of a step or a rate of steps, whose work is not stated. */
static int
is_of_steps(const struct check_table *c, size_t k)
{
	const struct published_column *column = &c->t->columns[k];

	return column->role == PUBLISHED_STEP_TIME ||
	    (column->unit != NULL && column->unit->rate != NULL &&
		strcmp(column->unit->rate, "iterations/s") == 0);
}

/* GPUs of a row over those of its baseline; 1 if unknown. */
static double
times_gpus(const struct check_table *c, size_t row, size_t base)
{
	const long own = c->t->rows[row].gpus, first = c->t->rows[base].gpus;

	return own == PUBLISHED_UNKNOWN || first == PUBLISHED_UNKNOWN
	    ? 1
	    : (double)own / (double)first;
}

static struct check_readings
read_speedup(const struct check_table *c, size_t row, size_t base, size_t k)
{
	const int is_rate = c->t->columns[k].role == PUBLISHED_RATE;
	const double scale = times_gpus(c, row, base);
	const struct remark_arg a = cell_name(c, is_rate ? row : base, k);
	const struct remark_arg b = cell_name(c, is_rate ? base : row, k);
	struct check_readings s = { .none = REMARK_NONE };
	struct check_range plain = is_rate
	    ? range_over(range_at(c, row, k), range_at(c, base, k))
	    : range_over(check_time_of_work(c, base, k),
		  check_time_of_work(c, row, k));

	if (row == base)
		plain = check_range_between(1, 1);
	if (is_of_steps(c, k))
		add_reading(&s, scaled(plain, scale),
		    quotient(scale == 1 ? NAN : scale, a, b));
	add_reading(&s, plain, quotient(NAN, a, b));
	return s;
}

/* Read a cell as the quotient of the two columns of one kind before it, a / b
 * or b / a. */
static struct check_readings
read_ratio(const struct check_table *c, size_t row, size_t column)
{
	struct check_readings s = { .none = REMARK_NO_OPERANDS };
	size_t k[2], n = 0;

	for (size_t i = column; i-- > 0 && n < 2;) {
		const enum published_role role = c->t->columns[i].role;

		if (role >= PUBLISHED_RATE && role <= PUBLISHED_BANDWIDTH &&
		    (n == 0 || role == c->t->columns[k[0]].role))
			k[n++] = i;
	}
	if (n < 2 || !check_is_number(c, row, k[0]) ||
	    !check_is_number(c, row, k[1]))
		return s;
	while (s.n < 2) {
		const size_t a = k[1 - s.n], b = k[s.n];

		add_reading(&s,
		    range_over(range_at(c, row, a), range_at(c, row, b)),
		    quotient(NAN, cell_name(c, row, a), cell_name(c, row, b)));
	}
	return s;
}

/* Add the finding of the reading that fits best. */
static void
judge_readings(const struct check_table *c, size_t row, size_t column,
    struct check_readings s)
{
	enum check_verdict verdict = CHECK_NO_BASELINE;
	size_t best = 0;

	for (size_t i = 0; i < s.n; i++) {
		const enum check_verdict v =
		    check_judge(c, row, column, s.ratio[i]);

		if (v < verdict) {
			verdict = v;
			best = i;
		}
	}
	if (s.n > 0)
		check_add(c, row, column, verdict, s.ratio[best], s.why[best]);
	else if (s.none != REMARK_NONE)
		check_add(c, row, column, verdict, check_nowhere,
		    remark_plain(s.none));
}

static int
has_baseline(const struct check_table *c, size_t row)
{
	return c->baseline[row] != NO_ROW &&
	    c->t->rows[row].gpus != PUBLISHED_UNKNOWN;
}

/* True if the baseline of the cell is not in the table. */
static int
starts_elsewhere(const struct check_table *c, size_t row, size_t column)
{
	const size_t base = c->baseline[row];

	return c->t->rows[base].gpus != 1 && check_is_number(c, base, column) &&
	    !prints_one(c, base, column);
}

long
check_baseline_gpus(const struct check_table *c, size_t row, size_t column)
{
	return has_baseline(c, row) && !starts_elsewhere(c, row, column)
	    ? c->t->rows[c->baseline[row]].gpus
	    : 1;
}

/* --- speedups ------------------------------------------------------------- */

/* A speedup's baseline may be the row with the fewest GPUs, a row that prints
 * 1, the column before, or a value outside the table. It is decided for a
 * column or a group of rows, never for a cell, so that a wrong cell cannot
 * choose a baseline that fits it. base and done of the table are those of the
 * column under check. */

/* True if the baseline of that row is undecided. */
static int
is_open(const struct check_table *c, size_t row, size_t column)
{
	return c->base[row] == NO_ROW && !c->done[row] &&
	    check_is_number(c, row, column);
}

/* True if the column uses the row with the fewest GPUs as baseline: it prints
 * 1, or has one GPU and prints a value that is no quotient of the two columns
 * before. */
static int
has_fewest(const struct check_table *c, size_t row, size_t column)
{
	const size_t base = c->baseline[row];
	struct check_readings s;
	int is_ratio = 0;

	if (!has_baseline(c, row) || starts_elsewhere(c, row, column) ||
	    operand(c, column, row, base, SPEEDS) == NO_ROW)
		return 0;
	if (!check_is_number(c, base, column) || prints_one(c, base, column))
		return 1;
	s = read_ratio(c, base, column);
	for (size_t i = 0; i < s.n; i++)
		is_ratio |=
		    check_judge(c, base, column, s.ratio[i]) != CHECK_DIFFERS;
	return !is_ratio;
}

/* "baseline | ours | speedup": if half of the undecided cells are such a
 * quotient, all are taken as that quotient. */
static void
take_columns(const struct check_table *c, size_t column)
{
	size_t n = 0, fits[2] = { 0, 0 }, way;

	for (size_t row = 0; row < c->t->n_rows; row++) {
		const struct check_readings s = read_ratio(c, row, column);

		if (!is_open(c, row, column))
			continue;
		n += s.n > 0;
		for (size_t i = 0; i < s.n; i++)
			fits[i] += check_judge(c, row, column, s.ratio[i]) !=
			    CHECK_DIFFERS;
	}
	way = fits[1] > fits[0];
	if (fits[way] == 0 || 2 * fits[way] < n)
		return;
	for (size_t row = 0; row < c->t->n_rows; row++) {
		struct check_readings s = read_ratio(c, row, column);

		if (!is_open(c, row, column) || s.n == 0)
			continue;
		s.ratio[0] = s.ratio[way];
		s.why[0] = s.why[way];
		s.n = 1;
		judge_readings(c, row, column, s);
		c->done[row] = 1;
	}
}

/* Ways to divide a table or its groups: not at all, by all counts, or by one
 * column. */
enum { PART_WHOLE, PART_COUNTS, PART_COLUMN };

/* Take the row that prints 1 as the baseline of its part, if each part has
 * exactly one and some part has other rows.
 *
 * least  smallest number of parts
 *
 * Returns 1 if taken. */
static int
take_ones_by(const struct check_table *c, size_t column, struct keyed *rows,
    size_t n, size_t way, size_t least)
{
	struct arena *a = &c->r->arena;
	size_t parts = 0;

	for (size_t i = 0; i < n; i++) {
		const struct published_row *r = &c->t->rows[rows[i].row];
		const char *group = r->group != NULL ? r->group : "";

		rows[i].key = way == PART_WHOLE ? group
		    : way == PART_COUNTS
		    ? arena_printf(a, "%s\n%ld %ld %ld %ld", group, r->nodes,
			  r->gpus, r->batch, r->global_batch)
		    : arena_printf(
			  a, "%s\n%s", group, r->cells[way - PART_COLUMN].text);
	}
	keyed_sort(rows, n);
	for (size_t i = 0, end; i < n; i = end, parts++) {
		size_t ones = 0;

		end = keyed_end(rows, n, i);
		for (size_t k = i; k < end; k++)
			if (prints_one(c, rows[k].row, column)) {
				rows[i].base = rows[k].row;
				ones++;
			}
		for (size_t k = i; k < end; k++)
			rows[k].base = rows[i].base;
		if (ones != 1)
			return 0;
	}
	if (n == parts || parts < least)
		return 0;
	for (size_t i = 0; i < n; i++)
		c->base[rows[i].row] = rows[i].base;
	return 1;
}

/* sizes  1: only divide by counts, into at least two parts; speedups over the
 *        fewest GPUs print one 1 only */
static void
take_ones(const struct check_table *c, size_t column, int sizes)
{
	const struct published_column *columns = c->t->columns;
	struct keyed *rows =
	    arena_calloc(&c->r->arena, c->t->n_rows, sizeof *rows);
	const size_t end = sizes ? PART_COLUMN : PART_COLUMN + column;
	size_t n = 0;

	for (size_t row = 0; row < c->t->n_rows; row++)
		if (is_open(c, row, column) &&
		    check_speed_of(c, row, column) != NO_ROW)
			rows[n++].row = row;
	for (size_t way = sizes ? PART_COUNTS : PART_WHOLE; n > 1 && way < end;
	     way++) {
		const struct published_column *by =
		    way < PART_COLUMN ? NULL : &columns[way - PART_COLUMN];
		struct remark remark =
		    REMARK(way == PART_COUNTS ? REMARK_OVER_ONES_OF_SIZE
					      : REMARK_OVER_ONES,
			remark_name(columns[column].head),
			remark_name(by != NULL ? by->head : NULL));

		if ((by != NULL &&
			(by->role < PUBLISHED_NODES ||
			    by->role > PUBLISHED_LABEL)) ||
		    !take_ones_by(c, column, rows, n, way, sizes ? 2 : 1))
			continue;
		check_remark(c, remark_copy(&remark, &c->r->arena));
		break;
	}
}

enum { MAX_IMPLIED = 2000 }; /* rows; the comparison is quadratic */

/* Speedups over one baseline outside the table imply the same baseline. If at
 * least three and more than half of a group's rows agree, all rows are checked
 * against their baseline.
 *
 * k  column of the speed or time */
static void
check_implied(const struct check_table *c, size_t column,
    const struct keyed *rows, size_t n, size_t k)
{
	const int is_rate = c->t->columns[k].role == PUBLISHED_RATE;
	struct arena *a = &c->r->arena;
	struct check_range *ranges = arena_calloc(a, n, sizeof *ranges);
	struct check_range where = check_nowhere;
	struct remark_arg base;
	size_t agree = 0;

	for (size_t i = 0; i < n; i++)
		ranges[i] = (is_rate ? range_over : range_times)(
		    range_at(c, rows[i].row, k),
		    range_at(c, rows[i].row, column));
	if (n <= MAX_IMPLIED)
		agree = check_range_overlap(ranges, n, &where);
	if (agree < 3 || 2 * agree <= n)
		return;
	base = remark_name(arena_printf(a, "%.5g", where.at));
	for (size_t i = 0; i < n; i++) {
		const size_t row = rows[i].row;
		const struct check_range speed = range_at(c, row, k);
		const struct remark_arg own = cell_name(c, row, k);
		struct check_readings s = { .none = REMARK_NONE };
		struct remark *why = arena_alloc(a, sizeof *why);

		*why =
		    quotient(NAN, is_rate ? own : base, is_rate ? base : own);
		add_reading(&s,
		    is_rate ? range_over(speed, where)
			    : range_over(where, speed),
		    REMARK(REMARK_IMPLIED, remark_inner(why),
			remark_count(agree), remark_count(n)));
		judge_readings(c, row, column, s);
		c->done[row] = 1;
	}
}

static void
take_implied(const struct check_table *c, size_t column)
{
	struct arena *a = &c->r->arena;
	struct keyed *rows = arena_calloc(a, c->t->n_rows, sizeof *rows);
	size_t n = 0;

	for (size_t row = 0; row < c->t->n_rows; row++) {
		const size_t k = is_open(c, row, column)
		    ? check_speed_of(c, row, column)
		    : NO_ROW;

		/* The work of a step is not known. */
		if (k == NO_ROW || is_of_steps(c, k))
			continue;
		rows[n].row = row;
		rows[n++].key = arena_printf(a, "%s\n%zu",
		    published_row_key(a, c->t, &c->t->rows[row]), k);
	}
	keyed_sort(rows, n);
	for (size_t i = 0, end; i < n; i = end) {
		end = keyed_end(rows, n, i);
		check_implied(c, column, rows + i, end - i,
		    check_speed_of(c, rows[i].row, column));
	}
}

/* Check all speedups of a column. */
static void
check_speedups(const struct check_table *c, size_t column)
{
	const size_t n = c->t->n_rows;

	for (size_t row = 0; row < n; row++) {
		c->done[row] = 0;
		c->base[row] = NO_ROW;
		if (c->stated[row] && is_open(c, row, column))
			c->base[row] = c->baseline[row];
	}
	take_ones(c, column, 1);
	/* The fewest GPUs of a group; a group of one row may have its baseline
	 * in another group. */
	for (size_t row = 0; row < n; row++) {
		const size_t base = c->baseline[row];

		if (base != row && is_open(c, row, column) &&
		    has_fewest(c, row, column))
			c->base[row] = c->base[base] = base;
	}
	take_columns(c, column);
	take_ones(c, column, 0);
	take_implied(c, column);
	for (size_t row = 0; row < n; row++) {
		struct check_readings s = { .none = REMARK_NO_QUOTIENT };
		size_t k = NO_ROW;

		if (c->done[row] || !check_is_number(c, row, column))
			continue;
		/* A remaining row that prints 1 is its own baseline. */
		if (c->baseline[row] == row && is_open(c, row, column) &&
		    has_fewest(c, row, column))
			c->base[row] = row;
		if (c->base[row] != NO_ROW)
			k = operand(c, column, row, c->base[row], SPEEDS);
		if (k != NO_ROW)
			s = read_speedup(c, row, c->base[row], k);
		judge_readings(c, row, column, s);
	}
}

/* --- other rules ---------------------------------------------------------- */

/* True if most efficiencies of the column are the printed speedup over the
 * GPUs, that is over a 1-GPU baseline outside the table. */
static int
is_of_one_gpu(const struct check_table *c, size_t column)
{
	size_t n = 0, fits = 0;

	for (size_t row = 0; row < c->t->n_rows; row++) {
		const size_t k =
		    operand(c, column, row, row, ROLE(PUBLISHED_SPEEDUP));
		const long gpus = c->t->rows[row].gpus;

		if (k == NO_ROW || gpus == PUBLISHED_UNKNOWN ||
		    !check_is_number(c, row, column))
			continue;
		n++;
		fits += check_judge(c, row, column,
			    scaled(range_at(c, row, k), 1 / (double)gpus)) !=
		    CHECK_DIFFERS;
	}
	return fits >= 2 && 2 * fits > n;
}

/* Speedup over GPUs, by speeds or by the printed speedup. */
static struct check_readings
read_efficiency(const struct check_table *c, size_t row, size_t column)
{
	const size_t base = c->baseline[row];
	struct check_readings s = { .none = REMARK_NO_BASELINE };
	const int known = has_baseline(c, row);
	const int elsewhere = known && starts_elsewhere(c, row, column);
	double gpus;
	size_t k = NO_ROW;

	if (!known || (elsewhere && !c->of_one_gpu))
		return s;
	gpus = (double)c->t->rows[row].gpus;
	if (!elsewhere) {
		gpus /= (double)c->t->rows[base].gpus;
		k = operand(c, column, row, base, SPEEDS);
	}
	if (k != NO_ROW) {
		s = read_speedup(c, row, base, k);
	} else {
		k = operand(c, column, row, row, ROLE(PUBLISHED_SPEEDUP));
		s.none = REMARK_NO_SPEED;
		if (k == NO_ROW)
			return s;
		add_reading(&s, range_at(c, row, k),
		    quotient(NAN, cell_name(c, row, k),
			(struct remark_arg){ .text = NULL }));
	}
	for (size_t i = 0; i < s.n; i++) {
		s.ratio[i] = scaled(s.ratio[i], 1 / gpus);
		s.why[i].args[3] = remark_number(gpus);
	}
	return s;
}

/* Relative cost: time on n GPUs over n times that on one; for rates the
 * efficiency. If it is printed in parentheses after a cell, k is that cell's
 * column. */
static struct check_readings
relative_cost(const struct check_table *c, size_t row, size_t k)
{
	const size_t base = c->baseline[row];
	struct check_readings s = { .none = REMARK_NO_TIME };
	double n;

	if (!has_baseline(c, row) || k == NO_ROW ||
	    !check_is_number(c, base, k) || !check_is_number(c, row, k))
		return s;
	n = times_gpus(c, row, base);
	add_reading(&s,
	    scaled(
		range_over(range_at(c, row, k), range_at(c, base, k)), 1 / n),
	    REMARK(REMARK_QUOTIENT_SCALED, cell_name(c, row, k),
		remark_number(n), cell_name(c, base, k)));
	return s;
}

static struct check_readings
read_cost(const struct check_table *c, size_t row, size_t column)
{
	return relative_cost(c, row,
	    has_baseline(c, row)
		? operand(c, column, row, c->baseline[row], TIMES)
		: NO_ROW);
}

/* Check the share in parentheses, "(99%)", after a time or a speed: its
 * relative cost or efficiency. After memory or a bandwidth it is a share of
 * something else. */
static void
check_share_after(const struct check_table *c, size_t row, size_t column)
{
	const struct published_number *share = &cell_at(c, row, column)->share;
	const unsigned roles = SPEEDS | ROLE(PUBLISHED_MEAN_TIME);
	struct check_readings s;

	if ((ROLE(c->t->columns[column].role) & roles) == 0 ||
	    isnan(share->value) || row == c->baseline[row])
		return;
	s = relative_cost(c, row, column);
	if (s.n == 0)
		return;
	check_add(c, row, column,
	    (enum check_verdict)published_fits(
		share, share->decimals, s.ratio[0].low, s.ratio[0].high),
	    check_nowhere, s.why[0]);
	c->r->findings[c->r->n - 1].expected = arena_printf(
	    &c->r->arena, "(%.*f%%)", share->decimals, s.ratio[0].at * 100);
}

/* The first column of a role if it has a number in the row, else NO_ROW. */
static size_t
number_of(const struct check_table *c, size_t row, enum published_role role)
{
	size_t k = 0;

	while (k < c->t->n_columns && c->t->columns[k].role != role)
		k++;
	return k < c->t->n_columns && check_is_number(c, row, k) ? k : NO_ROW;
}

/* A time's share of the sum of the first column of durations, if all of its
 * cells are numbers. */
static struct check_readings
read_share(const struct check_table *c, size_t row, size_t column)
{
	const size_t k = number_of(c, row, PUBLISHED_DURATION);
	struct check_readings s = { .none = REMARK_NO_TOTAL };

	(void)column;
	if (k != NO_ROW && !isnan(c->total.low))
		add_reading(&s, range_over(range_at(c, row, k), c->total),
		    REMARK(REMARK_PART_OF, cell_name(c, row, k),
			remark_number(c->total.at)));
	return s;
}

/* A total: count times value of each. */
static struct check_readings
read_product(const struct check_table *c, size_t row, size_t column)
{
	const size_t count = number_of(c, row, PUBLISHED_COUNT);
	const size_t mean = number_of(c, row, PUBLISHED_MEAN_TIME);
	struct check_readings s = { .none = REMARK_NONE };

	(void)column;
	if (count != NO_ROW && mean != NO_ROW)
		add_reading(&s,
		    scaled(range_at(c, row, mean),
			cell_at(c, row, count)->number.value),
		    REMARK(REMARK_PRODUCT, cell_name(c, row, count),
			cell_name(c, row, mean)));
	return s;
}

/* --- rates of times ------------------------------------------------------- */

static struct remark_arg
seconds_name(const struct check_table *c, int decimals, double seconds)
{
	return remark_name(
	    arena_printf(&c->r->arena, "%.*f", decimals, seconds));
}

/* Check samples over the time in column k, also with the time cut to fewer
 * digits: a rate may have been divided by 113 s where 113.525 s is printed. */
static void
check_rate_of_samples(
    const struct check_table *c, size_t row, size_t column, size_t k)
{
	const double samples = c->samples;
	const struct published_number *t = &cell_at(c, row, k)->number;
	const struct check_range range = range_over(
	    check_range_between(samples, samples), check_range_of(t));
	enum check_verdict verdict = check_judge(c, row, column, range);
	struct remark why = REMARK(REMARK_SAMPLES_OVER, remark_number(samples),
	    seconds_name(c, t->decimals, t->value));

	for (int digits = t->decimals - 1;
	     verdict == CHECK_DIFFERS && digits >= 0; digits--) {
		const double unit = pow(10, -digits);
		const double cut = floor(t->value / unit + 1e-9) * unit;

		if (cut > 0 &&
		    check_judge(c, row, column,
			check_range_between(samples / cut, samples / cut)) ==
			CHECK_FOLLOWS) {
			why.args[2] = seconds_name(c, digits, cut);
			verdict = CHECK_CUT;
		}
	}
	check_add(c, row, column, verdict, range, why);
}

/* Batch times GPUs over the step time; rates of samples are checked here. */
static struct check_readings
read_rate(const struct check_table *c, size_t row, size_t column)
{
	const size_t k = operand(c, column, row, row, TIMES);
	const struct published_row *r = &c->t->rows[row];
	const long batch = published_batch_of(c->t, r, column);
	const double work = (double)batch * (double)r->gpus;
	const int of_steps =
	    k != NO_ROW && c->t->columns[k].role == PUBLISHED_STEP_TIME;
	struct check_readings s = { .none = REMARK_NONE };

	if (k != NO_ROW && !of_steps && !isnan(c->samples))
		check_rate_of_samples(c, row, column, k);
	if (of_steps && batch != PUBLISHED_UNKNOWN &&
	    r->gpus != PUBLISHED_UNKNOWN && !is_of_steps(c, column))
		add_reading(&s,
		    range_over(
			check_range_between(work, work), range_at(c, row, k)),
		    REMARK(REMARK_WORK_OVER, remark_number((double)batch),
			remark_number((double)r->gpus), cell_name(c, row, k)));
	return s;
}

void
check_within(const struct check_table *own)
{
	static struct check_readings (*const rules[PUBLISHED_N_ROLES])(
	    const struct check_table *c, size_t row, size_t column) = {
		[PUBLISHED_EFFICIENCY] = read_efficiency,
		[PUBLISHED_COST] = read_cost,
		[PUBLISHED_RATIO] = read_ratio,
		[PUBLISHED_SHARE] = read_share,
		[PUBLISHED_DURATION] = read_product,
		[PUBLISHED_RATE] = read_rate,
	};
	struct check_table c = *own;
	size_t k = 0;

	while (k < c.t->n_columns && c.t->columns[k].role != PUBLISHED_DURATION)
		k++;
	c.total = k < c.t->n_columns ? (struct check_range){ 0, 0, 0 }
				     : check_nowhere;
	for (size_t row = 0; row < c.t->n_rows && k < c.t->n_columns; row++) {
		const struct check_range x = range_at(&c, row, k);

		c.total = (struct check_range){ c.total.low + x.low,
			c.total.high + x.high, c.total.at + x.at };
	}
	for (size_t i = 0; i < c.t->n_columns; i++) {
		const enum published_role role = c.t->columns[i].role;

		if (role == PUBLISHED_SPEEDUP)
			check_speedups(&c, i);
		if (role == PUBLISHED_EFFICIENCY)
			c.of_one_gpu = is_of_one_gpu(&c, i);
		for (size_t row = 0; row < c.t->n_rows; row++) {
			if (!check_is_number(&c, row, i))
				continue;
			if (rules[role] != NULL)
				judge_readings(
				    &c, row, i, rules[role](&c, row, i));
			check_share_after(&c, row, i);
		}
	}
}
