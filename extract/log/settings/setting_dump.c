/* Settings of dumped configurations: consecutive lines "key: value", and lines
 * with several settings. */
#include <config.h>

#include "extract/log/settings/settings_reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	MAX_LINE = 512,
	MIN_PAIRS = 3 /* minimum for a line of several settings */
};

/* Length of the separator at s, with the blanks before it; 0 if there is
 * none. */
static size_t
sign_length(const char *s, size_t len)
{
	size_t n = 0, dots;

	while (n < len && (s[n] == ' ' || s[n] == '\t'))
		n++;
	if (n == len)
		return 0;
	if (s[n] == ':' &&
	    (n + 1 == len || strchr(" \t\"'[{", s[n + 1]) != NULL))
		return n + 1;
	if (s[n] == '=' && (n + 1 == len || s[n + 1] != '='))
		return n + 1;
	if (s[n] == '|' && n > 0)
		return n + 1;
	for (dots = n; dots < len && s[dots] == '.'; dots++)
		;
	if (dots - n >= 2)
		return dots;
	return n >= 3 || (n > 0 && s[n - 1] == '\t') ? n : 0; /* columns */
}

/* Strip blanks, comma, comment and quotes. Returns 0 if it is not a value. */
static int
trim_value(const char **value, size_t *len)
{
	const char *s = *value, *end = s + *len, *comment;
	int quoted;

	comment = memmem(s, (size_t)(end - s), " #", 2);
	if (comment != NULL)
		end = comment;
	while (s < end && isspace((unsigned char)*s))
		s++;
	while (end > s && strchr(" \t\r,|", end[-1]) != NULL)
		end--;
	/* End of an object that is printed over several lines. */
	while (end > s && strchr("})", end[-1]) != NULL &&
	    memchr(s, end[-1] == ')' ? '(' : '{', (size_t)(end - s)) == NULL)
		end--;
	quoted = end - s >= 2 && (*s == '"' || *s == '\'') && end[-1] == *s;
	if (quoted) {
		s++;
		end--;
	}
	*value = s;
	*len = (size_t)(end - s);
	return quoted || *len == 0 || strchr("[({", *s) != NULL ||
	    (memchr(s, ' ', *len) == NULL && memchr(s, '\t', *len) == NULL &&
		memchr(s, '(', *len) == NULL);
}

/* The parent keys of a line with this indentation, joined by dots. */
static const char *
prefix_of(struct settings_reader *r, size_t indent)
{
	const char *prefix = r->section != NULL ? r->section : "";

	while (
	    r->n_parents > 0 && r->parents[r->n_parents - 1].indent >= indent)
		r->n_parents--;
	for (size_t i = 0; i < r->n_parents; i++)
		prefix = arena_printf(r->a, "%s%s%s", prefix,
		    prefix[0] != '\0' ? "." : "", r->parents[i].key);
	return prefix;
}

/* True for the name of an environment variable, in capitals. */
static int
is_variable(const char *key, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isupper((unsigned char)key[i]) &&
		    !isdigit((unsigned char)key[i]) && key[i] != '_')
			return 0;
	return len > 2;
}

/* True if the text may precede a message: times, levels, ranks. */
static int
is_prefix(const char *line, size_t len)
{
	static const char *const words[] = { "INFO", "DEBUG", "WARNING",
		"NOTICE", "export", "declare -x", "setenv", "PARAMETER",
		"config", "args", "arguments", "settings", "hyperparameters" };

	while (len > 0 && strchr(" \t'\"", line[len - 1]) != NULL)
		len--;
	if (len == 0 || strchr("]>-|:{", line[len - 1]) != NULL)
		return 1;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		const size_t n = strlen(words[i]);

		if (len >= n && strncasecmp(line + len - n, words[i], n) == 0)
			return 1;
	}
	return 0;
}

/* The parts of a line of a dump. */
struct key_line {
	size_t at, n; /* offset and length of the key */
	size_t indent;
	char sign; /* between key and value */
	const char *value;
	size_t len;
};

/* Read a key and its value at an offset. Returns 0 if there is none. */
static int
read_key_at(struct key_line *k, const char *line, size_t len, size_t at)
{
	const int quoted = line[at] == '"' || line[at] == '\'';
	size_t sign;

	k->at = at + (size_t)quoted;
	if (at + 2 < len && line[at] == '-' && line[at + 1] == '-')
		k->at += 2;
	k->n = settings_key_length(line + k->at, len - k->at);
	at = k->at + k->n + (size_t)quoted;
	if (k->n == 0 || at > len ||
	    (quoted && line[at - 1] != line[k->at - 1]))
		return 0;
	sign = sign_length(line + at, len - at);
	k->sign = at < len ? line[at] : ' ';
	k->value = line + at + sign;
	k->len = len - at - sign;
	return sign > 0 && trim_value(&k->value, &k->len);
}

static int
find_key(struct key_line *k, const char *line, size_t len)
{
	for (size_t at = 0; at < len; at++) {
		size_t indent = 0;

		if (at > 0 && strchr(" \t]>|:{", line[at - 1]) == NULL)
			continue;
		if (!read_key_at(k, line, len, at))
			continue;
		while (indent < at && strchr(" -{", line[at - indent - 1]))
			indent++;
		k->indent = indent;
		return is_prefix(line, at);
	}
	return 0;
}

/* A printed program ends at a ruled line. */
int
settings_in_code(struct settings_reader *r, const char *line, size_t len)
{
	static const char *const words[] = { "import ", "from ", "def ",
		"class ", "return ", "@", "#include" };
	size_t at = 0;

	while (at < len && line[at] == ' ')
		at++;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		const size_t n = strlen(words[i]);

		if (len - at > n && memcmp(line + at, words[i], n) == 0)
			r->in_code = 1;
	}
	if (len > 4 && strchr("=-*#", line[0]) && line[1] == line[0] &&
	    line[2] == line[0] && line[3] == line[0])
		r->in_code = 0;
	return r->in_code;
}

/* Read a line "key: value" or "KEY=value". */
static void
read_key_line(struct settings_reader *r, const char *line, size_t len)
{
	struct key_line k;

	if (!find_key(&k, line, len))
		return;
	if (k.sign == '=' && is_variable(line + k.at, k.n)) {
		settings_reader_end_block(r);
		settings_reader_add(r, SETTING_ENVIRONMENT, "", line + k.at,
		    k.n, k.value, k.len);
		r->block = r->n;
		return;
	}
	if (r->line > r->last_key + 2)
		settings_reader_end_block(r);
	r->last_key = r->line;
	r->at_margin = k.sign == ':' && k.indent == 0;
	/* Equal lines of several processes are not a block. */
	r->in_block +=
	    r->key_len != k.n || memcmp(r->key, line + k.at, k.n) != 0;
	r->key_len = k.n;
	memcpy(r->key, line + k.at, k.n);
	if (k.len == 0 || (k.len == 1 && strchr("{[(", *k.value) != NULL)) {
		prefix_of(r, k.indent);
		if (r->n_parents < SETTINGS_DEPTH)
			r->parents[r->n_parents++] =
			    (struct settings_parent){ k.indent,
				    arena_strndup(r->a, line + k.at, k.n) };
		return;
	}
	settings_reader_add(r, SETTING_DUMP, prefix_of(r, k.indent),
	    line + k.at, k.n, k.value, k.len);
}

/* --- Several settings in a line -------------------------------------------*/

/* Length of a quoted text, or of a word up to a blank, ',' or ';'. */
static size_t
word_length(const char *s, size_t len)
{
	size_t n = 0;

	if (len > 1 && (*s == '"' || *s == '\'')) {
		const char *end = memchr(s + 1, *s, len - 1);

		return end != NULL ? (size_t)(end + 1 - s) : len;
	}
	while (n < len && strchr(" \t,;", s[n]) == NULL)
		n++;
	return n;
}

/* Read "amp=True, lr=0.1" or "amp: True lr: 0.1" up to the end of the line.
 *
 * add  1: add the settings
 *
 * Returns the number of settings; 0: the line has another form. */
static size_t
read_pairs(struct settings_reader *r, const char *line, size_t len, int add)
{
	static const char *const steps[] = { "loss", "step", "iter", "epoch",
		"iteration", "time", "elapsed" };
	size_t pairs = 0, at = 0;

	while (at < len) {
		const size_t n = settings_key_length(line + at, len - at);
		const char *key = line + at;
		size_t m;

		at += n;
		while (at < len && line[at] == ' ')
			at++;
		if (n == 0 || at >= len || (line[at] != '=' && line[at] != ':'))
			return 0;
		at++;
		while (at < len && line[at] == ' ')
			at++;
		m = word_length(line + at, len - at);
		for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
			if (strlen(steps[i]) == n &&
			    strncasecmp(steps[i], key, n) == 0)
				return 0;
		if (add)
			settings_reader_add(
			    r, SETTING_DUMP, "", key, n, line + at, m);
		pairs += m > 0;
		at += m;
		while (at < len && strchr(" \t,;", line[at]) != NULL)
			at++;
	}
	return pairs;
}

/* Read a line of several settings after an optional prefix. Returns 0 or 1. */
static int
read_pair_line(struct settings_reader *r, const char *line, size_t len)
{
	for (size_t at = 0; at < len; at++) {
		if ((at > 0 && strchr(" \t]>:", line[at - 1]) == NULL) ||
		    read_pairs(r, line + at, len - at, 0) < MIN_PAIRS)
			continue;
		if (!is_prefix(line, at))
			return 0;
		settings_reader_end_block(r);
		read_pairs(r, line + at, len - at, 1);
		r->block = r->n;
		return 1;
	}
	return 0;
}

/* Read the header of a section of an INI file, "[optim]". */
static int
read_section(struct settings_reader *r, const char *line, size_t len)
{
	if (len < 3 || line[0] != '[' ||
	    settings_key_length(line + 1, len - 1) != len - 2 ||
	    line[len - 1] != ']')
		return 0;
	settings_reader_end_block(r);
	r->section = arena_strndup(r->a, line + 1, len - 2);
	r->last_key = r->line;
	return 1;
}

void
settings_read_dump(struct settings_reader *r, const char *line, size_t len)
{
	if (len <= MAX_LINE && !read_section(r, line, len) &&
	    !read_pair_line(r, line, len))
		read_key_line(r, line, len);
}
