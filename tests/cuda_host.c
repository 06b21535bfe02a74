#include <config.h>

#include "tests/cuda_host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/cuda_host_calls.h"
#include "trainer/device/device.h"

enum host_claims host_claims;
unsigned host_seed;
int host_captures = 1000;

static struct host *opened[8]; /* NULL: free */

/* Fill the outputs of a call with garbage: no call may rely on zeros, nor on
 * data that another tensor left there. */
static void
spoil(struct host *h, const struct call *c)
{
	for (int i = 0; i < CALL_OUT; i++)
		if (c->out[i] != MEMORY_PLAN_NONE && c->out[i] != c->in[0])
			memset(host_at(h, c->out[i]), 0xff,
			    host_tensor_of(h, c->out[i])->n * sizeof(float) /
				(host_tensor_of(h, c->out[i])->type == DTYPE_U8
					? 4
					: 1));
}

/* While a step is captured, keep the task instead of running it. */
static int
keep(struct host *h, struct host_task t)
{
	struct host_graph *g = &h->kept;

	if (!h->recording)
		return 0;
	g->tasks = vec_grow(g->tasks, g->n, &g->alloc, sizeof *g->tasks);
	g->tasks[g->n++] = t;
	return 1;
}

static int
host_run(struct executor *m, const struct call *c, enum device_mode mode,
    struct error *e)
{
	const struct host_task t = { .job = TASK_RUN, .call = c, .mode = mode };

	(void)e;
	if (keep((struct host *)m, t))
		return 0;
	spoil((struct host *)m, c);
	host_runners[c->kind]((struct host *)m, c, mode);
	return 0;
}

static int
host_load(struct executor *m, int slot, const struct images *im,
    const int32_t *labels, struct error *e)
{
	struct host *h = (struct host *)m;
	const struct tensor *t = host_tensor_of(h, m->program->input);
	const int channels = m->program->graph->nodes[0].out.c;
	const size_t pixels = (size_t)t->shape.h * (size_t)t->shape.w;
	float *plane = xcalloc(pixels, sizeof *plane),
	      *x = h->slots[slot].images;

	(void)e;
	memset(x, 0, t->n * sizeof *x);
	for (int i = 0; i < im->n * channels; i++) {
		images_plane(
		    im, i / channels, i % channels, channels, pixels, plane);
		for (size_t p = 0; p < pixels; p++)
			host_put(h,
			    &x[((size_t)(i / channels) * pixels + p) *
				    (size_t)t->shape.c +
				(size_t)(i % channels)],
			    plane[p]);
	}
	if (labels != NULL)
		memcpy(h->slots[slot].labels, labels,
		    (size_t)im->n * sizeof *labels);
	free(plane);
	return 0;
}

static void
host_set(struct executor *m, int slot, const struct executor_numbers *numbers)
{
	((struct host *)m)->slots[slot].numbers = *numbers;
}

static int
host_take(struct executor *m, int slot, const struct executor_input *in,
    struct error *e)
{
	struct host *h = (struct host *)m;
	const struct tensor *t = host_tensor_of(h, m->program->input);
	const struct host_task task = { .job = TASK_TAKE, .slot = slot };

	(void)in;
	(void)e;
	if (keep(h, task))
		return 0;
	memcpy(host_at(h, m->program->input), h->slots[slot].images,
	    t->n * sizeof(float));
	h->numbers = h->slots[slot].numbers;
	return 0;
}

static int
host_loss(struct executor *m, int slot, int n, int back, struct error *e)
{
	struct host *h = (struct host *)m;
	struct loss_result *r = &h->results[h->n_results % DEVICE_RESULTS];
	const struct host_task task = {
		.job = TASK_LOSS, .slot = slot, .n = n, .back = back
	};
	const int classes = m->program->graph->classes;
	double *row = xcalloc(2 * (size_t)classes, sizeof *row);
	float *y = host_at(h, m->program->output),
	      *dy = host_at(h, m->program->output_grad);

	(void)e;
	if (keep(h, task)) {
		free(row);
		return 0;
	}
	h->n_results++;
	memset(r, 0, sizeof *r);
	h->scale.used = h->scale.scale;
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < classes; k++)
			row[k] = y[i * classes + k];
		loss_add_image(row, classes, h->slots[slot].labels[i],
		    (double)h->scale.scale / n, row + classes, r);
		for (int k = 0; back && k < classes; k++)
			host_put(h, &dy[i * classes + k], row[classes + k]);
	}
	r->loss /= n;
	free(row);
	return 0;
}

static int
host_results(struct executor *m, struct loss_result *r, int n, struct error *e)
{
	const struct host *h = (struct host *)m;

	(void)e;
	for (int i = 0; i < n; i++)
		r[i] = h->results[(h->n_results - n + i) % DEVICE_RESULTS];
	return 0;
}

static int
host_refresh(struct executor *m, struct error *e)
{
	(void)e;
	for (int i = 0; i < m->program->graph->n_params; i++)
		if (m->program->weights[i].k > 0 &&
		    !m->program->weights[i].in_place)
			host_copy_weight((struct host *)m, i, 0);
	return 0;
}

static int
host_update(struct executor *m, int slot, struct error *e)
{
	struct host *h = (struct host *)m;
	const size_t n = m->program->graph->arena_size;
	const float *grads = h->areas[AREA_GRADS];
	const struct executor_numbers *s = &h->numbers;
	const struct host_task task = { .job = TASK_UPDATE, .slot = slot };

	if (keep(h, task))
		return 0;
	h->numbers = h->slots[slot].numbers;

	for (size_t i = 0; i < n && h->scale.dynamic; i++)
		h->scale.overflow |= !isfinite(grads[i]);
	for (size_t i = 0; i < n && !h->scale.overflow; i++) {
		float *w = &h->areas[AREA_PARAMS][i];
		float *v = &h->areas[AREA_MOMENTA][i];
		const double g =
		    grads[i] * (double)s->grad_scale / (double)h->scale.used +
		    (double)s->weight_decay * *w;

		*v = (float)((double)s->momentum * *v + g);
		*w = (float)(*w - (double)s->lr * *v);
	}
	loss_scale_next(&h->scale);
	return host_refresh(m, e);
}

static int
host_capture(struct executor *m, struct error *e)
{
	struct host *h = (struct host *)m;

	if (h->captures_left-- == 0)
		return error_set(e, ERROR_SYSTEM, "no capture today");
	h->recording = 1;
	h->kept = (struct host_graph){ NULL, 0, 0 };
	return 0;
}

static int
host_captured(struct executor *m, int slot, struct error *e)
{
	struct host *h = (struct host *)m;

	(void)e;
	h->recording = 0;
	free(h->slots[slot].graph.tasks);
	h->slots[slot].graph = h->kept;
	return 0;
}

static int
do_task(struct executor *m, const struct host_task *t, struct error *e)
{
	switch (t->job) {
	case TASK_TAKE:
		return host_take(m, t->slot, NULL, e);
	case TASK_RUN:
		return host_run(m, t->call, t->mode, e);
	case TASK_LOSS:
		return host_loss(m, t->slot, t->n, t->back, e);
	case TASK_UPDATE:
		break;
	}
	return host_update(m, t->slot, e);
}

static int
host_replay(struct executor *m, int slot, struct error *e)
{
	struct host *h = (struct host *)m;
	const struct host_graph *g = &h->slots[slot].graph;

	h->n_replays++;
	for (size_t i = 0; i < g->n; i++)
		if (do_task(m, &g->tasks[i], e) != 0)
			return -1;
	return 0;
}

static void
host_forget(struct executor *m)
{
	struct host *h = (struct host *)m;

	for (int i = 0; i < EXECUTOR_SLOTS; i++) {
		free(h->slots[i].graph.tasks);
		h->slots[i].graph = (struct host_graph){ NULL, 0, 0 };
	}
}

static int
host_mark(struct executor *m, int slot, enum executor_mark k, struct error *e)
{
	(void)slot;
	(void)k;
	(void)e;
	((struct host *)m)->n_marks++;
	return 0;
}

static int
host_sync(struct executor *m, struct error *e)
{
	(void)m;
	(void)e;
	return 0;
}

static int
host_copy(struct executor *m, enum area a, size_t offset, size_t n, float *host,
    int write, struct error *e)
{
	float *at = ((struct host *)m)->areas[a] + offset;

	(void)e;
	memcpy(write ? at : host, write ? host : at, n * sizeof *host);
	return 0;
}

static int
host_copy_tensor(
    struct executor *m, int tensor, void *host, int write, struct error *e)
{
	const struct host *h = (struct host *)m;
	const struct tensor *t = host_tensor_of(h, tensor);
	const int fp16 = t->type == DTYPE_FP16;
	float *x = host_at(h, tensor);
	uint16_t *half = host;

	(void)e;
	if (t->type == DTYPE_FP32)
		memcpy(write ? x : host, write ? host : x, t->n * sizeof *x);
	for (size_t i = 0; t->type != DTYPE_FP32 && i < t->n; i++)
		if (write)
			x[i] = fp16 ? fp16_to_float(half[i])
				    : bf16_to_float(half[i]);
		else
			half[i] = fp16 ? fp16_from_float(x[i])
				       : bf16_from_float(x[i]);
	return 0;
}

static int
host_scale(struct executor *m, double *out, struct error *e)
{
	(void)e;
	*out = (double)((struct host *)m)->scale.used;
	return 0;
}

static int
host_scaling(
    struct executor *m, struct loss_scaling *own, int set, struct error *e)
{
	struct loss_scale *s = &((struct host *)m)->scale;

	(void)e;
	if (set && s->dynamic) {
		s->scale = s->used = (float)own->scale;
		s->good = (int)own->good;
	} else if (s->dynamic) {
		own->scale = (double)s->scale;
		own->good = s->good;
	}
	return 0;
}

static void
host_close(struct executor *m)
{
	struct host *h = (struct host *)m;

	for (int i = 0; i < 8; i++)
		if (opened[i] == h)
			opened[i] = NULL;
	for (int i = 0; i < N_AREAS; i++)
		free(h->areas[i]);
	free(h->work);
	free(h->work_grad);
	free(h->vectors);
	free(h->block);
	for (int i = 0; i < EXECUTOR_SLOTS; i++) {
		free(h->slots[i].images);
		free(h->slots[i].labels);
		free(h->slots[i].graph.tasks);
	}
	free(h);
}

static const struct executor_ops host_ops = {
	.load = host_load,
	.set = host_set,
	.take = host_take,
	.run = host_run,
	.loss = host_loss,
	.results = host_results,
	.capture = host_capture,
	.captured = host_captured,
	.replay = host_replay,
	.forget = host_forget,
	.mark = host_mark,
	.update = host_update,
	.refresh = host_refresh,
	.sync = host_sync,
	.copy = host_copy,
	.copy_tensor = host_copy_tensor,
	.scale = host_scale,
	.scaling = host_scaling,
	.close = host_close,
};

static int
host_probe(const struct device_config *c, void **ctx, struct error *e)
{
	(void)c;
	(void)e;
	*ctx = NULL;
	return 0;
}

static int
host_supports(void *ctx, const struct gpu_program *p, const struct call *c)
{
	static unsigned x;

	(void)ctx;
	(void)p;
	(void)c;
	if (host_claims != HOST_MIXED)
		return host_claims == HOST_FUSED;
	x = (x ^ host_seed) * 1103515245u + 12345u;
	return (int)(x >> 16 & 1);
}

static int
host_open(void *ctx, const struct gpu_program *p, const struct device_config *c,
    struct executor **out, struct error *e)
{
	struct host *h = xcalloc(1, sizeof *h);
	size_t buffers = 1;

	(void)ctx;
	(void)e;
	h->base.ops = &host_ops;
	h->base.program = p;
	h->base.config = c;
	for (int i = 0; i < p->graph->n_buffers; i++)
		buffers += p->graph->buffers[i].n;
	for (int i = 0; i < N_AREAS; i++)
		h->areas[i] =
		    xcalloc(i == AREA_BUFFERS ? buffers : p->graph->arena_size,
			sizeof(float));
	for (int i = 0; i < 3; i++)
		h->base.arenas[i] = h->areas[i];
	h->work = xcalloc(p->n_work + 1, sizeof *h->work);
	h->work_grad = xcalloc(p->n_work + 1, sizeof *h->work_grad);
	h->vectors = xcalloc(p->n_vectors + 1, sizeof *h->vectors);
	h->block = xcalloc(p->memory.bytes, 2);
	for (int i = 0; i < EXECUTOR_SLOTS; i++) {
		h->slots[i].images =
		    xcalloc(p->tensors[p->input].n, sizeof(float));
		h->slots[i].labels = xcalloc((size_t)c->batch, sizeof(int32_t));
	}
	h->captures_left = host_captures;
	h->scale.dynamic = p->config.type == DTYPE_FP16;
	h->scale.scale = h->scale.used =
	    h->scale.dynamic ? LOSS_SCALE_START : 1;
	for (int i = 0; i < 8; i++)
		if (opened[i] == NULL) {
			opened[i] = h;
			break;
		}
	*out = &h->base;
	return 0;
}

const struct executor_kind host_machine = {
	.probe = host_probe,
	.supports = host_supports,
	.open = host_open,
};

int
host_device_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e)
{
	static struct device_ops ops;

	ops = cuda_device_functions;
	ops.name = "host";
	return cuda_open_on(&host_machine, &ops, g, c, out, e);
}

static struct host *
host_of(const struct device *d)
{
	for (int i = 0; i < 8; i++)
		if (opened[i] != NULL && opened[i]->base.config == &d->config)
			return opened[i];
	abort();
}

const struct gpu_program *
host_device_program(const struct device *d)
{
	return host_of(d)->base.program;
}

long
host_device_replays(const struct device *d)
{
	return host_of(d)->n_replays;
}

long
host_device_marks(const struct device *d)
{
	return host_of(d)->n_marks;
}

struct loss_scale *
host_device_scale(const struct device *d)
{
	return &host_of(d)->scale;
}
