#include <config.h>

#include <stdint.h>

#include "common/text.h"
#include "plots/style/picture_style.h"
#include "tests/tap.h"

static const struct {
	const char *text, *quoted;
} cases[] = {
	{ "plain", "'plain'" },
	{ "", "''" },
	{ "it's", "'it'.QUOTE.'s'" },
	{ "''", "''.QUOTE.''.QUOTE.''" },
	/* gnuplot's SVG does not escape ">". */
	{ "a]]>b]]", "'a]] >b]]'" },
	/* Single quotes have no escapes and run no commands. */
	{ "`touch x` $d @m \\n \"q\" \\", "'`touch x` $d @m \\n \"q\" \\'" },
	{ "two\nlines", "'two'.\"\\n\".'lines'" },
	{ "tab\tcr\rbell\a", "'tab cr bell '" },
	{ "飞桨_b128^2{x}", "'飞桨_b128^2{x}'" },
	/* Invalid UTF-8, C1 controls, the line separator, a noncharacter. */
	{ "a\xff\xc3z", "'a\xef\xbf\xbd\xef\xbf\xbdz'" },
	{ "a\xc2\x85z", "'a z'" },
	{ "a\xe2\x80\xa8z", "'a z'" },
	{ "a\xef\xbf\xbfz", "'a z'" },
};

static void
test_quotes(void)
{
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		CHECK_STR(quote_string(&a, cases[i].text), cases[i].quoted);
	arena_release(&a);
}

static const struct {
	const char *text;
	size_t width;
	const char *wrapped;
} wraps[] = {
	{ "short", 10, "short" },
	{ "", 10, "" },
	{ "one two three", 8, "one two\nthree" },
	{ "one two three", 7, "one two\nthree" },
	{ "one two three", 13, "one two three" },
	/* A word that is too long is split, as a path may have to be. */
	{ "unbreakable_word x", 5, "unbre\nakabl\ne_wor\nd x" },
	{ "a /long/path", 6, "a\n/long/\npath" },
	/* Wide characters take two columns and break without a blank. */
	{ "飞桨飞桨，批大小", 12, "飞桨飞桨，批\n大小" },
	{ "飞桨飞桨批大小", 9, "飞桨飞桨\n批大小" },
	{ "飞桨飞桨，批", 8, "飞桨飞\n桨，批" },
	{ "given\nline", 20, "given\nline" },
	{ "a  b", 2, "a\nb" },
};

static void
test_wrap(void)
{
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < sizeof wraps / sizeof wraps[0]; i++)
		CHECK_STR(quote_wrap(&a, wraps[i].text, wraps[i].width),
		    wraps[i].wrapped);
	arena_release(&a);
}

/* No line exceeds the width, and no character is lost. */
static void
test_wrap_is_whole(void)
{
	static const char *const parts[] = { "a", "word", ", ", " ", "; ",
		"飞桨", "，", "a_very_long_file_name.log", "；", "\n", "é" };
	struct arena a = ARENA_INIT;
	uint32_t state = 1;

	for (int k = 0; k < 3000; k++) {
		char text[400] = "", left[400] = "";
		const char *got;
		const size_t width = 2 + (size_t)k % 40;
		size_t n = 0, len = 0;

		for (int i = 0; i < 12; i++) {
			state = state * 1664525u + 1013904223u;
			len += (size_t)snprintf(text + len, sizeof text - len,
			    "%s", parts[(state >> 16) % N_TESTS(parts)]);
		}
		got = quote_wrap(&a, text, width);
		CHECK(utf8_columns(got) <= width);
		for (const char *p = got; *p != '\0'; p++)
			if (*p != ' ' && *p != '\n')
				left[n++] = *p;
		n = 0;
		for (const char *p = text; *p != '\0'; p++)
			if (*p != ' ' && *p != '\n')
				CHECK_INT(*p, left[n++]);
		CHECK_INT(left[n], '\0');
	}
	arena_release(&a);
}

static const struct tap_test tests[] = {
	TEST(test_quotes),
	TEST(test_wrap),
	TEST(test_wrap_is_whole),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
