/* Find a GPU and its libraries, check them, and create the executor with its
 * memory. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/device/cuda/cuda_checks.h"
#include "trainer/device/cuda/gpu/gpu_internal.h"

enum {
	WORKSPACE_MIB = 2048,
	WORKSPACE_LEAST_MIB = 64, /* more than the usual engines need */
	WANTED_BY_BATCH = 12      /* first that grows with the batch */
};

static void
gpu_release(void *ctx)
{
	struct gpu_context *k = ctx;

	if (k == NULL)
		return;
	if (k->target.handle != NULL)
		cudnn.destroy(k->target.handle);
	engine_cache_release(&k->engines);
	free(k->engine_file);
	engine_cache_release(&k->answers);
	free(k);
}

/* Check that there are a compatible driver and a GPU. */
static int
find_gpu(const struct device_config *c, struct error *e)
{
	int n = 0, driver = 0;
	cudaError_t rc;

	(void)cudaDriverGetVersion(&driver);
	if (driver == 0)
		return error_set(e, ERROR_SYSTEM,
		    "device 'cuda': no NVIDIA driver on this machine");
	rc = cudaGetDeviceCount(&n);
	if (rc == cudaErrorInsufficientDriver)
		return error_set(e, ERROR_SYSTEM,
		    "device 'cuda': the NVIDIA driver is too old: it is for "
		    "CUDA %d.%d, this program for CUDA %d.%d",
		    driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
		    CUDART_VERSION % 1000 / 10);
	if (rc != cudaSuccess || n == 0)
		return error_set(e, ERROR_SYSTEM,
		    "device 'cuda': no GPU (driver for CUDA %d.%d): %s",
		    driver / 1000, driver % 1000 / 10, cudaGetErrorString(rc));
	if (c->gpu >= n)
		return error_set(e, ERROR_SYSTEM,
		    "device 'cuda': no GPU number %d, there %s %d; processes "
		    "can share one by --gpus=0,0",
		    c->gpu, n == 1 ? "is" : "are", n);
	return gpu_check(cudaSetDevice(c->gpu), "GPU", e);
}

/* Check that the GPU supports the precision and this program's kernels. */
static int
check_gpu(const struct device_config *c, struct error *e)
{
	struct cudaDeviceProp p;
	cudaError_t rc;

	if (gpu_check(cudaGetDeviceProperties(&p, c->gpu), "GPU", e) != 0 ||
	    checks_precision(c->precision, 10 * p.major + p.minor, p.name, e) !=
		0)
		return -1;
	rc = kernel_check();
	if (rc == cudaErrorNoKernelImageForDevice ||
	    rc == cudaErrorInvalidDeviceFunction ||
	    rc == cudaErrorUnsupportedPtxVersion)
		return error_set(e, ERROR_SYSTEM,
		    "device 'cuda': this program was not compiled for GPU "
		    "'%s' (compute capability %d.%d); configure "
		    "--with-cuda-arch=%d%d does that",
		    p.name, p.major, p.minor, p.major, p.minor);
	return gpu_check(rc, "kernels", e);
}

static int
gpu_probe(const struct device_config *c, void **ctx, struct error *e)
{
	struct gpu_context *k;

	if (find_gpu(c, e) != 0)
		return -1;
	if (cudnn_library_open(e) != 0)
		return error_prefix(e, "device 'cuda'");
	if (check_gpu(c, e) != 0)
		return -1;
	k = xcalloc(1, sizeof *k);
	if (gpu_check_cudnn(cudnn.create(&k->target.handle), "start", e) != 0 ||
	    gpu_read_engines(k, c, e) != 0) {
		gpu_release(k);
		return -1;
	}
	*ctx = k;
	return 0;
}

/* Allocate device memory and clear it. */
static int
allocate_cleared(
    struct gpu *g, void *to, size_t bytes, const char *what, struct error *e)
{
	void *p = NULL;
	size_t left = 0, all = 0;
	const cudaError_t rc = cudaMalloc(&p, bytes > 0 ? bytes : 1);

	if (rc == cudaErrorMemoryAllocation) {
		(void)cudaGetLastError();
		(void)cudaMemGetInfo(&left, &all);
		return checks_allocation(
		    what, (double)bytes, (double)left, (double)all, e);
	}
	if (gpu_check(rc, what, e) != 0)
		return -1;
	memcpy(to, &p, sizeof p);
	g->base.bytes += bytes;
	return gpu_check(cudaMemsetAsync(p, 0, bytes, g->stream), what, e);
}

static size_t
most_channels(const struct graph *g)
{
	int most = 1;

	for (int i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].out.c > most)
			most = g->nodes[i].out.c;
	return (size_t)most;
}

/* Allocate everything but the workspace. First check that all of it and a
 * minimal workspace fit, so that the error can name a batch that fits, and that
 * the host has the memory that will be pinned. */
static int
allocate_all(struct gpu *g, struct error *e)
{
	const struct gpu_program *p = g->base.program;
	const struct graph *graph = p->graph;
	const size_t arena = graph->arena_size * sizeof(float);
	const size_t buffers = graph->buffers_size * sizeof(float);
	const size_t batch = (size_t)p->config.batch;
	const size_t images =
	    batch * shape_size(graph->nodes[0].out) * sizeof(float);
	const size_t work = p->n_work * dtype_size(p->config.type);
	const size_t scratch =
	    kernel_scratch(most_channels(graph)) * sizeof(float);
	const struct {
		void *to;
		size_t bytes;
		const char *what;
	} wanted[] = {
		{ &g->areas[AREA_PARAMS], arena, "weights" },
		{ &g->areas[AREA_GRADS], arena, "gradients" },
		{ &g->areas[AREA_MOMENTA], arena, "momenta" },
		{ &g->areas[AREA_BUFFERS], buffers, "statistics" },
		{ &g->work, work, "working weights" },
		{ &g->work_grad, work, "working gradients" },
		{ &g->vectors, p->n_vectors * sizeof(float), "statistics" },
		{ &g->scratch, scratch, "scratch" },
		{ &g->numbers, sizeof *g->numbers, "parameters" },
		{ &g->scale, sizeof *g->scale, "loss scale" },
		{ &g->found, sizeof *g->found, "losses" },
		{ &g->pieces, (size_t)p->n_pieces * sizeof *g->pieces,
		    "weights" },
		/* The following are proportional to the batch. */
		{ &g->block, p->memory.bytes, "activations" },
		{ &g->slots[0].images, images, "images" },
		{ &g->slots[1].images, images, "images" },
		{ &g->slots[0].mirror, batch, "images" },
		{ &g->slots[1].mirror, batch, "images" },
		{ &g->slots[0].labels, batch * sizeof(int32_t), "labels" },
		{ &g->slots[1].labels, batch * sizeof(int32_t), "labels" },
		{ &g->losses, batch * sizeof *g->losses, "losses" },
	};
	const int n_wanted = sizeof wanted / sizeof wanted[0];
	struct gpu_needs n = { .fixed = (double)(WORKSPACE_LEAST_MIB << 20) };
	size_t left = 0, all = 0;

	for (int i = 0; i < n_wanted; i++)
		if (i < WANTED_BY_BATCH)
			n.fixed += (double)wanted[i].bytes;
		else
			n.per_image +=
			    (double)wanted[i].bytes / p->config.batch;
	if (device_check_memory(g->base.config, 2 * images, e) != 0 ||
	    gpu_check(cudaMemGetInfo(&left, &all), "memory", e) != 0 ||
	    checks_memory(p->config.batch, &n, (double)left, (double)all, e) !=
		0)
		return -1;
	for (int i = 0; i < n_wanted; i++)
		if (allocate_cleared(g, wanted[i].to, wanted[i].bytes,
			wanted[i].what, e) != 0)
			return -1;
	return gpu_open_slots(g, e);
}

static int
gpu_open(void *ctx, const struct gpu_program *p, const struct device_config *c,
    struct executor **out, struct error *e)
{
	struct gpu *g = xcalloc(1, sizeof *g);
	struct gpu_context *k = ctx;
	const int dynamic = p->config.type == DTYPE_FP16;
	const float scale = dynamic ? LOSS_SCALE_START : 1;
	struct loss_scale start = {
		.scale = scale, .used = scale, .dynamic = dynamic
	};

	k->plan_again = 0;
	g->base.ops = &gpu_ops;
	g->base.program = p;
	g->base.config = c;
	g->context = k;
	g->target = &k->target;
	g->workspace_limit_mib = WORKSPACE_MIB;
	if (gpu_check(
		cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking),
		"stream", e) != 0 ||
	    gpu_check_cudnn(cudnn.set_stream(g->target->handle, g->stream),
		"stream", e) != 0 ||
	    allocate_all(g, e) != 0 ||
	    gpu_copy_host(g, g->scale, &start, sizeof start, 1, e) != 0 ||
	    gpu_copy_host(g, g->pieces, p->pieces,
		(size_t)p->n_pieces * sizeof *g->pieces, 1, e) != 0 ||
	    gpu_prepare_convs(g, e) != 0 ||
	    allocate_cleared(
		g, &g->workspace, g->workspace_bytes, "workspace", e) != 0 ||
	    gpu_bind_convs(g, e) != 0) {
		gpu_close(&g->base);
		return k->plan_again ? 1 : -1;
	}
	for (int i = 0; i < 3; i++)
		g->base.arenas[i] = g->areas[i];
	*out = &g->base;
	return 0;
}

const struct executor_kind gpu_kind = {
	.probe = gpu_probe,
	.supports = gpu_supports,
	.open = gpu_open,
	.release = gpu_release,
};
