/* Which gradients the cpu device needs, how long each value lives, and where
 * it lies. cpu.c calls it once, after cpu_fuse.c. */
#include <config.h>

#include "trainer/device/cpu/cpu.h"

static int
has_parameters(const struct cpu_op *op)
{
	return op->kind == OP_CONV || op->kind == OP_AMX_CONV ||
	    cpu_is_linear(op->kind) || op->kind == OP_NORM;
}

/* ReLU is undone with the help of its result, but by a normalisation, which
 * computes it again or, with a sum, has a bit of it. */
static void
mark_kept(struct cpu *d)
{
	for (int i = 0; i < d->n_ops; i++) {
		const struct cpu_op *op = &d->ops[i];

		d->values[op->out].kept = op->relu && op->kind != OP_NORM;
	}
}

/* Whose gradient must be known: the values after a parameter, and the input
 * if the caller wants it. */
static void
mark_wanted(struct cpu *d)
{
	d->values[0].wanted = d->base.config.input_gradient;
	for (int i = 0; i < d->n_ops; i++) {
		const struct cpu_op *op = &d->ops[i];

		d->values[op->out].wanted = has_parameters(op) ||
		    d->values[op->in[0]].wanted ||
		    (op->in[1] != GRAPH_NONE && d->values[op->in[1]].wanted);
	}
}

static void
plan_forward(struct cpu *d)
{
	for (int i = 0; i < d->n_values; i++)
		d->values[i].buffer = cpu_plan_buffer(d, i);
	memory_plan_use(&d->memory, d->values[0].buffer, 0);
	for (int i = 0; i < d->n_ops; i++) {
		struct cpu_op *op = &d->ops[i];

		op->time_forward = i;
		op->time_backward = 2 * d->n_ops - 1 - i;
		for (int k = 0; k < 2; k++)
			if (op->in[k] != GRAPH_NONE)
				cpu_use_forward(
				    d, op, d->values[op->in[k]].buffer);
		cpu_use_forward(d, op, d->values[op->out].buffer);
	}
}

/* The gradient of op's output has arrived: one buffer, or two that op adds
 * while it reads them. */
static void
take_gradient(struct cpu *d, struct cpu_op *op)
{
	const struct cpu_value *v = &d->values[op->out];

	op->dy = v->grads[0];
	op->dy2 = v->n_grads > 1 ? v->grads[1] : MEMORY_PLAN_NONE;
	cpu_use_backward(d, op, op->dy);
	cpu_use_backward(d, op, op->dy2);
}

void
cpu_plan(struct cpu *d)
{
	struct cpu_value *last;

	mark_wanted(d);
	mark_kept(d);
	plan_forward(d);
	last = &d->values[d->value_of_node[d->base.graph->n_nodes - 1]];
	last->grads[0] = memory_plan_add(&d->memory, "output gradient",
	    last->n * dtype_size(d->base.config.precision));
	last->n_grads = 1;
	/* The loss, between forward and backward, reads and writes these. */
	memory_plan_use(&d->memory, last->buffer, d->n_ops - 1);
	memory_plan_use(&d->memory, last->buffer, d->n_ops);
	memory_plan_use(&d->memory, last->grads[0], d->n_ops - 1);
	memory_plan_use(&d->memory, last->grads[0], d->n_ops);
	for (int i = d->n_ops - 1; i >= 0; i--) {
		struct cpu_op *op = &d->ops[i];

		if (d->values[op->out].wanted)
			take_gradient(d, op);
		cpu_ops[op->kind]->plan(d, op);
	}
	/* What the host may ask for afterwards stays as it is. */
	for (int i = 0; i < d->values[0].n_grads; i++)
		memory_plan_use(
		    &d->memory, d->values[0].grads[i], 2 * d->n_ops - 1);
	memory_plan_use(&d->memory, last->buffer, 2 * d->n_ops - 1);
	memory_plan_arrange(&d->memory);
}
