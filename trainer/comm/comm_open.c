/* Which back end carries a run, who its processes are and on which machines.
 * The only file that knows all back ends; each of those builds on comm.c, which
 * knows none. */
#include <config.h>

#include "trainer/comm/comm.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "common/options.h"
#include "trainer/comm/launcher_env.h"

static const struct comm_ops *const backends[] = { &comm_self, &comm_mpi,
	&comm_gloo, &comm_nccl };

const struct comm_ops *const *
comm_list(size_t *n)
{
	*n = sizeof backends / sizeof backends[0];
	return backends;
}

long
comm_launched(void)
{
	/* Open MPI; MPICH's hydra and Slurm's pmi2; Slurm's pmix. */
	static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
		"SLURM_STEP_NUM_TASKS" };
	const int pmix = getenv("PMIX_RANK") != NULL;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *text = getenv(names[i]);
		long n;

		/* A Slurm step without PMIx starts no MPI processes. */
		if (i == 2 && !pmix)
			continue;
		if (text != NULL && parse_long(text, 1, LONG_MAX, &n) == 0)
			return n;
	}
	return 1;
}

static const struct comm_ops *
find_backend(const char *name, struct error *e)
{
	for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
		if (strcmp(backends[i]->name, name) == 0)
			return backends[i];
	error_set(e, ERROR_USAGE, "no back end '%s'", name);
	return NULL;
}

/* A number that another machine has not: of its name and its boot.  For tests,
 * DLSCALE_RANKS_PER_NODE=N makes N ranks in a row a machine. */
static uint64_t
find_machine(int rank)
{
	const char *forced = getenv("DLSCALE_RANKS_PER_NODE");
	char text[512] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	size_t len = 0;
	long n;

	if (f != NULL) {
		len = fread(text, 1, 64, f);
		fclose(f);
	}
	gethostname(text + len, sizeof text - len - 1);
	if (forced != NULL && parse_long(forced, 1, INT_MAX, &n) == 0)
		return (uint64_t)(rank / n);
	return XXH3_64bits(text, strlen(text));
}

static const char *
choose_backend(long for_mpi, const struct launcher *l)
{
	if (for_mpi > 1 && comm_mpi.open != NULL)
		return "mpi";
	return for_mpi > 1 || l->size > 1 ? "gloo" : "self";
}

int
comm_open(const char *backend, struct comm **out, struct error *e)
{
	const long n = comm_launched();
	const struct comm_ops *ops;
	struct launcher l;
	struct comm *c;

	if (launcher_env_read(&l, e) != 0)
		return -1;
	if (strcmp(backend, "auto") == 0)
		backend = choose_backend(n, &l);
	ops = find_backend(backend, e);
	if (ops == NULL)
		return -1;
	if (ops->open == NULL)
		return error_set(
		    e, ERROR_USAGE, "back end '%s': %s", backend, ops->summary);
	if (ops->open(&c, e) != 0)
		return -1;
	if (c->size < n && ops != &comm_self) {
		error_set(e, ERROR_SYSTEM,
		    "back end '%s' knows %d process%s but the launcher started "
		    "%ld: it is not the launcher of this MPI library",
		    backend, c->size, c->size == 1 ? "" : "es", n);
		comm_close(c);
		return -1;
	}
	c->machine = find_machine(c->rank);
	if (comm_find_place(c, e) != 0) {
		comm_close(c);
		return -1;
	}
	*out = c;
	return 0;
}
