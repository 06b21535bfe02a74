/* A second stream of a GPU, for calls that are made alongside others: the
 * gradients of weights.  What such a call reads stays until it is joined: that
 * is planned (program.h).  In a captured step the second stream is forked from
 * the first one by events, and joined by the last CALL_JOIN. */
#include <config.h>

#include "trainer/device/cuda/gpu/gpu_internal.h"

struct cudnn_target *
gpu_target(struct gpu *g, const struct call *c)
{
	return c->alongside ? &g->alongside.target : g->target;
}

static int
create_event(cudaEvent_t *out, struct error *e)
{
	return gpu_check(
	    cudaEventCreateWithFlags(out, cudaEventDisableTiming), "event", e);
}

int
gpu_open_alongside(struct gpu *g, struct error *e)
{
	struct gpu_alongside *a = &g->alongside;

	if (!g->base.program->config.alongside)
		return 0;
	if (gpu_check(
		cudaStreamCreateWithFlags(&a->stream, cudaStreamNonBlocking),
		"stream", e) != 0 ||
	    create_event(&a->begin, e) != 0 ||
	    create_event(&a->groups[0], e) != 0 ||
	    create_event(&a->groups[1], e) != 0 ||
	    gpu_check_cudnn(cudnnCreate(&a->target.handle), "start", e) != 0)
		return -1;
	return gpu_check_cudnn(
	    cudnnSetStream(a->target.handle, g->stream), "stream", e);
}

int
gpu_move_alongside(struct gpu *g, struct error *e)
{
	const struct gpu_alongside *a = &g->alongside;

	if (a->stream == NULL)
		return 0;
	return gpu_check_cudnn(
	    cudnnSetStream(a->target.handle, a->stream), "stream", e);
}

void
gpu_close_alongside(struct gpu *g)
{
	struct gpu_alongside *a = &g->alongside;
	cudaEvent_t const events[3] = { a->begin, a->groups[0], a->groups[1] };

	for (int i = 0; i < 3; i++)
		if (events[i] != NULL)
			(void)cudaEventDestroy(events[i]);
	if (a->target.handle != NULL)
		cudnnDestroy(a->target.handle);
	(void)cudaFree(a->workspace);
	if (a->stream != NULL)
		(void)cudaStreamDestroy(a->stream);
}

int
gpu_begin_alongside(struct gpu *g, struct error *e)
{
	const struct gpu_alongside *a = &g->alongside;

	if (gpu_check(cudaEventRecord(a->begin, g->stream), "event", e) != 0)
		return -1;
	return gpu_check(
	    cudaStreamWaitEvent(a->stream, a->begin, 0), "event", e);
}

/* The next group begins before this one is joined, so there are two events;
 * the one after that does not. */
int
gpu_end_alongside(struct gpu *g, const struct call *c, struct error *e)
{
	const struct gpu_alongside *a = &g->alongside;

	if (c->kind != CALL_WEIGHT_OUT)
		return 0;
	return gpu_check(
	    cudaEventRecord(a->groups[c->group % 2], a->stream), "event", e);
}

int
gpu_join(struct gpu *g, const struct call *c, struct error *e)
{
	const struct gpu_alongside *a = &g->alongside;

	return gpu_check(
	    cudaStreamWaitEvent(g->stream, a->groups[c->group % 2], 0), "event",
	    e);
}
