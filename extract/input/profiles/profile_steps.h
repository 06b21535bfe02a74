/* Files of profilers whose lines are made by profile_steps.c; those of PyTorch's
 * profiler are in records.h. */
#ifndef EXTRACT_INPUT_PROFILES_PROFILE_STEPS_H
#define EXTRACT_INPUT_PROFILES_PROFILE_STEPS_H

#include <stddef.h>

#include "common/error.h"
#include "common/strbuf.h"

/* Exports of Nsight Systems (nsys export --type sqlite) are converted to lines
 * about steps, like traces of profilers.
 *
 * Steps are NVTX ranges of a thread whose name is a word for a step
 * ("ProfilerStep#5", "step 5", "iteration 5", "train_step"). A kernel belongs
 * to the step that launched it. Bandwidths are not reported, since the tables
 * read do not have message sizes.
 *
 * Tables and columns: NVIDIA's "SQLite Export Schema Reference" (Nsight
 * Systems, nsys-exporter): NVTX_EVENTS, StringIds, CUPTI_ACTIVITY_KIND_KERNEL,
 * CUPTI_ACTIVITY_KIND_RUNTIME, TARGET_INFO_GPU.
 */

/* True if data begins like a SQLite file; needs 16 bytes. */
int nsight_file_is(const char *data, size_t len);

/* Append the lines of the file to out.
 *
 * Returns 0; -1 with a message without the path: this build has no SQLite, the
 * file is not an export of Nsight Systems, is damaged, or has no steps. */
int nsight_file_read(const char *path, struct strbuf *out, struct error *e);

/* Rate the name of an NVTX range as the name of a step.
 *
 * number  set to the number at its end, or -1
 *
 * Returns the rank of the word, 1 for the best; 0: not a step. */
int nsight_step_name(const char *name, long *number);

#endif
