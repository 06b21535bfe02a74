/* A model on a device, with its initial weights.
 *
 *	struct network_config c = { .model = "resnet50", .classes = 1000,
 *	    .image = 224, .seed = 1, .device = { .device = "cpu",
 *	    .precision = DTYPE_BF16, .batch = 16 } };
 *	struct network n;
 *	if (network_open(&c, &n, &e) != 0)
 *		return -1;
 *	... device_forward(n.device, ...) ...
 *	network_close(&n);
 */
#ifndef TRAINER_DEVICE_NETWORK_H
#define TRAINER_DEVICE_NETWORK_H

#include "common/error.h"
#include "trainer/device/device.h"
#include "trainer/graph/graph.h"

struct network_config {
	const char *model;       /* "resnet50" */
	int classes, image;      /* image 0: default of the model */
	unsigned long long seed; /* of the weights; equal on all ranks */
	struct device_config device;
};

struct network {
	struct graph graph;
	struct device *device;
};

/* Build the graph, open the device, initialise. The device points to the graph
 * in n: do not copy n while it is open. */
int network_open(
    const struct network_config *c, struct network *n, struct error *e);

/* Set parameters and buffers to the seed's initial values, momenta to zero. */
int network_init(struct network *n, unsigned long long seed, struct error *e);

/* Free all. */
void network_close(struct network *n);

#endif
