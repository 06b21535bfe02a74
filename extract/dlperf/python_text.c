#include <config.h>

#include "extract/dlperf/python_text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/utf8.h"

enum { WIDTH = 80 };

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
	if (exponent < -4 || exponent >= 16)
		snprintf(buf, PY_DOUBLE_SIZE, "%s", digits);
	else {
		n = precision - exponent; /* after the point */
		snprintf(buf, PY_DOUBLE_SIZE, "%.*f", n > 0 ? n : 1, x);
	}
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
	size_t i, j;

	if (n > 128) {
		const size_t half = n / 2 - n / 2 % 8;

		return np_sum(x, half) + np_sum(x + half, n - half);
	}
	if (n < 8) {
		for (i = 0; i < n; i++)
			sum += x[i];
		return sum;
	}
	memcpy(r, x, sizeof r);
	for (i = 8; i < n - n % 8; i += 8)
		for (j = 0; j < 8; j++)
			r[j] += x[i + j];
	sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
	for (; i < n; i++)
		sum += x[i];
	return sum;
}

double
np_mean(const double *x, size_t n)
{
	return np_sum(x, n) / (double)n;
}

/* The escapes that repr() and JSON share; 0 if c has none. */
static int
put_escape(uint32_t c, char quote, struct strbuf *sb)
{
	if (c == '\\' || c == (unsigned char)quote)
		strbuf_printf(sb, "\\%c", (int)c);
	else if (c == '\n')
		strbuf_addstr(sb, "\\n");
	else if (c == '\r')
		strbuf_addstr(sb, "\\r");
	else if (c == '\t')
		strbuf_addstr(sb, "\\t");
	else
		return 0;
	return 1;
}

/* repr() of a string: single quotes, unless only those are in it. */
static void
put_string(const char *s, struct strbuf *sb)
{
	const char quote =
	    strchr(s, '\'') != NULL && strchr(s, '"') == NULL ? '"' : '\'';

	strbuf_addch(sb, quote);
	for (; *s != '\0'; s++) {
		const unsigned char c = (unsigned char)*s;

		if (put_escape(c, quote, sb))
			continue;
		if (c < 0x20 || c == 0x7f)
			strbuf_printf(sb, "\\x%02x", c);
		else
			strbuf_addch(sb, *s);
	}
	strbuf_addch(sb, quote);
}

static void
put_scalar(struct json_object *x, struct strbuf *sb)
{
	char buf[PY_DOUBLE_SIZE];

	if (json_object_is_type(x, json_type_string))
		put_string(json_object_get_string(x), sb);
	else if (json_object_is_type(x, json_type_double))
		strbuf_addstr(sb, py_double(buf, json_object_get_double(x)));
	else
		strbuf_addstr(sb, json_object_get_string(x));
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

enum layout { ONE_LINE, ONE_LINE_SORTED, PRETTY };

/* repr() of a value; PRETTY: at column indent, with allowance columns kept free
 * after it, on one line if it fits, else each member on its own. */
static void
put_value(struct json_object *x, enum layout layout, size_t indent,
    size_t allowance, struct strbuf *sb)
{
	const size_t start = sb->len;
	struct lh_entry **members, *m;
	size_t i, n = 0, key;

	if (!json_object_is_type(x, json_type_object)) {
		put_scalar(x, sb);
		return;
	}
	if (layout == PRETTY) {
		put_value(x, ONE_LINE_SORTED, 0, 0, sb);
		if (count_characters(sb, start) + indent + allowance <= WIDTH)
			return;
		sb->len = start;
		sb->buf[start] = '\0';
	}
	members = xcalloc((size_t)json_object_object_length(x) + 1,
	    sizeof(struct lh_entry *));
	lh_foreach(json_object_get_object(x), m) members[n++] = m;
	if (layout != ONE_LINE)
		qsort(members, n, sizeof(struct lh_entry *), by_key);
	strbuf_addch(sb, '{');
	for (i = 0; i < n; i++) {
		if (i > 0 && layout == PRETTY) {
			strbuf_addstr(sb, ",\n");
			strbuf_addchars(sb, ' ', indent + 1);
		} else if (i > 0)
			strbuf_addstr(sb, ", ");
		key = sb->len;
		put_string(lh_entry_k(members[i]), sb);
		strbuf_addstr(sb, ": ");
		put_value((struct json_object *)lh_entry_v(members[i]), layout,
		    indent + 1 + count_characters(sb, key),
		    i + 1 == n ? allowance + 1 : 1, sb);
	}
	strbuf_addch(sb, '}');
	free(members);
}

void
py_pprint(struct json_object *dict, struct strbuf *sb)
{
	put_value(dict, PRETTY, 0, 0, sb);
	strbuf_addch(sb, '\n');
}

void
py_print(struct json_object *dict, struct strbuf *sb)
{
	put_value(dict, ONE_LINE, 0, 0, sb);
	strbuf_addch(sb, '\n');
}

static void
json_string(const char *s, struct strbuf *sb)
{
	const char *end = s + strlen(s);
	uint32_t c;

	strbuf_addch(sb, '"');
	while (s < end) {
		s += utf8_decode(s, (size_t)(end - s), &c);
		if (put_escape(c, '"', sb))
			continue;
		if (c > 0xffff)
			strbuf_printf(sb, "\\u%04x\\u%04x",
			    (unsigned)(0xd800 + ((c - 0x10000) >> 10)),
			    (unsigned)(0xdc00 + ((c - 0x10000) & 0x3ff)));
		else if (c < 0x20 || c > 0x7e)
			strbuf_printf(sb, "\\u%04x", (unsigned)c);
		else
			strbuf_addch(sb, (char)c);
	}
	strbuf_addch(sb, '"');
}

void
py_json(struct json_object *dict, struct strbuf *sb)
{
	const char *comma = "";

	strbuf_addch(sb, '{');
	json_object_object_foreach(dict, key, x)
	{
		strbuf_addstr(sb, comma);
		comma = ", ";
		json_string(key, sb);
		strbuf_addstr(sb, ": ");
		if (json_object_is_type(x, json_type_object))
			py_json(x, sb);
		else if (isfinite(json_object_get_double(x)))
			put_scalar(x, sb);
		else
			strbuf_addstr(sb,
			    isnan(json_object_get_double(x))    ? "NaN"
				: json_object_get_double(x) > 0 ? "Infinity"
								: "-Infinity");
	}
	strbuf_addch(sb, '}');
}
