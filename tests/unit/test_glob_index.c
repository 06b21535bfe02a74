#include <config.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "extract/input/file_list.h"
#include "extract/input/glob_index.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

/* A glob alone: does it fit, by itself and by an index? */
static void
test_fits(void)
{
	static const struct {
		const char *glob, *path;
		int fits;
	} cases[] = {
		{ "a.log", "a.log", 1 },
		{ "a.log", "x/y/a.log", 1 },
		{ "y/a.log", "x/y/a.log", 1 },
		{ "z/a.log", "x/y/a.log", 0 },
		{ "a.log", "aa.log", 0 },
		{ "*.log", "x/aa.log", 1 },
		{ "*/a*.log", "x/aa.log", 1 },
		{ "*.log", "x/aa.log.gz", 0 },
		{ "run[12].log", "run2.log", 1 },
		{ "run[12].log", "run3.log", 0 },
		{ "run[12].log", "run[12].log", 1 }, /* spelt the same */
		{ "[]]a.log", "]a.log", 1 },
		{ "[!]x]a.log", "ya.log", 1 },
		{ "[!]x]a.log", "]a.log", 0 },
		{ "[[:alpha:]]abc.log", "zabc.log", 1 },
		{ "[a\\]]abc.log", "]abc.log", 1 },
		{ "[abc", "[abc", 1 },
		{ "a[b/c]d", "a[b/c]d", 1 },
		{ "a[]-]bcdef", "a-bcdef", 1 },
		{ "a\\*b.log", "a*b.log", 1 },
		{ "a\\*b.log", "acb.log", 0 },
		{ "abc\\", "abc\\", 1 },
		{ "/b/?.log", "/b/a.log", 1 },
		{ "*", "", 1 },
		{ "?", "x/y", 1 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct glob_index x = GLOB_INDEX_INIT;

		printf("# %s %s\n", cases[i].glob, cases[i].path);
		CHECK_INT(file_list_fits(cases[i].path, cases[i].glob),
		    cases[i].fits);
		glob_index_add(&x, cases[i].glob, 3);
		glob_index_sort(&x);
		CHECK(glob_index_next(&x, cases[i].path, 0) ==
		    (cases[i].fits ? 3 : GLOB_INDEX_NONE));
		CHECK(glob_index_next(&x, cases[i].path, 4) == GLOB_INDEX_NONE);
		glob_index_release(&x);
	}
}

static void
test_empty(void)
{
	struct glob_index x = GLOB_INDEX_INIT;

	glob_index_sort(&x);
	CHECK(glob_index_next(&x, "a", 0) == GLOB_INDEX_NONE);
	glob_index_release(&x);
}

/* One of n, at random but the same each time. */
static size_t
draw(size_t n)
{
	static uint32_t state = 1;

	state = 1664525 * state + 1013904223;
	return (state >> 8) % n;
}

/* A few of these pieces, one after the other. */
static void
random_text(struct strbuf *sb, const char *const *pieces, size_t n)
{
	strbuf_reset(sb);
	for (size_t k = 1 + draw(8); k > 0; k--)
		strbuf_addstr(sb, pieces[draw(n)]);
}

/* What is found for random paths is what fits, one glob after the other. */
static void
test_random(void)
{
	static const char *const pieces[] = { "a", "b", "ab", "run", "1", "12",
		"/", ".log", "/run1", "[", "]", "\\", "*", "?", "[ab]", "[!1]",
		"[]a]", "\\*" };
	enum { N = 200, N_PATHS = 2000, N_PLAIN = 10 };
	char *globs[N];
	struct glob_index x = GLOB_INDEX_INIT;
	struct strbuf sb;
	size_t n_fits = 0, wrong = 0;

	strbuf_init(&sb, 1000);
	for (size_t i = 0; i < N; i++) {
		random_text(&sb, pieces, sizeof pieces / sizeof *pieces);
		globs[i] = xstrdup(sb.buf);
		glob_index_add(&x, globs[i], i);
	}
	glob_index_sort(&x);
	for (size_t k = 0; k < N_PATHS; k++) {
		size_t next;

		random_text(&sb, pieces, N_PLAIN);
		next = glob_index_next(&x, sb.buf, 0);
		for (size_t i = 0; i < N; i++) {
			const int fits = file_list_fits(sb.buf, globs[i]);

			n_fits += (size_t)fits;
			wrong += (next == i) != fits;
			if (next == i)
				next = glob_index_next(&x, sb.buf, i + 1);
		}
		wrong += next != GLOB_INDEX_NONE;
	}
	printf("# %zu fit\n", n_fits);
	CHECK(n_fits > N_PATHS);
	CHECK_INT(wrong, 0);
	for (size_t i = 0; i < N; i++)
		free(globs[i]);
	strbuf_release(&sb);
	glob_index_release(&x);
}

static const struct tap_test tests[] = {
	TEST(test_fits),
	TEST(test_empty),
	TEST(test_random),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
