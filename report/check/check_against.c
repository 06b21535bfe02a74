/* Cells of a published table against the cases of results: the case of the same
 * GPUs whose framework, batch, precision and model say nothing else.  Called by
 * check.c for each table. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "common/result/work_rate.h"
#include "report/check/check_parts.h"

/* What a cell is of, as far as the table says. */
struct cell_facts {
	const char *framework, *precision, *model;
	long nodes, gpus, batch;
};

/* Letters and figures of both are the same, in any case: "NGC MXNet" is
 * "ngc-mxnet". */
static int
names_match(const char *a, const char *b)
{
	for (;;) {
		while (*a != '\0' && (*a & 0x80) == 0 &&
		    !isalnum((unsigned char)*a))
			a++;
		while (*b != '\0' && (*b & 0x80) == 0 &&
		    !isalnum((unsigned char)*b))
			b++;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return 0;
		if (*a == '\0')
			return 1;
		a++;
		b++;
	}
}

/* What is unknown on one side is no difference. */
static int
may_match(const char *a, const char *b)
{
	return a == NULL || b == NULL || a[0] == '\0' || names_match(a, b);
}

static int
may_equal(long a, long b)
{
	return a == PUBLISHED_UNKNOWN || b == RESULT_UNKNOWN || a == b;
}

static struct cell_facts
facts_of(
    const struct check_table *c, const struct published_row *row, size_t column)
{
	const struct published_table *t = c->t;
	const struct published_column *own = &t->columns[column];
	struct cell_facts f = { own->framework, own->precision, NULL,
		row->nodes, row->gpus, published_batch_of(t, row, column) };

	for (size_t i = 0; i < t->n_columns; i++) {
		if (t->columns[i].role == PUBLISHED_FRAMEWORK)
			f.framework = row->cells[i].text;
		if (t->columns[i].role == PUBLISHED_PRECISION)
			f.precision = row->cells[i].text;
		if (t->columns[i].role == PUBLISHED_MODEL)
			f.model = row->cells[i].text;
	}
	if (f.precision == NULL)
		f.precision = t->precision;
	return f;
}

static int
case_matches(const struct result_case *c, const struct cell_facts *f)
{
	return may_equal(f->nodes, c->nodes) && may_equal(f->gpus, c->gpus) &&
	    may_equal(f->batch, c->batch_size_per_device) &&
	    may_match(f->framework, c->framework) &&
	    may_match(f->precision, c->precision) &&
	    may_match(f->model, c->model);
}

/* Is the case's number of the column's kind, and does it count what the column
 * counts, as far as that names a unit? */
static int
case_has(const struct result_case *c, const struct published_column *column)
{
	const char *rate = column->unit != NULL ? column->unit->rate : NULL;
	const enum work_kind kind = work_kind_of(c->unit);

	switch (column->role) {
	case PUBLISHED_RATE:
		return (kind == WORK_RATE || kind == WORK_STEP_RATE) &&
		    (rate == NULL || unit_is_alike(rate, c->unit)) &&
		    !isnan(c->median_speed);
	case PUBLISHED_STEP_TIME:
		return kind == WORK_STEP_TIME && !isnan(c->median_speed);
	case PUBLISHED_SPEEDUP:
		return !isnan(c->speedup);
	case PUBLISHED_EFFICIENCY:
		return !isnan(c->efficiency);
	default:
		return 0;
	}
}

static double
case_number(const struct result_case *c, enum published_role role)
{
	if (role == PUBLISHED_SPEEDUP)
		return c->speedup;
	return role == PUBLISHED_EFFICIENCY ? c->efficiency : c->median_speed;
}

/* A case that the cell may be of, how many there are, and where the first
 * stands. */
struct candidates {
	const struct series_point *first;
	size_t n;
};

static struct candidates
find_candidates(const struct series_set *set, const struct cell_facts *f,
    const struct published_column *column)
{
	struct candidates found = { NULL, 0 };

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct series_point *p = &set->items[i].points[k];

			if (!case_matches(p->c, f) || !case_has(p->c, column))
				continue;
			if (found.n++ == 0)
				found.first = p;
		}
	return found;
}

static void
check_against_cell(const struct check_table *c, const struct series_set *set,
    const struct published_row *row, size_t column)
{
	const enum published_role role = c->t->columns[column].role;
	const struct cell_facts f = facts_of(c, row, column);
	const struct candidates found =
	    find_candidates(set, &f, &c->t->columns[column]);
	const struct check_range nowhere = { NAN, NAN };
	double x;

	if (found.n == 0) {
		check_add(c, row, column, CHECK_NO_CASE, nowhere,
		    "no case of the results is of it");
		return;
	}
	if (found.n > 1) {
		check_add(c, row, column, CHECK_SEVERAL, nowhere,
		    arena_printf(&c->r->arena,
			"%zu cases of the results may be meant", found.n));
		return;
	}
	x = case_number(found.first->c, role);
	check_cell(c, row, column, (struct check_range){ x, x },
	    arena_printf(&c->r->arena, "%s of %s in %s",
		role == PUBLISHED_SPEEDUP          ? "speedup"
		    : role == PUBLISHED_EFFICIENCY ? "efficiency"
						   : "median",
		found.first->c->name != NULL ? found.first->c->name : "?",
		found.first->source->path));
}

void
check_against(const struct check_table *c, const struct series_set *set)
{
	for (size_t i = 0; i < c->t->n_rows; i++)
		for (size_t k = 0; k < c->t->n_columns; k++) {
			const enum published_role role = c->t->columns[k].role;

			if (c->t->rows[i].cells[k].kind == PUBLISHED_NUMBER &&
			    (role == PUBLISHED_RATE ||
				role == PUBLISHED_STEP_TIME ||
				role == PUBLISHED_SPEEDUP ||
				role == PUBLISHED_EFFICIENCY))
				check_against_cell(c, set, &c->t->rows[i], k);
		}
}
