/* Opens a graph and a device and sets the initial weights. */
#include <config.h>

#include "trainer/device/network.h"

#include <stdlib.h>

#include "common/alloc.h"
#include "trainer/graph/model.h"

static size_t
largest_tensor(const struct graph *g)
{
	size_t most = 1;

	for (int i = 0; i < g->n_params; i++)
		if (g->params[i].n > most)
			most = g->params[i].n;
	for (int i = 0; i < g->n_buffers; i++)
		if (g->buffers[i].n > most)
			most = g->buffers[i].n;
	return most;
}

static int
init_buffers(struct network *n, float *values, struct error *e)
{
	for (int i = 0; i < n->graph.n_buffers; i++) {
		const struct buffer *b = &n->graph.buffers[i];

		for (size_t k = 0; k < b->n; k++)
			values[k] = (float)b->start;
		if (device_write(n->device, TENSOR_BUFFER, i, DTYPE_FP32,
			values, e) != 0)
			return -1;
	}
	return 0;
}

static int
init_params(
    struct network *n, unsigned long long seed, float *values, struct error *e)
{
	for (int i = 0; i < n->graph.n_params; i++) {
		graph_init_param(&n->graph, i, seed, values);
		if (device_write(
			n->device, TENSOR_PARAM, i, DTYPE_FP32, values, e) != 0)
			return -1;
		for (size_t k = 0; k < n->graph.params[i].n; k++)
			values[k] = 0;
		if (device_write(n->device, TENSOR_MOMENTUM, i, DTYPE_FP32,
			values, e) != 0)
			return -1;
	}
	return 0;
}

int
network_init(struct network *n, unsigned long long seed, struct error *e)
{
	float *values = xcalloc(largest_tensor(&n->graph), sizeof *values);
	int rc = init_params(n, seed, values, e);

	if (rc == 0)
		rc = init_buffers(n, values, e);
	free(values);
	return rc;
}

int
network_open(const struct network_config *c, struct network *n, struct error *e)
{
	const struct model *m = model_find(c->model, e);
	int image;

	n->device = NULL;
	if (m == NULL)
		return -1;
	image = c->image > 0 ? c->image : m->default_image;
	if (graph_build(m, c->classes, image, &n->graph, e) != 0)
		return -1;
	if (device_open(&n->graph, &c->device, &n->device, e) != 0) {
		graph_release(&n->graph);
		return -1;
	}
	if (network_init(n, c->seed, e) != 0) {
		network_close(n);
		return -1;
	}
	return 0;
}

void
network_close(struct network *n)
{
	device_close(n->device);
	n->device = NULL;
	graph_release(&n->graph);
}
