/* From published tables to the cases of a result: a case for each speed or time
 * of each row.  A figure file stops at a mistake; a document goes on with a
 * remark. */
#include <config.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/series/reference_reader.h"
#include "common/series/series_parts.h"
#include "common/strbuf.h"
#include "common/text.h"

enum { MAX_REMARKS = 200 };

/* --- messages ------------------------------------------------------------- */

/* Note something in a document that is passed over, or taken in one of two
 * ways. */
static void remark_cell(struct reference_reader *r, long line, long col,
    const char *fmt, ...) PRINTF_LIKE(4, 5);

static void
remark_cell(
    struct reference_reader *r, long line, long col, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (r->out->n_remarks == MAX_REMARKS)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	result_file_remark(r->out,
	    col > 0
		? arena_printf(
		      r->arena, "%s:%ld:%ld: %s", r->name, line, col, text)
		: arena_printf(r->arena, "%s:%ld: %s", r->name, line, text));
}

/* Line of that number within the table that is read. */
static struct span
line_of(const struct reference_reader *r, long number)
{
	const char *s = r->table_at, *end = r->table_end;

	for (long i = r->table_line; s < end; i++) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		const char *stop = nl != NULL ? nl : end;

		if (i == number)
			return (struct span){ s,
				(size_t)(stop - s) -
				    (stop > s && stop[-1] == '\r') };
		s = nl != NULL ? nl + 1 : end;
	}
	return SPAN_NONE;
}

int
reference_mistake(struct reference_reader *r, long line, long col,
    const char *text, const char *what)
{
	struct span s;

	if (!r->strict) {
		if (text != NULL)
			remark_cell(r, line, col, "'%.*s' %s",
			    REFERENCE_VALUES_ECHO, text, what);
		else
			remark_cell(r, line, col, "%s", what);
		return 0;
	}
	s = line_of(r, line);
	r->line = s.s;
	r->line_len = s.len;
	r->line_number = line;
	return reference_fail(r, ERROR_INPUT,
	    s.s != NULL && col > 0 ? s.s + col - 1 : NULL, what,
	    text != NULL ? (struct span){ text, strlen(text) } : SPAN_NONE);
}

/* --- columns -------------------------------------------------------------- */

/* The unit of a column's numbers in the result. */
static const char *
unit_of(const struct reference_reader *r, const struct published_column *c,
    const struct published_table *t)
{
	const struct published_unit *unit = c->unit != NULL ? c->unit
	    : c->role == PUBLISHED_RATE                     ? t->unit
							    : NULL;
	const int is_rate =
	    strcmp(reference_metric(r->unit), "throughput") == 0;

	if (unit != NULL && unit->rate != NULL)
		return unit->rate;
	if (c->role == PUBLISHED_STEP_TIME)
		return "s";
	if (c->role == PUBLISHED_DURATION)
		return "min";
	return is_rate || (c->guessed && unit == NULL) ? r->unit
						       : REFERENCE_VALUES_UNIT;
}

/* True if two columns would make the same cases. */
static int
columns_collide(
    const struct published_column *a, const struct published_column *b)
{
	if (a->role != b->role || a->role == PUBLISHED_OTHER ||
	    a->role == PUBLISHED_ASIDE || a->role == PUBLISHED_LABEL)
		return 0;
	if (a->role < PUBLISHED_RATE)
		return 1;
	return published_is_speed(a->role) &&
	    text_same(a->framework, b->framework) &&
	    text_same(a->precision, b->precision) && a->batch == b->batch &&
	    text_same(a->head, b->head);
}

static int
check_heads(struct reference_reader *r, const struct published_table *t)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_column *c = &t->columns[i];

		if (c->head[0] == '\0' && t->n_columns > 0 && r->strict)
			return reference_mistake(r, c->line, c->col, NULL,
			    "a column without a name");
		for (size_t k = 0; k < i; k++)
			if (columns_collide(&t->columns[k], c))
				return reference_mistake(r, c->line, c->col,
				    c->head, "is there twice");
	}
	return 0;
}

/* The role of the columns that become cases: speeds if there are any, else
 * times of steps, else of trainings; PUBLISHED_OTHER: none. */
static enum published_role
find_role(const struct published_table *t)
{
	static const enum published_role order[] = { PUBLISHED_RATE,
		PUBLISHED_STEP_TIME, PUBLISHED_DURATION };

	for (size_t k = 0; k < 3; k++)
		if (published_has(t, order[k]))
			return order[k];
	return PUBLISHED_OTHER;
}

/* The metric of the first column that becomes cases. */
static const char *
metric_of(const struct reference_reader *r, const struct published_table *t,
    enum published_role role)
{
	size_t i = 0;

	while (t->columns[i].role != role)
		i++;
	return reference_metric(unit_of(r, &t->columns[i], t));
}

/* Heads that are guessed to be speeds may be times by their units: then all
 * are. */
static int
check_metric(struct reference_reader *r, const struct published_table *t,
    enum published_role role)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_column *c = &t->columns[i];
		const char *metric;

		if (!published_is_speed(c->role) ||
		    (!c->guessed && c->role != role))
			continue;
		metric = reference_metric(unit_of(r, c, t));
		if (r->metric == NULL)
			r->metric = metric;
		if (strcmp(r->metric, metric) != 0)
			return reference_mistake(r, c->line, c->col, NULL,
			    r->strict ? "speeds and times in one file"
				      : "a table of times after one of speeds "
					"is passed over, or the other way "
					"round");
	}
	return 0;
}

/* Name the columns of quantities that make no cases, once a table. */
static void
remark_unread(struct reference_reader *r, const struct published_table *t,
    enum published_role role)
{
	struct strbuf sb;

	strbuf_init(&sb, 300);
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_column *c = &t->columns[i];

		if ((c->role == PUBLISHED_OTHER || c->role == PUBLISHED_ASIDE ||
			(c->role >= PUBLISHED_RATE && c->role != role &&
			    c->role != PUBLISHED_SPEEDUP)) &&
		    c->head[0] != '\0')
			strbuf_printf(
			    &sb, "%s'%s'", sb.len > 0 ? ", " : "", c->head);
	}
	if (sb.len > 0)
		remark_cell(r, t->line, 0, "not read as speeds: %s%s", sb.buf,
		    sb.full ? " ..." : "");
	strbuf_release(&sb);
}

/* --- cases ---------------------------------------------------------------- */

/* Of each device, from the cell, its row, its head or the lines before. */
static long
batch_of(const struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, size_t column)
{
	const long batch = published_batch_of(t, row, column);

	/* Cases of a weak result that differ in it are of different series:
	 * the label of their global batch names these. */
	if (t->strong && !r->strong)
		return RESULT_UNKNOWN;
	if (batch != PUBLISHED_UNKNOWN)
		return batch;
	if (!r->strict || t->columns[column].batch_varies ||
	    r->batch == RESULT_UNKNOWN)
		return RESULT_UNKNOWN;
	if (!r->strong)
		return r->batch;
	return r->batch % row->gpus == 0 ? r->batch / row->gpus
					 : RESULT_UNKNOWN;
}

static void
add_label(struct reference_reader *r, struct result_case *c, const char *key,
    const char *value)
{
	if (c->n_labels == REFERENCE_VALUES_MAX_LABELS)
		return;
	c->labels =
	    reference_longer(r, c->labels, c->n_labels, sizeof *c->labels);
	c->labels[c->n_labels++] = (struct result_pair){ key, value };
}

/* A batch of all devices sets a row apart, unless that of each device states
 * the same already. */
static void
add_global_batch(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, size_t column, struct result_case *c)
{
	const char *head = arena_strdup(r->arena, t->columns[column].head);
	const long all = row->global_batch;

	if (all == PUBLISHED_UNKNOWN || all % row->gpus != 0 ||
	    (t->strong && !r->strong))
		add_label(r, c, head,
		    arena_strdup(r->arena, row->cells[column].text));
	else if (all / row->gpus != row->batch && !r->strong)
		/* Several batches of each device make a step. */
		add_label(r, c, arena_printf(r->arena, "%s / GPUs", head),
		    arena_printf(r->arena, "%ld", all / row->gpus));
}

/* Words of the row: framework, model, precision, labels. */
static void
fill_words(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, struct result_case *c)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		const enum published_role role = t->columns[i].role;
		const char *text = row->cells[i].text;

		if (text[0] == '\0')
			continue;
		text = arena_strdup(r->arena, text);
		if (role == PUBLISHED_FRAMEWORK && c->framework == NULL)
			c->framework = text;
		else if (role == PUBLISHED_MODEL)
			c->model = text;
		else if (role == PUBLISHED_PRECISION && c->precision == NULL)
			c->precision = text;
		else if (role == PUBLISHED_GLOBAL_BATCH)
			add_global_batch(r, t, row, i, c);
		else if (role == PUBLISHED_LABEL)
			add_label(r, c,
			    arena_strdup(r->arena, t->columns[i].head), text);
	}
	if (row->label != NULL)
		add_label(r, c, "case", arena_strdup(r->arena, row->label));
}

/* Why the cell of a column of speeds or times is no figure; NULL: it is one. */
static const char *
value_problem(const struct published_column *column,
    const struct published_cell *cell, const struct published_unit *unit)
{
	const double value = cell->number.value;

	if (cell->kind != PUBLISHED_NUMBER || !(value > 0))
		return "is neither a number above 0 nor a word such as OOM, "
		       "TODO or n/a";
	if (fabs(log10(value)) > log10(RESULT_NUMBER_MAX))
		return "is beyond what a program could measure";
	if (column->role != PUBLISHED_RATE && unit == NULL)
		return "is a time without a unit; name it in the header, as in "
		       "'latency (ms)'";
	return column->role == PUBLISHED_RATE && unit != NULL &&
		unit->measure != PUBLISHED_PER_SECOND
	    ? "is no speed"
	    : NULL;
}

/* Read a number above 0 in the unit of the result, or a word that stands for
 * one, into *value.  Returns 0; 1 if a document's cell is passed over; -1. */
static int
read_value(struct reference_reader *r, const struct published_column *column,
    const struct published_cell *cell, double *value)
{
	const struct published_unit *unit =
	    cell->unit != NULL ? cell->unit : column->unit;
	const char *problem;

	*value = NAN;
	if (cell->kind == PUBLISHED_EMPTY || cell->kind == PUBLISHED_WORD)
		return 0;
	problem = value_problem(column, cell, unit);
	if (problem != NULL)
		return reference_mistake(
			   r, cell->line, cell->col, cell->text, problem) != 0
		    ? -1
		    : 1;
	*value = cell->number.value;
	if (column->role == PUBLISHED_DURATION)
		*value /= 60;
	return 0;
}

/* True if a CSV reader takes the word for a number. */
static int
is_no_number(const char *word)
{
	static const char *const words[] = { "nan", "inf", "infinity" };

	word += *word == '-' || *word == '+';
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcasecmp(word, words[i]) == 0)
			return 1;
	return 0;
}

/* The number as written, but in the unit of the result: "128.4" of ms becomes
 * 0.1284.  A word stays as it is, but for those that mean that there is none.
 */
static const char *
value_text(struct reference_reader *r, const struct published_column *column,
    const struct published_cell *cell, double value)
{
	const struct published_unit *unit =
	    cell->unit != NULL ? cell->unit : column->unit;
	const double base = column->role == PUBLISHED_DURATION ? 60 : 1;
	const double scale = unit != NULL ? unit->scale / base : 1;

	if (cell->kind == PUBLISHED_WORD && is_no_number(cell->text))
		return "n/a";
	if (cell->kind != PUBLISHED_NUMBER || cell->number_len == 0)
		return arena_strdup(r->arena, cell->text);
	if (scale == 1)
		return arena_strndup(r->arena, cell->text, cell->number_len);
	if (scale < 1 && scale >= 1e-6 && base == 1)
		return arena_printf(r->arena, "%.*f",
		    cell->number.decimals + (int)lround(-log10(scale)), value);
	return arena_printf(r->arena, "%.6g", value);
}

static int
add_case(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, size_t column)
{
	const struct published_column *from = &t->columns[column];
	const struct published_cell *cell = &row->cells[column];
	struct reference_value *f =
	    reference_new_value(r, cell->line, cell->col);
	struct result_case *c;
	int rc;

	if (f == NULL)
		return -1;
	f->column = column;
	f->cell = cell;
	f->row = row;
	c = &f->c;
	rc = read_value(r, from, cell, &c->median_speed);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	f->text = value_text(r, from, cell, c->median_speed);
	c->unit = unit_of(r, from, t);
	if (from->unit == NULL && cell->unit != NULL &&
	    cell->unit->rate != NULL)
		c->unit = cell->unit->rate;
	if (from->framework != NULL)
		c->framework = arena_strdup(r->arena, from->framework);
	c->precision = from->precision;
	fill_words(r, t, row, c);
	if (r->table_label != NULL)
		add_label(r, c, "table", r->table_label);
	if (c->precision == NULL)
		c->precision = r->strict ? r->precision : t->precision;
	c->batch_size_per_device = batch_of(r, t, row, column);
	f->batch = c->batch_size_per_device;
	if (r->strong)
		f->batch = row->global_batch != PUBLISHED_UNKNOWN
		    ? row->global_batch
		    : 0;
	c->gpus = row->gpus;
	if (row->nodes != PUBLISHED_UNKNOWN) {
		c->nodes = row->nodes;
		c->gpus_per_node = row->node_gpus;
	}
	reference_name_case(r, c);
	r->n++;
	return 0;
}

int
reference_check_length(struct reference_reader *r,
    const struct published_table *t, const struct published_row *row)
{
	struct span line;

	if (!r->strict)
		return 0;
	if (row->extra_col > 0)
		return reference_mistake(r, row->line, row->extra_col, NULL,
		    "a cell too many for the table's header");
	if (row->n_cells == t->n_columns)
		return 0;
	line = line_of(r, row->line);
	while (line.len > 0 && line.s[line.len - 1] != '|')
		line.len--;
	return reference_mistake(r, row->line, (long)line.len, NULL,
	    "a cell too few for the table's header");
}

static int
read_row(struct reference_reader *r, const struct published_table *t,
    const struct published_row *row, enum published_role role)
{
	int has_values = 0;

	if (reference_check_length(r, t, row) != 0)
		return -1;
	if (row->problem != REMARK_NONE) {
		const struct published_cell *cell = row->problem_cell;

		return reference_mistake(r, row->line, cell->col, cell->text,
		    remark_rows[row->problem].texts[LANGUAGE_EN]);
	}
	for (size_t i = 0; i < t->n_columns; i++) {
		if (t->columns[i].role != role)
			continue;
		has_values |= row->cells[i].kind != PUBLISHED_EMPTY;
		if (row->gpus != PUBLISHED_UNKNOWN &&
		    add_case(r, t, row, i) != 0)
			return -1;
	}
	if (row->gpus == PUBLISHED_UNKNOWN && has_values)
		return reference_mistake(r, row->line, 0, NULL,
		    "a row whose number of GPUs is not stated");
	return 0;
}

/* --- baselines ------------------------------------------------------------ */

/* Orders values by all that a series is of.  Where all GPUs share a batch, that
 * of each device is no difference. */
static int
configuration_compare(
    const struct reference_value *x, const struct reference_value *y)
{
	const struct result_case *a = &x->c, *b = &y->c;
	int order = text_order(a->framework, b->framework);

	if (order == 0)
		order = text_order(a->model, b->model);
	if (order == 0)
		order = text_order(a->precision, b->precision);
	if (order == 0)
		order = (x->batch > y->batch) - (x->batch < y->batch);
	if (order == 0)
		order =
		    (a->n_labels > b->n_labels) - (a->n_labels < b->n_labels);
	for (size_t i = 0; order == 0 && i < a->n_labels; i++) {
		order = text_order(a->labels[i].key, b->labels[i].key);
		if (order == 0)
			order =
			    text_order(a->labels[i].value, b->labels[i].value);
	}
	return order;
}

static int
value_compare(const void *a, const void *b)
{
	const struct reference_value *const *x = a, *const *y = b;
	int order =
	    ((*x)->column > (*y)->column) - ((*x)->column < (*y)->column);

	if (order == 0)
		order = configuration_compare(*x, *y);
	return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* The case that speedups stand on: the one that the baseline line names, else
 * 1n1g, else the fewest GPUs, the first of equals; best is that of the cases
 * before c, or NULL. */
static struct reference_value *
better_baseline(const struct reference_reader *r, struct reference_value *best,
    struct reference_value *v)
{
	const char *wanted = r->baseline != NULL ? r->baseline : "1n1g";

	if (isnan(v->c.median_speed) ||
	    (best != NULL && strcmp(best->c.name, wanted) == 0))
		return best;
	if (strcmp(v->c.name, wanted) == 0)
		return v;
	if (r->baseline != NULL)
		return best;
	return best == NULL || v->c.gpus < best->c.gpus ? v : best;
}

/* Remark a speedup that the table prints next to the value and that does not
 * follow from it. */
static void
check_speedup(struct reference_reader *r, const struct published_table *t,
    const struct reference_value *v, const struct reference_value *base)
{
	const struct published_number *own = &v->cell->number,
				      *first = &base->cell->number;
	const int is_rate = t->columns[v->column].role == PUBLISHED_RATE;
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
	low = (own->value - own->half) / (first->value + first->half);
	high = (own->value + own->half) / (first->value - first->half);
	scale = v->c.speedup / (own->value / first->value);
	/* For times the inverse, for steps times the work. */
	if (!is_rate) {
		const double swap = 1 / low;

		low = 1 / high;
		high = swap;
		scale = v->c.speedup / (first->value / own->value);
	}
	if (v == base)
		low = high = scale = 1;
	if (published_fits(&cell->number, t->columns[i].decimals, low * scale,
		high * scale) == PUBLISHED_DIFFERS)
		remark_cell(r, cell->line, cell->col,
		    "speedup '%s' does not follow from the speeds: %.*f",
		    cell->text, t->columns[i].decimals, v->c.speedup);
}

static void
fill_speedups(struct reference_reader *r, const struct published_table *t,
    struct reference_value *const *list, size_t n)
{
	struct reference_value *base = NULL;
	struct work_scale scale;

	for (size_t i = 0; i < n; i++)
		base = better_baseline(r, base, list[i]);
	if (base == NULL)
		return;
	for (size_t i = 0; i < n; i++)
		if (series_case_speedup(
			&list[i]->c, &base->c, r->strong, &scale))
			list[i]->c.baseline_flag = r->baseline == NULL &&
			    strcmp(base->c.name, "1n1g") != 0;
	for (size_t i = 0; i < n; i++)
		if (list[i]->cell != NULL)
			check_speedup(r, t, list[i], base);
}

/* Rows of one case are runs of it, distinguished by a label.  Two of them in a
 * figure file may be a mistake: those stay, to be refused as a case twice. */
static void
number_repeats(
    struct reference_reader *r, struct reference_value *const *list, size_t n)
{
	for (size_t i = 0; i < n && n <= REFERENCE_VALUES_MAX_REPEATS; i++) {
		size_t same = 0, mine = 0;

		for (size_t k = 0; k < n; k++)
			if (strcmp(list[k]->c.name, list[i]->c.name) == 0) {
				same++;
				mine += k < i;
			}
		if (same > (r->strict ? 2 : 1))
			add_label(r, &list[i]->c, "row",
			    arena_printf(r->arena, "%zu", mine + 1));
	}
}

/* Values of one column and configuration, over their baseline each. */
static void
finish_values(struct reference_reader *r, const struct published_table *t)
{
	const size_t n = r->n - r->table_from;
	struct reference_value **list = xcalloc(n, sizeof *list);
	struct reference_value *first = r->values + r->table_from;

	for (size_t i = 0; i < n; i++)
		list[i] = &first[i];
	qsort(list, n, sizeof *list, value_compare);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && list[k]->column == list[i]->column &&
		     configuration_compare(list[k], list[i]) == 0;)
			k++;
		fill_speedups(r, t, list + i, k - i);
		if (r->rows == ROWS_TOPOLOGIES)
			number_repeats(r, list + i, k - i);
	}
	/* Cells live as long as the table. */
	for (size_t i = 0; i < n; i++)
		first[i].cell = NULL;
	free(list);
}

/* --- tables --------------------------------------------------------------- */

/* Read the rows of a table of speeds or times by GPUs; a document may have
 * other tables.  Returns 0 or -1. */
static int
read_topologies(struct reference_reader *r, const struct published_table *t)
{
	const enum published_role role = find_role(t);
	const int has_cases = published_has_cases(t);

	if (check_heads(r, t) != 0)
		return -1;
	if (!r->strict && (!has_cases || role == PUBLISHED_OTHER))
		return 0;
	if (!has_cases || role == PUBLISHED_OTHER)
		return reference_mistake(r, t->line,
		    t->columns[0].col > 0 ? r->table_col : 0, NULL,
		    has_cases ? "a table needs a column of speeds or times, or "
				"one for each framework"
			      : "a table needs a column 'nodes' and a column "
				"'GPUs', or one of cases such as 4n8g");
	if (check_metric(r, t, role) != 0)
		return -1;
	if (strcmp(r->metric, metric_of(r, t, role)) != 0)
		return 0;
	for (size_t i = 0; i < t->n_remarks; i++)
		if (!r->strict || t->remarks[i].code != REMARK_READ_AS_SPEEDS)
			remark_cell(r, t->line, 0, "%s",
			    remark_text(&t->remarks[i], LANGUAGE_EN, r->arena));
	remark_unread(r, t, role);
	for (size_t i = 0; i < t->n_rows; i++)
		if (read_row(r, t, &t->rows[i], role) != 0)
			return -1;
	return 0;
}

/* Require that the named baseline is a case of the table before that line. */
static int
check_baseline(struct reference_reader *r, long line)
{
	if (r->baseline == NULL)
		return 0;
	for (size_t i = r->table_from; i < r->n; i++)
		if (strcmp(r->values[i].c.name, r->baseline) == 0)
			return 0;
	return error_at(r->e, ERROR_INPUT, r->name, r->baseline_line, 0,
	    "baseline '%s' is no row of the table before line %ld", r->baseline,
	    line);
}

int
reference_add_table(struct reference_reader *r, const struct published_table *t)
{
	const long line = r->line_number;

	r->table_from = r->n;
	if ((r->rows == ROWS_TOPOLOGIES ? read_topologies(r, t)
					: reference_read_records(r, t)) != 0)
		return -1;
	if (r->n == r->table_from)
		return r->strict ? error_at(r->e, ERROR_EMPTY, r->name, line, 0,
				       "the table before has no rows")
				 : 0;
	if (check_baseline(r, line) != 0)
		return -1;
	finish_values(r, t);
	return 0;
}
