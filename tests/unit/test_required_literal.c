#include <config.h>

#include <stdio.h>
#include <string.h>

#include "extract/format/patterns/required_literal.h"
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
		{ "(?<name>a)/\\k<name>bcd", "bcd" },
		{ "(?<name>a)/\\k'name'bcd", "bcd" },
		{ "(?<name>a)/\\g<name>bcd", "bcd" },
		{ "ab\\k<name", "ab" },
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
		{ "after=:::MLLOG key==run", ":::MLLOG" },
		{ "after=:::MLLOG key==run_start", "run_start" },
		{ "mode==training_2", "mode" }, /* digits */
		{ "mode==one_value|other_value", "mode" },
		{ "mode==odd~1value", "mode" },
		{ "!absent_key mode==train", "train" },
		{ "+there iter=n", "there" },
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
		{ "ab(?:x|y)cd[0-9]ef", "cd7efab", 1 },
		{ "ab(?:x|y)cd[0-9]ef", "cdabef", 0 },
		{ "ab(?:x|y)cd[0-9]ef", "cdabe", 0 },
		{ "ab(?:x|y)cd[0-9]ef", "cdbaef", 0 },
		{ "a1b", "a7b", 1 },
		{ "a1b", "axb", 0 },
		{ "ab?c*de", "ade", 1 },
		{ "ab?c*de", "aed", 0 },
		{ "xy|ab", "", 1 },
		{ "(?:mpirun|mpiexec)", "a mpi of mpirun", 1 },
		{ "(?:mpirun|mpiexec)", "compiler", 1 }, /* has mp and pi */
		{ "(?:mpirun|mpiexec)", "m p i", 0 },
		{ "(?:mpirun|mpiexec)?", "m p i", 1 },
		{ "(?:mpirun|)x", "x", 1 },
		{ "(?:a(?:b|c)d|a[|]c)", "a", 1 },
		{ "(?:a(?:b|c)d|a[|]c)", "d", 0 },
		{ "(?:xa|ya)+", "a", 1 },
		{ "(?:xa|ya)+", "x", 0 },
		{ "(?:x(?i:a)|xb)", "x", 1 }, /* not looked into */
		{ "(?:x(?i:a)|xb)", "", 0 },
		{ "ab(?i:cd)ef", "abef", 1 },
		{ "ab(?i:cd)?ef", "abef", 1 },
		{ "ab(?i:cd)ef", "abcd", 0 },
		{ "ab(?i:cd)ef", "cdab ef", 1 },
		{ "(?>xy)", "", 1 },
		{ "a\\d+:b", "a10:b", 1 },
		{ "a[0-9]:b", "xa1:b", 1 },
		{ "a\\d+:b", "a:b 1", 0 }, /* digits count as bytes do */
		{ "a[0-9]+b", "a1 2 b", 0 },
		{ "a[0-9]+b", "a11b", 1 },
		{ "a\\d*b", "ab", 1 },
		{ "a\\d?b", "ab", 1 },
		{ "a[0-8]b", "b a 0", 0 },
		{ "a[0-8]b", "a9b", 1 },
		{ "a[017]b", "a0b", 1 },
		{ "a[^0]b", "b a", 1 },
		{ "a[0-]b", "b a", 1 },
		{ "a[-0]b", "b a", 1 },
		{ "a[0.]b", "b a", 1 },
		{ "a[]0]b", "b a", 1 },
		{ "a\\D+b", "b a", 1 },
		{ "\\d(?:a|b)\\d", "0", 1 },
		{ "\\d(?:a|b)\\d", "a", 0 },
		{ "ab+c", "abbc", 1 },
		{ "ab+c", "ab bb cb", 0 }, /* a b stands before the c */
		{ "(?:ab)+c", "ab c", 1 },
		{ "a(?=x)b", "ab", 1 },
		{ "(?i)xy", "", 1 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct required_literal_set need, in;
		char out[REQUIRED_LITERAL_MAX];

		memset(&in, 0, sizeof in);

		required_literal_find(rows[i].pattern, out, &need);
		required_literal_set_add(
		    &in, rows[i].line, strlen(rows[i].line));
		printf("# '%s' in '%s'\n", rows[i].pattern, rows[i].line);
		CHECK_INT(
		    required_literal_set_holds(&in, &need), rows[i].holds);
	}
}

/* Does the line hold what the selectors need? */
static int
keys_hold(const char *selectors, const char *line)
{
	struct required_literal_set need, in;
	char out[REQUIRED_LITERAL_MAX];

	memset(&in, 0, sizeof in);
	required_literal_find_key(selectors, out, &need);
	required_literal_set_add(&in, line, strlen(line));
	required_literal_set_add_keys(&in, line, strlen(line));
	return required_literal_set_holds(&in, &need);
}

/* A line holds the keys of its objects, wherever they stand; a value or a piece
 * of a key is none. */
static void
test_line_keys(void)
{
	static const struct {
		const char *selectors, *line;
		int holds;
	} rows[] = {
		{ "iter=time", "{\"time\": 1}", 1 },
		{ "iter=time", "{'time'\t :1", 1 },
		{ "iter=time", "{\"a\": \"it's\", 'time': 1", 1 },
		{ "iter=time", "{\"\": \"\"\"time\": 1", 1 },
		{ "iter=time", "{\"a\": \"time\"}", 0 },
		{ "iter=time", "{\"a\": \"time\", \"atime\": 1}", 0 },
		{ "iter=time", "{\"data_time\": 1, \"time_ms\": 1}", 0 },
		{ "iter=time", "{\"time\\\": 1}", 0 },
		{ "iter=time|date", "{\"a\": 1}", 1 }, /* either */
		{ "iter?=time", "{\"a\": 1}", 1 },
		{ "!time", "{\"a\": 1}", 1 },
		{ "+time", "{\"a\": time}", 0 },
		{ "iter=data/time", "{\"data\": {\"time\": 1}}", 1 },
		{ "iter=data/time", "{\"atad\": {\"time\": 1}}", 0 },
		{ "iter=data/1", "{\"data\": [1, 2]}", 1 },
		{ "time==abc", "{\"time\": \"abc\"}", 1 },
		{ "time==abc", "{\"time\": \"bac\"}", 0 },
		{ "iter=layer1", "{\"layer7\": 1}", 1 }, /* digits are one */
		{ "iter=a~1b", "{\"a/b\": 1}", 1 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		printf("# '%s' in '%s'\n", rows[i].selectors, rows[i].line);
		CHECK_INT(
		    keys_hold(rows[i].selectors, rows[i].line), rows[i].holds);
	}
}

/* At any place of a line, at any length that is looked for. */
static void
test_key_places(void)
{
	char line[400], selector[200];

	for (int at = 0; at < 70; at++)
		for (int n = 1; n < 80; n += 7) {
			snprintf(selector, sizeof selector, "+%.*s", n,
			    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuv"
			    "wxyzabcdefghijklmnopqrstuvwxyz");
			snprintf(line, sizeof line, "%*s{\"%s\": 1}", at, "",
			    selector + 1);
			CHECK_INT(keys_hold(selector, line), 1);
		}
}

static const struct tap_test tests[] = {
	TEST(test_required_literal),
	TEST(test_key),
	TEST(test_set),
	TEST(test_line_keys),
	TEST(test_key_places),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
