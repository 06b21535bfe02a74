/* One run, one number: logs and metadata in, a result_run out
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
#include "extract/log/exclusion.h"
#include "extract/measure/metadata.h"
#include "extract/log/log.h"
#include "extract/log/power_log.h"
#include "extract/measure/steps/rule.h"

struct run_source {
	const struct log *const *logs; /* [n_logs >= 1] of one format; more than
	                                  one: a file for each rank or node */
	size_t n_logs;
	const struct metadata *metadata;
	struct power_log *power; /* that lies next to them, or NULL; its problem
	                            is set */
};

struct measured {
	struct result_run run;
	const char *unit;      /* of run.value */
	enum rule_kind kind;   /* never RULE_BY_FORMAT */
	double work;           /* of an iteration of the whole job, or NAN */
	const char *work_unit; /* what counts it, also where the number is not
	                          known: "samples" or "tokens"; NULL: nothing
	                          does */
};

/* Measure a run.
 *
 * rule  with what the user asked for
 * a     where the strings of m live that are not constants
 * m     set on success only; run.run is the file's name where no number is
 *       known
 * x     set on failure
 *
 * The speed is batch per device x GPUs / step time, however many ranks printed;
 * of logs of rates it is the rate.  Returns 0, or -1. */
int measure_run(const struct run_source *source, const struct rule *rule,
    struct arena *a, struct measured *m, struct exclusion *x);

/* True if a run was measured with a shortened default window, as a flag of it
 * states.
 *
 * x  set then: why it lacks the whole window, and the option that makes this
 *    the window of all runs; texts in a */
int measure_was_shortened(
    const struct result_run *run, struct arena *a, struct exclusion *x);

#endif
