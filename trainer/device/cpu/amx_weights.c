/* Weights between PyTorch's order and that of the tiles. amx_conv.c calls
 * it. */
#include <config.h>

#include "trainer/device/cpu/amx_conv.h"

#include "trainer/base/parallel.h"

size_t
amx_weight_at(
    const struct amx_conv *a, const struct node *n, int k, int c, int r, int t)
{
	size_t block, tap = (size_t)(r * n->kernel + t);
	int row, column;

	if (a->narrow) { /* a window's elements are the channels */
		c = amx_narrow_index(a, n->kernel, c, r, t);
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
				float *t = tiles +
				    amx_weight_at(a, n, o, c, i / k, i % k);

				*(to_tiles ? t : p) = *(to_tiles ? p : t);
			}
	}
}

/* One block's panels of one pass. */
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

/* Each tile is read once, for both passes. */
void
amx_pack_weights(const struct amx_conv *a)
{
	PARALLEL_FOR_2
	for (int out = 0; out < a->out_blocks; out++)
		for (int in = 0; in < a->in_blocks; in++) {
			pack_block(a, &a->forward, out, in);
			pack_block(a, &a->data, out, in);
			amx_fence();
		}
}
