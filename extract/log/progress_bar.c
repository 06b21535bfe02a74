/* Of the bars of a log the training's: those with as many iterations as the
 * one that took longest.  Called by the scanner once a log is read. */
#include <config.h>

#include "extract/log/progress_bar.h"

struct sample_store
progress_bar_longest(const struct sample_store *all)
{
	struct sample_store kept = SAMPLE_STORE_INIT;
	struct sample block[SAMPLE_STORE_BLOCK];
	double most = 0;
	int32_t iters = SAMPLE_NONE;

	for (size_t b = 0; b < all->n_blocks; b++) {
		const size_t n = sample_store_block(all, b, block);

		for (size_t i = 0; i < n; i++) {
			const struct sample *x = &block[i];

			if (x->value * x->iter > most) {
				most = x->value * x->iter;
				iters = x->iters;
			}
		}
	}
	for (size_t b = 0; b < all->n_blocks; b++) {
		const size_t n = sample_store_block(all, b, block);

		for (size_t i = 0; i < n; i++)
			if (block[i].iters == iters)
				sample_store_add(&kept, &block[i]);
	}
	return kept;
}
