/* --select=KEY=VALUE: which runs are read at all, by what their names, --map
 * and options state.  Logs are not opened for it, so that a part of a large
 * tree costs what the part costs.
 */
#ifndef EXTRACT_JOB_RUN_SELECTION_H
#define EXTRACT_JOB_RUN_SELECTION_H

#include "common/error.h"
#include "common/program/options.h"
#include "extract/measure/metadata.h"

/* Is each "KEY=VALUE"?  Returns 0, or -1 with ERROR_USAGE. */
int run_selection_check(const struct opt_list *select, struct error *e);

/* Is the run one of those?  Values of one key are alternatives, keys are
 * not; a run of which a key is not known is not taken.
 *
 * f  what is stated without its logs; keys are framework, model, precision,
 *    batch, nodes, gpus, gpus_per_node, run and the names of labels */
int run_selection_takes(
    const struct opt_list *select, const struct metadata *f);

#endif
