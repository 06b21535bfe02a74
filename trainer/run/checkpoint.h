/* File with the state of a training run, from which another process can
 * continue exactly.
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
 * elements (8), its name in torchvision, its elements in PyTorch's order.
 *
 * Magic, version, size and checksum have the same place in all versions.
 *
 * No random state is stored: random numbers and the order of images are
 * functions of the seed, the epoch, the step and the image
 * (trainer/base/rng.h).
 *
 * Version 2 added the loss scale; version 1 cannot be read.
 */
#ifndef TRAINER_RUN_CHECKPOINT_H
#define TRAINER_RUN_CHECKPOINT_H

#include <stdint.h>

#include "common/alloc.h"
#include "common/error.h"
#include "trainer/device/device.h"

enum {
	CHECKPOINT_VERSION = 2,
	CHECKPOINT_WORD = 32,   /* bytes of a name, with its NUL */
	CHECKPOINT_METERS = 15, /* doubles of struct meters */
	CHECKPOINT_RANKS = 1 << 20
};

struct checkpoint {
	/* The network. */
	char model[CHECKPOINT_WORD];
	long classes;
	/* Settings of the training. */
	long image; /* pixels of a side */
	char device[CHECKPOINT_WORD], precision[CHECKPOINT_WORD];
	double lr, momentum, weight_decay; /* lr: initial */
	long lr_step;
	/* The images and their order. */
	long seed, devices, batch_per_device, batches_per_epoch, train_images;
	uint64_t image_list; /* checksum of the images' names, or 0 */
	/* Progress: batch 0 is the beginning of an epoch, batches_per_epoch the
	 * point between its last step and its validation. */
	long epoch, batch;
	long step;         /* over all epochs */
	double best_top1;  /* per cent, best validation; -1: none yet */
	double loss_scale; /* see struct loss_scaling; 0: none */
	long loss_scale_good;
};

/* Rules for the fields in which two runs may differ. */
enum checkpoint_rule {
	CHECKPOINT_NETWORK = 1, /* never: the weights would not match */
	CHECKPOINT_ORDER = 2,   /* only between epochs: the remaining images
				   would differ */
	CHECKPOINT_COURSE = 4,  /* allowed, with a note: training proceeds
				   differently */
	CHECKPOINT_STATE = 8    /* always: progress, which a checkpoint
				   stores */
};

enum checkpoint_detail {
	CHECKPOINT_NAMES, /* "classes,image" */
	CHECKPOINT_VALUES /* "classes is 10, not 3; image is 64, not 32" */
};

/* Add to out the fields with one of these rules that differ between a and b,
 * a's value first. Returns their number. */
int checkpoint_differ(const struct checkpoint *a, const struct checkpoint *b,
    unsigned rules, enum checkpoint_detail detail, struct strbuf *out);

/* Write path. On failure an existing file is unchanged.
 *
 * meters  [c->devices][CHECKPOINT_METERS]
 * d       source of parameters, momenta and buffers
 *
 * ERROR_SYSTEM: it cannot be written; ERROR_DOMAIN: a weight is not a finite
 * number. */
int checkpoint_write(const char *path, const struct checkpoint *c,
    const double *meters, struct device *d, struct error *e);

struct checkpoint_file;

/* Open a checkpoint, verify its checksum and read its header.
 *
 * Errors, which name the path: ERROR_SYSTEM if it cannot be read; ERROR_INPUT
 * if it is not a checkpoint of this version, truncated or damaged. */
int checkpoint_open(const char *path, struct checkpoint *c,
    struct checkpoint_file **out, struct error *e);

/* Read the rest: the meters, then the tensors into a device of the same model
 * and classes.
 *
 * meters  [c->devices][CHECKPOINT_METERS] set
 *
 * ERROR_INPUT: tensors have other names or sizes. */
int checkpoint_read(struct checkpoint_file *f, double *meters, struct device *d,
    struct error *e);

/* Close and free; f may be NULL. */
void checkpoint_close(struct checkpoint_file *f);

#endif
