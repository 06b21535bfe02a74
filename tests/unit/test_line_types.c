/* The lines kept of those that no pattern matched. */
#include <config.h>

#include "extract/scan/detect/detect.h"

#include <string.h>

#include "common/alloc.h"
#include "tests/tap.h"

static void
add(struct unread_lines *u, const char *text, int64_t line)
{
	unread_lines_add(u, text, strlen(text), line);
}

static void
test_kinds(void)
{
	struct unread_lines unread = { .bytes = 0 }, *u = &unread;
	const struct line_type *lines;
	size_t n;

	add(u, "loss 1.25", 7);
	add(u, "loss 9.75", 8);
	add(u, "loss 10.5", 9); /* the point is elsewhere */
	add(u, "fp16 1.25", 10);
	add(u, "fp32 1.25", 11); /* digits in words matter */
	add(u, "short", 12);
	add(u, "loss 0.00", 13);
	add(u, "12.5 images/s", 14);
	add(u, "47.1 images/s", 15);
	add(u, "epoch 12", 16); /* the shortest */
	lines = u->types.items;
	n = u->types.n;
	CHECK_INT(n, 6);
	CHECK_STR(lines[0].text, "loss 1.25");
	CHECK_INT(lines[0].first, 7);
	CHECK_INT(lines[0].times, 3);
	CHECK_INT(lines[1].first, 9);
	CHECK_INT(lines[1].times, 1);
	CHECK_STR(lines[3].text, "fp32 1.25");
	CHECK_INT(lines[4].times, 2);
	CHECK(!u->overflowed);
	unread_lines_release(u);
}

/* Line kind i, in 20 to 200 bytes. */
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

/* No more is kept than allowed, and each kept line is counted from its first
 * occurrence on. */
static void
test_bounds(void)
{
	for (unsigned kinds = 10; kinds <= 30000; kinds *= 3) {
		struct unread_lines unread = { .bytes = 0 };
		struct unread_lines *whole = &unread;
		const unsigned n_lines = 3 * kinds + 1;
		const struct line_type *lines;
		size_t n, bytes = 0;
		struct strbuf sb;

		strbuf_init(&sb, 1024);
		for (unsigned i = 0; i < n_lines; i++) {
			/* Some kinds occur once, some ten times. */
			write_kind(&sb, i % 7 ? i % kinds : i % (kinds / 9));
			unread_lines_add(whole, sb.buf, sb.len, i + 1);
		}
		lines = whole->types.items;
		n = whole->types.n;
		for (size_t i = 0; i < n; i++) {
			int64_t times = 0, first = 0;

			bytes += lines[i].len;
			for (unsigned k = 0; i < 3 && k < n_lines; k++) {
				write_kind(
				    &sb, k % 7 ? k % kinds : k % (kinds / 9));
				if (strcmp(sb.buf, lines[i].text) != 0)
					continue;
				if (times++ == 0)
					first = k + 1;
			}
			CHECK(i >= 3 || lines[i].times == times);
			CHECK(i >= 3 || lines[i].first == first);
		}
		CHECK(bytes <= UNREAD_MAX_BYTES);
		if (whole->overflowed)
			CHECK(bytes > UNREAD_MAX_BYTES - 400);
		else
			CHECK_INT(n, kinds);
		CHECK_INT(whole->overflowed, kinds > 3000);
		unread_lines_release(whole);
		strbuf_release(&sb);
	}
}

static const struct tap_test tests[] = {
	TEST(test_kinds),
	TEST(test_bounds),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
