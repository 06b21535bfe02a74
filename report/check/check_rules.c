/* Rules within a published table: the baseline of each row, the value of a cell
 * that follows from others, and the cell that alone explains several findings.
 */
#include <config.h>

#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "common/text.h"
#include "report/check/check_parts.h"

/* --- numbers -------------------------------------------------------------- */

const struct check_range check_nowhere = { NAN, NAN, NAN };

static struct check_range
range_between(double low, double high)
{
	return (struct check_range){ low, high, (low + high) / 2 };
}

static const struct published_cell *
cell_at(const struct check_table *c, size_t row, size_t column)
{
	return &c->t->rows[row].cells[column];
}

/* True for a number above 0. */
static int
is_number(const struct check_table *c, size_t row, size_t column)
{
	const struct published_cell *cell = cell_at(c, row, column);

	return cell->kind == PUBLISHED_NUMBER && cell->number.value > 0;
}

/* True for a number printed as 1, like the speedup of a baseline. */
static int
prints_one(const struct check_table *c, size_t row, size_t column)
{
	const struct published_number *n = &cell_at(c, row, column)->number;

	return is_number(c, row, column) &&
	    fabs(n->value - 1) <= n->half * 1.001;
}

/* The text in the column with that head; "": there is none. */
static const char *
text_below(const struct check_table *c, size_t row, const char *head)
{
	for (size_t k = 0; k < c->t->n_columns; k++)
		if (strcmp(c->t->columns[k].head, head) == 0)
			return cell_at(c, row, k)->text;
	return "";
}

/* --- findings ------------------------------------------------------------- */

enum check_verdict
check_judge(const struct check_table *c, size_t row, size_t column,
    struct check_range computed)
{
	/* The first three verdicts are those of enum published_fit. */
	return (enum check_verdict)published_fits(
	    &cell_at(c, row, column)->number, c->t->columns[column].decimals,
	    computed.low, computed.high);
}

/* Name of a row: "4n8g", "8g", or its words. */
static const char *
row_name(struct arena *a, const struct published_table *t,
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

struct check_finding *
check_add(const struct check_table *c, size_t row, size_t column,
    enum check_verdict verdict, struct check_range computed, struct remark why)
{
	struct check_report *r = c->r;
	const struct published_cell *cell = cell_at(c, row, column);
	const struct published_column *of = &c->t->columns[column];
	const struct published_unit *unit =
	    cell->unit != NULL ? cell->unit : of->unit;
	const char *name = cell->unit != NULL ? cell->unit->name : "";
	struct check_finding *f;

	/* An infinite bound, as from a division by almost 0, proves nothing. */
	if (isinf(computed.low) || isinf(computed.high)) {
		computed = check_nowhere;
		verdict = CHECK_NO_BASELINE;
	}
	r->findings =
	    arena_grow(&r->arena, r->findings, r->n, sizeof *r->findings);
	f = &r->findings[r->n++];
	*f = (struct check_finding){ .verdict = verdict,
		.line = cell->line,
		.col = cell->col,
		.row = row_name(&r->arena, c->t, &c->t->rows[row]),
		.column = arena_strdup(&r->arena, of->head),
		.printed = arena_strdup(&r->arena, cell->text),
		.why = remark_copy(&why, &r->arena),
		.low = computed.low,
		.high = computed.high };
	if (isnan(computed.low))
		return f;
	f->cell = cell;
	f->expected = arena_printf(&r->arena, "%.*f%s%s",
	    cell->number.decimals > of->decimals ? cell->number.decimals
						 : of->decimals,
	    computed.at / (unit != NULL ? unit->scale : 1),
	    strlen(name) > 1 ? " " : "", name);
	return f;
}

/* --- baselines ------------------------------------------------------------ */

/* The baseline of rows with one key: the first with one GPU, else the table's
 * only row with one GPU, else the first with the fewest GPUs. */
static void
find_baselines(const struct check_table *c)
{
	const size_t n = c->t->n_rows;
	struct arena *a = &c->r->arena;
	struct hash_index index = HASH_INDEX_INIT;
	const char **keys = arena_calloc(a, n, sizeof *keys);
	size_t *part = arena_calloc(a, n, sizeof *part);
	const struct published_row *rows = c->t->rows;
	size_t only = NO_ROW, n_only = 0;

	for (size_t i = 0; i < n; i++) {
		size_t *least;

		keys[i] = published_row_key(a, c->t, &rows[i]);
		part[i] = hash_index_first(&index, keys, i);
		c->baseline[i] = NO_ROW;
		if (rows[i].gpus == 1 && n_only++ == 0)
			only = i;
		least = &c->baseline[part[i]];
		if (rows[i].gpus != PUBLISHED_UNKNOWN &&
		    (*least == NO_ROW || rows[i].gpus < rows[*least].gpus))
			*least = i;
	}
	hash_index_release(&index);
	for (size_t i = 0; i < n; i++) {
		size_t *least = &c->baseline[i];
		int own;

		*least = c->baseline[part[i]];
		if (*least == NO_ROW)
			continue;
		/* The part has its own baseline if a title separates it from
		 * others, or it prints a speedup of 1 with several GPUs. */
		own = rows[*least].group != NULL || rows[*least].gpus == 1;
		for (size_t k = 0; k < c->t->n_columns; k++)
			own |= c->t->columns[k].role == PUBLISHED_SPEEDUP &&
			    prints_one(c, *least, k);
		if (part[i] == i && !own && n_only == 1)
			*least = only;
	}
}

int
check_has_baseline(const struct check_table *c, size_t row, size_t column)
{
	const size_t base = c->baseline[row];

	return base != NO_ROW && c->t->rows[row].gpus != PUBLISHED_UNKNOWN &&
	    (c->t->rows[base].gpus == 1 || !is_number(c, base, column) ||
		prints_one(c, base, column));
}

/* GPUs of a row over those of its baseline; 1 if unknown. */
static double
times_gpus(const struct check_table *c, size_t row)
{
	const long own = c->t->rows[row].gpus;
	const long first = c->t->rows[c->baseline[row]].gpus;

	return own == PUBLISHED_UNKNOWN || first == PUBLISHED_UNKNOWN
	    ? 1
	    : (double)own / (double)first;
}

/* --- readings ------------------------------------------------------------- */

/* What a number should be. A quotient has up to two readings: the work of a
 * step may grow with the GPUs or not, and a ratio of two columns has two
 * directions. */
struct reading {
	struct check_range range;
	const struct published_cell *over, *under; /* its operands, or NULL */
	struct remark why;
};

struct readings {
	struct reading items[2];
	size_t n; /* 0: it cannot be computed */
};

size_t
check_operand(const struct check_table *c, size_t i, size_t row, size_t base,
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
		    is_number(c, row, k) && is_number(c, base, k))
			return k;
	}
	return NO_ROW;
}

/* True if the row is the median of an even number of runs, that is the mean of
 * two values. */
static int
is_mean_of_two(const struct check_table *c, size_t row)
{
	static const char *const heads[] = { "runs", "n", "次数" };
	long n;

	for (size_t i = 0; i < 3; i++)
		if (parse_long(text_below(c, row, heads[i]), 1, 1000000, &n) ==
			0 &&
		    n % 2 == 0)
			return 1;
	return 0;
}

/* Make a number that is computed from the table but is not in it. */
static const struct published_cell *
constant(
    const struct check_table *c, const char *text, double value, double half)
{
	struct published_cell *cell =
	    arena_calloc(&c->r->arena, 1, sizeof *cell);

	cell->text = text;
	cell->number.value = value;
	cell->number.half = half;
	return cell;
}

/* Add the reading scale * over / under / by; under NULL: 1. */
static void
add_reading(struct readings *s, double scale, const struct published_cell *over,
    const struct published_cell *under, double by)
{
	const struct published_number one = { 1, 0, 0 };
	const struct published_number *a = &over->number;
	const struct published_number *b =
	    under != NULL ? &under->number : &one;
	const double x = scale / by;

	s->items[s->n++] = (struct reading){
		{ x * (a->value - a->half) / (b->value + b->half),
		    x * (a->value + a->half) / (b->value - b->half),
		    x * a->value / b->value },
		over, under,
		REMARK(REMARK_QUOTIENT, remark_number(scale == 1 ? NAN : scale),
		    remark_name(over->text),
		    remark_name(under != NULL ? under->text : NULL),
		    remark_number(by == 1 ? NAN : by))
	};
}

/* Read the speedup over the baseline, from column k, divided by `by` GPUs. */
static void
read_speedup(const struct check_table *c, size_t row, size_t k, double by,
    struct readings *s)
{
	const struct published_column *column = &c->t->columns[k];
	const int is_rate = column->role == PUBLISHED_RATE;
	const int is_step = column->role == PUBLISHED_STEP_TIME;
	const size_t base = c->baseline[row];
	const struct published_cell *over = cell_at(c, is_rate ? row : base, k);
	const struct published_cell *under =
	    cell_at(c, is_rate ? base : row, k);

	if (row == base) {
		over = constant(c, over->text, 1, 0);
		add_reading(s, 1, over, over, by);
		return;
	}
	/* Our speedups compare rates of runs, and the mean of two rates is not
	 * the inverse of the mean of two times. */
	if (is_step && (is_mean_of_two(c, row) || is_mean_of_two(c, base)))
		return;
	/* The work of a step may grow with the GPUs. */
	if (is_step ||
	    (column->unit != NULL &&
		text_same(column->unit->rate, "iterations/s")))
		add_reading(s, times_gpus(c, row), over, under, by);
	add_reading(s, 1, over, under, by);
}

/* Read a cell as the quotient of the two columns of one kind before it, a / b
 * or b / a. */
static struct readings
read_ratio(const struct check_table *c, size_t row, size_t column)
{
	const struct published_cell *cells[2];
	struct readings s = { .n = 0 };
	enum published_role first = PUBLISHED_OTHER;
	size_t n = 0;

	for (size_t i = column; i-- > 0 && n < 2;) {
		const enum published_role role = c->t->columns[i].role;

		if (role < PUBLISHED_RATE || role > PUBLISHED_BANDWIDTH ||
		    (n > 0 && role != first))
			continue;
		if (!is_number(c, row, i))
			return s;
		first = role;
		cells[n++] = cell_at(c, row, i);
	}
	if (n == 2) {
		add_reading(&s, 1, cells[1], cells[0], 1);
		add_reading(&s, 1, cells[0], cells[1], 1);
	}
	return s;
}

/* Read a speedup, an efficiency or a relative cost. A cost is the time on n
 * GPUs divided by n times the time on one. */
static void
read_over_baseline(
    const struct check_table *c, size_t row, size_t column, struct readings *s)
{
	const enum published_role role = c->t->columns[column].role;
	const size_t base = c->baseline[row];
	const size_t k = check_operand(
	    c, column, row, base, role == PUBLISHED_COST ? TIMES : SPEEDS);
	const size_t speedup =
	    check_operand(c, column, row, row, ROLE(PUBLISHED_SPEEDUP));
	const double gpus = times_gpus(c, row);

	/* "old | new | speedup", if the baseline has such a quotient. */
	if (role == PUBLISHED_SPEEDUP && is_number(c, base, column) &&
	    !prints_one(c, base, column)) {
		const struct readings own = read_ratio(c, base, column);

		for (size_t i = 0; i < own.n; i++)
			if (check_judge(c, base, column, own.items[i].range) !=
			    CHECK_DIFFERS) {
				*s = read_ratio(c, row, column);
				return;
			}
	}
	if (k != NO_ROW && role == PUBLISHED_COST)
		add_reading(
		    s, 1, cell_at(c, row, k), cell_at(c, base, k), gpus);
	else if (k != NO_ROW)
		read_speedup(
		    c, row, k, role == PUBLISHED_SPEEDUP ? 1 : gpus, s);
	else if (role == PUBLISHED_EFFICIENCY && speedup != NO_ROW)
		add_reading(s, 1, cell_at(c, row, speedup), NULL, gpus);
}

/* Check the share in parentheses, "(99%)", after a time or a speed: its
 * relative cost or efficiency. After memory or a bandwidth it is a share of
 * something else. */
static void
check_share_after(const struct check_table *c, size_t row, size_t column)
{
	const struct published_number *share = &cell_at(c, row, column)->share;
	const unsigned roles = SPEEDS | ROLE(PUBLISHED_MEAN_TIME);
	const size_t base = c->baseline[row];
	struct readings s = { .n = 0 };

	if ((ROLE(c->t->columns[column].role) & roles) == 0 ||
	    isnan(share->value) || base == NO_ROW || row == base ||
	    c->t->rows[row].gpus == PUBLISHED_UNKNOWN ||
	    !is_number(c, base, column))
		return;
	add_reading(&s, 1, cell_at(c, row, column), cell_at(c, base, column),
	    times_gpus(c, row));
	check_add(c, row, column,
	    (enum check_verdict)published_fits(share, share->decimals,
		s.items[0].range.low, s.items[0].range.high),
	    check_nowhere, s.items[0].why)
	    ->expected = arena_printf(&c->r->arena, "(%.*f%%)", share->decimals,
	    s.items[0].range.at * 100);
}

/* The number in the first column of a role, or NULL. */
static const struct published_cell *
number_of(const struct check_table *c, size_t row, enum published_role role)
{
	size_t k = 0;

	while (k < c->t->n_columns && c->t->columns[k].role != role)
		k++;
	return k < c->t->n_columns && is_number(c, row, k) ? cell_at(c, row, k)
							   : NULL;
}

/* Read a rate as samples over the row's time. *cut is set if the rate follows
 * only from a time with its digits cut, 113 s where 113.525 s is printed. */
static struct readings
read_rate(const struct check_table *c, size_t row, size_t column, int *cut)
{
	const size_t k =
	    check_operand(c, column, row, row, ROLE(PUBLISHED_DURATION));
	struct arena *a = &c->r->arena;
	const struct published_number *t;
	struct readings s = { .n = 0 };

	if (k == NO_ROW || isnan(c->samples))
		return s;
	t = &cell_at(c, row, k)->number;
	add_reading(&s, 1,
	    constant(
		c, arena_printf(a, "%.15g samples", c->samples), c->samples, 0),
	    constant(c, arena_printf(a, "%.*f s", t->decimals, t->value),
		t->value, t->half),
	    1);
	for (int digits = t->decimals - 1; digits >= 0 && !*cut &&
	     check_judge(c, row, column, s.items[0].range) == CHECK_DIFFERS;
	     digits--) {
		const double unit = pow(10, -digits);
		const double x = floor(t->value / unit + 1e-9) * unit;

		*cut = x > 0 &&
		    check_judge(c, row, column,
			range_between(c->samples / x, c->samples / x)) ==
			CHECK_FOLLOWS;
	}
	return s;
}

/* Compute a number from the other cells of its row, its baseline's row or its
 * column.
 *
 * total  the sum of the first column of durations, or NULL
 * cut    set to 1 if the digits of an operand were cut */
static struct readings
read_number(const struct check_table *c, size_t row, size_t column,
    const struct published_cell *total, int *cut)
{
	const struct published_cell *a, *b;
	struct readings s = { .n = 0 };

	switch (c->t->columns[column].role) {
	case PUBLISHED_SPEEDUP:
	case PUBLISHED_EFFICIENCY:
	case PUBLISHED_COST:
		if (check_has_baseline(c, row, column))
			read_over_baseline(c, row, column, &s);
		return s;
	case PUBLISHED_RATIO:
		return read_ratio(c, row, column);
	case PUBLISHED_RATE:
		return read_rate(c, row, column, cut);
	case PUBLISHED_SHARE:
		a = number_of(c, row, PUBLISHED_DURATION);
		if (a != NULL && total != NULL)
			add_reading(&s, 1, a, total, 1);
		return s;
	case PUBLISHED_DURATION: /* count times value of each */
		a = number_of(c, row, PUBLISHED_COUNT);
		b = number_of(c, row, PUBLISHED_MEAN_TIME);
		if (a != NULL && b != NULL)
			add_reading(&s, a->number.value, b, NULL, 1);
		return s;
	default:
		return s;
	}
}

/* Check a number against the reading that fits best or, if all differ, against
 * the nearest one. */
static void
check_number(const struct check_table *c, size_t row, size_t column,
    const struct published_cell *total)
{
	int cut = 0;
	const double printed = cell_at(c, row, column)->number.value;
	const struct readings s = read_number(c, row, column, total, &cut);
	const struct reading *best = NULL;
	enum check_verdict verdict = CHECK_NO_BASELINE;
	double distance = INFINITY;
	struct check_finding *f;

	for (size_t i = 0; i < s.n; i++) {
		const struct reading *one = &s.items[i];
		const enum check_verdict v =
		    check_judge(c, row, column, one->range);
		const double d = fabs(log(one->range.at / printed));

		if (v < verdict || (v == verdict && d < distance)) {
			verdict = v;
			distance = d;
			best = one;
		}
	}
	if (best != NULL) {
		f = check_add(c, row, column, cut ? CHECK_CUT : verdict,
		    best->range, best->why);
		f->over = best->over;
		f->under = best->under;
	} else if (c->t->columns[column].role >= PUBLISHED_SPEEDUP) {
		check_add(c, row, column, verdict, check_nowhere,
		    remark_plain(REMARK_NO_OPERANDS));
	}
}

/* --- which cell is wrong -------------------------------------------------- */

enum { MAX_FAILING = 64 }; /* findings; with more, no wrong cell is sought */

/* Limit the value of a cell to the range with which a finding's number follows.
 * Returns 0 if the finding does not depend on the cell. */
static int
limit_value(const struct check_finding *f, const struct published_cell *cell,
    struct check_range *value)
{
	const double x = cell->number.value;
	const struct published_number *n;
	double low, high;

	if (f->cell == NULL ||
	    (cell != f->cell && cell != f->over && cell != f->under))
		return 0;
	n = &f->cell->number;
	low = n->value - n->half;
	high = n->value + (f->verdict == CHECK_CUT ? 2 : 1) * n->half;
	*value = cell == f->over
	    ? range_between(fmax(value->low, x * low / f->high),
		  fmin(value->high, x * high / f->low))
	    : range_between(fmax(value->low, x * f->low / high),
		  fmin(value->high, x * f->high / low));
	return 1;
}

/* Number of differing findings, from index `from` on, that depend on the cell;
 * 0 if below 2, or if no value of the cell makes all dependent ones follow. */
static size_t
count_explained(const struct check_report *r, size_t from,
    const struct published_cell *cell, struct check_range *value)
{
	size_t n = 0;

	*value = range_between(0, INFINITY);
	for (size_t i = from; i < r->n; i++)
		n += limit_value(&r->findings[i], cell, value) &&
		    r->findings[i].verdict == CHECK_DIFFERS;
	return n < 2 || !(value->low <= value->high) ? 0 : n;
}

/* Replace the findings that a cell explains with one about the cell. */
static void
blame_cell(const struct check_table *c, size_t from,
    const struct published_cell *cell, struct check_range value, size_t count)
{
	struct check_report *r = c->r;
	size_t n = from, row = 0;

	for (size_t i = from; i < r->n; i++) {
		const struct check_finding *f = &r->findings[i];
		struct check_range ignored = check_nowhere;

		if (f->verdict != CHECK_DIFFERS ||
		    !limit_value(f, cell, &ignored))
			r->findings[n++] = *f;
	}
	r->n = n;
	while (cell < c->t->rows[row].cells ||
	    cell >= c->t->rows[row].cells + c->t->n_columns)
		row++;
	check_add(c, row, (size_t)(cell - c->t->rows[row].cells), CHECK_DIFFERS,
	    value, REMARK(REMARK_EXPLAINS, remark_count(count)))
	    ->cell = NULL;
}

/* A wrong speed makes its speedup and efficiency fail, and a wrong baseline
 * speed makes all of them fail. A single cell that explains several findings,
 * more than any other cell they depend on, is reported instead of them. */
static void
find_wrong_cells(const struct check_table *c, size_t from)
{
	struct check_report *r = c->r;
	size_t failing = 0;

	for (size_t i = from; i < r->n; i++)
		failing += r->findings[i].verdict == CHECK_DIFFERS;
	for (size_t i = from; i < r->n && failing <= MAX_FAILING; i++) {
		const struct check_finding *f = &r->findings[i];
		const struct published_cell *cells[] = { f->cell, f->over,
			f->under },
					    *wrong = NULL;
		struct check_range value, best = check_nowhere;
		size_t most = 0;

		for (int k = 0; k < 3 && f->verdict == CHECK_DIFFERS; k++) {
			/* Only cells of the table have a line. */
			const size_t n = cells[k] == NULL || cells[k]->line == 0
			    ? 0
			    : count_explained(r, from, cells[k], &value);

			if (n > 0 && n >= most) {
				wrong = n > most ? cells[k] : NULL;
				most = n;
				best = value;
			}
		}
		if (wrong != NULL) {
			blame_cell(c, from, wrong, best, most);
			i = from - 1;
		}
	}
}

void
check_by_rules(const struct check_table *c)
{
	const size_t first = c->r->n, n_columns = c->t->n_columns;
	struct published_number sum = { 0, 0, 0 };
	const struct published_cell *total = NULL;
	size_t k = 0;

	find_baselines(c);
	/* Rows with several global batches but one batch per GPU may share a
	 * baseline or not; our CSV states which. */
	for (size_t i = 0; i < c->t->n_rows; i++) {
		const char *stated = text_below(c, i, "baseline");
		const char *own = text_below(c, i, "case");
		size_t *base = &c->baseline[i];

		if (stated[0] != '\0' && own[0] != '\0' && *base != NO_ROW &&
		    strcmp(text_below(c, *base, "case"), stated) != 0)
			*base = strcmp(own, stated) == 0 ? i : NO_ROW;
	}
	while (k < n_columns && c->t->columns[k].role != PUBLISHED_DURATION)
		k++;
	for (size_t row = 0; row < c->t->n_rows && k < n_columns; row++) {
		const struct published_number *x = &cell_at(c, row, k)->number;

		sum.value += x->value;
		sum.half += x->half;
	}
	if (k < n_columns && !isnan(sum.value))
		total =
		    constant(c, arena_printf(&c->r->arena, "%.6g", sum.value),
			sum.value, sum.half);
	for (size_t i = 0; i < n_columns; i++)
		for (size_t row = 0; row < c->t->n_rows; row++)
			if (is_number(c, row, i)) {
				check_number(c, row, i, total);
				check_share_after(c, row, i);
			}
	find_wrong_cells(c, first);
}
