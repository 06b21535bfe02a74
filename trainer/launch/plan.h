/* All runs of a sweep, in the order in which they are made: first run 1 of
 * every combination, then run 2 of every combination, so that slow changes of
 * the machine affect all combinations equally and an interrupted sweep has runs
 * of each.
 */
#ifndef TRAINER_LAUNCH_PLAN_H
#define TRAINER_LAUNCH_PLAN_H

#include <stddef.h>

#include "common/alloc.h"
#include "common/error.h"
#include "trainer/launch/sweep.h"

/* --- Commands ------------------------------------------------------------- */

/* Makes the command of one run from the words of a sweep: fills in fields,
 * finds the program, and prepends a launcher.
 */

/* One combination of a group's values. */
struct run {
	const struct group *group;
	const char *name, *model, *precision;
	long batch;              /* images per step and device */
	long nodes;              /* from 1 */
	long devices;            /* of each node */
	long run;                /* from 1 */
	size_t combination;      /* index in the sweep of all but `run` */
	size_t place;            /* the same in its group */
	long most_ranks;         /* maximum over the sweep */
	const char *log;         /* NAME/1n2g/MODEL_bBATCH_PRECISION_RUN.log */
	const char *const *argv; /* ends with NULL */
	const char *const *env;  /* NAME=VALUE; ends with NULL */
};

/* Suffix of a run's {checkpoint}, after the name of its log. */
#define RUN_CHECKPOINT ".checkpoint"

enum mpi_flavour { MPI_UNKNOWN, MPI_OPEN, MPI_HYDRA };

/* Where commands will run. */
struct site {
	const char *mpirun; /* $MPIRUN or "mpirun" */
	enum mpi_flavour flavour;
	int in_slurm;     /* 1: $SLURM_JOB_ID is set */
	int is_root;      /* Open MPI needs --allow-run-as-root */
	int dry;          /* 1: only show commands; programs may be missing */
	char *own_dir;    /* folder of this program, or NULL */
	long cores;       /* available to this process */
	long gpus;        /* of this machine; 0: none, or not queried */
	int leaves_out;   /* 1: exclude runs that cannot be made here */
	const char *data; /* folder of images, for {data}; NULL: none */
	const char *log_dir; /* for {checkpoint}; NULL: "logs" */
};

/* Examine this machine with mpirun --version and nvidia-smi. Free with
 * site_release(). */
void site_init(struct site *site, int dry);
void site_release(struct site *site);

/* Conditions that hold on this machine: bits of enum sweep_condition. */
unsigned site_conditions(const struct site *site);

/* Show a command as a shell line, quoted as needed. */
void command_show(const struct run *r, struct strbuf *sb);

/* The same for a program's own command line, for machine.txt.
 *
 * name  of the program; replaces argv[0]
 * argv  [argc] before options_parse, which changes their order
 *
 * The caller frees the result. */
char *command_line_text(const char *name, int argc, char *const *argv);

/* The first host of an mpirun hostfile, which runs rank 0: gpu1 for "gpu1
 * slots=8" and for MPICH's "gpu1:8"; # begins a comment. A loopback name, which
 * differs in meaning on each machine, is replaced by this machine's name.
 *
 * host  [size] set on success only
 *
 * Returns 0, or -1 if the file cannot be read, names no host, or a name is too
 * long. */
int hostfile_first(const char *path, char *host, size_t size);

/* --- The plan ------------------------------------------------------------- */

enum { PLAN_MAX_RUNS = 100000 };

/* A combination whose runs cannot be made here. */
struct left_out {
	struct run run; /* the first of them */
	const char *why;
};

struct plan {
	struct arena arena;
	struct run *runs;
	size_t n, alloc;
	size_t n_combinations;     /* of all groups */
	struct left_out *left_out; /* if site->leaves_out */
	size_t n_left_out, alloc_left_out;
};

/* Plan the runs of s.
 *
 * only  a shell pattern for the logs to make, or for their folder or file name;
 *       NULL: all
 * take_turns  1: the groups take turns at each combination, so that their runs
 *             k follow each other and form pairs
 * p     set on success only; refers to s; plan_release() frees it
 *
 * Returns 0, or -1 if two runs would write the same log, a launcher or program
 * is missing, or there are too many runs or none (ERROR_EMPTY). */
int plan_make(const struct sweep *s, const struct site *site, const char *only,
    int take_turns, struct plan *p, struct error *e);

/* Free the runs; p is empty afterwards. */
void plan_release(struct plan *p);

/* --- Logs ----------------------------------------------------------------- */

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

struct job_result;

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

/* --- Making the runs ------------------------------------------------------ */

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

/* Make the missing runs, and print the numbers made, found, failed and left.
 *
 * left  set to the number of runs that were not tried
 *
 * Returns 0 if all runs are finished; else -1 with the error, or with
 * ERROR_NONE if runs failed and were reported. */
int runner_run(const struct runner *r, long *left, struct error *e);

#endif
