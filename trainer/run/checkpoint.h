/* The state of a training run in a file, so that another process can go on
 * with it as if nothing had happened.
 *
 * All numbers are little-endian:
 *
 *	bytes	what
 *	16	"dlscale state\r\n\x1a"
 *	4	version: CHECKPOINT_VERSION
 *	4	bytes of the header
 *	8	bytes of the file
 *	...	the header: a line "key=value\n" for each field of struct
 *		checkpoint, in their order
 *	...	doubles: CHECKPOINT_METERS of each rank
 *	...	tensors: parameters, then momenta, then buffers, each in
 *		PyTorch's order
 *	8	XXH3 of all bytes before
 *
 * A tensor is: its kind (4 bytes: 0 parameter, 1 momentum, 2 buffer), bytes of
 * an element (4: fp32, 8: fp64), bytes of its name, 0 (4 each), its number of
 * elements (8), its name as torchvision has it, its elements in PyTorch's
 * order.
 *
 * The places of magic, version, size and checksum are the same in all versions.
 *
 * There are no states of random numbers: every one of them is a function of
 * the seed, the epoch, the step and the image (trainer/base/rng.h), and so is
 * the order of images.
 *
 * Version 2 added the loss scale; there is no reader of version 1.
 */
#ifndef TRAINER_RUN_CHECKPOINT_H
#define TRAINER_RUN_CHECKPOINT_H

#include <stdint.h>

#include "common/error.h"
#include "common/strbuf.h"
#include "trainer/device/device.h"

enum {
	CHECKPOINT_VERSION = 2,
	CHECKPOINT_WORD = 32,   /* bytes of a name, with its NUL */
	CHECKPOINT_METERS = 15, /* doubles of struct meters */
	CHECKPOINT_RANKS = 1 << 20
};

struct checkpoint {
	/* What is trained. */
	char model[CHECKPOINT_WORD];
	long classes;
	/* With what. */
	long image; /* pixels of a side */
	char device[CHECKPOINT_WORD], precision[CHECKPOINT_WORD];
	double lr, momentum, weight_decay; /* lr: of the first epoch */
	long lr_step;
	/* On which images, in which order. */
	long seed, devices, batch_per_device, batches_per_epoch, train_images;
	uint64_t image_list; /* a checksum of the images' names, or 0 */
	/* How far it is: batch 0 of an epoch is its beginning,
	 * batches_per_epoch is after its last step, before its
	 * validation. */
	long epoch, batch;
	long step;         /* in all epochs */
	double best_top1;  /* per cent, of all validations; -1: none yet */
	double loss_scale; /* see struct loss_scaling; 0: none */
	long loss_scale_good;
};

/* In which fields two runs may differ. */
enum checkpoint_rule {
	CHECKPOINT_NETWORK = 1, /* never: the weights would not fit */
	CHECKPOINT_ORDER = 2,   /* only between epochs: the same place would be
	                           other images */
	CHECKPOINT_COURSE = 4,  /* if it is meant: it goes another way */
	CHECKPOINT_STATE = 8    /* they are what a checkpoint is for */
};

enum checkpoint_detail {
	CHECKPOINT_NAMES, /* "classes,image" */
	CHECKPOINT_VALUES /* "classes is 10, not 3; image is 64, not 32" */
};

/* Add the fields of these rules in which a and b differ to out; of values, a's
 * is the first.  Returns how many. */
int checkpoint_differ(const struct checkpoint *a, const struct checkpoint *b,
    unsigned rules, enum checkpoint_detail detail, struct strbuf *out);

/* Write path; whatever fails leaves the old file as it was.
 *
 * meters  [c->devices][CHECKPOINT_METERS]
 * d       parameters, momenta and buffers are read from it
 *
 * ERROR_SYSTEM: it cannot be written; ERROR_DOMAIN: a weight is not a finite
 * number. */
int checkpoint_write(const char *path, const struct checkpoint *c,
    const double *meters, struct device *d, struct error *e);

struct checkpoint_file;

/* Open a checkpoint and read its header, after seeing that the whole file is
 * what was once written.
 *
 * Errors, which name the path: ERROR_SYSTEM, it cannot be read; ERROR_INPUT,
 * it is no checkpoint, of another version, cut short or damaged. */
int checkpoint_open(const char *path, struct checkpoint *c,
    struct checkpoint_file **out, struct error *e);

/* Read the rest: the meters, then the tensors into a device of the same model
 * and classes.
 *
 * meters  [c->devices][CHECKPOINT_METERS] set
 *
 * ERROR_INPUT: tensors with other names or sizes. */
int checkpoint_read(struct checkpoint_file *f, double *meters, struct device *d,
    struct error *e);

/* Close and free; f may be NULL. */
void checkpoint_close(struct checkpoint_file *f);

#endif
