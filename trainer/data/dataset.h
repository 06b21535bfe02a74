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

#include "common/alloc.h"
#include "common/error.h"
#include "trainer/data/decode.h"
#include "trainer/data/resize.h"
#include "trainer/base/rng.h"
#include "trainer/device/device.h"

/* --- Batches -------------------------------------------------------------- */

/* Batches of images for one rank, prepared by worker threads in a ring of
 * buffers.
 *
 * The order of an epoch is 0 .. n - 1, or a permutation that depends only on
 * (seed, epoch) and is equal on all ranks. Batch b of rank r starts at place (b
 * * size + r) * batch of it. So the batches b of all ranks together equal batch
 * b of a single rank with size * batch images.
 *
 * An image that cannot be read is counted and reported once to config.note. In
 * whole batches the next usable image (by number, cyclically) replaces it;
 * otherwise the batch gets shorter, so that no image counts twice. Nothing
 * depends on the number of workers.
 *
 * An image source returns image number k. The source of --dummy is synthetic
 * like torchvision's FakeData: uniform random bytes and labels, a function of
 * seed and number. A network can memorise them but not learn from them.
 *
 *	struct loader_config c = { .batch = 32, .workers = 4, .rank = rank,
 *		.size = ranks, .seed = seed, .shuffle = 1, .whole = 1 };
 *
 *	dataset_open(dir, "train", &train, &e);
 *	c.source = source =
 *	    dataset_source(train, IMAGE_MODE_TRAIN, 224, seed);
 *	c.batches = loader_batches(source->n, c.batch, ranks);
 *	loader_open(&c, &l, &e);
 *	loader_start(l, epoch, 0);
 *	while ((rc = loader_next(l, &images, &labels, &e)) > 0)
 *		device_load(d, &images, labels, &e);
 *	loader_close(l);
 *	dataset_source_free(source);
 *	dataset_close(train);
 */

enum { IMAGE_CHANNELS = 3 };

/* Numbers of images of ImageNet; --dummy uses the same. */
enum { IMAGENET_TRAIN = 1281167, IMAGENET_VALIDATION = 50000 };

struct image_source {
	long n;    /* images */
	int image; /* pixels of a side */
	int classes;
	/* Read image number i, 0 .. n - 1, in a given epoch. Threads call it
	 * concurrently.
	 *
	 * pixels  [image][image][3] 0 .. 255
	 * label   0 .. classes - 1
	 * mirror  set to 1 if the caller must mirror the image, else 0; NULL:
	 *         the pixels are already mirrored where needed */
	int (*read)(const struct image_source *s, long i, int epoch,
	    uint8_t *pixels, int32_t *label, uint8_t *mirror, struct error *e);
	unsigned long long seed; /* of synthetic data */
	uint32_t stream;         /* of random numbers */
};

enum image_source_part { IMAGE_SOURCE_TRAIN, IMAGE_SOURCE_VALIDATION };

/* A source of synthetic data; the two parts differ. It needs no free. */
struct image_source image_source_dummy(enum image_source_part part, long n,
    int image, int classes, unsigned long long seed);

struct loader_config {
	const struct image_source *source; /* borrowed */
	int batch;                         /* images, >= 1 */
	int rank, size;                    /* of the run */
	long batches;                      /* per epoch on each rank */
	int whole;     /* 1 (training): all batches are whole, continuing with
			  the first image of the order after the last; 0
			  (validation): each image once; the last batches may be
			  short or empty */
	int workers;   /* threads; 0: loader_next works */
	int shuffle;   /* 1: a new order in every epoch */
	uint64_t seed; /* of the order */
	int held;      /* a batch stays valid for this many more calls of
			  loader_next */
	int unturned;  /* 1: the device mirrors images */

	struct device *device; /* allocates the memory for pixels, if it can;
				  borrowed, NULL: none */

	/* Called with "PATH: what is wrong" for each unusable image, in the
	 * thread that calls loader_next; may be NULL. */
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

/* Begin an epoch, abandoning an unfinished one. The workers start at once, so
 * call it early, e.g. before a validation.
 *
 * first  first batch, 0 .. config.batches, for resuming in the middle of an
 *        epoch */
void loader_start(struct loader *l, int epoch, long first);

/* Get the next batch. Training waits for data while this function runs.
 *
 * im, labels  set to the batch: DTYPE_U8, IMAGES_NHWC; valid until the next
 *             loader_ call, or for config.held more calls of loader_next, see
 *             im->held; im->n is config.batch, or 0 .. config.batch if not
 *             whole
 *
 * Returns 1; 0 at the end of the epoch; -1 with ERROR_EMPTY if 1000 consecutive
 * images, or all, are unusable. */
int loader_next(struct loader *l, struct images *im, const int32_t **labels,
    struct error *e);

/* Number of different images that could not be read since loader_open. */
long loader_unusable(const struct loader *l);

/* True if image i could not be read. */
int loader_is_unusable(const struct loader *l, long i);

/* Fill order with a uniformly random permutation of 0 .. n - 1 that depends
 * only on (seed, epoch): Fisher-Yates shuffle with the random stream
 * RNG_STREAM_ORDER, step epoch.
 *
 * order  [n] set
 * n      0 .. 2^31 - 1 */
void sampler_order(uint32_t *order, long n, uint64_t seed, int epoch);

/* Start of batch b of a rank in the order: (b * ranks + rank) * batch. In whole
 * batches it can exceed n; take it modulo n.
 */
long sampler_place(long b, int batch, int rank, int ranks);

/* Number of images of batch b: batch if whole, else the remaining images, 0 ..
 * batch. */
int sampler_count(long n, long b, int batch, int rank, int ranks, int whole);

/* --- Folders -------------------------------------------------------------- */

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
