#include <config.h>

#include "common/series/reference_reader.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/result/work_rate.h"
#include "common/units/units.h"

/* --- texts and errors ----------------------------------------------------- */

static const struct {
	const char *name;
	const char *metric;
} units[] = {
	{ REFERENCE_VALUES_UNIT, "throughput" },
	{ "images/s", "throughput" },
	{ "sequences/s", "throughput" },
	{ "examples/s", "throughput" },
	{ "tokens/s", "throughput" },
	{ "items/s", "throughput" },
	{ "iterations/s", "throughput" },
	{ "s", "step-time" },
	{ "min", "time-to-train" },
};
enum { N_UNITS = sizeof units / sizeof units[0] };

int
reference_values_fail(struct reference_reader *r, enum error_code code,
    const char *at, const char *what, struct span value)
{
	long col = at == NULL ? 0 : (long)(at - r->line) + 1;
	int len = value.len > REFERENCE_VALUES_ECHO ? REFERENCE_VALUES_ECHO
						    : (int)value.len;

	if (value.s == NULL)
		error_at(r->e, code, r->name, r->line_number, col, "%s", what);
	else
		error_at(r->e, code, r->name, r->line_number, col, "'%.*s' %s",
		    len, value.s, what);
	if (at != NULL)
		error_caret(r->e, r->line, r->line_len, col);
	return -1;
}

struct span
span_trim(const char *s, size_t len)
{
	while (len > 0 && (s[0] == ' ' || s[0] == '\t')) {
		s++;
		len--;
	}
	while (len > 0 && (s[len - 1] == ' ' || s[len - 1] == '\t'))
		len--;
	return (struct span){ s, len };
}

int
span_is(struct span a, const char *word)
{
	return a.len == strlen(word) && strncasecmp(a.s, word, a.len) == 0;
}

const char *
reference_values_unit(struct span a)
{
	for (int i = 0; i < N_UNITS; i++)
		if (a.len == strlen(units[i].name) &&
		    memcmp(a.s, units[i].name, a.len) == 0)
			return units[i].name;
	return NULL;
}

const char *
reference_values_metric(const char *unit)
{
	for (int i = 0; i < N_UNITS; i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].metric;
	return units[0].metric;
}

/* --- cells, and the baseline among rows ----------------------------------- */

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
			    "a cell too many for the table's header",
			    SPAN_NONE);
		cells[n++] = cell;
	}
	if (n < r->n_columns)
		return reference_values_fail(r, ERROR_INPUT, end,
		    "a cell too few for the table's header", SPAN_NONE);
	return 0;
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

int
reference_check_baseline(struct reference_reader *r)
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

/* --- tables of a figure file, line by line -------------------------------- */

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

/* A table of topologies is read as a whole. */
static int
topologies_end(struct reference_reader *r)
{
	struct published p;
	int rc;

	if (r->table_at == NULL)
		return 0;
	if (published_read_block(r->name, r->table_at,
		(size_t)(r->table_end - r->table_at), r->table_line, &p,
		r->e) != 0)
		return -1;
	assert(p.n <= 1);
	rc = p.n == 1 ? reference_values_add_table(r, &p.tables[0]) : 0;
	published_release(&p);
	r->table_at = NULL;
	return rc;
}

int
reference_values_table_end(struct reference_reader *r)
{
	if (topologies_end(r) != 0)
		return -1;
	if (r->n_columns == 0)
		return 0;
	if (r->n == r->table_from)
		return error_at(r->e, ERROR_EMPTY, r->name, r->line_number, 0,
		    "the table before has no rows");
	if (reference_check_baseline(r) != 0)
		return -1;
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
	if (r->rows == ROWS_TOPOLOGIES) {
		if (r->table_at == NULL) {
			r->table_at = r->line;
			r->table_line = r->line_number;
			r->table_col = (long)(line.s - r->line) + 1;
		}
		r->table_end = r->line + r->line_len;
		return 0;
	}
	if (r->n_columns == 0) {
		r->n_lines = 1;
		return reference_records_heads(r, at, end);
	}
	r->n_lines++;
	if (r->n_lines == 2 && is_separator(at, end))
		return 0;
	return reference_records_row(r, at, end);
}
