/* The thread that allreduces buckets as gradients become ready. epoch.c begins
 * and ends each step; what a bucket costs on the wire is the codec's
 * business. */
#include <config.h>

#include "trainer/sync/gradient_reducer.h"

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "common/alloc.h"
#include "trainer/base/clock.h"
#include "trainer/sync/coordinator.h"

enum reducer_state {
	REDUCER_IDLE,    /* between steps */
	REDUCER_ASKING,  /* the thread asks whether all ranks are well */
	REDUCER_SUMMING, /* they are */
	REDUCER_STOPPED, /* they are not */
	REDUCER_BROKEN   /* the transport failed */
};

struct reducer {
	struct comm *comm;
	struct device_arena grads;
	const struct fusion_plan *plan;
	struct host_staging *staging; /* NULL: grads are host memory */
	int on_device; /* the device reduces; only ask whether all are well */
	struct gradient_codec *codec; /* or NULL */
	double *ready_s;              /* [plan->n] when each bucket was ready */
	const struct fusion_plan *tensors; /* watched; or NULL */
	double *tensor_s; /* [tensors->n] when each was ready */
	int n_tensors_ready;
	struct reduction *trace; /* [plan->n] of the allreduces of a step */
	int n_allreduces;        /* of the step; the thread's */
	struct trace *record;    /* or NULL */
	struct clock clock;
	struct coordinator *coordinator; /* NULL: no cycles */
	struct reducer_cycles cycles;
	double next_cycle;  /* when it begins; the thread's */
	double exposed;     /* seconds of the last reducer_wait */
	double phase_ready; /* when the next phase can start; the thread's */
	int phase_tensors;  /* in it */
	int64_t flag;       /* of this rank for the next step */
	int threaded;
	pthread_t thread;

	pthread_mutex_t lock; /* of everything below */
	pthread_cond_t changed;
	enum reducer_state state;
	int failed;
	int64_t largest;     /* flag of all ranks in the last step */
	int n_ready, n_done; /* buckets */
	int quit;
	struct error error;
};

static size_t
element_size(const struct reducer *r)
{
	return dtype_size(r->grads.type);
}

/* Bytes of a gradient on its way. */
static size_t
wire_size(const struct reducer *r)
{
	return r->codec != NULL ? gradient_codec_element(r->codec)
				: element_size(r);
}

/* From 0; -1 where steps are not counted. */
static int64_t
step_number(const struct reducer *r)
{
	return r->record != NULL ? trace_step(r->record)->number : -1;
}

/* Ask whether all are well.  Called without the lock.
 *
 * flag  in: this rank's; out: the largest of all */
static enum reducer_state
reducer_agree(struct reducer *r, int failed, int64_t *flag, struct error *e)
{
	int64_t both[2] = { failed, *flag };

	comm_set_context(r->comm, step_number(r), -1);
	if (comm_allreduce(r->comm, both, 2, COMM_I64, COMM_MAX, e) != 0)
		return REDUCER_BROKEN;
	*flag = both[1];
	return both[0] > 0 ? REDUCER_STOPPED : REDUCER_SUMMING;
}

/* Allreduce i of the step was made, and each rank gave so many bytes.  A
 * hierarchical one was recorded phase by phase. */
static void
record_reduction(struct reducer *r, int i, int n_tensors, double bytes)
{
	const struct trace_event event = { .op = "allreduce",
		.bucket = i,
		.n_tensors = n_tensors,
		.bytes = bytes,
		.ready = r->trace[i].ready,
		.start = r->trace[i].start,
		.end = r->trace[i].end };

	if (r->codec == NULL || !gradient_codec_is_hierarchical(r->codec))
		trace_add(r->record, &event);
}

/* A gradient_codec_phase_fn: a phase of the allreduce under way. */
static void
record_phase(void *ctx, const struct gradient_codec_phase *phase)
{
	struct reducer *r = ctx;
	const struct trace_event event = { .op = phase->op,
		.bucket = r->n_allreduces,
		.n_tensors = r->phase_tensors,
		.ranks = phase->ranks,
		.bytes = phase->bytes,
		.ready = r->phase_ready,
		.start = phase->start,
		.end = phase->end };

	trace_add(r->record, &event);
	r->phase_ready = phase->end;
}

static int
reducer_allreduce(struct reducer *r, void *data, size_t n, struct error *e)
{
	const enum comm_type t =
	    r->grads.type == DTYPE_FP64 ? COMM_FP64 : COMM_FP32;

	if (r->codec != NULL)
		return gradient_codec_allreduce(r->codec, data, n, e);
	return comm_allreduce(r->comm, data, n, t, COMM_SUM, e);
}

/* Sum bucket i on its way through the host. */
static int
allreduce_staged(struct reducer *r, int i, struct error *e)
{
	const int n = host_staging_pieces(r->staging, i);
	struct host_staging_piece p;

	for (int k = 0; k < n; k++)
		if (host_staging_take(r->staging, i, k, &p, e) != 0 ||
		    reducer_allreduce(r, p.data, p.n, e) != 0 ||
		    host_staging_give(r->staging, i, k, e) != 0)
			return -1;
	return 0;
}

/* Sum n buckets where they are, or, one by one, on their way through the
 * host. */
static int
sum_buckets(
    struct reducer *r, int first, int n, size_t elements, struct error *e)
{
	char *data = (char *)r->grads.data +
	    r->plan->buckets[first].offset * element_size(r);

	if (r->staging == NULL)
		return reducer_allreduce(r, data, elements, e);
	for (int i = first; i < first + n; i++)
		if (allreduce_staged(r, i, e) != 0)
			return -1;
	return 0;
}

/* Reduce n buckets together.  Called without the lock. */
static int
reduce_buckets(struct reducer *r, int first, int n, struct error *e)
{
	const struct bucket *b = &r->plan->buckets[first];
	struct reduction *t = &r->trace[r->n_allreduces];
	size_t elements = 0;
	int n_tensors = 0, rc;

	t->bytes = 0;
	for (int i = 0; i < n; i++) {
		t->bytes += (double)b[i].bytes;
		elements += b[i].n;
		n_tensors += b[i].n_tensors;
	}
	comm_set_context(r->comm, step_number(r), r->n_allreduces);
	t->ready = r->phase_ready = r->ready_s[first + n - 1];
	r->phase_tensors = n_tensors;
	t->start = clock_now(&r->clock);
	rc = sum_buckets(r, first, n, elements, e);
	t->end = clock_now(&r->clock);
	comm_set_context(r->comm, step_number(r), -1);
	if (rc == 0) {
		record_reduction(r, r->n_allreduces, n_tensors,
		    (double)(elements * wire_size(r)));
		r->n_allreduces++;
	}
	return rc;
}

/* Wait for the next cycle.  The lock is held. */
static void
wait_for_cycle(struct reducer *r)
{
	struct timespec t;

	while (!r->quit && clock_now(&r->clock) < r->next_cycle) {
		t.tv_sec = (time_t)r->next_cycle;
		t.tv_nsec = (long)((r->next_cycle - (double)t.tv_sec) * 1e9);
		pthread_cond_timedwait(&r->changed, &r->lock, &t);
	}
	r->next_cycle = clock_now(&r->clock) + r->cycles.cycle_s;
}

/* Sum what is ready on all ranks.  Called without the lock.
 *
 * done  in: buckets that were summed before; out: now */
static int
reduce_ready(struct reducer *r, int ready, int *done, struct error *e)
{
	int all;

	if (coordinator_ask(r->coordinator, ready, &all, e) != 0)
		return -1;
	while (*done < all) {
		const int n =
		    fusion_plan_fuse(r->plan, *done, all, r->cycles.threshold);

		if (reduce_buckets(r, *done, n, e) != 0)
			return -1;
		*done += n;
	}
	return 0;
}

/* Sum the next bucket, or what the next cycle brings; the lock is held on entry
 * and return. */
static void
work_on_sums(struct reducer *r, struct error *e)
{
	int done = r->n_done, rc;

	if (r->coordinator != NULL) {
		int ready;

		wait_for_cycle(r);
		if (r->quit)
			return;
		ready = r->n_ready;
		pthread_mutex_unlock(&r->lock);
		rc = reduce_ready(r, ready, &done, e);
	} else {
		pthread_mutex_unlock(&r->lock);
		rc = reduce_buckets(r, done++, 1, e);
	}
	pthread_mutex_lock(&r->lock);
	r->n_done = done;
	if (rc != 0)
		r->state = REDUCER_BROKEN;
}

/* Do what there is to do; the lock is held on entry and return. */
static void
reduce_ready_buckets(struct reducer *r)
{
	struct error e = ERROR_INIT;

	if (r->state == REDUCER_ASKING) {
		const int failed = r->failed;
		int64_t flag = r->largest;
		enum reducer_state next;

		pthread_mutex_unlock(&r->lock);
		next = reducer_agree(r, failed, &flag, &e);
		pthread_mutex_lock(&r->lock);
		r->largest = flag;
		r->n_allreduces = 0;
		if (r->coordinator != NULL)
			coordinator_begin(r->coordinator);
		r->state = next;
	} else {
		work_on_sums(r, &e);
	}
	if (r->state == REDUCER_BROKEN)
		r->error = e;
	pthread_cond_broadcast(&r->changed);
}

static int
has_work(const struct reducer *r)
{
	if (r->state != REDUCER_SUMMING)
		return r->state == REDUCER_ASKING;
	return r->n_done < (r->coordinator != NULL ? r->plan->n : r->n_ready);
}

static void *
reducer_thread(void *arg)
{
	struct reducer *r = arg;

	pthread_mutex_lock(&r->lock);
	while (!r->quit) {
		if (has_work(r))
			reduce_ready_buckets(r);
		else
			pthread_cond_wait(&r->changed, &r->lock);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

int
reducer_open(struct comm *comm, struct device_arena grads,
    const struct fusion_plan *plan, struct reducer **out, struct error *e)
{
	struct reducer *r = xcalloc(1, sizeof *r);
	pthread_condattr_t monotonic;
	int rc;

	assert(grads.type == DTYPE_FP32 || grads.type == DTYPE_FP64);
	r->comm = comm;
	r->grads = grads;
	clock_init(&r->clock, 0);
	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&r->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	reducer_set_plan(r, plan);
	if (comm->size > 1) {
		rc = pthread_create(&r->thread, NULL, reducer_thread, r);
		if (rc != 0) {
			reducer_close(r);
			return error_errno(e, rc, "cannot start a thread");
		}
		r->threaded = 1;
	}
	*out = r;
	return 0;
}

void
reducer_set_codec(struct reducer *r, struct gradient_codec *c)
{
	pthread_mutex_lock(&r->lock);
	assert(r->state == REDUCER_IDLE);
	r->codec = c;
	gradient_codec_tell(c, record_phase, r);
	pthread_mutex_unlock(&r->lock);
}

void
reducer_set_cycles(struct reducer *r, const struct reducer_cycles *c)
{
	if (!r->threaded)
		return;
	pthread_mutex_lock(&r->lock);
	assert(r->state == REDUCER_IDLE);
	coordinator_free(r->coordinator);
	r->coordinator = NULL;
	if (c != NULL) {
		r->cycles = *c;
		r->coordinator =
		    coordinator_new(r->comm, c->names, r->plan->n, c->capacity);
	}
	pthread_mutex_unlock(&r->lock);
}

void
reducer_set_plan(struct reducer *r, const struct fusion_plan *plan)
{
	assert(r->state == REDUCER_IDLE);
	r->plan = plan;
	r->n_allreduces = 0;
	if (r->comm->size == 1)
		return;
	free(r->ready_s);
	free(r->trace);
	r->ready_s = xcalloc((size_t)plan->n, sizeof *r->ready_s);
	r->trace = xcalloc((size_t)plan->n, sizeof *r->trace);
}

void
reducer_watch_tensors(struct reducer *r, const struct fusion_plan *tensors)
{
	r->tensors = tensors;
	r->tensor_s = xcalloc((size_t)tensors->n, sizeof *r->tensor_s);
}

const double *
reducer_tensor_times(const struct reducer *r)
{
	return r->tensor_s;
}

void
reducer_set_trace(struct reducer *r, struct trace *t)
{
	r->record = t;
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
	coordinator_free(r->coordinator);
	free(r->ready_s);
	free(r->tensor_s);
	free(r->trace);
	free(r);
}

void
reducer_set_staging(struct reducer *r, struct host_staging *s)
{
	r->staging = s;
}

void
reducer_set_on_device(struct reducer *r)
{
	r->on_device = 1;
}

void
reducer_set_flag(struct reducer *r, int64_t flag)
{
	r->flag = flag;
}

int64_t
reducer_flag(const struct reducer *r)
{
	return r->largest;
}

void
reducer_begin(struct reducer *r, int failed)
{
	pthread_mutex_lock(&r->lock);
	assert(r->state == REDUCER_IDLE);
	r->failed = failed;
	r->largest = r->flag;
	r->n_ready = r->n_done = r->n_tensors_ready = 0;
	r->state = REDUCER_ASKING;
	if (!r->threaded)
		r->state = failed ? REDUCER_STOPPED : REDUCER_SUMMING;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

/* Only the training loop's thread reads and writes these. */
static void
note_tensors(struct reducer *r, size_t end)
{
	const double now = clock_now(&r->clock);
	const struct bucket *b = r->tensors->buckets;
	int k = r->n_tensors_ready;

	while (k < r->tensors->n && b[k].offset + b[k].n <= end)
		r->tensor_s[k++] = now;
	r->n_tensors_ready = k;
}

void
reducer_ready(void *ctx, size_t offset, size_t n)
{
	struct reducer *r = ctx;
	const struct bucket *b = r->plan->buckets;
	const size_t end = offset + n;
	int k = r->n_ready; /* only this thread writes it */

	if (r->tensors != NULL)
		note_tensors(r, end);
	while (k < r->plan->n && b[k].offset + b[k].n <= end) {
		if (r->threaded)
			r->ready_s[k] = clock_now(&r->clock);
		if (r->threaded && r->staging != NULL)
			host_staging_out(r->staging, k);
		k++;
	}
	if (k == r->n_ready)
		return;
	pthread_mutex_lock(&r->lock);
	r->n_ready = k;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

static int
is_over(const struct reducer *r)
{
	if (r->state == REDUCER_SUMMING)
		return !r->threaded || r->on_device || r->n_done == r->plan->n;
	return r->state != REDUCER_ASKING;
}

int
reducer_wait(struct reducer *r, struct error *e)
{
	const double start = clock_now(&r->clock);
	enum reducer_state state;

	pthread_mutex_lock(&r->lock);
	while (!is_over(r))
		pthread_cond_wait(&r->changed, &r->lock);
	state = r->state;
	if (state == REDUCER_BROKEN && e != NULL)
		*e = r->error;
	r->state = REDUCER_IDLE;
	pthread_mutex_unlock(&r->lock);
	r->exposed = clock_now(&r->clock) - start;
	if (state == REDUCER_STOPPED)
		return 1;
	if (state == REDUCER_BROKEN)
		return -1;
	return r->threaded && r->staging != NULL
	    ? host_staging_join(r->staging, e)
	    : 0;
}

struct reducer_stats
reducer_stats(const struct reducer *r)
{
	struct reducer_stats s = { 0, 0, 0, 0 };

	if (!r->threaded)
		return s;
	s.n = r->on_device ? r->plan->n : r->n_allreduces;
	s.bytes = (double)(r->grads.n * wire_size(r));
	for (int i = 0; i < r->n_allreduces; i++)
		s.busy += r->trace[i].end - r->trace[i].start;
	s.exposed = r->exposed;
	return s;
}

const struct reduction *
reducer_trace(const struct reducer *r)
{
	return r->trace;
}
