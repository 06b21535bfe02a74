/* Opens a communicator: chooses the back end and finds the machine of each
 * rank. Also the back end of a single process. */
#include <config.h>

#include "trainer/comm/comm.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "trainer/comm/launcher_env.h"
#include "common/text.h"
#include "common/strbuf.h"
#include "trainer/base/host_state.h"
#include "common/alloc.h"

/* --- One process alone: all data is already where it belongs ------------- */

static int
self_open(struct comm **out, struct error *e)
{
	struct comm *c = xcalloc(1, sizeof *c);

	(void)e;
	c->ops = &comm_self;
	c->size = 1;
	*out = c;
	return 0;
}

static void
self_close(struct comm *c)
{
	free(c);
}

static int
self_allreduce(struct comm *c, void *data, size_t n, enum comm_type t,
    enum comm_op op, struct error *e)
{
	(void)c, (void)data, (void)n, (void)t, (void)op, (void)e;
	return 0;
}

/* Reduce-scatter and allgather of a single block: nothing to do. */
static int
self_block(
    struct comm *c, void *data, size_t n, enum comm_type t, struct error *e)
{
	(void)c, (void)data, (void)n, (void)t, (void)e;
	return 0;
}

static int
self_split(
    struct comm *c, int color, int key, struct comm **out, struct error *e)
{
	(void)c, (void)color, (void)key;
	return self_open(out, e);
}

static int
self_broadcast(
    struct comm *c, void *data, size_t bytes, int root, struct error *e)
{
	(void)c, (void)data, (void)bytes, (void)root, (void)e;
	return 0;
}

static void
self_abort(struct comm *c, int status)
{
	(void)c;
	_exit(status);
}

const struct comm_ops comm_self = {
	.name = "self",
	.summary = "one process alone",
	.open = self_open,
	.close = self_close,
	.allreduce = self_allreduce,
	.broadcast = self_broadcast,
	.split = self_split,
	.reduce_scatter = self_block,
	.allgather = self_block,
	.abort = self_abort,
};

/* --- Choosing ------------------------------------------------------------ */

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
	/* In order: Open MPI; MPICH's Hydra and Slurm's pmi2; Slurm's pmix. */
	static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
		"SLURM_STEP_NUM_TASKS" };
	const int pmix = getenv("PMIX_RANK") != NULL;

	if (launcher_env_is_torchrun())
		return 1;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *text = getenv(names[i]);
		long n;

		/* Without PMIx a Slurm step starts no MPI processes. */
		if (i == 2 && !pmix)
			continue;
		if (text != NULL && parse_long(text, 1, LONG_MAX, &n) == 0)
			return n;
	}
	return 1;
}

/* Compute a number that identifies the machine, from its boot ID and name. For
 * tests, DLSCALE_RANKS_PER_NODE=N makes N consecutive ranks a machine. */
static uint64_t
find_machine(int rank)
{
	const char *forced = getenv("DLSCALE_RANKS_PER_NODE");
	char name[HOST_NAME_MAX + 1] = "";
	struct strbuf sb;
	uint64_t hash;
	long n;

	if (forced != NULL && parse_long(forced, 1, INT_MAX, &n) == 0)
		return (uint64_t)(rank / n);
	strbuf_init(&sb, 1 << 20);
	boot_id_add(&sb);
	gethostname(name, sizeof name - 1);
	strbuf_addstr(&sb, name);
	hash = XXH3_64bits(sb.buf, sb.len);
	strbuf_release(&sb);
	return hash;
}

int
comm_join(const struct comm_ops *ops, struct comm **out, struct error *e)
{
	const long n = comm_launched();
	struct comm *c;

	if (ops->open == NULL)
		return error_set(e, ERROR_USAGE, "back end '%s': %s", ops->name,
		    ops->summary);
	if (ops->open(&c, e) != 0)
		return -1;
	if (c->size < n && ops != &comm_self) {
		error_set(e, ERROR_SYSTEM,
		    "back end '%s' knows %d process%s but the launcher started "
		    "%ld: it is not the launcher of this MPI library",
		    ops->name, c->size, c->size == 1 ? "" : "es", n);
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

int
comm_open_host(struct comm **out, struct error *e)
{
	const long for_mpi = comm_launched();
	struct launcher l;

	if (launcher_env_read(&l, e) != 0)
		return -1;
	if (for_mpi > 1 && comm_mpi.open != NULL)
		return comm_join(&comm_mpi, out, e);
	if (for_mpi > 1 || l.size > 1)
		return comm_join(&comm_gloo, out, e);
	return comm_join(&comm_self, out, e);
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

int
comm_open(const char *backend, struct comm **out, struct error *e)
{
	const struct comm_ops *ops;
	struct launcher l;

	if (strcmp(backend, "auto") == 0)
		return comm_open_host(out, e);
	if (launcher_env_read(&l, e) != 0)
		return -1;
	ops = find_backend(backend, e);
	return ops != NULL ? comm_join(ops, out, e) : -1;
}
