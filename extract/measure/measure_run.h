/* Measure a run: compute a result_run from logs and metadata
 * (doc/measurement.md, "Positions", "Window").
 *
 *	struct measured m;
 *	if (measure_run(&source, &rule, &arena, &m, &x) == 0)
 *		... m.run.value in m.unit ...
 */
#ifndef EXTRACT_MEASURE_MEASURE_RUN_H
#define EXTRACT_MEASURE_MEASURE_RUN_H

#include "common/alloc.h"
#include "common/result/result.h"
#include "extract/measure/metadata.h"
#include "extract/log/log.h"
#include "extract/measure/steps/rule.h"

struct run_source {
	const struct log *const *logs; /* [n_logs >= 1] of one format; one file
	                                  per rank or node */
	size_t n_logs;
	const struct metadata *metadata;
	struct power_log *power; /* record next to the logs, or NULL; its
	                            problem is set */
};

struct measured {
	struct result_run run;
	const char *unit;      /* unit of run.value */
	enum rule_kind kind;   /* never RULE_BY_FORMAT */
	double work;           /* per iteration of the whole job, or NAN */
	const char *work_unit; /* "samples" or "tokens", also if work is
	                          unknown; or NULL */
	double noise;          /* of run.value, relative: see audit_flags */
};

/* Measure a run.
 *
 * rule  options of the user
 * a     owns the strings of m that are not constants
 * m     set on success only; run.run is the file's name if the run has no
 *       number
 * x     set on failure
 *
 * The speed is batch per device x GPUs / step time, independent of the number
 * of ranks that print; for logs of rates it is the rate. Returns 0, or -1. */
int measure_run(const struct run_source *source, const struct rule *rule,
    struct arena *a, struct measured *m, struct exclusion *x);

/* True if a flag states that the run was measured with a shortened default
 * window.
 *
 * x  set if true: why the log lacks the whole window, and the option that uses
 *    the shortened window for all runs; texts in a */
int measure_was_shortened(
    const struct result_run *run, struct arena *a, struct exclusion *x);

/* Measured values of the steps, [log][sample], in units of steps_make(), if the
 * lines of the logs print time stamps or running means; NAN for lines that end
 * no step. NULL if the lines print the values, or if there are no steps. */
double **measure_step_values(const struct log *const *logs, size_t n_logs,
    const struct metadata *metadata, const struct rule *rule, struct arena *a);

/* --- Progress of a run that may still be running, for --follow -------------*/

enum { PROGRESS_STEPS = 20 /* length of the window, a block of the audit */ };

struct progress {
	int known;    /* 0: no steps yet */
	double speed; /* of the last PROGRESS_STEPS steps, in unit; NAN if batch
	                 or GPUs are unknown */
	const char *unit;
	double step_s;    /* seconds per iteration, or NAN */
	long done, total; /* iterations of the epoch; 0: unknown total */
	long spacing;     /* iterations from one line to the next */
	int finished;     /* 1: all lines of the total are there, or the
	                     program's own summary */
	long settled_at;  /* position by the audit's rule, or RESULT_UNKNOWN */
};

/* Compute the progress of one run from its logs.
 *
 * metadata  resolved */
void progress_look(const struct log *const *logs, size_t n_logs,
    const struct metadata *metadata, const struct rule *rule,
    struct progress *out);

/* --- Metrics and phases ----------------------------------------------------*/

/* Metrics of a run besides its throughput: printed by its log, or computed from
 * the throughput, the model and the device. */

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
