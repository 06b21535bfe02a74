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
		c += (r * n->kernel + t) * a->narrow;
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

/* One pass's panels of one block of its result. */
static void
pack_right(const struct amx_conv *a, const struct amx_pass *p,
    const struct amx_part *part, int right)
{
	const int data = p == &a->data;
	uint16_t *panel = p->weights + part->panels +
	    (size_t)right * (size_t)part->steps * AMX_PANEL;

	for (int left = 0; left < p->left; left++)
		for (int t = 0; t < part->n_taps; t++) {
			const int out = data ? left : right;
			const int in = data ? right : left;
			const float *tiles = a->weight_tiles +
			    (((size_t)out * (size_t)a->in_blocks + (size_t)in) *
				    (size_t)a->taps +
				(size_t)part->taps[t]) *
				AMX_TILES;

			if (p->turned)
				amx_pack_turned(tiles, panel);
			else
				amx_pack_rows(tiles, panel);
			panel += AMX_PANEL;
		}
}

void
amx_pack_weights(const struct amx_conv *a)
{
	const struct amx_pass *passes[] = { &a->forward, &a->data };

	for (int i = 0; i < 2; i++) {
		const struct amx_pass *p = passes[i];

		PARALLEL_FOR_2
		for (int right = 0; right < p->right; right++)
			for (int k = 0; k < p->n_parts; k++)
				pack_right(a, p, &p->parts[k], right);
	}
}
