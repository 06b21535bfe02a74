/* Models of scaling: the doubling model, classic laws for --compare, and a step
 * on another network.
 *
 * The doubling model of a row or column describes how the cost of each doubling
 * grows. From measured counts it gives the distribution of the time at another:
 *
 *	ln t(m) = const + ln(1 + a phi(m)) + c expected_largest(N)
 *
 * Growth rho and cost a are unknown: each pair of a grid has a weight from
 * data.  All sums run over the grid in index order, so that the digits are the
 * same everywhere.
 *
 *	growth_pool(NULL, 0, prior);
 *	doubling_init(&d, DOUBLING_ROW, points, n, prior);
 *	doubling_predict(&d, 4, 32, &x);
 *	t = exp(prediction_quantile(&x, 0.5));
 */
#ifndef PREDICT_MODELS_H
#define PREDICT_MODELS_H

#include <math.h>
#include <stddef.h>

#include "common/alloc.h"
#include "common/error.h"
#include "predict/constants.h"

/* One measured case on the axis of its row (m: nodes) or column (m: GPUs). */
struct scaling_point {
	double m;    /* count on the axis, >= 1 */
	double gpus; /* N, all of them, >= 1 */
	double t;    /* device time a sample takes, any unit, > 0 */
	double s;    /* relative standard error of t, >= 0 */
	const struct scaling_case *of; /* borrowed by its user */
};

/* Cost of all doublings up to m over the first one's: 0 at m = 1, 1 at 2,
 * 1 + rho at 4.  m > 0, rho > 0 and not 1 (no point of the grid is).
 * Box and Cox 1964, JRSS B 26, for the family. */
double growth_phi(double rho, double m);

/* Expected largest of n standard normal values, n >= 1; 0 for 1.
 * Blom 1958: Phi^-1((n - 0.375) / (n + 0.25)), within 2 % for n >= 4. */
double expected_largest(double n);

/* Evidence of a sibling's row, points [n] by m, about the common growth f: the
 * likelihood of its points for each f on the grid of rho, up to a factor. */
void growth_evidence(
    const struct scaling_point *points, size_t n, double evidence[GROWTH_RHOS]);

/* Prior of rho, sum 1, given the evidence of n siblings, whose own rho are near
 * a common growth f; without siblings that of published series.
 * Casella 1985, American Statistician 39(2), for priors from many series. */
void growth_pool(
    const double *const *evidence, size_t n, double prior[GROWTH_RHOS]);

/* Rows and columns measure different links, so their numbers differ. */
enum doubling_axis {
	DOUBLING_ROW,   /* m is nodes, GPUs of a node fixed */
	DOUBLING_COLUMN /* m is GPUs of one node, or all of unknown nodes */
};

struct doubling {
	enum doubling_axis axis;
	const struct scaling_point *points; /* [n] borrowed; by m */
	size_t n;
	double growth; /* median: the smallest rho whose cumulative weight
			  reaches one half */
	int saturated; /* speed grew by less than K_SATURATED_GROWTH a doubling
			  between the two largest counts */
	int rising;    /* of three counts or more, the last doubling cost more
			  than the one before it, by more than K_RISING */
	double weight[GROWTH_RHOS][COSTS]; /* of each (rho, a); sum 1 */
};

/* Weigh the grid: prior of rho times likelihood of the increments between
 * neighbours, points [n] by m, all m different; one point keeps the prior. */
void doubling_init(struct doubling *d, enum doubling_axis axis,
    const struct scaling_point *points, size_t n,
    const double prior[GROWTH_RHOS]);

enum { MIXTURE_MAX = GROWTH_RHOS * COSTS + CEILINGS };

/* A mixture of Student's t distributions with 2 degrees of freedom and one
 * scale: the distribution of the logarithm of a time. */
struct mixture {
	double place[MIXTURE_MAX];  /* [n] middle of each component */
	double weight[MIXTURE_MAX]; /* [n] of each; the sum is 1 */
	size_t n;
	double scale; /* of all, > 0 */
};

/* A distribution in two parts: bends that the data do not show widen the
 * interval but leave the median. */
struct prediction {
	struct mixture median, interval;
};

/* Set x to the distribution of ln t at a count m with gpus GPUs in total. */
void doubling_predict(
    const struct doubling *d, double m, double gpus, struct prediction *x);

/* Set x to the distribution of the logarithm of a step that was computed from
 * another batch size.
 *
 * doublings  of the GPUs, from the anchor to the target
 * error      relative standard error of the anchor */
void transfer_predict(
    double step, double doublings, double error, struct prediction *x);

/* Quantile p, 0 < p < 1: that of the median's mixture for 0.5, else that of the
 * interval's mixture, but never on the other side of the median. */
double prediction_quantile(const struct prediction *x, double p);

/* --- classic laws --------------------------------------------------------- */

/* Shown next to the prediction and never used for it. All but the first are
 * fitted by least squares of ln X, with l from the mean residual.
 * Amdahl 1967, AFIPS 30; Gustafson 1988, CACM 31(5); Gunther 2007, Guerrilla
 * Capacity Planning. */
enum scaling_law {
	LAW_LINEAR,    /* X = X_last N / N_last */
	LAW_AMDAHL,    /* X = l N / (1 + s (N - 1)) */
	LAW_GUSTAFSON, /* X = l (N - s (N - 1)) */
	LAW_USL,       /* X = l N / (1 + s (N - 1) + k N (N - 1)) */
	LAW_POWER,     /* X = l N^q */
	N_SCALING_LAWS
};

/* Names in JSON ("amdahl") and in tables ("Amdahl"). */
extern const char *const scaling_law_names[N_SCALING_LAWS];
extern const char *const scaling_law_titles[N_SCALING_LAWS];

/* Speed by a law at a number of GPUs, from cases [n] by GPUs. NAN if fewer than
 * two different counts are known, except for the linear law. */
double law_predict(enum scaling_law law, const double *gpus,
    const double *speed, size_t n, double target);

/* --- a step and its network ----------------------------------------------- */

/*	T = C + max(0, comm - gamma C)
 *
 * C is a step without network, T(1, g); E = T(n, g) - C is exposed.  Where
 * gamma is unknown both ends are computed: both occur.
 *
 * Zhang et al. 2017, Poseidon, USENIX ATC; Shi, Chu, Li 2019, INFOCOM; Li et
 * al. 2020, VLDB 13(12); Hockney 1994, Parallel Computing 20, for latency plus
 * size over bandwidth; Patarasuk and Yuan 2009, JPDC 69 (ring); Sanders, Speck,
 * Traeff 2009, Parallel Computing 35 (trees); Cho et al. 2019, IBM J. R&D 63
 * (hierarchical). */
struct step_parts {
	double compute_s; /* C > 0 */
	double exposed_s; /* E; below 0 counts as 0 */
	double gamma; /* share of C that hides communication; NAN: unknown */
};

/* A time and its range; all equal if gamma is known. */
struct step_range {
	double step_s, low_s, high_s;
};

/* The share of C that hides communication, which takes communication_s of the
 * step. Returns 0 to 1; NAN if E is not above 0. */
double step_overlap(const struct step_parts *p, double communication_s);

/* The step after a change: cost and speed are factors of the communication time
 * and of the devices' speed, extra_s is added to the communication time. */
struct step_range step_changed(
    const struct step_parts *p, double cost, double extra_s, double speed);

/* The link rate at which the efficiency, baseline_s over the step time, reaches
 * a target, given the present rate bit_per_s; NAN if no rate does, because the
 * loss is within the node. */
double step_bandwidth_for(const struct step_parts *p, double bit_per_s,
    double baseline_s, double target);

struct step_bucket {
	double bytes;   /* >= 0 */
	double ready_s; /* since the start of the step, on a mean rank */
	double seconds; /* of its allreduce */
};

/* The end of the last bucket or of the backward pass, with buckets reduced one
 * after the other while the backward pass goes on:
 *
 *	start_k = max(ready_k, end_(k-1)),  end_k = start_k + t(S_k)
 *
 * compute_s  end of the backward pass, > 0
 * sigma_s    standard deviation of a rank's compute time; the slowest rank
 *            delays the others
 * buckets    [n] in the order of their allreduces */
double bucket_step_time(double compute_s, double sigma_s, double ranks,
    const struct step_bucket *buckets, size_t n);

/* Assumed buckets [*n], in a: the bytes > 0 in pieces of the usual size, ready
 * at equal intervals over the last two thirds of the compute time. */
struct step_bucket *buckets_assume(
    double bytes, double compute_s, size_t *n, struct arena *a);

enum allreduce_algorithm {
	ALLREDUCE_RING, /* flat, over all GPUs */
	ALLREDUCE_TREE,
	ALLREDUCE_HIERARCHICAL /* a ring in each node, one over nodes */
};

/* In the order of the enum; NULL at the end. */
extern const char *const allreduce_algorithm_names[];

/* Algorithm and GPUs of an allreduce. */
struct allreduce_layout {
	enum allreduce_algorithm algorithm;
	long nodes, gpus_per_node; /* >= 1 */
};

/* Successive messages, and share of the bytes, on the slowest link. */
struct allreduce_cost {
	double steps, share;
};

/* Cost on the link between nodes if there are several, else within the node. 0
 * for one GPU. */
struct allreduce_cost allreduce_cost(const struct allreduce_layout *l);

/* Seconds that all bytes of a step take on the slowest link of a nominal rate,
 * headers included. */
double link_communication(
    const struct allreduce_layout *l, double bytes, double bit_per_s);

/* One measured size. */
struct curve_point {
	double bytes, seconds; /* > 0 */
};

/* What is known of the network; numbers are NAN if unknown. */
struct network_model {
	enum allreduce_algorithm algorithm;
	double bit_per_s;          /* of the link between nodes */
	double gradient_bytes;     /* of a step */
	double gamma;              /* as given */
	double latency_s;          /* of one small allreduce */
	struct curve_point *curve; /* [n_curve] by bytes, all different, or
				      NULL */
	size_t n_curve;
	struct allreduce_layout curve_layout;
};

/* Nothing known, ring. */
#define NETWORK_MODEL_INIT \
	{ \
		.bit_per_s = NAN, .gradient_bytes = NAN, .gamma = NAN, \
		.latency_s = NAN \
	}

/* Read --network: a rate ("25Gbit/s") or a result whose runs have an allreduce,
 * as a curve that lives in a, with the median of the times of each size.
 *
 * Returns 0; -1 with ERROR_USAGE if text is neither a rate nor a file,
 * ERROR_INPUT for a file without an allreduce or without known counts. */
int network_model_read(struct network_model *n, const char *text,
    struct arena *a, struct error *e);

/* Seconds at a size in the layout of the curve: ln t linear in ln S between the
 * points, constant below the smallest, constant bandwidth above the largest. */
double network_model_measured(const struct network_model *n, double bytes);

/* The same in another layout, with links of `rate` times the rate: latency
 * scales with the number of steps, the rest with the share.  NAN if the layout
 * of the curve is one GPU. */
double network_model_seconds(const struct network_model *n,
    const struct allreduce_layout *to, double rate, double bytes);

/* Communication time of a step in a layout, by the curve with buckets of the
 * usual size, else by the rate; NAN: unknown. */
double network_model_communication(
    const struct network_model *n, const struct allreduce_layout *to);

/* The bytes of all gradients of a known model, four for each parameter; NAN for
 * another name. Upper case, '-', '_' and a version ("v1.5") are ignored. */
double network_model_gradients(const char *model);

#endif
