/* Parses a format, prefix, layout or metadata file line by line into a struct
 * format, by a table with one row per key. */
#include <config.h>

#include "extract/format/format.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"
#include "extract/format/format_complete.h"
#include "extract/format/patterns/csv_pattern.h"
#include "extract/format/patterns/json_pattern.h"
#include "extract/format/patterns/pattern.h"

/* Part of the file: len bytes from line `line`, column `col`. */
struct file_span {
	const char *s;
	size_t len;
	long line, col;
};

enum { MAX_KEYS = 64 };

/* State while a file is parsed. */
struct format_parser {
	struct arena *arena;
	struct format_source src;
	struct format *f;
	const char *want_name;
	struct error *e;
	size_t pos;           /* offset of the next line in src.text */
	long line;            /* number of the last line read */
	long lines[MAX_KEYS]; /* last line of each key; 0: none */
	/* Grown while reading; moved to the arena at the end. */
	struct pattern *patterns;
	size_t n_patterns, alloc_patterns;
	struct format_sample *samples;
	size_t n_samples, alloc_samples;
	struct given *gives;
	size_t n_gives, alloc_gives;
};

/* Kinds of file that allow a key. */
enum {
	KEY_IN_FORMAT = 1 << FORMAT_FILE,
	KEY_IN_PREFIX = 1 << FORMAT_FILE_PREFIX,
	KEY_IN_LAYOUT = 1 << FORMAT_FILE_LAYOUT,
	KEY_IN_METADATA = 1 << FORMAT_FILE_METADATA,
	KEY_IN_ALL = (1 << N_FORMAT_FILES) - 1
};

/* A key of the language and its parser. */
struct format_key {
	const char *name;
	unsigned files; /* set of KEY_IN_... */
	int once;
	/* Parse the value.  Returns 0, or -1 with p->e filled. */
	int (*read)(struct format_parser *p, const struct format_key *key,
	    struct file_span v);
	size_t offset;              /* of the member set, in struct format */
	const char *const *choices; /* for read_choice and read_word */
	enum role role;             /* for read_pattern */
};

/* Report a mistake at v.  Returns -1. */
#define SPAN_ERROR(p, v, ...) \
	source_error((p)->e, &(p)->src, (v).line, (v).col, __VA_ARGS__)

/* --- Parts of lines --------------------------------------------------------*/

static int
file_blank(char c)
{
	return c == ' ' || c == '\t';
}

static int
is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
	    c == '+';
}

static void
file_span_skip(struct file_span *v, size_t n)
{
	assert(n <= v->len);
	v->s += n;
	v->len -= n;
	v->col += (long)n;
}

static void
file_span_skip_blanks(struct file_span *v)
{
	while (v->len > 0 && file_blank(v->s[0]))
		file_span_skip(v, 1);
}

/* Remove the first word of v, up to the next blank, and return it. */
static struct file_span
file_span_word(struct file_span *v)
{
	struct file_span w = *v;

	w.len = 0;
	while (v->len > 0 && !file_blank(v->s[0])) {
		file_span_skip(v, 1);
		w.len++;
	}
	return w;
}

static int
file_span_is(struct file_span v, const char *s)
{
	return strncmp(s, v.s, v.len) == 0 && s[v.len] == '\0';
}

static char *
parser_dup(struct format_parser *p, struct file_span v)
{
	return arena_strndup(p->arena, v.s, v.len);
}

/* Remove a name from the front of v: letters, digits, - _ . +
 *
 * what  owner of the name, for messages
 *
 * Returns the name in the arena; NULL on a mistake. */
static const char *
parser_name(struct format_parser *p, struct file_span *v, const char *what)
{
	struct file_span w = file_span_word(v);

	if (w.len == 0) {
		SPAN_ERROR(p, w, "the name of %s is missing", what);
		return NULL;
	}
	if (w.len > FORMAT_MAX_NAME) {
		SPAN_ERROR(p, w, "the name of %s is longer than %d bytes", what,
		    FORMAT_MAX_NAME);
		return NULL;
	}
	for (size_t i = 0; i < w.len; i++) {
		if (!is_name_char(w.s[i])) {
			file_span_skip(&w, i);
			SPAN_ERROR(p, w,
			    "the name of %s may hold only "
			    "letters, digits and - _ . +",
			    what);
			return NULL;
		}
	}
	file_span_skip_blanks(v);
	return parser_dup(p, w);
}

/* Index of a word in a list, or -1. */
static int
parser_choice(
    struct format_parser *p, struct file_span v, const char *const *choices)
{
	struct strbuf list;

	strbuf_init(&list, 256);
	for (int i = 0; choices[i] != NULL; i++) {
		if (file_span_is(v, choices[i])) {
			strbuf_release(&list);
			return i;
		}
		strbuf_printf(&list, "%s%s", i > 0 ? ", " : "", choices[i]);
	}
	SPAN_ERROR(p, v, "'%.*s' is none of: %s", (int)v.len, v.s, list.buf);
	strbuf_release(&list);
	return -1;
}

/* Parse "KEY VALUE" of set and gives.  KEY must be a word of the role. */
static int
parser_given(struct format_parser *p, struct file_span v, enum role role,
    struct given *g)
{
	struct file_span key = file_span_word(&v);
	const struct field_name *word = field_name_find(key.s, key.len);

	if (key.len == 0 || word == NULL ||
	    !(word->roles & FIELD_NAME_IN(role)))
		return SPAN_ERROR(p, key,
		    "'%.*s' is no %s of the vocabulary "
		    "(see doc/formats.md)",
		    (int)key.len, key.s,
		    role == ROLE_LAYOUT ? "layout word" : "metadata");
	file_span_skip_blanks(&v);
	if (v.len == 0)
		return SPAN_ERROR(
		    p, v, "the value of '%s' is missing", word->name);
	g->key = word->name;
	g->value = parser_dup(p, v);
	return 0;
}

/* Read the next line, without its end.  A NUL is an error. */
static int
parser_next_line(struct format_parser *p, struct file_span *v)
{
	const char *from = p->src.text + p->pos;
	const char *nl = memchr(from, '\n', p->src.len - p->pos);
	const char *nul;

	v->s = from;
	v->len = nl != NULL ? (size_t)(nl - from) : p->src.len - p->pos;
	v->line = ++p->line;
	v->col = 1;
	p->pos += v->len + (nl != NULL);
	if (v->len > 0 && v->s[v->len - 1] == '\r')
		v->len--;
	nul = memchr(v->s, '\0', v->len);
	if (nul != NULL) {
		file_span_skip(v, (size_t)(nul - v->s));
		return SPAN_ERROR(p, *v, "a NUL byte; this is no text file");
	}
	return 0;
}

/* --- Header keys -----------------------------------------------------------*/

static int
read_name(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	struct file_span at = v;
	const char *name = parser_name(p, &v, "the file");

	(void)key;
	if (name == NULL)
		return -1;
	if (v.len > 0)
		return SPAN_ERROR(p, v, "nothing may follow the name");
	if (strcmp(name, p->want_name) != 0)
		return SPAN_ERROR(p, at,
		    "the file calls itself '%s', but its "
		    "file name is '%s'",
		    name, p->want_name);
	p->f->name = name;
	return 0;
}

/* The member of the format that the key sets. */
static void *
member_of(const struct format_parser *p, const struct format_key *key)
{
	return (char *)p->f + key->offset;
}

static int
read_text(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	*(const char **)member_of(p, key) = parser_dup(p, v);
	return 0;
}

/* Parse one of the choices as a string. */
static int
read_word(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	const int i = parser_choice(p, v, key->choices);

	if (i >= 0)
		*(const char **)member_of(p, key) = key->choices[i];
	return i >= 0 ? 0 : -1;
}

/* Parse one of the choices as its index, stored in an int or an enum. */
static int
read_choice(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	const int i = parser_choice(p, v, key->choices);

	if (i >= 0)
		memcpy(member_of(p, key), &i, sizeof i);
	return i >= 0 ? 0 : -1;
}

static int
read_whole(
    struct format_parser *p, struct file_span v, long min, long max, long *out)
{
	if (parse_long(parser_dup(p, v), min, max, out) != 0)
		return SPAN_ERROR(p, v,
		    "'%.*s' is not a whole number from %ld "
		    "to %ld",
		    (int)v.len, v.s, min, max);
	return 0;
}

static int
read_priority(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	long x;

	(void)key;
	if (read_whole(p, v, 0, 100, &x) != 0)
		return -1;
	p->f->priority = (int)x;
	return 0;
}

/* Parse "files GLOB GLOB": names of files to look into. */
static int
read_files(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	struct format *f = p->f;

	(void)key;
	/* Words are separated, so at most every other byte starts one. */
	f->files = arena_calloc(p->arena, v.len / 2 + 1, sizeof *f->files);
	while (v.len > 0) {
		struct file_span w = file_span_word(&v);

		if (w.s[0] == '*' && w.len < 8)
			return SPAN_ERROR(p, w,
			    "'%.*s' would take in too many files", (int)w.len,
			    w.s);
		f->files[f->n_files++] = parser_dup(p, w);
		file_span_skip_blanks(&v);
	}
	return 0;
}

static int
read_base(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	const int i = parser_choice(p, v, key->choices);

	p->f->meaning.base = i == 2 ? BASE_AUTO : i;
	return i >= 0 ? 0 : -1;
}

/* Parse the number of iterations in a mean, or between lines. */
static int
read_window(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	long *out = member_of(p, key);

	if (out == &p->f->meaning.window && file_span_is(v, "distance")) {
		*out = 0;
		return 0;
	}
	return read_whole(p, v, 1, 1000000, out);
}

static int
read_set(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	struct given g;

	(void)key;
	if (parser_given(p, v, ROLE_METADATA, &g) != 0)
		return -1;
	p->gives = vec_grow(p->gives, p->n_gives, &p->alloc_gives, sizeof g);
	p->gives[p->n_gives++] = g;
	return 0;
}

/* --- Patterns and samples --------------------------------------------------*/

/* True if the line at pos continues the pattern above it. */
static int
is_continuation(const struct format_parser *p)
{
	return p->pos < p->src.len && file_blank(p->src.text[p->pos]);
}

/* Parse a regular expression: the rest of the line and its continuation lines.
 *
 * seam  "" or " ": inserted between lines */
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

/* Parse a pattern of a role: a regular expression or selectors.
 *
 * seam  inserted between lines */
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

static int
read_pattern(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	return read_any_pattern(p, v, key->role, pattern_compile, "");
}

/* Parse "step NAME PATTERN".  Older files use this key for time-of, which has
 * one word and cannot be mistaken for a pattern. */
static int
read_step(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	return file_span_is(v, "batch") || file_span_is(v, "sample")
	    ? read_choice(p, key, v)
	    : read_pattern(p, key, v);
}

/* Parse "ROLE NAME SELECTORS". */
static int
read_selectors(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	pattern_maker *const make = strcmp(key->name, "json") == 0
	    ? json_pattern_compile
	    : csv_pattern_compile;
	const char *names[N_ROLES + 1] = { NULL };
	struct file_span word = file_span_word(&v);
	const enum role role = role_find(word.s, word.len);

	for (int i = 0; i < ROLE_PREFIX; i++)
		names[i] = role_name((enum role)i);
	if (role >= ROLE_PREFIX)
		return parser_choice(p, word, names); /* reports the error */
	file_span_skip_blanks(&v);
	return read_any_pattern(p, v, role, make, " ");
}

/* "in SECTION" applies to the metadata field above it; the section precedes
 * both. */
static int
read_in(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	struct pattern *pt =
	    p->n_patterns > 0 ? &p->patterns[p->n_patterns - 1] : NULL;

	(void)key;
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

/* "only FRAMEWORK..." applies to the metadata field above it. */
static int
read_only(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	(void)key;
	if (p->n_patterns == 0)
		return SPAN_ERROR(p, v,
		    "there is no metadata above that 'only' could belong to");
	p->patterns[p->n_patterns - 1].only = parser_dup(p, v);
	return 0;
}

/* "gives KEY VALUE" applies to the pattern above it. */
static int
read_gives(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	struct pattern *pt;
	struct given g, *grown;
	enum role role;

	(void)key;
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
read_sample(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	struct format_sample s = { .text = parser_dup(p, v),
		.len = v.len,
		.line = v.line,
		.col = v.col };

	(void)key;
	if (p->n_samples == FORMAT_MAX_SAMPLES)
		return SPAN_ERROR(p, v, "too many samples; %d are the most",
		    FORMAT_MAX_SAMPLES);
	p->samples =
	    vec_grow(p->samples, p->n_samples, &p->alloc_samples, sizeof s);
	p->samples[p->n_samples++] = s;
	return 0;
}

/* Parse one key=value or key="v w" and remove it from v. */
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
read_expect(
    struct format_parser *p, const struct format_key *key, struct file_span v)
{
	enum { MAX_PAIRS = 64 };
	struct expectation x = { .line = v.line, .col = v.col };
	struct given pairs[MAX_PAIRS];
	long cols[MAX_PAIRS];
	struct file_span at = v;

	(void)key;
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

/* --- Table of keys ---------------------------------------------------------*/

/* Words in the order of their enum, which begins at 0. */
static const char *const yes_no[] = { "no", "yes", NULL };
static const char *const voices[] = { "program", "launcher", "job", "machine",
	"guess", NULL };
static const char *const echoes[] = { "no", "yes", "bar", NULL };
static const char *const kinds[] = { "step-time", "rate", "stamp", "elapsed",
	NULL };
static const char *const statistics[] = { "instant", "window-mean",
	"cumulative-mean", NULL };
static const char *const scopes[] = { "global", "node", "device", "ranks",
	"unknown", NULL };
static const char *const numberings[] = { "per-epoch", "run-on", NULL };
static const char *const works[] = { "batch", "sample", NULL };
static const char *const bases[] = { "0", "1", "auto", NULL };
static const char *const rules[] = { "window", "all", "summary", NULL };
static const char *const units[] = { "s", "samples/s", "images/s",
	"sequences/s", "examples/s", "tokens/s", "items/s", "iterations/s",
	"GB/s", NULL };

#define AT(member) offsetof(struct format, member)
#define PATTERN(name, files, role) \
	{ \
		name, files, 0, read_pattern, 0, NULL, role \
	}
#define OTHER(name, files, once, read) \
	{ \
		name, files, once, read, 0, NULL, N_ROLES \
	}
#define SET(name, files, read, member, choices) \
	{ \
		name, files, 1, read, AT(member), choices, N_ROLES \
	}

static const struct format_key keys[] = {
	OTHER("sample", KEY_IN_ALL, 0, read_sample),
	OTHER("expect", KEY_IN_ALL, 0, read_expect),
	{ "step", KEY_IN_FORMAT, 0, read_step, AT(meaning.of_samples), works,
	    ROLE_STEP },
	PATTERN("detail", KEY_IN_FORMAT, ROLE_DETAIL),
	PATTERN("result", KEY_IN_FORMAT, ROLE_RESULT),
	PATTERN("metadata", KEY_IN_FORMAT | KEY_IN_METADATA, ROLE_METADATA),
	PATTERN("summary", KEY_IN_FORMAT, ROLE_SUMMARY),
	PATTERN("ignore", KEY_IN_FORMAT, ROLE_IGNORE),
	PATTERN("context", KEY_IN_FORMAT, ROLE_CONTEXT),
	PATTERN("begin", KEY_IN_FORMAT, ROLE_BEGIN),
	PATTERN("end", KEY_IN_FORMAT, ROLE_END),
	PATTERN("interval", KEY_IN_FORMAT, ROLE_INTERVAL),
	PATTERN("collective", KEY_IN_FORMAT, ROLE_COLLECTIVE),
	PATTERN("section", KEY_IN_FORMAT, ROLE_SECTION),
	PATTERN("signature", KEY_IN_FORMAT, ROLE_SIGNATURE),
	PATTERN("prefix", KEY_IN_PREFIX, ROLE_PREFIX),
	PATTERN("layout", KEY_IN_LAYOUT, ROLE_LAYOUT),
	OTHER("json", KEY_IN_FORMAT, 0, read_selectors),
	OTHER("csv", KEY_IN_FORMAT, 0, read_selectors),
	OTHER("in", KEY_IN_FORMAT, 0, read_in),
	OTHER("only", KEY_IN_METADATA, 0, read_only),
	OTHER("gives", KEY_IN_FORMAT | KEY_IN_LAYOUT | KEY_IN_METADATA, 0,
	    read_gives),
	OTHER("set", KEY_IN_FORMAT, 0, read_set),
	OTHER("name", KEY_IN_ALL, 1, read_name),
	SET("description", KEY_IN_ALL, read_text, description, NULL),
	SET("url", KEY_IN_ALL, read_text, url, NULL),
	OTHER("priority", KEY_IN_FORMAT | KEY_IN_LAYOUT, 1, read_priority),
	OTHER("files", KEY_IN_FORMAT, 1, read_files),
	SET("generic", KEY_IN_FORMAT, read_choice, generic, yes_no),
	SET("voice", KEY_IN_METADATA, read_choice, voice, voices),
	SET("whole-run", KEY_IN_FORMAT, read_choice, whole_run, yes_no),
	SET("timeline", KEY_IN_FORMAT, read_choice, events, yes_no),
	SET("trials", KEY_IN_FORMAT, read_choice, meaning.trials, yes_no),
	SET("echo", KEY_IN_FORMAT, read_choice, echo, echoes),
	SET("kind", KEY_IN_FORMAT, read_choice, meaning.kind, kinds),
	SET("statistic", KEY_IN_FORMAT, read_choice, meaning.statistic,
	    statistics),
	SET("scope", KEY_IN_FORMAT, read_choice, meaning.scope, scopes),
	SET("iterations", KEY_IN_FORMAT, read_choice, meaning.iter_global,
	    numberings),
	SET("time-of", KEY_IN_FORMAT, read_choice, meaning.of_samples, works),
	SET("unit", KEY_IN_FORMAT, read_word, meaning.unit, units),
	SET("throughput", KEY_IN_FORMAT, read_word, meaning.throughput,
	    units + 1),
	SET("rule", KEY_IN_FORMAT, read_word, meaning.rule, rules),
	SET("base", KEY_IN_FORMAT, read_base, meaning.base, bases),
	SET("window", KEY_IN_FORMAT, read_window, meaning.window, NULL),
	SET("mean-start", KEY_IN_FORMAT, read_window, meaning.mean_start, NULL),
};

enum { N_KEYS = sizeof keys / sizeof keys[0] };

/* --- File ------------------------------------------------------------------*/

/* Line on which a key of the table was given; 0: not given. */
static long
parser_line_of(const struct format_parser *p, const char *name)
{
	size_t i = 0;

	while (strcmp(keys[i].name, name) != 0)
		i++;
	return p->lines[i];
}

/* Find a key, or NULL.  The name of a role maps to the key of its patterns. */
static const struct format_key *
find_key(struct file_span word)
{
	const enum role role = role_find(word.s, word.len);

	for (size_t i = 0; i < N_KEYS; i++)
		if (word.s[0] == keys[i].name[0] &&
		    file_span_is(word, keys[i].name))
			return &keys[i];
	for (size_t i = 0; role < N_ROLES && i < N_KEYS; i++)
		if (keys[i].role == role)
			return &keys[i];
	return NULL;
}

static int
read_line(struct format_parser *p, struct file_span v)
{
	const struct format_key *key;
	struct file_span word;
	long *line;

	if (v.len == 0 || v.s[0] == '#')
		return 0;
	if (file_blank(v.s[0])) {
		file_span_skip_blanks(&v);
		return v.len == 0
		    ? 0
		    : SPAN_ERROR(p, v,
			  "only a pattern may "
			  "go on in a line that begins with a blank");
	}
	word = file_span_word(&v);
	key = find_key(word);
	if (key == NULL)
		return SPAN_ERROR(
		    p, word, "unknown key '%.*s'", (int)word.len, word.s);
	if (!(key->files & (1u << p->f->file)))
		return SPAN_ERROR(p, word,
		    "'%s' has no place in this kind of "
		    "file",
		    key->name);
	line = &p->lines[key - keys];
	if (key->once && *line > 0)
		return SPAN_ERROR(
		    p, word, "'%s' is already on line %ld", key->name, *line);
	*line = v.line;
	if (v.len > 0)
		file_span_skip(&v, 1);
	if (key->read != read_sample) /* leading blanks count */
		file_span_skip_blanks(&v);
	if (v.len == 0)
		return SPAN_ERROR(
		    p, v, "the value of '%s' is missing", key->name);
	return key->read(p, key, v);
}

static int
parser_finish(struct format_parser *p)
{
	static const char *const required[] = { "name", "description", "kind" };
	struct format *f = p->f;
	size_t n = f->file == FORMAT_FILE ? 3 : 2;

	for (size_t i = 0; i < n; i++) {
		if (parser_line_of(p, required[i]) == 0)
			return source_error(p->e, &p->src, 1, 1,
			    "the key '%s' is missing in this file",
			    required[i]);
	}
	f->gives = arena_calloc(p->arena, p->n_gives, sizeof *f->gives);
	f->n_gives = p->n_gives;
	if (p->n_gives > 0)
		memcpy(f->gives, p->gives, p->n_gives * sizeof *f->gives);
	f->samples = arena_calloc(p->arena, p->n_samples, sizeof *f->samples);
	f->n_samples = p->n_samples;
	if (p->n_samples > 0)
		memcpy(
		    f->samples, p->samples, p->n_samples * sizeof *f->samples);
	if (format_complete(f, &p->src, parser_line_of(p, "unit"),
		parser_line_of(p, "window"), p->e) != 0)
		return -1;
	for (size_t i = 0; i < f->n_patterns; i++)
		if (f->patterns[i].n_samples == 0)
			return source_error(p->e, &p->src, f->patterns[i].line,
			    1, "no sample shows pattern '%s'",
			    f->patterns[i].name);
	return 0;
}

struct format *
format_parse(struct arena *a, enum format_file file, const char *name,
    const char *path, const char *text, size_t len, struct error *e)
{
	struct format_parser p = { .arena = a, .want_name = name, .e = e };
	struct format *f = arena_alloc(a, sizeof *f);
	struct file_span v;
	int rc = 0;

	f->file = file;
	f->name = arena_strdup(a, name);
	f->path = arena_strdup(a, path);
	f->text = arena_strndup(a, text, len);
	f->text_len = len;
	f->priority = FORMAT_PRIORITY;
	f->meaning.base = BASE_AUTO;
	p.f = f;
	p.src = (struct format_source){ f->path, f->text, len };
	if (len > FORMAT_MAX_BYTES) {
		error_at(e, ERROR_LIMIT, path, 0, 0,
		    "the file has %zu bytes; "
		    "%d are the most",
		    len, FORMAT_MAX_BYTES);
		return NULL;
	}
	while (rc == 0 && p.pos < p.src.len) {
		rc = parser_next_line(&p, &v);
		if (rc == 0)
			rc = read_line(&p, v);
	}
	/* Patterns belong to the format from here on, even if incomplete. */
	f->patterns = arena_calloc(a, p.n_patterns, sizeof *f->patterns);
	f->n_patterns = p.n_patterns;
	if (p.n_patterns > 0)
		memcpy(f->patterns, p.patterns,
		    p.n_patterns * sizeof *f->patterns);
	if (rc == 0)
		rc = parser_finish(&p);
	free(p.patterns);
	free(p.samples);
	free(p.gives);
	if (rc == 0)
		return f;
	format_release_code(f);
	return NULL;
}

void
format_release_code(struct format *f)
{
	for (size_t i = 0; i < f->n_patterns; i++)
		pattern_release(&f->patterns[i]);
}
