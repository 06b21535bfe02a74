/* Tables of runs: CSV of extract_logs --table=runs, read back. */
#include <config.h>

#include "common/series/runs_table.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/defaults.h"
#include "common/hash_index.h"
#include "common/result/result_check.h"
#include "common/result/work_rate.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "common/units/units.h"

enum { MAX_COLUMNS = 256, MAX_CELL = 1 << 16 };
static const long MAX_COUNT = 1L << 40;

enum cell_kind { CELL_WORD, CELL_LONG, CELL_NUMBER, CELL_FLAG, CELL_DERIVED };

/* Columns; any other column of words is a label. */
static const struct table_field {
	const char *head;
	enum cell_kind kind;
	int of_run; /* 1: a member of the run, 0: of the case */
	size_t at;
} fields[] = {
#define OF_CASE(head, kind, member) \
	{ \
		head, kind, 0, offsetof(struct result_case, member) \
	}
#define OF_RUN(head, kind, member) \
	{ \
		head, kind, 1, offsetof(struct result_run, member) \
	}
	OF_CASE("framework", CELL_WORD, framework),
	OF_CASE("model", CELL_WORD, model),
	OF_CASE("precision", CELL_WORD, precision),
	OF_CASE("batch_size_per_device", CELL_LONG, batch_size_per_device),
	OF_CASE("nodes", CELL_LONG, nodes),
	OF_CASE("gpus_per_node", CELL_LONG, gpus_per_node),
	OF_CASE("gpus", CELL_LONG, gpus), OF_CASE("case", CELL_WORD, name),
	OF_CASE("unit", CELL_WORD, unit), OF_CASE("rule", CELL_WORD, rule),
	OF_CASE("baseline", CELL_WORD, baseline), OF_RUN("run", CELL_WORD, run),
	OF_RUN("value", CELL_NUMBER, value),
	OF_RUN("value_low", CELL_NUMBER, rounding.low),
	OF_RUN("value_high", CELL_NUMBER, rounding.high),
	OF_RUN("samples_per_s", CELL_NUMBER, samples_per_s),
	OF_RUN("step_s", CELL_NUMBER, step_s),
	OF_RUN("iterations", CELL_LONG, iterations),
	OF_RUN("first_iteration", CELL_LONG, first_iteration),
	OF_RUN("last_iteration", CELL_LONG, last_iteration),
	OF_RUN("log", CELL_WORD, path),
	OF_RUN("first_line", CELL_LONG, first_line),
	OF_RUN("last_line", CELL_LONG, last_line),
	OF_RUN("device", CELL_WORD, device),
	OF_RUN("framework_version", CELL_WORD, framework_version),
	OF_RUN("half_width", CELL_NUMBER, audit.half_width),
	{ "flags", CELL_FLAG, 1, 0 },
	{ "measured", CELL_DERIVED, 0, 0 }, /* the last: also of identities */
};
enum { N_FIELDS = sizeof fields / sizeof fields[0] };

/* Columns that tell runs apart, but not cases; without '_', '-' and blanks, in
 * lower case. */
static const char *const identities[] = { "job", "jobid", "jobname", "id",
	"uuid", "runid", "date", "time", "timestamp", "started", "ended",
	"host", "hostname", "node", "nodelist", "path", "file", "filename",
	"url", "hash", "commit", "sha", "user", NULL };

struct runs_reader {
	const char *name, *at, *end;
	char separator;
	long line;
	struct result *r;
	const char *cells[MAX_COLUMNS];
	size_t n;
	const struct table_field *of[MAX_COLUMNS]; /* NULL: a label */
	const char *heads[MAX_COLUMNS];
	size_t n_columns;
	struct hash_index cases;
};

/* Read a cell and the separator after it. Returns 1 if the row has another
 * cell. */
static int
read_cell(struct runs_reader *x)
{
	struct strbuf sb;
	const char *text;
	int quoted = 0;

	strbuf_init(&sb, MAX_CELL);
	for (; x->at < x->end; x->at++) {
		const char c = *x->at;

		if (c == '"' && quoted && x->at + 1 < x->end && x->at[1] == '"')
			strbuf_addch(&sb, *x->at++);
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == x->separator || c == '\n'))
			break;
		else if (quoted || c != '\r')
			strbuf_addch(&sb, c);
	}
	text = strbuf_finish(&sb, &x->r->arena);
	/* What keeps spreadsheets from evaluating a cell. */
	if (text[0] == '\'' && text[1] != '\0' && strchr("=+-@", text[1]))
		text++;
	if (x->n < MAX_COLUMNS)
		x->cells[x->n++] = text;
	return x->at < x->end && *x->at++ == x->separator;
}

/* Read the next row that is not empty. Returns 0 at the end. */
static int
read_row(struct runs_reader *x)
{
	while (x->at < x->end) {
		x->line++;
		x->n = 0;
		while (read_cell(x))
			;
		if (x->n > 1 || x->cells[0][0] != '\0')
			return 1;
	}
	return 0;
}

static int
is_identity(const char *head)
{
	char name[16];
	size_t n = 0;
	int i = 0;

	for (; *head != '\0' && n + 1 < sizeof name; head++)
		if (strchr("_- ", *head) == NULL)
			name[n++] = (char)tolower((unsigned char)*head);
	name[n] = '\0';
	while (identities[i] != NULL && strcmp(identities[i], name) != 0)
		i++;
	return *head == '\0' && identities[i] != NULL;
}

static void
start(struct runs_reader *x, const char *name, const char *text, size_t len,
    struct result *r)
{
	const char *eol = memchr(text, '\n', len);
	const size_t first = eol != NULL ? (size_t)(eol - text) : len;

	*x = (struct runs_reader){ .name = name,
		.at = text,
		.end = text + len,
		.separator = memchr(text, '\t', first) != NULL ? '\t' : ',',
		.r = r };
	if (!read_row(x))
		return;
	x->n_columns = x->n;
	for (size_t k = 0; k < x->n; k++) {
		const char *head = x->cells[k];

		for (size_t i = 0; i < N_FIELDS; i++)
			if (strcmp(fields[i].head, head) == 0)
				x->of[k] = &fields[i];
		if (x->of[k] == NULL && is_identity(head))
			x->of[k] = &fields[N_FIELDS - 1];
		x->heads[k] = strncmp(head, "label_", 6) == 0 ? head + 6 : head;
	}
}

static int
has_column(const struct runs_reader *x, const char *head)
{
	for (size_t k = 0; k < x->n_columns; k++)
		if (x->of[k] != NULL && strcmp(x->of[k]->head, head) == 0)
			return 1;
	return 0;
}

int
runs_table_is(const char *text, size_t len)
{
	const char *eol = memchr(text, '\n', len);
	struct runs_reader x;
	struct result r;
	int is;

	if (eol == NULL)
		return 0;
	result_init(&r);
	start(&x, NULL, text, (size_t)(eol - text), &r);
	is = has_column(&x, "case") && has_column(&x, "run") &&
	    has_column(&x, "value") && has_column(&x, "unit");
	result_release(&r);
	return is;
}

/* --- rows ----------------------------------------------------------------- */

static int
bad_cell(
    const struct runs_reader *x, size_t k, const char *what, struct error *e)
{
	return error_set(e, ERROR_INPUT, "%s:%ld: %s: '%.40s' is not %s",
	    x->name, x->line, x->heads[k], x->cells[k], what);
}

/* Set the member of the cell's column. */
static int
set_member(struct runs_reader *x, size_t k, struct result_case *c,
    struct result_run *run, struct error *e)
{
	const struct table_field *f = x->of[k];
	char *member = (f->of_run ? (char *)run : (char *)c) + f->at;
	const char *text = x->cells[k];
	struct remark flag;
	char *end;
	double number;

	if (text[0] == '\0')
		return 0;
	if (f->kind == CELL_WORD)
		*(const char **)member = text;
	if (f->kind == CELL_FLAG) {
		flag = REMARK(REMARK_OTHER, remark_name(text));
		result_run_flag(run, &flag, &x->r->arena);
	}
	if (f->kind == CELL_LONG &&
	    whole_parse(text, strlen(text), 0, MAX_COUNT, (long *)member) !=
		UNITS_OK)
		return bad_cell(x, k, "a count", e);
	if (f->kind == CELL_NUMBER) {
		number = strtod(text, &end);
		if (*end != '\0' || !isfinite(number) || number < 0 ||
		    (number <= 0 && strcmp(f->head, "value") == 0))
			return bad_cell(x, k, "a number above 0", e);
		*(double *)member = number;
	}
	return 0;
}

/* Hash of what a case shares with its baseline, and of the name. */
static uint32_t
case_hash(const struct result_case *c)
{
	uint32_t hash = hash_text(hash_text(0, c->name), c->framework);

	hash = hash_text(hash_text(hash, c->model), c->precision);
	for (size_t i = 0; i < c->n_labels; i++)
		hash = hash_text(
		    hash_text(hash, c->labels[i].key), c->labels[i].value);
	return hash;
}

/* True if case i is that of the name of c and of its other properties, but for
 * its size. */
static int
is_baseline(const void *cases, size_t i, const void *key)
{
	const struct result_case *own = (const struct result_case *)cases + i;
	const struct result_case *c = key;

	return text_same(own->name, c->name) &&
	    result_case_order(own, c) == 0 &&
	    own->batch_size_per_device == c->batch_size_per_device &&
	    text_same(own->rule, c->rule);
}

static int
is_case(const void *cases, size_t i, const void *key)
{
	const struct result_case *own = (const struct result_case *)cases + i;
	const struct result_case *c = key;

	return is_baseline(cases, i, key) && own->nodes == c->nodes &&
	    own->gpus == c->gpus && text_same(own->unit, c->unit);
}

/* The case of the result that has all of the properties of c; a new one if
 * there is none. */
static struct result_case *
find_case(struct runs_reader *x, const struct result_case *c)
{
	const uint32_t hash = case_hash(c);
	struct result *r = x->r;
	const size_t i = hash_index_find(&x->cases, hash, is_case, r->cases, c);

	if (i != HASH_INDEX_NONE)
		return &r->cases[i];
	hash_index_add(&x->cases, hash, r->n_cases);
	r->cases =
	    arena_grow(&r->arena, r->cases, r->n_cases, sizeof *r->cases);
	r->cases[r->n_cases] = *c;
	return &r->cases[r->n_cases++];
}

static int
add_row(struct runs_reader *x, struct error *e)
{
	struct arena *a = &x->r->arena;
	struct result_case c, *own;
	struct result_run run;

	if (x->n != x->n_columns)
		return error_set(e, ERROR_INPUT,
		    "%s:%ld: %zu cells, not %zu as in the head", x->name,
		    x->line, x->n, x->n_columns);
	result_case_init(&c);
	result_run_init(&run);
	for (size_t k = 0; k < x->n; k++) {
		if (x->of[k] != NULL) {
			if (set_member(x, k, &c, &run, e) != 0)
				return -1;
		} else if (x->cells[k][0] != '\0') {
			c.labels = arena_grow(
			    a, c.labels, c.n_labels, sizeof *c.labels);
			c.labels[c.n_labels++] =
			    (struct result_pair){ x->heads[k], x->cells[k] };
		}
	}
	if (c.name == NULL || c.unit == NULL || isnan(run.value) ||
	    run.run == NULL)
		return error_set(e, ERROR_INPUT,
		    "%s:%ld: case, run, value or unit is empty", x->name,
		    x->line);
	if (c.rule == NULL)
		c.rule = "all";
	if (run.path == NULL)
		run.path = x->name;
	own = find_case(x, &c);
	own->runs = arena_grow(a, own->runs, own->n_runs, sizeof *own->runs);
	own->runs[own->n_runs++] = run;
	return 0;
}

/* --- the result ----------------------------------------------------------- */

int
runs_table_parse(const char *name, const char *text, size_t len,
    struct result *r, struct error *e)
{
	struct runs_reader x;
	int rc = 0;

	result_init(r);
	r->file = arena_strdup(&r->arena, name);
	start(&x, name, text, len, r);
	while (rc == 0 && read_row(&x))
		rc = add_row(&x, e);
	if (rc == 0 && r->n_cases == 0)
		rc = error_set(e, ERROR_EMPTY, "%s: holds no run", name);
	if (rc != 0) {
		hash_index_release(&x.cases);
		result_release(r);
		return -1;
	}
	r->rule.rule = r->cases[0].rule;
	r->rule.confidence = DEFAULT_CONFIDENCE;
	r->rule.scaling = "weak";
	for (size_t i = 0; i < r->n_cases; i++)
		case_summarise(&r->cases[i], r->rule.confidence);
	for (size_t i = 0; i < r->n_cases; i++) {
		struct result_case *c = &r->cases[i], sought = *c;
		size_t base;

		sought.name = c->baseline;
		base = sought.name == NULL
		    ? HASH_INDEX_NONE
		    : hash_index_find(&x.cases, case_hash(&sought), is_baseline,
			  r->cases, &sought);
		c->baseline = NULL;
		if (base != HASH_INDEX_NONE)
			case_speedup_over(
			    c, &r->cases[base], 0, r->rule.confidence);
	}
	hash_index_release(&x.cases);
	if (result_check(r, e) != 0) {
		result_release(r);
		return -1;
	}
	result_flag_doubts(r);
	return 0;
}
