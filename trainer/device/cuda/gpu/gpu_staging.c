/* Copy a GPU's gradients through pinned memory, with a stream for each
 * direction next to the computing one. */
#include <config.h>

#include "trainer/device/host_staging.h"

#include <stdlib.h>

#include "common/alloc.h"
#include "trainer/device/cuda/gpu/gpu_internal.h"

struct staging_cuda {
	struct host_staging base;
	char *arena; /* on the GPU */
	int device;  /* CUDA's number; each thread selects its device */
	cudaStream_t compute, out, in;
	cudaEvent_t ready, all_in;
	cudaEvent_t *is_out; /* [n] */
	int n;
};

static struct staging_cuda *
to_staging(struct host_staging *s)
{
	return (struct staging_cuda *)s;
}

static void
gpu_staging_close(struct host_staging *base)
{
	struct staging_cuda *s = to_staging(base);

	if (s->out != NULL)
		(void)cudaStreamSynchronize(s->out);
	if (s->in != NULL)
		(void)cudaStreamSynchronize(s->in);
	for (int i = 0; i < s->n; i++)
		if (s->is_out[i] != NULL)
			(void)cudaEventDestroy(s->is_out[i]);
	if (s->ready != NULL)
		(void)cudaEventDestroy(s->ready);
	if (s->all_in != NULL)
		(void)cudaEventDestroy(s->all_in);
	if (s->out != NULL)
		(void)cudaStreamDestroy(s->out);
	if (s->in != NULL)
		(void)cudaStreamDestroy(s->in);
	if (base->host != NULL)
		(void)cudaFreeHost(base->host);
	free(s->is_out);
	free(s);
}

static int
make_stream(cudaStream_t *out, struct error *e)
{
	int least = 0, greatest = 0;

	(void)cudaDeviceGetStreamPriorityRange(&least, &greatest);
	return gpu_check(
	    cudaStreamCreateWithPriority(out, cudaStreamNonBlocking, greatest),
	    "stream of gradients", e);
}

/* Create an event for which threads wait asleep. */
static int
make_event(cudaEvent_t *out, struct error *e)
{
	return gpu_check(cudaEventCreateWithFlags(out,
			     cudaEventDisableTiming | cudaEventBlockingSync),
	    "event of gradients", e);
}

static int
make_all(struct staging_cuda *s, size_t bytes, struct error *e)
{
	void *host = NULL;

	if (gpu_check(cudaGetDevice(&s->device), "device", e) != 0 ||
	    make_stream(&s->out, e) != 0 || make_stream(&s->in, e) != 0 ||
	    make_event(&s->ready, e) != 0 || make_event(&s->all_in, e) != 0)
		return -1;
	for (int i = 0; i < s->n; i++)
		if (make_event(&s->is_out[i], e) != 0)
			return -1;
	if (gpu_check(cudaHostAlloc(&host, bytes, cudaHostAllocDefault),
		"pinned memory for gradients", e) != 0)
		return -1;
	s->base.host = host;
	return 0;
}

static int
gpu_staging_open(
    struct device *d, int n, struct host_staging **out, struct error *e)
{
	const struct device_arena arena = device_arena(d, TENSOR_GRAD);
	struct staging_cuda *s = xcalloc(1, sizeof *s);

	s->n = n;
	s->is_out = xcalloc((size_t)n + 1, sizeof *s->is_out);
	s->arena = arena.data;
	s->compute = device_stream(d);
	if (s->compute == NULL)
		error_set(e, ERROR_SYSTEM,
		    "device '%s' has no stream for gradient allreduces",
		    d->ops->name);
	if (s->compute == NULL ||
	    make_all(s, arena.n * dtype_size(arena.type), e) != 0) {
		gpu_staging_close(&s->base);
		return -1;
	}
	*out = &s->base;
	return 0;
}

static int
gpu_staging_out(struct host_staging *base, int piece, size_t at, size_t bytes,
    struct error *e)
{
	struct staging_cuda *s = to_staging(base);

	if (gpu_check(cudaEventRecord(s->ready, s->compute), "gradients", e) !=
		0 ||
	    gpu_check(
		cudaStreamWaitEvent(s->out, s->ready, 0), "gradients", e) != 0)
		return -1;
	if (gpu_check(cudaMemcpyAsync(base->host + at, s->arena + at, bytes,
			  cudaMemcpyDeviceToHost, s->out),
		"gradients to the host", e) != 0)
		return -1;
	return gpu_check(
	    cudaEventRecord(s->is_out[piece], s->out), "gradients", e);
}

static int
gpu_staging_wait(struct host_staging *base, int piece, struct error *e)
{
	struct staging_cuda *s = to_staging(base);

	if (gpu_check(cudaSetDevice(s->device), "device", e) != 0)
		return -1;
	return gpu_check(
	    cudaEventSynchronize(s->is_out[piece]), "gradients to the host", e);
}

static int
gpu_staging_in(struct host_staging *base, int piece, size_t at, size_t bytes,
    struct error *e)
{
	struct staging_cuda *s = to_staging(base);

	(void)piece;
	return gpu_check(cudaMemcpyAsync(s->arena + at, base->host + at, bytes,
			     cudaMemcpyHostToDevice, s->in),
	    "gradients to the GPU", e);
}

static int
gpu_staging_join(struct host_staging *base, struct error *e)
{
	struct staging_cuda *s = to_staging(base);

	if (gpu_check(cudaEventRecord(s->all_in, s->in), "gradients", e) != 0)
		return -1;
	return gpu_check(
	    cudaStreamWaitEvent(s->compute, s->all_in, 0), "gradients", e);
}

const struct host_staging_ops staging_cuda = {
	.open = gpu_staging_open,
	.out = gpu_staging_out,
	.wait = gpu_staging_wait,
	.in = gpu_staging_in,
	.join = gpu_staging_join,
	.close = gpu_staging_close,
};
