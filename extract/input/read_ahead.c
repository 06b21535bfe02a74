/* One thread that fills, one that takes; there are some pieces between them, so
 * that neither waits for the other at each.  Called by byte_source.c; it knows
 * nothing of files. */
#include <config.h>

#include "extract/input/read_ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

/* A piece, with room before it for the rest of the one before. */
struct ahead_piece {
	char *buf;
	size_t room; /* bytes of buf before the piece */
	size_t len;
	int last, outcome;
	struct error problem;
};

struct read_ahead {
	read_ahead_filler *fill;
	void *arg;
	size_t size;
	pthread_t thread;
	struct ahead_piece pieces[READ_AHEAD_PIECES]; /* used in turn */
	pthread_mutex_t lock;                         /* guards what follows */
	pthread_cond_t changed;
	int stop;       /* 1: no more pieces are wanted */
	size_t made;    /* pieces that were made */
	size_t taken;   /* that were taken */
	size_t is_held; /* 1: the taker uses the last that it took */
};

static struct ahead_piece *
piece_at(struct read_ahead *a, size_t number)
{
	return &a->pieces[number % READ_AHEAD_PIECES];
}

/* Make a piece.  Returns 1 if there are others after it. */
static int
fill_piece(struct read_ahead *a, struct ahead_piece *p)
{
	p->len = 0;
	p->last = 0;
	p->problem = (struct error)ERROR_INIT;
	p->outcome = a->fill(
	    a->arg, p->buf + p->room, &p->len, a->size, &p->last, &p->problem);
	return p->outcome == 0 && !p->last;
}

static void *
read_ahead_work(void *arg)
{
	struct read_ahead *a = arg;
	int more = 1;

	pthread_mutex_lock(&a->lock);
	while (more && !a->stop) {
		if (a->made - a->taken + a->is_held == READ_AHEAD_PIECES) {
			pthread_cond_wait(&a->changed, &a->lock);
			continue;
		}
		/* The piece is this thread's until it is counted. */
		pthread_mutex_unlock(&a->lock);
		more = fill_piece(a, piece_at(a, a->made));
		pthread_mutex_lock(&a->lock);
		a->made++;
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
	for (size_t i = 0; i < READ_AHEAD_PIECES; i++)
		free(a->pieces[i].buf);
	free(a);
}

struct read_ahead *
read_ahead_start(read_ahead_filler *fill, void *arg, size_t size)
{
	struct read_ahead *a = xcalloc(1, sizeof *a);

	a->fill = fill;
	a->arg = arg;
	a->size = size;
	for (size_t i = 0; i < READ_AHEAD_PIECES; i++) {
		a->pieces[i].room = size;
		a->pieces[i].buf = xreallocarray(NULL, 2, size);
	}
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	if (pthread_create(&a->thread, NULL, read_ahead_work, a) == 0)
		return a;
	read_ahead_free(a);
	return NULL;
}

/* Put the rest before a piece that is complete. */
static void
put_before(
    struct read_ahead *a, struct ahead_piece *p, const char *rest, size_t n)
{
	if (n > p->room) {
		const size_t room = n + n / 2;
		char *buf = xmalloc(room + a->size);

		memcpy(buf + room, p->buf + p->room, p->len);
		free(p->buf);
		p->buf = buf;
		p->room = room;
	}
	if (n > 0)
		memcpy(p->buf + p->room - n, rest, n);
}

int
read_ahead_take(struct read_ahead *a, const char *rest, size_t n,
    const char **data, size_t *len, int *last, struct error *e)
{
	struct ahead_piece *p;

	pthread_mutex_lock(&a->lock);
	while (a->made == a->taken)
		pthread_cond_wait(&a->changed, &a->lock);
	p = piece_at(a, a->taken);
	pthread_mutex_unlock(&a->lock);
	put_before(a, p, rest, n);
	/* Only now can what was taken before, where the rest is, be filled. */
	pthread_mutex_lock(&a->lock);
	a->taken++;
	a->is_held = 1;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	*data = p->buf + p->room - n;
	*len = n + p->len;
	*last = p->last;
	if (p->outcome != 0 && e != NULL)
		*e = p->problem;
	return p->outcome;
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
