#include <config.h>

#include "common/alloc.h"

#include <stdint.h>
#include <stdlib.h>

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
	s = strbuf_detach(&sb); /* to be freed even if nothing was added */
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

/* Every addition stops at the maximum, whole, and reports it. */
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

/* A length that would wrap around is refused, not added. */
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

static const struct tap_test tests[] = {
	TEST(test_empty),
	TEST(test_all_additions),
	TEST(test_cap),
	TEST(test_cap_of_everything),
	TEST(test_growth),
	TEST(test_detach),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
