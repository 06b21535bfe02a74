/* Parsing of numbers, durations and time stamps of logs, and formatting of
 * numbers with units.
 *
 * Parsers take (pointer, length) without a NUL, read nothing beyond it, ignore
 * the locale and allocate nothing. They read the whole text, without
 * surrounding spaces.
 *
 *	double x;
 *	if (number_parse("10,050", 6, &x) == UNITS_OK) ...
 */
#ifndef COMMON_UNITS_UNITS_H
#define COMMON_UNITS_UNITS_H

#include <stddef.h>

#include "common/error.h"

enum units_outcome {
	UNITS_BAD = -1, /* invalid; nothing is set */
	UNITS_OK = 0,
	UNITS_UNKNOWN = 1 /* the text means unknown: set to NAN */
};

enum { UNITS_MAX_DIGITS = 1000 }; /* longer ones are bad */

/* Parse a number: digits with an optional sign, decimal point and exponent
 * ("12", "517.", ".5", "1e-05"), groups of three ("10,050.5"), and an SI suffix
 * K k M G T for 1e3 to 1e12, attached or after one blank.
 *
 * out  the double that strtod gives, times the suffix
 *
 * nan, inf, infinity, None, null, n/a, "-" and "--" in any case are
 * UNITS_UNKNOWN. Overflow and hexadecimal are UNITS_BAD. */
enum units_outcome number_parse(const char *s, size_t len, double *out);

/* Parse the longest plain number (no groups, no suffix) at the start of s, such
 * as "0.316" of "0.316s,".
 *
 * Returns its length in bytes and sets out; 0 if there is none or it
 * overflows. */
size_t number_scan(const char *s, size_t len, double *out);

/* Parse an integer with an optional sign and groups of three. "120.0" is
 * invalid.
 *
 * min, max  inclusive */
enum units_outcome whole_parse(
    const char *s, size_t len, long min, long max, long *out);

/* Parse a duration to seconds: "h:mm:ss", "m:ss" with an optional fraction; the
 * same after "N day(s), "; parts with units, largest first ("0m0.455s",
 * "1.00h", "1 hour, 18 minutes and 52.65 seconds", "350 ms", "12us"); a bare
 * number is seconds.
 *
 * Minutes and seconds after a colon are below 60 (60.0 is accepted: some
 * programs round up to it). The unknowns of number_parse are UNITS_UNKNOWN;
 * negative durations are UNITS_BAD. */
enum units_outcome duration_parse(const char *s, size_t len, double *seconds);

/* Parse a clock "1:02:03.5", or at least two parts "2m3.5s", at the start of s.
 * Returns the length, or 0.
 *
 * digit  set to the value of its last digit in seconds: 0.1 */
size_t duration_scan(const char *s, double *seconds, double *digit);

enum stamp_kind {
	STAMP_BAD = -1, /* not a time stamp; nothing is set */
	STAMP_DATE,     /* seconds since 1970-01-01 00:00:00 */
	STAMP_CLOCK,    /* no date: seconds since midnight */
	STAMP_YEARLESS  /* seconds since 1972-01-01, as if in that leap year:
			   only for differences */
};

/* Parse a time stamp. A time without zone is assumed to be UTC, since only
 * differences are used.
 *
 *	2020-10-13T12:34:56.123Z  2020-10-13 12:34:56,123+08:00  (DATE; also '/'
 *	between the parts of the date, "+0800", no seconds)
 *	1602563696.25  (DATE: seconds since 1970, 9 or 10 digits)
 *	1602563696250  (DATE: milliseconds, 13 digits; 16: microseconds,
 *	19: nanoseconds)
 *	12:34:56.123456  (CLOCK)
 *	0404 21:16:53.175658  07/03 12:34:56  (YEARLESS) */
enum stamp_kind stamp_parse(const char *s, size_t len, double *seconds);

/* True if a date with a time ends with its zone: "Z", "+0800", "+08:00". */
int stamp_has_zone(const char *s);

enum { UNITS_TEXT_SIZE = 48 };

/* The functions below write into buf and return it. NAN becomes "n/a". */

/* Format x with this many significant digits, but at least all integer digits,
 * and without exponent up to 1e15: 5 digits give "1234.5", "0.12346", "123456".
 *
 * digits  1 to 17 */
char *number_format(char buf[UNITS_TEXT_SIZE], double x, int digits);

/* Decimals for a number with this interval, so that half its width has two
 * digits (half width 1.05: 1, 24.8: 0). A large number if there is no interval
 * or its width is 0. */
int interval_decimals(double low, double high);

/* Decimals in number_format's text: x with this many significant digits, but at
 * least all integer digits. */
int significant_decimals(double x, int digits);

/* A printed number must not contradict its verdict: 2.96 is below 3, but "3.0"
 * is not. These functions use more digits if needed to print x on its side of
 * the bound. An x within rounding of the bound is equal to it. */

/* Number of decimals, at least the given one. */
int decimals_apart(double x, double bound, int decimals);

/* Like printf's %g, with at least this many digits. */
char *short_format_apart(
    char buf[UNITS_TEXT_SIZE], double x, double bound, int digits);

/* Format a duration: "350 us", "12.3 ms", "4.56 s", "3 min 20 s", "1 h 18 min",
 * "2 d 16 h". */
char *seconds_format(char buf[UNITS_TEXT_SIZE], double seconds);

/* Format a share in per cent: 0.9712 with 1 decimal is "97.1 %".
 *
 * decimals  six at most are printed; see decimals_apart */
char *percent_format(char buf[UNITS_TEXT_SIZE], double share, int decimals);

/* Parse a share, "2%" or "0.02", of the option --NAME.
 *
 * Returns 0; -1 with ERROR_USAGE unless the text is a number with % from 0 to
 * 100, or one from 0 to below 1. */
int share_parse(
    const char *option, const char *text, double *out, struct error *e);

/* Parse a rate with its unit: "25Gbit/s", "12.5 GB/s", kbit/s to Gbit/s in 1e3,
 * GB/s of 8e9 bit/s.
 *
 * Returns 0 and sets bit/s > 0, or -1. */
int link_rate_parse(const char *text, double *bit_per_s);

#endif
