/* Metrics of a run besides its throughput: printed by its log, or computed from
 * the throughput, the model and the device. */
#ifndef EXTRACT_MEASURE_RUN_METRICS_H
#define EXTRACT_MEASURE_RUN_METRICS_H

#include "common/arena.h"
#include "common/result/result.h"
#include "extract/log/log.h"
#include "extract/measure/metadata.h"
#include "extract/measure/steps/rule.h"

struct run_metrics_source {
	const struct log *log; /* log of the first process */
	const struct metadata *metadata;
	const struct rule *rule;
	double samples_per_s, tokens_per_s; /* of all devices, or NAN */
	struct power_log *power; /* record next to the log, or NULL; its problem
	                            is set if it is unusable */
};

/* Set run->metrics, each with its source, from the log and the other members of
 * run.
 *
 * a  owns the metrics */
void run_metrics_keep(const struct run_metrics_source *from, struct arena *a,
    struct result_run *run);

/* Set run->value to the metric of run->metrics that the rule requests, if any.
 *
 * a     for the message
 * unit  set to the metric's unit
 *
 * Returns 0; -1 with x if the run lacks the metric or it is not above 0. */
int run_metrics_promote(const struct rule *rule, struct arena *a,
    struct result_run *run, const char **unit, struct exclusion *x);

/* Set phases, buckets, times and network of a run from the log of its first
 * process: medians over the epochs or the traced steps. Missing values stay
 * unknown.
 *
 * a  owns the buckets */
void run_phases_keep(
    const struct log *log, struct arena *a, struct result_run *run);

/* Operations to train on one image: 3 x 2 x multiply-adds of the forward pass,
 * since the backward pass takes twice as many (Kaplan et al., "Scaling Laws for
 * Neural Language Models", 2020, section 2.1).
 *
 * model   as logs and paths spell it: "ResNet-50", "resnet50_v1.5", "rn50"
 * side    set to the side of these images, in pixels
 *
 * Returns operations, or NAN for unknown networks. */
double model_flop_per_image(const char *model, int *side);

/* A language model of the table. */
struct language_model {
	const char *names; /* lower-case letters and digits, separated by '|' */
	double parameters; /* all embeddings included */
	double layers;
	double width; /* heads x head size, of the queries */
};

/* A language model by its name; NULL for unknown ones. */
const struct language_model *language_model_find(const char *model);

/* Peak of dense matrix products according to the vendor's data sheet.
 *
 * device     as a log prints it: "NVIDIA A100-SXM4-80GB"
 * precision  "fp32", "tf32", "fp16", "bf16", "amp" (its half precision), "fp8"
 * name       set to the name of the matching row, a constant
 *
 * Returns TFLOP/s (1e12 operations per second), or NAN if device or precision
 * is unknown, and for fp32 on devices that may compute it in TF32, since logs
 * do not state which of the two was used. */
double device_peak_tflops(
    const char *device, const char *precision, const char **name);

#endif
