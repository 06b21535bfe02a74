/* Check of cells against results: against the case with the same GPUs whose
 * framework, batch, precision and model do not contradict the table. Models may
 * be named by the headings above a table only. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/result/work_rate.h"
#include "common/text.h"
#include "report/check/check_parts.h"

/* --- names ---------------------------------------------------------------- */

/* The words of a text in lower case, with a blank before each and at the end:
 * runs of letters, runs of digits, and bytes of longer characters. "ResNet-50
 * V1.5" contains those of "resnet50", "BERTbase" not those of "bert". */
static const char *
words_of(struct arena *a, const char *text)
{
	char *words = arena_alloc(a, 2 * strlen(text) + 2), *to = words;
	int last = 0; /* kind of the byte before */

	for (; *text != '\0'; text++) {
		const unsigned char b = (unsigned char)*text;
		const int kind = b >= 0x80 ? 3
		    : isalpha(b)           ? 1
		    : isdigit(b)           ? 2
					   : 0;

		if (kind != 0 && (kind != last || kind == 3))
			*to++ = ' ';
		if (kind != 0)
			*to++ = (char)tolower(b);
		last = kind;
	}
	*to = ' ';
	return words;
}

/* True if the words have the same letters and digits: "NGC MXNet" is
 * "ngc-mxnet". */
static int
words_match(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, " ");
		b += strspn(b, " ");
		if (*a != *b || *a == '\0')
			return *a == *b;
	}
}

/* True if a heading of the table contains the words. */
static int
table_names(struct arena *a, const struct published_table *t, const char *words)
{
	for (size_t i = 0; i < t->n_headings; i++)
		if (strstr(words_of(a, t->headings[i]), words) != NULL)
			return 1;
	return 0;
}

void
check_names_init(struct check_names *names, enum series_key key,
    const struct series_set *set, const struct published *p, struct arena *a)
{
	const size_t n = set != NULL ? set->n : 0;

	*names =
	    (struct check_names){ key, arena_calloc(a, n, sizeof *names->words),
		    arena_calloc(a, n, 1), arena_calloc(a, n, 1), 0 };
	for (size_t i = 0; i < n; i++) {
		const char *value = set->items[i].values[key];
		size_t same = 0;

		if (value == NULL)
			continue;
		names->words[i] = words_of(a, value);
		while (names->words[same] == NULL ||
		    strcmp(names->words[same], names->words[i]) != 0)
			same++;
		names->anywhere[i] = names->anywhere[same];
		for (size_t k = 0; same == i && k < p->n; k++)
			names->anywhere[i] |= names->words[i][1] != '\0' &&
			    table_names(a, &p->tables[k], names->words[i]);
	}
}

/* --- cells ---------------------------------------------------------------- */

/* The configuration of a cell, as far as the table states it. */
struct cell_metadata {
	const char *framework, *precision, *model; /* words, or NULL */
	long nodes, gpus, batch;
};

static int
may_equal(long a, long b)
{
	return a == PUBLISHED_UNKNOWN || b == RESULT_UNKNOWN || a == b;
}

static int
is_quotient(enum published_role role)
{
	return role == PUBLISHED_SPEEDUP || role == PUBLISHED_EFFICIENCY;
}

/* A speedup is described by its head and that of its speed. */
static struct cell_metadata
metadata_of(const struct check_table *c, size_t row, size_t column)
{
	const struct published_table *t = c->t;
	const struct published_row *r = &t->rows[row];
	const struct published_column *own = &t->columns[column];
	const size_t speed =
	    is_quotient(own->role) ? check_speed_of(c, row, column) : NO_ROW;
	const size_t k = speed != NO_ROW ? speed : column;
	const struct published_column *speaks = &t->columns[k];
	struct cell_metadata f = { own->framework != NULL ? own->framework
							  : speaks->framework,
		own->precision != NULL ? own->precision : speaks->precision,
		NULL, r->nodes, r->gpus,
		published_batch_of(t, r,
		    own->batch != PUBLISHED_UNKNOWN || own->batch_varies
			? column
			: k) };
	const char **texts[] = { &f.framework, &f.precision, &f.model };

	for (size_t i = 0; i < t->n_columns; i++) {
		if (t->columns[i].role == PUBLISHED_FRAMEWORK)
			f.framework = r->cells[i].text;
		if (t->columns[i].role == PUBLISHED_PRECISION)
			f.precision = r->cells[i].text;
		if (t->columns[i].role == PUBLISHED_MODEL)
			f.model = r->cells[i].text;
	}
	if (f.precision == NULL)
		f.precision = t->precision;
	for (size_t i = 0; i < 3; i++)
		*texts[i] = *texts[i] == NULL || **texts[i] == '\0'
		    ? NULL
		    : words_of(&c->r->arena, *texts[i]);
	return f;
}

/* True if the model or framework of a case of series i matches the cell's
 * column or row, else the headings: these name it, or they name none of the
 * results and no other table's headings name it. Values that one side does not
 * state do not differ.
 *
 * unsaid  the key is added if only the case states it */
static int
name_matches(const char *of_cell, const struct check_names *names, size_t i,
    uint64_t *unsaid)
{
	if (names->words[i] == NULL)
		return 1;
	if (of_cell != NULL)
		return words_match(of_cell, names->words[i]);
	if (!names->here[i])
		*unsaid |= SERIES_BIT(names->key);
	return names->any_here ? names->here[i] : !names->anywhere[i];
}

/* i       index of the case's series
 * unsaid  set to the keys that only the case states, bits by enum series_key */
static int
case_matches(const struct check_table *c, const struct result_case *x, size_t i,
    const struct cell_metadata *f, uint64_t *unsaid)
{
	const struct check_names *precisions = &c->names[CHECK_PRECISIONS];

	*unsaid = 0;
	if (f->precision == NULL && precisions->words[i] != NULL)
		*unsaid |= SERIES_BIT(SERIES_PRECISION);
	if (f->batch == PUBLISHED_UNKNOWN &&
	    x->batch_size_per_device != RESULT_UNKNOWN)
		*unsaid |= SERIES_BIT(SERIES_BATCH);
	return may_equal(f->nodes, x->nodes) && may_equal(f->gpus, x->gpus) &&
	    may_equal(f->batch, x->batch_size_per_device) &&
	    (f->precision == NULL || precisions->words[i] == NULL ||
		words_match(f->precision, precisions->words[i])) &&
	    name_matches(
		f->framework, &c->names[CHECK_FRAMEWORKS], i, unsaid) &&
	    name_matches(f->model, &c->names[CHECK_MODELS], i, unsaid);
}

/* The case's value in the base unit of the column, or NAN if it has none of
 * the column's kind and, where the column names one, its unit. */
static double
case_number(const struct result_case *c, const struct published_column *column)
{
	const char *rate = column->unit != NULL ? column->unit->rate : NULL;
	const enum work_kind kind = work_kind_of(c->unit);

	switch (column->role) {
	case PUBLISHED_RATE:
		return (kind == WORK_RATE || kind == WORK_STEP_RATE) &&
			(rate == NULL || unit_is_alike(rate, c->unit))
		    ? c->median_speed
		    : NAN;
	case PUBLISHED_STEP_TIME:
		return kind == WORK_STEP_TIME ? c->median_speed : NAN;
	case PUBLISHED_DURATION: /* in minutes */
		return kind == WORK_JOB_TIME ? 60 * c->median_speed : NAN;
	case PUBLISHED_SPEEDUP:
		return c->speedup;
	case PUBLISHED_EFFICIENCY:
		return c->efficiency;
	default:
		return NAN;
	}
}

/* Check a cell against its case. Returns the keys that only the case states. */
static uint64_t
check_against_cell(const struct check_table *c, size_t row, size_t column)
{
	const struct published_column *of = &c->t->columns[column];
	const struct cell_metadata f = metadata_of(c, row, column);
	long own = RESULT_UNKNOWN, other = RESULT_UNKNOWN;
	const struct series_point *found = NULL;
	const struct result_case *x;
	struct arena *a = &c->r->arena;
	uint64_t unsaid = 0, keys;
	struct check_range value;
	double gpus;
	size_t n = 0;

	for (size_t i = 0; i < c->set->n; i++)
		for (size_t k = 0; k < c->set->items[i].n_points; k++) {
			x = c->set->items[i].points[k].c;
			if (isnan(case_number(x, of)) ||
			    !case_matches(c, x, i, &f, &keys) || n++ > 0)
				continue;
			found = &c->set->items[i].points[k];
			unsaid = keys;
		}
	if (n != 1) {
		check_add(c, row, column,
		    n == 0 ? CHECK_NO_CASE : CHECK_SEVERAL, check_nowhere,
		    n == 0 ? remark_plain(REMARK_NO_CASE)
			   : REMARK(REMARK_SEVERAL_CASES, remark_count(n)));
		return 0;
	}
	x = found->c;
	/* Speedups over different baselines, as of a result without the 1-GPU
	 * case, are not compared. */
	gpus = x->efficiency * (double)x->gpus / x->speedup;
	if (is_quotient(of->role) && x->gpus != RESULT_UNKNOWN && gpus >= 0.5 &&
	    gpus < 1e9) {
		other = lround(gpus);
		own = check_baseline_gpus(c, row, column);
	}
	if (own != other) {
		check_add(c, row, column, CHECK_NO_BASELINE, check_nowhere,
		    REMARK(REMARK_OTHER_BASELINE, remark_number((double)own),
			remark_number((double)other)));
		return 0;
	}
	value = check_range_between(case_number(x, of), case_number(x, of));
	check_add(c, row, column, check_judge(c, row, column, value), value,
	    REMARK(REMARK_FIGURE_OF,
		remark_name(of->role == PUBLISHED_SPEEDUP  ? "speedup"
			: of->role == PUBLISHED_EFFICIENCY ? "efficiency"
							   : "median"),
		remark_name(arena_strdup(a, x->name)),
		remark_name(arena_strdup(a, found->source->path))));
	return unsaid;
}

void
check_against(const struct check_table *c)
{
	uint64_t unsaid = 0;
	const char *names = "";
	int job_times = 0; /* the results hold times to train */

	for (int k = 0; k < N_CHECK_NAMES; k++) {
		struct check_names *own = &c->names[k];

		own->any_here = 0;
		for (size_t i = 0; i < c->set->n; i++) {
			own->here[i] = own->anywhere[i] &&
			    table_names(&c->r->arena, c->t, own->words[i]);
			own->any_here |= own->here[i];
		}
	}
	for (size_t i = 0; i < c->set->n; i++)
		for (size_t k = 0; k < c->set->items[i].n_points; k++)
			job_times |=
			    work_kind_of(c->set->items[i].points[k].c->unit) ==
			    WORK_JOB_TIME;
	for (size_t i = 0; i < c->t->n_rows; i++)
		for (size_t k = 0; k < c->t->n_columns; k++) {
			const enum published_role role = c->t->columns[k].role;

			if (c->t->rows[i].cells[k].kind == PUBLISHED_NUMBER &&
			    (role == PUBLISHED_RATE ||
				role == PUBLISHED_STEP_TIME ||
				is_quotient(role) ||
				(role == PUBLISHED_DURATION && job_times)))
				unsaid |= check_against_cell(c, i, k);
		}
	/* Say what was compared that the table does not name. */
	for (size_t k = 0; k < SERIES_LABELS; k++)
		if (unsaid & SERIES_BIT(k))
			names = arena_join(
			    &c->r->arena, names, ", ", c->set->keys[k]);
	if (unsaid != 0)
		check_remark(c, REMARK(REMARK_NOT_STATED, remark_name(names)));
}
