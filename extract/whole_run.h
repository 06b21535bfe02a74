/* The time of a whole run that its log's own format does not tell: MLPerf's
 * events or a shell's "time" around a program that says nothing of it.  The
 * formats that say "whole-run yes" are asked, a second reading each; so this is
 * only for logs that would be left out otherwise.  Internal to extract/.
 */
#ifndef EXTRACT_WHOLE_RUN_H
#define EXTRACT_WHOLE_RUN_H

#include <stddef.h>

#include "common/arena.h"
#include "extract/run.h"
#include "extract/scan.h"

/* Measure a run by the first of these formats that can, the higher priority
 * first.
 *
 * logs   [n] of the run, as their own format read them
 * facts  what is known of the run
 * a, m   as for run_measure
 * x      changed where the run turns out to have failed
 *
 * Returns the format; NULL: none can, m is not set. */
const struct format *whole_run_measure(struct scanner *scanner,
    const struct log *const *logs, size_t n, const struct facts *facts,
    const struct rule *rule, struct arena *a, struct measured *m,
    struct exclusion *x);

#endif
