/* Run a command: write its output to a file, measure its time, enforce a time
 * limit, and pass on interrupts.
 *
 * It runs in a process group of its own with /dev/null as input. An interrupt
 * (SIGINT, SIGTERM, SIGHUP) or the limit sends it SIGTERM, and SIGKILL if it
 * still runs JOB_GRACE_S later. If this process is killed, Linux sends it
 * SIGTERM.
 */
#ifndef TRAINER_LAUNCH_JOB_H
#define TRAINER_LAUNCH_JOB_H

#include "common/error.h"

enum { JOB_GRACE_S = 20 };

struct job {
	const char *const *argv; /* ends with NULL; argv[0] searched in $PATH */
	const char *const *env;  /* NAME=VALUE to set; ends with NULL */
	int fd;                  /* takes stdout and stderr */
	double limit_s;          /* 0: none */
	const char *show;        /* file that fd writes: copy it to stdout while
				    it grows; NULL: do not */
};

struct job_result {
	int status;           /* exit status, or 128 + signal */
	int signal;           /* interrupt of this process; 0: none */
	int timed_out;        /* 1: the limit was reached */
	double real_s;        /* wall-clock time */
	double user_s, sys_s; /* of the job's reaped processes on this
				 machine */
};

/* Make interrupts end the running job instead of this process; ignored signals
 * stay ignored. Call once, before threads are started. */
void job_signals_init(void);

/* Return and clear the interrupt that arrived while no job ran; 0 if none
 * did. */
int job_interrupt(void);

/* Print "program: message" to stderr, in the language of the user. */
void job_report(const char *program, const char *en, const char *zh, ...)
    PRINTF_LIKE(2, 4) PRINTF_LIKE(3, 4);

/* Set DLSCALE_JOB_TOKEN, the secret of a job, in the environment unless it is
 * set. Returns 0, or -1 with errno. */
int job_token_set(void);

/* Run a job. Returns 0 if the command was started, whatever its status; else -1
 * with ERROR_SYSTEM. */
int job_run(const struct job *job, struct job_result *r, struct error *e);

#endif
