/* Synthetic images, the order of an epoch, worker threads and the ring of
 * batches; folders of images. */
#include <config.h>

#include "trainer/data/dataset.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/text.h"
#include "trainer/base/rng.h"
#include "trainer/data/decode.h"
#include "trainer/data/resize.h"

/* --- Synthetic images ----------------------------------------------------- */

/* Pixels and labels each have a random stream; its step is the image number. */
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
	int attempt; /* number of images tried there before */
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
	long batch; /* the image to make next is `item` of this batch */
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

int
loader_next(struct loader *l, struct images *im, const int32_t **labels,
    struct error *e)
{
	const size_t bytes = l->image_bytes;
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
		/* Close the gaps left by refused images. */
		n = 0;
		for (int i = 0; i < s->n; i++) {
			if (!s->usable[i])
				continue;
			if (n < i)
				memcpy(s->pixels + (size_t)n * bytes,
				    s->pixels + (size_t)i * bytes, bytes);
			s->labels[n] = s->labels[i];
			s->mirror[n++] = s->mirror[i];
		}
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

/* --- Folders -------------------------------------------------------------- */

enum { MAX_DEPTH = 32 /* depth of folders; stops loops of symbolic links */ };

/* Names found in a folder. */
struct folder_names {
	char **items;
	size_t n;
};

static void
names_add(struct arena *a, struct folder_names *v, char *name)
{
	v->items = arena_grow(a, v->items, v->n, sizeof *v->items);
	v->items[v->n++] = name;
}

static const struct {
	const char *end;
	enum image_format format;
} endings[] = { { ".jpg", IMAGE_FORMAT_JPEG }, { ".jpeg", IMAGE_FORMAT_JPEG },
	{ ".png", IMAGE_FORMAT_PNG } };

/* Read the names of the subfolders and files of a folder into an arena. */
static int
list_folder(struct arena *a, const char *path, struct folder_names *folders,
    struct folder_names *files, struct error *e)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	struct stat st;
	int rc = 0;

	if (dir == NULL)
		return error_errno(e, errno, "cannot read folder '%s'", path);
	while (errno = 0, (d = readdir(dir)) != NULL) {
		int is_folder = d->d_type == DT_DIR;

		if (d->d_name[0] == '.')
			continue;
		if (d->d_type == DT_LNK || d->d_type == DT_UNKNOWN)
			is_folder =
			    fstatat(dirfd(dir), d->d_name, &st, 0) == 0 &&
			    S_ISDIR(st.st_mode);
		names_add(
		    a, is_folder ? folders : files, arena_strdup(a, d->d_name));
	}
	if (errno != 0)
		rc = error_errno(e, errno, "cannot read folder '%s'", path);
	closedir(dir);
	return rc;
}

/* Order by folder, then by name. */
static int
by_place(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	const char *p = strrchr(x, '/'), *q = strrchr(y, '/');
	const size_t i = p != NULL ? (size_t)(p - x) : 0;
	const size_t j = q != NULL ? (size_t)(q - y) : 0;
	int c = memcmp(x, y, i < j ? i : j);

	if (c == 0)
		c = (i > j) - (i < j);
	return c != 0 ? c : strcmp(x + i, y + j);
}

/* Add the images in class/below, recursively, to found, as paths relative to
 * class. The program must have been built with their formats.
 *
 * below  "" or ends with a slash */
static int
gather_images(struct arena *a, const char *class, const char *below, int depth,
    struct folder_names *found, struct error *e)
{
	static const char *const libraries[N_IMAGE_FORMATS] = {
		[IMAGE_FORMAT_JPEG] = "libjpeg (JPEG)",
		[IMAGE_FORMAT_PNG] = "libpng (PNG)"
	};
	const size_t n = sizeof endings / sizeof endings[0];
	const char *path = *below != '\0'
	    ? arena_printf(a, "%s/%.*s", class, (int)strlen(below) - 1, below)
	    : class;
	struct folder_names folders = { 0 }, files = { 0 };

	if (depth > MAX_DEPTH)
		return error_set(e, ERROR_INPUT,
		    "folder '%s' is more than %d folders below '%s'", path,
		    MAX_DEPTH, class);
	if (list_folder(a, path, &folders, &files, e) != 0)
		return -1;
	for (size_t i = 0; i < files.n; i++) {
		const char *dot = strrchr(files.items[i], '.');
		size_t k = 0;

		while (dot != NULL && k < n && strcasecmp(dot, endings[k].end))
			k++;
		if (dot == NULL || k == n)
			continue;
		if (!decode_has(endings[k].format))
			return error_set(e, ERROR_INPUT,
			    "'%s/%s': this program was built without %s", path,
			    files.items[i], libraries[endings[k].format]);
		names_add(
		    a, found, arena_printf(a, "%s%s", below, files.items[i]));
	}
	for (size_t i = 0; i < folders.n; i++)
		if (gather_images(a, class,
			arena_printf(a, "%s%s/", below, folders.items[i]),
			depth + 1, found, e) != 0)
			return -1;
	return 0;
}

/* Add the images of one class.
 *
 * a  for temporary data */
static int
add_class(struct dataset *d, size_t *alloc, const char *name, struct arena *a,
    struct error *e)
{
	const char *path = arena_printf(a, "%s/%s", d->dir, name);
	struct folder_names found = { 0 };

	if (gather_images(a, path, "", 0, &found, e) != 0)
		return -1;
	if (found.n == 0)
		return error_set(e, ERROR_EMPTY,
		    "class folder '%s' has no images (.jpg, .jpeg, .png)",
		    path);
	if (found.n > INT32_MAX - d->n_images)
		return error_set(e, ERROR_LIMIT, "'%s' has more than %d images",
		    d->dir, INT32_MAX);
	qsort(found.items, found.n, sizeof *found.items, by_place);
	for (size_t i = 0; i < found.n; i++) {
		d->images =
		    vec_grow(d->images, d->n_images, alloc, sizeof *d->images);
		d->images[d->n_images++] =
		    (struct image){ arena_strdup(&d->names, found.items[i]),
			    (int32_t)d->n_classes };
	}
	d->classes[d->n_classes++] = arena_strdup(&d->names, name);
	return 0;
}

int
dataset_open(
    const char *dir, const char *part, struct dataset **out, struct error *e)
{
	struct dataset *d = xcalloc(1, sizeof *d);
	struct arena a = ARENA_INIT, of_class = ARENA_INIT;
	struct folder_names folders = { 0 }, files = { 0 };
	size_t alloc = 0;
	int rc;

	d->dir = part != NULL ? arena_printf(&d->names, "%s/%s", dir, part)
			      : arena_strdup(&d->names, dir);
	rc = list_folder(&a, d->dir, &folders, &files, e);
	if (rc == 0 && folders.n == 0)
		rc = error_set(e, ERROR_EMPTY,
		    "'%s' has no class folders: images must be in '%s/CLASS/'",
		    d->dir, d->dir);
	if (rc == 0) {
		qsort(folders.items, folders.n, sizeof *folders.items,
		    text_order_at);
		d->classes =
		    arena_calloc(&d->names, folders.n, sizeof *d->classes);
	}
	for (size_t i = 0; rc == 0 && i < folders.n; i++) {
		rc = add_class(d, &alloc, folders.items[i], &of_class, e);
		arena_release(&of_class);
	}
	arena_release(&a);
	if (rc == 0)
		*out = d;
	else
		dataset_close(d);
	return rc;
}

void
dataset_close(struct dataset *d)
{
	if (d == NULL)
		return;
	arena_release(&d->names);
	free(d->images);
	free(d);
}

char *
dataset_path(const struct dataset *d, size_t i)
{
	const struct image *p = &d->images[i];

	assert(i < d->n_images);
	return xasprintf("%s/%s/%s", d->dir, d->classes[p->label], p->name);
}

int
dataset_same_classes(
    const struct dataset *a, const struct dataset *b, struct error *e)
{
	for (size_t i = 0; i < a->n_classes || i < b->n_classes; i++) {
		const char *x = i < a->n_classes ? a->classes[i] : NULL;
		const char *y = i < b->n_classes ? b->classes[i] : NULL;
		const int c = x == NULL ? 1 : y == NULL ? -1 : strcmp(x, y);

		if (c != 0)
			return error_set(e, ERROR_INPUT,
			    "class '%s' is in '%s' but not in '%s'",
			    c < 0 ? x : y, c < 0 ? a->dir : b->dir,
			    c < 0 ? b->dir : a->dir);
	}
	return 0;
}

/* --- The part of an image that is used ------------------------------------ */

static const double area_min = 0.08, ratio_min = 3.0 / 4, ratio_max = 4.0 / 3;

struct crop
crop_random(int w, int h, int size, const struct rng *r, uint64_t first)
{
	struct crop c = { .out_w = size, .out_h = size, .size = size };
	uint32_t four[4];
	int found = 0;

	assert(w >= 1 && h >= 1 && size >= 1);
	for (uint64_t i = 0; i < 10 && !found; i++) {
		double area = (double)w * h, ratio;

		rng_block(r, first + i, four);
		area *= area_min + (1 - area_min) * (four[0] * 0x1p-32);
		ratio = exp(log(ratio_min) +
		    (log(ratio_max) - log(ratio_min)) * (four[1] * 0x1p-32));
		c.w = (int)rint(sqrt(area * ratio));
		c.h = (int)rint(sqrt(area / ratio));
		found = c.w >= 1 && c.w <= w && c.h >= 1 && c.h <= h;
		c.x = (int)((w - c.w + 1) * (four[2] * 0x1p-32));
		c.y = (int)((h - c.h + 1) * (four[3] * 0x1p-32));
	}
	if (!found) {
		/* The largest centred box with an allowed ratio. */
		c.w = w > h * ratio_max ? (int)rint(h * ratio_max) : w;
		c.h = w < h * ratio_min ? (int)rint(w / ratio_min) : h;
		c.x = (w - c.w) / 2;
		c.y = (h - c.h) / 2;
	}
	rng_block(r, first + CROP_BLOCKS - 1, four);
	c.mirror = (int)(four[0] >> 31);
	return c;
}

struct crop
crop_middle(int w, int h, int size)
{
	const int side = (int)rint(size * 256.0 / 224);
	struct crop c = { .w = w, .h = h, .size = size };

	assert(w >= 1 && h >= 1 && size >= 1);
	/* As in torchvision, the long side is truncated, not rounded. */
	c.out_w = w <= h ? side : (int)((double)side * w / h);
	c.out_h = h <= w ? side : (int)((double)side * h / w);
	c.left = (int)rint((c.out_w - size) / 2.0);
	c.top = (int)rint((c.out_h - size) / 2.0);
	return c;
}

/* --- Reading it ----------------------------------------------------------- */

enum { MAX_FILE = 1 << 28 /* maximum size of an image file */ };

/* Decoder, resizer and buffer of a thread that reads an image. */
struct tools {
	struct decoder *decoder;
	struct resizer *resizer;
	uint8_t *file; /* [file_alloc] */
	size_t file_alloc;
	struct tools *next; /* next in the list of unused tools */
};

struct file_images {
	struct image_source source; /* first member: the interface for the
				       loader */
	struct file_images *self;   /* the source itself, not const */
	const struct dataset *dataset;
	enum image_mode mode;
	long max_pixels;
	pthread_mutex_t lock; /* of unused */
	struct tools *unused;
};

/* Read all of a file into t->file. */
static int
read_file(struct tools *t, const char *path, size_t *len, struct error *e)
{
	/* O_NONBLOCK: do not block on a named pipe. */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	size_t size = 0;
	ssize_t n = 1;
	int rc = 0;

	if (fd < 0)
		return error_errno(e, errno, "cannot be opened");
	if (fstat(fd, &st) != 0)
		rc = error_errno(e, errno, "cannot be looked at");
	else if (!S_ISREG(st.st_mode))
		rc = error_set(e, ERROR_INPUT, "is not a file");
	else if (st.st_size > MAX_FILE)
		rc = error_set(
		    e, ERROR_INPUT, "is larger than %d MiB", MAX_FILE >> 20);
	else
		size = (size_t)st.st_size;
	if (t->file_alloc < size) {
		free(t->file);
		t->file_alloc = size;
		t->file = xmalloc(size);
	}
	/* The file may be truncated meanwhile. */
	for (*len = 0; n > 0 && *len<size; *len += n> 0 ? (size_t)n : 0)
		do
			n = read(fd, t->file + *len, size - *len);
		while (n < 0 && errno == EINTR);
	if (n < 0)
		rc = error_errno(e, errno, "cannot be read");
	close(fd);
	return rc;
}

/* A side of the box in an image that is decoded at 1 / scale of its size. */
static struct resize_side
resize_side_of(int start, int length, int scale, int out, int first, int n)
{
	return (struct resize_side){ (double)start / scale,
		(double)length / scale, start / scale,
		(start + length + scale - 1) / scale, out, first, n };
}

int
image_make(struct decoder *d, struct resizer *r, int w, int h,
    const struct crop *c, int exact, uint8_t *rgb, struct error *e)
{
	const double x = (double)c->w / c->out_w, y = (double)c->h / c->out_h;
	const int scale = exact ? 1 : decoder_scale(d, x < y ? x : y);
	struct resize_side columns =
	    resize_side_of(c->x, c->w, scale, c->out_w, c->left, c->size);
	struct resize_side rows =
	    resize_side_of(c->y, c->h, scale, c->out_h, c->top, c->size);
	struct decode_pixels pixels;
	struct decode_box box;

	assert(c->x + c->w <= w && c->y + c->h <= h);
	resize_span(&columns, &box.x0, &box.x1);
	resize_span(&rows, &box.y0, &box.y1);
	if (decoder_read(d, scale, &box, &pixels, e) != 0)
		return -1;
	columns.low = box.x0;
	columns.high = box.x1;
	rows.low = box.y0;
	rows.high = box.y1;
	resizer_run(
	    r, pixels.rgb, pixels.stride, &rows, &columns, c->mirror, rgb);
	return 0;
}

static int
images_read(const struct image_source *s, long i, int epoch, uint8_t *rgb,
    int32_t *label, uint8_t *mirror, struct error *e)
{
	/* Cast away const: reading modifies only the list of tools. */
	struct file_images *p = ((const struct file_images *)s)->self;
	const int train = p->mode == IMAGE_MODE_TRAIN;
	const struct rng r = { s->seed, s->stream, (uint32_t)epoch };
	char *path = dataset_path(p->dataset, (size_t)i);
	struct tools *t;
	struct crop c;
	size_t len = 0;
	int w, h, rc;

	pthread_mutex_lock(&p->lock);
	t = p->unused;
	if (t != NULL)
		p->unused = t->next;
	pthread_mutex_unlock(&p->lock);
	if (t == NULL) {
		t = xcalloc(1, sizeof *t);
		t->decoder = decoder_new();
		decoder_limit(t->decoder, p->max_pixels);
		t->resizer = resizer_new();
	}
	rc = read_file(t, path, &len, e);
	if (rc == 0)
		rc = decoder_open(t->decoder, t->file, len, &w, &h, e);
	if (rc == 0) {
		c = train
		    ? crop_random(w, h, s->image, &r, (uint64_t)i * CROP_BLOCKS)
		    : crop_middle(w, h, s->image);
		if (mirror != NULL) {
			*mirror = c.mirror != 0;
			c.mirror = 0;
		}
		rc = image_make(
		    t->decoder, t->resizer, w, h, &c, !train, rgb, e);
	}
	*label = p->dataset->images[i].label;
	if (rc != 0)
		error_prefix(e, "%s", path);
	free(path);
	pthread_mutex_lock(&p->lock);
	t->next = p->unused;
	p->unused = t;
	pthread_mutex_unlock(&p->lock);
	return rc;
}

struct image_source *
dataset_source(
    const struct dataset *d, enum image_mode mode, int size, uint64_t seed)
{
	struct file_images *p = xcalloc(1, sizeof *p);

	assert(size >= 1 && d->n_images >= 1 && d->n_images <= INT32_MAX);
	p->self = p;
	p->source.n = (long)d->n_images;
	p->source.image = size;
	p->source.classes = (int)d->n_classes;
	p->source.read = images_read;
	p->source.seed = seed;
	p->source.stream = RNG_STREAM_DATA;
	p->dataset = d;
	p->mode = mode;
	p->max_pixels = DECODE_MAX_PIXELS;
	pthread_mutex_init(&p->lock, NULL);
	return &p->source;
}

void
dataset_source_limit(struct image_source *s, long max_pixels)
{
	((struct file_images *)s)->max_pixels = max_pixels;
}

void
dataset_source_free(struct image_source *s)
{
	struct file_images *p = (struct file_images *)s;

	if (p == NULL)
		return;
	while (p->unused != NULL) {
		struct tools *t = p->unused;

		p->unused = t->next;
		decoder_free(t->decoder);
		resizer_free(t->resizer);
		free(t->file);
		free(t);
	}
	pthread_mutex_destroy(&p->lock);
	free(p);
}
