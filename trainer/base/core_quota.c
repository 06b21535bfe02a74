/* The quota of time of control groups, read from the kernel's files.
 * autotune_model.c asks whether a rank has a core to spare; trainer/launch's
 * core_share.c is who sets such quotas.  Nothing here knows ranks. */
#include <config.h>

#include "trainer/base/core_quota.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/files/text_file.h"
#include "common/strbuf.h"

/* The first numbers of a file, n of them: "50000 100000".  Returns -1 if it has
 * others ("max 100000"), or is not there. */
static int
read_numbers(const char *folder, const char *name, double *x, int n)
{
	char *path = xasprintf("%s/%s", folder, name);
	struct error ignored = ERROR_INIT;
	struct strbuf sb;
	const char *at;
	int rc = -1;

	strbuf_init(&sb, 1 << 20);
	if (text_file_read(path, &sb, &ignored) == 0) {
		rc = 0;
		at = sb.buf;
		for (int i = 0; i < n; i++) {
			char *end;

			x[i] = strtod(at, &end);
			rc = end == at ? -1 : rc;
			at = end;
		}
	}
	strbuf_release(&sb);
	free(path);
	return rc;
}

/* A group's own quota in cores; 0: none.  Version 1 writes -1 for none. */
static double
folder_quota(const char *folder)
{
	double x[2]; /* quota and period */

	if (read_numbers(folder, "cpu.max", x, 2) != 0 &&
	    (read_numbers(folder, "cpu.cfs_quota_us", x, 1) != 0 ||
		read_numbers(folder, "cpu.cfs_period_us", x + 1, 1) != 0))
		return 0;
	return x[0] > 0 && x[1] > 0 ? x[0] / x[1] : 0;
}

/* The least of a group's and those above it, "" being the last; path is
 * shortened. */
static double
least_quota(const char *root, const char *sub, char *path)
{
	double least = 0;

	for (;;) {
		char *folder = xasprintf("%s%s%s", root, sub, path);
		char *slash = strrchr(path, '/');
		const double q = folder_quota(folder);

		free(folder);
		if (q > 0 && (least == 0 || q < least))
			least = q;
		if (slash == NULL)
			return least;
		*slash = '\0';
	}
}

/* Is one of the controllers in a list, as "cpu,cpuacct", the CPU's? */
static int
limits_cpu(const char *list)
{
	while (list != NULL) {
		const char *comma = strchr(list, ',');
		const size_t len =
		    comma != NULL ? (size_t)(comma - list) : strlen(list);

		if (len == 3 && strncmp(list, "cpu", 3) == 0)
			return 1;
		list = comma != NULL ? comma + 1 : NULL;
	}
	return 0;
}

/* A line of groups: "0::/path" of version 2, "4:cpu,cpuacct:/path" of
 * version 1. */
static double
line_quota(char *line, const char *root)
{
	char *list = strchr(line, ':');
	char *path = list != NULL ? strchr(list + 1, ':') : NULL;

	if (path == NULL)
		return 0;
	list++;
	*path++ = '\0';
	if (strcmp(path, "/") == 0)
		*path = '\0';
	if (*list == '\0')
		return least_quota(root, "", path);
	return limits_cpu(list) ? least_quota(root, "/cpu", path) : 0;
}

double
core_quota(const char *groups, const char *root)
{
	struct error ignored = ERROR_INIT;
	struct strbuf sb;
	double least = 0;
	char *line;

	strbuf_init(&sb, 1 << 20);
	if (text_file_read(groups, &sb, &ignored) != 0) {
		strbuf_release(&sb);
		return 0;
	}
	line = sb.buf;
	while (line != NULL && *line != '\0') {
		char *end = strchr(line, '\n');
		double q;

		if (end != NULL)
			*end++ = '\0';
		q = line_quota(line, root);
		if (q > 0 && (least == 0 || q < least))
			least = q;
		line = end;
	}
	strbuf_release(&sb);
	return least;
}
