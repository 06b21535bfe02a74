/* Batches of images for one rank, made ahead of time by worker threads.
 *
 * In an epoch the images 0, 1, 2, ... are dealt out in blocks: batch s of rank
 * r starts with image (s * ranks + r) * batch.  So the ranks' batches together
 * are the batch that one process with ranks * batch images would get.
 *
 *	loader_start(l, epoch);
 *	while ((rc = loader_next(l, &im, &labels, &e)) > 0)
 *		...
 */
#ifndef TRAINER_LOADER_H
#define TRAINER_LOADER_H

#include <stdint.h>

#include "common/error.h"
#include "trainer/device.h"
#include "trainer/source.h"

struct loader_config {
	const struct source *source; /* borrowed */
	int batch;                   /* images, >= 1 */
	int rank, size;              /* of the run */
	long batches;                /* of an epoch, on each rank */
	int whole;   /* 1: behind the last image comes the first again, so
	                   that all batches are whole; 0: the last ones may be
	                   short, or empty */
	int workers; /* threads; 0: loader_next does the work */
};

struct loader;

/* Batches of an epoch on each rank: n images over so many ranks and images in a
 * batch, rounded up. */
long loader_batches(long n, int batch, int ranks);

/* Those of them that are not empty on one rank, if the images are not taken
 * anew behind the last one. */
long loader_own_batches(long n, int batch, int rank, int ranks);

/* Start the workers.  ERROR_SYSTEM: no thread. */
int loader_open(
    const struct loader_config *c, struct loader **out, struct error *e);

/* End them; l may be NULL. */
void loader_close(struct loader *l);

/* Begin an epoch.  The one before must be at its end. */
void loader_start(struct loader *l, int epoch);

/* The next batch.
 *
 * im, labels  set to the batch: DTYPE_U8, IMAGES_NHWC; valid until the next
 *             call; im->n may be 0 if not whole
 *
 * Returns 1; 0 at the end of the epoch; -1 with what the source said. */
int loader_next(struct loader *l, struct images *im, const int32_t **labels,
    struct error *e);

#endif
