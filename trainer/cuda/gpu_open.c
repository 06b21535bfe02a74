#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/cuda/gpu.h"
#include "trainer/device_list.h"

enum {
	CUDNN_MIN = 90800, /* graphs that are described, fused gradients */
	WORKSPACE_MIB = 2048
};

static void
gpu_release(void *ctx)
{
	struct cudnn_target *t = ctx;

	if (t == NULL)
		return;
	if (t->handle != NULL)
		cudnnDestroy(t->handle);
	free(t);
}

static int
gpu_probe(const struct device_config *c, void **ctx, struct error *e)
{
	struct cudnn_target *t;
	int n = 0, driver = 0;
	cudaError_t rc;

	(void)cudaDriverGetVersion(&driver);
	if (driver == 0)
		return error_set(e, ERROR_SYSTEM,
		    "device 'cuda': no NVIDIA driver on this machine");
	rc = cudaGetDeviceCount(&n);
	if (rc != cudaSuccess || n == 0)
		return error_set(e, ERROR_SYSTEM,
		    "device 'cuda': no GPU (driver for CUDA %d.%d): %s",
		    driver / 1000, driver % 1000 / 10, cudaGetErrorString(rc));
	if (cudnnGetVersion() < CUDNN_MIN)
		return error_set(e, ERROR_SYSTEM,
		    "device 'cuda': cuDNN %zu is older than %d",
		    cudnnGetVersion(), (int)CUDNN_MIN);
	if (c->gpu >= n)
		return error_set(e, ERROR_SYSTEM,
		    "device 'cuda': no GPU number %d, there %s %d; processes "
		    "that share one are told so, --gpus=0,0",
		    c->gpu, n == 1 ? "is" : "are", n);
	if (gpu_check(cudaSetDevice(c->gpu), "GPU", e) != 0)
		return -1;
	t = xcalloc(1, sizeof *t);
	if (gpu_check_cudnn(cudnnCreate(&t->handle), "start", e) != 0) {
		free(t);
		return -1;
	}
	*ctx = t;
	return 0;
}

static int
gpu_supports(void *ctx, const struct program *p, const struct call *c)
{
	/* What the pre-made engines fuse is fp16 only. */
	return p->config.type == DTYPE_FP16 && cudnn_supports(ctx, p, c);
}

/* Device memory, cleared. */
static int
allocate(
    struct gpu *g, void *to, size_t bytes, const char *what, struct error *e)
{
	void *p = NULL;
	size_t left = 0, all = 0;
	const cudaError_t rc = cudaMalloc(&p, bytes > 0 ? bytes : 1);

	if (rc == cudaErrorMemoryAllocation) {
		(void)cudaGetLastError();
		(void)cudaMemGetInfo(&left, &all);
		return error_set(e, ERROR_SYSTEM,
		    "not enough memory on the GPU: %s need %.1f MiB, %.1f of "
		    "%.1f MiB are free; a smaller batch needs less",
		    what, (double)bytes / 1048576, (double)left / 1048576,
		    (double)all / 1048576);
	}
	if (gpu_check(rc, what, e) != 0)
		return -1;
	memcpy(to, &p, sizeof p);
	g->base.bytes += bytes;
	return gpu_check(cudaMemsetAsync(p, 0, bytes, g->stream), what, e);
}

static int
largest_channels(const struct graph *g)
{
	int most = 1;

	for (int i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].out.c > most)
			most = g->nodes[i].out.c;
	return most;
}

static int
allocate_all(struct gpu *g, struct error *e)
{
	const struct program *p = g->base.program;
	const struct graph *graph = p->graph;
	const size_t arena = graph->arena_size * sizeof(float);
	const size_t batch = (size_t)p->config.batch;
	const size_t image = shape_size(graph->nodes[0].out) * sizeof(float);
	const size_t work = p->n_work * dtype_size(p->config.type);
	size_t buffers = 0;
	const struct {
		void *to;
		size_t bytes;
		const char *what;
	} wanted[] = {
		{ &g->areas[AREA_PARAMS], arena, "weights" },
		{ &g->areas[AREA_GRADS], arena, "gradients" },
		{ &g->areas[AREA_MOMENTA], arena, "momenta" },
		{ &g->work, work, "working weights" },
		{ &g->work_grad, work, "working gradients" },
		{ &g->vectors, p->n_vectors * sizeof(float), "statistics" },
		{ &g->half_vectors, p->n_vectors * 2, "statistics" },
		{ &g->block, p->memory.bytes, "activations" },
		{ &g->scratch,
		    kernel_scratch((size_t)largest_channels(graph)) *
			sizeof(float),
		    "scratch" },
		{ &g->slots[0].images, batch * image, "images" },
		{ &g->slots[1].images, batch * image, "images" },
		{ &g->slots[0].labels, batch * sizeof(int32_t), "labels" },
		{ &g->slots[1].labels, batch * sizeof(int32_t), "labels" },
		{ &g->numbers, sizeof *g->numbers, "parameters" },
		{ &g->scale, sizeof *g->scale, "loss scale" },
		{ &g->losses, batch * sizeof *g->losses, "losses" },
		{ &g->found, sizeof *g->found, "losses" },
	};

	for (int i = 0; i < graph->n_buffers; i++)
		buffers += graph->buffers[i].n;
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
		if (allocate(g, wanted[i].to, wanted[i].bytes, wanted[i].what,
			e) != 0)
			return -1;
	if (allocate(g, &g->areas[AREA_BUFFERS], buffers * sizeof(float),
		"statistics", e) != 0)
		return -1;
	return gpu_open_slots(g, e);
}

/* All plans, then the workspace that the greediest needs, then the addresses.
 */
static int
prepare_convs(struct gpu *g, struct error *e)
{
	if (gpu_prepare_convs(g, e) != 0 ||
	    allocate(g, &g->workspace, g->workspace_bytes, "workspace", e) != 0)
		return -1;
	return gpu_bind_convs(g, e);
}

static int
start_scale(struct gpu *g, struct error *e)
{
	const int dynamic = g->base.program->config.type == DTYPE_FP16;
	const float scale = dynamic ? LOSS_SCALE_START : 1;
	const struct loss_scale s = {
		.scale = scale, .used = scale, .dynamic = dynamic
	};

	return gpu_copy_in(g, g->scale, &s, sizeof s, e);
}

static int
gpu_open(void *ctx, const struct program *p, const struct device_config *c,
    struct machine **out, struct error *e)
{
	struct gpu *g = xcalloc(1, sizeof *g);

	g->base.ops = &gpu_ops;
	g->base.program = p;
	g->base.config = c;
	g->target = ctx;
	g->workspace_limit_mib = WORKSPACE_MIB;
	if (gpu_check(
		cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking),
		"stream", e) != 0 ||
	    gpu_check_cudnn(cudnnSetStream(g->target->handle, g->stream),
		"stream", e) != 0 ||
	    allocate_all(g, e) != 0 || start_scale(g, e) != 0 ||
	    prepare_convs(g, e) != 0) {
		gpu_close(&g->base);
		return -1;
	}
	for (int i = 0; i < 3; i++)
		g->base.arenas[i] = g->areas[i];
	*out = &g->base;
	return 0;
}

static const struct machine_kind gpu_kind = {
	.name = "cuda",
	.probe = gpu_probe,
	.supports = gpu_supports,
	.open = gpu_open,
	.release = gpu_release,
};

static int
cuda_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e)
{
	static struct device_ops ops;

	ops = cuda_device_functions;
	ops.name = device_cuda.name;
	ops.summary = device_cuda.summary;
	ops.precisions = device_cuda.precisions;
	ops.stage = &stage_cuda;
	return cuda_open_on(&gpu_kind, &ops, g, c, out, e);
}

const struct device_ops device_cuda = {
	.name = "cuda",
	.summary = "NVIDIA GPUs through cuDNN",
	.precisions = 1u << DTYPE_FP32 | 1u << DTYPE_TF32 | 1u << DTYPE_FP16 |
	    1u << DTYPE_BF16,
	.on_host = 0,
	.open = cuda_open,
};
