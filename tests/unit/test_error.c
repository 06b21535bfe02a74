#include <config.h>

#include "common/error.h"
#include "tests/tap.h"

static void
test_place(void)
{
	struct error e = ERROR_INIT;

	CHECK_INT(
	    error_at(&e, ERROR_INPUT, "a.format", 3, 7, "no %s", "x"), -1);
	CHECK_STR(e.message, "a.format:3:7: no x");
	error_at(&e, ERROR_INPUT, "a.format", 3, 0, "bad");
	CHECK_STR(e.message, "a.format:3: bad");
	error_at(&e, ERROR_INPUT, "a.format", 0, 0, "bad");
	CHECK_STR(e.message, "a.format: bad");
	CHECK_INT(error_set(NULL, ERROR_INPUT, "unheard"), -1);
}

static void
test_prefix(void)
{
	struct error e = ERROR_INIT;

	error_set(&e, ERROR_EMPTY, "nothing");
	error_prefix(&e, "in %s", "run 3");
	CHECK_STR(e.message, "in run 3: nothing");
	error_set(&e, ERROR_INPUT, "again: %s", e.message);
	CHECK_STR(e.message, "again: in run 3: nothing");
}

static void
test_caret(void)
{
	struct error e = ERROR_INIT;

	error_set(&e, ERROR_INPUT, "bad");
	error_caret(&e, "ab\tcd", 5, 4);
	CHECK_STR(e.message, "bad\nab\tcd\n  \t^");
	error_set(&e, ERROR_INPUT, "bad");
	error_caret(&e, "ab", 2, 99);
	CHECK_STR(e.message, "bad\nab\n  ^");
}

/* Characters that control a terminal or the direction of text are replaced. */
static void
test_controls(void)
{
	char text[] = "a\tb\033[2J\xc2\x9b\xe2\x80\xae\xe2\x81\xa6"
		      "\xd8\x9c\xe2\x80\xa8z\xc3\xa4\xe2\x80\x93";
	struct error e = ERROR_INIT;

	error_set(&e, ERROR_INPUT, "%s", text);
	CHECK_STR(e.message,
	    "a\tb?[2J"
	    "?????????????"
	    "z\xc3\xa4\xe2\x80\x93");
	text_sanitise(text, "");
	CHECK_STR(text,
	    "a?b?[2J"
	    "?????????????"
	    "z\xc3\xa4\xe2\x80\x93");
}

static void
test_long_message(void)
{
	struct error e = ERROR_INIT;
	char big[3 * ERROR_MESSAGE_SIZE];

	memset(big, 'x', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	error_set(&e, ERROR_INPUT, "%s", big);
	CHECK_INT(strlen(e.message), ERROR_MESSAGE_SIZE - 1);
	error_prefix(&e, "%s", "p");
	CHECK_INT(strlen(e.message), ERROR_MESSAGE_SIZE - 1);
	error_caret(&e, big, sizeof big - 1, 5000);
	CHECK_INT(strlen(e.message), ERROR_MESSAGE_SIZE - 1);
}

static void
test_exit_status(void)
{
	struct error e = ERROR_INIT;

	error_set(&e, ERROR_USAGE, "x");
	CHECK_INT(error_exit_status(&e), 2);
	error_set(&e, ERROR_EMPTY, "x");
	CHECK_INT(error_exit_status(&e), 4);
	error_errno(&e, 2, "cannot open 'f'");
	CHECK_STR(e.message, "cannot open 'f': No such file or directory");
	CHECK_INT(error_exit_status(&e), 3);
}

static const struct tap_test tests[] = {
	TEST(test_place),
	TEST(test_prefix),
	TEST(test_caret),
	TEST(test_controls),
	TEST(test_long_message),
	TEST(test_exit_status),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
