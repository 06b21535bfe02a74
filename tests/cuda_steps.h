/* Runs of some steps on a cuda device, to compare two of them byte for byte: on
 * the CPU (tests/cuda_host.h) and on a GPU.
 */
#ifndef TESTS_CUDA_STEPS_H
#define TESTS_CUDA_STEPS_H

#include "tests/device_pair.h"

struct run {
	struct network n;
	float *images;
	int32_t labels[BATCH];
	long steps;
};

/* What the host does in a step: it wants to know of each gradient; it reads the
 * loss before the backward pass; its images are channels last. */
enum { HOST_LOOKS_ON = 1, HOST_READS = 2, OTHER_ORDER = 4 };

/* A pair_open_fn: the cuda device. */
int steps_open_cuda(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e);

/* model  as for pair_open() */
void steps_open(struct run *r, const char *model, int step_graph,
    enum dtype precision, pair_open_fn open);
void steps_close(struct run *r);

/* One step of training, with its own images. */
void steps_train(struct run *r, double lr, int how);

/* The loss of n images, without training. */
double steps_evaluate(struct run *r, int n);

/* All weights and momenta of two runs are the same bytes. */
void steps_same(struct run *a, struct run *b);

/* The last n losses of both are the same, and no two alike. */
void steps_same_losses(struct run *a, struct run *b, int n);

enum { STEPS_COMPARED = 7 };

/* So many steps, call by call on one device, captured on another, with a
 * learning rate that changes and a validation in the middle: all the same.
 *
 * how  [STEPS_COMPARED] what the host does in each step of the second */
void steps_compare(const int *how, enum dtype precision, pair_open_fn open);

/* Captured steps that are forgotten in the middle change nothing. */
void steps_forget(pair_open_fn open);

/* A captured step whose gradients overflow leaves the weights as they are. */
void steps_overflow(pair_open_fn open);

/* Another device goes on from weights, momenta, buffers and the loss scale of
 * one in fp16, bit for bit; fp32 has no scale. */
void steps_go_on(pair_open_fn open);

/* Does the device's description hold these words? */
int steps_says(struct run *r, const char *words);

#endif
