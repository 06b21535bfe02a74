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

static void
decimal_digit(struct decimal *d, char c, int after_point)
{
	if (d->digits < MANTISSA_DIGITS) {
		d->mantissa = d->mantissa * 10 + (uint64_t)(c - '0');
		d->digits += d->mantissa > 0;
		d->exponent -= after_point;
	} else {
		d->dropped |= c != '0';
		d->exponent += !after_point;
	}
}

/* Read the digits at s + i. Returns their end. */
static size_t
digits_scan(
    const char *s, size_t len, size_t i, int after_point, struct decimal *d)
{
	for (; i < len && is_digit(s[i]); i++)
		decimal_digit(d, s[i], after_point);
	return i;
}

/* True if a group of three digits follows the comma at i. */
static int
is_group(const char *s, size_t len, size_t i)
{
	size_t k;

	for (k = 1; k <= 3; k++)
		if (i + k >= len || !is_digit(s[i + k]))
			return 0;
	return i + 4 >= len || !is_digit(s[i + 4]);
}

/* Read the integer digits at s + i, with groups of three if groups is not 0.
 * Returns their end. */
static size_t
whole_scan(const char *s, size_t len, size_t i, int groups, struct decimal *d)
{
	const size_t start = i;
	int grouped = 0;

	for (;; i++) {
		i = digits_scan(s, len, i, 0, d);
		if (i == len || !groups || s[i] != ',' || !is_group(s, len, i))
			break;
		if (i == start || (!grouped && i - start > 3))
			break;
		grouped = 1;
	}
	return i;
}

/* Read sign, digits and point. Returns the bytes read, 0 without a digit. */
static size_t
mantissa_scan(const char *s, size_t len, int groups, struct decimal *d)
{
	size_t i = 0, start;

	if (len > 0 && (s[0] == '-' || s[0] == '+'))
		d->negative = s[i++] == '-';
	start = i;
	i = whole_scan(s, len, i, groups, d);
	if (i < len && s[i] == '.') {
		i = digits_scan(s, len, i + 1, 1, d);
		if (i == start + 1)
			return 0; /* lone point */
	}
	return i > start ? i : 0;
}

/* Read the exponent part at s + i. Returns its end, i if there is none. */
static size_t
exponent_scan(const char *s, size_t len, size_t i, struct decimal *d)
{
	size_t k = i;
	int negative = 0, x = 0;

	if (k >= len || (s[k] != 'e' && s[k] != 'E'))
		return i;
	k++;
	if (k < len && (s[k] == '-' || s[k] == '+'))
		negative = s[k++] == '-';
	if (k >= len || !is_digit(s[k]))
		return i;
	for (; k < len && is_digit(s[k]); k++)
		if (x < EXPONENT_CAP)
			x = x * 10 + (s[k] - '0');
	d->scale = negative ? -x : x;
	d->exponent += d->scale;
	return k;
}

static size_t
decimal_scan(const char *s, size_t len, int groups, struct decimal *d)
{
	memset(d, 0, sizeof *d);
	d->mantissa_end = mantissa_scan(s, len, groups, d);
	if (d->mantissa_end == 0 || d->mantissa_end > UNITS_MAX_DIGITS)
		return 0;
	return exponent_scan(s, len, d->mantissa_end, d);
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

/* Power of ten of an SI suffix, 0 if it is not a suffix. */
static int
suffix_power(char c)
{
	switch (c) {
	case 'k':
	case 'K':
		return 3;
	case 'M':
		return 6;
	case 'G':
		return 9;
	case 'T':
		return 12;
	default:
		return 0;
	}
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
		int power = suffix_power(t.s[t.len - 1]);

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
	size_t n, i;
	long x;

	assert(min <= max);
	if (says_unknown(t)) {
		*out = LONG_MIN;
		return UNITS_UNKNOWN;
	}
	memset(&d, 0, sizeof d);
	n = mantissa_scan(t.s, t.len, 1, &d);
	for (i = 0; i < n; i++)
		if (t.s[i] == '.')
			return UNITS_BAD;
	if (n == 0 || n != t.len || d.exponent != 0 || d.mantissa > LONG_MAX)
		return UNITS_BAD;
	x = d.negative ? -(long)d.mantissa : (long)d.mantissa;
	if (x < min || x > max)
		return UNITS_BAD;
	*out = x;
	return UNITS_OK;
}
