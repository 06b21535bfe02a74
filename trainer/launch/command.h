/* Makes the command of one run from the words of a sweep: fills in fields,
 * finds the program, and prepends a launcher.
 */
#ifndef TRAINER_LAUNCH_COMMAND_H
#define TRAINER_LAUNCH_COMMAND_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/strbuf.h"
#include "trainer/launch/sweep.h"

/* One combination of a group's values. */
struct run {
	const struct group *group;
	const char *name, *model, *precision;
	long batch;              /* images of a step on each device */
	long nodes;              /* from 1 */
	long devices;            /* of each node */
	long run;                /* from 1 */
	size_t combination;      /* number of all else, in the sweep */
	long most_ranks;         /* of any run of the sweep */
	const char *log;         /* NAME/1n2g/MODEL_bBATCH_PRECISION_RUN.log */
	const char *const *argv; /* ends with NULL */
	const char *const *env;  /* NAME=VALUE; ends with NULL */
};

/* Suffix of a run's {checkpoint}, after the name of its log. */
#define RUN_CHECKPOINT ".checkpoint"

enum mpi_flavour { MPI_UNKNOWN, MPI_OPEN, MPI_HYDRA };

/* Where commands will run. */
struct site {
	const char *mpirun; /* how it is called; $MPIRUN or "mpirun" */
	enum mpi_flavour flavour;
	int in_slurm;     /* in a job: $SLURM_JOB_ID is set */
	int is_root;      /* Open MPI needs --allow-run-as-root */
	int dry;          /* commands are only shown: programs may be missing */
	char *own_dir;    /* folder of this program, or NULL */
	long cores;       /* that this process may run on */
	long gpus;        /* of this machine; 0: none, or not asked for */
	int leaves_out;   /* 1: exclude runs that cannot be made here */
	const char *data; /* folder of images, for {data}; NULL: none */
	const char *log_dir; /* of the logs, for {checkpoint}; NULL: "logs" */
};

/* Examine this machine with mpirun --version and nvidia-smi. Free with
 * site_release(). */
void site_init(struct site *site, int dry);
void site_release(struct site *site);

/* The conditions that hold here, as bits of enum sweep_condition. */
unsigned site_conditions(const struct site *site);

/* The reason why a run cannot be made here, in a: missing GPUs, hosts, or a
 * link. NULL if it can. */
const char *run_lacks(
    struct arena *a, const struct site *site, const struct run *r);

/* Set r->argv and r->env, which live in a.
 *
 * r  all but those two are set
 *
 * Returns 0, or -1: ERROR_INPUT if the launcher cannot start it, ERROR_SYSTEM
 * if the program is missing. */
int command_make(struct arena *a, const struct sweep *s,
    const struct site *site, struct run *r, struct error *e);

/* Show a command as a line for the shell, quoted where it must be. */
void command_show(const struct run *r, struct strbuf *sb);

/* The same of a program's own command line, for machine.txt.
 *
 * name  of the program, in the place of argv[0]
 * argv  [argc] before options_parse, which changes their order
 *
 * Returns what the caller frees. */
char *command_line_text(const char *name, int argc, char *const *argv);

/* The first host of an mpirun hostfile, where rank 0 is: "gpu1 slots=8" and
 * "gpu1:8" (MPICH's) are gpu1, # begins a comment.  A loopback name, which
 * would be another machine on each, becomes this machine's own name.
 *
 * host  [size] gets it, on success only
 *
 * Returns 0, or -1: the file cannot be read, names none, or one too long. */
int hostfile_first(const char *path, char *host, size_t size);

#endif
