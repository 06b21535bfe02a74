/* Check of a published table: its cells, the comparison with results, and the
 * output. */
#include <config.h>

#include "report/check/check.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/result/work_rate.h"
#include "report/check/check_parts.h"
#include "report/parts/columns.h"

/* Add a remark on a table. */
static void
add_remark(struct check_report *r, long line, struct remark remark)
{
	r->remarks =
	    arena_grow(&r->arena, r->remarks, r->n_remarks, sizeof *r->remarks);
	r->remarks[r->n_remarks++] =
	    (struct check_remark){ line, remark_copy(&remark, &r->arena) };
}

/* --- comparison with results ---------------------------------------------- */

/* A cell is compared with the case of the same GPUs whose framework, batch,
 * precision and model do not contradict the table. A table may state its model
 * in the headings above it alone. */
enum { MODEL, FRAMEWORK, PRECISION, N_NAMES };
static const enum series_key name_keys[N_NAMES] = { SERIES_MODEL,
	SERIES_FRAMEWORK, SERIES_PRECISION };

/* The names of a series of the results. */
struct check_names {
	const char *words[N_NAMES]; /* NULL: unknown */
	int anywhere[N_NAMES];      /* a heading of any table has the name */
	int here[N_NAMES]; /* a heading above the table under check has it */
};

/* The words of a text in lower case, with a blank before each and at the end:
 * runs of letters, runs of digits, and bytes of longer characters. "ResNet-50
 * V1.5" contains those of "resnet50", "BERTbase" not those of "bert". */
static const char *
words_of(struct arena *a, const char *text)
{
	char *words = arena_calloc(a, 1, 2 * strlen(text) + 2), *to = words;
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

/* The words of all headings above a table, one heading per line. */
static const char *
heading_words(struct arena *a, const struct published_table *t)
{
	const char *words = "";

	for (size_t i = 0; i < PUBLISHED_MAX_HEADINGS; i++)
		if (t->headings[i] != NULL)
			words = arena_join(
			    a, words, "\n", words_of(a, t->headings[i]));
	return words;
}

static int
is_quotient(enum published_role role)
{
	return role == PUBLISHED_SPEEDUP || role == PUBLISHED_EFFICIENCY;
}

static int
may_equal(long a, long b)
{
	return a == PUBLISHED_UNKNOWN || b == RESULT_UNKNOWN || a == b;
}

/* The words that the cell's column or row, or the table, states as its model,
 * framework or precision, or NULL. A speedup is described by its own head and
 * the head of its speed, column k. */
static const char *
stated_words(
    const struct check_table *c, size_t row, size_t column, size_t k, int name)
{
	static const enum published_role roles[N_NAMES] = { PUBLISHED_MODEL,
		PUBLISHED_FRAMEWORK, PUBLISHED_PRECISION };
	const struct published_column *own = &c->t->columns[column];
	const struct published_column *of = &c->t->columns[k];
	const char *text = NULL;

	if (name == FRAMEWORK)
		text = own->framework != NULL ? own->framework : of->framework;
	if (name == PRECISION)
		text = own->precision != NULL ? own->precision
		    : of->precision != NULL   ? of->precision
					      : c->t->precision;
	for (size_t i = 0; i < c->t->n_columns; i++)
		if (c->t->columns[i].role == roles[name])
			text = c->t->rows[row].cells[i].text;
	return text != NULL && *text != '\0' ? words_of(&c->r->arena, text)
					     : NULL;
}

/* True if a case of series i has the names. A model or framework that is not
 * stated must be named by the headings above the table or, if these name none
 * of the results, by no heading of another table.
 *
 * unsaid  set to the keys that only the case states, bits by enum series_key */
static int
names_match(const struct check_table *c, size_t i, const char *const *stated,
    uint64_t *unsaid)
{
	const struct check_names *own = &c->names[i];

	*unsaid = 0;
	for (int k = 0; k < N_NAMES; k++) {
		int any_here = 0;

		if (own->words[k] == NULL)
			continue;
		if (stated[k] != NULL) {
			if (!words_match(stated[k], own->words[k]))
				return 0;
			continue;
		}
		if (k == PRECISION || !own->here[k])
			*unsaid |= SERIES_BIT(name_keys[k]);
		for (size_t j = 0; j < c->set->n; j++)
			any_here |= c->names[j].here[k];
		if (k != PRECISION &&
		    !(any_here ? own->here[k] : !own->anywhere[k]))
			return 0;
	}
	return 1;
}

/* The case's value in the base unit of the column, or NAN if it has no value of
 * the column's kind or its unit is not the one that the column names. */
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
	case PUBLISHED_SPEEDUP:
		return c->speedup;
	case PUBLISHED_EFFICIENCY:
		return c->efficiency;
	default:
		return NAN;
	}
}

/* Find the case of a cell. A speedup has the names and the batch of its speed.
 *
 * n       set to the number of cases that match
 * unsaid  set to the keys that only the case states */
static const struct series_point *
find_case(const struct check_table *c, size_t row, size_t column, size_t *n,
    uint64_t *unsaid)
{
	const struct published_column *of = &c->t->columns[column];
	const struct published_row *r = &c->t->rows[row];
	const size_t speed = is_quotient(of->role)
	    ? check_operand(c, column, row, row, SPEEDS)
	    : NO_ROW;
	const size_t k = speed != NO_ROW ? speed : column;
	const long batch = published_batch_of(c->t, r,
	    of->batch != PUBLISHED_UNKNOWN || of->batch_varies ? column : k);
	const struct series_point *found = NULL;
	const char *stated[N_NAMES];
	uint64_t keys;

	for (int name = 0; name < N_NAMES; name++)
		stated[name] = stated_words(c, row, column, k, name);
	*n = 0;
	for (size_t i = 0; i < c->set->n; i++) {
		const struct series *s = &c->set->items[i];

		if (!names_match(c, i, stated, &keys))
			continue;
		for (size_t j = 0; j < s->n_points; j++) {
			const struct result_case *x = s->points[j].c;

			if (isnan(case_number(x, of)) ||
			    !may_equal(r->nodes, x->nodes) ||
			    !may_equal(r->gpus, x->gpus) ||
			    !may_equal(batch, x->batch_size_per_device))
				continue;
			(*n)++;
			found = &s->points[j];
			*unsaid = keys;
			if (batch == PUBLISHED_UNKNOWN &&
			    x->batch_size_per_device != RESULT_UNKNOWN)
				*unsaid |= SERIES_BIT(SERIES_BATCH);
		}
	}
	return found;
}

/* Check a cell against its case. Returns the keys that only the case states. */
static uint64_t
check_against_cell(const struct check_table *c, size_t row, size_t column)
{
	const struct published_column *of = &c->t->columns[column];
	long own = RESULT_UNKNOWN, other = RESULT_UNKNOWN;
	uint64_t unsaid = 0;
	size_t n;
	const struct series_point *found =
	    find_case(c, row, column, &n, &unsaid);
	const struct result_case *x;
	struct check_range value;
	double gpus;

	if (n != 1) {
		check_add(c, row, column,
		    n == 0 ? CHECK_NO_CASE : CHECK_SEVERAL, check_nowhere,
		    n == 0 ? remark_plain(REMARK_NO_CASE)
			   : REMARK(REMARK_SEVERAL_CASES, remark_count(n)));
		return 0;
	}
	x = found->c;
	/* Speedups over different baselines are not compared: a result without
	 * the 1-GPU case has another one. */
	gpus = x->efficiency * (double)x->gpus / x->speedup;
	if (is_quotient(of->role) && x->gpus != RESULT_UNKNOWN && gpus >= 0.5 &&
	    gpus < 1e9) {
		other = lround(gpus);
		own = check_has_baseline(c, row, column)
		    ? c->t->rows[c->baseline[row]].gpus
		    : 1;
	}
	if (own != other) {
		check_add(c, row, column, CHECK_NO_BASELINE, check_nowhere,
		    REMARK(REMARK_OTHER_BASELINE, remark_number((double)own),
			remark_number((double)other)));
		return 0;
	}
	value = (struct check_range){ case_number(x, of), case_number(x, of),
		case_number(x, of) };
	check_add(c, row, column, check_judge(c, row, column, value), value,
	    REMARK(REMARK_FIGURE_OF,
		remark_name(of->role == PUBLISHED_SPEEDUP  ? "speedup"
			: of->role == PUBLISHED_EFFICIENCY ? "efficiency"
							   : "median"),
		remark_name(x->name), remark_name(found->source->path)));
	return unsaid;
}

static void
check_against(const struct check_table *c)
{
	const struct series_set *set = c->set;
	struct arena *a = &c->r->arena;
	const char *names = "", *headings = heading_words(a, c->t);
	uint64_t unsaid = 0;

	for (size_t i = 0; i < set->n; i++) {
		struct check_names *own = &c->names[i];

		for (int k = 0; k < N_NAMES; k++)
			own->here[k] = own->anywhere[k] &&
			    strstr(headings, own->words[k]) != NULL;
	}
	for (size_t i = 0; i < c->t->n_rows; i++)
		for (size_t k = 0; k < c->t->n_columns; k++) {
			const enum published_role role = c->t->columns[k].role;

			if (c->t->rows[i].cells[k].kind == PUBLISHED_NUMBER &&
			    (role == PUBLISHED_RATE ||
				role == PUBLISHED_STEP_TIME ||
				is_quotient(role)))
				unsaid |= check_against_cell(c, i, k);
		}
	/* Report the keys that the cases state and the table does not. */
	for (size_t k = 0; k < SERIES_LABELS; k++)
		if (unsaid & SERIES_BIT(k))
			names = arena_join(a, names, ", ", set->keys[k]);
	if (unsaid != 0)
		add_remark(c->r, c->t->line,
		    REMARK(REMARK_NOT_STATED, remark_name(names)));
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
check_one(struct check_table *c)
{
	struct check_report *r = c->r;
	int has_numbers = 0;

	for (size_t k = 0; k < c->t->n_columns; k++)
		has_numbers |= c->t->columns[k].role >= PUBLISHED_RATE;
	if (!has_numbers)
		return;
	for (size_t k = 0; k < c->t->n_columns; k++)
		if (c->t->columns[k].role == PUBLISHED_OTHER)
			strbuf_printf(c->unread, "%s'%s'",
			    c->unread->len > 0 ? ", " : "",
			    c->t->columns[k].head);
	r->n_tables++;
	c->baseline =
	    arena_calloc(&r->arena, c->t->n_rows, sizeof *c->baseline);
	for (size_t i = 0; i < c->t->n_remarks; i++)
		add_remark(r, c->t->line, c->t->remarks[i]);
	/* The cells that could not be parsed as their column's quantity. */
	for (size_t i = 0; i < c->t->n_rows; i++)
		for (size_t k = 0; k < c->t->n_columns; k++) {
			const struct published_row *row = &c->t->rows[i];
			const struct published_cell *cell = &row->cells[k];

			if (cell->kind == PUBLISHED_BAD ||
			    cell == row->problem_cell)
				check_add(c, i, k,
				    cell->problem == REMARK_CELL_NO_NUMBER
					? CHECK_MALFORMED
					: CHECK_UNREAD,
				    check_nowhere,
				    remark_plain(cell == row->problem_cell
					    ? row->problem
					    : cell->problem));
		}
	check_by_rules(c);
	if (c->set != NULL)
		check_against(c);
}

void
check_release(struct check_report *r)
{
	arena_release(&r->arena);
	*r = (struct check_report){ .arena = ARENA_INIT };
}

int
check_text(double samples, const char *name, const char *text, size_t len,
    const struct series_set *set, struct check_report *r, struct error *e)
{
	struct check_table c = { .r = r, .samples = samples, .set = set };
	struct strbuf all = STRBUF_INIT(4 * PUBLISHED_MAX_BYTES);
	struct arena *a = &r->arena;
	struct published p;

	*r = (struct check_report){ .arena = ARENA_INIT };
	if (published_read(name, text, len, 0, &p, e) != 0)
		return -1;
	r->file = arena_strdup(a, name);
	/* The names of the set's series, searched in all headings. */
	for (size_t i = 0; set != NULL && i < p.n; i++)
		strbuf_printf(&all, "%s\n", heading_words(a, &p.tables[i]));
	if (set != NULL)
		c.names = arena_calloc(a, set->n, sizeof *c.names);
	for (size_t i = 0; set != NULL && i < set->n; i++)
		for (int k = 0; k < N_NAMES; k++) {
			const char *value = set->items[i].values[name_keys[k]];
			struct check_names *own = &c.names[i];

			if (value == NULL)
				continue;
			own->words[k] = words_of(a, value);
			own->anywhere[k] = own->words[k][1] != '\0' &&
			    strstr(all.buf, own->words[k]) != NULL;
		}
	strbuf_reset(&all);
	c.unread = &all;
	for (c.t = p.tables; c.t < p.tables + p.n; c.t++)
		check_one(&c);
	if (p.html > 0)
		add_remark(r, p.html, remark_plain(REMARK_HTML));
	for (size_t i = 0; i < r->n; i++)
		r->counts[r->findings[i].verdict]++;
	if (r->n > 0)
		qsort(r->findings, r->n, sizeof *r->findings, finding_compare);
	if (check_exit_status(r) == EXIT_STATUS_EMPTY && r->n_tables > 0)
		add_remark(r, p.tables[0].line,
		    REMARK(REMARK_NOTHING_FOLLOWS,
			remark_name(all.len > 0 ? all.buf : NULL)));
	strbuf_release(&all);
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
	int rc = text_file_read(path, &sb, e);

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

/* In CSV, sentences and verdicts are English. */
static void
add_row(struct table *t, const struct check_report *r,
    const struct check_finding *f, enum language lang, int flat)
{
	table_row(t);
	if (flat) {
		table_cell(t, r->file);
		table_cellf(t, "%ld", f->line);
		table_last_cell(t)->is_numeric = 1;
		table_cellf(t, "%ld", f->col);
		table_last_cell(t)->is_numeric = 1;
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
	table_last_cell(t)->emphasis = verdicts[f->verdict].emphasis;
	table_cell(t, remark_text(&f->why, lang, &t->arena));
	if (flat)
		table_cell(t, remark_rows[f->why.code].name);
}

void
check_write(const struct check_report *r, const struct report_how *how,
    int every, FILE *f)
{
	static const char *const flat[] = { "file", "line", "column", "case",
		"head", "printed", "expected", "verdict", "why", "reason",
		NULL };
	static const enum message heads[] = { MESSAGE_PLACE, MESSAGE_CASE,
		MESSAGE_COLUMN, MESSAGE_PRINTED, MESSAGE_SHOULD_BE,
		MESSAGE_VERDICT, MESSAGE_WHY };
	const enum language lang = how->flat ? LANGUAGE_EN : how->lang;
	struct report_tables list = { NULL, 0, 0 };
	struct table *t = report_tables_add(&list);

	t->name = "check";
	table_title(t, "%s", r->file);
	if (how->flat)
		flat_columns(t, flat);
	else
		for (size_t i = 0; i < 7; i++)
			table_column(t, message(heads[i], lang), NULL,
			    i == 3 || i == 4 ? TABLE_RIGHT : TABLE_LEFT);
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
