/* Convolutions of the cpu device in bf16 on AMX. */
#include <config.h>

#include "trainer/device/cpu/amx_conv.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/base/parallel.h"

enum {
	UNIT_BYTES = 1 << 20 /* bytes of left side kept in the L2 cache */
};

static int
channel_blocks(int channels)
{
	return (channels + AMX_BLOCK - 1) / AMX_BLOCK;
}

static long
shape_pixels(struct shape s)
{
	return (long)s.h * s.w;
}

/* --- few channels --------------------------------------------------------- */

/* The first convolution, of images with few channels. A row of a window is
 * kernel * channels consecutive words of the input, and windows of an output
 * line start stride * channels words apart, so tiles are loaded, and rows
 * paired, directly from the image. Words of a 32-word piece beyond the row of
 * the window are multiplied by weights of 0. */

/* Number of pieces in a row of a window. */
static int
row_pieces(int channels, int kernel)
{
	return (kernel * channels + AMX_BLOCK - 1) / AMX_BLOCK;
}

/* Bytes of an input row, padding included. */
static size_t
input_row(const struct cpu *d, const struct cpu_op *op)
{
	const struct cpu_value *x = &d->values[op->in[0]];

	return (size_t)(x->shape.w + 2 * x->pad) * (size_t)x->shape.c *
	    sizeof(uint16_t);
}

const char *
amx_narrow_line(const struct cpu *d, const struct cpu_op *op, long line)
{
	const struct cpu_value *x = &d->values[op->in[0]];
	const long image = line / op->node->out.h, y = line % op->node->out.h;
	const long row =
	    image * (x->shape.h + 2 * x->pad) + y * op->node->stride;

	return (const char *)cpu_at(d, op->in[0]) +
	    (size_t)row * input_row(d, op);
}

static void
forward_narrow(struct cpu *d, const struct cpu_op *op)
{
	const struct amx_conv *a = op->own;
	const long lines = (long)d->base.config.batch * op->node->out.h;
	const int threads = d->base.config.threads, w = op->node->out.w;
	uint16_t *y = cpu_at(d, op->out);
	struct cpu_sums *sums = cpu_sums_begin(d, op->out);

	PARALLEL_FOR
	for (int t = 0; t < threads; t++) {
		struct amx_product p = { .row_bytes = a->row_bytes,
			.pieces = a->forward.parts->pieces,
			.steps = a->in_blocks,
			.rights = a->out_blocks,
			.right = a->forward.weights,
			.out_step = (size_t)(lines * w) * AMX_BLOCK,
			.bias = a->bias,
			.relu = op->relu,
			.past = cpu_is_past(d, op->out),
			.pivot = sums != NULL ? sums->pivot : NULL };

		amx_begin();
		for (long i = lines * t / threads;
		     i < lines * (t + 1) / threads; i++) {
			p.left = amx_narrow_line(d, op, i);
			p.out = y + i * w * AMX_BLOCK;
			if (sums != NULL)
				p.sums = cpu_sums_part(sums);
			amx_multiply(&p, 0, w);
			if (sums != NULL)
				cpu_sums_add(d, sums, 0, a->out_blocks);
		}
		amx_end();
	}
}

/* --- weights -------------------------------------------------------------- */

/* Index of weight (k, c, r, t) in the tiles. */
static size_t
weight_at(
    const struct amx_conv *a, const struct node *n, int k, int c, int r, int t)
{
	size_t block, tap = (size_t)(r * n->kernel + t);
	int row, column;

	if (a->narrow) { /* the words of a window are its channels */
		c += r * row_pieces(a->narrow, n->kernel) * AMX_BLOCK +
		    t * a->narrow;
		tap = 0;
	}
	block = ((size_t)(k / AMX_BLOCK) * (size_t)a->in_blocks +
		    (size_t)(c / AMX_BLOCK)) *
		(size_t)a->taps +
	    tap;
	row = (a->swapped ? c : k) % AMX_BLOCK;
	column = (a->swapped ? k : c) % AMX_BLOCK;
	return block * AMX_TILES +
	    (size_t)((row / 16 * 2 + column / 16) * 256 + row % 16 * 16 +
		column % 16);
}

void
amx_copy_weights(const struct amx_conv *a, const struct cpu *d,
    const struct node *n, float *tiles, float *plain, int to_tiles)
{
	const int in = d->base.graph->nodes[n->in[0]].out.c, k = n->kernel;

	PARALLEL_FOR
	for (int o = 0; o < n->out.c; o++) {
		float *p = plain + (size_t)o * (size_t)(in * k * k);

		for (int c = 0; c < in; c++)
			for (int i = 0; i < k * k; i++, p++) {
				float *t =
				    tiles + weight_at(a, n, o, c, i / k, i % k);

				*(to_tiles ? t : p) = *(to_tiles ? p : t);
			}
	}
}

/* Pack the panels of one block for one pass. */
static void
pack_block(const struct amx_conv *a, const struct amx_pass *p, int out, int in)
{
	const int data = p == &a->data;
	const size_t right = (size_t)(data ? in : out);
	const size_t left = (size_t)(data ? out : in);
	const float *tiles = a->weight_tiles +
	    ((size_t)out * (size_t)a->in_blocks + (size_t)in) *
		(size_t)a->taps * AMX_TILES;

	for (int k = 0; k < p->n_parts; k++) {
		const struct amx_part *part = &p->parts[k];
		uint16_t *panel = p->weights + part->panels +
		    (right * (size_t)p->left + left) * (size_t)part->n_taps *
			AMX_PANEL;

		for (int t = 0; t < part->n_taps; t++, panel += AMX_PANEL)
			if (p->turned)
				amx_pack_turned(
				    tiles + part->taps[t] * AMX_TILES, panel);
			else
				amx_pack_rows(
				    tiles + part->taps[t] * AMX_TILES, panel);
	}
}

/* --- preparation --------------------------------------------------------- */

/* Set a part's pieces and the table of result positions. Taps of a block are
 * adjacent, as they read nearly the same pixels. */
static void
finish_part(struct amx_pass *p, struct amx_part *part, const long *taps,
    size_t block_bytes)
{
	const long n = stream_numbers(&p->stream, &part->map, p->stream.images);

	part->steps = part->n_taps * p->left;
	part->pieces = xcalloc((size_t)part->steps, sizeof *part->pieces);
	for (int b = 0; b < p->left; b++)
		for (int t = 0; t < part->n_taps; t++)
			part->pieces[b * part->n_taps + t] =
			    (ptrdiff_t)((size_t)b * block_bytes) +
			    taps[t] * STREAM_PIXEL;
	if (p->direct || part->n_taps == 0)
		return;
	part->where = xcalloc((size_t)n, sizeof *part->where);
	stream_where(&p->stream, &part->map, part->where, n);
}

/* Images per stream: as many as fit, with a number of streams that is a
 * multiple of the threads. */
static int
group_images(const struct cpu *d, size_t image_bytes)
{
	const int batch = d->base.config.batch;
	const int threads = d->base.config.threads;
	int most = (int)(UNIT_BYTES / (image_bytes + 1));

	if (most > batch / threads)
		most = batch / threads;
	for (int n = most; n > 1; n--)
		if ((batch + n - 1) / n % threads == 0)
			return n;
	return most > 1 ? most : 1;
}

static void
choose_splits(const struct cpu *d, struct amx_pass *p, long units)
{
	const long threads = d->base.config.threads;

	p->splits = 1;
	if (units < threads)
		p->splits = (int)((threads + units - 1) / units);
	if (p->splits > p->right)
		p->splits = p->right;
}

static void
prepare_direct(const struct cpu *d, struct amx_pass *p, long rows)
{
	const long threads = d->base.config.threads;
	const long most = UNIT_BYTES / ((long)p->left * STREAM_PIXEL);
	const long tap = 0;
	long n;

	p->direct = 1;
	p->n_parts = 1;
	p->parts = xcalloc(1, sizeof *p->parts);
	p->parts->n_taps = 1;
	p->parts->taps = xcalloc(1, sizeof *p->parts->taps);
	finish_part(p, p->parts, &tap, (size_t)rows * STREAM_PIXEL);
	/* Rows per unit of work. */
	n = (rows + most - 1) / most;
	n = (n + threads - 1) / threads * threads;
	p->chunk = ((rows + n - 1) / n + 31) / 32 * 32;
	choose_splits(d, p, (rows + p->chunk - 1) / p->chunk);
}

static void
set_groups(const struct cpu *d, struct amx_pass *p)
{
	const int batch = d->base.config.batch;
	const size_t image = (size_t)p->left * (size_t)p->stream.image *
	    (size_t)(p->stream.planes * p->stream.planes) * STREAM_PIXEL;

	stream_set_images(&p->stream, group_images(d, image));
	choose_splits(d, p, (batch + p->stream.images - 1) / p->stream.images);
}

static void
prepare_forward(struct cpu *d, const struct cpu_op *op, struct amx_pass *p)
{
	const struct node *n = op->node;
	const struct shape in = d->values[op->in[0]].shape, out = n->out;
	const int k = n->kernel, right_pad = k - 1 - n->pad;
	struct amx_part *part;
	long *taps;

	if (n->stride == 1)
		stream_init_border(&p->stream, in.h, in.w, n->pad,
		    right_pad > n->pad ? right_pad : n->pad);
	else
		stream_init_planes(
		    &p->stream, in.h, in.w, k, n->stride, n->pad, out.h, out.w);
	set_groups(d, p);
	part = p->parts = xcalloc(1, sizeof *p->parts);
	p->n_parts = 1;
	part->n_taps = k * k;
	part->taps = xcalloc((size_t)(k * k), sizeof *part->taps);
	part->map =
	    (struct stream_map){ out.h, out.w, shape_pixels(out), 0, out.w, 1 };
	taps = xcalloc((size_t)(k * k), sizeof *taps);
	for (int t = 0; t < k * k; t++) {
		part->taps[t] = t;
		taps[t] = stream_tap(&p->stream, t / k, t % k);
	}
	finish_part(p, part, taps, stream_bytes(&p->stream));
	free(taps);
}

/* The data gradient at input row y = i * stride + phase - pad is the sum over m
 * of the weights r = phase + stride * m at output row i - m; i takes `count`
 * values, starting at `first`. */
struct phase {
	int first, count, taps;
};

static struct phase
phase_of(const struct node *n, int in, int phase)
{
	const int s = n->stride, ahead = n->pad - phase;
	struct phase p;

	p.first = ahead > 0 ? (ahead + s - 1) / s : 0;
	p.count = in - 1 + ahead < 0 ? 0 : (in - 1 + ahead) / s - p.first + 1;
	p.taps = phase < n->kernel ? (n->kernel - 1 - phase) / s + 1 : 0;
	if (p.count <= 0)
		p.count = p.taps = 0;
	return p;
}

/* Width of the zero border of the output's gradient. */
static int
data_border(const struct node *n, int in, int out)
{
	int border = 0;

	for (int i = 0; i < n->stride; i++) {
		const struct phase p = phase_of(n, in, i);
		const int before = p.taps - 1 - p.first;
		const int after = p.first + p.count - out;

		if (p.taps == 0)
			continue;
		border = before > border ? before : border;
		border = after > border ? after : border;
		border = p.first > border ? p.first : border;
	}
	return border;
}

static void
prepare_part(struct cpu *d, const struct cpu_op *op, struct amx_pass *p,
    int row_phase, int column_phase)
{
	const struct node *n = op->node;
	const struct shape in = d->values[op->in[0]].shape;
	const struct phase y = phase_of(n, in.h, row_phase);
	const struct phase x = phase_of(n, in.w, column_phase);
	struct amx_part *part = &p->parts[p->n_parts];
	long *taps;

	part->n_taps = y.taps * x.taps;
	if (part->n_taps == 0) {
		p->holes = 1;
		return;
	}
	p->n_parts++;
	part->taps = xcalloc((size_t)part->n_taps, sizeof *part->taps);
	taps = xcalloc((size_t)part->n_taps, sizeof *taps);
	for (int t = 0; t < part->n_taps; t++) {
		const int my = t / x.taps, mx = t % x.taps;

		part->taps[t] = (row_phase + n->stride * my) * n->kernel +
		    column_phase + n->stride * mx;
		taps[t] = p->stream.first + (y.first - my) * p->stream.pitch +
		    (x.first - mx);
	}
	part->map = (struct stream_map){ y.count, x.count, shape_pixels(in),
		(long)(y.first * n->stride + row_phase - n->pad) * in.w +
		    x.first * n->stride + column_phase - n->pad,
		(long)n->stride * in.w, n->stride };
	finish_part(p, part, taps, stream_bytes(&p->stream));
	free(taps);
}

static void
prepare_data(struct cpu *d, const struct cpu_op *op, struct amx_pass *p)
{
	const struct node *n = op->node;
	const struct shape in = d->values[op->in[0]].shape;
	const int by = data_border(n, in.h, n->out.h);
	const int bx = data_border(n, in.w, n->out.w);

	stream_init_border(
	    &p->stream, n->out.h, n->out.w, 0, by > bx ? by : bx);
	set_groups(d, p);
	p->parts = xcalloc((size_t)(n->stride * n->stride), sizeof *p->parts);
	for (int y = 0; y < n->stride; y++)
		for (int x = 0; x < n->stride; x++)
			prepare_part(d, op, p, y, x);
}

static void
allocate_weights(struct cpu *d, struct amx_pass *p)
{
	size_t panels = 0;

	for (int i = 0; i < p->n_parts; i++) {
		p->parts[i].panels = panels * AMX_PANEL;
		panels += (size_t)p->parts[i].steps * (size_t)p->right;
	}
	p->weights_bytes = panels * AMX_PANEL * sizeof *p->weights;
	p->weights = memory_plan_map(p->weights_bytes);
	d->base.bytes += p->weights_bytes;
}

static void
prepare_tiles(struct cpu *d, const struct cpu_op *op, struct amx_conv *a)
{
	const struct param *w = &d->base.graph->params[op->node->weight];

	a->tiles = (size_t)a->in_blocks * (size_t)a->out_blocks *
	    (size_t)a->taps * AMX_TILES;
	a->dense = !a->narrow && a->tiles == w->n;
	if (a->dense) {
		a->weight_tiles = cpu_param(d, op->node->weight);
		a->grad_tiles = cpu_grad(d, op->node->weight);
	} else {
		a->weight_tiles = memory_plan_map(a->tiles * sizeof(float));
		a->grad_tiles = memory_plan_map(a->tiles * sizeof(float));
		d->base.bytes += 2 * a->tiles * sizeof(float);
	}
	if (op->node->bias == GRAPH_NONE)
		return;
	a->bias_padded = op->node->out.c % AMX_BLOCK != 0;
	a->bias = a->bias_padded
	    ? xcalloc((size_t)a->out_blocks * AMX_BLOCK, sizeof *a->bias)
	    : cpu_param(d, op->node->bias);
}

static int
amx_conv_prepare(struct cpu *d, struct cpu_op *op, struct error *e)
{
	const struct node *n = op->node;
	const struct cpu_value *x = &d->values[op->in[0]];
	const int point = n->kernel == 1 && n->stride == 1 && n->pad == 0;
	const long rows = d->base.config.batch * shape_pixels(n->out);
	struct amx_conv *a = xcalloc(1, sizeof *a);
	int pieces;

	(void)e;
	op->own = a;
	a->narrow = x->layout == LAYOUT_STEM ? x->shape.c : 0;
	a->taps = a->narrow ? 1 : n->kernel * n->kernel;
	a->in_blocks = a->narrow ? n->kernel * row_pieces(a->narrow, n->kernel)
				 : channel_blocks(x->shape.c);
	a->out_blocks = channel_blocks(n->out.c);
	a->forward.left = a->data.right = a->in_blocks;
	a->forward.right = a->data.left = a->out_blocks;
	/* The weight gradient transposes the side with fewer blocks, as that
	 * costs more than pairing. */
	a->swapped = point && a->in_blocks < a->out_blocks;
	a->forward.turned = !a->swapped;
	a->data.turned = a->swapped;
	if (a->narrow || point)
		prepare_direct(d, &a->forward, a->narrow ? 1 : rows);
	else
		prepare_forward(d, op, &a->forward);
	if (op->dx[0] != MEMORY_PLAN_NONE && point)
		prepare_direct(d, &a->data, rows);
	else if (op->dx[0] != MEMORY_PLAN_NONE)
		prepare_data(d, op, &a->data);
	allocate_weights(d, &a->forward);
	allocate_weights(d, &a->data);
	prepare_tiles(d, op, a);
	if (a->narrow) { /* the offsets of a window's blocks */
		pieces = row_pieces(a->narrow, n->kernel);
		a->row_bytes =
		    (size_t)(n->stride * a->narrow) * sizeof(uint16_t);
		for (int b = 0; b < a->in_blocks; b++)
			a->forward.parts->pieces[b] =
			    (ptrdiff_t)((size_t)(b / pieces) *
				input_row(d, op)) +
			    b % pieces * STREAM_PIXEL;
	} else if (!point)
		cpu_need_space(d,
		    (size_t)a->in_blocks * stream_bytes(&a->forward.stream), 0);
	if (a->data.n_parts > 0 && !point)
		cpu_need_space(d,
		    (size_t)a->out_blocks * stream_bytes(&a->data.stream), 0);
	amx_gram_prepare(d, op);
	return 0;
}

static void
release_pass(struct amx_pass *p)
{
	for (int i = 0; i < p->n_parts; i++) {
		free(p->parts[i].taps);
		free(p->parts[i].pieces);
		free(p->parts[i].where);
	}
	free(p->parts);
	memory_plan_unmap(p->weights, p->weights_bytes);
}

static void
amx_conv_release(struct cpu_op *op)
{
	struct amx_conv *a = op->own;

	if (a == NULL)
		return;
	release_pass(&a->forward);
	release_pass(&a->data);
	if (!a->dense) {
		memory_plan_unmap(a->weight_tiles, a->tiles * sizeof(float));
		memory_plan_unmap(a->grad_tiles, a->tiles * sizeof(float));
	}
	if (a->bias_padded)
		free(a->bias);
	free(a);
}

/* --- passes that make activations ---------------------------------------- */

/* Operands and options of a pass. */
struct amx_run {
	const struct cpu *d;
	const struct amx_pass *pass;
	const char *in;
	uint16_t *out;
	long in_pixels, out_pixels; /* of an image */
	const float *bias;
	int relu, past;
	struct cpu_sums *sums; /* sums of the output, or NULL */
};

/* Multiply one part: rows of the left side at `left`, result blocks first ..
 * last - 1 at out, which is pixel 0 of block 0. */
static void
multiply_part(const struct amx_run *r, const struct amx_part *part,
    const char *left, long rows, uint16_t *out, int first, int last)
{
	const size_t block =
	    (size_t)r->d->base.config.batch * (size_t)r->out_pixels * AMX_BLOCK;
	struct amx_product p = { .left = left,
		.row_bytes = STREAM_PIXEL,
		.pieces = part->pieces,
		.steps = part->steps,
		.rights = last - first,
		.right = r->pass->weights + part->panels +
		    (size_t)first * (size_t)part->steps * AMX_PANEL,
		.where = part->where,
		.out = out + (size_t)first * block,
		.out_step = block,
		.bias = r->bias != NULL ? r->bias + first * AMX_BLOCK : NULL,
		.relu = r->relu,
		.past = r->past };

	if (r->sums != NULL) {
		p.sums = cpu_sums_part(r->sums);
		p.pivot = r->sums->pivot + first * AMX_BLOCK;
	}
	amx_multiply(&p, 0, rows);
	if (r->sums != NULL)
		cpu_sums_add(r->d, r->sums, first, last - first);
}

static void
run_group(const struct amx_run *r, long u)
{
	const struct amx_pass *p = r->pass;
	const int batch = r->d->base.config.batch;
	const int image = (int)(u / p->splits) * p->stream.images;
	const int split = (int)(u % p->splits);
	const int n =
	    batch - image < p->stream.images ? batch - image : p->stream.images;
	const int first = p->right * split / p->splits;
	const int last = p->right * (split + 1) / p->splits;
	const size_t one = (size_t)r->out_pixels * AMX_BLOCK;
	char *space = cpu_thread_space(r->d);

	for (int b = 0; b < p->left; b++)
		stream_build(&p->stream,
		    r->in +
			((long)b * batch + image) * r->in_pixels * STREAM_PIXEL,
		    n, space + (size_t)b * stream_bytes(&p->stream));
	for (int b = first; p->holes && b < last; b++)
		memset(
		    r->out + ((size_t)b * (size_t)batch + (size_t)image) * one,
		    0, (size_t)n * one * sizeof *r->out);
	for (int i = 0; i < p->n_parts; i++)
		multiply_part(r, &p->parts[i], space,
		    stream_numbers(&p->stream, &p->parts[i].map, n),
		    r->out + image * r->out_pixels * AMX_BLOCK, first, last);
}

static void
run_pass(const struct amx_run *r)
{
	const struct amx_pass *p = r->pass;
	const int batch = r->d->base.config.batch;
	const long rows = batch * r->out_pixels;
	const long pieces = p->direct
	    ? (rows + p->chunk - 1) / p->chunk
	    : (batch + p->stream.images - 1) / p->stream.images;

	PARALLEL_FOR
	for (long u = 0; u < pieces * p->splits; u++) {
		amx_begin();
		if (p->direct) {
			/* A range of rows and a share of the blocks. */
			const long first = u / p->splits * p->chunk;
			const long split = u % p->splits;

			multiply_part(r, p->parts, r->in + first * STREAM_PIXEL,
			    rows - first < p->chunk ? rows - first : p->chunk,
			    r->out + first * AMX_BLOCK,
			    (int)(p->right * split / p->splits),
			    (int)(p->right * (split + 1) / p->splits));
		} else {
			run_group(r, u);
		}
		amx_end();
	}
}

static void
amx_conv_forward(struct cpu *d, struct cpu_op *op)
{
	const struct amx_conv *a = op->own;
	const struct amx_run r = { .d = d,
		.pass = &a->forward,
		.in = cpu_at(d, op->in[0]),
		.out = cpu_at(d, op->out),
		.in_pixels = shape_pixels(d->values[op->in[0]].shape),
		.out_pixels = shape_pixels(op->node->out),
		.bias = a->bias,
		.relu = op->relu,
		.past = cpu_is_past(d, op->out),
		.sums = a->narrow ? NULL : cpu_sums_begin(d, op->out) };

	if (a->narrow)
		forward_narrow(d, op);
	else
		run_pass(&r);
}

static void
amx_conv_backward(struct cpu *d, struct cpu_op *op)
{
	const struct amx_conv *a = op->own;
	const struct amx_run r = { .d = d,
		.pass = &a->data,
		.in = cpu_buffer(d, op->dy),
		.out = cpu_buffer(d, op->dx[0]),
		.in_pixels = shape_pixels(op->node->out),
		.out_pixels = shape_pixels(d->values[op->in[0]].shape) };
	const int i = (int)(op - d->ops);

	if (op->relu) {
		cpu_relu_back(d, op);
		cpu_times_add(d->times, i, CPU_CALL_RELU_BACK);
	}
	amx_weight_gradient(d, op);
	cpu_times_add(d->times, i, CPU_CALL_WEIGHT);
	if (a->data.n_parts > 0) {
		run_pass(&r);
		cpu_times_add(d->times, i, CPU_CALL_DATA);
	}
}

static void
amx_conv_refresh(struct cpu *d, struct cpu_op *op)
{
	const struct amx_conv *a = op->own;

	if (!a->dense)
		amx_copy_weights(a, d, op->node, a->weight_tiles,
		    cpu_param(d, op->node->weight), 1);
	if (a->bias_padded)
		memcpy(a->bias, cpu_param(d, op->node->bias),
		    (size_t)op->node->out.c * sizeof *a->bias);
	/* Pack tiles into the panels of both passes, reading each once. */
	PARALLEL_FOR_2
	for (int out = 0; out < a->out_blocks; out++)
		for (int in = 0; in < a->in_blocks; in++) {
			pack_block(a, &a->forward, out, in);
			pack_block(a, &a->data, out, in);
			amx_fence();
		}
}

/* Empty if there are copies of tiles or a bias, which refresh also writes. */
static void
amx_conv_copies(const struct cpu_op *op, struct device_region *out)
{
	const struct amx_conv *a = op->own;
	const struct amx_pass *const passes[] = { &a->forward, &a->data };

	for (int i = 0; i < 2; i++)
		out[i] = a->dense && !a->bias_padded
		    ? (struct device_region){ passes[i]->weights,
			      passes[i]->weights_bytes, 1 }
		    : (struct device_region){ NULL, 0, 0 };
}

static void
amx_conv_copy(struct cpu *d, const struct cpu_op *op, float *arena,
    float *plain, int write)
{
	const struct amx_conv *a = op->own;

	if (a->dense)
		amx_copy_weights(a, d, op->node, arena, plain, write);
	else
		memcpy(write ? arena : plain, write ? plain : arena,
		    d->base.graph->params[op->node->weight].n * sizeof *plain);
}

/* Refresh writes the panels of both passes. */
static void
amx_conv_work(const struct cpu *d, const struct cpu_op *op, enum cpu_call call,
    struct call_row *row)
{
	const struct amx_conv *a = op->own;

	(void)d;
	if (call == CPU_CALL_WEIGHT_COPY)
		row->bytes += (double)a->forward.weights_bytes +
		    (double)a->data.weights_bytes;
	if (call == CPU_CALL_WEIGHT_OUT)
		row->bytes = 0;
}

static void
describe_pass(const struct amx_pass *p, struct strbuf *out)
{
	if (p->n_parts == 0)
		strbuf_addstr(out, "-");
	else if (p->direct)
		strbuf_printf(out, "%ld rows", p->chunk);
	else
		strbuf_printf(
		    out, "%d images, %d parts", p->stream.images, p->n_parts);
	if (p->splits > 1)
		strbuf_printf(out, " / %d", p->splits);
}

static void
amx_conv_describe(const struct cpu_op *op, struct strbuf *out)
{
	const struct amx_conv *a = op->own;

	strbuf_addstr(out, "AMX: ");
	if (a->narrow)
		strbuf_addstr(out, "lines");
	else
		describe_pass(&a->forward, out);
	strbuf_addstr(out, " | ");
	describe_pass(&a->data, out);
	if (a->gram.chunk > 0)
		strbuf_printf(out, " | %ld %s", a->gram.chunk,
		    a->narrow ? "lines" : "pixels");
	else
		strbuf_printf(out, " | %d images", a->gram.x.images);
	if (!a->gram.by_pixels)
		strbuf_printf(out, ", blocks in %d x %d parts",
		    a->gram.pair_parts, a->gram.turn_parts);
	if (op->relu)
		strbuf_addstr(out, ", + ReLU");
}

const struct cpu_op_kind_ops cpu_amx_conv_ops = {
	.plan = cpu_plan_product,
	.prepare = amx_conv_prepare,
	.forward = amx_conv_forward,
	.backward = amx_conv_backward,
	.refresh = amx_conv_refresh,
	.copies = amx_conv_copies,
	.copy = amx_conv_copy,
	.work = amx_conv_work,
	.describe = amx_conv_describe,
	.release = amx_conv_release,
};
