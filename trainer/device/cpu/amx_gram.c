/* Weight gradient of a convolution on AMX. */
#include <config.h>

#include "trainer/device/cpu/amx_conv.h"

#include <string.h>

#include "trainer/base/parallel.h"

/* The weight gradient is a product over pixels: one side has to be transposed
 * and the other paired first (amx.h), a stretch of pixels at a time.
 *
 * With few weights, each thread processes its own stretches and the threads'
 * sums are added at the end. With many weights that costs too much, and one
 * thread has nothing to add: each thread then processes all stretches for its
 * own blocks of weights. A thread repacks all that it multiplies, so that it is
 * in its own L2 cache. */
enum {
	STRETCH_BYTES = 3 << 18, /* both sides of a stretch, in the L2 cache */
	STRETCH_PIXELS = 512,    /* minimum: with fewer pixels, adding to the
	                            weights costs more than the rest */
	MANY_WEIGHTS = 1 << 20,  /* doubles the minimum if a thread has more
	                            floats than this */
	FEW_WEIGHTS = 3 << 16,   /* floats */
	LEFT_GROUP = 4,          /* left blocks per cached right block */
	STEP = 32                /* pixels per step of a product */
};

static long
round_up(long n, long to)
{
	return (n + to - 1) / to * to;
}

/* --- preparation --------------------------------------------------------- */

/* Divide n into pieces of at most `most`, their number a multiple of threads.
 * Returns the length of a piece. */
static long
even_piece(long n, long most, long threads)
{
	const long pieces = round_up((n + most - 1) / most, threads);

	return (n + pieces - 1) / pieces;
}

/* Blocks of the largest of `parts` parts. */
static int
part_blocks(int blocks, int parts)
{
	return (blocks + parts - 1) / parts;
}

/* Divide the weights' blocks along both sides so that a thread has as few as
 * possible and, among equal divisions, repacks as little as possible. copies:
 * pair copies per paired block. Some threads may have no blocks. */
static void
divide_blocks(const struct cpu *d, int copies, struct amx_gram_pass *g)
{
	const int threads = d->base.config.threads;
	long least = 0, least_packed = 0;

	for (int p = 1; p <= threads && p <= g->pairs; p++) {
		const int t = threads / p < g->turned ? threads / p : g->turned;
		const int pairs = part_blocks(g->pairs, p);
		const int turned = part_blocks(g->turned, t);
		const long blocks = (long)pairs * turned;
		const long packed = (long)pairs * copies + turned;

		if (p > 1 &&
		    (blocks > least ||
			(blocks == least && packed >= least_packed)))
			continue;
		least = blocks;
		least_packed = packed;
		g->pair_parts = p;
		g->turn_parts = t;
	}
}

static long
least_pixels(const struct cpu *d, const struct amx_conv *a)
{
	return a->tiles / (size_t)d->base.config.threads > MANY_WEIGHTS
	    ? 2 * STRETCH_PIXELS
	    : STRETCH_PIXELS;
}

static void
prepare_chunks(const struct cpu *d, const struct amx_conv *a,
    const struct node *n, struct amx_gram_pass *g)
{
	const long pixel = (g->own_pairs + g->own_turned) * STREAM_PIXEL;
	long most, total;

	g->width = a->narrow ? n->out.w : 1;
	g->line = a->narrow ? round_up(n->out.w, 2) : 1;
	total = d->base.config.batch * (long)n->out.h * n->out.w / g->width;
	most = STRETCH_BYTES / pixel / g->line;
	if (!g->by_pixels && most < least_pixels(d, a))
		most = least_pixels(d, a);
	g->chunk = even_piece(total, most > 0 ? most : 1,
	    g->by_pixels ? d->base.config.threads : 1);
	if (!a->narrow)
		g->chunk = round_up(g->chunk, STEP);
	g->units = (total + g->chunk - 1) / g->chunk;
	g->numbers = round_up(g->chunk * g->line, STEP);
	g->plane_pairs = (size_t)g->numbers * 16;
	if (g->line > g->width)
		g->scratch_bytes = (size_t)(g->chunk * g->line) * STREAM_PIXEL;
}

static void
prepare_groups(const struct cpu *d, const struct amx_conv *a,
    const struct node *n, struct amx_gram_pass *g)
{
	const int batch = d->base.config.batch;
	const long threads = g->by_pixels ? d->base.config.threads : 1;
	size_t image;
	long most;

	image = (size_t)g->x.image * STREAM_PIXEL *
	    (size_t)(g->own_pairs * g->planes * g->copies + g->own_turned);
	most = (long)(STRETCH_BYTES / image);
	if (most * g->x.image < least_pixels(d, a))
		most = (least_pixels(d, a) + g->x.image - 1) / g->x.image;
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
	const int chunks = a->narrow || a->forward.direct;
	long step, least;
	size_t thread;

	g->planes = g->copies = 1;
	if (!chunks) {
		g->x = a->forward.stream;
		stream_set_images(&g->x, 1);
		g->planes = g->x.planes * g->x.planes;
		for (int t = 0; t < a->taps; t++)
			if (stream_tap(&g->x, t / n->kernel, t % n->kernel) %
				2 !=
			    0)
				g->copies = 2;
	}
	/* Divide weights and pixels between the threads. */
	g->pairs = a->swapped ? a->out_blocks : a->in_blocks;
	g->turned = a->swapped ? a->in_blocks : a->out_blocks;
	g->pair_parts = g->turn_parts = 1;
	g->by_pixels = a->narrow ||
	    (a->tiles <= FEW_WEIGHTS && d->base.config.threads > 1);
	if (!g->by_pixels)
		divide_blocks(d, g->planes * g->copies, g);
	g->own_pairs = part_blocks(g->pairs, g->pair_parts);
	g->own_turned = part_blocks(g->turned, g->turn_parts);
	if (chunks)
		prepare_chunks(d, a, n, g);
	else
		prepare_groups(d, a, n, g);
	/* Repack an image larger than a stretch as a whole, and multiply it in
	 * pieces. */
	step = STEP * STREAM_PIXEL *
	    ((long)g->own_pairs * g->planes * g->copies + g->own_turned);
	least = least_pixels(d, a) / STEP;
	g->piece = STRETCH_BYTES / step > least ? STRETCH_BYTES / step : least;
	g->scratch_bytes = (size_t)round_up((long)g->scratch_bytes, 4096);
	g->pairs_bytes = (size_t)(g->own_pairs * g->planes * g->copies) *
	    g->plane_pairs * 2 * sizeof(uint16_t);
	g->packed_bytes = (size_t)round_up(
	    (long)(g->pairs_bytes +
		(size_t)g->own_turned * (size_t)g->numbers * STREAM_PIXEL),
	    4096);
	thread = g->scratch_bytes + g->packed_bytes;
	if (g->by_pixels)
		thread += a->tiles * sizeof(float);
	if (thread > d->thread_bytes)
		d->thread_bytes = thread;
}

/* --- repacking ----------------------------------------------------------- */

/* State of a thread in one weight gradient. */
struct gram {
	const struct cpu *d;
	const struct cpu_op *op;
	const struct amx_conv *a;
	const struct amx_gram_pass *g;
	uint16_t *pairs;  /* [block][plane][copy][half] plane_pairs */
	uint16_t *turned; /* [block][step][half][16][32] */
	float *tiles;     /* accumulated result */
	int pair0, pair1; /* blocks of the paired side of this thread */
	int turn0, turn1; /* blocks of the transposed side */
	long first, n;    /* pixels, lines or images of the current stretch */
	long steps;       /* steps of its product */
};

/* Set the blocks and the scratch of a thread. */
static void
take_blocks(struct gram *m, int thread)
{
	const struct amx_gram_pass *g = m->g;
	const int pair = thread % g->pair_parts;
	const int turn = thread / g->pair_parts % g->turn_parts;
	char *space = cpu_thread_space(m->d) + g->scratch_bytes;

	m->pairs = (uint16_t *)(void *)space;
	m->turned = (uint16_t *)(void *)(space + g->pairs_bytes);
	if (g->by_pixels)
		m->tiles = (float *)(void *)(space + g->packed_bytes);
	if (thread >= g->pair_parts * g->turn_parts && !g->by_pixels) {
		m->pair0 = m->pair1 = m->turn0 = m->turn1 = 0;
		return;
	}
	m->pair0 = g->pairs * pair / g->pair_parts;
	m->pair1 = g->pairs * (pair + 1) / g->pair_parts;
	m->turn0 = g->turned * turn / g->turn_parts;
	m->turn1 = g->turned * (turn + 1) / g->turn_parts;
}

/* Pairs of a block's plane; copy 1 starts at the second pixel. */
static uint16_t *
pairs_at(const struct gram *m, int block, int plane, int copy)
{
	return m->pairs +
	    (((size_t)(block - m->pair0) * (size_t)m->g->planes +
		 (size_t)plane) *
		    (size_t)m->g->copies +
		(size_t)copy) *
	    2 * m->g->plane_pairs;
}

static uint16_t *
turned_at(const struct gram *m, int block)
{
	return m->turned +
	    (size_t)(block - m->turn0) * (size_t)m->steps * AMX_PANEL;
}

/* Build the stream of a block for a stretch of images, in thread scratch. */
static char *
stream_block(const struct gram *m, const struct pixel_stream *s,
    const char *from, int block)
{
	char *space = cpu_thread_space(m->d);

	stream_build(s,
	    from +
		((long)block * m->d->base.config.batch + m->first) * s->h *
		    s->w * STREAM_PIXEL,
	    (int)m->n, space);
	return space;
}

static void
repack_images(const struct gram *m)
{
	const struct amx_gram_pass *g = m->g;
	const char *x = cpu_at(m->d, m->op->in[0]);
	const char *dy = cpu_buffer(m->d, m->op->dy);

	for (int b = m->turn0; b < m->turn1; b++)
		amx_turn(stream_block(m, &g->dy, dy, b), STREAM_PIXEL,
		    m->n * g->dy.image, turned_at(m, b));
	for (int b = m->pair0; b < m->pair1; b++) {
		const char *space = stream_block(m, &g->x, x, b);

		for (int i = 0; i < g->planes * g->copies; i++) {
			const int plane = i / g->copies, copy = i % g->copies;
			uint16_t *to = pairs_at(m, b, plane, copy);

			amx_pair_rows(
			    space + (plane * g->x.plane + copy) * STREAM_PIXEL,
			    STREAM_PIXEL, g->x.plane - copy, to,
			    to + g->plane_pairs);
		}
	}
}

/* Repack a stretch of pixels without a stream. */
static void
repack_pixels(const struct gram *m)
{
	const long total = m->d->base.config.batch * (long)m->op->node->out.h *
	    m->op->node->out.w;
	const char *x = cpu_at(m->d, m->op->in[0]);
	const char *dy = cpu_buffer(m->d, m->op->dy);
	const char *pairs = m->a->swapped ? dy : x;
	const char *turned = m->a->swapped ? x : dy;

	/* Pair rows of 32, padded with zeros to whole steps. */
	for (int b = m->pair0; b < m->pair1; b++) {
		uint16_t *low = pairs_at(m, b, 0, 0);
		uint16_t *high = low + m->g->plane_pairs;
		const long even = m->n + m->n % 2;
		const size_t rest = (size_t)(round_up(m->n, STEP) - even) * 32;

		amx_pair_rows(pairs + (b * total + m->first) * STREAM_PIXEL,
		    STREAM_PIXEL, m->n, low, high);
		memset(low + even * 16, 0, rest);
		memset(high + even * 16, 0, rest);
	}
	for (int b = m->turn0; b < m->turn1; b++)
		amx_turn(turned + (b * total + m->first) * STREAM_PIXEL,
		    STREAM_PIXEL, m->n, turned_at(m, b));
}

/* Pair one block of words of the windows of all lines. */
static void
pair_windows(const struct gram *m, int block)
{
	const struct amx_conv *a = m->a;
	const long line = m->g->line, end = m->n * line;
	uint16_t *low = pairs_at(m, block, 0, 0);
	uint16_t *high = low + m->g->plane_pairs;
	const size_t rest = (size_t)(m->steps * STEP - end) * 32;

	for (long i = 0; i < m->n; i++)
		amx_pair_rows(amx_narrow_line(m->d, m->op, m->first + i) +
			a->forward.parts->pieces[block],
		    a->row_bytes, m->g->width, low + i * line * 16,
		    high + i * line * 16);
	memset(low + end * 16, 0, rest);
	memset(high + end * 16, 0, rest);
}

/* Pad the lines of dy to an even number of pixels. */
static const char *
even_lines(const struct gram *m, const char *dy)
{
	const size_t width = (size_t)m->g->width * STREAM_PIXEL;
	const size_t line = (size_t)m->g->line * STREAM_PIXEL;
	char *space = cpu_thread_space(m->d);

	if (line == width)
		return dy;
	for (long i = 0; i < m->n; i++) {
		char *to = space + (size_t)i * line;

		memcpy(to, dy + (size_t)i * width, width);
		memset(to + width, 0, line - width);
	}
	return space;
}

static void
repack_windows(const struct gram *m)
{
	const struct node *n = m->op->node;
	const long total = m->d->base.config.batch * (long)n->out.h * n->out.w;
	const char *dy = cpu_buffer(m->d, m->op->dy);

	for (int b = 0; b < m->a->in_blocks; b++)
		pair_windows(m, b);
	for (int b = 0; b < m->a->out_blocks; b++)
		amx_turn(even_lines(m,
			     dy +
				 (b * total + m->first * m->g->width) *
				     STREAM_PIXEL),
		    STREAM_PIXEL, m->n * m->g->line, turned_at(m, b));
}

/* --- products ------------------------------------------------------------ */

static float *
tiles_at(const struct gram *m, int left, int right, int tap)
{
	const struct amx_conv *a = m->a;
	const int out = a->swapped ? right : left;
	const int in = a->swapped ? left : right;

	return m->tiles +
	    (((size_t)out * (size_t)a->in_blocks + (size_t)in) *
		    (size_t)a->taps +
		(size_t)tap) *
	    AMX_TILES;
}

/* Add n steps to one block of the weight gradient; next is prefetched. */
static void
multiply_block(const struct gram *m, int left, int right, int tap, long step,
    long n, int add, const float *next)
{
	const int k = m->op->node->kernel;
	long at = 0;
	int plane = 0;
	uint16_t *low;

	if (m->g->chunk == 0) {
		const long there = stream_tap(&m->g->x, tap / k, tap % k);

		plane = (int)(there / m->g->x.plane);
		at = there % m->g->x.plane;
	}
	low = pairs_at(m, right, plane, (int)(at % 2)) + at / 2 * 32 +
	    step * AMX_PANEL / 2;
	amx_gram((int)n, turned_at(m, left) + step * AMX_PANEL, low,
	    low + m->g->plane_pairs, add, tiles_at(m, left, right, tap), next);
}

/* Tiles to prefetch after block i of the n that combine one right block with
 * left blocks from `first` on; arbitrary tiles after the last right block. */
static const float *
tiles_after(const struct gram *m, int first, int right, int i, int n)
{
	const int taps = m->a->taps;

	i++;
	if (i < n)
		return tiles_at(m, first + i / taps, right, i % taps);
	return tiles_at(m, first, right + 1 < m->pair1 ? right + 1 : right, 0);
}

/* Multiply all blocks of the thread over n steps; a group of left blocks shares
 * each right block. */
static void
multiply_piece(const struct gram *m, long step, long n, int add)
{
	const int taps = m->a->taps;

	for (int first = m->turn0; first < m->turn1; first += LEFT_GROUP) {
		const int blocks = taps *
		    (m->turn1 - first < LEFT_GROUP ? m->turn1 - first
						   : LEFT_GROUP);

		for (int right = m->pair0; right < m->pair1; right++)
			for (int i = 0; i < blocks; i++)
				multiply_block(m, first + i / taps, right,
				    i % taps, step, n, add,
				    tiles_after(m, first, right, i, blocks));
	}
}

/* Run a thread: its pixels into its own tiles, or all pixels for its blocks. */
static void
run_thread(const struct gram *all, int thread)
{
	const struct amx_gram_pass *g = all->g;
	const int threads = all->d->base.config.threads;
	const long begin = g->by_pixels ? g->units * thread / threads : 0;
	const long end =
	    g->by_pixels ? g->units * (thread + 1) / threads : g->units;
	const long batch = all->d->base.config.batch;
	const struct shape out = all->op->node->out;
	const long size = g->chunk > 0 ? g->chunk : g->x.images;
	const long total =
	    g->chunk > 0 ? batch * out.h * out.w / g->width : batch;
	const long each = g->chunk > 0 ? g->line : g->x.image;
	struct gram m = *all;
	long pieces;

	take_blocks(&m, thread);
	if (begin == end)
		memset(m.tiles, 0, m.a->tiles * sizeof(float));
	amx_begin();
	for (long u = begin; u < end; u++) {
		m.first = u * size;
		m.n = total - m.first < size ? total - m.first : size;
		m.steps = round_up(m.n * each, STEP) / STEP;
		if (m.a->narrow)
			repack_windows(&m);
		else if (g->chunk > 0)
			repack_pixels(&m);
		else
			repack_images(&m);
		/* In pieces of less than twice g->piece. */
		pieces = m.steps < g->piece ? 1 : m.steps / g->piece;
		for (long i = 0; i < pieces; i++) {
			const long step = m.steps * i / pieces;

			multiply_piece(&m, step,
			    m.steps * (i + 1) / pieces - step,
			    u > begin || i > 0);
		}
	}
	amx_end();
}

/* Sum the tiles of all threads. */
static void
add_tiles(const struct gram *m)
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

/* Sum dy over images and pixels. */
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

	PARALLEL_FOR
	for (int t = 0; t < d->base.config.threads; t++)
		run_thread(&m, t);
	if (a->gram.by_pixels)
		add_tiles(&m);
	if (op->node->bias != GRAPH_NONE)
		bias_gradient(&m);
	if (!a->dense)
		amx_copy_weights(a, d, op->node, a->grad_tiles,
		    cpu_grad(d, op->node->weight), 0);
}
