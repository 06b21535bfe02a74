/* Earlier results of extract_logs as operands: their runs count like those of
 * the logs, so that results accumulate.
 *
 *	struct earlier_results earlier;
 *	earlier_results_split(&earlier, operands, n);
 *	... read the logs: earlier.logs, earlier.n_logs ...
 *	if (earlier_results_add(&earlier, &x, &e) != 0) ...
 *	earlier_results_release(&earlier);
 */
#ifndef EXTRACT_JOB_EARLIER_RESULT_H
#define EXTRACT_JOB_EARLIER_RESULT_H

#include <stddef.h>

#include "common/error.h"
#include "common/result/result.h"
#include "extract/job/run_job.h"
#include "extract/job/settings.h"

struct earlier_result {
	const char *path;  /* part of the operand */
	const char *label; /* [label_len] of "label=path", or NULL */
	size_t label_len;
	struct result result;
};

struct earlier_results {
	struct earlier_result *items;
	size_t n;
	const char **logs; /* [n_logs] the other operands, borrowed */
	size_t n_logs;
};

/* True if an operand is a result, or "label=path" of a result. */
int earlier_result_is(const char *operand);

/* Separate results from other operands, without reading them.
 *
 * operands  [n] as for extraction_run; must outlive r */
void earlier_results_split(
    struct earlier_results *r, const char *const *operands, size_t n);

/* Read the results and append their runs to the jobs, as finished jobs.
 *
 * r  must outlive jobs
 *
 * Returns 0; -1 with ERROR_INPUT that names the file: it is not a result, has
 * no runs, or was measured by other rules than s. */
int earlier_results_add(struct earlier_results *r, const struct settings *s,
    struct run_job_list *jobs, struct error *e);

/* Free all members; valid for a zeroed struct. */
void earlier_results_release(struct earlier_results *r);

#endif
