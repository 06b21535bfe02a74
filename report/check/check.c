/* Check of a published table: findings, the baseline of each row, and the
 * search for a single wrong cell that explains several findings. */
#include <config.h>

#include "report/check/check.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/json/json_write.h"
#include "common/result/record_fields.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/check/check_parts.h"

/* --- numbers -------------------------------------------------------------- */

const struct check_range check_nowhere = { NAN, NAN, NAN };

struct check_range
check_range_of(const struct published_number *n)
{
	return (struct check_range){ n->value - n->half, n->value + n->half,
		n->value };
}

struct check_range
check_range_over(struct check_range a, struct check_range b)
{
	return (
	    struct check_range){ a.low / b.high, a.high / b.low, a.at / b.at };
}

struct check_range
check_range_times(struct check_range a, struct check_range b)
{
	return (
	    struct check_range){ a.low * b.low, a.high * b.high, a.at * b.at };
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
		struct check_range r =
		    check_range_between(list[i].low, INFINITY);
		size_t agree = 0;

		for (size_t k = 0; k < n; k++)
			if (list[k].low <= r.low && list[k].high >= r.low) {
				agree++;
				r.high = fmin(r.high, list[k].high);
			}
		if (agree > most) {
			most = agree;
			*out = check_range_between(r.low, r.high);
		}
	}
	return most;
}

enum check_verdict
check_judge(const struct check_table *c, size_t row, size_t column,
    struct check_range computed)
{
	switch (published_fits(&c->t->rows[row].cells[column].number,
	    c->t->columns[column].decimals, computed.low, computed.high)) {
	case PUBLISHED_ROUNDS:
		return CHECK_FOLLOWS;
	case PUBLISHED_CUT:
		return CHECK_CUT;
	default:
		return CHECK_DIFFERS;
	}
}

/* --- times ---------------------------------------------------------------- */

struct check_range
check_range_at(const struct check_table *c, size_t row, size_t column)
{
	return check_range_of(&c->t->rows[row].cells[column].number);
}

static const char *
text_at(const struct check_table *c, size_t row, size_t column)
{
	return c->t->rows[row].cells[column].text;
}

/* Column with that head; n_columns if there is none. */
static size_t
column_of_head(const struct published_table *t, const char *head)
{
	size_t k = 0;

	while (k < t->n_columns && strcmp(t->columns[k].head, head) != 0)
		k++;
	return k;
}

/* True if the table states an even number of runs for the row. */
static int
is_of_even_runs(const struct check_table *c, size_t row)
{
	static const char *const heads[] = { "runs", "n", "次数" };
	size_t first = c->t->n_columns;
	long n;

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		const size_t k = column_of_head(c->t, heads[i]);

		first = k < first ? k : first;
	}
	return first < c->t->n_columns &&
	    parse_long(text_at(c, row, first), 1, LONG_MAX, &n) == 0 &&
	    n % 2 == 0;
}

/* Parse a number at the start of a text, and half a unit of its last digit.
 * Numbers with an exponent are taken as exact (0). Returns the rest of the
 * text, or NULL. */
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

/* The interval of a median, in our tables "[0.40, 0.44]" or two columns,
 * widened by its rounding. Returns 1 if there is one. */
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
	text = text_at(c, row, k + 1);
	if (!two && *text++ != '[')
		return 0;
	text = read_bound(text, low, &half);
	if (text == NULL || *text != (two ? '\0' : ','))
		return 0;
	*low -= half;
	text = two ? text_at(c, row, k + 2) : text + 1;
	text = read_bound(text, high, &half);
	if (text == NULL)
		return 0;
	*high += half;
	return strcmp(text, two ? "" : "]") == 0;
}

/* The step time that a rate is computed from. Rates are computed per run, and
 * the median of an even number of runs is the mean of two values: m for times m
 * - d and m + d, but m / (m^2 - d^2) for their rates. d is bounded by the
 * interval only. */
struct check_range
check_time_of_work(const struct check_table *c, size_t row, size_t k)
{
	struct check_range r = check_range_at(c, row, k);
	double own, half, low, high, d, scale;

	if (c->t->columns[k].role != PUBLISHED_STEP_TIME ||
	    !is_of_even_runs(c, row) || !interval_of(c, row, k, &low, &high) ||
	    read_bound(text_at(c, row, k), &own, &half) == NULL || own <= 0)
		return r;
	scale = r.at / own; /* "430" in a column of ms */
	d = fmin(r.high - scale * low, scale * high - r.low) *
	    (1 + 4 * DBL_EPSILON);
	if (d > 0)
		r.low = fmax(fmax(r.low - d * d / r.low, scale * low),
		    DBL_EPSILON * r.low);
	return r;
}

/* --- findings ------------------------------------------------------------- */

void
check_add_text(const struct check_table *c, size_t row, size_t column,
    enum check_verdict verdict, const char *expected, struct remark why)
{
	struct check_report *r = c->r;
	const struct published_cell *cell = &c->t->rows[row].cells[column];

	r->findings =
	    vec_grow(r->findings, r->n, &r->alloc, sizeof *r->findings);
	r->findings[r->n++] =
	    (struct check_finding){ verdict, cell->line, cell->col,
		    published_row_name(&r->arena, c->t, &c->t->rows[row]),
		    arena_strdup(&r->arena, c->t->columns[column].head),
		    arena_strdup(&r->arena, cell->text), expected, why, NULL,
		    NAN, NAN };
	r->counts[verdict]++;
}

void
check_add(const struct check_table *c, size_t row, size_t column,
    enum check_verdict verdict, struct check_range computed, struct remark why)
{
	const struct published_cell *cell = &c->t->rows[row].cells[column];
	const struct published_column *of = &c->t->columns[column];
	const struct published_unit *unit =
	    cell->unit != NULL ? cell->unit : of->unit;
	const char *name = cell->unit != NULL ? cell->unit->name : "";
	const char *expected = NULL;
	struct check_finding *f;

	/* An infinite bound, as from a division by almost 0, proves nothing. */
	if (isinf(computed.low) || isinf(computed.high)) {
		computed = check_nowhere;
		verdict = CHECK_NO_BASELINE;
	}
	if (!isnan(computed.low))
		expected = arena_printf(&c->r->arena, "%.*f%s%s",
		    cell->number.decimals > of->decimals ? cell->number.decimals
							 : of->decimals,
		    computed.at / (unit != NULL ? unit->scale : 1),
		    strlen(name) > 1 ? " " : "", name);
	check_add_text(c, row, column, verdict, expected, why);
	f = &c->r->findings[c->r->n - 1];
	f->cell = cell;
	f->low = computed.low;
	f->high = computed.high;
}

void
check_cell(const struct check_table *c, size_t row, size_t column,
    struct check_range computed, struct remark why)
{
	check_add(c, row, column, check_judge(c, row, column, computed),
	    computed, why);
}

void
check_remark(const struct check_table *c, struct remark remark)
{
	struct check_report *r = c->r;

	r->remarks = vec_grow(
	    r->remarks, r->n_remarks, &r->alloc_remarks, sizeof *r->remarks);
	r->remarks[r->n_remarks++] =
	    (struct check_remark){ c->t->line, remark };
}

void
check_release(struct check_report *r)
{
	arena_release(&r->arena);
	free(r->findings);
	free(r->remarks);
	*r = (struct check_report){ .arena = ARENA_INIT };
}

/* --- cells that cannot be read -------------------------------------------- */

/* Add the cells that could not be parsed as their column's quantity. */
static void
add_unread(const struct check_table *c)
{
	for (size_t i = 0; i < c->t->n_rows; i++) {
		const struct published_row *row = &c->t->rows[i];

		for (size_t k = 0; k < c->t->n_columns; k++) {
			const struct published_cell *cell = &row->cells[k];
			enum remark_code why = cell->problem;

			if (cell == row->problem_cell)
				why = row->problem;
			else if (cell->kind != PUBLISHED_BAD &&
			    cell->kind != PUBLISHED_MALFORMED)
				continue;
			check_add_text(c, i, k,
			    cell->kind == PUBLISHED_MALFORMED ? CHECK_MALFORMED
							      : CHECK_UNREAD,
			    NULL, remark_plain(why));
		}
	}
}

/* --- baselines ------------------------------------------------------------ */

static int
keyed_compare(const void *a, const void *b)
{
	const struct check_keyed *x = a, *y = b;
	const int order = strcmp(x->key, y->key);

	if (order != 0)
		return order;
	return x->row < y->row ? -1 : x->row > y->row;
}

void
check_keyed_sort(struct check_keyed *rows, size_t n)
{
	qsort(rows, n, sizeof *rows, keyed_compare);
}

size_t
check_keyed_end(const struct check_keyed *rows, size_t n, size_t first)
{
	size_t end = first + 1;

	while (end < n && strcmp(rows[first].key, rows[end].key) == 0)
		end++;
	return end;
}

/* Baseline of n rows, which have one key: the first with one GPU, else the
 * table's only row with one GPU, else the first with the fewest GPUs. */
static void
set_baseline(const struct check_table *c, const struct check_keyed *rows,
    size_t n, size_t only)
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
		    check_prints_one(c, least, k);
	if (!own && c->t->rows[least].gpus != 1 && only != NO_ROW)
		least = only;
	for (size_t i = 0; i < n; i++)
		c->baseline[rows[i].row] = least;
}

/* Rows with several global batches but one batch per GPU may share a baseline
 * or not; our CSV states which. */
static void
set_stated_baselines(const struct check_table *c)
{
	const size_t of = column_of_head(c->t, "case");
	const size_t stated = column_of_head(c->t, "baseline");

	if (of == c->t->n_columns || stated == c->t->n_columns)
		return;
	for (size_t row = 0; row < c->t->n_rows; row++) {
		const char *base = text_at(c, row, stated);
		size_t *set = &c->baseline[row];

		if (*set == NO_ROW || base[0] == '\0')
			continue;
		if (strcmp(text_at(c, *set, of), base) != 0 &&
		    strcmp(text_at(c, row, of), base) == 0)
			*set = row;
		c->stated[row] = strcmp(text_at(c, *set, of), base) == 0;
	}
}

static void
find_baselines(const struct check_table *c)
{
	const size_t n = c->t->n_rows;
	struct check_keyed *rows = xcalloc(n + 1, sizeof *rows);
	size_t only = NO_ROW, n_only = 0;

	for (size_t i = 0; i < n; i++) {
		rows[i] = (struct check_keyed){
			published_row_key(&c->r->arena, c->t, &c->t->rows[i]), i
		};
		if (c->t->rows[i].gpus == 1) {
			only = i;
			n_only++;
		}
	}
	check_keyed_sort(rows, n);
	for (size_t i = 0, k; i < n; i = k) {
		k = check_keyed_end(rows, n, i);
		set_baseline(c, rows + i, k - i, n_only == 1 ? only : NO_ROW);
	}
	set_stated_baselines(c);
	free(rows);
}

/* --- which cell is wrong -------------------------------------------------- */

/* A wrong speed makes its speedup and efficiency fail, and a wrong baseline
 * speed all of them. The single wrong cell is reported instead. */
enum {
	MAX_FAILING = 64, /* findings that one cell may explain; bits of a
			     mask */
	MAX_CELLS = 4000, /* wrong cells searched for per table */
	MAX_TRIALS = 64,  /* cells tried with another value */
	MAX_BLAMED = 8    /* cells of a table; larger ones are not searched */
};

/* A suspected cell, the value it should have, and the number of cells that fail
 * with that value. */
struct suspect {
	size_t row, column;
	struct check_range value;
	size_t agree;   /* findings that imply it */
	size_t failing; /* failing cells with that value; (size_t)-1: not
			   tried */
	uint64_t mends; /* bit i: the i-th failing cell follows with that
			   value */
};

/* Number of findings from one on whose verdict is in [first, last]. */
static size_t
count_findings(const struct check_report *r, size_t from,
    enum check_verdict first, enum check_verdict last)
{
	size_t n = 0;

	for (size_t i = from; i < r->n; i++)
		n += r->findings[i].verdict >= first &&
		    r->findings[i].verdict <= last;
	return n;
}

static size_t
count_failing(const struct check_report *r, size_t from)
{
	return count_findings(r, from, CHECK_DIFFERS, CHECK_DIFFERS);
}

/* --- what a cell should be ------------------------------------------------ */

/* The value of a cell with which most failing cells would follow, if their
 * operands grow with the cell or with its inverse. */
static struct suspect
suspect_of(const struct check_report *r, size_t from,
    const struct published_cell *cell, int inverse)
{
	struct check_range list[MAX_FAILING];
	struct suspect s = { .failing = (size_t)-1 };
	const double x = cell->number.value;
	size_t n = 0;

	for (size_t i = from; i < r->n && n < MAX_FAILING; i++) {
		const struct check_finding *f = &r->findings[i];
		struct check_range printed;

		if (f->verdict != CHECK_DIFFERS || f->cell == NULL)
			continue;
		printed = check_range_of(&f->cell->number);
		list[n++] = f->cell == cell
		    ? check_range_between(f->low, f->high)
		    : inverse ? check_range_between(x * f->low / printed.high,
				    x * f->high / printed.low)
			      : check_range_between(x * printed.low / f->high,
				    x * printed.high / f->low);
	}
	s.agree = check_range_overlap(list, n, &s.value);
	return s;
}

/* --- trials --------------------------------------------------------------- */

/* A copy of a table in which one cell has another value. */
struct trial {
	struct published_table t;
	struct published_row *rows;
	struct published_cell *cells;
};

static void
trial_init(struct trial *x, const struct published_table *t,
    const struct suspect *s, const char *text)
{
	struct published_number *n;

	*x = (struct trial){ .t = *t };
	x->rows = xcalloc(t->n_rows, sizeof *x->rows);
	x->cells = xcalloc(t->n_columns, sizeof *x->cells);
	memcpy(x->rows, t->rows, t->n_rows * sizeof *x->rows);
	memcpy(
	    x->cells, t->rows[s->row].cells, t->n_columns * sizeof *x->cells);
	x->rows[s->row].cells = x->cells;
	x->t.rows = x->rows;
	n = &x->cells[s->column].number;
	n->value = (s->value.low + s->value.high) / 2;
	n->half = (s->value.high - s->value.low) / 2;
	x->cells[s->column].text = text;
}

static void
trial_release(struct trial *x)
{
	free(x->rows);
	free(x->cells);
}

/* True if the finding's cell follows in another report. */
static int
follows_in(const struct check_report *r, const struct check_finding *f)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->findings[i].verdict <= CHECK_CUT &&
		    r->findings[i].line == f->line &&
		    r->findings[i].col == f->col)
			return 1;
	return 0;
}

static void
try_suspect(const struct check_table *c, size_t from, struct suspect *s)
{
	struct check_report scratch = { .arena = ARENA_INIT, .file = "" };
	struct check_table copy = *c;
	size_t judged, following, bit = 0;
	struct trial x;

	trial_init(&x, c->t, s, "");
	copy.r = &scratch;
	copy.t = &x.t;
	check_within(&copy);
	/* A cell without a verdict does not count as mended. */
	judged = count_findings(c->r, from, CHECK_FOLLOWS, CHECK_DIFFERS);
	following = count_findings(&scratch, 0, CHECK_FOLLOWS, CHECK_CUT);
	s->failing = following < judged ? judged - following : 0;
	for (size_t i = from; i < c->r->n; i++)
		if (c->r->findings[i].verdict == CHECK_DIFFERS) {
			if (follows_in(&scratch, &c->r->findings[i]))
				s->mends |= UINT64_C(1) << bit;
			bit++;
		}
	trial_release(&x);
	check_release(&scratch);
}

/* A quotient that follows is not suspected: a baseline's speedup is 1 by
 * definition, and changing it would only change the baseline of others. */
static int
may_be_wrong(const struct check_table *c, size_t from, const struct suspect *s)
{
	const struct published_cell *cell =
	    &c->t->rows[s->row].cells[s->column];

	for (size_t i = from; i < c->r->n; i++)
		if (c->r->findings[i].cell == cell)
			return c->t->columns[s->column].role <
			    PUBLISHED_SPEEDUP ||
			    c->r->findings[i].verdict > CHECK_CUT;
	return 1;
}

/* Find the cell that alone explains the most findings, at least two. Returns 0
 * if there is none, or several explain equally many. */
static int
find_suspect(const struct check_table *c, size_t from, struct suspect *best)
{
	const size_t failing = count_failing(c->r, from);
	const struct published_table *t = c->t;
	size_t trials = 0, equal = 0;

	*best = (struct suspect){ .failing = failing };
	if (failing < 2 || failing > MAX_FAILING ||
	    t->n_rows * t->n_columns > MAX_CELLS)
		return 0;
	for (size_t i = 0; i < 2 * t->n_rows * t->n_columns; i++) {
		const size_t at = i / 2, row = at / t->n_columns;
		const size_t column = at % t->n_columns;
		struct suspect s;

		if (t->columns[column].role < PUBLISHED_RATE ||
		    !check_is_number(c, row, column))
			continue;
		s = suspect_of(
		    c->r, from, &t->rows[row].cells[column], i % 2 == 1);
		s.row = row;
		s.column = column;
		if (s.agree < 2 || !may_be_wrong(c, from, &s) ||
		    trials++ >= MAX_TRIALS)
			continue;
		try_suspect(c, from, &s);
		if (s.failing < best->failing) {
			*best = s;
			equal = 0;
		} else if (s.failing == best->failing &&
		    (s.mends & best->mends) != 0 &&
		    (s.row != best->row || s.column != best->column)) {
			equal++;
		}
	}
	return best->failing + 2 <= failing && equal == 0;
}

/* --- findings ------------------------------------------------------------- */

/* Replace the findings that the cell explains by one finding about it, at
 * from. */
static void
blame_cell(const struct check_table *c, size_t from, const struct suspect *s,
    struct trial *x)
{
	const size_t explained = count_failing(c->r, from) - s->failing;
	struct check_table other = *c;
	struct check_report *r = c->r;

	while (r->n > from)
		r->counts[r->findings[--r->n].verdict]--;
	check_add(c, s->row, s->column, CHECK_DIFFERS, s->value,
	    REMARK(REMARK_EXPLAINS, remark_number((double)explained)));
	r->findings[from].cell = NULL;
	trial_init(x, c->t, s,
	    arena_printf(&r->arena, "(%.60s → %s)",
		text_at(c, s->row, s->column), r->findings[from].expected));
	other.t = &x->t;
	check_within(&other);
	/* The cell is reported once. */
	for (size_t i = from + 1; i < r->n; i++)
		if (r->findings[i].cell == &x->cells[s->column]) {
			r->counts[r->findings[i].verdict]--;
			r->findings[i] = r->findings[--r->n];
			break;
		}
}

/* Check the cells of a table. If changing one cell would make several failing
 * cells follow, report that cell instead of them. */
static void
check_blame(const struct check_table *c)
{
	const size_t n_remarks = c->r->n_remarks, first = c->r->n;
	struct trial trials[MAX_BLAMED];
	struct check_table now = *c;
	struct suspect s;
	size_t n = 0;

	check_within(c);
	while (n < MAX_BLAMED && find_suspect(&now, first + n, &s)) {
		c->r->n_remarks = n_remarks;
		blame_cell(&now, first + n, &s, &trials[n]);
		now.t = &trials[n++].t;
	}
	for (size_t i = first; i < c->r->n; i++)
		c->r->findings[i].cell = NULL;
	while (n > 0)
		trial_release(&trials[--n]);
}

/* --- tables --------------------------------------------------------------- */

static int
finding_compare(const void *a, const void *b)
{
	const struct check_finding *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->col != y->col)
		return x->col < y->col ? -1 : 1;
	return x->verdict < y->verdict ? -1 : x->verdict > y->verdict;
}

static void
check_one(struct check_table c)
{
	c.r->n_tables++;
	c.baseline = xcalloc(c.t->n_rows + 1, sizeof *c.baseline);
	c.stated = xcalloc(c.t->n_rows + 1, 1);
	find_baselines(&c);
	for (size_t i = 0; i < c.t->n_remarks; i++)
		check_remark(&c, remark_copy(&c.t->remarks[i], &c.r->arena));
	add_unread(&c);
	check_blame(&c);
	if (c.set != NULL)
		check_against(&c);
	free(c.baseline);
	free(c.stated);
}

static void
check_all(const struct check_ask *ask, const struct published *p,
    const struct series_set *set, struct check_report *r)
{
	struct check_names names[N_CHECK_NAMES];
	struct check_table c = { r, ask, .set = set, .names = names };

	check_names_init(&names[CHECK_MODELS], SERIES_MODEL, set, p);
	check_names_init(&names[CHECK_FRAMEWORKS], SERIES_FRAMEWORK, set, p);
	for (size_t i = 0; i < p->n; i++) {
		int measured = 0;

		c.t = &p->tables[i];
		for (size_t k = 0; k < c.t->n_columns; k++)
			measured |= c.t->columns[k].role >= PUBLISHED_RATE;
		if (!measured)
			continue;
		for (int k = 0; k < N_CHECK_NAMES; k++)
			check_names_at(&names[k], set, c.t);
		check_one(c);
	}
	for (int k = 0; k < N_CHECK_NAMES; k++)
		check_names_release(&names[k]);
}

int
check_text(const struct check_ask *ask, const char *name, const char *text,
    size_t len, const struct series_set *set, struct check_report *r,
    struct error *e)
{
	struct published p;

	*r = (struct check_report){ .arena = ARENA_INIT };
	if (published_read(name, text, len, &p, e) != 0)
		return -1;
	r->file = arena_strdup(&r->arena, name);
	check_all(ask, &p, set, r);
	if (r->n > 0)
		qsort(r->findings, r->n, sizeof *r->findings, finding_compare);
	published_release(&p);
	if (r->n_tables > 0)
		return 0;
	check_release(r);
	return error_at(e, ERROR_EMPTY, name, 0, 0,
	    "it has no table of speeds, times or speedups");
}

int
check_read(const struct check_ask *ask, const char *path,
    const struct series_set *set, struct check_report *r, struct error *e)
{
	struct strbuf sb;
	int rc;

	strbuf_init(&sb, PUBLISHED_MAX_BYTES);
	rc = text_file_read(path, &sb, e);
	if (rc == 0)
		rc = check_text(ask, strcmp(path, "-") == 0 ? "stdin" : path,
		    sb.buf, sb.len, set, r, e);
	strbuf_release(&sb);
	return rc;
}

int
check_exit_status(const struct check_report *r)
{
	if (r->counts[CHECK_DIFFERS] + r->counts[CHECK_MALFORMED] > 0)
		return EXIT_STATUS_GATE;
	return r->counts[CHECK_FOLLOWS] + r->counts[CHECK_CUT] > 0
	    ? EXIT_STATUS_OK
	    : EXIT_STATUS_EMPTY;
}

/* A verdict's word in JSON and CSV, and its message. */
static const struct {
	const char *word;
	enum message message;
	enum table_emphasis emphasis;
} verdicts[CHECK_N_VERDICTS] = {
	[CHECK_FOLLOWS] = { "follows", MESSAGE_FOLLOWS, TABLE_GOOD },
	[CHECK_CUT] = { "cut", MESSAGE_FOLLOWS_CUT, TABLE_PLAIN },
	[CHECK_DIFFERS] = { "differs", MESSAGE_DIFFERS, TABLE_BAD },
	[CHECK_MALFORMED] = { "malformed", MESSAGE_MALFORMED, TABLE_BAD },
	[CHECK_UNREAD] = { "unread", MESSAGE_UNREAD, TABLE_FAINT },
	[CHECK_NO_CASE] = { "no-case", MESSAGE_NO_CASE, TABLE_FAINT },
	[CHECK_SEVERAL] = { "several-cases", MESSAGE_SEVERAL_CASES,
	    TABLE_FAINT },
	[CHECK_NO_BASELINE] = { "unchecked", MESSAGE_UNCHECKED, TABLE_FAINT },
};

/* In JSON and CSV, sentences and verdicts are English. */
static void
add_row(struct table *t, const struct check_report *r,
    const struct check_finding *f, enum language lang, int flat)
{
	table_row(t);
	if (flat) {
		table_cell(t, r->file);
		table_cellf(t, "%ld", f->line);
		table_cellf(t, "%ld", f->col);
	} else if (f->col > 0) {
		table_cellf(t, "%s:%ld:%ld", r->file, f->line, f->col);
	} else {
		table_cellf(t, "%s:%ld", r->file, f->line);
	}
	table_cell(t, f->row);
	table_cell(t, f->column);
	table_cell(t, f->printed);
	table_cell(t, f->expected);
	table_cell(t,
	    flat ? verdicts[f->verdict].word
		 : message(verdicts[f->verdict].message, lang));
	table_emphasise(t, verdicts[f->verdict].emphasis);
	table_cell(
	    t, remark_text(&f->why, flat ? LANGUAGE_EN : lang, &t->arena));
}

static void
add_columns(struct table *t, enum language lang, int flat)
{
	if (flat) {
		table_column(t, "file", NULL, TABLE_LEFT);
		table_column(t, "line", NULL, TABLE_RIGHT);
		table_column(t, "column", NULL, TABLE_RIGHT);
	} else {
		table_column(t, message(MESSAGE_PLACE, lang), NULL, TABLE_LEFT);
	}
	table_column(t, message(MESSAGE_CASE, lang), NULL, TABLE_LEFT);
	table_column(
	    t, flat ? "head" : message(MESSAGE_COLUMN, lang), NULL, TABLE_LEFT);
	table_column(t, message(MESSAGE_PRINTED, lang), NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_SHOULD_BE, lang), NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_VERDICT, lang), NULL, TABLE_LEFT);
	table_column(t, message(MESSAGE_WHY, lang), NULL, TABLE_LEFT);
}

static void
write_table(const struct check_report *r, const struct check_how *how, FILE *f)
{
	const enum language lang = how->lang;
	struct table t;

	table_init(&t);
	table_title(&t, "%s", r->file);
	add_columns(&t, lang, how->flat);
	for (size_t i = 0; i < r->n; i++) {
		const enum check_verdict v = r->findings[i].verdict;

		if (how->every || how->flat ||
		    (v != CHECK_FOLLOWS && v != CHECK_NO_BASELINE &&
			v != CHECK_NO_CASE))
			add_row(&t, r, &r->findings[i], lang, how->flat);
	}
	table_note(&t, "%s: %zu", message(MESSAGE_TABLES, lang), r->n_tables);
	for (int v = 0; v < CHECK_N_VERDICTS; v++)
		if (r->counts[v] > 0)
			table_note(&t, "%s: %zu",
			    message(verdicts[v].message, lang), r->counts[v]);
	for (size_t i = 0; i < r->n_remarks; i++)
		table_note(&t, "%s:%ld: %s", r->file, r->remarks[i].line,
		    remark_text(&r->remarks[i].remark,
			how->flat ? LANGUAGE_EN : lang, &t.arena));
	if (t.n_rows > 0) {
		table_write(&t, how->format, how->colour, f);
	} else {
		/* Only the counts, no empty table. */
		for (size_t i = 0; i < t.n_notes; i++)
			fprintf(f, "%s\n", t.notes[i]);
	}
	table_release(&t);
}

static void
write_json(const struct check_report *r, FILE *f)
{
	struct json_writer j;

	json_write_to_file(&j, f, JSON_WRITE_PRETTY);
	json_write_begin_object(&j, NULL);
	json_write_string(&j, "schema", "dlscale-check/2");
	json_write_string(&j, "file", r->file);
	json_write_long(&j, "tables", (long)r->n_tables);
	json_write_begin_object(&j, "counts");
	for (int v = 0; v < CHECK_N_VERDICTS; v++)
		json_write_long(&j, verdicts[v].word, (long)r->counts[v]);
	json_write_end(&j);
	json_write_begin_array(&j, "findings");
	for (size_t i = 0; i < r->n; i++) {
		const struct check_finding *x = &r->findings[i];

		json_write_begin_object(&j, NULL);
		json_write_long(&j, "line", x->line);
		json_write_long(&j, "column", x->col);
		json_write_string(&j, "case", x->row);
		json_write_string(&j, "head", x->column);
		json_write_string(&j, "printed", x->printed);
		json_write_string(&j, "expected", x->expected);
		json_write_string(&j, "verdict", verdicts[x->verdict].word);
		remark_json_write(&j, "why", &x->why);
		json_write_end(&j);
	}
	json_write_end(&j);
	json_write_begin_array(&j, "remarks");
	for (size_t i = 0; i < r->n_remarks; i++) {
		json_write_begin_object(&j, NULL);
		json_write_long(&j, "line", r->remarks[i].line);
		remark_json_write(&j, "remark", &r->remarks[i].remark);
		json_write_end(&j);
	}
	json_write_end(&j);
	json_write_end(&j);
	json_write_finish(&j);
}

void
check_write(const struct check_report *r, const struct check_how *how, FILE *f)
{
	if (how->json)
		write_json(r, f);
	else
		write_table(r, how, f);
}
