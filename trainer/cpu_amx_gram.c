#include <config.h>

#include "trainer/cpu_amx.h"

#include <assert.h>
#include <string.h>

#include "trainer/parallel.h"

enum {
	GRAM_BYTES = 1 << 20, /* both sides of what is multiplied at once */
	NARROW_STRETCH = 256, /* pixels that a thread repacks at a time */
	STEP = 32             /* pixels of a product's step */
};

static long
round_up(long n, long to)
{
	return (n + to - 1) / to * to;
}

/* --- preparation --------------------------------------------------------- */

static void
need_shared_bytes(struct cpu *d, struct amx_gram_pass *g, int pairs, int turned,
    long pair_pixels, long numbers)
{
	g->plane_pairs = (size_t)pair_pixels * 16;
	g->pairs_bytes = (size_t)pairs * g->plane_pairs * 2 * sizeof(uint16_t);
	g->turned_bytes = (size_t)turned * (size_t)numbers * STREAM_PIXEL;
	if (g->pairs_bytes + g->turned_bytes > d->shared_bytes)
		d->shared_bytes = g->pairs_bytes + g->turned_bytes;
}

static void
prepare_chunks(struct cpu *d, const struct amx_conv *a, struct amx_gram_pass *g,
    long total)
{
	const long pixel = (a->in_blocks + a->out_blocks) * STREAM_PIXEL;
	long n = (total * pixel + GRAM_BYTES - 1) / GRAM_BYTES;

	g->chunk = round_up((total + n - 1) / n, STEP);
	if (a->narrow)
		g->chunk = round_up(g->chunk, NARROW_STRETCH);
	need_shared_bytes(d, g, a->swapped ? a->out_blocks : a->in_blocks,
	    a->swapped ? a->in_blocks : a->out_blocks, g->chunk, g->chunk);
}

void
amx_gram_prepare(struct cpu *d, struct cpu_op *op)
{
	struct amx_conv *a = op->own;
	struct amx_gram_pass *g = &a->gram;
	const struct node *n = op->node;
	const int batch = d->base.config.batch;
	int planes;
	size_t image;
	long images;

	if (a->narrow || a->forward.direct) {
		prepare_chunks(d, a, g, (long)batch * n->out.h * n->out.w);
		return;
	}
	g->x = a->forward.stream;
	planes = g->x.planes * g->x.planes;
	stream_set_images(&g->x, 1);
	for (int t = 0; t < a->taps; t++)
		g->odd |= stream_tap(&g->x, t / n->kernel, t % n->kernel) %
		    g->x.plane % 2;
	image = (size_t)g->x.image * STREAM_PIXEL *
	    (size_t)(a->in_blocks * planes * (g->odd ? 2 : 1) + a->out_blocks);
	images = (long)(GRAM_BYTES / image);
	images = images < 1 ? 1 : images > batch ? batch : images;
	stream_set_images(&g->x, (int)images);
	stream_init_output(&g->dy, n->out.h, n->out.w, &g->x);
	stream_set_images(&g->dy, (int)images);
	need_shared_bytes(d, g, a->in_blocks * planes * (g->odd ? 2 : 1),
	    a->out_blocks, g->x.plane, round_up(images * g->x.image, STEP));
	if (stream_bytes(&g->x) > d->thread_bytes)
		d->thread_bytes = stream_bytes(&g->x);
	if (stream_bytes(&g->dy) > d->thread_bytes)
		d->thread_bytes = stream_bytes(&g->dy);
}

/* --- repacking ----------------------------------------------------------- */

/* One weight gradient on its way. */
struct gram {
	const struct cpu *d;
	const struct cpu_op *op;
	const struct amx_conv *a;
	const struct amx_gram_pass *g;
	uint16_t *pairs;  /* [block][plane][copy][half] plane_pairs */
	uint16_t *turned; /* [block][step][half][16][32] */
	long steps;       /* of the stretch at hand */
	int planes, copies;
};

/* Pairs of a block's plane; copy 1 begins at the second pixel. */
static uint16_t *
pairs_at(const struct gram *m, int block, int plane, int copy)
{
	return m->pairs +
	    (((size_t)block * (size_t)m->planes + (size_t)plane) *
		    (size_t)m->copies +
		(size_t)copy) *
	    2 * m->g->plane_pairs;
}

static uint16_t *
turned_at(const struct gram *m, int block)
{
	return m->turned + (size_t)block * (size_t)m->steps * AMX_PANEL;
}

/* Rows of 32 into pairs, zeros up to whole steps. */
static void
pair_stretch(const struct gram *m, const char *in, size_t row_bytes, long n,
    uint16_t *low)
{
	uint16_t *high = low + m->g->plane_pairs;
	const long even = n + n % 2, all = round_up(n, STEP);

	amx_pair_rows(in, row_bytes, n, low, high);
	memset(low + even * 16, 0, (size_t)(all - even) * 32);
	memset(high + even * 16, 0, (size_t)(all - even) * 32);
}

/* Repack one block of x into pairs, or of dy turned, for n images. */
static void
repack_x(const struct gram *m, int block, int image, int n)
{
	const struct stream *s = &m->g->x;
	const long image_bytes = (long)s->h * s->w * STREAM_PIXEL;
	const int batch = m->d->base.config.batch;
	const char *x = cpu_at(m->d, m->op->in[0]);
	char *space = cpu_thread_space(m->d);

	stream_build(
	    s, x + ((long)block * batch + image) * image_bytes, n, space);
	for (int plane = 0; plane < m->planes; plane++)
		for (int copy = 0; copy < m->copies; copy++) {
			uint16_t *to = pairs_at(m, block, plane, copy);

			amx_pair_rows(
			    space + (plane * s->plane + copy) * STREAM_PIXEL,
			    STREAM_PIXEL, s->plane - copy, to,
			    to + m->g->plane_pairs);
		}
}

static void
repack_dy(const struct gram *m, int block, int image, int n)
{
	const struct stream *s = &m->g->dy;
	const long image_bytes = (long)s->h * s->w * STREAM_PIXEL;
	const int batch = m->d->base.config.batch;
	const char *dy = cpu_buffer(m->d, m->op->dy);
	char *space = cpu_thread_space(m->d);

	stream_build(
	    s, dy + ((long)block * batch + image) * image_bytes, n, space);
	amx_turn(space, STREAM_PIXEL, n * s->image, turned_at(m, block));
}

/* --- products ------------------------------------------------------------ */

/* Block i of the weights: [out block][in block][tap]. */
static void
multiply_block(const struct gram *m, int i, int add)
{
	const struct amx_conv *a = m->a;
	const int tap = i % a->taps, in = i / a->taps % a->in_blocks;
	const int out = i / a->taps / a->in_blocks;
	const int k = m->op->node->kernel;
	const int left = a->swapped ? in : out, right = a->swapped ? out : in;
	long at = 0;
	int plane = 0;
	uint16_t *low;

	if (a->taps > 1 || m->planes > 1 || m->g->chunk == 0) {
		const long there = stream_tap(&m->g->x, tap / k, tap % k);

		plane = (int)(there / m->g->x.plane);
		at = there % m->g->x.plane;
	}
	low = pairs_at(m, right, plane, (int)(at % 2)) + at / 2 * 32;
	amx_gram((int)m->steps, turned_at(m, left), low,
	    low + m->g->plane_pairs, add,
	    a->grad_tiles + (size_t)i * AMX_TILES);
}

static void
multiply_all(const struct gram *m, int add)
{
	const int n = m->a->out_blocks * m->a->in_blocks * m->a->taps;

	PARALLEL_FOR
	for (int i = 0; i < n; i++) {
		amx_begin();
		multiply_block(m, i, add);
		amx_end();
	}
}

static void
gram_groups(struct gram *m)
{
	const int batch = m->d->base.config.batch;
	const int in = m->a->in_blocks, out = m->a->out_blocks;

	for (int image = 0; image < batch; image += m->g->x.images) {
		const int n = batch - image < m->g->x.images ? batch - image
							     : m->g->x.images;

		m->steps = round_up(n * m->g->x.image, STEP) / STEP;
		PARALLEL_FOR
		for (int b = 0; b < in + out; b++) {
			if (b < out)
				repack_dy(m, b, image, n);
			else
				repack_x(m, b - out, image, n);
		}
		multiply_all(m, image > 0);
	}
}

static void
gram_chunks(struct gram *m)
{
	const long total = m->d->base.config.batch * (long)m->op->node->out.h *
	    m->op->node->out.w;
	const char *x = cpu_at(m->d, m->op->in[0]);
	const char *dy = cpu_buffer(m->d, m->op->dy);
	const char *pair = m->a->swapped ? dy : x;
	const char *turn = m->a->swapped ? x : dy;
	const int in = m->a->in_blocks, out = m->a->out_blocks;
	const int n_pair = m->a->swapped ? out : in;

	for (long first = 0; first < total; first += m->g->chunk) {
		const long n =
		    total - first < m->g->chunk ? total - first : m->g->chunk;

		m->steps = round_up(n, STEP) / STEP;
		PARALLEL_FOR
		for (int b = 0; b < in + out; b++) {
			const int i = b < n_pair ? b : b - n_pair;
			const long at = (i * total + first) * STREAM_PIXEL;

			if (b < n_pair)
				pair_stretch(m, pair + at, STREAM_PIXEL, n,
				    pairs_at(m, i, 0, 0));
			else
				amx_turn(turn + at, STREAM_PIXEL, n,
				    turned_at(m, i));
		}
		multiply_all(m, first > 0);
	}
}

/* Windows of a narrow image, gathered and repacked a stretch at a time. */
static void
repack_narrow(const struct gram *m, long chunk, long first, long n)
{
	const struct amx_conv *a = m->a;
	const long total = m->d->base.config.batch * (long)m->op->node->out.h *
	    m->op->node->out.w;
	const char *dy = cpu_buffer(m->d, m->op->dy);
	const long at = first - chunk; /* in this chunk */
	char *space = cpu_thread_space(m->d);

	amx_gather(m->d, m->op, first, n, space);
	for (int b = 0; b < a->in_blocks; b++)
		pair_stretch(m, space + b * STREAM_PIXEL, a->row_bytes, n,
		    pairs_at(m, b, 0, 0) + at * 16);
	for (int b = 0; b < a->out_blocks; b++)
		amx_turn(dy + (b * total + first) * STREAM_PIXEL, STREAM_PIXEL,
		    n, turned_at(m, b) + at * STEP);
}

static void
gram_narrow(struct gram *m)
{
	const long total = m->d->base.config.batch * (long)m->op->node->out.h *
	    m->op->node->out.w;

	for (long first = 0; first < total; first += m->g->chunk) {
		const long end =
		    total - first < m->g->chunk ? total : first + m->g->chunk;

		m->steps = round_up(end - first, STEP) / STEP;
		PARALLEL_FOR
		for (long i = first; i < end; i += NARROW_STRETCH)
			repack_narrow(m, first, i,
			    end - i < NARROW_STRETCH ? end - i
						     : NARROW_STRETCH);
		multiply_all(m, first > 0);
	}
}

/* Sums of dy over images and pixels. */
static void
bias_gradient(const struct gram *m)
{
	const struct cpu *d = m->d;
	const struct cpu_panel panel = cpu_panel_of(d, m->op->out);
	const char *dy = cpu_buffer(d, m->op->dy);
	float *out = cpu_grad(d, m->op->node->bias);
	const int batch = d->base.config.batch;

	PARALLEL_FOR
	for (int b = 0; b < m->a->out_blocks; b++) {
		const float zero[AMX_BLOCK] = { 0 };
		double sum[AMX_BLOCK] = { 0 };

		for (int i = 0; i < batch; i++) {
			float s[AMX_BLOCK] = { 0 }, q[AMX_BLOCK] = { 0 };

			d->kernels->stats(panel,
			    dy +
				((size_t)b * (size_t)batch + (size_t)i) *
				    panel.n * sizeof(uint16_t),
			    zero, s, q);
			for (int c = 0; c < AMX_BLOCK; c++)
				sum[c] += s[c];
		}
		for (int c = 0; c < AMX_BLOCK; c++)
			if (b * AMX_BLOCK + c < m->op->node->out.c)
				out[b * AMX_BLOCK + c] = (float)sum[c];
	}
}

void
amx_weight_gradient(struct cpu *d, struct cpu_op *op)
{
	const struct amx_conv *a = op->own;
	struct gram m = { .d = d,
		.op = op,
		.a = a,
		.g = &a->gram,
		.pairs = (uint16_t *)(void *)d->shared_space,
		.turned =
		    (uint16_t *)(void *)(d->shared_space + a->gram.pairs_bytes),
		.planes = 1,
		.copies = 1 };

	if (a->narrow) {
		gram_narrow(&m);
	} else if (a->forward.direct) {
		gram_chunks(&m);
	} else {
		m.planes = a->gram.x.planes * a->gram.x.planes;
		m.copies = a->gram.odd ? 2 : 1;
		gram_groups(&m);
	}
	if (op->node->bias != GRAPH_NONE)
		bias_gradient(&m);
	if (!a->dense)
		amx_copy_weights(a, d, op->node, a->grad_tiles,
		    cpu_grad(d, op->node->weight), 0);
}
