#include <config.h>

#include "extract/input/encoding/json_cursor.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_SIZE = 40 };

int
json_next(struct store_input *in)
{
	return store_more(in) ? (unsigned char)*in->at++ : JSON_END;
}

int
json_next_solid(struct store_input *in)
{
	int c;

	do
		c = json_next(in);
	while (c != JSON_END && isspace(c));
	return c;
}

int
json_skip_string(struct store_input *in, char *text, size_t size)
{
	size_t n = 0;
	int c;

	while ((c = json_next(in)) != '"') {
		if (c == '\\')
			c = json_next(in);
		else if (n + 1 < size)
			text[n++] = (char)c;
		if (c == JSON_END)
			return -1;
	}
	if (size > 0)
		text[n] = '\0';
	return 0;
}

int
json_skip_nested(struct store_input *in, int bracket, struct strbuf *kept)
{
	int depth = 1, in_string = 0, escaped = 0;

	if (kept != NULL) {
		strbuf_reset(kept);
		strbuf_addch(kept, (char)bracket);
	}
	while (depth > 0) {
		const char *p;

		if (!store_more(in))
			return -1;
		for (p = in->at; p < in->end && depth > 0; p++)
			if (in_string) {
				in_string = escaped || *p != '"';
				escaped = !escaped && *p == '\\';
			} else {
				in_string = *p == '"';
				depth += *p == '{' || *p == '[';
				depth -= *p == '}' || *p == ']';
			}
		if (kept != NULL)
			strbuf_add(kept, in->at, (size_t)(p - in->at));
		in->at = p;
	}
	return 0;
}

/* True for a number or a literal: true, null, Python's NaN. */
static int
is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) &&
		    (text[i] == '\0' || strchr("+-._", text[i]) == NULL))
			return 0;
	return len > 0;
}

/* Read a value from memory; a string without its quotes. Returns 0 or -1. */
static int
read_value(struct store_input *c, struct json_member *m)
{
	const int first = json_next_solid(c);

	m->value = c->at;
	m->is_string = first == '"';
	if (m->is_string) {
		if (json_skip_string(c, NULL, 0) != 0)
			return -1;
		m->len = (size_t)(c->at - m->value) - 1;
		return 0;
	}
	if (first == JSON_END)
		return -1;
	m->value--;
	if (first == '{' || first == '[') {
		if (json_skip_nested(c, first, NULL) != 0)
			return -1;
		m->len = (size_t)(c->at - m->value);
		return 0;
	}
	c->at--;
	while (c->at < c->end && strchr(",}] \t\r\n", *c->at) == NULL)
		c->at++;
	m->len = (size_t)(c->at - m->value);
	return is_plain(m->value, m->len) ? 0 : -1;
}

int
json_is_value(const char *text, size_t len)
{
	struct store_input c = { .at = text, .end = text + len };
	struct json_member m;

	return read_value(&c, &m) == 0 && json_next_solid(&c) == JSON_END;
}

void
json_member_text(const struct json_member *m, char *out, size_t size)
{
	const size_t n = m->len < size ? m->len : size - 1;

	memcpy(out, m->value, n);
	out[n] = '\0';
}

double
json_member_number(const struct json_member *m)
{
	char buf[NUMBER_SIZE], *end;
	double x;

	if (m->len == 0 || m->len >= sizeof buf)
		return NAN;
	json_member_text(m, buf, sizeof buf);
	if (strspn(buf, "+-.0123456789eE") < m->len)
		return NAN;
	x = strtod(buf, &end);
	return *end == '\0' && isfinite(x) ? x : NAN;
}

int
json_find_member(
    const char *text, size_t len, const char *key, struct json_member *m)
{
	struct store_input c = { .at = text, .end = text + len };
	const size_t key_len = strlen(key);

	while (c.at < c.end) {
		const char *name = c.at + 1;

		if (*c.at++ != '"')
			continue;
		if (json_skip_string(&c, NULL, 0) != 0)
			return -1;
		if ((size_t)(c.at - name) != key_len + 1 ||
		    memcmp(name, key, key_len) != 0)
			continue;
		while (c.at < c.end && isspace((unsigned char)*c.at))
			c.at++;
		if (c.at == c.end || *c.at != ':')
			continue;
		c.at++;
		return read_value(&c, m);
	}
	return 1;
}
