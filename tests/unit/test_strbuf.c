#include <config.h>

#include "common/alloc.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "tests/tap.h"

static void
test_empty(void)
{
	struct strbuf sb;
	char *s;

	strbuf_init(&sb, 10);
	CHECK_STR(sb.buf, "");
	CHECK_INT(sb.alloc, 0);
	strbuf_add(&sb, "", 0);
	strbuf_addstr(&sb, "");
	strbuf_addchars(&sb, 'x', 0);
	strbuf_printf(&sb, "%s", "");
	CHECK_INT(sb.alloc, 0);
	CHECK_INT(sb.full, 0);
	strbuf_reset(&sb);
	strbuf_release(&sb);
	s = strbuf_detach(&sb); /* must be freed even if empty */
	CHECK_STR(s, "");
	free(s);
}

static void
test_all_additions(void)
{
	struct strbuf sb;

	strbuf_init(&sb, 1000);
	strbuf_addstr(&sb, "4n8g");
	strbuf_addch(&sb, '/');
	strbuf_add(&sb, "r50xyz", 3);
	strbuf_addchars(&sb, '_', 2);
	strbuf_printf(&sb, "b%d_%s", 128, "fp32");
	CHECK_STR(sb.buf, "4n8g/r50__b128_fp32");
	CHECK_INT(sb.len, 19);
	CHECK_INT(sb.full, 0);
	strbuf_reset(&sb);
	CHECK_STR(sb.buf, "");
	CHECK_INT(sb.len, 0);
	CHECK(sb.alloc > 0);
	strbuf_add(&sb, "a\0b", 3);
	CHECK_INT(sb.len, 3);
	CHECK_INT(memcmp(sb.buf, "a\0b", 4), 0);
	strbuf_release(&sb);
	CHECK_INT(sb.alloc, 0);
	CHECK_INT(sb.max, 1000);
}

/* An addition that exceeds the maximum adds nothing and sets full. */
static void
test_cap(void)
{
	struct strbuf sb;

	strbuf_init(&sb, 5);
	strbuf_addstr(&sb, "abcde"); /* exactly full is not too much */
	CHECK_INT(sb.full, 0);
	CHECK_STR(sb.buf, "abcde");
	strbuf_addch(&sb, 'f');
	CHECK_INT(sb.full, 1);
	CHECK_STR(sb.buf, "abcde");
	strbuf_reset(&sb);
	CHECK_INT(sb.full, 0);
	strbuf_addstr(&sb, "abc");
	strbuf_addstr(&sb, "def");
	CHECK_INT(sb.full, 1);
	CHECK_STR(sb.buf, "abc");
	strbuf_reset(&sb);
	strbuf_addchars(&sb, 'x', 6);
	CHECK_INT(sb.full, 1);
	strbuf_reset(&sb);
	strbuf_printf(&sb, "%d", 123456);
	CHECK_INT(sb.full, 1);
	CHECK_STR(sb.buf, "");
	strbuf_printf(&sb, "%d", 12345); /* full stays until the reset */
	CHECK_INT(sb.full, 1);
	CHECK_STR(sb.buf, "12345");
	strbuf_release(&sb);
	CHECK_INT(sb.full, 0);
}

/* A length that would overflow is rejected. */
static void
test_cap_of_everything(void)
{
	struct strbuf sb;

	strbuf_init(&sb, SIZE_MAX);
	strbuf_addstr(&sb, "abc");
	strbuf_addchars(&sb, 'x', SIZE_MAX);
	strbuf_addchars(&sb, 'x', SIZE_MAX - 3);
	strbuf_addchars(&sb, 'x', SIZE_MAX - 4);
	CHECK_INT(sb.full, 1);
	CHECK_STR(sb.buf, "abc");
	strbuf_release(&sb);
}

static void
test_growth(void)
{
	struct strbuf sb;

	strbuf_init(&sb, 100000);
	for (int i = 0; i < 20000; i++)
		strbuf_printf(&sb, "%05d", i);
	CHECK_INT(sb.full, 0);
	CHECK_INT(sb.len, 100000);
	CHECK_INT(sb.buf[100000], '\0');
	for (int i = 0; i < 20000; i++) {
		char digits[12];

		snprintf(digits, sizeof digits, "%05d", i);
		CHECK_INT(memcmp(sb.buf + 5 * i, digits, 5), 0);
	}
	strbuf_release(&sb);
}

static void
test_detach(void)
{
	struct strbuf sb;
	char *s;

	strbuf_init(&sb, 20);
	strbuf_addstr(&sb, "first");
	s = strbuf_detach(&sb);
	strbuf_addstr(&sb, "second");
	CHECK_STR(s, "first");
	CHECK_STR(sb.buf, "second");
	CHECK_INT(sb.max, 20);
	free(s);
	strbuf_release(&sb);
}

static void
test_parse(void)
{
	static const char *const bad[] = { "", " 1", "\t1", "1 ", "1x", "x",
		"99999999999999999999", "-99999999999999999999" };
	long n = 7;
	double x = 7;

	CHECK_INT(parse_long("-12", LONG_MIN, LONG_MAX, &n), 0);
	CHECK_INT(n, -12);
	CHECK_INT(parse_long("3", 3, 3, &n), 0);
	CHECK_INT(n, 3);
	CHECK_INT(parse_long("2", 3, 5, &n), -1);
	CHECK_INT(parse_long("6", 3, 5, &n), -1);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK_INT(parse_long(bad[i], LONG_MIN, LONG_MAX, &n), -1);
	CHECK_INT(n, 3);
	CHECK_INT(parse_double("1e3", 0, 1000, &x), 0);
	CHECK_NEAR(x, 1000, 0);
	for (size_t i = 0; i + 2 < sizeof bad / sizeof *bad; i++)
		CHECK_INT(parse_double(bad[i], -1e30, 1e30, &x), -1);
	CHECK_INT(parse_double("nan", -1e30, 1e30, &x), -1);
	CHECK_INT(parse_double("inf", -INFINITY, INFINITY, &x), -1);
	CHECK_INT(parse_double("-1", 0, 5, &x), -1);
	CHECK_INT(parse_double("6", 0, 5, &x), -1);
	CHECK_NEAR(x, 1000, 0);
}

/* The most frequent separator of the line; on a tie the first of the list. */
static void
test_separator(void)
{
	static const struct {
		const char *line;
		char want;
	} cases[] = { { "a,b;c;d", ';' }, { "a;b,c", ',' }, { "a", ',' },
		{ "", ',' }, { "a;b\n,,,", ';' }, { "a;b\r\n,", ';' } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *s = cases[i].line;

		CHECK_INT(text_separator(text_line(s, s + strlen(s)), ",;"),
		    cases[i].want);
	}
	CHECK_INT(
	    text_separator(
		(struct text_span){ cases[1].line, cases[1].line + 3 }, ",;"),
	    ';');
}

static const struct tap_test tests[] = {
	TEST(test_empty),
	TEST(test_all_additions),
	TEST(test_cap),
	TEST(test_cap_of_everything),
	TEST(test_growth),
	TEST(test_detach),
	TEST(test_parse),
	TEST(test_separator),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
