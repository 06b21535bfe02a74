/* The weight gradient of a convolution by AMX.  amx_conv.c calls it. */
#include <config.h>

#include "trainer/device/cpu/amx_conv.h"

#include <assert.h>
#include <string.h>

#include "trainer/base/parallel.h"

/* The weight gradient is a product over pixels, so that one side has to be
 * turned and the other to be paired first (amx.h), a stretch of pixels at a
 * time.
 *
 * Where the weights are few, every thread takes its own stretches from
 * beginning to end and the threads' sums are added up at last.  Where they are
 * many, adding would cost too much: then the threads share each stretch and
 * each has its own part of the weights. */
enum {
	STRETCH_BYTES = 3 << 18, /* both sides of a stretch: they should stay
	                            in the second cache */
	STRETCH_PIXELS = 1024,   /* but not fewer pixels than this: else adding
	                            to the weights costs more than the rest */
	FEW_WEIGHTS = 3 << 17,   /* floats */
	LEFT_GROUP = 4,          /* left blocks that take turns with a right
	                            one while that is in the cache */
	GATHER_PIXELS = 256,     /* windows gathered at a time */
	STEP = 32                /* pixels of a product's step */
};

static long
round_up(long n, long to)
{
	return (n + to - 1) / to * to;
}

/* --- preparation --------------------------------------------------------- */

/* n cut into pieces of at most `most`, their number a multiple of threads:
 * the length of one. */
static long
even_piece(long n, long most, long threads)
{
	const long pieces = round_up((n + most - 1) / most, threads);

	return (n + pieces - 1) / pieces;
}

static void
prepare_chunks(const struct cpu *d, const struct amx_conv *a,
    struct amx_gram_pass *g, long total)
{
	const long pixel = (a->in_blocks + a->out_blocks) * STREAM_PIXEL;
	long most = STRETCH_BYTES / pixel;

	if (!g->private && most < STRETCH_PIXELS)
		most = STRETCH_PIXELS;
	g->chunk = round_up(
	    even_piece(total, most, g->private ? d->base.config.threads : 1),
	    STEP);
	if (a->narrow)
		g->chunk = round_up(g->chunk, GATHER_PIXELS);
	g->units = (total + g->chunk - 1) / g->chunk;
	g->pairs = a->swapped ? a->out_blocks : a->in_blocks;
	g->turned = a->swapped ? a->in_blocks : a->out_blocks;
	g->plane_pairs = (size_t)g->chunk * 16;
	g->numbers = g->chunk;
	g->scratch_bytes = a->narrow ? GATHER_PIXELS * a->row_bytes + 4096 : 0;
}

static void
prepare_groups(const struct cpu *d, const struct amx_conv *a,
    const struct node *n, struct amx_gram_pass *g)
{
	const int batch = d->base.config.batch;
	const long threads = g->private ? d->base.config.threads : 1;
	size_t image;
	long most;

	g->x = a->forward.stream;
	stream_set_images(&g->x, 1);
	g->planes = g->x.planes * g->x.planes;
	for (int t = 0; t < a->taps; t++)
		if (stream_tap(&g->x, t / n->kernel, t % n->kernel) % 2 != 0)
			g->copies = 2;
	g->pairs = a->in_blocks * g->planes * g->copies;
	g->turned = a->out_blocks;
	image =
	    (size_t)g->x.image * STREAM_PIXEL * (size_t)(g->pairs + g->turned);
	most = (long)(STRETCH_BYTES / image);
	if (most * g->x.image < STRETCH_PIXELS)
		most = (STRETCH_PIXELS + g->x.image - 1) / g->x.image;
	stream_set_images(&g->x,
	    (int)even_piece(batch, most < batch ? most : batch, threads));
	stream_init_output(&g->dy, n->out.h, n->out.w, &g->x);
	stream_set_images(&g->dy, g->x.images);
	g->units = (batch + g->x.images - 1) / g->x.images;
	g->plane_pairs = (size_t)g->x.plane * 16;
	g->numbers = round_up(g->x.images * g->x.image, STEP);
	g->scratch_bytes = stream_bytes(&g->x);
	if (stream_bytes(&g->dy) > g->scratch_bytes)
		g->scratch_bytes = stream_bytes(&g->dy);
}

void
amx_gram_prepare(struct cpu *d, struct cpu_op *op)
{
	struct amx_conv *a = op->own;
	struct amx_gram_pass *g = &a->gram;
	const struct node *n = op->node;
	size_t packed, thread;

	g->planes = g->copies = 1;
	g->private = a->tiles <= FEW_WEIGHTS || a->narrow;
	if (a->narrow || a->forward.direct)
		prepare_chunks(
		    d, a, g, d->base.config.batch * (long)n->out.h * n->out.w);
	else
		prepare_groups(d, a, n, g);
	g->scratch_bytes = (size_t)round_up((long)g->scratch_bytes, 4096);
	g->pairs_bytes =
	    (size_t)g->pairs * g->plane_pairs * 2 * sizeof(uint16_t);
	packed = g->pairs_bytes +
	    (size_t)g->turned * (size_t)g->numbers * STREAM_PIXEL;
	packed = (size_t)round_up((long)packed, 4096);
	g->packed_bytes = packed;
	thread = g->scratch_bytes;
	if (g->private)
		thread += packed + a->tiles * sizeof(float);
	else if (packed > d->shared_bytes)
		d->shared_bytes = packed;
	if (thread > d->thread_bytes)
		d->thread_bytes = thread;
}

/* --- repacking ----------------------------------------------------------- */

/* One weight gradient on its way, in one thread or in all. */
struct gram {
	const struct cpu *d;
	const struct cpu_op *op;
	const struct amx_conv *a;
	const struct amx_gram_pass *g;
	uint16_t *pairs;  /* [block][plane][copy][half] plane_pairs */
	uint16_t *turned; /* [block][step][half][16][32] */
	float *tiles;     /* what is added to */
	long first, n;    /* pixels or images of the current stretch */
	long steps;       /* of its product */
};

static void
use_packed_space(struct gram *m, char *space)
{
	m->pairs = (uint16_t *)(void *)space;
	m->turned = (uint16_t *)(void *)(space + m->g->pairs_bytes);
}

/* Begin with stretch u. */
static void
take_unit(struct gram *m, long u)
{
	const struct amx_gram_pass *g = m->g;
	const long batch = m->d->base.config.batch;
	const long size = g->chunk > 0 ? g->chunk : g->x.images;
	const long total = g->chunk > 0
	    ? batch * m->op->node->out.h * m->op->node->out.w
	    : batch;

	m->first = u * size;
	m->n = total - m->first < size ? total - m->first : size;
	m->steps =
	    round_up(g->chunk > 0 ? m->n : m->n * g->x.image, STEP) / STEP;
}

/* Pairs of a block's plane; copy 1 begins at the second pixel. */
static uint16_t *
pairs_at(const struct gram *m, int block, int plane, int copy)
{
	return m->pairs +
	    (((size_t)block * (size_t)m->g->planes + (size_t)plane) *
		    (size_t)m->g->copies +
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
pair_rows(const struct gram *m, const char *in, size_t row_bytes, long n,
    uint16_t *low)
{
	uint16_t *high = low + m->g->plane_pairs;
	const long even = n + n % 2, all = round_up(n, STEP);

	amx_pair_rows(in, row_bytes, n, low, high);
	memset(low + even * 16, 0, (size_t)(all - even) * 32);
	memset(high + even * 16, 0, (size_t)(all - even) * 32);
}

/* A block of the images' stretch: x into pairs, dy turned. */
static void
repack_images(const struct gram *m, int b)
{
	const struct amx_gram_pass *g = m->g;
	const int is_dy = b < m->a->out_blocks;
	const int block = is_dy ? b : b - m->a->out_blocks;
	const struct pixel_stream *s = is_dy ? &g->dy : &g->x;
	const char *from =
	    is_dy ? cpu_buffer(m->d, m->op->dy) : cpu_at(m->d, m->op->in[0]);
	char *space = cpu_thread_space(m->d);

	stream_build(s,
	    from +
		((long)block * m->d->base.config.batch + m->first) * s->h *
		    s->w * STREAM_PIXEL,
	    (int)m->n, space);
	if (is_dy) {
		amx_turn(
		    space, STREAM_PIXEL, m->n * s->image, turned_at(m, block));
		return;
	}
	for (int plane = 0; plane < g->planes; plane++)
		for (int copy = 0; copy < g->copies; copy++) {
			uint16_t *to = pairs_at(m, block, plane, copy);

			amx_pair_rows(
			    space + (plane * s->plane + copy) * STREAM_PIXEL,
			    STREAM_PIXEL, s->plane - copy, to,
			    to + g->plane_pairs);
		}
}

/* A block of the pixels' stretch. */
static void
repack_pixels(const struct gram *m, int b)
{
	const long total = m->d->base.config.batch * (long)m->op->node->out.h *
	    m->op->node->out.w;
	const char *x = cpu_at(m->d, m->op->in[0]);
	const char *dy = cpu_buffer(m->d, m->op->dy);
	const int pair = b < m->g->pairs;
	const int block = pair ? b : b - m->g->pairs;
	const char *from = (pair == m->a->swapped ? dy : x) +
	    (block * total + m->first) * STREAM_PIXEL;

	if (pair)
		pair_rows(
		    m, from, STREAM_PIXEL, m->n, pairs_at(m, block, 0, 0));
	else
		amx_turn(from, STREAM_PIXEL, m->n, turned_at(m, block));
}

/* Windows of a narrow image, gathered first. */
static void
repack_windows(const struct gram *m)
{
	const struct amx_conv *a = m->a;
	const long total = m->d->base.config.batch * (long)m->op->node->out.h *
	    m->op->node->out.w;
	const char *dy = cpu_buffer(m->d, m->op->dy);
	char *space = cpu_thread_space(m->d);

	for (long i = 0; i < m->n; i += GATHER_PIXELS) {
		const long n =
		    m->n - i < GATHER_PIXELS ? m->n - i : GATHER_PIXELS;

		amx_gather(m->d, m->op, m->first + i, n, space);
		for (int b = 0; b < a->in_blocks; b++)
			pair_rows(m, space + b * STREAM_PIXEL, a->row_bytes, n,
			    pairs_at(m, b, 0, 0) + i * 16);
	}
	for (int b = 0; b < a->out_blocks; b++)
		amx_turn(dy + (b * total + m->first) * STREAM_PIXEL,
		    STREAM_PIXEL, m->n, turned_at(m, b));
}

static void
repack_block(const struct gram *m, int b)
{
	if (m->g->chunk > 0)
		repack_pixels(m, b);
	else
		repack_images(m, b);
}

/* --- products ------------------------------------------------------------ */

/* Add one block of the weights' gradient. */
static void
multiply_block(const struct gram *m, int left, int right, int tap, int add)
{
	const struct amx_conv *a = m->a;
	const int out = a->swapped ? right : left;
	const int in = a->swapped ? left : right;
	const int k = m->op->node->kernel;
	long at = 0;
	int plane = 0;
	uint16_t *low;

	if (m->g->chunk == 0) {
		const long there = stream_tap(&m->g->x, tap / k, tap % k);

		plane = (int)(there / m->g->x.plane);
		at = there % m->g->x.plane;
	}
	low = pairs_at(m, right, plane, (int)(at % 2)) + at / 2 * 32;
	amx_gram((int)m->steps, turned_at(m, left), low,
	    low + m->g->plane_pairs, add,
	    m->tiles +
		(((size_t)out * (size_t)a->in_blocks + (size_t)in) *
			(size_t)a->taps +
		    (size_t)tap) *
		    AMX_TILES);
}

/* Pair i of a left and a right block, all taps: a few left blocks take turns
 * with each right one. */
static void
multiply_pair(const struct gram *m, int i, int add)
{
	const struct amx_conv *a = m->a;
	const int lefts = a->swapped ? a->in_blocks : a->out_blocks;
	const int rights = a->swapped ? a->out_blocks : a->in_blocks;
	const int first = i / (LEFT_GROUP * rights) * LEFT_GROUP;
	const int width =
	    lefts - first < LEFT_GROUP ? lefts - first : LEFT_GROUP;
	const int rest = i - first * rights;

	for (int tap = 0; tap < a->taps; tap++)
		multiply_block(m, first + rest % width, rest / width, tap, add);
}

/* One thread's stretches, into its own tiles. */
static void
run_private(const struct gram *all, int thread)
{
	const struct amx_gram_pass *g = all->g;
	const struct amx_conv *a = all->a;
	const int threads = all->d->base.config.threads;
	const long begin = g->units * thread / threads;
	const long end = g->units * (thread + 1) / threads;
	char *space = cpu_thread_space(all->d) + g->scratch_bytes;
	struct gram m = *all;

	use_packed_space(&m, space);
	m.tiles = (float *)(void *)(space + g->packed_bytes);
	if (begin == end)
		memset(m.tiles, 0, a->tiles * sizeof(float));
	amx_begin();
	for (long u = begin; u < end; u++) {
		take_unit(&m, u);
		if (a->narrow)
			repack_windows(&m);
		for (int b = 0; !a->narrow && b < a->in_blocks + a->out_blocks;
		     b++)
			repack_block(&m, b);
		for (int i = 0; i < a->in_blocks * a->out_blocks; i++)
			multiply_pair(&m, i, u > begin);
	}
	amx_end();
}

/* Add up what the threads have. */
static void
add_private(const struct gram *m)
{
	const struct cpu *d = m->d;
	const size_t n = m->a->tiles;
	const char *space =
	    d->thread_space + m->g->scratch_bytes + m->g->packed_bytes;

	PARALLEL_FOR
	for (size_t i = 0; i < n; i += AMX_TILES)
		for (int t = 0; t < d->base.config.threads; t++) {
			const float *own = (const float *)(const void *)(space +
					       (size_t)t * d->thread_bytes) +
			    i;

			for (int k = 0; k < AMX_TILES; k++)
				m->tiles[i + (size_t)k] = t == 0
				    ? own[k]
				    : m->tiles[i + (size_t)k] + own[k];
		}
}

static void
run_shared(struct gram *m)
{
	const int n = m->a->in_blocks * m->a->out_blocks;

	use_packed_space(m, m->d->shared_space);
	for (long u = 0; u < m->g->units; u++) {
		take_unit(m, u);
		PARALLEL_FOR
		for (int b = 0; b < m->a->in_blocks + m->a->out_blocks; b++)
			repack_block(m, b);
		PARALLEL_FOR
		for (int i = 0; i < n; i++) {
			amx_begin();
			multiply_pair(m, i, u > 0);
			amx_end();
		}
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
	struct gram m = {
		.d = d, .op = op, .a = a, .g = &a->gram, .tiles = a->grad_tiles
	};

	if (a->gram.private) {
		PARALLEL_FOR
		for (int t = 0; t < d->base.config.threads; t++)
			run_private(&m, t);
		add_private(&m);
	} else {
		run_shared(&m);
	}
	if (op->node->bias != GRAPH_NONE)
		bias_gradient(&m);
	if (!a->dense)
		amx_copy_weights(a, d, op->node, a->grad_tiles,
		    cpu_grad(d, op->node->weight), 0);
}
