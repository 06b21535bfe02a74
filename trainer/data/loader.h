/* Batches of images for one rank, made ahead of time by worker threads in a
 * ring of buffers.
 *
 * An epoch's order is 0 .. n - 1, or a permutation of it that (seed, epoch)
 * alone decide and that is the same on all ranks.  It is dealt out in blocks:
 * batch b of rank r starts at place (b * size + r) * batch.  So the ranks'
 * batches b, one after the other, are the batch b of one rank with size *
 * batch images.
 *
 * An image that cannot be used is reported to config.note, once, and counted.
 * In whole batches the next usable image (by number; after the last, the first)
 * takes its place; otherwise the batch gets shorter, so that no image counts
 * twice.  Neither this nor anything else depends on the number of workers.
 *
 * An image source gives image number k of so many.  That of --dummy is
 * synthetic data, a function of seed and number alone, as torchvision's
 * FakeData: bytes without meaning and labels that have nothing to do with them,
 * both uniform.  So a network can memorise them but not learn from them.
 *
 *	struct loader_config c = { .batch = 32, .workers = 4, .rank = rank,
 *		.size = ranks, .seed = seed, .shuffle = 1, .whole = 1 };
 *
 *	dataset_open(dir, "train", &train, &e);
 *	c.source = source =
 *	    dataset_source(train, IMAGE_MODE_TRAIN, 224, seed);
 *	c.batches = loader_batches(source->n, c.batch, ranks);
 *	loader_open(&c, &l, &e);
 *	loader_start(l, epoch);
 *	while ((rc = loader_next(l, &images, &labels, &e)) > 0)
 *		device_load(d, &images, labels, &e);
 *	loader_close(l);
 *	dataset_source_free(source);
 *	dataset_close(train);
 */
#ifndef TRAINER_DATA_LOADER_H
#define TRAINER_DATA_LOADER_H

#include <stdint.h>

#include "common/error.h"
#include "trainer/device/device.h"

enum { IMAGE_CHANNELS = 3 };

/* ImageNet's numbers of images, which --dummy pretends to have. */
enum { IMAGENET_TRAIN = 1281167, IMAGENET_VALIDATION = 50000 };

struct image_source {
	long n;    /* images */
	int image; /* pixels of a side */
	int classes;
	/* Image number i, 0 .. n - 1, in a given epoch.  Called by many threads
	 * at once.
	 *
	 * pixels  [image][image][3] 0 .. 255
	 * label   0 .. classes - 1 */
	int (*read)(const struct image_source *s, long i, int epoch,
	    uint8_t *pixels, int32_t *label, struct error *e);
	/* The same, but an image that is to be turned is not; NULL: none is
	 * ever turned.
	 *
	 * mirror  set to 1 if left and right are to be swapped, else 0 */
	int (*read_unturned)(const struct image_source *s, long i, int epoch,
	    uint8_t *pixels, int32_t *label, uint8_t *mirror, struct error *e);
	unsigned long long seed; /* of synthetic data */
	uint32_t stream;         /* of its random numbers */
};

enum image_source_part { IMAGE_SOURCE_TRAIN, IMAGE_SOURCE_VALIDATION };

/* A source of synthetic data; the two parts differ.  Nothing is to be freed. */
struct image_source image_source_dummy(enum image_source_part part, long n,
    int image, int classes, unsigned long long seed);

struct loader_config {
	const struct image_source *source; /* borrowed */
	int batch;                         /* images, >= 1 */
	int rank, size;                    /* of the run */
	long batches;                      /* of an epoch, on each rank */
	int whole;     /* 1 (training): after the last image of the order
	                  comes the first again, so that all batches are whole;
	                  0 (validation): each image once, the last batches may
	                  be short, or empty */
	int workers;   /* threads; 0: loader_next does the work */
	int shuffle;   /* 1: a new order in every epoch */
	uint64_t seed; /* of the order */
	int ahead;     /* batches to have ready; 0: 2 */
	int held;      /* a batch stays as it is while so many more are given */
	int unturned;  /* leave it to the device to swap left and right */

	/* Where pixels are kept; NULL, or one that returns NULL: memory like
	 * any other. */
	void *(*alloc)(void *memory, size_t bytes);
	void (*release)(void *memory, void *p);
	void *memory;

	/* Gets "PATH: what is wrong" for each unusable image, in the thread
	 * that calls loader_next; may be NULL. */
	void (*note)(void *ctx, const char *message);
	void *ctx;
};

struct loader;

/* Batches of an epoch on each rank: n images over so many ranks and images in a
 * batch, rounded up. */
long loader_batches(long n, int batch, int ranks);

/* Start the workers; they block all signals.  ERROR_SYSTEM: no thread. */
int loader_open(
    const struct loader_config *c, struct loader **out, struct error *e);

/* End them, free all; l may be NULL. */
void loader_close(struct loader *l);

/* Begin an epoch; one that is not at its end is given up.  The workers begin
 * at once, so call it early (before a validation, say).
 *
 * first  the batch to begin with, 0 .. config.batches: for going on in the
 *        middle of an epoch */
void loader_start(struct loader *l, int epoch);
void loader_start_at(struct loader *l, int epoch, long first);

/* The next batch; the time until it returns is time in which training stands
 * still for data.
 *
 * im, labels  set to the batch: DTYPE_U8, IMAGES_NHWC; valid until the next
 *             loader_ call, with config.held for so many calls of loader_next
 *             more, see im->held; im->n is config.batch, or less, or 0, if
 *             not whole
 *
 * Returns 1; 0 at the end of the epoch; -1, ERROR_EMPTY: 1000 images after
 * each other, or all there are, cannot be used. */
int loader_next(struct loader *l, struct images *im, const int32_t **labels,
    struct error *e);

/* Images that could not be used, each counted once, since loader_open. */
long loader_unusable(const struct loader *l);

/* True if image i is one of them. */
int loader_is_unusable(const struct loader *l, long i);

/* Fill order with 0 .. n - 1, or with a permutation of it.
 *
 * order    [n] set
 * n        0 .. 2^31 - 1
 * shuffle  1: a permutation, all equally likely, that (seed, epoch) alone
 *          decide: Fisher and Yates' method on the random stream
 *          RNG_STREAM_ORDER, step epoch */
void sampler_order(
    uint32_t *order, long n, int shuffle, uint64_t seed, int epoch);

/* Where batch b of a rank starts in the order: (b * ranks + rank) * batch.  At
 * n and above (whole batches only) the order starts again: take it modulo n.
 */
long sampler_place(long b, int batch, int rank, int ranks);

/* Images of batch b: batch if whole; else what is left, 0 .. batch. */
int sampler_count(long n, long b, int batch, int rank, int ranks, int whole);

#endif
