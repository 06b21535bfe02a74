#include <config.h>

#include "extract/dlperf/python_text.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"
#include "common/utf8.h"

enum { WIDTH = 80, MAX_SHOWN = 40 };

int
py_raises(struct error *e, const char *what, const char *value)
{
	if (value == NULL)
		return error_set(
		    e, ERROR_INPUT, "DLPerf's script stops here: %s", what);
	return error_set(e, ERROR_INPUT,
	    "DLPerf's script stops here: %s '%.*s'%s", what, MAX_SHOWN, value,
	    strlen(value) > MAX_SHOWN ? "..." : "");
}

char *
py_strip(char *s, const char *set)
{
	size_t len;

	s += strspn(s, set);
	for (len = strlen(s); len > 0 && strchr(set, s[len - 1]) != NULL; len--)
		;
	s[len] = '\0';
	return s;
}

int
py_int(char *s, long *out, struct error *e)
{
	const char *digits = py_strip(s, PY_BLANKS);

	if (digits[0] == '+')
		digits++;
	if (parse_long(digits, LONG_MIN, LONG_MAX, out) != 0)
		return py_raises(
		    e, "ValueError: invalid literal for int():", s);
	return 0;
}

int
py_float(char *s, double *out, struct error *e)
{
	const char *number = py_strip(s, PY_BLANKS);
	char *end;

	*out = strtod(number, &end);
	if (end == number || *end != '\0' || strpbrk(number, "xX") != NULL)
		return py_raises(
		    e, "ValueError: could not convert to float:", s);
	return 0;
}

int
py_decode(char *text, size_t len, struct error *e)
{
	char *at;

	if (!utf8_valid(text, len))
		return py_raises(e, "UnicodeDecodeError: no UTF-8", NULL);
	for (at = text; at < text + len; at++)
		if (*at == '\0')
			*at = '\001'; /* like it, neither digit nor blank */
	return 0;
}

int
py_next_line(char **at, char *end, struct py_line *line)
{
	size_t n;

	if (*at >= end)
		return 0;
	n = strcspn(*at, "\r\n");
	*line = (struct py_line){ *at, *at + n, *at + n < end };
	*at += n;
	*(*at)++ = '\0';
	return 1;
}

char *
py_double(char buf[PY_DOUBLE_SIZE], double x)
{
	char digits[PY_DOUBLE_SIZE];
	int precision, exponent, n;

	if (!isfinite(x)) {
		/* Python prints no sign of nan. */
		snprintf(buf, PY_DOUBLE_SIZE, "%g", isnan(x) ? fabs(x) : x);
		return buf;
	}
	for (precision = 0; precision < 17; precision++) {
		snprintf(digits, sizeof digits, "%.*e", precision, x);
		if (memcmp(&(double){ strtod(digits, NULL) }, &x, sizeof x) ==
		    0)
			break;
	}
	exponent = (int)strtol(strchr(digits, 'e') + 1, NULL, 10);
	n = precision - exponent; /* after the point */
	if (exponent < -4 || exponent >= 16)
		snprintf(buf, PY_DOUBLE_SIZE, "%.*e", precision, x);
	else
		snprintf(buf, PY_DOUBLE_SIZE, "%.*f", n > 0 ? n : 1, x);
	return buf;
}

double
py_round(double x, int digits)
{
	char buf[512]; /* 309 digits at most */

	snprintf(buf, sizeof buf, "%.*f", digits, x);
	return strtod(buf, NULL);
}

double
np_round(double x, int digits)
{
	const double scale = pow(10, digits);

	return rint(x * scale) / scale;
}

/* NumPy adds up blocks of up to 128 in eight sums, and halves of more. */
static double
np_sum(const double *x, size_t n)
{
	double r[8], sum = 0;
	size_t i = 0, j;

	if (n > 128) {
		const size_t half = n / 2 - n / 2 % 8;

		return np_sum(x, half) + np_sum(x + half, n - half);
	}
	if (n >= 8) {
		memcpy(r, x, sizeof r);
		for (i = 8; i < n - n % 8; i += 8)
			for (j = 0; j < 8; j++)
				r[j] += x[i + j];
		sum = ((r[0] + r[1]) + (r[2] + r[3])) +
		    ((r[4] + r[5]) + (r[6] + r[7]));
	}
	for (; i < n; i++)
		sum += x[i];
	return sum;
}

double
np_mean(const double *x, size_t n)
{
	return np_sum(x, n) / (double)n;
}

/* repr() of a string has single quotes, unless only those are in it. */
static void
put_string(const char *s, enum py_style style, struct strbuf *sb)
{
	static const char blanks[] = "\n\r\t";
	const char *end = s + strlen(s), *at;
	const char quote = style == PY_JSON ||
		(strchr(s, '\'') != NULL && strchr(s, '"') == NULL)
	    ? '"'
	    : '\'';
	uint32_t c;

	strbuf_addch(sb, quote);
	while (s < end) {
		at = s;
		s += utf8_decode(s, (size_t)(end - s), &c);
		if (c == '\\' || c == (unsigned char)quote)
			strbuf_printf(sb, "\\%c", (int)c);
		else if (c < 0x20 && strchr(blanks, (int)c) != NULL)
			strbuf_printf(
			    sb, "\\%c", "nrt"[strchr(blanks, (int)c) - blanks]);
		else if (style == PY_JSON && c > 0xffff)
			strbuf_printf(sb, "\\u%04x\\u%04x",
			    (unsigned)(0xd800 + ((c - 0x10000) >> 10)),
			    (unsigned)(0xdc00 + ((c - 0x10000) & 0x3ff)));
		else if (style == PY_JSON && (c < 0x20 || c > 0x7e))
			strbuf_printf(sb, "\\u%04x", (unsigned)c);
		else if (c < 0x20 || c == 0x7f)
			strbuf_printf(sb, "\\x%02x", (unsigned)c);
		else
			strbuf_add(sb, at, (size_t)(s - at));
	}
	strbuf_addch(sb, quote);
}

static void
put_scalar(struct json_object *x, enum py_style style, struct strbuf *sb)
{
	char buf[PY_DOUBLE_SIZE];
	double number;

	if (json_object_is_type(x, json_type_string)) {
		put_string(json_object_get_string(x), style, sb);
		return;
	}
	if (!json_object_is_type(x, json_type_double)) {
		strbuf_addstr(sb, json_object_get_string(x));
		return;
	}
	number = json_object_get_double(x);
	if (style != PY_JSON || isfinite(number))
		strbuf_addstr(sb, py_double(buf, number));
	else
		strbuf_addstr(sb,
		    isnan(number)    ? "NaN"
			: number > 0 ? "Infinity"
				     : "-Infinity");
}

/* Characters of the text from byte start on. */
static size_t
count_characters(const struct strbuf *sb, size_t start)
{
	size_t i, n = 0;

	for (i = start; i < sb->len; i++)
		n += ((unsigned char)sb->buf[i] & 0xc0) != 0x80;
	return n;
}

static int
by_key(const void *a, const void *b)
{
	const struct lh_entry *const *x = a, *const *y = b;

	return strcmp(lh_entry_k(*x), lh_entry_k(*y));
}

/* PY_PPRINT: at column indent, with allowance columns kept free after it, on
 * one line if it fits, else each member on its own. */
static void
put_value(struct json_object *x, enum py_style style, size_t indent,
    size_t allowance, struct strbuf *sb)
{
	const size_t start = sb->len;
	struct lh_entry **members, *m;
	size_t i, n = 0, key;

	if (!json_object_is_type(x, json_type_object)) {
		put_scalar(x, style, sb);
		return;
	}
	if (style == PY_PPRINT) {
		put_value(x, PY_SORTED, 0, 0, sb);
		if (count_characters(sb, start) + indent + allowance <= WIDTH)
			return;
		sb->len = start;
		sb->buf[start] = '\0';
	}
	members = xcalloc((size_t)json_object_object_length(x) + 1,
	    sizeof(struct lh_entry *));
	lh_foreach(json_object_get_object(x), m) members[n++] = m;
	if (style == PY_SORTED || style == PY_PPRINT)
		qsort(members, n, sizeof(struct lh_entry *), by_key);
	strbuf_addch(sb, '{');
	for (i = 0; i < n; i++) {
		if (i > 0 && style == PY_PPRINT) {
			strbuf_addstr(sb, ",\n");
			strbuf_addchars(sb, ' ', indent + 1);
		} else if (i > 0)
			strbuf_addstr(sb, ", ");
		key = sb->len;
		if (style == PY_RUNS)
			strbuf_addstr(sb, lh_entry_k(members[i]));
		else
			put_string(lh_entry_k(members[i]), style, sb);
		strbuf_addstr(sb, ": ");
		put_value((struct json_object *)lh_entry_v(members[i]), style,
		    indent + 1 + count_characters(sb, key),
		    i + 1 == n ? allowance + 1 : 1, sb);
	}
	strbuf_addch(sb, '}');
	free(members);
}

void
py_write(struct json_object *dict, enum py_style style, struct strbuf *sb)
{
	put_value(dict, style, 0, 0, sb);
}
