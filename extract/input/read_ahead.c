/* One thread that fills, one that takes; there is one piece between them, so
 * that each waits for the other only where the other is slower.  Called by
 * byte_source.c; it knows nothing of files. */
#include <config.h>

#include "extract/input/read_ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/thread_start.h"

struct read_ahead {
	read_ahead_filler *fill;
	void *arg;
	size_t size;
	pthread_t thread;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t changed;
	int stop;    /* 1: no more pieces are wanted */
	int full;    /* 1: the piece is complete, and the taker's */
	char *piece; /* [len] of size bytes */
	size_t len;
	int last, outcome;
	struct error problem;
};

/* Make the next piece.  Returns 1 if there are others after it. */
static int
fill_piece(struct read_ahead *a)
{
	a->len = 0;
	a->last = 0;
	a->problem = (struct error)ERROR_INIT;
	a->outcome =
	    a->fill(a->arg, a->piece, &a->len, a->size, &a->last, &a->problem);
	return a->outcome == 0 && !a->last;
}

static void *
read_ahead_work(void *arg)
{
	struct read_ahead *a = arg;
	int more = 1;

	pthread_mutex_lock(&a->lock);
	while (more && !a->stop) {
		if (a->full) {
			pthread_cond_wait(&a->changed, &a->lock);
			continue;
		}
		/* The piece is this thread's until it is full. */
		pthread_mutex_unlock(&a->lock);
		more = fill_piece(a);
		pthread_mutex_lock(&a->lock);
		a->full = 1;
		pthread_cond_signal(&a->changed);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static void
read_ahead_free(struct read_ahead *a)
{
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a->piece);
	free(a);
}

struct read_ahead *
read_ahead_start(read_ahead_filler *fill, void *arg, size_t size)
{
	struct read_ahead *a = xcalloc(1, sizeof *a);

	a->fill = fill;
	a->arg = arg;
	a->size = size;
	a->piece = xmalloc(size);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	if (thread_start(&a->thread, 0, read_ahead_work, a) == 0)
		return a;
	read_ahead_free(a);
	return NULL;
}

int
read_ahead_take(
    struct read_ahead *a, char *out, size_t *len, int *last, struct error *e)
{
	int outcome;

	pthread_mutex_lock(&a->lock);
	while (!a->full)
		pthread_cond_wait(&a->changed, &a->lock);
	memcpy(out, a->piece, a->len);
	*len = a->len;
	*last = a->last;
	outcome = a->outcome;
	if (outcome != 0 && e != NULL)
		*e = a->problem;
	a->full = 0;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	return outcome;
}

void
read_ahead_stop(struct read_ahead *a)
{
	if (a == NULL)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = 1;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	read_ahead_free(a);
}
