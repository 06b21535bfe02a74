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

enum {
	MAX_REMARKS = 200,
	MAX_QUOTED = 80,   /* bytes of text quoted in messages */
	MAX_REPEATS = 1000 /* numbered rows */
};

/* --- messages ------------------------------------------------------------- */

/* Add a remark about a document's cell: "file:line:col: text". */
static void
add_remark(struct reference_reader *r, long line, long col, const char *text)
{
	if (r->out->n_remarks == MAX_REMARKS)
		return;
	result_file_remark(r->out,
	    col > 0 ? arena_printf(r->arena, "%s:%ld:%ld: %.511s", r->name,
			  line, col, text)
		    : arena_printf(
			  r->arena, "%s:%ld: %.511s", r->name, line, text));
}

/* Find a line of a reference value file by number. */
static struct text_span
find_line(const struct reference_reader *r, long line)
{
	struct text_span l = text_line(r->text, r->end);

	while (--line > 0)
		l = text_line_after(l, r->end);
	return l;
}

int
reference_mistake(struct reference_reader *r, long line, long col,
    const char *text, const char *what)
{
	struct text_span l;

	if (text != NULL)
		what =
		    arena_printf(r->arena, "'%.*s' %s", MAX_QUOTED, text, what);
	if (r->text == NULL) {
		add_remark(r, line, col, what);
		return 0;
	}
	if (r->failed)
		return 0;
	r->failed = 1;
	error_at(r->e, ERROR_INPUT, r->name, line, col, "%s", what);
	l = find_line(r, line);
	if (col > 0)
		error_caret(r->e, l.s, (size_t)(l.end - l.s), col);
	return 0;
}

static int
bad_cell(struct reference_reader *r, const struct published_cell *cell,
    const char *what)
{
	return reference_mistake(r, cell->line, cell->col, cell->text, what);
}

/* --- values --------------------------------------------------------------- */

const char *
reference_unit(const char *name)
{
	const struct published_unit *unit =
	    published_unit_find(name, strlen(name));

	if (strcmp(name, "s") != 0 && strcmp(name, "min") != 0 &&
	    (unit == NULL || unit->rate == NULL ||
		strcmp(name, unit->rate) != 0))
		return NULL;
	return unit->name;
}

/* Start a value with model, rule and labels of the header lines. The caller
 * must increment r->n to keep it. Beyond the limit the last one is
 * replaced. */
static struct reference_value *
new_value(struct reference_reader *r, long line, long col)
{
	struct reference_value *v;

	if (r->n == REFERENCE_VALUES_MAX_CASES) {
		if (!r->failed)
			error_at(r->e, ERROR_LIMIT, r->name, line, col,
			    "too many reference values");
		r->failed = 1;
		r->n--;
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

/* Add a label, unless there are REFERENCE_MAX_LABELS.
 *
 * key    copied
 * value  borrowed */
static void
add_label(struct reference_reader *r, struct result_case *c, const char *key,
    const char *value)
{
	if (c->n_labels == REFERENCE_MAX_LABELS)
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
	struct result_file *s = r->out;

	if (value + half >= low && value - half <= high)
		return;
	s->doubts =
	    arena_grow(r->arena, s->doubts, s->n_doubts, sizeof *s->doubts);
	s->doubts[s->n_doubts++] =
	    (struct published_doubt){ r->n - 1, what, written, from, gives };
}

/* Require that a row has as many cells as the head, except in documents, that
 * its counts are valid, and that its GPUs are stated if it has values. Returns
 * 1, or 0 to skip it. */
static int
check_row(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, int has_values)
{
	struct text_span l;

	if (r->text != NULL && row->extra_col > 0)
		return reference_mistake(r, row->line, row->extra_col, NULL,
		    "a cell too many for the table's header");
	if (r->text != NULL && row->n_cells < t->n_columns) {
		l = find_line(r, row->line);
		while (l.end[-1] != '|') /* every row ends with '|' */
			l.end--;
		return reference_mistake(r, row->line, (long)(l.end - l.s),
		    NULL, "a cell too few for the table's header");
	}
	if (r->rows == ROWS_SIZES)
		return 1;
	if (row->problem != REMARK_NONE)
		return bad_cell(r, row->problem_cell,
		    remark_rows[row->problem].texts[LANGUAGE_EN]);
	if (row->gpus == PUBLISHED_UNKNOWN && has_values)
		reference_mistake(r, row->line, 0, NULL,
		    "a row whose number of GPUs is not stated");
	return row->gpus != PUBLISHED_UNKNOWN;
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

/* --- topologies ----------------------------------------------------------- */

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
	return REFERENCE_UNIT;
}

/* Check the heads of a table of topologies, and that all tables have one
 * metric: the unit of guessed columns decides between speeds and times. Returns
 * 1, or 0 to skip the table. */
static int
check_columns(struct reference_reader *r, const struct published_table *t,
    enum published_role role)
{
	const long col = t->columns[0].col > 0 ? r->table_col : 0;

	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_column *c = &t->columns[i];

		if (c->head[0] == '\0' && r->text != NULL)
			return reference_mistake(r, c->line, c->col, NULL,
			    "a column without a name");
		if (!is_there_twice(t, i))
			continue;
		reference_mistake(
		    r, c->line, c->col, c->head, "is there twice");
		break;
	}
	if (!published_has_cases(t))
		return r->text != NULL &&
		    reference_mistake(r, t->line, col, NULL,
			"a table needs a column 'nodes' and a column 'GPUs', "
			"or one of cases such as 4n8g");
	if (role > PUBLISHED_DURATION)
		return r->text != NULL &&
		    reference_mistake(r, t->line, col, NULL,
			"a table needs a column of speeds or times, or one for "
			"each framework");
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
	return !r->failed;
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
			add_remark(r, t->line, 0,
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
		add_remark(r, t->line, 0,
		    arena_printf(r->arena, "not read as speeds: %s%s", sb.buf,
			sb.full ? " ..." : ""));
	strbuf_release(&sb);
}

/* Why the cell of a column of speeds or times is invalid, or NULL. */
static const char *
value_problem(enum published_role role, const struct published_cell *cell,
    const struct published_unit *unit)
{
	const double value = cell->number.value;

	if (cell->kind != PUBLISHED_NUMBER || !(value > 0))
		return "is neither a number above 0 nor a word such as OOM, "
		       "TODO or n/a";
	if (fabs(log10(value)) > log10(RESULT_NUMBER_MAX))
		return "is beyond what a program could measure";
	if (role != PUBLISHED_RATE)
		return unit != NULL
		    ? NULL
		    : "is a time without a unit; name it in the header, as in "
		      "'latency (ms)'";
	return unit == NULL || unit->measure == PUBLISHED_PER_SECOND
	    ? NULL
	    : "is no speed";
}

/* Read a number above 0, or a word, and its text in the unit of the result:
 * "128.4" in ms becomes 0.1284. Words are kept, but nan and inf become "n/a".
 * Returns 1, or 0 to skip the cell. */
static int
read_value(struct reference_reader *r, const struct published_column *column,
    const struct published_cell *cell, struct reference_value *v)
{
	const struct published_unit *unit =
	    cell->unit != NULL ? cell->unit : column->unit;
	const double base = column->role == PUBLISHED_DURATION ? 60 : 1;
	const double scale = unit != NULL ? unit->scale / base : 1;
	const char *problem = value_problem(column->role, cell, unit);
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
	v->c.median_speed = cell->number.value / base;
	if (cell->number_len == 0)
		return 1;
	if (scale == 1)
		v->text = arena_strndup(r->arena, cell->text, cell->number_len);
	else if (scale < 1 && scale >= 1e-6 && base == 1)
		v->text = arena_printf(r->arena, "%.*f",
		    cell->number.decimals + (int)lround(-log10(scale)),
		    v->c.median_speed);
	else
		v->text = arena_printf(r->arena, "%.6g", v->c.median_speed);
	return 1;
}

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

static void
add_case(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, size_t column)
{
	const struct published_column *from = &t->columns[column];
	const struct published_cell *cell = &row->cells[column];
	struct reference_value *v = new_value(r, cell->line, cell->col);
	struct result_case *c = &v->c;
	long batch = published_batch_of(t, row, column);

	if (!read_value(r, from, cell, v))
		return;
	v->column = column;
	v->cell = cell;
	v->row = row;
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
	if (batch == PUBLISHED_UNKNOWN && r->batch != RESULT_UNKNOWN &&
	    !from->batch_varies) {
		batch = r->strong ? r->batch / row->gpus : r->batch;
		if (r->strong && r->batch % row->gpus != 0)
			batch = RESULT_UNKNOWN;
	}
	if (t->strong && !r->strong)
		batch = RESULT_UNKNOWN;
	c->batch_size_per_device = batch;
	v->batch = batch;
	if (r->strong)
		v->batch = row->global_batch != PUBLISHED_UNKNOWN
		    ? row->global_batch
		    : 0;
	set_topology(r, c, row->nodes, row->gpus);
	r->n++;
}

/* Read the rows of a table of speeds or times by GPUs: its rates, else step
 * times, else durations. Other tables of a document are skipped. */
static void
read_topologies(struct reference_reader *r, const struct published_table *t)
{
	enum published_role role = PUBLISHED_RATE;

	while (role <= PUBLISHED_DURATION && !published_has(t, role))
		role++;
	if (!check_columns(r, t, role))
		return;
	add_remarks(r, t, role);
	for (size_t i = 0; i < t->n_rows && !r->failed; i++) {
		const struct published_row *row = &t->rows[i];
		int has_values = 0;

		for (size_t k = 0; k < t->n_columns; k++)
			has_values |= t->columns[k].role == role &&
			    row->cells[k].kind != PUBLISHED_EMPTY;
		if (!check_row(r, t, row, has_values))
			continue;
		for (size_t k = 0; k < t->n_columns; k++)
			if (t->columns[k].role == role)
				add_case(r, t, row, k);
	}
}

/* --- cases and sizes ------------------------------------------------------ */

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

/* Returns 1, or 0 after a mistake.
 *
 * kinds  [t->n_columns] to be filled */
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
	return missing == NULL ||
	    reference_mistake(r, t->line, r->table_col, NULL, missing);
}

/* Append a value with one run, whose topology is given, and at most n_cells
 * quantities. */
static struct reference_value *
new_record(struct reference_reader *r, long line, size_t n_cells)
{
	struct reference_value *v = new_value(r, line, 0);

	v->c.precision = r->precision;
	v->batch = r->batch;
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

static void
read_quantity(struct reference_reader *r, struct reference_value *v,
    enum quantity q, const struct published_cell *cell)
{
	const struct quantity_row *row = &quantity_rows[q];
	const char *s = arena_strdup(r->arena, cell->text);
	struct published_cell own;
	double x;

	if (s[0] == '\0' || strcmp(s, "-") == 0)
		return;
	v->written.items[v->written.n++] = (struct result_pair){ row->head, s };
	if (q == QUANTITY_REAL)
		v->real = s;
	if (q == QUANTITY_STEP)
		v->step = s;
	if (isalpha((unsigned char)s[0]))
		return; /* OOM, TODO */
	published_quantity_read(s, '.', NULL, &own);
	x = own.number.value / 8e9;
	if (row->is_rate &&
	    (own.kind != PUBLISHED_NUMBER || own.unit == NULL ||
		own.unit->measure != PUBLISHED_BITS_PER_SECOND))
		bad_cell(r, cell, "is not a bit rate such as 2.61Gb/s");
	if (!row->is_rate && duration_parse(s, strlen(s), &x) != UNITS_OK)
		bad_cell(r, cell, "is not a time such as 2m53.341s or 128.4ms");
	memcpy((char *)&v->c.runs[0] + row->offset, &x, sizeof x);
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

static void
read_case(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, const int *kinds)
{
	struct reference_value *v = new_record(r, row->line, t->n_columns);

	if (!check_row(r, t, row, 1))
		return;
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_column *column = &t->columns[i];
		const struct published_cell *cell = &row->cells[i];

		if (kinds[i] == RECORD_RATE) {
			v->c.unit = reference_unit(column->head);
			read_value(r, column, cell, v);
		} else if (cell->text[0] != '\0' && kinds[i] == RECORD_LABEL) {
			add_label(r, &v->c, column->head + strlen(label_mark),
			    arena_strdup(r->arena, cell->text));
		} else if (kinds[i] >= RECORD_QUANTITY) {
			read_quantity(r, v,
			    (enum quantity)(kinds[i] - RECORD_QUANTITY), cell);
		}
	}
	if (published_has(t, PUBLISHED_BATCH))
		v->batch = row->batch;
	v->c.batch_size_per_device = v->batch;
	set_topology(r, &v->c, row->nodes, row->gpus);
	r->n++;
	if (!r->failed)
		derive(r, v);
	v->c.runs[0].value = v->c.median_speed;
}

/* Read the collectives of one size.
 *
 * kinds  [n] of the columns */
static void
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
			numbers[kind] < 0)) {
			bad_cell(r, cell, "is not a number");
			return;
		}
	}
	if (!(numbers[RECORD_COUNT] >= 1 && numbers[RECORD_COUNT] < 1e15)) {
		reference_mistake(r, row->line, 0, NULL, "a count below 1");
		return;
	}
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
		bad_cell(r, size,
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
		return;
	of_total = half_unit(total->text) / numbers[RECORD_TOTAL];
	of_mean = 1e-3 * half_unit(mean->text) / mean_s;
	check_written(r, MESSAGE_TOTAL_TRAINING,
	    arena_strdup(r->arena, total->text), numbers[RECORD_TOTAL],
	    count * mean_s * (1 - of_mean), count * mean_s * (1 + of_mean),
	    arena_printf(r->arena, "%.0f × %s ms", count, mean->text),
	    arena_printf(r->arena, "%.2f s", count * mean_s));
	if (of_mean <= of_total)
		x->time_s = mean_s;
}

/* Read a table of cases, or one of sizes as collectives of the case named by
 * header lines. */
static void
read_records(struct reference_reader *r, const struct published_table *t)
{
	int kinds[PUBLISHED_MAX_COLUMNS];
	struct reference_value *v;
	struct result_run *run;

	r->metric = "throughput";
	if (!read_heads(r, t, kinds))
		return;
	for (size_t i = 0; r->rows == ROWS_CASES && i < t->n_rows && !r->failed;
	     i++)
		read_case(r, t, &t->rows[i], kinds);
	if (r->rows == ROWS_CASES || t->n_rows == 0)
		return;
	v = new_record(r, t->rows[0].line, 0);
	set_topology(r, &v->c, r->case_nodes, r->case_gpus);
	r->n++;
	run = &v->c.runs[0];
	run->times.real_s = r->real_s;
	if (r->steps != RESULT_UNKNOWN)
		run->phases.step_s = r->real_s / (double)r->steps;
	run->collectives =
	    arena_calloc(r->arena, t->n_rows, sizeof *run->collectives);
	run->n_collectives = t->n_rows;
	for (size_t i = 0; i < t->n_rows && !r->failed; i++)
		if (check_row(r, t, &t->rows[i], 0))
			read_size(r, &t->rows[i], kinds, t->n_columns,
			    &run->collectives[i]);
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
		add_remark(r, cell->line, cell->col,
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

void
reference_add_table(struct reference_reader *r, const struct published_table *t)
{
	const size_t from = r->n;
	struct reference_value **list;
	size_t n, named = from;

	if (r->rows == ROWS_TOPOLOGIES)
		read_topologies(r, t);
	else
		read_records(r, t);
	n = r->n - from;
	while (r->baseline != NULL && named < r->n &&
	    strcmp(r->values[named].c.name, r->baseline) != 0)
		named++;
	if (r->failed || (n == 0 && r->text == NULL))
		return;
	if (n == 0)
		error_at(r->e, ERROR_EMPTY, r->name, r->line, 0,
		    "the table before has no rows");
	else if (named == r->n)
		error_at(r->e, ERROR_INPUT, r->name, r->baseline_line, 0,
		    "baseline '%s' is not a row of the table before line %ld",
		    r->baseline, r->line);
	r->failed = named == r->n;
	if (r->failed)
		return;
	list = arena_calloc(r->arena, n, sizeof *list);
	for (size_t i = 0; i < n; i++)
		list[i] = &r->values[from + i];
	qsort(list, n, sizeof *list, compare_values);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && compare_series(list[k], list[i]) == 0;)
			k++;
		finish_series(r, t, list + i, k - i);
	}
}
