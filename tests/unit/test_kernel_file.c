/* Numbers of small files, and the name of the boot. */
#include <config.h>

#include "trainer/base/kernel_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/files.h"
#include "tests/tap.h"

static char path[] = "kernel_file_XXXXXX";

static void
test_numbers(void)
{
	double x[2] = { 0, 0 };

	file_put(path, "50000 100000\n");
	CHECK_INT(kernel_file_numbers(path, "", x, 2), 0);
	CHECK_NEAR(x[0], 50000, 0);
	CHECK_NEAR(x[1], 100000, 0);
	CHECK_INT(kernel_file_numbers(path, "", x, 1), 0);
	file_put(path, "max 100000\n");
	CHECK_INT(kernel_file_numbers(path, "", x, 2), -1);
	file_put(path, "7");
	CHECK_INT(kernel_file_numbers(path, "", x, 2), -1);
	CHECK_INT(kernel_file_numbers(path, "", x, 1), 0);
	file_put(path, "");
	CHECK_INT(kernel_file_numbers(path, "", x, 1), -1);
	CHECK_INT(kernel_file_numbers("/no/such/file", "", x, 1), -1);
}

/* The line that begins with the key, not one that holds it. */
static void
test_key(void)
{
	double x = 0;

	file_put(path, "total_inactive_file 3\ninactive_file 4\nlast 5 kB\n");
	CHECK_INT(kernel_file_numbers(path, "inactive_file ", &x, 1), 0);
	CHECK_NEAR(x, 4, 0);
	CHECK_INT(kernel_file_numbers(path, "total_inactive_file ", &x, 1), 0);
	CHECK_NEAR(x, 3, 0);
	CHECK_INT(kernel_file_numbers(path, "last", &x, 1), 0);
	CHECK_NEAR(x, 5, 0);
	CHECK_INT(kernel_file_numbers(path, "file", &x, 1), -1);
}

/* The kernel writes 36 characters and a line end. */
static void
test_boot_id(void)
{
	struct strbuf sb;

	if (access("/proc/sys/kernel/random/boot_id", R_OK) != 0)
		SKIP("the kernel gives none");
	strbuf_init(&sb, 1 << 20);
	strbuf_addstr(&sb, "a");
	kernel_file_boot_id(&sb);
	CHECK(sb.len >= 37);
	CHECK_INT(sb.buf[0], 'a');
	strbuf_release(&sb);
}

static const struct tap_test tests[] = {
	TEST(test_numbers),
	TEST(test_key),
	TEST(test_boot_id),
};

int
main(void)
{
	const int fd = mkstemp(path);
	int rc;

	if (fd < 0)
		return 1;
	close(fd);
	rc = tap_main(tests, N_TESTS(tests));
	unlink(path);
	return rc;
}
