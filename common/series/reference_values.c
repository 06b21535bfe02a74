/* The lines of a file of reference values, and the result that is made of its
 * tables or those of a document. */
#include <config.h>

#include "common/series/reference_values.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/series/reference_reader.h"
#include "common/units/units.h"
#include "common/utf8.h"

static const struct {
	const char *name;
	const char *metric;
} units[] = {
	{ REFERENCE_VALUES_UNIT, "throughput" },
	{ "images/s", "throughput" },
	{ "sequences/s", "throughput" },
	{ "examples/s", "throughput" },
	{ "tokens/s", "throughput" },
	{ "items/s", "throughput" },
	{ "iterations/s", "throughput" },
	{ "s", "step-time" },
	{ "min", "time-to-train" },
};
enum { N_UNITS = sizeof units / sizeof units[0] };

int
reference_fail(struct reference_reader *r, enum error_code code, const char *at,
    const char *what, struct span value)
{
	long col = at == NULL ? 0 : (long)(at - r->line) + 1;
	int len = value.len > REFERENCE_VALUES_ECHO ? REFERENCE_VALUES_ECHO
						    : (int)value.len;

	if (value.s == NULL)
		error_at(r->e, code, r->name, r->line_number, col, "%s", what);
	else
		error_at(r->e, code, r->name, r->line_number, col, "'%.*s' %s",
		    len, value.s, what);
	if (at != NULL)
		error_caret(r->e, r->line, r->line_len, col);
	return -1;
}

const char *
reference_unit(const char *name, size_t len)
{
	for (int i = 0; i < N_UNITS; i++)
		if (len == strlen(units[i].name) &&
		    memcmp(name, units[i].name, len) == 0)
			return units[i].name;
	return NULL;
}

const char *
reference_metric(const char *unit)
{
	for (int i = 0; i < N_UNITS; i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].metric;
	return units[0].metric;
}

/* The text without spaces around it. */
static struct span
span_trim(const char *s, size_t len)
{
	while (len > 0 && (s[0] == ' ' || s[0] == '\t')) {
		s++;
		len--;
	}
	while (len > 0 && (s[len - 1] == ' ' || s[len - 1] == '\t'))
		len--;
	return (struct span){ s, len };
}

/* True if it is that word in any case of ASCII letters. */
static int
span_is(struct span a, const char *word)
{
	return a.len == strlen(word) && strncasecmp(a.s, word, a.len) == 0;
}

/* --- values --------------------------------------------------------------- */

void *
reference_longer(
    struct reference_reader *r, const void *list, size_t n, size_t size)
{
	void *more = arena_calloc(r->arena, n + 1, size);

	if (n > 0)
		memcpy(more, list, n * size);
	return more;
}

struct reference_value *
reference_new_value(struct reference_reader *r, long line, long col)
{
	struct reference_value *v;

	if (r->n == REFERENCE_VALUES_MAX_CASES) {
		error_at(r->e, ERROR_LIMIT, r->name, line, col,
		    "too many reference values");
		return NULL;
	}
	r->values = vec_grow(r->values, r->n, &r->alloc, sizeof *r->values);
	v = &r->values[r->n];
	*v = (struct reference_value){ .text = "", .line = line };
	result_case_init(&v->c);
	v->c.model = r->model;
	v->c.rule = r->rule;
	v->c.labels = r->labels;
	v->c.n_labels = r->n_labels;
	return v;
}

void
reference_name_case(struct reference_reader *r, struct result_case *c)
{
	c->name = c->nodes == RESULT_UNKNOWN
	    ? arena_printf(r->arena, "%ldg", c->gpus)
	    : arena_printf(r->arena, "%ldn%ldg", c->nodes, c->gpus_per_node);
}

/* --- header lines --------------------------------------------------------- */

/* One for the whole file: it is part of the rule that all its cases share. */
static int
header_scaling(struct reference_reader *r, struct span v)
{
	if (r->n > 0)
		return reference_fail(r, ERROR_INPUT, r->line,
		    "scaling must come before the first table", SPAN_NONE);
	if (!span_is(v, "weak") && !span_is(v, "strong"))
		return reference_fail(r, ERROR_INPUT, v.len > 0 ? v.s : r->line,
		    "is no kind of scaling: weak (the same batch on each GPU) "
		    "or strong (the same batch on all together)",
		    v);
	r->strong = span_is(v, "strong");
	return 0;
}

static int
header_unit(struct reference_reader *r, struct span v)
{
	r->unit =
	    v.len == 0 ? REFERENCE_VALUES_UNIT : reference_unit(v.s, v.len);
	if (r->unit == NULL)
		return reference_fail(r, ERROR_INPUT, v.s,
		    "is not a unit: samples/s, images/s, sequences/s, "
		    "examples/s, tokens/s, items/s, iterations/s, s or min",
		    v);
	return 0;
}

static int
header_baseline(struct reference_reader *r, struct span v)
{
	r->baseline = v.len == 0 ? NULL : arena_strndup(r->arena, v.s, v.len);
	r->baseline_line = r->line_number;
	return 0;
}

/* "label: key=value" sets one, "label:" alone forgets all. */
static int
header_label(struct reference_reader *r, struct span v)
{
	const char *eq = v.len > 0 ? memchr(v.s, '=', v.len) : NULL;
	struct span key, value;
	size_t i = 0;

	if (v.len == 0) {
		r->labels = NULL;
		r->n_labels = 0;
		return 0;
	}
	if (eq == NULL || eq == v.s)
		return reference_fail(
		    r, ERROR_INPUT, v.s, "is not key=value", v);
	key = span_trim(v.s, (size_t)(eq - v.s));
	value = span_trim(eq + 1, v.len - (size_t)(eq + 1 - v.s));
	while (i < r->n_labels && !span_is(key, r->labels[i].key))
		i++;
	if (i == REFERENCE_VALUES_MAX_LABELS)
		return reference_fail(
		    r, ERROR_LIMIT, v.s, "too many labels", SPAN_NONE);
	/* A new array: cases that were read keep the old one. */
	r->labels =
	    reference_longer(r, r->labels, r->n_labels, sizeof *r->labels);
	if (i == r->n_labels) {
		r->labels[i].key = arena_strndup(r->arena, key.s, key.len);
		r->n_labels++;
	}
	r->labels[i].value = arena_strndup(r->arena, value.s, value.len);
	return 0;
}

static int
header_source(struct reference_reader *r, struct span v)
{
	struct result_file *s = r->out;

	if (v.len == 0)
		return 0;
	if (s->n_origins == REFERENCE_VALUES_MAX_ORIGINS)
		return reference_fail(
		    r, ERROR_LIMIT, v.s, "too many sources", SPAN_NONE);
	s->origins =
	    reference_longer(r, s->origins, s->n_origins, sizeof *s->origins);
	s->origins[s->n_origins++] = arena_strndup(r->arena, v.s, v.len);
	return 0;
}

/* What the rows of the next tables are. */
static int
header_rows(struct reference_reader *r, struct span v)
{
	r->rows = ROWS_TOPOLOGIES;
	if (span_is(v, "cases"))
		r->rows = ROWS_CASES;
	else if (span_is(v, "sizes"))
		r->rows = ROWS_SIZES;
	/* "shapes" in older files */
	else if (v.len > 0 && !span_is(v, "topologies") &&
	    !span_is(v, "shapes"))
		return reference_fail(r, ERROR_INPUT, v.s,
		    "is nothing that rows are: topologies, cases or sizes", v);
	return 0;
}

/* What the run of a table of sizes took. */
static int
header_real(struct reference_reader *r, struct span v)
{
	r->real_s = NAN;
	if (v.len > 0 && duration_parse(v.s, v.len, &r->real_s) != UNITS_OK)
		return reference_fail(
		    r, ERROR_INPUT, v.s, "is not a time such as 119.8s", v);
	return 0;
}

/* "4n8g": of tables whose rows are sizes. */
static int
header_case(struct reference_reader *r, struct span v)
{
	const char *n = v.len > 0 ? memchr(v.s, 'n', v.len) : NULL;
	long each;

	r->case_nodes = r->case_gpus = RESULT_UNKNOWN;
	if (v.len == 0)
		return 0;
	if (n == NULL || v.s[v.len - 1] != 'g' ||
	    whole_parse(v.s, (size_t)(n - v.s), 1, 1000000, &r->case_nodes) !=
		UNITS_OK ||
	    whole_parse(n + 1, v.len - (size_t)(n + 1 - v.s) - 1, 1, 1000000,
		&each) != UNITS_OK)
		return reference_fail(
		    r, ERROR_INPUT, v.s, "is not a case such as 4n8g", v);
	r->case_gpus = r->case_nodes * each;
	return 0;
}

/* A key.  Without a function it is a count or a text of the reader. */
static const struct header {
	const char *key;
	int (*read)(struct reference_reader *r, struct span value);
	size_t offset; /* in struct reference_reader */
	long most;     /* of a count, from 1; 0: a text */
	const char *problem;
} headers[] = {
	{ "model", .offset = offsetof(struct reference_reader, model) },
	{ "batch", .offset = offsetof(struct reference_reader, batch),
	    .most = 1000000000,
	    .problem = "is not a batch size (samples on each GPU)" },
	{ "scaling", .read = header_scaling },
	{ "precision", .offset = offsetof(struct reference_reader, precision) },
	{ "unit", .read = header_unit },
	{ "rule", .offset = offsetof(struct reference_reader, rule) },
	{ "baseline", .read = header_baseline },
	{ "label", .read = header_label },
	{ "source", .read = header_source },
	{ "rows", .read = header_rows },
	{ "samples", .offset = offsetof(struct reference_reader, samples),
	    .most = 1000000000000, .problem = "is not a count" },
	{ "steps", .offset = offsetof(struct reference_reader, steps),
	    .most = 1000000000000, .problem = "is not a count" },
	{ "case", .read = header_case },
	{ "real", .read = header_real },
};

static int
read_value(struct reference_reader *r, const struct header *h, struct span v)
{
	char *at = (char *)r + h->offset;
	long count = RESULT_UNKNOWN;

	if (h->read != NULL)
		return h->read(r, v);
	if (h->most == 0) {
		*(const char **)(void *)at =
		    v.len == 0 ? NULL : arena_strndup(r->arena, v.s, v.len);
		return 0;
	}
	if (v.len > 0 &&
	    whole_parse(v.s, v.len, 1, h->most, &count) != UNITS_OK)
		return reference_fail(r, ERROR_INPUT, v.s, h->problem, v);
	*(long *)(void *)at = count;
	return 0;
}

int
reference_values_begins_with_key(const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end && (*text == '#' || isspace((unsigned char)*text))) {
		const char *eol = *text == '#'
		    ? memchr(text, '\n', (size_t)(end - text))
		    : text;

		if (eol == NULL)
			return 0;
		text = eol + 1;
	}
	for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
		const size_t n = strlen(headers[i].key);

		if ((size_t)(end - text) > n &&
		    memcmp(text, headers[i].key, n) == 0 && text[n] == ':')
			return 1;
	}
	return 0;
}

static int
read_header(struct reference_reader *r, struct span line)
{
	const char *colon = memchr(line.s, ':', line.len);
	struct span key, value;

	if (colon == NULL)
		return reference_fail(r, ERROR_INPUT, line.s,
		    "expected 'key: value', a row '| ... |' or a comment '#'",
		    SPAN_NONE);
	key = span_trim(line.s, (size_t)(colon - line.s));
	value = span_trim(colon + 1, line.len - (size_t)(colon + 1 - line.s));
	for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
		if (span_is(key, headers[i].key))
			return read_value(r, &headers[i], value);
	return reference_fail(r, ERROR_INPUT, line.s,
	    "is not a key: model, batch, scaling, precision, unit, rule, "
	    "baseline, label, source, rows, samples, steps, case or real",
	    key);
}

/* --- lines ---------------------------------------------------------------- */

/* Read the table whose last line was the one before, if there is one. */
static int
table_end(struct reference_reader *r)
{
	struct published p;
	int rc;

	if (r->table_at == NULL)
		return 0;
	if (published_read_block(r->name, r->table_at,
		(size_t)(r->table_end - r->table_at), r->table_line, &p,
		r->e) != 0)
		return -1;
	assert(p.n <= 1);
	rc = p.n == 1 ? reference_add_table(r, &p.tables[0]) : 0;
	published_release(&p);
	r->table_at = NULL;
	return rc;
}

static int
read_line(struct reference_reader *r)
{
	struct span line = span_trim(r->line, r->line_len);

	if (!utf8_valid(line.s, line.len))
		return reference_fail(
		    r, ERROR_INPUT, NULL, "not UTF-8 text", SPAN_NONE);
	if (memchr(line.s, '\0', line.len) != NULL)
		return reference_fail(
		    r, ERROR_INPUT, NULL, "a NUL character", SPAN_NONE);
	if (line.len == 0 || line.s[0] != '|') {
		if (table_end(r) != 0)
			return -1;
		return line.len == 0 || line.s[0] == '#' ? 0
							 : read_header(r, line);
	}
	if (line.len == 1 || line.s[line.len - 1] != '|')
		return reference_fail(r, ERROR_INPUT, line.s + line.len,
		    "a row must end with '|'", SPAN_NONE);
	if (r->table_at == NULL) {
		r->table_at = r->line;
		r->table_line = r->line_number;
		r->table_col = (long)(line.s - r->line) + 1;
	}
	r->table_end = r->line + r->line_len;
	return 0;
}

int
reference_values_looks_like_json(const char *text, size_t len)
{
	while (len > 0 && isspace((unsigned char)*text)) {
		text++;
		len--;
	}
	return len > 0 && (*text == '{' || *text == '[');
}

/* Give the values to the source: all in its arena. */
static void
settle_values(struct reference_reader *r)
{
	struct result_file *s = r->out;
	struct result *res = &s->result;

	res->cases = arena_calloc(r->arena, r->n + 1, sizeof *res->cases);
	s->texts = arena_calloc(r->arena, r->n + 1, sizeof *s->texts);
	s->lines = arena_calloc(r->arena, r->n + 1, sizeof *s->lines);
	s->written = arena_calloc(r->arena, r->n + 1, sizeof *s->written);
	for (size_t i = 0; i < r->n; i++) {
		s->written[i] = r->values[i].written;
		res->cases[i] = r->values[i].c;
		s->texts[i] = r->values[i].text;
		s->lines[i] = r->values[i].line;
	}
	s->doubts =
	    reference_longer(r, r->doubts, r->n_doubts, sizeof *s->doubts);
	s->n_doubts = r->n_doubts;
	res->n_cases = r->n;
	res->rule.metric = r->metric;
	res->rule.scaling = r->strong ? "strong" : NULL;
	res->file = arena_strdup(r->arena, r->name);
}

static int
read_lines(struct reference_reader *r, const char *text, size_t len)
{
	const char *end = text + len;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3;
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *stop = nl != NULL ? nl : end;

		r->line = text;
		r->line_len = (size_t)(stop - text);
		r->line_number++;
		if (r->line_len > 0 && stop[-1] == '\r')
			r->line_len--;
		if (read_line(r) != 0)
			return -1;
		text = nl != NULL ? nl + 1 : end;
	}
	return table_end(r);
}

/* A reader whose result is s, which is emptied. */
static struct reference_reader *
reader_new(const char *name, struct result_file *s, struct error *e)
{
	struct reference_reader *r = xcalloc(1, sizeof *r);

	*s = (struct result_file){ 0 };
	result_init(&s->result);
	r->name = name;
	r->out = s;
	r->arena = &s->result.arena;
	r->e = e;
	r->unit = REFERENCE_VALUES_UNIT;
	r->batch = RESULT_UNKNOWN;
	r->samples = r->steps = RESULT_UNKNOWN;
	r->case_nodes = r->case_gpus = RESULT_UNKNOWN;
	r->real_s = NAN;
	return r;
}

/* Keep what was read, or nothing, and free the reader.  Returns rc. */
static int
reader_end(struct reference_reader *r, int rc)
{
	if (rc == 0)
		settle_values(r);
	else
		result_release(&r->out->result);
	free(r->values);
	free(r->doubts);
	free(r);
	return rc;
}

int
reference_values_parse(const char *name, const char *text, size_t len,
    struct result_file *s, struct error *e)
{
	struct reference_reader *r;
	int rc;

	if (len > REFERENCE_VALUES_MAX_BYTES)
		return error_at(e, ERROR_LIMIT, name, 0, 0,
		    "larger than %d MiB", REFERENCE_VALUES_MAX_BYTES >> 20);
	r = reader_new(name, s, e);
	r->strict = 1;
	rc = read_lines(r, text, len);
	if (rc == 0 && r->n == 0)
		rc = error_at(e, ERROR_EMPTY, name, 0, 0,
		    "no table of reference values in it");
	return reader_end(r, rc);
}

/* What distinguishes a table of a document: the heading above it, and
 * its line where another has the same. */
static const char *
name_table(struct arena *a, const struct published *p, size_t i)
{
	const struct published_table *t = &p->tables[i];

	if (t->heading == NULL || t->heading[0] == '\0')
		return arena_printf(a, "line %ld", t->line);
	for (size_t k = 0; k < p->n; k++)
		if (k != i && p->tables[k].heading != NULL &&
		    strcmp(p->tables[k].heading, t->heading) == 0)
			return arena_printf(
			    a, "%.200s (line %ld)", t->heading, t->line);
	return arena_strdup(a, t->heading);
}

int
reference_values_parse_document(const char *name, const char *text, size_t len,
    struct result_file *s, struct error *e)
{
	struct reference_reader *r;
	struct published p;
	int rc = 0;

	if (published_read(name, text, len, &p, e) != 0)
		return -1;
	r = reader_new(name, s, e);
	for (size_t i = 0; rc == 0 && i < p.n; i++) {
		if (p.n > 1)
			r->table_label = name_table(r->arena, &p, i);
		rc = reference_add_table(r, &p.tables[i]);
	}
	if (rc == 0 && r->n == 0)
		rc = error_at(e, ERROR_EMPTY, name, 0, 0,
		    "no table of speeds or times with columns of nodes and "
		    "GPUs in it");
	rc = reader_end(r, rc);
	published_release(&p);
	return rc;
}
