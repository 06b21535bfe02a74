/* Durations and time stamps, parsed with regular expressions. */
#include <config.h>

#define PCRE2_CODE_UNIT_WIDTH 8

#include <assert.h>
#include <math.h>
#include <pcre2.h>
#include <pthread.h>
#include <string.h>

#include "common/text.h"
#include "common/units/units.h"

enum { YEARLESS_YEAR = 1972 };

enum pattern { CLOCK, PART, STAMP, N_PATTERNS };

#define BLANKS "[ \\t]*+"

static const char *const patterns[N_PATTERNS] = {
	/* Days, hours, minutes and seconds; 60 seconds are accepted. */
	[CLOCK] =
	    "\\A(?:(\\d{1,9})" BLANKS "(?i:d|days?|天)(?![A-Za-z]),?" BLANKS
	    ")?(?|(\\d{1,15}):([0-5]?\\d)|()(\\d{1,15})):"
	    "([0-5]?\\d(?:\\.\\d*)?|60(?:\\.0*)?)\\z",
	/* The unit after a number, a group per time_units row; separators. */
	[PART] = "(?i)\\G" BLANKS "(?:(d|days?|天)|(h|hrs?|hours?|小时)|"
		 "(m|mins?|minutes?|分钟|分)|(s|secs?|seconds?|秒)|"
		 "(ms|msec|milliseconds?)|(us|usec|microseconds?|\xc2\xb5s)|"
		 "(ns|nsec|nanoseconds?))(?![a-z])(?:[ ,]|and(?![a-z]))*+",
	/* Year, month, day; hour, minute, second, fraction; sign, hours and
	 * minutes of an offset, or the name of a zone, but neither AM nor PM.
	 * All named zones are treated as UTC, since their abbreviations are
	 * ambiguous. */
	[STAMP] = "\\A" BLANKS "(?:(?|(\\d{4})-(\\d\\d)-(\\d\\d)|"
		  "(\\d{4})/(\\d\\d)/(\\d\\d)|(\\d{4})(\\d\\d)(\\d\\d)|"
		  "(?=.{6}(\\d{4}))(\\d\\d)/(\\d\\d)/\\d{4}|"
		  "()(\\d\\d)/?(\\d\\d))[Tt_ -] *+)?"
		  "(\\d\\d?+):(\\d\\d)(?::(\\d\\d)(?:[.,](\\d{1,18}+))?)?"
		  "(?![\\d:]) *+(?:([-+])(0\\d|1[0-5]):?([0-5]\\d)|"
		  "[A-Z](?:[A-Z]{2,4})?)?" BLANKS "\\z",
};

/* Groups of STAMP. */
enum {
	YEAR = 1,
	MONTH,
	DAY,
	HOUR,
	MINUTE,
	SECOND,
	FRACTION,
	SIGN,
	ZONE_HOUR,
	ZONE_MINUTE,
	N_GROUPS
};

static pcre2_code *codes[N_PATTERNS];

/* Offsets of the groups of a match in s, as in PCRE2's ovector. */
struct time_parts {
	const char *s;
	int n;
	size_t at[2 * N_GROUPS];
};

static void
compile(void)
{
	for (int i = 0; i < N_PATTERNS; i++) {
		int problem;
		size_t at;

		codes[i] = pcre2_compile((PCRE2_SPTR)patterns[i],
		    PCRE2_ZERO_TERMINATED, 0, &problem, &at, NULL);
		assert(codes[i] != NULL);
		/* Without JIT the patterns are interpreted. */
		pcre2_jit_compile(codes[i], PCRE2_JIT_COMPLETE);
	}
}

/* Match a pattern in s, starting at byte `from`. Returns 1 if it matches. */
static int
match(enum pattern p, const char *s, size_t len, size_t from,
    struct time_parts *m)
{
	static pthread_once_t compiled = PTHREAD_ONCE_INIT;
	pcre2_match_data *data;

	pthread_once(&compiled, compile);
	data = pcre2_match_data_create(N_GROUPS, NULL);
	assert(data != NULL);
	m->s = s;
	m->n = pcre2_match(codes[p], (PCRE2_SPTR)s, len, from, 0, data, NULL);
	memcpy(m->at, pcre2_get_ovector_pointer(data), sizeof m->at);
	pcre2_match_data_free(data);
	return m->n > 0;
}

static size_t
group_length(const struct time_parts *m, int i)
{
	return i < m->n ? m->at[2 * i + 1] - m->at[2 * i] : 0;
}

/* The digits of a group as a number; -1 if it is empty. */
static double
group_number(const struct time_parts *m, int i)
{
	const size_t len = group_length(m, i);
	double x = len > 0 ? 0 : -1;

	for (size_t k = 0; k < len; k++)
		x = x * 10 + (m->s[m->at[2 * i] + k] - '0');
	return x;
}

/* --- durations ------------------------------------------------------------ */

/* Seconds = number * times / per, in the order of PART's groups. One of the
 * two is 1, so that the result is rounded only once. */
static const struct {
	double times, per;
} time_units[] = { { 86400, 1 }, { 3600, 1 }, { 60, 1 }, { 1, 1 }, { 1, 1e3 },
	{ 1, 1e6 }, { 1, 1e9 } };

/* Value of one unit in the last place of a number. */
static double
last_digit(const char *s, size_t len)
{
	const char *point = memchr(s, '.', len);

	return point != NULL ? pow(10, (double)(point + 1 - s) - (double)len)
			     : 1;
}

/* Read the parts at the start of s, "1 hour, 18 minutes and 52.65 seconds",
 * "0m0.455s", "1.00h". Returns the bytes read.
 *
 * digit  value of the last digit in seconds
 * n      number of parts */
static size_t
parts_scan(const char *s, size_t len, double *seconds, double *digit, int *n)
{
	struct time_parts m = { .n = 0 };
	size_t end = 0, digits;
	double x;

	*seconds = *n = 0;
	while (end < len && s[end] != '-' && s[end] != '+' &&
	    (digits = number_scan(s + end, len - end, &x)) > 0) {
		const int last = m.n;
		double times, per;

		if (!match(PART, s, len, end + digits, &m) || m.n <= last)
			break;
		times = time_units[m.n - 2].times;
		per = time_units[m.n - 2].per;
		*seconds += x * times / per;
		*digit = last_digit(s + end, digits) * times / per;
		++*n;
		end = m.at[1];
	}
	return end;
}

/* Parse "h:mm:ss" or "m:ss", with an optional fraction of the seconds and an
 * optional "N day(s), " before it. */
static enum units_outcome
clock_parse(const char *s, size_t len, double *seconds)
{
	struct time_parts m;
	double x;

	if (!match(CLOCK, s, len, 0, &m) ||
	    number_scan(s + m.at[8], group_length(&m, 4), &x) == 0)
		return UNITS_BAD;
	*seconds = fmax(group_number(&m, 1), 0) * 86400 +
	    (fmax(group_number(&m, 2), 0) * 60 + group_number(&m, 3)) * 60 + x;
	return UNITS_OK;
}

size_t
duration_scan(const char *s, double *seconds, double *digit)
{
	const size_t clock = strspn(s, "0123456789.:");
	size_t len;
	int n;

	if (memchr(s, ':', clock) != NULL &&
	    clock_parse(s, clock, seconds) == UNITS_OK) {
		*digit = last_digit(s, clock);
		return clock;
	}
	len = parts_scan(s, strlen(s), seconds, digit, &n);
	while (len > 0 && (s[len - 1] == ' ' || s[len - 1] == ','))
		len--;
	return n > 1 ? len : 0;
}

enum units_outcome
duration_parse(const char *s, size_t len, double *seconds)
{
	const struct text_span t = span_trim((struct text_span){ s, s + len });
	enum units_outcome outcome = UNITS_BAD;
	double x, digit;
	int n, is_number;

	len = (size_t)(t.end - t.s);
	if (len == 0 || len > UNITS_MAX_DIGITS)
		return UNITS_BAD;
	if (memchr(t.s, ':', len) != NULL)
		return clock_parse(t.s, len, seconds);
	is_number = t.end[-1] == '.' || (t.end[-1] >= '0' && t.end[-1] <= '9');
	if (!is_number && parts_scan(t.s, len, &x, &digit, &n) == len)
		outcome = UNITS_OK;
	else if (is_number || number_scan(t.s, len, &x) == 0)
		outcome = number_parse(t.s, len, &x);
	if (outcome == UNITS_BAD || x < 0 || isinf(x))
		return UNITS_BAD;
	*seconds = x;
	return outcome;
}

/* --- time stamps ---------------------------------------------------------- */

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

/* Check the parts of a time stamp and combine them. */
static enum stamp_kind
stamp_seconds(const struct time_parts *m, double *seconds)
{
	const int month = (int)group_number(m, MONTH);
	const int day = (int)group_number(m, DAY);
	const double hour = group_number(m, HOUR);
	const double minute = group_number(m, MINUTE);
	const double second = group_number(m, SECOND);
	const double fraction = group_number(m, FRACTION);
	int year = (int)group_number(m, YEAR);
	enum stamp_kind kind = month < 0 ? STAMP_CLOCK
	    : year < 0                   ? STAMP_YEARLESS
					 : STAMP_DATE;
	long days = 0;

	if (hour > 23 || minute > 59 || second > 60)
		return STAMP_BAD;
	if (kind == STAMP_YEARLESS)
		year = YEARLESS_YEAR;
	if (kind != STAMP_CLOCK) {
		days = days_since_1970(year, month, day);
		if (year < 1900 || month < 1 || month > 12 || day < 1 ||
		    days >= days_since_1970(year, month + 1, 1))
			return STAMP_BAD;
	}
	*seconds = hour * 3600 + minute * 60 + fmax(second, 0);
	if (fraction > 0)
		*seconds +=
		    fraction / pow(10, (double)group_length(m, FRACTION));
	if (group_length(m, SIGN) > 0)
		*seconds -= (m->s[m->at[2 * SIGN]] == '-' ? -60 : 60) *
		    (group_number(m, ZONE_HOUR) * 60 +
			group_number(m, ZONE_MINUTE));
	*seconds += 86400.0 * (double)days;
	return kind;
}

enum stamp_kind
stamp_parse(const char *s, size_t len, double *seconds)
{
	const struct text_span t = span_trim((struct text_span){ s, s + len });
	size_t n = 0;
	struct time_parts m;
	double x, per;

	len = (size_t)(t.end - t.s);
	while (n < len && t.s[n] >= '0' && t.s[n] <= '9')
		n++;
	if (n < len && t.s[n] != '.')
		return match(STAMP, t.s, len, 0, &m)
		    ? stamp_seconds(&m, seconds)
		    : STAMP_BAD;
	/* Seconds since 1970 as a number: 9 or 10 digits and a fraction, or
	 * whole milli-, micro- or nanoseconds. */
	per = n == 13 ? 1e3 : n == 16 ? 1e6 : n == 19 ? 1e9 : 1;
	if ((per < 2 && n != 9 && n != 10) || number_scan(t.s, len, &x) != len)
		return STAMP_BAD;
	*seconds = x / per;
	return STAMP_DATE;
}

int
stamp_has_zone(const char *s)
{
	const char *clock = strchr(s, ':');

	return strpbrk(clock != NULL ? clock : s, "+-Z") != NULL;
}
