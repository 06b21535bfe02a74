/* Free memory by /proc, control groups and limits. train.c asks before a
 * device takes any. */
#include <config.h>

#include "trainer/run/meters/free_memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/alloc.h"

/* The number after a line's key in a file of lines "key number"; -1 if there
 * is none.  An empty key: the file is the number. */
static double
read_number(const char *path, const char *key)
{
	FILE *f = fopen(path, "re");
	const size_t n = strlen(key);
	char line[256];
	double x = -1;

	if (f == NULL)
		return -1;
	while (x < 0 && fgets(line, sizeof line, f) != NULL)
		if (strncmp(line, key, n) == 0 &&
		    sscanf(line + n, "%lf", &x) != 1)
			x = -1;
	fclose(f);
	return x;
}

static double
least_double(double a, double b)
{
	return a < 0 ? b : b < 0 || a < b ? a : b;
}

/* What a control group leaves: its limit without what it has, but files that
 * were read can go; -1 without a limit. */
static double
left_in_group(const char *group)
{
	char *max = xasprintf("/sys/fs/cgroup%s/memory.max", group);
	char *now = xasprintf("/sys/fs/cgroup%s/memory.current", group);
	char *stat = xasprintf("/sys/fs/cgroup%s/memory.stat", group);
	const double limit = read_number(max, "");
	const double used = read_number(now, "");
	const double files = read_number(stat, "inactive_file ");
	double left = -1;

	if (limit >= 0 && used >= 0)
		left = limit - used + (files > 0 ? files : 0);
	free(max);
	free(now);
	free(stat);
	return limit >= 0 && left < 0 ? 0 : left;
}

/* The same for our group and all above it. */
static double
left_in_groups(void)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[4096];
	double left = -1;

	while (f != NULL && fgets(line, sizeof line, f) != NULL) {
		char *group = line + 3;

		if (strncmp(line, "0::/", 4) != 0)
			continue;
		group[strcspn(group, "\n")] = '\0';
		for (;;) {
			char *slash = strrchr(group, '/');

			left = least_double(left, left_in_group(group));
			if (slash == NULL)
				break;
			*slash = '\0';
		}
	}
	if (f != NULL)
		fclose(f);
	return left;
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
free_memory_bytes(int sharers)
{
	const double machine = read_number("/proc/meminfo", "MemAvailable:");
	double shared = machine < 0 ? -1 : machine * 1024, own = -1;
	FILE *f = fopen("/proc/self/statm", "re");
	double size, data;

	assert(sharers >= 1);
	shared = least_double(shared, left_in_groups());
	if (f != NULL &&
	    fscanf(f, "%lf %*s %*s %*s %*s %lf", &size, &data) == 2)
		own = least_double(left_of_limit(RLIMIT_AS, size),
		    left_of_limit(RLIMIT_DATA, data));
	if (f != NULL)
		fclose(f);
	own = least_double(shared < 0 ? -1 : shared / sharers, own);
	return own > 0 ? own : 0;
}
