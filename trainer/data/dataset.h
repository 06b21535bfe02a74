/* A folder of images with a folder per class, as in PyTorch's ImageNet example:
 * DIR/train/CLASS/....jpg, DIR/val/CLASS/....jpg.
 *
 * Images end in .jpg, .jpeg or .png (or .JPG, ...) and lie in the class's
 * folder or in folders below it. Names that start with a dot are skipped.
 * Classes, and the images of a class, are numbered in byte order of their
 * names, so class and image numbers are those of torchvision's ImageFolder.
 */
#ifndef TRAINER_DATA_DATASET_H
#define TRAINER_DATA_DATASET_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "trainer/data/loader.h"
#include "trainer/data/decode.h"
#include "trainer/data/resize.h"
#include "trainer/base/rng.h"

struct image {
	const char *name; /* relative to its class's folder */
	int32_t label;    /* class, 0 .. n_classes - 1 */
};

struct dataset {
	char *dir; /* "DIR/train" */
	size_t n_classes;
	const char **classes; /* [n_classes] names, ascending */
	size_t n_images;
	struct image *images; /* [n_images] by class, then name */
	struct arena names;   /* memory of the names */
};

/* Method of making S x S pixels of an image. */
enum image_mode {
	IMAGE_MODE_TRAIN, /* a random part with 8 to 100 % of the area and an
			     aspect ratio of 3/4 to 4/3, resized to S x S;
			     mirrored with probability 1/2 */
	IMAGE_MODE_VAL /* the short side resized to S * 256 / 224 (rounded; 256
	                  for 224), then the middle S x S */
};

/* Find the images of DIR/part, without decoding them.
 *
 * part  "train" or "val"; NULL: dir itself holds the class folders
 *
 * Errors name the folder. ERROR_SYSTEM: it cannot be read; ERROR_EMPTY: no
 * class folder in it, or a class folder without images; ERROR_INPUT: images of
 * a format that this program was built without, or folders more than 32
 * deep. */
int dataset_open(
    const char *dir, const char *part, struct dataset **out, struct error *e);

/* Free all; d may be NULL. */
void dataset_close(struct dataset *d);

/* Return the path of image i: dir, class, name. Free with free(). */
char *dataset_path(const struct dataset *d, size_t i);

/* Check that both have the same classes. Returns 0, or -1 with ERROR_INPUT
 * naming the first class that one of them lacks. */
int dataset_same_classes(
    const struct dataset *a, const struct dataset *b, struct error *e);

/* An image source for a loader. Threads may call source->read concurrently; its
 * result depends only on (source, i, epoch).
 *
 * d     borrowed: must outlive the source
 * size  S, >= 1
 * seed  of random parts and mirroring
 *
 * read returns -1 (ERROR_INPUT or ERROR_SYSTEM, "PATH: what is wrong") for a
 * file that is missing, truncated, corrupt, neither JPEG nor PNG, or larger
 * than 2^27 pixels. */
struct image_source *dataset_source(
    const struct dataset *d, enum image_mode mode, int size, uint64_t seed);

/* Reject images with more pixels (see decoder_limit()). Call it before any
 * image is read. */
void dataset_source_limit(struct image_source *s, long max_pixels);

/* Free a source of dataset_source(); s may be NULL. */
void dataset_source_free(struct image_source *s);

/* --- Crops ---------------------------------------------------------------- */

/* A crop: resize the box of w x h pixels at (x, y) to out_w x out_h, and keep
 * the size x size pixels at (left, top). Pixels outside the box have no
 * influence. */
struct crop {
	int x, y, w, h;
	int out_w, out_h;
	int left, top;
	int size;
	int mirror; /* 1: mirror the result */
};

/* Blocks of random numbers that crop_random may use. */
enum { CROP_BLOCKS = 16 };

/* A random part: 8 to 100 % of the image's area, at any place, with an aspect
 * ratio of 3/4 to 4/3 whose logarithm is uniform. After ten tries that do not
 * fit, use the middle with the nearest allowed ratio. Mirrored with probability
 * 1/2.
 *
 * w, h   of the image, >= 1
 * r      its blocks first .. first + CROP_BLOCKS - 1 are used
 *
 * Source: torchvision 0.14, RandomResizedCrop and RandomHorizontalFlip. */
struct crop crop_random(
    int w, int h, int size, const struct rng *r, uint64_t first);

/* The middle of the image after resizing its short side to size * 256 / 224
 * (rounded).
 *
 * Source: torchvision 0.14, Resize and CenterCrop; 256 and 224 are those of
 * PyTorch's ImageNet example. */
struct crop crop_middle(int w, int h, int size);

/* Decode what a crop needs and resize it.
 *
 * d      with an open image
 * w, h   as set by decoder_open
 * exact  0: decode at 1/2, 1/4 or 1/8 of the size if the crop is reduced by at
 *        least that factor; 1: use all pixels
 * rgb    [size][size][3] set */
int image_make(struct decoder *d, struct resizer *r, int w, int h,
    const struct crop *c, int exact, uint8_t *rgb, struct error *e);

#endif
