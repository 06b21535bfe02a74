#include <config.h>

#include "common/json/json_write.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/utf8.h"

static void
out_bytes(struct json_writer *j, const char *s, size_t len)
{
	j->bytes += len;
	if (j->f == NULL)
		strbuf_add(j->sb, s, len);
	else if (len > 0)
		fwrite_unlocked(s, 1, len, j->f);
}

static void
out_char(struct json_writer *j, char c)
{
	j->bytes++;
	if (j->f == NULL)
		strbuf_addch(j->sb, c);
	else
		putc_unlocked(c, j->f);
}

static void
out_str(struct json_writer *j, const char *s)
{
	out_bytes(j, s, strlen(s));
}

static void
out_line(struct json_writer *j)
{
	char text[1 + 2 * JSON_WRITE_MAX_DEPTH];

	if (j->style == JSON_WRITE_LINES)
		return;
	memset(text, ' ', sizeof text);
	text[0] = '\n';
	out_bytes(j, text, 1 + 2 * (size_t)j->depth);
}

static void
out_quoted(struct json_writer *j, const char *s)
{
	static const char special[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *plain = s, *at;
	char escape[8];
	uint32_t cp;

	out_char(j, '"');
	while (*s != '\0') {
		size_t n;

		if (*s >= ' ' && *s < 0x7f && *s != '"' && *s != '\\') {
			s++;
			continue;
		}
		n = utf8_decode(s, strnlen(s, 4), &cp);
		if (cp != '"' && cp != '\\' && !utf8_is_control(cp)) {
			s += n;
			continue;
		}
		out_bytes(j, plain, (size_t)(s - plain));
		at = cp < 0x80 ? strchr(special, (int)cp) : NULL;
		if (cp == UTF8_INVALID)
			snprintf(escape, sizeof escape, "\xef\xbf\xbd");
		else if (at != NULL)
			snprintf(escape, sizeof escape, "\\%c",
			    letters[at - special]);
		else
			snprintf(escape, sizeof escape, "\\u%04x", cp);
		out_str(j, escape);
		plain = s += n;
	}
	out_bytes(j, plain, (size_t)(s - plain));
	out_char(j, '"');
}

/* Write the comma, line end and key before a value, and the value. */
static void
out_value(struct json_writer *j, const char *key, const char *value)
{
	const int object = j->depth > 0 && j->close[j->depth - 1] == '}';

	assert(object == (key != NULL));
	if (j->depth > 0) {
		if (j->n[j->depth] > 0)
			out_char(j, ',');
		if (j->n[j->depth] > 0 && j->style == JSON_WRITE_LINES)
			out_char(j, ' ');
		out_line(j);
	} else if (j->n[0] > 0) {
		out_char(j, '\n');
	}
	j->n[j->depth]++;
	if (key != NULL) {
		out_quoted(j, key);
		out_char(j, ':');
		out_char(j, ' ');
	}
	out_str(j, value);
}

static void
out_begin(struct json_writer *j, const char *key, const char *open, char close)
{
	assert(j->depth < JSON_WRITE_MAX_DEPTH);
	out_value(j, key, open);
	j->close[j->depth++] = close;
	j->n[j->depth] = 0;
}

void
json_write_begin_object(struct json_writer *j, const char *key)
{
	out_begin(j, key, "{", '}');
}

void
json_write_begin_array(struct json_writer *j, const char *key)
{
	out_begin(j, key, "[", ']');
}

void
json_write_end(struct json_writer *j)
{
	assert(j->depth > 0);
	j->depth--;
	if (j->n[j->depth + 1] > 0)
		out_line(j);
	out_char(j, j->close[j->depth]);
}

void
json_write_string(struct json_writer *j, const char *key, const char *s)
{
	out_value(j, key, s == NULL ? "null" : "");
	if (s != NULL)
		out_quoted(j, s);
}

void
json_write_long(struct json_writer *j, const char *key, long x)
{
	char text[24];

	snprintf(text, sizeof text, "%ld", x);
	out_value(j, key, x == LONG_MIN ? "null" : text);
}

char *
json_double(char buf[JSON_DOUBLE_SIZE], double x)
{
	double back = NAN;

	assert(isfinite(x));
	for (int digits = 15; digits <= 17 && !(back >= x && back <= x);
	     digits++) {
		snprintf(buf, JSON_DOUBLE_SIZE, "%.*g", digits, x);
		back = strtod(buf, NULL);
	}
	/* "-0" would be read as an integer and lose its sign. */
	if (strcmp(buf, "-0") == 0)
		snprintf(buf, JSON_DOUBLE_SIZE, "-0.0");
	return buf;
}

void
json_write_double(struct json_writer *j, const char *key, double x)
{
	char text[JSON_DOUBLE_SIZE];

	out_value(j, key, isfinite(x) ? json_double(text, x) : "null");
}

void
json_write_bool(struct json_writer *j, const char *key, int x)
{
	out_value(j, key, x ? "true" : "false");
}

void
json_write_finish(struct json_writer *j)
{
	assert(j->depth == 0);
	if (j->n[0] > 0)
		out_char(j, '\n');
}
