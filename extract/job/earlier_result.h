/* Earlier results of extract_logs and tables of runs as operands: their runs
 * count like those of the logs, so that results accumulate. */
#ifndef EXTRACT_JOB_EARLIER_RESULT_H
#define EXTRACT_JOB_EARLIER_RESULT_H

#include <stddef.h>

#include "common/error.h"
#include "common/result/result.h"
#include "extract/job/run_job.h"
#include "extract/job/settings.h"

struct earlier_results {
	struct result *items; /* [n] */
	size_t n;
};

/* True if an operand is a result or a table of runs, or "label=path" of one. */
int earlier_result_is(const char *operand);

/* True for a table of runs of a program that common/tables/ declares, or our
 * own. */
int earlier_result_is_declared(const char *operand);

/* Read the results among the operands and append their runs to the jobs, as
 * finished jobs.
 *
 * r         must outlive jobs
 * operands  [n]
 *
 * Returns 0; -1 with ERROR_INPUT that names the file: it is not a result, has
 * no runs, or was measured by other rules than s. */
int earlier_results_add(struct earlier_results *r, const struct settings *s,
    const char *const *operands, size_t n, struct run_job_list *jobs,
    struct error *e);

/* Free all members; valid for a zeroed struct. */
void earlier_results_release(struct earlier_results *r);

#endif
