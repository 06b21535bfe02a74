/* --compat=dlperf: reproduces the output of one of DLPerf's 30 scripts to the
 * digit, mistakes included, so that published tables can be checked.  The
 * script is named, or inferred from the logs.  A log or model at which a script
 * would fail is reported and excluded; the others are processed.
 *
 * A script is one row of a table: lines and values that it reads, iterations
 * that it counts, its statistic and its mistakes.  22 scripts read folders such
 * as 4n8g/r50_b128_fp32_1.log, one speed per file (READ_MEAN to READ_SINK); the
 * others print tables of their own.
 */
#ifndef EXTRACT_DLPERF_DLPERF_H
#define EXTRACT_DLPERF_DLPERF_H

#include <stddef.h>
#include <stdio.h>

#include "common/alloc.h"
#include "common/error.h"
#include "extract/job/settings.h"

struct json_object;

/* How a script computes its result. */
enum dlperf_kind {
	READ_MEAN,      /* mean of a slice of the values */
	READ_COUNTED,   /* mean of values `from` to `to`; 0 if there are
	                   fewer */
	READ_TIMES,     /* PyTorch's example: READ_COUNTED of misread times */
	READ_CLOCK,     /* time between two lines, given by line number */
	READ_TEXT,      /* time between two lines, given by iteration */
	READ_SINK,      /* MindSpore: sum over lines of all ranks */
	PRINT_SPEEDS,   /* OneFlow: time between two iterations; two tables */
	PRINT_INTERVAL, /* HugeCTR: mean time of a number of iterations */
	PRINT_1000,     /* OneFlow's wide and deep: time of 1000 iterations */
	PRINT_MEAN,     /* its models: mean without first and last */
	PRINT_LOSSES    /* columns of losses and AUCs of one log */
};

/* Meaning of a value of READ_MEAN. */
enum dlperf_value {
	GIVES_SPEED,      /* samples/s of all GPUs */
	GIVES_NODE_SPEED, /* samples/s of one node */
	GIVES_STEPS,      /* steps/s; times batch and GPUs of one node */
	GIVES_LATENCY,    /* ms per global batch */
	GIVES_ELAPSED     /* s per global batch */
};

/* Logs with lines of all ranks: the median of each row of values is taken. */
enum dlperf_rows { ROWS_NONE, ROWS_OF_ONE, ROWS_OF_ALL };

/* (x - minus) / over; `low` if x < `least`. over 0 means 1. */
struct dlperf_bound {
	long least, low, minus, over;
};

/* Patterns use PCRE2's syntax; a number is in group 1. */
struct dlperf_script {
	const char *name;   /* short name in dlscale */
	const char *path;   /* path in DLPerf's repository */
	const char *format; /* format that reads its logs; NULL: none */
	enum dlperf_kind kind;
	const char *line;         /* pattern of the lines that are read */
	const char *iteration;    /* pattern, or NULL; READ_TEXT: text before
	                             the iteration */
	const char *after;        /* READ_TEXT: text after it, or NULL */
	const char *epoch;        /* READ_SINK: pattern of a factor, or NULL */
	const char *value;        /* pattern of a value or a time stamp */
	char fraction;            /* before a stamp's fraction; 0: '.' */
	struct dlperf_bound from; /* computed from W, the lines of warm-up */
	struct dlperf_bound to;   /* computed from T, the last line */
	enum dlperf_value what;
	enum dlperf_rows rows;
	int digits;         /* that a value is rounded to; 0: no rounding */
	int per_rank;       /* 1: line numbers are multiplied by the GPUs */
	int by_distance;    /* 1: divides by to - from instead of T - W */
	int average_digits; /* 0: default of 2 */
	int plain;          /* 1: round medians as Python, not as NumPy */
	const char *const *settings;    /* keys of lines "key = value" */
	const char *vocabulary;         /* key of the vocabulary's size */
	long warmup, train;             /* defaults of W and T; 0: 20 and 120 */
	long warmup_step, warmup_least; /* W: a multiple of step, >= least */
};

struct dlperf_outcome {
	struct arena arena;
	struct strbuf text;     /* standard output of the script */
	struct strbuf file;     /* contents of the script's output file */
	struct strbuf messages; /* failures of the script, and notes */
	const char *path;       /* path of the output file; NULL: none */
	size_t n_failures;      /* logs and models excluded */
};

/* A log with a path such as .../4n8g/r50_b128_fp32_1.log, and the script's
 * result.  OneFlow's scripts take nodes, GPUs and batch from the log. */
struct dlperf_log {
	const char *path;
	const char *folder; /* "4n8g" */
	const char *model;  /* "r50" */
	long batch, run;
	long nodes, gpus_per_node; /* as the scripts parse the folder */
	double speed; /* samples/s, rounded to 2 decimals for logs in folders */
	int is_float; /* 0: an integer 0, printed as "0" */
	long lines;   /* counted lines, up to T */
	int nothing;  /* 1: the script ignores the log */
};

/* Run the script on the logs with the suffix ".log" in the folders of dir, in
 * directory order.
 *
 * dir  as given: its last part names the result; "" if dir ends in a slash
 * out  messages are set on failure too; always free it with
 *      dlperf_outcome_release
 *
 * Returns 0; -1 with ERROR_EMPTY if the script could read no log, or with
 * another error. */
int dlperf_run(const struct settings *s, const char *dir,
    struct dlperf_outcome *out, struct error *e);
void dlperf_outcome_release(struct dlperf_outcome *out);

/* List each script: "27 pytorch-resnet50-time PyTorch/...". */
void dlperf_script_list(FILE *f);

/* Find a script by number ("27"), short name, or path in DLPerf's repository
 * with or without its suffix.  Returns NULL with ERROR_USAGE and the nearest
 * name. */
const struct dlperf_script *dlperf_script_get(
    const char *name, struct error *e);

/* The first script that reads logs of this format, or NULL. */
const struct dlperf_script *dlperf_script_of(const char *format);

/* Read a log as the script does.
 *
 * text    [len] the whole file and a NUL after it; modified
 * warmup  W, lines to exclude
 * train   T, the last line used
 * log     path, batch, nodes and GPUs are used, or set by PRINT_SPEEDS; speed,
 *         is_float, lines and nothing are set
 * dict    PRINT_...: receives the settings that the log states and latency(ms)
 *
 * Returns 0; -1 if the script would fail. */
int dlperf_read(const struct dlperf_script *script, char *text, size_t len,
    long warmup, long train, struct dlperf_log *log, struct json_object *dict,
    struct error *e);

/* Round the speed of a file, which is a Python float or a NumPy number. */
double dlperf_round(const struct dlperf_script *s, double x, int digits);

/* Python's round(x, digits): nearest, ties decided by the binary value. */
double py_round(double x, int digits);

/* NumPy's round() (since version 1.19): x times 10^digits to the nearest whole
 * number, ties to even, divided by 10^digits.  DLPerf's published medians of
 * even numbers of runs show the difference from py_round. */
double np_round(double x, int digits);

/* Append a string or a float as repr() does, or with `quote` '"' as json.dumps
 * does. */
void py_add_string(struct strbuf *sb, const char *s, char quote);
void py_add_double(struct strbuf *sb, double x, char quote);

#endif
