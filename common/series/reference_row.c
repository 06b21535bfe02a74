/* One row of a figure file's table, and the baseline among rows: cells, values,
 * counts, names of cases. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "common/result/work_rate.h"
#include "common/series/reference_reader.h"
#include "common/units/units.h"

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
