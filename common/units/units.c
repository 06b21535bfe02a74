#include <config.h>

#include "common/units/units.h"
#include "common/units/units_text.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decimal number as mantissa * 10^exponent. */
struct decimal {
	uint64_t mantissa;
	int digits;   /* digits in mantissa, without leading zeros */
	int dropped;  /* 1: digits after the 19th were dropped */
	int exponent; /* power of ten from decimal point and exponent part */
	int negative;
	size_t mantissa_end; /* start of the exponent part, if any */
	int scale;           /* value of the exponent part */
};

enum { MANTISSA_DIGITS = 19, EXPONENT_CAP = 99999 };

struct text
text_trim(struct text t)
{
	while (t.len > 0 && (t.s[0] == ' ' || t.s[0] == '\t')) {
		t.s++;
		t.len--;
	}
	while (t.len > 0 && (t.s[t.len - 1] == ' ' || t.s[t.len - 1] == '\t'))
		t.len--;
	return t;
}

int
text_is(struct text t, const char *lower)
{
	size_t i;

	for (i = 0; i < t.len && lower[i] != '\0'; i++) {
		char c = t.s[i];

		if (c >= 'A' && c <= 'Z')
			c += 'a' - 'A';
		if (c != lower[i])
			return 0;
	}
	return i == t.len && lower[i] == '\0';
}

int
text_is_one_of(struct text t, const char *const *words)
{
	for (; *words != NULL; words++)
		if (text_is(t, *words))
			return 1;
	return 0;
}

/* True for a text that means "no number". */
static int
says_unknown(struct text t)
{
	static const char *const words[] = { "nan", "inf", "infinity", "none",
		"null", "n/a", "-", "--", "+nan", "-nan", "+inf", "-inf",
		"+infinity", "-infinity", NULL };

	return t.len > 0 && t.len <= 9 && !is_digit(t.s[0]) &&
	    text_is_one_of(t, words);
}

/* True if a group of three digits follows the comma at i. */
static int
is_group(const char *s, size_t len, size_t i)
{
	for (size_t k = 1; k <= 3; k++)
		if (i + k >= len || !is_digit(s[i + k]))
			return 0;
	return i + 4 >= len || !is_digit(s[i + 4]);
}

/* Read sign, digits and point, with groups of three if groups is not 0. Returns
 * the bytes read, 0 without a digit. */
static size_t
mantissa_scan(const char *s, size_t len, int groups, struct decimal *d)
{
	size_t i = 0, start;
	int grouped = 0, after_point = 0, any = 0;

	if (len > 0 && (s[0] == '-' || s[0] == '+'))
		d->negative = s[i++] == '-';
	for (start = i; i < len; i++) {
		if (is_digit(s[i]) && d->digits < MANTISSA_DIGITS) {
			d->mantissa = d->mantissa * 10 + (uint64_t)(s[i] - '0');
			d->digits += d->mantissa > 0;
			d->exponent -= after_point;
			any = 1;
		} else if (is_digit(s[i])) {
			d->dropped |= s[i] != '0';
			d->exponent += !after_point;
		} else if (s[i] == '.' && !after_point) {
			after_point = 1;
		} else if (s[i] == ',' && groups && !after_point && any &&
		    (grouped || i - start <= 3) && is_group(s, len, i)) {
			grouped = 1;
		} else {
			break;
		}
	}
	return any ? i : 0;
}

static size_t
decimal_scan(const char *s, size_t len, int groups, struct decimal *d)
{
	size_t i, k;
	int negative, x = 0;

	memset(d, 0, sizeof *d);
	i = d->mantissa_end = mantissa_scan(s, len, groups, d);
	if (i == 0 || i > UNITS_MAX_DIGITS)
		return 0;
	if (i == len || (s[i] != 'e' && s[i] != 'E'))
		return i;
	k = i + 1;
	negative = k < len && s[k] == '-';
	k += k < len && (s[k] == '-' || s[k] == '+');
	if (k >= len || !is_digit(s[k]))
		return i;
	for (; k < len && is_digit(s[k]); k++)
		if (x < EXPONENT_CAP)
			x = x * 10 + (s[k] - '0');
	d->scale = negative ? -x : x;
	d->exponent += d->scale;
	return k;
}

/* strtod of the number without group separators. The locale is never set, so
 * that the decimal point is '.'. */
static double
decimal_slow(const struct decimal *d, const char *s)
{
	char buf[UNITS_MAX_DIGITS + 16];
	size_t i, n = 0;

	for (i = 0; i < d->mantissa_end; i++)
		if (s[i] != ',')
			buf[n++] = s[i];
	snprintf(buf + n, sizeof buf - n, "e%d", d->scale);
	return strtod(buf, NULL);
}

/* Nearest double. Up to 2^53 and 1e22 both factors are exact, so that the
 * multiplication or division rounds only once, like strtod (W. D. Clinger, "How
 * to read floating point numbers accurately", PLDI 1990). */
static double
decimal_double(const struct decimal *d, const char *s)
{
	static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
		1e19, 1e20, 1e21, 1e22 };
	double x;

	if (FLT_EVAL_METHOD != 0 || d->dropped || d->exponent < -22 ||
	    d->exponent > 22 || d->mantissa > (UINT64_C(1) << 53))
		return decimal_slow(d, s);
	x = (double)d->mantissa;
	if (d->exponent < 0)
		x /= powers[-d->exponent];
	else
		x *= powers[d->exponent];
	return d->negative ? -x : x;
}

size_t
number_scan(const char *s, size_t len, double *out)
{
	struct decimal d;
	size_t n = decimal_scan(s, len, 0, &d);
	double x;

	if (n == 0)
		return 0;
	x = decimal_double(&d, s);
	if (isinf(x))
		return 0;
	*out = x;
	return n;
}

enum units_outcome
number_parse(const char *s, size_t len, double *out)
{
	const struct text t = text_trim((struct text){ s, len });
	struct decimal d;
	size_t n = decimal_scan(t.s, t.len, 1, &d);
	double x;

	if (n == 0) {
		if (!says_unknown(t))
			return UNITS_BAD;
		*out = NAN;
		return UNITS_UNKNOWN;
	}
	if (n < t.len) {
		static const char suffixes[] = "kMGTK";
		const char *suffix = memchr(suffixes, t.s[t.len - 1], 5);
		const int power =
		    suffix != NULL ? 3 * (int)((suffix - suffixes) % 4 + 1) : 0;

		n += n + 2 == t.len && t.s[n] == ' ';
		if (power == 0 || n + 1 != t.len)
			return UNITS_BAD;
		d.exponent += power;
		d.scale += power;
	}
	x = decimal_double(&d, t.s);
	if (isinf(x))
		return UNITS_BAD;
	*out = x;
	return UNITS_OK;
}

enum units_outcome
whole_parse(const char *s, size_t len, long min, long max, long *out)
{
	const struct text t = text_trim((struct text){ s, len });
	struct decimal d;
	long x;

	assert(min <= max);
	if (says_unknown(t)) {
		*out = LONG_MIN;
		return UNITS_UNKNOWN;
	}
	if (t.len == 0 || decimal_scan(t.s, t.len, 1, &d) != t.len ||
	    d.mantissa_end != t.len || memchr(t.s, '.', t.len) != NULL ||
	    d.exponent != 0 || d.mantissa > LONG_MAX)
		return UNITS_BAD;
	x = d.negative ? -(long)d.mantissa : (long)d.mantissa;
	if (x < min || x > max)
		return UNITS_BAD;
	*out = x;
	return UNITS_OK;
}
