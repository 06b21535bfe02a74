/* Times of threads, from a folder in the kernel's layout and from this
 * process. */
#include <config.h>

#include "trainer/base/host_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "tests/files.h"
#include "tests/tap.h"

static char top[] = "core_wait_XXXXXX";

static void
put_thread(const char *thread, const char *text)
{
	char *folder = xasprintf("%s/%s", top, thread);
	char *path = xasprintf("%s/schedstat", folder);

	CHECK_INT(mkdir(folder, 0755), 0);
	file_put(path, text);
	free(path);
	free(folder);
}

static void
drop_thread(const char *thread)
{
	char *path = xasprintf("%s/%s/schedstat", top, thread);

	CHECK_INT(unlink(path), 0);
	path[sizeof top + strlen(thread)] = '\0';
	CHECK_INT(rmdir(path), 0);
	free(path);
}

static void
test_read(void)
{
	struct core_wait w;

	CHECK(mkdtemp(top) != NULL);
	core_wait_read(top, &w);
	CHECK_NEAR(w.ran_s, 0, 0);
	put_thread("7", "1500000000 500000000 12\n");
	put_thread("8", "250000000 0 1\n");
	put_thread("9", "none\n");
	core_wait_read(top, &w);
	CHECK_NEAR(w.ran_s, 1.75, 1e-12);
	CHECK_NEAR(w.waited_s, 0.5, 1e-12);
	drop_thread("7");
	drop_thread("8");
	drop_thread("9");
	CHECK_INT(rmdir(top), 0);
	core_wait_read(top, &w);
	CHECK_NEAR(w.ran_s + w.waited_s, 0, 0);
}

static void
test_share(void)
{
	static const struct {
		struct core_wait before, after;
		double cores, share;
	} cases[] = {
		{ { 0, 0, 0 }, { 0, 0, 9 }, 1, 1 },
		{ { 1, 1, 5 }, { 3, 1, 9 }, 1, 1 },
		/* Half of a core, shared with a thread that never sleeps. */
		{ { 1, 1, 5 }, { 3, 3, 9 }, 1, 0.5 },
		{ { 0, 0, 0 }, { 1, 3, 4 }, 1, 0.25 },
		{ { 0, 0, 0 }, { 1, 1000, 2000 }, 1, 0.05 },
		/* Two own threads on one core; the same next to a program that
		 * gets half of it, so that both wait; the same on two cores, of
		 * which they get one. */
		{ { 0, 0, 0 }, { 4, 3, 4 }, 1, 1 },
		{ { 0, 0, 0 }, { 2, 6, 4 }, 1, 0.5 },
		{ { 0, 0, 0 }, { 4, 4, 4 }, 2, 0.5 },
		/* Threads ended in between. */
		{ { 3, 1, 0 }, { 1, 2, 9 }, 1, 1 },
		{ { 3, 2, 0 }, { 4, 1, 9 }, 1, 1 },
	};

	for (int i = 0; i < N_TESTS(cases); i++)
		CHECK_NEAR(core_wait_share(&cases[i].before, &cases[i].after,
			       cases[i].cores),
		    cases[i].share, 1e-12);
}

/* CPU time of this process is counted, if the kernel counts it. */
static void
test_own(void)
{
	struct core_wait before, after;
	clock_t end = clock() + CLOCKS_PER_SEC / 10;
	double share;

	if (access("/proc/self/schedstat", R_OK) != 0)
		return;
	core_wait_read(CORE_WAIT_TASKS, &before);
	while (clock() < end)
		continue;
	core_wait_read(CORE_WAIT_TASKS, &after);
	share = core_wait_share(&before, &after, 1);
	CHECK(after.ran_s == 0 || after.ran_s - before.ran_s > 0.05);
	CHECK(share > 0 && share <= 1);
}

static const struct tap_test tests[] = {
	TEST(test_read),
	TEST(test_share),
	TEST(test_own),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
