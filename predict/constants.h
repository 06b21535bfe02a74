/* All numbers of the prediction that were chosen, not measured.  `make
 * predict-validate` shows how a change of one affects the errors on published
 * series.  The priors were fitted to 140 published series, the noises to the
 * errors of predicting the next doubling of such series.  Derivations:
 * doc/prediction.md, "The model". */
#ifndef PREDICT_CONSTANTS_H
#define PREDICT_CONSTANTS_H

enum {
	GROWTH_RHOS = 40,  /* steps of the grid of growth */
	COST_GAINS = 5,    /* costs at or below 0: a doubling that pays */
	COST_LOSSES = 120, /* costs above 0 */
	COSTS = COST_GAINS + COST_LOSSES,
	CEILINGS = 4 /* steps from the prediction to a constant speed */
};

/* The prior of growth rho: weight rho^power exp(-rho / scale). */
#define K_RHO_STEP 0.05
#define K_RHO_FIRST 0.025
#define K_RHO_POWER 0.3
#define K_RHO_SCALE 0.35

/* The prior of the first doubling's cost a: of gains, not above 0, weight
 * exp(-|a| / scale); of losses, first * factor^(j / last), normal in ln a. */
#define K_GAINS \
	{ \
		-0.04, -0.03, -0.02, -0.01, 0 \
	}
#define K_GAIN_SCALE 0.01
#define K_GAIN_WEIGHT 0.08 /* of all gains together */
#define K_LOSS_FIRST 0.002
#define K_LOSS_FACTOR 1500
#define K_LOSS_MIDDLE 0.06
#define K_LOSS_WIDTH 1.4
#define K_LOSS_WEIGHT 0.92 /* of all losses together */

/* The likelihood of a step along a row. */
#define K_LEAST_STEP 0.05      /* 1 + a phi below it has no weight */
#define K_INCREMENT_NOISE 0.01 /* of ln t between neighbours */
#define K_DOUBLING_NOISE 0.02  /* the same, for each doubling between them */
#define K_ANCHOR_NOISE 0.01    /* of ln t of the anchor */
#define K_RUN_FACTOR \
	1.2533               /* standard error of a median over cv / sqrt n:
                                  sqrt(pi / 2), normal values */
#define K_STRAGGLER_ROW 0.03 /* of ln t for each unit of expected_largest */
#define K_STRAGGLER_COLUMN 0

/* Ceilings of the median: probability per doubling that speed stops rising. */
#define K_CEILING_ROW 0.03
#define K_CEILING_COLUMN 0.10
#define K_CEILING_SATURATED 0.9
#define K_SATURATED_GROWTH 1.35 /* speed ratio per doubling; less: saturated */

/* The interval, chosen by predict/published.figures and
 * predict/chosen.figures, checked by predict/kept.figures. */
#define K_INTERVAL_NOISE 0.4 /* of the noise of anchor and doublings */
#define K_BEND_TWO 0.06      /* probability of a bend: rows of two counts, */
#define K_BEND_CALM 0.09     /* rows of three or more counts, */
#define K_BEND_RISING 0.25   /* and after a rise, on either axis */
#define K_BEND_COLUMN 0.10
#define K_RISING \
	0.01 /* a rise: the last doubling cost more ln t than the one
			 before it, by more than this */

/* Printed with predictions of these kinds, from `make predict-validate` on all
 * three files: series, tasks outside the 80 % interval, slower tasks. */
#define K_BEYOND_SERIES "34"
#define K_BEYOND_MISSED "9 %"
#define K_BEYOND_SLOWER "9 %"
#define K_RISING_SERIES "30"
#define K_RISING_MISSED "6 %"
#define K_RISING_SLOWER "5 %"

/* Siblings. */
#define K_POOL_WIDTH 0.1  /* of rho between siblings */
#define K_POOL_WEIGHT 0.9 /* the rest is the published prior */

/* Transfer from another batch size. */
#define K_TRANSFER_NOISE 0.005
#define K_TRANSFER_DOUBLING_NOISE 0.012

/* Refusals and warnings. */
#define K_SUPERLINEAR 0.95   /* t_next / t below it is refused */
#define K_FARTHEST 3.01      /* doublings beyond the measured counts */
#define K_BEYOND 2           /* doublings; more are rare in the data */
#define K_WIDE 1.5           /* high / low of the 80 % interval */
#define K_SPREAD 0.10        /* cv of the runs of a case */
#define K_STANDARD_LEVEL 0.8 /* of intervals, warnings and the band */

/* The link. */
#define K_HEADER_FACTOR 1.045 /* bytes on a link over bytes of a message */
#define K_BUCKET_BYTES (25 * 1048576.0) /* where no bucket size is stated */
#define K_BUCKET_FROM (1.0 / 3) /* share of the step before the first bucket */
#define K_CURVE_TAIL 4          /* least ratio of the sizes for the slope */
#define K_P90_TO_SIGMA 3.29     /* (p95 - p5) / sigma of a normal variable */
#define K_NOT_THE_LINK 1.5      /* busy over link time; more: only a bound */
/* Ratio of the cost in another precision to this one's: middle, low, high. */
#define K_OTHER_PRECISION \
	{ \
		1.4, 0.6, 6 \
	}

#endif
