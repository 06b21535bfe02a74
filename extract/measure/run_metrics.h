/* Figures next to a run's throughput: what its log prints, and what follows
 * from the throughput and what is known of model and device. */
#ifndef EXTRACT_MEASURE_RUN_METRICS_H
#define EXTRACT_MEASURE_RUN_METRICS_H

#include "common/arena.h"
#include "common/result/result.h"
#include "extract/log/exclusion.h"
#include "extract/log/log.h"
#include "extract/log/power_log.h"
#include "extract/measure/metadata.h"
#include "extract/measure/steps/rule.h"

struct run_metrics_source {
	const struct log *log; /* of the run's first process */
	const struct metadata *metadata;
	const struct rule *rule;
	double samples_per_s, tokens_per_s; /* of all devices; or NAN */
	struct power_log *power; /* that lies next to the log, or NULL; its
	                            problem is set where it gives no figure */
};

/* Set run->metrics, from what run holds already; each names its source.
 *
 * a  where they live */
void run_metrics_keep(const struct run_metrics_source *from, struct arena *a,
    struct result_run *run);

/* Let the one of run->metrics that the rule asks for, if it does, take the
 * throughput's place in run->value.
 *
 * a     for the message
 * unit  set to the metric's
 *
 * Returns 0; -1 with x filled where the run lacks it, or it is not above 0. */
int run_metrics_promote(const struct rule *rule, struct arena *a,
    struct result_run *run, const char **unit, struct exclusion *x);

/* Set phases, buckets, times and network of a run from the log of its first
 * process: the median over the epochs, and over the traced steps.  Unknown
 * stays unknown.
 *
 * a  where the buckets live */
void run_phases_keep(
    const struct log *log, struct arena *a, struct result_run *run);

/* Operations to train on one image: 3 x 2 x multiply-adds of the forward pass,
 * since the backward pass takes twice the forward one (Kaplan et al., "Scaling
 * Laws for Neural Language Models", 2020, section 2.1).
 *
 * model   as logs and paths spell it: "ResNet-50", "resnet50_v1.5", "rn50"
 * side    set to that of the images, in pixels, that the number is for
 *
 * Returns operations, or NAN where the network is not known. */
double model_flop_per_image(const char *model, int *side);

/* Parameters of a language model by its name, for 6 operations a token and
 * parameter (Kaplan et al.); attention is not in them.
 *
 * Returns NAN where it is not known. */
double model_parameters(const char *model, const char **source);

/* Peak of dense matrix products, as the maker's data sheet has it.
 *
 * device     as a log prints it: "NVIDIA A100-SXM4-80GB"
 * precision  "fp32", "tf32", "fp16", "bf16", "amp" (its half precision), "fp8"
 * name       set to the row that holds: a constant
 *
 * Returns TFLOP/s (1e12 operations a second), or NAN where device or precision
 * is unknown, and for fp32 on devices that may compute it in TF32: which of the
 * two was used no log states. */
double device_peak_tflops(
    const char *device, const char *precision, const char **name);

#endif
