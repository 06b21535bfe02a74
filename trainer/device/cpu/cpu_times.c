/* Times of calls within steps. */
#include <config.h>

#include "trainer/device/cpu/cpu_times.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/process.h"
#include "common/stats/stats.h"

struct cpu_times *
cpu_times_new(int n_ops, int slots)
{
	struct cpu_times *l = xcalloc(1, sizeof *l);

	assert(slots >= 1);
	l->n_ops = n_ops;
	l->slots = slots;
	l->n = (size_t)n_ops * N_CPU_OP_CALLS + N_CPU_CALLS - N_CPU_OP_CALLS;
	l->seconds = xcalloc((size_t)slots * l->n, sizeof *l->seconds);
	return l;
}

void
cpu_times_free(struct cpu_times *l)
{
	if (l == NULL)
		return;
	free(l->seconds);
	free(l);
}

/* Time of a call in a recorded step. */
static double *
time_of(const struct cpu_times *l, long step, int op, enum cpu_call call)
{
	const int first = call < N_CPU_OP_CALLS ? op : l->n_ops - 1;

	return l->seconds + (size_t)(step % l->slots) * l->n +
	    (size_t)first * N_CPU_OP_CALLS + call;
}

void
cpu_times_begin(struct cpu_times *l)
{
	if (l == NULL)
		return;
	memset(time_of(l, l->steps, 0, 0), 0, l->n * sizeof *l->seconds);
	l->active = 1;
	l->begin = l->last = seconds_now();
}

void
cpu_times_leave(struct cpu_times *l)
{
	if (l != NULL)
		l->active = 0;
}

void
cpu_times_start(struct cpu_times *l)
{
	if (l != NULL && l->active)
		l->last = seconds_now();
}

void
cpu_times_add(struct cpu_times *l, int op, enum cpu_call call)
{
	double now;

	if (l == NULL || !l->active)
		return;
	now = seconds_now();
	*time_of(l, l->steps, op, call) += now - l->last;
	l->last = now;
}

void
cpu_times_end(struct cpu_times *l)
{
	if (l == NULL || !l->active)
		return;
	l->active = 0;
	*time_of(l, l->steps++, 0, CPU_CALL_STEP) = seconds_now() - l->begin;
}

int
cpu_times_count(const struct cpu_times *l)
{
	if (l->steps > l->slots)
		return l->slots;
	return l->steps > 1 ? (int)l->steps - 1 : (int)l->steps;
}

double
cpu_times_median(const struct cpu_times *l, int op, enum cpu_call call)
{
	const int n = cpu_times_count(l);
	double *x = xcalloc((size_t)n, sizeof *x);
	double m;

	for (int i = 0; i < n; i++)
		x[i] = *time_of(l, l->steps - n + i, op, call);
	m = stats_median_reorder(x, (size_t)n);
	free(x);
	return m;
}
