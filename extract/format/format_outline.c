/* Built-in files of formats, metadata and layouts as outlines, which cost
 * little to load: a name and the texts that stand in their logs or paths.  The
 * rest is read when such a text is met by detection, in a line that may hold
 * metadata, or in a path. */
#include <config.h>

#include "extract/format/format.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/strbuf.h"
#include "extract/format/patterns/csv_pattern.h"
#include "extract/format/patterns/digit_insensitive.h"

/* How an outline becomes a format. */
struct format_rest {
	atomic_int done; /* 1: it has; 2: it has a mistake */
	struct format *self;
	struct arena *arena;
	struct error *problem;
};

/* --- Outlines --------------------------------------------------------------*/

/* What a pattern is written in. */
enum outline_language { LANGUAGE_REGEX, LANGUAGE_JSON, LANGUAGE_CSV };

/* What is left of a file. */
struct outline_text {
	const char *at, *end;
};

static int
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next line, without its end. */
static const char *
next_line(struct outline_text *t, size_t *len)
{
	const char *line = t->at;
	const char *nl = memchr(line, '\n', (size_t)(t->end - line));

	t->at = nl != NULL ? nl + 1 : t->end;
	*len = (size_t)((nl != NULL ? nl : t->end) - line);
	if (*len > 0 && line[*len - 1] == '\r')
		--*len;
	return line;
}

/* Take a word and the spaces after it off the front of a line. */
static const char *
next_word(const char **s, size_t *len, size_t *n)
{
	const char *word = *s;

	for (*n = 0; *n < *len && !is_blank(word[*n]); ++*n)
		;
	for (*s += *n, *len -= *n; *len > 0 && is_blank(**s); ++*s)
		--*len;
	return word;
}

static int
is_word(const char *word, size_t n, const char *text)
{
	return strlen(text) == n && memcmp(word, text, n) == 0;
}

/* A role that an outline holds; N_ROLES: none.  Detection asks for no details
 * and metadata of formats. */
static enum role
find_role(const struct format *f, const char *word, size_t n)
{
	const enum role role = role_find(word, n);

	return f->file == FORMAT_FILE &&
		(role == ROLE_DETAIL || role == ROLE_METADATA)
	    ? N_ROLES
	    : role;
}

/* A pattern, with the lines that go on with it. */
static void
note_clue(struct format *f, enum role role, enum outline_language language,
    const char *s, size_t len, struct outline_text *t, struct strbuf *sb)
{
	struct clue *c = &f->clues[f->n_clues++];

	strbuf_reset(sb);
	for (;;) {
		strbuf_add(sb, s, len);
		if (t->at == t->end || !is_blank(*t->at))
			break;
		if (language != LANGUAGE_REGEX)
			strbuf_addstr(sb, " ");
		s = next_line(t, &len);
		for (; len > 0 && is_blank(*s); len--)
			s++;
	}
	c->role = role;
	c->table = language == LANGUAGE_CSV;
	if (language == LANGUAGE_CSV)
		c->n_literal = csv_find_name(sb->buf, c->literal);
	else if (language == LANGUAGE_JSON)
		c->n_literal =
		    required_literal_find_key(sb->buf, c->literal, &c->need);
	else
		c->n_literal =
		    required_literal_find(sb->buf, c->literal, &c->need);
	c->digits = required_literal_has_digit(c->literal, c->n_literal);
	c->digit_insensitive = f->file == FORMAT_FILE_METADATA &&
	    language == LANGUAGE_REGEX && digit_insensitive(sb->buf);
}

static void
note_files(struct arena *a, struct format *f, const char *s, size_t len)
{
	size_t n;

	f->files = arena_calloc(a, len / 2 + 1, sizeof *f->files);
	while (len > 0) {
		const char *word = next_word(&s, &len, &n);

		f->files[f->n_files++] = arena_strndup(a, word, n);
	}
}

/* A line of the file; where it is a pattern, those that go on with it too. */
static void
note_line(struct arena *a, struct format *f, const char *s, size_t len,
    struct outline_text *t, struct strbuf *sb)
{
	size_t n;
	const char *key = next_word(&s, &len, &n);
	const enum outline_language language = is_word(key, n, "json")
	    ? LANGUAGE_JSON
	    : is_word(key, n, "csv") ? LANGUAGE_CSV
				     : LANGUAGE_REGEX;
	enum role role;

	if (is_word(key, n, "generic"))
		f->generic = is_word(s, len, "yes");
	else if (is_word(key, n, "whole-run"))
		f->whole_run = is_word(s, len, "yes");
	else if (is_word(key, n, "priority"))
		f->priority = (int)strtol(s, NULL, 10);
	else if (is_word(key, n, "files"))
		note_files(a, f, s, len);
	if (language != LANGUAGE_REGEX)
		key = next_word(&s, &len, &n);
	role = find_role(f, key, n);
	if (role == N_ROLES || f->n_clues == FORMAT_MAX_PATTERNS)
		return;
	next_word(&s, &len, &n); /* the pattern's name */
	if (len == 0)
		return; /* "step sample": time-of, in older files */
	note_clue(f, role, language, s, len, t, sb);
}

/* Is it a line of which an outline holds nothing, as most are? */
static int
is_sample(const char *line, size_t n)
{
	return n > 7 &&
	    (memcmp(line, "sample ", 7) == 0 ||
		memcmp(line, "expect ", 7) == 0);
}

struct format *
format_outline(struct arena *a, enum format_file file, const char *name,
    const char *path, const char *text, size_t len)
{
	struct format *f = arena_alloc(a, sizeof *f);
	struct clue clues[FORMAT_MAX_PATTERNS];
	struct strbuf sb;
	struct outline_text t;

	f->file = file;
	f->name = arena_strdup(a, name);
	f->path = arena_strdup(a, path);
	f->text = arena_strndup(a, text, len);
	f->text_len = len;
	f->priority = FORMAT_PRIORITY;
	f->clues = clues;
	f->rest = arena_alloc(a, sizeof *f->rest);
	atomic_init(&f->rest->done, 0);
	f->rest->self = f;
	f->rest->arena = a;
	strbuf_init(&sb, FORMAT_MAX_BYTES);
	t = (struct outline_text){ f->text, f->text + len };
	while (t.at < t.end) {
		size_t n;
		const char *line = next_line(&t, &n);

		if (n > 0 && *line >= 'a' && *line <= 'z' &&
		    !is_sample(line, n))
			note_line(a, f, line, n, &t, &sb);
	}
	strbuf_release(&sb);
	f->clues = arena_calloc(a, f->n_clues, sizeof *clues);
	memcpy(f->clues, clues, f->n_clues * sizeof *clues);
	return f;
}

/* --- The rest --------------------------------------------------------------*/

/* Read the file after all.
 *
 * later  1: as format_parse_later does */
static void
fill_rest(struct format_rest *rest, int later)
{
	struct format *f = rest->self, *whole;
	const size_t from = offsetof(struct format, description);
	struct error e = ERROR_INIT;

	whole = (later ? format_parse_later : format_parse)(
	    rest->arena, f->file, f->name, f->path, f->text, f->text_len, &e);
	if (whole == NULL) {
		rest->problem = arena_alloc(rest->arena, sizeof e);
		*rest->problem = e;
		atomic_store_explicit(&rest->done, 2, memory_order_release);
		return;
	}
	/* Other threads may be reading what stands above. */
	memcpy((char *)f + from, (char *)whole + from, sizeof *f - from);
	atomic_store_explicit(&rest->done, 1, memory_order_release);
}

static int
make_ready(const struct format *f, int later)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct format_rest *rest = f->rest;
	int done;

	if (rest == NULL)
		return 0;
	done = atomic_load_explicit(&rest->done, memory_order_acquire);
	if (done == 0) {
		pthread_mutex_lock(&lock);
		if (atomic_load_explicit(&rest->done, memory_order_relaxed) ==
		    0)
			fill_rest(rest, later);
		done = atomic_load_explicit(&rest->done, memory_order_relaxed);
		pthread_mutex_unlock(&lock);
	}
	return done == 1 ? 0 : -1;
}

int
format_ready(const struct format *f)
{
	return make_ready(f, 1);
}

/* The mistake that was found in an outline's file, or NULL. */
static const struct error *
problem_of(const struct format *f)
{
	const struct error *problem = f->rest->problem;

	for (size_t i = 0; i < f->n_patterns && problem == NULL; i++)
		problem = pattern_problem(&f->patterns[i]);
	return problem;
}

int
format_list_problem(struct format *const *formats, size_t n, struct error *e)
{
	for (size_t i = 0; i < n; i++) {
		const struct error *problem =
		    formats[i]->rest != NULL ? problem_of(formats[i]) : NULL;

		if (problem == NULL)
			continue;
		if (e != NULL)
			*e = *problem;
		return -1;
	}
	return 0;
}

int
format_set_problem(const struct format_set *set, struct error *e)
{
	return format_list_problem(set->formats, set->n_formats, e) != 0
	    ? -1
	    : format_list_problem(set->metadata, set->n_metadata, e);
}

int
format_list_ready(struct format *const *formats, size_t n, struct error *e)
{
	for (size_t i = 0; i < n; i++)
		make_ready(formats[i], 0);
	return format_list_problem(formats, n, e);
}

int
format_set_ready(const struct format_set *set, struct error *e)
{
	const int rc = format_list_ready(set->formats, set->n_formats, e);

	return format_list_ready(
		   set->metadata, set->n_metadata, rc == 0 ? e : NULL) == 0
	    ? rc
	    : -1;
}
