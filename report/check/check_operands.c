/* What a cell of a published table may follow from: the columns next to it, the
 * row that is its baseline, and the quotients of both.  Called by
 * check_within.c and check_speedup.c; it has no rule of a kind of cell. */
#include <config.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/text.h"
#include "common/units/units.h"
#include "report/check/check_parts.h"

int
check_is_number(const struct published_cell *cell)
{
	return cell->kind == PUBLISHED_NUMBER && cell->number.value > 0;
}

/* Do two columns speak of the same framework, precision and batch?  What one of
 * them does not state is that of the other. */
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

/* The column nearest left of i, else right of it, that the test accepts, with
 * numbers in both rows; NO_ROW for none. */
size_t
check_operand(const struct check_table *c, size_t i, size_t row, size_t base,
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
	return check_operand(c, column, row, row, published_is_speed);
}

static const char *
cell_text(const struct check_table *c, size_t row, size_t column)
{
	return c->t->rows[row].cells[column].text;
}

struct remark_arg
check_cell_name(const struct check_table *c, size_t row, size_t column)
{
	return remark_name(
	    arena_printf(&c->r->arena, "%.60s", cell_text(c, row, column)));
}

/* "60000 / 113.525s" */
static struct remark
quotient(double scale, struct remark_arg a, struct remark_arg b)
{
	return REMARK(
	    REMARK_QUOTIENT, remark_number(scale), a, b, remark_number(NAN));
}

int
check_is_of_steps(const struct check_table *c, size_t k)
{
	const struct published_column *column = &c->t->columns[k];

	return column->unit != NULL && column->unit->rate != NULL &&
	    strcmp(column->unit->rate, "iterations/s") == 0;
}

/* The column of how many runs a row is of; n_columns for none. */
static size_t
column_of_runs(const struct published_table *t)
{
	static const char *const heads[] = { "runs", "n", "次数" };

	for (size_t k = 0; k < t->n_columns; k++)
		for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
			if (strcmp(t->columns[k].head, heads[i]) == 0)
				return k;
	return t->n_columns;
}

/* Does the table state an even number of runs of a row? */
static int
is_of_even_runs(const struct check_table *c, size_t row)
{
	const size_t k = column_of_runs(c->t);
	long n;

	return k < c->t->n_columns &&
	    parse_long(cell_text(c, row, k), 1, LONG_MAX, &n) == 0 &&
	    n % 2 == 0;
}

/* A number at the begin of a text, and half a unit of its last digit; of one
 * with an exponent, which has all digits, 0.  Returns what follows it, or
 * NULL. */
static const char *
read_bound(const char *text, double *value, double *half)
{
	const size_t skip = strspn(text, " ");
	const size_t len = number_scan(text + skip, strlen(text + skip), value);
	const char *const end = text + skip + len;
	const char *point = memchr(text, '.', skip + len);

	if (len == 0)
		return NULL;
	*half = memchr(text, 'e', skip + len) != NULL ? 0
	    : point != NULL ? 0.5 * pow(10, -(double)(end - point - 1))
			    : 0.5;
	return end + strspn(end, " ");
}

/* The interval of a median, which our tables have next to it as "[0.40, 0.44]"
 * or as two columns, widened by the digits that they lack.  Returns 1 if there
 * is one. */
static int
interval_of(const struct check_table *c, size_t row, size_t k, double *low,
    double *high)
{
	const int two = k + 2 < c->t->n_columns &&
	    strcmp(c->t->columns[k + 1].head, "median_low") == 0;
	const char *text;
	double half;

	if (k + 1 >= c->t->n_columns)
		return 0;
	text = cell_text(c, row, k + 1);
	if (!two && *text++ != '[')
		return 0;
	text = read_bound(text, low, &half);
	if (text == NULL || *text != (two ? '\0' : ','))
		return 0;
	*low -= half;
	text = two ? cell_text(c, row, k + 2) : text + 1;
	text = read_bound(text, high, &half);
	if (text == NULL)
		return 0;
	*high += half;
	return strcmp(text, two ? "" : "]") == 0;
}

/* A step time as what work per second follows from.  That is computed of each
 * run, and the median of an even number of runs is the mean of two: of times
 * m - d and m + d it is m, of their rates m / (m^2 - d^2).  All that is known
 * of d is that both are within the interval. */
static struct check_range
time_of_work(const struct check_table *c, size_t row, size_t k)
{
	const struct published_cell *cell = &c->t->rows[row].cells[k];
	struct check_range r = check_range_of(&cell->number);
	double own, half, low, high, d, scale;

	if (c->t->columns[k].role != PUBLISHED_STEP_TIME ||
	    !is_of_even_runs(c, row) || !interval_of(c, row, k, &low, &high) ||
	    read_bound(cell->text, &own, &half) == NULL || own <= 0)
		return r;
	scale = r.at / own; /* "430" in a column of ms */
	d = fmin(r.high - scale * low, scale * high - r.low) *
	    (1 + 4 * DBL_EPSILON);
	if (d > 0)
		r.low = fmax(fmax(r.low - d * d / r.low, scale * low),
		    DBL_EPSILON * r.low);
	return r;
}

struct check_readings
check_read_speedup(
    const struct check_table *c, size_t row, size_t base, size_t k)
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
	    : check_range_over(
		  time_of_work(c, base, k), time_of_work(c, row, k));
	const struct remark_arg a = check_cell_name(c, is_rate ? row : base, k);
	const struct remark_arg b = check_cell_name(c, is_rate ? base : row, k);

	if (row == base)
		plain = check_range_exact(1);
	if (t->columns[k].role == PUBLISHED_STEP_TIME ||
	    check_is_of_steps(c, k)) {
		s.ratio[s.n] = check_range_scaled(plain, scale);
		s.why[s.n++] = quotient(scale == 1 ? NAN : scale, a, b);
	}
	s.ratio[s.n] = plain;
	s.why[s.n++] = quotient(NAN, a, b);
	return s;
}

void
check_readings_judge(const struct check_table *c,
    const struct published_row *row, size_t column,
    const struct check_readings *s, double by)
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

int
check_has_baseline(const struct check_table *c, size_t row)
{
	return c->baseline[row] != NO_ROW &&
	    c->t->rows[row].gpus != PUBLISHED_UNKNOWN;
}

int
check_starts_elsewhere(const struct check_table *c, size_t base, size_t column)
{
	const struct published_cell *cell = &c->t->rows[base].cells[column];

	return c->t->rows[base].gpus != 1 && check_is_number(cell) &&
	    !check_prints_one(cell);
}

long
check_baseline_gpus(const struct check_table *c, size_t row, size_t column)
{
	const size_t base = c->baseline[row];

	if (!check_has_baseline(c, row) ||
	    check_starts_elsewhere(c, base, column))
		return 1;
	return c->t->rows[base].gpus;
}

int
check_prints_one(const struct published_cell *cell)
{
	return check_is_number(cell) &&
	    fabs(cell->number.value - 1) <= cell->number.half * 1.001;
}

int
check_columns_before(
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

struct check_readings
check_read_ratio(
    const struct check_table *c, size_t row, const size_t operands[2])
{
	const struct published_row *r = &c->t->rows[row];
	struct check_readings s = { .n = 2 };

	for (size_t i = 0; i < 2; i++) {
		const size_t a = operands[1 - i], b = operands[i];

		s.ratio[i] =
		    check_range_over(check_range_of(&r->cells[a].number),
			check_range_of(&r->cells[b].number));
		s.why[i] = quotient(NAN, check_cell_name(c, row, a),
		    check_cell_name(c, row, b));
	}
	return s;
}
