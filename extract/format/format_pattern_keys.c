/* The keys of a format file for patterns, what belongs to the pattern above,
 * and samples with what is expected of them.  format_parse.c calls the
 * rows. */
#include <config.h>

#include "extract/format/format_parser.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/format/patterns/csv_pattern.h"
#include "extract/format/patterns/json_pattern.h"

static int
read_time_of(struct format_parser *p, struct file_span v)
{
	static const char *const choices[] = { "batch", "sample", NULL };
	const int i = parser_choice(p, v, choices);

	p->f->meaning.of_samples = i;
	return i >= 0 ? 0 : -1;
}

/* Is the line at pos one that goes on with the pattern above it? */
static int
is_continuation(const struct format_parser *p)
{
	return p->pos < p->src.len && file_blank(p->src.text[p->pos]);
}

/* The regular expression: the rest of the line and of those that go on.
 *
 * seam  "" or " ": what stands between two lines of it */
static int
read_regex(struct format_parser *p, struct file_span v, struct pattern *pt,
    const char *seam)
{
	const size_t n_seam = strlen(seam);
	size_t alloc = 0, len = 0, alloc_pieces = 0;
	struct piece *pieces = NULL;
	char *text = NULL;
	int rc = -1;

	for (;;) {
		if (v.len > 0 && file_blank(v.s[v.len - 1])) {
			file_span_skip(&v, v.len);
			SPAN_ERROR(p, v,
			    "a blank ends the line; write [ ] if "
			    "the pattern needs it");
			goto done;
		}
		if (len + n_seam + v.len > FORMAT_MAX_REGEX) {
			SPAN_ERROR(p, v, "pattern '%s' is longer than %d bytes",
			    pt->name, FORMAT_MAX_REGEX);
			goto done;
		}
		pieces = vec_grow(
		    pieces, pt->n_pieces, &alloc_pieces, sizeof *pieces);
		pieces[pt->n_pieces++] = (struct piece){ len, v.line, v.col };
		alloc = len + v.len + n_seam + 1;
		text = xreallocarray(text, alloc, 1);
		memcpy(text + len, v.s, v.len);
		memcpy(text + len + v.len, seam, n_seam);
		len += v.len + n_seam;
		if (!is_continuation(p))
			break;
		if (parser_next_line(p, &v) != 0)
			goto done;
		file_span_skip_blanks(&v);
	}
	pt->text = arena_strndup(p->arena, text, len);
	pt->pieces = arena_calloc(p->arena, pt->n_pieces, sizeof *pieces);
	memcpy(pt->pieces, pieces, pt->n_pieces * sizeof *pieces);
	rc = 0;
done:
	free(text);
	free(pieces);
	return rc;
}

/* A pattern of a role: a regular expression, or selectors.
 *
 * seam  what stands between its lines */
static int
read_any_pattern(struct format_parser *p, struct file_span v, enum role role,
    pattern_maker *make, const char *seam)
{
	struct pattern pt = { .role = role, .line = v.line };
	struct file_span at = v;

	pt.name = parser_name(p, &v, "the pattern");
	if (pt.name == NULL)
		return -1;
	for (size_t i = 0; i < p->n_patterns; i++) {
		if (strcmp(p->patterns[i].name, pt.name) == 0)
			return SPAN_ERROR(p, at,
			    "pattern '%s' is already on "
			    "line %ld",
			    pt.name, p->patterns[i].line);
	}
	if (strcmp(pt.name, "nothing") == 0)
		return SPAN_ERROR(p, at,
		    "a pattern may not be called "
		    "'nothing'");
	if (p->n_patterns == FORMAT_MAX_PATTERNS)
		return SPAN_ERROR(p, at, "too many patterns; %d are the most",
		    FORMAT_MAX_PATTERNS);
	if (v.len == 0)
		return SPAN_ERROR(p, v, "pattern '%s' is empty", pt.name);
	if (read_regex(p, v, &pt, seam) != 0 ||
	    make(&pt, p->arena, &p->src, p->e) != 0) {
		pattern_release(&pt);
		return -1;
	}
	p->patterns =
	    vec_grow(p->patterns, p->n_patterns, &p->alloc_patterns, sizeof pt);
	p->patterns[p->n_patterns++] = pt;
	return 0;
}

int
parser_pattern(struct format_parser *p, struct file_span v, enum role role)
{
	return read_any_pattern(
	    p, v, role, p->later ? pattern_read : pattern_compile, "");
}

/* "step NAME PATTERN"; older files state time-of with this key, which no
 * pattern can be taken for: it has a name and a text. */
static int
read_step(struct format_parser *p, struct file_span v)
{
	if (file_span_is(v, "batch") || file_span_is(v, "sample"))
		return read_time_of(p, v);
	return parser_pattern(p, v, ROLE_STEP);
}

/* "ROLE NAME SELECTORS" */
static int
read_selectors(struct format_parser *p, struct file_span v, pattern_maker *make)
{
	const char *names[N_ROLES + 1] = { NULL };
	struct file_span word = file_span_word(&v);
	const enum role role = role_find(word.s, word.len);

	for (int i = 0; i < ROLE_PREFIX; i++)
		names[i] = role_name((enum role)i);
	if (role >= ROLE_PREFIX)
		return parser_choice(p, word, names); /* which reports it */
	file_span_skip_blanks(&v);
	return read_any_pattern(p, v, role, make, " ");
}

static int
read_json(struct format_parser *p, struct file_span v)
{
	return read_selectors(p, v, json_pattern_compile);
}

static int
read_csv(struct format_parser *p, struct file_span v)
{
	return read_selectors(p, v, csv_pattern_compile);
}

/* "in SECTION" belongs to the metadata field above it; the section stands above
 * both. */
static int
read_in(struct format_parser *p, struct file_span v)
{
	struct pattern *pt =
	    p->n_patterns > 0 ? &p->patterns[p->n_patterns - 1] : NULL;

	if (pt == NULL || pt->role != ROLE_METADATA)
		return SPAN_ERROR(p, v,
		    "there is no metadata above that 'in' could belong to");
	for (size_t i = 0; i < p->n_patterns; i++)
		if (p->patterns[i].role == ROLE_SECTION &&
		    file_span_is(v, p->patterns[i].name)) {
			pt->in = p->patterns[i].name;
			return 0;
		}
	return SPAN_ERROR(
	    p, v, "there is no section '%.*s' above", (int)v.len, v.s);
}

/* "only FRAMEWORK..." belongs to the metadata field above it. */
static int
read_only(struct format_parser *p, struct file_span v)
{
	if (p->n_patterns == 0)
		return SPAN_ERROR(p, v,
		    "there is no metadata above that 'only' could belong to");
	p->patterns[p->n_patterns - 1].only = parser_dup(p, v);
	return 0;
}

/* "gives KEY VALUE" belongs to the pattern above it. */
static int
read_gives(struct format_parser *p, struct file_span v)
{
	struct pattern *pt;
	struct given g, *grown;
	enum role role;

	if (p->n_patterns == 0)
		return SPAN_ERROR(p, v,
		    "there is no pattern above that "
		    "'gives' could belong to");
	pt = &p->patterns[p->n_patterns - 1];
	role = pt->role == ROLE_LAYOUT ? ROLE_LAYOUT : ROLE_METADATA;
	if (pt->role != role)
		return SPAN_ERROR(p, v,
		    "only metadata and layout patterns give "
		    "something");
	if (pt->n_gives == FORMAT_MAX_GIVES)
		return SPAN_ERROR(p, v,
		    "pattern '%s' gives more than %d values", pt->name,
		    FORMAT_MAX_GIVES);
	if (parser_given(p, v, role, &g) != 0)
		return -1;
	grown = arena_calloc(p->arena, pt->n_gives + 1, sizeof g);
	if (pt->n_gives > 0)
		memcpy(grown, pt->gives, pt->n_gives * sizeof g);
	grown[pt->n_gives++] = g;
	pt->gives = grown;
	return 0;
}

static int
read_sample(struct format_parser *p, struct file_span v)
{
	struct format_sample s = { .text = parser_dup(p, v),
		.len = v.len,
		.line = v.line,
		.col = v.col };

	if (p->n_samples == FORMAT_MAX_SAMPLES)
		return SPAN_ERROR(p, v, "too many samples; %d are the most",
		    FORMAT_MAX_SAMPLES);
	p->samples =
	    vec_grow(p->samples, p->n_samples, &p->alloc_samples, sizeof s);
	p->samples[p->n_samples++] = s;
	return 0;
}

/* One key=value or key="v w" before v. */
static int
read_pair(struct format_parser *p, struct file_span *v, struct given *g)
{
	struct file_span key = *v, value;

	key.len = 0;
	while (v->len > 0 && !file_blank(v->s[0]) && v->s[0] != '=') {
		file_span_skip(v, 1);
		key.len++;
	}
	if (key.len == 0 || v->len == 0 || v->s[0] != '=')
		return SPAN_ERROR(p, key, "'%.*s' is not of the form key=value",
		    (int)key.len, key.s);
	file_span_skip(v, 1);
	value = *v;
	value.len = 0;
	if (v->len > 0 && v->s[0] == '"') {
		const char *end = memchr(v->s + 1, '"', v->len - 1);

		if (end == NULL)
			return SPAN_ERROR(p, *v, "the closing '\"' is missing");
		value.s++;
		value.len = (size_t)(end - value.s);
		file_span_skip(v, value.len + 2);
		if (v->len > 0 && !file_blank(v->s[0]))
			return SPAN_ERROR(p, *v, "a blank is missing here");
	} else {
		value = file_span_word(v);
	}
	file_span_skip_blanks(v);
	g->key = parser_dup(p, key);
	g->value = parser_dup(p, value);
	return 0;
}

/* Add x to the expectations of the last sample. */
static void
add_expectation(struct format_parser *p, const struct expectation *x)
{
	struct format_sample *s = &p->samples[p->n_samples - 1];
	struct expectation *grown;

	grown = arena_calloc(p->arena, s->n_expects + 1, sizeof *grown);
	if (s->n_expects > 0)
		memcpy(grown, s->expects, s->n_expects * sizeof *grown);
	grown[s->n_expects++] = *x;
	s->expects = grown;
}

static int
read_expect(struct format_parser *p, struct file_span v)
{
	enum { MAX_PAIRS = 64 };
	struct expectation x = { .line = v.line, .col = v.col };
	struct given pairs[MAX_PAIRS];
	long cols[MAX_PAIRS];
	struct file_span at = v;

	if (p->n_samples == 0)
		return SPAN_ERROR(p, v,
		    "there is no sample above to expect "
		    "something of");
	if (p->samples[p->n_samples - 1].n_expects == FORMAT_MAX_EXPECTED)
		return SPAN_ERROR(p, v, "more than %d are expected of a sample",
		    FORMAT_MAX_EXPECTED);
	x.name = parser_name(p, &v, "the expected pattern");
	if (x.name == NULL)
		return -1;
	while (v.len > 0) {
		if (x.n_pairs == MAX_PAIRS)
			return SPAN_ERROR(p, v,
			    "too many values; %d are the "
			    "most",
			    MAX_PAIRS);
		cols[x.n_pairs] = v.col;
		if (read_pair(p, &v, &pairs[x.n_pairs]) != 0)
			return -1;
		x.n_pairs++;
	}
	if (strcmp(x.name, "nothing") == 0 && x.n_pairs > 0)
		return SPAN_ERROR(p, at, "'nothing' has no values");
	x.pairs = arena_calloc(p->arena, x.n_pairs, sizeof *x.pairs);
	x.cols = arena_calloc(p->arena, x.n_pairs, sizeof *x.cols);
	memcpy(x.pairs, pairs, x.n_pairs * sizeof *pairs);
	memcpy(x.cols, cols, x.n_pairs * sizeof *cols);
	add_expectation(p, &x);
	return 0;
}

const struct format_key format_pattern_keys[] = {
	{ "sample", KEY_IN_ALL, read_sample, 0, N_ROLES, 1, NULL, 0 },
	{ "expect", KEY_IN_ALL, read_expect, 0, N_ROLES, 0, NULL, 0 },
	{ "time-of", KEY_IN_FORMAT, read_time_of, 1, N_ROLES, 0, NULL, 0 },
	{ "step", KEY_IN_FORMAT, read_step, 0, ROLE_STEP, 0, NULL, 0 },
	{ "detail", KEY_IN_FORMAT, NULL, 0, ROLE_DETAIL, 0, NULL, 0 },
	{ "result", KEY_IN_FORMAT, NULL, 0, ROLE_RESULT, 0, NULL, 0 },
	{ "metadata", KEY_IN_FORMAT | KEY_IN_METADATA, NULL, 0, ROLE_METADATA,
	    0, NULL, 0 },
	{ "summary", KEY_IN_FORMAT, NULL, 0, ROLE_SUMMARY, 0, NULL, 0 },
	{ "ignore", KEY_IN_FORMAT, NULL, 0, ROLE_IGNORE, 0, NULL, 0 },
	{ "context", KEY_IN_FORMAT, NULL, 0, ROLE_CONTEXT, 0, NULL, 0 },
	{ "begin", KEY_IN_FORMAT, NULL, 0, ROLE_BEGIN, 0, NULL, 0 },
	{ "end", KEY_IN_FORMAT, NULL, 0, ROLE_END, 0, NULL, 0 },
	{ "interval", KEY_IN_FORMAT, NULL, 0, ROLE_INTERVAL, 0, NULL, 0 },
	{ "collective", KEY_IN_FORMAT, NULL, 0, ROLE_COLLECTIVE, 0, NULL, 0 },
	{ "json", KEY_IN_FORMAT, read_json, 0, N_ROLES, 0, NULL, 0 },
	{ "csv", KEY_IN_FORMAT, read_csv, 0, N_ROLES, 0, NULL, 0 },
	{ "section", KEY_IN_FORMAT, NULL, 0, ROLE_SECTION, 0, NULL, 0 },
	{ "signature", KEY_IN_FORMAT, NULL, 0, ROLE_SIGNATURE, 0, NULL, 0 },
	{ "in", KEY_IN_FORMAT, read_in, 0, N_ROLES, 0, NULL, 0 },
	{ "only", KEY_IN_METADATA, read_only, 0, N_ROLES, 0, NULL, 0 },
	{ "prefix", KEY_IN_PREFIX, NULL, 0, ROLE_PREFIX, 0, NULL, 0 },
	{ "layout", KEY_IN_LAYOUT, NULL, 0, ROLE_LAYOUT, 0, NULL, 0 },
	{ "gives", KEY_IN_FORMAT | KEY_IN_LAYOUT | KEY_IN_METADATA, read_gives,
	    0, N_ROLES, 0, NULL, 0 },
};
const size_t n_format_pattern_keys =
    sizeof format_pattern_keys / sizeof format_pattern_keys[0];
