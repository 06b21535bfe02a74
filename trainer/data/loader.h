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
 */
#ifndef TRAINER_DATA_LOADER_H
#define TRAINER_DATA_LOADER_H

#include <stdint.h>

#include "common/error.h"
#include "trainer/device/device.h"
#include "trainer/data/image_source.h"

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

/* Is image i one of them? */
int loader_is_unusable(const struct loader *l, long i);

#endif
