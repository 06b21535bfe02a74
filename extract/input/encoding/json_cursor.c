#include <config.h>

#include "extract/input/encoding/json_cursor.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_SIZE = 40 };

/* Rest of a text. */
struct cursor {
	const char *at, *end;
};

static void
skip_spaces(struct cursor *c)
{
	while (c->at < c->end && isspace((unsigned char)*c->at))
		c->at++;
}

/* Read a string, without its quotes. Returns 0 or -1. */
static int
read_string(struct cursor *c, const char **text, size_t *len)
{
	if (c->at == c->end || *c->at != '"')
		return -1;
	*text = ++c->at;
	while (c->at < c->end && *c->at != '"')
		c->at += *c->at == '\\' && c->at + 1 < c->end ? 2 : 1;
	if (c->at >= c->end)
		return -1;
	*len = (size_t)(c->at++ - *text);
	return 0;
}

/* Skip an object or array by counting brackets. Returns 0 or -1. */
static int
skip_nested(struct cursor *c)
{
	int depth = 0;

	while (c->at < c->end) {
		const char *text;
		size_t len;

		if (*c->at == '"') {
			if (read_string(c, &text, &len) != 0)
				return -1;
			continue;
		}
		depth += *c->at == '{' || *c->at == '[';
		depth -= *c->at == '}' || *c->at == ']';
		c->at++;
		if (depth == 0)
			return 0;
	}
	return -1;
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

/* Read a value; a string without its quotes. Returns 0 or -1. */
static int
read_value(struct cursor *c, struct json_member *m)
{
	skip_spaces(c);
	m->value = c->at;
	m->is_string = c->at < c->end && *c->at == '"';
	if (m->is_string)
		return read_string(c, &m->value, &m->len);
	if (c->at < c->end && (*c->at == '{' || *c->at == '[')) {
		if (skip_nested(c) != 0)
			return -1;
		m->len = (size_t)(c->at - m->value);
		return 0;
	}
	while (c->at < c->end && strchr(",}] \t\r\n", *c->at) == NULL)
		c->at++;
	m->len = (size_t)(c->at - m->value);
	return is_plain(m->value, m->len) ? 0 : -1;
}

int
json_is_value(const char *text, size_t len)
{
	struct cursor c = { text, text + len };
	struct json_member m;

	if (read_value(&c, &m) != 0)
		return 0;
	skip_spaces(&c);
	return c.at == c.end;
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
	struct cursor c = { text, text + len };

	while (c.at < c.end) {
		const char *name;
		size_t n;

		if (*c.at != '"') {
			c.at++;
			continue;
		}
		if (read_string(&c, &name, &n) != 0)
			return -1;
		skip_spaces(&c);
		if (c.at == c.end || *c.at != ':' || n != strlen(key) ||
		    memcmp(name, key, n) != 0)
			continue;
		c.at++;
		return read_value(&c, m);
	}
	return 1;
}
