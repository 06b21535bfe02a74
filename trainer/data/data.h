/* Images for training: what the rest of the trainer includes.
 *
 * A dataset is a folder with a folder per class; a source
 * (trainer/data/image_source.h) turns image number i of it into S x S pixels; a
 * loader makes batches of a source with worker threads, for one rank of many.
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
#ifndef TRAINER_DATA_DATA_H
#define TRAINER_DATA_DATA_H

#include "trainer/data/dataset.h"
#include "trainer/data/loader.h"

#endif
