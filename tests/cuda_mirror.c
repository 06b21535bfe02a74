#include <config.h>

#include "tests/cuda_mirror.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "tests/cuda_host.h"
#include "tests/cuda_host_calls.h"
#include "tests/tap.h"
#include "trainer/base/tensor.h"
#include "trainer/device/cuda/gpu/gpu_internal.h"

double mirror_most, mirror_worst;
int mirror_calls, mirror_fused;

static struct executor *host;
static struct executor_ops mirrored;

/* Read a tensor of the GPU as floats. The caller frees it. */
static float *
read_floats(struct executor *m, int tensor, struct error *e)
{
	const struct tensor *t = &m->program->tensors[tensor];
	char *raw = xcalloc(t->n, sizeof(float));
	float *x = xcalloc(t->n, sizeof *x);

	CHECK_INT(gpu_ops.copy_tensor(m, tensor, raw, 0, e), 0);
	for (size_t i = 0; i < t->n; i++) {
		const uint16_t half = t->type == DTYPE_U8
		    ? 0
		    : ((const uint16_t *)(void *)raw)[i];

		if (t->type == DTYPE_U8)
			x[i] = ((const unsigned char *)raw)[i];
		else if (t->type == DTYPE_FP32)
			x[i] = ((const float *)(void *)raw)[i];
		else
			x[i] = t->type == DTYPE_FP16 ? fp16_to_float(half)
						     : bf16_to_float(half);
	}
	free(raw);
	return x;
}

/* Read the vectors of all normalisations. */
static void
read_vectors(struct executor *m, float *out, struct error *e)
{
	struct gpu *g = (struct gpu *)m;

	CHECK_INT(gpu_copy_host(g, g->vectors, out,
		      m->program->n_vectors * sizeof *out, 0, e),
	    0);
}

/* Copy all that call c may read from the GPU to the host. */
static void
copy_inputs(struct executor *m, const struct call *c, struct error *e)
{
	struct host *h = (struct host *)host;
	const struct graph *g = m->program->graph;
	size_t buffers = 0;

	for (int i = 0; i < g->n_buffers; i++)
		buffers += g->buffers[i].n;
	CHECK_INT(gpu_ops.copy(m, AREA_PARAMS, 0, g->arena_size,
		      h->areas[AREA_PARAMS], 0, e),
	    0);
	CHECK_INT(gpu_ops.copy(m, AREA_GRADS, 0, g->arena_size,
		      h->areas[AREA_GRADS], 0, e),
	    0);
	CHECK_INT(gpu_ops.copy(m, AREA_BUFFERS, 0, buffers,
		      h->areas[AREA_BUFFERS], 0, e),
	    0);
	read_vectors(m, h->vectors, e);
	CHECK_INT(host->ops->refresh(host, e), 0);
	for (int k = 0; k < CALL_IN; k++) {
		const struct tensor *t = &m->program->tensors[c->in[k]];
		float *x;

		if (c->in[k] == MEMORY_PLAN_NONE)
			continue;
		x = read_floats(m, c->in[k], e);
		for (size_t i = 0; i < t->n; i++) {
			if (t->type == DTYPE_U8)
				((unsigned char *)host_at(h, c->in[k]))[i] =
				    (unsigned char)x[i];
			else
				host_at(h, c->in[k])[i] = x[i];
		}
		free(x);
	}
}

/* The norm of the difference over the norm of b. */
static double
distance(const float *a, const float *b, size_t n)
{
	double off = 0, all = 0;

	for (size_t i = 0; i < n; i++) {
		off += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
		all += (double)b[i] * b[i];
	}
	return all > 0 || off > 0 ? sqrt(off / (all > 0 ? all : 1e-30)) : 0;
}

static void
check_distance(const struct call *c, const char *what, double off)
{
	mirror_worst = fmax(mirror_worst, off);
	if (!(off <= mirror_most))
		printf("# %s %s, %s: off by %.3g\n", call_kind_name(c->kind),
		    c->node->name, what, off);
	CHECK(off <= mirror_most);
}

/* Positions may differ where two values of a window are nearly equal. */
static void
check_places(struct host *h, const struct call *c, int tensor, const float *x)
{
	const size_t n = h->base.program->tensors[tensor].n;
	size_t off = 0;

	for (size_t i = 0; i < n; i++)
		off += (unsigned char)x[i] !=
		    ((const unsigned char *)host_at(h, tensor))[i];
	check_distance(c, "places", (double)off / (double)n);
}

static void
check_tensors(struct executor *m, const struct call *c, struct error *e)
{
	struct host *h = (struct host *)host;

	for (int k = 0; k < CALL_OUT; k++) {
		const int tensor = c->out[k];
		float *x;

		if (tensor == MEMORY_PLAN_NONE)
			continue;
		x = read_floats(m, tensor, e);
		if (m->program->tensors[tensor].type == DTYPE_U8)
			check_places(h, c, tensor, x);
		else
			check_distance(c, k == 0 ? "first" : "second",
			    distance(x, host_at(h, tensor),
				m->program->tensors[tensor].n));
		free(x);
	}
}

/* Check the vectors that the call computes, sums or derived from sums. */
static void
check_vectors(struct executor *m, const struct call *c, struct error *e)
{
	const struct host *h = (const struct host *)host;
	const int finishes =
	    c->kind == CALL_NORM_FINISH || c->kind == CALL_NORM_APPLY;
	float *x;

	if (c->kind != CALL_CONV && c->kind != CALL_NORM_SUMS && !finishes)
		return;
	x = xcalloc(m->program->n_vectors, sizeof *x);
	read_vectors(m, x, e);
	for (int i = 0; i < CALL_NORMS && c->norm[i] >= 0; i++) {
		const struct norm *v = &m->program->norms[c->norm[i]];

		for (int k = finishes ? NORM_MEAN : NORM_SUM;
		     k <= (finishes ? NORM_SHIFT : NORM_SQUARES); k++) {
			const size_t at = v->offset + (size_t)k * v->stride;

			check_distance(c, "vectors",
			    distance(x + at, h->vectors + at,
				(size_t)v->node->out.c));
		}
	}
	free(x);
}

/* Check each parameter's gradient: the call's own, and all others, which must
 * be unchanged. */
static void
check_grads(struct executor *m, const struct call *c, struct error *e)
{
	const struct host *h = (const struct host *)host;
	const struct graph *g = m->program->graph;
	float *x = xcalloc(g->arena_size, sizeof *x);

	CHECK_INT(gpu_ops.copy(m, AREA_GRADS, 0, g->arena_size, x, 0, e), 0);
	for (int i = 0; i < g->n_params; i++) {
		const struct param *p = &g->params[i];

		check_distance(c, "gradient",
		    distance(
			x + p->offset, h->areas[AREA_GRADS] + p->offset, p->n));
	}
	free(x);
}

static int
run_twice(struct executor *m, const struct call *c, enum device_mode mode,
    struct error *e)
{
	copy_inputs(m, c, e);
	if (gpu_ops.run(m, c, mode, e) != 0 ||
	    host->ops->run(host, c, mode, e) != 0)
		return -1;
	check_tensors(m, c, e);
	check_vectors(m, c, e);
	check_grads(m, c, e);
	mirror_calls++;
	mirror_fused += call_is_fused(c);
	return 0;
}

static void
close_both(struct executor *m)
{
	host->ops->close(host);
	gpu_ops.close(m);
}

static int
open_both(void *ctx, const struct gpu_program *p, const struct device_config *c,
    struct executor **out, struct error *e)
{
	if (gpu_kind.open(ctx, p, c, out, e) != 0)
		return -1;
	mirrored = gpu_ops;
	mirrored.run = run_twice;
	mirrored.close = close_both;
	(*out)->ops = &mirrored;
	return host_machine.open(NULL, p, c, &host, e);
}

int
mirror_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e)
{
	static struct executor_kind kind;
	static struct device_ops ops;
	struct device_config own = *c;

	kind = gpu_kind;
	kind.open = open_both;
	ops = cuda_device_functions;
	ops.name = "cuda";
	ops.precisions = 1u << DTYPE_FP32 | 1u << DTYPE_FP16 | 1u << DTYPE_BF16;
	own.device = "cuda";
	own.step_graph = 0;
	own.engine_guess = 1; /* a trial would take most of the time */
	mirror_calls = mirror_fused = 0;
	mirror_worst = 0;
	return cuda_open_on(&kind, &ops, g, &own, out, e);
}
