/* Cost model of plans of gradient allreduces. Tensors become ready one after
 * the other during the backward pass; allreduces run one after the other, and
 * one of b bytes takes alpha + beta b. If a rank has no idle core, its
 * allreduces take CPU time from the backward pass, which delays later tensors,
 * and are slower themselves during the pass. A route is an algorithm of an
 * allreduce (over all ranks at once or level by level, in fp32 or fp16) with
 * its own costs.
 *
 *	plan_routes_fit(m.routes, m.n_routes, 0, samples, n_samples);
 *	n = plan_model_rank(&m, choices);
 *	... choices[0] ends first ...
 */
#ifndef TRAINER_TUNE_PLAN_MODEL_H
#define TRAINER_TUNE_PLAN_MODEL_H

#include <stdint.h>

#include "common/alloc.h"
#include "trainer/graph/fusion_plan.h"

enum { PLAN_MODEL_ROUTES = 4, PLAN_MODEL_CHOICES = 256 };

/* alpha + beta * bytes of the uncompressed gradients; both >= 0. */
struct plan_cost {
	double alpha_s, beta_s_per_byte;
};

/* Features of a route, as bits. */
enum { PLAN_ROUTE_LEVELS = 1, PLAN_ROUTE_HALF = 2 };

struct plan_route {
	const char *name;        /* static text without blanks */
	unsigned kind;           /* PLAN_ROUTE_... */
	struct plan_cost rest;   /* an allreduce while nothing else runs */
	struct plan_cost loaded; /* during the backward pass; >= rest */
	struct plan_cost cpu;    /* taken from the backward pass; 0: a core is
	                            idle */
};

/* A measured allreduce of a training step. */
struct plan_sample {
	double bytes, seconds;
	double overlap; /* fraction during the backward pass; 0 .. 1 */
};

/* Start and end of an allreduce on this rank. */
struct plan_span {
	double bytes, start_s, end_s;
};

/* A network's gradients and the routes for them. */
struct plan_model {
	const struct graph *graph;
	size_t element;        /* size of a gradient element in bytes */
	const double *ready_s; /* [graph->n_params] ascending, in backward
	                          order; the last is the end of the backward
	                          pass */
	struct plan_route routes[PLAN_MODEL_ROUTES];
	int n_routes;
};

struct plan_choice {
	struct fusion f; /* plan_model_fusion() sets mgwfbp's times */
	double cycle_s;  /* cycle time for policy horovod, else 0 */
	int merge; /* policy mgwfbp: factor of alpha, a larger one merges more;
	              0 means 1 */
	int route;
	int allreduces; /* number of simulated allreduces */
	uint64_t hash;  /* differs for choices that act differently */
	double added_s; /* from the end of a backward pass without allreduces to
	                   the end of the last allreduce; >= 0 */
};

/* Seconds by which a second of an allreduce's CPU time extends the backward
 * pass: 0 if a rank has one core more than compute threads, 1 if it has no
 * more, and above 1 if it has less than one core, as CPU time then takes
 * longer.
 *
 * cores  cores of a rank, counting its share of shared ones; > 0
 * ran    fraction of their runnable time in which its threads ran; 0 < ran <=
 *        1. Below 1 if other processes use the cores. */
double plan_model_cpu_share(double cores, int threads, double ran);

/* Correct the costs of all routes with samples of the one in use from a
 * training step. rest: raised to the cost of the samples after the backward
 * pass, as gradients are not a small, warm buffer. loaded: least-squares line
 * through the samples that overlap the pass; if all have one size, rest times
 * their slowdown. The slowdown is due to cores and memory, not to the network,
 * so that of another route is scaled by the ratio of CPU times, within 1/4 ..
 * 4, or by 1 if no CPU time was measured.
 *
 * routes   [n_routes] rest and cpu are set, loaded is not
 * used     route of the samples
 * samples  [n]; n may be 0 */
void plan_routes_fit(struct plan_route *routes, int n_routes, int used,
    const struct plan_sample *samples, int n);

/* Compute when gradients would be ready without allreduces. The allreduces of a
 * step take their CPU time evenly over their spans.
 *
 * ready_s  [n_params] ascending, same zero as the spans; in and out
 * spans    [n] one after the other */
void plan_model_ready_alone(double *ready_s, int n_params,
    const struct plan_span *spans, int n, const struct plan_cost *cpu);

/* Simulate a choice; sets allreduces, hash and added_s.
 *
 * added_s never decreases with cpu. With cpu 0 and loaded equal to rest it is
 * the time after the backward pass (fusion_plan_end()); if allreduces are all
 * CPU time it is their sum. */
void plan_model_simulate(const struct plan_model *m, struct plan_choice *c);

/* List all known plans: each policy, buckets and thresholds from 1 to 128 MiB,
 * cycles of 1 and 5 ms, mgwfbp with 1 to 16 times alpha, over each route,
 * without duplicates.
 *
 * choices  [PLAN_MODEL_CHOICES] out, ascending by added_s, then by the number
 *          of allreduces
 *
 * Returns their number. */
int plan_model_rank(const struct plan_model *m, struct plan_choice *choices);

/* Select the best choices that differ in policy or route, so that one of them
 * is good even if the model is wrong, excluding the plan in use. If a route
 * kind (levels, half precision) is available that the plan in use lacks,
 * include one with it, whatever its rank: costs of a route measured alone say
 * little about how it shares cores and links with the backward pass.
 *
 * choices  [n] from plan_model_rank()
 * first    the plan in use
 * most     >= 3
 * few      [most] out; best first
 *
 * Returns their number. */
int plan_model_best(const struct plan_model *m,
    const struct plan_choice *choices, int n, const struct plan_choice *first,
    int most, struct plan_choice *few);

/* Fusion parameters of a choice, for fusion_plan_make(); borrows m->ready_s. */
struct fusion plan_model_fusion(
    const struct plan_model *m, const struct plan_choice *c);

/* Add the name of a choice to sb, without blanks: "ddp-first1-rest25",
 * "mgwfbp-alpha4". */
void plan_choice_name(const struct plan_choice *c, struct strbuf *sb);

/* --- Choice by trials ----------------------------------------------------- */

/* Choice of the fastest of a few plans of gradient allreduces by a few training
 * steps with each, and supervision of it afterwards.
 *
 *	steps 1, 2   warm-up with the plan in use, then PLAN_TUNER_PROBE: the
 *	             caller proposes candidates
 *	steps 3 ...  one step each of the first plan and up to three candidates
 *	4 steps      the first plan, the fastest candidate twice, and the first
 *	             plan again, so that a drift of the machine affects both:
 *	             10 steps in all
 *	             PLAN_TUNER_DECIDED: the candidate, if the median of its
 *	             three steps is below the first plan's by more than 1 %
 *	             and by more than the standard deviation of a step, else
 *	             the first plan
 *	10 steps     if their median exceeds the first plan's by more than 3 %
 *	             and by more than that deviation, PLAN_TUNER_DECIDED again:
 *	             the first plan
 *	every 20     if their median has increased by more than a fifth,
 *	             PLAN_TUNER_AGAIN: restart with the plan in use as the
 *	             first plan
 *
 * All ranks must pass the same times.
 *
 *	struct plan_tuner p;
 *	plan_tuner_start(&p);
 *	... after each step:
 *	switch (plan_tuner_step(&p, seconds)) ...
 */

enum {
	PLAN_TUNER_CANDIDATES = 3,
	PLAN_TUNER_WARM = 2,   /* warm-up steps */
	PLAN_TUNER_FINAL = 4,  /* steps of the second round */
	PLAN_TUNER_TIMES = 3,  /* most measured steps of a plan */
	PLAN_TUNER_WATCH = 20, /* steps of a median after the decision */
};

enum plan_tuner_event {
	PLAN_TUNER_NOTHING,
	PLAN_TUNER_PROBE,   /* call plan_tuner_propose() */
	PLAN_TUNER_USE,     /* use the plan for the next step */
	PLAN_TUNER_DECIDED, /* the plan is kept */
	PLAN_TUNER_AGAIN    /* the plan kept becomes the first plan */
};

/* Measured steps of a plan. */
struct plan_times {
	double s[PLAN_TUNER_TIMES];
	int n;
};

struct plan_tuner {
	long step;  /* since the start */
	int n;      /* candidates; -1: not yet proposed */
	int plan;   /* 0: the first plan; 1 ..: a candidate */
	int trials; /* steps measured before the decision */
	int best;   /* candidate of the second round */
	int kept;   /* decided */
	struct plan_times times[1 + PLAN_TUNER_CANDIDATES];
	double first_s; /* median step of the first plan; 0: unknown */
	double noise_s; /* standard deviation of a step of the two plans
	                   compared; 0 before the decision */
	double seconds[PLAN_TUNER_WATCH];
	int n_seconds;
	double usual; /* median after the decision; 0: unknown */
};

/* Set p to its state before the first step. */
void plan_tuner_start(struct plan_tuner *p);

/* Start the trial of n candidates, 0 .. PLAN_TUNER_CANDIDATES.
 *
 * Returns PLAN_TUNER_USE with the first plan, or PLAN_TUNER_DECIDED if n ==
 * 0. */
enum plan_tuner_event plan_tuner_propose(struct plan_tuner *p, int n);

/* Record the time of a step, equal on all ranks. After PLAN_TUNER_AGAIN the
 * step count starts again. */
enum plan_tuner_event plan_tuner_step(struct plan_tuner *p, double seconds);

/* Median time of a step with a plan in seconds; 0: not tried. */
double plan_tuner_time(const struct plan_tuner *p, int plan);

#endif
