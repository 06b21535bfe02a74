/* What is kept of kinds of line, and how many. */
#include <config.h>

#include "extract/scan/detect/kind_memo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/tap.h"

enum {
	MOST_KINDS = 1024,
	MOST_BYTES = 1 << 20 /* of all copies */
};

/* Keep one of these finds [n], and of no unsure formats. */
static void
add(struct kind_memo *m, const char *masked, size_t len,
    const struct kind_find *finds, size_t n)
{
	const struct kind_entry x = {
		.finds = finds, .n_finds = n, .masked = masked, .len = len
	};

	kind_memo_add(m, &x);
}

static const struct kind_entry *
find(const struct kind_memo *m, const char *masked)
{
	return kind_memo_find(m, masked, strlen(masked));
}

static void
test_finds(void)
{
	struct kind_find finds[2] = {
		{ .format = 3, .n_steps = 1, .n_summaries = 2 },
		{ .format = 7, .n_steps = 4 }
	};
	char masked[] = "it 0.000";
	struct kind_memo *m = kind_memo_new();
	const struct kind_entry *x;

	CHECK(find(m, masked) == NULL);
	add(m, masked, 8, finds, 2);
	add(m, "at 0.000", 8, finds + 1, 1);
	add(m, "", 0, NULL, 0);
	/* Both are copied. */
	masked[0] = 'x';
	finds[0].format = 99;
	CHECK(find(m, masked) == NULL);
	x = find(m, "it 0.000");
	CHECK(x != NULL);
	CHECK_INT(x->n_finds, 2);
	CHECK_INT(x->finds[0].format, 3);
	CHECK_INT(x->finds[0].n_steps, 1);
	CHECK_INT(x->finds[0].n_summaries, 2);
	CHECK_INT(x->finds[1].format, 7);
	x = find(m, "at 0.000");
	CHECK(x != NULL);
	CHECK_INT(x->n_finds, 1);
	CHECK_INT(x->finds[0].format, 7);
	x = find(m, "");
	CHECK(x != NULL);
	CHECK_INT(x->n_finds, 0);
	/* A part of a kind is another, and so is one byte more. */
	CHECK(find(m, "it 0.00") == NULL);
	CHECK(find(m, "it 0.0000") == NULL);
	/* What was kept first stays. */
	add(m, "it 0.000", 8, finds, 1);
	CHECK_INT(find(m, "it 0.000")->n_finds, 2);
	CHECK(!kind_memo_is_full(m));
	kind_memo_free(m);
	kind_memo_free(NULL);
}

/* The formats that are unsure of a kind are copied, too. */
static void
test_unsure(void)
{
	size_t unsure[2] = { 5, 0 };
	struct kind_memo *m = kind_memo_new();
	struct kind_entry kind = {
		.unsure = unsure, .n_unsure = 2, .masked = "n 0", .len = 3
	};

	kind_memo_add(m, &kind);
	kind.masked = "m 0";
	kind.n_unsure = 1;
	kind_memo_add(m, &kind);
	unsure[0] = 6;
	for (size_t format = 0; format < 8; format++) {
		CHECK_INT(kind_entry_is_unsure(find(m, "n 0"), format),
		    format == 5 || format == 0);
		CHECK_INT(
		    kind_entry_is_unsure(find(m, "m 0"), format), format == 5);
	}
	kind_memo_free(m);
}

/* Each of many is found again; one more than the most is not kept. */
static void
test_many(void)
{
	struct kind_memo *m = kind_memo_new();
	char masked[32];

	for (size_t i = 0; i <= MOST_KINDS; i++) {
		const struct kind_find x = { .format = i };

		CHECK_INT(kind_memo_is_full(m), i >= MOST_KINDS);
		snprintf(masked, sizeof masked, "kind %zu", i);
		add(m, masked, strlen(masked), &x, 1);
	}
	for (size_t i = 0; i < MOST_KINDS; i++) {
		const struct kind_entry *x;

		snprintf(masked, sizeof masked, "kind %zu", i);
		x = find(m, masked);
		CHECK(x != NULL);
		CHECK_INT(x->n_finds, 1);
		CHECK_INT(x->finds[0].format, i);
	}
	CHECK(find(m, "kind 1024") == NULL);
	kind_memo_free(m);
}

/* All copies are no more bytes than the most, to the last one. */
static void
test_bytes(void)
{
	struct kind_memo *m = kind_memo_new();
	char *text = xmalloc(MOST_BYTES);

	memset(text, 'a', MOST_BYTES);
	add(m, text, MOST_BYTES - 8, NULL, 0);
	CHECK(kind_memo_find(m, text, MOST_BYTES - 8) != NULL);
	add(m, "one more!", 9, NULL, 0);
	CHECK(find(m, "one more!") == NULL);
	CHECK(!kind_memo_is_full(m));
	add(m, "the last", 8, NULL, 0);
	CHECK(find(m, "the last") != NULL);
	CHECK(kind_memo_is_full(m));
	add(m, "x", 1, NULL, 0);
	CHECK(find(m, "x") == NULL);
	free(text);
	kind_memo_free(m);
}

static const struct tap_test tests[] = {
	TEST(test_finds),
	TEST(test_unsure),
	TEST(test_many),
	TEST(test_bytes),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
