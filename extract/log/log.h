/* What the scanner takes out of one log file, before any arithmetic: the
 * samples of the step patterns in the order of the file, and what the log
 * states about its own configuration.
 */
#ifndef EXTRACT_LOG_LOG_H
#define EXTRACT_LOG_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/hash_index.h"
#include "extract/log/sample_store.h"

struct format;
struct stated_settings;

/* What a sample's value is. */
enum value_kind {
	VALUE_STEP_TIME, /* seconds per iteration */
	VALUE_RATE,      /* units per second, see meaning.unit */
	VALUE_STAMP,     /* only the time stamp counts */
	VALUE_ELAPSED    /* seconds since the start, or of the whole run */
};

/* Over which iterations a value speaks. */
enum value_statistic {
	STATISTIC_INSTANT,        /* this iteration */
	STATISTIC_WINDOW_MEAN,    /* mean over (a,b] */
	STATISTIC_CUMULATIVE_MEAN /* mean since the start of the epoch */
};

/* What a line prints next to its value that states more about the same
 * iterations; see struct sample. */
enum second_kind {
	SECOND_NONE,
	SECOND_MEAN,          /* running mean since the epoch began: of step
	                         times, or of rates as work over time */
	SECOND_MEAN_OF_RATES, /* the same, but the plain mean of rates */
	SECOND_STEP           /* next to a rate: seconds of an iteration */
};

/* For whom a value speaks. */
enum value_scope {
	SCOPE_GLOBAL, /* the whole job: mean over ranks that print the same k */
	SCOPE_NODE,   /* one node: sum over nodes */
	SCOPE_DEVICE, /* one device: sum over ranks */
	SCOPE_RANKS,  /* the rank that prints: sum over those that do */
	SCOPE_UNKNOWN /* one device or the whole job: some versions of the
	                 program print the one, some the other */
};

enum { BASE_AUTO = -1 };

/* What a format's numbers mean. */
struct meaning {
	enum value_kind kind;
	enum value_statistic statistic;
	enum value_scope scope;
	const char *unit; /* of a rate: "samples/s", "tokens/s", ...; of a
	                     time: "s" */
	int base;         /* number of an epoch's first iteration: 0, 1 or
	                     BASE_AUTO */
	long window;      /* iterations a line speaks for where the line does
	                     not state: k > 0 constant; 0: the distance to the
	                     iteration printed before */
	const char *rule; /* default rule: "window", "all" or "summary" */
	int iter_global;  /* 1: iterations run on through the epochs */
	int of_samples;   /* 1: a step time is that of one sample */
	const char *throughput; /* what a step time is made into: "samples/s",
	                           "tokens/s", ...; of a rate its unit; NULL:
	                           "samples/s" */
	int trials;    /* 1: steps are trials of parameters; the best counts */
	int epochs;    /* 1: iterations are epochs, whose samples the log
	                     shows */
	int has_work;  /* 1: some line of a step states its batch */
	int has_total; /* 1: some line of a step states the work done so far */
	int generic;   /* 1: records of any program, not one program's lines */
	enum second_kind second; /* what sample.second is */
	long mean_start; /* > 0: running means are of the run's iterations after
	                    so many; 0: of their epoch's */
};

/* Who in a log states something, the one to be believed most first. */
enum log_voice {
	LOG_PROGRAM,  /* the training itself */
	LOG_LAUNCHER, /* what started its processes */
	LOG_JOB,      /* the scheduler, and what starts one launcher a node */
	LOG_MACHINE,  /* a description of the system */
	LOG_GUESS,    /* what a command most probably means */
	N_LOG_VOICES
};

/* What the log states about itself; the key is one of the vocabulary:
 * framework framework_version model precision batch_size batch_size_per_device
 * nodes gpus_per_node gpus world_size device ... */
struct log_metadata {
	const char *key;
	const char *value;
	int64_t line; /* of the file, from 1 */
	enum log_voice voice;
};

enum { LOG_WORK_KEYS = 5 /* most that a log states */ };

/* Work of an iteration that the lines of the steps print: the latest entry of a
 * key at or before a line holds for it; see log_works.h. */
struct log_work {
	const char *key; /* "batch_size", "tokens_per_step", "epoch_samples"; or
	                    "tokens_done", all since the start of the run */
	double amount;   /* samples or tokens of one iteration of the job */
	int64_t line;    /* of the file, from 1 */
	size_t last[LOG_WORK_KEYS]; /* by work_keys: the number of the last
	                               entry of each up to this one, from 1 */
};

/* A figure that the program itself averaged and printed at its end. */
struct log_summary {
	double value;     /* rate or seconds, as the format states */
	const char *unit; /* "samples/s", "tokens/s", "s", ... */
	int64_t line;     /* of the file, from 1 */
	int event;        /* 1: the time between two events */
	int per_device;   /* 1: a rate of one device */
	const char *text; /* the line, where it is the best of trials; or NULL;
	                     in the log's arena */
};

/* One in the last digit, as printed, of the numbers that are summed up or whose
 * sums are differenced: the finest of the log; 0: it prints none. */
struct log_units {
	double value; /* of single steps, in the samples' unit */
	double mean;  /* of means since the start, in the samples' unit */
	double total; /* of times since the start, seconds */
};

/* What a log states about collectives of one size; see
 * struct result_collective. */
struct log_collective {
	const char *collective; /* in the log's arena, or NULL */
	const char *kind;       /* name of the pattern */
	double bytes, time_s, algorithm, bus;
	double count; /* operations that time and bandwidths are means of */
	int64_t line; /* of the file, from 1; the first of them */
};

/* One allreduce of one traced step; see struct result_bucket. */
struct log_bucket {
	long bucket; /* which one of the step */
	double bytes, ready_s, start_s, duration_s;
};

enum { LOG_MAX_TAIL = 24 };

/* What the last lines of a log print next to their steps. */
struct log_tail_value {
	const char *key; /* of the vocabulary: "loss", "mfu", ...; a constant */
	double last, max, sum;
	long n; /* values, of which sum is the sum; 0 where only the last is
	           asked for (struct field_name) */
	int64_t first_line, last_line; /* of the file, from 1 */
};

struct log {
	struct arena arena;
	const char *path;  /* as opened */
	const char *shown; /* as reported: relative to the operand */
	int64_t bytes;     /* as stored (compressed) */
	int64_t lines;     /* physical lines */
	char hash[33];     /* XXH3-128 of the stored bytes, "" if not made */
	const struct format *format;    /* NULL: not recognised */
	const struct format *runner_up; /* NULL: none matched as well */
	const char *other_name; /* of the format of another program's steps in
	                           the log, which are not read; or NULL */
	int64_t other_steps;    /* such steps */
	int64_t other_line;     /* the first of them */
	int other_more;         /* 1: there may be more than were counted */
	const struct meaning *meaning; /* of format; NULL with it */
	struct sample_store samples;   /* in file order */
	struct log_units units;        /* of them */
	struct log_metadata *metadata; /* in file order */
	size_t n_metadata, alloc_metadata;
	struct stated_settings *settings; /* of its head; NULL: not read */
	struct log_work *works; /* in file order, where the amount changes */
	size_t n_works, alloc_works;
	const char *work_keys[LOG_WORK_KEYS]; /* see log_works.h */
	struct log_summary *summaries;        /* in file order */
	size_t n_summaries, alloc_summaries;
	struct log_collective *collectives; /* in file order */
	size_t n_collectives, alloc_collectives;
	struct hash_index collective_index; /* of those that are merged */
	struct log_bucket *buckets;         /* in file order */
	size_t n_buckets, alloc_buckets;
	size_t n_tail;     /* of tail, below */
	int split_buckets; /* 1: a bucket is more than one operation */
	struct detail_store details; /* in file order, where the scanner is
	                                asked for them */
	int named_ranks; /* 1: samples' ranks count texts (hosts, actors), in
	                    the order in which they appear; may be nodes */
	int64_t n_nul;   /* NUL bytes that were dropped */
	int64_t n_invalid_utf8;   /* lines with invalid UTF-8 */
	int64_t n_bad_values;     /* matches whose numbers could not be read, or
	                           were nan: no samples */
	int64_t n_untimed;        /* progress bars without a time: 00:00 */
	int64_t n_match_limit;    /* lines on which a pattern match its limit */
	int64_t match_limit_line; /* the first of them, 0 if none */
	int64_t n_long_lines;     /* lines that were cut at SCAN_MAX_LINE; what
	                           stands across a seam is lost */
	int detection_cut;        /* 1: not all of the file was looked at to
	                           find its format: that took too long */
	int long_start;           /* 1: its first line goes on after what is
	                           looked at to find its format, which was not
	                           found */
	int trailing;             /* 1: bytes after the packed data are not
	                           packed, and were not read */
	int truncated;            /* compressed data ended early, or the file
	                           shrank while it was read */
	int records_cut;       /* 1 with truncated: it is no text; its records
	                           end early, or some are damaged */
	int64_t nan_loss_line; /* the first whose loss is not finite after its
	                          last one that is; 0 if there is none */
	int borrowed; /* 1: all but the metadata is another log's; 2: all but
	                 the metadata and the samples */
	/* log_init clears what is above, and the next only as far as it is
	 * read: they are most of the bytes. */
	struct log_tail_value tail[LOG_MAX_TAIL]; /* [n_tail] in the order of
	                                             their first lines */
	struct error problem; /* code != ERROR_NONE: unreadable or no text */
};

/* An empty log; and free all of it that is its own.  log_release leaves it
 * empty. */
void log_init(struct log *log);
void log_release(struct log *log);

/* The finer of each. */
void log_units_join(struct log_units *units, const struct log_units *more);

/* The first sample at or after a line; NULL: there is none. */
const struct sample *log_sample_from(const struct log *log, int64_t line);

/* The time stamp that a sample's line printed, NAN where it printed none. */
double log_stamp_at(const struct log *log, long line);

/* The line of the first sample; INT64_MAX: there is none. */
int64_t log_first_step(const struct log *log);

#endif
