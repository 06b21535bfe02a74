/* Check of cells against results: against the case with the same GPUs whose
 * framework, batch, precision and model do not contradict the table. Models may
 * be named by the headings above a table only. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/work_rate.h"
#include "report/check/check_parts.h"

/* --- models and frameworks of headings ------------------------------------ */

/* True for an empty value: blanks or a dash. */
static int
is_filler(char c)
{
	return c != '\0' && (c & 0x80) == 0 && !isalnum((unsigned char)c);
}

/* Compare letters and digits only, ignoring case: "NGC MXNet" equals
 * "ngc-mxnet". */
static int
names_match(const char *a, const char *b)
{
	for (;;) {
		while (is_filler(*a))
			a++;
		while (is_filler(*b))
			b++;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return 0;
		if (*a == '\0')
			return 1;
		a++;
		b++;
	}
}

/* True if a and b belong to one word: both letters, or both digits. */
static int
in_one_word(char a, char b)
{
	return (isalpha((unsigned char)a) && isalpha((unsigned char)b)) ||
	    (isdigit((unsigned char)a) && isdigit((unsigned char)b));
}

/* True if the text begins with the name and a word ends there. */
static int
begins_with(const char *text, const char *name)
{
	char last = '\0';

	for (;;) {
		while (is_filler(*name))
			name++;
		if (*name == '\0')
			return last != '\0' && !in_one_word(last, *text);
		while (last != '\0' && is_filler(*text))
			text++;
		if (tolower((unsigned char)*text) !=
		    tolower((unsigned char)*name))
			return 0;
		last = *text++;
		name++;
	}
}

/* "ResNet-50 V1.5" names "resnet50", "BERTbase" does not name "bert". */
static int
heading_names(const char *heading, const char *name)
{
	for (const char *s = heading; *s != '\0'; s++)
		if ((s == heading || !in_one_word(s[-1], *s)) &&
		    begins_with(s, name))
			return 1;
	return 0;
}

static int
table_names(const struct published_table *t, const char *name)
{
	for (size_t i = 0; i < t->n_headings; i++)
		if (heading_names(t->headings[i], name))
			return 1;
	return 0;
}

static struct check_name *
find_name(const struct check_names *names, const char *value)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->items[i].value, value) == 0)
			return &names->items[i];
	return NULL;
}

void
check_names_init(struct check_names *names, const struct series_set *set,
    enum series_key key, const struct published *p)
{
	*names = (struct check_names){ NULL, 0, 0, 0 };
	for (size_t i = 0; set != NULL && i < set->n; i++) {
		const char *value = set->items[i].values[key];
		struct check_name *name;

		if (value == NULL || find_name(names, value) != NULL)
			continue;
		names->items = vec_grow(names->items, names->n, &names->alloc,
		    sizeof *names->items);
		name = &names->items[names->n++];
		*name = (struct check_name){ value, 0, 0 };
		for (size_t k = 0; k < p->n && !name->anywhere; k++)
			name->anywhere = table_names(&p->tables[k], value);
	}
}

void
check_names_release(struct check_names *names)
{
	free(names->items);
	*names = (struct check_names){ NULL, 0, 0, 0 };
}

void
check_names_at(struct check_names *names, const struct published_table *t)
{
	names->any_here = 0;
	for (size_t i = 0; i < names->n; i++) {
		struct check_name *name = &names->items[i];

		name->here = name->anywhere && table_names(t, name->value);
		names->any_here |= name->here;
	}
}

/* True if a table without a column of names can be about the name: its headings
 * name it, or they name none and no other table's headings do.
 *
 * stated  set to 1 if its headings name it */
static int
names_allow(const struct check_names *names, const char *value, int *stated)
{
	const struct check_name *name =
	    value != NULL ? find_name(names, value) : NULL;

	*stated = name != NULL && name->here;
	if (name == NULL)
		return 1;
	return names->any_here ? name->here : !name->anywhere;
}

/* --- cells ---------------------------------------------------------------- */

/* The configuration of a cell, as far as the table states it. */
struct cell_metadata {
	const char *framework, *precision, *model;
	long nodes, gpus, batch;
};

/* Values that one side does not state do not differ. */
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

/* The column whose head describes a cell: its own, or for a speedup that of the
 * speed. */
static size_t
speaking_column(
    const struct check_table *c, const struct published_row *row, size_t column)
{
	const enum published_role role = c->t->columns[column].role;
	size_t k;

	if (role != PUBLISHED_SPEEDUP && role != PUBLISHED_EFFICIENCY)
		return column;
	k = check_speed_of(c, (size_t)(row - c->t->rows), column);
	return k != NO_ROW ? k : column;
}

static struct cell_metadata
metadata_of(
    const struct check_table *c, const struct published_row *row, size_t column)
{
	const struct published_table *t = c->t;
	const struct published_column *own = &t->columns[column];
	const size_t k = speaking_column(c, row, column);
	const struct published_column *speaks = &t->columns[k];
	struct cell_metadata f = { own->framework != NULL ? own->framework
							  : speaks->framework,
		own->precision != NULL ? own->precision : speaks->precision,
		NULL, row->nodes, row->gpus,
		published_batch_of(t, row,
		    own->batch != PUBLISHED_UNKNOWN || own->batch_varies
			? column
			: k) };

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

/* True if the case's model or framework matches the cell's column, row or
 * headings.
 *
 * stated  set to 0 if none of these names one but the case does */
static int
name_matches(const char *of_cell, const char *of_case,
    const struct check_names *headings, int *stated)
{
	*stated = 1;
	if (of_cell != NULL && of_cell[0] != '\0')
		return may_match(of_cell, of_case);
	if (!names_allow(headings, of_case, stated))
		return 0;
	*stated |= of_case == NULL;
	return 1;
}

/* unsaid  set to the keys that only the case states, bits by enum series_key */
static int
case_matches(const struct check_table *c, const struct result_case *x,
    const struct cell_metadata *f, uint64_t *unsaid)
{
	int framework, model;

	if (!may_equal(f->nodes, x->nodes) || !may_equal(f->gpus, x->gpus) ||
	    !may_equal(f->batch, x->batch_size_per_device) ||
	    !may_match(f->precision, x->precision) ||
	    !name_matches(
		f->framework, x->framework, c->frameworks, &framework) ||
	    !name_matches(f->model, x->model, c->models, &model))
		return 0;
	*unsaid = (framework ? 0 : SERIES_BIT(SERIES_FRAMEWORK)) |
	    (model ? 0 : SERIES_BIT(SERIES_MODEL));
	if (f->precision == NULL && x->precision != NULL)
		*unsaid |= SERIES_BIT(SERIES_PRECISION);
	if (f->batch == PUBLISHED_UNKNOWN &&
	    x->batch_size_per_device != RESULT_UNKNOWN)
		*unsaid |= SERIES_BIT(SERIES_BATCH);
	return 1;
}

/* True if the case's value has the column's kind and, where the column names
 * one, its unit. */
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
	case PUBLISHED_DURATION:
		return kind == WORK_JOB_TIME && !isnan(c->median_speed);
	case PUBLISHED_SPEEDUP:
		return !isnan(c->speedup);
	case PUBLISHED_EFFICIENCY:
		return !isnan(c->efficiency);
	default:
		return 0;
	}
}

/* The case's value in the base unit of the role. */
static double
case_number(const struct result_case *c, enum published_role role)
{
	switch (role) {
	case PUBLISHED_SPEEDUP:
		return c->speedup;
	case PUBLISHED_EFFICIENCY:
		return c->efficiency;
	case PUBLISHED_DURATION:
		return 60 * c->median_speed; /* of minutes */
	default:
		return c->median_speed;
	}
}

/* The matching cases of a cell: the first one and their number. */
struct candidates {
	const struct series_point *first;
	size_t n;
	uint64_t unsaid; /* of the first case, as in case_matches */
};

static struct candidates
find_candidates(const struct check_table *c, const struct series_set *set,
    const struct cell_metadata *f, const struct published_column *column)
{
	struct candidates found = { NULL, 0, 0 };

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct series_point *p = &set->items[i].points[k];
			uint64_t unsaid;

			if (!case_has(p->c, column) ||
			    !case_matches(c, p->c, f, &unsaid))
				continue;
			if (found.n++ > 0)
				continue;
			found.first = p;
			found.unsaid = unsaid;
		}
	return found;
}

/* GPUs of a case's baseline, or RESULT_UNKNOWN. */
static long
baseline_gpus(const struct result_case *x)
{
	const double gpus = x->efficiency * (double)x->gpus / x->speedup;

	return x->gpus != RESULT_UNKNOWN && gpus >= 0.5 && gpus < 1e9
	    ? lround(gpus)
	    : RESULT_UNKNOWN;
}

/* Do not compare speedups over different baselines, as of a result without the
 * 1-GPU case. Returns 1 if a finding says so. */
static int
add_other_baseline(const struct check_table *c, const struct published_row *row,
    size_t column, const struct result_case *x)
{
	const enum published_role role = c->t->columns[column].role;
	const long other = baseline_gpus(x);
	long own;

	if ((role != PUBLISHED_SPEEDUP && role != PUBLISHED_EFFICIENCY) ||
	    other == RESULT_UNKNOWN)
		return 0;
	own = check_baseline_gpus(c, (size_t)(row - c->t->rows), column);
	if (own == other)
		return 0;
	check_add(c, row, column, CHECK_NO_BASELINE, check_nowhere,
	    REMARK(REMARK_OTHER_BASELINE, remark_number((double)own),
		remark_number((double)other)));
	return 1;
}

/* Returns the keys that only the case states. */
static uint64_t
check_against_cell(const struct check_table *c, const struct series_set *set,
    const struct published_row *row, size_t column)
{
	const enum published_role role = c->t->columns[column].role;
	const struct cell_metadata f = metadata_of(c, row, column);
	const struct candidates found =
	    find_candidates(c, set, &f, &c->t->columns[column]);
	double x;

	if (found.n == 0) {
		check_add(c, row, column, CHECK_NO_CASE, check_nowhere,
		    remark_plain(REMARK_NO_CASE));
		return 0;
	}
	if (found.n > 1) {
		check_add(c, row, column, CHECK_SEVERAL, check_nowhere,
		    REMARK(
			REMARK_SEVERAL_CASES, remark_number((double)found.n)));
		return 0;
	}
	if (add_other_baseline(c, row, column, found.first->c))
		return 0;
	x = case_number(found.first->c, role);
	check_cell(c, row, column, check_range_exact(x),
	    REMARK(REMARK_FIGURE_OF,
		remark_name(role == PUBLISHED_SPEEDUP  ? "speedup"
			: role == PUBLISHED_EFFICIENCY ? "efficiency"
						       : "median"),
		remark_name(arena_strdup(&c->r->arena, found.first->c->name)),
		remark_name(
		    arena_strdup(&c->r->arena, found.first->source->path))));
	return found.unsaid;
}

/* State it where a table that names no model was compared with the only model
 * of the results. */
static void
remark_unsaid(
    const struct check_table *c, const struct series_set *set, uint64_t unsaid)
{
	char names[200] = "";
	size_t at = 0;

	for (size_t k = 0; k < SERIES_LABELS; k++)
		if (unsaid & SERIES_BIT(k))
			at += (size_t)snprintf(names + at, sizeof names - at,
			    "%s%s", at > 0 ? ", " : "", set->keys[k]);
	if (at > 0)
		check_remark(c,
		    REMARK(REMARK_NOT_STATED,
			remark_name(arena_strdup(&c->r->arena, names))));
}

/* True if the results hold times to train. */
static int
has_job_times(const struct series_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++)
			if (work_kind_of(set->items[i].points[k].c->unit) ==
			    WORK_JOB_TIME)
				return 1;
	return 0;
}

/* True if results have values of that role. */
static int
is_of_results(enum published_role role, int job_times)
{
	return role == PUBLISHED_RATE || role == PUBLISHED_STEP_TIME ||
	    role == PUBLISHED_SPEEDUP || role == PUBLISHED_EFFICIENCY ||
	    (role == PUBLISHED_DURATION && job_times);
}

void
check_against(const struct check_table *c, const struct series_set *set)
{
	const int job_times = has_job_times(set);
	uint64_t unsaid = 0;

	for (size_t i = 0; i < c->t->n_rows; i++)
		for (size_t k = 0; k < c->t->n_columns; k++)
			if (c->t->rows[i].cells[k].kind == PUBLISHED_NUMBER &&
			    is_of_results(c->t->columns[k].role, job_times))
				unsaid |= check_against_cell(
				    c, set, &c->t->rows[i], k);
	remark_unsaid(c, set, unsaid);
}
