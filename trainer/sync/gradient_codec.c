/* Compression, hierarchy and pipelining of allreduces. */
#include <config.h>

#include "trainer/sync/gradient_reducer.h"

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/process.h"
#include "trainer/base/tensor.h"

enum {
	/* Elements of a piece. One piece is sent while others are converted;
	 * each costs the latency of an allreduce. */
	PIECE = 1 << 20,
	AHEAD = 2 /* pieces to round ahead */
};

/* A thread that rounds the pieces of an allreduce and converts them back to
 * fp32 while another piece is sent. */
struct half_worker {
	pthread_t thread;
	pthread_mutex_t lock; /* protects all below */
	pthread_cond_t changed;
	float *data; /* [n] of the current allreduce */
	size_t n, n_pieces;
	/* Number of pieces rounded, reduced, and converted back, in order. */
	size_t n_rounded, n_reduced, n_restored;
	int quit;
};

struct gradient_codec {
	struct comm *levels[3]; /* see GRADIENT_CODEC_ALL; or NULL */
	enum dtype wire;        /* type that is sent */
	enum comm_type type;    /* the same */
	int is_half;
	uint16_t *buffer; /* [most] if is_half; NULL: on a device */
	size_t most;
	struct half_worker *worker; /* NULL: all allreduces are short */
	struct trace *trace;        /* for hierarchical allreduces, or NULL */
	struct trace_event event;   /* for the next collective */
};

/* --- Conversion ---------------------------------------------------------- */

/* The factor that turns the sum into a mean before rounding. */
static float
rank_share(const struct gradient_codec *c)
{
	return 1.0f / (float)c->levels[GRADIENT_CODEC_ALL]->size;
}

static size_t
piece_length(const struct half_worker *w, size_t k)
{
	const size_t left = w->n - k * PIECE;

	return left < PIECE ? left : PIECE;
}

/* Convert piece k: round it, or convert it back to fp32. The lock is held on
 * entry and return. */
static void
convert_piece(struct gradient_codec *c, size_t k, int back)
{
	struct half_worker *w = c->worker;
	float *data = w->data + k * PIECE;
	uint16_t *half = c->buffer + k * PIECE;
	const size_t n = piece_length(w, k);

	pthread_mutex_unlock(&w->lock);
	if (back)
		half_float_to_float(c->wire, half, data, n);
	else
		half_float_from_float(c->wire, data, rank_share(c), half, n);
	pthread_mutex_lock(&w->lock);
}

static void *
half_worker_thread(void *codec)
{
	struct gradient_codec *c = codec;
	struct half_worker *w = c->worker;

	pthread_mutex_lock(&w->lock);
	while (!w->quit) {
		const int may_restore = w->n_restored < w->n_reduced;

		/* Convert first the pieces that are needed first. */
		if (w->n_rounded < w->n_pieces &&
		    (!may_restore || w->n_rounded < w->n_reduced + AHEAD)) {
			convert_piece(c, w->n_rounded, 0);
			w->n_rounded++;
		} else if (may_restore) {
			convert_piece(c, w->n_restored, 1);
			w->n_restored++;
		} else {
			pthread_cond_wait(&w->changed, &w->lock);
			continue;
		}
		pthread_cond_broadcast(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* --- Opening ------------------------------------------------------------- */

/* Open a communicator for the ranks of a machine, and one across machines, if
 * there are several of both. */
static int
open_levels(struct gradient_codec *c, struct error *e)
{
	struct comm *all = c->levels[GRADIENT_CODEC_ALL];
	int64_t n[2] = { all->local_size, -all->local_size };

	if (comm_allreduce(all, n, 2, COMM_I64, COMM_MAX, e) != 0)
		return -1;
	if (n[0] != -n[1])
		return error_set(e, ERROR_USAGE,
		    "--hierarchical needs as many processes on each machine, "
		    "but one has %lld and another %lld",
		    (long long)n[0], (long long)-n[1]);
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
	int rc = 0;

	assert(type == DTYPE_FP32 || type == DTYPE_FP64);
	if (is_half && type != DTYPE_FP32)
		return error_set(e, ERROR_USAGE,
		    "--compression needs gradients in fp32, not fp64");
	c = xcalloc(1, sizeof *c);
	c->levels[GRADIENT_CODEC_ALL] = comm;
	c->wire = is_half ? config->wire : type;
	c->type = c->wire == DTYPE_FP64 ? COMM_FP64
	    : c->wire == DTYPE_FP16     ? COMM_FP16
	    : c->wire == DTYPE_BF16     ? COMM_BF16
					: COMM_FP32;
	c->is_half = is_half;
	c->most = most;
	if (is_half && !config->on_device)
		c->buffer = xcalloc(most + 1, sizeof *c->buffer);
	if (c->buffer != NULL && most > PIECE) {
		c->worker = xcalloc(1, sizeof *c->worker);
		pthread_mutex_init(&c->worker->lock, NULL);
		pthread_cond_init(&c->worker->changed, NULL);
		rc = pthread_create(
		    &c->worker->thread, NULL, half_worker_thread, c);
	}
	if (rc != 0) {
		free(c->worker);
		c->worker = NULL;
		error_errno(e, rc, "cannot start a thread");
	}
	if (rc != 0 || (config->hierarchical && open_levels(c, e) != 0)) {
		gradient_codec_close(c);
		return -1;
	}
	*out = c;
	return 0;
}

void
gradient_codec_close(struct gradient_codec *c)
{
	struct half_worker *w = c != NULL ? c->worker : NULL;

	if (c == NULL)
		return;
	comm_close(c->levels[GRADIENT_CODEC_LOCAL]);
	comm_close(c->levels[GRADIENT_CODEC_CROSS]);
	if (w != NULL) {
		pthread_mutex_lock(&w->lock);
		w->quit = 1;
		pthread_cond_broadcast(&w->changed);
		pthread_mutex_unlock(&w->lock);
		pthread_join(w->thread, NULL);
		pthread_cond_destroy(&w->changed);
		pthread_mutex_destroy(&w->lock);
	}
	free(w);
	free(c->buffer);
	free(c);
}

/* --- Allreduce ----------------------------------------------------------- */

enum codec_phase { SCATTER, REDUCE, GATHER };

/* Run and record one collective, of blocks of n elements. */
static int
run_collective(struct gradient_codec *c, enum codec_phase phase,
    struct comm *comm, void *data, size_t n, struct error *e)
{
	static const char *const names[] = { "reduce_scatter", "allreduce",
		"allgather" };
	const size_t blocks = phase == REDUCE ? 1 : (size_t)comm->size;
	int rc;

	c->event.op = names[phase];
	c->event.ranks = comm->size;
	c->event.bytes = (double)(blocks * n * comm_type_size(c->type));
	c->event.start = seconds_now();
	if (phase == SCATTER)
		rc = comm_reduce_scatter(comm, data, n, c->type, e);
	else if (phase == GATHER)
		rc = comm_allgather(comm, data, n, c->type, e);
	else
		rc = comm_allreduce(comm, data, n, c->type, COMM_SUM, e);
	c->event.end = seconds_now();
	if (rc == 0)
		trace_add(c->trace, &c->event);
	/* The next collective can start when this one has ended. */
	c->event.ready = c->event.end;
	return rc;
}

/* Reduce over all ranks: all elements at once, or hierarchically those that the
 * machine's ranks can share evenly, then the remainder. */
static int
codec_allreduce(struct gradient_codec *c, char *data, size_t n, struct error *e)
{
	struct comm *all = c->levels[GRADIENT_CODEC_ALL];
	struct comm *local = c->levels[GRADIENT_CODEC_LOCAL];
	struct comm *cross = c->levels[GRADIENT_CODEC_CROSS];
	const size_t size = comm_type_size(c->type);
	size_t block, even;
	char *own;

	if (cross == NULL)
		return comm_allreduce(all, data, n, c->type, COMM_SUM, e);
	block = n / (size_t)local->size;
	even = block * (size_t)local->size;
	own = data + block * (size_t)local->rank * size;
	if (block > 0 &&
	    (run_collective(c, SCATTER, local, data, block, e) != 0 ||
		run_collective(c, REDUCE, cross, own, block, e) != 0 ||
		run_collective(c, GATHER, local, data, block, e) != 0))
		return -1;
	if (even == n)
		return 0;
	return run_collective(c, REDUCE, all, data + even * size, n - even, e);
}

/* Allreduce one piece after the other while the worker converts others. */
static int
allreduce_pieces(
    struct gradient_codec *c, float *data, size_t n, struct error *e)
{
	struct half_worker *w = c->worker;
	const size_t n_pieces = (n + PIECE - 1) / PIECE;
	int rc = 0;

	pthread_mutex_lock(&w->lock);
	w->data = data;
	w->n = n;
	w->n_pieces = n_pieces;
	pthread_cond_broadcast(&w->changed);
	for (size_t k = 0; rc == 0 && k < n_pieces; k++) {
		while (w->n_rounded <= k)
			pthread_cond_wait(&w->changed, &w->lock);
		pthread_mutex_unlock(&w->lock);
		rc = codec_allreduce(
		    c, (char *)(c->buffer + k * PIECE), piece_length(w, k), e);
		pthread_mutex_lock(&w->lock);
		w->n_reduced += rc == 0;
		pthread_cond_broadcast(&w->changed);
	}
	/* After a failure round no further pieces, but one may be in
	 * progress. */
	if (rc != 0 && w->n_rounded < w->n_pieces)
		w->n_pieces = w->n_rounded + 1;
	while (w->n_rounded < w->n_pieces || w->n_restored < w->n_reduced)
		pthread_cond_wait(&w->changed, &w->lock);
	w->n_pieces = w->n_rounded = w->n_reduced = w->n_restored = 0;
	pthread_mutex_unlock(&w->lock);
	return rc;
}

int
gradient_codec_allreduce(
    struct gradient_codec *c, void *data, size_t n, struct error *e)
{
	assert(n <= c->most && (!c->is_half || c->buffer != NULL));
	if (!c->is_half)
		return codec_allreduce(c, data, n, e);
	if (n > PIECE)
		return allreduce_pieces(c, data, n, e);
	half_float_from_float(c->wire, data, rank_share(c), c->buffer, n);
	if (codec_allreduce(c, (char *)c->buffer, n, e) != 0)
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
gradient_codec_trace(
    struct gradient_codec *c, struct trace *t, const struct trace_event *event)
{
	c->trace = t;
	c->event = *event;
}

struct comm_count
gradient_codec_count(const struct gradient_codec *c, int level)
{
	const struct comm_count none = { 0, 0 };

	return c->levels[level] != NULL ? c->levels[level]->count : none;
}
