/* Prediction from another batch size; forecast.c chooses the sibling and the
 * anchor. */
#include <config.h>

#include "predict/models/transfer.h"

#include <math.h>

#include "predict/models/constants.h"

double
transfer_step(const struct transfer *f)
{
	return f->anchor + (f->sibling_target - f->sibling_anchor);
}

void
transfer_predict(const struct transfer *f, struct mixture *x)
{
	const struct prediction_constants *k = &prediction_constants;
	const double noise =
	    k->transfer_doubling_noise * log2(f->target_gpus / f->anchor_gpus);

	mixture_init(x,
	    sqrt(k->transfer_noise * k->transfer_noise + noise * noise +
		f->anchor_error * f->anchor_error));
	mixture_add(x, log(transfer_step(f)), 1);
}
