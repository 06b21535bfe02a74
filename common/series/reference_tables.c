/* Conversion of published tables to the cases of a result. A mistake is an
 * error in a reference value file, a remark in a document.
 *
 * A table of topologies has a case for each speed or time of each row. In
 * tables of cases each row is a case, with one column per quantity; in tables
 * of sizes each row sums up the collectives of one size. Numbers that others of
 * their row imply are checked: contradictions beyond the rounding of the
 * printed digits are recorded as doubts. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/result/collective_groups.h"
#include "common/result/result.h"
#include "common/series/reference_reader.h"
#include "common/series/series.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "common/units/units.h"

enum { MAX_REPEATS = 1000 /* numbered rows */ };

static int
bad_cell(struct reference_reader *r, const struct published_cell *cell,
    const char *what)
{
	return reference_mistake(r, cell->line, cell->col, cell->text, what);
}

/* --- values --------------------------------------------------------------- */

/* Append a value with model, rule and labels of the header lines. The caller
 * must increment r->n to keep it. Returns NULL with ERROR_LIMIT. */
static struct reference_value *
new_value(struct reference_reader *r, long line, long col)
{
	struct reference_value *v;

	if (r->n == REFERENCE_VALUES_MAX_CASES) {
		error_at(r->e, ERROR_LIMIT, r->name, line, col,
		    "too many reference values");
		return NULL;
	}
	r->values = vec_grow(r->values, r->n, &r->alloc, sizeof *r->values);
	v = &r->values[r->n];
	*v = (struct reference_value){ .text = "", .line = line };
	result_case_init(&v->c);
	v->c.model = r->model;
	v->c.rule = r->rule;
	v->c.labels = r->labels;
	v->c.n_labels = r->n_labels;
	return v;
}

/* Add a label, unless there are REFERENCE_VALUES_MAX_LABELS.
 *
 * key    copied
 * value  borrowed */
static void
add_label(struct reference_reader *r, struct result_case *c, const char *key,
    const char *value)
{
	if (c->n_labels == REFERENCE_VALUES_MAX_LABELS)
		return;
	c->labels =
	    arena_longer(r->arena, c->labels, c->n_labels, sizeof *c->labels);
	c->labels[c->n_labels++] =
	    (struct result_pair){ arena_strdup(r->arena, key), value };
}

/* Set nodes (or RESULT_UNKNOWN), GPUs of all nodes, and name of a case. */
static void
set_topology(
    struct reference_reader *r, struct result_case *c, long nodes, long gpus)
{
	c->nodes = nodes;
	c->gpus = gpus;
	if (nodes == RESULT_UNKNOWN) {
		c->name = arena_printf(r->arena, "%ldg", gpus);
		return;
	}
	c->gpus_per_node = gpus / nodes;
	c->name = arena_printf(r->arena, "%ldn%ldg", nodes, c->gpus_per_node);
}

/* --- columns of topologies ------------------------------------------------ */

/* The unit of a column in the result. */
static const char *
unit_of(const struct reference_reader *r, const struct published_column *c,
    const struct published_table *t)
{
	const struct published_unit *unit = c->unit;

	if (unit == NULL && c->role == PUBLISHED_RATE)
		unit = t->unit;
	if (unit != NULL && unit->rate != NULL)
		return unit->rate;
	if (c->role == PUBLISHED_STEP_TIME)
		return "s";
	if (c->role == PUBLISHED_DURATION)
		return "min";
	if ((c->guessed && unit == NULL) ||
	    !work_kind_is_time(work_kind_of(r->unit)))
		return r->unit;
	return REFERENCE_VALUES_UNIT;
}

/* True if column i would result in the same cases as one before it. */
static int
is_there_twice(const struct published_table *t, size_t i)
{
	const struct published_column *b = &t->columns[i], *a = t->columns;

	if (b->role == PUBLISHED_OTHER || b->role == PUBLISHED_ASIDE ||
	    b->role == PUBLISHED_LABEL)
		return 0;
	for (; a < b; a++)
		if (a->role == b->role &&
		    (a->role < PUBLISHED_RATE ||
			(published_is_speed(a->role) &&
			    text_same(a->framework, b->framework) &&
			    text_same(a->precision, b->precision) &&
			    a->batch == b->batch &&
			    text_same(a->head, b->head))))
			return 1;
	return 0;
}

static int
check_heads(struct reference_reader *r, const struct published_table *t)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_column *c = &t->columns[i];

		if (c->head[0] == '\0' && r->text != NULL)
			return reference_mistake(r, c->line, c->col, NULL,
			    "a column without a name");
		if (is_there_twice(t, i))
			return reference_mistake(
			    r, c->line, c->col, c->head, "is there twice");
	}
	return 0;
}

/* Require that all tables have one metric. The unit of guessed columns decides
 * between speeds and times. Returns 1; 0 to skip a document's table of another
 * metric; -1. */
static int
check_metric(struct reference_reader *r, const struct published_table *t,
    enum published_role role)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_column *c = &t->columns[i];
		const char *unit = unit_of(r, c, t);
		const char *metric = strcmp(unit, "s") == 0 ? "step-time"
		    : strcmp(unit, "min") == 0              ? "time-to-train"
							    : "throughput";

		if (!published_is_speed(c->role) ||
		    (!c->guessed && c->role != role))
			continue;
		if (r->metric == NULL)
			r->metric = metric;
		if (strcmp(r->metric, metric) != 0)
			return reference_mistake(r, c->line, c->col, NULL,
			    r->text != NULL
				? "speeds and times in one file"
				: "a table of times after one of speeds is "
				  "passed over, or the other way round");
	}
	return 1;
}

/* Add the remarks of a table, and one with the columns of quantities that are
 * ignored. */
static void
add_remarks(struct reference_reader *r, const struct published_table *t,
    enum published_role role)
{
	struct strbuf sb = STRBUF_INIT(300);

	for (size_t i = 0; i < t->n_remarks; i++)
		if (r->text == NULL ||
		    t->remarks[i].code != REMARK_READ_AS_SPEEDS)
			reference_remark(r, t->line, 0,
			    remark_text(&t->remarks[i], LANGUAGE_EN, r->arena));
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_column *c = &t->columns[i];
		const int is_read = c->role >= PUBLISHED_RATE
		    ? c->role == role || c->role == PUBLISHED_SPEEDUP
		    : c->role != PUBLISHED_OTHER && c->role != PUBLISHED_ASIDE;

		if (!is_read && c->head[0] != '\0')
			strbuf_printf(
			    &sb, "%s'%s'", sb.len > 0 ? ", " : "", c->head);
	}
	if (sb.len > 0)
		reference_remark(r, t->line, 0,
		    arena_printf(r->arena, "not read as speeds: %s%s", sb.buf,
			sb.full ? " ..." : ""));
	strbuf_release(&sb);
}

/* --- cases of topologies -------------------------------------------------- */

/* Set framework, model, precision and labels from words of the row. */
static void
fill_words(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, struct result_case *c)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_column *from = &t->columns[i];
		const char *text = arena_strdup(r->arena, row->cells[i].text);
		const long all = row->global_batch;

		if (text[0] == '\0')
			continue;
		if (from->role == PUBLISHED_FRAMEWORK && c->framework == NULL)
			c->framework = text;
		else if (from->role == PUBLISHED_MODEL)
			c->model = text;
		else if (from->role == PUBLISHED_PRECISION &&
		    c->precision == NULL)
			c->precision = text;
		else if (from->role == PUBLISHED_LABEL ||
		    (from->role == PUBLISHED_GLOBAL_BATCH &&
			(all == PUBLISHED_UNKNOWN || all % row->gpus != 0 ||
			    (t->strong && !r->strong))))
			add_label(r, c, from->head, text);
		else if (from->role == PUBLISHED_GLOBAL_BATCH &&
		    all / row->gpus != row->batch && !r->strong)
			/* A step has several batches per device. */
			add_label(r, c,
			    arena_printf(r->arena, "%s / GPUs", from->head),
			    arena_printf(r->arena, "%ld", all / row->gpus));
	}
	if (row->label != NULL)
		add_label(r, c, "case", arena_strdup(r->arena, row->label));
	if (r->table_label != NULL)
		add_label(r, c, "table", r->table_label);
}

/* Why the cell of a column of speeds or times is invalid, or NULL. */
static const char *
value_problem(const struct published_column *column,
    const struct published_cell *cell, const struct published_unit *unit)
{
	const double value = cell->number.value;
	const int is_rate = column->role == PUBLISHED_RATE;

	if (cell->kind != PUBLISHED_NUMBER || !(value > 0))
		return "is neither a number above 0 nor a word such as OOM, "
		       "TODO or n/a";
	if (fabs(log10(value)) > log10(RESULT_NUMBER_MAX))
		return "is beyond what a program could measure";
	if (!is_rate && unit == NULL)
		return "is a time without a unit; name it in the header, as in "
		       "'latency (ms)'";
	if (is_rate && unit != NULL && unit->measure != PUBLISHED_PER_SECOND)
		return "is no speed";
	return NULL;
}

/* Read a number above 0, or a word, and its text in the unit of the result:
 * "128.4" in ms becomes 0.1284. Words are kept, but nan and inf become "n/a".
 * Returns 1; 0 to skip a document's cell; -1. */
static int
read_value(struct reference_reader *r, const struct published_column *column,
    const struct published_cell *cell, struct reference_value *v)
{
	const struct published_unit *unit =
	    cell->unit != NULL ? cell->unit : column->unit;
	const double base = column->role == PUBLISHED_DURATION ? 60 : 1;
	const double scale = unit != NULL ? unit->scale / base : 1;
	const char *problem = value_problem(column, cell, unit);
	const double value = cell->number.value / base;
	char *end;

	v->text = arena_strdup(r->arena, cell->text);
	/* A CSV reader would parse these words as numbers. */
	if (cell->kind == PUBLISHED_WORD &&
	    isfinite(strtod(cell->text, &end)) == 0 && *end == '\0')
		v->text = "n/a";
	if (cell->kind == PUBLISHED_EMPTY || cell->kind == PUBLISHED_WORD)
		return 1;
	if (problem != NULL)
		return bad_cell(r, cell, problem);
	v->c.median_speed = value;
	if (cell->number_len == 0)
		return 1;
	if (scale == 1)
		v->text = arena_strndup(r->arena, cell->text, cell->number_len);
	else if (scale < 1 && scale >= 1e-6 && base == 1)
		v->text = arena_printf(r->arena, "%.*f",
		    cell->number.decimals + (int)lround(-log10(scale)), value);
	else
		v->text = arena_printf(r->arena, "%.6g", value);
	return 1;
}

static int
add_case(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, size_t column)
{
	const struct published_column *from = &t->columns[column];
	const struct published_cell *cell = &row->cells[column];
	struct reference_value *v = new_value(r, cell->line, cell->col);
	struct result_case *c;
	int rc;

	if (v == NULL)
		return -1;
	rc = read_value(r, from, cell, v);
	if (rc != 1)
		return rc;
	v->column = column;
	v->cell = cell;
	v->row = row;
	c = &v->c;
	c->unit = unit_of(r, from, t);
	if (from->unit == NULL && cell->unit != NULL &&
	    cell->unit->rate != NULL)
		c->unit = cell->unit->rate;
	c->framework = arena_strdup(r->arena, from->framework);
	c->precision = from->precision;
	fill_words(r, t, row, c);
	if (c->precision == NULL)
		c->precision = r->text != NULL ? r->precision : t->precision;
	/* The batch per device, from the cell, its row, its head or the header
	 * lines. In a weak result it would split a series with strong scaling;
	 * a label for the global batch replaces it. */
	v->batch = published_batch_of(t, row, column);
	if (t->strong && !r->strong)
		v->batch = RESULT_UNKNOWN;
	else if (v->batch == PUBLISHED_UNKNOWN &&
	    (r->batch == RESULT_UNKNOWN || from->batch_varies ||
		(r->strong && r->batch % row->gpus != 0)))
		v->batch = RESULT_UNKNOWN;
	else if (v->batch == PUBLISHED_UNKNOWN)
		v->batch = r->strong ? r->batch / row->gpus : r->batch;
	c->batch_size_per_device = v->batch;
	if (r->strong)
		v->batch = row->global_batch != PUBLISHED_UNKNOWN
		    ? row->global_batch
		    : 0;
	set_topology(r, c, row->nodes, row->gpus);
	r->n++;
	return 0;
}

/* Require that a row is complete and its counts are valid, and that its GPUs
 * are stated if it has values. Returns 1; 0 to skip a document's row; -1. */
static int
check_row(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, int has_values)
{
	if (reference_check_length(r, t, row) != 0)
		return -1;
	if (row->problem != REMARK_NONE)
		return bad_cell(r, row->problem_cell,
		    remark_rows[row->problem].texts[LANGUAGE_EN]);
	if (row->gpus != PUBLISHED_UNKNOWN)
		return 1;
	return has_values ? reference_mistake(r, row->line, 0, NULL,
				"a row whose number of GPUs is not stated")
			  : 0;
}

/* Read the rows of a table of speeds or times by GPUs: its rates, else step
 * times, else durations. Other tables of a document are skipped. Returns 0 or
 * -1. */
static int
read_topologies(struct reference_reader *r, const struct published_table *t)
{
	const int has_cases = published_has_cases(t);
	enum published_role role = PUBLISHED_RATE;
	int rc;

	if (check_heads(r, t) != 0)
		return -1;
	while (role <= PUBLISHED_DURATION && !published_has(t, role))
		role++;
	if (!has_cases || role > PUBLISHED_DURATION)
		return r->text == NULL
		    ? 0
		    : reference_mistake(r, t->line,
			  t->columns[0].col > 0 ? r->table_col : 0, NULL,
			  has_cases
			      ? "a table needs a column of speeds or times, or "
				"one for each framework"
			      : "a table needs a column 'nodes' and a column "
				"'GPUs', or one of cases such as 4n8g");
	rc = check_metric(r, t, role);
	if (rc != 1)
		return rc;
	add_remarks(r, t, role);
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct published_row *row = &t->rows[i];
		int has_values = 0;

		for (size_t k = 0; k < t->n_columns; k++)
			has_values |= t->columns[k].role == role &&
			    row->cells[k].kind != PUBLISHED_EMPTY;
		rc = check_row(r, t, row, has_values);
		if (rc < 0)
			return -1;
		for (size_t k = 0; rc == 1 && k < t->n_columns; k++)
			if (t->columns[k].role == role &&
			    add_case(r, t, row, k) != 0)
				return -1;
	}
	return 0;
}

/* --- columns of cases and sizes ------------------------------------------- */

enum record_kind {
	RECORD_TOPOLOGY, /* nodes, GPUs, batch: read with the row */
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

static const char label_mark[] = "label ";

/* The kind of a column: enum record_kind, or RECORD_QUANTITY + quantity;
 * N_RECORDS for an unknown head. */
static int
kind_of(const struct reference_reader *r, const struct published_column *column)
{
	/* From RECORD_SIZE on. */
	static const char *const sizes[] = { "size", "count", "mean MB", "Mbps",
		"total s", "mean ms" };
	const char *head = column->head;
	const enum quantity q = quantity_find(head, strlen(head));

	if (r->rows == ROWS_SIZES) {
		for (int i = 0; i < RECORD_QUANTITY - RECORD_SIZE; i++)
			if (strcasecmp(head, sizes[i]) == 0)
				return RECORD_SIZE + i;
		return N_RECORDS;
	}
	if (strncmp(head, label_mark, strlen(label_mark)) == 0)
		return RECORD_LABEL;
	if (reference_unit(head) != NULL)
		return RECORD_RATE;
	return q == N_QUANTITIES && column->role >= PUBLISHED_NODES &&
		column->role <= PUBLISHED_BATCH
	    ? RECORD_TOPOLOGY
	    : RECORD_QUANTITY + (int)q;
}

/* kinds  [t->n_columns] to be filled */
static int
read_heads(
    struct reference_reader *r, const struct published_table *t, int *kinds)
{
	int has[N_RECORDS] = { 0 };
	const char *missing = NULL;

	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_column *c = &t->columns[i];
		const int kind = kind_of(r, c);
		int is_again;

		if (kind == N_RECORDS)
			return reference_mistake(r, c->line, c->col, c->head,
			    r->rows == ROWS_SIZES
				? "is not a column of sizes: size, count, mean "
				  "MB, Mbps, total s or mean ms"
				: "is no column of cases: nodes, GPUs, batch, "
				  "'label NAME', a unit such as images/s, "
				  "real, user, sys, step, data, to device, "
				  "forward, loss, backward, update, allreduce, "
				  "exposed, receiving or sending");
		is_again =
		    (has[kind] && kind > RECORD_LABEL) || is_there_twice(t, i);
		for (size_t k = 0; k < i; k++)
			is_again |= strcmp(t->columns[k].head, c->head) == 0;
		if (is_again)
			return reference_mistake(
			    r, c->line, c->col, c->head, "is there twice");
		kinds[i] = kind;
		has[kind] = 1;
	}
	if (r->rows == ROWS_CASES && !published_has_cases(t))
		missing = "a table of cases needs columns 'nodes' and 'GPUs'";
	if (r->rows == ROWS_SIZES &&
	    (!has[RECORD_COUNT] || !has[RECORD_MEAN_SIZE] ||
		(!has[RECORD_TOTAL] && !has[RECORD_MEAN])))
		missing = "a table of sizes needs columns 'count', 'mean MB', "
			  "and 'total s' or 'mean ms'";
	if (r->rows == ROWS_SIZES && r->case_gpus == RESULT_UNKNOWN)
		missing =
		    "a table of sizes needs a line 'case: 4n1g' before it";
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
	struct reference_value *v = new_value(r, line, 0);

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
read_quantity(struct reference_reader *r, struct reference_value *v,
    enum quantity q, const struct published_cell *cell)
{
	const struct quantity_row *row = &quantity_rows[q];
	const char *s = arena_strdup(r->arena, cell->text);
	struct published_cell own;
	double x;

	v->written.items[v->written.n++] = (struct result_pair){ row->head, s };
	if (q == QUANTITY_REAL)
		v->real = s;
	if (q == QUANTITY_STEP)
		v->step = s;
	if (isalpha((unsigned char)s[0]))
		return 0; /* OOM, TODO */
	published_quantity_read(s, '.', NULL, &own);
	x = own.number.value / 8e9;
	if (row->is_rate &&
	    (own.kind != PUBLISHED_NUMBER || own.unit == NULL ||
		own.unit->measure != PUBLISHED_BITS_PER_SECOND))
		return bad_cell(r, cell, "is not a bit rate such as 2.61Gb/s");
	if (!row->is_rate && duration_parse(s, strlen(s), &x) != UNITS_OK)
		return bad_cell(
		    r, cell, "is not a time such as 2m53.341s or 128.4ms");
	memcpy((char *)&v->c.runs[0] + row->offset, &x, sizeof x);
	return 0;
}

/* Compute missing speeds and step times from the time of the run, and check
 * printed ones. */
static void
derive(struct reference_reader *r, struct reference_value *v)
{
	struct result_run *run = &v->c.runs[0];
	const double s = run->times.real_s, samples = (double)r->samples,
		     n = (double)r->steps;
	char gives[UNITS_TEXT_SIZE];
	double half;

	if (!(s > 0))
		return;
	half = half_unit(v->real);
	if (r->samples != RESULT_UNKNOWN && isfinite(v->c.median_speed)) {
		check_written(r, MESSAGE_THROUGHPUT, v->text, v->c.median_speed,
		    samples / (s + half), samples / fmax(s - half, 1e-9),
		    arena_printf(r->arena, "%ld / %s", r->samples, v->real),
		    arena_printf(r->arena, "%.2f", samples / s));
	} else if (r->samples != RESULT_UNKNOWN && v->text[0] == '\0') {
		v->c.median_speed = samples / s;
		v->text = arena_printf(r->arena, "%.2f", samples / s);
	}
	if (r->steps != RESULT_UNKNOWN && isnan(run->phases.step_s)) {
		run->phases.step_s = s / n;
	} else if (r->steps != RESULT_UNKNOWN) {
		check_written(r, MESSAGE_MEAN_STEP, v->step, run->phases.step_s,
		    (s - half) / n, (s + half) / n,
		    arena_printf(r->arena, "%s / %ld", v->real, r->steps),
		    arena_printf(r->arena, "%s ms",
			number_format(gives, 1e3 * s / n, 5)));
	}
}

static int
read_case(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, const int *kinds)
{
	struct reference_value *v = new_record(r, row->line, t->n_columns);

	if (v == NULL || check_row(r, t, row, 1) != 1)
		return -1;
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_column *column = &t->columns[i];
		const struct published_cell *cell = &row->cells[i];

		if (kinds[i] == RECORD_RATE) {
			v->c.unit = reference_unit(column->head);
			if (read_value(r, column, cell, v) != 1)
				return -1;
		} else if (cell->text[0] != '\0' && kinds[i] == RECORD_LABEL) {
			add_label(r, &v->c, column->head + strlen(label_mark),
			    arena_strdup(r->arena, cell->text));
		} else if (cell->text[0] != '\0' &&
		    kinds[i] >= RECORD_QUANTITY &&
		    strcmp(cell->text, "-") != 0 &&
		    read_quantity(r, v,
			(enum quantity)(kinds[i] - RECORD_QUANTITY),
			cell) != 0) {
			return -1;
		}
	}
	if (published_has(t, PUBLISHED_BATCH))
		v->c.batch_size_per_device = row->batch;
	set_topology(r, &v->c, row->nodes, row->gpus);
	v->batch = v->c.batch_size_per_device;
	r->n++;
	derive(r, v);
	v->c.runs[0].value = v->c.median_speed;
	return 0;
}

/* --- collectives by size -------------------------------------------------- */

static int
read_size(struct reference_reader *r, const struct published_row *row,
    const int *kinds, size_t n, struct result_collective *x)
{
	/* By kind of column; NAN and NULL if missing. */
	const struct published_cell *cells[N_RECORDS] = { NULL };
	const struct published_cell *size, *total, *mean;
	double numbers[N_RECORDS], of_total, of_mean, count, mean_s;
	char bin[SIZE_LABEL_SIZE];

	for (int k = 0; k < N_RECORDS; k++)
		numbers[k] = NAN;
	for (size_t i = 0; i < n; i++) {
		const struct published_cell *cell = &row->cells[i];
		const int kind = kinds[i];
		const size_t len = strlen(cell->text);

		cells[kind] = cell;
		if (kind != RECORD_SIZE &&
		    (len == 0 ||
			number_scan(cell->text, len, &numbers[kind]) != len ||
			numbers[kind] < 0))
			return bad_cell(r, cell, "is not a number");
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
		.test = RESULT_UNKNOWN,
		.iterations = RESULT_ITERATIONS_UNKNOWN };
	size = cells[RECORD_SIZE];
	size_bin_label(size_bin(x->bytes), ", ", bin);
	if (size != NULL && strcasecmp(size->text, bin) != 0)
		return bad_cell(r, size,
		    "is not the range that holds the mean size; ranges are (0, "
		    "1KB], (1KB, 1MB], (1MB, 10MB], each 10MB up to 100MB, "
		    "each 50MB up to 1000MB, >1000MB");
	/* The time of one from total or mean, whichever has more digits; the
	 * other must agree within the digits of both. */
	total = cells[RECORD_TOTAL];
	mean = cells[RECORD_MEAN];
	count = (double)x->count;
	mean_s = 1e-3 * numbers[RECORD_MEAN];
	x->time_s = total == NULL ? mean_s : numbers[RECORD_TOTAL] / count;
	if (total == NULL || mean == NULL)
		return 0;
	of_total = half_unit(total->text) / numbers[RECORD_TOTAL];
	of_mean = 1e-3 * half_unit(mean->text) / mean_s;
	check_written(r, MESSAGE_TOTAL_TIME,
	    arena_strdup(r->arena, total->text), numbers[RECORD_TOTAL],
	    count * mean_s * (1 - of_mean), count * mean_s * (1 + of_mean),
	    arena_printf(r->arena, "%.0f × %s ms", count, mean->text),
	    arena_printf(r->arena, "%.2f s", count * mean_s));
	if (of_mean <= of_total)
		x->time_s = mean_s;
	return 0;
}

/* Convert the rows to collectives of the case named by header lines. */
static int
read_sizes(struct reference_reader *r, const struct published_table *t,
    const int *kinds)
{
	struct reference_value *v = new_record(r, t->rows[0].line, 0);
	struct result_run *run;

	if (v == NULL)
		return -1;
	set_topology(r, &v->c, r->case_nodes, r->case_gpus);
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
		    read_size(r, &t->rows[i], kinds, t->n_columns,
			&run->collectives[i]) != 0)
			return -1;
	return 0;
}

/* --- baselines ------------------------------------------------------------ */

/* Order values by column and by the configuration of a series. With strong
 * scaling the batch per device is ignored. */
static int
compare_series(const struct reference_value *x, const struct reference_value *y)
{
	int order = (x->column > y->column) - (x->column < y->column);

	if (order == 0)
		order = result_case_order(&x->c, &y->c);
	return order != 0 ? order
			  : (x->batch > y->batch) - (x->batch < y->batch);
}

static int
compare_values(const void *a, const void *b)
{
	const struct reference_value *x = *(struct reference_value *const *)a,
				     *y = *(struct reference_value *const *)b;
	const int order = compare_series(x, y);

	return order != 0 ? order : (x > y) - (x < y);
}

/* Add a remark if a printed speedup contradicts the values. */
static void
check_speedup(struct reference_reader *r, const struct published_table *t,
    const struct reference_value *v, const struct reference_value *base)
{
	/* Speedup is v / base for rates, base / v for times. */
	const int is_rate = t->columns[v->column].role == PUBLISHED_RATE;
	const struct published_number *over =
					  &(is_rate ? v : base)->cell->number,
				      *under =
					  &(is_rate ? base : v)->cell->number;
	size_t i = v->column + 1;
	const struct published_cell *cell;
	double low, high, scale;

	while (i < t->n_columns && t->columns[i].role != PUBLISHED_SPEEDUP &&
	    !published_is_speed(t->columns[i].role))
		i++;
	if (i == t->n_columns || t->columns[i].role != PUBLISHED_SPEEDUP ||
	    (base->c.gpus != 1 && v == base))
		return;
	cell = &v->row->cells[i];
	if (cell->kind != PUBLISHED_NUMBER || isnan(v->c.speedup))
		return;
	low = (over->value - over->half) / (under->value + under->half);
	high = (over->value + over->half) / (under->value - under->half);
	/* The work of a step may differ. */
	scale = v->c.speedup / (over->value / under->value);
	if (v == base)
		low = high = scale = 1;
	if (published_fits(&cell->number, t->columns[i].decimals, low * scale,
		high * scale) == PUBLISHED_DIFFERS)
		reference_remark(r, cell->line, cell->col,
		    arena_printf(r->arena,
			"speedup '%s' does not follow from the speeds: %.*f",
			cell->text, t->columns[i].decimals, v->c.speedup));
}

/* Compute the speedups of one series. Rows of the same case are distinguished
 * by a label; two in a reference value file may be a mistake and are left to be
 * refused as duplicates. */
static void
finish_series(struct reference_reader *r, const struct published_table *t,
    struct reference_value *const *list, size_t n)
{
	/* Their baseline: the case named by the baseline line, else 1n1g, else
	 * the first of the fewest GPUs. */
	const char *wanted = r->baseline != NULL ? r->baseline : "1n1g";
	const struct reference_value *base = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct result_case *c = &list[i]->c;

		if (isnan(c->median_speed))
			continue;
		if (strcmp(c->name, wanted) == 0) {
			base = list[i];
			break;
		}
		if (r->baseline == NULL &&
		    (base == NULL || c->gpus < base->c.gpus))
			base = list[i];
	}
	for (size_t i = 0; base != NULL && i < n; i++)
		if (case_speedup_over(
			&list[i]->c, &base->c, r->strong, DEFAULT_CONFIDENCE))
			list[i]->c.baseline_flag = r->baseline == NULL &&
			    strcmp(base->c.name, "1n1g") != 0;
	for (size_t i = 0; r->rows == ROWS_TOPOLOGIES && i < n; i++) {
		size_t same = 0, mine = 0;

		if (base != NULL)
			check_speedup(r, t, list[i], base);
		for (size_t k = 0; k < n && n <= MAX_REPEATS; k++)
			if (strcmp(list[k]->c.name, list[i]->c.name) == 0) {
				same++;
				mine += k < i;
			}
		if (same > (r->text != NULL ? 2 : 1))
			add_label(r, &list[i]->c, "row",
			    arena_printf(r->arena, "%zu", mine + 1));
	}
}

int
reference_add_table(struct reference_reader *r, const struct published_table *t)
{
	int kinds[PUBLISHED_MAX_COLUMNS], rc = 0;
	struct reference_value **list;
	size_t n, named;

	r->table_from = r->n;
	if (r->rows == ROWS_TOPOLOGIES) {
		rc = read_topologies(r, t);
	} else {
		r->metric = "throughput";
		rc = read_heads(r, t, kinds);
		if (rc == 0 && r->rows == ROWS_SIZES && t->n_rows > 0)
			rc = read_sizes(r, t, kinds);
		else
			for (size_t i = 0; rc == 0 && i < t->n_rows; i++)
				rc = read_case(r, t, &t->rows[i], kinds);
	}
	if (rc != 0)
		return -1;
	n = r->n - r->table_from;
	if (n == 0)
		return r->text == NULL
		    ? 0
		    : error_at(r->e, ERROR_EMPTY, r->name, r->line, 0,
			  "the table before has no rows");
	named = r->table_from;
	while (r->baseline != NULL && named < r->n &&
	    strcmp(r->values[named].c.name, r->baseline) != 0)
		named++;
	if (named == r->n)
		return error_at(r->e, ERROR_INPUT, r->name, r->baseline_line, 0,
		    "baseline '%s' is not a row of the table before line %ld",
		    r->baseline, r->line);
	list = xcalloc(n, sizeof *list);
	for (size_t i = 0; i < n; i++)
		list[i] = &r->values[r->table_from + i];
	qsort(list, n, sizeof *list, compare_values);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && compare_series(list[k], list[i]) == 0;)
			k++;
		finish_series(r, t, list + i, k - i);
	}
	free(list);
	return 0;
}
