/* Parses a format, prefix, layout or metadata file line by line into a struct
 * format, by a table with one row per key. */
#include <config.h>

#include "extract/format/format.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"
#include "extract/format/patterns/pattern.h"

/* Part of the file's text. */
struct span {
	const char *s; /* [len] */
	size_t len;
};

enum { MAX_KEYS = 64 };

/* State while a file is parsed. */
struct format_parser {
	struct arena *arena;
	struct format *f;
	struct error *e;
	const char *line, *next;      /* starts of the current and next line */
	const struct format_key *key; /* key being read */
	const char *lines[MAX_KEYS];  /* last line of each key, or NULL */
};

/* Kinds of file that allow a key. */
enum {
	IN_FORMAT = 1 << FORMAT_FILE,
	IN_PREFIX = 1 << FORMAT_FILE_PREFIX,
	IN_LAYOUT = 1 << FORMAT_FILE_LAYOUT,
	IN_METADATA = 1 << FORMAT_FILE_METADATA,
	IN_ALL = (1 << N_FORMAT_FILES) - 1
};

enum { MANY, ONCE, REQUIRED };

/* A key of the language and its parser. */
struct format_key {
	const char *name;
	unsigned files; /* set of IN_... */
	int times;
	/* Parse the value.  Returns 0, or -1 with p->e filled. */
	int (*read)(struct format_parser *p, struct span v);
	size_t offset; /* of the member that is set, in struct format */
	/* Allowed words, in the order of an enum or stored as text. */
	const char *const *choices;
	long min, max; /* of a number */
};

/* Report a mistake at v.  Returns -1. */
#define SPAN_ERROR(p, v, ...) \
	source_error((p)->e, &(p)->f->src, (v).s, __VA_ARGS__)

/* --- Parts of lines --------------------------------------------------------*/

static int
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void
span_skip(struct span *v, size_t n)
{
	v->s += n;
	v->len -= n;
}

static void
skip_blanks(struct span *v)
{
	while (v->len > 0 && is_blank(v->s[0]))
		span_skip(v, 1);
}

/* Remove the first word of v, up to a blank or the byte `end`, and return
 * it. */
static struct span
take_until(struct span *v, char end)
{
	struct span w = *v;

	while (v->len > 0 && !is_blank(v->s[0]) && v->s[0] != end)
		span_skip(v, 1);
	w.len -= v->len;
	return w;
}

/* Remove the first word of v and the blanks after it, and return it. */
static struct span
take_word(struct span *v)
{
	const struct span w = take_until(v, '\0');

	skip_blanks(v);
	return w;
}

static int
span_is(struct span v, const char *s)
{
	return strncmp(s, v.s, v.len) == 0 && s[v.len] == '\0';
}

static char *
span_dup(struct format_parser *p, struct span v)
{
	return arena_strndup(p->arena, v.s, v.len);
}

/* Remove a name from the front of v: letters, digits, - _ . +
 *
 * what  owner of the name, for messages
 *
 * Returns the name in the arena; NULL on a mistake. */
static const char *
take_name(struct format_parser *p, struct span *v, const char *what)
{
	struct span w = take_word(v);
	const char *name = span_dup(p, w);
	const size_t n = strspn(name,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	    "-_.+");

	if (w.len > 0 && w.len <= FORMAT_MAX_NAME && n == w.len)
		return name;
	if (w.len == 0)
		SPAN_ERROR(p, w, "the name of %s is missing", what);
	else if (w.len > FORMAT_MAX_NAME)
		SPAN_ERROR(p, w, "the name of %s is longer than %d bytes", what,
		    FORMAT_MAX_NAME);
	else {
		span_skip(&w, n);
		SPAN_ERROR(p, w,
		    "the name of %s may hold only letters, digits and - _ . +",
		    what);
	}
	return NULL;
}

/* Index of a word in a list; -1 after reporting a mistake. */
static int
find_choice(struct format_parser *p, struct span v, const char *const *choices)
{
	const char *list = choices[0];

	for (int i = 0; choices[i] != NULL; i++) {
		if (span_is(v, choices[i]))
			return i;
		if (i > 0)
			list =
			    arena_printf(p->arena, "%s, %s", list, choices[i]);
	}
	return SPAN_ERROR(p, v, "'%.*s' is none of: %s", (int)v.len, v.s, list);
}

/* Parse "KEY VALUE" of set and gives, and append it to gives [n].  KEY must be
 * a word of the role. */
static int
read_given(struct format_parser *p, struct span v, enum role role,
    struct given **gives, size_t *n)
{
	const struct span key = take_word(&v);
	const struct field_name *word = field_name_find(key.s, key.len);

	if (word == NULL || !(word->roles & FIELD_NAME_IN(role)))
		return SPAN_ERROR(p, key,
		    "'%.*s' is not a known %s (see doc/formats.md)",
		    (int)key.len, key.s,
		    role == ROLE_LAYOUT ? "layout word" : "metadata key");
	if (role == ROLE_LAYOUT && word->field == FIELD_RANK)
		return SPAN_ERROR(p, key,
		    "a layout captures 'rank': the paths of the ranks of a run "
		    "differ only in that group");
	if (v.len == 0)
		return SPAN_ERROR(
		    p, v, "the value of '%s' is missing", word->name);
	*gives = arena_grow(p->arena, *gives, *n, sizeof **gives);
	(*gives)[(*n)++] = (struct given){ word->name, span_dup(p, v) };
	return 0;
}

/* Read the next line, without its end.  A NUL is an error. */
static int
take_line(struct format_parser *p, struct span *v)
{
	const char *end = p->f->src.text + p->f->src.len;
	const char *nl = memchr(p->next, '\n', (size_t)(end - p->next));
	const char *nul;

	*v = (struct span){ p->next,
		(size_t)((nl != NULL ? nl : end) - p->next) };
	p->next = nl != NULL ? nl + 1 : end;
	if (v->len > 0 && v->s[v->len - 1] == '\r')
		v->len--;
	nul = memchr(v->s, '\0', v->len);
	return nul == NULL
	    ? 0
	    : source_error(p->e, &p->f->src, nul, "NUL byte: not a text file");
}

/* --- Header keys -----------------------------------------------------------*/

static int
read_name(struct format_parser *p, struct span v)
{
	const struct span at = v;
	const char *name = take_name(p, &v, "the file");

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

/* Parse a text, one of the choices if there are any. */
static int
read_text(struct format_parser *p, struct span v)
{
	if (p->key->choices != NULL && find_choice(p, v, p->key->choices) < 0)
		return -1;
	*(const char **)member_of(p) = span_dup(p, v);
	return 0;
}

/* Parse one of the choices as its index, stored in an int or an enum. */
static int
read_choice(struct format_parser *p, struct span v)
{
	const int i = find_choice(p, v, p->key->choices);

	if (i >= 0)
		memcpy(member_of(p), &i, sizeof i);
	return i >= 0 ? 0 : -1;
}

static int
read_count(struct format_parser *p, struct span v)
{
	long *out = member_of(p);

	if (parse_long(span_dup(p, v), p->key->min, p->key->max, out) != 0)
		return SPAN_ERROR(p, v,
		    "'%.*s' is not a whole number from %ld to %ld", (int)v.len,
		    v.s, p->key->min, p->key->max);
	return 0;
}

static int
read_window(struct format_parser *p, struct span v)
{
	return span_is(v, "distance") ? 0 : read_count(p, v);
}

/* Parse "files GLOB GLOB": names of the files to read. */
static int
read_files(struct format_parser *p, struct span v)
{
	struct format *f = p->f;

	while (v.len > 0) {
		const struct span w = take_word(&v);

		if (w.s[0] == '*' && w.len < 8)
			return SPAN_ERROR(p, w,
			    "'%.*s' would include too many files", (int)w.len,
			    w.s);
		f->files = arena_grow(
		    p->arena, f->files, f->n_files, sizeof *f->files);
		f->files[f->n_files++] = span_dup(p, w);
	}
	return 0;
}

static int
read_set(struct format_parser *p, struct span v)
{
	return read_given(p, v, ROLE_METADATA, &p->f->gives, &p->f->n_gives);
}

/* --- Patterns and samples --------------------------------------------------*/

/* Parse a pattern of a role, a regular expression or selectors: the rest of the
 * line and its continuation lines, which begin with a blank.
 *
 * seam  "" or " ": inserted between lines */
static int
read_any_pattern(struct format_parser *p, struct span v, enum role role,
    pattern_maker *make, const char *seam)
{
	struct format *f = p->f;
	const char *const end = f->src.text + f->src.len;
	struct strbuf text = STRBUF_INIT(FORMAT_MAX_REGEX + 1);
	struct pattern *pt;
	const struct span at = v;
	int rc = 0;

	f->patterns = arena_grow(
	    p->arena, f->patterns, f->n_patterns, sizeof *f->patterns);
	pt = &f->patterns[f->n_patterns];
	*pt = (struct pattern){ .role = role,
		.name = take_name(p, &v, "the pattern"),
		.at = p->line };
	if (pt->name == NULL)
		return -1;
	for (size_t i = 0; i < f->n_patterns; i++)
		if (strcmp(f->patterns[i].name, pt->name) == 0)
			return SPAN_ERROR(p, at,
			    "pattern '%s' is already on line %ld", pt->name,
			    source_line(&f->src, f->patterns[i].at));
	if (strcmp(pt->name, "nothing") == 0)
		return SPAN_ERROR(
		    p, at, "'nothing' cannot be the name of a pattern");
	if (f->n_patterns == FORMAT_MAX_PATTERNS)
		return SPAN_ERROR(p, at, "too many patterns (at most %d)",
		    FORMAT_MAX_PATTERNS);
	if (v.len == 0)
		return SPAN_ERROR(p, v, "pattern '%s' is empty", pt->name);
	for (int more = 1; more && rc == 0;) {
		if (v.len > 0 && is_blank(v.s[v.len - 1])) {
			rc = source_error(p->e, &f->src, v.s + v.len,
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
		pt->pieces = arena_grow(
		    p->arena, pt->pieces, pt->n_pieces, sizeof *pt->pieces);
		pt->pieces[pt->n_pieces++] = (struct piece){ text.len, v.s };
		strbuf_add(&text, v.s, v.len);
		strbuf_addstr(&text, seam);
		more = p->next != end && is_blank(*p->next);
		if (more && (rc = take_line(p, &v)) == 0)
			skip_blanks(&v);
	}
	pt->text = arena_strdup(p->arena, text.buf);
	strbuf_release(&text);
	if (rc != 0)
		return -1;
	f->n_patterns++;
	return make(pt, p->arena, &f->src, p->e);
}

/* Parse a pattern whose role has the name of the key. */
static int
read_pattern(struct format_parser *p, struct span v)
{
	return read_any_pattern(p, v,
	    role_find(p->key->name, strlen(p->key->name)), pattern_compile, "");
}

/* Parse "step NAME PATTERN".  Older files use this key for time-of, which has
 * one word and cannot be mistaken for a pattern. */
static int
read_step(struct format_parser *p, struct span v)
{
	return span_is(v, "batch") || span_is(v, "sample") ? read_choice(p, v)
							   : read_pattern(p, v);
}

/* Parse "ROLE NAME SELECTORS". */
static int
read_selectors(struct format_parser *p, struct span v)
{
	pattern_maker *const make = strcmp(p->key->name, "json") == 0
	    ? json_pattern_compile
	    : csv_pattern_compile;
	const char *names[ROLE_PREFIX + 1] = { NULL };
	const struct span word = take_word(&v);
	const enum role role = role_find(word.s, word.len);

	for (int i = 0; i < ROLE_PREFIX; i++)
		names[i] = role_name((enum role)i);
	if (role >= ROLE_PREFIX)
		return find_choice(p, word, names); /* reports the error */
	return read_any_pattern(p, v, role, make, " ");
}

/* The pattern above, which must have one of these roles; NULL after reporting
 * the mistake.
 *
 * what  "metadata " or "", for the message */
static struct pattern *
pattern_above(
    struct format_parser *p, struct span v, unsigned roles, const char *what)
{
	const size_t n = p->f->n_patterns;

	if (n > 0 && (FIELD_NAME_IN(p->f->patterns[n - 1].role) & roles) != 0)
		return &p->f->patterns[n - 1];
	SPAN_ERROR(
	    p, v, "'%s' without a %spattern before it", p->key->name, what);
	return NULL;
}

/* "in SECTION" applies to the metadata field above it; the section precedes
 * both. */
static int
read_in(struct format_parser *p, struct span v)
{
	struct pattern *pt =
	    pattern_above(p, v, FIELD_NAME_IN(ROLE_METADATA), "metadata ");

	if (pt == NULL)
		return -1;
	for (size_t i = 0; i < p->f->n_patterns; i++)
		if (p->f->patterns[i].role == ROLE_SECTION &&
		    span_is(v, p->f->patterns[i].name)) {
			pt->in = p->f->patterns[i].name;
			return 0;
		}
	return SPAN_ERROR(
	    p, v, "no section '%.*s' before this line", (int)v.len, v.s);
}

/* "only FRAMEWORK..." applies to the metadata field above it. */
static int
read_only(struct format_parser *p, struct span v)
{
	struct pattern *pt =
	    pattern_above(p, v, FIELD_NAME_IN(ROLE_METADATA), "metadata ");

	char *only = span_dup(p, v);

	for (char *c = only; *c != '\0'; c++)
		*c = is_blank(*c) ? '|' : *c;
	if (pt != NULL)
		pt->only = only;
	return pt != NULL ? 0 : -1;
}

/* "gives KEY VALUE" applies to the pattern above it. */
static int
read_gives(struct format_parser *p, struct span v)
{
	struct pattern *pt = pattern_above(p, v, ~0u, "");

	if (pt == NULL)
		return -1;
	if (pt->role != ROLE_LAYOUT && pt->role != ROLE_METADATA)
		return SPAN_ERROR(
		    p, v, "'gives' is only for metadata and layout patterns");
	if (pt->n_gives == FORMAT_MAX_GIVES)
		return SPAN_ERROR(p, v,
		    "pattern '%s' gives more than %d values", pt->name,
		    FORMAT_MAX_GIVES);
	return read_given(p, v, pt->role, &pt->gives, &pt->n_gives);
}

static int
read_sample(struct format_parser *p, struct span v)
{
	struct format *f = p->f;

	if (f->n_samples == FORMAT_MAX_SAMPLES)
		return SPAN_ERROR(
		    p, v, "too many samples (at most %d)", FORMAT_MAX_SAMPLES);
	f->samples =
	    arena_grow(p->arena, f->samples, f->n_samples, sizeof *f->samples);
	f->samples[f->n_samples++] =
	    (struct format_sample){ .text = v.s, .len = v.len };
	return 0;
}

/* Parse "NAME key=value key="v w"...". */
static int
read_expect(struct format_parser *p, struct span v)
{
	enum { MAX_PAIRS = 64 };
	const struct span at = v;
	struct format_sample *s;
	struct expectation *x;

	if (p->f->n_samples == 0)
		return SPAN_ERROR(p, v, "'expect' without a sample before it");
	s = &p->f->samples[p->f->n_samples - 1];
	if (s->n_expects == FORMAT_MAX_EXPECTED)
		return SPAN_ERROR(p, v,
		    "more than %d expected values for a sample",
		    FORMAT_MAX_EXPECTED);
	s->expects =
	    arena_grow(p->arena, s->expects, s->n_expects, sizeof *s->expects);
	x = &s->expects[s->n_expects++];
	*x = (struct expectation){ .at = v.s };
	x->name = take_name(p, &v, "the expected pattern");
	if (x->name == NULL)
		return -1;
	for (; v.len > 0; skip_blanks(&v)) {
		struct span key, value;

		if (x->n_pairs == MAX_PAIRS)
			return SPAN_ERROR(
			    p, v, "too many values (at most %d)", MAX_PAIRS);
		key = take_until(&v, '=');
		if (key.len == 0 || v.len == 0 || v.s[0] != '=')
			return SPAN_ERROR(p, key,
			    "'%.*s' is not of the form key=value", (int)key.len,
			    key.s);
		span_skip(&v, 1);
		if (v.len > 0 && v.s[0] == '"') {
			const char *end = memchr(v.s + 1, '"', v.len - 1);

			if (end == NULL)
				return SPAN_ERROR(
				    p, v, "the closing '\"' is missing");
			value =
			    (struct span){ v.s + 1, (size_t)(end - v.s) - 1 };
			span_skip(&v, value.len + 2);
			if (v.len > 0 && !is_blank(v.s[0]))
				return SPAN_ERROR(
				    p, v, "a blank is missing here");
		} else {
			value = take_until(&v, '\0');
		}
		x->pairs = arena_grow(
		    p->arena, x->pairs, x->n_pairs, sizeof *x->pairs);
		x->pairs[x->n_pairs++] =
		    (struct expected_pair){ span_dup(p, key),
			    span_dup(p, value), key.s };
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
#define MEANING(member) offsetof(struct format, meaning.member)

static const struct format_key format_keys[] = {
	{ "sample", IN_ALL, MANY, .read = read_sample },
	{ "expect", IN_ALL, MANY, .read = read_expect },
	{ "step", IN_FORMAT, MANY, .read = read_step, MEANING(of_samples),
	    works },
	{ "detail", IN_FORMAT, MANY, .read = read_pattern },
	{ "result", IN_FORMAT, MANY, .read = read_pattern },
	{ "metadata", IN_FORMAT | IN_METADATA, MANY, .read = read_pattern },
	{ "summary", IN_FORMAT, MANY, .read = read_pattern },
	{ "ignore", IN_FORMAT, MANY, .read = read_pattern },
	{ "context", IN_FORMAT, MANY, .read = read_pattern },
	{ "begin", IN_FORMAT, MANY, .read = read_pattern },
	{ "end", IN_FORMAT, MANY, .read = read_pattern },
	{ "interval", IN_FORMAT, MANY, .read = read_pattern },
	{ "collective", IN_FORMAT, MANY, .read = read_pattern },
	{ "section", IN_FORMAT, MANY, .read = read_pattern },
	{ "signature", IN_FORMAT, MANY, .read = read_pattern },
	{ "prefix", IN_PREFIX, MANY, .read = read_pattern },
	{ "layout", IN_LAYOUT, MANY, .read = read_pattern },
	{ "json", IN_FORMAT, MANY, .read = read_selectors },
	{ "csv", IN_FORMAT, MANY, .read = read_selectors },
	{ "in", IN_FORMAT, MANY, .read = read_in },
	{ "only", IN_METADATA, MANY, .read = read_only },
	{ "gives", IN_FORMAT | IN_LAYOUT | IN_METADATA, MANY,
	    .read = read_gives },
	{ "set", IN_FORMAT, MANY, .read = read_set },
	{ "name", IN_ALL, REQUIRED, .read = read_name },
	{ "description", IN_ALL, REQUIRED, .read = read_text, AT(description) },
	{ "url", IN_ALL, ONCE, .read = read_text, AT(url) },
	{ "priority", IN_FORMAT | IN_LAYOUT, ONCE, .read = read_count,
	    AT(priority), NULL, 0, 100 },
	{ "files", IN_FORMAT, ONCE, .read = read_files },
	{ "generic", IN_FORMAT, ONCE, .read = read_choice, AT(generic),
	    yes_no },
	{ "beside", IN_METADATA, ONCE, .read = read_text, AT(beside) },
	{ "part", IN_METADATA, ONCE, .read = read_text, AT(part) },
	{ "parents", IN_METADATA, ONCE, .read = read_text, AT(parents) },
	{ "record", IN_METADATA, ONCE, .read = read_text, AT(record) },
	{ "voice", IN_METADATA, ONCE, .read = read_choice, AT(voice), voices },
	{ "whole-run", IN_FORMAT, ONCE, .read = read_choice, AT(whole_run),
	    yes_no },
	{ "timeline", IN_FORMAT, ONCE, .read = read_choice, AT(timeline),
	    yes_no },
	{ "trials", IN_FORMAT, ONCE, .read = read_choice, MEANING(trials),
	    yes_no },
	{ "echo", IN_FORMAT, ONCE, .read = read_choice, AT(echo), echoes },
	{ "kind", IN_FORMAT, REQUIRED, .read = read_choice, MEANING(kind),
	    kinds },
	{ "statistic", IN_FORMAT, ONCE, .read = read_choice, MEANING(statistic),
	    statistics },
	{ "scope", IN_FORMAT, ONCE, .read = read_choice, MEANING(scope),
	    scopes },
	{ "iterations", IN_FORMAT, ONCE, .read = read_choice,
	    MEANING(iter_global), numberings },
	{ "time-of", IN_FORMAT, ONCE, .read = read_choice, MEANING(of_samples),
	    works },
	{ "unit", IN_FORMAT, ONCE, .read = read_text, MEANING(unit), units },
	{ "throughput", IN_FORMAT, ONCE, .read = read_text, MEANING(throughput),
	    units + 1 },
	{ "rule", IN_FORMAT, ONCE, .read = read_text, MEANING(rule), rules },
	{ "base", IN_FORMAT, ONCE, .read = read_choice, MEANING(base), bases },
	{ "window", IN_FORMAT, ONCE, .read = read_window, MEANING(window), NULL,
	    1, 1000000 },
	{ "mean-start", IN_FORMAT, ONCE, .read = read_count,
	    MEANING(mean_start), NULL, 1, 1000000 },
};

enum { N_KEYS = sizeof format_keys / sizeof format_keys[0] };

/* --- File ------------------------------------------------------------------*/

/* Find a key, or NULL.  Older names of a role map to its key. */
static const struct format_key *
find_key(struct span word)
{
	const enum role role = role_find(word.s, word.len);

	if (role < N_ROLES)
		word =
		    (struct span){ role_name(role), strlen(role_name(role)) };
	for (size_t i = 0; i < N_KEYS; i++)
		if (word.s[0] == format_keys[i].name[0] &&
		    span_is(word, format_keys[i].name))
			return &format_keys[i];
	return NULL;
}

static int
read_line(struct format_parser *p, struct span v)
{
	struct span word;
	const char **line;

	p->line = v.s;
	if (v.len == 0 || v.s[0] == '#')
		return 0;
	if (is_blank(v.s[0])) {
		skip_blanks(&v);
		return v.len == 0
		    ? 0
		    : SPAN_ERROR(p, v,
			  "only a pattern can continue on a line that begins "
			  "with a blank");
	}
	word = take_until(&v, '\0');
	p->key = find_key(word);
	if (p->key == NULL)
		return SPAN_ERROR(
		    p, word, "unknown key '%.*s'", (int)word.len, word.s);
	if (!(p->key->files & (1u << p->f->file)))
		return SPAN_ERROR(p, word,
		    "'%s' is not allowed in this kind of file", p->key->name);
	line = &p->lines[p->key - format_keys];
	if (p->key->times != MANY && *line != NULL)
		return SPAN_ERROR(p, word, "'%s' is already on line %ld",
		    p->key->name, source_line(&p->f->src, *line));
	*line = p->line;
	if (v.len > 0)
		span_skip(&v, 1);
	if (p->key->read != read_sample) /* leading blanks count */
		skip_blanks(&v);
	if (v.len == 0)
		return SPAN_ERROR(
		    p, v, "the value of '%s' is missing", p->key->name);
	return p->key->read(p, v);
}

/* Line on which a key of the table was given, or NULL. */
static const char *
line_of(const struct format_parser *p, const char *name)
{
	return p->lines[find_key((struct span){ name, strlen(name) }) -
	    format_keys];
}

struct format *
format_parse(struct arena *a, enum format_file file, const char *name,
    const char *path, const char *text, size_t len, struct error *e)
{
	struct format_parser p = { .arena = a, .e = e };
	struct format *f = arena_calloc(a, 1, sizeof *f);
	struct span v;
	int rc = 0;

	*f = (struct format){ .file = file,
		.name = arena_strdup(a, name),
		.src = { arena_strdup(a, path), arena_strndup(a, text, len),
		    len },
		.priority = FORMAT_PRIORITY,
		.meaning.base = BASE_AUTO };
	p.f = f;
	p.next = f->src.text;
	if (len > FORMAT_MAX_BYTES) {
		error_at(e, ERROR_LIMIT, path, 0, 0,
		    "the file has %zu bytes (at most %d)", len,
		    FORMAT_MAX_BYTES);
		return NULL;
	}
	while (rc == 0 && p.next < f->src.text + len) {
		rc = take_line(&p, &v);
		if (rc == 0)
			rc = read_line(&p, v);
	}
	for (size_t i = 0; rc == 0 && i < N_KEYS; i++)
		if (format_keys[i].times == REQUIRED && p.lines[i] == NULL &&
		    (format_keys[i].files & (1u << file)))
			rc = source_error(e, &f->src, f->src.text,
			    "missing key '%s'", format_keys[i].name);
	if (rc == 0)
		rc = format_complete(
		    f, line_of(&p, "unit"), line_of(&p, "window"), e);
	for (size_t i = 0; rc == 0 && i < f->n_patterns; i++)
		if (f->patterns[i].n_samples == 0)
			rc = source_error(e, &f->src, f->patterns[i].at,
			    "no sample shows pattern '%s'",
			    f->patterns[i].name);
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
