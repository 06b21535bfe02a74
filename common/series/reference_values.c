/* Lines of reference value files, and published documents as results. */
#include <config.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/series/reference_reader.h"
#include "common/text.h"
#include "common/units/units.h"
#include "common/utf8.h"

enum { MAX_ORIGINS = 100 };

/* --- header lines --------------------------------------------------------- */

/* The text [s, end) without blanks at its ends, in the arena. */
static char *
trim(struct reference_reader *r, const char *s, const char *end)
{
	const struct text_span l = span_trim((struct text_span){ s, end });

	return arena_strndup(r->arena, l.s, (size_t)(l.end - l.s));
}

#define AT(member) offsetof(struct reference_reader, member)

/* A header key and the type of its value. */
static const struct header {
	const char *key;
	enum {
		IS_TEXT,
		IS_COUNT,
		IS_TIME,
		IS_UNIT,
		IS_WORD,   /* index of one of the words, an int */
		IS_LABEL,  /* "label: key=value" sets a label, "label:" clears
		              all */
		IS_SOURCE, /* of the published values */
		IS_CASE    /* of tables whose rows are sizes */
	} type;
	size_t offset;       /* in struct reference_reader */
	const char *problem; /* of another value */
	const char *words[3];
	long most; /* of a count */
} headers[] = {
	{ "model", IS_TEXT, .offset = AT(model) },
	{ "batch", IS_COUNT, .offset = AT(batch), .most = 1000000000,
	    .problem = "is not a batch size (samples on each GPU)" },
	{ "scaling", IS_WORD, .offset = AT(strong),
	    .words = { "weak", "strong" },
	    .problem = "is not a kind of scaling: weak (the same batch on each "
		       "GPU) or strong (the same batch on all together)" },
	{ "precision", IS_TEXT, .offset = AT(precision) },
	{ "unit", IS_UNIT, .offset = AT(unit),
	    .problem = "is not a unit: samples/s, images/s, sequences/s, "
		       "examples/s, tokens/s, items/s, iterations/s, s or "
		       "min" },
	{ "rule", IS_TEXT, .offset = AT(rule) },
	{ "baseline", IS_TEXT, .offset = AT(baseline) },
	{ "label", IS_LABEL, .problem = "is not key=value" },
	{ "source", IS_SOURCE, .problem = "is one source too many" },
	{ "rows", IS_WORD, .offset = AT(rows),
	    .words = { "topologies", "cases", "sizes" },
	    .problem = "is not a kind of rows: topologies, cases or sizes" },
	{ "samples", IS_COUNT, .offset = AT(samples), .most = 1000000000000,
	    .problem = "is not a count" },
	{ "steps", IS_COUNT, .offset = AT(steps), .most = 1000000000000,
	    .problem = "is not a count" },
	{ "case", IS_CASE, .problem = "is not a case such as 4n8g" },
	{ "real", IS_TIME, .offset = AT(real_s),
	    .problem = "is not a time such as 119.8s" },
};
enum { N_HEADERS = sizeof headers / sizeof headers[0] };

/* Returns NULL, or what is wrong with the value of a label. */
static const char *
set_label(struct reference_reader *r, const char *value, const char *problem)
{
	const char *eq = strchr(value, '='), *key;
	size_t i = 0;

	if (*value == '\0') {
		r->labels = NULL;
		r->n_labels = 0;
		return NULL;
	}
	if (eq == NULL || eq == value)
		return problem;
	key = trim(r, value, eq);
	while (i < r->n_labels && strcasecmp(key, r->labels[i].key) != 0)
		i++;
	if (i == REFERENCE_MAX_LABELS)
		return "is one label too many";
	/* Copy the array: earlier cases refer to the old one. */
	r->labels =
	    arena_longer(r->arena, r->labels, r->n_labels, sizeof *r->labels);
	if (i == r->n_labels)
		r->labels[r->n_labels++].key = key;
	r->labels[i].value = trim(r, eq + 1, eq + strlen(eq));
	return NULL;
}

/* Set the member of a header. Returns NULL, or what is wrong with the value,
 * which may be "". */
static const char *
set_header(struct reference_reader *r, const struct header *h, char *value)
{
	void *at = (char *)r + h->offset;
	const size_t len = strlen(value), n = strcspn(value, "n");
	struct result_file *s = r->out;
	const char *unit;
	int ok = len == 0, i = 0;
	long each = 1;

	switch (h->type) {
	case IS_TEXT:
		*(const char **)at = len == 0 ? NULL : value;
		return NULL;
	case IS_COUNT:
		*(long *)at = RESULT_UNKNOWN;
		ok |= whole_parse(value, len, 1, h->most, at) == UNITS_OK;
		break;
	case IS_TIME:
		*(double *)at = NAN;
		ok |= duration_parse(value, len, at) == UNITS_OK;
		break;
	case IS_UNIT:
		unit = len == 0 ? REFERENCE_UNIT : reference_unit(value);
		*(const char **)at = unit != NULL ? unit : r->unit;
		ok = unit != NULL;
		break;
	case IS_WORD:
		while (len > 0 && i < 3 && h->words[i] != NULL &&
		    strcasecmp(value, h->words[i]) != 0)
			i++;
		*(int *)at = i;
		ok = i < 3 && h->words[i] != NULL;
		break;
	case IS_LABEL:
		return set_label(r, value, h->problem);
	case IS_SOURCE:
		if (ok || s->n_origins == MAX_ORIGINS)
			break;
		s->origins = arena_longer(
		    r->arena, s->origins, s->n_origins, sizeof *s->origins);
		s->origins[s->n_origins++] = value;
		ok = 1;
		break;
	case IS_CASE:
		r->case_nodes = r->case_gpus = RESULT_UNKNOWN;
		if (ok || n == len || value[len - 1] != 'g')
			break;
		ok = whole_parse(value, n, 1, 1000000, &r->case_nodes) ==
			UNITS_OK &&
		    whole_parse(value + n + 1, len - n - 2, 1, 1000000,
			&each) == UNITS_OK;
		r->case_gpus = r->case_nodes * each;
		break;
	}
	return ok ? NULL : h->problem;
}

static void
read_header(struct reference_reader *r, struct text_span l)
{
	const char *colon = memchr(l.s, ':', (size_t)(l.end - l.s));
	const long col = span_trim(l).s - l.s + 1;
	const struct header *h = headers;
	const char *problem, *key;
	struct text_span value;
	char *text;

	if (colon == NULL) {
		reference_mistake(r, r->line, col, NULL,
		    "expected 'key: value', a row '| ... |' or a comment '#'");
		return;
	}
	key = trim(r, l.s, colon);
	while (h < headers + N_HEADERS && strcasecmp(key, h->key) != 0)
		h++;
	if (h == headers + N_HEADERS) {
		reference_mistake(r, r->line, col, key,
		    "is not a key: model, batch, scaling, precision, unit, "
		    "rule, baseline, label, source, rows, samples, steps, case "
		    "or real");
		return;
	}
	value = span_trim((struct text_span){ colon + 1, l.end });
	text = trim(r, value.s, value.end);
	problem = set_header(r, h, text);
	if (h->offset == AT(baseline) && h->type == IS_TEXT)
		r->baseline_line = r->line;
	/* Scaling is part of the rule that all cases share. */
	if (h->offset == AT(strong) && h->type == IS_WORD && r->n > 0)
		problem = "must come before the first table";
	if (problem != NULL)
		reference_mistake(r, r->line, value.s - l.s + 1, text, problem);
}

int
reference_values_are(const char *text, size_t len)
{
	const char *end = text + len;
	int is_first = 1;

	for (struct text_span line = text_line(text, end); line.s < end;
	     line = text_line_after(line, end)) {
		const struct text_span l = span_trim(line);

		if (l.s < l.end && *l.s == '|')
			return 1;
		if (l.s == l.end || *l.s == '#')
			continue;
		for (int i = 0; is_first && i < N_HEADERS; i++) {
			const size_t n = strlen(headers[i].key);

			if ((size_t)(l.end - l.s) > n && l.s[n] == ':' &&
			    memcmp(l.s, headers[i].key, n) == 0)
				return 1;
		}
		is_first = 0;
	}
	return 0;
}

/* --- documents ------------------------------------------------------------ */

/* Read the table that ends before s, if any. */
static void
end_table(struct reference_reader *r, const char *s)
{
	const char *at = r->table_at;
	struct published p;

	if (at == NULL || r->failed)
		return;
	r->table_at = NULL;
	if (published_read_block(
		r->name, at, (size_t)(s - at), r->table_line, &p, r->e) != 0) {
		r->failed = 1;
		return;
	}
	assert(p.n <= 1);
	if (p.n == 1)
		reference_add_table(r, &p.tables[0]);
	published_release(&p);
}

/* Start a reader and its result s. */
static struct reference_reader
reader_new(const char *name, struct result_file *s, struct error *e)
{
	*s = (struct result_file){ 0 };
	result_init(&s->result);
	return (struct reference_reader){ .name = name,
		.out = s,
		.arena = &s->result.arena,
		.e = e,
		.unit = REFERENCE_UNIT,
		.batch = RESULT_UNKNOWN,
		.samples = RESULT_UNKNOWN,
		.steps = RESULT_UNKNOWN,
		.case_nodes = RESULT_UNKNOWN,
		.case_gpus = RESULT_UNKNOWN,
		.real_s = NAN };
}

/* Finish a reader: move the values to the result, in its arena. The result is
 * released after a failure or without a value. Returns 0 or -1. */
static int
reader_end(struct reference_reader *r, const char *what_is_missing)
{
	struct result_file *s = r->out;
	struct result *res = &s->result;

	if (!r->failed && r->n == 0)
		error_at(
		    r->e, ERROR_EMPTY, r->name, 0, 0, "%s", what_is_missing);
	r->failed |= r->n == 0;
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
	res->n_cases = r->n;
	res->rule.metric = r->metric;
	res->rule.scaling = r->strong ? "strong" : NULL;
	res->file = arena_strdup(r->arena, r->name);
	free(r->values);
	if (r->failed)
		result_release(res);
	return r->failed ? -1 : 0;
}

int
reference_values_parse(const char *name, const char *text, size_t len,
    struct result_file *s, struct error *e)
{
	struct reference_reader r;

	if (len > REFERENCE_VALUES_MAX_BYTES)
		return error_at(e, ERROR_LIMIT, name, 0, 0,
		    "larger than %d MiB", REFERENCE_VALUES_MAX_BYTES >> 20);
	r = reader_new(name, s, e);
	r.text = text;
	r.end = text + len;
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		r.text += 3;
	for (struct text_span l = text_line(r.text, r.end);
	     !r.failed && l.s < r.end; l = text_line_after(l, r.end)) {
		const struct text_span row = span_trim(l);

		r.line++;
		if (!utf8_valid(l.s, (size_t)(l.end - l.s))) {
			reference_mistake(
			    &r, r.line, 0, NULL, "not UTF-8 text");
		} else if (memchr(l.s, '\0', (size_t)(l.end - l.s)) != NULL) {
			reference_mistake(
			    &r, r.line, 0, NULL, "a NUL character");
		} else if (row.s == row.end || *row.s != '|') {
			end_table(&r, l.s);
			if (row.s < row.end && *row.s != '#' && !r.failed)
				read_header(&r, l);
		} else if (row.end - row.s == 1 || row.end[-1] != '|') {
			reference_mistake(&r, r.line, row.end - l.s + 1, NULL,
			    "a row must end with '|'");
		} else if (r.table_at == NULL) {
			r.table_at = l.s;
			r.table_line = r.line;
			r.table_col = row.s - l.s + 1;
		}
	}
	end_table(&r, r.end);
	return reader_end(&r, "it has no table of reference values");
}

int
reference_values_parse_document(const char *name, const char *text, size_t len,
    struct result_file *s, struct error *e)
{
	struct reference_reader r;
	struct published p;

	if (published_read(name, text, len, &p, e) != 0)
		return -1;
	r = reader_new(name, s, e);
	for (size_t i = 0; !r.failed && i < p.n; i++) {
		const struct published_table *t = &p.tables[i];
		const char *heading = t->heading;
		int is_shared = 0;

		/* A unique name of the table: its heading, with the line if
		 * another has the same one. */
		for (size_t k = 0; heading != NULL && k < p.n; k++)
			is_shared |=
			    k != i && text_same(p.tables[k].heading, heading);
		if (p.n > 1)
			r.table_label = heading == NULL || heading[0] == '\0'
			    ? arena_printf(r.arena, "line %ld", t->line)
			    : is_shared
			    ? arena_printf(r.arena, "%.200s (line %ld)",
				  heading, t->line)
			    : arena_strdup(r.arena, heading);
		reference_add_table(&r, t);
	}
	reader_end(&r,
	    "it has no table of speeds or times with columns of nodes and "
	    "GPUs");
	published_release(&p);
	return r.failed ? -1 : 0;
}
