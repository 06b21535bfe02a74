/* Synthetic images, the order of an epoch, worker threads and the ring of
 * batches. */
#include <config.h>

#include "trainer/data/loader.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/arena.h"
#include "trainer/base/rng.h"

/* --- Synthetic images ----------------------------------------------------- */

/* Pixels and labels have a stream each; the image's number is the step. */
static int
dummy_read(const struct image_source *s, long i, int epoch, uint8_t *pixels,
    int32_t *label, uint8_t *mirror, struct error *e)
{
	const struct rng random = { s->seed, s->stream, (uint32_t)i };
	const struct rng labels = { s->seed, s->stream + 1, (uint32_t)i };
	const size_t n = (size_t)s->image * (size_t)s->image * IMAGE_CHANNELS;
	uint32_t four[4];

	(void)epoch, (void)e;
	if (mirror != NULL)
		*mirror = 0;
	for (size_t k = 0; k < n; k += sizeof four) {
		const size_t left = n - k;

		rng_block(&random, k / sizeof four, four);
		memcpy(
		    pixels + k, four, left < sizeof four ? left : sizeof four);
	}
	*label = (int32_t)(rng_uniform(&labels, 0) * s->classes);
	return 0;
}

struct image_source
image_source_dummy(enum image_source_part part, long n, int image, int classes,
    unsigned long long seed)
{
	struct image_source s = { .n = n, .image = image, .classes = classes };

	assert(n >= 0 && n <= UINT32_MAX);
	s.read = dummy_read;
	s.seed = seed;
	s.stream = RNG_STREAM_DATA + 2 * (uint32_t)part;
	return s;
}

/* --- Order ---------------------------------------------------------------- */

void
sampler_order(uint32_t *order, long n, uint64_t seed, int epoch)
{
	const struct rng r = { seed, RNG_STREAM_ORDER, (uint32_t)epoch };
	uint32_t j, four[4];
	double x;

	assert(n >= 0 && n <= INT32_MAX && epoch >= 0);
	for (uint32_t i = 0; i < n; i++) {
		/* Random, uniform in 0 .. i: a scaled 53-bit number, so
		 * probabilities differ by less than i / 2^53. */
		rng_block(&r, i / 2, four);
		x = (four[i % 2 * 2] >> 5) * 0x1p26 +
		    (four[i % 2 * 2 + 1] >> 6);
		j = (uint32_t)(x * 0x1p-53 * (i + 1));
		/* Durstenfeld's "inside-out" form. */
		if (j != i)
			order[i] = order[j];
		order[j] = i;
	}
}

long
sampler_place(long b, int batch, int rank, int ranks)
{
	return (b * ranks + rank) * batch;
}

long
loader_batches(long n, int batch, int ranks)
{
	const long all = (long)batch * ranks;

	assert(n >= 0 && batch >= 1 && ranks >= 1);
	return n / all + (n % all > 0);
}

int
sampler_count(long n, long b, int batch, int rank, int ranks, int whole)
{
	const long left = n - sampler_place(b, batch, rank, ranks);

	if (whole || left >= batch)
		return batch;
	return left > 0 ? (int)left : 0;
}

/* --- Batches -------------------------------------------------------------- */

enum { AHEAD = 2, MAX_TRIES = 1000 };

/* An image that could not be read. */
struct image_refusal {
	int item;    /* place in the batch */
	int attempt; /* images tried for that place before */
	long image;
	char *message;
};

struct slot {
	uint8_t *pixels;                /* [batch][image][image][3] */
	int32_t *labels;                /* [batch] */
	uint8_t *mirror;                /* [batch] */
	unsigned char *usable;          /* [batch] */
	int allocated;                  /* 1: the device made pixels */
	int n;                          /* images in the batch */
	int done;                       /* images made or refused */
	long batch;                     /* its number */
	struct image_refusal *refusals; /* [n_refusals] */
	size_t n_refusals, alloc_refusals;
};

struct loader {
	struct loader_config c;
	struct arena memory; /* of the arrays below and of slots */
	size_t image_bytes;
	int depth;          /* slots: one in use, the rest ahead */
	struct slot *slots; /* [depth] batch b is in slot b % depth */
	pthread_t *threads; /* [n_threads] */
	int n_threads;
	uint32_t *order;      /* [n] the epoch's; NULL: 0 .. n - 1 */
	unsigned char *named; /* [n] 1: image was reported */
	long unusable;

	pthread_mutex_t lock; /* protects all below, and done, batch and
				 refusals of slots */
	pthread_cond_t work;  /* signals new work, or quit */
	pthread_cond_t ready; /* signals a finished batch, or idle workers */
	int epoch;
	long batch; /* next to make: image `item` of this batch */
	int item;
	int working; /* images being made */
	long first;  /* last batch that was returned */
	long given;  /* batch to return next; the previous one is in use */
	int quit;
};

/* Number of images of batch b on this rank. */
static int
images_of_batch(const struct loader *l, long b)
{
	return sampler_count(
	    l->c.source->n, b, l->c.batch, l->c.rank, l->c.size, l->c.whole);
}

static struct slot *
slot_of(const struct loader *l, long b)
{
	return &l->slots[b % l->depth];
}

/* Number of images to try for one place. */
static int
most_tries(const struct loader *l)
{
	if (!l->c.whole)
		return 1;
	return l->c.source->n < MAX_TRIES ? (int)l->c.source->n : MAX_TRIES;
}

/* Make one image, or the next one that can be read. The lock is not held. */
static void
make_image(struct loader *l, long b, int item)
{
	const struct image_source *source = l->c.source;
	const long place =
	    (sampler_place(b, l->c.batch, l->c.rank, l->c.size) + item) %
	    source->n;
	struct slot *s = slot_of(l, b);
	uint8_t *pixels = s->pixels + (size_t)item * l->image_bytes;
	long image = l->order != NULL ? (long)l->order[place] : place;

	s->usable[item] = 0;
	for (int k = 0; k < most_tries(l) && !s->usable[item]; k++) {
		struct error e = ERROR_INIT;
		const int rc = source->read(source, image, l->epoch, pixels,
		    &s->labels[item], l->c.unturned ? &s->mirror[item] : NULL,
		    &e);

		s->usable[item] = rc == 0;
		if (rc == 0)
			continue;
		pthread_mutex_lock(&l->lock);
		s->refusals = vec_grow(s->refusals, s->n_refusals,
		    &s->alloc_refusals, sizeof *s->refusals);
		s->refusals[s->n_refusals++] = (struct image_refusal){ item, k,
			image, xstrdup(e.message) };
		pthread_mutex_unlock(&l->lock);
		image = (image + 1) % source->n;
	}
}

/* Make the next image, if there is one and its slot is free; returns 0 if not.
 * The lock is held on entry and return, and released meanwhile. */
static int
make_next(struct loader *l)
{
	/* Batch given - 1 is in use, and the c.held batches before it stay
	 * valid. */
	const long given = l->given - l->first;
	const long used = given < 1 + l->c.held ? given : 1 + l->c.held;
	const long end = l->given - used + l->depth;
	struct slot *s;
	long b;
	int item;

	while (l->batch < l->c.batches && images_of_batch(l, l->batch) == 0)
		l->batch++;
	if (l->batch >= l->c.batches || l->batch >= end)
		return 0;
	b = l->batch;
	s = slot_of(l, b);
	if (l->item == 0) {
		s->batch = b;
		s->n = images_of_batch(l, b);
		s->done = 0;
	}
	item = l->item++;
	if (l->item == s->n) {
		l->batch++;
		l->item = 0;
	}
	l->working++;
	pthread_mutex_unlock(&l->lock);
	make_image(l, b, item);
	pthread_mutex_lock(&l->lock);
	s->done++;
	l->working--;
	if (s->done == s->n || l->working == 0)
		pthread_cond_broadcast(&l->ready);
	return 1;
}

static void *
loader_thread(void *arg)
{
	struct loader *l = arg;

	pthread_mutex_lock(&l->lock);
	while (!l->quit)
		if (!make_next(l))
			pthread_cond_wait(&l->work, &l->lock);
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

int
loader_open(const struct loader_config *c, struct loader **out, struct error *e)
{
	struct loader *l = xcalloc(1, sizeof *l);
	const size_t side = (size_t)c->source->image;
	sigset_t all, old;
	int rc = 0;

	assert(c->batch > 0 && c->workers >= 0);
	assert(c->rank >= 0 && c->rank < c->size && c->batches >= 0);
	assert(c->source->n > 0 || c->batches == 0);
	l->c = *c;
	l->image_bytes = side * side * IMAGE_CHANNELS;
	l->depth = 1 + c->held + AHEAD;
	l->batch = l->given = c->batches; /* idle until loader_start */
	l->slots = arena_calloc(&l->memory, (size_t)l->depth, sizeof *l->slots);
	for (int i = 0; i < l->depth; i++) {
		struct slot *s = &l->slots[i];
		const size_t batch = (size_t)c->batch;

		if (c->device != NULL)
			s->pixels = device_host_alloc(
			    c->device, batch * l->image_bytes);
		s->allocated = s->pixels != NULL;
		if (!s->allocated)
			s->pixels = xcalloc(batch, l->image_bytes);
		s->labels = arena_calloc(&l->memory, batch, sizeof *s->labels);
		s->mirror = arena_calloc(&l->memory, batch, sizeof *s->mirror);
		s->usable = arena_calloc(&l->memory, batch, 1);
		s->batch = -1;
	}
	if (c->shuffle)
		l->order = arena_calloc(
		    &l->memory, (size_t)c->source->n, sizeof *l->order);
	l->named = arena_calloc(&l->memory, (size_t)c->source->n, 1);
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->work, NULL);
	pthread_cond_init(&l->ready, NULL);
	/* The main thread handles signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	l->threads =
	    arena_calloc(&l->memory, (size_t)c->workers, sizeof *l->threads);
	while (rc == 0 && l->n_threads < c->workers) {
		rc = pthread_create(
		    &l->threads[l->n_threads], NULL, loader_thread, l);
		l->n_threads += rc == 0;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc != 0) {
		loader_close(l);
		return error_errno(e, rc, "cannot start a thread");
	}
	*out = l;
	return 0;
}

static void
forget_refusals(struct slot *s)
{
	for (size_t i = 0; i < s->n_refusals; i++)
		free(s->refusals[i].message);
	s->n_refusals = 0;
}

void
loader_close(struct loader *l)
{
	if (l == NULL)
		return;
	pthread_mutex_lock(&l->lock);
	l->quit = 1;
	pthread_cond_broadcast(&l->work);
	pthread_mutex_unlock(&l->lock);
	for (int i = 0; i < l->n_threads; i++)
		pthread_join(l->threads[i], NULL);
	for (int i = 0; i < l->depth; i++) {
		struct slot *s = &l->slots[i];

		forget_refusals(s);
		free(s->refusals);
		if (s->allocated)
			l->c.device->ops->host_free(l->c.device, s->pixels);
		else
			free(s->pixels);
	}
	pthread_cond_destroy(&l->work);
	pthread_cond_destroy(&l->ready);
	pthread_mutex_destroy(&l->lock);
	arena_release(&l->memory);
	free(l);
}

void
loader_start(struct loader *l, int epoch, long first)
{
	assert(epoch >= 0 && first >= 0 && first <= l->c.batches);
	pthread_mutex_lock(&l->lock);
	l->batch = l->c.batches; /* nothing more to take */
	l->item = 0;
	while (l->working > 0)
		pthread_cond_wait(&l->ready, &l->lock);
	for (int i = 0; i < l->depth; i++) {
		forget_refusals(&l->slots[i]);
		l->slots[i].batch = -1;
	}
	if (l->order != NULL)
		sampler_order(l->order, l->c.source->n, l->c.seed, epoch);
	l->epoch = epoch;
	l->batch = l->first = l->given = first;
	pthread_cond_broadcast(&l->work);
	pthread_mutex_unlock(&l->lock);
}

static int
by_item(const void *a, const void *b)
{
	const struct image_refusal *x = a, *y = b;

	if (x->item != y->item)
		return x->item < y->item ? -1 : 1;
	return x->attempt < y->attempt ? -1 : x->attempt > y->attempt;
}

/* Close the gaps left by refused images. Returns the number of remaining
 * images. */
static int
close_gaps(struct loader *l, struct slot *s)
{
	const size_t bytes = l->image_bytes;
	int n = 0;

	for (int i = 0; i < s->n; i++) {
		if (!s->usable[i])
			continue;
		if (n < i)
			memcpy(s->pixels + (size_t)n * bytes,
			    s->pixels + (size_t)i * bytes, bytes);
		s->labels[n] = s->labels[i];
		s->mirror[n++] = s->mirror[i];
	}
	return n;
}

int
loader_next(struct loader *l, struct images *im, const int32_t **labels,
    struct error *e)
{
	const long b = l->given;
	struct slot *s = slot_of(l, b);
	int n;

	if (b >= l->c.batches)
		return 0;
	n = images_of_batch(l, b);
	/* Wait until the batch is made; without workers, make it. */
	pthread_mutex_lock(&l->lock);
	l->given++;
	pthread_cond_broadcast(&l->work); /* a slot became free */
	while (n > 0 && (s->batch != b || s->done < s->n))
		if (l->c.workers > 0 || !make_next(l))
			pthread_cond_wait(&l->ready, &l->lock);
	pthread_mutex_unlock(&l->lock);
	if (n > 0) {
		/* Report in an order that does not depend on the threads. */
		if (s->n_refusals > 0)
			qsort(s->refusals, s->n_refusals, sizeof *s->refusals,
			    by_item);
		for (size_t i = 0; i < s->n_refusals; i++) {
			const struct image_refusal *r = &s->refusals[i];

			if (l->named[r->image])
				continue;
			l->named[r->image] = 1;
			l->unusable++;
			if (l->c.note != NULL)
				l->c.note(l->c.ctx, r->message);
		}
		n = close_gaps(l, s);
		if (l->c.whole && n < l->c.batch)
			return error_set(e, ERROR_EMPTY,
			    "%d consecutive images cannot be used, the last "
			    "one: %s",
			    most_tries(l),
			    s->refusals[s->n_refusals - 1].message);
		forget_refusals(s);
	}
	*im = (struct images){ .type = DTYPE_U8,
		.order = IMAGES_NHWC,
		.data = s->pixels,
		.n = n };
	im->held = l->c.held;
	im->width = l->c.source->image;
	if (l->c.unturned)
		im->mirror = s->mirror;
	*labels = s->labels;
	return 1;
}

long
loader_unusable(const struct loader *l)
{
	return l->unusable;
}

int
loader_is_unusable(const struct loader *l, long i)
{
	return l->named[i];
}
