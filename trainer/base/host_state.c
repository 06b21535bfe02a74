/* Reads files of /proc and of control groups. */
#include <config.h>

#include "trainer/base/host_state.h"

#include <assert.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/process.h"

/* The first n numbers of FOLDER/NAME, or of its first line that begins with a
 * key: "MemAvailable:  1024 kB".
 *
 * key  "": the file's first line
 * x    [n] set for each number found
 *
 * Returns 0, or -1 if the file or the line does not exist or holds fewer
 * numbers ("max 100000"). */
static int
read_numbers(
    const char *folder, const char *name, const char *key, double *x, int n)
{
	const size_t len = strlen(key);
	char *path = xasprintf("%s/%s", folder, name);
	const char *at = NULL;
	struct strbuf sb = STRBUF_INIT(1 << 20);
	char *end;
	int found = 0;

	if (text_file_read(path, &sb, NULL) == 0)
		at = sb.buf;
	while (at != NULL && strncmp(at, key, len) != 0) {
		at = strchr(at, '\n');
		at = at != NULL ? at + 1 : NULL;
	}
	for (at = at != NULL ? at + len : NULL; at != NULL && found < n;) {
		x[found] = strtod(at, &end);
		found += end != at;
		at = end != at ? end : NULL;
	}
	strbuf_release(&sb);
	free(path);
	return found == n ? 0 : -1;
}

/* --- Control groups ------------------------------------------------------- */

/* The folders of the process's groups and of those above them, one a line; some
 * may not exist. The caller frees the text. A line of the file is "0::/path" of
 * version 2, or "4:cpu,cpuacct:/path" of version 1.
 *
 * controller  name in version 1: "cpu", "memory" */
static char *
group_folders(const char *groups, const char *root, const char *controller)
{
	struct strbuf sb = STRBUF_INIT(1 << 20), out = STRBUF_INIT(1 << 20);
	char *rest, *line;

	rest = text_file_read(groups, &sb, NULL) == 0 ? sb.buf : NULL;
	while ((line = strsep(&rest, "\n")) != NULL) {
		char *list = strchr(line, ':'), *name, *slash;
		char *path = list != NULL ? strchr(++list, ':') : NULL;
		const int is_v2 = path == list;
		int is_wanted = is_v2;

		if (path == NULL)
			continue;
		*path++ = '\0';
		while ((name = strsep(&list, ",")) != NULL)
			is_wanted |= strcmp(name, controller) == 0;
		if (strcmp(path, "/") == 0)
			*path = '\0';
		for (slash = path; is_wanted && slash != NULL;) {
			strbuf_printf(&out, "%s%s%s%s\n", root,
			    is_v2 ? "" : "/", is_v2 ? "" : controller, path);
			slash = strrchr(path, '/');
			if (slash != NULL)
				*slash = '\0';
		}
	}
	strbuf_release(&sb);
	return strbuf_detach(&out);
}

double
core_quota(const char *groups, const char *root)
{
	char *folders = group_folders(groups, root, "cpu"), *rest = folders;
	const char *folder;
	double least = 0, x[2]; /* quota and period */

	while ((folder = strsep(&rest, "\n")) != NULL)
		/* Version 1 writes -1 for no quota. */
		if ((read_numbers(folder, "cpu.max", "", x, 2) == 0 ||
			(read_numbers(folder, "cpu.cfs_quota_us", "", x, 1) ==
				0 &&
			    read_numbers(folder, "cpu.cfs_period_us", "", x + 1,
				1) == 0)) &&
		    x[0] > 0 && x[1] > 0 && (least == 0 || x[0] / x[1] < least))
			least = x[0] / x[1];
	free(folders);
	return least;
}

/* --- Memory --------------------------------------------------------------- */

/* The number after a line's key; -1 if the line does not exist. */
static double
read_number(const char *folder, const char *name, const char *key)
{
	double x;

	return read_numbers(folder, name, key, &x, 1) == 0 ? x : -1;
}

/* The lower of two numbers; -1 is none. */
static double
least_double(double a, double b)
{
	return a < 0 ? b : b < 0 || a < b ? a : b;
}

/* Memory that a resource limit leaves; -1 without a limit.
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
	char *folders = group_folders(groups, root, "memory"), *rest = folders;
	const char *folder;

	assert(sharers >= 1);
	/* Memory that the limits leave. Cached files do not count, since they
	 * can be dropped. Version 2 includes the groups below in each number,
	 * version 1 in its totals. */
	while ((folder = strsep(&rest, "\n")) != NULL) {
		double limit = read_number(folder, "memory.max", "");
		double used = read_number(folder, "memory.current", "");
		const char *key = "inactive_file ";
		double files;

		if (limit < 0 || used < 0) {
			limit =
			    read_number(folder, "memory.limit_in_bytes", "");
			used = read_number(folder, "memory.usage_in_bytes", "");
			key = "total_inactive_file ";
		}
		if (limit < 0 || used < 0)
			continue;
		files = read_number(folder, "memory.stat", key);
		shared = least_double(
		    shared, fmax(limit - used + (files > 0 ? files : 0), 0));
	}
	free(folders);
	if (read_numbers("/proc/self", "statm", "", pages, 6) == 0)
		own = least_double(left_of_limit(RLIMIT_AS, pages[0]),
		    left_of_limit(RLIMIT_DATA, pages[5]));
	own = least_double(shared < 0 ? -1 : shared / sharers, own);
	return own > 0 ? own : 0;
}

/* --- The machine's boot --------------------------------------------------- */

void
boot_id_add(struct strbuf *sb)
{
	(void)text_file_read("/proc/sys/kernel/random/boot_id", sb, NULL);
}

/* --- Time ----------------------------------------------------------------- */

/* Lower bound of the share: the times of threads that ended meanwhile are
 * lost. */
static const double least_share = 0.05;

void
core_wait_read(const char *tasks, struct core_wait *w)
{
	DIR *d = opendir(tasks);
	const struct dirent *entry;
	double ns[2]; /* time run, time waited */

	memset(w, 0, sizeof *w);
	w->at_s = seconds_now();
	while (d != NULL && (entry = readdir(d)) != NULL) {
		char name[300];

		snprintf(name, sizeof name, "%s/schedstat", entry->d_name);
		if (entry->d_name[0] == '.' ||
		    read_numbers(tasks, name, "", ns, 2) != 0)
			continue;
		w->ran_s += 1e-9 * ns[0];
		w->waited_s += 1e-9 * ns[1];
	}
	if (d != NULL)
		closedir(d);
}

double
core_wait_share(
    const struct core_wait *before, const struct core_wait *after, double cores)
{
	const double ran = after->ran_s - before->ran_s;
	const double rest = cores * (after->at_s - before->at_s) - ran;
	double waited = after->waited_s - before->waited_s;

	/* Leave out the time in which threads waited for each other. */
	if (waited > rest)
		waited = rest;
	if (!(ran > 0) || !(waited > 0))
		return 1;
	return ran / (ran + waited) > least_share ? ran / (ran + waited)
						  : least_share;
}

enum { STAT_START = 22 }; /* field of /proc/self/stat, proc(5) */

struct process_times
process_times_read(void)
{
	struct process_times t = { .real_s = 0 };
	struct strbuf sb = STRBUF_INIT(1 << 20);
	struct rusage used;
	struct timespec now;
	const char *at;

	(void)text_file_read("/proc/self/stat", &sb, NULL);
	/* Field 2 is the name in parentheses, which may hold spaces. */
	at = strrchr(sb.buf, ')');
	for (int i = 2; at != NULL && i < STAT_START; i++) {
		at = strchr(at, ' ');
		at = at != NULL ? at + 1 : NULL;
	}
	if (at != NULL && clock_gettime(CLOCK_BOOTTIME, &now) == 0)
		t.real_s = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec -
		    strtod(at, NULL) / (double)sysconf(_SC_CLK_TCK);
	strbuf_release(&sb);
	if (getrusage(RUSAGE_SELF, &used) == 0) {
		t.user_s = (double)used.ru_utime.tv_sec +
		    1e-6 * (double)used.ru_utime.tv_usec;
		t.sys_s = (double)used.ru_stime.tv_sec +
		    1e-6 * (double)used.ru_stime.tv_usec;
	}
	return t;
}
