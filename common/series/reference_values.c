#include <config.h>

#include "common/series/reference_values.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/series/reference_reader.h"
#include "common/units/units.h"
#include "common/utf8.h"

static const char *
span_copy(struct reference_reader *r, struct span a)
{
	return a.len == 0 ? NULL : arena_strndup(r->arena, a.s, a.len);
}

/* --- header lines --------------------------------------------------------- */

static int
header_model(struct reference_reader *r, struct span v)
{
	r->model = span_copy(r, v);
	return 0;
}

static int
header_precision(struct reference_reader *r, struct span v)
{
	r->precision = span_copy(r, v);
	return 0;
}

static int
header_rule(struct reference_reader *r, struct span v)
{
	r->rule = span_copy(r, v);
	return 0;
}

static int
header_batch(struct reference_reader *r, struct span v)
{
	r->batch = RESULT_UNKNOWN;
	if (v.len > 0 &&
	    whole_parse(v.s, v.len, 1, 1000000000, &r->batch) != UNITS_OK)
		return reference_values_fail(r, ERROR_INPUT, v.s,
		    "is not a batch size (samples on each GPU)", v);
	return 0;
}

/* One for the whole file: it is part of the rule that all its cases share. */
static int
header_scaling(struct reference_reader *r, struct span v)
{
	if (r->n > 0)
		return reference_values_fail(r, ERROR_INPUT, r->line,
		    "scaling must come before the first table", SPAN_NONE);
	if (!span_is(v, "weak") && !span_is(v, "strong"))
		return reference_values_fail(r, ERROR_INPUT,
		    v.len > 0 ? v.s : r->line,
		    "is no kind of scaling: weak (the same batch on each GPU) "
		    "or strong (the same batch on all together)",
		    v);
	r->strong = span_is(v, "strong");
	return 0;
}

static int
header_unit(struct reference_reader *r, struct span v)
{
	r->unit = v.len == 0 ? REFERENCE_VALUES_UNIT : reference_values_unit(v);
	if (r->unit == NULL)
		return reference_values_fail(r, ERROR_INPUT, v.s,
		    "is not a unit: samples/s, images/s, sequences/s, "
		    "examples/s, tokens/s, items/s, iterations/s, s or min",
		    v);
	return 0;
}

static int
header_baseline(struct reference_reader *r, struct span v)
{
	r->baseline = span_copy(r, v);
	r->baseline_line = r->line_number;
	return 0;
}

/* "label: key=value" sets one, "label:" alone forgets all. */
static int
header_label(struct reference_reader *r, struct span v)
{
	const char *eq = v.len > 0 ? memchr(v.s, '=', v.len) : NULL;
	struct span key, value;
	struct result_pair *labels;

	if (v.len == 0) {
		r->labels = NULL;
		r->n_labels = 0;
		return 0;
	}
	if (eq == NULL || eq == v.s)
		return reference_values_fail(
		    r, ERROR_INPUT, v.s, "is not key=value", v);
	key = span_trim(v.s, (size_t)(eq - v.s));
	value = span_trim(eq + 1, v.len - (size_t)(eq + 1 - v.s));
	/* A new array: cases that were read keep the old one. */
	labels = arena_calloc(r->arena, r->n_labels + 1, sizeof *labels);
	if (r->n_labels > 0)
		memcpy(labels, r->labels, r->n_labels * sizeof *labels);
	r->labels = labels;
	for (size_t i = 0; i < r->n_labels; i++)
		if (span_is(key, labels[i].key)) {
			labels[i].value =
			    arena_strndup(r->arena, value.s, value.len);
			return 0;
		}
	if (r->n_labels == REFERENCE_VALUES_MAX_LABELS)
		return reference_values_fail(
		    r, ERROR_LIMIT, v.s, "too many labels", SPAN_NONE);
	labels[r->n_labels].key = arena_strndup(r->arena, key.s, key.len);
	labels[r->n_labels++].value =
	    arena_strndup(r->arena, value.s, value.len);
	return 0;
}

static int
header_source(struct reference_reader *r, struct span v)
{
	struct result_file *s = r->out;
	const char **origins;

	if (v.len == 0)
		return 0;
	if (s->n_origins == REFERENCE_VALUES_MAX_ORIGINS)
		return reference_values_fail(
		    r, ERROR_LIMIT, v.s, "too many sources", SPAN_NONE);
	origins = arena_calloc(r->arena, s->n_origins + 1, sizeof *origins);
	if (s->n_origins > 0)
		memcpy(origins, s->origins, s->n_origins * sizeof *origins);
	origins[s->n_origins++] = span_copy(r, v);
	s->origins = origins;
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
		return reference_values_fail(r, ERROR_INPUT, v.s,
		    "is nothing that rows are: topologies, cases or sizes", v);
	return 0;
}

static int
header_count(struct reference_reader *r, struct span v, long *out)
{
	*out = RESULT_UNKNOWN;
	if (v.len > 0 &&
	    whole_parse(v.s, v.len, 1, 1000000000000, out) != UNITS_OK)
		return reference_values_fail(
		    r, ERROR_INPUT, v.s, "is not a count", v);
	return 0;
}

static int
header_samples(struct reference_reader *r, struct span v)
{
	return header_count(r, v, &r->samples);
}

static int
header_steps(struct reference_reader *r, struct span v)
{
	return header_count(r, v, &r->steps);
}

/* What the run of a table of sizes took. */
static int
header_real(struct reference_reader *r, struct span v)
{
	r->real_s = NAN;
	if (v.len > 0 && duration_parse(v.s, v.len, &r->real_s) != UNITS_OK)
		return reference_values_fail(
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
		return reference_values_fail(
		    r, ERROR_INPUT, v.s, "is not a case such as 4n8g", v);
	r->case_gpus = r->case_nodes * each;
	return 0;
}

static const struct {
	const char *key;
	int (*read)(struct reference_reader *r, struct span value);
} headers[] = {
	{ "model", header_model },
	{ "batch", header_batch },
	{ "scaling", header_scaling },
	{ "precision", header_precision },
	{ "unit", header_unit },
	{ "rule", header_rule },
	{ "baseline", header_baseline },
	{ "label", header_label },
	{ "source", header_source },
	{ "rows", header_rows },
	{ "samples", header_samples },
	{ "steps", header_steps },
	{ "case", header_case },
	{ "real", header_real },
};

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
		return reference_values_fail(r, ERROR_INPUT, line.s,
		    "expected 'key: value', a row '| ... |' or a comment '#'",
		    SPAN_NONE);
	key = span_trim(line.s, (size_t)(colon - line.s));
	value = span_trim(colon + 1, line.len - (size_t)(colon + 1 - line.s));
	for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
		if (span_is(key, headers[i].key))
			return headers[i].read(r, value);
	return reference_values_fail(r, ERROR_INPUT, line.s,
	    "is not a key: model, batch, scaling, precision, unit, rule, "
	    "baseline, label, source, rows, samples, steps, case or real",
	    key);
}

/* --- lines ---------------------------------------------------------------- */

static int
read_line(struct reference_reader *r)
{
	struct span line = span_trim(r->line, r->line_len);

	if (!utf8_valid(line.s, line.len))
		return reference_values_fail(
		    r, ERROR_INPUT, NULL, "not UTF-8 text", SPAN_NONE);
	if (memchr(line.s, '\0', line.len) != NULL)
		return reference_values_fail(
		    r, ERROR_INPUT, NULL, "a NUL character", SPAN_NONE);
	if (line.len > 0 && line.s[0] == '|')
		return reference_values_table_line(r, line);
	if (reference_values_table_end(r) != 0)
		return -1;
	if (line.len == 0 || line.s[0] == '#')
		return 0;
	return read_header(r, line);
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
	struct written_cells *written;
	long *lines;

	res->cases = arena_calloc(r->arena, r->n + 1, sizeof *res->cases);
	s->texts = arena_calloc(r->arena, r->n + 1, sizeof *s->texts);
	lines = arena_calloc(r->arena, r->n + 1, sizeof *lines);
	written = arena_calloc(r->arena, r->n + 1, sizeof *written);
	for (size_t i = 0; i < r->n; i++) {
		written[i] = r->values[i].written;
		res->cases[i] = r->values[i].c;
		s->texts[i] = r->values[i].text;
		lines[i] = r->values[i].line;
	}
	s->lines = lines;
	s->written = written;
	s->doubts = arena_calloc(r->arena, r->n_doubts + 1, sizeof *s->doubts);
	if (r->n_doubts > 0)
		memcpy(s->doubts, r->doubts, r->n_doubts * sizeof *s->doubts);
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
	return reference_values_table_end(r);
}

static void
result_file_empty(struct result_file *s)
{
	result_init(&s->result);
	s->texts = NULL;
	s->lines = NULL;
	s->origins = NULL;
	s->n_origins = 0;
	s->written = NULL;
	s->doubts = NULL;
	s->n_doubts = 0;
	s->remarks = NULL;
	s->n_remarks = 0;
}

static struct reference_reader *
reader_new(const char *name, struct result_file *s, struct error *e)
{
	struct reference_reader *r = xcalloc(1, sizeof *r);

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

	result_file_empty(s);
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

	result_file_empty(s);
	if (published_read(name, text, len, &p, e) != 0)
		return -1;
	r = reader_new(name, s, e);
	for (size_t i = 0; rc == 0 && i < p.n; i++) {
		if (p.n > 1)
			r->table_label = name_table(r->arena, &p, i);
		rc = reference_values_add_table(r, &p.tables[i]);
	}
	if (rc == 0 && r->n == 0)
		rc = error_at(e, ERROR_EMPTY, name, 0, 0,
		    "no table of speeds or times with columns of nodes and "
		    "GPUs in it");
	rc = reader_end(r, rc);
	published_release(&p);
	return rc;
}
