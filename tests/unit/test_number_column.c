/* A number of several lines is what the number plan reads in each of them. */
#include <config.h>

#include "extract/scan/samples/number_column.h"

#include <stdio.h>
#include <string.h>

#include "extract/format/matcher.h"
#include "tests/tap.h"

enum { LINE = 48 };

static const struct field_name value_word = { "step_s", FIELD_NAME_NUMBER,
	FIELD_NAME_STEP_TIME, FIELD_VALUE, FIELD_NAME_IN(ROLE_STEP), 1, "s", "",
	0, NULL, FIELD_NAME_NOT_ASKED };

static unsigned
next_random(unsigned below)
{
	static uint64_t state = 88172645463325252u;

	/* Marsaglia 2003, "Xorshift RNGs". */
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % below);
}

/* The number plan of the n bytes at `at` of a line. */
static int
make(struct number_plan_number *number, const char *line, size_t at, size_t n)
{
	struct capture capture = { 1, &value_word, "step_s", FIELD_VALUE, 0 };
	const struct pattern pattern = {
		.role = ROLE_STEP, .captures = &capture, .n_captures = 1
	};
	const size_t ov[4] = { 0, strlen(line), at, at + n };
	const struct match match = { .pattern = &pattern,
		.text = line,
		.len = strlen(line),
		.ov = ov,
		.n_ov = 2 };
	struct number_plan r;

	return number_plan_make(&r, &match, line, strlen(line), number, 1);
}

/* Other digits in the same places, but for the exponent's where these stay. */
static void
shuffle_digits(char *s, int exponents_too)
{
	for (; *s != '\0' && (exponents_too || (*s != 'e' && *s != 'E')); s++)
		if (*s >= '0' && *s <= '9')
			*s = (char)('0' + (int)next_random(10));
}

/* The digits that are stated are those of each line; where none are, they are
 * too many, or their powers of ten are not all one.  Returns whether not. */
static int
check_digits(const struct number_plan_number *x, const char *const *lines,
    size_t n, const struct number_digits *got)
{
	int power = 0, first_power = 0, one_power = n > 0, bad = 0;

	for (size_t i = 0; i < n; i++) {
		const uint64_t want =
		    number_plan_digits_read(x, lines[i], &power);

		first_power = i == 0 ? power : first_power;
		one_power &= power == first_power;
		if (got->decimals >= 0)
			bad |= got->digits[i] != (int64_t)want ||
			    got->decimals != -power;
	}
	return bad |
	    ((got->decimals >= 0) !=
		(one_power && first_power <= 0 && x->scale == 0));
}

static void
check_lines(const struct number_plan_number *x, const char *const *lines,
    size_t n, int is_whole)
{
	double want[NUMBER_COLUMN], got[NUMBER_COLUMN + 1];
	struct number_digits digits;
	int32_t whole[NUMBER_COLUMN + 1];
	int rc = 0, bad = 0;

	for (size_t i = 0; i < n; i++)
		rc |= number_plan_number_read(x, lines[i], &want[i]);
	got[n] = whole[n] = -7;
	CHECK_INT(number_column_read(x, lines, n, got, &digits), rc);
	CHECK(got[n] <= -7 && got[n] >= -7); /* nothing more is written */
	if (rc == 0)
		bad = memcmp(got, want, n * sizeof *got) != 0 ||
		    check_digits(x, lines, n, &digits);
	/* Digits alone: where all have as many decimals, and few. */
	if (rc == 0) {
		struct number_digits alone;
		const int given =
		    number_column_read_digits(x, lines, n, &alone);

		bad |= given !=
		    (n > 0 && digits.decimals >= 0 &&
			digits.decimals <= NUMBER_COLUMN_DECIMALS);
		bad |= given &&
		    (alone.decimals != digits.decimals ||
			memcmp(alone.digits, digits.digits,
			    n * sizeof *alone.digits) != 0);
	}
	if (is_whole) {
		int32_t one = -7;
		int same = n > 0;

		number_column_read_whole(x, lines, n, whole);
		for (size_t i = 1; i < n; i++)
			same &= whole[i] == whole[0];
		bad |= number_column_read_one(x, lines, n, &one) != same ||
		    one != (same ? whole[0] : -7);
		CHECK_INT(whole[n], -7);
		for (size_t i = 0; i < n; i++)
			bad |= (uint64_t)whole[i] !=
			    number_plan_run_read(&x->first, lines[i]);
	}
	if (bad)
		printf("# %zu lines like %s\n", n, lines[0]);
	CHECK_INT(bad, 0);
}

/* All numbers of the shape of text. */
static void
check_shape(const char *text)
{
	for (int round = 0; round < 300; round++) {
		/* Fewer than four are read one by one. */
		const size_t n = round % 4 == 0
		    ? next_random(4)
		    : next_random(NUMBER_COLUMN + 1);
		const int before = 8 + (int)next_random(9);
		const int after = (int)next_random(9);
		struct number_plan_number x;
		char text_of[NUMBER_COLUMN][LINE], first[LINE];
		const char *lines[NUMBER_COLUMN];

		snprintf(first, sizeof first, "%*s%s%*s", before, "", text,
		    after, "");
		if (!make(&x, first, (size_t)before, strlen(text))) {
			CHECK(!NUMBER_PLAN_WORKS);
			return;
		}
		for (size_t i = 0; i < n; i++) {
			memcpy(text_of[i], first, sizeof first);
			shuffle_digits(text_of[i], round % 3 == 0);
			lines[i] = text_of[i];
		}
		check_lines(
		    &x, lines, n, strspn(text, "0123456789") == strlen(text));
	}
}

static void
test_shapes(void)
{
	static const char *const shapes[] = { "1", "12", "1234567", "12345678",
		"0.5", ".5", "5.", "0.325", "1234.567", "123456.", ".1234567",
		"123.45678", "12345678.1234567", "1.12345678", "6.9500e+00",
		"1e5", "1.5E-3", "2.5e-05", "1.2345678e+12", "1e19", "1e-21",
		"9.5e+20" };

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		check_shape(shapes[i]);
}

/* Digits that are all 9, or 0. */
static void
test_extremes(void)
{
	static const char *const texts[] = { "99999999", "00000000", "9999.999",
		".9999999", "9999999.", "9.999e+22", "9.999e-18" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct number_plan_number x;
		const char *lines[NUMBER_COLUMN];
		char line[LINE];

		snprintf(line, sizeof line, "Time %s s", texts[i]);
		if (!make(&x, line, 5, strlen(texts[i])))
			return;
		for (size_t k = 0; k < NUMBER_COLUMN; k++)
			lines[k] = line;
		check_lines(&x, lines, NUMBER_COLUMN, i < 2);
	}
}

static const struct tap_test tests[] = {
	TEST(test_shapes),
	TEST(test_extremes),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
