/* Words and options of command lines. */
#include <config.h>

#include "extract/log/command_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"

/* State of splitting a line. */
struct splitter {
	const char *text;
	size_t len, at;
	int in_list; /* 1: inside a printed list */
	char *word;  /* [len + 1] the current word so far */
	size_t n;
};

static int
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static char
byte_at(const struct splitter *s, size_t at)
{
	return at < s->len ? s->text[at] : '\0';
}

/* End of the quoted text at s->at; 0 if unclosed. */
static size_t
quote_end(const struct splitter *s)
{
	const char quote = s->text[s->at];

	for (size_t i = s->at + 1; i < s->len; i++) {
		if (s->text[i] == '\\' && (quote == '"' || s->in_list))
			i++;
		else if (s->text[i] == quote)
			return i;
	}
	return 0;
}

static void
read_quoted(struct splitter *s, size_t end)
{
	const char quote = s->text[s->at];

	for (size_t i = s->at + 1; i < end; i++) {
		if (s->text[i] == '\\' && (quote == '"' || s->in_list) &&
		    i + 1 < end)
			i++;
		s->word[s->n++] = s->text[i];
	}
	s->at = end + 1;
}

/* Length of an operator at s->at, or 0. "<" and ">" within a word belong to it,
 * because launchers print "<stdout>:". */
static size_t
operator_length(const struct splitter *s, int begins)
{
	const char c = byte_at(s, s->at), next = byte_at(s, s->at + 1);
	size_t n = 0;

	if (s->in_list)
		return 0;
	if (c == ';' || c == '|')
		return 1 + (size_t)(next == c);
	if (c == '&' && (begins || next == '&'))
		return 1 + (size_t)(next == '&' || next == '>');
	if (!begins)
		return 0;
	while (isdigit((unsigned char)byte_at(s, s->at + n)))
		n++;
	if (byte_at(s, s->at + n) != '>' && byte_at(s, s->at + n) != '<')
		return 0;
	n++;
	while (strchr(">&", byte_at(s, s->at + n)) != NULL &&
	    byte_at(s, s->at + n) != '\0')
		n++;
	if (s->text[s->at + n - 1] == '&')
		while (isdigit((unsigned char)byte_at(s, s->at + n)))
			n++;
	return n;
}

static int
ends_word(const struct splitter *s)
{
	const char c = s->text[s->at];

	return is_blank(c) || (s->in_list && (c == ',' || c == ']')) ||
	    operator_length(s, 0) > 0;
}

static void
read_word(struct splitter *s)
{
	s->n = 0;
	while (s->at < s->len && !ends_word(s)) {
		const char c = s->text[s->at];
		const size_t end = c == '\'' || c == '"' ? quote_end(s) : 0;

		if (end > 0) {
			read_quoted(s, end);
			continue;
		}
		if (c == '\\' && s->at + 1 < s->len)
			s->at++;
		s->word[s->n++] = s->text[s->at++];
	}
}

/* Skip to the next word; track the start and end of a list. */
static void
skip_between(struct splitter *s)
{
	while (s->at < s->len) {
		const char c = s->text[s->at], next = byte_at(s, s->at + 1);

		if (c == '[' && (next == '\'' || next == '"'))
			s->in_list = 1;
		else if (s->in_list && c == ']')
			s->in_list = 0;
		else if (!is_blank(c) && !(s->in_list && c == ','))
			return;
		s->at++;
	}
}

void
command_line_split(
    struct command_line *c, const char *text, size_t len, struct arena *a)
{
	struct splitter s = { text, len, 0, 0, xcalloc(len + 1, 1), 0 };
	struct command_word *words = NULL;
	size_t n = 0, alloc = 0;

	for (skip_between(&s); s.at < len; skip_between(&s)) {
		struct command_word w = { NULL, s.at, 0 };
		const size_t sign = operator_length(&s, 1);

		if (sign > 0) {
			w.is_operator = 1;
			w.text = arena_strndup(a, text + s.at, sign);
			s.at += sign;
		} else {
			read_word(&s);
			w.text = arena_strndup(a, s.word, s.n);
		}
		words = vec_grow(words, n, &alloc, sizeof *words);
		words[n++] = w;
	}
	c->n = n;
	c->words = arena_calloc(a, n + 1, sizeof *words);
	if (n > 0)
		memcpy(c->words, words, n * sizeof *words);
	free(words);
	free(s.word);
}

const char *
command_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

int
command_is_python(const char *name)
{
	return strncmp(name, "python", 6) == 0 &&
	    strspn(name + 6, "0123456789.") == strlen(name + 6);
}

int
command_is_example(const char *word)
{
	static const char *const words[] = { "usage", "example", "examples",
		"e.g", "previous", "instead", "compare", "hint" };

	while (ispunct((unsigned char)*word))
		word++;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		const size_t n = strlen(words[i]);

		if (strncasecmp(word, words[i], n) == 0 &&
		    !isalnum((unsigned char)word[n]))
			return 1;
	}
	return 0;
}

/* --- Options ---------------------------------------------------------------*/

/* Length of a name before an '=' at s, or 0. */
static size_t
name_length(const char *s)
{
	size_t n = 0;

	if (!isalpha((unsigned char)s[0]) && s[0] != '_')
		return 0;
	while (isalnum((unsigned char)s[n]) ||
	    (s[n] != '\0' && strchr("_-./@:", s[n]) != NULL))
		n++;
	return n;
}

static int
is_option(const char *word)
{
	return word[0] == '-' && name_length(word + strspn(word, "-")) > 0;
}

int
command_line_option(const struct command_line *c, size_t i, struct arena *a,
    struct command_option *o)
{
	const char *word = c->words[i].text;
	const size_t marks = strspn(word, word[0] == '-' ? "-" : "+~");
	const char *name = word + marks;
	const size_t n = name_length(name);
	const int dashed = word[0] == '-';

	*o = (struct command_option){ .n = 1 };
	if (c->words[i].is_operator || n == 0 || marks > 2 ||
	    (!dashed && name[n] != '='))
		return 0;
	if (name[n] == '=') {
		o->key = arena_strndup(a, name, n);
		o->value = name + n + 1;
		return 1;
	}
	if (marks == 1 && isdigit((unsigned char)name[1])) {
		o->key = arena_strndup(a, name, 1);
		o->value = name + 1;
		return 1;
	}
	o->key = arena_strdup(a, name);
	if (i + 1 < c->n && !c->words[i + 1].is_operator &&
	    !is_option(c->words[i + 1].text)) {
		o->value = c->words[i + 1].text;
		o->separate = 1;
		o->n = 2;
	}
	return 1;
}
