/* When steps, and the parts of a step, begin and end. */
#include <config.h>

#include "trainer/device/cuda/gpu/gpu_internal.h"

/* In a captured step an event is recorded by a node of the graph, each time it
 * runs; without the flag it would only order the capture. */
int
gpu_mark(struct executor *m, int slot, enum executor_mark k, struct error *e)
{
	struct gpu *g = gpu(m);
	struct gpu_slot *s = &g->slots[slot];

	if (s->marks[k] == NULL)
		return 0;
	s->marked = k == MARK_END && !g->capturing;
	return gpu_check(cudaEventRecordWithFlags(s->marks[k], g->stream,
			     g->capturing ? cudaEventRecordExternal
					  : cudaEventRecordDefault),
	    "event", e);
}

static int
add_between(struct device_times *t, enum device_phase k, cudaEvent_t from,
    cudaEvent_t to, struct error *e)
{
	float ms = 0;

	if (gpu_check(cudaEventElapsedTime(&ms, from, to), "event", e) != 0)
		return -1;
	t->seconds[k] += 1e-3 * (double)ms;
	return 0;
}

int
gpu_count_phases(struct gpu *g, int slot, struct error *e)
{
	static const enum device_phase ends[N_MARKS] = {
		[MARK_TAKEN] = DEVICE_TO_DEVICE,
		[MARK_FORWARD] = DEVICE_FORWARD,
		[MARK_LOSS] = DEVICE_LOSS,
		[MARK_BACKWARD] = DEVICE_BACKWARD,
		[MARK_SUMMED] = DEVICE_ALLREDUCE,
		[MARK_END] = DEVICE_UPDATE,
	};
	struct gpu_slot *s = &g->slots[slot];

	if (!s->marked || s->marks[0] == NULL)
		return 0;
	s->marked = 0;
	for (int i = 1; i < N_MARKS; i++)
		if (add_between(&g->times, ends[i], s->marks[i - 1],
			s->marks[i], e) != 0)
			return -1;
	g->times.steps++;
	return add_between(&g->times, DEVICE_COPY, s->copy[0], s->copy[1], e);
}

int
gpu_phases(struct executor *m, struct device_times *t, struct error *e)
{
	struct gpu *g = gpu(m);

	if (gpu_check(cudaStreamSynchronize(g->stream), "wait", e) != 0)
		return -1;
	for (int i = 0; i < EXECUTOR_SLOTS; i++)
		if (gpu_count_phases(g, i, e) != 0)
			return -1;
	*t = g->times;
	g->times = (struct device_times){ .steps = 0 };
	return 0;
}

static cudaEvent_t *
tick_at(struct gpu *g, long i)
{
	return &g->ticks[i % (DEVICE_RESULTS + 1)];
}

int
gpu_tick(struct executor *m, struct error *e)
{
	struct gpu *g = gpu(m);
	cudaEvent_t *tick = tick_at(g, g->n_ticks++);

	if (*tick == NULL && gpu_check(cudaEventCreate(tick), "event", e) != 0)
		return -1;
	return gpu_check(cudaEventRecord(*tick, g->stream), "event", e);
}

int
gpu_between_ticks(struct executor *m, double *seconds, int n, struct error *e)
{
	struct gpu *g = gpu(m);

	if (gpu_check(cudaEventSynchronize(*tick_at(g, g->n_ticks - 1)),
		"event", e) != 0)
		return -1;
	for (int i = 0; i < n; i++) {
		const long to = g->n_ticks - n + i;
		float ms = 0;

		if (gpu_check(cudaEventElapsedTime(
				  &ms, *tick_at(g, to - 1), *tick_at(g, to)),
			"event", e) != 0)
			return -1;
		seconds[i] = 1e-3 * (double)ms;
	}
	return 0;
}
