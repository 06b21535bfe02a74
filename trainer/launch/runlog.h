/* The log of one run: what run_sweep adds to the program's own lines, and how
 * a finished log is recognised.
 *
 *	dlscale: run name=x model=resnet18 ... run=1 started=2026-01-31T...Z
 *	dlscale: command mpirun -n 2 train_imagenet -a resnet18 ...
 *	(the program's output)
 *	dlscale: run ended=2026-01-31T12:34:56Z status=0
 *	real 41.27
 *	user 80.11
 *	sys 1.02
 *
 * The last three lines are those of "time -p".  A run that ended with status 0
 * and is not fine has "status=0 not-finished".  While a run goes on its log is
 * called LOG~; only a finished run's is called LOG.
 */
#ifndef TRAINER_LAUNCH_RUNLOG_H
#define TRAINER_LAUNCH_RUNLOG_H

#include "common/error.h"
#include "trainer/launch/command.h"
#include "trainer/launch/job.h"

enum runlog_state {
	RUNLOG_ABSENT,
	RUNLOG_FINISHED,
	RUNLOG_OTHER /* something is there, but no finished run of ours */
};

struct runlog_metadata {
	double real_s;    /* -1 if unknown */
	int same_command; /* was it made by this run's command? */
};

/* What path holds.
 *
 * command  of the run, from command_show()
 * metadata    set where FINISHED is returned */
enum runlog_state runlog_look(
    const char *path, const char *command, struct runlog_metadata *metadata);

/* Give PATH~ its final name if it is the log of a finished run, whose run_sweep
 * was killed between the last line and the renaming. Returns 1 if so, else 0.
 *
 * mark  as of runlog_end() */
int runlog_adopt(const char *path, const char *mark);

/* True if the program whose log is PATH~ has refused to go on from its state:
 * it names that file in an error, and no line states where it goes on. */
int runlog_refuses_state(const char *path, const char *state);

/* Begin a log: make the folders, move an unfinished one aside, create PATH~ and
 * write the first lines.  Returns the file descriptor (append, close-on-exec),
 * or -1. */
int runlog_begin(const char *path, const struct run *r, const char *command,
    struct error *e);

/* End a log and close fd: write the last lines; if the run was fine, give the
 * file its name, else move it aside.
 *
 * mark  how a line of a log that is fine begins; NULL: not looked for
 * rate  set to the images_per_s of that line, or NAN
 *
 * Returns 0 if the run was fine.  Else -1; the message describes how it ended,
 * where its output is and what the last line of that is. */
int runlog_end(int fd, const char *path, const struct job_result *r,
    const char *mark, double *rate, struct error *e);

#endif
