/* Any bytes as a number, a duration or a time stamp: accepted values are finite
 * and in range, rejected ones set nothing. */
#include <config.h>

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/units/units.h"
#include "tests/fuzz/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const double untouched = 1234.5;

/* Check that the outcome set *x as units.h states. */
static void
check(enum units_outcome outcome, const double *x)
{
	if (outcome == UNITS_OK)
		assert(isfinite(*x));
	else if (outcome == UNITS_UNKNOWN)
		assert(isnan(*x));
	else
		assert(!(*x < untouched) && !(*x > untouched));
}

/* A plain number has the value that strtod() returns. */
static void
check_scan(const char *s, size_t len)
{
	char text[UNITS_MAX_DIGITS + 32];
	double x = untouched, want;
	const size_t n = number_scan(s, len, &x);

	assert(n <= len);
	if (n == 0 || n >= sizeof text)
		return;
	memcpy(text, s, n);
	text[n] = '\0';
	want = strtod(text, NULL);
	assert(!(x < want) && !(x > want));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *s = (const char *)data;
	char buf[UNITS_TEXT_SIZE];
	double x = untouched;
	long whole = 7;

	check_scan(s, len);
	check(number_parse(s, len, &x), &x);
	fuzz_accepted += isfinite(x) && (x < untouched || x > untouched);
	number_format(buf, x, 5);
	seconds_format(buf, x);
	percent_format(buf, x, 1);
	x = untouched;
	check(duration_parse(s, len, &x), &x);
	x = untouched;
	if (stamp_parse(s, len, &x) == STAMP_BAD)
		check(UNITS_BAD, &x);
	else
		check(UNITS_OK, &x);
	if (whole_parse(s, len, -5, 1000000, &whole) == UNITS_OK)
		assert(whole >= -5 && whole <= 1000000);
	return 0;
}
