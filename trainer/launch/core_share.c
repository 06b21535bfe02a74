/* Control groups of version 1 or 2 with a quota of time.  run_on_nodes makes
 * them, before it leaves the machine's namespaces. */
#include <config.h>

#include "trainer/launch/core_share.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/text.h"

/* Periods are short, so that a rank is not kept from its network for long. */
enum { PERIOD_US = 10000 };

static const char prefix[] = "dlscale-nodes-";

/* Where groups that limit time are made. */
static const char *
core_share_root(void)
{
	static const char v1[] = "/sys/fs/cgroup/cpu";

	return access(v1, F_OK) == 0 ? v1 : "/sys/fs/cgroup";
}

static int
write_text(const char *folder, const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", folder, name);
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const size_t len = strlen(text);
	int rc = -1;

	if (fd >= 0 && write(fd, text, len) == (ssize_t)len)
		rc = 0;
	if (fd >= 0)
		close(fd);
	free(path);
	return rc;
}

/* A group and its ranks', which are empty or stay. */
static void
remove_group(const char *folder)
{
	DIR *d = opendir(folder);
	const struct dirent *entry;

	while (d != NULL && (entry = readdir(d)) != NULL) {
		char *path;

		if (strncmp(entry->d_name, "rank", 4) != 0)
			continue;
		path = xasprintf("%s/%s", folder, entry->d_name);
		rmdir(path);
		free(path);
	}
	if (d != NULL)
		closedir(d);
	rmdir(folder);
}

/* Groups are named by the process that made them; remove those of processes
 * that are gone. */
static void
remove_stale(const char *root)
{
	DIR *d = opendir(root);
	const struct dirent *entry;

	while (d != NULL && (entry = readdir(d)) != NULL) {
		const size_t n = sizeof prefix - 1;
		char *path;
		long pid;

		if (strncmp(entry->d_name, prefix, n) != 0 ||
		    parse_long(entry->d_name + n, 1, 1L << 30, &pid) != 0 ||
		    kill((pid_t)pid, 0) == 0 || errno != ESRCH)
			continue;
		path = xasprintf("%s/%s", root, entry->d_name);
		remove_group(path);
		free(path);
	}
	if (d != NULL)
		closedir(d);
}

static int
limit_group(const char *folder, double share)
{
	const long quota = (long)(share * PERIOD_US + 0.5);
	char *text = xasprintf("%ld %d", quota, PERIOD_US);
	int rc = write_text(folder, "cpu.max", text);

	free(text);
	if (rc == 0)
		return 0;
	text = xasprintf("%d", PERIOD_US);
	rc = write_text(folder, "cpu.cfs_period_us", text);
	free(text);
	text = xasprintf("%ld", quota);
	if (rc == 0)
		rc = write_text(folder, "cpu.cfs_quota_us", text);
	free(text);
	return rc;
}

static int
make_groups(const struct core_share *c, const char *root, double share)
{
	char *control = xasprintf("%s/cgroup.subtree_control", root);
	const int is_v2 = access(control, F_OK) == 0;
	int rc = 0;

	free(control);
	if (mkdir(c->folder, 0755) != 0)
		return -1;
	if (is_v2 &&
	    (write_text(root, "cgroup.subtree_control", "+cpu") != 0 ||
		write_text(c->folder, "cgroup.subtree_control", "+cpu") != 0))
		return -1;
	for (long i = 0; i < c->n && rc == 0; i++) {
		char *path = xasprintf("%s/rank%ld", c->folder, i);

		rc = mkdir(path, 0755) == 0 ? limit_group(path, share) : -1;
		free(path);
	}
	return rc;
}

int
core_share_open(struct core_share *c, long n, double share, struct error *e)
{
	const char *root = core_share_root();
	int why;

	remove_stale(root);
	c->n = n;
	c->folder = xasprintf("%s/%s%ld", root, prefix, (long)getpid());
	if (make_groups(c, root, share) == 0)
		return 0;
	why = errno;
	core_share_close(c);
	return error_errno(
	    e, why, "cannot make control groups that limit time in '%s'", root);
}

int
core_share_join(const struct core_share *c, long rank)
{
	char *path;
	int rc;

	if (c->folder == NULL)
		return 0;
	path = xasprintf("%s/rank%ld", c->folder, rank);
	rc = write_text(path, "cgroup.procs", "0");
	free(path);
	return rc;
}

void
core_share_close(struct core_share *c)
{
	if (c->folder != NULL)
		remove_group(c->folder);
	free(c->folder);
	c->folder = NULL;
}
