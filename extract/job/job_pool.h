/* Threads that run jobs. The output does not depend on their number: jobs are
 * independent, and records are written in the order of the jobs.
 *
 *	struct job_pool pool;
 *	if (job_pool_run(&pool, &jobs, &context, &formats, &options, &e) != 0)
 *	...
 *	... what run_job_do set in the jobs lives until ...
 *	job_pool_release(&pool);
 */
#ifndef EXTRACT_JOB_JOB_POOL_H
#define EXTRACT_JOB_JOB_POOL_H

#include <stddef.h>
#include <stdio.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/job/run_job.h"

struct job_pool_options {
	struct scan_options scan;
	size_t n_threads; /* 0: one per CPU */
	FILE *records;    /* output of records, or NULL */
	FILE *progress;   /* output of progress after a second, or NULL */
};

struct job_pool {
	struct arena *arenas; /* [n_arenas] one per thread */
	size_t n_arenas;
};

/* Run all jobs. Returns 0; or -1 if no thread can be started. */
int job_pool_run(struct job_pool *pool, struct run_job_list *jobs,
    const struct run_job_context *context, const struct format_set *formats,
    const struct job_pool_options *options, struct error *e);
void job_pool_release(struct job_pool *pool);

#endif
