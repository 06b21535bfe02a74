/* The unit that a line prints after a value, and whether the pattern expects
 * it: whole words of the pattern count, unless it rejects them. */
#include <config.h>

#include "extract/format/matcher.h"

#include <string.h>

#include "extract/format/format.h"
#include "extract/format/patterns/field_names.h"
#include "tests/tap.h"

/* True if the text after the value contradicts the pattern; the group `name`
 * matches the first number of the line. */
static int
contradicts(const char *pattern, const char *name, const char *line)
{
	struct capture c = { .word = field_name_find(name, strlen(name)),
		.name = name,
		.group = 1 };
	const struct pattern p = { .role = ROLE_STEP,
		.text = pattern,
		.captures = &c,
		.n_captures = 1 };
	const size_t from = strcspn(line, "0123456789");
	const size_t n = strspn(line + from, "0123456789.");
	size_t ends[4] = { from, from + n, from, from + n };
	const struct match m = { .pattern = &p,
		.text = line,
		.len = strlen(line),
		.ov = ends,
		.n_ov = 2 };

	CHECK(c.word != NULL);
	return printed_unit_contradicts(&m);
}

static void
test_units(void)
{
	CHECK(!contradicts("time (?<step_s>[\\d.]+)", "step_s", "time 3 s"));
	CHECK(contradicts("time (?<step_s>[\\d.]+)", "step_s", "time 3 ms"));
	CHECK(contradicts(
	    "(?<samples_per_s>\\d+)", "samples_per_s", "9 tokens/s"));
	CHECK(!contradicts(
	    "(?<samples_per_s>\\d+) tokens", "samples_per_s", "9 tokens/s"));
}

/* The pattern must have the whole word after the group, and not reject it. */
static void
test_words(void)
{
	static const struct {
		const char *pattern;
		int contradicts;
	} cases[] = {
		{ "(?<step_s>[\\d.]+) ms", 0 },
		{ "(?<step_s>[\\d.]+)\\sms", 0 },
		{ "(?<step_s>[\\d.]+) ?(?:ms|us)", 0 },
		{ "(?<step_s>[\\d.]+) (?!s)ms", 0 },
		/* Before the value. */
		{ "ms (?<step_s>[\\d.]+)", 1 },
		/* Part of a word. */
		{ "(?<step_s>[\\d.]+) msgs", 1 },
		{ "(?<step_s>[\\d.]+) items", 1 },
		/* The letters of an escape or of a class are not a word. */
		{ "(?<step_s>[\\d.]+)[ms]+", 1 },
		{ "(?<step_s>[\\d.]+)[]ms]", 1 },
		/* Rejected, at any depth. */
		{ "(?<step_s>[\\d.]+)(?! ms)", 1 },
		{ "(?<step_s>[\\d.]+)(?!(?: |_)(?:a)?ms)", 1 },
		{ "(?<step_s>[\\d.]+)(?<!x)(?!\\)ms)", 1 },
		{ "(?<step_s>[\\d.]+)(?!a(b)c) ms", 0 },
		/* A group with this name. */
		{ "(?<step_s>[\\d.]+).*(?<ms>x)", 1 },
		/* Another group, with a name that contains this one. */
		{ "(?<also_step_s>x) ms (?<step_s>[\\d.]+)", 1 },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		const int is =
		    contradicts(cases[i].pattern, "step_s", "time 3 ms");

		if (is != cases[i].contradicts)
			printf("# %s\n", cases[i].pattern);
		CHECK_INT(is, cases[i].contradicts);
	}
}

static const struct tap_test tests[] = {
	TEST(test_units),
	TEST(test_words),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
