/* The user's choices for the measurement: which iterations count and how they
 * are aggregated (doc/measurement.md, "Window"). Set once from the options,
 * then shared read-only.
 *
 *	struct rule rule = RULE_DEFAULT;
 *	rule.train = 220;
 *	if (rule_check(&rule, &e) != 0) ...
 */
#ifndef EXTRACT_MEASURE_STEPS_RULE_H
#define EXTRACT_MEASURE_STEPS_RULE_H

#include "common/error.h"
#include "common/result/result.h"
#include "extract/log/log.h"

/* DLPerf's measurement window in iterations: skip 5, warm up to 20, measure to
 * 120. */
#define DEFAULT_SKIP 5
#define DEFAULT_WARMUP 20
#define DEFAULT_TRAIN 120

enum rule_kind {
	RULE_BY_FORMAT, /* given by the log's format */
	RULE_WINDOW,    /* a fixed window of iterations */
	RULE_ALL,       /* all records from one iteration on */
	RULE_SUMMARY    /* figure that the program printed at its end */
};

enum epoch_choice {
	EPOCH_AUTO, /* the first; if too short, also the next ones */
	EPOCH_ALL,  /* all, up to the log's end if T is not given */
	EPOCH_ONE   /* one, by its printed number */
};

enum aggregate {
	AGGREGATE_TIME,  /* total work over total time */
	AGGREGATE_MEAN,  /* plain mean of the records */
	AGGREGATE_MEDIAN /* median of the records */
};

enum metric { METRIC_THROUGHPUT, METRIC_STEP_TIME, METRIC_TIME_TO_TRAIN };

enum { SCOPE_BY_FORMAT = -1 };

struct rule {
	enum rule_kind kind;
	long skip;   /* S: iterations excluded in each epoch */
	long warmup; /* W: iterations excluded after those */
	long train;  /* T: end of the window; RESULT_UNKNOWN: none */
	enum epoch_choice epoch_choice;
	long epoch;          /* for EPOCH_ONE, as printed */
	long from_iteration; /* for RULE_ALL, as printed */
	enum aggregate aggregate;
	enum metric metric;
	const struct run_metric *figure; /* replaces the throughput, or NULL */
	int rate_scope;   /* enum value_scope, or SCOPE_BY_FORMAT */
	const char *unit; /* of the throughput; NULL: from the format */
	/* For derived figures; 0: not given. */
	double flop_per_sample; /* training operations per sample */
	double parameters;      /* number of weights of the network */
	double layers;          /* of a language model */
	double hidden_size;     /* width of its attention */
	double peak_tflops;     /* 1e12 operations per second of a device */
	int strict;    /* 1: exclude logs that are shorter than the window */
	int shortened; /* 1: end the window with a shorter log */
	const char *protocol; /* name of a published convention, or NULL */
	const char *score;    /* see struct result_case */
	int by_number; /* 1: the window is printed iterations S + W + 1 to
			  S + T, also if the log counts from 0 */
};

#define RULE_DEFAULT \
	{ \
		RULE_BY_FORMAT, DEFAULT_SKIP, DEFAULT_WARMUP, DEFAULT_TRAIN, \
		    EPOCH_AUTO, 0, 0, AGGREGATE_TIME, METRIC_THROUGHPUT, NULL, \
		    SCOPE_BY_FORMAT, NULL, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0 \
	}

/* First position of the window: W0 = S + W. */
long rule_start(const struct rule *rule);

/* First position after the window: W1 = S + T; LONG_MAX if there is no end. */
long rule_end(const struct rule *rule);

/* The kind of rule for a log: the requested one, else that of the format;
 * time-to-train always uses a summary. Never RULE_BY_FORMAT.
 *
 * meaning  of the log's format */
enum rule_kind rule_kind_of(
    const struct rule *rule, const struct meaning *meaning);

/* Names on the command line and in results, such as "window", ending with NULL;
 * "" for RULE_BY_FORMAT. */
extern const char *const rule_kind_names[];
extern const char *const aggregate_names[];

/* The kind with a name; RULE_BY_FORMAT for others and NULL. */
enum rule_kind rule_kind_find(const char *name);

/* Name of the requested metric, including derived figures. */
const char *rule_metric_name(const struct rule *rule);

/* Check the rule for consistency. Returns 0, or -1 with ERROR_USAGE. */
int rule_check(const struct rule *rule, struct error *e);

#endif
