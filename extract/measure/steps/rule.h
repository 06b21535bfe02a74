/* What the user asks of the arithmetic: which iterations count and what is
 * made of them (doc/measurement.md, "Window").  Filled from the options once,
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

enum rule_kind {
	RULE_BY_FORMAT, /* as the log's format states */
	RULE_WINDOW,    /* a fixed window of iterations */
	RULE_ALL,       /* every record from one iteration on */
	RULE_SUMMARY    /* the figure that the program printed at its end */
};

enum epoch_choice {
	EPOCH_AUTO, /* the first; the next ones too where it is too short */
	EPOCH_ALL,  /* all, without an upper end unless one was asked for */
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
	long train;  /* T: where the window ends; RESULT_UNKNOWN: nowhere */
	enum epoch_choice epoch_choice;
	long epoch;          /* of EPOCH_ONE, as printed */
	long from_iteration; /* of RULE_ALL, as printed */
	enum aggregate aggregate;
	enum metric metric;
	const struct run_metric *figure; /* takes the throughput's place, or
	                                    NULL */
	int rate_scope;   /* enum value_scope, or SCOPE_BY_FORMAT */
	const char *unit; /* of the throughput; NULL: as the format states */
	/* For the figures next to it; 0: not given. */
	double flop_per_sample; /* operations of training on one sample */
	double parameters;      /* weights of the network */
	double peak_tflops;     /* 1e12 operations a second of a device */
	int strict; /* 1: a log that is shorter than the window is excluded */
	int shortened; /* 1: the window ends where such a log does */
};

#define RULE_DEFAULT \
	{ \
		RULE_BY_FORMAT, 5, 20, 120, EPOCH_AUTO, 0, 0, AGGREGATE_TIME, \
		    METRIC_THROUGHPUT, NULL, SCOPE_BY_FORMAT, NULL, 0, 0, 0, \
		    0, 0 \
	}

/* First position of the window: W0 = S + W. */
long rule_start(const struct rule *rule);

/* First position after the window: W1 = S + T; LONG_MAX without an end. */
long rule_end(const struct rule *rule);

/* The kind that holds for a log of this meaning: what was asked for, else what
 * the format states; time-to-train is always a summary.  Never RULE_BY_FORMAT.
 *
 * meaning  of the log's format */
enum rule_kind rule_kind_of(
    const struct rule *rule, const struct meaning *meaning);

/* Names as on the command line and in results: "window", ... */
const char *rule_kind_name(enum rule_kind kind);
const char *aggregate_name(enum aggregate aggregate);
const char *metric_name(enum metric metric);

/* The metric that was asked for, a figure next to the throughput too. */
const char *rule_metric_name(const struct rule *rule);

/* Check that the parts go together.  Returns 0, or -1 with ERROR_USAGE. */
int rule_check(const struct rule *rule, struct error *e);

#endif
