/* The figures next to a run's throughput, by name: MFU, memory, power, loss ...
 * (struct result_metric).  One of them may take the throughput's place as the
 * figure of a result: extract_logs measures it so, report_results and
 * plot_results choose it among what the runs hold
 * (common/series/metric_choice.h).
 *
 *	const struct run_metric *m = run_metric_find("mfu");
 *	if (m != NULL)
 *		printf("%s (%s)\n", m->name, m->unit);
 */
#ifndef COMMON_RESULT_RUN_METRIC_H
#define COMMON_RESULT_RUN_METRIC_H

#include "common/result/result.h"

struct run_metric {
	const char *name; /* as in result_metric */
	const char *unit; /* "" for none */
	int of_window;    /* 1: follows from the throughput of the iterations
	                       that were measured; 0: of the log's last lines */
};

/* All of them; the last has no name. */
extern const struct run_metric run_metrics[];

/* Values of --metric: throughput, step-time, time-to-train, then the names
 * above; NULL at the end. */
extern const char *const run_metric_choices[];

/* The metric of that name; NULL: none, as of NULL, "throughput", "step-time"
 * and "time-to-train". */
const struct run_metric *run_metric_find(const char *name);

/* That of a run, or NULL. */
const struct result_metric *run_metric_of(
    const struct result_run *run, const char *name);

#endif
