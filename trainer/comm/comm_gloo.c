/* Gloo's collectives over TCP, without MPI. See rendezvous.h for how ranks
 * meet. */
#include <config.h>

#include "trainer/comm/comm.h"

#ifdef HAVE_GLOO

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"
#include "trainer/comm/gloo_shim.h"
#include "trainer/comm/launcher_env.h"
#include "trainer/comm/rendezvous.h"

enum { MEET_S = 60, WAIT_S = 600 };

/* Seconds that a collective may wait for a peer. */
static int
find_timeout(double *out, struct error *e)
{
	const char *text = getenv("HOROVOD_GLOO_TIMEOUT_SECONDS");
	long s = WAIT_S;

	if (text != NULL && *text != '\0' &&
	    parse_long(text, 1, 1000000, &s) != 0)
		return error_set(e, ERROR_INPUT,
		    "environment variable HOROVOD_GLOO_TIMEOUT_SECONDS: '%s' "
		    "is not a number from 1 to 1000000",
		    text);
	*out = (double)s;
	return 0;
}

static struct comm *
make_gloo(int rank, int size, struct gloo_shim *shim)
{
	struct comm_gloo *c = xcalloc(1, sizeof *c);

	c->base.ops = &comm_gloo;
	c->base.rank = rank;
	c->base.size = size;
	c->shim = shim;
	return &c->base;
}

static int
gloo_open(struct comm **out, struct error *e)
{
	struct gloo_place p = { .interface = getenv("GLOO_SOCKET_IFNAME"),
		.exchange = rendezvous_all };
	struct gloo_shim *shim;
	struct rendezvous *x;
	struct launcher l;
	int rc;

	if (p.interface == NULL)
		p.interface = getenv("HOROVOD_GLOO_IFACE");
	if (find_timeout(&p.timeout_s, e) != 0 ||
	    launcher_env_read(&l, e) != 0 ||
	    rendezvous_open(&l, MEET_S, &x, e) != 0)
		return -1;
	p.rank = (int)l.rank;
	p.size = (int)l.size;
	p.address = rendezvous_address(x);
	p.ctx = x;
	rc = gloo_shim_open(&p, NULL, &shim, e);
	rendezvous_close(x);
	if (rc == 0)
		*out = make_gloo(p.rank, p.size, shim);
	return rc;
}

static void
gloo_close(struct comm *base)
{
	struct comm_gloo *c = (struct comm_gloo *)base;

	gloo_shim_close(c->shim);
	free(c);
}

static int
gloo_allgather(
    struct comm *base, void *data, size_t n, enum comm_type t, struct error *e)
{
	struct comm_gloo *c = (struct comm_gloo *)base;

	return gloo_shim_allgather(c->shim, data, n * comm_type_size(t), e);
}

/* A communicator under construction. */
struct part {
	struct comm *whole;
	int64_t *members; /* [size] ranks in whole, by rank in the part */
	int size;
};

/* The exchange uses the whole communicator; n may differ between its parts. */
static int
exchange_part(void *ctx, const void *own, size_t n, void *all, struct error *e)
{
	const struct part *p = ctx;
	int64_t most = (int64_t)n;
	char *blocks;
	int rc;

	if (comm_allreduce(p->whole, &most, 1, COMM_I64, COMM_MAX, e) != 0)
		return -1;
	blocks = xcalloc((size_t)p->whole->size, (size_t)most + 1);
	if (n > 0)
		memcpy(blocks + (size_t)p->whole->rank * (size_t)most, own, n);
	rc = gloo_shim_allgather(((struct comm_gloo *)p->whole)->shim, blocks,
	    (size_t)most + (most == 0), e);
	for (int i = 0; rc == 0 && n > 0 && i < p->size; i++)
		memcpy((char *)all + (size_t)i * n,
		    blocks + (size_t)p->members[i] * (size_t)most, n);
	free(blocks);
	return rc;
}

/* A rank's arguments for the split. */
struct asker {
	int64_t color, key, rank;
};

static int
compare_askers(const void *a, const void *b)
{
	const struct asker *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int
gloo_split(
    struct comm *base, int color, int key, struct comm **out, struct error *e)
{
	struct comm_gloo *c = (struct comm_gloo *)base;
	const size_t size = (size_t)base->size;
	struct asker *askers = xcalloc(size, sizeof *askers);
	struct part part = { base, xcalloc(size, sizeof(int64_t)), 0 };
	struct gloo_place p = { .exchange = exchange_part, .ctx = &part };
	struct gloo_shim *shim;
	int rc;

	askers[base->rank] = (struct asker){ color, key, base->rank };
	rc = find_timeout(&p.timeout_s, e);
	if (rc == 0)
		rc = gloo_shim_allgather(c->shim, askers, sizeof *askers, e);
	qsort(askers, size, sizeof *askers, compare_askers);
	for (size_t i = 0; i < size; i++) {
		if (askers[i].color != color)
			continue;
		if (askers[i].rank == base->rank)
			p.rank = part.size;
		part.members[part.size++] = askers[i].rank;
	}
	p.size = part.size;
	if (rc == 0)
		rc = gloo_shim_open(&p, c->shim, &shim, e);
	if (rc == 0)
		*out = make_gloo(p.rank, p.size, shim);
	free(askers);
	free(part.members);
	return rc;
}

const struct comm_ops comm_gloo = {
	.name = "gloo",
	.summary = "Gloo over TCP; needs no MPI",
	.open = gloo_open,
	.close = gloo_close,
	.allreduce = gloo_allreduce,
	.broadcast = gloo_broadcast,
	.split = gloo_split,
	.reduce_scatter = gloo_reduce_scatter,
	.allgather = gloo_allgather,
};

#else

const struct comm_ops comm_gloo = {
	.name = "gloo",
	.summary = "not built: configure found no Gloo",
};

#endif
