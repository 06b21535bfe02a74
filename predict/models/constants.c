/* The table of constants.  Everything in predict/ reads it, nothing writes it.
 * The priors were fitted to 140 published series, the noises to the errors of
 * predicting the next doubling of 191 of them. */
#include <config.h>

#include "predict/models/constants.h"

const struct prediction_constants prediction_constants = {
	.rho_step = 0.05,
	.rho_first = 0.025,
	.rho_power = 0.3,
	.rho_scale = 0.35,
	.gains = { -0.04, -0.03, -0.02, -0.01, 0 },
	.gain_scale = 0.01,
	.gain_weight = 0.08,
	.loss_first = 0.002,
	.loss_factor = 1500,
	.loss_middle = 0.06,
	.loss_width = 1.4,
	.loss_weight = 0.92,
	.least_step = 0.05,
	.increment_noise = 0.01,
	.doubling_noise = 0.02,
	.anchor_noise = 0.01,
	.run_factor = 1.2533,
	.straggler_row = 0.03,
	.straggler_column = 0,
	.ceiling_row = 0.03,
	.ceiling_column = 0.10,
	.ceiling_saturated = 0.9,
	.saturated_growth = 1.35,
	.pool_width = 0.1,
	.pool_weight = 0.9,
	.transfer_noise = 0.005,
	.transfer_doubling_noise = 0.012,
	.superlinear = 0.95,
	.farthest = 3.01,
	.wide = 1.5,
	.spread = 0.10,
	.standard_level = 0.8,
	.header_factor = 1.045,
	.bucket_bytes = 25 * 1048576.0,
	.bucket_from = 1.0 / 3,
	.curve_tail = 4,
	.p90_to_sigma = 3.29,
	.not_the_link = 1.5,
	.other_precision = { 1.4, 0.6, 6 },
};
