#include <config.h>

#include "common/units/units.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/text.h"

/* len bytes at s, not NUL-terminated. */
struct text {
	const char *s;
	size_t len;
};

static int
is_digit(char c)
{
	return c >= '0' && c <= '9';
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

/* Index of the word with which t begins, ignoring case, if no letter follows
 * it; -1: none.
 *
 * words  separated by blanks, none after one that it begins with
 * len    set to the length of the word */
static int
word_at(struct text t, const char *words, size_t *len)
{
	for (int i = 0; *words != '\0'; i++) {
		const size_t n = *len = strcspn(words, " ");
		const char after = t.len > n ? t.s[n] : '\0';

		if (t.len >= n && strncasecmp(t.s, words, n) == 0 &&
		    !(after >= 'a' && after <= 'z') &&
		    !(after >= 'A' && after <= 'Z'))
			return i;
		words += n + (words[n] != '\0');
	}
	return -1;
}

/* Number of digits at the start of t. */
static size_t
digits_of(struct text t)
{
	size_t n = 0;

	while (n < t.len && is_digit(t.s[n]))
		n++;
	return n;
}

/* Length of an exponent, "e-05", at the start of s; 0 if there is none. */
static size_t
exponent_length(const char *s, size_t len)
{
	const size_t sign = len > 1 && (s[1] == '-' || s[1] == '+');
	size_t digits;

	if (len < 2 + sign || (s[0] != 'e' && s[0] != 'E'))
		return 0;
	digits = digits_of((struct text){ s + 1 + sign, len - 1 - sign });
	return digits > 0 ? 1 + sign + digits : 0;
}

/* Length of the longest number at the start of s, with groups of three if
 * groups is not 0; 0 if there is none.
 *
 * end  set to the start of its exponent, or its end */
static size_t
number_length(const char *s, size_t len, int groups, size_t *end)
{
	const size_t start = len > 0 && (s[0] == '-' || s[0] == '+');
	const char *point = NULL;
	size_t i = start;
	int grouped = 0, any = 0;

	for (; i < len; i++) {
		if (is_digit(s[i]))
			any = 1;
		else if (s[i] == '.' && point == NULL)
			point = s + i;
		else if (s[i] == ',' && groups && point == NULL && any &&
		    (grouped || i - start <= 3) &&
		    digits_of((struct text){ s + i + 1, len - i - 1 }) == 3)
			grouped = 1;
		else
			break;
	}
	*end = i;
	return any ? i + exponent_length(s + i, len - i) : 0;
}

/* Read the longest number at the start of s. Returns its length; 0 if there is
 * none or it overflows.
 *
 * Up to 15 digits and their power of ten are exact doubles, so that the
 * division rounds only once, like strtod (W. D. Clinger, "How to read floating
 * point numbers accurately", PLDI 1990). The locale is never set, so that the
 * decimal point is '.'. */
static size_t
number_read(const char *s, size_t len, int groups, double *out)
{
	static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	size_t end, digits = 0, decimals = 0, n = 0;
	const size_t all = number_length(s, len, groups, &end);
	char plain[UNITS_MAX_DIGITS + 1];
	int64_t mantissa = 0;
	double x;

	if (all == 0 || all > UNITS_MAX_DIGITS)
		return 0;
	for (size_t i = 0; i < all; i++) {
		if (s[i] != ',')
			plain[n++] = s[i];
		if (s[i] == '.')
			decimals = digits;
		if (is_digit(s[i]) && digits++ < 15)
			mantissa = mantissa * 10 + (s[i] - '0');
	}
	plain[n] = '\0';
	if (all == end && digits <= 15) {
		decimals = memchr(s, '.', all) != NULL ? digits - decimals : 0;
		x = (double)mantissa / powers[decimals];
		*out = s[0] == '-' ? -x : x;
		return all;
	}
	x = strtod(plain, NULL);
	if (isinf(x))
		return 0;
	*out = x;
	return all;
}

size_t
number_scan(const char *s, size_t len, double *out)
{
	return number_read(s, len, 0, out);
}

enum units_outcome
number_parse(const char *s, size_t len, double *out)
{
	static const char suffixes[] = "kMGTK";
	static const char unknown[] = "nan inf infinity none null n/a +nan "
				      "-nan +inf -inf +infinity -infinity -- -";
	const struct text t = text_trim((struct text){ s, len });
	char scaled[UNITS_MAX_DIGITS + 4];
	const char *suffix;
	size_t n, word;
	double x;

	n = number_read(t.s, t.len, 1, &x);
	if (n == 0 && word_at(t, unknown, &word) >= 0 && word == t.len) {
		*out = NAN;
		return UNITS_UNKNOWN;
	}
	if (n > 0 && n < t.len) {
		suffix = memchr(suffixes, t.s[t.len - 1], 5);
		if (suffix == NULL || n + 1 + (t.s[n] == ' ') != t.len)
			return UNITS_BAD;
		snprintf(scaled, sizeof scaled, "%.*se%d", (int)n, t.s,
		    3 * (int)((suffix - suffixes) % 4 + 1));
		n = number_read(scaled, strlen(scaled), 1, &x);
		n = n == strlen(scaled) ? n : 0;
	}
	if (n == 0)
		return UNITS_BAD;
	*out = x;
	return UNITS_OK;
}

enum units_outcome
whole_parse(const char *s, size_t len, long min, long max, long *out)
{
	const struct text t = text_trim((struct text){ s, len });
	char digits[UNITS_MAX_DIGITS + 1];
	size_t n = 0;
	double x;

	assert(min <= max);
	if (t.len == 0 || number_read(t.s, t.len, 1, &x) != t.len)
		return UNITS_BAD;
	for (size_t i = 0; i < t.len; i++)
		if (t.s[i] != ',')
			digits[n++] = t.s[i];
	digits[n] = '\0';
	return parse_long(digits, min, max, out) == 0 ? UNITS_OK : UNITS_BAD;
}

/* --- durations ------------------------------------------------------------ */

/* Units of time, the largest first, and seconds = number * times / per. One of
 * these is 1, so that the result is rounded only once. */
static const struct {
	const char *names;
	double times, per;
} time_units[] = {
	{ "d day days 天", 86400, 1 },
	{ "h hr hrs hour hours 小时", 3600, 1 },
	{ "m min mins minute minutes 分钟 分", 60, 1 },
	{ "s sec secs second seconds 秒", 1, 1 },
	{ "ms msec millisecond milliseconds", 1, 1e3 },
	{ "us usec microsecond microseconds \xc2\xb5s", 1, 1e6 },
	{ "ns nsec nanosecond nanoseconds", 1, 1e9 },
};

enum { N_TIME_UNITS = sizeof time_units / sizeof time_units[0] };

/* Index of the unit that t begins with, or -1.
 *
 * len  set to the length of its name */
static int
time_unit_at(struct text t, size_t *len)
{
	int i = N_TIME_UNITS - 1;

	while (i >= 0 && word_at(t, time_units[i].names, len) < 0)
		i--;
	return i;
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
		    (t.s[0] == ' ' || t.s[0] == ',' ||
			word_at(t, "and", &len) == 0))
			t = text_from(
			    t, t.s[0] == ' ' || t.s[0] == ',' ? 1 : 3);
		stop = t.s;
	}
	return (size_t)(stop - from);
}

/* "h:mm:ss", "m:ss", each with an optional fraction of the seconds, the first
 * also after "N day(s), ". */
static enum units_outcome
clock_parse(struct text t, double *seconds)
{
	double days = 0, sum = 0, x = 0;
	size_t n = digits_of(t), max = 15, word;
	struct text rest = text_trim(text_from(t, n));
	int colons;

	if (n > 0 && n <= 9 && time_unit_at(rest, &word) == 0) {
		number_scan(t.s, n, &days);
		rest = text_from(rest, word);
		t = text_trim(
		    text_from(rest, rest.len > 0 && rest.s[0] == ','));
	}
	for (colons = 0;; colons++) {
		n = digits_of(t);
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
	const struct text t = text_trim((struct text){ s, len });
	enum units_outcome outcome;
	double x, digit;
	char last;
	int n;

	if (t.len == 0 || t.len > UNITS_MAX_DIGITS)
		return UNITS_BAD;
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

/* Parts of a time stamp in digits, in the order of part_letters. */
enum stamp_part {
	YEAR,
	MONTH,
	DAY,
	HOUR,
	MINUTE,
	SECOND,
	ZONE_HOUR,
	ZONE_MINUTE,
	N_PARTS
};

static const char part_letters[] = "YmdHMSzZ";

/* A time stamp of which a part is read. */
struct stamp {
	struct text t;     /* unread rest */
	int part[N_PARTS]; /* NOT_SEEN: missing */
	double fraction;   /* of a second */
	int zone;          /* minutes east of Greenwich, or NOT_SEEN */
};

static struct stamp
stamp_of(struct text t)
{
	struct stamp p = { .t = t, .zone = NOT_SEEN };

	for (int i = 0; i < N_PARTS; i++)
		p.part[i] = NOT_SEEN;
	return p;
}

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

/* Consume a form, or nothing. 'Y' has four digits and other letters of a part
 * two, except that 'H' may have one; '_' is the end of a date. Other characters
 * stand for themselves. */
static int
take_form(struct stamp *p, const char *form)
{
	struct stamp to = *p;

	for (; *form != '\0'; form++) {
		const char one[] = { *form, '\0' };
		const char *letter = strchr(part_letters, *form);
		const size_t digits = digits_of(to.t);
		const size_t len = *form == 'Y'   ? 4
		    : *form == 'H' && digits == 1 ? 1
						  : 2;
		int n = 0;

		if (letter == NULL) {
			if (!take_one(&to, *form == '_' ? "Tt_- " : one))
				return 0;
			continue;
		}
		if (digits < len)
			return 0;
		for (size_t i = 0; i < len; i++)
			n = n * 10 + (to.t.s[i] - '0');
		to.part[letter - part_letters] = n;
		to.t = text_from(to.t, len);
	}
	*p = to;
	return 1;
}

/* Consume a date, if there is one. */
static void
take_date(struct stamp *p)
{
	static const char *const forms[] = { "Y-m-d_", "Y/m/d_", "Ymd_",
		"m/d/Y_", "m/d_", "md_" };
	size_t i = 0;

	while (i < sizeof forms / sizeof forms[0] && !take_form(p, forms[i]))
		i++;
	while (take_one(p, " "))
		;
}

/* Consume a fraction of a second after '.' or ','. */
static int
take_fraction(struct stamp *p)
{
	double x = 0, scale = 1;
	size_t n;

	if (!take_one(p, ".,"))
		return 1;
	n = digits_of(p->t);
	for (size_t i = 0; i < n; i++) {
		x = x * 10 + (p->t.s[i] - '0');
		scale *= 10;
	}
	p->fraction = x / scale;
	p->t = text_from(p->t, n);
	return n > 0 && n <= 18;
}

/* Consume "+hh:mm" or "+hhmm". */
static int
take_offset(struct stamp *p)
{
	struct stamp to = *p;
	const int sign = to.t.len > 0 && to.t.s[0] == '-' ? -1 : 1;

	if (!take_one(&to, "+-") ||
	    (!take_form(&to, "z:Z") && !take_form(&to, "zZ")) ||
	    to.part[ZONE_HOUR] > 15 || to.part[ZONE_MINUTE] > 59)
		return 0;
	to.zone = sign * (to.part[ZONE_HOUR] * 60 + to.part[ZONE_MINUTE]);
	*p = to;
	return 1;
}

/* Consume what follows the clock: blanks, an offset, or the name of a zone in
 * capitals, but neither AM nor PM. Other zones than UTC are treated as UTC,
 * since their letters are ambiguous. */
static int
take_rest(struct stamp *p)
{
	size_t n = 0;

	if (take_one(p, " ") || take_offset(p))
		return 1;
	while (n < p->t.len && p->t.s[n] >= 'A' && p->t.s[n] <= 'Z')
		n++;
	if (n == 0 || n == 2 || n > 5 || n < p->t.len || p->zone != NOT_SEEN)
		return 0;
	p->zone = 0;
	p->t = text_from(p->t, n);
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

/* Check the parts and combine them. */
static enum stamp_kind
stamp_seconds(const struct stamp *p, double *seconds)
{
	const int year =
	    p->part[YEAR] == NOT_SEEN ? YEARLESS_YEAR : p->part[YEAR];
	const int month = p->part[MONTH], day = p->part[DAY];
	long days = 0;

	if (p->part[HOUR] > 23 || p->part[MINUTE] > 59 || p->part[SECOND] > 60)
		return STAMP_BAD;
	if (month != NOT_SEEN) {
		days = days_since_1970(year, month, day);
		if (year < 1900 || month < 1 || month > 12 || day < 1 ||
		    days >= days_since_1970(year, month + 1, 1))
			return STAMP_BAD;
	}
	*seconds = p->part[HOUR] * 3600.0 + p->part[MINUTE] * 60.0 +
	    (p->part[SECOND] == NOT_SEEN ? 0 : p->part[SECOND] + p->fraction) -
	    (p->zone != NOT_SEEN ? p->zone * 60.0 : 0) + 86400.0 * (double)days;
	return month == NOT_SEEN        ? STAMP_CLOCK
	    : p->part[YEAR] == NOT_SEEN ? STAMP_YEARLESS
					: STAMP_DATE;
}

enum stamp_kind
stamp_parse(const char *s, size_t len, double *seconds)
{
	struct stamp p = stamp_of(text_trim((struct text){ s, len }));
	const size_t n = digits_of(p.t);
	const double per = n == 13 ? 1e3 : n == 16 ? 1e6 : n == 19 ? 1e9 : 1;
	double x;

	if (p.t.len == 0 || p.t.len > UNITS_MAX_DIGITS)
		return STAMP_BAD;
	/* Seconds since 1970 as a number: 9 or 10 digits and a fraction, or
	 * whole milli-, micro- or nanoseconds. */
	if (n == p.t.len || p.t.s[n] == '.') {
		if ((per < 2 && n != 9 && n != 10) ||
		    number_scan(p.t.s, p.t.len, &x) != p.t.len)
			return STAMP_BAD;
		*seconds = x / per;
		return STAMP_DATE;
	}
	take_date(&p);
	if (!take_form(&p, "H:M") ||
	    (take_form(&p, ":S") && !take_fraction(&p)) ||
	    (p.t.len > 0 && (is_digit(p.t.s[0]) || p.t.s[0] == ':')))
		return STAMP_BAD;
	while (p.t.len > 0)
		if (!take_rest(&p))
			return STAMP_BAD;
	return stamp_seconds(&p, seconds);
}

const char *
stamp_find(const char *s, size_t len, size_t *size)
{
	enum { BEFORE = sizeof "2020-10-13T12" - 1 };
	const char *colon = len > BEFORE ? s + BEFORE : NULL;

	for (; colon != NULL; colon++) {
		struct stamp p;
		double seconds;
		size_t i;

		colon = memchr(colon, ':', (size_t)(s + len - colon));
		if (colon == NULL)
			break;
		i = (size_t)(colon - s) - BEFORE;
		p = stamp_of((struct text){ s + i, len - i });
		if ((!take_form(&p, "Y-m-d") && !take_form(&p, "Y/m/d")) ||
		    !take_one(&p, "T ") || !take_form(&p, "H:M:S") ||
		    (i > 0 && is_digit(s[i - 1])))
			continue;
		if (p.t.len > 1 && is_digit(p.t.s[1]))
			take_fraction(&p);
		if (!take_one(&p, "Z"))
			take_offset(&p);
		*size = (size_t)(p.t.s - s) - i;
		if (stamp_parse(s + i, *size, &seconds) == STAMP_DATE)
			return s + i;
	}
	return NULL;
}

int
stamp_has_zone(const char *s)
{
	const char *clock = strchr(s, ':');

	return strpbrk(clock != NULL ? clock : s, "+-Z") != NULL;
}

/* --- formatting ----------------------------------------------------------- */

enum {
	NO_INTERVAL_DECIMALS = 99,
	MOST_DECIMALS = 15,
	MOST_SHARE_DECIMALS = 6,
	MOST_DIGITS = 17
};

static char *
not_available(char *buf)
{
	snprintf(buf, UNITS_TEXT_SIZE, "n/a");
	return buf;
}

/* Exponent of ten of x rounded to this many significant digits. */
static int
rounded_exponent(double x, int digits)
{
	char text[UNITS_TEXT_SIZE];

	snprintf(text, sizeof text, "%.*e", digits - 1, x);
	return (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

char *
number_format(char buf[UNITS_TEXT_SIZE], double x, int digits)
{
	int exponent;

	assert(digits >= 1 && digits <= 17);
	if (isnan(x))
		return not_available(buf);
	if (isinf(x) || !(fabs(x) > 0)) {
		snprintf(buf, UNITS_TEXT_SIZE, "%.0f", fabs(x) > 0 ? x : 0.0);
		return buf;
	}
	exponent = rounded_exponent(x, digits);
	if (exponent < -5 || exponent >= 15)
		snprintf(buf, UNITS_TEXT_SIZE, "%.*e", digits - 1, x);
	else
		snprintf(buf, UNITS_TEXT_SIZE, "%.*f",
		    digits - 1 > exponent ? digits - 1 - exponent : 0, x);
	return buf;
}

/* Format the number and its unit, separated by a blank. */
static char *
with_unit(char *buf, double x, int digits, const char *unit)
{
	const size_t len = strlen(number_format(buf, x, digits));

	snprintf(buf + len, UNITS_TEXT_SIZE - len, " %s", unit);
	return buf;
}

int
significant_decimals(double x, int digits)
{
	int decimals;

	if (!isfinite(x) || !(fabs(x) > 0))
		return digits - 1;
	decimals = digits - 1 - rounded_exponent(x, digits);
	return decimals > 0 ? decimals : 0;
}

int
interval_decimals(double low, double high)
{
	const double half = (high - low) / 2;

	return isfinite(half) && half > 0 ? significant_decimals(half, 2)
					  : NO_INTERVAL_DECIMALS;
}

/* True if x differs from the bound by more than rounding. */
static int
is_apart(double x, double bound)
{
	return isfinite(x) && isfinite(bound) &&
	    fabs(x - bound) > 1e-9 * fmax(fabs(x), fabs(bound));
}

/* True if the printed text is on the same side of the bound as x. */
static int
is_on_side(const char *text, double x, double bound)
{
	const double printed = strtod(text, NULL);

	return is_apart(printed, bound) && (printed < bound) == (x < bound);
}

int
decimals_apart(double x, double bound, int decimals)
{
	char text[UNITS_TEXT_SIZE];

	if (!is_apart(x, bound) || fabs(x) >= 1e15)
		return decimals;
	for (; decimals < MOST_DECIMALS; decimals++) {
		snprintf(text, sizeof text, "%.*f", decimals, x);
		if (is_on_side(text, x, bound))
			break;
	}
	return decimals;
}

char *
short_format_apart(
    char buf[UNITS_TEXT_SIZE], double x, double bound, int digits)
{
	snprintf(buf, UNITS_TEXT_SIZE, "%.*g", digits, x);
	while (is_apart(x, bound) && digits < MOST_DIGITS &&
	    !is_on_side(buf, x, bound))
		snprintf(buf, UNITS_TEXT_SIZE, "%.*g", ++digits, x);
	return buf;
}

char *
seconds_format(char buf[UNITS_TEXT_SIZE], double seconds)
{
	static const struct {
		double below, times;
		const char *unit;
	} small[] = { { 999.5e-9, 1e9, "ns" }, { 999.5e-6, 1e6, "us" },
		{ 999.5e-3, 1e3, "ms" }, { 59.95, 1, "s" } };
	/* Two units. Seconds are rounded to the smaller one first, so that
	 * 3599.9 s is "1 h 0 min". */
	static const struct {
		double below, each, per;
		const char *units[2];
	} large[] = { { 3599.5, 1, 60, { "min", "s" } },
		{ 86400 - 30, 60, 60, { "h", "min" } },
		{ HUGE_VAL, 3600, 24, { "d", "h" } } };
	double s = fabs(seconds);
	size_t i = 0;

	if (isnan(seconds))
		return not_available(buf);
	if (s >= 1e15 || !(s > 0))
		return with_unit(buf, seconds, 3, "s");
	for (; i < sizeof small / sizeof small[0]; i++)
		if (s < small[i].below)
			return with_unit(
			    buf, seconds * small[i].times, 3, small[i].unit);
	for (i = 0; s >= large[i].below; i++)
		;
	s = round(s / large[i].each);
	snprintf(buf, UNITS_TEXT_SIZE, "%s%.0f %s %.0f %s",
	    seconds < 0 ? "-" : "", floor(s / large[i].per), large[i].units[0],
	    fmod(s, large[i].per), large[i].units[1]);
	return buf;
}

char *
percent_format(char buf[UNITS_TEXT_SIZE], double share, int decimals)
{
	if (isnan(share))
		return not_available(buf);
	snprintf(buf, UNITS_TEXT_SIZE, "%.*f %%",
	    decimals < MOST_SHARE_DECIMALS ? decimals : MOST_SHARE_DECIMALS,
	    share * 100);
	return buf;
}

/* --- values of options ---------------------------------------------------- */

int
share_parse(const char *option, const char *text, double *out, struct error *e)
{
	const size_t n = number_scan(text, strlen(text), out);
	const int percent = n > 0 && text[n] == '%';

	if (n == 0 || text[n + (size_t)percent] != '\0' || *out < 0 ||
	    (percent ? *out > 100 : *out >= 1))
		return error_set(e, ERROR_USAGE,
		    "--%s: '%s' is not a share such as 2%% or 0.02", option,
		    text);
	if (percent)
		*out /= 100;
	return 0;
}

int
link_rate_parse(const char *text, double *bit_per_s)
{
	static const struct {
		const char *unit;
		double bits;
	} units[] = { { "kbit/s", 1e3 }, { "Mbit/s", 1e6 }, { "Gbit/s", 1e9 },
		{ "GB/s", 8e9 } };

	double x;
	const size_t n = number_scan(text, strlen(text), &x);
	const char *unit = text + n + strspn(text + n, " ");

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (n > 0 && x >= 1e-9 && x <= 1e15 &&
		    strcmp(unit, units[i].unit) == 0) {
			*bit_per_s = x * units[i].bits;
			return 0;
		}
	return -1;
}
