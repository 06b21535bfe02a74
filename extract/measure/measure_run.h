/* Measure a run: compute a result_run from logs and metadata
 * (doc/measurement.md, "Positions", "Window").
 *
 *	struct measured m;
 *	if (measure_run(&source, &rule, &arena, &m, &x) == 0)
 *		... m.run.value in m.unit ...
 */
#ifndef EXTRACT_MEASURE_MEASURE_RUN_H
#define EXTRACT_MEASURE_MEASURE_RUN_H

#include "common/arena.h"
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

/* --- Progress of a run that may still be running, for --follow ------------*/

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

#endif
