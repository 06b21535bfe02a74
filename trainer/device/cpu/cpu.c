/* struct device_ops of the cpu device: instructions, opening, the phases of a
 * step, reading and writing tensors. */
#include <config.h>

#include "trainer/device/cpu/cpu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/base/parallel.h"
#include "trainer/device/cpu/kernels/cpu_kernels.h"
#include "trainer/device/device.h"

#ifdef HAVE_AMX_FLAGS
#include "trainer/device/cpu/kernels/amx.h"
#endif

enum { LOAD_PIECE = 64 }; /* pixels of a row rounded at a time */

/* oneDNN's name of an instruction set. The limit can be set once per
 * process. */
static dnnl_cpu_isa_t
onednn_isa(enum isa isa)
{
	static const dnnl_cpu_isa_t isas[N_ISAS] = { dnnl_cpu_isa_sse41,
		dnnl_cpu_isa_avx2, dnnl_cpu_isa_avx512_core,
		dnnl_cpu_isa_avx512_core_bf16, dnnl_cpu_isa_avx512_core_amx };

	return isas[isa];
}

static int
onednn_runs(enum isa isa)
{
	return (dnnl_get_effective_cpu_isa() & onednn_isa(isa)) ==
	    onednn_isa(isa);
}

/* The best instruction set within the limit that CPU and library support. */
static enum isa
choose_isa(void)
{
#ifdef HAVE_X86_FLAGS
	if (!isa_runs_avx2() || !onednn_runs(ISA_AVX2))
		return ISA_PLAIN;
	if (!isa_runs_avx512() || !onednn_runs(ISA_AVX512))
		return ISA_AVX2;
	if (isa_limit() < ISA_AVX512_BF16 || !onednn_runs(ISA_AVX512_BF16))
		return ISA_AVX512;
#ifdef HAVE_AMX_FLAGS
	if (isa_limit() >= ISA_AMX && amx_available())
		return ISA_AMX;
#endif
	return ISA_AVX512_BF16;
#else
	return ISA_PLAIN;
#endif
}

/* Intel's CPUs multiply bf16 outside AMX no faster than fp32, and there are no
 * Winograd convolutions in bf16 (doc/performance.md, "Without AMX"). */
static int
vectors_gain(void)
{
#ifdef HAVE_X86_FLAGS
	return !__builtin_cpu_is("intel");
#else
	return 0;
#endif
}

/* Set isa, amx, arithmetic, kernels and block for the machine, DLSCALE_MAX_ISA
 * and the precision. ERROR_USAGE if DLSCALE_MAX_ISA is unknown. */
static int
choose_instructions(struct cpu *d, struct error *e)
{
	const enum dtype t = d->base.config.precision;

	if (isa_limit() == N_ISAS)
		return error_set(e, ERROR_USAGE,
		    "DLSCALE_MAX_ISA: '%s' is not plain, avx2, avx512, "
		    "avx512_bf16 or amx",
		    getenv("DLSCALE_MAX_ISA"));
	/* Fails if the library is in use: the limit is per process. */
	if (isa_limit() < ISA_AMX)
		(void)dnnl_set_max_cpu_isa(onednn_isa(isa_limit()));
	d->isa = choose_isa();
	d->kernels = cpu_kernels_find(t, d->isa);
	d->amx = t == DTYPE_BF16 && d->isa == ISA_AMX;
	d->block = d->amx ? 2 * CPU_LANES : d->kernels->lanes;
	d->arithmetic = t;
	if (t == DTYPE_BF16 && !d->amx &&
	    (d->isa < ISA_AVX512_BF16 || !vectors_gain()))
		d->arithmetic = DTYPE_FP32;
	return 0;
}

void *
cpu_map(struct cpu *d, size_t bytes)
{
	void *p = memory_plan_map(bytes);

	d->maps = vec_grow(d->maps, d->n_maps, &d->alloc_maps, sizeof *d->maps);
	d->maps[d->n_maps++] = (struct cpu_map){ p, bytes };
	d->base.bytes += bytes;
	return p;
}

static struct device_arena
new_arena(struct cpu *d, float **values)
{
	const size_t n = d->base.graph->arena_size;

	*values = cpu_map(d, n * sizeof **values);
	return (struct device_arena){ *values, n, DTYPE_FP32 };
}

/* Allocate the arenas, with plain layouts for vectors, and the other memory
 * whose size the network gives; product_prepare() sets the other layouts. */
static int
allocate_block(struct cpu *d, struct error *e)
{
	const struct graph *g = d->base.graph;
	const size_t params = (size_t)g->n_params;
	const size_t threads = (size_t)d->base.config.threads;
	const struct shape in = g->nodes[0].out;
	struct arena *a = &d->arena;

	d->base.params = new_arena(d, &d->params);
	d->base.grads = new_arena(d, &d->grads);
	d->base.momenta = new_arena(d, &d->momenta);
	d->arena_layout = arena_calloc(a, params, sizeof *d->arena_layout);
	d->final = arena_calloc(a, params, 1);
	d->buffers = arena_calloc(a, g->buffers_size + 1, sizeof *d->buffers);
	d->row = arena_calloc(a, 2 * (size_t)g->classes, sizeof *d->row);
	d->planes =
	    xcalloc(threads * (size_t)in.h * (size_t)in.w, sizeof *d->planes);
	d->labels =
	    arena_calloc(a, (size_t)d->base.config.batch, sizeof *d->labels);
	for (int i = 0; i < g->n_params; i++) {
		dnnl_dims_t dims = { (dnnl_dim_t)g->params[i].n };

		if (onednn_check(
			dnnl_memory_desc_init_by_tag(
			    &d->arena_layout[i], 1, dims, dnnl_f32, dnnl_a),
			"layout", e) != 0)
			return -1;
	}
	return 0;
}

/* Plan and prepare the operations, and measure the machine if they are to be
 * timed. */
static int
prepare_all(struct cpu *d, struct error *e)
{
	const struct device_config *c = &d->base.config;

	if (choose_instructions(d, e) != 0 || onednn_open(&d->onednn, e) != 0 ||
	    allocate_block(d, e) != 0 || cpu_fuse(d, e) != 0)
		return -1;
	cpu_plan(d);
	d->base.bytes += d->memory.bytes;
	if (device_check_memory(c, d->base.bytes, e) != 0)
		return -1;
	memory_plan_take(&d->memory);
	for (int i = 0; i < 2; i++)
		if (d->n_wide[i] > 0)
			d->wide[i] = cpu_map(d, d->n_wide[i] * sizeof(float));
	for (int i = 0; i < d->n_ops; i++)
		if (d->ops[i].ops->prepare != NULL &&
		    d->ops[i].ops->prepare(d, &d->ops[i], e) != 0)
			return -1;
	d->thread_bytes = (d->thread_bytes + 4095) / 4096 * 4096;
	d->thread_space = cpu_map(d, d->thread_bytes * (size_t)c->threads);
	d->shared_space = cpu_map(d, d->shared_bytes);
	d->base.bytes += d->onednn.scratch_bytes;
	if (c->profile <= 0)
		return 0;
	/* Measure the machine's peak rates while it is idle. */
	if (device_check_memory(c, d->base.bytes + cpu_roof_bytes(), e) != 0)
		return -1;
	d->roof = arena_calloc(&d->arena, 1, sizeof *d->roof);
	cpu_roof_measure(d->isa, d->arithmetic, c->threads, d->roof);
	d->times = cpu_times_new(d->n_ops, c->profile);
	return 0;
}

static void
cpu_close(struct device *base)
{
	struct cpu *d = cpu(base);

	for (int i = 0; i < d->n_ops; i++)
		if (d->ops[i].ops->release != NULL)
			d->ops[i].ops->release(&d->ops[i]);
	onednn_close(&d->onednn);
	memory_plan_release(&d->memory);
	for (size_t i = 0; i < d->n_maps; i++)
		memory_plan_unmap(d->maps[i].at, d->maps[i].bytes);
	free(d->maps);
	free(d->planes);
	cpu_times_free(d->times);
	arena_release(&d->arena);
	free(d);
}

static int
cpu_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e)
{
	struct cpu *d = xcalloc(1, sizeof *d);

	d->base.ops = &device_cpu;
	d->base.graph = g;
	d->base.config = *c;
	if (prepare_all(d, e) != 0) {
		cpu_close(&d->base);
		return -1;
	}
	*out = &d->base;
	return 0;
}

/* Offset of element (image, channel, pixel) of a value. */
static size_t
element_at(const struct cpu *d, const struct cpu_value *v, size_t image,
    size_t c, size_t p)
{
	const size_t w = (size_t)v->shape.w, h = (size_t)v->shape.h;
	const size_t channels = (size_t)v->shape.c;
	const size_t block = (size_t)d->block, pad = (size_t)v->pad;

	if (v->layout == LAYOUT_BLOCKED)
		return (cpu_panel_index(d, v, (int)image, (int)(c / block)) *
			       h * w +
			   p) *
		    block +
		    c % block;
	if (v->layout == LAYOUT_STEM && d->amx)
		return ((image * (h + 2 * pad) + p / w + pad) * (w + 2 * pad) +
			   p % w + pad) *
		    channels +
		    c;
	return (image * channels + c) * h * w + p;
}

/* Read or write one element as a float. */
static void
put_element(const struct cpu *d, char *place, size_t i, float x)
{
	if (d->base.config.precision == DTYPE_BF16)
		((uint16_t *)(void *)place)[i] = bf16_from_float(x);
	else
		((float *)(void *)place)[i] = x;
}

static float
get_element(const char *place, enum dtype t, size_t i)
{
	if (t == DTYPE_BF16)
		return bf16_to_float(
		    ((const uint16_t *)(const void *)place)[i]);
	return ((const float *)(const void *)place)[i];
}

/* Write one row of one channel of an image to the input; its elements have a
 * constant stride in every layout. */
static void
load_row(struct cpu *d, int image, int c, int y, const float *row)
{
	const struct cpu_value *v = &d->values[0];
	const size_t w = (size_t)v->shape.w;
	const size_t at =
	    element_at(d, v, (size_t)image, (size_t)c, (size_t)y * w);
	const size_t step = v->layout == LAYOUT_BLOCKED ? (size_t)d->block
	    : v->layout == LAYOUT_STEM && d->amx        ? (size_t)v->shape.c
							: 1;

	if (v->type == DTYPE_BF16) {
		uint16_t *x = (uint16_t *)cpu_at(d, 0) + at;
		uint16_t piece[LOAD_PIECE];

		for (size_t i = 0; i < w; i += LOAD_PIECE) {
			const size_t n =
			    w - i < LOAD_PIECE ? w - i : LOAD_PIECE;

			d->kernels->from_float(n, row + i, piece);
			for (size_t k = 0; k < n; k++)
				x[(i + k) * step] = piece[k];
		}
	} else {
		float *x = (float *)cpu_at(d, 0) + at;

		for (size_t i = 0; i < w; i++)
			x[i * step] = row[i];
	}
}

static int
cpu_load(struct device *base, const struct images *im, const int32_t *labels,
    struct error *e)
{
	struct cpu *d = cpu(base);
	const struct cpu_value *v = &d->values[0];
	const size_t pixels = (size_t)v->shape.h * (size_t)v->shape.w;
	const size_t bytes = v->n * dtype_size(v->type);
	const size_t threads = (size_t)base->config.threads;
	char *x = cpu_at(d, 0);

	(void)e;
	cpu_times_begin(d->times);
	d->n = im->n;
	/* Clear the padding around images, and the rest of a partial batch. */
	PARALLEL_FOR
	for (size_t t = 0; t < threads; t++)
		memset(x + bytes * t / threads, 0,
		    bytes * (t + 1) / threads - bytes * t / threads);
	PARALLEL_FOR
	for (int i = 0; i < im->n * v->shape.c; i++) {
		float *plane = d->planes + (size_t)parallel_thread() * pixels;

		images_plane(im, i / v->shape.c, i % v->shape.c, v->shape.c,
		    pixels, plane);
		for (int y = 0; y < v->shape.h; y++)
			load_row(d, i / v->shape.c, i % v->shape.c, y,
			    plane + (size_t)y * (size_t)v->shape.w);
	}
	if (labels != NULL)
		memcpy(d->labels, labels, (size_t)im->n * sizeof *labels);
	cpu_times_add(d->times, 0, CPU_CALL_TAKE);
	return 0;
}

static int
cpu_forward(
    struct device *base, enum device_mode mode, long step, struct error *e)
{
	struct cpu *d = cpu(base);

	assert(mode == MODE_EVAL || d->n == base->config.batch);
	d->mode = mode;
	d->step = step;
	if (mode != MODE_TRAIN)
		cpu_times_leave(d->times);
	cpu_times_start(d->times);
	for (int i = 0; i < d->n_ops; i++) {
		struct cpu_op *op = &d->ops[i];

		op->ops->forward(d, op);
		if (onednn_failed(&d->onednn, e) != 0)
			return error_prefix(e, "'%s'", op->node->name);
		cpu_times_add(d->times, i, CPU_CALL_FORWARD);
	}
	return 0;
}

static int
cpu_loss(struct device *base, struct loss_result *r, struct error *e)
{
	struct cpu *d = cpu(base);
	const struct cpu_value *v = &d->values[d->output];
	const size_t classes = (size_t)base->graph->classes;
	const char *y = memory_plan_at(&d->memory, v->buffer);
	char *dy = memory_plan_at(&d->memory, v->grads[0]);
	double *grad = d->row + classes;

	(void)e;
	cpu_times_start(d->times);
	memset(r, 0, sizeof *r);
	for (size_t i = 0; i < (size_t)d->n; i++) {
		for (size_t k = 0; k < classes; k++)
			d->row[k] =
			    get_element(y, v->type, element_at(d, v, i, k, 0));
		loss_add_image(
		    d->row, (int)classes, d->labels[i], 1.0 / d->n, grad, r);
		for (size_t k = 0; k < classes; k++)
			put_element(
			    d, dy, element_at(d, v, i, k, 0), (float)grad[k]);
	}
	r->loss /= d->n;
	cpu_times_add(d->times, 0, CPU_CALL_LOSS);
	return 0;
}

static void
backward_op(struct cpu *d, struct cpu_op *op)
{
	const int i = (int)(op - d->ops);

	cpu_times_start(d->times);
	if (op->dy2 != MEMORY_PLAN_NONE && !op->takes_two)
		cpu_add(d, d->values[op->out].n, op->dy2, op->dy);
	cpu_times_add(d->times, i, CPU_CALL_JOIN);
	op->ops->backward(d, op);
	cpu_times_add(d->times, i, CPU_CALL_BACK);
	for (int k = 0; k < op->n_merges; k++)
		cpu_add(
		    d, op->merges[k].n, op->merges[k].from, op->merges[k].to);
	cpu_times_add(d->times, i, CPU_CALL_JOIN);
}

static int
cpu_backward(
    struct device *base, device_ready_fn ready, void *ctx, struct error *e)
{
	struct cpu *d = cpu(base);
	int next = base->graph->n_params - 1;
	const struct node *n;
	size_t done = 0, end;

	assert(d->mode != MODE_EVAL);
	memset(d->final, 0, (size_t)base->graph->n_params);
	for (int i = d->n_ops - 1; i >= 0; i--) {
		struct cpu_op *op = &d->ops[i];

		if (op->dy != MEMORY_PLAN_NONE) /* a parameter depends on it */
			backward_op(d, op);
		if (onednn_failed(&d->onednn, e) != 0)
			return error_prefix(e, "'%s'", op->node->name);
		n = op->kind == OP_NORM ? op->norm : op->node;
		if (n != NULL && n->weight != GRAPH_NONE)
			d->final[n->weight] = 1;
		if (n != NULL && n->weight != GRAPH_NONE &&
		    n->bias != GRAPH_NONE)
			d->final[n->bias] = 1;
		/* Report the gradients up to the first that is not final. */
		for (end = done; next >= 0 && d->final[next]; next--)
			end = graph_done(base->graph, next);
		if (end > done && ready != NULL)
			ready(ctx, done, end - done);
		done = end;
	}
	assert(done == base->graph->arena_size);
	return 0;
}

/* Bytes of an operation's weight copies that processes can share; 0: none. */
static size_t
shared_copies(const struct cpu_op *op, struct device_region copies[2])
{
	if (op->ops->copies == NULL)
		return 0;
	op->ops->copies(op, copies);
	return copies[0].bytes + copies[1].bytes;
}

static size_t
cpu_regions(struct device *base, struct device_region **out)
{
	struct cpu *d = cpu(base);
	const size_t arena = base->graph->arena_size * sizeof(float);
	struct device_region *r = xcalloc(3 + 2 * (size_t)d->n_ops, sizeof *r);
	size_t n = 3;

	r[0] = (struct device_region){ d->grads, arena, 0 };
	r[1] = (struct device_region){ d->params, arena, 1 };
	r[2] = (struct device_region){ d->momenta, arena, 1 };
	for (int i = 0; i < d->n_ops; i++) {
		struct device_region copies[2];

		if (shared_copies(&d->ops[i], copies) == 0)
			continue;
		for (int k = 0; k < 2; k++)
			if (copies[k].bytes > 0)
				r[n++] = copies[k];
	}
	*out = r;
	return n;
}

/* Update the weight copies of operations; of shared ones, this process's
 * part. */
static void
refresh_copies(struct cpu *d)
{
	const struct device_sharing *with = &d->base.sharing;
	struct device_region copies[2];
	size_t all = 0, before = 0;

	for (int i = 0; i < d->n_ops; i++)
		all += shared_copies(&d->ops[i], copies);
	for (int i = 0; i < d->n_ops; i++) {
		struct cpu_op *op = &d->ops[i];
		const size_t bytes = shared_copies(op, copies);
		const size_t middle = before + bytes / 2;

		before += bytes;
		op->is_copied = with->parts > 1 && bytes > 0 &&
		    middle * (size_t)with->parts / all != (size_t)with->part;
		if (op->ops->refresh == NULL || op->is_copied)
			continue;
		op->ops->refresh(d, op);
		cpu_times_add(d->times, i, CPU_CALL_WEIGHT_COPY);
	}
}

/* Barrier of the processes that share the weights. */
static int
join_others(struct cpu *d, struct error *e)
{
	const struct device_sharing *with = &d->base.sharing;
	int rc;

	if (with->parts <= 1)
		return 0;
	rc = with->join(with->ctx, e);
	cpu_times_start(d->times); /* do not attribute the wait to a call */
	return rc;
}

/* Run the optimiser on this process's part of the weights, then update their
 * copies. */
static int
cpu_update(struct device *base, const struct sgd *s, struct error *e)
{
	enum { CHUNK = 1 << 15 };
	struct cpu *d = cpu(base);
	const struct device_sharing *with = &base->sharing;
	const size_t n = base->graph->arena_size;
	const size_t chunks = (n + CHUNK - 1) / CHUNK;
	const size_t parts = with->parts > 1 ? (size_t)with->parts : 1;
	const size_t first = chunks * (size_t)with->part / parts;
	const size_t end = chunks * ((size_t)with->part + 1) / parts;
	int rc;

	cpu_times_start(d->times);
	PARALLEL_FOR
	for (size_t k = first; k < end; k++) {
		const size_t i = k * CHUNK;

		d->kernels->sgd(s, n - i < CHUNK ? n - i : CHUNK, d->grads + i,
		    d->momenta + i, d->params + i);
	}
	cpu_times_add(d->times, 0, CPU_CALL_UPDATE);
	rc = join_others(d, e);
	if (rc == 0) {
		refresh_copies(d);
		rc = onednn_failed(&d->onednn, e);
	}
	if (rc == 0)
		rc = join_others(d, e);
	cpu_times_end(d->times);
	return rc;
}

/* The convolution or linear layer of a parameter, or NULL. */
static struct cpu_op *
op_of_param(const struct cpu *d, int i)
{
	for (int k = 0; k < d->n_ops; k++)
		if ((d->ops[k].node->weight == i ||
			d->ops[k].node->bias == i) &&
		    d->ops[k].ops->refresh != NULL)
			return &d->ops[k];
	return NULL;
}

/* Copy a parameter, gradient or momentum between arena and PyTorch's order. */
static int
copy_param(struct cpu *d, int i, float *arena, float *plain, int write,
    struct error *e)
{
	const dnnl_memory_desc_t *layout = &d->arena_layout[i];
	static const dnnl_format_tag_t tags[] = { dnnl_a, dnnl_ab,
		dnnl_format_tag_undef, dnnl_abcd };
	dnnl_memory_desc_t plain_layout;
	struct onednn_call call = { NULL };
	const struct cpu_op *op = op_of_param(d, i);
	int rc;

	if (op != NULL && op->node->weight == i && op->ops->copy != NULL) {
		op->ops->copy(d, op, arena, plain, write);
		return 0;
	}
	if (onednn_check(
		dnnl_memory_desc_init_by_tag(&plain_layout, layout->ndims,
		    layout->dims, dnnl_f32, tags[layout->ndims - 1]),
		"layout", e) != 0)
		return -1;
	rc = write ? onednn_reorder(&d->onednn, &plain_layout, plain, layout,
			 arena, &call, e)
		   : onednn_reorder(&d->onednn, layout, arena, &plain_layout,
			 plain, &call, e);
	if (rc == 0)
		onednn_run(&d->onednn, &call);
	onednn_release(&call);
	return rc != 0 ? rc : onednn_failed(&d->onednn, e);
}

/* Copy an activation or its gradient to or from PyTorch's order. */
static void
copy_activation(struct cpu *d, enum tensor_kind k, float *plain, int write)
{
	struct cpu_value *v =
	    &d->values[k == TENSOR_INPUT_GRAD ? 0 : d->output];
	const int is_grad = k != TENSOR_OUTPUT;
	const enum dtype t = is_grad ? d->base.config.precision : v->type;
	const size_t pixels = (size_t)v->shape.h * (size_t)v->shape.w;
	const size_t channels = (size_t)v->shape.c;
	char *place = cpu_buffer(d, is_grad ? v->grads[0] : v->buffer);

	if (k == TENSOR_INPUT_GRAD && v->n_grads == 2) {
		cpu_add(d, v->n, v->grads[1], v->grads[0]);
		v->n_grads = 1; /* summed: do not add again */
	}
	for (size_t i = 0; i < (size_t)d->base.config.batch * channels * pixels;
	     i++) {
		const size_t at = element_at(d, v, i / pixels / channels,
		    i / pixels % channels, i % pixels);

		if (write)
			put_element(d, place, at, plain[i]);
		else
			plain[i] = get_element(place, t, at);
	}
}

/* Copy between a tensor of the device and [n] floats. */
static int
copy_tensor(struct cpu *d, enum tensor_kind k, int i, float *plain, int write,
    struct error *e)
{
	float *arena;

	switch (k) {
	case TENSOR_PARAM:
		arena = cpu_param(d, i);
		break;
	case TENSOR_GRAD:
		arena = cpu_grad(d, i);
		break;
	case TENSOR_MOMENTUM:
		arena = d->momenta + d->base.graph->params[i].offset;
		break;
	case TENSOR_BUFFER:
		arena = d->buffers + d->base.graph->buffers[i].offset;
		memcpy(write ? arena : plain, write ? plain : arena,
		    d->base.graph->buffers[i].n * sizeof *plain);
		return 0;
	default:
		copy_activation(d, k, plain, write);
		return 0;
	}
	return copy_param(d, i, arena, plain, write, e);
}

static int
cpu_read(struct device *base, enum tensor_kind k, int i, enum dtype t,
    void *out, struct error *e)
{
	const size_t n = device_tensor_size(base, k, i);
	float *plain = xcalloc(n, sizeof *plain);
	int rc = copy_tensor(cpu(base), k, i, plain, 0, e);

	if (rc == 0)
		tensor_convert(DTYPE_FP32, plain, t, out, n);
	free(plain);
	return rc;
}

static int
cpu_write(struct device *base, enum tensor_kind k, int i, enum dtype t,
    const void *in, struct error *e)
{
	const size_t n = device_tensor_size(base, k, i);
	float *plain = xcalloc(n, sizeof *plain);
	struct cpu *d = cpu(base);
	struct cpu_op *op;
	int rc;

	tensor_convert(t, in, DTYPE_FP32, plain, n);
	rc = copy_tensor(d, k, i, plain, 1, e);
	free(plain);
	op = rc == 0 && k == TENSOR_PARAM ? op_of_param(d, i) : NULL;
	if (op != NULL)
		op->ops->refresh(d, op);
	return rc != 0 ? rc : onednn_failed(&d->onednn, e);
}

static void
cpu_describe(struct device *base, struct strbuf *out)
{
	struct cpu *d = cpu(base);
	const dnnl_version_t *version = dnnl_version();
	const double mib = 1048576;

	strbuf_printf(out,
	    "device cpu, %s, %d threads, oneDNN %d.%d.%d, own kernels %s%s\n",
	    dtype_name(base->config.precision), base->config.threads,
	    version->major, version->minor, version->patch, d->kernels->isa,
	    d->amx ? " and AMX" : "");
	if (d->arithmetic != base->config.precision)
		strbuf_printf(out,
		    "products in fp32: this CPU has no faster ones in bf16, "
		    "which saves memory, but not time\n");
	strbuf_printf(out,
	    "memory: %.1f MiB: parameters, gradients, momenta %.1f each; "
	    "activations %.1f in place of %.1f (%zu buffers); scratch %.1f\n",
	    (double)base->bytes / mib,
	    (double)base->graph->arena_size * sizeof(float) / mib,
	    (double)d->memory.bytes / mib, (double)d->memory.sum / mib,
	    d->memory.n,
	    ((double)d->onednn.scratch_bytes + (double)d->shared_bytes +
		(double)d->thread_bytes * base->config.threads) /
		mib);
	for (int i = 0; i < d->n_ops; i++) {
		struct cpu_op *op = &d->ops[i];
		const struct shape s = d->values[op->out].shape;

		strbuf_printf(out, "%4d %-8s %-24s %4dx%dx%d", i,
		    cpu_op_names[op->kind], op->node->name, s.c, s.h, s.w);
		if (op->ops->describe != NULL) {
			strbuf_addstr(out, "  ");
			op->ops->describe(op, out);
		}
		strbuf_addch(out, '\n');
	}
}

const struct device_ops device_cpu = {
	.name = "cpu",
	.summary = "this machine's CPU, through oneDNN",
	.precisions = 1u << DTYPE_FP32 | 1u << DTYPE_BF16,
	.on_host = 1,
	.open = cpu_open,
	.close = cpu_close,
	.load = cpu_load,
	.forward = cpu_forward,
	.loss = cpu_loss,
	.backward = cpu_backward,
	.update = cpu_update,
	.read = cpu_read,
	.write = cpu_write,
	.describe = cpu_describe,
	.regions = cpu_regions,
	.times = cpu_profile_show,
};
