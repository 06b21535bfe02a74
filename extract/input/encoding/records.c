#include <config.h>

#include "extract/input/encoding/records.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

size_t
store_read(struct store_input *in, void *to, size_t n)
{
	size_t got = 0;

	while (got < n && store_more(in)) {
		const size_t left = (size_t)(in->end - in->at);
		const size_t some = left < n - got ? left : n - got;

		memcpy((char *)to + got, in->at, some);
		in->at += some;
		got += some;
	}
	return got;
}

/* --- CRC ------------------------------------------------------------------ */

void
crc32_init(struct crc32_table *t, uint32_t polynomial)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t x = i;

		for (int bit = 0; bit < 8; bit++)
			x = x >> 1 ^ ((x & 1) != 0 ? polynomial : 0);
		t->of[i] = x;
	}
}

uint32_t
crc32_add(const struct crc32_table *t, uint32_t x, const void *data, size_t len)
{
	x = ~x;
	for (const unsigned char *p = data; len > 0; len--, p++)
		x = x >> 8 ^ t->of[(x ^ *p) & 0xff];
	return ~x;
}

uint32_t
crc32_masked(uint32_t x)
{
	return (x >> 15 | x << 17) + 0xa282ead8u;
}

/* --- protocol buffers ----------------------------------------------------- */

uint64_t
little_endian(const void *data, size_t n)
{
	const unsigned char *p = data;
	uint64_t x = 0;

	for (size_t i = 0; i < n; i++)
		x |= (uint64_t)p[i] << (8 * i);
	return x;
}

int
protobuf_varint(struct protobuf *m, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; shift < 64 && m->at < m->end; shift += 7) {
		const unsigned char c = *m->at++;

		*out |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return 0;
	}
	return -1;
}

int
protobuf_next(struct protobuf *m, struct protobuf_field *f)
{
	uint64_t len = 0;

	if (m->at == m->end)
		return 0;
	*m->bad |= protobuf_varint(m, &f->key) != 0 || f->key >> 3 == 0;
	f->bits = 0;
	switch (f->key & 7) {
	case 0:
		*m->bad |= protobuf_varint(m, &f->bits) != 0;
		break;
	case 1:
		len = 8;
		break;
	case 2:
		*m->bad |= protobuf_varint(m, &len) != 0;
		break;
	case 5:
		len = 4;
		break;
	default:
		*m->bad = 1;
	}
	*m->bad |= len > (uint64_t)(m->end - m->at);
	if (*m->bad)
		return 0;
	f->bytes = (struct protobuf){ m->at, m->at + len, m->bad };
	if ((f->key & 7) == 1 || (f->key & 7) == 5)
		f->bits = little_endian(m->at, len);
	m->at += len;
	return 1;
}

/* --- text of JSON --------------------------------------------------------- */

void
strbuf_cut(struct strbuf *sb, size_t before)
{
	sb->len = before;
	if (sb->alloc > 0)
		sb->buf[before] = '\0';
}

void
json_add_string(struct strbuf *out, const void *text, size_t len)
{
	const unsigned char *p = text;

	strbuf_addch(out, '"');
	for (const unsigned char *end = p + len; p < end; p++) {
		if (*p == '"' || *p == '\\')
			strbuf_printf(out, "\\%c", *p);
		else if (*p < 0x20 || *p == 0x7f)
			strbuf_printf(out, "\\u%04x", *p);
		else
			strbuf_addch(out, (char)*p);
	}
	strbuf_addch(out, '"');
}

void
json_add_number(struct strbuf *out, double x, int digits)
{
	if (isnan(x))
		strbuf_addstr(out, "NaN");
	else if (isinf(x))
		strbuf_addstr(out, x > 0 ? "Infinity" : "-Infinity");
	else
		strbuf_printf(out, "%.*g", digits, x);
}

/* --- types of elements ---------------------------------------------------- */

static const struct {
	const char *name;
	double bytes;
} types[] = {
	/* PyTorch: ScalarType, c10/core/ScalarType.h. "Char" and "Byte" have
	 * one byte, "Long" has eight. */
	{ "Byte", 1 }, { "Char", 1 }, { "Short", 2 }, { "Int", 4 },
	{ "Long", 8 }, { "UInt16", 2 }, { "UInt32", 4 }, { "UInt64", 8 },
	{ "Half", 2 }, { "Float", 4 }, { "Double", 8 }, { "BFloat16", 2 },
	{ "ComplexHalf", 4 }, { "ComplexFloat", 8 }, { "ComplexDouble", 16 },
	{ "Bool", 1 }, { "Float8_e5m2", 1 }, { "Float8_e4m3fn", 1 },
	{ "Float8_e5m2fnuz", 1 }, { "Float8_e4m3fnuz", 1 },
	/* Horovod: DataType_Name, horovod/common/message.cc. */
	{ "uint8", 1 }, { "int8", 1 }, { "int16", 2 }, { "int32", 4 },
	{ "int64", 8 }, { "float16", 2 }, { "float32", 4 }, { "float64", 8 },
	/* Abbreviations of these. */
	{ "bf16", 2 }, { "fp16", 2 }, { "fp32", 4 }, { "fp64", 8 },
	{ "complex64", 8 }, { "complex128", 16 }
};

double
element_size(const char *type)
{
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (strcasecmp(types[i].name, type) == 0)
			return types[i].bytes;
	return NAN;
}

/* --- members of JSON objects ---------------------------------------------- */

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
	/* A number or a literal: true, null, Python's NaN. */
	for (size_t i = 0; i < m->len; i++)
		if (!isalnum((unsigned char)m->value[i]) &&
		    (m->value[i] == '\0' ||
			strchr("+-._", m->value[i]) == NULL))
			return -1;
	return m->len > 0 ? 0 : -1;
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
