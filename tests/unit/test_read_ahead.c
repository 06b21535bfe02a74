#include <config.h>

#include "extract/input/read_ahead.h"
#include "tests/tap.h"

#include <stdio.h>
#include <string.h>

enum { SIZE = 16, N_PIECES = 1000 };

/* Pieces "0", "1", ... */
struct counter {
	int made;
	int fails_at; /* the piece that cannot be made; -1: none */
};

static int
make_piece(
    void *arg, char *buf, size_t *len, size_t size, int *last, struct error *e)
{
	struct counter *c = arg;

	if (c->made == c->fails_at)
		return error_set(e, ERROR_INPUT, "no piece %d", c->made);
	*len = (size_t)snprintf(buf, size, "%d", c->made++);
	*last = c->made == N_PIECES;
	return 0;
}

/* All pieces come, in their order, and the last is known. */
static void
test_order(void)
{
	struct counter c = { 0, -1 };
	struct read_ahead *a = read_ahead_start(make_piece, &c, SIZE);
	int last = 0;

	CHECK(a != NULL);
	for (int i = 0; i < N_PIECES; i++) {
		const char *piece;
		char want[SIZE];
		size_t len = 0;

		CHECK_INT(last, 0);
		CHECK_INT(
		    read_ahead_take(a, NULL, 0, &piece, &len, &last, NULL), 0);
		snprintf(want, sizeof want, "%d", i);
		CHECK_INT(len, strlen(want));
		CHECK(memcmp(piece, want, len) == 0);
	}
	CHECK_INT(last, 1);
	read_ahead_stop(a);
	CHECK_INT(c.made, N_PIECES);
}

/* The end of a piece, or all of it, comes before the next, however much has
 * gathered so. */
static void
test_rest(void)
{
	struct counter c = { 0, -1 };
	struct read_ahead *a = read_ahead_start(make_piece, &c, SIZE);
	char want[8 * N_PIECES];
	const char *data = NULL;
	size_t len = 0, used = 0, n = 0;
	int last;

	for (int i = 0; i < N_PIECES; i++) {
		CHECK_INT(read_ahead_take(a, data + used, len - used, &data,
			      &len, &last, NULL),
		    0);
		n += (size_t)snprintf(want + n, sizeof want - n, "%d", i);
		if (i < 100) /* grow, longer than pieces are */
			used = 0;
		else
			used = len > 40 ? len - (size_t)i % 40 : 0;
		CHECK(len <= n && memcmp(data, want + n - len, len) == 0);
		CHECK(i >= 100 || len == n);
	}
	CHECK_INT(last, 1);
	read_ahead_stop(a);
}

/* An error comes after the pieces before it. */
static void
test_error(void)
{
	struct counter c = { 0, 3 };
	struct read_ahead *a = read_ahead_start(make_piece, &c, SIZE);
	struct error e = ERROR_INIT;
	const char *piece;
	size_t len;
	int last;

	for (int i = 0; i < 3; i++)
		CHECK_INT(
		    read_ahead_take(a, NULL, 0, &piece, &len, &last, &e), 0);
	CHECK_STR(e.message, "");
	CHECK_INT(read_ahead_take(a, NULL, 0, &piece, &len, &last, &e), -1);
	CHECK_STR(e.message, "no piece 3");
	CHECK_INT(e.code, ERROR_INPUT);
	read_ahead_stop(a);
}

/* It may be stopped at any time, and makes no more pieces than there is room
 * for. */
static void
test_stop(void)
{
	read_ahead_stop(NULL);
	for (int n = 0; n < 50; n++) {
		struct counter c = { 0, -1 };
		struct read_ahead *a = read_ahead_start(make_piece, &c, SIZE);
		const char *piece;
		size_t len;
		int last;

		for (int i = 0; i < n; i++)
			read_ahead_take(a, NULL, 0, &piece, &len, &last, NULL);
		read_ahead_stop(a);
		CHECK(c.made >= n && c.made <= n + READ_AHEAD_PIECES);
	}
}

static const struct tap_test tests[] = {
	TEST(test_order),
	TEST(test_rest),
	TEST(test_error),
	TEST(test_stop),
};

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof tests[0]);
}
