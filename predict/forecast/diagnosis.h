/* What limits a case: shares of its step, and the steps they are made of.
 */
#ifndef PREDICT_FORECAST_DIAGNOSIS_H
#define PREDICT_FORECAST_DIAGNOSIS_H

#include "predict/forecast/forecast.h"
#include "predict/models/network_model.h"

/* Shares of T(n, g) that a diagnosis has; NAN where it was not measured. */
enum diagnosis_part {
	DIAGNOSIS_LOSS,          /* 1 - efficiency */
	DIAGNOSIS_WITHIN_NODES,  /* (T(1, g) - T(1, 1)) / T */
	DIAGNOSIS_BETWEEN_NODES, /* (T(n, g) - T(1, g)) / T */
	DIAGNOSIS_COMMUNICATION, /* exposed, of the phases */
	DIAGNOSIS_INPUT,         /* waiting for data, of the phases */
	DIAGNOSIS_STRAGGLER,     /* min(loss, sigma e(N) T_base / T) */
	DIAGNOSIS_OTHER,         /* loss without the three before it */
	N_DIAGNOSIS_PARTS
};

struct diagnosis_part_row {
	const char *key;  /* in JSON */
	const char *head; /* in tables */
};

extern const struct diagnosis_part_row diagnosis_parts[N_DIAGNOSIS_PARTS];

/* What is measured of a case besides its speed. */
struct diagnosis_measured {
	double exposed_share, wait_share; /* of a step; NAN: unknown */
	double sigma; /* of one rank's compute time, relative; NAN: unknown */
};

/* The parts of a measured case.  Negative ones stay: a gain. */
void diagnosis_make(const struct scaling_series *s,
    const struct scaling_case *c, const struct diagnosis_measured *measured,
    double parts[N_DIAGNOSIS_PARTS]);

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
