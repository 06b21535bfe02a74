/* What each plan of gradient allreduces would cost, by a model.  Tensors become
 * ready one after the other while the backward pass runs, an allreduce of b
 * bytes takes alpha + beta b, and they follow each other.  Where a rank has no
 * core to spare, its allreduces take CPU time from the backward pass, and all
 * that comes after is ready later; while the pass runs they take longer
 * themselves.  A route is a way of doing one (over all ranks at once or level
 * by level, in fp32 or fp16), with its own costs.
 *
 *	plan_routes_fit(m.routes, m.n_routes, 0, samples, n_samples);
 *	n = plan_model_rank(&m, choices);
 *	... choices[0] ends first ...
 */
#ifndef TRAINER_TUNE_PLAN_MODEL_H
#define TRAINER_TUNE_PLAN_MODEL_H

#include <stdint.h>

#include "common/strbuf.h"
#include "trainer/graph/fusion_plan.h"

enum { PLAN_MODEL_ROUTES = 4, PLAN_MODEL_CHOICES = 256 };

/* alpha + beta * bytes of the gradients as they are, whatever is sent; both
 * >= 0. */
struct plan_cost {
	double alpha_s, beta_s_per_byte;
};

/* What a route does that another does not, as bits. */
enum { PLAN_ROUTE_LEVELS = 1, PLAN_ROUTE_HALF = 2 };

struct plan_route {
	const char *name;        /* static text without blanks */
	unsigned kind;           /* PLAN_ROUTE_... */
	struct plan_cost rest;   /* an allreduce while nothing else runs */
	struct plan_cost loaded; /* while the backward pass runs; >= rest */
	struct plan_cost cpu;    /* CPU time of it that the backward pass has to
	                            do without; 0: there is a core to spare */
};

/* An allreduce of a training step. */
struct plan_sample {
	double bytes, seconds;
	double overlap; /* of its time, with the backward pass; 0 .. 1 */
};

/* When one began and ended, on this rank. */
struct plan_span {
	double bytes, start_s, end_s;
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
	int merge; /* of policy mgwfbp: it takes alpha so many times, and so
	                    merges more; 0 is 1 */
	int route;
	int allreduces; /* that were simulated */
	uint64_t hash;  /* differs for choices that do different things */
	double added_s; /* from the end that the backward pass would have by
	                   itself to that of the last allreduce; >= 0 */
};

/* How much longer the backward pass becomes by a second of an allreduce's CPU
 * time: by nothing where a rank has a core more than threads that compute, by a
 * second where it has none more, and by longer where what it has is less than a
 * core: there a second of CPU time takes longer itself.
 *
 * cores  of a rank, its share of those that others use, too; > 0
 * ran    of the time in which its threads could run, the part in which they
 *        did; 0 < ran <= 1.  Below 1 others use the cores, too. */
double plan_model_cpu_share(double cores, int threads, double ran);

/* Correct the costs of all routes by what a training step showed of the one in
 * use.  rest: an allreduce after the backward pass is no faster than it was
 * seen, since gradients are no small, warm buffer.  loaded: the line of least
 * squares through those that overlap the pass; if all have one size, rest's
 * times what they took longer.  It takes longer because it lacks cores and
 * memory, not because the wire is slower: so the other routes take as much
 * longer as they take more CPU time, four times at most and a quarter at least,
 * or as much if no CPU time was measured.
 *
 * routes   [n_routes] rest and cpu are set, loaded is not
 * used     the one the samples are of
 * samples  [n] n may be 0 */
void plan_routes_fit(struct plan_route *routes, int n_routes, int used,
    const struct plan_sample *samples, int n);

/* When gradients would be ready without allreduces: those of a step took CPU
 * time, evenly while they ran.
 *
 * ready_s  [n_params] ascending, same zero as the spans; in and out
 * spans    [n] one after the other */
void plan_model_ready_alone(double *ready_s, int n_params,
    const struct plan_span *spans, int n, const struct plan_cost *cpu);

/* Find how much longer the allreduces of a choice make the backward pass; sets
 * allreduces, hash and added_s.
 *
 * Never less if cpu costs more.  With a core to spare and loaded as rest it is
 * the time after the backward pass (fusion_plan_end()); where all of an
 * allreduce is CPU time it is the sum of them. */
void plan_model_simulate(const struct plan_model *m, struct plan_choice *c);

/* All plans that are known: each policy, buckets and thresholds from 1 to 128
 * MiB, cycles of 1 and 5 ms, mgwfbp with alpha taken 1 to 16 times, over each
 * route; of those that are one and the same plan only the first.
 *
 * choices  [PLAN_MODEL_CHOICES] out, the one that adds least first; of equal
 *          ones that with fewer allreduces
 *
 * Returns how many. */
int plan_model_rank(const struct plan_model *m, struct plan_choice *choices);

/* The best few that differ in policy or route, so that one of them is good
 * even where the model is wrong, and are not the plan in use.  Where routes
 * have levels, or half precision, and the plan in use has not, one of them
 * does, too, wherever it is ranked: costs that were measured of a route by
 * itself say little of how it shares cores and links with the backward pass.
 *
 * choices  [n] of plan_model_rank()
 * first    the plan in use
 * most     >= 3
 * few      [most] out; the best one first
 *
 * Returns how many. */
int plan_model_best(const struct plan_model *m,
    const struct plan_choice *choices, int n, const struct plan_choice *first,
    int most, struct plan_choice *few);

/* The fusion of a choice, for fusion_plan_make(); borrows m->ready_s. */
struct fusion plan_model_fusion(
    const struct plan_model *m, const struct plan_choice *c);

/* Add a choice's name to sb, without blanks: "ddp-first1-rest25",
 * "mgwfbp-alpha4". */
void plan_choice_name(const struct plan_choice *c, struct strbuf *sb);

#endif
