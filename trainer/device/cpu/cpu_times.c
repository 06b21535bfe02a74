/* Times of calls within steps. cpu.c and the operations that make more than one
 * call report when a call is done; cpu_profile.c reads the medians. */
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
	l->step_s = xcalloc((size_t)slots, sizeof *l->step_s);
	return l;
}

void
cpu_times_free(struct cpu_times *l)
{
	if (l == NULL)
		return;
	free(l->seconds);
	free(l->step_s);
	free(l);
}

static double *
step_slot(const struct cpu_times *l, long step)
{
	return l->seconds + (size_t)(step % l->slots) * l->n;
}

static size_t
call_place(const struct cpu_times *l, int op, enum cpu_call call)
{
	if (call < N_CPU_OP_CALLS)
		return (size_t)op * N_CPU_OP_CALLS + call;
	return (size_t)l->n_ops * N_CPU_OP_CALLS + call - N_CPU_OP_CALLS;
}

void
cpu_times_begin(struct cpu_times *l)
{
	if (l == NULL)
		return;
	memset(step_slot(l, l->steps), 0, l->n * sizeof *l->seconds);
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
	step_slot(l, l->steps)[call_place(l, op, call)] += now - l->last;
	l->last = now;
}

void
cpu_times_end(struct cpu_times *l)
{
	if (l == NULL || !l->active)
		return;
	l->active = 0;
	l->step_s[l->steps++ % l->slots] = seconds_now() - l->begin;
}

int
cpu_times_count(const struct cpu_times *l)
{
	if (l->steps > l->slots)
		return l->slots;
	return l->steps > 1 ? (int)l->steps - 1 : (int)l->steps;
}

/* The median of every stride-th number of each step that is kept. */
static double
kept_median(const struct cpu_times *l, const double *first, size_t stride)
{
	const int n = cpu_times_count(l);
	double *x = xcalloc((size_t)n, sizeof *x);
	double m;

	for (int i = 0; i < n; i++)
		x[i] = first[(size_t)((l->steps - n + i) % l->slots) * stride];
	m = stats_median_reorder(x, (size_t)n);
	free(x);
	return m;
}

double
cpu_times_median(const struct cpu_times *l, int op, enum cpu_call call)
{
	return kept_median(l, l->seconds + call_place(l, op, call), l->n);
}

double
cpu_times_step(const struct cpu_times *l)
{
	return kept_median(l, l->step_s, 1);
}
