/* Reads the environment variables of the launcher of a run (mpirun, srun,
 * torchrun), and Slurm's lists of hosts.
 *
 *	struct launcher l;
 *	if (launcher_env_read(&l, &e) != 0)
 *		return -1;
 *	printf("rank %ld of %ld\n", l.rank, l.size);
 */
#ifndef TRAINER_COMM_LAUNCHER_ENV_H
#define TRAINER_COMM_LAUNCHER_ENV_H

#include "common/error.h"
#include <stddef.h>

enum { LAUNCHER_NAME_MAX = 128 };

struct launcher {
	long rank, size;             /* 0 and 1 without a launcher */
	long local_rank, local_size; /* on this machine; -1: not known */
	const char *host;            /* rank 0's: MASTER_ADDR, or NULL */
	const char *port;            /* MASTER_PORT, or NULL */
	const char *nodes;           /* Slurm: host list, "gpu[1-3]", or NULL */
	const char *tasks_per_node;  /* Slurm: "2(x3)", or NULL */
	const char *distribution;    /* Slurm; NULL: in blocks */
	char job[LAUNCHER_NAME_MAX]; /* unique on this machine; "" if not
					known */
	const char *secret;          /* random, of the job: Open MPI's, else
			       DLSCALE_JOB_TOKEN, or NULL */
};

/* True if torchrun started this process. A launcher that started torchrun
 * (srun, mpirun) is ignored then. */
int launcher_env_is_torchrun(void);

/* Set the environment of a process started by hand as a rank of size, replacing
 * that of another launcher. */
void launcher_env_set(long rank, long size);

/* Read the environment: torchrun's variables (RANK, WORLD_SIZE, LOCAL_RANK,
 * LOCAL_WORLD_SIZE) if it started this process, else those of Open MPI, MPICH
 * or Slurm, else RANK and WORLD_SIZE as set by hand.
 *
 * ERROR_INPUT: a malformed number, a port above 65535, or a rank not below the
 * size. */
int launcher_env_read(struct launcher *l, struct error *e);

/* Host number k, from 0, of a Slurm host list: names separated by commas, with
 * numbers and ranges in brackets ("gpu[01-03,7],login"). A name can have
 * several brackets.
 *
 * host  [size] gets the name, truncated to fit
 *
 * Returns 0, or -1 if the list is shorter or malformed. */
int host_list_nth(const char *list, long k, char *host, size_t size);

/* The host of a rank, from the launcher's nodes and tasks per node ("2(x3),1"),
 * if ranks are distributed in blocks.
 *
 * host  [size] gets the name, truncated to fit
 *
 * Returns 0, or -1 if the launcher does not state it. */
int launcher_host_of_rank(
    const struct launcher *l, long rank, char *host, size_t size);

#endif
