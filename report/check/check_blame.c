/* Which cell is wrong where several do not follow.  A wrong speed of the
 * baseline lets every speedup fail, and a wrong speed its speedup and its
 * efficiency; who reads the list wants to know of that one cell.  Called by
 * check.c in place of check_within; it knows no rule. */
#include <config.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "report/check/check_parts.h"

enum {
	MAX_FAILING = 64, /* findings that one cell may explain; bits */
	MAX_CELLS = 4000, /* of a table that is looked at */
	MAX_TRIALS = 64,  /* cells that are tried with another value */
	MAX_BLAMED = 8    /* cells of a table */
};

/* A cell, the value that it should have, and how many cells do not follow
 * then. */
struct suspect {
	size_t row, column;
	struct check_range value;
	size_t agree;   /* findings that imply it */
	size_t failing; /* then; (size_t)-1: not tried */
	uint64_t mends; /* bit i: the i-th cell that failed follows then */
};

static int
is_following(const struct check_finding *f)
{
	return f->verdict == CHECK_FOLLOWS || f->verdict == CHECK_CUT;
}

static size_t
count_failing(const struct check_report *r, size_t from)
{
	size_t n = 0;

	for (size_t i = from; i < r->n; i++)
		n += r->findings[i].verdict == CHECK_DIFFERS;
	return n;
}

static size_t
count_following(const struct check_report *r, size_t from)
{
	size_t n = 0;

	for (size_t i = from; i < r->n; i++)
		n += is_following(&r->findings[i]);
	return n;
}

/* --- what a cell should be ------------------------------------------------ */

/* The value of a cell with which most failing ones would follow, if what they
 * follow from grows with it, or with its inverse. */
static struct suspect
suspect_of(const struct check_report *r, size_t from,
    const struct published_cell *cell, int inverse)
{
	struct check_range list[MAX_FAILING];
	struct suspect s = { .failing = (size_t)-1 };
	const double x = cell->number.value;
	size_t n = 0;

	for (size_t i = from; i < r->n && n < MAX_FAILING; i++) {
		const struct check_finding *f = &r->findings[i];
		struct check_range printed;

		if (f->verdict != CHECK_DIFFERS || f->cell == NULL)
			continue;
		printed = check_range_of(&f->cell->number);
		if (f->cell == cell)
			list[n++] = check_range_between(f->low, f->high);
		else if (inverse)
			list[n++] =
			    check_range_between(x * f->low / printed.high,
				x * f->high / printed.low);
		else
			list[n++] =
			    check_range_between(x * printed.low / f->high,
				x * printed.high / f->low);
	}
	s.agree = check_range_overlap(list, n, &s.value);
	return s;
}

/* --- trials --------------------------------------------------------------- */

/* A copy of a table in which one cell has another value. */
struct trial {
	struct published_table t;
	struct published_row *rows;
	struct published_cell *cells;
};

static void
trial_init(struct trial *x, const struct published_table *t,
    const struct suspect *s, const char *text)
{
	struct published_number *n;

	*x = (struct trial){ .t = *t };
	x->rows = xcalloc(t->n_rows, sizeof *x->rows);
	x->cells = xcalloc(t->n_columns, sizeof *x->cells);
	memcpy(x->rows, t->rows, t->n_rows * sizeof *x->rows);
	memcpy(
	    x->cells, t->rows[s->row].cells, t->n_columns * sizeof *x->cells);
	x->rows[s->row].cells = x->cells;
	x->t.rows = x->rows;
	n = &x->cells[s->column].number;
	n->value = (s->value.low + s->value.high) / 2;
	n->half = (s->value.high - s->value.low) / 2;
	x->cells[s->column].text = text;
}

static void
trial_release(struct trial *x)
{
	free(x->rows);
	free(x->cells);
}

/* Does the cell of that finding follow in another report? */
static int
follows_in(const struct check_report *r, const struct check_finding *f)
{
	for (size_t i = 0; i < r->n; i++)
		if (is_following(&r->findings[i]) &&
		    r->findings[i].line == f->line &&
		    r->findings[i].col == f->col)
			return 1;
	return 0;
}

static void
try_suspect(const struct check_table *c, size_t from, struct suspect *s)
{
	size_t bit = 0;

	struct check_report scratch = { .arena = ARENA_INIT, .file = "" };
	struct check_table copy = *c;
	struct trial x;

	trial_init(&x, c->t, s, "");
	copy.r = &scratch;
	copy.t = &x.t;
	check_within(&copy);
	/* One that nothing can be said about any more is not mended. */
	s->failing = count_failing(c->r, from) + count_following(c->r, from);
	s->failing -= count_following(&scratch, 0) < s->failing
	    ? count_following(&scratch, 0)
	    : s->failing;
	for (size_t i = from; i < c->r->n; i++)
		if (c->r->findings[i].verdict == CHECK_DIFFERS) {
			if (follows_in(&scratch, &c->r->findings[i]))
				s->mends |= UINT64_C(1) << bit;
			bit++;
		}
	trial_release(&x);
	check_release(&scratch);
}

/* A quotient that follows is none: a baseline's speedup is 1 by definition, and
 * another value of it would but let the others be over something else. */
static int
may_be_wrong(const struct check_table *c, size_t from, const struct suspect *s)
{
	const struct published_cell *cell =
	    &c->t->rows[s->row].cells[s->column];

	for (size_t i = from; i < c->r->n; i++)
		if (c->r->findings[i].cell == cell)
			return c->t->columns[s->column].role <
			    PUBLISHED_SPEEDUP ||
			    !is_following(&c->r->findings[i]);
	return 1;
}

/* The cell that alone explains most, at least two findings.  Returns 0 if none
 * does, or several do equally well. */
static int
find_suspect(const struct check_table *c, size_t from, struct suspect *best)
{
	const size_t failing = count_failing(c->r, from);
	const struct published_table *t = c->t;
	size_t trials = 0, equal = 0;

	*best = (struct suspect){ .failing = failing };
	if (failing < 2 || failing > MAX_FAILING ||
	    t->n_rows * t->n_columns > MAX_CELLS)
		return 0;
	for (size_t i = 0; i < 2 * t->n_rows * t->n_columns; i++) {
		const size_t at = i / 2, row = at / t->n_columns;
		const size_t column = at % t->n_columns;
		const struct published_cell *cell = &t->rows[row].cells[column];
		struct suspect s;

		if (t->columns[column].role < PUBLISHED_RATE ||
		    !check_is_number(cell))
			continue;
		s = suspect_of(c->r, from, cell, i % 2 == 1);
		s.row = row;
		s.column = column;
		if (s.agree < 2 || !may_be_wrong(c, from, &s) ||
		    trials++ >= MAX_TRIALS)
			continue;
		try_suspect(c, from, &s);
		if (s.failing < best->failing) {
			*best = s;
			equal = 0;
		} else if (s.failing == best->failing &&
		    (s.mends & best->mends) != 0 &&
		    (s.row != best->row || s.column != best->column)) {
			equal++;
		}
	}
	return best->failing + 2 <= failing && equal == 0;
}

/* --- findings ------------------------------------------------------------- */

/* Name the cell in place of those that follow with its other value, as the
 * finding at from. */
static void
blame_cell(const struct check_table *c, size_t from, const struct suspect *s,
    struct trial *x)
{
	const size_t explained = count_failing(c->r, from) - s->failing;
	const struct published_row *row = &c->t->rows[s->row];
	const struct published_cell *cell = &row->cells[s->column];
	struct check_table other = *c;
	struct check_report *r = c->r;

	check_drop(c, from);
	check_add(c, row, s->column, CHECK_DIFFERS, s->value,
	    REMARK(REMARK_EXPLAINS, remark_number((double)explained)));
	r->findings[from].cell = NULL;
	trial_init(x, c->t, s,
	    arena_printf(&r->arena, "(%.60s → %s)", cell->text,
		r->findings[from].expected));
	other.t = &x->t;
	check_within(&other);
	/* It is named once. */
	for (size_t i = from + 1; i < r->n; i++)
		if (r->findings[i].cell == &x->cells[s->column]) {
			r->counts[r->findings[i].verdict]--;
			r->findings[i] = r->findings[--r->n];
			break;
		}
}

void
check_blame(const struct check_table *c)
{
	const size_t n_remarks = c->r->n_remarks, first = c->r->n;
	struct trial trials[MAX_BLAMED];
	struct check_table now = *c;
	struct suspect s;
	size_t n = 0;

	check_within(c);
	while (n < MAX_BLAMED && find_suspect(&now, first + n, &s)) {
		c->r->n_remarks = n_remarks;
		blame_cell(&now, first + n, &s, &trials[n]);
		now.t = &trials[n++].t;
	}
	for (size_t i = first; i < c->r->n; i++)
		c->r->findings[i].cell = NULL;
	while (n > 0)
		trial_release(&trials[--n]);
}
