/* Addresses of values, parameters and gradients of the cpu device, and requests
 * for memory during planning. */
#include <config.h>

#include "trainer/device/cpu/cpu.h"

#include <assert.h>
#include <string.h>

#include "trainer/base/parallel.h"

int
cpu_plan_buffer(struct cpu *d, int v)
{
	const struct cpu_value *value = &d->values[v];

	return memory_plan_add(&d->memory, value->n * dtype_size(value->type));
}

void
cpu_use_forward(struct cpu *d, const struct cpu_op *op, int b)
{
	memory_plan_use(&d->memory, b, op->time_forward);
}

void
cpu_use_backward(struct cpu *d, const struct cpu_op *op, int b)
{
	memory_plan_use(&d->memory, b, op->time_backward);
}

void
cpu_plan_dx(struct cpu *d, struct cpu_op *op, int i, int buffer)
{
	struct cpu_value *v = &d->values[op->in[i]];

	op->dx[i] = buffer;
	cpu_use_backward(d, op, buffer);
	if (v->n_grads < 2) {
		v->grads[v->n_grads++] = buffer;
		return;
	}
	/* Third reader: merge its gradient into the first one. */
	op->merges[op->n_merges++] =
	    (struct cpu_merge){ buffer, v->grads[0], v->n };
	cpu_use_backward(d, op, v->grads[0]);
}

void *
cpu_buffer(const struct cpu *d, int buffer)
{
	return memory_plan_at(&d->memory, buffer);
}

void *
cpu_at(const struct cpu *d, int value)
{
	return memory_plan_at(&d->memory, d->values[value].buffer);
}

float *
cpu_param(const struct cpu *d, int i)
{
	return i == GRAPH_NONE ? NULL
			       : d->params + d->base.graph->params[i].offset;
}

float *
cpu_grad(const struct cpu *d, int i)
{
	return i == GRAPH_NONE ? NULL
			       : d->grads + d->base.graph->params[i].offset;
}

size_t
cpu_panel_index(
    const struct cpu *d, const struct cpu_value *v, int image, int block)
{
	if (d->amx)
		return (size_t)block * (size_t)d->base.config.batch +
		    (size_t)image;
	return (size_t)image * (size_t)v->blocks + (size_t)block;
}

struct cpu_sums *
cpu_sums_begin(struct cpu *d, int value)
{
	struct cpu_sums *s = d->values[value].sums;
	const size_t threads = (size_t)d->base.config.threads;

	if (s == NULL || d->mode != MODE_TRAIN)
		return NULL;
	memcpy(s->pivot, s->mean, (size_t)s->channels * sizeof *s->pivot);
	memset(s->sums, 0, threads * (size_t)s->padded * 2 * sizeof *s->sums);
	return s;
}

float *
cpu_sums_part(const struct cpu_sums *s)
{
	const size_t n = 2 * (size_t)s->padded;
	float *part = s->part + (size_t)parallel_thread() * n;

	memset(part, 0, n * sizeof *part);
	return part;
}

void
cpu_sums_add(const struct cpu *d, struct cpu_sums *s, int first, int blocks)
{
	const size_t thread = (size_t)parallel_thread();
	const size_t block = (size_t)d->block;
	const float *part = s->part + thread * 2 * (size_t)s->padded;
	double *to =
	    s->sums + (thread * (size_t)s->padded + (size_t)first * block) * 2;

	for (int b = 0; b < blocks; b++, part += 2 * block, to += 2 * block)
		for (size_t c = 0; c < block; c++) {
			to[2 * c] += part[c];
			to[2 * c + 1] += part[block + c];
		}
}

void
cpu_need_space(struct cpu *d, size_t of_thread, size_t of_all)
{
	if (of_thread > d->thread_bytes)
		d->thread_bytes = of_thread;
	if (of_all > d->shared_bytes)
		d->shared_bytes = of_all;
}

char *
cpu_thread_space(const struct cpu *d)
{
	return d->thread_space + (size_t)parallel_thread() * d->thread_bytes;
}

int
cpu_are_past(const struct cpu *d, size_t bytes)
{
	return bytes / (size_t)d->base.config.threads > CPU_CACHED_BYTES;
}

int
cpu_is_past(const struct cpu *d, int value)
{
	const struct cpu_value *v = &d->values[value];

	return cpu_are_past(d, v->n * dtype_size(v->type));
}

struct cpu_panel
cpu_panel_of(const struct cpu *d, int value)
{
	const struct cpu_value *v = &d->values[value];

	assert(v->layout == LAYOUT_BLOCKED);
	return (struct cpu_panel){ (size_t)v->shape.h * (size_t)v->shape.w *
		    (size_t)d->block,
		d->block, 0 };
}

dnnl_memory_desc_t
cpu_layout_of(const struct cpu *d, int value, int images)
{
	const struct cpu_value *v = &d->values[value];
	const dnnl_dim_t batch = images;
	const dnnl_dims_t dims = { batch, v->shape.c, v->shape.h, v->shape.w };
	const dnnl_dims_t flat = { batch, (dnnl_dim_t)shape_size(v->shape) };
	const dnnl_data_type_t type = onednn_type(v->type);
	dnnl_memory_desc_t md;
	dnnl_status_t status;

	if (v->layout == LAYOUT_FLAT)
		status =
		    dnnl_memory_desc_init_by_tag(&md, 2, flat, type, dnnl_ab);
	else if (v->layout == LAYOUT_STEM)
		status =
		    dnnl_memory_desc_init_by_tag(&md, 4, dims, type, dnnl_nchw);
	else
		status = dnnl_memory_desc_init_by_tag(&md, 4, dims, type,
		    d->block == 8 ? dnnl_nChw8c : dnnl_nChw16c);
	assert(status == dnnl_success); /* fixed tags for few dimensions */
	(void)status;
	return md;
}

void
cpu_plan_product(struct cpu *d, struct cpu_op *op)
{
	cpu_use_backward(d, op, d->values[op->in[0]].buffer);
	if (op->relu)
		cpu_use_backward(d, op, d->values[op->out].buffer);
	if (d->values[op->in[0]].wanted)
		cpu_plan_dx(d, op, 0, cpu_plan_buffer(d, op->in[0]));
}
