/* Words and options of command lines. */
#include <config.h>

#include "extract/log/command_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "extract/log/words.h"

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

/* Add the quoted text at s->at to the word. Returns 0 if it is unclosed, which
 * makes the quote an ordinary character. */
static int
read_quoted(struct splitter *s)
{
	const char quote = s->text[s->at];
	const int escapes = quote == '"' || s->in_list;
	const size_t before = s->n;

	for (size_t i = s->at + 1; i < s->len; i++) {
		if (s->text[i] == quote) {
			s->at = i + 1;
			return 1;
		}
		i += s->text[i] == '\\' && escapes && i + 1 < s->len;
		s->word[s->n++] = s->text[i];
	}
	s->n = before;
	return 0;
}

/* Length of an operator at s->at, or 0. "<" and ">" within a word belong to it,
 * because launchers print "<stdout>:". */
static size_t
operator_length(const struct splitter *s, int begins)
{
	const char c = byte_at(s, s->at), next = byte_at(s, s->at + 1);
	const char *text = s->text + s->at, *end = s->text + s->len;
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
	for (n++; text + n < end && (text[n] == '>' || text[n] == '&'); n++)
		;
	if (text[n - 1] == '&')
		while (isdigit((unsigned char)byte_at(s, s->at + n)))
			n++;
	return n;
}

static void
read_word(struct splitter *s)
{
	s->n = 0;
	while (s->at < s->len) {
		const char c = s->text[s->at];

		if (is_blank(c) || (s->in_list && (c == ',' || c == ']')) ||
		    operator_length(s, 0) > 0)
			return;
		if ((c == '\'' || c == '"') && read_quoted(s))
			continue;
		s->at += c == '\\' && s->at + 1 < s->len;
		s->word[s->n++] = s->text[s->at++];
	}
}

/* Skip to the next word; track the start and end of a list. */
static void
skip_between(struct splitter *s)
{
	for (; s->at < s->len; s->at++) {
		const char c = s->text[s->at], next = byte_at(s, s->at + 1);

		if (c == '[' && (next == '\'' || next == '"'))
			s->in_list = 1;
		else if (s->in_list && c == ']')
			s->in_list = 0;
		else if (!is_blank(c) && !(s->in_list && c == ','))
			return;
	}
}

void
command_line_split(
    struct command_line *c, const char *text, size_t len, struct arena *a)
{
	struct splitter s = { text, len, 0, 0, xcalloc(len + 1, 1), 0 };
	struct command_word *words = NULL;
	size_t alloc = 0;

	c->n = 0;
	for (skip_between(&s); s.at < len; skip_between(&s)) {
		const size_t sign = operator_length(&s, 1);

		words = vec_grow(words, c->n, &alloc, sizeof *words);
		if (sign == 0)
			read_word(&s);
		words[c->n++] = (struct command_word){ sign > 0
			    ? arena_strndup(a, text + s.at, sign)
			    : arena_strndup(a, s.word, s.n),
			sign > 0 };
		s.at += sign;
	}
	c->words = arena_calloc(a, c->n + 1, sizeof *words);
	if (c->n > 0)
		memcpy(c->words, words, c->n * sizeof *words);
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
	size_t n = 0;

	while (ispunct((unsigned char)*word))
		word++;
	while (isalnum((unsigned char)word[n]))
		n++;
	return words_match("usage|example|examples|previous|instead|compare|"
			   "hint",
		   WORDS_ALL | WORDS_FOLD, word, n) ||
	    (strncasecmp(word, "e.g", 3) == 0 &&
		!isalnum((unsigned char)word[3]));
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

int
command_line_option(const struct command_line *c, size_t i, struct arena *a,
    struct command_option *o)
{
	const char *word = c->words[i].text;
	const int dashed = word[0] == '-';
	const size_t marks = strspn(word, dashed ? "-" : "+~");
	const char *name = word + marks, *next;
	const size_t n = name_length(name);

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
	o->key = name;
	if (i + 1 == c->n || c->words[i + 1].is_operator)
		return 1;
	next = c->words[i + 1].text;
	if (next[0] != '-' || name_length(next + strspn(next, "-")) == 0) {
		o->value = next;
		o->separate = 1;
		o->n = 2;
	}
	return 1;
}
