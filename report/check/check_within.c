/* What follows from what within a published table: speedups, efficiencies,
 * relative costs, ratios, shares, and rates of times.  Called by check.c for
 * each table; it knows no results. */
#include <config.h>

#include <math.h>
#include <string.h>
#include <strings.h>

#include "report/check/check_parts.h"

static const struct check_range nowhere = { NAN, NAN, NAN };

static int
is_speedup(enum published_role role)
{
	return role == PUBLISHED_SPEEDUP;
}

/* The printed speedup over the GPUs, of a baseline of one GPU that is not in
 * the table.  Is that what most efficiencies of the column are? */
static int
is_of_one_gpu(const struct check_table *c, size_t column)
{
	const struct published_table *t = c->t;
	size_t n = 0, fits = 0;

	for (size_t row = 0; row < t->n_rows; row++) {
		const struct published_cell *cell = &t->rows[row].cells[column];
		const size_t k = check_operand(c, column, row, row, is_speedup);
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
 * of_one_gpu  as is_of_one_gpu; -1: not asked yet */
static void
check_efficiency(
    const struct check_table *c, size_t row, size_t column, int *of_one_gpu)
{
	const struct published_row *r = &c->t->rows[row];
	const size_t base = c->baseline[row];
	const int elsewhere = check_has_baseline(c, row) &&
	    check_starts_elsewhere(c, base, column);
	struct check_readings s;
	double gpus;
	size_t k = NO_ROW;

	if (elsewhere && *of_one_gpu < 0)
		*of_one_gpu = is_of_one_gpu(c, column);
	if (!check_has_baseline(c, row) || (elsewhere && !*of_one_gpu)) {
		check_add(c, r, column, CHECK_NO_BASELINE, nowhere,
		    remark_plain(REMARK_NO_BASELINE));
		return;
	}
	gpus = (double)r->gpus;
	if (!elsewhere) {
		gpus /= (double)c->t->rows[base].gpus;
		k = check_operand(c, column, row, base, published_is_speed);
	}
	if (k == NO_ROW)
		k = check_operand(c, column, row, row, is_speedup);
	if (k == NO_ROW) {
		check_add(c, r, column, CHECK_NO_BASELINE, nowhere,
		    remark_plain(REMARK_NO_SPEED));
		return;
	}
	if (c->t->columns[k].role == PUBLISHED_SPEEDUP)
		s = (struct check_readings){ .ratio = { check_range_of(
						 &r->cells[k].number) },
			.why = { REMARK(REMARK_QUOTIENT, remark_number(NAN),
			    check_cell_name(c, row, k), { .text = NULL },
			    remark_number(NAN)) },
			.n = 1 };
	else
		s = check_read_speedup(c, row, base, k);
	check_readings_judge(c, r, column, &s, gpus);
}

static int
is_time(enum published_role role)
{
	return role == PUBLISHED_STEP_TIME || role == PUBLISHED_DURATION;
}

/* T of n GPUs over n times T of one; of a rate the efficiency.  Where it is
 * printed after a cell the cell itself is column k. */
static int
relative_cost(const struct check_table *c, size_t row, size_t k,
    struct check_range *out, struct remark *why)
{
	const size_t base = c->baseline[row];
	const struct published_row *r = &c->t->rows[row];
	double n;

	if (!check_has_baseline(c, row) || k == NO_ROW ||
	    !check_is_number(&c->t->rows[base].cells[k]) ||
	    !check_is_number(&r->cells[k]))
		return 0;
	n = (double)r->gpus / (double)c->t->rows[base].gpus;
	*out = check_range_over(check_range_of(&r->cells[k].number),
	    check_range_of(&c->t->rows[base].cells[k].number));
	*out = check_range_scaled(*out, 1 / n);
	*why = REMARK(REMARK_QUOTIENT_SCALED, check_cell_name(c, row, k),
	    remark_number(n), check_cell_name(c, base, k));
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

	if (check_has_baseline(c, row))
		k = check_operand(c, column, row, base, is_time);
	if (relative_cost(c, row, k, &range, &why))
		check_cell(c, r, column, range, why);
	else
		check_add(c, r, column, CHECK_NO_BASELINE, nowhere,
		    remark_plain(REMARK_NO_TIME));
}

/* May "(99%)" after such a cell be its cost or efficiency?  After memory or a
 * bandwidth it is a share of something that is not in the table. */
static int
has_share_of_work(enum published_role role)
{
	return published_is_speed(role) || role == PUBLISHED_MEAN_TIME;
}

/* The share in parentheses after a time or a speed. */
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

/* The column of a role, the first one; NO_ROW for none. */
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

	if (!check_columns_before(c, row, column, operands)) {
		check_add(c, &c->t->rows[row], column, CHECK_NO_BASELINE,
		    nowhere, remark_plain(REMARK_NO_OPERANDS));
		return;
	}
	s = check_read_ratio(c, row, operands);
	check_readings_judge(c, &c->t->rows[row], column, &s, NAN);
}

/* The sum of the first column of durations, if all its cells are numbers. */
static struct check_range
total_of(const struct published_table *t)
{
	struct check_range sum = { 0, 0, 0 };
	size_t k = 0;

	while (k < t->n_columns && t->columns[k].role != PUBLISHED_DURATION)
		k++;
	for (size_t i = 0; k < t->n_columns && i < t->n_rows; i++) {
		const struct published_cell *cell = &t->rows[i].cells[k];

		if (cell->kind != PUBLISHED_NUMBER)
			return nowhere;
		sum.low += cell->number.value - cell->number.half;
		sum.high += cell->number.value + cell->number.half;
		sum.at += cell->number.value;
	}
	return k < t->n_columns ? sum : nowhere;
}

/* A share of the whole column of times. */
static void
check_share(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	const size_t k = column_of(c, PUBLISHED_DURATION);

	if (isnan(c->total.low) || k == NO_ROW ||
	    !check_is_number(&r->cells[k])) {
		check_add(c, r, column, CHECK_NO_BASELINE, nowhere,
		    remark_plain(REMARK_NO_TOTAL));
		return;
	}
	check_cell(c, r, column,
	    check_range_over(check_range_of(&r->cells[k].number), c->total),
	    REMARK(REMARK_PART_OF, check_cell_name(c, row, k),
		remark_number(c->total.at)));
}

/* A total of so many operations of so much each. */
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
	    REMARK(REMARK_PRODUCT, check_cell_name(c, row, count),
		check_cell_name(c, row, mean)));
}

/* --- rates of times ------------------------------------------------------- */

static struct remark_arg
seconds_name(const struct check_table *c, int decimals, double seconds)
{
	return remark_name(
	    arena_printf(&c->r->arena, "%.*f", decimals, seconds));
}

/* The samples over the time, or over the time as cut to fewer digits: who
 * divided by 113 s and printed 113.525 s. */
static void
check_rate_of_samples(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	const double samples = c->ask->samples;
	const size_t k = check_operand(c, column, row, row, is_time);
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

/* Batch times GPUs over the time of a step. */
static void
check_rate_of_steps(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	const size_t k = check_operand(c, column, row, row, is_time);
	const long batch = published_batch_of(c->t, r, column);
	double work;

	if (k == NO_ROW || c->t->columns[k].role != PUBLISHED_STEP_TIME ||
	    batch == PUBLISHED_UNKNOWN || r->gpus == PUBLISHED_UNKNOWN ||
	    check_is_of_steps(c, column))
		return;
	work = (double)batch * (double)r->gpus;
	check_cell(c, r, column,
	    check_range_over(
		check_range_exact(work), check_range_of(&r->cells[k].number)),
	    REMARK(REMARK_WORK_OVER, remark_number((double)batch),
		remark_number((double)r->gpus), check_cell_name(c, row, k)));
}

static void
check_rate(const struct check_table *c, size_t row, size_t column)
{
	if (!isnan(c->ask->samples))
		check_rate_of_samples(c, row, column);
	check_rate_of_steps(c, row, column);
}

static const struct {
	enum published_role role;
	void (*check)(const struct check_table *c, size_t row, size_t column);
} rules[] = {
	{ PUBLISHED_COST, check_cost },
	{ PUBLISHED_RATIO, check_ratio },
	{ PUBLISHED_SHARE, check_share },
	{ PUBLISHED_DURATION, check_product },
	{ PUBLISHED_RATE, check_rate },
};

void
check_within(const struct check_table *own)
{
	struct check_table copy = *own;
	const struct check_table *c = &copy;

	copy.total = total_of(c->t);
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
		for (size_t i = 0; i < c->t->n_columns; i++) {
			if (!check_is_number(&c->t->rows[row].cells[i]))
				continue;
			for (size_t k = 0; k < sizeof rules / sizeof rules[0];
			     k++)
				if (c->t->columns[i].role == rules[k].role)
					rules[k].check(c, row, i);
			check_share_after(c, row, i);
		}
}
