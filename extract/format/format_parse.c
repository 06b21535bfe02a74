/* Reads one format, prefix, layout or metadata file, line by line, into a
 * struct format.  Called at the start of a program and for outlines that are
 * needed; it knows no log.  What each key means stands in format_head_keys.c
 * and format_pattern_keys.c, what must agree in the whole file in
 * format_complete.c. */
#include <config.h>

#include "extract/format/format.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "extract/format/format_complete.h"
#include "extract/format/format_parser.h"

/* Key i of both tables; NULL: there are no more. */
static const struct format_key *
nth_key(size_t i)
{
	if (i < n_format_pattern_keys)
		return &format_pattern_keys[i];
	i -= n_format_pattern_keys;
	return i < n_format_head_keys ? &format_head_keys[i] : NULL;
}

/* The line on which a key of the table was given; 0: it was not. */
static long
parser_line_of(const struct format_parser *p, const char *name)
{
	const struct format_key *key;

	for (size_t i = 0; (key = nth_key(i)) != NULL; i++)
		if (strcmp(key->name, name) == 0)
			return p->lines[i];
	assert(!"a key of the table");
	return 0;
}

/* The key and its index, or NULL. */
static const struct format_key *
find_key(struct file_span word, size_t *i)
{
	const struct format_key *key;
	enum role role;

	for (*i = 0; (key = nth_key(*i)) != NULL; ++*i)
		if (word.s[0] == key->name[0] && file_span_is(word, key->name))
			return key;
	role = role_find(word.s, word.len);
	for (*i = 0; (key = nth_key(*i)) != NULL; ++*i)
		if (role < N_ROLES && key->role == role)
			return key;
	return NULL;
}

static int
read_line(struct format_parser *p, struct file_span v)
{
	const struct format_key *key;
	struct file_span word;
	size_t i;

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
	if (p->no_samples &&
	    (file_span_is(word, "sample") || file_span_is(word, "expect")))
		return 0;
	key = find_key(word, &i);
	if (key == NULL)
		return SPAN_ERROR(
		    p, word, "unknown key '%.*s'", (int)word.len, word.s);
	if (!(key->files & (1u << p->f->file)))
		return SPAN_ERROR(p, word,
		    "'%s' has no place in this kind of "
		    "file",
		    key->name);
	if (key->once && p->lines[i] > 0)
		return SPAN_ERROR(p, word, "'%s' is already on line %ld",
		    key->name, p->lines[i]);
	p->lines[i] = v.line;
	if (v.len > 0)
		file_span_skip(&v, 1);
	if (!key->as_it_is)
		file_span_skip_blanks(&v);
	if (v.len == 0)
		return SPAN_ERROR(
		    p, v, "the value of '%s' is missing", key->name);
	if (key->choices != NULL) {
		const int choice = parser_choice(p, v, key->choices);

		memcpy((char *)p->f + key->offset, &choice, sizeof(int));
		return choice >= 0 ? 0 : -1;
	}
	return key->read != NULL ? key->read(p, v)
				 : parser_pattern(p, v, key->role);
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
	if (format_complete(f, &p->src, parser_line_of(p, "unit"),
		parser_line_of(p, "window"), p->e) != 0)
		return -1;
	for (size_t i = 0; !p->no_samples && i < f->n_patterns; i++)
		if (f->patterns[i].n_samples == 0)
			return source_error(p->e, &p->src, f->patterns[i].line,
			    1, "no sample shows pattern '%s'",
			    f->patterns[i].name);
	return 0;
}

static int
parser_run(struct format_parser *p)
{
	struct file_span v;

	while (p->pos < p->src.len) {
		if (parser_next_line(p, &v) != 0 || read_line(p, v) != 0)
			return -1;
	}
	return 0;
}

static struct format *
parse_file(struct arena *a, enum format_file file, const char *name,
    const char *path, const char *text, size_t len, int later, int samples,
    struct error *e)
{
	struct format_parser p = { .arena = a,
		.want_name = name,
		.later = later,
		.no_samples = !samples,
		.e = e };
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

struct format *
format_parse(struct arena *a, enum format_file file, const char *name,
    const char *path, const char *text, size_t len, struct error *e)
{
	return parse_file(a, file, name, path, text, len, 0, 1, e);
}

struct format *
format_parse_later(struct arena *a, enum format_file file, const char *name,
    const char *path, const char *text, size_t len, int samples,
    struct error *e)
{
	return parse_file(a, file, name, path, text, len, 1, samples, e);
}

void
format_release_code(struct format *f)
{
	for (size_t i = 0; i < f->n_patterns; i++)
		pattern_release(&f->patterns[i]);
}
