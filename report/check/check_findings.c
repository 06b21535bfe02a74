/* What all checks of cells stand on: the values that a printed number stands
 * for, whether what was computed is one of them, and the list of findings.
 * Called by check_within.c and check_against.c; it knows no rule. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "report/check/check_parts.h"

/* --- numbers -------------------------------------------------------------- */

struct check_range
check_range_of(const struct published_number *n)
{
	return (struct check_range){ n->value - n->half, n->value + n->half,
		n->value };
}

struct check_range
check_range_over(struct check_range a, struct check_range b)
{
	return (
	    struct check_range){ a.low / b.high, a.high / b.low, a.at / b.at };
}

struct check_range
check_range_times(struct check_range a, struct check_range b)
{
	return (
	    struct check_range){ a.low * b.low, a.high * b.high, a.at * b.at };
}

struct check_range
check_range_exact(double x)
{
	return (struct check_range){ x, x, x };
}

struct check_range
check_range_between(double low, double high)
{
	return (struct check_range){ low, high, (low + high) / 2 };
}

struct check_range
check_range_scaled(struct check_range a, double factor)
{
	return (struct check_range){ a.low * factor, a.high * factor,
		a.at * factor };
}

size_t
check_range_overlap(
    const struct check_range *list, size_t n, struct check_range *out)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		struct check_range r =
		    check_range_between(list[i].low, INFINITY);
		size_t agree = 0;

		for (size_t k = 0; k < n; k++)
			if (list[k].low <= r.low && list[k].high >= r.low) {
				agree++;
				r.high = fmin(r.high, list[k].high);
			}
		if (agree > most) {
			most = agree;
			*out = check_range_between(r.low, r.high);
		}
	}
	return most;
}

enum check_verdict
check_judge(const struct published_number *printed, int decimals,
    struct check_range computed)
{
	switch (
	    published_fits(printed, decimals, computed.low, computed.high)) {
	case PUBLISHED_ROUNDS:
		return CHECK_FOLLOWS;
	case PUBLISHED_CUT:
		return CHECK_CUT;
	default:
		return CHECK_DIFFERS;
	}
}

/* --- findings ------------------------------------------------------------- */

/* A number of the column's kind with as many digits as it prints. */
static const char *
as_printed(struct arena *a, const struct published_cell *cell,
    const struct published_column *column, struct check_range range)
{
	const struct published_unit *unit =
	    cell->unit != NULL ? cell->unit : column->unit;
	const double scale = unit != NULL ? unit->scale : 1;
	const char *name = cell->unit != NULL ? cell->unit->name : "";

	if (isnan(range.low))
		return NULL;
	return arena_printf(a, "%.*f%s%s",
	    cell->number.decimals > column->decimals ? cell->number.decimals
						     : column->decimals,
	    range.at / scale, strlen(name) > 1 ? " " : "", name);
}

void
check_add_text(const struct check_table *c, const struct published_row *row,
    size_t column, enum check_verdict verdict, const char *expected,
    struct remark why)
{
	struct check_report *r = c->r;
	const struct published_cell *cell = &row->cells[column];

	r->findings =
	    vec_grow(r->findings, r->n, &r->alloc, sizeof *r->findings);
	r->findings[r->n++] = (struct check_finding){ verdict, cell->line,
		cell->col, published_row_name(&r->arena, c->t, row),
		arena_strdup(&r->arena, c->t->columns[column].head),
		arena_strdup(&r->arena, cell->text), expected, why, NULL, NAN,
		NAN };
	r->counts[verdict]++;
}

void
check_add(const struct check_table *c, const struct published_row *row,
    size_t column, enum check_verdict verdict, struct check_range computed,
    struct remark why)
{
	struct check_finding *f;

	/* What is beyond all numbers is nothing that a cell could follow
	 * from, as where a time of almost nothing divides. */
	if (isinf(computed.low) || isinf(computed.high)) {
		computed = check_range_exact(NAN);
		verdict = CHECK_NO_BASELINE;
	}
	check_add_text(c, row, column, verdict,
	    as_printed(&c->r->arena, &row->cells[column],
		&c->t->columns[column], computed),
	    why);
	f = &c->r->findings[c->r->n - 1];
	f->cell = &row->cells[column];
	f->low = computed.low;
	f->high = computed.high;
}

void
check_drop(const struct check_table *c, size_t n)
{
	struct check_report *r = c->r;

	while (r->n > n)
		r->counts[r->findings[--r->n].verdict]--;
}

void
check_cell(const struct check_table *c, const struct published_row *row,
    size_t column, struct check_range computed, struct remark why)
{
	check_add(c, row, column,
	    check_judge(&row->cells[column].number,
		c->t->columns[column].decimals, computed),
	    computed, why);
}

void
check_remark(const struct check_table *c, struct remark remark)
{
	struct check_report *r = c->r;

	r->remarks = vec_grow(
	    r->remarks, r->n_remarks, &r->alloc_remarks, sizeof *r->remarks);
	r->remarks[r->n_remarks++] =
	    (struct check_remark){ c->t->line, remark };
}

void
check_release(struct check_report *r)
{
	arena_release(&r->arena);
	free(r->findings);
	free(r->remarks);
	*r = (struct check_report){ .arena = ARENA_INIT };
}
