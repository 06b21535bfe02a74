/* Check of a published table: findings, the baseline of each row, and the
 * search for a single wrong cell that explains several findings. */
#include <config.h>

#include "report/check/check.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "report/check/check_parts.h"
#include "report/parts/columns.h"

/* --- numbers -------------------------------------------------------------- */

const struct check_range check_nowhere = { NAN, NAN, NAN };

struct check_range
check_range_of(const struct published_number *n)
{
	return (struct check_range){ n->value - n->half, n->value + n->half,
		n->value };
}

struct check_range
check_range_between(double low, double high)
{
	return (struct check_range){ low, high, (low + high) / 2 };
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

int
check_is_number(const struct check_table *c, size_t row, size_t column)
{
	const struct published_cell *cell = &c->t->rows[row].cells[column];

	return cell->kind == PUBLISHED_NUMBER && cell->number.value > 0;
}

enum check_verdict
check_judge(const struct check_table *c, size_t row, size_t column,
    struct check_range computed)
{
	/* The first three verdicts are those of enum published_fit. */
	return (enum check_verdict)published_fits(
	    &c->t->rows[row].cells[column].number,
	    c->t->columns[column].decimals, computed.low, computed.high);
}

size_t
check_column_of(const struct published_table *t, const char *head)
{
	size_t k = 0;

	while (k < t->n_columns && strcmp(t->columns[k].head, head) != 0)
		k++;
	return k;
}

const char *
check_text_at(const struct check_table *c, size_t row, size_t column)
{
	return column < c->t->n_columns ? c->t->rows[row].cells[column].text
					: "";
}

/* --- step times of an even number of runs --------------------------------- */

/* The interval of the median in column k, widened by its rounding: in our
 * tables the next column, "[0.40, 0.44]", or two columns. Returns 1 if there is
 * one. */
static int
interval_of(
    const struct check_table *c, size_t row, size_t k, struct check_range *r)
{
	const int two = k + 2 < c->t->n_columns &&
	    strcmp(c->t->columns[k + 1].head, "median_low") == 0;
	const struct published_unit *unit = c->t->rows[row].cells[k].unit;
	char *low = arena_strdup(&c->r->arena, check_text_at(c, row, k + 1));
	const size_t len = strlen(low);
	struct published_cell bounds[2];
	const char *high =
	    two ? check_text_at(c, row, k + 2) : strchr(low, ',');

	if (!two) {
		if (high == NULL || *low != '[' || low[len - 1] != ']')
			return 0;
		low[len - 1] = low[high - low] = '\0';
		high++;
		low++;
	}
	unit = unit != NULL ? unit : c->t->columns[k].unit;
	published_quantity_read(
	    low + strspn(low, " "), c->t->point, unit, &bounds[0]);
	published_quantity_read(
	    high + strspn(high, " "), c->t->point, unit, &bounds[1]);
	*r = check_range_between(check_range_of(&bounds[0].number).low,
	    check_range_of(&bounds[1].number).high);
	return bounds[0].kind == PUBLISHED_NUMBER &&
	    bounds[1].kind == PUBLISHED_NUMBER;
}

/* The step time that a rate is computed from. Rates are computed per run, and
 * the median of an even number of runs is the mean of two values: m for times m
 * - d and m + d, but m / (m^2 - d^2) for their rates. d is bounded by the
 * interval only. */
struct check_range
check_time_of_work(const struct check_table *c, size_t row, size_t k)
{
	struct check_range r = check_range_of(&c->t->rows[row].cells[k].number),
			   bounds;
	static const char *const heads[] = { "runs", "n", "次数" };
	const size_t n_columns = c->t->n_columns;
	size_t of = n_columns;
	double d;
	long n;

	for (size_t i = 0; i < 3 && of == n_columns; i++)
		of = check_column_of(c->t, heads[i]);
	if (c->t->columns[k].role != PUBLISHED_STEP_TIME ||
	    parse_long(check_text_at(c, row, of), 1, LONG_MAX, &n) != 0 ||
	    n % 2 != 0 || !interval_of(c, row, k, &bounds))
		return r;
	d = fmin(r.high - bounds.low, bounds.high - r.low) *
	    (1 + 4 * DBL_EPSILON);
	if (d > 0)
		r.low = fmax(fmax(r.low - d * d / r.low, bounds.low),
		    DBL_EPSILON * r.low);
	return r;
}

/* --- findings ------------------------------------------------------------- */

void
check_add(const struct check_table *c, size_t row, size_t column,
    enum check_verdict verdict, struct check_range computed, struct remark why)
{
	struct check_report *r = c->r;
	const struct published_cell *cell = &c->t->rows[row].cells[column];
	const struct published_column *of = &c->t->columns[column];
	const struct published_unit *unit =
	    cell->unit != NULL ? cell->unit : of->unit;
	const char *name = cell->unit != NULL ? cell->unit->name : "";
	struct check_finding *f;

	/* An infinite bound, as from a division by almost 0, proves nothing. */
	if (isinf(computed.low) || isinf(computed.high)) {
		computed = check_nowhere;
		verdict = CHECK_NO_BASELINE;
	}
	r->findings =
	    vec_grow(r->findings, r->n, &r->alloc, sizeof *r->findings);
	f = &r->findings[r->n++];
	*f = (struct check_finding){ verdict, cell->line, cell->col,
		published_row_name(&r->arena, c->t, &c->t->rows[row]),
		arena_strdup(&r->arena, of->head),
		arena_strdup(&r->arena, cell->text), NULL, why, NULL,
		computed.low, computed.high };
	if (isnan(computed.low))
		return;
	f->cell = cell;
	f->expected = arena_printf(&r->arena, "%.*f%s%s",
	    cell->number.decimals > of->decimals ? cell->number.decimals
						 : of->decimals,
	    computed.at / (unit != NULL ? unit->scale : 1),
	    strlen(name) > 1 ? " " : "", name);
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

/* --- which cell is wrong -------------------------------------------------- */

/* A wrong speed makes its speedup and efficiency fail, and a wrong baseline
 * speed all of them. The single wrong cell is reported instead. */
enum {
	MAX_FAILING = 64, /* findings that one cell may explain; bits of a
			     mask */
	MAX_CELLS = 4000, /* wrong cells searched for per table */
	MAX_TRIALS = 64,  /* cells tried with another value */
	MAX_BLAMED = 8    /* cells of a table; larger ones are not searched */
};

/* A suspected cell, the value it should have, and the number of cells that fail
 * with that value. */
struct suspect {
	struct published_cell *cell;
	size_t row, column;
	struct check_range value;
	size_t agree;   /* findings that imply it */
	size_t failing; /* failing cells with that value */
	uint64_t mends; /* bit i: the i-th failing cell follows with that
			   value */
};

/* Number of findings from one on whose verdict is in [first, last]. */
static size_t
count_findings(const struct check_report *r, size_t from,
    enum check_verdict first, enum check_verdict last)
{
	size_t n = 0;

	for (size_t i = from; i < r->n; i++)
		n += r->findings[i].verdict >= first &&
		    r->findings[i].verdict <= last;
	return n;
}

/* Set the value of a cell with which most failing cells would follow, if their
 * operands grow with the cell or with its inverse. */
static void
find_value(
    const struct check_report *r, size_t from, int inverse, struct suspect *s)
{
	struct check_range list[MAX_FAILING];
	const double x = s->cell->number.value;
	size_t n = 0;

	for (size_t i = from; i < r->n && n < MAX_FAILING; i++) {
		const struct check_finding *f = &r->findings[i];
		struct check_range printed;

		if (f->verdict != CHECK_DIFFERS || f->cell == NULL)
			continue;
		printed = check_range_of(&f->cell->number);
		list[n++] = f->cell == s->cell
		    ? check_range_between(f->low, f->high)
		    : inverse ? check_range_between(x * f->low / printed.high,
				    x * f->high / printed.low)
			      : check_range_between(x * printed.low / f->high,
				    x * printed.high / f->low);
	}
	s->agree = check_range_overlap(list, n, &s->value);
}

static void
set_number(struct published_cell *cell, struct check_range r)
{
	cell->number.value = (r.low + r.high) / 2;
	cell->number.half = (r.high - r.low) / 2;
}

/* Check the table with the suspect's value. */
static void
try_suspect(const struct check_table *c, size_t from, struct suspect *s)
{
	struct check_report scratch = { .arena = ARENA_INIT, .file = "" };
	const struct published_number printed = s->cell->number;
	struct check_table copy = *c;
	size_t judged, following, bit = 0;

	copy.r = &scratch;
	set_number(s->cell, s->value);
	check_within(&copy);
	s->cell->number = printed;
	/* A cell without a verdict does not count as mended. */
	judged = count_findings(c->r, from, CHECK_FOLLOWS, CHECK_DIFFERS);
	following = count_findings(&scratch, 0, CHECK_FOLLOWS, CHECK_CUT);
	s->failing = following < judged ? judged - following : 0;
	for (size_t i = from; i < c->r->n; i++) {
		const struct check_finding *f = &c->r->findings[i], *now;

		if (f->verdict != CHECK_DIFFERS)
			continue;
		for (now = scratch.findings; now < scratch.findings + scratch.n;
		     now++)
			if (now->verdict <= CHECK_CUT && now->line == f->line &&
			    now->col == f->col)
				s->mends |= UINT64_C(1) << bit;
		bit++;
	}
	check_release(&scratch);
}

/* Find the cell that alone explains the most findings, at least two. Returns 0
 * if there is none, or several explain equally many. */
static int
find_suspect(const struct check_table *c, size_t from, struct suspect *best)
{
	const size_t failing =
	    count_findings(c->r, from, CHECK_DIFFERS, CHECK_DIFFERS);
	const size_t n_columns = c->t->n_columns;
	const size_t n_cells = c->t->n_rows * n_columns;
	size_t trials = 0, equal = 0;

	*best = (struct suspect){ .failing = failing };
	if (failing < 2 || failing > MAX_FAILING || n_cells > MAX_CELLS)
		return 0;
	for (size_t i = 0; i < 2 * n_cells; i++) {
		struct suspect s = { .row = i / 2 / n_columns,
			.column = i / 2 % n_columns };
		const enum published_role role = c->t->columns[s.column].role;
		size_t k = from;

		s.cell = &c->t->rows[s.row].cells[s.column];
		while (k < c->r->n && c->r->findings[k].cell != s.cell)
			k++;
		/* A quotient that follows is not suspected: a baseline's
		 * speedup is 1 by definition, and changing it would only change
		 * the baseline of others. */
		if (role < PUBLISHED_RATE ||
		    !check_is_number(c, s.row, s.column) ||
		    (k < c->r->n && role >= PUBLISHED_SPEEDUP &&
			c->r->findings[k].verdict <= CHECK_CUT))
			continue;
		find_value(c->r, from, i % 2 == 1, &s);
		if (s.agree < 2 || trials++ >= MAX_TRIALS)
			continue;
		try_suspect(c, from, &s);
		if (s.failing < best->failing) {
			*best = s;
			equal = 0;
		} else if (s.failing == best->failing &&
		    (s.mends & best->mends) != 0 && s.cell != best->cell) {
			equal++;
		}
	}
	return best->failing + 2 <= failing && equal == 0;
}

/* Replace the findings that the cell explains by one finding about it, at
 * from, and give the cell its value. */
static void
blame_cell(const struct check_table *c, size_t from, const struct suspect *s)
{
	const size_t failing =
	    count_findings(c->r, from, CHECK_DIFFERS, CHECK_DIFFERS);
	struct check_report *r = c->r;

	r->n = from;
	check_add(c, s->row, s->column, CHECK_DIFFERS, s->value,
	    REMARK(REMARK_EXPLAINS, remark_count(failing - s->failing)));
	r->findings[from].cell = NULL;
	set_number(s->cell, s->value);
	s->cell->text = arena_printf(&r->arena, "(%.60s → %s)", s->cell->text,
	    r->findings[from].expected);
	check_within(c);
	/* The cell is reported once. */
	for (size_t i = from + 1; i < r->n; i++)
		if (r->findings[i].cell == s->cell) {
			r->findings[i] = r->findings[--r->n];
			break;
		}
}

/* Check the cells of a table. If changing one cell would make several failing
 * cells follow, report that cell instead of them. */
static void
check_blame(const struct check_table *c)
{
	const size_t n_remarks = c->r->n_remarks, first = c->r->n;
	struct published_cell *cells[MAX_BLAMED], printed[MAX_BLAMED];
	struct suspect s;
	size_t n = 0;

	check_within(c);
	for (; n < MAX_BLAMED && find_suspect(c, first + n, &s); n++) {
		c->r->n_remarks = n_remarks;
		cells[n] = s.cell;
		printed[n] = *s.cell;
		blame_cell(c, first + n, &s);
	}
	while (n-- > 0)
		*cells[n] = printed[n];
}

/* --- tables --------------------------------------------------------------- */

static int
finding_compare(const void *a, const void *b)
{
	const struct check_finding *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->col != y->col)
		return x->col < y->col ? -1 : 1;
	return x->verdict < y->verdict ? -1 : x->verdict > y->verdict;
}

static void
check_one(struct check_table c)
{
	struct arena *a = &c.r->arena;
	/* Columns that were read where nothing was checked. */
	const char *heads[2] = { NULL, NULL };
	int measured = 0;

	for (size_t k = 0; k < c.t->n_columns; k++)
		measured |= c.t->columns[k].role >= PUBLISHED_RATE;
	if (!measured)
		return;
	c.r->n_tables++;
	c.baseline = arena_calloc(a, c.t->n_rows, sizeof *c.baseline);
	c.base = arena_calloc(a, c.t->n_rows, sizeof *c.base);
	c.stated = arena_calloc(a, c.t->n_rows, 1);
	c.done = arena_calloc(a, c.t->n_rows, 1);
	check_find_baselines(&c);
	for (size_t i = 0; i < c.t->n_remarks; i++)
		check_remark(&c, remark_copy(&c.t->remarks[i], a));
	/* The cells that could not be parsed as their column's quantity. */
	for (size_t i = 0; i < c.t->n_rows; i++)
		for (size_t k = 0; k < c.t->n_columns; k++) {
			const struct published_row *row = &c.t->rows[i];
			const struct published_cell *cell = &row->cells[k];
			const int is_bad = cell->kind == PUBLISHED_MALFORMED ||
			    cell->kind == PUBLISHED_BAD;

			if (is_bad || cell == row->problem_cell)
				check_add(&c, i, k,
				    cell->kind == PUBLISHED_MALFORMED
					? CHECK_MALFORMED
					: CHECK_UNREAD,
				    check_nowhere,
				    remark_plain(cell == row->problem_cell
					    ? row->problem
					    : cell->problem));
		}
	check_blame(&c);
	if (c.set != NULL)
		check_against(&c);
	if (count_findings(c.r, 0, CHECK_FOLLOWS, CHECK_MALFORMED) > 0)
		return;
	for (size_t k = 0; k < c.t->n_columns; k++) {
		const struct published_column *column = &c.t->columns[k];
		const char **list =
		    &heads[column->role >= PUBLISHED_RATE ? 0 : 1];

		if (column->role == PUBLISHED_OTHER ||
		    column->role >= PUBLISHED_RATE)
			*list = arena_join(a, *list, ", ",
			    arena_printf(a, "'%s'", column->head));
	}
	check_remark(&c,
	    REMARK(REMARK_NOTHING_FOLLOWS, remark_name(heads[0]),
		remark_name(heads[1])));
}

int
check_text(double samples, const char *name, const char *text, size_t len,
    const struct series_set *set, struct check_report *r, struct error *e)
{
	static const enum series_key keys[N_CHECK_NAMES] = { SERIES_MODEL,
		SERIES_FRAMEWORK, SERIES_PRECISION };
	struct check_names names[N_CHECK_NAMES];
	struct published p;

	*r = (struct check_report){ .arena = ARENA_INIT };
	if (published_read(name, text, len, &p, e) != 0)
		return -1;
	r->file = arena_strdup(&r->arena, name);
	for (int k = 0; k < N_CHECK_NAMES; k++)
		check_names_init(&names[k], keys[k], set, &p, &r->arena);
	for (size_t i = 0; i < p.n; i++)
		check_one((struct check_table){
		    r, samples, &p.tables[i], .set = set, .names = names });
	for (size_t i = 0; i < r->n; i++) {
		r->findings[i].cell = NULL;
		r->counts[r->findings[i].verdict]++;
	}
	if (r->n > 0)
		qsort(r->findings, r->n, sizeof *r->findings, finding_compare);
	published_release(&p);
	if (r->n_tables > 0)
		return 0;
	check_release(r);
	return error_at(e, ERROR_EMPTY, name, 0, 0,
	    "it has no table of speeds, times or speedups");
}

int
check_read(double samples, const char *path, const struct series_set *set,
    struct check_report *r, struct error *e)
{
	struct strbuf sb = STRBUF_INIT(PUBLISHED_MAX_BYTES);
	int rc;

	rc = text_file_read(path, &sb, e);
	if (rc == 0)
		rc =
		    check_text(samples, strcmp(path, "-") == 0 ? "stdin" : path,
			sb.buf, sb.len, set, r, e);
	strbuf_release(&sb);
	return rc;
}

int
check_exit_status(const struct check_report *r)
{
	if (r->counts[CHECK_DIFFERS] + r->counts[CHECK_MALFORMED] > 0)
		return EXIT_STATUS_GATE;
	return r->counts[CHECK_FOLLOWS] + r->counts[CHECK_CUT] > 0
	    ? EXIT_STATUS_OK
	    : EXIT_STATUS_EMPTY;
}

/* A verdict's word in JSON and CSV, and its message. */
static const struct {
	const char *word;
	enum message message;
	enum table_emphasis emphasis;
} verdicts[CHECK_N_VERDICTS] = {
	[CHECK_FOLLOWS] = { "follows", MESSAGE_FOLLOWS, TABLE_GOOD },
	[CHECK_CUT] = { "cut", MESSAGE_FOLLOWS_CUT, TABLE_PLAIN },
	[CHECK_DIFFERS] = { "differs", MESSAGE_DIFFERS, TABLE_BAD },
	[CHECK_MALFORMED] = { "malformed", MESSAGE_MALFORMED, TABLE_BAD },
	[CHECK_UNREAD] = { "unread", MESSAGE_UNREAD, TABLE_FAINT },
	[CHECK_NO_CASE] = { "no-case", MESSAGE_NO_CASE, TABLE_FAINT },
	[CHECK_SEVERAL] = { "several-cases", MESSAGE_SEVERAL_CASES,
	    TABLE_FAINT },
	[CHECK_NO_BASELINE] = { "unchecked", MESSAGE_UNCHECKED, TABLE_FAINT },
};

/* The columns after the place. */
static const struct {
	enum message head;
	enum table_align align;
} columns[] = {
	{ MESSAGE_CASE, TABLE_LEFT },
	{ MESSAGE_COLUMN, TABLE_LEFT },
	{ MESSAGE_PRINTED, TABLE_RIGHT },
	{ MESSAGE_SHOULD_BE, TABLE_RIGHT },
	{ MESSAGE_VERDICT, TABLE_LEFT },
	{ MESSAGE_WHY, TABLE_LEFT },
};

/* In CSV, sentences and verdicts are English. */
static void
add_row(struct table *t, const struct check_report *r,
    const struct check_finding *f, enum language lang, int flat)
{
	table_row(t);
	if (flat) {
		table_cell(t, r->file);
		table_cellf(t, "%ld", f->line);
		table_numeric(t);
		table_cellf(t, "%ld", f->col);
		table_numeric(t);
	} else if (f->col > 0) {
		table_cellf(t, "%s:%ld:%ld", r->file, f->line, f->col);
	} else {
		table_cellf(t, "%s:%ld", r->file, f->line);
	}
	table_cell(t, f->row);
	table_cell(t, f->column);
	table_cell(t, f->printed);
	table_cell(t, f->expected);
	table_cell(t,
	    flat ? verdicts[f->verdict].word
		 : message(verdicts[f->verdict].message, lang));
	table_emphasise(t, verdicts[f->verdict].emphasis);
	table_cell(t, remark_text(&f->why, lang, &t->arena));
	if (flat)
		table_cell(t, remark_rows[f->why.code].name);
}

void
check_write(const struct check_report *r, const struct report_how *how,
    int every, FILE *f)
{
	static const char *const heads[] = { "file", "line", "column", "case",
		"head", "printed", "expected", "verdict", "why", "reason",
		NULL };
	const enum language lang = how->flat ? LANGUAGE_EN : how->lang;
	struct report_tables list = { NULL, 0, 0 };
	struct table *t = report_tables_add(&list);

	t->name = "check";
	table_title(t, "%s", r->file);
	if (how->flat)
		flat_columns(t, heads);
	else
		table_column(t, message(MESSAGE_PLACE, lang), NULL, TABLE_LEFT);
	for (size_t i = 0; i < sizeof columns / sizeof columns[0] && !how->flat;
	     i++)
		table_column(
		    t, message(columns[i].head, lang), NULL, columns[i].align);
	for (size_t i = 0; i < r->n; i++) {
		const enum check_verdict v = r->findings[i].verdict;

		if (every || how->flat ||
		    (v != CHECK_FOLLOWS && v != CHECK_NO_BASELINE &&
			v != CHECK_NO_CASE))
			add_row(t, r, &r->findings[i], lang, how->flat);
	}
	table_note(t, "%s: %zu", message(MESSAGE_TABLES, lang), r->n_tables);
	for (int v = 0; v < CHECK_N_VERDICTS; v++)
		if (r->counts[v] > 0)
			table_note(t, "%s: %zu",
			    message(verdicts[v].message, lang), r->counts[v]);
	for (size_t i = 0; i < r->n_remarks; i++)
		table_note(t, "%s:%ld: %s", r->file, r->remarks[i].line,
		    remark_text(&r->remarks[i].remark, lang, &t->arena));
	/* Without rows only the counts, no empty table. */
	for (size_t i = 0; i < t->n_notes && t->n_rows == 0 && !how->flat; i++)
		fprintf(f, "%s\n", t->notes[i]);
	if (t->n_rows > 0 || how->flat)
		report_tables_write(&list, how, f);
	report_tables_release(&list);
}
