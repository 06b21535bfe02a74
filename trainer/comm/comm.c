/* Collectives of all back ends: check arguments, count calls, report them to
 * the watchdog, and call the back end. */
#include <config.h>

#include "trainer/comm/comm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/comm/machine_memory.h"
#include "trainer/comm/watchdog.h"

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
	    e, ERROR_USAGE, "back end '%s' cannot %s", c->ops->name, what);
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
	return leave_call(c, x->ops->allreduce(x, data, n, t, op, e), e);
}

int
comm_reduce_scatter(
    struct comm *c, void *data, size_t n, enum comm_type t, struct error *e)
{
	struct comm *x = carrier(c);
	const size_t all = n * (size_t)c->size;

	assert(n <= COMM_BLOCK_MAX);
	if (x->ops->reduce_scatter == NULL)
		return comm_cannot(x, "reduce-scatter", e);
	count_traffic(c, all, t);
	watchdog_arm(
	    c->watchdog, "reduce_scatter", (double)(all * comm_type_size(t)));
	return leave_call(c, x->ops->reduce_scatter(x, data, n, t, e), e);
}

int
comm_allgather(
    struct comm *c, void *data, size_t n, enum comm_type t, struct error *e)
{
	struct comm *x = carrier(c);
	const size_t all = n * (size_t)c->size;

	assert(n <= COMM_BLOCK_MAX);
	if (x->ops->allgather == NULL)
		return comm_cannot(x, "gather", e);
	count_traffic(c, all, t);
	watchdog_arm(
	    c->watchdog, "allgather", (double)(all * comm_type_size(t)));
	return leave_call(c, x->ops->allgather(x, data, n, t, e), e);
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
	if (x->ops->split == NULL)
		return comm_cannot(x, "part its ranks", e);
	watchdog_arm(c->watchdog, "split", 0);
	if (leave_call(c, x->ops->split(x, color, key, &part, e), e) != 0)
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
	return leave_call(c, x->ops->broadcast(x, data, bytes, root, e), e);
}

void
comm_set_context(struct comm *c, int64_t step, int bucket)
{
	watchdog_set_context(c->watchdog, step, bucket);
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

/* Find the number of failed ranks and the lowest of them (c->size if none). */
static int
count_failed(
    struct comm *c, int failed, int64_t *n, int64_t *lowest, struct error *e)
{
	*n = failed;
	*lowest = failed ? c->rank : c->size;
	if (comm_allreduce(c, n, 1, COMM_I64, COMM_SUM, e) != 0)
		return -1;
	return comm_allreduce(c, lowest, 1, COMM_I64, COMM_MIN, e);
}

int
comm_agree(struct comm *c, struct error *e)
{
	struct error own = *e;
	int64_t n, lowest;

	if (count_failed(c, own.code != ERROR_NONE, &n, &lowest, e) != 0)
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

	x->ops->abort(x, status);
}
