/* Settings in objects printed on one line: Namespace(...), Python dictionaries,
 * JSON. */
#include <config.h>

#include "extract/log/settings/settings_reader.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* State of reading an object such as "{'a': 1, 'b': {'c': 2}}" or
 * "Namespace(a=1)". */
struct object {
	const char *text;
	size_t len, at;
	enum setting_place place;
};

static void read_members(struct settings_reader *r, struct object *o,
    const char *prefix, char close, int depth);

static char
object_byte(const struct object *o)
{
	return o->at < o->len ? o->text[o->at] : '\0';
}

static void
skip_blanks(struct object *o)
{
	while (o->at < o->len && isspace((unsigned char)o->text[o->at]))
		o->at++;
}

/* Read the quoted text at o->at. Returns it without the quotes. */
static const char *
read_quoted(struct object *o, size_t *len)
{
	const char quote = o->text[o->at++];
	const char *s = o->text + o->at;

	while (o->at < o->len && o->text[o->at] != quote)
		o->at += 1 + (o->text[o->at] == '\\');
	if (o->at > o->len)
		o->at = o->len;
	*len = (size_t)(o->text + o->at - s);
	o->at += o->at < o->len;
	return s;
}

/* Read an unquoted value up to the comma or bracket after it. */
static const char *
read_plain(struct object *o, size_t *len)
{
	const char *s = o->text + o->at;
	int depth = 0;

	for (; o->at < o->len; o->at++) {
		const char c = o->text[o->at];

		if (depth == 0 && (c == ',' || strchr(")]}", c) != NULL))
			break;
		depth += strchr("([{", c) != NULL;
		depth -= strchr(")]}", c) != NULL;
		if (c == '"' || c == '\'') {
			size_t n;

			read_quoted(o, &n);
			o->at--;
		}
	}
	*len = (size_t)(o->text + o->at - s);
	while (*len > 0 && isspace((unsigned char)s[*len - 1]))
		--*len;
	return s;
}

/* Length of the name of a printed configuration at s, such as
 * "TrainingArguments(", including the bracket; 0 if there is none. */
static size_t
object_name(const char *s, size_t len)
{
	static const char *const ends[] = { "namespace", "arguments", "args",
		"config", "configuration", "options", "opts", "params",
		"hparams", "settings", "cfg" };
	size_t n = 0;

	while (n < len && (isalnum((unsigned char)s[n]) || s[n] == '_'))
		n++;
	if (n == 0 || n >= len || s[n] != '(')
		return 0;
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		const size_t m = strlen(ends[i]);

		if (n >= m && strncasecmp(s + n - m, ends[i], m) == 0)
			return n + 1;
	}
	return 0;
}

static void
read_value(struct settings_reader *r, struct object *o, const char *prefix,
    const char *key, size_t key_len, int depth)
{
	const char *value, *below;
	const size_t name = object_name(o->text + o->at, o->len - o->at);
	const char c = object_byte(o);
	size_t len;

	if (c == '{' || name > 0) {
		o->at += name > 0 ? name : 1;
		below = arena_printf(r->a, "%s%s%.*s", prefix,
		    prefix[0] != '\0' ? "." : "", (int)key_len, key);
		read_members(r, o, below, c == '{' ? '}' : ')', depth + 1);
		return;
	}
	if (c == '"' || c == '\'')
		value = read_quoted(o, &len);
	else
		value = read_plain(o, &len);
	settings_reader_add(r, o->place, prefix, key, key_len, value, len);
}

/* Read the members of an object up to its closing bracket. */
static void
read_members(struct settings_reader *r, struct object *o, const char *prefix,
    char close, int depth)
{
	while (o->at < o->len) {
		const char *key;
		size_t len, before;

		skip_blanks(o);
		before = o->at;
		if (object_byte(o) == close) {
			o->at++;
			return;
		}
		if (object_byte(o) == '"' || object_byte(o) == '\'') {
			key = read_quoted(o, &len);
		} else {
			key = o->text + o->at;
			len = settings_key_length(key, o->len - o->at);
			o->at += len;
		}
		skip_blanks(o);
		if (len > 0 && len <= SETTINGS_KEY && depth < SETTINGS_DEPTH &&
		    (object_byte(o) == ':' || object_byte(o) == '=')) {
			o->at++;
			skip_blanks(o);
			read_value(r, o, prefix, key, len, depth);
		}
		if (object_byte(o) != close) {
			size_t rest;

			read_plain(o, &rest);
		}
		/* Skip a comma or an unmatched bracket. */
		if (object_byte(o) != close || o->at == before)
			o->at++;
	}
}

/* Rename a setting whose object contains its name: {"key": "lr", "value": 0.1}
 * is lr.
 *
 * first  index of the object's first item
 * by     name of the member that contains the name */
static void
name_by_member(struct settings_reader *r, size_t first, const char *by)
{
	const char *name = NULL;
	size_t n = first;

	for (size_t i = first; i < r->n && name == NULL; i++)
		if (strcmp(r->items[i].key, by) == 0)
			name = r->items[i].value;
	for (size_t i = first; i < r->n && name != NULL; i++) {
		struct stated_setting s = r->items[i];

		if (strncmp(s.key, "value", 5) != 0)
			continue;
		s.key = arena_printf(r->a, "%s%s", name, s.key + 5);
		if (s.place == SETTING_DUMP)
			s.place = SETTING_EVENT;
		if (setting_counts(s.key, s.value))
			r->items[n++] = s;
	}
	r->n = n;
}

/* True if the bracket at text[0] is closed on the line. */
static int
bracket_closes(const char *text, size_t len)
{
	int depth = 0;

	for (size_t i = 0; i < len; i++) {
		depth += strchr("([{", text[i]) != NULL && text[i] != '\0';
		depth -= strchr(")]}", text[i]) != NULL && text[i] != '\0';
		if (depth == 0)
			return 1;
	}
	return 0;
}

int
settings_is_store(const char *line, size_t len)
{
	return len > 10 && memcmp(line, "{\"config\":", 10) == 0;
}

int
settings_read_object(struct settings_reader *r, const char *line, size_t len)
{
	const int is_store = settings_is_store(line, len);
	struct object o = { line, len, 0,
		is_store ? SETTING_STORE : SETTING_DUMP };
	size_t first;

	for (size_t i = 0; i + 1 < len; i++) {
		size_t name = 0;

		if (line[i] == '{') {
			size_t next = i + 1;

			while (next < len && line[next] == ' ')
				next++;
			if (next == len ||
			    (line[next] != '"' && line[next] != '\''))
				continue;
		} else if (isalpha((unsigned char)line[i]) &&
		    (i == 0 || !isalnum((unsigned char)line[i - 1]))) {
			name = object_name(line + i, len - i);
			if (name == 0)
				continue;
		} else {
			continue;
		}
		o.at = i + (name > 0 ? name : 1);
		if (!bracket_closes(line + o.at - 1, len - o.at + 1))
			return 0;
		settings_reader_end_block(r);
		first = r->n;
		read_members(r, &o, "", name > 0 ? ')' : '}', 0);
		if (memmem(line, len, "\"value\":", 8) != NULL)
			name_by_member(r, first, is_store ? "config" : "key");
		r->block = r->n;
		return 1;
	}
	return 0;
}
