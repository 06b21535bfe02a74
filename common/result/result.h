/* The result, written by extract_logs and read by report_results and
 * plot_results.
 *
 * Invariants: unknown strings are NULL, unknown numbers NAN (double) or
 * RESULT_UNKNOWN (long); they become null in JSON. All memory belongs to the
 * result's arena. The JSON form is doc/result-schema.json ("dlscale-result/2");
 * the sentences of schema 1 are read as REMARK_OTHER.
 *
 *	struct result r;
 *	if (result_parse("resnet50_result.json", text, len, &r, &e) != 0) ...
 *	for (size_t i = 0; i < r.n_cases; i++)
 *		printf("%s %g\n", r.cases[i].name, r.cases[i].median_speed);
 *	result_release(&r);
 */
#ifndef COMMON_RESULT_RESULT_H
#define COMMON_RESULT_RESULT_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/texts/remark.h"

#define RESULT_SCHEMA "dlscale-result/2"
#define RESULT_SCHEMA_VERSION 2
#define RESULT_UNKNOWN LONG_MIN /* unknown integer */
/* The reader rejects larger numbers and positive ones below 1 / this, so that
 * ratios, products and percentages are finite. */
#define RESULT_NUMBER_MAX 1e100

/* Key and value: labels, provenance, environment. */
struct result_pair {
	const char *key;
	const char *value;
};

/* Options that affect numbers. Those that do not apply to the rule are
 * RESULT_UNKNOWN or NULL. */
struct result_rule {
	const char *rule;      /* "window", "all" or "summary" */
	long skip_iterations;  /* S */
	long warmup_batches;   /* W */
	long train_batches;    /* T; RESULT_UNKNOWN: unlimited */
	long from_iteration;   /* for rule "all" */
	const char *epoch;     /* "auto", "all" or a number */
	const char *aggregate; /* "time", "mean" or "median" */
	const char *metric;    /* "throughput", "step-time", "time-to-train" */
	const char *protocol;  /* name of --protocol, or NULL */
	const char *scaling;   /* "weak" or "strong" */
	const char *baseline;  /* as given by --baseline, or NULL */
	double confidence;     /* 0 < confidence < 1 */
	struct result_pair *more; /* further keys, in order, as strings; only
	                             written */
	size_t n_more;
};

/* Log file that was examined. */
struct result_input {
	const char *path;   /* relative to the operand */
	long bytes;         /* size of the file as stored */
	const char *hash;   /* XXH3-128 in 32 hex digits, or NULL */
	const char *format; /* name of the log format, or NULL */
	int used;           /* 1: a run uses it */
};

/* Quality of a run by its steps (doc/measurement.md, "Audit"); all NAN or
 * RESULT_UNKNOWN if the rule uses no steps. */
struct result_audit {
	long settled_at;    /* first settled position, or unknown */
	double drift;       /* relative slope over the window, no unit */
	double stall_share; /* share of the window's time in steps above twice
			       the median */
	double imbalance;   /* mean of the steps' (max - mean) / mean */
	double p5, p50, p95, max; /* quantiles of the step value, in its unit */
	double cv;                /* standard deviation / mean */
	double
	    half_width; /* half the 95 % interval of the run's mean / mean, by
			      batch means or the scatter of its records */
	double window_off; /* mean of the window / mean of all steps from its
			      start - 1 */
};

/* Times of the single operations of a collective, in seconds; NAN: unknown. */
struct result_iterations {
	double fastest_s, p99_s, slowest_s;
	long slowest_process; /* from 0, or RESULT_UNKNOWN */
	double slowest_ratio; /* its mean time over the median of the means of
				 the processes */
};

#define RESULT_ITERATIONS_UNKNOWN \
	((struct result_iterations){ NAN, NAN, NAN, RESULT_UNKNOWN, NAN })

/* Collectives of one message size, from a benchmark or from a training. */
struct result_collective {
	const char *collective;    /* "all_reduce_perf", or NULL */
	const char *kind;          /* "out-of-place", "in-place", ... */
	double bytes;              /* message size */
	long count;                /* operations averaged, or RESULT_UNKNOWN */
	double time_s;             /* time of one operation, or NAN */
	double algorithm_gb_per_s; /* bytes over time, in 1e9 bytes/s; or NAN */
	double bus_gb_per_s;       /* bus bandwidth as defined by the benchmark;
				      or NAN */
	long line;                 /* in the log, from 1 */
	long test; /* index of the benchmark in the log, from 1, or
		      RESULT_UNKNOWN */
	struct result_iterations iterations;
};

/* Phases of a run's mean step, as measured by the program; NAN: unknown. */
struct result_phases {
	double step_s;         /* whole step */
	double data_s;         /* waiting for data */
	double busy_s;         /* allreduce of gradients */
	double exposed_s;      /* ... not overlapped by computation */
	double bytes_per_step; /* bytes of gradients per device in allreduces */
	double allreduces;     /* number per step */
	double to_device_s;    /* copy of the batch to the device */
	double forward_s, loss_s, backward_s;
	double update_s; /* gradient summation and optimiser step */
};

/* Times of the whole program from its log, in seconds. */
struct result_times {
	double real_s;        /* wall-clock time */
	double user_s, sys_s; /* CPU time of all cores and processes */
};

/* Mean network traffic of the first process's machine, in 1e9 bytes/s. */
struct result_network {
	double received_gb_per_s, sent_gb_per_s;
};

/* One allreduce of a mean step: a bucket of gradients. */
struct result_bucket {
	double bytes;
	double ready_s;    /* since the step's start: gradients ready */
	double start_s;    /* start of the allreduce */
	double duration_s; /* duration of the allreduce */
};

/* When and where a run was made, as its log states it; NULL: unknown. */
struct result_session {
	const char *started, *ended; /* time stamps with a date, as printed */
	const char *host;            /* of the first process */
	const char *job;             /* id of the scheduler's job */
	/* Set by sessions_find, not in the JSON. */
	long number;  /* 0: unknown */
	double start; /* seconds since 1970; INFINITY: unknown */
};

/* Metric other than the throughput: "mfu", "peak_memory", ... */
struct result_metric {
	const char *name;
	double value;
	const char *unit;   /* "%", "GiB", ...; or "" */
	const char *source; /* lines of the log, or a formula */
};

/* Bounds of a run's value if it is a difference of rounded sums; else both
 * NAN. */
struct result_rounding {
	double low, high; /* in the unit of the case */
};

/* One run. Its value is one of those whose median is the case's. */
struct result_run {
	const char *run;      /* number or name, as a string */
	const char *path;     /* log file, relative to the operand */
	double samples_per_s; /* global; NAN unless the metric is throughput */
	double value;         /* in the case's unit, always set */
	double step_s; /* seconds per iteration, NAN without batch size */
	double work;   /* of an iteration; 0 or NAN: unknown; set by
			    extract_logs, not in the JSON */
	const char *work_unit; /* "samples" or "tokens"; set like work */
	long iterations;       /* number of iterations averaged */
	long first_iteration, last_iteration; /* as printed in the log */
	long first_line, last_line;           /* in the log, from 1 */
	long ranks_seen;      /* number of ranks that printed an iteration */
	struct remark *flags; /* [n_flags] remarks on the number */
	size_t n_flags;
	struct result_rounding rounding;
	struct result_audit audit;
	struct result_pair *sources; /* key -> "option", "path", "log line 7"
	                                or "format", ... */
	size_t n_sources;
	const char *framework_version; /* "1.13.1", or NULL */
	const char *device;            /* "Tesla V100-SXM2-16GB", or NULL */
	struct result_pair *settings;  /* speed_settings that the log states:
	                                  key -> value */
	size_t n_settings;
	struct result_collective *collectives; /* in the order of the log */
	size_t n_collectives;
	struct result_phases phases;
	struct result_bucket *buckets; /* by start */
	size_t n_buckets;
	struct result_metric *metrics;
	size_t n_metrics;
	struct result_times times;
	struct result_network network;
	struct result_session session;
};

#define RESULT_OLYMPIC "olympic" /* mean without the best and the worst run */

/* Runs of one configuration. */
struct result_case {
	const char *name;      /* "4n8g"; "8g" when nodes are unknown */
	const char *framework; /* "pytorch" or NULL */
	const char *model;     /* "resnet50" or NULL */
	const char *precision; /* "fp32" or NULL */
	long batch_size_per_device;
	long nodes, gpus_per_node, gpus; /* gpus: total */
	struct result_pair *labels;
	size_t n_labels;
	const char *unit;      /* "samples/s", "images/s", "sequences/s",
	                          "examples/s", "tokens/s", "items/s",
	                          "iterations/s", "GB/s", "s", "min" */
	const char *work_unit; /* if unit is "s" or "iterations/s": "tokens", or
				  NULL (samples or unknown); part of the
				  identity of a case */
	const char *rule;      /* part of the identity of a case */
	const char *score;     /* statistic that is the headline:
				  RESULT_OLYMPIC, or NULL for the median */
	long n;                /* number of runs used */
	double median_speed;   /* headline, in unit */
	double average_speed, harmonic_speed, olympic_speed;
	double median_low, median_high; /* interval of the headline */
	double median_level;            /* achieved level, NAN for n = 1 */
	const char *baseline;           /* name of the baseline case, or NULL */
	const struct result_case *base; /* baseline in the same result, set by
					   result_check; not in the JSON */
	int baseline_flag;              /* 1: default baseline, but not 1n1g */
	double speedup, speedup_low, speedup_high, speedup_level;
	double efficiency;    /* speedup * baseline GPUs / GPUs */
	struct remark *flags; /* [n_flags] on speedup and efficiency */
	size_t n_flags;
	struct result_run *runs;
	size_t n_runs;
};

/* Case and log line of a run that failed before it could be measured. Unknown
 * for other runs. */
struct result_failed {
	long line;        /* in the log, from 1 */
	const char *name; /* "4n8g" */
	const char *framework, *model, *precision;
	long batch_size_per_device;
	long nodes, gpus_per_node, gpus;
	struct result_pair *labels; /* all known labels */
	size_t n_labels;
};

/* Excluded run or file, with the reason. */
struct result_excluded {
	const char *path;
	const char *reason; /* "short", "restart", "no-format", ... */
	struct remark why;
	struct remark hint; /* how to include it, or REMARK_NONE */
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
	const char *file;      /* file name for messages, or NULL */
	int without_baselines; /* 1: speedups are left to series_collect */
};

/* Initialise an empty result: all unknown, no cases. */
void result_init(struct result *r);

/* Initialise a run or a case: all unknown. */
void result_run_init(struct result_run *run);
void result_case_init(struct result_case *c);

/* Set baseline, base, speedup, its interval and efficiency to unknown, and drop
 * their flags. */
void result_case_clear_speedup(struct result_case *c);

/* The value of a key among n pairs, or NULL. */
const char *result_pair_value(
    const struct result_pair *pairs, size_t n, const char *key);

/* Add a flag to a run.
 *
 * a  holds the list of flags */
void result_run_flag(
    struct result_run *run, const struct remark *flag, struct arena *a);

/* The flags of a run as JSON in one line, {"flags": [...]}, allocated in a;
 * NULL without flags. */
const char *run_flags_json(const struct result_run *run, struct arena *a);

/* Set the flags of a run from a text that run_flags_json wrote.
 *
 * name  file of the text, for errors
 * a     holds the flags
 *
 * Returns 0, or -1 with a message that names the file. */
int run_flags_parse(struct result_run *run, const char *name, const char *text,
    struct arena *a, struct error *e);

/* True if strong scaling was measured: constant work on more devices. 0 if
 * unknown. */
int result_rule_is_strong(const struct result_rule *rule);

/* Confidence of the intervals; the default if it is unknown. */
double result_confidence(const struct result_rule *rule);

/* True if a configuration has cases of several GPU counts that share one global
 * batch size, as strong scaling has.
 *
 * cases  [n] */
int result_cases_look_strong(const struct result_case *const *cases, size_t n);

/* Order of two cases by framework, model and precision. */
int result_configuration_order(
    const struct result_case *a, const struct result_case *b);

/* Device of all runs of a case; NULL if unknown or if they differ. */
const char *result_case_device(const struct result_case *c);

/* True if the file at path is a result of any version. Reads only the start of
 * a regular file; 0 if it cannot be read. */
int result_is_file(const char *path);

/* Read a result from JSON and check it by result_check. On failure releases r;
 * the message contains the file and the JSON path: "a.json: cases[2].n: -1 is
 * not a count".
 *
 * name  file name for messages */
int result_parse(const char *name, const char *text, size_t len,
    struct result *r, struct error *e);

/* Write a result as JSON: keys in the order of the schema, numbers unrounded
 * ("%.17g" or shorter if that reads back the same). outfile_commit checks f for
 * errors. result_check must have accepted it.
 *
 * Returns 0; -1 with ERROR_LIMIT if it is larger than a document that can be
 * read. */
int result_write(const struct result *r, FILE *f, struct error *e);

/* Free all. r is as after result_init. */
void result_release(struct result *r);

/* Metrics other than the throughput: MFU, memory, power, loss ... (struct
 * result_metric). --metric selects one of them instead of the throughput. */
struct run_metric {
	const char *name;   /* name in result_metric */
	const char *unit;   /* "" for none */
	int of_window;      /* 1: computed from the throughput of the measured
			     iterations; 0: from the last lines of the log */
	enum message title; /* of an axis or a column */
};

/* All metrics; the last has a NULL name. */
extern const struct run_metric run_metrics[];

/* Values of --metric: throughput, step-time, time-to-train, then the names
 * above. NULL-terminated. */
extern const char *const run_metric_choices[];

/* Find a metric by name; NULL if there is none, including for NULL,
 * "throughput", "step-time" and "time-to-train". */
const struct run_metric *run_metric_find(const char *name);

/* Find a metric of a run by name, or NULL. */
const struct result_metric *run_metric_of(
    const struct result_run *run, const char *name);

/* Setting on which the speed of training usually depends. extract_logs keeps
 * those that a log states (result_run.settings), and report_results --reproduce
 * compares them. */
struct speed_setting {
	const char *key;     /* "hidden_size" */
	const char *aliases; /* other names in logs, between spaces */
	int always;          /* 1: reported even if neither side states it */
};

/* Ordered by their usual effect, largest first. The last has a NULL key. */
extern const struct speed_setting speed_settings[];

/* Find a setting by name or alias; the part after the last '.' counts, as in
 * "model.d_model". NULL: none. */
const struct speed_setting *speed_setting_find(const char *key);

/* Quantities of a run besides its speed: times of the program, phases of a mean
 * step, traffic. Reference value files, tables and CSV take their names from
 * one table. */
enum quantity {
	QUANTITY_REAL,
	QUANTITY_USER,
	QUANTITY_SYS,
	QUANTITY_STEP,
	QUANTITY_DATA,
	QUANTITY_TO_DEVICE,
	QUANTITY_FORWARD,
	QUANTITY_LOSS,
	QUANTITY_BACKWARD,
	QUANTITY_UPDATE,
	QUANTITY_BUSY,
	QUANTITY_EXPOSED,
	QUANTITY_RECEIVED,
	QUANTITY_SENT,
	N_QUANTITIES
};

struct quantity_row {
	const char *head;   /* in reference value files: "forward" */
	const char *key;    /* in CSV: "forward_s" */
	size_t offset;      /* of a double in struct result_run */
	int is_rate;        /* 1: GB/s, 0: seconds */
	enum message shown; /* in tables */
};

extern const struct quantity_row quantity_rows[N_QUANTITIES];

/* Find a quantity by head, ignoring case. Returns N_QUANTITIES if it is
 * unknown. */
enum quantity quantity_find(const char *head);

/* The median over the runs with a value; NAN if there is none. */
double quantity_of_case(const struct result_case *c, enum quantity q);

enum { QUANTITY_TEXT_SIZE = 64 };

/* Format a rate in 1e9 bytes/s as published tables do, "2.61Gb/s". */
char *quantity_bit_rate(char buf[QUANTITY_TEXT_SIZE], double gb_per_s);

/* --- collectives by size -------------------------------------------------- */

/* Bins of message sizes are those of reports on Horovod's responses: up to 1
 * KiB, 1 MiB, every 10 MiB up to 100 MiB, every 50 MiB up to 1000 MiB, and
 * above. */

enum { SIZE_BINS = 31, SIZE_LABEL_SIZE = 32 };

/* Bin, from 0, of a size in bytes, >= 0. Bins are intervals (from, to]; the
 * first includes 0. */
int size_bin(double bytes);

/* Label of a bin: "(1KB, 1MB]", the last one ">1000MB"; units of 1024, as in
 * the reports.
 *
 * comma  between the bounds: ", " */
void size_bin_label(int bin, const char *comma, char label[SIZE_LABEL_SIZE]);

/* True if x sums up all operations of a bin ("by-size"), with their mean size
 * in bytes; 0 if x is for one size. */
int collective_is_by_size(const struct result_collective *x);

/* Operations of a bin. */
struct collective_bin {
	int bin;
	double count;   /* operations per run */
	double bytes;   /* bytes of all operations, per run */
	double seconds; /* time of all operations, per run */
	double bus;     /* bus bandwidth over the time of all operations, GB/s;
			   NAN: unknown */
	double share;   /* share of the time of all bins */
};

/* Group the operations of a case by size: the mean over the runs that report
 * their number. If a run reports them both singly and by size, the latter
 * count, because the former may be a sample.
 *
 * bins    receives the non-empty bins, by size
 * n_runs  set to the number of these runs
 *
 * Returns the number of bins. */
size_t collective_groups_by_size(const struct result_case *c,
    struct collective_bin bins[SIZE_BINS], size_t *n_runs);

/* --- predictions ---------------------------------------------------------- */

/* Predictions written by predict_scaling --format=json
 * (doc/prediction-schema.json), given as operands next to results. */

struct prediction_interval {
	double level, low, high; /* NAN: unknown */
};

/* Measured or predicted case; NAN is unknown. */
struct prediction_case {
	const char *name, *how;
	long gpus;
	double speed, speedup, efficiency;
	int measured, forced;
	struct prediction_interval *intervals; /* [n_intervals] */
	struct prediction_interval first;      /* intervals[0], or unknown */
	const char **words;                    /* [n_words] warnings */
	const char *warnings; /* all warnings, separated by semicolons; or "" */
	size_t n_intervals, n_words;
};

struct prediction_series {
	const char *path;
	const char *title, *unit;          /* NULL: unknown */
	struct result_pair *configuration; /* [n_configuration]; a NULL value
					      is unknown */
	size_t n_configuration;
	const char **notes;            /* [n_notes] */
	struct prediction_case *cases; /* [n_cases] */
	size_t n_notes, n_cases;
};

struct predictions {
	struct arena arena;
	struct prediction_series *items;
	size_t n;
};

/* True if the file is a prediction. Reads only its beginning. */
int predictions_is(const char *path);

/* Add the series of a file. They live as long as the program.
 *
 * Returns 0; -1 like json_doc_read, or ERROR_INPUT with file and path for a
 * member of the wrong type or an unknown version. */
int predictions_read(struct predictions *p, const char *path, struct error *e);

#endif
