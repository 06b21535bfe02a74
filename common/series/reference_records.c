/* Tables of reference values whose rows are cases, with one column per quantity
 * (times of the program, phases of a step, rates), or collectives of one case
 * by size. doc/published.md defines the heads; nothing is guessed. A number
 * that others of its row imply is checked: contradictions beyond the rounding
 * of the printed digits are recorded as doubts. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/result/collective_groups.h"
#include "common/series/quantity.h"
#include "common/series/reference_reader.h"
#include "common/units/units.h"

/* --- columns of cases and sizes ------------------------------------------- */

enum record_kind {
	RECORD_NODES,
	RECORD_GPUS,
	RECORD_BATCH,
	RECORD_LABEL,
	RECORD_RATE, /* the speed */
	RECORD_SIZE, /* "(1MB, 10MB]" */
	RECORD_COUNT,
	RECORD_MEAN_SIZE, /* MiB */
	RECORD_BANDWIDTH, /* Mibit/s */
	RECORD_TOTAL,     /* s */
	RECORD_MEAN,      /* ms */
	RECORD_QUANTITY,  /* and the following: enum quantity */
	N_RECORDS = RECORD_QUANTITY + N_QUANTITIES
};

struct record_column {
	int kind;         /* enum record_kind, or RECORD_QUANTITY + quantity */
	const char *name; /* name of a label, unit of a rate, else NULL */
};

static const struct {
	const char *head;
	enum record_kind kind;
	enum reference_rows rows;
} record_heads[] = {
	{ "nodes", RECORD_NODES, ROWS_CASES },
	{ "node num", RECORD_NODES, ROWS_CASES },
	{ "gpus", RECORD_GPUS, ROWS_CASES },
	{ "gpu num", RECORD_GPUS, ROWS_CASES },
	{ "batch", RECORD_BATCH, ROWS_CASES },
	{ "size", RECORD_SIZE, ROWS_SIZES },
	{ "count", RECORD_COUNT, ROWS_SIZES },
	{ "mean MB", RECORD_MEAN_SIZE, ROWS_SIZES },
	{ "Mbps", RECORD_BANDWIDTH, ROWS_SIZES },
	{ "total s", RECORD_TOTAL, ROWS_SIZES },
	{ "mean ms", RECORD_MEAN, ROWS_SIZES },
};

/* Interpret a head. The kind of an unknown one is N_RECORDS. */
static struct record_column
head_column(struct reference_reader *r, const char *head)
{
	const char *unit = reference_unit(head);

	for (size_t i = 0; i < sizeof record_heads / sizeof *record_heads; i++)
		if (record_heads[i].rows == r->rows &&
		    strcasecmp(head, record_heads[i].head) == 0)
			return (
			    struct record_column){ record_heads[i].kind, NULL };
	if (r->rows == ROWS_SIZES)
		return (struct record_column){ N_RECORDS, NULL };
	if (strncmp(head, "label ", 6) == 0 && head[6] != '\0')
		return (struct record_column){ RECORD_LABEL,
			arena_strdup(r->arena, head + 6) };
	if (unit != NULL)
		return (struct record_column){ RECORD_RATE, unit };
	return (struct record_column){
		RECORD_QUANTITY + (int)quantity_find(head, strlen(head)), NULL
	};
}

/* Message about a missing column in a table with these kinds, or NULL. */
static const char *
missing_column(
    const struct reference_reader *r, const int has[static N_RECORDS])
{
	if (r->rows == ROWS_CASES)
		return has[RECORD_NODES] && has[RECORD_GPUS]
		    ? NULL
		    : "a table of cases needs columns 'nodes' and 'GPUs'";
	if (r->case_gpus == RESULT_UNKNOWN)
		return "a table of sizes needs a line 'case: 4n1g' before it";
	return has[RECORD_COUNT] && has[RECORD_MEAN_SIZE] &&
		(has[RECORD_TOTAL] || has[RECORD_MEAN])
	    ? NULL
	    : "a table of sizes needs columns 'count', 'mean MB', and "
	      "'total s' or 'mean ms'";
}

/* columns  [t->n_columns] to be filled */
static int
read_heads(struct reference_reader *r, const struct published_table *t,
    struct record_column *columns)
{
	int has[N_RECORDS] = { 0 };
	const char *missing;

	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_column *c = &t->columns[i];

		columns[i] = head_column(r, c->head);
		if (columns[i].kind == N_RECORDS)
			return reference_bad_head(r, c,
			    r->rows == ROWS_SIZES
				? "is not a column of sizes: size, count, mean "
				  "MB, Mbps, total s or mean ms"
				: "is no column of cases: nodes, GPUs, batch, "
				  "'label NAME', a unit such as images/s, "
				  "real, user, sys, step, data, to device, "
				  "forward, loss, backward, update, allreduce, "
				  "exposed, receiving or sending");
		has[columns[i].kind] = 1;
		for (size_t k = 0; k < i; k++)
			if (columns[k].kind == columns[i].kind &&
			    (columns[k].kind != RECORD_LABEL ||
				strcmp(columns[k].name, columns[i].name) == 0))
				return reference_bad_head(
				    r, c, "is there twice");
	}
	missing = missing_column(r, has);
	return missing == NULL
	    ? 0
	    : reference_mistake(r, t->line, r->table_col, NULL, missing);
}

/* --- doubts --------------------------------------------------------------- */

/* Half a unit of the last digit of a printed number, in seconds if it has a
 * unit of time: 0.05 of "578.1s", 0.00005 of "128.4ms". */
static double
half_unit(const char *text)
{
	struct published_cell cell;

	published_quantity_read(text, '.', NULL, &cell);
	return isnan(cell.number.half) ? 0.5 : cell.number.half;
}

/* Record a doubt if a printed number is outside the interval implied by others
 * of its row.
 *
 * from, gives  formula of the interval, and its result */
static void
check_written(struct reference_reader *r, enum message what,
    const char *written, double value, double low, double high,
    const char *from, const char *gives)
{
	const double half = half_unit(written) * (1 + 1e-9);

	if (value + half >= low && value - half <= high)
		return;
	r->doubts = vec_grow(
	    r->doubts, r->n_doubts, &r->alloc_doubts, sizeof *r->doubts);
	r->doubts[r->n_doubts++] =
	    (struct published_doubt){ r->n - 1, what, written, from, gives };
}

/* --- rows that are cases -------------------------------------------------- */

/* Append a value with one run. Returns NULL with ERROR_LIMIT. */
static struct reference_value *
new_record(struct reference_reader *r, long line, size_t n_cells)
{
	struct reference_value *v = reference_new_value(r, line, 0);

	if (v == NULL)
		return NULL;
	v->c.precision = r->precision;
	v->c.batch_size_per_device = r->batch;
	v->c.unit = r->unit;
	v->written.items =
	    arena_calloc(r->arena, n_cells + 1, sizeof *v->written.items);
	v->c.runs = arena_calloc(r->arena, 1, sizeof *v->c.runs);
	v->c.n_runs = 1;
	result_run_init(&v->c.runs[0]);
	v->c.runs[0].path = r->name;
	return v;
}

static int
read_count(
    struct reference_reader *r, const struct published_cell *cell, long *out)
{
	if (whole_parse(cell->text, strlen(cell->text), 1, 100000000, out) !=
	    UNITS_OK)
		return reference_bad_cell(r, cell, "is not a count");
	return 0;
}

static int
read_quantity(struct reference_reader *r, struct reference_value *v,
    enum quantity q, const struct published_cell *cell)
{
	const struct quantity_row *row = &quantity_rows[q];
	const char *s = arena_strdup(r->arena, cell->text);
	struct published_cell rate;
	double x;

	v->written.items[v->written.n++] = (struct result_pair){ row->head, s };
	if (isalpha((unsigned char)s[0]))
		return 0; /* OOM, TODO */
	if (row->is_rate) {
		published_quantity_read(s, '.', NULL, &rate);
		if (rate.kind != PUBLISHED_NUMBER || rate.unit == NULL ||
		    rate.unit->measure != PUBLISHED_BITS_PER_SECOND)
			return reference_bad_cell(
			    r, cell, "is not a bit rate such as 2.61Gb/s");
		x = rate.number.value / 8e9;
	} else if (duration_parse(s, strlen(s), &x) != UNITS_OK) {
		return reference_bad_cell(
		    r, cell, "is not a time such as 2m53.341s or 128.4ms");
	}
	quantity_set(&v->c.runs[0], q, x);
	return 0;
}

static int
read_cell(struct reference_reader *r, struct reference_value *v,
    const struct record_column *column, const struct published_cell *cell)
{
	const char *s = cell->text;
	const int is_missing = s[0] == '\0' || strcmp(s, "-") == 0;
	struct result_case *c = &v->c;

	switch (column->kind) {
	case RECORD_NODES:
		return read_count(r, cell, &c->nodes);
	case RECORD_GPUS:
		return read_count(r, cell, &c->gpus);
	case RECORD_BATCH:
		c->batch_size_per_device = RESULT_UNKNOWN;
		return is_missing
		    ? 0
		    : read_count(r, cell, &c->batch_size_per_device);
	case RECORD_LABEL:
		if (s[0] != '\0')
			reference_add_label(
			    r, c, column->name, arena_strdup(r->arena, s));
		return 0;
	case RECORD_RATE:
		c->unit = column->name;
		v->text = arena_strdup(r->arena, s);
		/* A word in place of a number. */
		if (is_missing || strcmp(s, "--") == 0 ||
		    isalpha((unsigned char)s[0]) || (s[0] & 0x80) != 0)
			return 0;
		if (number_scan(s, strlen(s), &c->median_speed) == strlen(s) &&
		    c->median_speed > 0)
			return 0;
		return reference_bad_cell(r, cell, REFERENCE_NO_SPEED);
	default:
		return is_missing
		    ? 0
		    : read_quantity(r, v,
			  (enum quantity)(column->kind - RECORD_QUANTITY),
			  cell);
	}
}

/* The cell of a quantity as written; NULL if it is missing. */
static const char *
written_cell(const struct reference_value *v, enum quantity q)
{
	for (size_t i = 0; i < v->written.n; i++)
		if (v->written.items[i].key == quantity_rows[q].head)
			return v->written.items[i].value;
	return NULL;
}

/* Compute missing speeds and step times from the time of the run, and check
 * printed ones. */
static void
derive(struct reference_reader *r, struct reference_value *v)
{
	struct result_run *run = &v->c.runs[0];
	const double s = run->times.real_s, samples = (double)r->samples,
		     n = (double)r->steps;
	const char *real = written_cell(v, QUANTITY_REAL);
	char gives[UNITS_TEXT_SIZE];
	double half;

	if (!(s > 0))
		return;
	half = half_unit(real);
	if (r->samples != RESULT_UNKNOWN && isfinite(v->c.median_speed)) {
		check_written(r, MESSAGE_THROUGHPUT, v->text, v->c.median_speed,
		    samples / (s + half), samples / fmax(s - half, 1e-9),
		    arena_printf(r->arena, "%ld / %s", r->samples, real),
		    arena_printf(r->arena, "%.2f", samples / s));
	} else if (r->samples != RESULT_UNKNOWN && v->text[0] == '\0') {
		v->c.median_speed = samples / s;
		v->text = arena_printf(r->arena, "%.2f", samples / s);
	}
	if (r->steps != RESULT_UNKNOWN && isnan(run->phases.step_s)) {
		run->phases.step_s = s / n;
	} else if (r->steps != RESULT_UNKNOWN) {
		number_format(gives, 1e3 * s / n, 5);
		check_written(r, MESSAGE_MEAN_STEP,
		    written_cell(v, QUANTITY_STEP), run->phases.step_s,
		    (s - half) / n, (s + half) / n,
		    arena_printf(r->arena, "%s / %ld", real, r->steps),
		    arena_printf(r->arena, "%s ms", gives));
	}
}

static int
read_case(struct reference_reader *r, const struct published_row *row,
    const struct record_column *columns, size_t n)
{
	struct reference_value *v = new_record(r, row->line, n);
	struct result_case *c;

	if (v == NULL)
		return -1;
	c = &v->c;
	for (size_t i = 0; i < n; i++)
		if (read_cell(r, v, &columns[i], &row->cells[i]) != 0)
			return -1;
	if (c->gpus % c->nodes != 0)
		return reference_mistake(r, row->line, row->cells[0].col, NULL,
		    "the GPUs do not spread evenly over the nodes ('GPUs' "
		    "counts those of all nodes)");
	reference_set_topology(r, c, c->nodes, c->gpus);
	v->batch = c->batch_size_per_device;
	r->n++;
	derive(r, v);
	c->runs[0].value = c->median_speed;
	return 0;
}

/* --- collectives by size -------------------------------------------------- */

/* The time of one collective in seconds, from total or mean, whichever has more
 * digits; the other must agree within the digits of both.
 *
 * total, mean  cells in s and ms; one may be NULL */
static double
time_of_one(struct reference_reader *r, const struct published_cell *total,
    double total_s, const struct published_cell *mean, double mean_s,
    double count)
{
	double of_total, of_mean;

	if (total == NULL || mean == NULL)
		return total == NULL ? mean_s : total_s / count;
	of_total = half_unit(total->text) / total_s;
	of_mean = 1e-3 * half_unit(mean->text) / mean_s;
	check_written(r, MESSAGE_TOTAL_TIME,
	    arena_strdup(r->arena, total->text), total_s,
	    count * mean_s * (1 - of_mean), count * mean_s * (1 + of_mean),
	    arena_printf(r->arena, "%.0f × %s ms", count, mean->text),
	    arena_printf(r->arena, "%.2f s", count * mean_s));
	return of_mean <= of_total ? mean_s : total_s / count;
}

static int
read_size(struct reference_reader *r, const struct published_row *row,
    const struct record_column *columns, size_t n, struct result_collective *x)
{
	/* By kind of column; NAN and NULL if missing. */
	const struct published_cell *cells[N_RECORDS] = { NULL };
	const struct published_cell *size;
	double numbers[N_RECORDS];
	char bin[SIZE_LABEL_SIZE];

	for (int k = 0; k < N_RECORDS; k++)
		numbers[k] = NAN;
	for (size_t i = 0; i < n; i++) {
		const struct published_cell *cell = &row->cells[i];
		const int kind = columns[i].kind;
		const size_t len = strlen(cell->text);

		cells[kind] = cell;
		if (kind != RECORD_SIZE &&
		    (len == 0 ||
			number_scan(cell->text, len, &numbers[kind]) != len ||
			numbers[kind] < 0))
			return reference_bad_cell(r, cell, "is not a number");
	}
	if (!(numbers[RECORD_COUNT] >= 1 && numbers[RECORD_COUNT] < 1e15))
		return reference_mistake(
		    r, row->line, 0, NULL, "a count below 1");
	*x = (struct result_collective){ .kind = "by-size",
		.bytes = numbers[RECORD_MEAN_SIZE] * MIB,
		.count = (long)numbers[RECORD_COUNT],
		.bus_gb_per_s = numbers[RECORD_BANDWIDTH] * MIB / 8e9,
		.algorithm_gb_per_s = NAN,
		.line = row->line,
		.test = RESULT_UNKNOWN };
	size = cells[RECORD_SIZE];
	size_bin_label(size_bin(x->bytes), ", ", bin);
	if (size != NULL && strcasecmp(size->text, bin) != 0)
		return reference_bad_cell(r, size,
		    "is not the range that holds the mean size; ranges are (0, "
		    "1KB], (1KB, 1MB], (1MB, 10MB], each 10MB up to 100MB, "
		    "each 50MB up to 1000MB, >1000MB");
	x->time_s = time_of_one(r, cells[RECORD_TOTAL], numbers[RECORD_TOTAL],
	    cells[RECORD_MEAN], 1e-3 * numbers[RECORD_MEAN], (double)x->count);
	return 0;
}

/* Convert the rows to collectives of the case named by header lines. */
static int
read_sizes(struct reference_reader *r, const struct published_table *t,
    const struct record_column *columns)
{
	struct reference_value *v = new_record(r, t->rows[0].line, 0);
	struct result_run *run;

	if (v == NULL)
		return -1;
	reference_set_topology(r, &v->c, r->case_nodes, r->case_gpus);
	v->batch = r->batch;
	r->n++;
	run = &v->c.runs[0];
	run->times.real_s = r->real_s;
	if (r->steps != RESULT_UNKNOWN)
		run->phases.step_s = r->real_s / (double)r->steps;
	run->collectives =
	    arena_calloc(r->arena, t->n_rows, sizeof *run->collectives);
	run->n_collectives = t->n_rows;
	for (size_t i = 0; i < t->n_rows; i++)
		if (reference_check_length(r, t, &t->rows[i]) != 0 ||
		    read_size(r, &t->rows[i], columns, t->n_columns,
			&run->collectives[i]) != 0)
			return -1;
	return 0;
}

int
reference_read_records(
    struct reference_reader *r, const struct published_table *t)
{
	struct record_column columns[PUBLISHED_MAX_COLUMNS];

	r->metric = "throughput";
	if (read_heads(r, t, columns) != 0)
		return -1;
	if (r->rows == ROWS_SIZES)
		return t->n_rows > 0 ? read_sizes(r, t, columns) : 0;
	for (size_t i = 0; i < t->n_rows; i++)
		if (reference_check_length(r, t, &t->rows[i]) != 0 ||
		    read_case(r, &t->rows[i], columns, t->n_columns) != 0)
			return -1;
	return 0;
}
