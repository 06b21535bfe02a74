#include <config.h>

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/work_rate.h"
#include "common/series/reference_reader.h"
#include "common/units/units.h"

/* --- tables --------------------------------------------------------------- */

int
reference_next_cell(const char **at, const char *end, struct span *cell)
{
	const char *s = *at, *p = s;

	if (s >= end)
		return 0;
	while (p < end && *p != '|')
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	*cell = span_trim(s, (size_t)(p - s));
	*at = p < end ? p + 1 : end;
	return 1;
}

const char *
reference_cell_copy(struct reference_reader *r, struct span cell)
{
	char *s = arena_strndup(r->arena, cell.s, cell.len), *to = s;

	for (const char *from = s; *from != '\0'; from++) {
		if (from[0] == '\\' && ispunct((unsigned char)from[1]))
			from++;
		*to++ = *from;
	}
	*to = '\0';
	return s;
}

static const struct {
	const char *head;
	enum column_kind kind;
} known_heads[] = {
	{ "nodes", COLUMN_NODES },
	{ "node num", COLUMN_NODES },
	{ "节点数", COLUMN_NODES },
	{ "gpus", COLUMN_GPUS },
	{ "gpu num", COLUMN_GPUS },
	{ "gpu 数", COLUMN_GPUS },
};

/* "OneFlow (samples/s)": the unit, as our own tables write it. */
static struct span
split_unit(struct reference_reader *r, struct span head, struct column *c)
{
	const char *open = NULL, *unit;

	c->unit = r->unit;
	if (head.len == 0 || head.s[head.len - 1] != ')')
		return head;
	for (const char *p = head.s; p < head.s + head.len; p++)
		if (*p == '(')
			open = p;
	if (open == NULL)
		return head;
	unit = reference_values_unit((struct span){
	    open + 1, (size_t)(head.s + head.len - 1 - (open + 1)) });
	if (unit == NULL)
		return head;
	c->unit = unit;
	return span_trim(head.s, (size_t)(open - head.s));
}

/* A column that names a framework. */
static int
read_framework(struct reference_reader *r, struct span head, struct span text)
{
	struct column *c = &r->columns[r->n_columns];
	const char *metric = reference_values_metric(c->unit);

	c->framework = reference_cell_copy(r, text);
	if (r->metric == NULL)
		r->metric = metric;
	if (strcmp(r->metric, metric) != 0)
		return reference_values_fail(r, ERROR_INPUT, head.s,
		    "speeds and times in one file", SPAN_NONE);
	return 0;
}

static int
read_column(struct reference_reader *r, struct span head)
{
	struct column *c = &r->columns[r->n_columns];
	struct span text;

	*c = (struct column){ COLUMN_FRAMEWORK, NULL, NULL };
	text = split_unit(r, head, c);
	if (text.len == 0)
		return reference_values_fail(r, ERROR_INPUT, head.s,
		    "a column without a name", SPAN_NONE);
	for (size_t i = 0; i < sizeof known_heads / sizeof known_heads[0]; i++)
		if (span_is(text, known_heads[i].head))
			c->kind = known_heads[i].kind;
	if (c->kind == COLUMN_FRAMEWORK && read_framework(r, head, text) != 0)
		return -1;
	for (size_t i = 0; i < r->n_columns; i++)
		if (r->columns[i].kind == c->kind &&
		    (c->kind != COLUMN_FRAMEWORK ||
			strcmp(r->columns[i].framework, c->framework) == 0))
			return reference_values_fail(
			    r, ERROR_INPUT, head.s, "is there twice", head);
	r->n_columns++;
	return 0;
}

static size_t
count_kind(const struct reference_reader *r, enum column_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_columns; i++)
		n += r->columns[i].kind == kind;
	return n;
}

static int
read_heads(struct reference_reader *r, const char *at, const char *end)
{
	const char *row = at - 1;
	struct span head;

	r->n_columns = 0;
	r->table_from = r->n;
	while (reference_next_cell(&at, end, &head)) {
		if (r->n_columns == REFERENCE_VALUES_MAX_COLUMNS)
			return reference_values_fail(r, ERROR_LIMIT, head.s,
			    "too many columns", SPAN_NONE);
		if (read_column(r, head) != 0)
			return -1;
	}
	if (count_kind(r, COLUMN_NODES) == 0 || count_kind(r, COLUMN_GPUS) == 0)
		return reference_values_fail(r, ERROR_INPUT, row,
		    "a table needs a column 'nodes' and a column 'GPUs'",
		    SPAN_NONE);
	r->n_frameworks = count_kind(r, COLUMN_FRAMEWORK);
	if (r->n_frameworks == 0)
		return reference_values_fail(r, ERROR_INPUT, row,
		    "a table needs a column for each framework", SPAN_NONE);
	return 0;
}

/* "|---|:--:|" */
static int
is_separator(const char *at, const char *end)
{
	int dashes = 0;

	for (; at < end; at++) {
		if (strchr(" \t|:-", *at) == NULL)
			return 0;
		dashes += *at == '-';
	}
	return dashes > 0;
}

int
reference_read_value(
    struct reference_reader *r, struct span cell, double *value)
{
	const unsigned char first = cell.len > 0 ? (unsigned char)cell.s[0] : 0;

	*value = NAN;
	if (cell.len == 0 || span_is(cell, "-") || span_is(cell, "--") ||
	    isalpha(first) || first >= 0x80)
		return 0;
	if (number_scan(cell.s, cell.len, value) != cell.len || *value <= 0) {
		*value = NAN;
		return reference_values_fail(r, ERROR_INPUT, cell.s,
		    "is neither a number above 0 nor a word such as OOM, TODO "
		    "or n/a",
		    cell);
	}
	return 0;
}

void
reference_fill_shape(
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

static long
batch_per_device(const struct reference_reader *r, long gpus)
{
	if (!r->strong || r->batch == RESULT_UNKNOWN)
		return r->batch;
	return r->batch % gpus == 0 ? r->batch / gpus : RESULT_UNKNOWN;
}

static int
add_figure(struct reference_reader *r, const struct column *column,
    struct span cell, long nodes, long gpus)
{
	struct reference_value *f;
	struct result_case *c;

	if (r->n == REFERENCE_VALUES_MAX_CASES)
		return reference_values_fail(r, ERROR_LIMIT, cell.s,
		    "too many reference values", SPAN_NONE);
	r->values = vec_grow(r->values, r->n, &r->alloc, sizeof *f);
	f = &r->values[r->n];
	c = &f->c;
	result_case_init(c);
	if (reference_read_value(r, cell, &c->median_speed) != 0)
		return -1;
	f->text = reference_cell_copy(r, cell);
	f->line = r->line_number;
	c->framework = column->framework;
	c->model = r->model;
	c->precision = r->precision;
	c->batch_size_per_device = batch_per_device(r, gpus);
	c->labels = r->labels;
	c->n_labels = r->n_labels;
	c->unit = column->unit;
	c->rule = r->rule;
	reference_fill_shape(r, c, nodes, gpus);
	r->n++;
	return 0;
}

int
reference_read_count(
    struct reference_reader *r, struct span cell, int may_miss, long *out)
{
	*out = RESULT_UNKNOWN;
	if (may_miss && (cell.len == 0 || span_is(cell, "-")))
		return 0;
	if (whole_parse(cell.s, cell.len, 1, 100000000, out) != UNITS_OK)
		return reference_values_fail(
		    r, ERROR_INPUT, cell.s, "is not a count", cell);
	return 0;
}

int
reference_split_row(struct reference_reader *r, const char *at, const char *end,
    struct span cells[REFERENCE_VALUES_MAX_COLUMNS])
{
	struct span cell;
	size_t n = 0;

	while (reference_next_cell(&at, end, &cell)) {
		if (n == r->n_columns)
			return reference_values_fail(r, ERROR_INPUT, cell.s,
			    "a cell too many for the table's head", SPAN_NONE);
		cells[n++] = cell;
	}
	if (n < r->n_columns)
		return reference_values_fail(r, ERROR_INPUT, end,
		    "a cell too few for the table's head", SPAN_NONE);
	return 0;
}

static int
read_row(struct reference_reader *r, const char *at, const char *end)
{
	struct span cells[REFERENCE_VALUES_MAX_COLUMNS];
	long nodes = RESULT_UNKNOWN, gpus = RESULT_UNKNOWN;
	const char *nodes_at = at;

	if (reference_split_row(r, at, end, cells) != 0)
		return -1;
	for (size_t i = 0; i < r->n_columns; i++) {
		if (r->columns[i].kind == COLUMN_NODES) {
			nodes_at = cells[i].s;
			if (reference_read_count(r, cells[i], 1, &nodes) != 0)
				return -1;
		} else if (r->columns[i].kind == COLUMN_GPUS &&
		    reference_read_count(r, cells[i], 0, &gpus) != 0) {
			return -1;
		}
	}
	if (nodes != RESULT_UNKNOWN && gpus % nodes != 0)
		return reference_values_fail(r, ERROR_INPUT, nodes_at,
		    "the GPUs do not spread evenly over the nodes ('GPUs' "
		    "counts those of all nodes)",
		    SPAN_NONE);
	for (size_t i = 0; i < r->n_columns; i++)
		if (r->columns[i].kind == COLUMN_FRAMEWORK &&
		    add_figure(r, &r->columns[i], cells[i], nodes, gpus) != 0)
			return -1;
	return 0;
}

/* --- baselines ------------------------------------------------------------ */

/* The case of a column that its speedups stand on, or NULL: the one named,
 * else 1n1g, else the fewest GPUs with a number.
 *
 * from  the column's first figure; the next ones stand n_frameworks apart */
static const struct result_case *
find_baseline(const struct reference_reader *r, size_t from)
{
	const struct result_case *best = NULL;

	for (size_t i = from; i < r->n; i += r->n_frameworks)
		best = reference_better_baseline(r, best, &r->values[i].c);
	return best;
}

const struct result_case *
reference_better_baseline(const struct reference_reader *r,
    const struct result_case *best, const struct result_case *c)
{
	const char *wanted = r->baseline != NULL ? r->baseline : "1n1g";

	if (isnan(c->median_speed) ||
	    (best != NULL && strcmp(best->name, wanted) == 0))
		return best;
	if (strcmp(c->name, wanted) == 0)
		return c;
	if (r->baseline != NULL)
		return best;
	return best == NULL || c->gpus < best->gpus ? c : best;
}

void
reference_fill_speedup(struct reference_reader *r, struct result_case *c,
    const struct result_case *base)
{
	struct work_scale scale;

	if (base == NULL || !work_scale_of(c, base, r->strong, &scale))
		return;
	c->baseline = base->name;
	c->baseline_flag =
	    r->baseline == NULL && strcmp(base->name, "1n1g") != 0;
	c->speedup = work_rate(scale.kind, c->median_speed, scale.own) /
	    work_rate(scale.kind, base->median_speed, scale.base);
	/* Figures so far apart that their ratio is no number. */
	if (!isnormal(c->speedup))
		c->speedup = NAN;
	c->efficiency = c->speedup * (double)base->gpus / (double)c->gpus;
}

static void
fill_speedups(struct reference_reader *r, size_t from)
{
	const struct result_case *base = find_baseline(r, from);

	for (size_t i = from; i < r->n; i += r->n_frameworks)
		reference_fill_speedup(r, &r->values[i].c, base);
}

static int
check_baseline(struct reference_reader *r)
{
	if (r->baseline == NULL)
		return 0;
	for (size_t i = r->table_from; i < r->n; i++)
		if (strcmp(r->values[i].c.name, r->baseline) == 0)
			return 0;
	return error_at(r->e, ERROR_INPUT, r->name, r->baseline_line, 0,
	    "baseline '%s' is no row of the table before line %ld", r->baseline,
	    r->line_number);
}

int
reference_values_table_end(struct reference_reader *r)
{
	if (r->n_columns == 0)
		return 0;
	if (r->n == r->table_from)
		return error_at(r->e, ERROR_EMPTY, r->name, r->line_number, 0,
		    "the table before has no rows");
	if (check_baseline(r) != 0)
		return -1;
	for (size_t i = 0; r->rows == ROWS_SHAPES && i < r->n_frameworks; i++)
		fill_speedups(r, r->table_from + i);
	if (r->rows != ROWS_SHAPES)
		reference_records_end(r);
	r->n_columns = 0;
	return 0;
}

int
reference_values_table_line(struct reference_reader *r, struct span line)
{
	const char *at = line.s + 1, *end = line.s + line.len;

	if (end[-1] == '|' && line.len > 1)
		end--;
	else
		return reference_values_fail(
		    r, ERROR_INPUT, end, "a row must end with '|'", SPAN_NONE);
	if (r->n_columns == 0) {
		r->n_lines = 1;
		return r->rows == ROWS_SHAPES
		    ? read_heads(r, at, end)
		    : reference_records_heads(r, at, end);
	}
	r->n_lines++;
	if (r->n_lines == 2 && is_separator(at, end))
		return 0;
	return r->rows == ROWS_SHAPES ? read_row(r, at, end)
				      : reference_records_row(r, at, end);
}
