#include <config.h>

#include "common/series/runs_table.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "common/defaults.h"
#include "common/files/infile.h"
#include "common/hash_index.h"
#include "common/result/result_check.h"
#include "common/result/work_rate.h"
#include "common/series/log_operands.h"
#include "common/series/table_columns.h"
#include "common/text.h"

enum {
	MAX_FILE = 16 << 20,
	MAX_CASES = 10000,
	LOOKED_AT = 1000 /* rows that show whether rows repeat a case */
};
static const double max_count = 1e12;

/* A process whose operations take this times those of the others. */
#define LEAST_STRAGGLER 1.1

struct runs_table_options runs_table_options;

struct table_reader {
	const char *name;
	const struct table_form *form;
	struct run_rows rows;
	struct table_columns columns;
	struct hash_index cases; /* of r */
	struct result *r;
	struct error *e;
};

/* --- cells ---------------------------------------------------------------- */

/* Read the number of cell k, which is a count, also one written as "8.0", or in
 * the unit of the field. Returns 1; 0 if the cell is none, in another program's
 * table; -1 with an error in any other. */
static int
read_number(const struct table_reader *x, const struct run_row *row, size_t k,
    int is_count, double *number)
{
	const char *text = run_row_cell(row, k);
	const char *head = x->columns.items[k].field->head;

	if (parse_double(text, 0, is_count ? max_count : RESULT_NUMBER_MAX,
		number) == 0 &&
	    !(is_count && floor(*number) < *number) &&
	    !(*number <= 0 && strcmp(head, "value") == 0))
		return 1;
	return x->form->name != NULL
	    ? 0
	    : error_set(x->e, ERROR_INPUT, "%s:%ld: %s: '%.40s' is not %s",
		  x->name, row->line, x->rows.heads[k], text,
		  is_count ? "a count" : "a number above 0");
}

static void
add_label(
    struct arena *a, struct result_case *c, const char *key, const char *value)
{
	c->labels = arena_longer(a, c->labels, c->n_labels, sizeof *c->labels);
	c->labels[c->n_labels++] = (struct result_pair){ key, value };
}

/* Set what cell k states. */
static int
set_member(const struct table_reader *x, const struct run_row *row, size_t k,
    struct row_content *w)
{
	const struct table_field *f = x->columns.items[k].field;
	const struct form_list *words = &x->form->keys[FORM_WORD];
	const char *text = run_row_cell(row, k);
	const char *meaning = result_pair_value(words->items, words->n, text);
	struct arena *a = &x->r->arena;
	char *bases[] = { [FIELD_OF_CASE] = (char *)&w->c,
		[FIELD_OF_RUN] = (char *)&w->run,
		[FIELD_OF_RULE] = (char *)&x->r->rule,
		[FIELD_OF_COLLECTIVE] = (char *)&w->collective,
		[FIELD_OF_ROW] = (char *)w };
	char *member = bases[f->of] + f->at;
	struct remark flag;
	double number;
	long count;
	int rc = 0;

	text = meaning != NULL ? meaning : text;
	switch (f->kind) {
	case CELL_WORD:
		memcpy(member, &text, sizeof text);
		break;
	case CELL_FLAG:
		flag = REMARK(REMARK_OTHER, remark_name(text));
		if (!table_columns_have(&x->columns, &x->rows, "flag_codes"))
			result_run_flag(&w->run, &flag, a);
		break;
	case CELL_FLAG_CODES:
		rc = run_flags_parse(&w->run, x->name, text, a, x->e);
		break;
	case CELL_COUNT:
	case CELL_FACTOR:
		rc = read_number(x, row, k, 1, &number);
		memcpy(&count, member, sizeof count);
		if (f->kind == CELL_COUNT || count == RESULT_UNKNOWN)
			count = 1;
		count *= (long)number;
		if (rc > 0)
			memcpy(member, &count, sizeof count);
		break;
	case CELL_NUMBER:
	case CELL_MICROSECONDS:
		rc = read_number(x, row, k, 0, &number);
		number *= f->kind == CELL_MICROSECONDS ? 1e-6 : 1;
		if (rc > 0)
			memcpy(member, &number, sizeof number);
		break;
	case CELL_LABEL:
		add_label(a, &w->c, x->columns.items[k].name, text);
		break;
	case CELL_IGNORED:
		break;
	}
	return rc < 0 ? -1 : 0;
}

/* --- cases ---------------------------------------------------------------- */

/* Name a case of unknown GPUs by its parallelism, "tp=2,pp=4", instead of
 * labels. */
static void
name_by_parallelism(struct arena *a, struct result_case *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n_labels; i++) {
		const struct result_pair l = c->labels[i];

		if (head_is(l.key, HEAD_PARALLEL))
			c->name = arena_join(a, c->name, ",",
			    arena_printf(a, "%s=%s", l.key, l.value));
		else
			c->labels[kept++] = l;
	}
	c->n_labels = kept;
	if (c->name == NULL)
		c->name = "unknown";
}

/* Complete the counts of a case. */
static void
complete_counts(const struct table_reader *x, struct row_content *w)
{
	struct result_case *c = &w->c;
	long nodes, gpus;
	const char *rest;

	if (w->gpu_count != RESULT_UNKNOWN)
		*(x->columns.gpus_of_node ? &c->gpus_per_node : &c->gpus) =
		    w->gpu_count;
	if (c->name != NULL && c->gpus == RESULT_UNKNOWN &&
	    published_case_read(c->name, &nodes, &gpus, &rest) &&
	    rest[0] == '\0') {
		c->nodes = nodes;
		c->gpus = gpus;
	}
	if (c->gpus == RESULT_UNKNOWN && c->gpus_per_node > 0 && c->nodes > 0)
		c->gpus = c->gpus_per_node * c->nodes;
	if (c->gpus_per_node == RESULT_UNKNOWN && c->nodes > 0 && c->gpus > 0 &&
	    c->gpus % c->nodes == 0)
		c->gpus_per_node = c->gpus / c->nodes;
}

/* Complete the counts, batch and name of a case. */
static void
complete_case(const struct table_reader *x, struct row_content *w)
{
	struct result_case *c = &w->c;
	struct arena *a = &x->r->arena;

	complete_counts(x, w);
	if (w->global_batch > 0 && c->gpus > 0 &&
	    w->global_batch % c->gpus == 0)
		c->batch_size_per_device = w->global_batch / c->gpus;
	else if (w->global_batch > 0)
		add_label(a, c, "global_batch_size",
		    arena_printf(a, "%ld", w->global_batch));
	if (c->rule == NULL)
		c->rule = x->columns.is_own ? "all" : "summary";
	if (c->name != NULL)
		return;
	if (c->gpus > 0)
		c->name = c->gpus_per_node > 0
		    ? arena_printf(a, "%ldn%ldg", c->nodes, c->gpus_per_node)
		    : arena_printf(a, "%ldg", c->gpus);
	else if (c->nodes > 0)
		c->name = arena_printf(a, "%ldn", c->nodes);
	else
		name_by_parallelism(a, c);
}

/* Convert the value to a unit of results, which our own table has. */
static void
complete_value(const struct table_reader *x, struct row_content *w)
{
	struct arena *a = &x->r->arena;
	struct result_case *c = &w->c;
	struct value_unit u = x->columns.unit;

	if (x->columns.is_own)
		return;
	if (c->unit != NULL) {
		u = value_unit_of(a, c->unit, PUBLISHED_OTHER);
		u.name = u.name != NULL ? u.name : c->unit;
	}
	for (size_t i = 0; u.name == NULL && i < c->n_labels; i++)
		if (head_is(c->labels[i].key, HEAD_METRIC))
			u = value_unit_of(
			    a, c->labels[i].value, PUBLISHED_OTHER);
	w->run.value *= u.scale;
	if (u.per_gpu && c->gpus > 0)
		w->run.value *= (double)c->gpus;
	c->unit = u.name == NULL        ? ""
	    : u.per_gpu && c->gpus <= 0 ? arena_printf(a, "%s/GPU", u.name)
					: u.name;
	if (unit_counts_samples(c->unit))
		w->run.samples_per_s = w->run.value;
}

static int
is_case(const void *list, size_t place, const void *key)
{
	const struct result_case *a = (const struct result_case *)list + place;
	const struct result_case *b = key;

	return result_case_order(a, b) == 0 &&
	    a->batch_size_per_device == b->batch_size_per_device &&
	    a->nodes == b->nodes && a->gpus == b->gpus &&
	    text_same(a->name, b->name) && text_same(a->unit, b->unit) &&
	    text_same(a->rule, b->rule);
}

/* The case of the table that has all of the properties of c; a new one if there
 * is none. */
static struct result_case *
find_case(struct table_reader *x, const struct result_case *c)
{
	struct result *r = x->r;
	uint32_t hash = hash_text(hash_text(0, c->name), c->unit);
	size_t place;

	hash = hash_text(hash_text(hash, c->model), c->framework);
	hash = hash_text(hash, c->precision);
	for (size_t i = 0; i < c->n_labels; i++)
		hash = hash_text(hash, c->labels[i].value);
	place = hash_index_find(&x->cases, hash, is_case, r->cases, c);
	if (place == HASH_INDEX_NONE) {
		place = r->n_cases++;
		hash_index_add(&x->cases, hash, place);
		r->cases =
		    arena_grow(&r->arena, r->cases, place, sizeof *r->cases);
		r->cases[place] = *c;
	}
	return &r->cases[place];
}

/* Add the run of a row to its case. Rows of one run that each state a
 * collective are one run. */
static void
add_run(struct table_reader *x, struct row_content *w)
{
	struct arena *a = &x->r->arena;
	struct result_case *own = find_case(x, &w->c);
	struct result_run *last =
	    own->n_runs > 0 ? &own->runs[own->n_runs - 1] : NULL;
	const int has_collective = !isnan(w->collective.bytes);

	if (!has_collective || last == NULL || last->n_collectives == 0) {
		w->run.sources = arena_calloc(a, 1, sizeof *w->run.sources);
		w->run.sources[0] = (struct result_pair){ "run", "table" };
		w->run.n_sources = w->run.run != NULL;
		if (w->run.run == NULL)
			w->run.run = arena_printf(a, "%zu", own->n_runs + 1);
		if (w->run.path == NULL)
			w->run.path = x->name;
		own->runs =
		    arena_grow(a, own->runs, own->n_runs, sizeof *own->runs);
		last = &own->runs[own->n_runs++];
		*last = w->run;
	}
	if (has_collective) {
		last->collectives = arena_grow(a, last->collectives,
		    last->n_collectives, sizeof *last->collectives);
		last->collectives[last->n_collectives++] = w->collective;
	}
}

/* --- rows ----------------------------------------------------------------- */

/* True if the option --value names no column, but a metric that is not that of
 * the row. */
static int
is_other_metric(const struct table_reader *x, const struct result_case *c)
{
	const char *wanted = runs_table_options.value;

	if (wanted == NULL ||
	    run_rows_head(&x->rows, wanted) < x->rows.n_heads ||
	    text_same(c->unit, wanted))
		return 0;
	for (size_t i = 0; i < c->n_labels; i++)
		if (head_is(c->labels[i].key, HEAD_METRIC) &&
		    strcmp(c->labels[i].value, wanted) == 0)
			return 0;
	return 1;
}

static int
add_row(struct table_reader *x, const struct run_row *row)
{
	const int own = x->columns.is_own;
	const struct form_list *set = &x->form->keys[FORM_SET];
	struct row_content w = { .gpu_count = RESULT_UNKNOWN,
		.global_batch = RESULT_UNKNOWN,
		.collective = { .bytes = NAN,
		    .time_s = NAN,
		    .algorithm_gb_per_s = NAN,
		    .bus_gb_per_s = NAN,
		    .count = RESULT_UNKNOWN,
		    .test = RESULT_UNKNOWN,
		    .line = row->line,
		    .iterations = RESULT_ITERATIONS_UNKNOWN } };

	result_case_init(&w.c);
	result_run_init(&w.run);
	for (size_t i = 0; i < set->n; i++) {
		const struct table_field *f =
		    table_field_find(set->items[i].key);

		if (f != NULL && f->kind == CELL_WORD && f->of == FIELD_OF_CASE)
			memcpy((char *)&w.c + f->at, &set->items[i].value,
			    sizeof set->items[i].value);
	}
	if (x->rows.is_lines)
		w.run.first_line = w.run.last_line = row->line;
	for (size_t k = 0; k < x->rows.n_heads; k++)
		if (x->columns.items[k].field != NULL &&
		    run_row_cell(row, k)[0] != '\0' &&
		    set_member(x, row, k, &w) != 0)
			return -1;
	if ((isnan(w.run.value) && x->form->name != NULL) ||
	    is_other_metric(x, &w.c))
		return 0;
	if (isnan(w.run.value) ||
	    (own &&
		(w.c.name == NULL || w.c.unit == NULL || w.run.run == NULL)))
		return error_set(x->e, ERROR_INPUT,
		    own ? "%s:%ld: case, run, value or unit is empty"
			: "%s:%ld: the value is empty",
		    x->name, row->line);
	complete_case(x, &w);
	complete_value(x, &w);
	add_run(x, &w);
	return x->r->n_cases <= MAX_CASES
	    ? 0
	    : error_set(x->e, ERROR_LIMIT,
		  "%s: more than %d cases; --ignore=COLUMN,... names columns "
		  "that tell runs apart, not cases",
		  x->name, MAX_CASES);
}

/* --- which tables --------------------------------------------------------- */

static void
reader_close(struct table_reader *x)
{
	run_rows_release(&x->rows);
	hash_index_release(&x->cases);
}

/* Read the rows of a table in a form. The caller closes x, also after a
 * failure. */
static int
reader_open(struct table_reader *x, const char *name, const char *text,
    size_t len, const struct table_form *form, int first, struct result *r,
    struct error *e)
{
	*x = (struct table_reader){ .name = name,
		.form = form,
		.rows = { .arena = &r->arena },
		.cases = HASH_INDEX_INIT,
		.r = r,
		.e = e };
	if (run_rows_read(&x->rows, name, text, len, form, first, e) != 0)
		return -1;
	table_columns_read(&x->columns, &x->rows, form);
	return 0;
}

/* The declaration of a text; table_form_any if none fits. */
static const struct table_form *
find_form(const char *text, size_t len)
{
	size_t n;
	const struct table_form *forms = table_forms(&n, NULL);

	for (size_t i = 0; i < n; i++) {
		const struct form_list *has = &forms[i].keys[FORM_HAS];
		struct table_reader x;
		struct result r;
		int fits;

		if (!table_form_may_fit(&forms[i], text, len))
			continue;
		/* It must have a row, and the heads that are required. */
		result_init(&r);
		fits = reader_open(&x, "", text, len, &forms[i], 1, &r, NULL) ==
			0 &&
		    x.rows.n > 0;
		for (size_t k = 0; fits && k < has->n; k++)
			fits = run_rows_head(&x.rows, has->items[k].value) <
			    x.rows.n_heads;
		reader_close(&x);
		result_release(&r);
		if (fits)
			return &forms[i];
	}
	return &table_form_any;
}

/* True if two of the first rows agree in all but the value. */
static int
has_repeats(struct table_reader *x)
{
	for (size_t i = 0; i < x->rows.n && i < LOOKED_AT; i++)
		if (add_row(x, &x->rows.rows[i]) != 0)
			return 0;
	for (size_t i = 0; i < x->r->n_cases; i++)
		if (x->r->cases[i].n_runs > 1)
			return 1;
	return 0;
}

/* False for the first lines of most logs: without separators, or a sentence. */
static int
has_heads(const char *text, size_t len)
{
	const char *eol = memchr(text, '\n', len);
	const size_t first = eol != NULL ? (size_t)(eol - text) : len;

	return (len > 0 && strchr("{[ \r\n#", text[0]) != NULL) ||
	    (strcspn(text, "\t,;|") < first &&
		memmem(text, first, ": ", 2) == NULL);
}

/* True if a table that no declaration fits is one of runs: our own, or it has a
 * value, no steps, and something that tells runs apart.
 *
 * own  1: only if it is our own */
static int
is_any_table(const char *text, size_t len, int own)
{
	const struct runs_table_options *o = &runs_table_options;
	struct table_reader x;
	struct result r;
	int is = 0, steps = 0, asked = 0, has_value;

	if (!has_heads(text, len))
		return 0;
	result_init(&r);
	has_value =
	    reader_open(&x, "", text, len, &table_form_any, 1, &r, NULL) == 0 &&
	    x.rows.n_heads > 1 &&
	    table_columns_have(&x.columns, &x.rows, "value");
	for (size_t k = 0; has_value && k < x.rows.n_heads; k++) {
		const char *head = x.rows.heads[k];

		is |= head_is(head, HEAD_IDENTITY) || head_is(head, HEAD_RUN);
		steps |= head_is(head, HEAD_STEP);
		asked |= text_same(head, o->value) || text_same(head, o->run) ||
		    name_is_listed(o->ignore, head);
	}
	is = has_value &&
	    (x.columns.is_own || (!own && ((is && !steps) || asked)));
	if (has_value && !own && !is && !steps) {
		reader_close(&x);
		is = reader_open(&x, "", text, len, &table_form_any, 0, &r,
			 NULL) == 0 &&
		    has_repeats(&x);
	}
	reader_close(&x);
	result_release(&r);
	return is;
}

int
runs_table_is(const char *text, size_t len, int declared)
{
	return len <= MAX_FILE &&
	    (find_form(text, len) != &table_form_any ||
		is_any_table(text, len, declared));
}

int
runs_table_is_file(const char *path, int declared)
{
	struct strbuf sb = STRBUF_INIT(MAX_FILE);
	struct stat st;
	int is;

	is = stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size <= MAX_FILE && text_file_read(path, &sb, NULL) == 0 &&
	    runs_table_is(sb.buf, sb.len, declared);
	strbuf_release(&sb);
	return is;
}

/* --- the result ----------------------------------------------------------- */

/* Flag a run with the slowest of the processes that hold its collectives up. */
static void
flag_straggler(struct result_run *run, struct arena *a)
{
	const struct result_collective *worst = NULL;
	double most = LEAST_STRAGGLER;

	for (size_t i = 0; i < run->n_collectives; i++) {
		const struct result_collective *x = &run->collectives[i];

		if (x->iterations.slowest_ratio > most) {
			most = x->iterations.slowest_ratio;
			worst = x;
		}
	}
	if (worst != NULL)
		result_run_flag(run,
		    &REMARK(REMARK_STRAGGLER,
			remark_number(
			    (double)worst->iterations.slowest_process),
			remark_number(most), remark_number(worst->bytes),
			remark_name(worst->kind)),
		    a);
}

/* True if both cases can have a common baseline. */
static int
is_comparable(
    const struct result_case *a, const struct result_case *b, int strong)
{
	const long x = a->batch_size_per_device, y = b->batch_size_per_device;

	return result_case_order(a, b) == 0 && text_same(a->rule, b->rule) &&
	    text_same(a->unit, b->unit) &&
	    (strong ? (double)x * (double)a->gpus == (double)y * (double)b->gpus
		    : x == y);
}

/* The comparable case with the fewest GPUs. */
static const struct result_case *
smallest_comparable(
    const struct result *r, const struct result_case *c, int strong)
{
	const struct result_case *best = NULL;

	for (size_t i = 0; i < r->n_cases; i++) {
		const struct result_case *b = &r->cases[i];

		if (b->gpus > 0 && is_comparable(b, c, strong) &&
		    (best == NULL || b->gpus < best->gpus))
			best = b;
	}
	return best;
}

/* Preference of a unit as that of a table: work per second first. */
static int
rank_of_unit(const char *unit)
{
	static const char *const best[] = { "tokens/s", "tokens/s/GPU",
		"iterations/s", "GB/s", "s", "min" };
	int i = 0;

	if (unit_counts_samples(unit) || strcmp(unit, "items/s") == 0)
		return 0;
	while (i < 6 && strcmp(unit, best[i]) != 0)
		i++;
	return i < 2 ? 0 : i;
}

/* Of several units keep the cases of the best. */
static void
keep_best_unit(struct result *r)
{
	int best = rank_of_unit(r->cases[0].unit);
	size_t kept = 0;

	for (size_t i = 1; i < r->n_cases; i++)
		if (rank_of_unit(r->cases[i].unit) < best)
			best = rank_of_unit(r->cases[i].unit);
	for (size_t i = 0; i < r->n_cases; i++)
		if (rank_of_unit(r->cases[i].unit) == best)
			r->cases[kept++] = r->cases[i];
	r->n_cases = kept;
}

/* Compute medians and speedups: over the baseline that our own table names, in
 * tables of others over the fewest GPUs. Scaling is strong if all sizes of a
 * configuration have one global batch. */
static void
add_speedups(struct result *r, int is_own)
{
	const struct result_case **cases =
	    arena_calloc(&r->arena, r->n_cases, sizeof *cases);
	char *others = arena_calloc(&r->arena, r->n_cases, 1);
	struct baseline_index own;
	int strong;

	for (size_t i = 0; i < r->n_cases; i++) {
		cases[i] = &r->cases[i];
		for (size_t k = 0; k < r->cases[i].n_runs; k++)
			flag_straggler(&r->cases[i].runs[k], &r->arena);
		case_summarise(&r->cases[i], r->rule.confidence);
	}
	strong = result_cases_look_strong(cases, r->n_cases);
	r->rule.scaling = strong ? "strong" : "weak";
	baseline_index_init(&own, r);
	for (size_t i = 0; i < r->n_cases; i++) {
		struct result_case *c = &r->cases[i];
		const struct result_case *base = is_own
		    ? baseline_index_find(&own, c)
		    : smallest_comparable(r, c, strong);

		c->baseline = NULL;
		if (base == NULL ||
		    !case_speedup_over(c, base, strong, r->rule.confidence))
			continue;
		c->baseline_flag = r->rule.baseline == NULL && base->gpus != 1;
		others[base - r->cases] |= base != c;
	}
	baseline_index_release(&own);
	/* As of logs: 1 over itself alone would look measured. */
	for (size_t i = 0; i < r->n_cases && is_own; i++)
		if (r->cases[i].baseline != NULL && !others[i] &&
		    text_same(r->cases[i].baseline, r->cases[i].name))
			r->cases[i].speedup = r->cases[i].efficiency = NAN;
}

int
runs_table_parse(const char *name, const char *text, size_t len,
    struct result *r, struct error *e)
{
	struct table_reader x;
	size_t n_forms;
	int rc;

	if (table_forms(&n_forms, e) == NULL)
		return -1;
	result_init(r);
	r->file = arena_strdup(&r->arena, name);
	r->rule.confidence = DEFAULT_CONFIDENCE;
	rc = reader_open(&x, r->file, text, len, find_form(text, len), 0, r, e);
	if (rc == 0 && !table_columns_have(&x.columns, &x.rows, "value"))
		rc = error_set(e, ERROR_INPUT,
		    "%s: no column is known as the value; --value=COLUMN names "
		    "it",
		    name);
	for (size_t i = 0; rc == 0 && i < x.rows.n; i++)
		rc = add_row(&x, &x.rows.rows[i]);
	if (rc == 0 && r->n_cases == 0)
		rc = error_set(e, ERROR_EMPTY, "%s: holds no run", name);
	if (rc == 0) {
		if (!x.columns.is_own)
			keep_best_unit(r);
		r->rule.rule = r->cases[0].rule;
		add_speedups(r, x.columns.is_own);
		rc = result_check(r, e);
	}
	reader_close(&x);
	if (rc == 0)
		result_flag_doubts(r);
	else
		result_release(r);
	return rc;
}

int
runs_table_or_result_read(const char *path, struct result *r, struct error *e)
{
	const struct strbuf *of_logs = log_operand_result(path);
	struct strbuf sb = STRBUF_INIT(MAX_FILE);
	int rc;

	if (of_logs != NULL)
		return result_parse(path, of_logs->buf, of_logs->len, r, e);
	if (!runs_table_is_file(path, 0))
		return result_read(path, r, e);
	rc = text_file_read(path, &sb, e);
	if (rc == 0)
		rc = runs_table_parse(path, sb.buf, sb.len, r, e);
	strbuf_release(&sb);
	return rc;
}
