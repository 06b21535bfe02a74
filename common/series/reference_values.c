/* Reference values: files of lines and tables, and published documents. A
 * mistake is an error in a file, a remark in a document.
 *
 * A table of topologies has a case for each speed or time of each row. In
 * tables of cases each row is a case, with one column per quantity; in tables
 * of sizes each row sums up the collectives of one size. Numbers that others of
 * their row imply are checked: contradictions beyond the rounding of the
 * printed digits are remarks. Speedups are left to series_collect. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "common/published/published.h"
#include "common/result/result.h"
#include "common/result/work_rate.h"
#include "common/series/result_set.h"
#include "common/text.h"
#include "common/units/units.h"

#define DEFAULT_UNIT "samples/s"

enum {
	MAX_REMARKS = 200,
	MAX_QUOTED = 80, /* bytes of text quoted in messages */
	MAX_LABELS = 32
};

enum header {
	HEADER_MODEL,
	HEADER_BATCH,
	HEADER_SCALING,
	HEADER_PRECISION,
	HEADER_UNIT,
	HEADER_LABEL,
	HEADER_SOURCE,
	HEADER_ROWS,
	HEADER_STEPS,
	HEADER_CASE,
	HEADER_REAL,
	N_HEADERS
};

/* Lines "key: value" of files, in the order of enum header: the pattern of the
 * value, and its description for messages. With strong scaling, batch is the
 * global batch. Only tables of sizes use case and real, the run's time. */
#define COUNT "\\A[1-9]\\d{0,11}\\z"
static const char unit_names[] = "\\A(?:(?:samples|images|sequences|examples"
				 "|tokens|items|iterations)/s|s|min)\\z";
static const struct {
	const char *key, *value, *wanted;
} headers[N_HEADERS] = {
	{ "model", "", NULL },
	{ "batch", COUNT, "a batch size (samples on each GPU)" },
	{ "scaling", "(?i)\\A(?:weak|strong)\\z", "one of: weak strong" },
	{ "precision", "", NULL },
	{ "unit", unit_names,
	    "a unit: samples/s, images/s, sequences/s, examples/s, tokens/s, "
	    "items/s, iterations/s, s or min" },
	{ "label", "\\A([^=]*[^= \t])[ \t]*=[ \t]*(.*)\\z",
	    "key=value (32 labels at most)" },
	{ "source", "", NULL },
	{ "rows", "(?i)\\A(?:topologies|cases|sizes)\\z",
	    "one of: topologies cases sizes" },
	{ "steps", COUNT, "a count" },
	{ "case", "", "a case such as 4n8g" },
	{ "real", "", "a time such as 119.8s" },
};

struct reference_reader {
	struct result_file *out;
	struct result *result; /* of out */
	struct arena *arena;   /* of result */
	struct error *e;
	int failed;  /* e is set */
	int is_file; /* 0: a document */
	struct text_span text;

	/* The last value of each key in the lines of a file, or NULL. */
	const char *values[N_HEADERS];
	struct result_pair *labels;
	size_t n_labels;
	int strong;
	enum { /* by their first letters */
		ROWS_TOPOLOGIES = 't',
		ROWS_CASES = 'c',
		ROWS_SIZES = 's'
	} rows;
	const char *unit;

	const char *table_label; /* distinguishes tables of a document */
	const size_t *repeated;  /* [n_rows] of the current table: number from 1
				    among several rows of one case, or 0 */
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
	    arena_printf(r->arena, "%s:%ld%s: %.511s", r->result->file, line,
		place, text));
}

/* Report a mistake: in a file an error with the line and a caret, in a document
 * a remark.
 *
 * col   from 1; 0: none
 * text  wrong text, or NULL
 *
 * Always returns 0; the caller skips the wrong part. */
static int
mistake(struct reference_reader *r, long line, long col, const char *text,
    const char *what)
{
	struct text_span l = text_line(r->text.s, r->text.end);

	if (text != NULL)
		what =
		    arena_printf(r->arena, "'%.*s' %s", MAX_QUOTED, text, what);
	if (!r->is_file)
		add_remark(r, line, col, what);
	if (!r->is_file || r->failed)
		return 0;
	r->failed =
	    error_at(r->e, ERROR_INPUT, r->result->file, line, col, "%s", what);
	while (--line > 0)
		l = text_line_after(l, r->text.end);
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

/* --- lines ---------------------------------------------------------------- */

/* The header of the key before the colon of a line, or N_HEADERS.
 *
 * value  set to the text after the colon, without blanks at its ends */
static size_t
header_of(struct text_span line, struct text_span *value)
{
	const char *colon = memchr(line.s, ':', (size_t)(line.end - line.s));
	struct text_span key;
	size_t h = 0;

	if (colon == NULL)
		return N_HEADERS;
	*value = span_trim((struct text_span){ colon + 1, line.end });
	key = span_trim((struct text_span){ line.s, colon });
	while (h < N_HEADERS &&
	    (strncasecmp(key.s, headers[h].key, (size_t)(key.end - key.s)) !=
		    0 ||
		headers[h].key[key.end - key.s] != '\0'))
		h++;
	return h;
}

/* The number that a header states, or RESULT_UNKNOWN. */
static long
count_of(const struct reference_reader *r, enum header h)
{
	return r->values[h] != NULL ? strtol(r->values[h], NULL, 10)
				    : RESULT_UNKNOWN;
}

/* Set what a header states; "" ends it. Returns 0 if the value is invalid. */
static int
set_header(struct reference_reader *r, size_t h, const char *value)
{
	const char *rest;
	struct result_file *s = r->out;
	struct text_span part[3];
	struct result_pair label;
	long nodes, gpus;
	double seconds;
	size_t i = 0;

	r->values[h] = *value != '\0' ? value : NULL;
	if (*value == '\0') {
		r->n_labels = h == HEADER_LABEL ? 0 : r->n_labels;
		return h != HEADER_SOURCE;
	}
	if (!published_match(headers[h].value, value, NULL, part, 3) ||
	    (h == HEADER_CASE &&
		(!published_case_read(value, &nodes, &gpus, &rest) ||
		    *rest != '\0')) ||
	    (h == HEADER_REAL &&
		duration_parse(value, strlen(value), &seconds) != UNITS_OK))
		return 0;
	if (h == HEADER_SOURCE) {
		s->origins = arena_grow(
		    r->arena, s->origins, s->n_origins, sizeof *s->origins);
		s->origins[s->n_origins++] = value;
	}
	if (h != HEADER_LABEL)
		return 1;
	label.key = span_copy(r->arena, part[1]);
	label.value = span_copy(r->arena, part[2]);
	while (i < r->n_labels && strcasecmp(label.key, r->labels[i].key) != 0)
		i++;
	if (i == MAX_LABELS)
		return 0;
	/* Copy the array: earlier cases refer to the old one. */
	r->labels =
	    arena_longer(r->arena, r->labels, r->n_labels, sizeof *r->labels);
	r->n_labels += i == r->n_labels;
	r->labels[i] = label;
	return 1;
}

/* Read a line "key: value", number n. */
static void
read_line(struct reference_reader *r, struct text_span l, long n)
{
	struct text_span value = span_trim(l);
	const size_t h = header_of(l, &value);
	const char *text = span_copy(r->arena, value);
	const int strong = r->strong;

	if (h == N_HEADERS) {
		mistake(r, n, span_trim(l).s - l.s + 1, NULL,
		    memchr(l.s, ':', (size_t)(l.end - l.s)) == NULL
			? "expected 'key: value', a row '| ... |' or a comment "
			  "'#'"
			: "no key; keys are model, batch, scaling, precision, "
			  "unit, label, source, rows, steps, case and real");
		return;
	}
	if (!set_header(r, h, text))
		mistake(r, n, value.s - l.s + 1, NULL,
		    arena_printf(r->arena, "'%.80s' is not %s", text,
			headers[h].wanted));
	text = r->values[HEADER_SCALING];
	r->strong = text != NULL && tolower((unsigned char)*text) == 's';
	if (r->result->n_cases > 0 && strong != r->strong)
		mistake(r, n, value.s - l.s + 1, NULL,
		    "scaling must come before the first table");
	text = r->values[HEADER_ROWS];
	r->rows = text == NULL ? 't' : tolower((unsigned char)*text);
	text = r->values[HEADER_UNIT];
	r->unit = text != NULL ? text : DEFAULT_UNIT;
}

int
reference_values_are(const char *text, size_t len)
{
	const char *end = text + len;
	struct text_span value;
	int is_first = 1;

	for (struct text_span line = text_line(text, end); line.s < end;
	     line = text_line_after(line, end)) {
		const struct text_span l = span_trim(line);

		if (l.s == l.end || *l.s == '#')
			continue;
		if (*l.s == '|' ||
		    (is_first && header_of(l, &value) != N_HEADERS))
			return 1;
		is_first = 0;
	}
	return 0;
}

/* --- columns -------------------------------------------------------------- */

enum column_kind {
	COLUMN_IGNORED,
	COLUMN_LABEL,    /* "label NAME" */
	COLUMN_WORDS,    /* counts, batches, names and labels of the row */
	COLUMN_VALUE,    /* the speed or time */
	COLUMN_QUANTITY, /* and the following: enum quantity */
};

static const char label_mark[] = "label ";

/* The kind of a column.
 *
 * role  role of the columns with values in tables of topologies */
static int
kind_of(const struct reference_reader *r, const struct published_column *c,
    enum published_role role)
{
	const enum quantity q = quantity_find(c->head);

	if (r->rows == ROWS_CASES && q < N_QUANTITIES)
		return COLUMN_QUANTITY + (int)q;
	if (r->rows == ROWS_CASES
		? published_match(unit_names, c->head, NULL, NULL, 0)
		: c->role == role)
		return COLUMN_VALUE;
	if (strncmp(c->head, label_mark, strlen(label_mark)) == 0)
		return COLUMN_LABEL;
	return c->role == PUBLISHED_SPEEDUP ||
		(c->role >= PUBLISHED_NODES && c->role <= PUBLISHED_LABEL)
	    ? COLUMN_WORDS
	    : COLUMN_IGNORED;
}

/* The unit of a column of values in the result. */
static const char *
unit_of(const struct reference_reader *r, const struct published_column *c,
    const struct published_table *t)
{
	const struct published_unit *unit = c->unit;

	if (r->rows == ROWS_CASES)
		return arena_strdup(r->arena, c->head);
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
	return DEFAULT_UNIT;
}

/* Add the remarks of a table, and one with the columns that are ignored. */
static void
add_remarks(struct reference_reader *r, const struct published_table *t,
    const int *kinds)
{
	struct strbuf ignored = STRBUF_INIT(300);

	for (size_t i = 0; i < t->n_remarks; i++)
		if (!r->is_file || t->remarks[i].code != REMARK_READ_AS_SPEEDS)
			add_remark(r, t->line, 0,
			    remark_text(&t->remarks[i], LANGUAGE_EN, r->arena));
	for (size_t i = 0; i < t->n_columns; i++)
		if (kinds[i] == COLUMN_IGNORED && t->columns[i].head[0] != '\0')
			strbuf_printf(&ignored, "%s'%s'",
			    ignored.len > 0 ? ", " : "", t->columns[i].head);
	if (ignored.len > 0)
		add_remark(r, t->line, 0,
		    arena_printf(r->arena, "not read as speeds: %s%s",
			ignored.buf, ignored.full ? " ..." : ""));
	strbuf_release(&ignored);
}

/* Find the kinds of the columns. Returns 1, or 0 to skip the table.
 *
 * kinds  [t->n_columns] to be filled */
static int
read_heads(
    struct reference_reader *r, const struct published_table *t, int *kinds)
{
	enum published_role role = PUBLISHED_RATE;
	const char **known = &r->result->rule.metric;

	/* Values are rates, else step times, else durations. */
	while (role <= PUBLISHED_DURATION && !published_has(t, role))
		role++;
	if (!published_has_cases(t) ||
	    (r->rows == ROWS_TOPOLOGIES && role > PUBLISHED_DURATION))
		return r->is_file &&
		    mistake(r, t->line, 1, NULL,
			"a table needs columns of nodes and GPUs, or one of "
			"cases such as 4n8g, and one of speeds or times");
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_column *c = &t->columns[i];
		const char *unit, *metric;

		kinds[i] = kind_of(r, c, role);
		if (c->head[0] == '\0' && r->is_file)
			return mistake(r, c->line, c->col, NULL,
			    "a column without a name");
		if (kinds[i] != COLUMN_VALUE)
			continue;
		unit = unit_of(r, c, t);
		metric = strcmp(unit, "s") == 0 ? "step-time"
		    : strcmp(unit, "min") == 0  ? "time-to-train"
						: "throughput";
		if (*known != NULL && strcmp(*known, metric) != 0)
			return mistake(r, c->line, c->col, NULL,
			    "speeds and times are not read from one file");
		*known = metric;
	}
	if (*known == NULL)
		*known = "throughput";
	add_remarks(r, t, kinds);
	return 1;
}

/* --- cases ---------------------------------------------------------------- */

/* Add a label, unless there are MAX_LABELS.
 *
 * key    copied
 * value  borrowed */
static void
add_label(struct reference_reader *r, struct result_case *c, const char *key,
    const char *value)
{
	if (c->n_labels == MAX_LABELS)
		return;
	c->labels =
	    arena_longer(r->arena, c->labels, c->n_labels, sizeof *c->labels);
	c->labels[c->n_labels++] =
	    (struct result_pair){ arena_strdup(r->arena, key), value };
}

/* Add a case with the values of lines and this size; in tables of cases and
 * sizes with one run. The next call may move it. */
static struct result_case *
add_case(struct reference_reader *r, long line, long nodes, long gpus)
{
	struct result_file *s = r->out;
	const size_t n = r->result->n_cases;
	struct result_case *c;

	if (n == REFERENCE_VALUES_MAX_CASES && !r->failed)
		r->failed = error_at(r->e, ERROR_LIMIT, r->result->file, line,
		    0, "too many reference values");
	r->result->cases = arena_grow(r->arena, r->result->cases, n, sizeof *c);
	s->values = arena_grow(r->arena, s->values, n, sizeof *s->values);
	s->values[n] = (struct published_value){ .text = "", .line = line };
	c = &r->result->cases[r->result->n_cases++];
	result_case_init(c);
	c->model = r->values[HEADER_MODEL];
	c->precision = r->values[HEADER_PRECISION];
	c->unit = r->unit;
	c->batch_size_per_device = count_of(r, HEADER_BATCH);
	c->labels = r->labels;
	c->n_labels = r->n_labels;
	c->nodes = nodes;
	c->gpus = gpus;
	if (nodes != RESULT_UNKNOWN)
		c->gpus_per_node = gpus / nodes;
	c->name = nodes != RESULT_UNKNOWN
	    ? arena_printf(r->arena, "%ldn%ldg", nodes, c->gpus_per_node)
	    : arena_printf(r->arena, "%ldg", gpus);
	if (r->rows == ROWS_TOPOLOGIES)
		return c;
	c->runs = arena_calloc(r->arena, 1, sizeof *c->runs);
	c->n_runs = 1;
	result_run_init(&c->runs[0]);
	c->runs[0].path = r->result->file;
	s->values[n].written =
	    arena_calloc(r->arena, N_QUANTITIES, sizeof *s->values[n].written);
	return c;
}

/* Set framework, model, precision and labels from words of the row. */
static void
add_words(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, struct result_case *c)
{
	const size_t mark = strlen(label_mark);
	const size_t repeated = r->repeated[row - t->rows];
	const int is_divided = row->global_batch != PUBLISHED_UNKNOWN &&
	    (r->strong || row->global_batch == row->batch * row->gpus);

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
	if (repeated > 0)
		add_label(r, c, "row", arena_printf(r->arena, "%zu", repeated));
}

/* Add the case of a column of a row. */
static struct result_case *
add_row_case(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, size_t column)
{
	const struct published_column *from = &t->columns[column];
	struct result_case *c =
	    add_case(r, row->cells[column].line, row->nodes, row->gpus);
	const long all = count_of(r, HEADER_BATCH);
	long batch = published_batch_of(t, row, column);

	if (r->rows == ROWS_TOPOLOGIES)
		c->framework = arena_strdup(r->arena, from->framework);
	c->precision = from->precision;
	add_words(r, t, row, c);
	if (c->precision == NULL)
		c->precision =
		    r->is_file ? r->values[HEADER_PRECISION] : t->precision;
	/* The batch per device, from the cell, its row, its head or the lines
	 * of the file. */
	if (batch == PUBLISHED_UNKNOWN && all != RESULT_UNKNOWN &&
	    !from->batch_varies && (!r->strong || all % row->gpus == 0))
		batch = r->strong ? all / row->gpus : all;
	c->batch_size_per_device = batch;
	return c;
}

/* Require that a row of a file has as many cells as the head, that its counts
 * are valid, and that its GPUs are stated if it has values. Returns 1, or 0 to
 * skip it. */
static int
check_row(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, int has_values)
{
	if (r->is_file && row->n_cells != t->n_columns) {
		const size_t n =
		    row->n_cells < t->n_columns ? row->n_cells : t->n_columns;

		return mistake(r, row->line, row->cells[n - 1].col, NULL,
		    "a row of more or fewer cells than the header");
	}
	if (r->rows == ROWS_SIZES)
		return 1;
	if (row->problem != REMARK_NONE)
		return bad_cell(r, row->problem_cell,
		    remark_rows[row->problem].texts[LANGUAGE_EN]);
	if (row->gpus == PUBLISHED_UNKNOWN && has_values)
		mistake(r, row->line, 0, NULL,
		    "a row whose number of GPUs is not stated");
	return row->gpus != PUBLISHED_UNKNOWN;
}

/* Read a number above 0, or a word, as the speed or time of the last case.
 * Returns 1, or 0 to skip the cell. */
static int
read_value(struct reference_reader *r, const struct published_table *t,
    const struct published_column *column, const struct published_cell *cell)
{
	const size_t last = r->result->n_cases - 1;
	struct result_case *c = &r->result->cases[last];
	const char **text = &r->out->values[last].text;
	const struct published_unit *unit =
	    cell->unit != NULL ? cell->unit : column->unit;
	const double base = column->role == PUBLISHED_DURATION ? 60 : 1;
	const double value = cell->number.value;
	double scale;
	int digits;
	char *end;

	*text = arena_strdup(r->arena, cell->text);
	c->unit = unit_of(r, column, t);
	if (column->unit == NULL && cell->unit != NULL &&
	    cell->unit->rate != NULL)
		c->unit = cell->unit->rate;
	if (cell->kind <= PUBLISHED_WORD) {
		/* A CSV reader would parse nan and inf as numbers. */
		if (isfinite(strtod(cell->text, &end)) == 0 && *end == '\0')
			*text = "n/a";
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
	c->median_speed = value / base;
	/* As printed, or times the scale: "128.4" in ms becomes 0.1284. */
	scale = unit != NULL ? unit->scale / base : 1;
	digits = (int)lround(-log10(scale));
	if (scale == 1 && cell->number_len > 0)
		*text = arena_strndup(r->arena, cell->text, cell->number_len);
	else if (digits > 0 && fabs(digits + log10(scale)) < 1e-9)
		*text = arena_printf(r->arena, "%.*f",
		    cell->number.decimals + digits, value / base);
	else
		*text = arena_printf(r->arena, "%.6g", value / base);
	return 1;
}

/* Read a quantity of the last case. */
static void
read_quantity(struct reference_reader *r, struct result_run *run, int q,
    const struct published_cell *cell)
{
	const struct quantity_row *row = &quantity_rows[q];
	const double x = cell->number.value / (row->is_rate ? 8e9 : 1);

	if (cell->kind == PUBLISHED_EMPTY)
		return;
	r->out->values[r->result->n_cases - 1].written[q] =
	    arena_strdup(r->arena, cell->text);
	if (isalpha((unsigned char)cell->text[0]))
		return; /* OOM, TODO */
	if (cell->kind != PUBLISHED_NUMBER || cell->unit == NULL ||
	    cell->unit->measure !=
		(row->is_rate ? PUBLISHED_BITS_PER_SECOND : PUBLISHED_SECONDS))
		bad_cell(r, cell,
		    row->is_rate
			? "is not a bit rate such as 2.61Gb/s"
			: "is not a time such as 2m53.341s or 128.4ms");
	memcpy((char *)run + row->offset, &x, sizeof x);
}

/* --- rows ----------------------------------------------------------------- */

/* Compute a missing step time from the time of the run. Add a remark if a
 * printed step time contradicts it by more than rounding.
 *
 * real, step  the cells */
static void
check_step(struct reference_reader *r, struct result_run *run,
    const struct published_cell *real, const struct published_cell *step)
{
	const double n = (double)count_of(r, HEADER_STEPS);
	const double s = run->times.real_s / n;
	char text[UNITS_TEXT_SIZE];

	if (!(s > 0))
		return;
	if (isnan(run->phases.step_s))
		run->phases.step_s = s;
	else if (fabs(step->number.value - s) >
	    (step->number.half + real->number.half / n) * (1 + 1e-9))
		add_remark(r, step->line, step->col,
		    arena_printf(r->arena,
			"step '%s' does not follow from %s / %.0f: %s ms",
			step->text, real->text, n,
			number_format(text, 1e3 * s, 5)));
}

/* Read a row: in a table of topologies each value is a case, in a table of
 * cases the row is one case with its quantities. */
static void
read_row(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, const int *kinds)
{
	const int is_case = r->rows == ROWS_CASES;
	const struct published_cell *real = NULL, *step = NULL;
	size_t column = t->n_columns;
	int has_values = is_case;
	struct result_case *c;

	for (size_t k = t->n_columns; k-- > 0;)
		if (kinds[k] == COLUMN_VALUE) {
			column = k;
			has_values |= row->cells[k].kind != PUBLISHED_EMPTY;
		}
	if (!check_row(r, t, row, has_values))
		return;
	for (; column < t->n_columns && !is_case; column++)
		if (kinds[column] == COLUMN_VALUE) {
			add_row_case(r, t, row, column);
			if (!read_value(
				r, t, &t->columns[column], &row->cells[column]))
				r->result->n_cases--;
		}
	if (!is_case)
		return;
	c = add_row_case(r, t, row, column < t->n_columns ? column : 0);
	for (size_t k = 0; k < t->n_columns; k++) {
		const int q = kinds[k] - COLUMN_QUANTITY;

		if (q >= 0)
			read_quantity(r, c->runs, q, &row->cells[k]);
		if (q == QUANTITY_REAL)
			real = &row->cells[k];
		if (q == QUANTITY_STEP)
			step = &row->cells[k];
	}
	if (column < t->n_columns)
		read_value(r, t, &t->columns[column], &row->cells[column]);
	c->runs[0].value = c->median_speed;
	check_step(r, c->runs, real, step);
}

/* Read the rows as collectives of the case named by lines. */
static void
read_sizes(struct reference_reader *r, const struct published_table *t)
{
	const char *name = r->values[HEADER_CASE], *rest;
	const char *real = r->values[HEADER_REAL];
	const long steps = count_of(r, HEADER_STEPS);
	struct result_run *run;
	long nodes, gpus;

	r->result->rule.metric = "throughput";
	if (name == NULL)
		mistake(r, t->line, 1, NULL,
		    "a table of sizes needs a line 'case: 4n1g' before it");
	if (r->failed || t->n_rows == 0)
		return;
	published_case_read(name, &nodes, &gpus, &rest);
	run = add_case(r, t->rows[0].line, nodes, gpus)->runs;
	if (real != NULL)
		duration_parse(real, strlen(real), &run->times.real_s);
	if (steps != RESULT_UNKNOWN)
		run->phases.step_s = run->times.real_s / (double)steps;
	run->collectives =
	    arena_calloc(r->arena, t->n_rows, sizeof *run->collectives);
	run->n_collectives = t->n_rows;
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct published_row *row = &t->rows[i];
		struct published_number n[PUBLISHED_N_ROLES];
		const struct published_number *total = &n[PUBLISHED_DURATION];
		const struct published_number *mean = &n[PUBLISHED_MEAN_TIME];
		double count;

		for (int role = 0; role < PUBLISHED_N_ROLES; role++)
			n[role].value = n[role].half = NAN;
		for (size_t k = t->n_columns; k-- > 0;)
			n[t->columns[k].role] = row->cells[k].number;
		count = n[PUBLISHED_COUNT].value;
		if (!check_row(r, t, row, 0))
			return;
		if (!(count >= 1 && count < 1e15 &&
			n[PUBLISHED_MEMORY].value >= 0 &&
			(total->value >= 0 || mean->value >= 0))) {
			mistake(r, row->line, 0, NULL,
			    "a row of sizes needs numbers in the columns "
			    "'count', 'mean size (MiB)', and 'total time (s)' "
			    "or 'mean time (ms)'");
			return;
		}
		run->collectives[i] = (struct result_collective){
			.kind = "by-size",
			.bytes = n[PUBLISHED_MEMORY].value,
			.count = (long)count,
			.bus_gb_per_s = n[PUBLISHED_BANDWIDTH].value / 8e9,
			.algorithm_gb_per_s = NAN,
			/* From total or mean, whichever is more precise. */
			.time_s = total->half / total->value <
				    mean->half / mean->value ||
				isnan(mean->value)
			    ? total->value / count
			    : mean->value,
			.line = row->line,
			.test = RESULT_UNKNOWN,
			.iterations = RESULT_ITERATIONS_UNKNOWN,
		};
	}
}

/* --- tables --------------------------------------------------------------- */

/* Add a remark if a speedup contradicts the speeds or times of its row and its
 * baseline's row in the column of values to its left. Does nothing if the
 * baseline prints a speedup other than 1. */
static void
check_speedup(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, const struct published_row *base, size_t i)
{
	const struct published_cell *cell = &row->cells[i];
	const struct published_number *own, *first;
	const double one = base->cells[i].number.value;
	enum work_kind kind;
	double x, rounding;
	size_t k = i;

	while (k > 0 && t->columns[--k].role != PUBLISHED_SPEEDUP &&
	    !published_is_speed(t->columns[k].role))
		continue;
	if (!published_is_speed(t->columns[k].role) ||
	    cell->kind != PUBLISHED_NUMBER || row->gpus < base->gpus ||
	    fabs(one - 1) > base->cells[i].number.half)
		return;
	own = &row->cells[k].number;
	first = &base->cells[k].number;
	kind = work_kind_of(unit_of(r, &t->columns[k], t));
	x = work_kind_is_time(kind) ? first->value / own->value
				    : own->value / first->value;
	/* The work of a step grows with the GPUs. */
	if (work_kind_is_per_step(kind) && !r->strong)
		x *= (double)row->gpus / (double)base->gpus;
	rounding = own->half / own->value + first->half / first->value;
	if (x > 0 && row != base &&
	    published_fits(&cell->number, t->columns[i].decimals,
		x * (1 - rounding), x * (1 + rounding)) == PUBLISHED_DIFFERS)
		add_remark(r, cell->line, cell->col,
		    arena_printf(r->arena,
			"speedup '%s' does not follow from the speeds: %.*f",
			cell->text, t->columns[i].decimals, x));
}

/* Read the rows. If a configuration has several rows of one case, a label
 * distinguishes them; two in a file may be a mistake, get no label and are
 * refused later as duplicates. The baseline of a speedup is the first row of
 * its configuration. */
static void
read_rows(struct reference_reader *r, const struct published_table *t,
    const int *kinds)
{
	struct arena a = ARENA_INIT;
	struct hash_index by_key = HASH_INDEX_INIT, by_case = HASH_INDEX_INIT;
	const char **keys = arena_calloc(&a, t->n_rows, sizeof *keys);
	const char **cases = arena_calloc(&a, t->n_rows, sizeof *cases);
	size_t *part = arena_calloc(&a, t->n_rows, sizeof *part);
	size_t *most = arena_calloc(&a, t->n_rows, sizeof *most);
	size_t *same = arena_calloc(&a, t->n_rows, sizeof *same);
	size_t *repeated = arena_calloc(&a, t->n_rows, sizeof *repeated);

	for (size_t i = 0; i < t->n_rows; i++) {
		const struct published_row *row = &t->rows[i];

		keys[i] = published_row_key(&a, t, row);
		for (size_t k = 0; k < t->n_columns; k++)
			if (kinds[k] == COLUMN_LABEL)
				keys[i] = arena_printf(
				    &a, "%s\n%s", keys[i], row->cells[k].text);
		part[i] = hash_index_first(&by_key, keys, i);
		cases[i] = arena_printf(
		    &a, "%zu %ld %ld", part[i], row->nodes, row->gpus);
		repeated[i] = ++same[hash_index_first(&by_case, cases, i)];
		if (repeated[i] > most[part[i]])
			most[part[i]] = repeated[i];
	}
	for (size_t i = 0; i < t->n_rows; i++)
		if (r->rows != ROWS_TOPOLOGIES ||
		    most[part[i]] <= (r->is_file ? 2 : 1))
			repeated[i] = 0;
	r->repeated = repeated;
	for (size_t i = 0; i < t->n_rows && !r->failed; i++) {
		read_row(r, t, &t->rows[i], kinds);
		for (size_t k = 0; k < t->n_columns; k++)
			if (t->columns[k].role == PUBLISHED_SPEEDUP)
				check_speedup(
				    r, t, &t->rows[i], &t->rows[part[i]], k);
	}
	hash_index_release(&by_key);
	hash_index_release(&by_case);
	arena_release(&a);
}

static void
read_table(struct reference_reader *r, const struct published_table *t)
{
	int kinds[PUBLISHED_MAX_COLUMNS];
	const size_t from = r->result->n_cases;

	if (r->rows == ROWS_SIZES)
		read_sizes(r, t);
	else if (read_heads(r, t, kinds))
		read_rows(r, t, kinds);
	else
		return;
	if (r->result->n_cases == from && r->is_file && !r->failed)
		r->failed = error_at(r->e, ERROR_EMPTY, r->result->file,
		    t->line, 0, "a table without rows");
}

/* --- files ---------------------------------------------------------------- */

/* Set the name of table i of a document: its heading, with the line if another
 * has the same one. */
static void
name_table(struct reference_reader *r, const struct published *p, size_t i)
{
	const char *heading = p->tables[i].heading;
	int is_shared = 0;

	for (size_t k = 0; heading != NULL && k < p->n; k++)
		is_shared |= k != i && text_same(p->tables[k].heading, heading);
	if (p->n > 1)
		r->table_label = heading == NULL || heading[0] == '\0'
		    ? arena_printf(r->arena, "line %ld", p->tables[i].line)
		    : is_shared ? arena_printf(r->arena, "%.200s (line %ld)",
				      heading, p->tables[i].line)
				: arena_strdup(r->arena, heading);
}

/* Read the lines of a file and its tables between them. */
static void
read_file(struct reference_reader *r, const struct published *p)
{
	struct text_span l = text_line(r->text.s, r->text.end);
	size_t n = 0;

	for (long line = 1; l.s < r->text.end && !r->failed; line++) {
		const struct text_span own = span_trim(l);

		if (n < p->n && p->tables[n].line == line)
			read_table(r, &p->tables[n++]);
		if (own.s < own.end && *own.s != '|' && *own.s != '#')
			read_line(r, l, line);
		l = text_line_after(l, r->text.end);
	}
}

int
reference_values_parse(const char *name, const char *text, size_t len,
    int is_document, struct result_file *s, struct error *e)
{
	struct result *res = &s->result;
	struct reference_reader r = { .out = s,
		.result = res,
		.arena = &res->arena,
		.e = e,
		.is_file = !is_document,
		.strong = is_document,
		.rows = ROWS_TOPOLOGIES,
		.unit = DEFAULT_UNIT };
	struct published p;

	if (published_read(name, text, len, r.is_file, &p, e) != 0)
		return -1;
	r.text = p.text;
	*s = (struct result_file){ 0 };
	result_init(res);
	res->file = arena_strdup(r.arena, name);
	res->without_baselines = 1;
	for (size_t i = 0; i < p.n; i++)
		r.strong &=
		    p.tables[i].strong || !published_has_cases(&p.tables[i]);
	for (size_t i = 0; is_document && i < p.n && !r.failed; i++) {
		name_table(&r, &p, i);
		read_table(&r, &p.tables[i]);
	}
	if (r.is_file)
		read_file(&r, &p);
	if (p.html > 0)
		add_remark(
		    &r, p.html, 0, remark_rows[REMARK_HTML].texts[LANGUAGE_EN]);
	published_release(&p);
	res->rule.scaling = r.strong ? "strong" : NULL;
	if (res->n_cases == 0 && !r.failed)
		r.failed = error_at(e, ERROR_EMPTY, name, 0, 0,
		    is_document ? "it has no table of speeds or times with "
				  "columns of nodes and GPUs"
				: "it has no table of reference values");
	if (r.failed)
		result_release(res);
	return r.failed ? -1 : 0;
}
