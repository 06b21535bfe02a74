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

/* A decimal number taken apart: mantissa * 10^exponent. */
struct decimal {
	uint64_t mantissa;
	int digits;   /* that went into mantissa, leading zeros not counted */
	int dropped;  /* 1: digits after the 19th were dropped */
	int exponent; /* of ten, decimal point and exponent part together */
	int negative;
	size_t mantissa_end; /* where an exponent part would start */
	int scale;           /* the exponent part alone */
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

/* Does the text stand for "no number"? */
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

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/* Digits of x < 10^8; 0 of 0. */
static int
decimal_width(uint64_t x)
{
	return (x >= 1) + (x >= 10) + (x >= 100) + (x >= 1000) + (x >= 10000) +
	    (x >= 100000) + (x >= 1000000) + (x >= 10000000);
}

/* Add the next eight bytes from s on, if all are digits for which the mantissa
 * has room.  Pairs, then fours, then eights are put together.  Source: Lemire
 * 2018, "Quickly parsing eight digits".
 *
 * Returns 1 if they were added. */
static int
decimal_eight(struct decimal *d, const char *s, int after_point)
{
	uint64_t x;

	if (d->digits + 8 > MANTISSA_DIGITS)
		return 0;
	memcpy(&x, s, sizeof x);
	if (((x & 0xf0f0f0f0f0f0f0f0u) |
		((x + 0x0606060606060606u) & 0xf0f0f0f0f0f0f0f0u) >> 4) !=
	    0x3333333333333333u)
		return 0;
	x = (x & 0x0f0f0f0f0f0f0f0fu) * 2561 >> 8;
	x = (x & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
	x = (x & 0x0000ffff0000ffffu) * 42949672960001 >> 32;
	d->digits += d->mantissa > 0 ? 8 : decimal_width(x);
	d->mantissa = d->mantissa * 100000000 + x;
	d->exponent -= 8 * after_point;
	return 1;
}

#else

static int
decimal_eight(struct decimal *d, const char *s, int after_point)
{
	(void)d, (void)s, (void)after_point;
	return 0;
}

#endif

/* The digits at s + i.  Returns where they end. */
static size_t
digits_scan(
    const char *s, size_t len, size_t i, int after_point, struct decimal *d)
{
	while (len - i >= 8 && decimal_eight(d, s + i, after_point))
		i += 8;
	for (; i < len && is_digit(s[i]); i++)
		decimal_digit(d, s[i], after_point);
	return i;
}

/* Is there a group of three digits after the comma at i? */
static int
is_group(const char *s, size_t len, size_t i)
{
	size_t k;

	for (k = 1; k <= 3; k++)
		if (i + k >= len || !is_digit(s[i + k]))
			return 0;
	return i + 4 >= len || !is_digit(s[i + 4]);
}

/* The whole digits at s + i, with groups of three where groups is not 0.
 * Returns where they end. */
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

/* Sign, digits and point.  Returns the bytes read, 0 without a digit. */
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
			return 0; /* a lone point */
	}
	return i > start ? i : 0;
}

/* An exponent part at s + i.  Returns where it ends: i if there is none. */
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

/* strtod of the mantissa without its groups, and the exponent.  The locale is
 * never set, so the decimal point is a point. */
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

#if LDBL_MANT_DIG == 64 && (defined(__x86_64__) || defined(__i386__))

enum { WIDE_EXPONENT = 27 }; /* 5^27 < 2^63: the power is exact */

/* The nearest double by way of 64 bits: mantissa and power are exact in them,
 * so the quotient or product is off by half a unit of the 64th bit at most.
 * Only where the 11 bits after the double's are that near to a half could the
 * second rounding go the other way.
 *
 * Returns 0; -1 if it is so, or the number is out of reach. */
static int
decimal_wide(const struct decimal *d, double *out)
{
	static const long double powers[] = { 1e0L, 1e1L, 1e2L, 1e3L, 1e4L,
		1e5L, 1e6L, 1e7L, 1e8L, 1e9L, 1e10L, 1e11L, 1e12L, 1e13L, 1e14L,
		1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L,
		1e24L, 1e25L, 1e26L, 1e27L };
	long double x = (long double)d->mantissa;
	uint64_t bits;

	if (d->dropped || d->exponent < -WIDE_EXPONENT ||
	    d->exponent > WIDE_EXPONENT)
		return -1;
	if (d->exponent < 0)
		x /= powers[-d->exponent];
	else
		x *= powers[d->exponent];
	memcpy(&bits, &x, sizeof bits);
	bits &= 0x7ff;
	if (bits >= 0x3ff && bits <= 0x401)
		return -1;
	*out = (double)(d->negative ? -x : x);
	return 0;
}

#else

static int
decimal_wide(const struct decimal *d, double *out)
{
	(void)d, (void)out;
	return -1;
}

#endif

/* The nearest double.  Up to 2^53 and up to 1e22 both factors are exact, so
 * that the one multiplication or division rounds once, as strtod does (W. D.
 * Clinger, "How to read floating point numbers accurately", PLDI 1990). */
static double
decimal_double(const struct decimal *d, const char *s)
{
	static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
		1e19, 1e20, 1e21, 1e22 };
	double x;

	if (FLT_EVAL_METHOD != 0 || d->dropped || d->exponent < -22 ||
	    d->exponent > 22 || d->mantissa > (UINT64_C(1) << 53))
		return decimal_wide(d, &x) == 0 ? x : decimal_slow(d, s);
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

/* The power of ten that an SI suffix stands for, 0 if it is none. */
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
