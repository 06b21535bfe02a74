/* Rules within a published table: the baseline of each row, and how speedups,
 * efficiencies, relative costs, ratios, shares and rates follow from other
 * cells. */
#include <config.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/hash_index.h"
#include "common/text.h"
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

/* --- ranges and cells ----------------------------------------------------- */

const struct check_range check_nowhere = { NAN, NAN, NAN };

struct check_range
check_range_of(const struct published_number *n)
{
	return (struct check_range){ n->value - n->half, n->value + n->half,
		n->value };
}

struct check_range
check_range_between(double low, double high)
{
	return (struct check_range){ low, high, (low + high) / 2 };
}

size_t
check_range_overlap(
    const struct check_range *list, size_t n, struct check_range *out)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		double high = INFINITY;
		size_t agree = 0;

		for (size_t k = 0; k < n; k++)
			if (list[k].low <= list[i].low &&
			    list[k].high >= list[i].low) {
				agree++;
				high = fmin(high, list[k].high);
			}
		if (agree > most) {
			most = agree;
			*out = check_range_between(list[i].low, high);
		}
	}
	return most;
}

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

static const struct published_number *
number_at(const struct check_table *c, size_t row, size_t column)
{
	return &c->t->rows[row].cells[column].number;
}

static struct check_range
range_at(const struct check_table *c, size_t row, size_t column)
{
	return check_range_of(number_at(c, row, column));
}

int
check_is_number(const struct check_table *c, size_t row, size_t column)
{
	return c->t->rows[row].cells[column].kind == PUBLISHED_NUMBER &&
	    number_at(c, row, column)->value > 0;
}

/* True for a number that prints 1, as a baseline's speedup. */
static int
prints_one(const struct check_table *c, size_t row, size_t column)
{
	const struct published_number *n = number_at(c, row, column);

	return check_is_number(c, row, column) &&
	    fabs(n->value - 1) <= n->half * 1.001;
}

/* Text of a cell; "" of column n_columns. */
static const char *
text_at(const struct check_table *c, size_t row, size_t column)
{
	return column < c->t->n_columns ? c->t->rows[row].cells[column].text
					: "";
}

static struct remark_arg
cell_name(const struct check_table *c, size_t row, size_t column)
{
	return remark_name(
	    arena_printf(&c->r->arena, "%.60s", text_at(c, row, column)));
}

/* Column with that head; n_columns if there is none. */
static size_t
column_of(const struct published_table *t, const char *head)
{
	size_t k = 0;

	while (k < t->n_columns && strcmp(t->columns[k].head, head) != 0)
		k++;
	return k;
}

enum check_verdict
check_judge(const struct check_table *c, size_t row, size_t column,
    struct check_range computed)
{
	/* The first three verdicts are those of enum published_fit. */
	return (enum check_verdict)published_fits(number_at(c, row, column),
	    c->t->columns[column].decimals, computed.low, computed.high);
}

/* --- baselines ------------------------------------------------------------ */

/* The first row with the same key, for each row with a key; else NO_ROW. */
static const size_t *
part_rows(const struct check_table *c, const char *const *keys)
{
	struct hash_index index = HASH_INDEX_INIT;
	size_t *part = arena_calloc(&c->r->arena, c->t->n_rows, sizeof *part);

	for (size_t row = 0; row < c->t->n_rows; row++)
		part[row] = keys[row] != NULL
		    ? hash_index_first(&index, keys, row)
		    : NO_ROW;
	hash_index_release(&index);
	return part;
}

/* Rows with several global batches but one batch per GPU may share a baseline
 * or not; our CSV states which. */
static void
take_stated(const struct check_table *c)
{
	const size_t of = column_of(c->t, "case");
	const size_t stated = column_of(c->t, "baseline");

	for (size_t i = 0; i < c->t->n_rows && of < c->t->n_columns; i++) {
		const char *base = text_at(c, i, stated);
		size_t *set = &c->baseline[i];

		if (*set == NO_ROW || base[0] == '\0')
			continue;
		if (strcmp(text_at(c, *set, of), base) != 0 &&
		    strcmp(text_at(c, i, of), base) == 0)
			*set = i;
		c->stated[i] = strcmp(text_at(c, *set, of), base) == 0;
	}
}

/* The baseline of rows with one key: the first with one GPU, else the table's
 * only row with one GPU, else the first with the fewest GPUs. */
void
check_find_baselines(const struct check_table *c)
{
	const size_t n = c->t->n_rows;
	const char **keys = arena_calloc(&c->r->arena, n, sizeof *keys);
	const struct published_row *rows = c->t->rows;
	size_t only = NO_ROW, n_only = 0;
	const size_t *part;

	for (size_t i = 0; i < n; i++) {
		keys[i] = published_row_key(&c->r->arena, c->t, &rows[i]);
		c->baseline[i] = NO_ROW;
		if (rows[i].gpus == 1 && n_only++ == 0)
			only = i;
	}
	part = part_rows(c, keys);
	for (size_t i = 0; i < n; i++) {
		size_t *least = &c->baseline[part[i]];

		if (rows[i].gpus != PUBLISHED_UNKNOWN &&
		    (*least == NO_ROW || rows[i].gpus < rows[*least].gpus))
			*least = i;
	}
	for (size_t i = 0; i < n; i++) {
		size_t *least = &c->baseline[i];
		int own;

		*least = c->baseline[part[i]];
		if (part[i] != i || *least == NO_ROW)
			continue;
		/* The part has its own baseline if a title separates it from
		 * others, or it prints a speedup of 1 with several GPUs. */
		own = rows[*least].group != NULL || rows[*least].gpus == 1;
		for (size_t k = 0; k < c->t->n_columns; k++)
			own |= c->t->columns[k].role == PUBLISHED_SPEEDUP &&
			    prints_one(c, *least, k);
		if (!own && n_only == 1)
			*least = only;
	}
	take_stated(c);
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

/* The time of column k that a speedup is computed from. Rates are computed per
 * run, and the median of an even number of runs is the mean of two values: m
 * for times m - d and m + d, but m / (m^2 - d^2) for their rates. d is bounded
 * by the interval only, which is in our tables the next column, "[0.40, 0.44]",
 * or two columns. */
static struct check_range
time_of_work(const struct check_table *c, size_t row, size_t k)
{
	static const char *const heads[] = { "runs", "n", "次数" };
	const size_t n_columns = c->t->n_columns;
	const int two = k + 2 < n_columns &&
	    strcmp(c->t->columns[k + 1].head, "median_low") == 0;
	const struct published_unit *unit = c->t->rows[row].cells[k].unit;
	const char *low = text_at(c, row, k + 1), *high;
	struct check_range r = range_at(c, row, k), bounds[2];
	size_t of = n_columns, len;
	double d;
	long n;

	for (size_t i = 0; i < 3 && of == n_columns; i++)
		of = column_of(c->t, heads[i]);
	if (c->t->columns[k].role != PUBLISHED_STEP_TIME ||
	    parse_long(text_at(c, row, of), 1, LONG_MAX, &n) != 0 || n % 2 != 0)
		return r;
	if (two) {
		high = text_at(c, row, k + 2);
	} else {
		high = strchr(low, ',');
		len = strlen(low);
		if (high == NULL || *low != '[' || low[len - 1] != ']')
			return r;
		len -= (size_t)(high - low);
		low = arena_strndup(
		    &c->r->arena, low + 1, (size_t)(high - low) - 1);
		high = arena_strndup(&c->r->arena, high + 1, len - 2);
	}
	unit = unit != NULL ? unit : c->t->columns[k].unit;
	for (int i = 0; i < 2; i++) {
		const char *text = i == 0 ? low : high;
		struct published_cell cell;

		published_quantity_read(text + strspn(text, " "), unit, &cell);
		if (cell.kind != PUBLISHED_NUMBER)
			return r;
		bounds[i] = check_range_of(&cell.number);
	}
	d = fmin(r.high - bounds[0].low, bounds[1].high - r.low) *
	    (1 + 4 * DBL_EPSILON);
	if (d > 0)
		r.low = fmax(fmax(r.low - d * d / r.low, bounds[0].low),
		    DBL_EPSILON * r.low);
	return r;
}

/* --- readings ------------------------------------------------------------- */

static void
add_reading(
    struct check_readings *s, struct check_range range, struct remark why)
{
	s->ratio[s->n] = range;
	s->why[s->n++] = why;
}

/* "60000 / 113.525s" */
static struct remark
quotient(double scale, struct remark_arg a, struct remark_arg b)
{
	return REMARK(
	    REMARK_QUOTIENT, remark_number(scale), a, b, remark_number(NAN));
}

static struct check_readings
read_speedup(const struct check_table *c, size_t row, size_t base, size_t k)
{
	const int is_rate = c->t->columns[k].role == PUBLISHED_RATE;
	const double scale = times_gpus(c, row, base);
	const struct remark_arg a = cell_name(c, is_rate ? row : base, k);
	const struct remark_arg b = cell_name(c, is_rate ? base : row, k);
	struct check_readings s = { .none = REMARK_NONE };
	struct check_range plain = check_range_between(1, 1);

	if (row != base)
		plain = is_rate
		    ? range_over(range_at(c, row, k), range_at(c, base, k))
		    : range_over(
			  time_of_work(c, base, k), time_of_work(c, row, k));
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

	if (!has_baseline(c, row) || starts_elsewhere(c, row, column) ||
	    operand(c, column, row, base, SPEEDS) == NO_ROW)
		return 0;
	if (!check_is_number(c, base, column) || prints_one(c, base, column))
		return 1;
	s = read_ratio(c, base, column);
	for (size_t i = 0; i < s.n; i++)
		if (check_judge(c, base, column, s.ratio[i]) != CHECK_DIFFERS)
			return 0;
	return 1;
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
	for (size_t row = 0; row < c->t->n_rows; row++) {
		struct check_readings s = read_ratio(c, row, column);

		if (fits[way] == 0 || 2 * fits[way] < n || s.n == 0 ||
		    !is_open(c, row, column))
			continue;
		s.n = 0;
		add_reading(&s, s.ratio[way], s.why[way]);
		judge_readings(c, row, column, s);
		c->done[row] = 1;
	}
}

/* Ways to divide a table or its groups: not at all, by all counts, or by one
 * column. */
enum { PART_WHOLE, PART_COUNTS, PART_COLUMN };

/* The parts of the undecided rows, as of part_rows; NULL if the column does not
 * describe its rows. */
static const size_t *
divide(const struct check_table *c, size_t column, size_t way)
{
	struct arena *a = &c->r->arena;
	const char **keys = arena_calloc(a, c->t->n_rows, sizeof *keys);
	const enum published_role role = way < PART_COLUMN
	    ? PUBLISHED_LABEL
	    : c->t->columns[way - PART_COLUMN].role;

	if (role < PUBLISHED_NODES || role > PUBLISHED_LABEL)
		return NULL;
	for (size_t row = 0; row < c->t->n_rows; row++) {
		const struct published_row *r = &c->t->rows[row];
		const char *group = r->group != NULL ? r->group : "";

		if (!is_open(c, row, column) ||
		    check_speed_of(c, row, column) == NO_ROW)
			continue;
		keys[row] = way == PART_WHOLE ? group
		    : way == PART_COUNTS
		    ? arena_printf(a, "%s\n%ld %ld %ld %ld", group, r->nodes,
			  r->gpus, r->batch, r->global_batch)
		    : arena_printf(
			  a, "%s\n%s", group, r->cells[way - PART_COLUMN].text);
	}
	return part_rows(c, keys);
}

/* Take the row that prints 1 as the baseline of its part, if each part has
 * exactly one and some part has other rows, for the first way to divide the
 * table; columns are those left of the speedup.
 *
 * sizes  1: only divide by counts, into at least two parts; speedups over the
 *        fewest GPUs print one 1 only */
static void
take_ones(const struct check_table *c, size_t column, int sizes)
{
	const size_t n = c->t->n_rows, least = sizes ? 2 : 1;
	const size_t end = PART_COLUMN + (sizes ? 0 : column);
	size_t *base = arena_calloc(&c->r->arena, n, sizeof *base);

	for (size_t way = sizes ? PART_COUNTS : PART_WHOLE; way < end; way++) {
		const size_t *part = divide(c, column, way);
		size_t parts = 0, ones = 0, members = 0;
		struct remark remark;

		if (part == NULL)
			continue;
		for (size_t row = 0; row < n; row++) {
			const size_t first = part[row];

			if (first == row)
				base[row] = NO_ROW;
			members += first != NO_ROW;
			parts += first == row;
			if (first == NO_ROW || !prints_one(c, row, column))
				continue;
			/* A second one of a part counts as too many. */
			ones += base[first] == NO_ROW ? 1 : n;
			base[first] = row;
		}
		if (ones != parts || members == parts || parts < least)
			continue;
		for (size_t row = 0; row < n; row++)
			if (part[row] != NO_ROW)
				c->base[row] = base[part[row]];
		remark = REMARK(way == PART_COUNTS ? REMARK_OVER_ONES_OF_SIZE
						   : REMARK_OVER_ONES,
		    remark_name(c->t->columns[column].head),
		    remark_name(way < PART_COLUMN
			    ? NULL
			    : c->t->columns[way - PART_COLUMN].head));
		check_remark(c, remark_copy(&remark, &c->r->arena));
		return;
	}
}

enum { MAX_IMPLIED = 2000 }; /* rows; the comparison is quadratic */

/* Speedups over one baseline outside the table imply the same baseline. If at
 * least three and more than half of the rows of one key agree, all of these are
 * checked against their baseline. */
static void
take_implied(const struct check_table *c, size_t column)
{
	const size_t n = c->t->n_rows;
	struct arena *a = &c->r->arena;
	struct check_range *ranges = arena_calloc(a, n, sizeof *ranges);
	const char **keys = arena_calloc(a, n, sizeof *keys);
	const size_t *part;

	for (size_t row = 0; row < n && n <= MAX_IMPLIED; row++) {
		const size_t k = is_open(c, row, column)
		    ? check_speed_of(c, row, column)
		    : NO_ROW;

		/* The work of a step is not known. */
		if (k != NO_ROW && !is_of_steps(c, k))
			keys[row] = arena_printf(a, "%s\n%zu",
			    published_row_key(a, c->t, &c->t->rows[row]), k);
	}
	part = part_rows(c, keys);
	for (size_t first = 0; first < n; first++) {
		struct check_range where = check_nowhere;
		size_t agree, members = 0, k;
		struct remark_arg base;
		int is_rate;

		if (part[first] != first)
			continue;
		k = check_speed_of(c, first, column);
		is_rate = c->t->columns[k].role == PUBLISHED_RATE;
		for (size_t row = first; row < n; row++)
			if (part[row] == first)
				ranges[members++] =
				    (is_rate ? range_over : range_times)(
					range_at(c, row, k),
					range_at(c, row, column));
		agree = check_range_overlap(ranges, members, &where);
		if (agree < 3 || 2 * agree <= members)
			continue;
		base = remark_name(arena_printf(a, "%.5g", where.at));
		for (size_t row = first; row < n; row++) {
			const struct remark_arg own = cell_name(c, row, k);
			struct check_readings s = { .none = REMARK_NONE };
			struct remark *why;

			if (part[row] != first)
				continue;
			why = arena_alloc(a, sizeof *why);
			*why = quotient(
			    NAN, is_rate ? own : base, is_rate ? base : own);
			add_reading(&s,
			    is_rate ? range_over(range_at(c, row, k), where)
				    : range_over(where, range_at(c, row, k)),
			    REMARK(REMARK_IMPLIED, remark_inner(why),
				remark_count(agree), remark_count(members)));
			judge_readings(c, row, column, s);
			c->done[row] = 1;
		}
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

/* Relative cost by column k: time on n GPUs over n times that on one; for rates
 * the efficiency. */
static struct check_readings
read_cost(const struct check_table *c, size_t row, size_t k)
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

/* Check the share in parentheses, "(99%)", after a time or a speed: its
 * relative cost or efficiency. After memory or a bandwidth it is a share of
 * something else. */
static void
check_share_after(const struct check_table *c, size_t row, size_t column)
{
	const struct published_number *share =
	    &c->t->rows[row].cells[column].share;
	const unsigned roles = SPEEDS | ROLE(PUBLISHED_MEAN_TIME);
	struct check_readings s;

	if ((ROLE(c->t->columns[column].role) & roles) == 0 ||
	    isnan(share->value) || row == c->baseline[row])
		return;
	s = read_cost(c, row, column);
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

/* Check samples over the time in column k, also with the time cut to fewer
 * digits: a rate may have been divided by 113 s where 113.525 s is printed. */
static void
check_rate_of_samples(
    const struct check_table *c, size_t row, size_t column, size_t k)
{
	const double samples = c->samples;
	const struct published_number *t = number_at(c, row, k);
	const struct check_range range = range_over(
	    check_range_between(samples, samples), check_range_of(t));
	enum check_verdict verdict = check_judge(c, row, column, range);
	struct arena *a = &c->r->arena;
	struct remark why = REMARK(REMARK_SAMPLES_OVER, remark_number(samples),
	    remark_name(arena_printf(a, "%.*f", t->decimals, t->value)));

	for (int digits = t->decimals - 1;
	     verdict == CHECK_DIFFERS && digits >= 0; digits--) {
		const double unit = pow(10, -digits);
		const double cut = floor(t->value / unit + 1e-9) * unit;

		if (cut > 0 &&
		    check_judge(c, row, column,
			check_range_between(samples / cut, samples / cut)) ==
			CHECK_FOLLOWS) {
			why.args[2] =
			    remark_name(arena_printf(a, "%.*f", digits, cut));
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

/* What a number should be by the other cells of its row, its baseline's row or
 * its column; speedups are decided for a column.
 *
 * total  the sum of the first column of durations */
static struct check_readings
read_number(const struct check_table *c, size_t row, size_t column,
    struct check_range total)
{
	struct check_readings s = { .none = REMARK_NONE };
	size_t k, mean;

	switch (c->t->columns[column].role) {
	case PUBLISHED_EFFICIENCY:
		return read_efficiency(c, row, column);
	case PUBLISHED_RATIO:
		return read_ratio(c, row, column);
	case PUBLISHED_RATE:
		return read_rate(c, row, column);
	case PUBLISHED_COST:
		k = has_baseline(c, row)
		    ? operand(c, column, row, c->baseline[row], TIMES)
		    : NO_ROW;
		return read_cost(c, row, k);
	case PUBLISHED_SHARE:
		k = number_of(c, row, PUBLISHED_DURATION);
		s.none = REMARK_NO_TOTAL;
		if (k != NO_ROW && !isnan(total.low))
			add_reading(&s, range_over(range_at(c, row, k), total),
			    REMARK(REMARK_PART_OF, cell_name(c, row, k),
				remark_number(total.at)));
		return s;
	case PUBLISHED_DURATION: /* count times value of each */
		k = number_of(c, row, PUBLISHED_COUNT);
		mean = number_of(c, row, PUBLISHED_MEAN_TIME);
		if (k != NO_ROW && mean != NO_ROW)
			add_reading(&s,
			    scaled(range_at(c, row, mean),
				number_at(c, row, k)->value),
			    REMARK(REMARK_PRODUCT, cell_name(c, row, k),
				cell_name(c, row, mean)));
		return s;
	default:
		return s;
	}
}

void
check_within(const struct check_table *own)
{
	struct check_range total = { 0, 0, 0 };
	struct check_table c = *own;
	size_t k = 0;

	while (k < c.t->n_columns && c.t->columns[k].role != PUBLISHED_DURATION)
		k++;
	for (size_t row = 0; row < c.t->n_rows && k < c.t->n_columns; row++) {
		const struct check_range x = range_at(&c, row, k);

		total = (struct check_range){ total.low + x.low,
			total.high + x.high, total.at + x.at };
	}
	for (size_t i = 0; i < c.t->n_columns; i++) {
		if (c.t->columns[i].role == PUBLISHED_SPEEDUP)
			check_speedups(&c, i);
		if (c.t->columns[i].role == PUBLISHED_EFFICIENCY)
			c.of_one_gpu = is_of_one_gpu(&c, i);
		for (size_t row = 0; row < c.t->n_rows; row++) {
			if (!check_is_number(&c, row, i))
				continue;
			judge_readings(
			    &c, row, i, read_number(&c, row, i, total));
			check_share_after(&c, row, i);
		}
	}
}
