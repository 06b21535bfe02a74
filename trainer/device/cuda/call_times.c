/* Each kernel call of a step, timed by itself (--profile). It drives the
 * executor past the step queue; the weights are of no use afterwards. */
#include <config.h>

#include "trainer/device/cuda/call_times.h"

#include <assert.h>

#include "common/process.h"

static double
conv_weights(const struct conv_shape *s)
{
	return (double)s->k * s->c * s->kernel * s->kernel;
}

double
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

double
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

/* A part of a step: a call, or what is after the last. */
enum { PART_TAKE = -3, PART_LOSS = -2, PART_UPDATE = -1 };

static int
start_part(struct step_queue *s, int part, struct error *e)
{
	const struct executor_step train = { .mode = MODE_TRAIN };
	struct executor *m = s->executor;

	switch (part) {
	case PART_TAKE:
		return m->ops->take(m, s->slot, &s->input, e);
	case PART_LOSS:
		return m->ops->loss(m, s->slot, s->input.n, 1, e);
	case PART_UPDATE:
		return m->ops->update(m, s->slot, e);
	default:
		return m->ops->run(m, &m->program->calls[part], &train, e);
	}
}

/* Seconds of one. */
static int
measure_part(
    struct step_queue *s, int part, int repeats, double *out, struct error *e)
{
	double start = 0;

	for (int i = -1; i < repeats; i++) {
		if (i == 0 && s->executor->ops->sync(s->executor, e) != 0)
			return -1;
		if (i == 0)
			start = seconds_now();
		if (start_part(s, part, e) != 0)
			return -1;
	}
	if (s->executor->ops->sync(s->executor, e) != 0)
		return -1;
	*out = (seconds_now() - start) / repeats;
	return 0;
}

double
call_take_bytes(const struct gpu_program *p, size_t element)
{
	return tensor_bytes(p, p->input) +
	    (double)p->config.batch *
	    (double)shape_size(p->graph->nodes[0].out) * (double)element;
}

double
call_loss_bytes(const struct gpu_program *p)
{
	return tensor_bytes(p, p->output) + tensor_bytes(p, p->output_grad);
}

double
call_update_bytes(const struct gpu_program *p)
{
	return 5.0 * sizeof(float) * (double)p->graph->arena_size +
	    (double)p->n_work * (double)dtype_size(p->config.type);
}

static double
part_bytes(const struct step_queue *s, int part)
{
	const struct gpu_program *p = s->executor->program;

	if (part == PART_TAKE)
		return call_take_bytes(p, dtype_size(s->input.type));
	return part == PART_LOSS ? call_loss_bytes(p) : call_update_bytes(p);
}

struct call_row
call_row_of(const struct gpu_program *p, int i)
{
	const struct call *c = &p->calls[i];

	return (struct call_row){ .index = i,
		.kind = (int)c->kind,
		.kind_name = call_kind_name(c->kind),
		.node = c->node != NULL ? c->node->name : "-",
		.fused = call_is_fused(c),
		.flop = call_flop(p, c),
		.bytes = call_bytes(p, c) };
}

static void
print_part(
    const struct step_queue *s, int part, double seconds, struct strbuf *out)
{
	static const char *const names[] = { "take", "loss", "update" };
	struct call_row row = { .index = part, .node = "-" };

	if (part >= 0) {
		row = call_row_of(s->executor->program, part);
	} else {
		row.kind_name = names[part - PART_TAKE];
		row.bytes = part_bytes(s, part);
	}
	row.seconds = seconds;
	call_row_show(&row, NULL, out);
}

int
times_measure(
    struct step_queue *s, int repeats, struct strbuf *out, struct error *e)
{
	const int n = s->executor->program->n_calls;

	assert(repeats >= 1);
	if (step_queue_flush(s, e) != 0)
		return -1;
	for (int part = PART_TAKE; part < n; part++) {
		double seconds;

		if (measure_part(s, part, repeats, &seconds, e) != 0)
			return -1;
		print_part(s, part, seconds, out);
	}
	return 0;
}
