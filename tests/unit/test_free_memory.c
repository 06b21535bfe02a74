#include <config.h>

#include "trainer/run/meters/free_memory.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/tap.h"

static const double mib = 1 << 20;

/* More than a little, less than the machine has. */
static void
test_machine(void)
{
	const double all =
	    (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

	CHECK(free_memory_bytes(1) > mib);
	CHECK(free_memory_bytes(1) <= all);
	/* Others come and go meanwhile. */
	CHECK(free_memory_bytes(4) <= 0.3 * all);
}

/* A limit of this process is its own, however many there are. */
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
		CHECK(free_memory_bytes(1) < 600 * mib);
		CHECK(free_memory_bytes(1) > 400 * mib);
		CHECK_NEAR(free_memory_bytes(3), free_memory_bytes(1), mib);
		CHECK_INT(setrlimit(limits[i], &old), 0);
	}
}

static const struct tap_test tests[] = {
	TEST(test_machine),
	TEST(test_limits),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
