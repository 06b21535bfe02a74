#include <config.h>

#include <stdio.h>
#include <string.h>

#include "extract/format/required_literal.h"
#include "tests/tap.h"

struct row {
	const char *pattern, *literal;
};

static void
check_rows(const struct row *rows, size_t n,
    size_t find(
	const char *pattern, char *out, struct required_literal_set *need))
{
	size_t i;

	for (i = 0; i < n; i++) {
		char out[REQUIRED_LITERAL_MAX + 1];
		struct required_literal_set need;
		size_t len;

		memset(out, 0, sizeof out);
		printf("# '%.60s'\n", rows[i].pattern);
		len = find(rows[i].pattern, out, &need);
		CHECK_STR(out, rows[i].literal);
		CHECK_INT(len, strlen(rows[i].literal));
	}
}

static void
test_required_literal(void)
{
	static const struct row rows[] = {
		{ "abc", "abc" },
		{ "^abc$", "abc" },
		{ "ab\\[(?<iter>\\d+)/(?<iters>\\d+)\\] time", "] time" },
		{ "a\\bb", "ab" }, /* takes no text */
		{ "abcd?ef", "abc" },
		{ "abcd*ef", "abc" },
		{ "abcd+ef", "abcd" },
		{ "abcd{0,2}ef", "abc" },
		{ "abc{2}defg", "defg" },
		{ "a{b", "a{b" }, /* no quantifier */
		{ "ab.cde", "cde" },
		{ "ab[xy]cde", "cde" },
		{ "ab[ ]cd", "ab cd" },
		{ "ab[^ ]cde", "cde" },
		{ "ab[]x]cde", "cde" },
		{ "ab[[:alpha:]x]cde", "cde" },
		{ "ab(?:cd)ef", "abcdef" },
		{ "ab(?:cd)?ef", "ab" },
		{ "ab(?:cd)+ef", "abcd" },
		{ "ab(?:cd|xy)efg", "efg" },
		{ "ab(?<rank>cd)ef", "abcdef" },
		{ "ab(?=.*long text)cd", "abcd" },
		{ "ab(?!long text)cd", "abcd" },
		{ "ab(?<=long text)cd", "abcd" },
		{ "ab\\Kcd", "abcd" },
		{ "ab\\tcd", "ab\tcd" },
		{ "ab\\x41cde", "cde" },
		{ "ab\\x{41}cde", "cde" },
		{ "(ab)\\1cde", "cde" },
		{ "(ab)/\\g1 cde", " cde" },
		{ "ab\\p{L}cde", "cde" },
		{ "ab\\pLcde", "" },
		{ "abc|abd", "" },       /* alternatives */
		{ "(?i)abcdef", "" },    /* any case */
		{ "(?>abcdef)", "" },    /* not looked into */
		{ "a\\Qb+c\\Edef", "" }, /* not understood */
		{ "0123456789abcdef0123456789abcdefXYZ",
		    "0123456789abcdef0123456789abcdef" },
		{ "", "" },
	};

	check_rows(rows, sizeof rows / sizeof rows[0], required_literal_find);
}

static void
test_key(void)
{
	static const struct row rows[] = {
		{ "iter=step step_s=time", "step" },
		{ "iter=global_step loss?=very_long_key", "global_step" },
		{ "after=:::MLLOG key==run_start", ":::MLLOG" },
		{ "!absent_key mode==train", "mode" },
		{ "iter=a/bc/last step_s?=t", "last" },
		{ "iter=one_key|other_key", "" }, /* either */
		{ "iter=odd~1key", "" },
		{ "iter=data/0", "" },
	};

	check_rows(
	    rows, sizeof rows / sizeof rows[0], required_literal_find_key);
}

/* A line holds what all texts of a pattern are made of, whatever its digits. */
static void
test_set(void)
{
	static const struct {
		const char *pattern, *line;
		int holds;
	} rows[] = {
		{ "ab(?:x|y)cd[0-9]ef", "cdabef", 1 },
		{ "ab(?:x|y)cd[0-9]ef", "cdabe", 0 },
		{ "ab(?:x|y)cd[0-9]ef", "cdbaef", 0 },
		{ "a1b", "a7b", 1 },
		{ "a1b", "axb", 0 },
		{ "ab?c*de", "ade", 1 },
		{ "ab?c*de", "aed", 0 },
		{ "xy|ab", "", 1 },
		{ "(?i)xy", "", 1 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct required_literal_set need, in = { { 0 }, { 0 } };
		char out[REQUIRED_LITERAL_MAX];

		required_literal_find(rows[i].pattern, out, &need);
		required_literal_set_add(
		    &in, rows[i].line, strlen(rows[i].line));
		printf("# '%s' in '%s'\n", rows[i].pattern, rows[i].line);
		CHECK_INT(
		    required_literal_set_holds(&in, &need), rows[i].holds);
	}
}

static const struct tap_test tests[] = {
	TEST(test_required_literal),
	TEST(test_key),
	TEST(test_set),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
