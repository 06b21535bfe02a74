#include <config.h>

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/units/units.h"
#include "tests/tap.h"

/* Copy a text into an allocation of its exact size, in which AddressSanitizer
 * and valgrind detect reads beyond len. */
static char *
tight(const char *s, size_t len)
{
	char *copy = xmalloc(len > 0 ? len : 1);

	memcpy(copy, s, len);
	return copy;
}

/* Print the row that the next check tests. */
static void
say(const char *text)
{
	printf("# '%.60s'\n", text);
}

static enum units_outcome
number(const char *s, double *x)
{
	char *t = tight(s, strlen(s));
	enum units_outcome o = number_parse(t, strlen(s), x);

	free(t);
	return o;
}

static void
test_number_good(void)
{
	static const struct {
		const char *text;
		double want;
	} cases[] = { { "0.543", 0.543 }, { "12.054", 12.054 }, { "0", 0 },
		{ "-0.5", -0.5 }, { "+7", 7 }, { "517.", 517 }, { ".5", 0.5 },
		{ "-.5", -0.5 }, { "1e-05", 1e-05 }, { "1.5E+3", 1500 },
		{ "10,050", 10050 }, { "1,234,567.25", 1234567.25 },
		{ "-1,000", -1000 }, { "11.5K", 11500 }, { "85.8G", 85.8e9 },
		{ "170.738T", 170.738e12 }, { "1.1K", 1100 }, { "0.3M", 3e5 },
		{ "12.3 k", 12300 }, { "  3.5\t", 3.5 },
		{ "10,050 K", 10050e3 },
		{ "9007199254740993", 9007199254740993.0 },
		{ "9007199254740992", 9007199254740992.0 },
		{ "18446744073709551616", 18446744073709551616.0 },
		{ "0.1000000000000000055511151231257827", 0.1 },
		{ "1e22", 1e22 }, { "1e23", 1e23 }, { "1e-22", 1e-22 },
		{ "123456789012345678e-40", 123456789012345678e-40 },
		{ "1.7976931348623157e308", 1.7976931348623157e308 },
		{ "5e-324", 5e-324 }, { "1e-999", 0 }, { "00012", 12 },
		{ "0.000000000000000000000000000001", 1e-30 },
		{ "100000000000000000000000000000", 1e29 } };
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double x = NAN;

		say(cases[i].text);
		CHECK_INT(number(cases[i].text, &x), UNITS_OK);
		CHECK_NEAR(x, cases[i].want, 0);
	}
}

static void
test_number_unknown(void)
{
	static const char *const cases[] = { "nan", "NaN", "-nan", "+NaN",
		"inf", "-inf", "Infinity", "None", "null", "N/A", "-", "--",
		" nan " };
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double x = 1;

		say(cases[i]);
		CHECK_INT(number(cases[i], &x), UNITS_UNKNOWN);
		CHECK(isnan(x));
	}
}

static void
test_number_bad(void)
{
	static const char *const cases[] = { "", " ", ".", "-.", "+", "--1",
		"+-1", "1..2", "1.2.3", "1e", "1e+", "e5", "0x10", "1e999",
		"-1e999", "1e99999999999999999999", "12abc", "1 2", "1,23",
		"1234,567", ",123", "1,2345", "1,234,56", "12 kk", "12  k", "K",
		"5m", "0.316s", "nano", "none1", "\xff", "1,000,", "1.5,000",
		"--", "infinite" };
	char digits[UNITS_MAX_DIGITS + 10];
	size_t i;
	double x = 42;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		if (strcmp(cases[i], "--") == 0)
			continue; /* unknown, not bad */
		say(cases[i]);
		CHECK_INT(number(cases[i], &x), UNITS_BAD);
		CHECK_NEAR(x, 42, 0);
	}
	memset(digits, '9', sizeof digits);
	CHECK_INT(number_parse(digits, 400, &x), UNITS_BAD); /* > 1.8e308 */
	CHECK_INT(number_parse(digits, sizeof digits, &x), UNITS_BAD);
	digits[1] = '.';
	CHECK_INT(number_parse(digits, 400, &x), UNITS_OK);
	CHECK_NEAR(x, 10, 0);
	/* A suffix counts as two digits. */
	memset(digits, '0', UNITS_MAX_DIGITS);
	digits[UNITS_MAX_DIGITS - 3] = '5';
	digits[UNITS_MAX_DIGITS - 2] = 'K';
	CHECK_INT(number_parse(digits, UNITS_MAX_DIGITS - 1, &x), UNITS_OK);
	CHECK_NEAR(x, 5000, 0);
	CHECK_INT(number_parse("1\0", 2, &x), UNITS_BAD);
}

/* The fast path must give exactly the value of strtod. */
static void
test_number_like_strtod(void)
{
	uint64_t state = 88172645463325252u;
	char text[64];
	int i;

	for (i = 0; i < 200000; i++) {
		double x = NAN;
		int whole, n;

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		whole = (int)(state % 7);
		n = snprintf(text, sizeof text, "%.*f", (int)(state >> 20) & 31,
		    (double)(state >> 11) / pow(10, 16 - whole));
		if (i % 4 == 1) /* powers in the table, and larger */
			n = snprintf(text, sizeof text, "%s%.*fe%d",
			    state & 4096 ? "-" : "", (int)(state >> 20) & 7,
			    (double)(state >> 32) / pow(10, whole + 3),
			    (int)(state >> 33) % 30 - 15);
		else if (i % 3 == 0)
			n = snprintf(text, sizeof text, "%.*e",
			    (int)((state >> 20) % 19),
			    ldexp(
				(double)(state >> 11), (int)(state % 90) - 90));
		CHECK(n > 0 && n < (int)sizeof text);
		if (number_parse(text, (size_t)n, &x) != UNITS_OK ||
		    x < strtod(text, NULL) || x > strtod(text, NULL)) {
			say(text);
			CHECK_NEAR(x, strtod(text, NULL), 0);
		}
	}
}

static void
test_number_scan(void)
{
	double x = 0;

	CHECK_INT(number_scan("0.316s,", 7, &x), 5);
	CHECK_NEAR(x, 0.316, 0);
	CHECK_INT(number_scan("10,050", 6, &x), 2);
	CHECK_NEAR(x, 10, 0);
	CHECK_INT(number_scan("12e", 3, &x), 2);
	CHECK_INT(number_scan("12e+", 4, &x), 2);
	CHECK_INT(number_scan("517.)", 5, &x), 4);
	CHECK_NEAR(x, 517, 0);
	CHECK_INT(number_scan("0.4636seconds", 13, &x), 6);
	CHECK_INT(number_scan("1e999", 5, &x), 0);
	CHECK_INT(number_scan("x", 1, &x), 0);
	CHECK_INT(number_scan("", 0, &x), 0);
	CHECK_NEAR(x, 0.4636, 0);
}

static void
test_whole(void)
{
	long x = 7;

	CHECK_INT(whole_parse("128", 3, 0, 1000, &x), UNITS_OK);
	CHECK_INT(x, 128);
	CHECK_INT(whole_parse(" 1,281,167 ", 11, 0, LONG_MAX, &x), UNITS_OK);
	CHECK_INT(x, 1281167);
	CHECK_INT(whole_parse("-5", 2, -10, 10, &x), UNITS_OK);
	CHECK_INT(x, -5);
	CHECK_INT(
	    whole_parse("9223372036854775807", 19, 0, LONG_MAX, &x), UNITS_OK);
	CHECK(x == LONG_MAX);
	x = 7;
	CHECK_INT(
	    whole_parse("9223372036854775808", 19, 0, LONG_MAX, &x), UNITS_BAD);
	CHECK_INT(whole_parse("92233720368547758070", 20, 0, LONG_MAX, &x),
	    UNITS_BAD);
	CHECK_INT(whole_parse("120.0", 5, 0, 1000, &x), UNITS_BAD);
	CHECK_INT(whole_parse("120.", 4, 0, 1000, &x), UNITS_BAD);
	CHECK_INT(whole_parse("1e3", 3, 0, 1000, &x), UNITS_BAD);
	CHECK_INT(whole_parse("11", 2, 0, 10, &x), UNITS_BAD);
	CHECK_INT(whole_parse("-1", 2, 0, 10, &x), UNITS_BAD);
	CHECK_INT(whole_parse("", 0, 0, 10, &x), UNITS_BAD);
	CHECK_INT(whole_parse("1 2", 3, 0, 100, &x), UNITS_BAD);
	CHECK_INT(x, 7);
	CHECK_INT(whole_parse("None", 4, 0, 10, &x), UNITS_BAD);
}

static enum units_outcome
duration(const char *s, double *x)
{
	char *t = tight(s, strlen(s));
	enum units_outcome o = duration_parse(t, strlen(s), x);

	free(t);
	return o;
}

static void
test_duration_good(void)
{
	static const struct {
		const char *text;
		double want;
	} cases[] = { { "0:14:31.66", 871.66 }, { "1:02", 62 },
		{ "1:02.25", 62.25 }, { "00:00", 0 }, { "16:21:05", 58865 },
		{ "100:00:00", 360000 }, { "90:00", 5400 },
		{ "1 day, 16:21:05", 145265 },
		{ "67 days, 10:28:48", 67 * 86400 + 37728 },
		{ "0:59:60.00", 3600 },
		{ "1 hour, 18 minutes and 52.65 seconds", 4732.65 },
		{ "0m0.455s", 0.455 }, { "2m3.5s", 123.5 }, { "1.00h", 3600 },
		{ "1h2m3s", 3723 }, { "350 ms", 0.35 }, { "350ms", 0.35 },
		{ "12us", 12e-6 }, { "12 \xc2\xb5s", 12e-6 }, { "8ns", 8e-9 },
		{ "4.5 Sec", 4.5 }, { "2 hrs 5 mins", 7500 }, { "12.5", 12.5 },
		{ "0", 0 }, { "1,000", 1000 }, { "7.", 7 }, { "1 day", 86400 },
		{ " 0.316s ", 0.316 } };
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double x = NAN;

		say(cases[i].text);
		CHECK_INT(duration(cases[i].text, &x), UNITS_OK);
		CHECK_NEAR(x, cases[i].want, fabs(cases[i].want) * 3e-16);
	}
}

static void
test_duration_bad(void)
{
	static const char *const cases[] = { "", ":", "1:", ":30", "1:2:3:4",
		"0:61:00", "0:75", "1:-5", "1:+5", "1:5e1", "1:2.3.4", "-1:00",
		"-5s", "+5s", "-3", "5s 3m", "3m 4m", "5 parsecs", "s", "5 s x",
		"1:005", "day, 1:00", "1 fortnight, 1:00:00", "1e999s",
		"8e307D", "1h foo 2m", "1h an 2m", "5K s", "1 day 16:21:0x",
		"\xc2", "1:2:3,5", "1234567890123456:00" };
	size_t i;
	double x = 42;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		say(cases[i]);
		CHECK_INT(duration(cases[i], &x), UNITS_BAD);
		CHECK_NEAR(x, 42, 0);
	}
	CHECK_INT(duration("??", &x), UNITS_BAD);
	CHECK_INT(duration("None", &x), UNITS_UNKNOWN);
}

/* Expected seconds are from "date -u -d TEXT +%s" (coreutils 9.1). */
static void
test_stamp_good(void)
{
	static const struct {
		const char *text;
		enum stamp_kind kind;
		double want;
	} cases[] = {
		{ "2020-10-13T12:34:56.125Z", STAMP_DATE, 1602592496.125 },
		{ "2020-10-13 12:34:56,125", STAMP_DATE, 1602592496.125 },
		{ "2020-10-13T12:34:56+08:00", STAMP_DATE, 1602563696 },
		{ "2020-10-13T12:34:56 -0330", STAMP_DATE, 1602605096 },
		{ "2020-10-13 12:34:56 UTC", STAMP_DATE, 1602592496 },
		{ "2020/10/13 12:34:56", STAMP_DATE, 1602592496 },
		{ "2020-10-13_12:34:56", STAMP_DATE, 1602592496 },
		{ "20201013 12:34:56", STAMP_DATE, 1602592496 },
		{ "10/13/2020 12:34:56", STAMP_DATE, 1602592496 },
		{ "2020-10-13 12:34", STAMP_DATE, 1602592440 },
		{ "2000-02-29 00:00:00", STAMP_DATE, 951782400 },
		{ "1970-01-01 00:00:00", STAMP_DATE, 0 },
		{ "1969-12-31 23:59:59", STAMP_DATE, -1 },
		{ "2100-03-01 00:00:00", STAMP_DATE, 4107542400 },
		{ "2016-12-31 23:59:60", STAMP_DATE, 1483228800 },
		{ "1602563696.25", STAMP_DATE, 1602563696.25 },
		{ "1602563696", STAMP_DATE, 1602563696 },
		{ "1602563696250", STAMP_DATE, 1602563696.25 },
		{ "1602563696250000", STAMP_DATE, 1602563696.25 },
		{ "1602563696250000000", STAMP_DATE, 1602563696.25 },
		{ "12:34:56.123456", STAMP_CLOCK, 45296.123456 },
		{ "1:02:03", STAMP_CLOCK, 3723 },
		{ "23:59:59,999", STAMP_CLOCK, 86399.999 },
		{ "0404 21:16:53.175658", STAMP_YEARLESS,
		    71270213.175658 }, /* of 1972-04-04 */
		{ "04/04 21:16:53", STAMP_YEARLESS, 71270213 },
		{ "02/29 00:00:00", STAMP_YEARLESS, 68169600 },
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const size_t len = strlen(cases[i].text);
		char *t = tight(cases[i].text, len);
		double x = NAN;

		say(cases[i].text);
		CHECK_INT(stamp_parse(t, len, &x), cases[i].kind);
		CHECK_NEAR(x, cases[i].want, 3e-7);
		free(t);
	}
}

static void
test_stamp_bad(void)
{
	static const char *const cases[] = { "", "2020-10-13",
		"2020-13-01 00:00", "2020-00-01 00:00", "2021-02-29 00:00:00",
		"2020-10-32 00:00:00", "1900-02-29 00:00:00",
		"2020-10-13 24:00:00", "2020-10-13 12:60:00",
		"2020-10-13 12:00:61", "2020-10/13 12:00",
		"2020-10-13 12:34:56.", "2020-10-13 12:34:56.1.2", "12:34:567",
		"12", "123456", "1602563696.25.1", "12:34:56 13:00:00",
		"2020-10-13T12:34:56+8", "Jun 1 12:18:57 2022",
		"2020-10-13T12:34:56+99:00", "2020-10-13x12:34:56",
		"Wed Foo 1 12:18:57 2022", "Jun 12:18:57", "13:00:00 PM",
		"12:34:56 !", "12:34:56 Jun", "01:00:00 AM", "Wed Jun 1 2022",
		"1:2:3", "12:34:56 utc", "12:34:56.1234567890123456789",
		"\x80\x80", "16025636962" };
	size_t i;
	double x = 42;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const size_t len = strlen(cases[i]);
		char *t = tight(cases[i], len);

		say(cases[i]);
		CHECK_INT(stamp_parse(t, len, &x), STAMP_BAD);
		CHECK_NEAR(x, 42, 0);
		free(t);
	}
}

/* Every prefix of a good text must be parsed without reading beyond it. */
static void
test_prefixes(void)
{
	static const char *const texts[] = {
		"1 hour, 18 minutes and 52.65 seconds", "67 days, 10:28:48.5",
		"Wed 01 Jun 2022 12:18:57 PM +08:00",
		"2020-10-13T12:34:56.125+08:00", "-1,234,567.5e+10 K"
	};
	size_t i, n;

	for (i = 0; i < sizeof texts / sizeof texts[0]; i++)
		for (n = 0; n <= strlen(texts[i]); n++) {
			char *t = tight(texts[i], n);
			double x = 42;

			if (number_parse(t, n, &x) == UNITS_BAD)
				CHECK_NEAR(x, 42, 0);
			x = 42;
			if (duration_parse(t, n, &x) == UNITS_BAD)
				CHECK_NEAR(x, 42, 0);
			x = 42;
			if (stamp_parse(t, n, &x) == STAMP_BAD)
				CHECK_NEAR(x, 42, 0);
			free(t);
		}
}

static void
test_number_format(void)
{
	static const struct {
		double x;
		int digits;
		const char *want;
	} cases[] = { { 1234.5, 5, "1234.5" }, { 0.123456, 5, "0.12346" },
		{ 123456, 5, "123456" }, { 9.9996, 4, "10.00" },
		{ 10.0, 3, "10.0" }, { 10.0, 1, "10" }, { 9.95, 1, "10" },
		{ 0, 5, "0" }, { -0.0, 3, "0" }, { -2.5, 2, "-2.5" },
		{ 99999.6, 3, "100000" }, { 1e14, 3, "100000000000000" },
		{ 1e15, 3, "1.00e+15" }, { 0.00001, 2, "0.000010" },
		{ 1e-6, 2, "1.0e-06" }, { 0.1, 17, "0.10000000000000001" },
		{ -1e300, 17, "-1.0000000000000001e+300" } };
	char buf[UNITS_TEXT_SIZE];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
		CHECK_STR(number_format(buf, cases[i].x, cases[i].digits),
		    cases[i].want);
	CHECK_STR(number_format(buf, NAN, 3), "n/a");
	CHECK_STR(number_format(buf, -INFINITY, 3), "-inf");
}

static void
test_unit_formats(void)
{
	char b[UNITS_TEXT_SIZE];

	CHECK_INT(interval_decimals(345.9, 348.0), 1);
	CHECK_INT(interval_decimals(1371.2, 1420.9), 0);
	CHECK_INT(interval_decimals(1.0, 1.0199), 3); /* 0.00995: 0.0100 */
	CHECK_INT(interval_decimals(1.0, 1.0201), 3);
	CHECK_INT(interval_decimals(1e5, 3e5), 0);
	CHECK(interval_decimals(1, 1) > 20 && interval_decimals(NAN, 1) > 20);
	CHECK_INT(significant_decimals(347.12, 5), 2);
	CHECK_INT(significant_decimals(0.0123456, 5), 6);
	CHECK_INT(significant_decimals(99999.6, 5), 0);
	CHECK_INT(significant_decimals(0, 5), 4);
	CHECK_STR(percent_format(b, 0.9712, 1), "97.1 %");
	CHECK_STR(percent_format(b, -0.035, 0), "-4 %");
	CHECK_STR(percent_format(b, NAN, 1), "n/a");
}

static void
test_seconds_format(void)
{
	static const struct {
		double s;
		const char *want;
	} cases[] = { { 0, "0 s" }, { 8e-9, "8.00 ns" }, { 350e-6, "350 us" },
		{ 0.0123, "12.3 ms" }, { 0.99951, "1.00 s" },
		{ 4.56, "4.56 s" }, { 59.94, "59.9 s" }, { 59.97, "1 min 0 s" },
		{ 200, "3 min 20 s" }, { 3599.6, "1 h 0 min" },
		{ 4732.65, "1 h 19 min" }, { 86399, "1 d 0 h" },
		{ 86369, "23 h 59 min" }, { 86370.5, "1 d 0 h" },
		{ 231000, "2 d 16 h" }, { -200, "-3 min 20 s" },
		{ -0.5, "-500 ms" }, { NAN, "n/a" } };
	char buf[UNITS_TEXT_SIZE];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
		CHECK_STR(seconds_format(buf, cases[i].s), cases[i].want);
}

/* A number is printed on its own side of a bound, with no more digits than that
 * needs. */
static void
test_formats_apart(void)
{
	static const double bounds[] = { 0.025, 0.05, 0.97, 1, 3, 1234.5 };
	char b[UNITS_TEXT_SIZE];

	CHECK_INT(decimals_apart(2.96, 3, 1), 2);
	CHECK_INT(decimals_apart(2.94, 3, 1), 1);
	CHECK_INT(decimals_apart(3, 3, 1), 1);
	CHECK_INT(decimals_apart(0.1 + 0.2, 0.3, 1), 1);
	CHECK_INT(decimals_apart(0.04, 0, 1), 2);
	CHECK_INT(decimals_apart(-0.04, 0, 1), 2);
	CHECK_INT(decimals_apart(NAN, 3, 1), 1);
	CHECK_INT(decimals_apart(2.96, NAN, 1), 1);
	CHECK_STR(short_format_apart(b, 0.0252, 0.025, 2), "0.0252");
	CHECK_STR(short_format_apart(b, 0.025, 0.025, 2), "0.025");
	CHECK_STR(short_format_apart(b, 0.0496, 0.05, 2), "0.0496");
	CHECK_STR(short_format_apart(b, 0.0079365, 0.05, 2), "0.0079");
	CHECK_STR(short_format_apart(b, 1.27e-5, 0.05, 2), "1.3e-05");
	CHECK_STR(percent_format(b, 0.96875,
		      decimals_apart(100 * (0.96875), 100 * 0.9688, 2)),
	    "96.875 %");
	CHECK_STR(percent_format(b, 0.96875,
		      decimals_apart(100 * (0.96875), 100 * 0.95, 2)),
	    "96.88 %");
	CHECK_STR(percent_format(b, 1 - 1e-8,
		      decimals_apart(100 * (1 - 1e-8), 100 * 1, 2)),
	    "99.999999 %");
	CHECK_STR(
	    percent_format(b, NAN, decimals_apart(100 * (NAN), 100 * 0.95, 2)),
	    "n/a");
	for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
		for (int k = 1; k <= 2 * 8; k++) {
			const double bound = bounds[i];
			const double x = bound *
			    (1 + (k % 2 ? -1 : 1) * 4.9 * pow(10, -k / 2 - 1));
			char text[UNITS_TEXT_SIZE];

			snprintf(text, sizeof text, "%.*f",
			    decimals_apart(x, bound, 0), x);
			CHECK((strtod(text, NULL) < bound) == (x < bound));
			short_format_apart(text, x, bound, 2);
			CHECK((strtod(text, NULL) < bound) == (x < bound));
		}
}

/* The length of a duration does not include the separator that follows it. */
static void
test_duration_scan(void)
{
	static const struct {
		const char *text;
		size_t len;
		double seconds, digit;
	} cases[] = { { "1:02:03.5, x", 9, 3723.5, 0.1 },
		{ "1 h 2 min, 3", 9, 3720, 60 }, { "1 h 2 min 5", 9, 3720, 60 },
		{ "2 min 5 s", 9, 125, 1 }, { "5 s", 0, 0, 0 },
		{ "12", 0, 0, 0 }, { "", 0, 0, 0 } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double seconds = NAN, digit = NAN;

		say(cases[i].text);
		CHECK_INT(duration_scan(cases[i].text, &seconds, &digit),
		    (long)cases[i].len);
		if (cases[i].len > 0) {
			CHECK_NEAR(seconds, cases[i].seconds, 1e-9);
			CHECK_NEAR(digit, cases[i].digit, 1e-12);
		}
	}
}

static const struct tap_test tests[] = {
	TEST(test_number_good),
	TEST(test_number_unknown),
	TEST(test_number_bad),
	TEST(test_number_like_strtod),
	TEST(test_number_scan),
	TEST(test_whole),
	TEST(test_duration_good),
	TEST(test_duration_bad),
	TEST(test_stamp_good),
	TEST(test_stamp_bad),
	TEST(test_prefixes),
	TEST(test_number_format),
	TEST(test_unit_formats),
	TEST(test_formats_apart),
	TEST(test_seconds_format),
	TEST(test_duration_scan),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
