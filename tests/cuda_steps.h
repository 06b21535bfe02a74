/* Runs of a few steps on a cuda device, compared with each other byte for byte,
 * on the CPU (tests/cuda_host.h) and on a GPU.
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

/* What the host does in a step: it gets a callback for each gradient; it reads
 * the loss before the backward pass; its images are channels-last. */
enum { HOST_LOOKS_ON = 1, HOST_READS = 2, OTHER_ORDER = 4 };

/* A pair_open_fn that opens the cuda device. */
int steps_open_cuda(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e);

/* model  as for pair_open() */
void steps_open(struct run *r, const char *model, int step_graph,
    enum dtype precision, pair_open_fn open);
void steps_close(struct run *r);

/* Train one step with its own images. */
void steps_train(struct run *r, double lr, int how);

/* The loss of n images, without training. */
double steps_evaluate(struct run *r, int n);

/* Check that all weights and momenta of two runs are the same bytes. */
void steps_same(struct run *a, struct run *b);

/* Check that the last n losses of both are equal and change at each step. */
void steps_same_losses(struct run *a, struct run *b, int n);

enum { STEPS_COMPARED = 7 };

/* Compare STEPS_COMPARED steps, call by call on one device and captured on
 * another, with a changing learning rate and a validation in the middle.
 *
 * how  [STEPS_COMPARED] what the host does in each step of the second */
void steps_compare(const int *how, enum dtype precision, pair_open_fn open);

/* Check that forgetting captured steps in the middle changes nothing. */
void steps_forget(pair_open_fn open);

/* Check that a captured step with overflowing gradients keeps the weights. */
void steps_overflow(pair_open_fn open);

/* Check that another device continues bit for bit from the weights, momenta,
 * buffers and loss scale of one in fp16; fp32 has no scale. */
void steps_go_on(pair_open_fn open);

/* True if the device's description contains these words. */
int steps_says(struct run *r, const char *words);

#endif
