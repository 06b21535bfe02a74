/* Where images come from.  A source gives image number k of so many; the loader
 * makes batches of them.
 *
 * --dummy: synthetic data, a function of seed and number alone, as
 * torchvision's FakeData is: bytes without meaning and labels that have nothing
 * to do with them, both uniform.  So a network can learn them by heart but not
 * learn from them.
 */
#ifndef TRAINER_DATA_IMAGE_SOURCE_H
#define TRAINER_DATA_IMAGE_SOURCE_H

#include <stdint.h>

#include "common/error.h"

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

#endif
