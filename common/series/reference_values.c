/* Parsing of reference value files, and conversion of their tables, or of a
 * document's, to a result. */
#include <config.h>

#include "common/series/result_set.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/series/reference_reader.h"
#include "common/text.h"
#include "common/units/units.h"
#include "common/utf8.h"

enum {
	MAX_ORIGINS = 100,
	MAX_REMARKS = 200,
	MAX_QUOTED = 80 /* bytes of text quoted in messages */
};

const char *
reference_unit(const char *name)
{
	const struct published_unit *unit =
	    published_unit_find(name, strlen(name));

	if (strcmp(name, "s") != 0 && strcmp(name, "min") != 0 &&
	    (unit == NULL || unit->rate == NULL ||
		strcmp(name, unit->rate) != 0))
		return NULL;
	return unit->name;
}

/* --- messages ------------------------------------------------------------- */

void
reference_remark(
    struct reference_reader *r, long line, long col, const char *text)
{
	if (r->out->n_remarks == MAX_REMARKS)
		return;
	result_file_remark(r->out,
	    col > 0 ? arena_printf(r->arena, "%s:%ld:%ld: %.511s", r->name,
			  line, col, text)
		    : arena_printf(
			  r->arena, "%s:%ld: %.511s", r->name, line, text));
}

/* Find a line of a reference value file by number. */
static struct text_span
find_line(const struct reference_reader *r, long line)
{
	struct text_span l = text_line(r->text, r->end);

	while (--line > 0)
		l = text_line_after(l, r->end);
	return l;
}

int
reference_mistake(struct reference_reader *r, long line, long col,
    const char *text, const char *what)
{
	struct text_span l;

	if (text != NULL)
		what =
		    arena_printf(r->arena, "'%.*s' %s", MAX_QUOTED, text, what);
	if (r->text == NULL) {
		reference_remark(r, line, col, what);
		return 0;
	}
	error_at(r->e, ERROR_INPUT, r->name, line, col, "%s", what);
	l = find_line(r, line);
	return col > 0 ? error_caret(r->e, l.s, (size_t)(l.end - l.s), col)
		       : -1;
}

int
reference_check_length(struct reference_reader *r,
    const struct published_table *t, const struct published_row *row)
{
	struct text_span l;

	if (r->text == NULL)
		return 0;
	if (row->extra_col > 0)
		return reference_mistake(r, row->line, row->extra_col, NULL,
		    "a cell too many for the table's header");
	if (row->n_cells == t->n_columns)
		return 0;
	l = find_line(r, row->line);
	while (l.end[-1] != '|') /* every row ends with '|' */
		l.end--;
	return reference_mistake(r, row->line, (long)(l.end - l.s), NULL,
	    "a cell too few for the table's header");
}

/* --- header lines --------------------------------------------------------- */

/* Trim trailing spaces in place. Returns s after its leading spaces. */
static char *
trim(char *s)
{
	size_t len;

	s += strspn(s, " \t");
	len = strlen(s);
	while (len > 0 && (s[len - 1] == ' ' || s[len - 1] == '\t'))
		len--;
	s[len] = '\0';
	return s;
}

/* The functions below return NULL, or what is wrong with the value, which may
 * be "". */

#define AT(member) offsetof(struct reference_reader, member)

/* "label: key=value" sets a label, "label:" clears all. */
static const char *
set_label(struct reference_reader *r, char *v)
{
	char *eq = strchr(v, '='), *key;
	size_t i = 0;

	if (*v == '\0') {
		r->labels = NULL;
		r->n_labels = 0;
		return NULL;
	}
	if (eq == NULL || eq == v)
		return "is not key=value";
	*eq = '\0';
	key = trim(v);
	while (i < r->n_labels && strcasecmp(key, r->labels[i].key) != 0)
		i++;
	if (i == REFERENCE_VALUES_MAX_LABELS)
		return "is one label too many";
	/* Copy the array: earlier cases refer to the old one. */
	r->labels =
	    arena_longer(r->arena, r->labels, r->n_labels, sizeof *r->labels);
	if (i == r->n_labels)
		r->labels[r->n_labels++].key = key;
	r->labels[i].value = trim(eq + 1);
	return NULL;
}

static const char *
set_source(struct reference_reader *r, char *v)
{
	struct result_file *s = r->out;

	if (*v == '\0')
		return NULL;
	if (s->n_origins == MAX_ORIGINS)
		return "is one source too many";
	s->origins = arena_longer(
	    r->arena, s->origins, s->n_origins, sizeof *s->origins);
	s->origins[s->n_origins++] = v;
	return NULL;
}

/* "4n8g": case of tables whose rows are sizes. */
static const char *
set_case(struct reference_reader *r, char *v)
{
	const size_t len = strlen(v), n = strcspn(v, "n");
	long each;

	r->case_nodes = r->case_gpus = RESULT_UNKNOWN;
	if (len == 0)
		return NULL;
	if (n == len || v[len - 1] != 'g' ||
	    whole_parse(v, n, 1, 1000000, &r->case_nodes) != UNITS_OK ||
	    whole_parse(v + n + 1, len - n - 2, 1, 1000000, &each) != UNITS_OK)
		return "is not a case such as 4n8g";
	r->case_gpus = r->case_nodes * each;
	return NULL;
}

/* A header key: its value is a text, a count, a time, a unit, or one of some
 * words, unless a function reads it. */
static const struct header {
	const char *key;
	enum { IS_TEXT, IS_COUNT, IS_TIME, IS_UNIT, IS_WORD, IS_READ } type;
	size_t offset; /* in struct reference_reader; IS_WORD: of an enum */
	const char *problem; /* of another value */
	const char *words[3];
	long most; /* of a count */
	const char *(*read)(struct reference_reader *r, char *value);
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
	{ "label", IS_READ, .read = set_label },
	{ "source", IS_READ, .read = set_source },
	{ "rows", IS_WORD, .offset = AT(rows),
	    .words = { "topologies", "cases", "sizes" },
	    .problem = "is not a kind of rows: topologies, cases or sizes" },
	{ "samples", IS_COUNT, .offset = AT(samples), .most = 1000000000000,
	    .problem = "is not a count" },
	{ "steps", IS_COUNT, .offset = AT(steps), .most = 1000000000000,
	    .problem = "is not a count" },
	{ "case", IS_READ, .read = set_case },
	{ "real", IS_TIME, .offset = AT(real_s),
	    .problem = "is not a time such as 119.8s" },
};
enum { N_HEADERS = sizeof headers / sizeof headers[0] };

/* Set the member of a header. Returns NULL, or what is wrong with the value,
 * which may be "". */
static const char *
set_header(struct reference_reader *r, const struct header *h, char *value)
{
	void *at = (char *)r + h->offset;
	const size_t len = strlen(value);
	const char *unit;
	int i = 0;

	switch (h->type) {
	case IS_TEXT:
		*(const char **)at = len == 0 ? NULL : value;
		return NULL;
	case IS_COUNT:
		*(long *)at = RESULT_UNKNOWN;
		return len == 0 ||
			whole_parse(value, len, 1, h->most, at) == UNITS_OK
		    ? NULL
		    : h->problem;
	case IS_TIME:
		*(double *)at = NAN;
		return len == 0 || duration_parse(value, len, at) == UNITS_OK
		    ? NULL
		    : h->problem;
	case IS_UNIT:
		unit = len == 0 ? REFERENCE_VALUES_UNIT : reference_unit(value);
		*(const char **)at = unit != NULL ? unit : r->unit;
		return unit != NULL ? NULL : h->problem;
	case IS_WORD:
		while (len > 0 && i < 3 && h->words[i] != NULL &&
		    strcasecmp(value, h->words[i]) != 0)
			i++;
		*(int *)at = i;
		return i < 3 && h->words[i] != NULL ? NULL : h->problem;
	default:
		return h->read(r, value);
	}
}

/* line a copy in the arena */
static int
read_header(struct reference_reader *r, char *line)
{
	char *colon = strchr(line, ':'), *key = trim(line), *value;
	const struct header *h = headers;
	const char *problem;

	if (colon == NULL)
		return reference_mistake(r, r->line, key - line + 1, NULL,
		    "expected 'key: value', a row '| ... |' or a comment '#'");
	value = trim(colon + 1);
	*colon = '\0';
	key = trim(key);
	while (h < headers + N_HEADERS && strcasecmp(key, h->key) != 0)
		h++;
	if (h == headers + N_HEADERS)
		return reference_mistake(r, r->line, key - line + 1, key,
		    "is not a key: model, batch, scaling, precision, unit, "
		    "rule, baseline, label, source, rows, samples, steps, case "
		    "or real");
	problem = set_header(r, h, value);
	if (h->offset == AT(baseline) && h->type == IS_TEXT)
		r->baseline_line = r->line;
	/* Scaling is part of the rule that all cases share. */
	if (h->offset == AT(strong) && h->type == IS_WORD && r->n > 0)
		problem = "must come before the first table";
	return problem == NULL
	    ? 0
	    : reference_mistake(r, r->line, value - line + 1, value, problem);
}

int
reference_values_are(const char *text, size_t len)
{
	const char *end = text + len;
	int is_first = 1;

	for (const char *s = text, *eol; s < end; s = eol + 1) {
		eol = memchr(s, '\n', (size_t)(end - s));
		eol = eol != NULL ? eol : end;
		while (s < eol && isspace((unsigned char)*s))
			s++;
		if (s < eol && *s == '|')
			return 1;
		if (s == eol || *s == '#')
			continue;
		for (int i = 0; is_first && i < N_HEADERS; i++) {
			const size_t n = strlen(headers[i].key);

			if ((size_t)(eol - s) > n && s[n] == ':' &&
			    memcmp(s, headers[i].key, n) == 0)
				return 1;
		}
		is_first = 0;
	}
	return 0;
}

/* --- lines ---------------------------------------------------------------- */

/* Read the table that ends before s, if any. */
static int
end_table(struct reference_reader *r, const char *s)
{
	const char *at = r->table_at;
	struct published p;
	int rc;

	if (at == NULL)
		return 0;
	r->table_at = NULL;
	if (published_read_block(
		r->name, at, (size_t)(s - at), r->table_line, &p, r->e) != 0)
		return -1;
	assert(p.n <= 1);
	rc = p.n == 1 ? reference_add_table(r, &p.tables[0]) : 0;
	published_release(&p);
	return rc;
}

/* s, end  the line */
static int
read_line(struct reference_reader *r, const char *s, const char *end)
{
	const char *from = s;

	if (!utf8_valid(s, (size_t)(end - s)))
		return reference_mistake(r, r->line, 0, NULL, "not UTF-8 text");
	if (memchr(s, '\0', (size_t)(end - s)) != NULL)
		return reference_mistake(
		    r, r->line, 0, NULL, "a NUL character");
	while (from < end && (*from == ' ' || *from == '\t'))
		from++;
	if (from == end || *from != '|') {
		if (end_table(r, s) != 0)
			return -1;
		return from == end || *from == '#'
		    ? 0
		    : read_header(
			  r, arena_strndup(r->arena, s, (size_t)(end - s)));
	}
	while (end[-1] == ' ' || end[-1] == '\t')
		end--;
	if (end - from == 1 || end[-1] != '|')
		return reference_mistake(
		    r, r->line, end - s + 1, NULL, "a row must end with '|'");
	if (r->table_at == NULL) {
		r->table_at = s;
		r->table_line = r->line;
		r->table_col = from - s + 1;
	}
	return 0;
}

/* Initialize a reader and its result s. */
static void
reader_init(struct reference_reader *r, const char *name, struct result_file *s,
    struct error *e)
{
	*s = (struct result_file){ 0 };
	result_init(&s->result);
	*r = (struct reference_reader){ .name = name,
		.out = s,
		.arena = &s->result.arena,
		.e = e,
		.unit = REFERENCE_VALUES_UNIT,
		.batch = RESULT_UNKNOWN,
		.samples = RESULT_UNKNOWN,
		.steps = RESULT_UNKNOWN,
		.case_nodes = RESULT_UNKNOWN,
		.case_gpus = RESULT_UNKNOWN,
		.real_s = NAN };
}

/* Finish a reader: move the values to the result, in its arena. The result is
 * released if rc is not 0 or there is no value. Returns 0 or -1. */
static int
reader_end(struct reference_reader *r, int rc, const char *what_is_missing)
{
	struct result_file *s = r->out;
	struct result *res = &s->result;

	if (rc == 0 && r->n == 0)
		rc = error_at(
		    r->e, ERROR_EMPTY, r->name, 0, 0, "%s", what_is_missing);
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
	    arena_longer(r->arena, r->doubts, r->n_doubts, sizeof *s->doubts);
	s->n_doubts = r->n_doubts;
	res->n_cases = r->n;
	res->rule.metric = r->metric;
	res->rule.scaling = r->strong ? "strong" : NULL;
	res->file = arena_strdup(r->arena, r->name);
	free(r->values);
	free(r->doubts);
	if (rc != 0)
		result_release(res);
	return rc;
}

int
reference_values_parse(const char *name, const char *text, size_t len,
    struct result_file *s, struct error *e)
{
	struct reference_reader r;
	struct text_span l;
	int rc = 0;

	if (len > REFERENCE_VALUES_MAX_BYTES)
		return error_at(e, ERROR_LIMIT, name, 0, 0,
		    "larger than %d MiB", REFERENCE_VALUES_MAX_BYTES >> 20);
	reader_init(&r, name, s, e);
	r.text = text;
	r.end = text + len;
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		r.text += 3;
	for (l = text_line(r.text, r.end); rc == 0 && l.s < r.end;
	     l = text_line_after(l, r.end)) {
		r.line++;
		rc = read_line(&r, l.s, l.end);
	}
	if (rc == 0)
		rc = end_table(&r, r.end);
	return reader_end(&r, rc, "it has no table of reference values");
}

int
reference_values_parse_document(const char *name, const char *text, size_t len,
    struct result_file *s, struct error *e)
{
	struct reference_reader r;
	struct published p;
	int rc = 0;

	if (published_read(name, text, len, &p, e) != 0)
		return -1;
	reader_init(&r, name, s, e);
	for (size_t i = 0; rc == 0 && i < p.n; i++) {
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
		rc = reference_add_table(&r, t);
	}
	rc = reader_end(&r, rc,
	    "it has no table of speeds or times with columns of nodes and "
	    "GPUs");
	published_release(&p);
	return rc;
}
