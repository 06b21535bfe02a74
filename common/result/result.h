/* The result: what extract_logs writes and report_results, plot_results read.
 * One of the two structures that cross stages (the other is the log line).
 *
 * Invariants of a result that was read or is about to be written: strings are
 * NULL where unknown, numbers NAN (double) or RESULT_UNKNOWN (long) where
 * unknown; both become null in JSON.  All memory belongs to the result's arena.
 * The JSON form is doc/result-schema.json ("dlscale-result/2"); the sentences
 * of schema 1 are read as REMARK_OTHER.
 *
 *	struct result r;
 *	if (result_read("result/resnet50_result.json", &r, &e) != 0) ...
 *	for (size_t i = 0; i < r.n_cases; i++)
 *		printf("%s %g\n", r.cases[i].name, r.cases[i].median_speed);
 *	result_release(&r);
 */
#ifndef COMMON_RESULT_RESULT_H
#define COMMON_RESULT_RESULT_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/texts/remark.h"

#define RESULT_SCHEMA "dlscale-result/2"
#define RESULT_SCHEMA_1 "dlscale-result/1"
#define RESULT_UNKNOWN LONG_MIN /* a whole number that is not stated */
/* No larger number is read, and of those that are above 0 no smaller one than
 * 1 / this: ratios, products and per cent of what was read stay finite. */
#define RESULT_NUMBER_MAX 1e100

/* A name and its value: labels, provenance, environment. */
struct result_pair {
	const char *key;
	const char *value;
};

/* The options that change numbers.  Which of them mean something depends on
 * rule; the others are RESULT_UNKNOWN or NULL. */
struct result_rule {
	const char *rule;      /* "window", "all" or "summary" */
	long skip_iterations;  /* S */
	long warmup_batches;   /* W */
	long train_batches;    /* T; RESULT_UNKNOWN: no upper end */
	long from_iteration;   /* of rule "all" */
	const char *epoch;     /* "auto", "all" or a number */
	const char *aggregate; /* "time", "mean" or "median" */
	const char *metric;    /* "throughput", "step-time", "time-to-train" */
	const char *scaling;   /* "weak" or "strong" */
	const char *baseline;  /* as given by --baseline, or NULL */
	double confidence;     /* 0 < confidence < 1 */
	struct result_pair *more; /* further keys, in order, as strings */
	size_t n_more;
};

/* One log file that was looked at. */
struct result_input {
	const char *path;   /* relative to the operand */
	long bytes;         /* size of the file as stored */
	const char *hash;   /* XXH3-128 in 32 hex digits, or NULL */
	const char *format; /* name of the log format, or NULL */
	int used;           /* 1: a run stands on it */
};

/* What a run's own steps state about its trustworthiness (MEASUREMENT,
 * "Audit"); all NAN or RESULT_UNKNOWN where the rule leaves no steps. */
struct result_audit {
	long settled_at;    /* first position of the settled part, or unknown */
	double drift;       /* relative slope over the window, no unit */
	double stall_share; /* of the window's time in steps of over twice the
	                       median */
	double imbalance;   /* mean over steps of (max - mean) / mean, ranks */
	double p5, p50, p95, max; /* of the step value, its unit */
	double cv;                /* standard deviation / mean */
	double half_width; /* of the 95 % interval of the mean of this run by
	                      batch means / mean */
	double window_off; /* mean of the window / that of all steps from its
	                      start on, - 1 */
};

/* What a benchmark of collectives printed for one size of message, or what
 * those of a training took. */
struct result_collective {
	const char *collective;    /* "all_reduce_perf", or NULL */
	const char *kind;          /* "out-of-place", "in-place", ... */
	double bytes;              /* of a message */
	long count;                /* operations that the rest is the mean
	                              of, or RESULT_UNKNOWN */
	double time_s;             /* of one operation, or NAN */
	double algorithm_gb_per_s; /* bytes over time, 1e9 bytes; or NAN */
	double bus_gb_per_s;       /* what a link carries, as the benchmark
	                              reckons it; or NAN */
	long line;                 /* of the log, from 1 */
	long test; /* number of the benchmark in the log, from 1; or
	              RESULT_UNKNOWN */
};

/* Where the time of a run's mean step went, as the program itself measured it;
 * NAN where it did not state it. */
struct result_phases {
	double step_s;         /* of the whole step */
	double data_s;         /* the loop waited for data */
	double busy_s;         /* gradients were on their way */
	double exposed_s;      /* ... and nothing else was done */
	double bytes_per_step; /* of gradients that one device sends into its
	                          allreduces */
	double allreduces;     /* of a step */
	double to_device_s;    /* the batch goes to the device */
	double forward_s, loss_s, backward_s;
	double update_s; /* gradients are added up and applied */
};

/* What the whole program took, as its log reports; seconds. */
struct result_times {
	double real_s;        /* wall-clock time */
	double user_s, sys_s; /* on all cores, of all processes */
};

/* What went over the network, mean over the run, of the first process's
 * machine; 1e9 bytes. */
struct result_network {
	double received_gb_per_s, sent_gb_per_s;
};

/* One allreduce of a mean step: gradients that are sent together. */
struct result_bucket {
	double bytes;
	double ready_s;    /* since the start of the step: all are there */
	double start_s;    /* the allreduce starts */
	double duration_s; /* and takes so long */
};

/* A figure next to the throughput: "mfu", "peak_memory", ... */
struct result_metric {
	const char *name;
	double value;
	const char *unit;   /* "%", "GiB", ...; "" for none */
	const char *source; /* from what it is: lines of the log, a formula */
};

/* What a run's value may be where it is the difference of sums that were
 * rounded when they were printed; both NAN where it is none. */
struct result_rounding {
	double low, high; /* in the case's unit */
};

/* One run: one number that goes into a case's median. */
struct result_run {
	const char *run;  /* its number or name, as a string */
	const char *path; /* of the log, relative to the operand */
	double
	    samples_per_s; /* global; NAN for other metrics than throughput */
	double value;      /* the number in the case's unit, always set */
	double step_s;     /* seconds per iteration, NAN if no batch known */
	long iterations;   /* iterations that the number averages */
	long first_iteration, last_iteration; /* as printed in the log */
	long first_line, last_line;           /* of the log, from 1 */
	long ranks_seen;      /* ranks that printed the same iteration */
	struct remark *flags; /* [n_flags] what a reader should know */
	size_t n_flags;
	struct result_rounding rounding;
	struct result_audit audit;
	struct result_pair *sources; /* key -> "option", "path", "log line 7"
	                                or "format", ... */
	size_t n_sources;
	const char *framework_version; /* "1.13.1", or NULL */
	const char *device;            /* "Tesla V100-SXM2-16GB", or NULL */
	struct result_collective *collectives; /* in the order of the log */
	size_t n_collectives;
	struct result_phases phases;
	struct result_bucket *buckets; /* in the order of their start */
	size_t n_buckets;
	struct result_metric *metrics;
	size_t n_metrics;
	struct result_times times;
	struct result_network network;
};

/* The runs of one configuration. */
struct result_case {
	const char *name;      /* "4n8g"; "8g" when nodes are unknown */
	const char *framework; /* "pytorch" or NULL */
	const char *model;     /* "resnet50" or NULL */
	const char *precision; /* "fp32" or NULL */
	long batch_size_per_device;
	long nodes, gpus_per_node, gpus; /* gpus: all of them */
	struct result_pair *labels;
	size_t n_labels;
	const char *unit;      /* "samples/s", "images/s", "sequences/s",
	                          "examples/s", "tokens/s", "items/s",
	                          "iterations/s", "GB/s", "s", "min" */
	const char *work_unit; /* where unit is "s" or "iterations/s": "tokens",
	                          or NULL: samples, or unknown; part of its
	                          identity */
	const char *rule;      /* of this case; part of its identity */
	long n;                /* runs that count */
	double median_speed;   /* headline, in unit */
	double average_speed, harmonic_speed, olympic_speed;
	double median_low, median_high; /* interval of the median */
	double median_level;            /* its achieved level, NAN for n = 1 */
	const char *baseline;           /* name of the baseline case, or NULL */
	int baseline_flag;              /* 1: not asked for and not 1n1g */
	double speedup, speedup_low, speedup_high, speedup_level;
	double efficiency; /* speedup * baseline GPUs / GPUs */
	struct result_run *runs;
	size_t n_runs;
};

/* Of a run that ended before it could be measured: where its log states so, and
 * which case it would have been of; all unknown of other runs. */
struct result_failed {
	long line;        /* of the log, from 1 */
	const char *name; /* "4n8g" */
	const char *framework, *model, *precision;
	long batch_size_per_device;
	long nodes, gpus_per_node, gpus;
	struct result_pair *labels; /* all that are stated */
	size_t n_labels;
};

/* A run or file that was excluded, and why. */
struct result_excluded {
	const char *path;
	const char *reason; /* one word: "short", "restart", "no-format", ... */
	struct remark why;
	struct remark hint; /* what would include it, or REMARK_NONE */
	struct result_failed failed;
};

struct result {
	struct arena arena;
	const char *tool_name, *tool_version;
	struct result_rule rule;
	struct result_input *inputs;
	size_t n_inputs;
	struct result_case *cases;
	size_t n_cases;
	struct result_excluded *excluded;
	size_t n_excluded;
	const char *file; /* where it was read from, or NULL; for messages */
};

/* An empty result: all unknown, no cases. */
void result_init(struct result *r);

/* A run, a case with everything unknown. */
void result_run_init(struct result_run *run);
void result_case_init(struct result_case *c);

/* Add a flag to a run.
 *
 * a  where its list of flags lives */
void result_run_flag(
    struct result_run *run, const struct remark *flag, struct arena *a);

/* An excluded run of which no more is known. */
struct result_excluded result_excluded_of(
    const char *path, const struct remark *why);

/* True if strong scaling was measured: the same work on more devices.  0 where
 * nothing is known of it. */
int result_rule_is_strong(const struct result_rule *rule);

/* True if there are as many GPUs as nodes have together, or if one of the three
 * is RESULT_UNKNOWN. */
int result_counts_agree(long nodes, long gpus_per_node, long gpus);

/* The device of all runs of a case; NULL: unknown, or several. */
const char *result_case_device(const struct result_case *c);

/* Read a result from a JSON file ("-": stdin).  On failure r is released and
 * the message names the file and the JSON path, as in
 * "a.json: cases[2].n: -1 is not a count". */
int result_read(const char *path, struct result *r, struct error *e);

/* True if a result of any version is at path.  Only the start of a regular file
 * is looked at; 0 for what cannot be read. */
int result_is_file(const char *path);

/* Refuse to write a result over JSON of another program, such as what DLPerf's
 * scripts write under the same name.  Returns 0, or -1 with ERROR_INPUT. */
int result_spare_foreign(const char *path, struct error *e);

/* The same from memory.
 *
 * name  stands for the file in messages */
int result_parse(const char *name, const char *text, size_t len,
    struct result *r, struct error *e);

/* Write the JSON form, keys in the order of the schema, numbers unrounded
 * ("%.17g" or shorter where that reads back the same).  Errors of f are left
 * to outfile_commit. */
void result_write(const struct result *r, FILE *f);

/* Free all; r is as after result_init. */
void result_release(struct result *r);

/* The figures next to a run's throughput, by name: MFU, memory, power, loss ...
 * (struct result_metric).  One of them may take the throughput's place as the
 * figure of a result. */
struct run_metric {
	const char *name; /* as in result_metric */
	const char *unit; /* "" for none */
	int of_window;    /* 1: follows from the throughput of the iterations
	                       that were measured; 0: of the log's last lines */
};

/* All of them; the last has no name. */
extern const struct run_metric run_metrics[];

/* Values of --metric: throughput, step-time, time-to-train, then the names
 * above; NULL at the end. */
extern const char *const run_metric_choices[];

/* The metric of that name; NULL: none, as of NULL, "throughput", "step-time"
 * and "time-to-train". */
const struct run_metric *run_metric_find(const char *name);

/* That of a run, or NULL. */
const struct result_metric *run_metric_of(
    const struct result_run *run, const char *name);

#endif
