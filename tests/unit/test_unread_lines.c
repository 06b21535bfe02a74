/* Which of the lines that no pattern matched are kept. */
#include <config.h>

#include "extract/scan/detect/unread_lines.h"

#include <string.h>

#include "common/strbuf.h"
#include "tests/tap.h"

static void
add(struct unread_lines *u, const char *text, int64_t line)
{
	unread_lines_add(u, text, strlen(text), line);
}

static void
test_kinds(void)
{
	struct unread_lines *u = unread_lines_new();
	const struct unread_line *lines;
	size_t n;

	lines = unread_lines_all(u, &n);
	CHECK(lines != NULL);
	CHECK_INT(n, 0);
	add(u, "loss 1.25", 7);
	add(u, "loss 9.75", 8);
	add(u, "loss 10.5", 9); /* the point elsewhere */
	add(u, "fp16 1.25", 10);
	add(u, "fp32 1.25", 11); /* such digits are words */
	add(u, "short", 12);
	unread_lines_count(u, "loss 0.00", 9, 5);
	unread_lines_count(u, "never met", 9, 5);
	lines = unread_lines_all(u, &n);
	CHECK_INT(n, 4);
	CHECK_STR(lines[0].text, "loss 1.25");
	CHECK_INT(lines[0].first, 7);
	CHECK_INT(lines[0].times, 7);
	CHECK_INT(lines[1].first, 9);
	CHECK_INT(lines[1].times, 1);
	CHECK_STR(lines[3].text, "fp32 1.25");
	CHECK(!unread_lines_overflowed(u));
	unread_lines_clear(u);
	unread_lines_all(u, &n);
	CHECK_INT(n, 0);
	add(u, "loss 1.25", 1);
	unread_lines_all(u, &n);
	CHECK_INT(n, 1);
	unread_lines_free(u);
}

/* Kind i of many, in 20 to 200 bytes. */
static void
write_kind(struct strbuf *sb, unsigned i)
{
	unsigned x = i * 2654435761U;

	strbuf_reset(sb);
	for (unsigned j = 0; j < 20 + i % 180; j++) {
		strbuf_printf(sb, "%c", 'a' + (int)(x >> 28));
		x = x * 1664525U + 1013904223U;
	}
}

static void
check_same(struct unread_lines *a, struct unread_lines *b)
{
	size_t n, m;
	const struct unread_line *x = unread_lines_all(a, &n);
	const struct unread_line *y = unread_lines_all(b, &m);

	CHECK_INT(n, m);
	CHECK_INT(unread_lines_overflowed(a), unread_lines_overflowed(b));
	for (size_t i = 0; i < n && n == m; i++) {
		CHECK(x[i].hash == y[i].hash);
		CHECK_STR(x[i].text, y[i].text);
		CHECK_INT(x[i].first, y[i].first);
		CHECK_INT(x[i].times, y[i].times);
	}
}

/* In parts or not, what is kept is the same, and no more than is allowed;
 * what is kept was counted from its first line on. */
static void
test_parts(void)
{
	for (unsigned kinds = 10; kinds <= 30000; kinds *= 3) {
		struct unread_lines *whole = unread_lines_new();
		struct unread_lines *joined = unread_lines_new();
		struct unread_lines *part = unread_lines_new();
		const unsigned n_lines = 3 * kinds + 1;
		const struct unread_line *lines;
		int64_t before = 0;
		size_t n, bytes = 0;
		struct strbuf sb;

		strbuf_init(&sb, 1024);
		for (unsigned i = 0; i < n_lines; i++) {
			/* Some come once, some ten times. */
			write_kind(&sb, i % 7 ? i % kinds : i % (kinds / 9));
			unread_lines_add(whole, sb.buf, sb.len, i + 1);
			unread_lines_add(part, sb.buf, sb.len, i + 1 - before);
			if (i % 7001 != 7000 && i + 1 < n_lines)
				continue;
			unread_lines_join(joined, part, before);
			unread_lines_clear(part);
			before = i + 1;
		}
		check_same(whole, joined);
		lines = unread_lines_all(whole, &n);
		for (size_t i = 0; i < n; i++)
			bytes += lines[i].len;
		CHECK(bytes <= UNREAD_MAX_BYTES);
		if (unread_lines_overflowed(whole))
			CHECK(bytes > UNREAD_MAX_BYTES - 400);
		else
			CHECK_INT(n, kinds);
		CHECK_INT(unread_lines_overflowed(whole), kinds > 3000);
		unread_lines_free(whole);
		unread_lines_free(joined);
		unread_lines_free(part);
		strbuf_release(&sb);
	}
}

static const struct tap_test tests[] = {
	TEST(test_kinds),
	TEST(test_parts),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
