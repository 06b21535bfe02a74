/* The log of one run: the lines that run_sweep adds to the program's output and
 * by which it recognises a finished log.
 *
 *	dlscale: run name=x model=resnet18 ... run=1 started=2026-01-31T...Z
 *	dlscale: command mpirun -n 2 train_imagenet -a resnet18 ...
 *	(the program's output)
 *	dlscale: run ended=2026-01-31T12:34:56Z status=0
 *	real 41.27
 *	user 80.11
 *	sys 1.02
 *
 * The last three lines are those of "time -p". A failed run with exit status 0
 * has "status=0 not-finished". The log is called LOG~ until its run has
 * finished.
 */
#ifndef TRAINER_LAUNCH_RUNLOG_H
#define TRAINER_LAUNCH_RUNLOG_H

#include "common/error.h"
#include "trainer/launch/plan.h"
#include "trainer/launch/job.h"

enum runlog_state {
	RUNLOG_ABSENT,
	RUNLOG_FINISHED,
	RUNLOG_OTHER /* exists, but is not the log of a finished run */
};

struct runlog_metadata {
	double real_s;    /* -1 if unknown */
	int same_command; /* 1: its command is the run's */
};

/* Examine an existing log.
 *
 * command   of the run, from command_show()
 * metadata  set if RUNLOG_FINISHED is returned */
enum runlog_state runlog_look(
    const char *path, const char *command, struct runlog_metadata *metadata);

/* Rename PATH~ to PATH if it is the log of a finished run whose run_sweep was
 * killed before it renamed the log. Returns 1 if so, else 0.
 *
 * mark  see runlog_end() */
int runlog_adopt(const char *path, const char *mark);

/* True if the log PATH~ contains an error that names the file state, and no
 * "resume" line: the program could not resume from it. */
int runlog_refuses_state(const char *path, const char *state);

/* Begin a log: make folders, rename an unfinished log, create PATH~ and write
 * the first lines. Returns the file descriptor (append, close-on-exec), or
 * -1. */
int runlog_begin(const char *path, const struct run *r, const char *command,
    struct error *e);

/* End a log and close fd: write the last lines and rename PATH~, to PATH if the
 * run finished.
 *
 * mark  beginning of a line that the log of a finished run contains; NULL: no
 *       such line
 * rate  set to the images_per_s of that line, or NAN
 *
 * Returns 0 if the run finished. Else -1 with a message that states how it
 * ended, the path of its output, and the output's last line. */
int runlog_end(int fd, const char *path, const struct job_result *r,
    const char *mark, double *rate, struct error *e);

#endif
