#include <config.h>

#include "common/units/units.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	int decimals;

	if (!isfinite(half) || !(half > 0))
		return NO_INTERVAL_DECIMALS;
	decimals = 1 - rounded_exponent(half, 2);
	return decimals > 0 ? decimals : 0;
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
number_format_apart(
    char buf[UNITS_TEXT_SIZE], double x, double bound, int digits)
{
	number_format(buf, x, digits);
	while (is_apart(x, bound) && digits < MOST_DIGITS &&
	    !is_on_side(buf, x, bound))
		number_format(buf, x, ++digits);
	return buf;
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
bytes_format(char buf[UNITS_TEXT_SIZE], double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB",
		"PiB" };
	int i = 0;

	if (isnan(bytes))
		return not_available(buf);
	/* 1023.5 and above would be printed as 1024. */
	for (; fabs(bytes) >= 1023.5 && i < 5; i++)
		bytes /= 1024;
	if (i == 0) {
		snprintf(buf, UNITS_TEXT_SIZE, "%.0f B", bytes);
		return buf;
	}
	return with_unit(buf, bytes, 3, units[i]);
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
	assert(decimals >= 0 && decimals <= MOST_SHARE_DECIMALS);
	if (isnan(share))
		return not_available(buf);
	snprintf(buf, UNITS_TEXT_SIZE, "%.*f %%", decimals, share * 100);
	return buf;
}

char *
percent_format_apart(
    char buf[UNITS_TEXT_SIZE], double share, double bound, int decimals)
{
	decimals = decimals_apart(100 * share, 100 * bound, decimals);
	return percent_format(buf, share,
	    decimals < MOST_SHARE_DECIMALS ? decimals : MOST_SHARE_DECIMALS);
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
