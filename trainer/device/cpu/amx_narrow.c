/* The first convolution, of images with few channels (amx_conv.h).  A row of a
 * window is kernel * channels words that lie one after the other in the input,
 * and the windows of a line of the output begin stride * channels words apart:
 * so tiles are loaded, and rows are paired, where the image lies.  What a piece
 * of 32 words holds beyond its row of the window meets weights of 0.
 *
 * amx_conv.c and amx_gram.c call it. */
#include <config.h>

#include <assert.h>

#include "trainer/base/parallel.h"
#include "trainer/device/cpu/amx_conv.h"

/* Pieces of a row of a window. */
static int
row_pieces(int channels, int kernel)
{
	return (kernel * channels + AMX_BLOCK - 1) / AMX_BLOCK;
}

int
amx_narrow_blocks(int channels, int kernel)
{
	return kernel * row_pieces(channels, kernel);
}

/* Bytes of a row of the input, its padding included. */
static size_t
input_row(const struct cpu *d, const struct cpu_op *op)
{
	const struct cpu_value *x = &d->values[op->in[0]];

	return (size_t)(x->shape.w + 2 * x->pad) * (size_t)x->shape.c *
	    sizeof(uint16_t);
}

void
amx_narrow_prepare(
    const struct cpu *d, const struct cpu_op *op, struct amx_conv *a)
{
	const int pieces = row_pieces(a->narrow, op->node->kernel);

	a->row_bytes =
	    (size_t)(op->node->stride * a->narrow) * sizeof(uint16_t);
	for (int b = 0; b < a->in_blocks; b++)
		a->forward.parts->pieces[b] =
		    (ptrdiff_t)((size_t)(b / pieces) * input_row(d, op)) +
		    b % pieces * STREAM_PIXEL;
}

int
amx_narrow_index(const struct amx_conv *a, int kernel, int c, int r, int t)
{
	const int word = t * a->narrow + c;

	return r * row_pieces(a->narrow, kernel) * AMX_BLOCK + word;
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

void
amx_narrow_forward(struct cpu *d, const struct cpu_op *op)
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
