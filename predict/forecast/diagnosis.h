/* What limits a case: shares of its step, and the steps they are made of.
 */
#ifndef PREDICT_FORECAST_DIAGNOSIS_H
#define PREDICT_FORECAST_DIAGNOSIS_H

#include "predict/forecast/forecast.h"
#include "predict/models/network_model.h"

/* Shares of T(n, g); NAN where it was not measured. */
struct diagnosis {
	const struct scaling_case *of;
	double loss;          /* 1 - efficiency */
	double within_nodes;  /* (T(1, g) - T(1, 1)) / T */
	double between_nodes; /* (T(n, g) - T(1, g)) / T */
	double communication; /* exposed, of the phases */
	double input;         /* waiting for data, of the phases */
	double straggler;     /* min(loss, sigma e(N) T_base / T) */
	double other;         /* loss without the last three; NAN: no phases */
};

/* What is measured of a case besides its speed. */
struct diagnosis_measured {
	double exposed_share, wait_share; /* of a step; NAN: unknown */
	double sigma; /* of one rank's compute time, relative; NAN: unknown */
};

/* The parts of a measured case.  Negative ones stay: a gain. */
struct diagnosis diagnosis_make(const struct scaling_series *s,
    const struct scaling_case *c, const struct diagnosis_measured *measured);

/* The shares of a case from its runs, and sigma from the audit of a one-GPU
 * run of the series. */
struct diagnosis_measured diagnosis_measured_of(
    const struct scaling_series *s, const struct scaling_case *c);

/* C, E and gamma of a case of several nodes.
 *
 * t          its device time: measured or predicted
 * bandwidth  of the measured link, bit/s; NAN: unknown
 *
 * gamma is what network asks for, else from the phases of the measured case,
 * else from gradient bytes and the bandwidth, else NAN.
 *
 * Returns 0; -1 where T(1, g) or the seconds of a step are unknown. */
int step_parts_of(const struct forecast *f, const struct forecast_case *c,
    const struct network_model *network, double bandwidth,
    struct step_parts *out);

/* Communication of a step: what it was busy, and what the link needs for it. */
struct step_communication {
	double busy_s; /* measured; NAN: unknown */
	double link_s; /* bytes over the rate, headers included; NAN: unknown */
};

/* Those of a case.
 *
 * network    its gradient_bytes count, else the bytes that the runs noted
 * bandwidth  of the measured link, bit/s; NAN: unknown */
struct step_communication step_communication_of(const struct forecast_case *c,
    const struct network_model *network, double bandwidth);

#endif
