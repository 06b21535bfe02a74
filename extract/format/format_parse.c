/* Parses a format, prefix, layout or metadata file line by line into a struct
 * format, by a table with one row per key. */
#include <config.h>

#include "extract/format/format.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/strbuf.h"
#include "common/text.h"
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
	struct error *e;
	size_t pos;                   /* offset of the next line in src.text */
	long line;                    /* number of the last line read */
	const struct format_key *key; /* that is read */
	long lines[MAX_KEYS];         /* last line of each key; 0: none */
};

/* Make space for one more of n items in the arena, which doubles it when n is a
 * power of two. */
static void *
grow(struct format_parser *p, void *items, size_t n, size_t size)
{
	void *more;

	if ((n & (n - 1)) != 0)
		return items;
	more = arena_calloc(p->arena, n > 0 ? 2 * n : 1, size);
	if (n > 0)
		memcpy(more, items, n * size);
	return more;
}

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
	int (*read)(struct format_parser *p, struct file_span v);
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

/* Remove the first word of v, up to a blank or the byte `end`, and return
 * it. */
static struct file_span
file_span_until(struct file_span *v, char end)
{
	struct file_span w = *v;

	while (v->len > 0 && !file_blank(v->s[0]) && v->s[0] != end)
		file_span_skip(v, 1);
	w.len -= v->len;
	return w;
}

/* Remove the first word of v and return it. */
static struct file_span
file_span_word(struct file_span *v)
{
	return file_span_until(v, '\0');
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
	const char *name = parser_dup(p, w);
	const size_t n = strspn(name,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	    "-_.+");

	file_span_skip_blanks(v);
	if (w.len > 0 && w.len <= FORMAT_MAX_NAME && n == w.len)
		return name;
	if (w.len == 0)
		SPAN_ERROR(p, w, "the name of %s is missing", what);
	else if (w.len > FORMAT_MAX_NAME)
		SPAN_ERROR(p, w, "the name of %s is longer than %d bytes", what,
		    FORMAT_MAX_NAME);
	else {
		file_span_skip(&w, n);
		SPAN_ERROR(p, w,
		    "the name of %s may hold only letters, digits and - _ . +",
		    what);
	}
	return NULL;
}

/* Index of a word in a list, or -1. */
static int
parser_choice(
    struct format_parser *p, struct file_span v, const char *const *choices)
{
	const char *list = choices[0];

	for (int i = 0; choices[i] != NULL; i++) {
		if (file_span_is(v, choices[i]))
			return i;
		if (i > 0)
			list =
			    arena_printf(p->arena, "%s, %s", list, choices[i]);
	}
	return SPAN_ERROR(p, v, "'%.*s' is none of: %s", (int)v.len, v.s, list);
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
		    "'%.*s' is not a known %s (see doc/formats.md)",
		    (int)key.len, key.s,
		    role == ROLE_LAYOUT ? "layout word" : "metadata key");
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
		return SPAN_ERROR(p, *v, "NUL byte: not a text file");
	}
	return 0;
}

/* --- Header keys -----------------------------------------------------------*/

static int
read_name(struct format_parser *p, struct file_span v)
{
	struct file_span at = v;
	const char *name = parser_name(p, &v, "the file");

	if (name == NULL)
		return -1;
	if (v.len > 0)
		return SPAN_ERROR(p, v, "nothing may follow the name");
	if (strcmp(name, p->f->name) != 0)
		return SPAN_ERROR(p, at,
		    "the name in the file is '%s', but the file is called '%s'",
		    name, p->f->name);
	return 0;
}

/* The member of the format that the key sets. */
static void *
member_of(const struct format_parser *p)
{
	return (char *)p->f + p->key->offset;
}

static int
read_text(struct format_parser *p, struct file_span v)
{
	*(const char **)member_of(p) = parser_dup(p, v);
	return 0;
}

/* Parse one of the choices as a string. */
static int
read_word(struct format_parser *p, struct file_span v)
{
	const int i = parser_choice(p, v, p->key->choices);

	if (i >= 0)
		*(const char **)member_of(p) = p->key->choices[i];
	return i >= 0 ? 0 : -1;
}

/* Parse one of the choices as its index, stored in an int or an enum. */
static int
read_choice(struct format_parser *p, struct file_span v)
{
	const int i = parser_choice(p, v, p->key->choices);

	if (i >= 0)
		memcpy(member_of(p), &i, sizeof i);
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
read_priority(struct format_parser *p, struct file_span v)
{
	long x;

	if (read_whole(p, v, 0, 100, &x) != 0)
		return -1;
	p->f->priority = (int)x;
	return 0;
}

/* Parse "files GLOB GLOB": names of files to look into. */
static int
read_files(struct format_parser *p, struct file_span v)
{
	struct format *f = p->f;

	/* Words are separated, so at most every other byte starts one. */
	f->files = arena_calloc(p->arena, v.len / 2 + 1, sizeof *f->files);
	while (v.len > 0) {
		struct file_span w = file_span_word(&v);

		if (w.s[0] == '*' && w.len < 8)
			return SPAN_ERROR(p, w,
			    "'%.*s' would include too many files", (int)w.len,
			    w.s);
		f->files[f->n_files++] = parser_dup(p, w);
		file_span_skip_blanks(&v);
	}
	return 0;
}

static int
read_base(struct format_parser *p, struct file_span v)
{
	const int i = parser_choice(p, v, p->key->choices);

	p->f->meaning.base = i == 2 ? BASE_AUTO : i;
	return i >= 0 ? 0 : -1;
}

/* Parse the number of iterations in a mean, or between lines. */
static int
read_window(struct format_parser *p, struct file_span v)
{
	long *out = member_of(p);

	if (out == &p->f->meaning.window && file_span_is(v, "distance")) {
		*out = 0;
		return 0;
	}
	return read_whole(p, v, 1, 1000000, out);
}

static int
read_set(struct format_parser *p, struct file_span v)
{
	struct format *f = p->f;

	f->gives = grow(p, f->gives, f->n_gives, sizeof *f->gives);
	return parser_given(p, v, ROLE_METADATA, &f->gives[f->n_gives++]);
}

/* --- Patterns and samples --------------------------------------------------*/

/* Parse a regular expression: the rest of the line and its continuation lines,
 * which begin with a blank.
 *
 * seam  "" or " ": inserted between lines */
static int
read_regex(struct format_parser *p, struct file_span v, struct pattern *pt,
    const char *seam)
{
	struct strbuf text;
	int rc = 0;

	strbuf_init(&text, FORMAT_MAX_REGEX + 1);
	for (;;) {
		if (v.len > 0 && file_blank(v.s[v.len - 1])) {
			file_span_skip(&v, v.len);
			rc = SPAN_ERROR(p, v,
			    "blank at the end of the line; write [ ] if the "
			    "pattern needs it");
			break;
		}
		if (text.len + strlen(seam) + v.len > FORMAT_MAX_REGEX) {
			rc = SPAN_ERROR(p, v,
			    "pattern '%s' is longer than %d bytes", pt->name,
			    FORMAT_MAX_REGEX);
			break;
		}
		pt->pieces =
		    grow(p, pt->pieces, pt->n_pieces, sizeof *pt->pieces);
		pt->pieces[pt->n_pieces++] =
		    (struct piece){ text.len, v.line, v.col };
		strbuf_add(&text, v.s, v.len);
		strbuf_addstr(&text, seam);
		if (p->pos >= p->src.len || !file_blank(p->src.text[p->pos]) ||
		    (rc = parser_next_line(p, &v)) != 0)
			break;
		file_span_skip_blanks(&v);
	}
	pt->text = arena_strdup(p->arena, text.buf);
	strbuf_release(&text);
	return rc;
}

/* Parse a pattern of a role: a regular expression or selectors.
 *
 * seam  inserted between lines */
static int
read_any_pattern(struct format_parser *p, struct file_span v, enum role role,
    pattern_maker *make, const char *seam)
{
	struct format *f = p->f;
	struct pattern *pt;
	const struct file_span at = v;

	f->patterns = grow(p, f->patterns, f->n_patterns, sizeof *f->patterns);
	pt = &f->patterns[f->n_patterns];
	*pt = (struct pattern){ .role = role, .line = v.line };
	pt->name = parser_name(p, &v, "the pattern");
	if (pt->name == NULL)
		return -1;
	for (size_t i = 0; i < f->n_patterns; i++)
		if (strcmp(f->patterns[i].name, pt->name) == 0)
			return SPAN_ERROR(p, at,
			    "pattern '%s' is already on line %ld", pt->name,
			    f->patterns[i].line);
	if (strcmp(pt->name, "nothing") == 0)
		return SPAN_ERROR(
		    p, at, "'nothing' cannot be the name of a pattern");
	if (f->n_patterns == FORMAT_MAX_PATTERNS)
		return SPAN_ERROR(p, at, "too many patterns (at most %d)",
		    FORMAT_MAX_PATTERNS);
	if (v.len == 0)
		return SPAN_ERROR(p, v, "pattern '%s' is empty", pt->name);
	if (read_regex(p, v, pt, seam) != 0)
		return -1;
	f->n_patterns++;
	return make(pt, p->arena, &p->src, p->e);
}

/* The pattern above, or NULL. */
static struct pattern *
last_pattern(const struct format_parser *p)
{
	return p->f->n_patterns > 0 ? &p->f->patterns[p->f->n_patterns - 1]
				    : NULL;
}

static int
read_pattern(struct format_parser *p, struct file_span v)
{
	return read_any_pattern(p, v, p->key->role, pattern_compile, "");
}

/* Parse "step NAME PATTERN".  Older files use this key for time-of, which has
 * one word and cannot be mistaken for a pattern. */
static int
read_step(struct format_parser *p, struct file_span v)
{
	return file_span_is(v, "batch") || file_span_is(v, "sample")
	    ? read_choice(p, v)
	    : read_pattern(p, v);
}

/* Parse "ROLE NAME SELECTORS". */
static int
read_selectors(struct format_parser *p, struct file_span v)
{
	pattern_maker *const make = strcmp(p->key->name, "json") == 0
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
read_in(struct format_parser *p, struct file_span v)
{
	struct pattern *pt = last_pattern(p);

	if (pt == NULL || pt->role != ROLE_METADATA)
		return SPAN_ERROR(
		    p, v, "'in' without a metadata pattern before it");
	for (size_t i = 0; i < p->f->n_patterns; i++)
		if (p->f->patterns[i].role == ROLE_SECTION &&
		    file_span_is(v, p->f->patterns[i].name)) {
			pt->in = p->f->patterns[i].name;
			return 0;
		}
	return SPAN_ERROR(
	    p, v, "no section '%.*s' before this line", (int)v.len, v.s);
}

/* "only FRAMEWORK..." applies to the metadata field above it. */
static int
read_only(struct format_parser *p, struct file_span v)
{
	if (last_pattern(p) == NULL)
		return SPAN_ERROR(
		    p, v, "'only' without a metadata pattern before it");
	last_pattern(p)->only = parser_dup(p, v);
	return 0;
}

/* "gives KEY VALUE" applies to the pattern above it. */
static int
read_gives(struct format_parser *p, struct file_span v)
{
	struct pattern *pt = last_pattern(p);
	enum role role;

	if (pt == NULL)
		return SPAN_ERROR(p, v, "'gives' without a pattern before it");
	role = pt->role == ROLE_LAYOUT ? ROLE_LAYOUT : ROLE_METADATA;
	if (pt->role != role)
		return SPAN_ERROR(
		    p, v, "'gives' is only for metadata and layout patterns");
	if (pt->n_gives == FORMAT_MAX_GIVES)
		return SPAN_ERROR(p, v,
		    "pattern '%s' gives more than %d values", pt->name,
		    FORMAT_MAX_GIVES);
	pt->gives = grow(p, pt->gives, pt->n_gives, sizeof *pt->gives);
	return parser_given(p, v, role, &pt->gives[pt->n_gives++]);
}

static int
read_sample(struct format_parser *p, struct file_span v)
{
	struct format *f = p->f;

	if (f->n_samples == FORMAT_MAX_SAMPLES)
		return SPAN_ERROR(
		    p, v, "too many samples (at most %d)", FORMAT_MAX_SAMPLES);
	f->samples = grow(p, f->samples, f->n_samples, sizeof *f->samples);
	f->samples[f->n_samples++] =
	    (struct format_sample){ .text = parser_dup(p, v),
		    .len = v.len,
		    .line = v.line,
		    .col = v.col };
	return 0;
}

/* Parse one key=value or key="v w" and remove it from v. */
static int
read_pair(struct format_parser *p, struct file_span *v, struct given *g)
{
	const struct file_span key = file_span_until(v, '=');
	struct file_span value;

	if (key.len == 0 || v->len == 0 || v->s[0] != '=')
		return SPAN_ERROR(p, key, "'%.*s' is not of the form key=value",
		    (int)key.len, key.s);
	file_span_skip(v, 1);
	value = *v;
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

static int
read_expect(struct format_parser *p, struct file_span v)
{
	enum { MAX_PAIRS = 64 };
	const struct file_span at = v;
	struct format_sample *s;
	struct expectation *x;

	if (p->f->n_samples == 0)
		return SPAN_ERROR(p, v, "'expect' without a sample before it");
	s = &p->f->samples[p->f->n_samples - 1];
	if (s->n_expects == FORMAT_MAX_EXPECTED)
		return SPAN_ERROR(p, v,
		    "more than %d expected values for a "
		    "sample",
		    FORMAT_MAX_EXPECTED);
	s->expects = grow(p, s->expects, s->n_expects, sizeof *s->expects);
	x = &s->expects[s->n_expects++];
	*x = (struct expectation){ .line = v.line, .col = v.col };
	x->name = parser_name(p, &v, "the expected pattern");
	if (x->name == NULL)
		return -1;
	while (v.len > 0) {
		if (x->n_pairs == MAX_PAIRS)
			return SPAN_ERROR(
			    p, v, "too many values (at most %d)", MAX_PAIRS);
		x->cols = grow(p, x->cols, x->n_pairs, sizeof *x->cols);
		x->pairs = grow(p, x->pairs, x->n_pairs, sizeof *x->pairs);
		x->cols[x->n_pairs] = v.col;
		if (read_pair(p, &v, &x->pairs[x->n_pairs++]) != 0)
			return -1;
	}
	if (strcmp(x->name, "nothing") == 0 && x->n_pairs > 0)
		return SPAN_ERROR(p, at, "'nothing' has no values");
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
			  "only a pattern can continue on a line that begins "
			  "with a blank");
	}
	word = file_span_word(&v);
	key = find_key(word);
	if (key == NULL)
		return SPAN_ERROR(
		    p, word, "unknown key '%.*s'", (int)word.len, word.s);
	if (!(key->files & (1u << p->f->file)))
		return SPAN_ERROR(p, word,
		    "'%s' is not allowed in this kind of file", key->name);
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
	p->key = key;
	return key->read(p, v);
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
			    "missing key '%s'", required[i]);
	}
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
	struct format_parser p = { .arena = a, .e = e };
	struct format *f = arena_alloc(a, sizeof *f);
	struct file_span v;
	int rc = 0;

	*f = (struct format){ .file = file,
		.name = arena_strdup(a, name),
		.path = arena_strdup(a, path),
		.text = arena_strndup(a, text, len),
		.text_len = len,
		.priority = FORMAT_PRIORITY,
		.meaning.base = BASE_AUTO };
	p.f = f;
	p.src = (struct format_source){ f->path, f->text, len };
	if (len > FORMAT_MAX_BYTES) {
		error_at(e, ERROR_LIMIT, path, 0, 0,
		    "the file has %zu bytes (at most %d)", len,
		    FORMAT_MAX_BYTES);
		return NULL;
	}
	while (rc == 0 && p.pos < p.src.len) {
		rc = parser_next_line(&p, &v);
		if (rc == 0)
			rc = read_line(&p, v);
	}
	if (rc == 0 && parser_finish(&p) == 0)
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
