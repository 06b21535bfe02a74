/* Rank 0's tensors for all ranks. train.c and resume.c call it, all ranks
 * together. */
#include <config.h>

#include <stdlib.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "trainer/comm/machine_memory.h"
#include "trainer/run/train.h"

int
train_agree(struct train *t, struct error *e)
{
	const int rc = comm_agree(t->comm, e);

	t->agreed = rc == -1;
	return rc != 0 ? -1 : 0;
}

int
train_share(struct train *t, enum tensor_kind kind, struct error *e)
{
	struct device *d = t->network.device;
	const struct graph *g = &t->network.graph;
	const int count = kind == TENSOR_BUFFER ? g->n_buffers : g->n_params;
	const enum dtype type = device_arena(d, TENSOR_PARAM).type == DTYPE_FP64
	    ? DTYPE_FP64
	    : DTYPE_FP32;
	int rc = 0;

	for (int i = 0; i < count && rc == 0; i++) {
		const size_t n = device_tensor_size(d, kind, i);
		void *x = xcalloc(n, dtype_size(type));

		rc = device_read(d, kind, i, type, x, e);
		if (rc == 0)
			rc = comm_broadcast(
			    t->comm, x, n * dtype_size(type), 0, e);
		if (rc == 0)
			rc = device_write(d, kind, i, type, x, e);
		free(x);
	}
	return rc;
}

int
train_share_weights(struct train *t, struct error *e)
{
	struct device *d = t->network.device;
	const struct device_arena params = device_arena(d, TENSOR_PARAM);
	const int rc = train_share(t, TENSOR_PARAM, e);

	if (rc != 0 || !d->ops->on_host)
		return rc;
	return comm_check_same(t->comm, "the order of weights in memory",
	    XXH3_64bits(params.data, params.n * dtype_size(params.type)), e);
}

static int
join_machine(void *comm, struct error *e)
{
	return comm_join_machine(comm, e);
}

int
train_share_memory(struct train *t, struct error *e)
{
	struct comm *c = t->comm;
	struct device *d = t->network.device;
	struct device_region *regions;
	size_t n;
	int rc = 0;

	if (c->n_nodes == c->size || t->o->evaluate)
		return 0;
	n = device_regions(d, &regions);
	if (n > 0)
		rc = machine_memory_open(c, regions, n, &t->memory, e);
	free(regions);
	if (t->memory == NULL)
		return rc;
	c->memory = machine_memory_hook(
	    t->memory, c->n_nodes == 1 && c->ops->in_memory);
	d->sharing = (struct device_sharing){ .part = c->memory->rank,
		.parts = c->memory->ranks,
		.join = join_machine,
		.ctx = c };
	return 0;
}
