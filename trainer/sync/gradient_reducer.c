/* The thread that allreduces buckets as gradients become ready; compression,
 * hierarchy and pipelining of allreduces. */
#include <config.h>

#include "trainer/sync/gradient_reducer.h"

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/alloc.h"
#include "common/process.h"
#include "trainer/base/tensor.h"
#include "trainer/comm/watchdog.h"

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
	enum comm_type type;    /* wire as a comm_type */
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

		/* Round up to AHEAD pieces in advance; then restore pieces. */
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

/* Record each collective of the next hierarchical allreduce in t (borrowed, or
 * NULL), as a copy of event with its own op, ranks, bytes and times. */
static void
set_trace(
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

/* --- The thread ----------------------------------------------------------- */

enum reducer_state {
	REDUCER_IDLE,     /* between steps */
	REDUCER_AGREEING, /* the ranks agree whether all can continue */
	REDUCER_REDUCING, /* all continue; buckets are reduced */
	REDUCER_STOPPED,  /* some rank failed */
	REDUCER_BROKEN    /* the transport failed */
};

struct reducer {
	struct reducer_config c;
	struct coordinator *coordinator; /* NULL: no cycles */
	double *ready_s;              /* [plan->n] when each bucket was ready */
	double *tensor_s;             /* [tensors->n] when each was ready */
	int n_tensors_ready;          /* used by the training loop, like those
					 above */
	struct reduction *reductions; /* [plan->n]; used by the thread */
	int n_reductions;             /* used by the thread */
	double next_cycle;            /* start time; used by the thread */
	double exposed;               /* seconds of the last reducer_wait */
	int threaded;
	pthread_t thread;

	pthread_mutex_t lock; /* protects all below */
	pthread_cond_t changed;
	enum reducer_state state;
	int64_t agreed[2];   /* failed and flag; maxima after agreeing */
	int n_ready, n_done; /* buckets */
	int quit;
	struct error error;
};

/* Bytes of a gradient as it is sent. */
static size_t
wire_size(const struct reducer *r)
{
	return r->c.codec != NULL ? gradient_codec_element(r->c.codec)
				  : dtype_size(r->c.grads.type);
}

/* Set the context of the next collectives for the watchdog: step from 0, or -1
 * if not counted; bucket, or -1. */
static void
set_context(const struct reducer *r, int bucket)
{
	watchdog_set_context(r->c.comm->watchdog,
	    r->c.trace != NULL ? r->c.trace->step.number : -1, bucket);
}

static int
allreduce(struct reducer *r, void *data, size_t n, struct error *e)
{
	const enum comm_type t =
	    r->c.grads.type == DTYPE_FP64 ? COMM_FP64 : COMM_FP32;

	if (r->c.codec != NULL)
		return gradient_codec_allreduce(r->c.codec, data, n, e);
	return comm_allreduce(r->c.comm, data, n, t, COMM_SUM, e);
}

/* Reduce n buckets together, and record the time; buckets in device memory pass
 * through the host in pieces. A hierarchical codec records its collectives
 * itself. */
static int
reduce_group(struct reducer *r, int first, int n, struct error *e)
{
	const struct bucket *b = &r->c.plan->buckets[first];
	struct reduction *t = &r->reductions[r->n_reductions];
	struct trace_event event = { .op = "allreduce",
		.bucket = r->n_reductions,
		.ready = r->ready_s[first + n - 1] };
	char *const grads = r->c.grads.data;
	struct host_staging *s = r->c.staging;
	struct host_staging_piece p;
	size_t elements = 0;
	int rc = 0;

	t->bytes = 0;
	for (int i = 0; i < n; i++) {
		t->bytes += (double)b[i].bytes;
		elements += b[i].n;
		event.n_tensors += b[i].n_tensors;
	}
	event.bytes = (double)(elements * wire_size(r));
	if (r->c.codec != NULL)
		set_trace(r->c.codec, r->c.trace, &event);
	set_context(r, r->n_reductions);
	t->ready = event.ready;
	t->start = event.start = seconds_now();
	if (s == NULL)
		rc = allreduce(r,
		    grads + b->offset * dtype_size(r->c.grads.type), elements,
		    e);
	for (int i = first; s != NULL && i < first + n; i++)
		for (int k = 0; rc == 0 && k < host_staging_pieces(s, i); k++)
			if (host_staging_take(s, i, k, &p, e) != 0 ||
			    allreduce(r, p.data, p.n, e) != 0 ||
			    host_staging_give(s, i, k, e) != 0)
				rc = -1;
	t->end = event.end = seconds_now();
	set_context(r, -1);
	if (rc != 0)
		return -1;
	if (r->c.codec == NULL || !gradient_codec_is_hierarchical(r->c.codec))
		trace_add(r->c.trace, &event);
	r->n_reductions++;
	return 0;
}

/* Reduce the buckets up to `ready`; with cycles, those ready on all ranks.
 *
 * done  in and out: number of reduced buckets */
static int
reduce_ready(struct reducer *r, int ready, int *done, struct error *e)
{
	int n = 1;

	if (r->coordinator != NULL &&
	    coordinator_ask(r->coordinator, ready, &ready, e) != 0)
		return -1;
	for (; *done < ready; *done += n) {
		if (r->coordinator != NULL)
			n = fusion_plan_fuse(
			    r->c.plan, *done, ready, r->c.cycles.threshold);
		if (reduce_group(r, *done, n, e) != 0)
			return -1;
	}
	return 0;
}

static void *
reducer_thread(void *arg)
{
	struct reducer *r = arg;
	struct timespec t;

	pthread_mutex_lock(&r->lock);
	while (!r->quit) {
		const int agreeing = r->state == REDUCER_AGREEING;
		const int end =
		    r->coordinator != NULL ? r->c.plan->n : r->n_ready;
		int64_t agreed[2] = { r->agreed[0], r->agreed[1] };
		int done = r->n_done, ready, rc;
		struct error e = ERROR_INIT;

		if (!agreeing &&
		    (r->state != REDUCER_REDUCING || done == end)) {
			pthread_cond_wait(&r->changed, &r->lock);
			continue;
		}
		if (!agreeing && r->coordinator != NULL) {
			while (!r->quit && seconds_now() < r->next_cycle) {
				t.tv_sec = (time_t)r->next_cycle;
				t.tv_nsec = (long)(1e9 *
				    (r->next_cycle - (double)t.tv_sec));
				pthread_cond_timedwait(
				    &r->changed, &r->lock, &t);
			}
			r->next_cycle = seconds_now() + r->c.cycles.cycle_s;
		}
		ready = r->n_ready;
		if (r->quit)
			break;
		pthread_mutex_unlock(&r->lock);
		if (agreeing) {
			/* Let the ranks agree on whether all can continue. */
			set_context(r, -1);
			r->n_reductions = 0;
			if (r->coordinator != NULL)
				coordinator_begin(r->coordinator);
			rc = comm_allreduce(
			    r->c.comm, agreed, 2, COMM_I64, COMM_MAX, &e);
		} else {
			rc = reduce_ready(r, ready, &done, &e);
		}
		pthread_mutex_lock(&r->lock);
		r->n_done = done;
		memcpy(r->agreed, agreed, sizeof agreed);
		r->state = rc != 0  ? REDUCER_BROKEN
		    : agreed[0] > 0 ? REDUCER_STOPPED
				    : REDUCER_REDUCING;
		if (rc != 0)
			r->error = e;
		pthread_cond_broadcast(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

int
reducer_open(
    const struct reducer_config *c, struct reducer **out, struct error *e)
{
	struct reducer *r = xcalloc(1, sizeof *r);
	pthread_condattr_t monotonic;
	int rc = 0;

	assert(c->grads.type == DTYPE_FP32 || c->grads.type == DTYPE_FP64);
	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&r->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	reducer_configure(r, c);
	if (c->comm->size > 1) {
		rc = pthread_create(&r->thread, NULL, reducer_thread, r);
		r->threaded = rc == 0;
	}
	if (rc != 0) {
		reducer_close(r);
		return error_errno(e, rc, "cannot start a thread");
	}
	*out = r;
	return 0;
}

static void
free_arrays(struct reducer *r)
{
	coordinator_free(r->coordinator);
	free(r->ready_s);
	free(r->tensor_s);
	free(r->reductions);
	r->coordinator = NULL;
	r->ready_s = r->tensor_s = NULL;
	r->reductions = NULL;
}

void
reducer_configure(struct reducer *r, const struct reducer_config *c)
{
	const size_t n = (size_t)c->plan->n;

	pthread_mutex_lock(&r->lock);
	assert(r->state == REDUCER_IDLE);
	free_arrays(r);
	r->c = *c;
	r->n_reductions = 0;
	if (c->comm->size > 1) {
		r->ready_s = xcalloc(n, sizeof *r->ready_s);
		r->reductions = xcalloc(n, sizeof *r->reductions);
		if (c->cycles.names != NULL)
			r->coordinator = coordinator_new(c->comm,
			    c->cycles.names, c->plan->n, c->cycles.capacity);
	}
	if (c->tensors != NULL)
		r->tensor_s =
		    xcalloc((size_t)c->tensors->n, sizeof *r->tensor_s);
	pthread_mutex_unlock(&r->lock);
}

void
reducer_close(struct reducer *r)
{
	if (r == NULL)
		return;
	if (r->threaded) {
		pthread_mutex_lock(&r->lock);
		r->quit = 1;
		pthread_cond_broadcast(&r->changed);
		pthread_mutex_unlock(&r->lock);
		pthread_join(r->thread, NULL);
	}
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free_arrays(r);
	free(r);
}

void
reducer_begin(struct reducer *r, int failed, int64_t flag)
{
	pthread_mutex_lock(&r->lock);
	assert(r->state == REDUCER_IDLE);
	r->agreed[0] = failed;
	r->agreed[1] = flag;
	r->n_ready = r->n_done = r->n_tensors_ready = 0;
	r->state = REDUCER_AGREEING;
	if (!r->threaded)
		r->state = failed ? REDUCER_STOPPED : REDUCER_REDUCING;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

/* Record the time for buckets k, k + 1, ... that end at or before element
 * `end`. Returns the next bucket. */
static int
note_ready(const struct fusion_plan *p, int k, size_t end, double *times)
{
	const double now = seconds_now();

	for (; k < p->n && p->buckets[k].offset + p->buckets[k].n <= end; k++)
		if (times != NULL)
			times[k] = now;
	return k;
}

void
reducer_ready(void *ctx, size_t offset, size_t n)
{
	struct reducer *r = ctx;
	/* Only this thread writes n_ready. */
	const int before = r->n_ready;
	const int k = note_ready(r->c.plan, before, offset + n, r->ready_s);

	if (r->c.tensors != NULL)
		r->n_tensors_ready = note_ready(
		    r->c.tensors, r->n_tensors_ready, offset + n, r->tensor_s);
	for (int i = before; i < k && r->threaded && r->c.staging != NULL; i++)
		host_staging_out(r->c.staging, i);
	if (k == before)
		return;
	pthread_mutex_lock(&r->lock);
	r->n_ready = k;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

int
reducer_wait(struct reducer *r, struct error *e)
{
	const double start = seconds_now();
	enum reducer_state state;

	pthread_mutex_lock(&r->lock);
	while (r->state == REDUCER_AGREEING ||
	    (r->state == REDUCER_REDUCING && r->threaded && !r->c.on_device &&
		r->n_done < r->c.plan->n))
		pthread_cond_wait(&r->changed, &r->lock);
	state = r->state;
	if (state == REDUCER_BROKEN && e != NULL)
		*e = r->error;
	r->state = REDUCER_IDLE;
	pthread_mutex_unlock(&r->lock);
	r->exposed = seconds_now() - start;
	if (state != REDUCER_REDUCING)
		return state == REDUCER_STOPPED ? 1 : -1;
	return r->threaded && r->c.staging != NULL
	    ? host_staging_join(r->c.staging, e)
	    : 0;
}

struct reducer_stats
reducer_stats(const struct reducer *r)
{
	struct reducer_stats s = { .flag = r->agreed[1],
		.tensor_s = r->tensor_s };

	if (!r->threaded)
		return s;
	s.n = r->c.on_device ? r->c.plan->n : r->n_reductions;
	s.bytes = (double)(r->c.grads.n * wire_size(r));
	for (int i = 0; i < r->n_reductions; i++)
		s.busy += r->reductions[i].end - r->reductions[i].start;
	s.exposed = r->exposed;
	s.reductions = r->reductions;
	return s;
}

/* --- Agreement ------------------------------------------------------------ */

struct coordinator {
	struct comm *comm;
	const char *const *names;
	int n;
	int by_number;
	int sent;    /* tensors reported by this rank in this step */
	int all;     /* tensors ready on all ranks */
	int *counts; /* first rank: number of reports of each tensor */
};

struct coordinator *
coordinator_new(
    struct comm *comm, const char *const *names, int n, long capacity)
{
	struct coordinator *g = xcalloc(1, sizeof *g);

	g->comm = comm;
	g->names = names;
	g->n = n;
	g->by_number = capacity >= n;
	g->counts = xcalloc((size_t)n, sizeof *g->counts);
	return g;
}

void
coordinator_free(struct coordinator *n)
{
	if (n == NULL)
		return;
	free(n->counts);
	free(n);
}

void
coordinator_begin(struct coordinator *n)
{
	n->sent = n->all = 0;
	memset(n->counts, 0, (size_t)n->n * sizeof *n->counts);
}

/* Pack names [from, end), with their NULs, into words of 8 bytes. */
static int64_t *
pack_names(const struct coordinator *g, int from, int end, int64_t *n_words)
{
	size_t bytes = 0;
	int64_t *words;
	char *at;

	for (int i = from; i < end; i++)
		bytes += strlen(g->names[i]) + 1;
	*n_words = (int64_t)((bytes + 7) / 8);
	words = xcalloc((size_t)*n_words + 1, sizeof *words);
	at = (char *)words;
	for (int i = from; i < end; i++) {
		const size_t len = strlen(g->names[i]) + 1;

		memcpy(at, g->names[i], len);
		at += len;
	}
	return words;
}

/* Send the names that became ready here to the first rank. */
static int
gather_names(struct coordinator *g, int ready, struct error *e)
{
	const size_t size = (size_t)g->comm->size;
	int64_t own, most, *words = pack_names(g, g->sent, ready, &own), *all;
	int rc;

	most = own;
	g->sent = ready;
	if (comm_allreduce(g->comm, &most, 1, COMM_I64, COMM_MAX, e) != 0) {
		free(words); /* most is unspecified now */
		return -1;
	}
	all = xcalloc(size * (size_t)most + 1, sizeof *all);
	memcpy(all + (size_t)g->comm->rank * (size_t)most, words,
	    (size_t)own * sizeof *all);
	rc = comm_allgather(g->comm, all, (size_t)most, COMM_I64, e);
	for (size_t k = 0; rc == 0 && g->comm->rank == 0 && k < size; k++) {
		const char *at = (const char *)(all + k * (size_t)most);
		const char *const end = at + 8 * most;
		int i = g->all;

		/* Count the names; those before g->all cannot occur. */
		for (; at < end && *at != '\0'; at += strlen(at) + 1) {
			while (i < g->n && strcmp(g->names[i], at) != 0)
				i++;
			if (i < g->n)
				g->counts[i]++;
		}
	}
	free(words);
	free(all);
	return rc;
}

/* Receive the names that are ready on all ranks from the first rank. */
static int
take_names(struct coordinator *g, struct error *e)
{
	int ready = g->all;
	int64_t *words, n;

	while (ready < g->n && g->counts[ready] == g->comm->size)
		ready++;
	words = pack_names(g, g->all, ready, &n);
	if (comm_broadcast(g->comm, &n, sizeof n, 0, e) != 0) {
		free(words);
		return -1;
	}
	words = xreallocarray(words, (size_t)n + 1, sizeof *words);
	words[n] = 0;
	if (comm_broadcast(g->comm, words, (size_t)n * sizeof *words, 0, e) !=
	    0) {
		free(words);
		return -1;
	}
	for (const char *at = (const char *)words;
	     g->all < g->n && strcmp(at, g->names[g->all]) == 0;
	     at += strlen(at) + 1)
		g->all++;
	free(words);
	return 0;
}

int
coordinator_ask(struct coordinator *n, int ready, int *all, struct error *e)
{
	int64_t least = ready;

	if (n->by_number) {
		if (comm_allreduce(n->comm, &least, 1, COMM_I64, COMM_MIN, e) !=
		    0)
			return -1;
		n->all = (int)least;
	} else if (gather_names(n, ready, e) != 0 || take_names(n, e) != 0) {
		return -1;
	}
	*all = n->all;
	return 0;
}
