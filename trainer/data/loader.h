/* Batches of images for one rank, prepared by worker threads in a ring of
 * buffers.
 *
 * The order of an epoch is 0 .. n - 1, or a permutation that depends only on
 * (seed, epoch) and is equal on all ranks. Batch b of rank r starts at place (b
 * * size + r) * batch of it. So the batches b of all ranks together are the
 * batch b of one rank with size * batch images.
 *
 * An image that cannot be read is reported to config.note, once, and counted.
 * In whole batches the next usable image (by number; after the last, the first)
 * takes its place; otherwise the batch gets shorter, so that no image counts
 * twice. Neither this nor anything else depends on the number of workers.
 *
 * An image source returns image number k. That of --dummy is synthetic, a
 * function of seed and number, like torchvision's FakeData: uniform random
 * bytes and labels. A network can memorise them but not learn from them.
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

/* Numbers of images of ImageNet, also those of --dummy. */
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
	/* The same without mirroring the image; NULL if images are never
	 * mirrored.
	 *
	 * mirror  set to 1 if left and right are to be swapped, else 0 */
	int (*read_unturned)(const struct image_source *s, long i, int epoch,
	    uint8_t *pixels, int32_t *label, uint8_t *mirror, struct error *e);
	unsigned long long seed; /* of synthetic data */
	uint32_t stream;         /* of its random numbers */
};

enum image_source_part { IMAGE_SOURCE_TRAIN, IMAGE_SOURCE_VALIDATION };

/* A source of synthetic data; the two parts differ. Not to be freed. */
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
	int held;      /* a batch stays valid while this many more are
			  returned */
	int unturned;  /* 1: the device mirrors images */

	/* Allocates memory for pixels. NULL, or if it returns NULL: ordinary
	 * memory. */
	void *(*alloc)(void *memory, size_t bytes);
	void (*release)(void *memory, void *p);
	void *memory;

	/* Gets "PATH: what is wrong" for each unusable image, in the thread
	 * that calls loader_next; may be NULL. */
	void (*note)(void *ctx, const char *message);
	void *ctx;
};

struct loader;

/* Number of batches of an epoch on each rank, rounded up. */
long loader_batches(long n, int batch, int ranks);

/* Start the workers; they block all signals.  ERROR_SYSTEM: no thread. */
int loader_open(
    const struct loader_config *c, struct loader **out, struct error *e);

/* End the workers and free l, which may be NULL. */
void loader_close(struct loader *l);

/* Begin an epoch, abandoning one that has not ended. The workers begin at once,
 * so call it early, as before a validation.
 *
 * first  the batch to begin with, 0 .. config.batches: for resuming in the
 *        middle of an epoch */
void loader_start(struct loader *l, int epoch);
void loader_start_at(struct loader *l, int epoch, long first);

/* The next batch. Training waits for data while this function runs.
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

/* Number of images that could not be read since loader_open, each counted
 * once. */
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
