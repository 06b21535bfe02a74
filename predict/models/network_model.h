/* What is known of the network and of the bytes that a step sends: options,
 * a benchmark's curve, a result's phases.
 */
#ifndef PREDICT_MODELS_NETWORK_MODEL_H
#define PREDICT_MODELS_NETWORK_MODEL_H

#include <stddef.h>

#include "common/error.h"
#include "predict/models/step_law.h"

struct network_model {
	enum allreduce_algorithm algorithm;
	double bit_per_s;          /* of the link between nodes; NAN: unknown */
	double gradient_bytes;     /* of a step; NAN: unknown */
	double gamma;              /* asked for; NAN: unknown */
	double latency_s;          /* of one small allreduce; NAN: unknown */
	struct curve_point *curve; /* [n_curve] by bytes, or NULL */
	size_t n_curve;
	struct allreduce_layout curve_layout;
};

/* Nothing known, ring. */
void network_model_init(struct network_model *n);

/* Free all. */
void network_model_release(struct network_model *n);

/* Read --network: a rate ("25Gbit/s") or a result whose runs have an
 * allreduce.  Several times of one size become their median.
 *
 * Returns 0; -1 with ERROR_USAGE for a bad rate that is no file, ERROR_INPUT
 * for a file without an allreduce or without known counts. */
int network_model_read(
    struct network_model *n, const char *text, struct error *e);

/* Seconds that the communication of a step takes on its way through a layout,
 * by the curve in buckets of the usual size, else by the rate; NAN: unknown.
 *
 * gpus_per_node  of the case */
double network_model_communication(
    const struct network_model *n, long nodes, long gpus_per_node);

/* Seconds of one small allreduce; NAN: unknown. */
double network_model_latency(
    const struct network_model *n, long nodes, long gpus_per_node);

#endif
