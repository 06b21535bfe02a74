/* Joining the processes that a launcher started, through a back end that works
 * on host memory: which one, and who is on which machine. Called by comm_open()
 * and by the back end that needs one of these next to it (comm_nccl.c); it
 * knows no back end of a device. */
#include <config.h>

#include "trainer/comm/comm.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/strbuf.h"
#include "common/text.h"
#include "trainer/base/kernel_file.h"
#include "trainer/comm/launcher_env.h"

long
comm_launched(void)
{
	/* Open MPI; MPICH's hydra and Slurm's pmi2; Slurm's pmix. */
	static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
		"SLURM_STEP_NUM_TASKS" };
	const int pmix = getenv("PMIX_RANK") != NULL;

	if (launcher_env_is_torchrun())
		return 1;
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

/* A number that another machine has not: of its boot and its name.  For tests,
 * DLSCALE_RANKS_PER_NODE=N makes N ranks in a row a machine. */
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
	kernel_file_boot_id(&sb);
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
