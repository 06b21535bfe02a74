#include <config.h>

#include "tests/mpi/mpi_tap.h"

#include <stdio.h>
#include <stdlib.h>

struct comm *world;

int
all_ranks(int holds)
{
	int64_t well = holds != 0;
	struct error e = ERROR_INIT;

	if (comm_allreduce(world, &well, 1, COMM_I64, COMM_MIN, &e) != 0)
		printf("# %s\n", e.message);
	return well == 1;
}

int
mpi_tap_main(const struct tap_test *tests, int n)
{
	const char *backend = getenv("TEST_BACKEND");
	struct error e = ERROR_INIT;

	if (comm_open(backend != NULL ? backend : "mpi", &world, &e) != 0)
		return error_report("mpi_tap", &e);
	if (world->rank != 0 && freopen("/dev/null", "w", stdout) == NULL)
		return 1;
	tap_main(tests, n);
	comm_close(world);
	return 0;
}
