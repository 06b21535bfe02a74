#include <config.h>

#include "common/units/units.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* len bytes at s, not NUL-terminated. */
struct text {
	const char *s;
	size_t len;
};

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

static int
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static struct text
text_from(struct text t, size_t i)
{
	return (struct text){ t.s + i, t.len - i };
}

/* t without leading and trailing spaces and tabs. */
static struct text
text_trim(struct text t)
{
	while (t.len > 0 && (t.s[0] == ' ' || t.s[0] == '\t'))
		t = text_from(t, 1);
	while (t.len > 0 && (t.s[t.len - 1] == ' ' || t.s[t.len - 1] == '\t'))
		t.len--;
	return t;
}

/* True if t is one of the words, ignoring case.
 *
 * words  NULL-terminated */
static int
text_is_one_of(struct text t, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strlen(*words) == t.len &&
		    strncasecmp(t.s, *words, t.len) == 0)
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

/* --- durations ------------------------------------------------------------ */

/* Unit of time: its names, and seconds = number * times / per. One of these is
 * 1, so that the result is rounded only once. */
struct time_unit {
	const char *names[7];
	double times, per;
};

/* Largest first: parts must come in this order. */
static const struct time_unit time_units[] = {
	{ { "d", "day", "days", "天" }, 86400, 1 },
	{ { "h", "hr", "hrs", "hour", "hours", "小时" }, 3600, 1 },
	{ { "m", "min", "mins", "minute", "minutes", "分钟", "分" }, 60, 1 },
	{ { "s", "sec", "secs", "second", "seconds", "秒" }, 1, 1 },
	{ { "ms", "msec", "millisecond", "milliseconds" }, 1, 1e3 },
	{ { "us", "usec", "microsecond", "microseconds", "\xc2\xb5s" }, 1,
	    1e6 },
	{ { "ns", "nsec", "nanosecond", "nanoseconds" }, 1, 1e9 },
};

enum {
	N_TIME_UNITS = sizeof time_units / sizeof time_units[0],
	N_NAMES = sizeof time_units[0].names / sizeof time_units[0].names[0]
};

/* True if t begins with this word, ignoring case. */
static int
begins_with(struct text t, const char *word)
{
	const size_t n = strlen(word);

	return t.len >= n && (t.len == n || !is_letter(t.s[n])) &&
	    strncasecmp(t.s, word, n) == 0;
}

/* Index of the unit that t begins with, or -1.
 *
 * len  set to the length of its name */
static int
time_unit_at(struct text t, size_t *len)
{
	for (int i = 0; i < N_TIME_UNITS; i++)
		for (int k = 0; k < N_NAMES; k++) {
			const char *name = time_units[i].names[k];

			if (name == NULL || !begins_with(t, name))
				continue;
			*len = strlen(name);
			return i;
		}
	return -1;
}

/* Number of digits, or letters, at the start of t. */
static size_t
length_of(struct text t, int (*is_of)(char))
{
	size_t n = 0;

	while (n < t.len && is_of(t.s[n]))
		n++;
	return n;
}

/* Value of the last digit of a number. */
static double
last_digit(const char *s, size_t len)
{
	const char *point = memchr(s, '.', len);

	return point != NULL ? pow(10, (double)(point + 1 - s) - (double)len)
			     : 1;
}

/* Read the parts at the start of t, "1 hour, 18 minutes and 52.65 seconds",
 * "0m0.455s", "1.00h". Returns the bytes read.
 *
 * digit  value of the last digit in seconds
 * n      number of parts */
static size_t
parts_scan(struct text t, double *seconds, double *digit, int *n)
{
	const char *from = t.s, *stop = t.s;
	int last = -1, unit;
	size_t len;
	double x;

	*seconds = *n = 0;
	while (t.len > 0 && t.s[0] != '-' && t.s[0] != '+' &&
	    (len = number_scan(t.s, t.len, &x)) > 0) {
		*digit = last_digit(t.s, len);
		t = text_trim(text_from(t, len));
		unit = time_unit_at(t, &len);
		if (unit <= last)
			break;
		*seconds += x * time_units[unit].times / time_units[unit].per;
		*digit *= time_units[unit].times / time_units[unit].per;
		last = unit;
		++*n;
		t = text_from(t, len);
		/* Separators between two parts: spaces, commas, "and". */
		while (t.len > 0 &&
		    (t.s[0] == ' ' || t.s[0] == ',' || begins_with(t, "and")))
			t = text_from(t, t.s[0] == 'a' ? 3 : 1);
		stop = t.s;
	}
	return (size_t)(stop - from);
}

/* "N day(s), " or Slurm's "N-" before h:mm:ss: sets days and returns the rest;
 * t itself without such a prefix. */
static struct text
days_skip(struct text t, double *days)
{
	const size_t n = length_of(t, is_digit);
	struct text rest;
	size_t word;

	*days = 0;
	if (n == 0 || n > 9 || n >= t.len)
		return t;
	if (t.s[n] == '-') {
		number_scan(t.s, n, days);
		return text_from(t, n + 1);
	}
	rest = text_trim(text_from(t, n));
	if (time_unit_at(rest, &word) != 0)
		return t;
	number_scan(t.s, n, days);
	rest = text_from(rest, word);
	return text_trim(text_from(rest, rest.len > 0 && rest.s[0] == ','));
}

/* "h:mm:ss", "m:ss", each with an optional fraction of the seconds. */
static enum units_outcome
clock_parse(struct text t, double *seconds)
{
	double days, sum = 0, x;
	size_t n, max = 15;
	int colons;

	t = days_skip(t, &days);
	for (colons = 0;; colons++) {
		n = length_of(t, is_digit);
		if (n == 0 || n > max || n == t.len || t.s[n] != ':')
			break;
		number_scan(t.s, n, &x);
		if (colons == 2 || (colons > 0 && x >= 60))
			return UNITS_BAD;
		sum = (sum + x) * 60;
		max = 2;
		t = text_from(t, n + 1);
	}
	/* Reject signs and exponents: only digits and a point, starting with a
	 * digit. */
	if (n == 0 || n > max || colons == 0 ||
	    memchr(t.s, 'e', t.len) != NULL || memchr(t.s, 'E', t.len) != NULL)
		return UNITS_BAD;
	if (number_scan(t.s, t.len, &x) != t.len || x > 60)
		return UNITS_BAD;
	*seconds = days * 86400 + sum + x;
	return UNITS_OK;
}

size_t
duration_scan(const char *s, double *seconds, double *digit)
{
	const size_t clock = strspn(s, "0123456789.:");
	size_t len;
	int n;

	if (memchr(s, ':', clock) != NULL &&
	    clock_parse((struct text){ s, clock }, seconds) == UNITS_OK) {
		*digit = last_digit(s, clock);
		return clock;
	}
	len = parts_scan((struct text){ s, strlen(s) }, seconds, digit, &n);
	while (len > 0 && (s[len - 1] == ' ' || s[len - 1] == ','))
		len--;
	return n > 1 ? len : 0;
}

enum units_outcome
duration_parse(const char *s, size_t len, double *seconds)
{
	static const char *const unknown[] = { "?", "??", "-:--", "--:--",
		"-:--:--", "--:--:--", NULL };
	const struct text t = text_trim((struct text){ s, len });
	enum units_outcome outcome;
	double x, digit;
	char last;
	int n;

	if (t.len == 0 || t.len > UNITS_MAX_DIGITS)
		return UNITS_BAD;
	if (text_is_one_of(t, unknown)) {
		*seconds = NAN;
		return UNITS_UNKNOWN;
	}
	if (memchr(t.s, ':', t.len) != NULL)
		return clock_parse(t, seconds);
	last = t.s[t.len - 1];
	if (number_scan(t.s, t.len, &x) == 0 || is_digit(last) || last == '.') {
		outcome = number_parse(t.s, t.len, &x);
		if (outcome == UNITS_BAD || x < 0)
			return UNITS_BAD;
		*seconds = x;
		return outcome;
	}
	if (parts_scan(t, &x, &digit, &n) != t.len || isinf(x))
		return UNITS_BAD;
	*seconds = x;
	return UNITS_OK;
}

/* --- time stamps ---------------------------------------------------------- */

enum { YEARLESS_YEAR = 1972, NOT_SEEN = -1 };

/* Parser state of a time stamp; NOT_SEEN for missing parts. */
struct stamp {
	struct text t; /* unread rest */
	int year, month, day;
	int hour, minute;
	double second;
	int afternoon; /* 1: "PM", 0: "AM" */
	int zone;      /* minutes east of Greenwich */
};

/* Consume one of these characters. Returns 0 if the next byte is another. */
static int
take_one(struct stamp *p, const char *characters)
{
	if (p->t.len == 0 ||
	    memchr(characters, p->t.s[0], strlen(characters)) == NULL)
		return 0;
	p->t = text_from(p->t, 1);
	return 1;
}

/* Consume a number of exactly n digits (at most 9). */
static int
take_digits(struct stamp *p, size_t n, int *out)
{
	if (n == 0 || n > 9 || length_of(p->t, is_digit) < n)
		return 0;
	*out = 0;
	for (size_t i = 0; i < n; i++)
		*out = *out * 10 + (p->t.s[i] - '0');
	p->t = text_from(p->t, n);
	return 1;
}

/* Consume parts of a date: 'Y' has four digits, 'm' and 'd' have two; other
 * characters stand for themselves. */
static int
take_parts(struct stamp *p, const char *format)
{
	for (; *format != '\0'; format++) {
		const char one[] = { *format, '\0' };
		int *part = *format == 'Y' ? &p->year
		    : *format == 'm'       ? &p->month
		    : *format == 'd'       ? &p->day
					   : NULL;

		if (part == NULL
			? !take_one(p, one)
			: !take_digits(p, *format == 'Y' ? 4 : 2, part))
			return 0;
	}
	return 1;
}

/* Consume a date of digits and the separator before the clock. */
static int
take_date(struct stamp *p)
{
	static const char *const formats[] = { "Y-m-d", "Y/m/d", "Ymd", "m/d/Y",
		"m/d", "md" };

	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		struct stamp after = *p;

		if (!take_parts(&after, formats[i]) ||
		    !take_one(&after, "Tt_- "))
			continue;
		*p = after;
		return 1;
	}
	return 0;
}

/* Consume a fraction after '.' or ',' and add it to second. */
static int
take_fraction(struct stamp *p)
{
	double x = 0, scale = 1;
	size_t n;

	if (!take_one(p, ".,"))
		return 1;
	n = length_of(p->t, is_digit);
	for (size_t i = 0; i < n; i++) {
		x = x * 10 + (p->t.s[i] - '0');
		scale *= 10;
	}
	p->second += x / scale;
	p->t = text_from(p->t, n);
	return n > 0 && n <= 18;
}

/* "12:34:56.789", seconds optional. */
static int
take_clock(struct stamp *p)
{
	int second = 0;

	if (!take_digits(p, length_of(p->t, is_digit) == 1 ? 1 : 2, &p->hour) ||
	    !take_one(p, ":") || !take_digits(p, 2, &p->minute))
		return 0;
	if (take_one(p, ":")) {
		if (!take_digits(p, 2, &second))
			return 0;
		p->second = second;
		if (!take_fraction(p))
			return 0;
	}
	return p->hour < 24 && p->minute < 60 && second <= 60 &&
	    length_of(p->t, is_digit) == 0;
}

/* Minutes from "+hh:mm", "+hhmm" or "+hh". */
static int
take_offset(struct stamp *p)
{
	const int sign = p->t.s[0] == '-' ? -1 : 1;
	int hours, minutes = 0;

	p->t = text_from(p->t, 1);
	if (!take_digits(p, 2, &hours))
		return 0;
	if ((take_one(p, ":") || length_of(p->t, is_digit) > 0) &&
	    !take_digits(p, 2, &minutes))
		return 0;
	p->zone = sign * (hours * 60 + minutes);
	return hours <= 15 && minutes <= 59;
}

/* Index in names of the word of n letters at the start of t, or -1. */
static int
name_index(struct text t, size_t n, const char *names)
{
	for (int i = 0; names[4 * i] != '\0'; i++)
		if (strcspn(names + 4 * i, " ") == n &&
		    strncasecmp(names + 4 * i, t.s, n) == 0)
			return i;
	return -1;
}

/* Consume a word: weekday, month, AM, PM, or a zone in capitals. Other zones
 * than UTC are treated as UTC, since their letters are ambiguous. */
static int
take_word(struct stamp *p)
{
	const struct text word = p->t;
	const size_t n = length_of(word, is_letter);
	const int month = name_index(
	    word, n, "jan feb mar apr may jun jul aug sep oct nov dec ");
	const int half = name_index(word, n, "am  pm  ");

	p->t = text_from(word, n);
	if (month >= 0 && p->month == NOT_SEEN) {
		p->month = month + 1;
	} else if (half >= 0 && p->afternoon == NOT_SEEN) {
		p->afternoon = half;
	} else if (p->hour == NOT_SEEN) {
		take_one(p, ",");
		return name_index(word, n, "mon tue wed thu fri sat sun ") >= 0;
	} else {
		for (size_t i = 0; i < n; i++)
			if (word.s[i] > 'Z')
				return 0;
		if (p->zone != NOT_SEEN || n == 0 || n > 5)
			return 0;
		p->zone = 0;
	}
	return 1;
}

/* Consume a date, clock, year, day of the month, zone or word. */
static int
take_token(struct stamp *p)
{
	const size_t n = length_of(p->t, is_digit);

	if (n == 0)
		return p->hour != NOT_SEEN &&
			(p->t.s[0] == '+' || p->t.s[0] == '-')
		    ? take_offset(p)
		    : take_word(p);
	if (p->t.len > n && p->t.s[n] == ':')
		return p->hour == NOT_SEEN && take_clock(p);
	if (p->month == NOT_SEEN && p->day == NOT_SEEN && p->hour == NOT_SEEN &&
	    take_date(p))
		return 1;
	if (n == 4 && p->year == NOT_SEEN && p->month != NOT_SEEN)
		return take_parts(p, "Y");
	if (n > 2 || p->day != NOT_SEEN || !take_digits(p, n, &p->day))
		return 0;
	take_one(p, ",");
	return 1;
}

/* Gregorian days since 1970-01-01. Years begin in March, so that the leap day
 * is the last one. month may be 13. */
static long
days_since_1970(int year, int month, int day)
{
	const long y = month > 2 ? year : year - 1;
	const long months = month > 2 ? month - 3 : month + 9;

	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * months + 2) / 5 +
	    day - 1 - 719468;
}

/* Seconds since 1970 as a number: 9 or 10 digits and a fraction, or whole
 * milli-, micro- or nanoseconds. */
static enum stamp_kind
epoch_parse(struct stamp *p, size_t digits, double *seconds)
{
	const double per = digits == 13 ? 1e3
	    : digits == 16              ? 1e6
	    : digits == 19              ? 1e9
					: 1;
	double x;

	if ((per < 2 && digits != 9 && digits != 10) ||
	    number_scan(p->t.s, p->t.len, &x) != p->t.len)
		return STAMP_BAD;
	*seconds = x / per;
	return STAMP_DATE;
}

/* Check the parts and combine them. */
static enum stamp_kind
stamp_seconds(struct stamp *p, double *seconds)
{
	const int yearless = p->year == NOT_SEEN;
	double x = 0;

	if (p->hour == NOT_SEEN ||
	    (p->month == NOT_SEEN) != (p->day == NOT_SEEN))
		return STAMP_BAD;
	if (p->afternoon != NOT_SEEN) {
		if (p->hour < 1 || p->hour > 12)
			return STAMP_BAD;
		p->hour = p->hour % 12 + 12 * p->afternoon;
	}
	if (p->month != NOT_SEEN) {
		const int y = yearless ? YEARLESS_YEAR : p->year;
		const long days = days_since_1970(y, p->month, p->day);

		if (y < 1900 || p->month < 1 || p->month > 12 || p->day < 1 ||
		    days >= days_since_1970(y, p->month + 1, 1))
			return STAMP_BAD;
		x = 86400.0 * (double)days;
	}
	*seconds = p->hour * 3600.0 + p->minute * 60.0 + p->second -
	    (p->zone != NOT_SEEN ? p->zone * 60.0 : 0) + x;
	return p->month == NOT_SEEN ? STAMP_CLOCK
	    : yearless              ? STAMP_YEARLESS
				    : STAMP_DATE;
}

enum stamp_kind
stamp_parse(const char *s, size_t len, double *seconds)
{
	struct stamp p = { text_trim((struct text){ s, len }), NOT_SEEN,
		NOT_SEEN, NOT_SEEN, NOT_SEEN, NOT_SEEN, 0, NOT_SEEN, NOT_SEEN };
	const size_t n = length_of(p.t, is_digit);

	if (p.t.len == 0 || p.t.len > UNITS_MAX_DIGITS)
		return STAMP_BAD;
	if (n == p.t.len || p.t.s[n] == '.')
		return epoch_parse(&p, n, seconds);
	while (p.t.len > 0)
		if (!take_one(&p, " ") && !take_token(&p))
			return STAMP_BAD;
	return stamp_seconds(&p, seconds);
}

/* Length of the start of a text in which each '0' of the form is a digit, 'T' a
 * "T" or blank, '-' a "-" or "/", and ':' itself; 0 if it differs. */
static size_t
form_length(const char *s, size_t len, const char *form)
{
	const size_t n = strlen(form);

	for (size_t i = 0; i < n; i++)
		if (i >= len ||
		    !(form[i] == '0'         ? is_digit(s[i])
			    : form[i] == 'T' ? s[i] == 'T' || s[i] == ' '
			    : form[i] == '-' ? s[i] == '-' || s[i] == '/'
					     : s[i] == ':'))
			return 0;
	return n;
}

/* Length of the zone at the start of a text, or 0. */
static size_t
zone_length(const char *s, size_t len)
{
	size_t n;

	if (len > 0 && s[0] == 'Z')
		return 1;
	if (len == 0 || (s[0] != '+' && s[0] != '-'))
		return 0;
	n = form_length(s + 1, len - 1, "00:00");
	if (n == 0)
		n = form_length(s + 1, len - 1, "0000");
	return n > 0 ? n + 1 : 0;
}

const char *
stamp_find(const char *s, size_t len, size_t *size)
{
	static const char form[] = "0000-00-00T00:00:00";
	const size_t before = strcspn(form, ":");
	const char *colon = len > before ? s + before : NULL;

	for (; colon != NULL; colon++) {
		size_t i, n;
		double seconds;

		colon = memchr(colon, ':', (size_t)(s + len - colon));
		if (colon == NULL)
			break;
		i = (size_t)(colon - s) - before;
		n = form_length(s + i, len - i, form);
		if (n == 0 || (i > 0 && is_digit(s[i - 1])))
			continue;
		if (i + n + 1 < len && (s[i + n] == '.' || s[i + n] == ',') &&
		    is_digit(s[i + n + 1]))
			for (n++; i + n < len && is_digit(s[i + n]);)
				n++;
		n += zone_length(s + i + n, len - i - n);
		if (stamp_parse(s + i, n, &seconds) != STAMP_DATE)
			continue;
		*size = n;
		return s + i;
	}
	return NULL;
}

int
stamp_has_zone(const char *s)
{
	const size_t len = strlen(s);

	for (size_t n = 1; n <= 6 && n <= len; n++)
		if (zone_length(s + len - n, n) == n)
			return 1;
	return 0;
}
