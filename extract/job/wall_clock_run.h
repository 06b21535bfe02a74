/* The time of a whole run that its log's own format does not state: MLPerf's
 * events or a shell's "time" around a program that states nothing about it.
 * The formats that state "whole-run yes" are asked, a second reading each; so
 * this is only for logs that would be excluded otherwise.  Internal to
 * extract/.
 */
#ifndef EXTRACT_JOB_WALL_CLOCK_RUN_H
#define EXTRACT_JOB_WALL_CLOCK_RUN_H

#include <stddef.h>

#include "common/arena.h"
#include "extract/measure/measure_run.h"
#include "extract/scan/scan_file.h"

/* Measure a run by the first of these formats that can, the higher priority
 * first.
 *
 * logs   [n] of the run, as their own format read them
 * metadata  what is known of the run
 * a, m   as for measure_run
 * x      changed where the run turns out to have failed
 *
 * Returns the format; NULL: none can, m is not set. */
const struct format *wall_clock_run_measure(struct scanner *scanner,
    const struct log *const *logs, size_t n, const struct metadata *metadata,
    const struct rule *rule, struct arena *a, struct measured *m,
    struct exclusion *x);

#endif
