/* The questions besides "what speed": time and cost, a bandwidth for an
 * efficiency; and all of them in one request, for the shows.
 */
#ifndef PREDICT_ANSWERS_H
#define PREDICT_ANSWERS_H

#include "predict/forecast/diagnosis.h"
#include "predict/forecast/forecast_set.h"
#include "predict/until.h"
#include "predict/what_if.h"

struct answers_request {
	const struct what_if *what_ifs;
	size_t n_what_ifs;
	double until; /* efficiency, a share; NAN: not asked */
	double want;  /* the same */
	int diagnose;
	double samples;   /* to train on; NAN: not asked */
	double price;     /* of a GPU-hour; NAN: not asked */
	double bandwidth; /* of the measured link, bit/s; NAN: unknown */
	const struct network_model *network;
};

/* What training takes at a case; low and high are the interval's ends. */
struct cost_answer {
	double seconds, seconds_low, seconds_high;
	double gpu_hours;
	double cost; /* NAN without a price */
};

/* The time and the cost of so many samples.
 *
 * price  of a GPU-hour; NAN: cost is NAN
 *
 * All NAN where samples per second are unknown. */
struct cost_answer cost_make(const struct scaling_series *s,
    const struct forecast_case *c, double samples, double price);

/* Seconds, GPU-hours and money at a speed, samples a second. */
struct cost_answer cost_at(
    double samples, double speed, double gpus, double price);

struct bandwidth_answer {
	const struct forecast_case *of;
	double target;
	double bit_per_s; /* NAN: no rate reaches it */
	double low, high; /* by the overlap; the same where it is known */
	double best;      /* efficiency of one node: no network does better */
};

/* The rate that brings the largest measured case of several nodes to a target.
 *
 * Returns 0; -1 with a sentence that states what is missing. */
int bandwidth_find(const struct forecast *f, const struct answers_request *ask,
    struct bandwidth_answer *out, struct error *e);

#endif
