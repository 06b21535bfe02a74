/* Run a network on the reference device in fp64 and on another device, and
 * compare everything that can be read.
 *
 *	struct pair p;
 *	pair_open(&p, "small", DTYPE_FP32, host_device_open);
 *	pair_check(&p, MODE_TRAIN, 1e-4);
 *	pair_close(&p);
 */
#ifndef TESTS_DEVICE_PAIR_H
#define TESTS_DEVICE_PAIR_H

#include "tests/tap.h"
#include "trainer/device/device.h"

enum { BATCH = 4, CLASSES = 10 };

typedef int (*pair_open_fn)(const struct graph *g,
    const struct device_config *c, struct device **out, struct error *e);

struct pair {
	struct network reference;
	struct device *device;
};

/* Build the graph of a model that pair_open() accepts. */
void pair_graph(const char *model, struct graph *g);

/* Open both devices with the same weights and statistics.
 *
 * model  "small": a residual network with all that a large one has, and enough
 *        pixels for statistics; "plain": biases, dropout and linear layers of
 *        several pixels; "wide": a residual network that fused engines
 *        support; "biased": VGG's parts; "large": few layers of many pixels;
 *        or a model's name, at 32 pixels, or at 224 with the suffix "@224"
 * open   opens the second device */
void pair_open(
    struct pair *p, const char *model, enum dtype precision, pair_open_fn open);
void pair_close(struct pair *p);

/* Load noise, run forward and, except in MODE_EVAL, backward. */
void pair_run(struct device *d, enum device_mode mode, struct loss_result *r);

/* Check that the first n tensors of a kind differ by at most this fraction of
 * their norm. */
void pair_compare(const struct pair *p, enum tensor_kind k, int n, double most);

/* Load bytes, mirroring some images; check that the outputs agree. */
void pair_check_bytes(struct pair *p, double most);

/* Run one step in a mode; check that all that can be read agrees. */
void pair_check(struct pair *p, enum device_mode mode, double most);

/* Open a pair, check all modes and an update, and close it.
 *
 * frozen, train  largest difference with fixed and with batch statistics; a
 *                wrong plan is off by a tensor's whole norm */
void pair_check_model(const char *model, enum dtype precision, double frozen,
    double train, pair_open_fn open);

/* True if there is a GPU; if not, why states the reason. */
int pair_have_gpu(struct error *why);

#endif
