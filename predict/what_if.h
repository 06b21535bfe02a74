/* What would be if something were changed: --what-if and its answers.
 *
 *	bandwidth=25Gbit/s  bandwidth=x10  compression=fp16  buckets=161:4
 *	compute=x1.5  batch=64  precision=fp16
 *
 * Those joined by commas act together.
 */
#ifndef PREDICT_WHAT_IF_H
#define PREDICT_WHAT_IF_H

#include "common/error.h"
#include "predict/forecast/diagnosis.h"
#include "predict/forecast/forecast_set.h"

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

/* What changes act on. */
struct what_if_context {
	const struct forecast_set *set;
	const struct network_model *network;
	double bandwidth; /* of the measured link; NAN: unknown */
};

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
int what_if_answer(const struct what_if_context *context, size_t i,
    const struct forecast_case *c, const struct what_if *w,
    struct what_if_answer *out, struct error *e);

#endif
