#include <config.h>

#include "common/units/units.h"
#include "common/units/units_text.h"

#include <math.h>
#include <string.h>

/* Unit of time: its names, and seconds = number * times / per. One of these is
 * 1, so that the result is rounded only once. */
struct time_unit {
	const char *names[5];
	double times, per;
};

/* Largest first: parts must come in this order. */
static const struct time_unit time_units[] = {
	{ { "d", "day", "days" }, 86400, 1 },
	{ { "h", "hr", "hrs", "hour", "hours" }, 3600, 1 },
	{ { "m", "min", "mins", "minute", "minutes" }, 60, 1 },
	{ { "s", "sec", "secs", "second", "seconds" }, 1, 1 },
	{ { "ms", "msec", "millisecond", "milliseconds" }, 1, 1e3 },
	{ { "us", "usec", "microsecond", "microseconds", "\xc2\xb5s" }, 1,
	    1e6 },
	{ { "ns", "nsec", "nanosecond", "nanoseconds" }, 1, 1e9 },
};

enum {
	N_TIME_UNITS = sizeof time_units / sizeof time_units[0],
	N_NAMES = sizeof time_units[0].names / sizeof time_units[0].names[0]
};

/* Index of a unit, or -1. */
static int
time_unit_find(struct text t)
{
	for (int i = 0; i < N_TIME_UNITS; i++)
		for (int k = 0; k < N_NAMES; k++)
			if (time_units[i].names[k] != NULL &&
			    text_is(t, time_units[i].names[k]))
				return i;
	return -1;
}

/* Length of the letters at the start of t; 0xc2 0xb5 is the micro sign. */
static size_t
word_len(struct text t)
{
	size_t i = 0;

	while (i < t.len && (is_letter(t.s[i]) || (t.s[i] & 0x80) != 0))
		i++;
	return i;
}

static struct text
text_from(struct text t, size_t i)
{
	return (struct text){ t.s + i, t.len - i };
}

/* Skip separators between two parts: spaces, commas, "and". */
static struct text
skip_between(struct text t)
{
	for (;;) {
		size_t n = word_len(t);

		if (n == 3 && text_is((struct text){ t.s, 3 }, "and"))
			t = text_from(t, 3);
		else if (t.len > 0 && (t.s[0] == ' ' || t.s[0] == ','))
			t = text_from(t, 1);
		else
			return t;
	}
}

/* "1 hour, 18 minutes and 52.65 seconds", "0m0.455s", "1.00h". */
static enum units_outcome
parts_parse(struct text t, double *seconds)
{
	double sum = 0, x;
	int last = -1, unit;
	size_t n;

	while (t.len > 0) {
		n = number_scan(t.s, t.len, &x);
		if (n == 0 || x < 0 || t.s[0] == '+')
			return UNITS_BAD;
		t = text_trim(text_from(t, n));
		n = word_len(t);
		unit = time_unit_find((struct text){ t.s, n });
		if (unit < 0 || unit <= last)
			return UNITS_BAD;
		sum += x * time_units[unit].times / time_units[unit].per;
		last = unit;
		t = skip_between(text_from(t, n));
	}
	if (last < 0 || isinf(sum))
		return UNITS_BAD;
	*seconds = sum;
	return UNITS_OK;
}

/* "N day(s), " or Slurm's "N-" before h:mm:ss: sets days and returns the rest;
 * t itself without such a prefix. */
static struct text
days_skip(struct text t, double *days)
{
	struct text rest;
	size_t n = 0, word;

	*days = 0;
	while (n < t.len && is_digit(t.s[n]))
		n++;
	if (n == 0 || n > 9 || n >= t.len)
		return t;
	if (t.s[n] == '-') {
		number_scan(t.s, n, days);
		return text_from(t, n + 1);
	}
	rest = text_trim(text_from(t, n));
	word = word_len(rest);
	if (time_unit_find((struct text){ rest.s, word }) != 0)
		return t;
	number_scan(t.s, n, days);
	rest = text_from(rest, word);
	if (rest.len > 0 && rest.s[0] == ',')
		rest = text_from(rest, 1);
	return text_trim(rest);
}

/* Number of digits at the start of t, 1 to max, else 0. */
static size_t
digits_len(struct text t, size_t max)
{
	size_t n = 0;

	while (n < t.len && is_digit(t.s[n]))
		n++;
	return n <= max ? n : 0;
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
		n = digits_len(t, max);
		if (n == 0 || n == t.len || t.s[n] != ':')
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
	if (n == 0 || colons == 0 || memchr(t.s, 'e', t.len) != NULL ||
	    memchr(t.s, 'E', t.len) != NULL)
		return UNITS_BAD;
	if (number_scan(t.s, t.len, &x) != t.len || x > 60)
		return UNITS_BAD;
	*seconds = days * 86400 + sum + x;
	return UNITS_OK;
}

enum units_outcome
duration_parse(const char *s, size_t len, double *seconds)
{
	static const char *const unknown[] = { "?", "??", "-:--", "--:--",
		"-:--:--", "--:--:--", NULL };
	const struct text t = text_trim((struct text){ s, len });
	enum units_outcome outcome;
	double x;
	char last;

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
	return parts_parse(t, seconds);
}
