/* Exports of Nsight Systems (nsys export --type sqlite) as lines about steps,
 * as those of a profiler's trace are (profile_steps.h).
 *
 * Steps are NVTX ranges of a thread whose name is a word for a step
 * ("ProfilerStep#5", "step 5", "iteration 5", "train_step"); a kernel is of the
 * step in which it was launched.  Sizes of messages are not in the tables that
 * are read, so that nothing is stated about bandwidths.
 *
 * Tables and columns are those of NVIDIA's "SQLite Export Schema Reference"
 * (Nsight Systems, nsys-exporter): NVTX_EVENTS, StringIds,
 * CUPTI_ACTIVITY_KIND_KERNEL, CUPTI_ACTIVITY_KIND_RUNTIME, TARGET_INFO_GPU.
 */
#ifndef EXTRACT_INPUT_PROFILES_NSIGHT_FILE_H
#define EXTRACT_INPUT_PROFILES_NSIGHT_FILE_H

#include <stddef.h>

#include "common/error.h"
#include "common/strbuf.h"

/* True if data begins like a SQLite file; 16 bytes suffice. */
int nsight_file_is(const char *data, size_t len);

/* Add the lines of the file to out.
 *
 * Returns 0; -1 with a message without the path: this build has no SQLite, the
 * file is no export of Nsight Systems, is damaged, or states no steps. */
int nsight_file_read(const char *path, struct strbuf *out, struct error *e);

/* Reject a report that only NVIDIA's profilers read; e names the command that
 * exports it.
 *
 * Returns 0, or -1 with a message without the path. */
int nsight_report_refuse(const char *path, struct error *e);

/* Rate the name of an NVTX range as one of a step.
 *
 * number  set to the number at its end, or -1
 *
 * Returns how good the word is, from 1, the best; 0: it is none. */
int nsight_step_name(const char *name, long *number);

#endif
