#include <config.h>

#include "extract/scan/samples/number_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extract/format/matcher.h"
#include "tests/tap.h"

static const struct field_name value_word = { "step_s", FIELD_NAME_NUMBER,
	FIELD_NAME_STEP_TIME, FIELD_VALUE, FIELD_NAME_IN(ROLE_STEP), 1, "s", "",
	0, NULL, FIELD_NAME_NOT_ASKED };

/* The number plan of the n bytes at `at` of a line, as the value of a sample.
 * Returns as number_plan_make. */
static int
make(struct number_plan *r, struct number_plan_number *number, const char *line,
    size_t at, size_t n)
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

	return number_plan_make(r, &match, line, strlen(line), number, 1);
}

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

/* Other digits in the same places. */
static void
shuffle_digits(char *s)
{
	for (; *s != '\0'; s++)
		if (*s >= '0' && *s <= '9')
			*s = (char)('0' + (int)next_random(10));
}

/* All numbers of the shape of text, wherever they stand, are what strtod makes
 * of them: the same bits. */
static void
check_shape(const char *text)
{
	const size_t n = strlen(text);

	for (int i = 0; i < 400; i++) {
		const int before = (int)next_random(20);
		const int after = (int)next_random(20);
		char line[64], number[24];
		struct number_plan_number x;
		struct number_plan r;
		double got = -1, want;

		snprintf(
		    line, sizeof line, "%*s%s%*s", before, "", text, after, "");
		if (strlen(line) < 8)
			continue;
		CHECK_INT(
		    make(&r, &x, line, (size_t)before, n), NUMBER_PLAN_WORKS);
		if (!NUMBER_PLAN_WORKS)
			return;
		CHECK_INT(r.n, 1);
		memcpy(number, text, n + 1);
		shuffle_digits(number);
		memcpy(line + before, number, n);
		want = strtod(number, NULL);
		if (number_plan_number_read(&x, line, &got) == 0 &&
		    memcmp(&got, &want, sizeof got) != 0) {
			printf("# %s: %a, not %a\n", number, got, want);
			CHECK(0);
		}
	}
}

static void
test_same_as_strtod(void)
{
	static const char *const shapes[] = { "1", "12", "1234567", "12345678",
		"0.5", ".5", "5.", "0.325", "1234.567", "123456.", ".1234567",
		"123.45678", "12345678.1234567", "1.12345678", "6.9500e+00",
		"1e5", "1.5E-3", "2.5e-05", "1.2345678e+12" };

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		check_shape(shapes[i]);
}

static void
test_refused(void)
{
	static const char *const texts[] = { "", ".", "-1.5", "nan", "1,024",
		"123456789", "0.12345678901234567", "12345678.12345678",
		"123456789.5", "1.5e", "1.5e+", "1e1000", "1.5s", "1.5.2",
		"0x10", "12x3", "1.5d3", "1.5f+3", "12345678x1" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char line[64];
		struct number_plan_number x;
		struct number_plan r;

		snprintf(line, sizeof line, "Time %s of 130", texts[i]);
		if (make(&r, &x, line, 5, strlen(texts[i])) != 0) {
			printf("# '%s'\n", texts[i]);
			CHECK(0);
		}
	}
}

/* Powers of ten from 1e23 on are not exact: the general way is asked. */
static void
test_large_powers(void)
{
	struct number_plan_number x;
	struct number_plan r;
	double out;

	CHECK_INT(make(&r, &x, "Time 1.5e+23", 5, 7), NUMBER_PLAN_WORKS);
	if (!NUMBER_PLAN_WORKS)
		return;
	CHECK_INT(number_plan_number_read(&x, "Time 1.5e+23", &out), 0);
	CHECK_NEAR(out, 1.5e23, 0);
	CHECK_INT(number_plan_number_read(&x, "Time 1.5e+24", &out), -1);
	CHECK_INT(make(&r, &x, "Time 1.5e-21", 5, 7), 1);
	CHECK_INT(number_plan_number_read(&x, "Time 1.5e-21", &out), 0);
	CHECK_NEAR(out, 1.5e-21, 0);
	CHECK_INT(number_plan_number_read(&x, "Time 1.5e-22", &out), -1);
}

/* What a pattern cut in two is not for a number plan. */
static void
test_goes_on(void)
{
	struct number_plan_number x;
	struct number_plan r;

	CHECK_INT(make(&r, &x, "Time 12,345 s", 5, 2), 0);
	CHECK_INT(make(&r, &x, "Time 1.5e-05 s", 5, 3), 0);
	CHECK_INT(make(&r, &x, "Time 1.5E-05 s", 5, 3), 0);
	CHECK_INT(make(&r, &x, "Time 12, 345 s", 5, 2), NUMBER_PLAN_WORKS);
	CHECK_INT(make(&r, &x, "Time of 12,", 8, 2), NUMBER_PLAN_WORKS);
	CHECK_INT(make(&r, &x, "Time of 12", 8, 2), NUMBER_PLAN_WORKS);
}

static const struct tap_test tests[] = {
	TEST(test_same_as_strtod),
	TEST(test_refused),
	TEST(test_large_powers),
	TEST(test_goes_on),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
