/* The thread that converts. gradient_codec.c gives it long allreduces, piece
 * by piece. */
#include <config.h>

#include "trainer/sync/fp16_worker.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "trainer/base/half_float.h"

enum { AHEAD = 2 }; /* pieces that are rounded before others are taken back */

struct fp16_worker {
	pthread_t thread;
	pthread_mutex_t lock; /* of everything below */
	pthread_cond_t changed;
	struct fp16_worker_job job;
	size_t n_pieces; /* 0: no job */
	/* Pieces that went the first part of their way, in order. */
	size_t n_out, n_given, n_back;
	int quit;
};

static size_t
piece_length(const struct fp16_worker_job *j, size_t k)
{
	const size_t left = j->n - k * j->piece;

	return left < j->piece ? left : j->piece;
}

size_t
fp16_worker_pieces(const struct fp16_worker_job *j)
{
	return (j->n + j->piece - 1) / j->piece;
}

/* --- The thread ---------------------------------------------------------- */

static int
may_go_out(const struct fp16_worker *c)
{
	return c->n_out < c->n_pieces;
}

static int
may_go_back(const struct fp16_worker *c)
{
	return c->n_back < c->n_given;
}

/* The lock is held on entry and return. */
static void
go_out(struct fp16_worker *c)
{
	const struct fp16_worker_job j = c->job;
	const size_t at = c->n_out * j.piece, n = piece_length(&j, c->n_out);

	pthread_mutex_unlock(&c->lock);
	half_float_from_float(j.type, j.data + at, j.scale, j.half + at, n);
	pthread_mutex_lock(&c->lock);
	c->n_out++;
}

static void
go_back(struct fp16_worker *c)
{
	const struct fp16_worker_job j = c->job;
	const size_t at = c->n_back * j.piece, n = piece_length(&j, c->n_back);

	pthread_mutex_unlock(&c->lock);
	half_float_to_float(j.type, j.half + at, j.data + at, n);
	pthread_mutex_lock(&c->lock);
	c->n_back++;
}

static void *
fp16_worker_thread(void *arg)
{
	struct fp16_worker *c = arg;

	pthread_mutex_lock(&c->lock);
	while (!c->quit) {
		/* What is waited for comes first. */
		if (may_go_out(c) &&
		    (!may_go_back(c) || c->n_out < c->n_given + AHEAD))
			go_out(c);
		else if (may_go_back(c))
			go_back(c);
		else {
			pthread_cond_wait(&c->changed, &c->lock);
			continue;
		}
		pthread_cond_broadcast(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* --- From outside -------------------------------------------------------- */

int
fp16_worker_open(struct fp16_worker **out, struct error *e)
{
	struct fp16_worker *c = xcalloc(1, sizeof *c);
	int rc;

	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	rc = pthread_create(&c->thread, NULL, fp16_worker_thread, c);
	if (rc == 0) {
		*out = c;
		return 0;
	}
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	free(c);
	return error_errno(e, rc, "cannot start a thread");
}

void
fp16_worker_begin(struct fp16_worker *c, const struct fp16_worker_job *j)
{
	pthread_mutex_lock(&c->lock);
	assert(c->n_pieces == 0 && j->piece >= 1);
	c->job = *j;
	c->n_pieces = fp16_worker_pieces(j);
	c->n_out = c->n_given = c->n_back = 0;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

size_t
fp16_worker_take(struct fp16_worker *c, size_t k, uint16_t **half)
{
	size_t n;

	pthread_mutex_lock(&c->lock);
	assert(k == c->n_given && k < c->n_pieces);
	while (c->n_out <= k)
		pthread_cond_wait(&c->changed, &c->lock);
	*half = c->job.half + k * c->job.piece;
	n = piece_length(&c->job, k);
	pthread_mutex_unlock(&c->lock);
	return n;
}

void
fp16_worker_give(struct fp16_worker *c, size_t k)
{
	pthread_mutex_lock(&c->lock);
	assert(k == c->n_given && k < c->n_out);
	c->n_given = k + 1;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

void
fp16_worker_join(struct fp16_worker *c)
{
	pthread_mutex_lock(&c->lock);
	/* If it was given up no more pieces go out, but one may be going. */
	if (c->n_given < c->n_pieces && c->n_out < c->n_pieces)
		c->n_pieces = c->n_out + 1;
	while (c->n_out < c->n_pieces || c->n_back < c->n_given)
		pthread_cond_wait(&c->changed, &c->lock);
	c->n_pieces = c->n_given = c->n_back = c->n_out = 0;
	pthread_mutex_unlock(&c->lock);
}

void
fp16_worker_close(struct fp16_worker *c)
{
	if (c == NULL)
		return;
	pthread_mutex_lock(&c->lock);
	c->quit = 1;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	pthread_join(c->thread, NULL);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	free(c);
}
