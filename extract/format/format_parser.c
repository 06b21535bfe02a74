/* What every key of a format file is read with: pieces of lines, names,
 * choices, pairs.  The keys of format_head_keys.c and format_pattern_keys.c
 * call it, and format_parse.c for its lines; it knows no key. */
#include <config.h>

#include "extract/format/format_parser.h"

#include <assert.h>
#include <string.h>

int
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

void
file_span_skip(struct file_span *v, size_t n)
{
	assert(n <= v->len);
	v->s += n;
	v->len -= n;
	v->col += (long)n;
}

void
file_span_skip_blanks(struct file_span *v)
{
	while (v->len > 0 && file_blank(v->s[0]))
		file_span_skip(v, 1);
}

/* Take characters up to the next blank off the front of v. */
struct file_span
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

int
file_span_is(struct file_span v, const char *s)
{
	/* Most differ in their first byte. */
	if (v.len == 0 || v.s[0] != s[0])
		return v.len == 0 && s[0] == '\0';
	return strncmp(s, v.s, v.len) == 0 && s[v.len] == '\0';
}

char *
parser_dup(struct format_parser *p, struct file_span v)
{
	return arena_strndup(p->arena, v.s, v.len);
}

/* A name before v: letters, digits, - _ . +; NULL on a mistake. */
const char *
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

/* One of a list of words.  Returns its index, or -1. */
int
parser_choice(
    struct format_parser *p, struct file_span v, const char *const *choices)
{
	char list[256];
	size_t used = 0;

	list[0] = '\0';
	for (int i = 0; choices[i] != NULL; i++) {
		size_t n = strlen(choices[i]);

		if (file_span_is(v, choices[i]))
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

/* "KEY VALUE" of set and gives; KEY must be a word of that role. */
int
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

/* The next line, without its end; a NUL in it is an error. */
int
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
