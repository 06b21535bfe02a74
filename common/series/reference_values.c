/* Reference values: files of lines and tables, and published documents. A
 * mistake is an error in a file, a remark in a document.
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

#include "common/defaults.h"
#include "common/published/published.h"
#include "common/result/result.h"
#include "common/series/reference_header.h"
#include "common/series/result_set.h"
#include "common/series/series.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "common/units/units.h"

enum {
	MAX_REMARKS = 200,
	MAX_QUOTED = 80 /* bytes of text quoted in messages */
};

/* One value, which becomes an entry of cases, texts, lines and written. */
struct reference_value {
	struct result_case c;
	const char *text;
	long line;
	struct written_cells written;
	size_t column; /* index in its table */
	const struct published_row *row;
	long batch; /* that distinguishes its series; 0 for strong scaling */
};

struct reference_reader {
	const char *name;
	struct result_file *out;
	struct arena *arena; /* arena of out->result */
	struct error *e;
	int failed;             /* e is set */
	const char *text, *end; /* of a file; NULL: a document */
	long line;              /* current line */

	struct reference_header h;
	const char *table_label; /* distinguishes tables of a document */
	const char *metric;      /* of all tables; NULL before the first */

	struct reference_value *values;
	size_t n;
};

/* --- messages ------------------------------------------------------------- */

/* Add a remark about a document's cell: "file:line:col: text". */
static void
add_remark(struct reference_reader *r, long line, long col, const char *text)
{
	char place[50] = "";

	if (r->out->n_remarks == MAX_REMARKS)
		return;
	if (col > 0)
		snprintf(place, sizeof place, ":%ld", col);
	result_file_remark(r->out,
	    arena_printf(
		r->arena, "%s:%ld%s: %.511s", r->name, line, place, text));
}

/* Report a mistake: in a file an error with the line and a caret, in a document
 * a remark.
 *
 * col   from 1; 0: none
 * text  wrong text, or NULL
 *
 * Returns 0: what is wrong is skipped. */
static int
mistake(struct reference_reader *r, long line, long col, const char *text,
    const char *what)
{
	struct text_span l;

	if (text != NULL)
		what =
		    arena_printf(r->arena, "'%.*s' %s", MAX_QUOTED, text, what);
	if (r->text == NULL)
		add_remark(r, line, col, what);
	if (r->text == NULL || r->failed)
		return 0;
	r->failed = 1;
	error_at(r->e, ERROR_INPUT, r->name, line, col, "%s", what);
	l = text_line(r->text, r->end);
	while (--line > 0)
		l = text_line_after(l, r->end);
	if (col > 0)
		error_caret(r->e, l.s, (size_t)(l.end - l.s), col);
	return 0;
}

static int
bad_cell(struct reference_reader *r, const struct published_cell *cell,
    const char *what)
{
	return mistake(r, cell->line, cell->col, cell->text, what);
}

/* --- columns -------------------------------------------------------------- */

enum column_kind {
	COLUMN_IGNORED,
	COLUMN_WORDS,    /* counts, batches, names and labels of the row */
	COLUMN_VALUE,    /* the speed or time */
	COLUMN_QUANTITY, /* and the following: enum quantity */
};

static const char label_mark[] = "label ";

/* The kind of a column.
 *
 * role  of the values of topologies */
static int
kind_of(const struct reference_reader *r, const struct published_column *column,
    enum published_role role)
{
	const char *head = column->head;
	const enum quantity q = quantity_find(head, strlen(head));

	if (r->h.rows == ROWS_CASES && q < N_QUANTITIES)
		return COLUMN_QUANTITY + (int)q;
	if (r->h.rows == ROWS_CASES ? reference_unit(head) != NULL
				    : column->role == role)
		return COLUMN_VALUE;
	return column->role == PUBLISHED_SPEEDUP ||
		(column->role >= PUBLISHED_NODES &&
		    column->role <= PUBLISHED_LABEL) ||
		strncmp(head, label_mark, strlen(label_mark)) == 0
	    ? COLUMN_WORDS
	    : COLUMN_IGNORED;
}

/* The unit of a column of values in the result. */
static const char *
unit_of(const struct reference_reader *r, const struct published_column *c,
    const struct published_table *t)
{
	const struct published_unit *unit = c->unit;

	if (r->h.rows == ROWS_CASES)
		return reference_unit(c->head);
	if (unit == NULL && c->role == PUBLISHED_RATE)
		unit = t->unit;
	if (unit != NULL && unit->rate != NULL)
		return unit->rate;
	if (c->role == PUBLISHED_STEP_TIME)
		return "s";
	if (c->role == PUBLISHED_DURATION)
		return "min";
	if ((c->guessed && unit == NULL) ||
	    !work_kind_is_time(work_kind_of(r->h.unit)))
		return r->h.unit;
	return REFERENCE_UNIT;
}

/* Add the remarks of a table, and one with the columns that are ignored. */
static void
add_remarks(struct reference_reader *r, const struct published_table *t,
    const int *kinds)
{
	struct strbuf sb = STRBUF_INIT(300);

	for (size_t i = 0; i < t->n_remarks; i++)
		if (r->text == NULL ||
		    t->remarks[i].code != REMARK_READ_AS_SPEEDS)
			add_remark(r, t->line, 0,
			    remark_text(&t->remarks[i], LANGUAGE_EN, r->arena));
	for (size_t i = 0; i < t->n_columns; i++)
		if (kinds[i] == COLUMN_IGNORED && t->columns[i].head[0] != '\0')
			strbuf_printf(&sb, "%s'%s'", sb.len > 0 ? ", " : "",
			    t->columns[i].head);
	if (sb.len > 0)
		add_remark(r, t->line, 0,
		    arena_printf(r->arena, "not read as speeds: %s%s", sb.buf,
			sb.full ? " ..." : ""));
	strbuf_release(&sb);
}

/* Returns 1, or 0 to skip the table.
 *
 * kinds  [t->n_columns] to be filled */
static int
read_heads(
    struct reference_reader *r, const struct published_table *t, int *kinds)
{
	enum published_role role = PUBLISHED_RATE;
	const char *unit, *metric;

	/* Values are rates, else step times, else durations. */
	while (role <= PUBLISHED_DURATION && !published_has(t, role))
		role++;
	if (!published_has_cases(t) ||
	    (r->h.rows == ROWS_TOPOLOGIES && role > PUBLISHED_DURATION))
		return r->text != NULL &&
		    mistake(r, t->line, 1, NULL,
			"a table needs columns of nodes and GPUs, or one of "
			"cases such as 4n8g, and one of speeds or times");
	for (size_t i = 0; i < t->n_columns && !r->failed; i++) {
		const struct published_column *c = &t->columns[i];

		kinds[i] = kind_of(r, c, role);
		if (c->head[0] == '\0' && r->text != NULL)
			mistake(r, c->line, c->col, NULL,
			    "a column without a name");
		if (kinds[i] != COLUMN_VALUE)
			continue;
		unit = unit_of(r, c, t);
		metric = strcmp(unit, "s") == 0 ? "step-time"
		    : strcmp(unit, "min") == 0  ? "time-to-train"
						: "throughput";
		if (r->metric == NULL)
			r->metric = metric;
		if (strcmp(r->metric, metric) != 0)
			return mistake(r, c->line, c->col, NULL,
			    "speeds and times are not read from one file");
	}
	if (r->metric == NULL)
		r->metric = "throughput";
	add_remarks(r, t, kinds);
	return !r->failed;
}

/* --- cases ---------------------------------------------------------------- */

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

/* Start a value with metadata of the header lines and the size of its case. The
 * caller must increment r->n to keep it. */
static struct reference_value *
new_value(struct reference_reader *r, long line, long nodes, long gpus)
{
	struct reference_value *v;
	struct result_case *c;

	if (r->n == REFERENCE_VALUES_MAX_CASES && !r->failed) {
		error_at(r->e, ERROR_LIMIT, r->name, line, 0,
		    "too many reference values");
		r->failed = 1;
	}
	r->values = arena_grow(r->arena, r->values, r->n, sizeof *r->values);
	v = &r->values[r->n];
	*v = (struct reference_value){ .text = "", .line = line };
	c = &v->c;
	result_case_init(c);
	c->model = r->h.model;
	c->precision = r->h.precision;
	c->unit = r->h.unit;
	c->batch_size_per_device = v->batch = r->h.batch;
	c->labels = r->h.labels;
	c->n_labels = r->h.n_labels;
	c->nodes = nodes;
	c->gpus = gpus;
	if (nodes != RESULT_UNKNOWN)
		c->gpus_per_node = gpus / nodes;
	c->name = nodes != RESULT_UNKNOWN
	    ? arena_printf(r->arena, "%ldn%ldg", nodes, c->gpus_per_node)
	    : arena_printf(r->arena, "%ldg", gpus);
	return v;
}

/* Set framework, model, precision and labels from words of the row. */
static void
add_words(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, struct result_case *c)
{
	const size_t mark = strlen(label_mark);
	const int is_divided = row->global_batch != PUBLISHED_UNKNOWN &&
	    (r->h.strong || row->global_batch == row->batch * row->gpus);

	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_column *from = &t->columns[i];
		const char *text = arena_strdup(r->arena, row->cells[i].text);

		if (text[0] == '\0')
			continue;
		if (strncmp(from->head, label_mark, mark) == 0)
			add_label(r, c, from->head + mark, text);
		else if (from->role == PUBLISHED_FRAMEWORK &&
		    c->framework == NULL)
			c->framework = text;
		else if (from->role == PUBLISHED_MODEL)
			c->model = text;
		else if (from->role == PUBLISHED_PRECISION &&
		    c->precision == NULL)
			c->precision = text;
		else if (from->role == PUBLISHED_LABEL ||
		    (from->role == PUBLISHED_GLOBAL_BATCH && !is_divided))
			add_label(r, c, from->head, text);
	}
	if (row->label != NULL)
		add_label(r, c, "case", arena_strdup(r->arena, row->label));
	if (r->table_label != NULL)
		add_label(r, c, "table", r->table_label);
}

/* Start the value of a column of a row. */
static struct reference_value *
new_row_value(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, size_t column)
{
	const struct published_column *from = &t->columns[column];
	struct reference_value *v =
	    new_value(r, row->cells[column].line, row->nodes, row->gpus);
	struct result_case *c = &v->c;
	long batch = published_batch_of(t, row, column);

	v->column = column;
	v->row = row;
	if (r->h.rows == ROWS_TOPOLOGIES)
		c->framework = arena_strdup(r->arena, from->framework);
	c->precision = from->precision;
	add_words(r, t, row, c);
	if (c->precision == NULL)
		c->precision = r->text != NULL ? r->h.precision : t->precision;
	/* The batch per device, from the cell, its row, its head or the header
	 * lines. */
	if (batch == PUBLISHED_UNKNOWN && r->h.batch != RESULT_UNKNOWN &&
	    !from->batch_varies &&
	    (!r->h.strong || r->h.batch % row->gpus == 0))
		batch = r->h.strong ? r->h.batch / row->gpus : r->h.batch;
	c->batch_size_per_device = v->batch = batch;
	if (r->h.strong)
		v->batch = row->global_batch != PUBLISHED_UNKNOWN
		    ? row->global_batch
		    : 0;
	return v;
}

/* Require that a row of a file has as many cells as the head, that its counts
 * are valid, and that its GPUs are stated if it has values. Returns 1, or 0 to
 * skip it. */
static int
check_row(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, int has_values)
{
	if (r->text != NULL && row->n_cells != t->n_columns) {
		const size_t n =
		    row->n_cells < t->n_columns ? row->n_cells : t->n_columns;

		return mistake(r, row->line, row->cells[n - 1].col, NULL,
		    "a row of more or fewer cells than the header");
	}
	if (r->h.rows == ROWS_SIZES)
		return 1;
	if (row->problem != REMARK_NONE)
		return bad_cell(r, row->problem_cell,
		    remark_rows[row->problem].texts[LANGUAGE_EN]);
	if (row->gpus == PUBLISHED_UNKNOWN && has_values)
		mistake(r, row->line, 0, NULL,
		    "a row whose number of GPUs is not stated");
	return row->gpus != PUBLISHED_UNKNOWN;
}

/* Read a number above 0, or a word. Returns 1, or 0 to skip the cell. */
static int
read_value(struct reference_reader *r, const struct published_table *t,
    struct reference_value *v)
{
	const struct published_column *column = &t->columns[v->column];
	const struct published_cell *cell = &v->row->cells[v->column];
	const struct published_unit *unit =
	    cell->unit != NULL ? cell->unit : column->unit;
	const double base = column->role == PUBLISHED_DURATION ? 60 : 1;
	const double value = cell->number.value;
	double scale;
	int digits;
	char *end;

	v->text = arena_strdup(r->arena, cell->text);
	v->c.unit = unit_of(r, column, t);
	if (column->unit == NULL && cell->unit != NULL &&
	    cell->unit->rate != NULL)
		v->c.unit = cell->unit->rate;
	if (cell->kind <= PUBLISHED_WORD) {
		/* A CSV reader would parse nan and inf as numbers. */
		if (isfinite(strtod(cell->text, &end)) == 0 && *end == '\0')
			v->text = "n/a";
		return 1;
	}
	if (cell->kind != PUBLISHED_NUMBER || !(value > 0))
		return bad_cell(r, cell,
		    "is neither a number above 0 nor a word such as OOM, TODO "
		    "or n/a");
	if (fabs(log10(value)) > log10(RESULT_NUMBER_MAX))
		return bad_cell(
		    r, cell, "is beyond what a program could measure");
	if (column->role != PUBLISHED_RATE
		? unit == NULL
		: unit != NULL && unit->measure != PUBLISHED_PER_SECOND)
		return bad_cell(r, cell,
		    "is no speed or time; name the unit of times in the "
		    "header, as in 'latency (ms)'");
	v->c.median_speed = value / base;
	/* As printed, or times the scale: "128.4" in ms becomes 0.1284. */
	scale = unit != NULL ? unit->scale / base : 1;
	digits = (int)lround(-log10(scale));
	if (scale == 1 && cell->number_len > 0)
		v->text = arena_strndup(r->arena, cell->text, cell->number_len);
	else if (digits > 0 && fabs(digits + log10(scale)) < 1e-9)
		v->text = arena_printf(r->arena, "%.*f",
		    cell->number.decimals + digits, value / base);
	else
		v->text = arena_printf(r->arena, "%.6g", value / base);
	return 1;
}

/* Give a value one run and at most n_cells quantities. */
static struct result_run *
add_run(struct reference_reader *r, struct reference_value *v, size_t n_cells)
{
	v->written.items =
	    arena_calloc(r->arena, n_cells + 1, sizeof *v->written.items);
	v->c.runs = arena_calloc(r->arena, 1, sizeof *v->c.runs);
	v->c.n_runs = 1;
	result_run_init(&v->c.runs[0]);
	v->c.runs[0].path = r->name;
	return &v->c.runs[0];
}

static void
read_quantity(struct reference_reader *r, struct reference_value *v,
    const struct quantity_row *row, const struct published_cell *cell)
{
	const double x = cell->number.value / (row->is_rate ? 8e9 : 1);

	if (cell->kind == PUBLISHED_EMPTY)
		return;
	v->written.items[v->written.n++] = (struct result_pair){ row->head,
		arena_strdup(r->arena, cell->text) };
	if (isalpha((unsigned char)cell->text[0]))
		return; /* OOM, TODO */
	if (cell->kind != PUBLISHED_NUMBER || cell->unit == NULL ||
	    cell->unit->measure !=
		(row->is_rate ? PUBLISHED_BITS_PER_SECOND : PUBLISHED_SECONDS))
		bad_cell(r, cell,
		    row->is_rate
			? "is not a bit rate such as 2.61Gb/s"
			: "is not a time such as 2m53.341s or 128.4ms");
	memcpy((char *)&v->c.runs[0] + row->offset, &x, sizeof x);
}

/* --- rows ----------------------------------------------------------------- */

/* Read the values of a row: each of its own in a table of topologies, one with
 * the quantities of the row in a table of cases. There a missing step time is
 * computed from the time of the run; a printed one that is outside the interval
 * of this is a doubt. */
static void
read_row(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, const int *kinds)
{
	const int is_case = r->h.rows == ROWS_CASES;
	const struct published_cell *real = NULL, *step = NULL;
	const double n = (double)r->h.steps;
	struct result_file *f = r->out;
	struct reference_value *v;
	struct result_run *run;
	char text[UNITS_TEXT_SIZE];
	int has_values = is_case, has_speed;
	size_t column = t->n_columns;
	double s;

	for (size_t k = t->n_columns; k > 0; k--)
		if (kinds[k - 1] == COLUMN_VALUE) {
			column = k - 1;
			has_values |= row->cells[k - 1].kind != PUBLISHED_EMPTY;
		}
	if (!check_row(r, t, row, has_values))
		return;
	for (; column < t->n_columns && !is_case; column++)
		if (kinds[column] == COLUMN_VALUE)
			r->n += (size_t)read_value(
			    r, t, new_row_value(r, t, row, column));
	if (!is_case)
		return;
	has_speed = column < t->n_columns;
	v = new_row_value(r, t, row, has_speed ? column : 0);
	run = add_run(r, v, t->n_columns);
	for (size_t k = 0; k < t->n_columns; k++) {
		const int q = kinds[k] - COLUMN_QUANTITY;

		if (q >= 0)
			read_quantity(r, v, &quantity_rows[q], &row->cells[k]);
		if (q == QUANTITY_REAL)
			real = &row->cells[k];
		if (q == QUANTITY_STEP)
			step = &row->cells[k];
	}
	if (has_speed)
		read_value(r, t, v);
	r->n++;
	run->value = v->c.median_speed;
	if (r->failed || r->h.steps == RESULT_UNKNOWN ||
	    !(run->times.real_s > 0))
		return;
	s = run->times.real_s / n;
	if (isnan(run->phases.step_s))
		run->phases.step_s = s;
	else if (fabs(step->number.value - s) >
	    (step->number.half + real->number.half / n) * (1 + 1e-9)) {
		f->doubts = arena_grow(
		    r->arena, f->doubts, f->n_doubts, sizeof *f->doubts);
		f->doubts[f->n_doubts++] = (struct published_doubt){ r->n - 1,
			MESSAGE_MEAN_STEP, arena_strdup(r->arena, step->text),
			arena_printf(
			    r->arena, "%s / %ld", real->text, r->h.steps),
			arena_printf(r->arena, "%s ms",
			    number_format(text, 1e3 * s, 5)) };
	}
}

/* The number of a row in the column of a role; no number if there is none. */
static struct published_number
number_of(const struct published_table *t, const struct published_row *row,
    enum published_role role)
{
	for (size_t k = 0; k < t->n_columns; k++)
		if (t->columns[k].role == role &&
		    row->cells[k].kind == PUBLISHED_NUMBER)
			return row->cells[k].number;
	return (struct published_number){ NAN, NAN, 0 };
}

/* Read the rows as collectives of the case named by header lines. */
static void
read_sizes(struct reference_reader *r, const struct published_table *t)
{
	struct reference_value *v;
	struct result_run *run;

	r->metric = "throughput";
	if (r->h.case_gpus == RESULT_UNKNOWN)
		mistake(r, t->line, 1, NULL,
		    "a table of sizes needs a line 'case: 4n1g' before it");
	if (r->failed || t->n_rows == 0)
		return;
	v = new_value(r, t->rows[0].line, r->h.case_nodes, r->h.case_gpus);
	run = add_run(r, v, 0);
	r->n++;
	run->times.real_s = r->h.real_s;
	if (r->h.steps != RESULT_UNKNOWN)
		run->phases.step_s = r->h.real_s / (double)r->h.steps;
	run->collectives =
	    arena_calloc(r->arena, t->n_rows, sizeof *run->collectives);
	run->n_collectives = t->n_rows;
	for (size_t i = 0; i < t->n_rows && !r->failed; i++) {
		const struct published_row *row = &t->rows[i];
		const double count = number_of(t, row, PUBLISHED_COUNT).value;
		const double size = number_of(t, row, PUBLISHED_MEMORY).value;
		const double bits =
		    number_of(t, row, PUBLISHED_BANDWIDTH).value;
		const struct published_number total = number_of(
						  t, row, PUBLISHED_DURATION),
					      mean = number_of(
						  t, row, PUBLISHED_MEAN_TIME);

		if (!check_row(r, t, row, 0))
			return;
		if (!(count >= 1 && count < 1e15 && size >= 0 &&
			(total.value >= 0 || mean.value >= 0))) {
			mistake(r, row->line, 0, NULL,
			    "a row of sizes needs numbers in the columns "
			    "'count', 'mean size (MiB)', and 'total time (s)' "
			    "or 'mean time (ms)'");
			return;
		}
		run->collectives[i] = (struct result_collective){
			.kind = "by-size",
			.bytes = size,
			.count = (long)count,
			.bus_gb_per_s = bits / 8e9,
			.algorithm_gb_per_s = NAN,
			/* Of total and mean that with more digits. */
			.time_s =
			    total.half / total.value < mean.half / mean.value ||
				isnan(mean.value)
			    ? total.value / count
			    : mean.value,
			.line = row->line,
			.test = RESULT_UNKNOWN,
			.iterations = RESULT_ITERATIONS_UNKNOWN,
		};
	}
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

/* Order the values of a series by size. */
static int
compare_values(const void *a, const void *b)
{
	const struct reference_value *x = *(struct reference_value *const *)a,
				     *y = *(struct reference_value *const *)b;
	int order = compare_series(x, y);

	if (order == 0)
		order = (x->c.gpus > y->c.gpus) - (x->c.gpus < y->c.gpus);
	if (order == 0)
		order = strcmp(x->c.name, y->c.name);
	return order != 0 ? order : (x > y) - (x < y);
}

/* Add a remark if the speedup printed right of a value contradicts it. */
static void
check_speedup(struct reference_reader *r, const struct published_table *t,
    const struct reference_value *v, const struct reference_value *base)
{
	const struct published_number *own = &v->row->cells[v->column].number;
	const struct published_number *first =
	    &base->row->cells[base->column].number;
	const double rounding =
	    v == base ? 0 : own->half / own->value + first->half / first->value;
	const double x = v->c.speedup;
	size_t i = v->column + 1;
	const struct published_cell *cell;

	while (i < t->n_columns && t->columns[i].role != PUBLISHED_SPEEDUP &&
	    !published_is_speed(t->columns[i].role))
		i++;
	if (i == t->n_columns || t->columns[i].role != PUBLISHED_SPEEDUP ||
	    (base->c.gpus != 1 && v == base))
		return;
	cell = &v->row->cells[i];
	if (cell->kind == PUBLISHED_NUMBER && !isnan(x) &&
	    published_fits(&cell->number, t->columns[i].decimals,
		x * (1 - rounding), x * (1 + rounding)) == PUBLISHED_DIFFERS)
		add_remark(r, cell->line, cell->col,
		    arena_printf(r->arena,
			"speedup '%s' does not follow from the speeds: %.*f",
			cell->text, t->columns[i].decimals, x));
}

/* Compute the speedups of one series over the smallest case that has a number.
 * Rows of the same case are distinguished by a label; two in a file may be a
 * mistake and are left to be refused as duplicates.
 *
 * list  [n] sorted */
static void
finish_series(struct reference_reader *r, const struct published_table *t,
    struct reference_value *const *list, size_t n)
{
	const struct reference_value *base = NULL;

	for (size_t i = n; i > 0; i--)
		if (!isnan(list[i - 1]->c.median_speed))
			base = list[i - 1];
	for (size_t i = 0; base != NULL && i < n; i++) {
		list[i]->c.baseline_flag =
		    case_speedup_over(&list[i]->c, &base->c, r->h.strong,
			DEFAULT_CONFIDENCE) &&
		    base->c.gpus != 1;
		if (r->h.rows == ROWS_TOPOLOGIES)
			check_speedup(r, t, list[i], base);
	}
	for (size_t i = 0, k; i < n && r->h.rows == ROWS_TOPOLOGIES; i = k) {
		for (k = i + 1;
		     k < n && strcmp(list[k]->c.name, list[i]->c.name) == 0;)
			k++;
		for (size_t j = i; k - i > (r->text != NULL ? 2 : 1) && j < k;
		     j++)
			add_label(r, &list[j]->c, "row",
			    arena_printf(r->arena, "%zu", j - i + 1));
	}
}

/* Make cases of a table and compute their speedups. */
static void
read_table(struct reference_reader *r, const struct published_table *t)
{
	int kinds[PUBLISHED_MAX_COLUMNS];
	const size_t from = r->n;
	struct reference_value **list;
	size_t n;

	if (r->h.rows == ROWS_SIZES)
		read_sizes(r, t);
	else if (read_heads(r, t, kinds))
		for (size_t i = 0; i < t->n_rows && !r->failed; i++)
			read_row(r, t, &t->rows[i], kinds);
	else
		return;
	n = r->n - from;
	if (n == 0 && r->text != NULL && !r->failed) {
		error_at(r->e, ERROR_EMPTY, r->name, r->line, 0,
		    "the table before has no rows");
		r->failed = 1;
	}
	if (n == 0 || r->failed)
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

/* --- files ---------------------------------------------------------------- */

/* Start a reader and its result s. */
static struct reference_reader
reader_new(const char *name, struct result_file *s, struct error *e)
{
	*s = (struct result_file){ 0 };
	result_init(&s->result);
	return (struct reference_reader){ .name = name,
		.out = s,
		.arena = &s->result.arena,
		.e = e,
		.h = { .unit = REFERENCE_UNIT,
		    .batch = RESULT_UNKNOWN,
		    .steps = RESULT_UNKNOWN,
		    .case_nodes = RESULT_UNKNOWN,
		    .case_gpus = RESULT_UNKNOWN,
		    .real_s = NAN } };
}

/* Finish a reader: move the values to the result. It is released after a
 * failure or without a value. Returns 0 or -1. */
static int
reader_end(struct reference_reader *r, const char *what_is_missing)
{
	struct result_file *s = r->out;
	struct result *res = &s->result;

	if (!r->failed && r->n == 0)
		error_at(
		    r->e, ERROR_EMPTY, r->name, 0, 0, "%s", what_is_missing);
	if (r->failed || r->n == 0) {
		result_release(res);
		return -1;
	}
	res->cases = arena_calloc(r->arena, r->n, sizeof *res->cases);
	s->texts = arena_calloc(r->arena, r->n, sizeof *s->texts);
	s->lines = arena_calloc(r->arena, r->n, sizeof *s->lines);
	s->written = arena_calloc(r->arena, r->n, sizeof *s->written);
	for (size_t i = 0; i < r->n; i++) {
		s->written[i] = r->values[i].written;
		res->cases[i] = r->values[i].c;
		s->texts[i] = r->values[i].text;
		s->lines[i] = r->values[i].line;
	}
	res->n_cases = r->n;
	s->origins = r->h.origins;
	s->n_origins = r->h.n_origins;
	res->rule.metric = r->metric;
	res->rule.scaling = r->h.strong ? "strong" : NULL;
	res->file = arena_strdup(r->arena, r->name);
	return 0;
}

int
reference_values_parse(const char *name, const char *text, size_t len,
    struct result_file *s, struct error *e)
{
	const char *table = NULL; /* its first line */
	const char *problem, *wrong;
	struct reference_reader r;
	struct published p;
	long line = 0;
	int strong;

	if (published_text(name, &text, &len, e) != 0)
		return -1;
	r = reader_new(name, s, e);
	r.text = text;
	r.end = text + len;
	for (struct text_span l = text_line(r.text, r.end); !r.failed;
	     l = text_line_after(l, r.end)) {
		const struct text_span row = span_trim(l);
		const int is_row = row.s < row.end && *row.s == '|';

		r.line++;
		if (is_row && table == NULL) {
			table = l.s;
			line = r.line;
		} else if (!is_row && table != NULL) {
			r.failed = published_read(name, table,
				       (size_t)(l.s - table), line, &p, e) != 0;
			for (size_t i = 0; !r.failed && i < p.n; i++)
				read_table(&r, &p.tables[i]);
			published_release(&p);
			table = NULL;
		}
		if (l.s == r.end)
			break;
		if (is_row || row.s == row.end || *row.s == '#' || r.failed)
			continue;
		strong = r.h.strong;
		problem = reference_header_read(&r.h, r.arena, l, &wrong);
		if (problem == NULL && r.n > 0 && strong != r.h.strong)
			problem = "scaling must come before the first table";
		if (problem != NULL)
			mistake(&r, r.line, wrong - l.s + 1, NULL, problem);
	}
	return reader_end(&r, "it has no table of reference values");
}

int
reference_values_parse_document(const char *name, const char *text, size_t len,
    struct result_file *s, struct error *e)
{
	struct reference_reader r;
	struct published p;
	int rc;

	if (published_read(name, text, len, 0, &p, e) != 0)
		return -1;
	r = reader_new(name, s, e);
	r.h.strong = 1;
	for (size_t i = 0; i < p.n; i++)
		r.h.strong &=
		    p.tables[i].strong || !published_has_cases(&p.tables[i]);
	for (size_t i = 0; !r.failed && i < p.n; i++) {
		const struct published_table *t = &p.tables[i];
		const char *heading = t->heading;
		int is_shared = 0;

		/* A unique name of the table: its heading, with the line if
		 * another has the same one. */
		for (size_t k = 0; heading != NULL && k < p.n; k++)
			is_shared |=
			    k != i && text_same(p.tables[k].heading, heading);
		if (p.n > 1)
			r.table_label = heading == NULL || heading[0] == '\0'
			    ? arena_printf(r.arena, "line %ld", t->line)
			    : is_shared
			    ? arena_printf(r.arena, "%.200s (line %ld)",
				  heading, t->line)
			    : arena_strdup(r.arena, heading);
		read_table(&r, t);
	}
	rc = reader_end(&r,
	    "it has no table of speeds or times with columns of nodes and "
	    "GPUs");
	published_release(&p);
	return rc;
}
