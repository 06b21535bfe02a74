/* Tables of reference values whose rows are cases, with a column for each
 * quantity (times of the program, phases of a step, rates), or collectives of
 * one case by size.  reference_table.c calls it for its lines; what a head
 * means stands in doc/published.md and nothing is guessed.  A number that is
 * written and also follows from others of its row is checked: a doubt for each
 * that does not follow, within the rounding of the digits that are there. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/result/collective_groups.h"
#include "common/series/reference_reader.h"
#include "common/units/units.h"

enum { MAX_ROWS = 4096 }; /* of a table of cases: groups are searched for */

/* --- heads ---------------------------------------------------------------- */

static const struct {
	const char *head;
	enum record_kind kind;
	unsigned rows; /* bit of enum reference_rows */
} heads[] = {
	{ "nodes", RECORD_NODES, 1 << ROWS_CASES },
	{ "node num", RECORD_NODES, 1 << ROWS_CASES },
	{ "gpus", RECORD_GPUS, 1 << ROWS_CASES },
	{ "gpu num", RECORD_GPUS, 1 << ROWS_CASES },
	{ "batch", RECORD_BATCH, 1 << ROWS_CASES },
	{ "size", RECORD_SIZE, 1 << ROWS_SIZES },
	{ "count", RECORD_COUNT, 1 << ROWS_SIZES },
	{ "mean MB", RECORD_MEAN_SIZE, 1 << ROWS_SIZES },
	{ "Mbps", RECORD_BANDWIDTH, 1 << ROWS_SIZES },
	{ "total s", RECORD_TOTAL, 1 << ROWS_SIZES },
	{ "mean ms", RECORD_MEAN, 1 << ROWS_SIZES },
};

static int
read_head(struct reference_reader *r, struct span head)
{
	struct record_column *c = &r->record_columns[r->n_columns];
	static const char label[] = "label ";
	const size_t n = sizeof label - 1;

	*c = (struct record_column){ .quantity = N_QUANTITIES };
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		if ((heads[i].rows & 1u << r->rows) &&
		    span_is(head, heads[i].head)) {
			c->kind = heads[i].kind;
			return 0;
		}
	if (r->rows == ROWS_CASES && head.len > n &&
	    memcmp(head.s, label, n) == 0) {
		c->kind = RECORD_LABEL;
		c->name = arena_strndup(r->arena, head.s + n, head.len - n);
		return 0;
	}
	c->name = r->rows == ROWS_CASES ? reference_values_unit(head) : NULL;
	if (c->name != NULL) {
		c->kind = RECORD_RATE;
		return 0;
	}
	c->quantity = r->rows == ROWS_CASES ? quantity_find(head.s, head.len)
					    : N_QUANTITIES;
	c->kind = RECORD_QUANTITY;
	if (c->quantity != N_QUANTITIES)
		return 0;
	return reference_values_fail(r, ERROR_INPUT, head.s,
	    r->rows == ROWS_SIZES
		? "is no column of sizes: size, count, mean MB, Mbps, total s "
		  "or mean ms"
		: "is no column of cases: nodes, GPUs, batch, 'label NAME', a "
		  "unit such as images/s, real, user, sys, step, data, to "
		  "device, forward, loss, backward, update, allreduce, "
		  "exposed, receiving or sending",
	    head);
}

static int
has_kind(const struct reference_reader *r, enum record_kind kind)
{
	for (size_t i = 0; i < r->n_columns; i++)
		if (r->record_columns[i].kind == kind)
			return 1;
	return 0;
}

/* True if the table has this column already. */
static int
is_twice(const struct reference_reader *r)
{
	const struct record_column *c = &r->record_columns[r->n_columns];

	for (size_t i = 0; i < r->n_columns; i++) {
		const struct record_column *o = &r->record_columns[i];

		if (o->kind == c->kind && o->quantity == c->quantity &&
		    (c->kind != RECORD_LABEL || strcmp(o->name, c->name) == 0))
			return 1;
	}
	return 0;
}

int
reference_records_heads(
    struct reference_reader *r, const char *at, const char *end)
{
	const char *row = at - 1;
	struct span head;

	r->n_columns = 0;
	r->table_from = r->n;
	r->metric = "throughput";
	while (reference_next_cell(&at, end, &head)) {
		if (r->n_columns == REFERENCE_VALUES_MAX_COLUMNS)
			return reference_values_fail(r, ERROR_LIMIT, head.s,
			    "too many columns", SPAN_NONE);
		if (read_head(r, head) != 0)
			return -1;
		if (is_twice(r))
			return reference_values_fail(
			    r, ERROR_INPUT, head.s, "is there twice", head);
		r->n_columns++;
	}
	if (r->rows == ROWS_SIZES && r->case_gpus == RESULT_UNKNOWN)
		return reference_values_fail(r, ERROR_INPUT, row,
		    "a table of sizes needs a line 'case: 4n1g' before it",
		    SPAN_NONE);
	if (r->rows == ROWS_SIZES &&
	    !(has_kind(r, RECORD_COUNT) && has_kind(r, RECORD_MEAN_SIZE) &&
		(has_kind(r, RECORD_TOTAL) || has_kind(r, RECORD_MEAN))))
		return reference_values_fail(r, ERROR_INPUT, row,
		    "a table of sizes needs columns 'count', 'mean MB', and "
		    "'total s' or 'mean ms'",
		    SPAN_NONE);
	if (r->rows == ROWS_CASES &&
	    !(has_kind(r, RECORD_NODES) && has_kind(r, RECORD_GPUS)))
		return reference_values_fail(r, ERROR_INPUT, row,
		    "a table of cases needs columns 'nodes' and 'GPUs'",
		    SPAN_NONE);
	return 0;
}

/* --- doubts --------------------------------------------------------------- */

/* Half a unit of the last digit of a number as written, in seconds where it has
 * a unit of time: 0.05 of "578.1s", 0.00005 of "128.4ms". */
static double
half_unit(const char *text)
{
	static const struct {
		const char *unit;
		double s;
	} units[] = { { "ms", 1e-3 }, { "us", 1e-6 }, { "min", 60 },
		{ "m", 60 }, { "h", 3600 } };
	const char *end = text + strlen(text), *dot;
	double half = 0.5;

	while (end > text && !isdigit((unsigned char)end[-1]))
		end--;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(end + strspn(end, " "), units[i].unit) == 0)
			half *= units[i].s;
	for (dot = end; dot > text && isdigit((unsigned char)dot[-1]);)
		dot--;
	if (dot > text && dot[-1] == '.')
		half *= pow(10, -(double)(end - dot));
	return half;
}

static void
add_doubt(struct reference_reader *r, enum message what, const char *written,
    const char *from, const char *gives)
{
	r->doubts = vec_grow(
	    r->doubts, r->n_doubts, &r->alloc_doubts, sizeof *r->doubts);
	r->doubts[r->n_doubts++] =
	    (struct published_doubt){ r->n - 1, what, written, from, gives };
}

/* A number that was written, and the interval that others of its row allow:
 * a doubt if the two do not meet. */
static void
check_written(struct reference_reader *r, enum message what,
    const char *written, double value, double low, double high,
    const char *from, const char *gives)
{
	const double half = half_unit(written);

	if (value + half * (1 + 1e-9) < low || value - half * (1 + 1e-9) > high)
		add_doubt(r, what, written, from, gives);
}

/* --- cells of a case ------------------------------------------------------ */

static const char *
written_find(const struct reference_value *v, const char *key)
{
	for (size_t i = 0; i < v->written.n; i++)
		if (strcmp(v->written.items[i].key, key) == 0)
			return v->written.items[i].value;
	return NULL;
}

static int
read_quantity(struct reference_reader *r, struct reference_value *v,
    enum quantity q, struct span cell)
{
	const struct quantity_row *row = &quantity_rows[q];
	double x;

	if (cell.len == 0 || span_is(cell, "-"))
		return 0;
	v->written.items[v->written.n++] =
	    (struct result_pair){ row->head, reference_cell_copy(r, cell) };
	if (isalpha((unsigned char)cell.s[0]))
		return 0; /* OOM, TODO */
	if (row->is_rate ? quantity_parse_bit_rate(cell.s, cell.len, &x) != 0
			 : duration_parse(cell.s, cell.len, &x) != UNITS_OK)
		return reference_values_fail(r, ERROR_INPUT, cell.s,
		    row->is_rate ? "is not a bit rate such as 2.61Gb/s"
				 : "is not a time such as 2m53.341s or 128.4ms",
		    cell);
	quantity_set(&v->c.runs[0], q, x);
	return 0;
}

static void
add_label(struct reference_reader *r, struct result_case *c, const char *key,
    struct span cell)
{
	if (cell.len > 0)
		c->labels[c->n_labels++] =
		    (struct result_pair){ key, reference_cell_copy(r, cell) };
}

static int
read_cell(struct reference_reader *r, struct reference_value *v,
    const struct record_column *column, struct span cell)
{
	struct result_case *c = &v->c;

	switch (column->kind) {
	case RECORD_NODES:
		return reference_read_count(r, cell, 0, &c->nodes);
	case RECORD_GPUS:
		return reference_read_count(r, cell, 0, &c->gpus);
	case RECORD_BATCH:
		return reference_read_count(
		    r, cell, 1, &c->batch_size_per_device);
	case RECORD_LABEL:
		add_label(r, c, column->name, cell);
		return 0;
	case RECORD_RATE:
		c->unit = column->name;
		v->text = reference_cell_copy(r, cell);
		return reference_read_value(r, cell, &c->median_speed);
	default:
		return read_quantity(r, v, column->quantity, cell);
	}
}

/* What follows from the row, where it is not written; and whether what is
 * written follows. */
static void
derive_speed(struct reference_reader *r, struct reference_value *v)
{
	const char *real = written_find(v, "real");
	const double s = v->c.runs[0].times.real_s;
	const double samples = (double)r->samples;
	double half;

	if (r->samples == RESULT_UNKNOWN || !(s > 0))
		return;
	if (isnan(v->c.median_speed)) {
		if (v->text[0] != '\0')
			return; /* OOM */
		v->c.median_speed = samples / s;
		v->text = arena_printf(r->arena, "%.2f", samples / s);
		return;
	}
	half = half_unit(real);
	check_written(r, MESSAGE_THROUGHPUT, v->text, v->c.median_speed,
	    samples / (s + half), samples / fmax(s - half, 1e-9),
	    arena_printf(r->arena, "%ld / %s", r->samples, real),
	    arena_printf(r->arena, "%.2f", samples / s));
}

static void
derive_step(struct reference_reader *r, struct reference_value *v)
{
	const char *real = written_find(v, "real");
	const char *step = written_find(v, "step");
	const double s = v->c.runs[0].times.real_s, n = (double)r->steps;
	char gives[UNITS_TEXT_SIZE];
	double half;

	if (r->steps == RESULT_UNKNOWN || !(s > 0))
		return;
	if (isnan(v->c.runs[0].phases.step_s)) {
		v->c.runs[0].phases.step_s = s / n;
		return;
	}
	half = half_unit(real);
	number_format(gives, 1e3 * s / n, 5);
	check_written(r, MESSAGE_MEAN_STEP, step, v->c.runs[0].phases.step_s,
	    (s - half) / n, (s + half) / n,
	    arena_printf(r->arena, "%s / %ld", real, r->steps),
	    arena_printf(r->arena, "%s ms", gives));
}

/* An empty value at the end of the list, with one run. */
static struct reference_value *
new_value(struct reference_reader *r, size_t n_cells)
{
	struct reference_value *v;
	struct result_case *c;

	r->values = vec_grow(r->values, r->n, &r->alloc, sizeof *v);
	v = &r->values[r->n];
	memset(v, 0, sizeof *v);
	c = &v->c;
	result_case_init(c);
	v->text = "";
	v->line = r->line_number;
	v->written.items =
	    arena_calloc(r->arena, n_cells + 1, sizeof *v->written.items);
	c->model = r->model;
	c->precision = r->precision;
	c->batch_size_per_device = r->batch;
	c->unit = r->unit;
	c->rule = r->rule;
	c->labels = arena_calloc(
	    r->arena, r->n_labels + n_cells + 1, sizeof *c->labels);
	if (r->n_labels > 0)
		memcpy(c->labels, r->labels, r->n_labels * sizeof *c->labels);
	c->n_labels = r->n_labels;
	c->runs = arena_calloc(r->arena, 1, sizeof *c->runs);
	c->n_runs = 1;
	result_run_init(&c->runs[0]);
	c->runs[0].path = r->name;
	return v;
}

static int
read_case(struct reference_reader *r,
    const struct span cells[REFERENCE_VALUES_MAX_COLUMNS])
{
	struct reference_value *v = new_value(r, r->n_columns);
	struct result_case *c = &v->c;

	for (size_t i = 0; i < r->n_columns; i++)
		if (read_cell(r, v, &r->record_columns[i], cells[i]) != 0)
			return -1;
	if (c->gpus % c->nodes != 0)
		return reference_values_fail(r, ERROR_INPUT, cells[0].s,
		    "the GPUs do not spread evenly over the nodes ('GPUs' "
		    "counts those of all nodes)",
		    SPAN_NONE);
	reference_fill_shape(r, c, c->nodes, c->gpus);
	r->n++;
	derive_speed(r, v);
	derive_step(r, v);
	c->runs[0].value = c->median_speed;
	return 0;
}

/* --- collectives by size -------------------------------------------------- */

static int
read_number(struct reference_reader *r, struct span cell, double *out)
{
	if (number_scan(cell.s, cell.len, out) != cell.len || cell.len == 0 ||
	    *out < 0)
		return reference_values_fail(
		    r, ERROR_INPUT, cell.s, "is not a number", cell);
	return 0;
}

/* The bin that "(1MB, 10MB]" names must hold the mean size. */
static int
check_size(struct reference_reader *r, struct span cell, double bytes)
{
	char label[SIZE_LABEL_SIZE];

	size_bin_label(size_bin(bytes), ", ", label);
	if (cell.s == NULL || span_is(cell, label))
		return 0;
	return reference_values_fail(r, ERROR_INPUT, cell.s,
	    "is not the range that holds the mean size; ranges are (0, 1KB], "
	    "(1KB, 1MB], (1MB, 10MB], each 10MB up to 100MB, each 50MB up to "
	    "1000MB, >1000MB",
	    cell);
}

/* Of a total and a mean the one with more digits counts; the other must follow
 * within the digits of both. */
static double
time_of_one(struct reference_reader *r, const char *total, double total_s,
    const char *mean, double mean_s, double count)
{
	const double of_total = total != NULL ? half_unit(total) / total_s : 1;
	const double of_mean =
	    mean != NULL ? 1e-3 * half_unit(mean) / mean_s : 1;

	if (total == NULL)
		return mean_s;
	if (mean == NULL)
		return total_s / count;
	check_written(r, MESSAGE_TOTAL_TIME, total, total_s,
	    count * mean_s * (1 - of_mean), count * mean_s * (1 + of_mean),
	    arena_printf(r->arena, "%.0f × %s ms", count, mean),
	    arena_printf(r->arena, "%.2f s", count * mean_s));
	return of_mean <= of_total ? mean_s : total_s / count;
}

static int
read_size(struct reference_reader *r,
    const struct span cells[REFERENCE_VALUES_MAX_COLUMNS],
    struct result_collective *x)
{
	struct span size = SPAN_NONE;
	const char *total = NULL, *mean = NULL;
	double count = NAN, mean_mb = NAN, total_s = NAN, mean_ms = NAN,
	       mbps = NAN;

	*x = (struct result_collective){ .kind = "by-size",
		.algorithm_gb_per_s = NAN,
		.bus_gb_per_s = NAN,
		.line = r->line_number,
		.test = RESULT_UNKNOWN };
	for (size_t i = 0; i < r->n_columns; i++) {
		const struct span cell = cells[i];
		double *to = NULL;

		switch (r->record_columns[i].kind) {
		case RECORD_SIZE:
			size = cell;
			continue;
		case RECORD_COUNT:
			to = &count;
			break;
		case RECORD_MEAN_SIZE:
			to = &mean_mb;
			break;
		case RECORD_BANDWIDTH:
			to = &mbps;
			break;
		case RECORD_TOTAL:
			to = &total_s;
			total = reference_cell_copy(r, cell);
			break;
		default:
			to = &mean_ms;
			mean = reference_cell_copy(r, cell);
			break;
		}
		if (read_number(r, cell, to) != 0)
			return -1;
		if (to == &mbps)
			x->bus_gb_per_s = mbps * MIB / 8e9;
	}
	x->bytes = mean_mb * MIB;
	x->count = count >= 1 && count < 1e15 ? (long)count : RESULT_UNKNOWN;
	if (x->count == RESULT_UNKNOWN)
		return reference_values_fail(
		    r, ERROR_INPUT, NULL, "a count below 1", SPAN_NONE);
	if (check_size(r, size, x->bytes) != 0)
		return -1;
	x->time_s = time_of_one(
	    r, total, total_s, mean, 1e-3 * mean_ms, (double)x->count);
	return 0;
}

static int
read_size_row(struct reference_reader *r,
    const struct span cells[REFERENCE_VALUES_MAX_COLUMNS])
{
	struct result_run *run;
	size_t n;

	if (r->n == r->table_from) {
		struct reference_value *v = new_value(r, 0);

		v->c.nodes = r->case_nodes;
		v->c.gpus = r->case_gpus;
		reference_fill_shape(r, &v->c, v->c.nodes, v->c.gpus);
		r->n++;
		v->c.runs[0].times.real_s = r->real_s;
		if (r->steps != RESULT_UNKNOWN)
			v->c.runs[0].phases.step_s =
			    r->real_s / (double)r->steps;
	}
	run = &r->values[r->n - 1].c.runs[0];
	n = run->n_collectives;
	/* Twice the room whenever n is a power of 2, and it is full. */
	if ((n & (n - 1)) == 0) {
		struct result_collective *more =
		    arena_calloc(r->arena, n > 0 ? 2 * n : 1, sizeof *more);

		if (n > 0)
			memcpy(more, run->collectives, n * sizeof *more);
		run->collectives = more;
	}
	run->n_collectives++;
	return read_size(r, cells, &run->collectives[n]);
}

int
reference_records_row(
    struct reference_reader *r, const char *at, const char *end)
{
	struct span cells[REFERENCE_VALUES_MAX_COLUMNS];

	if (reference_split_row(r, at, end, cells) != 0)
		return -1;
	if (r->n_lines > MAX_ROWS)
		return reference_values_fail(
		    r, ERROR_LIMIT, at, "too many rows", SPAN_NONE);
	return r->rows == ROWS_SIZES ? read_size_row(r, cells)
				     : read_case(r, cells);
}

/* --- speedups ------------------------------------------------------------- */

/* Cases of one baseline: the same batch and labels. */
static int
is_alike(const struct result_case *a, const struct result_case *b)
{
	if (a->batch_size_per_device != b->batch_size_per_device ||
	    a->n_labels != b->n_labels)
		return 0;
	for (size_t i = 0; i < a->n_labels; i++)
		if (strcmp(a->labels[i].key, b->labels[i].key) != 0 ||
		    strcmp(a->labels[i].value, b->labels[i].value) != 0)
			return 0;
	return 1;
}

void
reference_records_end(struct reference_reader *r)
{
	for (size_t i = r->table_from; i < r->n; i++) {
		const struct result_case *base = NULL;

		for (size_t k = r->table_from; k < r->n; k++)
			if (is_alike(&r->values[k].c, &r->values[i].c))
				base = reference_better_baseline(
				    r, base, &r->values[k].c);
		reference_fill_speedup(r, &r->values[i].c, base);
	}
}
