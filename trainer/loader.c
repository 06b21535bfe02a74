#include <config.h>

#include "trainer/loader.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/alloc.h"

enum { DEPTH = 3 }; /* batches: one in use, two being made */

struct slot {
	uint8_t *pixels; /* [batch][image][image][3] */
	int32_t *labels; /* [batch] */
	int n;           /* images of the batch */
	int done;        /* of them made */
	struct error error;
};

struct loader {
	struct loader_config c;
	size_t image_bytes;
	struct slot slots[DEPTH]; /* batch b is in b % DEPTH */
	pthread_t *threads;
	int n_threads;

	pthread_mutex_t lock; /* of everything below, and of slot.done */
	pthread_cond_t changed;
	int epoch;
	long batch; /* the next image to make is image `image` of this one */
	int image;
	long given; /* batches given out; the last one is in use */
	int quit;
};

long
loader_batches(long n, int batch, int ranks)
{
	const long all = (long)batch * ranks;

	return n / all + (n % all > 0);
}

long
loader_own_batches(long n, int batch, int rank, int ranks)
{
	const long all = (long)batch * ranks;
	const long left = n % all - (long)batch * rank;

	return n / all + (left > 0);
}

/* Images of batch b on this rank. */
static int
batch_size(const struct loader *l, long b)
{
	const long first = (b * l->c.size + l->c.rank) * l->c.batch;
	const long left = l->c.source->n - first;

	if (l->c.whole || left >= l->c.batch)
		return l->c.batch;
	return left > 0 ? (int)left : 0;
}

/* Make one image, without the lock. */
static void
make(struct loader *l, long b, int i)
{
	struct slot *s = &l->slots[b % DEPTH];
	const long k = (b * l->c.size + l->c.rank) * l->c.batch + i;
	struct error e = ERROR_INIT;
	int rc;

	rc = l->c.source->read(l->c.source, k % l->c.source->n, l->epoch,
	    s->pixels + (size_t)i * l->image_bytes, &s->labels[i], &e);
	pthread_mutex_lock(&l->lock);
	s->done++;
	if (rc != 0 && s->error.code == ERROR_NONE)
		s->error = e;
	if (s->done == s->n)
		pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
}

/* Take the next image to make, if there is one and a slot for it.  With the
 * lock. */
static int
take(struct loader *l, long *b, int *i)
{
	/* Batch given - 1 is in use; its slot is free when the next is asked
	 * for. */
	const long end = l->given > 0 ? l->given - 1 + DEPTH : DEPTH;
	struct slot *s;

	while (l->batch < l->c.batches && batch_size(l, l->batch) == 0)
		l->batch++;
	if (l->batch >= l->c.batches || l->batch >= end)
		return 0;
	s = &l->slots[l->batch % DEPTH];
	if (l->image == 0) {
		s->n = batch_size(l, l->batch);
		s->done = 0;
		s->error.code = ERROR_NONE;
	}
	*b = l->batch;
	*i = l->image++;
	if (l->image == s->n) {
		l->batch++;
		l->image = 0;
	}
	return 1;
}

static void *
work(void *arg)
{
	struct loader *l = arg;
	long b;
	int i;

	pthread_mutex_lock(&l->lock);
	while (!l->quit) {
		if (!take(l, &b, &i)) {
			pthread_cond_wait(&l->changed, &l->lock);
			continue;
		}
		pthread_mutex_unlock(&l->lock);
		make(l, b, i);
		pthread_mutex_lock(&l->lock);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

int
loader_open(const struct loader_config *c, struct loader **out, struct error *e)
{
	struct loader *l = xcalloc(1, sizeof *l);
	const size_t side = (size_t)c->source->image;

	assert(c->batch > 0 && c->workers >= 0);
	assert(c->source->n > 0 || c->batches == 0);
	l->c = *c;
	l->image_bytes = side * side * SOURCE_CHANNELS;
	l->batch = l->given = c->batches; /* loader_start begins */
	for (int i = 0; i < DEPTH; i++) {
		l->slots[i].pixels = xcalloc((size_t)c->batch, l->image_bytes);
		l->slots[i].labels =
		    xcalloc((size_t)c->batch, sizeof *l->slots[i].labels);
	}
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->changed, NULL);
	l->threads = xcalloc((size_t)c->workers, sizeof *l->threads);
	for (; l->n_threads < c->workers; l->n_threads++) {
		const int rc =
		    pthread_create(&l->threads[l->n_threads], NULL, work, l);

		if (rc != 0) {
			loader_close(l);
			return error_errno(e, rc, "cannot start a thread");
		}
	}
	*out = l;
	return 0;
}

void
loader_close(struct loader *l)
{
	if (l == NULL)
		return;
	pthread_mutex_lock(&l->lock);
	l->quit = 1;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
	for (int i = 0; i < l->n_threads; i++)
		pthread_join(l->threads[i], NULL);
	for (int i = 0; i < DEPTH; i++) {
		free(l->slots[i].pixels);
		free(l->slots[i].labels);
	}
	pthread_cond_destroy(&l->changed);
	pthread_mutex_destroy(&l->lock);
	free(l->threads);
	free(l);
}

void
loader_start(struct loader *l, int epoch)
{
	pthread_mutex_lock(&l->lock);
	assert(l->given == l->c.batches);
	l->epoch = epoch;
	l->batch = 0;
	l->image = 0;
	l->given = 0;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
}

/* Has batch b been made whole?  With the lock. */
static int
is_made(const struct loader *l, long b)
{
	const struct slot *s = &l->slots[b % DEPTH];

	if (batch_size(l, b) == 0)
		return 1;
	if (l->batch < b || (l->batch == b && l->image == 0))
		return 0; /* the slot is not its own yet */
	return s->done == s->n;
}

int
loader_next(struct loader *l, struct images *im, const int32_t **labels,
    struct error *e)
{
	struct slot *s;
	long b, mine;
	int i;

	pthread_mutex_lock(&l->lock);
	if (l->given == l->c.batches) {
		pthread_mutex_unlock(&l->lock);
		return 0;
	}
	b = l->given++;
	pthread_cond_broadcast(&l->changed); /* a slot became free */
	while (!is_made(l, b)) {
		if (l->c.workers == 0 && take(l, &mine, &i)) {
			pthread_mutex_unlock(&l->lock);
			make(l, mine, i);
			pthread_mutex_lock(&l->lock);
		} else
			pthread_cond_wait(&l->changed, &l->lock);
	}
	pthread_mutex_unlock(&l->lock);
	s = &l->slots[b % DEPTH];
	i = batch_size(l, b);
	if (i > 0 && s->error.code != ERROR_NONE) {
		if (e != NULL)
			*e = s->error;
		return -1;
	}
	*im = (struct images){ DTYPE_U8, IMAGES_NHWC, s->pixels, i };
	*labels = s->labels;
	return 1;
}
