/* DLPerf's 30 scripts, one row each: which lines a script looks at, what it
 * takes from them, which of them it counts, the statistic, and its mistakes;
 * and what comes of a log.
 *
 * 22 of them read folders such as 4n8g/r50_b128_fp32_1.log, one speed a file
 * (READ_MEAN to READ_SINK); the others print tables of their own.
 */
#ifndef EXTRACT_DLPERF_DLPERF_SCRIPT_H
#define EXTRACT_DLPERF_DLPERF_SCRIPT_H

#include <stddef.h>

#include <json.h>

#include "common/error.h"
#include "extract/dlperf/dlperf.h"

/* How a script gets from lines to a number. */
enum dlperf_kind {
	READ_MEAN,      /* the mean of a slice of the values */
	READ_COUNTED,   /* the mean of values `from` to `to`; 0 if there are
	                   fewer */
	READ_TIMES,     /* PyTorch's example: the same of misread times */
	READ_CLOCK,     /* time between two lines, by their number */
	READ_TEXT,      /* time between two lines, by their iteration */
	READ_SINK,      /* MindSpore: a sum over lines of all ranks */
	PRINT_SPEEDS,   /* OneFlow: time between two iterations; two tables */
	PRINT_INTERVAL, /* HugeCTR: mean time of so many iterations */
	PRINT_1000,     /* OneFlow's wide and deep: time of 1000 iterations */
	PRINT_MEAN,     /* its models: mean without the first and the last */
	PRINT_LOSSES    /* losses and AUCs side by side */
};

/* What a value of READ_MEAN is. */
enum dlperf_value {
	GIVES_SPEED,      /* samples/s of all */
	GIVES_NODE_SPEED, /* of a node: times the nodes */
	GIVES_STEPS,      /* steps/s: times batch and GPUs of one node */
	GIVES_LATENCY,    /* ms of a batch: batch and GPUs over it */
	GIVES_ELAPSED     /* s of a batch: the same */
};

/* Lines of all ranks: rows of values whose median is taken. */
enum dlperf_rows { ROWS_NONE, ROWS_OF_ONE, ROWS_OF_ALL };

/* (x - minus) / over, but `low` where x is below `least`; over 0 is 1. */
struct dlperf_bound {
	long least, low, minus, over;
};

/* Patterns are of PCRE2; a number is in group 1. */
struct dlperf_script {
	int number;         /* 1..30, as in the survey */
	const char *name;   /* of ours */
	const char *path;   /* in DLPerf's repository */
	const char *format; /* of ours that its logs are of; NULL: none */
	enum dlperf_kind kind;
	const char *line;         /* pattern of the lines it looks at */
	const char *iteration;    /* pattern, or NULL; of READ_TEXT what stands
	                          before the iteration */
	const char *after;        /* READ_TEXT: what stands after it, or NULL */
	const char *epoch;        /* READ_SINK: pattern of a factor, or NULL */
	const char *value;        /* pattern of a value or a time stamp */
	char fraction;            /* before that of a stamp; 0: '.' */
	struct dlperf_bound from; /* of W, the lines of warm-up */
	struct dlperf_bound to;   /* of T, the last line */
	enum dlperf_value what;
	enum dlperf_rows rows;
	int digits;         /* a value is rounded to; 0: not */
	int per_rank;       /* 1: line numbers are times the GPUs */
	int by_distance;    /* 1: divides by to - from, not T - W */
	int average_digits; /* 0: 2 */
	int plain;          /* 1: medians are rounded as Python rounds, not as
	                       NumPy */
	const char *const *settings;    /* keys of lines "key = value" */
	const char *vocabulary;         /* the key of its size */
	long warmup, train;             /* W and T unless given */
	long warmup_step, warmup_least; /* W must be a multiple of, and above */
};

/* The script of a number ("27"), one of our names or a path in DLPerf's
 * repository, with or without its suffix.  NULL with ERROR_USAGE and the
 * nearest names. */
const struct dlperf_script *dlperf_script_get(
    const char *name, struct error *e);

/* The first script that reads logs of that format of ours; NULL: none. */
const struct dlperf_script *dlperf_script_of(const char *format);

/* A log: its path .../4n8g/r50_b128_fp32_1.log, and what the script makes of
 * it.  OneFlow's scripts take nodes, GPUs and batch from the log. */
struct dlperf_log {
	const char *path;
	const char *folder; /* "4n8g" */
	const char *model;  /* "r50" */
	long batch, run;
	long nodes, gpus_per_node; /* as the scripts read the folder */
	double speed; /* samples/s; of folders rounded to 2 decimals */
	int is_float; /* 0: the script's 0, which prints as "0" */
	long lines;   /* counted, up to T */
	int nothing;  /* 1: the script passes the log over */
};

/* Read a log as the script does.
 *
 * text    [len] all of the file and a NUL after it; written to
 * warmup  W, lines excluded
 * train   T, the last line taken
 * log     path, batch, nodes and GPUs are used, or set by PRINT_SPEEDS; speed,
 *         is_float, lines and nothing are set
 * dict    the settings that the log states, and latency(ms), of PRINT_...
 *
 * Returns 0; -1 where the script fails. */
int dlperf_read(const struct dlperf_script *script, char *text, size_t len,
    long warmup, long train, struct dlperf_log *log, struct json_object *dict,
    struct error *e);

/* Round the speed of a file, a Python float or a NumPy number. */
double dlperf_round(const struct dlperf_script *s, double x, int digits);

/* Print the tables of a script of kind PRINT_SPEEDS to PRINT_LOSSES.  A log at
 * which it would fail is named in out->stops and excluded.
 *
 * paths   [n] in the script's order
 * warmup  first iteration; train: the last one
 *
 * Returns the number of logs that it could read. */
size_t dlperf_tables(const struct dlperf_script *script,
    const char *const *paths, size_t n, long warmup, long train,
    struct dlperf_outcome *out);

/* round(x, digits) of Python: to the nearest, ties by the binary value. */
double py_round(double x, int digits);

/* round() of a NumPy number (from version 1.19 on): x times 10^digits to the
 * nearest whole number, ties to even, over 10^digits.  DLPerf's published
 * medians of an even number of runs show the difference. */
double np_round(double x, int digits);

/* Add a string or a float as repr() does with the quote '\'', or as json.dumps
 * with the quote '"'. */
void py_add_string(struct strbuf *sb, const char *s, char quote);
void py_add_double(struct strbuf *sb, double x, char quote);

#endif
