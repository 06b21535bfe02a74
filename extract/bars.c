#include <config.h>

#include "extract/bars.h"

struct samples
bars_longest(const struct samples *all)
{
	struct samples kept = SAMPLES_INIT;
	struct sample block[SAMPLES_BLOCK];
	double most = 0;
	int32_t iters = SAMPLE_NONE;

	for (size_t b = 0; b < all->n_blocks; b++) {
		const size_t n = samples_block(all, b, block);

		for (size_t i = 0; i < n; i++) {
			const struct sample *x = &block[i];

			if (x->value * x->iter > most) {
				most = x->value * x->iter;
				iters = x->iters;
			}
		}
	}
	for (size_t b = 0; b < all->n_blocks; b++) {
		const size_t n = samples_block(all, b, block);

		for (size_t i = 0; i < n; i++)
			if (block[i].iters == iters)
				samples_add(&kept, &block[i]);
	}
	return kept;
}
