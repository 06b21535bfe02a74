/* How a bucket travels: type, levels, pieces. The reducer's thread calls it;
 * which tensors are in a bucket is not known here. */
#include <config.h>

#include "trainer/sync/gradient_codec.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/base/clock.h"
#include "trainer/sync/fp16_worker.h"
#include "trainer/base/half_float.h"

/* fp16 or bf16 elements in one go.  Of more a piece is on its way while others
 * are converted; an allreduce costs its latency in each piece. */
enum { PIECE = 1 << 20 };

struct gradient_codec {
	struct comm
	    *levels[3];  /* by GRADIENT_CODEC_ALL, ...; NULL without levels */
	enum dtype wire; /* of what travels */
	enum comm_type type; /* the same */
	int is_half;
	uint16_t *buffer; /* [most] if is_half; NULL: on a device */
	size_t most;
	struct fp16_worker *worker; /* NULL: all allreduces are short */
	struct clock clock;
	gradient_codec_phase_fn *on_phase; /* or NULL */
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
open_levels(struct gradient_codec *c, struct error *e)
{
	struct comm *all = c->levels[GRADIENT_CODEC_ALL];

	if (check_levels(all, e) != 0)
		return -1;
	if (all->n_nodes == 1 || all->local_size == 1)
		return 0;
	if (comm_split(all, all->node, all->local_rank,
		&c->levels[GRADIENT_CODEC_LOCAL], e) != 0)
		return -1;
	return comm_split(all, all->local_rank, all->node,
	    &c->levels[GRADIENT_CODEC_CROSS], e);
}

int
gradient_codec_open(struct comm *comm, enum dtype type, size_t most,
    const struct gradient_codec_config *config, struct gradient_codec **out,
    struct error *e)
{
	const int is_half =
	    config->wire == DTYPE_FP16 || config->wire == DTYPE_BF16;
	struct gradient_codec *c;

	assert(type == DTYPE_FP32 || type == DTYPE_FP64);
	if (is_half && type != DTYPE_FP32)
		return error_set(e, ERROR_USAGE,
		    "--compression needs gradients in fp32, not fp64");
	c = xcalloc(1, sizeof *c);
	c->levels[GRADIENT_CODEC_ALL] = comm;
	c->wire = is_half ? config->wire : type;
	c->type = find_type(c->wire);
	c->is_half = is_half;
	c->most = most;
	clock_init(&c->clock, 0);
	if (is_half && !config->on_device)
		c->buffer = xcalloc(most + 1, sizeof *c->buffer);
	if ((c->buffer != NULL && most > PIECE &&
		fp16_worker_open(&c->worker, e) != 0) ||
	    (config->hierarchical && open_levels(c, e) != 0)) {
		gradient_codec_close(c);
		return -1;
	}
	*out = c;
	return 0;
}

void
gradient_codec_close(struct gradient_codec *c)
{
	if (c == NULL)
		return;
	comm_close(c->levels[GRADIENT_CODEC_LOCAL]);
	comm_close(c->levels[GRADIENT_CODEC_CROSS]);
	fp16_worker_close(c->worker);
	free(c->buffer);
	free(c);
}

enum codec_phase { SCATTER, REDUCE, GATHER };

/* One collective, of blocks of n elements. */
static int
run_collective(struct gradient_codec *c, enum codec_phase phase,
    struct comm *comm, void *data, size_t n, struct error *e)
{
	static const char *const names[] = { "reduce_scatter", "allreduce",
		"allgather" };
	const size_t blocks = phase == REDUCE ? 1 : (size_t)comm->size;
	struct gradient_codec_phase done = { .op = names[phase],
		.ranks = comm->size,
		.bytes = (double)(blocks * n * comm_type_size(c->type)),
		.start = clock_now(&c->clock) };
	int rc;

	if (phase == SCATTER)
		rc = comm_reduce_scatter(comm, data, n, c->type, e);
	else if (phase == GATHER)
		rc = comm_allgather(comm, data, n, c->type, e);
	else
		rc = comm_allreduce(comm, data, n, c->type, COMM_SUM, e);
	done.end = clock_now(&c->clock);
	if (rc == 0 && c->on_phase != NULL)
		c->on_phase(c->ctx, &done);
	return rc;
}

/* Sum as many elements as the machine's ranks can share evenly by levels, and
 * the few that are left over all ranks. */
static int
sum_levels(struct gradient_codec *c, char *data, size_t n, struct error *e)
{
	struct comm *all = c->levels[GRADIENT_CODEC_ALL];
	struct comm *local = c->levels[GRADIENT_CODEC_LOCAL];
	struct comm *cross = c->levels[GRADIENT_CODEC_CROSS];
	const size_t size = comm_type_size(c->type);
	const size_t block = n / (size_t)local->size;
	const size_t even = block * (size_t)local->size;
	char *own = data + block * (size_t)local->rank * size;

	if (block > 0 &&
	    (run_collective(c, SCATTER, local, data, block, e) != 0 ||
		run_collective(c, REDUCE, cross, own, block, e) != 0 ||
		run_collective(c, GATHER, local, data, block, e) != 0))
		return -1;
	if (even == n)
		return 0;
	return run_collective(c, REDUCE, all, data + even * size, n - even, e);
}

static int
codec_allreduce(struct gradient_codec *c, void *data, size_t n, struct error *e)
{
	if (gradient_codec_is_hierarchical(c))
		return sum_levels(c, data, n, e);
	return comm_allreduce(
	    c->levels[GRADIENT_CODEC_ALL], data, n, c->type, COMM_SUM, e);
}

/* Allreduce in pieces, so that one is converted while another is on its way. */
static int
sum_pieces(struct gradient_codec *c, float *data, size_t n, struct error *e)
{
	const struct fp16_worker_job job = { .type = c->wire,
		.data = data,
		.scale = 1.0f / (float)c->levels[GRADIENT_CODEC_ALL]->size,
		.half = c->buffer,
		.n = n,
		.piece = PIECE };
	const size_t n_pieces = fp16_worker_pieces(&job);
	int rc = 0;

	fp16_worker_begin(c->worker, &job);
	for (size_t k = 0; rc == 0 && k < n_pieces; k++) {
		uint16_t *half;
		const size_t m = fp16_worker_take(c->worker, k, &half);

		rc = codec_allreduce(c, half, m, e);
		if (rc == 0)
			fp16_worker_give(c->worker, k);
	}
	fp16_worker_join(c->worker);
	return rc;
}

int
gradient_codec_allreduce(
    struct gradient_codec *c, void *data, size_t n, struct error *e)
{
	const float scale = 1.0f / (float)c->levels[GRADIENT_CODEC_ALL]->size;

	assert(n <= c->most && (!c->is_half || c->buffer != NULL));
	if (!c->is_half)
		return codec_allreduce(c, data, n, e);
	if (n > PIECE)
		return sum_pieces(c, data, n, e);
	half_float_from_float(c->wire, data, scale, c->buffer, n);
	if (codec_allreduce(c, c->buffer, n, e) != 0)
		return -1;
	half_float_to_float(c->wire, c->buffer, data, n);
	return 0;
}

double
gradient_codec_scale(const struct gradient_codec *c)
{
	return c->is_half ? 1 : 1.0 / c->levels[GRADIENT_CODEC_ALL]->size;
}

size_t
gradient_codec_element(const struct gradient_codec *c)
{
	return comm_type_size(c->type);
}

int
gradient_codec_is_hierarchical(const struct gradient_codec *c)
{
	return c->levels[GRADIENT_CODEC_CROSS] != NULL;
}

struct comm_attachment
gradient_codec_attachment(const struct gradient_codec *c)
{
	return (struct comm_attachment){ .wire = c->type,
		.local = c->levels[GRADIENT_CODEC_LOCAL],
		.cross = c->levels[GRADIENT_CODEC_CROSS] };
}

void
gradient_codec_tell(
    struct gradient_codec *c, gradient_codec_phase_fn *on_phase, void *ctx)
{
	c->on_phase = on_phase;
	c->ctx = ctx;
}

struct comm_count
gradient_codec_count(const struct gradient_codec *c, int level)
{
	const struct comm_count none = { 0, 0 };

	return c->levels[level] != NULL ? c->levels[level]->count : none;
}
