#include <config.h>

#include "trainer/carrier.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/clock.h"
#include "trainer/converter.h"
#include "trainer/half.h"

/* Halves in one go.  Of more a piece is on its way while others are converted;
 * a sum costs its latency in each piece. */
enum { PIECE = 1 << 20 };

struct carrier {
	struct comm *levels[3]; /* by CARRIER_ALL, ...; NULL without levels */
	enum dtype wire;        /* of what travels */
	enum comm_type type;    /* the same */
	int halves;
	uint16_t *buffer; /* [most] if halves */
	size_t most;
	struct converter *converter; /* NULL: all sums are short */
	struct clock clock;
	carrier_leg_fn *told; /* or NULL */
	void *ctx;
};

static enum comm_type
find_type(enum dtype t)
{
	switch (t) {
	case DTYPE_FP64:
		return COMM_FP64;
	case DTYPE_FP16:
		return COMM_FP16;
	case DTYPE_BF16:
		return COMM_BF16;
	default:
		return COMM_FP32;
	}
}

/* Have all machines as many ranks?  The same answer on all. */
static int
check_levels(struct comm *comm, struct error *e)
{
	int64_t n[2] = { comm->local_size, -comm->local_size };

	if (comm_allreduce(comm, n, 2, COMM_I64, COMM_MAX, e) != 0)
		return -1;
	if (n[0] == -n[1])
		return 0;
	return error_set(e, ERROR_USAGE,
	    "--hierarchical needs as many processes on each machine, but one "
	    "has %lld and another %lld",
	    (long long)n[0], (long long)-n[1]);
}

static int
open_levels(struct carrier *c, struct error *e)
{
	struct comm *all = c->levels[CARRIER_ALL];

	if (check_levels(all, e) != 0)
		return -1;
	if (all->n_nodes == 1 || all->local_size == 1)
		return 0;
	if (comm_split(all, all->node, all->local_rank,
		&c->levels[CARRIER_LOCAL], e) != 0)
		return -1;
	return comm_split(
	    all, all->local_rank, all->node, &c->levels[CARRIER_CROSS], e);
}

int
carrier_open(struct comm *comm, enum dtype type, size_t most,
    const struct carrier_config *config, struct carrier **out, struct error *e)
{
	const int halves =
	    config->wire == DTYPE_FP16 || config->wire == DTYPE_BF16;
	struct carrier *c;

	assert(type == DTYPE_FP32 || type == DTYPE_FP64);
	if (halves && type != DTYPE_FP32)
		return error_set(e, ERROR_USAGE,
		    "--compression needs gradients in fp32, not fp64");
	c = xcalloc(1, sizeof *c);
	c->levels[CARRIER_ALL] = comm;
	c->wire = halves ? config->wire : type;
	c->type = find_type(c->wire);
	c->halves = halves;
	c->most = most;
	clock_init(&c->clock, 0);
	if (halves)
		c->buffer = xcalloc(most + 1, sizeof *c->buffer);
	if ((halves && most > PIECE && converter_open(&c->converter, e) != 0) ||
	    (config->hierarchical && open_levels(c, e) != 0)) {
		carrier_close(c);
		return -1;
	}
	*out = c;
	return 0;
}

void
carrier_close(struct carrier *c)
{
	if (c == NULL)
		return;
	comm_close(c->levels[CARRIER_LOCAL]);
	comm_close(c->levels[CARRIER_CROSS]);
	converter_close(c->converter);
	free(c->buffer);
	free(c);
}

enum leg { SCATTER, REDUCE, GATHER };

/* One collective, of blocks of n elements. */
static int
go(struct carrier *c, enum leg leg, struct comm *comm, void *data, size_t n,
    struct error *e)
{
	static const char *const names[] = { "reduce_scatter", "allreduce",
		"allgather" };
	const size_t blocks = leg == REDUCE ? 1 : (size_t)comm->size;
	struct carrier_leg told = { .op = names[leg],
		.ranks = comm->size,
		.bytes = (double)(blocks * n * comm_type_size(c->type)),
		.start = clock_now(&c->clock) };
	int rc;

	if (leg == SCATTER)
		rc = comm_reduce_scatter(comm, data, n, c->type, e);
	else if (leg == GATHER)
		rc = comm_allgather(comm, data, n, c->type, e);
	else
		rc = comm_allreduce(comm, data, n, c->type, COMM_SUM, e);
	told.end = clock_now(&c->clock);
	if (rc == 0 && c->told != NULL)
		c->told(c->ctx, &told);
	return rc;
}

/* Sum as many elements as the machine's ranks can share evenly by levels, and
 * the few that are left over all ranks. */
static int
sum_levels(struct carrier *c, char *data, size_t n, struct error *e)
{
	struct comm *all = c->levels[CARRIER_ALL];
	struct comm *local = c->levels[CARRIER_LOCAL];
	struct comm *cross = c->levels[CARRIER_CROSS];
	const size_t size = comm_type_size(c->type);
	const size_t block = n / (size_t)local->size;
	const size_t even = block * (size_t)local->size;
	char *own = data + block * (size_t)local->rank * size;

	if (go(c, SCATTER, local, data, block, e) != 0 ||
	    go(c, REDUCE, cross, own, block, e) != 0 ||
	    go(c, GATHER, local, data, block, e) != 0)
		return -1;
	if (even == n)
		return 0;
	return go(c, REDUCE, all, data + even * size, n - even, e);
}

static int
sum(struct carrier *c, void *data, size_t n, struct error *e)
{
	if (carrier_is_hierarchical(c))
		return sum_levels(c, data, n, e);
	return comm_allreduce(
	    c->levels[CARRIER_ALL], data, n, c->type, COMM_SUM, e);
}

/* Sum in pieces, so that conversion is beside the transport. */
static int
sum_pieces(struct carrier *c, float *data, size_t n, struct error *e)
{
	const struct converter_job job = { .type = c->wire,
		.data = data,
		.scale = 1.0f / (float)c->levels[CARRIER_ALL]->size,
		.halves = c->buffer,
		.n = n,
		.piece = PIECE };
	const size_t n_pieces = converter_pieces(&job);
	int rc = 0;

	converter_begin(c->converter, &job);
	for (size_t k = 0; rc == 0 && k < n_pieces; k++) {
		uint16_t *halves;
		const size_t m = converter_take(c->converter, k, &halves);

		rc = sum(c, halves, m, e);
		if (rc == 0)
			converter_give(c->converter, k);
	}
	converter_join(c->converter);
	return rc;
}

int
carrier_sum(struct carrier *c, void *data, size_t n, struct error *e)
{
	const float scale = 1.0f / (float)c->levels[CARRIER_ALL]->size;

	assert(n <= c->most);
	if (!c->halves)
		return sum(c, data, n, e);
	if (n > PIECE)
		return sum_pieces(c, data, n, e);
	half_from_float(c->wire, data, scale, c->buffer, n);
	if (sum(c, c->buffer, n, e) != 0)
		return -1;
	half_to_float(c->wire, c->buffer, data, n);
	return 0;
}

double
carrier_scale(const struct carrier *c)
{
	return c->halves ? 1 : 1.0 / c->levels[CARRIER_ALL]->size;
}

size_t
carrier_element(const struct carrier *c)
{
	return comm_type_size(c->type);
}

int
carrier_is_hierarchical(const struct carrier *c)
{
	return c->levels[CARRIER_CROSS] != NULL;
}

void
carrier_tell(struct carrier *c, carrier_leg_fn *told, void *ctx)
{
	c->told = told;
	c->ctx = ctx;
}

struct comm_count
carrier_count(const struct carrier *c, int level)
{
	const struct comm_count none = { 0, 0 };

	return c->levels[level] != NULL ? c->levels[level]->count : none;
}
