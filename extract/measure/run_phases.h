/* What a program states about the time of its steps: phases of the mean step
 * and the buckets in which its gradients are sent. */
#ifndef EXTRACT_MEASURE_RUN_PHASES_H
#define EXTRACT_MEASURE_RUN_PHASES_H

#include "common/arena.h"
#include "common/result/result.h"
#include "extract/log/log.h"

/* Set phases, buckets, times and network of a run from the log of its first
 * process: the median over the epochs, and over the traced steps.  Unknown
 * stays unknown.
 *
 * a  where the buckets live */
void run_phases_keep(
    const struct log *log, struct arena *a, struct result_run *run);

#endif
