/* All numbers of the prediction that were chosen and not measured, in one
 * table: `make predict-validate` shows what a change of one does to the errors
 * on published series.  Derivations: doc/prediction.md, "The model".
 */
#ifndef PREDICT_MODELS_CONSTANTS_H
#define PREDICT_MODELS_CONSTANTS_H

enum {
	GROWTH_RHOS = 40,  /* steps of the grid of growth */
	COST_GAINS = 5,    /* costs at or below 0: a doubling that pays */
	COST_LOSSES = 120, /* costs above 0 */
	COSTS = COST_GAINS + COST_LOSSES,
	CEILINGS = 4,   /* parts of the way to "speed stays" */
	OTHER_COSTS = 3 /* of another precision: middle, low, high */
};

struct prediction_constants {
	/* The prior of growth rho: weight rho^power exp(-rho / scale). */
	double rho_step, rho_first;
	double rho_power, rho_scale;
	/* The prior of the first doubling's cost a. */
	double gains[COST_GAINS];       /* not above 0, ascending */
	double gain_scale;              /* weight exp(-|a| / scale) */
	double gain_weight;             /* of all gains together */
	double loss_first, loss_factor; /* first * factor^(j / last) */
	double loss_middle, loss_width; /* normal in ln a */
	double loss_weight;             /* of all losses together */
	/* What the likelihood takes from a step of the row. */
	double least_step;      /* 1 + a phi below it has no weight */
	double increment_noise; /* of ln t between neighbours */
	double doubling_noise;  /* the same, more for each doubling */
	double anchor_noise;    /* of ln t of the anchor */
	double run_factor;      /* standard error of a median over cv / sqrt n:
	                           sqrt(pi / 2), normal values */
	double straggler_row;   /* of ln t for each unit of expected_largest */
	double straggler_column;
	/* Ceilings: chance for each doubling that speed stops rising. */
	double ceiling_row, ceiling_column, ceiling_saturated;
	double saturated_growth; /* of speed, a doubling, below: saturated */
	/* Siblings. */
	double pool_width;  /* of rho between siblings */
	double pool_weight; /* the rest is the published prior */
	/* Transfer from another batch size. */
	double transfer_noise, transfer_doubling_noise;
	/* Refusals and warnings. */
	double superlinear;    /* t_next / t below it is refused */
	double farthest;       /* doublings beyond the measured counts */
	double wide;           /* high / low of the 80 % interval */
	double spread;         /* cv of the runs of a case */
	double standard_level; /* of intervals, warnings and the band */
	/* The link. */
	double header_factor; /* bytes on a link over bytes of a message */
	double bucket_bytes;  /* where no bucket size is stated */
	double bucket_from;   /* share of the step before the first bucket */
	double curve_tail;    /* size over the largest one, for the slope */
	double p90_to_sigma;  /* (p95 - p5) / sigma of a normal variable */
	double not_the_link;  /* busy time over the link's: more is a bound */
	double other_precision[OTHER_COSTS]; /* its cost over this one's */
};

extern const struct prediction_constants prediction_constants;

#endif
