/* Tables of reference values whose rows are cases, with a column for each
 * quantity (times of the program, phases of a step, rates), or collectives of
 * one case by size.  What a head means stands in doc/published.md and nothing
 * is guessed.  A number that is written and also follows from others of its row
 * is checked: a doubt for each that does not follow, within the rounding of the
 * digits that are there. */
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

enum record_kind {
	RECORD_NODES,
	RECORD_GPUS,
	RECORD_BATCH,
	RECORD_LABEL,
	RECORD_RATE, /* the speed */
	RECORD_QUANTITY,
	RECORD_SIZE, /* "(1MB, 10MB]" */
	RECORD_COUNT,
	RECORD_MEAN_SIZE, /* MiB */
	RECORD_BANDWIDTH, /* Mibit/s */
	RECORD_TOTAL,     /* s */
	RECORD_MEAN       /* ms */
};

struct record_column {
	enum record_kind kind;
	const char *name; /* of a label; the unit of a rate; else NULL */
	enum quantity quantity;
};

/* --- heads ---------------------------------------------------------------- */

static const struct {
	const char *head;
	enum record_kind kind;
	enum reference_rows rows;
} heads[] = {
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

/* What a head means.  Returns 0, or -1 for none. */
static int
head_column(
    struct reference_reader *r, const char *head, struct record_column *c)
{
	static const char label[] = "label ";
	const size_t n = sizeof label - 1;

	*c = (struct record_column){ .quantity = N_QUANTITIES };
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		if (heads[i].rows == r->rows &&
		    strcasecmp(head, heads[i].head) == 0) {
			c->kind = heads[i].kind;
			return 0;
		}
	if (r->rows == ROWS_SIZES)
		return -1;
	if (strncmp(head, label, n) == 0 && head[n] != '\0') {
		c->kind = RECORD_LABEL;
		c->name = arena_strdup(r->arena, head + n);
		return 0;
	}
	c->name = reference_unit(head, strlen(head));
	if (c->name != NULL) {
		c->kind = RECORD_RATE;
		return 0;
	}
	c->quantity = quantity_find(head, strlen(head));
	c->kind = RECORD_QUANTITY;
	return c->quantity != N_QUANTITIES ? 0 : -1;
}

/* Number of columns of that kind, and of that name where it is a label. */
static int
count_kind(const struct record_column *columns, size_t n,
    const struct record_column *like)
{
	int count = 0;

	for (size_t i = 0; i < n; i++)
		count += columns[i].kind == like->kind &&
		    columns[i].quantity == like->quantity &&
		    (like->kind != RECORD_LABEL ||
			strcmp(columns[i].name, like->name) == 0);
	return count;
}

static int
has_kind(const struct record_column *columns, size_t n, enum record_kind kind)
{
	const struct record_column like = { .kind = kind,
		.quantity = N_QUANTITIES };

	return count_kind(columns, n, &like) > 0;
}

/* columns  [t->n_columns] to be filled */
static int
read_heads(struct reference_reader *r, const struct published_table *t,
    struct record_column *columns)
{
	const size_t n = t->n_columns;
	const char *missing = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct published_column *c = &t->columns[i];

		if (head_column(r, c->head, &columns[i]) != 0)
			return reference_mistake(r, c->line, c->col, c->head,
			    r->rows == ROWS_SIZES
				? "is no column of sizes: size, count, mean "
				  "MB, Mbps, total s or mean ms"
				: "is no column of cases: nodes, GPUs, batch, "
				  "'label NAME', a unit such as images/s, "
				  "real, user, sys, step, data, to device, "
				  "forward, loss, backward, update, allreduce, "
				  "exposed, receiving or sending");
		if (count_kind(columns, i, &columns[i]) > 0)
			return reference_mistake(
			    r, c->line, c->col, c->head, "is there twice");
	}
	if (r->rows == ROWS_SIZES && r->case_gpus == RESULT_UNKNOWN)
		missing = "a table of sizes needs a line 'case: 4n1g' before "
			  "it";
	else if (r->rows == ROWS_SIZES &&
	    !(has_kind(columns, n, RECORD_COUNT) &&
		has_kind(columns, n, RECORD_MEAN_SIZE) &&
		(has_kind(columns, n, RECORD_TOTAL) ||
		    has_kind(columns, n, RECORD_MEAN))))
		missing = "a table of sizes needs columns 'count', 'mean MB', "
			  "and 'total s' or 'mean ms'";
	else if (r->rows == ROWS_CASES &&
	    !(has_kind(columns, n, RECORD_NODES) &&
		has_kind(columns, n, RECORD_GPUS)))
		missing = "a table of cases needs columns 'nodes' and 'GPUs'";
	return missing == NULL
	    ? 0
	    : reference_mistake(r, t->line, r->table_col, NULL, missing);
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

/* Note a doubt if a number that was written and the interval that others of its
 * row allow do not meet. */
static void
check_written(struct reference_reader *r, enum message what,
    const char *written, double value, double low, double high,
    const char *from, const char *gives)
{
	const double half = half_unit(written);

	if (value + half * (1 + 1e-9) >= low &&
	    value - half * (1 + 1e-9) <= high)
		return;
	r->doubts = vec_grow(
	    r->doubts, r->n_doubts, &r->alloc_doubts, sizeof *r->doubts);
	r->doubts[r->n_doubts++] =
	    (struct published_doubt){ r->n - 1, what, written, from, gives };
}

/* --- cells of a case ------------------------------------------------------ */

/* Report a cell that is not what its column holds.  Returns -1. */
static int
bad_cell(struct reference_reader *r, const struct published_cell *cell,
    const char *what)
{
	return reference_mistake(r, cell->line, cell->col, cell->text, what);
}

static int
is_missing(const char *text)
{
	return text[0] == '\0' || strcmp(text, "-") == 0;
}

static const char *
written_find(const struct reference_value *v, const char *key)
{
	for (size_t i = 0; i < v->written.n; i++)
		if (strcmp(v->written.items[i].key, key) == 0)
			return v->written.items[i].value;
	return NULL;
}

static int
read_count(
    struct reference_reader *r, const struct published_cell *cell, long *out)
{
	if (whole_parse(cell->text, strlen(cell->text), 1, 100000000, out) !=
	    UNITS_OK)
		return bad_cell(r, cell, "is not a count");
	return 0;
}

/* A number above 0, or a word that stands for one: NAN. */
static int
read_speed(
    struct reference_reader *r, const struct published_cell *cell, double *out)
{
	const char *s = cell->text;

	*out = NAN;
	if (is_missing(s) || strcmp(s, "--") == 0 ||
	    isalpha((unsigned char)s[0]) || (s[0] & 0x80) != 0)
		return 0;
	if (number_scan(s, strlen(s), out) == strlen(s) && *out > 0)
		return 0;
	return bad_cell(r, cell,
	    "is neither a number above 0 nor a word such as OOM, TODO or n/a");
}

static int
read_quantity(struct reference_reader *r, struct reference_value *v,
    enum quantity q, const struct published_cell *cell)
{
	const struct quantity_row *row = &quantity_rows[q];
	const char *s = cell->text;
	double x;

	if (is_missing(s))
		return 0;
	v->written.items[v->written.n++] =
	    (struct result_pair){ row->head, arena_strdup(r->arena, s) };
	if (isalpha((unsigned char)s[0]))
		return 0; /* OOM, TODO */
	if (row->is_rate ? quantity_parse_bit_rate(s, strlen(s), &x) != 0
			 : duration_parse(s, strlen(s), &x) != UNITS_OK)
		return bad_cell(r, cell,
		    row->is_rate
			? "is not a bit rate such as 2.61Gb/s"
			: "is not a time such as 2m53.341s or 128.4ms");
	quantity_set(&v->c.runs[0], q, x);
	return 0;
}

static int
read_cell(struct reference_reader *r, struct reference_value *v,
    const struct record_column *column, const struct published_cell *cell)
{
	struct result_case *c = &v->c;

	switch (column->kind) {
	case RECORD_NODES:
		return read_count(r, cell, &c->nodes);
	case RECORD_GPUS:
		return read_count(r, cell, &c->gpus);
	case RECORD_BATCH:
		c->batch_size_per_device = RESULT_UNKNOWN;
		return is_missing(cell->text)
		    ? 0
		    : read_count(r, cell, &c->batch_size_per_device);
	case RECORD_LABEL:
		if (cell->text[0] == '\0')
			return 0;
		c->labels = reference_longer(
		    r, c->labels, c->n_labels, sizeof *c->labels);
		c->labels[c->n_labels++] = (struct result_pair){ column->name,
			arena_strdup(r->arena, cell->text) };
		return 0;
	case RECORD_RATE:
		c->unit = column->name;
		v->text = arena_strdup(r->arena, cell->text);
		return read_speed(r, cell, &c->median_speed);
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

/* A value with one run, or NULL with ERROR_LIMIT. */
static struct reference_value *
new_record(struct reference_reader *r, long line, size_t n_cells)
{
	struct reference_value *v = reference_new_value(r, line, 0);

	if (v == NULL)
		return NULL;
	v->c.precision = r->precision;
	v->c.batch_size_per_device = v->batch = r->batch;
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
	c->gpus_per_node = c->gpus / c->nodes;
	reference_name_case(r, c);
	v->batch = c->batch_size_per_device;
	r->n++;
	derive_speed(r, v);
	derive_step(r, v);
	c->runs[0].value = c->median_speed;
	return 0;
}

/* --- collectives by size -------------------------------------------------- */

/* The bin that "(1MB, 10MB]" names must hold the mean size. */
static int
check_size(
    struct reference_reader *r, const struct published_cell *cell, double bytes)
{
	char label[SIZE_LABEL_SIZE];

	size_bin_label(size_bin(bytes), ", ", label);
	if (cell == NULL || strcasecmp(cell->text, label) == 0)
		return 0;
	return bad_cell(r, cell,
	    "is not the range that holds the mean size; ranges are (0, 1KB], "
	    "(1KB, 1MB], (1MB, 10MB], each 10MB up to 100MB, each 50MB up to "
	    "1000MB, >1000MB");
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
read_size(struct reference_reader *r, const struct published_row *row,
    const struct record_column *columns, size_t n, struct result_collective *x)
{
	/* By kind of column; NAN and NULL where there is none. */
	const struct published_cell *cells[RECORD_MEAN + 1] = { NULL };
	double numbers[RECORD_MEAN + 1];
	const char *total, *mean;

	*x = (struct result_collective){ .kind = "by-size",
		.algorithm_gb_per_s = NAN,
		.bus_gb_per_s = NAN,
		.line = row->line,
		.test = RESULT_UNKNOWN };
	for (int k = 0; k <= RECORD_MEAN; k++)
		numbers[k] = NAN;
	for (size_t i = 0; i < n; i++) {
		const struct published_cell *cell = &row->cells[i];
		const enum record_kind kind = columns[i].kind;
		const size_t len = strlen(cell->text);
		double *to = &numbers[kind];

		cells[kind] = cell;
		if (kind != RECORD_SIZE &&
		    (len == 0 || number_scan(cell->text, len, to) != len ||
			*to < 0))
			return bad_cell(r, cell, "is not a number");
	}
	x->bus_gb_per_s = numbers[RECORD_BANDWIDTH] * MIB / 8e9;
	x->bytes = numbers[RECORD_MEAN_SIZE] * MIB;
	if (!(numbers[RECORD_COUNT] >= 1 && numbers[RECORD_COUNT] < 1e15))
		return reference_mistake(
		    r, row->line, 0, NULL, "a count below 1");
	x->count = (long)numbers[RECORD_COUNT];
	if (check_size(r, cells[RECORD_SIZE], x->bytes) != 0)
		return -1;
	total = cells[RECORD_TOTAL] != NULL
	    ? arena_strdup(r->arena, cells[RECORD_TOTAL]->text)
	    : NULL;
	mean = cells[RECORD_MEAN] != NULL
	    ? arena_strdup(r->arena, cells[RECORD_MEAN]->text)
	    : NULL;
	x->time_s = time_of_one(r, total, numbers[RECORD_TOTAL], mean,
	    1e-3 * numbers[RECORD_MEAN], (double)x->count);
	return 0;
}

/* Make the rows collectives of the case that the header lines name. */
static int
read_sizes(struct reference_reader *r, const struct published_table *t,
    const struct record_column *columns)
{
	struct reference_value *v = new_record(r, t->rows[0].line, 0);
	struct result_run *run;

	if (v == NULL)
		return -1;
	v->c.nodes = r->case_nodes;
	v->c.gpus = r->case_gpus;
	v->c.gpus_per_node = r->case_gpus / r->case_nodes;
	reference_name_case(r, &v->c);
	r->n++;
	run = &v->c.runs[0];
	run->times.real_s = r->real_s;
	if (r->steps != RESULT_UNKNOWN)
		run->phases.step_s = r->real_s / (double)r->steps;
	run->collectives =
	    arena_calloc(r->arena, t->n_rows, sizeof *run->collectives);
	for (size_t i = 0; i < t->n_rows; i++) {
		if (reference_check_length(r, t, &t->rows[i]) != 0 ||
		    read_size(r, &t->rows[i], columns, t->n_columns,
			&run->collectives[i]) != 0)
			return -1;
		run->n_collectives++;
	}
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
