/* A network on the reference device in fp64 and the same on another device:
 * steps on both, everything that can be read compared.
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

/* The graph of a model that pair_open() knows. */
void pair_graph(const char *model, struct graph *g);

/* Open both with the same weights and statistics.
 *
 * model  "small", a residual network of all that a large one has, with enough
 *        pixels for statistics; "plain", one with biases, dropout and linear
 *        layers of several pixels; "wide", a residual network that fused
 *        engines take; "biased", VGG's parts; "large", one of few layers of
        many pixels; or a model's name, at 32 pixels, or 224 if
 *        @224 follows
 * open   opens the second */
void pair_open(
    struct pair *p, const char *model, enum dtype precision, pair_open_fn open);
void pair_close(struct pair *p);

/* Load noise, go forward and, but for MODE_EVAL, backward. */
void pair_run(struct device *d, enum device_mode mode, struct loss_result *r);

/* The first n tensors of a kind differ by at most that much of their norm. */
void pair_compare(const struct pair *p, enum tensor_kind k, int n, double most);

/* Bytes, some of them to be turned, twice; the outputs must agree. */
void pair_check_bytes(struct pair *p, double most);

/* One step in a mode; all that can be read must agree. */
void pair_check(struct pair *p, enum device_mode mode, double most);

/* Open, all modes, an update, close.
 *
 * frozen, train  what is allowed with fixed and with batch statistics; a wrong
 *                plan is off by a tensor's whole norm */
void pair_check_model(const char *model, enum dtype precision, double frozen,
    double train, pair_open_fn open);

/* True if there is a GPU; if not, why states the reason. */
int pair_have_gpu(struct error *why);

#endif
