/* Linear layers of few images by our own kernels, which need no copies of the
 * weights. cpu_fuse.c chooses them. */
#include <config.h>

#include "trainer/device/cpu/cpu.h"

#ifdef HAVE_AMX_FLAGS

#include <stdlib.h>

#include "common/alloc.h"
#include "trainer/device/cpu/kernels/linear.h"

/* A layer of which the node does not know whether a ReLU follows. */
struct own_linear {
	struct linear shape;
	const struct linear_kernels *kernels;
};

static struct linear
shape_of_linear(const struct cpu *d, const struct node *n)
{
	const size_t weights = d->base.graph->params[n->weight].n;

	return (struct linear){ .batch = d->base.config.batch,
		.in = (int)(weights / (size_t)n->out.c),
		.out = n->out.c,
		.threads = d->base.config.threads,
		.past = weights * sizeof(float) > CPU_CACHED_BYTES };
}

int
cpu_linear_is_own(const struct cpu *d, const struct node *n)
{
	const int bf16 = d->base.config.precision == DTYPE_BF16;
	const struct linear l = shape_of_linear(d, n);

	return d->isa >= (bf16 ? ISA_AVX512_BF16 : ISA_AVX512) &&
	    linear_suits(&l);
}

static int
own_linear_prepare(struct cpu *d, struct cpu_op *op, struct error *e)
{
	struct own_linear *l = xcalloc(1, sizeof *l);

	(void)e;
	l->shape = shape_of_linear(d, op->node);
	l->shape.relu = op->relu;
	l->kernels = d->base.config.precision == DTYPE_BF16 ? &linear_bf16
							    : &linear_fp32;
	cpu_need_space(
	    d, linear_thread_bytes(&l->shape), linear_shared_bytes(&l->shape));
	op->own = l;
	return 0;
}

static int
own_linear_forward(struct cpu *d, struct cpu_op *op, struct error *e)
{
	const struct own_linear *l = op->own;

	(void)e;
	l->kernels->forward(&l->shape, cpu_at(d, op->in[0]),
	    cpu_param(d, op->node->weight), cpu_param(d, op->node->bias),
	    cpu_at(d, op->out), d->values[op->out].type == DTYPE_FP32);
	return 0;
}

static int
own_linear_backward(struct cpu *d, struct cpu_op *op, struct error *e)
{
	const struct own_linear *l = op->own;
	const int i = (int)(op - d->ops);

	(void)e;
	if (op->relu) {
		cpu_relu_back(d, op);
		cpu_times_add(d->times, i, CPU_CALL_RELU_BACK);
	}
	l->kernels->weights(&l->shape, cpu_at(d, op->in[0]),
	    cpu_buffer(d, op->dy), d->shared_space,
	    cpu_grad(d, op->node->weight), cpu_grad(d, op->node->bias));
	cpu_times_add(d->times, i, CPU_CALL_WEIGHT);
	if (op->dx[0] == MEMORY_PLAN_NONE)
		return 0;
	l->kernels->data(&l->shape, cpu_buffer(d, op->dy),
	    cpu_param(d, op->node->weight), cpu_buffer(d, op->dx[0]),
	    d->thread_space, d->thread_bytes);
	cpu_times_add(d->times, i, CPU_CALL_DATA);
	return 0;
}

/* Weights are read in fp32 and not copied. */
static void
own_linear_work(
    const struct cpu_op *op, enum cpu_call call, struct call_row *row)
{
	const struct own_linear *l = op->own;
	const double weights = (double)l->shape.in * l->shape.out;

	if (call == CPU_CALL_WEIGHT_COPY || call == CPU_CALL_WEIGHT_OUT)
		row->bytes = 0;
	if (l->kernels == &linear_bf16 && row->bytes > 0 &&
	    (call == CPU_CALL_FORWARD || call == CPU_CALL_DATA))
		row->bytes += (sizeof(float) - sizeof(uint16_t)) * weights;
}

static void
own_linear_describe(const struct cpu_op *op, struct strbuf *out)
{
	const struct own_linear *l = op->own;

	strbuf_printf(out, "own, weights as they are%s%s",
	    l->shape.past ? ", gradient past the caches" : "",
	    l->shape.relu ? ", + ReLU" : "");
}

static void
own_linear_release(struct cpu_op *op)
{
	free(op->own);
}

const struct cpu_op_kind_ops cpu_own_linear_ops = {
	.name = "linear",
	.plan = cpu_plan_product,
	.prepare = own_linear_prepare,
	.forward = own_linear_forward,
	.backward = own_linear_backward,
	.work = own_linear_work,
	.describe = own_linear_describe,
	.release = own_linear_release,
};

#else

int
cpu_linear_is_own(const struct cpu *d, const struct node *n)
{
	(void)d;
	(void)n;
	return 0;
}

#endif
