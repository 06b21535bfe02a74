/* What limits a case: shares of its step time.
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
	DIAGNOSIS_COMMUNICATION, /* exposed communication, from the phases */
	DIAGNOSIS_INPUT,         /* waiting for data, from the phases */
	DIAGNOSIS_STRAGGLER,     /* min(loss, sigma e(N) T_base / T) */
	DIAGNOSIS_OTHER,         /* loss without the three before it */
	N_DIAGNOSIS_PARTS
};

struct diagnosis_part_row {
	const char *key;   /* in JSON */
	enum message head; /* in tables */
};

extern const struct diagnosis_part_row diagnosis_parts[N_DIAGNOSIS_PARTS];

/* Measured values of a case besides its speed. */
struct diagnosis_measured {
	double exposed_share, wait_share; /* of a step; NAN: unknown */
	double sigma; /* of one rank's compute time, relative; NAN: unknown */
};

/* Compute the parts of a measured case. Negative ones are gains. */
void diagnosis_make(const struct scaling_series *s,
    const struct scaling_case *c, const struct diagnosis_measured *measured,
    double parts[N_DIAGNOSIS_PARTS]);

/* Sigma from the audit of the one-GPU runs of the series; NAN: unknown. */
double diagnosis_sigma(const struct scaling_series *s);

/* The parts of a case as its runs state them. */
void diagnosis_of(const struct scaling_series *s, const struct scaling_case *c,
    double parts[N_DIAGNOSIS_PARTS]);

/* C, E and gamma of a case of several nodes.
 *
 * t          its device time: measured or predicted
 * bandwidth  of the measured link, bit/s; NAN: unknown
 *
 * gamma is network's, else from the phases of the measured case, else from
 * gradient bytes and the bandwidth, else NAN.
 *
 * Returns 0; -1 where T(1, g) or the seconds of a step are unknown. */
int step_parts_of(const struct forecast *f, const struct forecast_case *c,
    const struct network_model *network, double bandwidth,
    struct step_parts *out);

/* Communication time of a step: measured, and as needed by the link. */
struct step_communication {
	double busy_s; /* measured; NAN: unknown */
	double link_s; /* bytes over the rate, headers included; NAN: unknown */
};

/* Communication times of a case.
 *
 * network    its gradient_bytes are used, else the bytes stated by the runs
 * bandwidth  of the measured link, bit/s; NAN: unknown */
struct step_communication step_communication_of(const struct forecast_case *c,
    const struct network_model *network, double bandwidth);

#endif
