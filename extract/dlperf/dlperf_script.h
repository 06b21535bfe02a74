/* DLPerf's 30 scripts, one row each: which lines a script looks at, what it
 * takes from them, which of them it counts, and its mistakes.
 *
 * 22 of them read folders such as 4n8g/r50_b128_fp32_1.log, one number a file
 * (READ_MEAN to READ_SINK below; dlperf_read.c); the others print tables of
 * their own (dlperf_tables.c).
 */
#ifndef EXTRACT_DLPERF_DLPERF_SCRIPT_H
#define EXTRACT_DLPERF_DLPERF_SCRIPT_H

#include <stddef.h>

#include "common/error.h"
#include "common/strbuf.h"

/* How a script gets from lines to a number. */
enum dlperf_kind {
	READ_MEAN,     /* the mean of a slice of the values */
	READ_COUNTED,  /* the mean of values `from` to `to`; 0 if there are
	                  fewer */
	READ_TIMES,    /* PyTorch's example: the same of misread times */
	READ_CLOCK,    /* time between two lines, by their number */
	READ_TEXT,     /* time between two lines, by a text in them */
	READ_SINK,     /* MindSpore: a sum over lines of all ranks */
	PRINT_SPEEDS,  /* OneFlow: two tables on stdout */
	PRINT_LATENCY, /* HugeCTR, wide and deep: a table of latencies */
	PRINT_LOSSES   /* losses and AUCs side by side */
};

/* What a value is. */
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

struct dlperf_script {
	int number;         /* 1..30, as in the survey */
	const char *name;   /* of ours */
	const char *path;   /* in DLPerf's repository */
	const char *format; /* of ours that its logs are of; NULL: none */
	enum dlperf_kind kind;
	const char *holds, *also; /* what a line must hold; also may be NULL */
	int either;               /* 1: one of the two will do */
	const char *value;        /* pattern with the value in group 1; of
	                             READ_TEXT what stands before the
	                             iteration */
	const char *suffix;       /* of READ_TEXT: after it, or NULL */
	const char *iteration;    /* pattern of a number that must be above 5,
	                             or NULL */
	const char *stamp;        /* pattern of a time stamp */
	char fraction;            /* before that of a stamp; 0: '.' */
	struct dlperf_bound from; /* of W, the lines of warm-up */
	struct dlperf_bound to;   /* of T, the last line */
	int to_end;               /* 1: all from `from` on instead */
	enum dlperf_value what;
	enum dlperf_rows rows;
	int digits;         /* a value is rounded to; 0: not */
	int skips_bad;      /* 1: a line without a value is passed over */
	int per_rank;       /* 1: line numbers are times the GPUs */
	int by_distance;    /* 1: divides by to - from, not T - W */
	int average_digits; /* 0: 2 */
	int plain;          /* 1: medians are rounded as Python rounds, not as
	                       NumPy */
	long warmup, train; /* W and T unless given */
	long warmup_step, warmup_least; /* W must be a multiple of, and above */
};

/* The script of a number ("27"), one of our names or a path in DLPerf's
 * repository, with or without its suffix.  NULL with ERROR_USAGE and the
 * nearest names. */
const struct dlperf_script *dlperf_script_get(
    const char *name, struct error *e);

/* The first script that reads logs of that format of ours; NULL: none. */
const struct dlperf_script *dlperf_script_of(const char *format);

/* "27  pytorch-resnet50-time  PyTorch/..." for each. */
void dlperf_script_list(struct strbuf *sb);

#endif
