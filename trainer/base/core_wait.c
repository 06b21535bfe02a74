/* Time on a core and time without one, of all threads. autotune_model.c asks:
 * ranks may share cores with each other, or with what this program does not
 * know of, and an affinity or a quota shows only the first. */
#include <config.h>

#include "trainer/base/core_wait.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "common/process.h"
#include "trainer/base/kernel_file.h"

/* Threads that ended since count for less than they did; a share below this is
 * no sign of a busy machine. */
static const double least_share = 0.05;

static void
add_thread(const char *tasks, const char *thread, struct core_wait *w)
{
	char path[512];
	double ns[2]; /* it ran, it waited */

	snprintf(path, sizeof path, "%s/%s/schedstat", tasks, thread);
	if (kernel_file_numbers(path, "", ns, 2) != 0)
		return;
	w->ran_s += 1e-9 * ns[0];
	w->waited_s += 1e-9 * ns[1];
}

void
core_wait_read(const char *tasks, struct core_wait *w)
{
	DIR *d = opendir(tasks);
	const struct dirent *entry;

	memset(w, 0, sizeof *w);
	w->at_s = seconds_now();
	if (d == NULL)
		return;
	while ((entry = readdir(d)) != NULL)
		if (entry->d_name[0] != '.')
			add_thread(tasks, entry->d_name, w);
	closedir(d);
}

double
core_wait_share(
    const struct core_wait *before, const struct core_wait *after, double cores)
{
	const double ran = after->ran_s - before->ran_s;
	const double rest = cores * (after->at_s - before->at_s) - ran;
	double waited = after->waited_s - before->waited_s;

	/* What is more was for each other. */
	if (waited > rest)
		waited = rest;

	if (!(ran > 0) || !(waited > 0))
		return 1;
	return ran / (ran + waited) > least_share ? ran / (ran + waited)
						  : least_share;
}
