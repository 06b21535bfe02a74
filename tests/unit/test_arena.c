#include <config.h>

#include "common/alloc.h"

#include <stdalign.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

/* Allocations of sizes around a block's are aligned, cleared and disjoint. */
static void
test_pieces(void)
{
	enum { N = 3000 };
	static unsigned char *p[N];
	static size_t size[N];
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < N; i++) {
		size[i] = i % 97 == 0 ? 16000 + i : i % 61;
		p[i] = arena_calloc(&a, 1, size[i]);
		CHECK(p[i] != NULL);
		CHECK_INT((uintptr_t)p[i] % alignof(max_align_t), 0);
		for (size_t j = 0; j < size[i]; j++)
			CHECK_INT(p[i][j], 0);
		memset(p[i], (int)(i % 251) + 1, size[i]);
	}
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < size[i]; j++)
			CHECK_INT(p[i][j], i % 251 + 1);
	arena_release(&a);
	CHECK(a.blocks == NULL);
}

static void
test_calloc(void)
{
	struct arena a = ARENA_INIT;
	double *x = arena_calloc(&a, 100, sizeof *x);

	for (int i = 0; i < 100; i++)
		CHECK_NEAR(x[i], 0.0, 0.0);
	CHECK(arena_calloc(&a, 0, 8) != NULL);
	CHECK(arena_calloc(&a, 8, 0) != NULL);
	arena_release(&a);
}

static void
test_strings(void)
{
	struct arena a = ARENA_INIT;
	char text[] = "resnet50", *copy, *part;

	copy = arena_strdup(&a, text);
	part = arena_strndup(&a, text, 3);
	text[0] = 'R';
	CHECK_STR(copy, "resnet50");
	CHECK_STR(part, "res");
	CHECK_STR(arena_strndup(&a, text, 0), "");
	CHECK(arena_strdup(&a, NULL) == NULL);
	CHECK_STR(arena_printf(&a, "%dn%dg", 4, 8), "4n8g");
	CHECK_STR(arena_printf(&a, "%s", ""), "");
	CHECK_INT(strlen(arena_printf(&a, "%40000d", 7)), 40000);
	arena_release(&a);
}

static void
test_reuse(void)
{
	struct arena a = ARENA_INIT;

	arena_release(&a);
	for (int i = 0; i < 3; i++) {
		CHECK_STR(arena_strdup(&a, "again"), "again");
		arena_release(&a);
		CHECK(a.blocks == NULL);
	}
}

/* True if the allocation ends a child process, as alloc.h states. */
static int
ends_program(size_t n, size_t size)
{
	struct arena a = ARENA_INIT;
	int status;
	pid_t child = fork();

	CHECK(child >= 0);
	if (child == 0) {
		if (freopen("/dev/null", "w", stderr) != NULL)
			*(char *)arena_calloc(&a, n, size) = 1;
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void
test_overflow(void)
{
	CHECK(!ends_program(10, 10));
	CHECK(ends_program(SIZE_MAX / 2, 3));
	CHECK(ends_program(SIZE_MAX / 16 + 2, 16)); /* wraps to 16 */
	CHECK(ends_program(1, SIZE_MAX));
	CHECK(ends_program(1, SIZE_MAX - 15));
	CHECK(ends_program(1, SIZE_MAX - 16400));
}

/* Allocations are never NULL, or smaller than requested. */
static void
test_sizes(void)
{
	static const size_t sizes[][2] = { { 0, 8 }, { 8, 0 }, { 0, 0 },
		{ 1, 1000 }, { 1000, 1 }, { 7, 13 } };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const size_t n = sizes[i][0], size = sizes[i][1];
		void *list[] = { xmalloc(n * size), xcalloc(n, size),
			xreallocarray(NULL, n, size) };

		for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
			CHECK(list[k] != NULL);
			CHECK(malloc_usable_size(list[k]) >= n * size);
			free(list[k]);
		}
	}
}

static const struct tap_test tests[] = {
	TEST(test_pieces),
	TEST(test_calloc),
	TEST(test_strings),
	TEST(test_reuse),
	TEST(test_overflow),
	TEST(test_sizes),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
