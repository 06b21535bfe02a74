#include <config.h>

#include "trainer/base/host_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "tests/files.h"
#include "tests/tap.h"

static const double mib = 1 << 20;

static double
free_bytes(int sharers)
{
	return free_memory_bytes(
	    sharers, CONTROL_GROUPS_FILE, CONTROL_GROUPS_ROOT);
}

/* At least 1 MiB, at most the memory of the machine. */
static void
test_machine(void)
{
	const double all =
	    (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

	CHECK(free_bytes(1) > mib);
	CHECK(free_bytes(1) <= all);
	/* Memory of other processes may change meanwhile. */
	CHECK(free_bytes(4) <= 0.3 * all);
}

/* A limit of the process is its own, whatever the number of sharers. */
static void
test_limits(void)
{
	static const int limits[] = { RLIMIT_AS, RLIMIT_DATA };

#ifdef __SANITIZE_ADDRESS__
	SKIP("the sanitizer takes all addresses");
#endif
	for (int i = 0; i < N_TESTS(limits); i++) {
		struct rlimit old, small;

		CHECK_INT(getrlimit(limits[i], &old), 0);
		small = old;
		small.rlim_cur = 600 << 20;
		CHECK_INT(setrlimit(limits[i], &small), 0);
		CHECK(free_bytes(1) < 600 * mib);
		CHECK(free_bytes(1) > 400 * mib);
		CHECK_NEAR(free_bytes(3), free_bytes(1), mib);
		CHECK_INT(setrlimit(limits[i], &old), 0);
	}
}

/* --- control groups ------------------------------------------------------- */

static char top[] = "free_memory_XXXXXX";

static const char *const folders[] = { "memory", "memory/a", "memory/a/b", "c",
	"c/d" };
static const char *const files[] = { "groups", "memory/memory.limit_in_bytes",
	"memory/memory.usage_in_bytes", "memory/a/memory.limit_in_bytes",
	"memory/a/memory.usage_in_bytes", "memory/a/memory.stat",
	"memory/a/b/memory.limit_in_bytes", "memory/a/b/memory.usage_in_bytes",
	"c/memory.max", "c/memory.current", "c/memory.stat", "c/d/memory.max",
	"c/d/memory.current" };

static void
put_file(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", top, name);

	file_put(path, text);
	free(path);
}

static double
left_in(const char *groups, int sharers)
{
	char *path = xasprintf("%s/groups", top);
	double left;

	put_file("groups", groups);
	left = free_memory_bytes(sharers, path, top);
	free(path);
	return left;
}

/* A number near 2^63 means no limit. Memory of others in the parent group
 * counts, except for reclaimable pages of files. */
static void
test_version_1(void)
{
	static const char own[] = "4:memory:/a/b\n1:cpu:/\n0::/\n";

	put_file("memory/memory.limit_in_bytes", "9223372036854771712\n");
	put_file("memory/memory.usage_in_bytes", "4096\n");
	CHECK(left_in(own, 1) > mib);
	put_file("memory/a/b/memory.limit_in_bytes", "900000\n");
	put_file("memory/a/b/memory.usage_in_bytes", "200000\n");
	CHECK_NEAR(left_in(own, 1), 700000, 0);
	CHECK_NEAR(left_in("4:hugetlb,memory:/a/b\n", 1), 700000, 0);
	put_file("memory/a/memory.limit_in_bytes", "1000000\n");
	put_file("memory/a/memory.usage_in_bytes", "600000\n");
	CHECK_NEAR(left_in(own, 1), 400000, 0);
	CHECK_NEAR(left_in(own, 4), 100000, 0);
	put_file("memory/a/memory.stat",
	    "inactive_file 1\ntotal_inactive_file 50000\n");
	CHECK_NEAR(left_in(own, 1), 450000, 0);
	CHECK(left_in("1:cpu:/a/b\n", 1) > mib);
}

static void
test_version_2(void)
{
	put_file("c/memory.max", "max\n");
	put_file("c/memory.current", "3000\n");
	put_file("c/d/memory.max", "500000\n");
	put_file("c/d/memory.current", "300000\n");
	CHECK_NEAR(left_in("0::/c/d\n", 1), 200000, 0);
	CHECK(left_in("0::/c\n", 1) > mib);
	put_file("c/memory.max", "100000\n");
	put_file("c/memory.stat", "anon 1\ninactive_file 2000\n");
	CHECK_NEAR(left_in("0::/c/d\n", 1), 99000, 0);
	/* The kernel may briefly report more usage than the limit. */
	put_file("c/memory.current", "300000\n");
	CHECK_NEAR(left_in("0::/c/d\n", 1), 0, 0);
}

static int
make_folders(void)
{
	int rc = mkdtemp(top) != NULL ? 0 : -1;

	for (int i = 0; i < N_TESTS(folders) && rc == 0; i++) {
		char *path = xasprintf("%s/%s", top, folders[i]);

		rc = mkdir(path, 0755);
		free(path);
	}
	return rc;
}

static void
remove_name(const char *name)
{
	char *path = xasprintf("%s/%s", top, name);

	remove(path);
	free(path);
}

static const struct tap_test tests[] = {
	TEST(test_version_1),
	TEST(test_version_2),
	TEST(test_machine),
	TEST(test_limits),
};

int
main(void)
{
	int rc;

	if (make_folders() != 0)
		return 1;
	rc = tap_main(tests, N_TESTS(tests));
	for (int i = 0; i < N_TESTS(files); i++)
		remove_name(files[i]);
	for (int i = N_TESTS(folders); i-- > 0;)
		remove_name(folders[i]);
	remove(top);
	return rc;
}
