/* The questions besides "what speed": time and cost, a bandwidth for an
 * efficiency, the nodes up to which efficiency is kept, and what a change would
 * do.
 *
 *	bandwidth=25Gbit/s  bandwidth=x10  compression=fp16  buckets=161:4
 *	compute=x1.5  batch=64  precision=fp16
 *
 * Changes joined by commas act together. */
#ifndef PREDICT_ANSWERS_H
#define PREDICT_ANSWERS_H

#include "common/error.h"
#include "predict/forecast/diagnosis.h"
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

struct until_answer {
	double target;         /* efficiency, a share */
	long gpus_per_node;    /* RESULT_UNKNOWN: counts are GPUs, not nodes */
	long count;            /* the first below, by the median; 0: none */
	long earliest, latest; /* by the interval's ends; 0: none */
	long limit;            /* counts up to here were looked at */
};

/* Walk the counts of the main row from 1 to 8 times the largest one; measured
 * ones are taken as they are.
 *
 * level  of the interval
 *
 * Returns 0; -1 where no row can be predicted from. */
int until_find(const struct forecast *f, double target, double level,
    struct until_answer *out);

struct what_if {
	const char *text;   /* as given; borrowed */
	double bit_per_s;   /* of the new link; NAN: not changed so */
	double faster;      /* the link, by x; 1: not changed so */
	double compressed;  /* q of compression; 1: none */
	double then, now;   /* messages a step; NAN: not changed */
	double compute;     /* devices so many times as fast */
	double batch;       /* NAN: not changed */
	char precision[16]; /* "": not changed */
};

/* Read one --what-if.
 *
 * Returns 0; -1 with ERROR_USAGE. */
int what_if_parse(const char *text, struct what_if *w, struct error *e);

struct what_if_answer {
	struct step_range step; /* after the change */
	double before_s;        /* the step as it is */
	double gamma;           /* NAN: unknown, both ends were reckoned */
	/* Communication before the change. */
	struct step_communication communication;
	/* Was the link busy much longer than its bytes take, and is that time
	 * changed with the link's?  The answer is a bound then: neither is a
	 * slower link so slow, nor a faster one so fast. */
	int bound;
};

/* The step of a case of several nodes after the change.
 *
 * i  of the forecast that c is of
 *
 * Returns 0; -1 with a sentence that states what is missing. */
int what_if_answer(const struct forecast_set *set,
    const struct answers_request *ask, size_t i, const struct forecast_case *c,
    const struct what_if *w, struct what_if_answer *out, struct error *e);

#endif
