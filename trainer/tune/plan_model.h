/* What each plan of gradient allreduces would cost, by a model: tensors become
 * ready one after the other while the backward pass runs, an allreduce of b
 * bytes takes alpha + beta b, and they follow each other.  A route is a way of
 * doing one (over all ranks at once or level by level, in fp32 or fp16), with
 * its own alpha and beta.
 *
 *	n = plan_model_rank(&m, choices);
 *	... choices[0] ends first ...
 */
#ifndef TRAINER_TUNE_PLAN_MODEL_H
#define TRAINER_TUNE_PLAN_MODEL_H

#include "common/strbuf.h"
#include "trainer/graph/fusion_plan.h"

enum { PLAN_MODEL_ROUTES = 4, PLAN_MODEL_CHOICES = 256 };

struct plan_route {
	const char *name;                /* static text without blanks */
	double alpha_s, beta_s_per_byte; /* >= 0; bytes of the gradients as they
	                                    are, whatever is sent */
};

/* A network's gradients and the ways they can take. */
struct plan_model {
	const struct graph *graph;
	size_t element;        /* bytes of a gradient element */
	const double *ready_s; /* [graph->n_params] ascending, in backward
	                          order; the last is the backward pass's end */
	struct plan_route routes[PLAN_MODEL_ROUTES];
	int n_routes;
};

struct plan_choice {
	struct fusion f; /* mgwfbp's times are set by plan_model_fusion() */
	double cycle_s;  /* of policy horovod; else 0 */
	int route;
	int allreduces;   /* that were simulated */
	double exposed_s; /* from the backward pass's end to the last
	                     allreduce's; >= 0 */
};

/* How long the allreduces of a choice go on after the backward pass; sets
 * allreduces and exposed_s. */
void plan_model_simulate(const struct plan_model *m, struct plan_choice *c);

/* All plans that are known: each policy, buckets and thresholds from 1 to 128
 * MiB, cycles of 1 and 5 ms, over each route; of those that are one and the
 * same plan only the first.
 *
 * choices  [PLAN_MODEL_CHOICES] out, the one that is exposed least first; of
 *          equal ones that with fewer allreduces
 *
 * Returns how many. */
int plan_model_rank(const struct plan_model *m, struct plan_choice *choices);

/* The best few that differ in policy or route, so that one of them is good
 * even where the model is wrong.
 *
 * few  [most] out
 *
 * Returns how many. */
int plan_model_best(const struct plan_choice *choices, int n, int most,
    struct plan_choice *few);

/* The fusion of a choice, for fusion_plan_make(); borrows m->ready_s. */
struct fusion plan_model_fusion(
    const struct plan_model *m, const struct plan_choice *c);

/* Add a choice's name to sb, without blanks: "ddp-first1-rest25". */
void plan_choice_name(const struct plan_choice *c, struct strbuf *sb);

#endif
