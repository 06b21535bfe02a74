/* Time each call of a step by itself (--profile). The weights are garbage
 * afterwards. */
#include <config.h>

#include "trainer/device/cuda/call_times.h"

#include <assert.h>

#include "common/process.h"

static double
conv_weights(const struct conv_shape *s)
{
	return (double)s->k * s->c * s->kernel * s->kernel;
}

/* Operations of a call, two per multiply-add; 0 unless it is a convolution. */
static double
call_flop(const struct gpu_program *p, const struct call *c)
{
	if (!call_is_conv(c))
		return 0;
	return 2.0 * p->config.batch * c->conv.p * c->conv.q *
	    conv_weights(&c->conv);
}

static double
tensor_bytes(const struct gpu_program *p, int tensor)
{
	if (tensor == MEMORY_PLAN_NONE)
		return 0;
	return (double)p->tensors[tensor].n *
	    (double)dtype_size(p->tensors[tensor].type);
}

/* Bytes of the tensors and weights that a call reads and writes, each counted
 * once. */
static double
call_bytes(const struct gpu_program *p, const struct call *c)
{
	const double element = (double)dtype_size(p->config.type);
	double sum = 0;

	for (int i = 0; i < CALL_IN; i++)
		sum += tensor_bytes(p, c->in[i]);
	for (int i = 0; i < CALL_OUT; i++)
		sum += tensor_bytes(p, c->out[i]);
	if (call_is_conv(c))
		sum += element * conv_weights(&c->conv);
	for (int i = 0; i < c->n_pieces; i++)
		sum += (element + sizeof(float)) *
		    (double)p->pieces[c->first + i].n;
	return sum;
}

/* Bytes of a part that is not a call. STEP_TAKE: a batch of images (element:
 * bytes of each of their elements). STEP_LOSS: logits and their gradients.
 * STEP_UPDATE: reads and writes weights and momenta, reads gradients and writes
 * working weights. */
static double
part_bytes(const struct gpu_program *p, int part, size_t element)
{
	if (part == STEP_TAKE)
		return tensor_bytes(p, p->input) +
		    (double)p->config.batch *
		    (double)shape_size(p->graph->nodes[0].out) *
		    (double)element;
	if (part == STEP_LOSS)
		return tensor_bytes(p, p->output) +
		    tensor_bytes(p, p->output_grad);
	return 5.0 * sizeof(float) * (double)p->graph->arena_size +
	    (double)p->n_work * (double)dtype_size(p->config.type);
}

struct call_row
call_row_of(const struct gpu_program *p, int part, size_t element)
{
	static const char *const names[] = { "take", "loss", "update" };
	const struct call *c;

	if (part < 0)
		return (struct call_row){ .index = part,
			.kind = N_CALL_KINDS + part - STEP_TAKE,
			.kind_name = names[part - STEP_TAKE],
			.node = "-",
			.bytes = part_bytes(p, part, element) };
	c = &p->calls[part];
	return (struct call_row){ .index = part,
		.kind = (int)c->kind,
		.kind_name = call_kind_name(c->kind),
		.node = c->node != NULL ? c->node->name : "-",
		.fused = call_is_fused(c),
		.flop = call_flop(p, c),
		.bytes = call_bytes(p, c) };
}

static int
start_part(struct executor *m, int slot, const struct executor_input *in,
    int part, struct error *e)
{
	const struct executor_step train = { .mode = MODE_TRAIN };

	switch (part) {
	case STEP_TAKE:
		return m->ops->take(m, slot, in, e);
	case STEP_LOSS:
		return m->ops->loss(m, slot, in->n, 1, e);
	case STEP_UPDATE:
		return m->ops->update(m, slot, e);
	default:
		return m->ops->run(m, &m->program->calls[part], &train, e);
	}
}

int
times_measure(struct executor *m, int slot, const struct executor_input *in,
    int repeats, struct strbuf *out, struct error *e)
{
	assert(repeats >= 1);
	for (int part = STEP_TAKE; part < m->program->n_calls; part++) {
		struct call_row row =
		    call_row_of(m->program, part, dtype_size(in->type));
		double start = 0;

		for (int i = -1; i < repeats; i++) { /* -1: warm-up */
			if (i == 0 && m->ops->sync(m, e) != 0)
				return -1;
			if (i == 0)
				start = seconds_now();
			if (start_part(m, slot, in, part, e) != 0)
				return -1;
		}
		if (m->ops->sync(m, e) != 0)
			return -1;
		row.seconds = (seconds_now() - start) / repeats;
		call_row_show(&row, out);
	}
	return 0;
}
