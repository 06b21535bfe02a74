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
	const char *program; /* named in lines of progress and errors, which go
				to stderr */
	int names_logs;      /* 1: print the path of each finished log to
				stdout */
};

/* Print the commands of all runs to stdout as shell lines, those of finished
 * runs as comments. */
void runner_show(const struct plan *plan, const char *log_dir);

/* Make the missing runs, and print how many were made, there, failed and left.
 *
 * left  set to the number of runs that were not tried
 *
 * Returns 0 if all runs are finished; else -1 with the error, or with
 * ERROR_NONE if runs failed and were reported. */
int runner_run(const struct runner *r, long *left, struct error *e);

#endif
