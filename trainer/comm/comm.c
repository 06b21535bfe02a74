/* Chooses the back end, finds the machine of each rank, and wraps the
 * collectives of all back ends: checks arguments, counts calls, reports them to
 * the watchdog, and calls the back end unless the rank is alone. */
#include <config.h>

#include "trainer/comm/comm.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "trainer/base/host_state.h"
#include "trainer/comm/launcher_env.h"
#include "trainer/comm/machine_memory.h"
#include "trainer/comm/watchdog.h"

/* --- One process alone ---------------------------------------------------- */

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

const struct comm_ops comm_self = {
	.name = "self",
	.summary = "one process alone",
	.open = self_open,
	.close = self_close,
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

int
comm_join(const struct comm_ops *ops, struct comm **out, struct error *e)
{
	const char *forced = getenv("DLSCALE_RANKS_PER_NODE");
	const long n = comm_launched();
	char name[HOST_NAME_MAX + 1] = "";
	struct strbuf sb = STRBUF_INIT(1 << 20);
	struct comm *c;
	long per_node;

	if (ops->open == NULL)
		return error_set(e, ERROR_USAGE, "back end '%s': %s", ops->name,
		    ops->summary);
	if (ops->open(&c, e) != 0)
		return -1;
	/* The machine's boot ID and name identify it. For tests,
	 * DLSCALE_RANKS_PER_NODE=N makes N consecutive ranks a machine. */
	boot_id_add(&sb);
	gethostname(name, sizeof name - 1);
	strbuf_addstr(&sb, name);
	c->machine = XXH3_64bits(sb.buf, sb.len);
	strbuf_release(&sb);
	if (forced != NULL && parse_long(forced, 1, INT_MAX, &per_node) == 0)
		c->machine = (uint64_t)(c->rank / per_node);
	if (c->size < n && ops != &comm_self)
		error_set(e, ERROR_SYSTEM,
		    "back end '%s' has %d process%s but the launcher started "
		    "%ld: it does not belong to this MPI library",
		    ops->name, c->size, c->size == 1 ? "" : "es", n);
	else if (comm_find_place(c, e) == 0) {
		*out = c;
		return 0;
	}
	comm_close(c);
	return -1;
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

int
comm_open(const char *backend, struct comm **out, struct error *e)
{
	struct launcher l;

	if (strcmp(backend, "auto") == 0)
		return comm_open_host(out, e);
	if (launcher_env_read(&l, e) != 0)
		return -1;
	for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
		if (strcmp(backends[i]->name, backend) == 0)
			return comm_join(backends[i], out, e);
	return error_set(e, ERROR_USAGE, "no back end '%s'", backend);
}

/* --- Collectives ---------------------------------------------------------- */

void
comm_close(struct comm *c)
{
	if (c != NULL)
		c->ops->close(c);
}

size_t
comm_type_size(enum comm_type t)
{
	static const size_t sizes[N_COMM_TYPES] = { [COMM_FP32] = 4,
		[COMM_FP64] = 8,
		[COMM_I64] = 8,
		[COMM_FP16] = 2,
		[COMM_BF16] = 2 };

	assert(t < N_COMM_TYPES);
	return sizes[t];
}

static void
count_traffic(struct comm *c, size_t n, enum comm_type t)
{
	c->count.calls++;
	c->count.bytes += n * comm_type_size(t);
}

/* End a collective. Returns rc. */
static int
leave_call(const struct comm *c, int rc, struct error *e)
{
	watchdog_disarm(c->watchdog);
	if (rc != 0)
		watchdog_explain(c->watchdog, e);
	return rc;
}

/* The communicator whose back end runs the collectives. */
static struct comm *
carrier(struct comm *c)
{
	return c->host != NULL ? c->host : c;
}

static int
comm_cannot(const struct comm *c, const char *what, struct error *e)
{
	return error_set(
	    e, ERROR_USAGE, "back end '%s' has no %s", c->ops->name, what);
}

int
comm_allreduce(struct comm *c, void *data, size_t n, enum comm_type t,
    enum comm_op op, struct error *e)
{
	struct comm *x = carrier(c);

	assert(op == COMM_SUM || (t != COMM_FP16 && t != COMM_BF16));
	count_traffic(c, n, t);
	watchdog_arm(c->watchdog, "allreduce", (double)(n * comm_type_size(t)));
	if (c->memory_sums && t == COMM_FP32 && op == COMM_SUM && n > 0 &&
	    machine_memory_holds(c->memory, data, n * sizeof(float)))
		return leave_call(
		    c, machine_memory_sum(c->memory, data, n, e), e);
	return leave_call(c,
	    x->size == 1 || n == 0 ? 0
				   : x->ops->allreduce(x, data, n, t, op, e),
	    e);
}

/* Run a collective of blocks, which the back end may lack. */
static int
run_blocks(struct comm *c, const char *op,
    int (*run)(struct comm *c, void *data, size_t n, enum comm_type t,
	struct error *e),
    void *data, size_t n, enum comm_type t, struct error *e)
{
	struct comm *x = carrier(c);
	const size_t all = n * (size_t)c->size;

	assert(n <= COMM_BLOCK_MAX);
	if (run == NULL && x->size > 1)
		return comm_cannot(x, op, e);
	count_traffic(c, all, t);
	watchdog_arm(c->watchdog, op, (double)(all * comm_type_size(t)));
	return leave_call(
	    c, x->size == 1 || n == 0 ? 0 : run(x, data, n, t, e), e);
}

int
comm_reduce_scatter(
    struct comm *c, void *data, size_t n, enum comm_type t, struct error *e)
{
	return run_blocks(c, "reduce_scatter", carrier(c)->ops->reduce_scatter,
	    data, n, t, e);
}

int
comm_allgather(
    struct comm *c, void *data, size_t n, enum comm_type t, struct error *e)
{
	return run_blocks(
	    c, "allgather", carrier(c)->ops->allgather, data, n, t, e);
}

int
comm_find_place(struct comm *c, struct error *e)
{
	int64_t *all = xcalloc((size_t)c->size, sizeof *all);

	memcpy(&all[c->rank], &c->machine, sizeof c->machine);
	if (comm_allreduce(c, all, (size_t)c->size, COMM_I64, COMM_SUM, e) !=
	    0) {
		free(all);
		return -1;
	}
	c->local_rank = c->local_size = c->n_nodes = 0;
	for (int i = 0; i < c->size; i++) {
		int first = 0;

		while (all[first] != all[i])
			first++;
		if (i == first && all[i] == all[c->rank])
			c->node = c->n_nodes;
		c->n_nodes += i == first;
		if (all[i] == all[c->rank]) {
			c->local_rank += i < c->rank;
			c->local_size++;
		}
	}
	memset(&c->count, 0, sizeof c->count);
	free(all);
	return 0;
}

int
comm_split(
    struct comm *c, int color, int key, struct comm **out, struct error *e)
{
	struct comm *x = carrier(c);
	struct comm *part;

	assert(color >= 0);
	if (x->ops->split == NULL && x->size > 1)
		return comm_cannot(x, "split", e);
	watchdog_arm(c->watchdog, "split", 0);
	if (leave_call(c,
		x->size == 1 ? self_open(&part, e)
			     : x->ops->split(x, color, key, &part, e),
		e) != 0)
		return -1;
	part->watchdog = c->watchdog;
	part->machine = c->machine;
	if (comm_find_place(part, e) != 0) {
		comm_close(part);
		return -1;
	}
	*out = part;
	return 0;
}

int
comm_broadcast(
    struct comm *c, void *data, size_t bytes, int root, struct error *e)
{
	struct comm *x = carrier(c);

	assert(root >= 0 && root < c->size);
	watchdog_arm(c->watchdog, "broadcast", (double)bytes);
	return leave_call(c,
	    x->size == 1 || bytes == 0
		? 0
		: x->ops->broadcast(x, data, bytes, root, e),
	    e);
}

int
comm_barrier(struct comm *c, struct error *e)
{
	int64_t nothing = 0;

	return comm_allreduce(c, &nothing, 1, COMM_I64, COMM_SUM, e);
}

int
comm_join_machine(struct comm *c, struct error *e)
{
	watchdog_arm(c->watchdog, "join", 0);
	return leave_call(
	    c, c->memory == NULL ? 0 : machine_memory_join(c->memory, e), e);
}

int
comm_agree(struct comm *c, struct error *e)
{
	struct error own = *e;
	const int failed = own.code != ERROR_NONE;
	int64_t n = failed, lowest = failed ? c->rank : c->size;

	if (comm_allreduce(c, &n, 1, COMM_I64, COMM_SUM, e) != 0 ||
	    comm_allreduce(c, &lowest, 1, COMM_I64, COMM_MIN, e) != 0)
		return -2;
	if (n == 0)
		return 0;
	if (comm_broadcast(c, &own, sizeof own, (int)lowest, e) != 0)
		return -2;
	*e = own;
	if (n < c->size)
		error_prefix(e, "rank %d", (int)lowest);
	return -1;
}

int
comm_check_same(struct comm *c, const char *what, uint64_t x, struct error *e)
{
	/* The minimum of x and of -x, in 32-bit halves so that -x cannot
	 * overflow. */
	const int64_t half[2] = { (int64_t)(x >> 32), (int64_t)(uint32_t)x };
	int64_t v[4] = { half[0], -half[0], half[1], -half[1] };

	if (comm_allreduce(c, v, 4, COMM_I64, COMM_MIN, e) != 0)
		return -1;
	if (v[0] == -v[1] && v[2] == -v[3])
		return 0;
	return error_set(e, ERROR_INPUT, "the ranks differ in %s", what);
}

int
comm_count_same(struct comm *c, uint64_t x, int on_machine, struct error *e)
{
	int64_t *all = xcalloc((size_t)c->size * 2, sizeof *all);
	int64_t *own = &all[2 * c->rank];
	int n = 0;

	/* Only one rank adds to each slot. */
	own[0] = on_machine ? c->node : 0;
	memcpy(&own[1], &x, sizeof x);
	if (comm_allreduce(
		c, all, (size_t)c->size * 2, COMM_I64, COMM_SUM, e) != 0)
		n = -1;
	for (int i = 0; i < c->size && n >= 0; i++)
		n += memcmp(&all[2 * i], own, 2 * sizeof *own) == 0;
	free(all);
	return n;
}

int
comm_attach(struct comm *c, struct device *d, const struct comm_attachment *a,
    struct error *e)
{
	return c->ops->attach(c, d, a, e);
}

int
comm_alive(struct comm *c, int working, struct error *e)
{
	return c->ops->alive != NULL ? c->ops->alive(c, working, e) : 0;
}

void
comm_detach(struct comm *c)
{
	if (c->ops->detach != NULL)
		c->ops->detach(c);
}

void
comm_abort(struct comm *c, int status)
{
	struct comm *x = carrier(c);

	if (x->ops->abort != NULL)
		x->ops->abort(x, status);
	_exit(status);
}
