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

static int
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Number of digits at the start of s. */
static size_t
digits_of(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && is_digit(s[n]))
		n++;
	return n;
}

/* Read an exponent, "e-05", at the start of s. Returns its length; 0 if there
 * is none. Powers above 1000 become 1000. */
static size_t
exponent_read(const char *s, size_t len, int *power)
{
	const size_t from = len > 1 && (s[1] == '-' || s[1] == '+') ? 2 : 1;
	size_t i = from;
	int x = 0;

	*power = 0;
	if (len <= from || (s[0] != 'e' && s[0] != 'E'))
		return 0;
	for (; i < len && is_digit(s[i]); i++)
		x = x < 100 ? 10 * x + (s[i] - '0') : 1000;
	*power = s[1] == '-' ? -x : x;
	return i > from ? i : 0;
}

/* Read a number by strtod, without its commas. Returns 0 if it overflows. */
static size_t
long_number_read(const char *s, size_t len, double *out)
{
	char plain[UNITS_MAX_DIGITS + 1];
	size_t n = 0;
	double x;

	if (len > UNITS_MAX_DIGITS)
		return 0;
	for (size_t i = 0; i < len; i++)
		if (s[i] != ',')
			plain[n++] = s[i];
	plain[n] = '\0';
	x = strtod(plain, NULL);
	if (isinf(x))
		return 0;
	*out = x;
	return len;
}

/* Read the longest number at the start of s, with groups of three if groups is
 * not 0. Returns its length; 0 if there is none or it overflows.
 *
 * Up to 15 digits and powers of ten up to 1e22 are exact doubles, so that their
 * product or ratio rounds only once, like strtod (W. D. Clinger, "How to read
 * floating point numbers accurately", PLDI 1990). The locale is never set, so
 * that the decimal point is '.'. */
static size_t
number_read(const char *s, size_t len, int groups, double *out)
{
	static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
		1e19, 1e20, 1e21, 1e22 };
	const size_t sign = len > 0 && (s[0] == '-' || s[0] == '+');
	size_t i = sign, digits = 0, decimals = 0, exponent;
	int64_t mantissa = 0;
	int point = 0, grouped = 0, power;
	double x;

	for (; i < len; i++) {
		if (is_digit(s[i])) {
			if (digits++ < 15)
				mantissa = mantissa * 10 + (s[i] - '0');
			decimals += (size_t)point;
		} else if (s[i] == '.' && !point) {
			point = 1;
		} else if (s[i] == ',' && groups && !point && digits > 0 &&
		    (grouped || i - sign <= 3) &&
		    digits_of(s + i + 1, len - i - 1) == 3) {
			grouped = 1;
		} else {
			break;
		}
	}
	if (digits == 0)
		return 0;
	exponent = exponent_read(s + i, len - i, &power);
	power -= (int)decimals;
	if (digits > 15 || abs(power) > 22)
		return long_number_read(s, i + exponent, out);
	x = power < 0 ? (double)mantissa / powers[-power]
		      : (double)mantissa * powers[power];
	*out = s[0] == '-' ? -x : x;
	return i + exponent;
}

size_t
number_scan(const char *s, size_t len, double *out)
{
	return number_read(s, len, 0, out);
}

/* True if the text means that a number is unknown. */
static int
is_unknown(const char *s, size_t len)
{
	static const char *const words[] = { "nan", "inf", "infinity", "none",
		"null", "n/a", "+nan", "-nan", "+inf", "-inf", "+infinity",
		"-infinity", "--", "-" };
	size_t i = 0;

	while (i < sizeof words / sizeof words[0] &&
	    (strlen(words[i]) != len || strncasecmp(s, words[i], len) != 0))
		i++;
	return i < sizeof words / sizeof words[0];
}

enum units_outcome
number_parse(const char *s, size_t len, double *out)
{
	static const char suffixes[] = "kMGTK";
	const struct text_span t = span_trim((struct text_span){ s, s + len });
	char scaled[UNITS_MAX_DIGITS + 4];
	const char *suffix;
	size_t n;
	double x;

	len = (size_t)(t.end - t.s);
	n = number_read(t.s, len, 1, &x);
	if (n == 0 && is_unknown(t.s, len)) {
		*out = NAN;
		return UNITS_UNKNOWN;
	}
	if (n > 0 && n < len) {
		suffix = memchr(suffixes, t.end[-1], 5);
		if (suffix == NULL || n + 1 + (t.s[n] == ' ') != len)
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
	const struct text_span t = span_trim((struct text_span){ s, s + len });
	char digits[UNITS_MAX_DIGITS + 1];
	size_t n = 0;
	double x;

	assert(min <= max);
	len = (size_t)(t.end - t.s);
	if (len == 0 || number_read(t.s, len, 1, &x) != len)
		return UNITS_BAD;
	for (size_t i = 0; i < len; i++)
		if (t.s[i] != ',')
			digits[n++] = t.s[i];
	digits[n] = '\0';
	return parse_long(digits, min, max, out) == 0 ? UNITS_OK : UNITS_BAD;
}

/* --- formatting ----------------------------------------------------------- */

enum {
	NO_INTERVAL_DECIMALS = 99,
	MOST_DECIMALS = 15,
	MOST_SHARE_DECIMALS = 6,
	MOST_DIGITS = 17
};

/* Exponent of ten of x rounded to this many significant digits. */
static int
rounded_exponent(double x, int digits)
{
	char text[UNITS_TEXT_SIZE];

	snprintf(text, sizeof text, "%.*e", digits - 1, x);
	return (int)strtol(strchr(text, 'e') + 1, NULL, 10);
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

char *
number_format(char buf[UNITS_TEXT_SIZE], double x, int digits)
{
	int exponent;

	assert(digits >= 1 && digits <= 17);
	if (isnan(x)) {
		snprintf(buf, UNITS_TEXT_SIZE, "n/a");
		return buf;
	}
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
	/* A small duration, times its scale, has one unit. A larger one has two
	 * and is divided and rounded to the smaller one first, so that 3599.9 s
	 * is "1 h 0 min". */
	static const struct {
		double below, scale, per;
		const char *unit, *larger;
	} rows[] = { { 999.5e-9, 1e9, 0, "ns", NULL },
		{ 999.5e-6, 1e6, 0, "us", NULL },
		{ 999.5e-3, 1e3, 0, "ms", NULL }, { 59.95, 1, 0, "s", NULL },
		{ 3599.5, 1, 60, "s", "min" },
		{ 86400 - 30, 60, 60, "min", "h" },
		{ 1e15, 3600, 24, "h", "d" }, { INFINITY, 1, 0, "s", NULL } };
	double s = fabs(seconds);
	size_t i = s > 0 ? 0 : 3, len;

	if (isnan(seconds))
		return number_format(buf, seconds, 3);
	while (s >= rows[i].below && rows[i].below < INFINITY)
		i++;
	if (rows[i].larger == NULL) {
		len = strlen(number_format(buf, seconds * rows[i].scale, 3));
		snprintf(buf + len, UNITS_TEXT_SIZE - len, " %s", rows[i].unit);
		return buf;
	}
	s = round(s / rows[i].scale);
	snprintf(buf, UNITS_TEXT_SIZE, "%s%.0f %s %.0f %s",
	    seconds < 0 ? "-" : "", floor(s / rows[i].per), rows[i].larger,
	    fmod(s, rows[i].per), rows[i].unit);
	return buf;
}

char *
percent_format(char buf[UNITS_TEXT_SIZE], double share, int decimals)
{
	if (isnan(share))
		return number_format(buf, share, 3);
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
