/* --metric of report_results and plot_results: a figure that the runs hold next
 * to their throughput (common/result/result.h) takes its place. */
#ifndef COMMON_SERIES_METRIC_CHOICE_H
#define COMMON_SERIES_METRIC_CHOICE_H

#include "common/error.h"
#include "common/result/result.h"
#include "common/texts/messages.h"
#include "common/series/result_set.h"
#include "common/series/series.h"

/* Make the metric the figure of all results: values, unit, medians, intervals
 * are its own, and there are no speedups.  Runs without it, or whose figure is
 * not above 0, are dropped, and cases without runs; a remark of their file
 * counts them.  A result that was measured by this metric stays as it is.
 *
 * name  of run_metric_choices; NULL: nothing is done
 *
 * Returns 0; -1 with ERROR_EMPTY if a file has no run left, which names what
 * its runs have, and ERROR_INPUT where it holds another metric than the
 * throughput, or published values, which have no runs. */
int metric_choice_apply(
    struct result_set *l, const char *name, struct error *e);

/* What an axis or a head calls the metric. */
enum message metric_choice_title(const struct run_metric *metric);

/* The metric of a result where that is none of speed; else NULL. */
const struct run_metric *metric_choice_of(const struct result *r);

/* Require a set whose figures are speeds or times, for which speedups exist.
 *
 * what  what needs it, for the message: "--compare"
 *
 * Returns 0; -1 with ERROR_INPUT, which names the first file that holds another
 * metric. */
int metric_choice_need_speeds(
    const struct series_set *set, const char *what, struct error *e);

#endif
