#include <config.h>

#include "common/units/units.h"
#include "common/units/units_text.h"

#include <limits.h>
#include <string.h>

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

/* Consume the byte c. Returns 0 if the next byte is another. */
static int
timestamp_take(struct stamp *p, char c)
{
	if (p->t.len == 0 || p->t.s[0] != c)
		return 0;
	p->t.s++;
	p->t.len--;
	return 1;
}

static void
take_blanks(struct stamp *p)
{
	while (timestamp_take(p, ' '))
		;
}

/* Number of digits at the start of the rest. */
static size_t
digits_ahead(const struct stamp *p)
{
	size_t n = 0;

	while (n < p->t.len && is_digit(p->t.s[n]))
		n++;
	return n;
}

/* Consume a number of exactly n digits (at most 9). */
static int
take_digits(struct stamp *p, size_t n, int *out)
{
	size_t i;

	if (n == 0 || n > 9 || digits_ahead(p) < n)
		return 0;
	*out = 0;
	for (i = 0; i < n; i++)
		*out = *out * 10 + (p->t.s[i] - '0');
	p->t.s += n;
	p->t.len -= n;
	return 1;
}

/* Consume a fraction after '.' or ',' and add it to second. */
static int
take_fraction(struct stamp *p)
{
	double x = 0, scale = 1;
	size_t i, n;

	if (!timestamp_take(p, '.') && !timestamp_take(p, ','))
		return 1;
	n = digits_ahead(p);
	if (n == 0 || n > 18)
		return 0;
	for (i = 0; i < n; i++) {
		x = x * 10 + (p->t.s[i] - '0');
		scale *= 10;
	}
	p->second += x / scale;
	p->t.s += n;
	p->t.len -= n;
	return 1;
}

/* "12:34:56.789", seconds optional, then "AM" or "PM". */
static int
take_clock(struct stamp *p)
{
	int second = 0;

	if (!take_digits(p, digits_ahead(p) == 1 ? 1 : 2, &p->hour) ||
	    !timestamp_take(p, ':') || !take_digits(p, 2, &p->minute))
		return 0;
	if (timestamp_take(p, ':')) {
		if (!take_digits(p, 2, &second))
			return 0;
		p->second = second;
		if (!take_fraction(p))
			return 0;
	} else {
		p->second = 0;
	}
	return p->hour < 24 && p->minute < 60 && second <= 60 &&
	    digits_ahead(p) == 0;
}

/* Minutes from "+hh:mm", "+hhmm" or "+hh". */
static int
take_offset(struct stamp *p)
{
	int sign = p->t.s[0] == '-' ? -1 : 1, hours, minutes = 0;

	p->t.s++;
	p->t.len--;
	if (!take_digits(p, 2, &hours))
		return 0;
	if (timestamp_take(p, ':')
		? !take_digits(p, 2, &minutes)
		: digits_ahead(p) != 0 && !take_digits(p, 2, &minutes))
		return 0;
	if (hours > 15 || minutes > 59)
		return 0;
	p->zone = sign * (hours * 60 + minutes);
	return 1;
}

static size_t
letters_ahead(const struct stamp *p)
{
	size_t n = 0;

	while (n < p->t.len && is_letter(p->t.s[n]))
		n++;
	return n;
}

/* Index of a word in names, from 1, or 0. */
static int
name_index(struct text t, const char *const *names)
{
	int i;

	for (i = 0; names[i] != NULL; i++)
		if (text_is(t, names[i]))
			return i + 1;
	return 0;
}

/* Consume a word: weekday, month, AM, PM, or a zone in capitals. Other zones
 * than UTC are treated as UTC, since their letters are ambiguous. */
static int
take_word(struct stamp *p)
{
	static const char *const days[] = { "mon", "tue", "wed", "thu", "fri",
		"sat", "sun", NULL };
	static const char *const months[] = { "jan", "feb", "mar", "apr", "may",
		"jun", "jul", "aug", "sep", "oct", "nov", "dec", NULL };
	static const char *const halves[] = { "am", "pm", NULL };
	const struct text word = { p->t.s, letters_ahead(p) };
	const int month = name_index(word, months),
		  half = name_index(word, halves);
	size_t i;

	p->t.s += word.len;
	p->t.len -= word.len;
	if (month > 0 && p->month == NOT_SEEN) {
		p->month = month;
	} else if (half > 0 && p->afternoon == NOT_SEEN) {
		p->afternoon = half - 1;
	} else if (p->hour == NOT_SEEN) {
		timestamp_take(p, ',');
		return name_index(word, days) > 0;
	} else {
		for (i = 0; i < word.len; i++)
			if (word.s[i] < 'A' || word.s[i] > 'Z')
				return 0;
		if (p->zone != NOT_SEEN || word.len == 0 || word.len > 5)
			return 0;
		p->zone = 0;
	}
	return 1;
}

/* Consume the text after the clock: only AM or PM and a zone. */
static int
take_tail(struct stamp *p)
{
	for (;;) {
		take_blanks(p);
		if (p->t.len == 0)
			return 1;
		if (p->t.s[0] == '+' || p->t.s[0] == '-') {
			if (!take_offset(p))
				return 0;
		} else if (!take_word(p)) {
			return 0;
		}
	}
}

/* Consume one or more separators between date and clock. */
static int
take_between(struct stamp *p)
{
	if (timestamp_take(p, 'T') || timestamp_take(p, 't') ||
	    timestamp_take(p, '_') || timestamp_take(p, '-'))
		return 1;
	if (!timestamp_take(p, ' '))
		return 0;
	take_blanks(p);
	return 1;
}

/* Consume month and day, separated by c unless it is NUL. */
static int
take_month_day(struct stamp *p, char c)
{
	return take_digits(p, 2, &p->month) &&
	    (c == '\0' || timestamp_take(p, c)) && take_digits(p, 2, &p->day);
}

/* "2020-10-13", "2020/10/13", "20201013", "10/13/2020", "10/13", "1013"; n is
 * the number of leading digits. */
static int
take_date(struct stamp *p, size_t n)
{
	const char c = p->t.len > n ? p->t.s[n] : ' ';

	if (n == 8)
		return take_digits(p, 4, &p->year) && take_month_day(p, '\0');
	if (n == 4 && c == ' ')
		return take_month_day(p, '\0');
	if (n == 4 && (c == '-' || c == '/'))
		return take_digits(p, 4, &p->year) && timestamp_take(p, c) &&
		    take_month_day(p, c);
	if (n != 2 || !take_month_day(p, '/'))
		return 0;
	return !timestamp_take(p, '/') || take_digits(p, 4, &p->year);
}

/* Consume a year, clock, day of the month or word. */
static int
take_token(struct stamp *p)
{
	const size_t n = digits_ahead(p);

	if (n == 0)
		return take_word(p);
	if (n == 4 && p->year == NOT_SEEN)
		return take_digits(p, 4, &p->year);
	if (n > 2)
		return 0;
	if (p->t.len > n && p->t.s[n] == ':')
		return p->hour == NOT_SEEN && take_clock(p);
	if (p->day != NOT_SEEN || !take_digits(p, n, &p->day))
		return 0;
	timestamp_take(p, ',');
	return 1;
}

/* "Wed Jun  1 12:18:57 2022", "Wed 01 Jun 2022 12:18:57 PM UTC": words and
 * numbers in any order. */
static int
take_worded(struct stamp *p)
{
	while (p->t.len > 0) {
		if (!take_token(p))
			return 0;
		take_blanks(p);
	}
	return p->hour != NOT_SEEN && p->month != NOT_SEEN &&
	    p->day != NOT_SEEN;
}

static int
days_in_month(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30,
		31 };
	const int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

/* Gregorian days since 1970-01-01: whole years, their leap days, and the months
 * of this year. */
static long
days_since_1970(int year, int month, int day)
{
	const long y = year - 1;
	long days = 365L * (year - 1970);
	int m;

	days +=
	    (y / 4 - y / 100 + y / 400) - (1969 / 4 - 1969 / 100 + 1969 / 400);
	for (m = 1; m < month; m++)
		days += days_in_month(year, m);
	return days + day - 1;
}

/* Seconds since 1970 as a number: 9 or 10 digits and a fraction, or whole
 * milli-, micro- or nanoseconds. */
static enum stamp_kind
epoch_parse(struct stamp *p, size_t digits, double *seconds)
{
	double x, per = 1;

	if (digits == 13)
		per = 1e3;
	else if (digits == 16)
		per = 1e6;
	else if (digits == 19)
		per = 1e9;
	else if (digits != 9 && digits != 10)
		return STAMP_BAD;
	if (number_scan(p->t.s, p->t.len, &x) != p->t.len)
		return STAMP_BAD;
	*seconds = x / per;
	return STAMP_DATE;
}

/* Check the parts and combine them. */
static enum stamp_kind
stamp_seconds(struct stamp *p, double *seconds)
{
	const int yearless = p->year == NOT_SEEN;
	double x;

	if (p->afternoon != NOT_SEEN) {
		if (p->hour < 1 || p->hour > 12)
			return STAMP_BAD;
		p->hour = p->hour % 12 + 12 * p->afternoon;
	}
	x = p->hour * 3600.0 + p->minute * 60.0 + p->second;
	if (p->zone != NOT_SEEN)
		x -= p->zone * 60.0;
	if (p->month != NOT_SEEN) {
		if (yearless)
			p->year = YEARLESS_YEAR;
		if (p->year < 1900 || p->month < 1 || p->month > 12 ||
		    p->day < 1 || p->day > days_in_month(p->year, p->month))
			return STAMP_BAD;
		x += 86400.0 *
		    (double)days_since_1970(p->year, p->month, p->day);
		*seconds = x;
		return yearless ? STAMP_YEARLESS : STAMP_DATE;
	}
	*seconds = x;
	return STAMP_CLOCK;
}

enum stamp_kind
stamp_parse(const char *s, size_t len, double *seconds)
{
	struct stamp p = { text_trim((struct text){ s, len }), NOT_SEEN,
		NOT_SEEN, NOT_SEEN, NOT_SEEN, NOT_SEEN, 0, NOT_SEEN, NOT_SEEN };
	const size_t n = digits_ahead(&p);

	if (p.t.len == 0 || p.t.len > UNITS_MAX_DIGITS)
		return STAMP_BAD;
	if (n == p.t.len || p.t.s[n] == '.')
		return epoch_parse(&p, n, seconds);
	if (n == 0 || (n <= 2 && p.t.s[n] == ' '))
		return take_worded(&p) ? stamp_seconds(&p, seconds) : STAMP_BAD;
	if (p.t.s[n] != ':' && (!take_date(&p, n) || !take_between(&p)))
		return STAMP_BAD;
	if (!take_clock(&p) || !take_tail(&p))
		return STAMP_BAD;
	return stamp_seconds(&p, seconds);
}
