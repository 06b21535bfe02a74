/* Cells of dots and characters. */
#include <config.h>

#include "plots/terminal_chart.h"

#include "tests/tap.h"

static const char *
written(const struct canvas *c, int colour)
{
	static struct strbuf sb;
	static int started;

	if (!started)
		strbuf_init(&sb, 1 << 20);
	started = 1;
	strbuf_reset(&sb);
	canvas_write(c, colour, &sb);
	return sb.buf;
}

/* Each dot of a cell is its own bit; outside is nothing. */
static void
test_dots(void)
{
	static const char *const want[8] = { "\xe2\xa0\x81\n", "\xe2\xa0\x88\n",
		"\xe2\xa0\x82\n", "\xe2\xa0\x90\n", "\xe2\xa0\x84\n",
		"\xe2\xa0\xa0\n", "\xe2\xa1\x80\n", "\xe2\xa2\x80\n" };
	struct canvas c;

	for (int i = 0; i < 8; i++) {
		canvas_init(&c, 1, 1);
		canvas_dot(&c, i % 2, i / 2, CANVAS_PLAIN);
		canvas_dot(&c, -1, 0, CANVAS_PLAIN);
		canvas_dot(&c, 0, -1, CANVAS_PLAIN);
		canvas_dot(&c, 2, 0, CANVAS_PLAIN);
		canvas_dot(&c, 0, 4, CANVAS_PLAIN);
		CHECK_STR(written(&c, 0), want[i]);
		canvas_release(&c);
	}
}

/* A level line, a steep one, every other dot of one. */
static void
test_lines(void)
{
	struct canvas c;

	canvas_init(&c, 2, 1);
	canvas_line(&c, 0, 0, 3, 0, 1, CANVAS_PLAIN);
	CHECK_STR(written(&c, 0), "\xe2\xa0\x89\xe2\xa0\x89\n");
	canvas_release(&c);
	canvas_init(&c, 1, 2);
	canvas_line(&c, 0, 7, 0, 0, 1, CANVAS_PLAIN);
	CHECK_STR(written(&c, 0), "\xe2\xa1\x87\n\xe2\xa1\x87\n");
	canvas_release(&c);
	canvas_init(&c, 2, 1);
	canvas_line(&c, 0, 0, 3, 3, 1, CANVAS_PLAIN);
	CHECK_STR(written(&c, 0), "\xe2\xa0\x91\xe2\xa2\x84\n");
	canvas_release(&c);
	canvas_init(&c, 2, 1);
	canvas_line(&c, 0, 0, 3, 0, 2, CANVAS_PLAIN);
	CHECK_STR(written(&c, 0), "\xe2\xa0\x81\xe2\xa0\x81\n");
	canvas_release(&c);
}

/* Text stands over dots, is cut at the end; wide characters take two cells and
 * are not halved; what commands a terminal is replaced. */
static void
test_text(void)
{
	struct canvas c;

	canvas_init(&c, 4, 2);
	canvas_dot(&c, 0, 0, CANVAS_PLAIN);
	canvas_text(&c, 0, 0, TEXT_LEFT, "abcdef", CANVAS_PLAIN);
	canvas_text(
	    &c, 1, 1, TEXT_LEFT, "\xe5\x9f\xba\xe5\x9f\xba", CANVAS_PLAIN);
	CHECK_STR(written(&c, 0), "abcd\n \xe5\x9f\xba\n");
	canvas_text(&c, 0, 1, TEXT_LEFT, "\033x\xe2\x80\xae", CANVAS_PLAIN);
	CHECK_STR(written(&c, 0), "abcd\n\xef\xbf\xbdx\xef\xbf\xbd\n");
	canvas_text(&c, -1, 0, TEXT_LEFT, "zy", CANVAS_PLAIN);
	CHECK_STR(written(&c, 0), "ybcd\n\xef\xbf\xbdx\xef\xbf\xbd\n");
	canvas_release(&c);
}

static void
test_colours(void)
{
	struct canvas c;

	canvas_init(&c, 4, 1);
	canvas_text(&c, 0, 0, TEXT_LEFT, "a", CANVAS_PLAIN);
	canvas_text(&c, 1, 0, TEXT_LEFT, "b", CANVAS_SERIES);
	canvas_dot(&c, 6, 0, CANVAS_SERIES + 1);
	canvas_dot(&c, 6, 1, CANVAS_FAINT);
	CHECK_STR(
	    written(&c, 1), "a\033[0;34mb \033[0;31m\xe2\xa0\x83\033[0m\n");
	CHECK_STR(written(&c, 0), "ab \xe2\xa0\x83\n");
	canvas_release(&c);
}

static const struct tap_test tests[] = {
	TEST(test_dots),
	TEST(test_lines),
	TEST(test_text),
	TEST(test_colours),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
