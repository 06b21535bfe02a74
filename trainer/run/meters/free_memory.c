/* Free memory by /proc, control groups and limits. train.c asks before a
 * device takes any. */
#include <config.h>

#include "trainer/run/meters/free_memory.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/alloc.h"
#include "trainer/base/control_groups.h"
#include "trainer/base/kernel_file.h"

/* The number after a line's key; -1 if there is none. */
static double
read_number(const char *folder, const char *name, const char *key)
{
	char *path = xasprintf("%s/%s", folder, name);
	double x;

	if (kernel_file_numbers(path, key, &x, 1) != 0)
		x = -1;
	free(path);
	return x;
}

static double
least_double(double a, double b)
{
	return a < 0 ? b : b < 0 || a < b ? a : b;
}

/* What a control group leaves, if that is less than those below it do: its
 * limit without what it has, but files that were read can go.  Version 2 counts
 * the groups below in each number, version 1 in its totals.
 *
 * ctx  the least until now; -1: no limit */
static void
take_group(const char *folder, void *ctx)
{
	double *least = ctx;
	double limit = read_number(folder, "memory.max", "");
	double used = read_number(folder, "memory.current", "");
	double files = read_number(folder, "memory.stat", "inactive_file ");

	if (limit < 0 || used < 0) {
		limit = read_number(folder, "memory.limit_in_bytes", "");
		used = read_number(folder, "memory.usage_in_bytes", "");
		files =
		    read_number(folder, "memory.stat", "total_inactive_file ");
	}
	if (limit < 0 || used < 0)
		return;
	*least = least_double(
	    *least, fmax(limit - used + (files > 0 ? files : 0), 0));
}

/* What a limit leaves; -1 without one.
 *
 * pages  in use */
static double
left_of_limit(int which, double pages)
{
	struct rlimit r;
	double left;

	if (getrlimit(which, &r) != 0 || r.rlim_cur == RLIM_INFINITY)
		return -1;
	left = (double)r.rlim_cur - pages * (double)sysconf(_SC_PAGESIZE);
	return left > 0 ? left : 0;
}

double
free_memory_bytes(int sharers, const char *groups, const char *root)
{
	const double machine = read_number("/proc", "meminfo", "MemAvailable:");
	double shared = machine < 0 ? -1 : machine * 1024, own = -1;
	double pages[6]; /* size, resident, shared, text, library, data */

	assert(sharers >= 1);
	control_groups_walk(groups, root, "memory", take_group, &shared);
	if (kernel_file_numbers("/proc/self/statm", "", pages, 6) == 0)
		own = least_double(left_of_limit(RLIMIT_AS, pages[0]),
		    left_of_limit(RLIMIT_DATA, pages[5]));
	own = least_double(shared < 0 ? -1 : shared / sharers, own);
	return own > 0 ? own : 0;
}
