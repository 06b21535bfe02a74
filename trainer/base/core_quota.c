/* The quota of time of control groups, read from the kernel's files.
 * autotune_model.c asks whether a rank has a core to spare; trainer/launch's
 * core_share.c is who sets such quotas.  Nothing here knows ranks. */
#include <config.h>

#include "trainer/base/core_quota.h"

#include <stdlib.h>

#include "common/alloc.h"
#include "trainer/base/control_groups.h"
#include "trainer/base/kernel_file.h"

static int
read_numbers(const char *folder, const char *name, double *x, int n)
{
	char *path = xasprintf("%s/%s", folder, name);
	const int rc = kernel_file_numbers(path, "", x, n);

	free(path);
	return rc;
}

/* A group's own quota in cores, if it is less than that below it.  Version 1
 * writes -1 for none.
 *
 * ctx  the least until now; 0: none */
static void
take_quota(const char *folder, void *ctx)
{
	double *least = ctx;
	double x[2]; /* quota and period */

	if (read_numbers(folder, "cpu.max", x, 2) != 0 &&
	    (read_numbers(folder, "cpu.cfs_quota_us", x, 1) != 0 ||
		read_numbers(folder, "cpu.cfs_period_us", x + 1, 1) != 0))
		return;
	if (!(x[0] > 0 && x[1] > 0))
		return;
	if (*least == 0 || x[0] / x[1] < *least)
		*least = x[0] / x[1];
}

double
core_quota(const char *groups, const char *root)
{
	double least = 0;

	control_groups_walk(groups, root, "cpu", take_quota, &least);
	return least;
}
