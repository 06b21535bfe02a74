/* Make the runs of a plan one after the other; leave alone those that are
 * there.
 */
#ifndef TRAINER_LAUNCH_RUNNER_H
#define TRAINER_LAUNCH_RUNNER_H

#include "common/error.h"
#include "trainer/launch/plan.h"

struct runner {
	const struct plan *plan;
	const char *log_dir;
	const char *mpirun;  /* for machine.txt */
	const char *command; /* how we were started, for machine.txt */
	int keep_going;      /* a failed run is no reason to stop */
	long retries;        /* how often a failed run is made again; it goes
	                        on from its checkpoint if it has one */
	int show;            /* copy the logs to stdout while they grow */
	/* Called with a line to show, without its end; what is NULL for
	 * progress, else the error. */
	void (*print)(const char *text, const struct error *what);
	/* Called with each log that is finished. */
	void (*made)(const char *path);
};

struct runner_counts {
	long made, there, failed, left; /* runs */
	double real_s;                  /* that the made ones took */
};

/* Print the command of each run to stdout, as lines for the shell; a finished
 * one as a comment. */
void runner_show(const struct plan *plan, const char *log_dir);

/* Make them.
 *
 * Returns 0 if all runs are finished now, or -1: with ERROR_NONE in e if runs
 * failed, which was reported, else why we stopped. */
int runner_run(
    const struct runner *r, struct runner_counts *counts, struct error *e);

#endif
