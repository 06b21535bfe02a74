/* Data that the scanner extracts from one log file, before any computation: the
 * samples of the step patterns in file order, and the configuration that the
 * log states.
 */
#ifndef EXTRACT_LOG_LOG_H
#define EXTRACT_LOG_LOG_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/hash_index.h"
#include "common/texts/remark.h"

struct format;
struct stated_settings;

/* --- Samples and their details: growing arrays in file order ---------------*/

enum {
	SAMPLE_NONE = -1,          /* integer not printed on the line */
	SAMPLE_MAX = INT32_MAX - 1 /* so that a number after it has room */
};

/* One match of a step pattern.  Two matches in one physical line are two
 * samples. */
struct sample {
	double value;      /* step seconds or rate, as the format states; NAN if
	                      the format gives time stamps only */
	double stamp;      /* seconds: since 1970 with a date, since midnight
	                      without, NAN if none was printed */
	uint32_t line;     /* of the file, from 1 */
	int32_t epoch;     /* as printed, or SAMPLE_NONE */
	int32_t iter;      /* as printed: the end b of a window (a,b] */
	int32_t iter_from; /* start a of the window, or SAMPLE_NONE */
	int32_t iters;     /* iterations per epoch, or SAMPLE_NONE */
	int32_t rank;      /* from a prefix or group, or SAMPLE_NONE */
	double second;     /* see meaning.second; NAN if not printed */
};

struct sample_store {
	struct sample *items; /* [n] */
	size_t n, alloc;
};

/* Space for the next sample, which is appended when n is incremented. */
struct sample *sample_store_next(struct sample_store *all);

/* Free the items and leave the store empty. */
void sample_store_release(struct sample_store *all);

/* An additional value of a line: loss, top1, data_s, ... */
struct log_detail {
	double value;
	uint32_t word;   /* its index, see field_name_at */
	uint32_t sample; /* index in samples of the match on the same line */
};

struct detail_store {
	struct log_detail *items; /* [n] */
	size_t n, alloc;
};

/* Insert x in order of its sample: samples of one line may alternate. */
void detail_store_add(struct detail_store *all, const struct log_detail *x);

/* --- Meaning of the numbers ------------------------------------------------*/

/* Kind of a sample's value. */
enum value_kind {
	VALUE_STEP_TIME, /* seconds per iteration */
	VALUE_RATE,      /* units per second, see meaning.unit */
	VALUE_STAMP,     /* none; only the time stamp is used */
	VALUE_ELAPSED    /* seconds since the start, or of the whole run */
};

/* Iterations that a value covers. */
enum value_statistic {
	STATISTIC_INSTANT,        /* this iteration */
	STATISTIC_WINDOW_MEAN,    /* mean over (a,b] */
	STATISTIC_CUMULATIVE_MEAN /* mean since the start of the epoch */
};

/* A second value of a line about the same iterations; see struct sample. */
enum second_kind {
	SECOND_NONE,
	SECOND_MEAN,          /* mean since the start of the epoch: of step
				 times, or of rates (work over time) */
	SECOND_MEAN_OF_RATES, /* the same, as arithmetic mean of rates */
	SECOND_STEP           /* seconds per iteration, next to a rate */
};

/* Scope of a value, and how to combine ranks. */
enum value_scope {
	SCOPE_GLOBAL, /* the job: mean over ranks that print the same
			 iteration */
	SCOPE_NODE,   /* one node: sum over nodes */
	SCOPE_DEVICE, /* one device: sum over ranks */
	SCOPE_RANKS,  /* the printing rank: sum over ranks that print */
	SCOPE_UNKNOWN /* one device or the whole job, depending on the version
			 of the program */
};

enum { BASE_AUTO = 2 };

/* Meaning of a format's numbers. */
struct meaning {
	enum value_kind kind;
	enum value_statistic statistic;
	enum value_scope scope;
	const char *unit; /* of a rate: "samples/s", "tokens/s", ...; of a
	                     time: "s" */
	int base;         /* number of an epoch's first iteration: 0, 1 or
	                     BASE_AUTO */
	long window;      /* iterations per line unless the line states them: k
			     > 0: constant; 0: since the previous line */
	const char *rule; /* default rule: "window", "all" or "summary" */
	int iter_global;  /* 1: iterations are not reset at epochs */
	int of_samples;   /* 1: step times are per sample */
	const char *throughput; /* unit of the throughput: "samples/s",
				   "tokens/s", ...; for rates same as unit;
				   NULL: "samples/s" */
	int trials;    /* 1: steps are parameter trials; use the best */
	int epochs;    /* 1: iterations are epochs; the log states their
			  samples */
	int has_work;  /* 1: some step pattern captures the batch */
	int has_total; /* 1: some step pattern captures the total work */
	int generic;   /* 1: records of any program */
	enum second_kind second; /* kind of sample.second */
	long mean_start; /* > 0: running means skip this many iterations of
			    the run; 0: at each epoch */
};

/* Source of a statement in a log, the most reliable first. */
enum log_voice {
	LOG_PROGRAM,  /* the training program */
	LOG_LAUNCHER, /* the launcher of its processes */
	LOG_JOB,      /* the scheduler, or the starter of one launcher per
			 node */
	LOG_MACHINE,  /* a description of the system */
	LOG_GUESS,    /* the probable meaning of a command */
	N_LOG_VOICES
};

/* Metadata that the log states; the key is one of the vocabulary: framework
 * framework_version model precision batch_size batch_size_per_device nodes
 * gpus_per_node gpus world_size device ... */
struct log_metadata {
	const char *key;
	const char *value;
	int64_t line; /* line number, from 1 */
	enum log_voice voice;
};

enum { LOG_WORK_KEYS = 5 /* maximum number of keys per log */ };

/* Work of an iteration as printed on step lines; it applies up to the next
 * entry of its key. */
struct log_work {
	double amount; /* samples or tokens of one iteration of the job */
	int64_t line;  /* line number, from 1 */
};

struct log_works {
	const char *key; /* "batch_size", "tokens_per_step", "epoch_samples"; or
			    "tokens_done", total since the start of the run;
			    NULL: unused */
	struct log_work *items; /* [n] in file order */
	size_t n, alloc;
};

/* A result that the program itself averaged and printed at its end. */
struct log_summary {
	double value;     /* rate or seconds, as the format states */
	const char *unit; /* "samples/s", "tokens/s", "s", ... */
	int64_t line;     /* line number, from 1 */
	int event;        /* 1: the time between two events */
	int per_device;   /* 1: a rate of one device */
	const char *text; /* line of the best trial, or NULL; in the log's
			     arena */
};

/* Finest resolution (unit of the last printed digit) of numbers that are summed
 * or whose sums are subtracted; 0: none printed. */
struct log_units {
	double value; /* of single steps, in the samples' unit */
	double mean;  /* of means since the start, in the samples' unit */
	double total; /* of times since the start, seconds */
};

/* Collectives of one size; see struct result_collective. */
struct log_collective {
	const char *collective; /* in the log's arena, or NULL */
	const char *kind;       /* name of the pattern */
	double bytes, time_s, algorithm, bus;
	double count; /* number of operations in the means */
	int64_t line; /* first line number, from 1 */
};

/* One allreduce of one traced step; see struct result_bucket. */
struct log_bucket {
	long bucket; /* index in the step */
	double bytes, ready_s, start_s, duration_s;
};

/* --- Signs of an early end -------------------------------------------------*/

/* Signs in the lines of a log of why its run ended, and of programs that do not
 * train. */

struct log_sign {
	enum remark_code code; /* REMARK_OUT_OF_MEMORY, REMARK_CRASHED or
	                          REMARK_NOT_TRAINING; REMARK_NONE: none */
	const char *program;   /* for REMARK_NOT_TRAINING: "vLLM" */
	int64_t line;          /* line number, from 1 */
	const char *text;      /* the line, shortened */
};

/* Signs found in a log. */
struct log_signs {
	struct log_sign failure, program;
	enum remark_code last; /* of a failure after the last step, and its
	                          line number; chosen like failure */
	int64_t last_line;
	int64_t stopped; /* line that says that its user stopped the run; 0:
	                    none */
};

/* State of a search in a log. */
struct log_sign_search {
	struct log_signs *signs;
	int64_t step;     /* line number of the latest step, or 0 */
	int in_traceback; /* 1: its exception has not been read yet */
	char prefix[64];  /* of the lines of the traceback: "[rank0]: " */
};

/* Look for messages with which frameworks, NCCL, MPI, Slurm, the shell and the
 * kernel report an early end of a run. Keeps the first one about memory, else
 * the first one; of a Python traceback the line of the exception.
 *
 * text          [len] a line
 * number        line number, from 1
 * programs_too  1: also look for programs that serve models or benchmark
 *               serving, by the measurements that vLLM, TensorRT-LLM, trtexec,
 *               Triton, SGLang, llama.cpp and MLPerf's LoadGen print. Their
 *               requests and tokens per second are not training steps.
 * a             arena of the sign's text
 *
 * Returns 0 if neither this line nor any that differs only in digits can be a
 * sign of a failure, unless a traceback is open; else 1. */
int log_signs_look(struct log_sign_search *s, const char *text, size_t len,
    int64_t number, int programs_too, struct arena *a);

/* The sign of a failure, or NULL. A run that its user stopped did not fail. */
const struct log_sign *log_failure(const struct log_signs *signs);

/* --- A log -----------------------------------------------------------------*/

enum { LOG_MAX_TAIL = 24 };

/* A value printed on the last lines of a log, next to their steps. */
struct log_tail_value {
	const char *key; /* of the vocabulary: "loss", "mfu", ...; a constant */
	double last, max, sum;
	long n; /* number of values in sum; 0 if only the last is used (struct
		   field_name) */
	int64_t first_line, last_line; /* line numbers, from 1 */
};

struct log {
	struct arena arena;
	const char *path;            /* as opened */
	const char *shown;           /* as reported: relative to the operand */
	int64_t bytes;               /* as stored (compressed) */
	int64_t lines;               /* physical lines */
	char hash[33];               /* XXH3-128 of the stored bytes, or "" */
	const struct format *format; /* NULL: not recognised */
	const struct format *runner_up; /* NULL: no other format matched */
	const char *other_name; /* format of another program's steps in the log,
				   which are not read; or NULL */
	int64_t other_steps;    /* such steps */
	int64_t other_line;     /* the first of them */
	int other_more;         /* 1: the count may be incomplete */
	const struct meaning *meaning; /* of format; NULL if format is */
	struct sample_store samples;   /* in file order */
	int stamped;                   /* 1: some of them have a stamp */
	struct log_units units;        /* of them */
	struct log_metadata *metadata; /* in file order */
	size_t n_metadata, alloc_metadata;
	struct stated_settings *settings; /* from its head; NULL: not read */
	const char *first_stamp; /* first date and time on a line of its head,
				    or NULL */
	struct log_works works[LOG_WORK_KEYS]; /* see log_works_at */
	struct log_summary *summaries;         /* in file order */
	size_t n_summaries, alloc_summaries;
	struct log_collective *collectives; /* in file order */
	size_t n_collectives, alloc_collectives;
	struct hash_index collective_index; /* of merged collectives */
	struct log_bucket *buckets;         /* in file order */
	size_t n_buckets, alloc_buckets;
	size_t n_tail;               /* length of tail, below */
	int split_buckets;           /* 1: buckets of several operations */
	struct detail_store details; /* in file order, if requested from the
					scanner */
	int named_ranks;   /* 1: ranks are numbers of names (hosts, actors) in
			    order of appearance, possibly nodes */
	int64_t n_untimed; /* progress bars at 00:00, without a time */
	int64_t n_match_limit;    /* lines on which a pattern reached a limit */
	int64_t match_limit_line; /* the first of them, 0 if none */
	int64_t n_long_lines;     /* lines cut at SCAN_MAX_LINE; text across a
				     cut is lost */
	int detection_cut;        /* 1: format detection skipped parts of the
				     file to save time */
	int trailing;             /* 1: unread uncompressed bytes follow the
				     compressed data */
	int truncated;            /* 1: compressed data or records of a store
				     ended early or are damaged, or the file
				     shrank while being read */
	int64_t nan_loss_line;    /* first line with a non-finite loss after the
				  last finite one; 0: none */
	struct log_signs signs;   /* of why it ended */
	int borrowed;             /* 1: a copy; another log owns the data */
	/* log_init clears the members above. It does not clear tail, which is
	 * most of the struct. */
	struct log_tail_value tail[LOG_MAX_TAIL]; /* [n_tail] in the order of
	                                             their first lines */
	struct error problem; /* code != ERROR_NONE: unreadable or no text */
};

/* Initialise an empty log; free all that the log owns, which leaves it
 * empty. */
void log_init(struct log *log);
void log_release(struct log *log);

/* Merge `more` into `units`: the finer of each. */
void log_units_join(struct log_units *units, const struct log_units *more);

/* The first sample at or after a line, or NULL. */
const struct sample *log_sample_from(const struct log *log, int64_t line);

/* The time stamp printed on a sample's line, or NAN. */
double log_stamp_at(const struct log *log, long line);

/* The line of the first sample; INT64_MAX if none. */
int64_t log_first_step(const struct log *log);

/* The line of the last sample; 0 if none. */
int64_t log_last_step(const struct log *log);

/* --- Work of an iteration as printed on step lines ------------------------*/

/* Set the work of an iteration from this line on.
 *
 * key     lives as long as the log; at most LOG_WORK_KEYS different keys
 * amount  samples or tokens
 * line    from 1, not less than in the last call */
void log_works_add(
    struct log *log, const char *key, double amount, int64_t line);

/* Remove all entries. */
void log_works_clear(struct log *log);

/* The last entry of a key at or before a line, or NULL, in O(log n). */
const struct log_work *log_works_entry(
    const struct log *log, const char *key, int64_t line);

/* The last amount at or before a line, or NAN, in O(log n). */
double log_works_at(const struct log *log, const char *key, int64_t line);

/* --- Collectives of a benchmark, or of a training -------------------------*/

enum {
	LOG_COLLECTIVES_MAX = 1 << 20, /* maximum per log */
	LOG_BUCKETS_MAX = 1 << 16      /* maximum of all traced steps */
};

/* Add a collective. Computes a missing algorithm bandwidth from bytes and time.
 *
 * x      its names must live as long as the log
 * merge  1: merge with those of the same name, kind and size: mean time,
 *        bandwidths as total bytes over total time, and the count
 *
 * It is dropped if it has no size or the log is full. */
void log_collectives_add(
    struct log *log, const struct log_collective *x, int merge);

/* Add a bucket of a traced step, up to the maximum.
 *
 * collective  "allreduce"; for others, or NULL, the bucket consists of several
 *             operations without a common time and is only noted */
void log_buckets_add(
    struct log *log, const struct log_bucket *x, const char *collective);

/* --- Flags: lost text, reached limits, a loss that is not finite ----------*/

enum { LOG_FLAGS_MAX = 7 };

/* Find the flags of a run with these logs. With several logs a flag names the
 * first log and the number of others that have it.
 *
 * logs   [n]
 * flags  [LOG_FLAGS_MAX] filled; texts are borrowed from the logs
 *
 * Returns their number. */
size_t log_flags_find(
    const struct log *const *logs, size_t n, struct remark *flags);

/* --- Power of devices, recorded by a monitor next to a log ----------------*/

/* Power of one device at one time. */
struct power_row {
	double at; /* seconds since 1970; NAN if the monitor prints no times */
	double watts;
	int64_t line;    /* line number, from 1 */
	uint32_t device; /* from 0, in order of appearance */
};

struct power_log {
	const char *name;       /* file name without folder */
	struct power_row *rows; /* in file order */
	size_t n, alloc;
	long devices;      /* number of devices; 0: unknown */
	int of_nodes;      /* 1: each device is a whole node */
	double switches_w; /* power of their interconnect */
	int whole; /* 1: belongs to this run alone, so the mean is usable
			 without times */
	/* Time of a line of the log, seconds since 1970, for formats without
	 * times; NAN: unknown. */
	double (*log_time)(const char *log, long line);
	const char *log;     /* its path */
	const char *problem; /* reason for giving no result, or NULL */
};

struct power_mean {
	double watts;                  /* mean per device */
	int64_t first_line, last_line; /* lines of the rows used */
	double covered; /* covered share of the interval; 1 without interval */
};

/* Compute the mean over the rows of all devices in [from, to], seconds since
 * 1970, or over all rows if both are NAN.
 *
 * Returns 0; -1 if there are no such rows. */
int power_log_mean(
    const struct power_log *p, double from, double to, struct power_mean *mean);

/* Free the rows. */
void power_log_release(struct power_log *p);

/* --- Tests of a benchmark of collectives ----------------------------------*/

/* True if the rows were printed by a benchmark, not by a training. */
int benchmark_log(const struct log *log);

/* End of the test that begins at row i, up to n_collectives. A new test begins
 * if the size decreases, since benchmarks print sizes in ascending order, or if
 * the name changes. */
size_t benchmark_test_end(const struct log *log, size_t i);

/* The bandwidth of the test in rows [from, end), in GB/s: the printed summary,
 * else the bandwidth of its largest message. Returns NULL if there is none.
 *
 * room  buffer for the result */
const struct log_summary *benchmark_figure(
    const struct log *log, size_t from, size_t end, struct log_summary *room);

/* --- Exclusions: why a run is excluded, and a hint with the option that would
 * include it ---------------------------------------------------------------*/

/* Texts in the remarks are borrowed from logs or the run's arena. */
struct exclusion {
	struct remark why; /* REMARK_NONE: not excluded */
	struct remark hint;
};

#define EXCLUSION_INIT \
	{ \
		{ .code = REMARK_NONE }, \
		{ \
			.code = REMARK_NONE \
		} \
	}

/* Fill x. Always returns -1, for "return exclude(...)". */
static inline int
exclude(struct exclusion *x, struct remark why)
{
	*x = (struct exclusion){ .why = why };
	return -1;
}

/* True if the run is excluded for this reason key. */
static inline int
exclusion_is(const struct exclusion *x, const char *reason)
{
	const char *own = remark_rows[x->why.code].reason;

	return own != NULL && strcmp(own, reason) == 0;
}

#endif
