/* Addresses of a program's tensors on the GPU, copies to and from it, and
 * messages for CUDA's errors. */
#include <config.h>

#include "trainer/device/cuda/gpu/gpu_internal.h"

/* Likely causes of errors for which CUDA's message is not helpful. */
static const struct cause {
	cudaError_t code;
	const char *words;
} causes[] = {
	{ cudaErrorDevicesUnavailable,
	    "another process uses the GPU exclusively, or its compute mode is "
	    "prohibited" },
	{ cudaErrorECCUncorrectable,
	    "the GPU's memory is broken; nvidia-smi -q shows more" },
	{ cudaErrorNvlinkUncorrectable, "the link between GPUs is broken" },
	{ cudaErrorSystemNotReady,
	    "the machine's fabric manager does not run" },
	{ cudaErrorSystemDriverMismatch,
	    "the driver's library and kernel module differ; reboot the "
	    "machine" },
	{ cudaErrorUnknown,
	    "the GPU does not answer any more; dmesg may show why (Xid)" },
	{ cudaErrorLaunchFailure, "a kernel failed; dmesg may show why (Xid)" },
	{ cudaErrorIllegalAddress,
	    "illegal memory access in a kernel: a bug in this program or in "
	    "cuDNN" },
	{ cudaErrorOperatingSystem, "a call of the system failed" },
};

int
gpu_check(cudaError_t s, const char *what, struct error *e)
{
	const char *cause = NULL;

	if (s == cudaSuccess)
		return 0;
	for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
		if (causes[i].code == s)
			cause = causes[i].words;
	return error_set(e, ERROR_SYSTEM, "CUDA: %s: %s%s%s (error %d)", what,
	    cudaGetErrorString(s), cause != NULL ? ": " : "",
	    cause != NULL ? cause : "", (int)s);
}

/* Prefer CUDA's pending error: for a lost GPU cuDNN only reports that something
 * failed. */
int
gpu_check_cudnn(cudnnStatus_t s, const char *what, struct error *e)
{
	char words[512] = "";
	cudaError_t cuda;

	if (s == CUDNN_STATUS_SUCCESS)
		return 0;
	cuda = cudaPeekAtLastError();
	if (cuda != cudaSuccess)
		return gpu_check(cuda, what, e);
	cudnn.last_error_string(words, sizeof words);
	return error_set(e, ERROR_SYSTEM, "cuDNN: %s: %s%s%.500s", what,
	    cudnn.error_string(s), words[0] != '\0' ? ": " : "", words);
}

void *
gpu_at(const struct gpu *g, int tensor)
{
	if (tensor == MEMORY_PLAN_NONE)
		return NULL;
	return g->block + g->base.program->memory.buffers[tensor].offset;
}

float *
gpu_param(const struct gpu *g, enum area a, int i)
{
	return g->areas[a] + g->base.program->graph->params[i].offset;
}

void *
gpu_weight(const struct gpu *g, const struct call *c, int grad)
{
	const int i = c->node->weight;
	const struct program_weight *w = &g->base.program->weights[i];

	if (w->in_place)
		return gpu_param(g, grad ? AREA_GRADS : AREA_PARAMS, i);
	return (grad ? g->work_grad : g->work) +
	    w->offset * dtype_size(g->base.program->config.type);
}

struct norm_vectors
gpu_vectors(const struct gpu *g, int norm)
{
	const struct norm *n = &g->base.program->norms[norm];
	const struct buffer *buffers = g->base.program->graph->buffers;
	float *v = g->vectors + n->offset, *running = g->areas[AREA_BUFFERS];

	return (struct norm_vectors){ .sum = v + NORM_SUM * n->stride,
		.squares = v + NORM_SQUARES * n->stride,
		.mean = v + NORM_MEAN * n->stride,
		.invstd = v + NORM_INVSTD * n->stride,
		.scale = v + NORM_SCALE * n->stride,
		.shift = v + NORM_SHIFT * n->stride,
		.gamma = gpu_param(g, AREA_PARAMS, n->node->weight),
		.beta = gpu_param(g, AREA_PARAMS, n->node->bias),
		.running_mean = running + buffers[n->node->mean].offset,
		.running_var = running + buffers[n->node->var].offset,
		.count = n->count };
}

int
gpu_copy_host(struct gpu *g, void *at, void *host, size_t bytes, int write,
    struct error *e)
{
	const char *what = write ? "write" : "read";

	if (gpu_check(
		cudaMemcpyAsync(write ? at : host, write ? host : at, bytes,
		    write ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
		    g->stream),
		what, e) != 0)
		return -1;
	return gpu_check(cudaStreamSynchronize(g->stream), what, e);
}
