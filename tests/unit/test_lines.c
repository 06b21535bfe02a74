/* Lines of a text given in pieces: numbers, flags and cuts. */
#include <config.h>

#include "common/alloc.h"
#include "extract/input/byte_source.h"
#include "tests/tap.h"

#include <string.h>

/* Append a line as "NUMBER[FLAGS]:TEXT;". arg is a strbuf. */
static void
show(void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	struct strbuf *sb = arg;

	strbuf_printf(sb, "%d%s%s:", (int)number,
	    flags & LINE_CONTROL ? "c" : "", flags & LINE_HIGH ? "h" : "");
	strbuf_add(sb, text, len);
	strbuf_addch(sb, ';');
}

/* Walk over a text that arrives in pieces of `piece` bytes. Returns the number
 * of lines; *shown receives the output of show(). */
static int64_t
walk(struct line_walker *w, const char *text, size_t len, size_t max_line,
    size_t piece, int last, struct strbuf *shown)
{
	size_t at = 0, end = 0;

	strbuf_init(shown, SIZE_MAX / 2);
	line_walker_init(w, max_line);
	while (end < len) {
		end = len - end > piece ? end + piece : len;
		at += line_walker_consume(
		    w, text + at, end - at, last && end == len, show, shown);
	}
	if (len == 0)
		line_walker_consume(w, text, 0, last, show, shown);
	return line_walker_lines(w);
}

static void
test_lines(void)
{
	static const struct {
		const char *text;
		int64_t lines;
		const char *shown;
	} cases[] = {
		{ "", 0, "" },
		{ "a", 1, "1:a;" },
		{ "a\n", 1, "1:a;" },
		{ "a\nb", 2, "1:a;2:b;" },
		{ "\n\na\n", 3, "3:a;" },
		{ "a\r\nb\r\n", 2, "1:a;2:b;" },
		/* A progress bar is one line, as in an editor. */
		{ "a\rb\rc\nd\n", 2, "1:a;1:b;1:c;2:d;" },
		{ "a\r", 1, "1:a;" },
		{ "a\tb\n", 1, "1:a\tb;" },
		{ "a\001\nb\n", 2, "1c:a\001;2:b;" },
		{ "\001\n", 1, "1c:\001;" },
		{ "a\nb\xc3\xa9\nc\n", 3, "1:a;2h:b\xc3\xa9;3:c;" },
		{ "\x1b[1mb\xff\nc", 2, "1ch:\x1b[1mb\xff;2:c;" },
		/* At the ends of blocks, and in the remainder after them. */
		{ "0123456789abcdef0123456789abcde\x7f\n", 1,
		    "1:0123456789abcdef0123456789abcde\x7f;" },
		{ "0123456789abcde\x80"
		  "0123456789abcde\n",
		    1,
		    "1h:0123456789abcde\x80"
		    "0123456789abcde;" },
		{ "0123456789abcdef\x1f"
		  "123456789abcde\n",
		    1,
		    "1c:0123456789abcdef\x1f"
		    "123456789abcde;" },
	};

	for (int i = 0; i < N_TESTS(cases); i++)
		for (size_t piece = 1; piece < 40; piece++) {
			struct line_walker w;
			struct strbuf shown;

			CHECK_INT(walk(&w, cases[i].text, strlen(cases[i].text),
				      100, piece, 1, &shown),
			    cases[i].lines);
			CHECK_STR(shown.buf, cases[i].shown);
			CHECK_INT(w.n_long, 0);
			strbuf_release(&shown);
		}
}

/* A line that is still being written is not passed on. */
static void
test_open_line(void)
{
	struct line_walker w;
	struct strbuf shown;

	CHECK_INT(walk(&w, "a\nb\xff", 4, 100, 2, 0, &shown), 1);
	CHECK_STR(shown.buf, "1:a;");
	strbuf_release(&shown);
}

/* Long lines are cut at their maximum, or at a blank shortly before it. */
static void
test_long_lines(void)
{
	static const struct {
		const char *text;
		int64_t lines, n_long;
		const char *shown;
	} cases[] = {
		{ "0123456789abcdef\n", 1, 0, "1:0123456789abcdef;" },
		{ "0123456789abcdefg\n", 1, 1, "1:0123456789abcdef;1:g;" },
		{ "0123456789abcde g\nh\n", 2, 1,
		    "1:0123456789abcde ;1:g;2:h;" },
		{ "0123456789abcd efgh\n", 1, 1, "1:0123456789abcd e;1:fgh;" },
		{ "0123456789abcdef0123456789abcdef0123\nx\n"
		  "0123456789abcdefg\n",
		    3, 2,
		    "1:0123456789abcdef;1:0123456789abcdef;1:0123;2:x;"
		    "3:0123456789abcdef;3:g;" },
	};

	for (int i = 0; i < N_TESTS(cases); i++)
		for (size_t piece = 17; piece < 40; piece++) {
			struct line_walker w;
			struct strbuf shown;

			CHECK_INT(walk(&w, cases[i].text, strlen(cases[i].text),
				      16, piece, 1, &shown),
			    cases[i].lines);
			CHECK_STR(shown.buf, cases[i].shown);
			CHECK_INT(w.n_long, cases[i].n_long);
			strbuf_release(&shown);
		}
}

static void
add_piece(void *arg, const char *text, size_t len)
{
	CHECK_INT(text[len], 0);
	strbuf_printf(arg, "%s|", text);
	CHECK_INT(strlen(text), len);
}

/* Escape sequences are removed; a backspace begins a new piece. */
static void
test_clean(void)
{
	static const struct {
		const char *text;
		size_t len;
		const char *clean; /* '|' after each piece */
	} cases[] = {
		{ "ab", 2, "ab|" },
		{ "a\033[1;32mb\033[0mc", 14, "abc|" },
		{ "a\033]0;title\ab", 12, "ab|" },
		{ "a\033]0;title\033\\b", 13, "ab|" },
		{ "a\033(Bb", 5, "ab|" },
		{ "a\033", 2, "a|" },
		{ "a\033[", 3, "a|" },
		{ "a\0b\0", 4, "ab|" },
		{ "12%\b\b\b13%", 9, "12%|13%|" },
		{ "\b\b1", 3, "1|" },
		{ "1/9\b\b\b2/9", 9, "1/9|2/9|" },
		{ "\033]0;title\ax\033[2K\033[1Gy", 20, "xy|" },
		{ "\033]8;;u\033\\link\033(B", 15, "link|" },
		{ "cut\033[3", 6, "cut|" },
		{ "cut\033", 4, "cut|" },
		{ "\b\b", 2, "" },
		{ "", 0, "" },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		struct strbuf seen = STRBUF_INIT(64);
		char room[32];

		line_each_piece(cases[i].text, cases[i].len, LINE_CONTROL, room,
		    add_piece, &seen);
		CHECK_STR(seen.buf, cases[i].clean);
		strbuf_release(&seen);
	}
}

int
main(void)
{
	static const struct tap_test tests[] = {
		TEST(test_lines),
		TEST(test_open_line),
		TEST(test_long_lines),
		TEST(test_clean),
	};

	return tap_main(tests, N_TESTS(tests));
}
