/* Numbers, durations and time stamps as logs print them, and numbers with
 * units as we print them.
 *
 * Readers work on (pointer, length) without a NUL, never read beyond it, never
 * ask the locale and allocate nothing.  They read the whole text; spaces around
 * it are not part of it.
 *
 *	double x;
 *	if (number_parse("10,050", 6, &x) == UNITS_OK) ...
 */
#ifndef COMMON_UNITS_UNITS_H
#define COMMON_UNITS_UNITS_H

#include <stddef.h>

#include "common/error.h"

enum units_outcome {
	UNITS_BAD = -1, /* not such a thing; nothing is set */
	UNITS_OK = 0,
	UNITS_UNKNOWN = 1 /* the text stands for none: set to NAN */
};

enum { UNITS_MAX_DIGITS = 1000 }; /* bytes of a number; longer ones are bad */

/* A number: digits with an optional sign, decimal point and exponent ("12",
 * "517.", ".5", "1e-05"), groups of three ("10,050.5"), and an SI suffix K k M
 * G T for 1e3 to 1e12, glued or after one blank.
 *
 * out  the same double as strtod gives, times the suffix
 *
 * nan, inf, infinity, None, null, n/a, "-" and "--" in any case are
 * UNITS_UNKNOWN.  What overflows is UNITS_BAD.  Hexadecimal is UNITS_BAD. */
enum units_outcome number_parse(const char *s, size_t len, double *out);

/* The longest plain number (no groups, no suffix) at the start of s, such as
 * "0.316" of "0.316s,".
 *
 * Returns its length in bytes and sets out; 0 if there is none or it
 * overflows. */
size_t number_scan(const char *s, size_t len, double *out);

/* A whole number with an optional sign, groups of three allowed; "120.0" is
 * none.
 *
 * min, max  both included */
enum units_outcome whole_parse(
    const char *s, size_t len, long min, long max, long *out);

/* A duration, in seconds: "h:mm:ss", "m:ss" with an optional fraction; the same
 * after "N day(s), "; parts with units, largest first ("0m0.455s", "1.00h",
 * "1 hour, 18 minutes and 52.65 seconds", "350 ms", "12us"); a bare number is
 * seconds.
 *
 * Minutes and seconds after a colon are below 60 (60.0 itself is taken: some
 * programs round up to it).  "??" and "?" and what number_parse does not know
 * are UNITS_UNKNOWN; negative durations are UNITS_BAD. */
enum units_outcome duration_parse(const char *s, size_t len, double *seconds);

enum stamp_kind {
	STAMP_BAD = -1, /* not a time stamp; nothing is set */
	STAMP_DATE,     /* seconds since 1970-01-01 00:00:00 */
	STAMP_CLOCK,    /* no date: seconds since midnight */
	STAMP_YEARLESS  /* seconds since 1972-01-01 as if in that leap year:
	                   only good for differences */
};

/* A time stamp.  A time without zone is taken as UTC; only differences count.
 *
 *	2020-10-13T12:34:56.123Z  2020-10-13 12:34:56,123+08:00  (DATE; also '/'
 *	between the parts of the date, "+0800", no seconds)
 *	Wed Jun  1 12:18:57 2022  (DATE; also "Jun 1 12:18:57 UTC 2022")
 *	1602563696.25  (DATE: seconds since 1970, 9 or 10 digits)
 *	1602563696250  (DATE: milliseconds, 13 digits; 16: microseconds,
 *	19: nanoseconds)
 *	12:34:56.123456  (CLOCK)
 *	0404 21:16:53.175658  07/03 12:34:56  Jun  1 12:18:57  (YEARLESS) */
enum stamp_kind stamp_parse(const char *s, size_t len, double *seconds);

enum { UNITS_TEXT_SIZE = 48 };

/* All below write into buf and return it; NAN becomes "n/a". */

/* x with so many significant digits, but never fewer than all whole ones, and
 * without exponent up to 1e15: 5 digits give "1234.5", "0.12346", "123456".
 *
 * digits  1 to 17 */
char *number_format(char buf[UNITS_TEXT_SIZE], double x, int digits);

/* Decimals that a number with this interval should show: the interval's half
 * width in two digits (half a width of 1.05 is 1, of 24.8 is 0).  A large
 * number where there is no interval or it has no width. */
int interval_decimals(double low, double high);

/* Decimals of number_format's text: x in so many significant digits, but all
 * whole ones. */
int significant_decimals(double x, int digits);

/* What is printed next to a verdict must not contradict it: 2.96 is not below 3
 * in one decimal's "3.0".  All of these take more digits where x would else not
 * be printed on its side of the bound.  An x within rounding of it is equal. */

/* At least so many decimals. */
int decimals_apart(double x, double bound, int decimals);

/* number_format in at least so many digits. */
char *number_format_apart(
    char buf[UNITS_TEXT_SIZE], double x, double bound, int digits);

/* As printf's %g prints it in at least so many digits. */
char *short_format_apart(
    char buf[UNITS_TEXT_SIZE], double x, double bound, int digits);

/* percent_format with at least so many decimals, six at most. */
char *percent_format_apart(
    char buf[UNITS_TEXT_SIZE], double share, double bound, int decimals);

/* Bytes in powers of 1024: "512 B", "25.0 MiB". */
char *bytes_format(char buf[UNITS_TEXT_SIZE], double bytes);

/* A duration to read: "350 us", "12.3 ms", "4.56 s", "3 min 20 s",
 * "1 h 18 min", "2 d 16 h". */
char *seconds_format(char buf[UNITS_TEXT_SIZE], double seconds);

/* A share as per cent: 0.9712 with 1 decimal is "97.1 %".
 *
 * decimals  0 to 6 */
char *percent_format(char buf[UNITS_TEXT_SIZE], double share, int decimals);

/* Read a share, "2%" or "0.02", of the option --NAME.
 *
 * Returns 0; -1 with ERROR_USAGE where the text is no number with % from 0 to
 * 100, nor one from 0 to below 1. */
int share_parse(
    const char *option, const char *text, double *out, struct error *e);

/* A rate with its unit: "25Gbit/s", "12.5 GB/s", kbit/s to Gbit/s in 1e3,
 * GB/s of 8e9 bit/s.
 *
 * Returns 0 and bit/s above 0, or -1. */
int link_rate_parse(const char *text, double *bit_per_s);

#endif
