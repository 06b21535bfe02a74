#include <config.h>

#include "extract/dlperf/python_text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/utf8.h"

enum { WIDTH = 80, MAX_TEXT = 1 << 24 };

struct py_entry {
	const char *key;
	const char *number;   /* its text, or NULL: */
	struct py_dict *dict; /* then this is set */
};

struct py_dict {
	struct arena *arena;
	struct py_entry *entries;
	size_t n, alloc;
};

char *
py_double(char buf[PY_DOUBLE_SIZE], double x)
{
	char digits[PY_DOUBLE_SIZE];
	int precision, exponent, n;

	if (!isfinite(x)) {
		snprintf(buf, PY_DOUBLE_SIZE, "%s",
		    isnan(x)    ? "nan"
			: x > 0 ? "inf"
				: "-inf");
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
py_round2(double x)
{
	return py_round(x, 2);
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

struct py_dict *
py_dict_new(struct arena *a)
{
	struct py_dict *d = arena_alloc(a, sizeof *d);

	d->arena = a;
	return d;
}

static struct py_entry *
find_entry(struct py_dict *d, const char *key)
{
	struct py_entry *all;
	size_t i;

	for (i = 0; i < d->n; i++)
		if (strcmp(d->entries[i].key, key) == 0)
			return &d->entries[i];
	if (d->n == d->alloc) {
		d->alloc = d->alloc * 2 + 8;
		all = arena_calloc(d->arena, d->alloc, sizeof *all);
		if (d->n > 0)
			memcpy(all, d->entries, d->n * sizeof *all);
		d->entries = all;
	}
	d->entries[d->n].key = arena_strdup(d->arena, key);
	return &d->entries[d->n++];
}

struct py_dict *
py_dict_get(struct py_dict *d, const char *key)
{
	struct py_entry *e = find_entry(d, key);

	if (e->dict == NULL) {
		e->dict = py_dict_new(d->arena);
		e->number = NULL;
	}
	return e->dict;
}

void
py_dict_set_long(struct py_dict *d, const char *key, long x)
{
	struct py_entry *e = find_entry(d, key);

	e->number = arena_printf(d->arena, "%ld", x);
	e->dict = NULL;
}

void
py_dict_set_double(struct py_dict *d, const char *key, double x)
{
	char buf[PY_DOUBLE_SIZE];
	struct py_entry *e = find_entry(d, key);

	e->number = arena_strdup(d->arena, py_double(buf, x));
	e->dict = NULL;
}

/* put_repr() of a string: single quotes, unless only those are in it. */
static void
repr_string(const char *s, struct strbuf *sb)
{
	const char quote =
	    strchr(s, '\'') != NULL && strchr(s, '"') == NULL ? '"' : '\'';

	strbuf_addch(sb, quote);
	for (; *s != '\0'; s++) {
		const unsigned char c = (unsigned char)*s;

		if (c == '\\' || *s == quote)
			strbuf_printf(sb, "\\%c", *s);
		else if (c == '\n' || c == '\r' || c == '\t')
			strbuf_addstr(sb,
			    c == '\n'       ? "\\n"
				: c == '\r' ? "\\r"
					    : "\\t");
		else if (c < 0x20 || c == 0x7f)
			strbuf_printf(sb, "\\x%02x", c);
		else
			strbuf_addch(sb, *s);
	}
	strbuf_addch(sb, quote);
}

static int
by_key(const void *a, const void *b)
{
	const struct py_entry *x = a, *y = b;

	return strcmp(x->key, y->key);
}

/* The entries in the order of pprint; free it. */
static struct py_entry *
sorted_entries(const struct py_dict *d)
{
	struct py_entry *e = xcalloc(d->n, sizeof *e);

	if (d->n > 0) {
		memcpy(e, d->entries, d->n * sizeof *e);
		qsort(e, d->n, sizeof *e, by_key);
	}
	return e;
}

/* put_repr() of a dictionary with its keys sorted, on one line. */
static void
put_repr(const struct py_entry *e, struct strbuf *sb)
{
	struct py_entry *items;
	size_t i;

	if (e->dict == NULL) {
		strbuf_addstr(sb, e->number);
		return;
	}
	items = sorted_entries(e->dict);
	strbuf_addch(sb, '{');
	for (i = 0; i < e->dict->n; i++) {
		if (i > 0)
			strbuf_addstr(sb, ", ");
		repr_string(items[i].key, sb);
		strbuf_addstr(sb, ": ");
		put_repr(&items[i], sb);
	}
	strbuf_addch(sb, '}');
	free(items);
}

/* Characters of the text after byte start. */
static size_t
count_characters(const struct strbuf *sb, size_t start)
{
	size_t i, n = 0;

	for (i = start; i < sb->len; i++)
		n += ((unsigned char)sb->buf[i] & 0xc0) != 0x80;
	return n;
}

/* One value at column indent, with allowance columns kept free after it: on
 * one line if it fits, else each item on its own.  Depth is that of the
 * dictionary: three. */
static void
put_pprint(const struct py_entry *e, size_t indent, size_t allowance,
    struct strbuf *sb)
{
	const size_t start = sb->len;
	struct py_entry *items;
	size_t i, n, column;

	put_repr(e, sb);
	if (e->dict == NULL ||
	    count_characters(sb, start) + indent + allowance <= WIDTH)
		return;
	sb->len = start;
	sb->buf[start] = '\0';
	items = sorted_entries(e->dict);
	n = e->dict->n;
	strbuf_addch(sb, '{');
	indent++;
	for (i = 0; i < n; i++) {
		const size_t key = sb->len;

		repr_string(items[i].key, sb);
		column = indent + count_characters(sb, key) + 2;
		strbuf_addstr(sb, ": ");
		put_pprint(
		    &items[i], column, i + 1 == n ? allowance + 1 : 1, sb);
		if (i + 1 < n) {
			strbuf_addstr(sb, ",\n");
			strbuf_addchars(sb, ' ', indent);
		}
	}
	strbuf_addch(sb, '}');
	free(items);
}

void
py_pprint(struct py_dict *d, struct strbuf *sb)
{
	const struct py_entry top = { "", NULL, d };

	put_pprint(&top, 0, 0, sb);
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
		if (c == '"' || c == '\\')
			strbuf_printf(sb, "\\%c", (int)c);
		else if (c == '\n' || c == '\r' || c == '\t')
			strbuf_addstr(sb,
			    c == '\n'       ? "\\n"
				: c == '\r' ? "\\r"
					    : "\\t");
		else if (c > 0xffff)
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

/* json.dump has words of its own for what is no JSON. */
static const char *
json_word(const char *number)
{
	static const char *const words[][2] = { { "nan", "NaN" },
		{ "inf", "Infinity" }, { "-inf", "-Infinity" } };
	size_t i;

	for (i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(number, words[i][0]) == 0)
			return words[i][1];
	return number;
}

void
py_json(const struct py_dict *d, struct strbuf *sb)
{
	size_t i;

	strbuf_addch(sb, '{');
	for (i = 0; i < d->n; i++) {
		if (i > 0)
			strbuf_addstr(sb, ", ");
		json_string(d->entries[i].key, sb);
		strbuf_addstr(sb, ": ");
		if (d->entries[i].dict != NULL)
			py_json(d->entries[i].dict, sb);
		else
			strbuf_addstr(sb, json_word(d->entries[i].number));
	}
	strbuf_addch(sb, '}');
}
