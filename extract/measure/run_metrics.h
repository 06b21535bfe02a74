/* Figures next to a run's throughput: what its log prints, and what follows
 * from the throughput and what is known of model and device. */
#ifndef EXTRACT_MEASURE_RUN_METRICS_H
#define EXTRACT_MEASURE_RUN_METRICS_H

#include "common/arena.h"
#include "common/result/result.h"
#include "extract/log/exclusion.h"
#include "extract/log/log.h"
#include "extract/log/power_log.h"
#include "extract/measure/metadata.h"
#include "extract/measure/steps/rule.h"

struct run_metrics_source {
	const struct log *log; /* of the run's first process */
	const struct metadata *metadata;
	const struct rule *rule;
	double samples_per_s, tokens_per_s; /* of all devices; or NAN */
	struct power_log *power; /* that lies next to the log, or NULL; its
	                            problem is set where it gives no figure */
};

/* Set run->metrics, from what run holds already; each names its source.
 *
 * a  where they live */
void run_metrics_keep(const struct run_metrics_source *from, struct arena *a,
    struct result_run *run);

/* Let the one of run->metrics that the rule asks for, if it does, take the
 * throughput's place in run->value.
 *
 * a     for the message
 * unit  set to the metric's
 *
 * Returns 0; -1 with x filled where the run lacks it, or it is not above 0. */
int run_metrics_promote(const struct rule *rule, struct arena *a,
    struct result_run *run, const char **unit, struct exclusion *x);

#endif
