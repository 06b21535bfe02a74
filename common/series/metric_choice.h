/* --metric of report_results and plot_results: replace the throughput by
 * another metric of the runs (common/result/result.h). */
#ifndef COMMON_SERIES_METRIC_CHOICE_H
#define COMMON_SERIES_METRIC_CHOICE_H

#include "common/error.h"
#include "common/result/result.h"
#include "common/texts/messages.h"
#include "common/series/result_set.h"
#include "common/series/series.h"

/* Make the metric the value of all results, with its unit, medians and
 * intervals, and without speedups. Runs without it or with a value <= 0 are
 * dropped, as are cases without runs; a remark of the file counts them. A
 * result measured by this metric is unchanged.
 *
 * name  one of run_metric_choices; NULL: do nothing
 *
 * Returns 0; -1 with ERROR_EMPTY, which lists the metrics of the runs, if a
 * file has no run left; ERROR_INPUT if it has another metric than the
 * throughput, or published values, which have no runs. */
int metric_choice_apply(
    struct result_set *l, const char *name, struct error *e);

/* Title of an axis or column of the metric. */
enum message metric_choice_title(const struct run_metric *metric);

/* The metric of a result, or NULL if it is a speed. */
const struct run_metric *metric_choice_of(const struct result *r);

/* Require that the values of a set are speeds or times, for which speedups
 * exist.
 *
 * what  option that needs it, for the message: "--compare"
 *
 * Returns 0; -1 with ERROR_INPUT, which names the first file with another
 * metric. */
int metric_choice_need_speeds(
    const struct series_set *set, const char *what, struct error *e);

#endif
