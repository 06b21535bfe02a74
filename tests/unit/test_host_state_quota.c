/* Quotas of control groups, from folders that look like the kernel's. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "tests/files.h"
#include "tests/tap.h"
#include "trainer/base/host_state.h"

static char top[] = "core_quota_XXXXXX";

/* Write a file below top; text NULL removes it. */
static void
put_file(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", top, name);

	if (text == NULL)
		CHECK_INT(unlink(path), 0);
	else
		file_put(path, text);
	free(path);
}

static void
make_folder(const char *name)
{
	char *path = xasprintf("%s/%s", top, name);

	CHECK_INT(mkdir(path, 0755), 0);
	free(path);
}

static double
quota_of(const char *groups)
{
	char *path = xasprintf("%s/groups", top);
	double q;

	put_file("groups", groups);
	q = core_quota(path, top);
	free(path);
	return q;
}

static void
test_version_2(void)
{
	make_folder("a");
	make_folder("a/b");
	CHECK_NEAR(quota_of("0::/a/b\n"), 0, 0);
	put_file("a/b/cpu.max", "max 100000\n");
	CHECK_NEAR(quota_of("0::/a/b\n"), 0, 0);
	put_file("a/b/cpu.max", "50000 100000\n");
	CHECK_NEAR(quota_of("0::/a/b\n"), 0.5, 1e-12);
	CHECK_NEAR(quota_of("0::/a\n"), 0, 0);
	/* The smallest quota of the group and its parents applies. */
	put_file("a/cpu.max", "2500 10000\n");
	CHECK_NEAR(quota_of("0::/a/b\n"), 0.25, 1e-12);
	put_file("a/cpu.max", "300000 100000\n");
	CHECK_NEAR(quota_of("0::/a/b"), 0.5, 1e-12);
	CHECK_NEAR(quota_of("0::/a\n"), 3, 1e-12);
	/* The root, as in a container. */
	put_file("cpu.max", "150000 100000\n");
	CHECK_NEAR(quota_of("0::/\n"), 1.5, 1e-12);
	CHECK_NEAR(quota_of("0::/not/here\n"), 1.5, 1e-12);
	put_file("cpu.max", NULL);
}

static void
test_version_1(void)
{
	make_folder("cpu");
	make_folder("cpu/r");
	put_file("cpu/r/cpu.cfs_quota_us", "7500\n");
	CHECK_NEAR(quota_of("3:memory:/r\n2:cpu,cpuacct:/r\n"), 0, 0);
	put_file("cpu/r/cpu.cfs_period_us", "10000\n");
	CHECK_NEAR(quota_of("3:memory:/r\n2:cpu,cpuacct:/r\n"), 0.75, 1e-12);
	CHECK_NEAR(quota_of("2:cpuacct,cpu:/r\n"), 0.75, 1e-12);
	CHECK_NEAR(quota_of("1:cpu:/r\n0::/\n"), 0.75, 1e-12);
	CHECK_NEAR(quota_of("1:cpuset:/r\n2:cpuacct:/r\n"), 0, 0);
	put_file("cpu/r/cpu.cfs_quota_us", "-1\n");
	CHECK_NEAR(quota_of("1:cpu:/r\n"), 0, 0);
}

static void
test_bad(void)
{
	CHECK_NEAR(core_quota("/no/such/file", top), 0, 0);
	CHECK_NEAR(quota_of(""), 0, 0);
	CHECK_NEAR(quota_of("nonsense\n::\n:\n"), 0, 0);
	put_file("a/b/cpu.max", "100000 0\n");
	put_file("a/cpu.max", "100000\n");
	CHECK_NEAR(quota_of("0::/a/b\n"), 0, 0);
}

static const struct tap_test tests[] = {
	TEST(test_version_2),
	TEST(test_version_1),
	TEST(test_bad),
};

/* Remove what the tests leave: names deepest first. */
static void
clean_up(void)
{
	static const char *const names[] = { "a/b/cpu.max", "a/cpu.max", "a/b",
		"a", "cpu/r/cpu.cfs_quota_us", "cpu/r/cpu.cfs_period_us",
		"cpu/r", "cpu", "groups", "." };

	for (int i = 0; i < N_TESTS(names); i++) {
		char *path = i + 1 < N_TESTS(names)
		    ? xasprintf("%s/%s", top, names[i])
		    : xstrdup(top);

		remove(path);
		free(path);
	}
}

int
main(void)
{
	int rc;

	if (mkdtemp(top) == NULL)
		return 1;
	rc = tap_main(tests, N_TESTS(tests));
	clean_up();
	return rc;
}
