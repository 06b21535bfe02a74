/* The shortest text of a number that reads back the same.  Called by
 * json_write.c and by the records of --records; knows nothing of keys, commas
 * and files. */
#include <config.h>

#include "common/json/json_number.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DECIMALS = JSON_NUMBER_DECIMALS };

static const double powers[MAX_DECIMALS + 1] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5,
	1e6, 1e7, 1e8, 1e9 };

static unsigned
count_digits(uint64_t x)
{
	unsigned n = 1;

	for (; x >= 10000; x /= 10000)
		n += 4;
	return n + (x >= 10) + (x >= 100) + (x >= 1000);
}

/* The last n digits of x, n >= 1. */
static void
put_digits(char *to, uint64_t x, unsigned n)
{
	static const char pairs[] = "00010203040506070809"
				    "10111213141516171819"
				    "20212223242526272829"
				    "30313233343536373839"
				    "40414243444546474849"
				    "50515253545556575859"
				    "60616263646566676869"
				    "70717273747576777879"
				    "80818283848586878889"
				    "90919293949596979899";

	for (; n >= 2; n -= 2, x /= 100)
		memcpy(to + n - 2, pairs + 2 * (x % 100), 2);
	if (n == 1)
		*to = (char)('0' + x % 10);
}

/* Eight digits at once, where the machine puts the first byte lowest. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HAVE_EIGHT 1
#else
#define HAVE_EIGHT 0
#endif

enum { EIGHT = 8, BELOW_EIGHT = 100000000 };

/* The eight digits of x, less than BELOW_EIGHT, a byte each, the first of them
 * lowest: fours, then pairs, then single ones are taken apart, each by a
 * product that is x / 100 or x / 10 for all that occur. */
static inline uint64_t
eight_digits(uint64_t x)
{
	uint64_t tens;

	x = x / 10000 | x % 10000 << 32;
	tens = x * 10486 >> 20 & 0x0000007f0000007f;
	x = tens | (x - 100 * tens) << 16;
	tens = x * 103 >> 10 & 0x000f000f000f000f;
	return tens | (x - 10 * tens) << 8;
}

/* Eight such digits as text, without the first skip of them. */
static inline void
put_eight(char *to, uint64_t digits, unsigned skip)
{
	const uint64_t text = (digits | 0x3030303030303030) >> EIGHT * skip;

	memcpy(to, &text, sizeof text);
}

/* m with d decimals, d < EIGHT, 0 < m < BELOW_EIGHT, without zeros at its end;
 * two times EIGHT bytes from to on are written over.  */
static inline char *
put_short(char *to, uint64_t m, unsigned d)
{
	const uint64_t digits = eight_digits(m);
	unsigned skip = (unsigned)__builtin_ctzll(digits) / EIGHT;
	unsigned zeros = (unsigned)__builtin_clzll(digits) / EIGHT;

	if (skip > EIGHT - 1 - d)
		skip = EIGHT - 1 - d;
	put_eight(to, digits, skip);
	to += EIGHT - d - skip;
	if (zeros >= d)
		return to;
	*to++ = '.';
	put_eight(to, digits, EIGHT - d);
	return to + d - zeros;
}

char *
json_put_long(char *to, long x)
{
	const uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
	unsigned n;

	if (x < 0)
		*to++ = '-';
	if (HAVE_EIGHT && size > 0 && size < BELOW_EIGHT)
		return put_short(to, size, 0);
	n = count_digits(size);
	put_digits(to, size, n);
	return to + n;
}

/* Is size the whole number m with d decimals, to the last bit, and short enough
 * that no other number with so few digits is the same double? */
static inline int
is_decimal(double size, unsigned d, uint64_t *m)
{
	const double shifted = size * powers[d];

	if (!(shifted < 1e15))
		return 0;
	*m = (uint64_t)(shifted + 0.5);
	return !((double)*m / powers[d] < size) &&
	    !((double)*m / powers[d] > size);
}

/* m with d decimals, without zeros at their end. */
static inline char *
put_shifted(char *to, int negative, uint64_t m, unsigned d)
{
	unsigned n;

	if (negative)
		*to++ = '-';
	if (HAVE_EIGHT && d < EIGHT && m < BELOW_EIGHT)
		return put_short(to, m, d);
	for (; d > 0 && m % 10 == 0; d--)
		m /= 10;
	n = count_digits(m);
	if (d == 0) {
		put_digits(to, m, n);
		return to + n;
	}
	if (n <= d)
		n = d + 1;
	put_digits(to + 1, m, n);
	for (unsigned i = 0; i < n - d; i++)
		to[i] = to[i + 1];
	to[n - d] = '.';
	return to + n + 1;
}

char *
json_put_decimal(char *to, int negative, uint64_t digits, unsigned decimals)
{
	static const uint64_t least[MAX_DECIMALS + 1] = { 1, 1, 1, 1, 1, 10,
		100, 1000, 10000, 100000 };

	assert(decimals <= MAX_DECIMALS);
	/* Below 0.0001 printf writes an exponent. */
	return digits < least[decimals]
	    ? NULL
	    : put_shifted(to, negative, digits, decimals);
}

/* A number that someone wrote with up to 9 decimals and 15 digits in all: no
 * two such are the same double, so that the shortest of them is what printf
 * would find.  Returns NULL if x is none. */
static char *
put_decimal(char *to, double x, unsigned *decimals)
{
	const double size = fabs(x);
	unsigned d = *decimals;
	uint64_t m;

	if (!(size >= 1e-4)) /* below printf writes an exponent */
		return NULL;
	if (!is_decimal(size, d, &m)) {
		d = 0;
		while (d <= MAX_DECIMALS && !is_decimal(size, d, &m))
			d++;
		if (d > MAX_DECIMALS)
			return NULL;
		*decimals = d;
	}
	return put_shifted(to, x < 0, m, d);
}

#if defined(__SIZEOF_INT128__)

enum { FEWEST = 15, MOST = 17 /* digits of a double */ };

__extension__ typedef unsigned __int128 wide_whole;

/* x, above 0, as mantissa * 2^-halvings; 0 where it is not of that kind. */
static int
take_apart(double x, uint64_t *mantissa, int *halvings)
{
	int exponent;
	const double part = frexp(x, &exponent);

	*mantissa = (uint64_t)ldexp(part, 53);
	*halvings = 53 - exponent;
	/* Below a power of two doubles are closer than above it. */
	return *mantissa != UINT64_C(1) << 52;
}

/* Decimals with which a number from 1e-4 to 1e15 has FEWEST digits; one more or
 * less next to a power of ten. */
static int
decimals_of(double size)
{
	double power = 1;
	int d = FEWEST - 1;

	for (; power * 10 <= size && d > 0; d--)
		power *= 10;
	for (; size * (1 / power) < 1 && d < FEWEST + 3; d++)
		power /= 10;
	return d;
}

/* What printf writes for x with the fewest digits from FEWEST on that read back
 * the same, in whole numbers: of m / 2^h * 10^d, which is m * 5^d / 2^(h - d),
 * the nearest one, or the even one of two.  Half the distance to the next
 * double is 5^d / 2^(h - d + 1).  Returns NULL if x is too large or too small
 * for that. */
static char *
put_digits_of(char *to, double x)
{
	const double size = fabs(x);
	uint64_t m, five = 1, least = UINT64_C(100000000000000);
	int d, h; /* least has FEWEST digits */

	if (!(size >= 1e-4 && size < 1e15) || !take_apart(size, &m, &h))
		return NULL;
	d = decimals_of(size);
	for (int i = 0; i < d; i++)
		five *= 5;
	for (int n = FEWEST; n <= MOST; n++, d++, five *= 5, least *= 10) {
		const wide_whole all = (wide_whole)m * five;
		const int down = h - d;
		wide_whole off, unit;
		uint64_t whole;

		if (down < 2 || down > 120)
			return NULL;
		unit = (wide_whole)1 << down;
		whole = (uint64_t)(all >> down);
		off = all & (unit - 1);
		if (off > unit / 2 || (off == unit / 2 && whole % 2 == 1)) {
			whole++;
			off = unit - off;
		}
		if (whole < least || whole >= least * 10)
			return NULL;
		if (off * 2 < five || (off * 2 == five && m % 2 == 0))
			return put_shifted(to, x < 0, whole, (unsigned)d);
	}
	return NULL;
}

#else

static char *
put_digits_of(char *to, double x)
{
	(void)to, (void)x;
	return NULL;
}

#endif

char *
json_put_double(char *to, double x, unsigned *decimals)
{
	char text[JSON_DOUBLE_SIZE], *end;
	size_t len;

	assert(isfinite(x));
	if (!(fabs(x) > 0)) {
		/* "-0" would be read as a whole number, without its sign. */
		memcpy(to, "-0.0", 4);
		if (signbit(x))
			return to + 4;
		*to = '0';
		return to + 1;
	}
	end = put_decimal(to, x, decimals);
	if (end == NULL)
		end = put_digits_of(to, x);
	if (end != NULL)
		return end;
	for (int digits = 15; digits <= 17; digits++) {
		double back;

		snprintf(text, sizeof text, "%.*g", digits, x);
		back = strtod(text, NULL);
		if (memcmp(&back, &x, sizeof x) == 0)
			break;
	}
	len = strlen(text);
	memcpy(to, text, len);
	return to + len;
}

char *
json_double(char buf[JSON_DOUBLE_SIZE], double x)
{
	unsigned decimals = 0;

	*json_put_double(buf, x, &decimals) = '\0';
	return buf;
}
