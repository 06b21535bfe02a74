/* The times of the process that calls; run_report.c prints them.  When the
 * process began is read from the kernel, because MPI's start is part of the run
 * and lies before anything that the trainer could time. */
#include <config.h>

#include "trainer/run/meters/process_times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { STAT_START = 22 }; /* field of /proc/self/stat, proc(5) */

/* Seconds since the process began; 0 if unknown. */
static double
process_age(void)
{
	char text[4096];
	FILE *f = fopen("/proc/self/stat", "re");
	const char *at;
	struct timespec now;
	size_t n;

	if (f == NULL)
		return 0;
	n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	/* Field 2 is the name in parentheses, which may hold spaces. */
	at = strrchr(text, ')');
	for (int i = 2; at != NULL && i < STAT_START; i++) {
		at = strchr(at, ' ');
		at = at != NULL ? at + 1 : NULL;
	}
	if (at == NULL || clock_gettime(CLOCK_BOOTTIME, &now) != 0)
		return 0;
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec -
	    strtod(at, NULL) / (double)sysconf(_SC_CLK_TCK);
}

static double
to_seconds(struct timeval t)
{
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

struct process_times
process_times_read(void)
{
	struct process_times t = { .real_s = process_age() };
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used) == 0) {
		t.user_s = to_seconds(used.ru_utime);
		t.sys_s = to_seconds(used.ru_stime);
	}
	return t;
}
