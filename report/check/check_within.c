/* What follows from what within a published table: speedups, efficiencies,
 * relative costs, ratios, shares, and rates of times.  Called by check.c for
 * each table; it knows no results. */
#include <config.h>

#include <math.h>
#include <string.h>
#include <strings.h>

#include "report/check/check_parts.h"

static const struct check_range nowhere = { NAN, NAN };

static int
is_number(const struct published_cell *cell)
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

static int
is_work_time(enum published_role role)
{
	return role == PUBLISHED_RATE || role == PUBLISHED_STEP_TIME ||
	    role == PUBLISHED_DURATION;
}

/* The column nearest left of i, else right of it, that the test accepts, with
 * numbers in both rows; NO_ROW for none. */
static size_t
find_operand(const struct check_table *c, size_t i, size_t row, size_t base,
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
		    is_number(&t->rows[row].cells[k]) &&
		    is_number(&t->rows[base].cells[k]))
			return k;
	}
	return NO_ROW;
}

size_t
check_speed_of(const struct check_table *c, size_t row, size_t column)
{
	return find_operand(c, column, row, row, is_work_time);
}

/* How much faster row is than base, by column k: up to two readings, for a
 * step's work may grow with the GPUs or not. */
struct speedup_readings {
	struct check_range ratio[2];
	const char *why[2];
	size_t n;
};

static const char *
cell_text(const struct check_table *c, size_t row, size_t column)
{
	return c->t->rows[row].cells[column].text;
}

/* "60000 / 113.525s" without more than what a reader needs. */
static const char *
quotient_text(const struct check_table *c, const char *a, const char *b)
{
	return arena_printf(&c->r->arena, "%.60s / %.60s", a, b);
}

static int
is_of_steps(const struct check_table *c, size_t k)
{
	const struct published_column *column = &c->t->columns[k];

	return column->unit != NULL && column->unit->rate != NULL &&
	    strcmp(column->unit->rate, "iterations/s") == 0;
}

static struct speedup_readings
read_speedup(const struct check_table *c, size_t row, size_t base, size_t k)
{
	const struct published_table *t = c->t;
	const struct published_number *own = &t->rows[row].cells[k].number;
	const struct published_number *first = &t->rows[base].cells[k].number;
	const int is_rate = t->columns[k].role == PUBLISHED_RATE;
	const double scale =
	    (double)t->rows[row].gpus / (double)t->rows[base].gpus;
	struct speedup_readings s = { .n = 0 };
	struct check_range plain = is_rate
	    ? check_range_over(check_range_of(own), check_range_of(first))
	    : check_range_over(check_range_of(first), check_range_of(own));
	const char *text = is_rate
	    ? quotient_text(c, cell_text(c, row, k), cell_text(c, base, k))
	    : quotient_text(c, cell_text(c, base, k), cell_text(c, row, k));

	if (row == base)
		plain = (struct check_range){ 1, 1 };
	if (t->columns[k].role == PUBLISHED_STEP_TIME || is_of_steps(c, k)) {
		s.ratio[s.n] = (struct check_range){ plain.low * scale,
			plain.high * scale };
		s.why[s.n++] = scale == 1
		    ? text
		    : arena_printf(&c->r->arena, "%g x %s", scale, text);
	}
	s.ratio[s.n] = plain;
	s.why[s.n++] = text;
	return s;
}

/* Judge a number by each reading times factor; the first that it follows from,
 * else the first.  Adds the finding. */
static void
judge_readings(const struct check_table *c, const struct published_row *row,
    size_t column, const struct speedup_readings *s, double factor,
    const char *suffix)
{
	const struct published_number *n = &row->cells[column].number;
	size_t best = 0;
	enum check_verdict verdict = CHECK_DIFFERS;
	struct check_range range;

	for (size_t i = 0; i < s->n; i++) {
		enum check_verdict v;

		range = (struct check_range){ s->ratio[i].low * factor,
			s->ratio[i].high * factor };
		v = check_judge(n, c->t->columns[column].decimals, range);
		if (v < verdict) {
			verdict = v;
			best = i;
		}
	}
	range = (struct check_range){ s->ratio[best].low * factor,
		s->ratio[best].high * factor };
	check_add(c, row, column, verdict, range,
	    suffix == NULL
		? s->why[best]
		: arena_printf(&c->r->arena, "%s / %s", s->why[best], suffix));
}

static int
has_baseline(const struct check_table *c, size_t row)
{
	return c->baseline[row] != NO_ROW &&
	    c->t->rows[row].gpus != PUBLISHED_UNKNOWN;
}

/* A speedup whose baseline is not in the table: it shows that by being no 1. */
static int
starts_elsewhere(const struct check_table *c, size_t base, size_t column)
{
	const struct published_cell *cell = &c->t->rows[base].cells[column];

	return c->t->rows[base].gpus != 1 && is_number(cell) &&
	    fabs(cell->number.value - 1) > cell->number.half * 1.001;
}

long
check_baseline_gpus(const struct check_table *c, size_t row, size_t column)
{
	const size_t base = c->baseline[row];

	if (!has_baseline(c, row) || starts_elsewhere(c, base, column))
		return 1;
	return c->t->rows[base].gpus;
}

static void
check_speedup(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	const size_t base = c->baseline[row];
	struct speedup_readings s;
	size_t k = NO_ROW;

	if (has_baseline(c, row) && !starts_elsewhere(c, base, column))
		k = find_operand(c, column, row, base, is_work_time);
	if (k == NO_ROW) {
		check_add(c, r, column, CHECK_NO_BASELINE, nowhere,
		    "its baseline, or what it is a quotient of, is not in the "
		    "table");
		return;
	}
	s = read_speedup(c, row, base, k);
	judge_readings(c, r, column, &s, 1, NULL);
}

static int
is_speedup(enum published_role role)
{
	return role == PUBLISHED_SPEEDUP;
}

/* Speedup over GPUs, by speeds or by the printed speedup. */
static void
check_efficiency(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	const size_t base = c->baseline[row];
	struct speedup_readings s;
	double gpus;
	size_t k;

	if (!has_baseline(c, row) || starts_elsewhere(c, base, column)) {
		check_add(c, r, column, CHECK_NO_BASELINE, nowhere,
		    "its baseline is not in the table");
		return;
	}
	gpus = (double)r->gpus / (double)c->t->rows[base].gpus;
	k = find_operand(c, column, row, base, is_work_time);
	if (k == NO_ROW)
		k = find_operand(c, column, row, row, is_speedup);
	if (k == NO_ROW) {
		check_add(c, r, column, CHECK_NO_BASELINE, nowhere,
		    "neither a speed nor a speedup stands next to it");
		return;
	}
	if (c->t->columns[k].role == PUBLISHED_SPEEDUP)
		s = (struct speedup_readings){ .ratio = { check_range_of(
						   &r->cells[k].number) },
			.why = { r->cells[k].text },
			.n = 1 };
	else
		s = read_speedup(c, row, base, k);
	judge_readings(
	    c, r, column, &s, 1 / gpus, arena_printf(&c->r->arena, "%g", gpus));
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
    struct check_range *out, const char **why)
{
	const size_t base = c->baseline[row];
	const struct published_row *r = &c->t->rows[row];
	double n;

	if (!has_baseline(c, row) || k == NO_ROW ||
	    !is_number(&c->t->rows[base].cells[k]) || !is_number(&r->cells[k]))
		return 0;
	n = (double)r->gpus / (double)c->t->rows[base].gpus;
	*out = check_range_over(check_range_of(&r->cells[k].number),
	    check_range_of(&c->t->rows[base].cells[k].number));
	out->low /= n;
	out->high /= n;
	*why = arena_printf(&c->r->arena, "%.60s / (%g x %.60s)",
	    cell_text(c, row, k), n, cell_text(c, base, k));
	return 1;
}

static void
check_cost(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	const size_t base = c->baseline[row];
	struct check_range range;
	const char *why;
	size_t k = NO_ROW;

	if (has_baseline(c, row))
		k = find_operand(c, column, row, base, is_time);
	if (relative_cost(c, row, k, &range, &why))
		check_cell(c, r, column, range, why);
	else
		check_add(c, r, column, CHECK_NO_BASELINE, nowhere,
		    "no time of it and of its baseline is in the table");
}

/* May "(99%)" after such a cell be its cost or efficiency?  After memory or a
 * bandwidth it is a share of something that is not in the table. */
static int
has_share_of_work(enum published_role role)
{
	return is_work_time(role) || role == PUBLISHED_MEAN_TIME;
}

/* The share in parentheses after a time or a speed. */
static void
check_share_after(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	struct published_cell cell = r->cells[column];
	struct check_range range;
	const char *why;

	if (!has_share_of_work(c->t->columns[column].role) ||
	    isnan(cell.share.value) || row == c->baseline[row] ||
	    !relative_cost(c, row, column, &range, &why))
		return;
	check_add_text(c, r, column,
	    check_judge(&cell.share, cell.share.decimals, range),
	    arena_printf(&c->r->arena, "(%.*f%%)", cell.share.decimals,
		(range.low + range.high) * 50),
	    why);
}

/* The two columns left of i of one kind, a / b or b / a. */
static void
check_ratio(const struct check_table *c, size_t row, size_t column)
{
	const struct published_table *t = c->t;
	const struct published_row *r = &t->rows[row];
	struct speedup_readings s = { .n = 2 };
	size_t operands[2], n = 0;

	for (size_t k = column; k-- > 0 && n < 2;)
		if (t->columns[k].role >= PUBLISHED_RATE &&
		    t->columns[k].role <= PUBLISHED_BANDWIDTH &&
		    (n == 0 ||
			t->columns[k].role == t->columns[operands[0]].role))
			operands[n++] = k;
	if (n < 2 || !is_number(&r->cells[operands[0]]) ||
	    !is_number(&r->cells[operands[1]])) {
		check_add(c, r, column, CHECK_NO_BASELINE, nowhere,
		    "no two numbers of one kind stand before it");
		return;
	}
	for (size_t i = 0; i < 2; i++) {
		const size_t a = operands[1 - i], b = operands[i];

		s.ratio[i] =
		    check_range_over(check_range_of(&r->cells[a].number),
			check_range_of(&r->cells[b].number));
		s.why[i] = quotient_text(
		    c, cell_text(c, row, a), cell_text(c, row, b));
	}
	judge_readings(c, r, column, &s, 1, NULL);
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

/* A share of the whole column of times. */
static void
check_share(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	const size_t k = column_of(c, PUBLISHED_DURATION);

	if (isnan(c->total.low) || k == NO_ROW || !is_number(&r->cells[k])) {
		check_add(c, r, column, CHECK_NO_BASELINE, nowhere,
		    "the times that it is a share of are not all there");
		return;
	}
	check_cell(c, r, column,
	    check_range_over(check_range_of(&r->cells[k].number), c->total),
	    arena_printf(&c->r->arena, "%.60s of %.6g in all", r->cells[k].text,
		(c->total.low + c->total.high) / 2));
}

/* A total of so many operations of so much each. */
static void
check_product(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	const size_t count = column_of(c, PUBLISHED_COUNT),
		     mean = column_of(c, PUBLISHED_MEAN_TIME);

	if (count == NO_ROW || mean == NO_ROW || !is_number(&r->cells[count]) ||
	    !is_number(&r->cells[mean]))
		return;
	check_cell(c, r, column,
	    check_range_times(
		(struct check_range){ r->cells[count].number.value,
		    r->cells[count].number.value },
		check_range_of(&r->cells[mean].number)),
	    arena_printf(&c->r->arena, "%.60s x %.60s", r->cells[count].text,
		r->cells[mean].text));
}

/* --- rates of times ------------------------------------------------------- */

/* The samples over the time, or over the time as cut to fewer digits: who
 * divided by 113 s and printed 113.525 s. */
static void
check_rate_of_samples(const struct check_table *c, size_t row, size_t column)
{
	const struct published_row *r = &c->t->rows[row];
	const double samples = c->ask->samples;
	const size_t k = find_operand(c, column, row, row, is_time);
	const struct published_number *rate = &r->cells[column].number;
	const int decimals = c->t->columns[column].decimals;
	const struct published_number *t;
	struct check_range range;
	const char *why;

	if (k == NO_ROW || c->t->columns[k].role != PUBLISHED_DURATION)
		return;
	t = &r->cells[k].number;
	range = check_range_over(
	    (struct check_range){ samples, samples }, check_range_of(t));
	why = arena_printf(&c->r->arena, "%.15g samples / %.*f s", samples,
	    t->decimals, t->value);
	if (check_judge(rate, decimals, range) != CHECK_DIFFERS) {
		check_cell(c, r, column, range, why);
		return;
	}
	for (int digits = t->decimals - 1; digits >= 0; digits--) {
		const double unit = pow(10, -digits);
		const double cut = floor(t->value / unit + 1e-9) * unit;
		const struct check_range short_range = { samples / cut,
			samples / cut };

		if (cut > 0 &&
		    check_judge(rate, decimals, short_range) == CHECK_FOLLOWS) {
			check_add(c, r, column, CHECK_CUT, range,
			    arena_printf(&c->r->arena,
				"%s; printed is %.15g / %.*f s, the time cut",
				why, samples, digits, cut));
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
	const size_t k = find_operand(c, column, row, row, is_time);
	const long batch = published_batch_of(c->t, r, column);
	double work;

	if (k == NO_ROW || c->t->columns[k].role != PUBLISHED_STEP_TIME ||
	    batch == PUBLISHED_UNKNOWN || r->gpus == PUBLISHED_UNKNOWN ||
	    is_of_steps(c, column))
		return;
	work = (double)batch * (double)r->gpus;
	check_cell(c, r, column,
	    check_range_over((struct check_range){ work, work },
		check_range_of(&r->cells[k].number)),
	    arena_printf(&c->r->arena, "%ld x %ld / %.60s", batch, r->gpus,
		r->cells[k].text));
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
	{ PUBLISHED_SPEEDUP, check_speedup },
	{ PUBLISHED_EFFICIENCY, check_efficiency },
	{ PUBLISHED_COST, check_cost },
	{ PUBLISHED_RATIO, check_ratio },
	{ PUBLISHED_SHARE, check_share },
	{ PUBLISHED_DURATION, check_product },
	{ PUBLISHED_RATE, check_rate },
};

void
check_within(const struct check_table *c)
{
	for (size_t row = 0; row < c->t->n_rows; row++)
		for (size_t i = 0; i < c->t->n_columns; i++) {
			if (!is_number(&c->t->rows[row].cells[i]))
				continue;
			for (size_t k = 0; k < sizeof rules / sizeof rules[0];
			     k++)
				if (c->t->columns[i].role == rules[k].role)
					rules[k].check(c, row, i);
			check_share_after(c, row, i);
		}
}
