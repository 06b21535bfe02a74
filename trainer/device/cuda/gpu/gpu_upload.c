/* Images to the GPU: pinned memory, the copy stream, and the kernel that makes
 * the network's input of them. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "trainer/device/cuda/gpu/gpu_internal.h"

static int
create_event(cudaEvent_t *out, unsigned flags, struct error *e)
{
	return gpu_check(cudaEventCreateWithFlags(out, flags), "event", e);
}

/* Who waits for a step gives the CPU to those who make images. */
static int
create_events(struct gpu *g, struct gpu_slot *s, struct error *e)
{
	const unsigned waited = cudaEventDisableTiming | cudaEventBlockingSync;

	if (create_event(&s->done, waited, e) != 0 ||
	    create_event(&s->loaded, cudaEventDisableTiming, e) != 0)
		return -1;
	if (!g->base.config->time_phases)
		return 0;
	for (int i = 0; i < N_MARKS; i++)
		if (create_event(&s->marks[i], cudaEventDefault, e) != 0)
			return -1;
	for (int i = 0; i < 2; i++)
		if (create_event(&s->copy[i], cudaEventDefault, e) != 0)
			return -1;
	return 0;
}

static int
open_slot(struct gpu *g, struct gpu_slot *s, struct error *e)
{
	void *numbers = NULL;

	if (create_events(g, s, e) != 0 ||
	    gpu_check(cudaHostAlloc(
			  &s->pinned, g->pinned_bytes, cudaHostAllocDefault),
		"pinned memory", e) != 0 ||
	    gpu_check(cudaHostAlloc(
			  &numbers, sizeof *s->numbers, cudaHostAllocDefault),
		"pinned memory", e) != 0)
		return -1;
	s->numbers = numbers;
	memset(s->numbers, 0, sizeof *s->numbers);
	return 0;
}

int
gpu_open_slots(struct gpu *g, struct error *e)
{
	const struct gpu_program *p = g->base.program;
	const size_t image = shape_size(p->graph->nodes[0].out) * sizeof(float);

	g->pinned_bytes = (size_t)p->config.batch * (image + sizeof(int32_t));
	if (gpu_check(
		cudaStreamCreateWithFlags(&g->copies, cudaStreamNonBlocking),
		"stream", e) != 0)
		return -1;
	for (int i = 0; i < EXECUTOR_SLOTS; i++)
		if (open_slot(g, &g->slots[i], e) != 0)
			return -1;
	return 0;
}

static void
destroy_event(cudaEvent_t event)
{
	if (event != NULL)
		(void)cudaEventDestroy(event);
}

void
gpu_close_slots(struct gpu *g)
{
	if (g->copies != NULL)
		(void)cudaStreamSynchronize(g->copies);
	for (int k = 0; k < EXECUTOR_SLOTS; k++) {
		struct gpu_slot *s = &g->slots[k];

		destroy_event(s->done);
		destroy_event(s->loaded);
		for (int i = 0; i < N_MARKS; i++)
			destroy_event(s->marks[i]);
		destroy_event(s->copy[0]);
		destroy_event(s->copy[1]);
		(void)cudaFree(s->images);
		(void)cudaFree(s->labels);
		(void)cudaFree(s->mirror);
		(void)cudaFreeHost(s->pinned);
		(void)cudaFreeHost(s->numbers);
	}
	if (g->copies != NULL)
		(void)cudaStreamDestroy(g->copies);
}

/* Wait until no step reads the slot.  All that was queued so far has done
 * with the other slots, when the stream comes to here. */
static int
empty_slot(struct gpu *g, int slot, struct error *e)
{
	for (int i = 0; i < EXECUTOR_SLOTS; i++)
		if (i != slot &&
		    gpu_check(cudaEventRecord(g->slots[i].done, g->stream),
			"load", e) != 0)
			return -1;
	if (gpu_check(cudaEventSynchronize(g->slots[slot].done), "load", e) !=
	    0)
		return -1;
	g->slots[slot].numbers_read = 0;
	return gpu_count_phases(g, slot, e);
}

static int
copy_in(struct gpu *g, void *to, const void *from, size_t n, struct error *e)
{
	return gpu_check(
	    cudaMemcpyAsync(to, from, n, cudaMemcpyHostToDevice, g->copies),
	    "images", e);
}

/* Labels and what is to be turned lie after the images; turned images are
 * bytes, so there is room. */
static int
copy_rest(struct gpu *g, struct gpu_slot *s, const struct images *im,
    const int32_t *labels, struct error *e)
{
	const size_t n = (size_t)im->n, extra = n * sizeof *labels;
	char *last = (char *)s->pinned + g->pinned_bytes - extra;

	if (labels != NULL) {
		memcpy(last, labels, extra);
		if (copy_in(g, s->labels, last, extra, e) != 0)
			return -1;
	}
	if (im->mirror == NULL)
		return 0;
	memcpy(last - n, im->mirror, n);
	return copy_in(g, s->mirror, last - n, n, e);
}

/* The images go through pinned memory, alongside what the GPU does; the stream
 * waits for them.  Those that stay where they are until the step after the next
 * begins, when this one is done (see empty_slot()), are read from there. */
int
gpu_load(struct executor *m, int slot, const struct images *im,
    const int32_t *labels, struct error *e)
{
	struct gpu *g = gpu(m);
	struct gpu_slot *s = &g->slots[slot];
	const size_t bytes = (size_t)im->n * dtype_size(im->type) *
	    shape_size(m->program->graph->nodes[0].out);
	const void *from = im->held >= EXECUTOR_SLOTS ? im->data : s->pinned;

	if (empty_slot(g, slot, e) != 0)
		return -1;
	if (from == s->pinned)
		memcpy(s->pinned, im->data, bytes);
	if (s->copy[0] != NULL &&
	    gpu_check(cudaEventRecord(s->copy[0], g->copies), "load", e) != 0)
		return -1;
	if (copy_in(g, s->images, from, bytes, e) != 0 ||
	    copy_rest(g, s, im, labels, e) != 0)
		return -1;
	if (s->copy[1] != NULL &&
	    gpu_check(cudaEventRecord(s->copy[1], g->copies), "load", e) != 0)
		return -1;
	if (gpu_check(cudaEventRecord(s->loaded, g->copies), "load", e) != 0)
		return -1;
	return gpu_check(
	    cudaStreamWaitEvent(g->stream, s->loaded, 0), "load", e);
}

/* A step that runs call by call may still read the numbers before: then other
 * ones wait for it.  That is so in a step whose learning rate is new. */
void
gpu_set(struct executor *m, int slot, const struct executor_numbers *numbers)
{
	struct gpu *g = gpu(m);
	struct gpu_slot *s = &g->slots[slot];

	if (memcmp(s->numbers, numbers, sizeof *numbers) == 0)
		return;
	if (s->numbers_read)
		(void)cudaStreamSynchronize(g->stream);
	s->numbers_read = 0;
	*s->numbers = *numbers;
}

int
gpu_send_numbers(struct gpu *g, int slot, struct error *e)
{
	struct gpu_slot *s = &g->slots[slot];

	s->numbers_read = 1;
	return gpu_check(
	    cudaMemcpyAsync(g->numbers, s->numbers, sizeof *s->numbers,
		cudaMemcpyHostToDevice, g->stream),
	    "numbers", e);
}

int
gpu_take(struct executor *m, int slot, const struct executor_input *in,
    struct error *e)
{
	struct gpu *g = gpu(m);
	const struct gpu_program *p = m->program;
	const struct shape own = p->graph->nodes[0].out;

	if (gpu_send_numbers(g, slot, e) != 0)
		return -1;
	kernel_load(g->stream, in->type, in->order == IMAGES_NHWC,
	    g->slots[slot].images, in->mirror ? g->slots[slot].mirror : NULL,
	    own.w, in->n, p->config.batch, own.c, own.h * own.w,
	    p->tensors[p->input].shape.c, p->config.type, gpu_at(g, p->input));
	return gpu_check(cudaGetLastError(), "load", e);
}
