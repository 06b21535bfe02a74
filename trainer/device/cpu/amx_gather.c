/* The window of each output pixel, gathered as a row. amx_conv.c and
 * amx_gram.c call it. */
#include <config.h>

#include <string.h>

#include "trainer/device/cpu/amx_conv.h"

void
amx_gather(
    const struct cpu *d, const struct cpu_op *op, long first, long n, char *out)
{
	const struct node *node = op->node;
	const struct amx_conv *a = op->own;
	const struct shape in = d->values[op->in[0]].shape;
	const uint16_t *x = cpu_at(d, op->in[0]);
	const long w = in.w + 2 * node->pad, h = in.h + 2 * node->pad;
	const long row = w * in.c;
	const long pixels = (long)node->out.h * node->out.w;

	for (long i = first; i < first + n; i++, out += a->row_bytes) {
		const long image = i / pixels;
		const long y = i % pixels / node->out.w;
		const long column = i % node->out.w;

		memset(out + a->row_bytes - STREAM_PIXEL, 0, STREAM_PIXEL);
		amx_copy_segments(x + (image * h + y * node->stride) * row +
			column * node->stride * in.c,
		    (size_t)row, node->kernel, node->kernel * in.c,
		    (uint16_t *)(void *)out);
	}
}
