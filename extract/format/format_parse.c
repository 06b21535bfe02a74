/* Reads one format, prefix, layout or facts file, line by line, into a
 * struct format.  Called at the start of a program and for outlines that are
 * needed; it knows no log. */
#include <config.h>

#include "extract/format/format.h"

#include "common/alloc.h"
#include "common/options.h"
#include "extract/format/csv_pattern.h"
#include "extract/format/json_pattern.h"
#include "extract/format/pattern.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A piece of the file: len bytes in line `line` from column `col`. */
struct file_span {
	const char *s;
	size_t len;
	long line, col;
};

enum { MAX_KEYS = 64 };

struct format_parser {
	struct arena *arena;
	struct format_source src;
	struct format *f;
	const char *want_name;
	struct error *e;
	size_t pos; /* in src.text: the next line */
	long line;  /* number of the line read last */
	long lines
	    [MAX_KEYS]; /* line on which each key was given, by index in keys */
	/* What grows while reading; moved to the arena at the end. */
	struct pattern *patterns;
	size_t n_patterns, alloc_patterns;
	struct format_sample *samples;
	size_t n_samples, alloc_samples;
	struct given *gives;
	size_t n_gives, alloc_gives;
};

enum { IN_FORMAT = 1, IN_PREFIX = 2, IN_LAYOUT = 4, IN_FACTS = 8, IN_ALL = 15 };

struct format_key {
	const char *name;
	unsigned files; /* set of IN_... */
	int (*read)(
	    struct format_parser *p, struct file_span v); /* NULL: a pattern */
	int once;
	enum role role; /* of the pattern */
};

#define SPAN_ERROR(p, v, ...) \
	source_error((p)->e, &(p)->src, (v).line, (v).col, __VA_ARGS__)

static int
is_blank(char c)
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
span_skip(struct file_span *v, size_t n)
{
	assert(n <= v->len);
	v->s += n;
	v->len -= n;
	v->col += (long)n;
}

static void
span_skip_blanks(struct file_span *v)
{
	while (v->len > 0 && is_blank(v->s[0]))
		span_skip(v, 1);
}

/* Take characters up to the next blank off the front of v. */
static struct file_span
span_word(struct file_span *v)
{
	struct file_span w = *v;

	w.len = 0;
	while (v->len > 0 && !is_blank(v->s[0])) {
		span_skip(v, 1);
		w.len++;
	}
	return w;
}

static int
span_is(struct file_span v, const char *s)
{
	return v.len == strlen(s) && memcmp(v.s, s, v.len) == 0;
}

static char *
span_dup(struct format_parser *p, struct file_span v)
{
	return arena_strndup(p->arena, v.s, v.len);
}

/* A name before v: letters, digits, - _ . +; NULL on a mistake. */
static const char *
read_name(struct format_parser *p, struct file_span *v, const char *what)
{
	struct file_span w = span_word(v);

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
			span_skip(&w, i);
			SPAN_ERROR(p, w,
			    "the name of %s may hold only "
			    "letters, digits and - _ . +",
			    what);
			return NULL;
		}
	}
	span_skip_blanks(v);
	return span_dup(p, w);
}

/* --- Keys of the head ----------------------------------------------------- */

static int
read_format_name(struct format_parser *p, struct file_span v)
{
	struct file_span at = v;
	const char *name = read_name(p, &v, "the file");

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

static int
read_description(struct format_parser *p, struct file_span v)
{
	p->f->description = span_dup(p, v);
	return 0;
}

static int
read_url(struct format_parser *p, struct file_span v)
{
	p->f->url = span_dup(p, v);
	return 0;
}

static int
read_whole(
    struct format_parser *p, struct file_span v, long min, long max, long *out)
{
	if (parse_long(span_dup(p, v), min, max, out) != 0)
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

/* One of a list of words.  Returns its index, or -1. */
static int
read_choice(
    struct format_parser *p, struct file_span v, const char *const *choices)
{
	char list[256];
	size_t used = 0;

	list[0] = '\0';
	for (int i = 0; choices[i] != NULL; i++) {
		size_t n = strlen(choices[i]);

		if (span_is(v, choices[i]))
			return i;
		assert(used + n + 3 < sizeof list);
		if (i > 0) {
			memcpy(list + used, ", ", 2);
			used += 2;
		}
		memcpy(list + used, choices[i], n + 1);
		used += n;
	}
	return SPAN_ERROR(p, v, "'%.*s' is none of: %s", (int)v.len, v.s, list);
}

static int
read_generic(struct format_parser *p, struct file_span v)
{
	static const char *const choices[] = { "no", "yes", NULL };

	return (p->f->generic = read_choice(p, v, choices)) < 0 ? -1 : 0;
}

static int
read_whole_run(struct format_parser *p, struct file_span v)
{
	static const char *const choices[] = { "no", "yes", NULL };

	return (p->f->whole_run = read_choice(p, v, choices)) < 0 ? -1 : 0;
}

static int
read_timeline(struct format_parser *p, struct file_span v)
{
	static const char *const choices[] = { "no", "yes", NULL };

	const int i = read_choice(p, v, choices);

	p->f->events = i == 1 ? EVENTS_HOROVOD : EVENTS_NONE;
	return i < 0 ? -1 : 0;
}

static int
read_trials(struct format_parser *p, struct file_span v)
{
	static const char *const choices[] = { "no", "yes", NULL };

	p->f->meaning.trials = read_choice(p, v, choices);
	return p->f->meaning.trials < 0 ? -1 : 0;
}

static int
read_echo(struct format_parser *p, struct file_span v)
{
	/* In the order of enum echo. */
	static const char *const choices[] = { "no", "yes", "bar", NULL };

	const int i = read_choice(p, v, choices);

	if (i < 0)
		return -1;
	p->f->echo = (enum echo)i;
	return 0;
}

/* "files GLOB GLOB": names of files to look into. */
static int
read_files(struct format_parser *p, struct file_span v)
{
	struct format *f = p->f;

	/* At most every other byte begins a word. */
	f->files = arena_calloc(p->arena, v.len / 2 + 1, sizeof *f->files);
	while (v.len > 0) {
		struct file_span w = span_word(&v);

		if (w.s[0] == '*' && w.len < 8)
			return SPAN_ERROR(p, w,
			    "'%.*s' would take in too many files", (int)w.len,
			    w.s);
		f->files[f->n_files++] = span_dup(p, w);
		span_skip_blanks(&v);
	}
	return 0;
}

static int
read_kind(struct format_parser *p, struct file_span v)
{
	/* In the order of enum value_kind. */
	static const char *const choices[] = { "step-time", "rate", "stamp",
		"elapsed", NULL };
	int i = read_choice(p, v, choices);

	if (i < 0)
		return -1;
	p->f->meaning.kind = (enum value_kind)i;
	return 0;
}

static int
read_statistic(struct format_parser *p, struct file_span v)
{
	/* In the order of enum value_statistic. */
	static const char *const choices[] = { "instant", "window-mean",
		"cumulative-mean", NULL };
	int i = read_choice(p, v, choices);

	if (i < 0)
		return -1;
	p->f->meaning.statistic = (enum value_statistic)i;
	return 0;
}

static int
read_scope(struct format_parser *p, struct file_span v)
{
	/* In the order of enum value_scope. */
	static const char *const choices[] = { "global", "node", "device",
		NULL };
	int i = read_choice(p, v, choices);

	if (i < 0)
		return -1;
	p->f->meaning.scope = (enum value_scope)i;
	return 0;
}

static const char *const units[] = { "s", "samples/s", "images/s",
	"sequences/s", "examples/s", "tokens/s", "items/s", "iterations/s",
	"GB/s", NULL };

static int
read_unit(struct format_parser *p, struct file_span v)
{
	int i = read_choice(p, v, units);

	if (i < 0)
		return -1;
	p->f->meaning.unit = units[i];
	return 0;
}

static int
read_throughput(struct format_parser *p, struct file_span v)
{
	int i = read_choice(p, v, units + 1);

	if (i < 0)
		return -1;
	p->f->meaning.throughput = units[i + 1];
	return 0;
}

static int
read_base(struct format_parser *p, struct file_span v)
{
	static const char *const choices[] = { "0", "1", "auto", NULL };
	int i = read_choice(p, v, choices);

	if (i < 0)
		return -1;
	p->f->meaning.base = i == 2 ? BASE_AUTO : i;
	return 0;
}

static int
read_window(struct format_parser *p, struct file_span v)
{
	if (span_is(v, "distance")) {
		p->f->meaning.window = 0;
		return 0;
	}
	return read_whole(p, v, 1, 1000000, &p->f->meaning.window);
}

static int
read_rule(struct format_parser *p, struct file_span v)
{
	static const char *const choices[] = { "window", "all", "summary",
		NULL };
	int i = read_choice(p, v, choices);

	if (i < 0)
		return -1;
	p->f->meaning.rule = choices[i];
	return 0;
}

static int
read_iterations(struct format_parser *p, struct file_span v)
{
	static const char *const choices[] = { "per-epoch", "run-on", NULL };

	p->f->meaning.iter_global = read_choice(p, v, choices);
	return p->f->meaning.iter_global < 0 ? -1 : 0;
}

static int
read_time_of(struct format_parser *p, struct file_span v)
{
	static const char *const choices[] = { "batch", "sample", NULL };

	p->f->meaning.of_samples = read_choice(p, v, choices);
	return p->f->meaning.of_samples < 0 ? -1 : 0;
}

/* "KEY VALUE" of set and gives; KEY must be a word of that role. */
static int
read_given(struct format_parser *p, struct file_span v, enum role role,
    struct given *g)
{
	struct file_span key = span_word(&v);
	const struct field_name *word = field_name_find(key.s, key.len);

	if (key.len == 0 || word == NULL ||
	    !(word->roles & FIELD_NAME_IN(role)))
		return SPAN_ERROR(p, key,
		    "'%.*s' is no %s of the vocabulary "
		    "(see doc/formats.md)",
		    (int)key.len, key.s,
		    role == ROLE_LAYOUT ? "layout word" : "fact");
	span_skip_blanks(&v);
	if (v.len == 0)
		return SPAN_ERROR(
		    p, v, "the value of '%s' is missing", word->name);
	g->key = word->name;
	g->value = span_dup(p, v);
	return 0;
}

static int
read_set(struct format_parser *p, struct file_span v)
{
	struct given g;

	if (read_given(p, v, ROLE_FACT, &g) != 0)
		return -1;
	p->gives = vec_grow(p->gives, p->n_gives, &p->alloc_gives, sizeof g);
	p->gives[p->n_gives++] = g;
	return 0;
}

/* --- Patterns --------------------------------------------------------------*/

/* Is the line at pos one that goes on with the pattern above it? */
static int
is_continuation(const struct format_parser *p)
{
	return p->pos < p->src.len && is_blank(p->src.text[p->pos]);
}

/* The next line, without its end; a NUL in it is an error. */
static int
next_line(struct format_parser *p, struct file_span *v)
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
		span_skip(v, (size_t)(nul - v->s));
		return SPAN_ERROR(p, *v, "a NUL byte; this is no text file");
	}
	return 0;
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
		if (v.len > 0 && is_blank(v.s[v.len - 1])) {
			span_skip(&v, v.len);
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
		if (next_line(p, &v) != 0)
			goto done;
		span_skip_blanks(&v);
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

/* What turns the text of a pattern into what matches. */
typedef int pattern_maker(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);

/* A pattern of a role: a regular expression, or selectors.
 *
 * seam  what stands between its lines */
static int
read_any_pattern(struct format_parser *p, struct file_span v, enum role role,
    pattern_maker *make, const char *seam)
{
	struct pattern pt = { .role = role, .line = v.line };
	struct file_span at = v;

	pt.name = read_name(p, &v, "the pattern");
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
read_pattern(struct format_parser *p, struct file_span v, enum role role)
{
	return read_any_pattern(p, v, role, pattern_compile, "");
}

/* "step NAME PATTERN"; older files state time-of with this key, which no
 * pattern can be taken for: it has a name and a text. */
static int
read_step(struct format_parser *p, struct file_span v)
{
	if (span_is(v, "batch") || span_is(v, "sample"))
		return read_time_of(p, v);
	return read_pattern(p, v, ROLE_STEP);
}

/* "ROLE NAME SELECTORS" */
static int
read_selectors(struct format_parser *p, struct file_span v, pattern_maker *make)
{
	const char *names[N_ROLES + 1] = { NULL };
	struct file_span word = span_word(&v);
	const enum role role = role_find(word.s, word.len);

	for (int i = 0; i < ROLE_PREFIX; i++)
		names[i] = role_name((enum role)i);
	if (role >= ROLE_PREFIX)
		return read_choice(p, word, names); /* which reports it */
	span_skip_blanks(&v);
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

/* "in SECTION" belongs to the fact above it; the section stands above both. */
static int
read_in(struct format_parser *p, struct file_span v)
{
	struct pattern *pt =
	    p->n_patterns > 0 ? &p->patterns[p->n_patterns - 1] : NULL;

	if (pt == NULL || pt->role != ROLE_FACT)
		return SPAN_ERROR(
		    p, v, "there is no fact above that 'in' could belong to");
	for (size_t i = 0; i < p->n_patterns; i++)
		if (p->patterns[i].role == ROLE_SECTION &&
		    span_is(v, p->patterns[i].name)) {
			pt->in = p->patterns[i].name;
			return 0;
		}
	return SPAN_ERROR(
	    p, v, "there is no section '%.*s' above", (int)v.len, v.s);
}

/* "only FRAMEWORK..." belongs to the fact above it. */
static int
read_only(struct format_parser *p, struct file_span v)
{
	if (p->n_patterns == 0)
		return SPAN_ERROR(
		    p, v, "there is no fact above that 'only' could belong to");
	p->patterns[p->n_patterns - 1].only = span_dup(p, v);
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
	role = pt->role == ROLE_LAYOUT ? ROLE_LAYOUT : ROLE_FACT;
	if (pt->role != role)
		return SPAN_ERROR(p, v,
		    "only fact and layout patterns give "
		    "something");
	if (read_given(p, v, role, &g) != 0)
		return -1;
	grown = arena_calloc(p->arena, pt->n_gives + 1, sizeof g);
	if (pt->n_gives > 0)
		memcpy(grown, pt->gives, pt->n_gives * sizeof g);
	grown[pt->n_gives++] = g;
	pt->gives = grown;
	return 0;
}

/* --- Samples ---------------------------------------------------------------*/

static int
read_sample(struct format_parser *p, struct file_span v)
{
	struct format_sample s = { .text = span_dup(p, v),
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
	while (v->len > 0 && !is_blank(v->s[0]) && v->s[0] != '=') {
		span_skip(v, 1);
		key.len++;
	}
	if (key.len == 0 || v->len == 0 || v->s[0] != '=')
		return SPAN_ERROR(p, key, "'%.*s' is not of the form key=value",
		    (int)key.len, key.s);
	span_skip(v, 1);
	value = *v;
	value.len = 0;
	if (v->len > 0 && v->s[0] == '"') {
		const char *end = memchr(v->s + 1, '"', v->len - 1);

		if (end == NULL)
			return SPAN_ERROR(p, *v, "the closing '\"' is missing");
		value.s++;
		value.len = (size_t)(end - value.s);
		span_skip(v, value.len + 2);
		if (v->len > 0 && !is_blank(v->s[0]))
			return SPAN_ERROR(p, *v, "a blank is missing here");
	} else {
		value = span_word(v);
	}
	span_skip_blanks(v);
	g->key = span_dup(p, key);
	g->value = span_dup(p, value);
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
	x.name = read_name(p, &v, "the expected pattern");
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

/* --- The file --------------------------------------------------------------*/

static const struct format_key keys[] = {
	{ "name", IN_ALL, read_format_name, 1, N_ROLES },
	{ "description", IN_ALL, read_description, 1, N_ROLES },
	{ "url", IN_ALL, read_url, 1, N_ROLES },
	{ "priority", IN_FORMAT | IN_LAYOUT, read_priority, 1, N_ROLES },
	{ "generic", IN_FORMAT, read_generic, 1, N_ROLES },
	{ "whole-run", IN_FORMAT, read_whole_run, 1, N_ROLES },
	{ "timeline", IN_FORMAT, read_timeline, 1, N_ROLES },
	{ "trials", IN_FORMAT, read_trials, 1, N_ROLES },
	{ "echo", IN_FORMAT, read_echo, 1, N_ROLES },
	{ "files", IN_FORMAT, read_files, 1, N_ROLES },
	{ "kind", IN_FORMAT, read_kind, 1, N_ROLES },
	{ "statistic", IN_FORMAT, read_statistic, 1, N_ROLES },
	{ "scope", IN_FORMAT, read_scope, 1, N_ROLES },
	{ "unit", IN_FORMAT, read_unit, 1, N_ROLES },
	{ "throughput", IN_FORMAT, read_throughput, 1, N_ROLES },
	{ "base", IN_FORMAT, read_base, 1, N_ROLES },
	{ "window", IN_FORMAT, read_window, 1, N_ROLES },
	{ "rule", IN_FORMAT, read_rule, 1, N_ROLES },
	{ "iterations", IN_FORMAT, read_iterations, 1, N_ROLES },
	{ "time-of", IN_FORMAT, read_time_of, 1, N_ROLES },
	{ "set", IN_FORMAT, read_set, 0, N_ROLES },
	{ "step", IN_FORMAT, read_step, 0, ROLE_STEP },
	{ "detail", IN_FORMAT, NULL, 0, ROLE_DETAIL },
	{ "result", IN_FORMAT, NULL, 0, ROLE_RESULT },
	{ "fact", IN_FORMAT | IN_FACTS, NULL, 0, ROLE_FACT },
	{ "summary", IN_FORMAT, NULL, 0, ROLE_SUMMARY },
	{ "ignore", IN_FORMAT, NULL, 0, ROLE_IGNORE },
	{ "context", IN_FORMAT, NULL, 0, ROLE_CONTEXT },
	{ "begin", IN_FORMAT, NULL, 0, ROLE_BEGIN },
	{ "end", IN_FORMAT, NULL, 0, ROLE_END },
	{ "interval", IN_FORMAT, NULL, 0, ROLE_INTERVAL },
	{ "collective", IN_FORMAT, NULL, 0, ROLE_COLLECTIVE },
	{ "json", IN_FORMAT, read_json, 0, N_ROLES },
	{ "csv", IN_FORMAT, read_csv, 0, N_ROLES },
	{ "section", IN_FORMAT, NULL, 0, ROLE_SECTION },
	{ "signature", IN_FORMAT, NULL, 0, ROLE_SIGNATURE },
	{ "in", IN_FORMAT, read_in, 0, N_ROLES },
	{ "only", IN_FACTS, read_only, 0, N_ROLES },
	{ "prefix", IN_PREFIX, NULL, 0, ROLE_PREFIX },
	{ "layout", IN_LAYOUT, NULL, 0, ROLE_LAYOUT },
	{ "gives", IN_FORMAT | IN_LAYOUT | IN_FACTS, read_gives, 0, N_ROLES },
	{ "sample", IN_ALL, read_sample, 0, N_ROLES },
	{ "expect", IN_ALL, read_expect, 0, N_ROLES },
};

enum { N_KEYS = sizeof keys / sizeof keys[0] };
_Static_assert((int)N_KEYS <= (int)MAX_KEYS, "room in parser.lines");

static long
parser_line_of(const struct format_parser *p, const char *name)
{
	for (size_t i = 0; i < N_KEYS; i++) {
		if (strcmp(keys[i].name, name) == 0)
			return p->lines[i];
	}
	assert(!"a key of the table");
	return 0;
}

/* Index of the key in keys, N_KEYS: there is none. */
static size_t
find_key(struct file_span key)
{
	const enum role role = role_find(key.s, key.len);
	size_t i;

	for (i = 0; i < N_KEYS; i++)
		if (span_is(key, keys[i].name) ||
		    (role < N_ROLES && keys[i].role == role))
			break;
	return i;
}

static int
read_line(struct format_parser *p, struct file_span v)
{
	struct file_span key;
	size_t i;

	if (v.len == 0 || v.s[0] == '#')
		return 0;
	if (is_blank(v.s[0])) {
		span_skip_blanks(&v);
		return v.len == 0
		    ? 0
		    : SPAN_ERROR(p, v,
			  "only a pattern may "
			  "go on in a line that begins with a blank");
	}
	key = span_word(&v);
	i = find_key(key);
	if (i == N_KEYS)
		return SPAN_ERROR(
		    p, key, "unknown key '%.*s'", (int)key.len, key.s);
	if (!(keys[i].files & (1u << p->f->file)))
		return SPAN_ERROR(p, key,
		    "'%s' has no place in this kind of "
		    "file",
		    keys[i].name);
	if (keys[i].once && p->lines[i] > 0)
		return SPAN_ERROR(p, key, "'%s' is already on line %ld",
		    keys[i].name, p->lines[i]);
	p->lines[i] = v.line;
	if (v.len > 0)
		span_skip(&v, 1);
	/* A sample is taken as it is, with all its spaces. */
	if (keys[i].read != read_sample)
		span_skip_blanks(&v);
	if (v.len == 0)
		return SPAN_ERROR(
		    p, v, "the value of '%s' is missing", keys[i].name);
	return keys[i].read != NULL ? keys[i].read(p, v)
				    : read_pattern(p, v, keys[i].role);
}

/* Move what was collected to the arena and complete the format. */
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
	return format_complete(f, p->arena, &p->src, parser_line_of(p, "unit"),
	    parser_line_of(p, "window"), p->e);
}

static int
parser_run(struct format_parser *p)
{
	struct file_span v;

	while (p->pos < p->src.len) {
		if (next_line(p, &v) != 0 || read_line(p, v) != 0)
			return -1;
	}
	return 0;
}

struct format *
format_parse(struct arena *a, enum format_file file, const char *name,
    const char *path, const char *text, size_t len, struct error *e)
{
	struct format_parser p = { .arena = a, .want_name = name, .e = e };
	struct format *f = arena_alloc(a, sizeof *f);
	int rc;

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
	rc = parser_run(&p);
	/* The patterns are the format's from here on, whatever they are. */
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
