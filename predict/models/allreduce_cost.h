/* What an allreduce costs: messages and bytes by algorithm, and seconds by the
 * measured curve of a benchmark, taken to another layout.
 *
 * Hockney 1994, Parallel Computing 20, for latency plus size over bandwidth;
 * Patarasuk and Yuan 2009, JPDC 69 (ring); Sanders, Speck, Traeff 2009,
 * Parallel Computing 35 (trees); Cho et al. 2019, IBM J. R&D 63
 * (hierarchical).
 */
#ifndef PREDICT_MODELS_ALLREDUCE_COST_H
#define PREDICT_MODELS_ALLREDUCE_COST_H

#include <stddef.h>

enum allreduce_algorithm {
	ALLREDUCE_RING, /* flat over all GPUs */
	ALLREDUCE_TREE,
	ALLREDUCE_HIERARCHICAL, /* ring within nodes, ring between them */
	N_ALLREDUCE_ALGORITHMS
};

/* For OPT_CHOICE: "ring", "tree", "hierarchical", NULL. */
extern const char *const allreduce_algorithm_names[];

/* Who takes part. */
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

/* The same for another layout and links so many times as fast: latency goes
 * with the steps, the rest with the share.  NAN if the layout of the curve is
 * one GPU. */
double curve_rescaled(const struct curve_point *points, size_t n,
    const struct allreduce_layout *from, const struct allreduce_layout *to,
    double rate, double bytes);

/* Seconds that all bytes of a step take on the slowest link of a nominal rate,
 * headers included.
 *
 * bit_per_s  > 0 */
double link_communication(
    const struct allreduce_layout *l, double bytes, double bit_per_s);

#endif
