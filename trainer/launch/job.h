/* One command, from start to end: its output in a file, its time measured, a
 * limit kept, the user's interrupt passed on.
 *
 * It runs in a process group of its own with /dev/null as input.  An interrupt
 * (SIGINT, SIGTERM, SIGHUP) or the limit sends it SIGTERM, and SIGKILL if it is
 * still there JOB_GRACE_S later.  If we are killed ourselves, Linux sends it
 * SIGTERM.
 */
#ifndef TRAINER_LAUNCH_JOB_H
#define TRAINER_LAUNCH_JOB_H

#include "common/error.h"
#include "common/strbuf.h"

enum { JOB_GRACE_S = 20 };

struct job {
	const char *const *argv; /* ends with NULL; argv[0] as for a shell */
	const char *const *env;  /* NAME=VALUE to set; ends with NULL */
	int fd;                  /* takes stdout and stderr */
	double limit_s;          /* 0: none */
	const char *show;        /* file that fd writes: copied to stdout while
	                            it grows; NULL: not */
};

struct job_result {
	int status;           /* exit status, or 128 + signal */
	int signal;           /* that interrupted us; 0: none */
	int timed_out;        /* the limit was reached */
	double real_s;        /* wall-clock time */
	double user_s, sys_s; /* of all its processes on this machine that were
	                         waited for */
};

/* From now on interrupts end the running job and not this process; ignored
 * signals stay ignored. Call it once, before threads are started. */
void job_signals_init(void);

/* The interrupt that came while no job ran, or 0.  It is taken: a second call
 * gives 0. */
int job_interrupt(void);

/* Run it.  Returns 0 when the command ran, however it ended; -1 with
 * ERROR_SYSTEM if it could not be started. */
int job_run(const struct job *job, struct job_result *r, struct error *e);

/* Run a short command (5 s at most) and catch what it prints.  Returns 0, or -1
 * if it cannot be run or its status is not 0; out holds what came. */
int job_capture(const char *const *argv, struct strbuf *out);

#endif
