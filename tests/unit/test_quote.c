#include <config.h>

#include <stdlib.h>

#include "plots/quote.h"
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
	/* Single quotes know no escapes and run nothing. */
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
	struct strbuf sb;

	strbuf_init(&sb, 1000);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		strbuf_reset(&sb);
		quote_add(&sb, cases[i].text);
		CHECK_STR(sb.buf, cases[i].quoted);
	}
	strbuf_release(&sb);
}

/* A backslash at the end of a comment would swallow the next line. */
static void
test_comment(void)
{
	struct strbuf sb;

	strbuf_init(&sb, 1000);
	quote_comment(&sb, "a\nset output 'x'\\");
	CHECK_STR(sb.buf, "a set output 'x'/");
	strbuf_release(&sb);
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
	/* Behind a comma rather than behind the last blank. */
	{ "model, batch 128 per GPU", 18, "model, batch 128\nper GPU" },
	{ "a model, batch 128 per GPU", 14, "a model,\nbatch 128 per\nGPU" },
	{ "unbreakable_word x", 5, "unbreakable_word\nx" },
	/* Wide characters take two columns. */
	{ "飞桨飞桨，批大小", 12, "飞桨飞桨，\n批大小" },
	{ "given\nline", 20, "given\nline" },
	{ "a  b", 2, "a\nb" },
};

static void
test_wrap(void)
{
	for (size_t i = 0; i < sizeof wraps / sizeof wraps[0]; i++) {
		char *got = quote_wrap(wraps[i].text, wraps[i].width);

		CHECK_STR(got, wraps[i].wrapped);
		free(got);
	}
}

static const struct tap_test tests[] = {
	TEST(test_quotes),
	TEST(test_comment),
	TEST(test_wrap),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
