/* Further questions: what limits a case, time and cost, the bandwidth for an
 * efficiency, the number of nodes until an efficiency, and the effect of a
 * change.
 *
 *	bandwidth=25Gbit/s  bandwidth=x10  compression=fp16  buckets=161:4
 *	compute=x1.5  batch=64  precision=fp16
 *
 * Changes joined by commas act together. */
#ifndef PREDICT_ANSWERS_H
#define PREDICT_ANSWERS_H

#include "common/error.h"
#include "predict/forecast/forecast.h"

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

/* Compute the parts of a measured case. Negative ones are gains.
 *
 * exposed_share, wait_share  of a step; NAN: unknown
 * sigma                      of struct scaling_series */
void diagnosis_make(const struct scaling_series *s,
    const struct scaling_case *c, double exposed_share, double wait_share,
    double sigma, double parts[N_DIAGNOSIS_PARTS]);

/* The parts of a case as its runs state them. */
void diagnosis_of(const struct scaling_series *s, const struct scaling_case *c,
    double parts[N_DIAGNOSIS_PARTS]);

/* Time and cost of a training; low and high are ends of the interval. */
struct cost_answer {
	double seconds, seconds_low, seconds_high;
	double gpu_hours;
	double cost; /* NAN without a price */
};

/* Time and cost of training on a number of samples.
 *
 * price  of a GPU-hour; NAN: cost is NAN
 *
 * All NAN where samples per second are unknown. */
struct cost_answer cost_make(const struct scaling_series *s,
    const struct forecast_case *c, double samples, double price);

/* Time and cost at a speed in samples/s. */
struct cost_answer cost_at(
    double samples, double speed, double gpus, double price);

struct bandwidth_answer {
	const struct forecast_case *of;
	double target;
	double bit_per_s; /* NAN: no rate reaches the target */
	double low, high; /* range over the unknown overlap; equal if it is
			     known */
	double best;      /* efficiency without any network */
};

/* Find the link rate at which the largest measured case of several nodes
 * reaches the target.
 *
 * Returns 0; -1 with a message that says what is missing. */
int bandwidth_find(const struct forecast *f, const struct answers_request *ask,
    struct bandwidth_answer *out, struct error *e);

struct until_answer {
	double target;         /* efficiency, a share */
	long gpus_per_node;    /* RESULT_UNKNOWN: counts are GPUs, not nodes */
	long count;            /* first count below by the median; 0: none */
	long earliest, latest; /* by the interval's ends; 0: none */
	long limit;            /* largest count searched */
};

/* Search the counts of the main row from 1 to 8 times the largest one; measured
 * counts use their measured efficiency.
 *
 * level  of the interval
 *
 * Returns 0; -1 where no row can be predicted from. */
int until_find(const struct forecast *f, double target, double level,
    struct until_answer *out);

struct what_if {
	const char *text;   /* as given; borrowed */
	double bit_per_s;   /* rate of the new link; NAN: unchanged */
	double faster;      /* factor of the link's rate; 1: unchanged */
	double compressed;  /* share of bytes left by compression; 1: all */
	double then, now;   /* messages per step; NAN: unchanged */
	double compute;     /* factor of the devices' speed */
	double batch;       /* NAN: unchanged */
	char precision[16]; /* "": unchanged */
};

/* Read one --what-if.
 *
 * Returns 0; -1 with ERROR_USAGE. */
int what_if_parse(const char *text, struct what_if *w, struct error *e);

/* Communication time of a step: measured, and as needed by the link. */
struct step_communication {
	double busy_s; /* measured; NAN: unknown */
	double link_s; /* bytes over the rate, headers included; NAN: unknown */
};

struct what_if_answer {
	struct step_range step; /* after the change */
	double before_s;        /* step before the change */
	double gamma;           /* NAN: unknown, both ends were computed */
	/* Communication before the change. */
	struct step_communication communication;
	/* 1: the answer is a bound, because communication took much longer than
	 * the link needs for its bytes, and the surplus need not scale with the
	 * link. */
	int bound;
};

/* Step time of a case of several nodes after the change.
 *
 * i  index of the forecast of c
 *
 * Returns 0; -1 with a sentence that states what is missing. */
int what_if_answer(const struct forecast_set *set,
    const struct answers_request *ask, size_t i, const struct forecast_case *c,
    const struct what_if *w, struct what_if_answer *out, struct error *e);

#endif
