/* Cost of the network per step: messages, bytes and seconds of an allreduce,
 * and the part that is hidden by computation, by buckets where these are known.
 *
 *	T = C + max(0, comm - gamma C)
 *
 * C is a step without network, T(1, g); E = T(n, g) - C is exposed.  Where
 * gamma is unknown both ends are computed: both occur.
 *
 * Buckets are reduced one after the other while the backward pass goes on:
 *
 *	start_k = max(ready_k, end_(k-1)),  end_k = start_k + t(S_k)
 *	T = max(end of backward, end_K) + optimiser
 *
 * Zhang et al. 2017, Poseidon, USENIX ATC; Shi, Chu, Li 2019, INFOCOM; Li et
 * al. 2020, VLDB 13(12); Hockney 1994, Parallel Computing 20, for latency plus
 * size over bandwidth; Patarasuk and Yuan 2009, JPDC 69 (ring); Sanders, Speck,
 * Traeff 2009, Parallel Computing 35 (trees); Cho et al. 2019, IBM J. R&D 63
 * (hierarchical). */
#ifndef PREDICT_MODELS_NETWORK_MODEL_H
#define PREDICT_MODELS_NETWORK_MODEL_H

#include <math.h>
#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"

/* Parts of a step and its overlap. */
struct step_parts {
	double compute_s; /* C > 0 */
	double exposed_s; /* E; below 0 counts as 0 */
	double gamma; /* share of C that hides communication; NAN: unknown */
};

/* A change of a step. */
struct step_change {
	double cost;    /* q: factor of the communication time */
	double extra_s; /* x: seconds added to it */
	double speed;   /* factor of the devices' speed */
};

#define STEP_CHANGE_NONE \
	{ \
		1, 0, 1 \
	}

/* A time and its range; all equal if gamma is known. */
struct step_range {
	double step_s, low_s, high_s;
};

/* The share of C that hides communication.
 *
 * communication_s  communication time of the step
 *
 * Returns 0 to 1; NAN where E is not above 0. */
double step_overlap(const struct step_parts *p, double communication_s);

/* The step after a change. */
struct step_range step_changed(
    const struct step_parts *p, const struct step_change *c);

/* A step from the compute time and the cost of the network. */
struct step_range step_from_link(
    double compute_s, double communication_s, double gamma);

/* The link rate at which efficiency reaches a target.
 *
 * bit_per_s   of the link now
 * baseline_s  T of the baseline
 * target      0 < target <= 1
 *
 * Returns NAN if no rate does, because the loss is within the node. */
double step_bandwidth_for(const struct step_parts *p, double bit_per_s,
    double baseline_s, double target);

struct step_bucket {
	double bytes;   /* >= 0 */
	double ready_s; /* since the start of the step, on a mean rank */
	double seconds; /* of its allreduce */
};

/* The other parts of a step. */
struct bucket_step {
	double compute_s;   /* the end of the backward pass, > 0 */
	double optimiser_s; /* optimiser time, after everything else */
	double sigma_s;     /* of the compute time of one rank */
	double ranks;       /* number of ranks, of which the slowest counts */
};

/* The seconds of a step.
 *
 * buckets  [n] in the order of their allreduces */
double bucket_step_time(const struct bucket_step *step,
    const struct step_bucket *buckets, size_t n);

/* The bytes of all gradients of a known model, four for each parameter; NAN for
 * another name. Upper case, '-', '_' and a version ("v1.5") are ignored. */
double network_model_gradients(const char *model);

/* Assumed buckets: the bytes in pieces of the usual size, ready at equal
 * intervals over the last two thirds of the compute time.
 *
 * bytes  > 0
 *
 * Returns [*n] buckets, in a. */
struct step_bucket *buckets_assume(
    double bytes, double compute_s, size_t *n, struct arena *a);

enum allreduce_algorithm {
	ALLREDUCE_RING, /* flat over all GPUs */
	ALLREDUCE_TREE,
	ALLREDUCE_HIERARCHICAL, /* ring within nodes, ring between them */
	N_ALLREDUCE_ALGORITHMS
};

/* For OPT_CHOICE: "ring", "tree", "hierarchical", NULL. */
extern const char *const allreduce_algorithm_names[];

/* Participants of an allreduce. */
struct allreduce_layout {
	enum allreduce_algorithm algorithm;
	long nodes, gpus_per_node; /* >= 1 */
};

/* Share of the bytes that goes over the slowest link, and the messages one
 * after the other: of the link between nodes where there are several, else of
 * the one within.  0 for one GPU. */
double allreduce_share(const struct allreduce_layout *l);
double allreduce_steps(const struct allreduce_layout *l);

/* One measured size. */
struct curve_point {
	double bytes;   /* > 0 */
	double seconds; /* > 0 */
};

/* Seconds at a size: ln t linear in ln S between the points, constant below
 * the smallest, constant bandwidth above the largest.
 *
 * points  [n] by bytes, all different, n >= 1 */
double curve_time(const struct curve_point *points, size_t n, double bytes);

/* As curve_time, rescaled to another layout and faster links: latency scales
 * with the number of steps, the rest with the share. NAN if the layout of the
 * curve is one GPU. */
double curve_rescaled(const struct curve_point *points, size_t n,
    const struct allreduce_layout *from, const struct allreduce_layout *to,
    double rate, double bytes);

/* Seconds that all bytes of a step take on the slowest link of a nominal rate,
 * headers included.
 *
 * bit_per_s  > 0 */
double link_communication(
    const struct allreduce_layout *l, double bytes, double bit_per_s);

/* --- what is known of the network ----------------------------------------- */

struct network_model {
	enum allreduce_algorithm algorithm;
	double bit_per_s;          /* of the link between nodes; NAN: unknown */
	double gradient_bytes;     /* of a step; NAN: unknown */
	double gamma;              /* as given; NAN: unknown */
	double latency_s;          /* of one small allreduce; NAN: unknown */
	struct curve_point *curve; /* [n_curve] by bytes, or NULL */
	size_t n_curve;
	struct allreduce_layout curve_layout;
};

/* Nothing known, ring. */
#define NETWORK_MODEL_INIT \
	{ \
		.bit_per_s = NAN, .gradient_bytes = NAN, .gamma = NAN, \
		.latency_s = NAN \
	}

/* Free all. */
void network_model_release(struct network_model *n);

/* Read --network: a rate ("25Gbit/s") or a result whose runs have an
 * allreduce.  Several times of one size become their median.
 *
 * Returns 0; -1 with ERROR_USAGE for a bad rate that is no file, ERROR_INPUT
 * for a file without an allreduce or without known counts. */
int network_model_read(
    struct network_model *n, const char *text, struct error *e);

/* Seconds of an allreduce in a layout by the curve, which is known. */
double network_model_seconds(const struct network_model *n,
    const struct allreduce_layout *to, double bytes);

/* Communication time of a step in a layout, by the curve with buckets of the
 * usual size, else by the rate; NAN: unknown. */
double network_model_communication(
    const struct network_model *n, const struct allreduce_layout *to);

/* Seconds of one small allreduce; NAN: unknown. */
double network_model_latency(
    const struct network_model *n, const struct allreduce_layout *to);

#endif
