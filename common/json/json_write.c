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
	if (j->f == NULL)
		strbuf_add(j->sb, s, len);
	else if (len > 0)
		fwrite_unlocked(s, 1, len, j->f);
}

static void
out_str(struct json_writer *j, const char *s)
{
	out_bytes(j, s, strlen(s));
}

void
json_write_to_file(struct json_writer *j, FILE *f, enum json_write_style style)
{
	*j = (struct json_writer){ .f = f, .style = style };
}

void
json_write_to_strbuf(
    struct json_writer *j, struct strbuf *sb, enum json_write_style style)
{
	*j = (struct json_writer){ .sb = sb, .style = style };
}

static void
out_line(struct json_writer *j)
{
	if (j->style == JSON_WRITE_LINES)
		return;
	out_str(j, "\n");
	for (int i = 0; i < j->depth; i++)
		out_str(j, "  ");
}

/* Write a character that a JSON string must escape. */
static void
out_escape(struct json_writer *j, unsigned char c)
{
	static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	char text[8];

	for (size_t i = 0; letters[i] != '\0'; i += 2) {
		if ((unsigned char)letters[i] == c) {
			snprintf(text, sizeof text, "\\%c", letters[i + 1]);
			out_str(j, text);
			return;
		}
	}
	snprintf(text, sizeof text, "\\u%04x", c);
	out_str(j, text);
}

/* True for ASCII characters that need no escape. */
static int
is_plain(unsigned char c)
{
	return c >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
}

static void
out_quoted(struct json_writer *j, const char *s, size_t len)
{
	size_t i = 0, plain = 0, n;
	uint32_t cp;

	out_str(j, "\"");
	for (; i < len; i += n) {
		const unsigned char c = (unsigned char)s[i];

		n = c < 0x80 ? 1 : utf8_decode(s + i, len - i, &cp);
		if (c < 0x80 ? is_plain(c) : cp != UTF8_INVALID)
			continue;
		out_bytes(j, s + plain, i - plain);
		if (c < 0x80)
			out_escape(j, c);
		else
			out_str(j, "\xef\xbf\xbd");
		plain = i + n;
	}
	out_bytes(j, s + plain, len - plain);
	out_str(j, "\"");
}

/* Write the comma, line end and key before a value. */
static void
out_lead(struct json_writer *j, const char *key)
{
	const int object = j->depth > 0 && j->close[j->depth - 1] == '}';

	assert(object == (key != NULL));
	if (j->depth > 0) {
		if (j->n[j->depth] > 0)
			out_str(j, j->style == JSON_WRITE_LINES ? ", " : ",");
		out_line(j);
	} else if (j->n[0] > 0) {
		out_str(j, "\n");
	}
	j->n[j->depth]++;
	if (key != NULL) {
		out_quoted(j, key, strlen(key));
		out_str(j, ": ");
	}
}

static void
out_begin(struct json_writer *j, const char *key, const char *open, char close)
{
	assert(j->depth < JSON_WRITE_MAX_DEPTH);
	out_lead(j, key);
	out_str(j, open);
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
	const char close[2] = { j->close[j->depth > 0 ? j->depth - 1 : 0],
		'\0' };
	const long n = j->n[j->depth];

	assert(j->depth > 0);
	j->depth--;
	if (n > 0)
		out_line(j);
	out_str(j, close);
}

void
json_write_text(
    struct json_writer *j, const char *key, const char *s, size_t len)
{
	out_lead(j, key);
	out_quoted(j, s, len);
}

void
json_write_string(struct json_writer *j, const char *key, const char *s)
{
	if (s == NULL)
		json_write_null(j, key);
	else
		json_write_text(j, key, s, strlen(s));
}

void
json_write_long(struct json_writer *j, const char *key, long x)
{
	char text[24];

	if (x == LONG_MIN) {
		json_write_null(j, key);
		return;
	}
	out_lead(j, key);
	snprintf(text, sizeof text, "%ld", x);
	out_str(j, text);
}

char *
json_double(char buf[JSON_DOUBLE_SIZE], double x)
{
	assert(isfinite(x));
	/* "-0" would be read as an integer and lose its sign. */
	if (signbit(x) && !(fabs(x) > 0)) {
		snprintf(buf, JSON_DOUBLE_SIZE, "-0.0");
		return buf;
	}
	for (int digits = 15; digits <= 17; digits++) {
		double back;

		snprintf(buf, JSON_DOUBLE_SIZE, "%.*g", digits, x);
		back = strtod(buf, NULL);
		if (!(back < x) && !(back > x))
			break;
	}
	return buf;
}

void
json_write_double(struct json_writer *j, const char *key, double x)
{
	char text[JSON_DOUBLE_SIZE];

	if (!isfinite(x)) {
		json_write_null(j, key);
		return;
	}
	out_lead(j, key);
	out_str(j, json_double(text, x));
}

void
json_write_bool(struct json_writer *j, const char *key, int x)
{
	out_lead(j, key);
	out_str(j, x ? "true" : "false");
}

void
json_write_null(struct json_writer *j, const char *key)
{
	out_lead(j, key);
	out_str(j, "null");
}

void
json_write_finish(struct json_writer *j)
{
	assert(j->depth == 0);
	if (j->n[0] > 0)
		out_str(j, "\n");
}
