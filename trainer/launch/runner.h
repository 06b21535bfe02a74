/* Make the missing runs of a plan, one after the other.
 */
#ifndef TRAINER_LAUNCH_RUNNER_H
#define TRAINER_LAUNCH_RUNNER_H

#include "common/error.h"
#include "trainer/launch/plan.h"

struct runner {
	const struct plan *plan;
	const char *log_dir;
	const char *mpirun;  /* for machine.txt */
	const char *command; /* command line of this program, for machine.txt */
	int keep_going;      /* 1: continue after a failed run */
	long retries;        /* retries of a failed run, from its checkpoint if
				it has one */
	int show;            /* 1: copy growing logs to stdout */
	/* Called with a line of progress (what is NULL) or an error (text is
	 * NULL). */
	void (*print)(const char *text, const struct error *what);
	/* Called with each finished log. */
	void (*made)(const char *path);
};

struct runner_counts {
	long made, there, failed, left; /* runs */
	double real_s;                  /* wall-clock time of the runs made */
};

/* Print the commands of all runs to stdout as shell lines, those of finished
 * runs as comments. */
void runner_show(const struct plan *plan, const char *log_dir);

/* Make the missing runs.
 *
 * Returns 0 if all runs are finished; else -1 with the error, or with
 * ERROR_NONE if runs failed and were reported. */
int runner_run(
    const struct runner *r, struct runner_counts *counts, struct error *e);

#endif
