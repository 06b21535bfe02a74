/* The whole way from operands to a result: find the logs, share them out, read
 * and measure them, make cases of the runs.
 *
 *	struct extraction x;
 *	if (extraction_run(&x, &settings, operands, n, &e) == 0)
 *		... x.result, x.notes ...
 *	extraction_release(&x);
 */
#ifndef EXTRACT_JOB_EXTRACTION_H
#define EXTRACT_JOB_EXTRACTION_H

#include <stddef.h>

#include "common/error.h"
#include "common/files/outfile.h"
#include "common/result/result.h"
#include "extract/measure/cases/case.h"
#include "extract/job/earlier_result.h"
#include "extract/job/metadata_map.h"
#include "extract/job/run_job.h"
#include "extract/format/path_layout.h"
#include "extract/job/job_pool.h"
#include "extract/job/settings.h"
#include "extract/input/file_list.h"

struct extraction {
	const struct settings *settings;
	struct format_set formats;
	struct path_layout_set layouts;
	struct metadata_map map;   /* of --map */
	struct file_follow *tails; /* with --follow, else NULL */
	struct file_list files;
	struct run_job_list jobs;
	struct earlier_results earlier; /* operands that are results */
	struct job_pool pool;
	size_t first_job, n_jobs; /* jobs are from first_job on of n_jobs; all
	                             without --shard */
	struct outfile records;   /* open until extraction_commit_records */
	struct result result;
	struct case_notes notes;   /* warnings, in order */
	struct case_notes details; /* for --verbose, in order */
};

/* An extraction that has found nothing yet. */
void extraction_init(struct extraction *x, const struct settings *s);

/* The same, and load formats and layouts as the settings state.  Returns 0, or
 * -1 with a message that shows the place in a user's file. */
int extraction_load(
    struct extraction *x, const struct settings *s, struct error *e);

/* Find the files that would be read, after extraction_load; x->files has them.
 *
 * operands  [n] as for extraction_run
 *
 * Returns 0, or -1 as extraction_run. */
int extraction_find(struct extraction *x, const char *const *operands, size_t n,
    struct error *e);

/* Find and read the logs after extraction_load: those of the shard, where the
 * settings name one.
 *
 * operands  [n] as for extraction_run
 *
 * Returns 0, or -1 as extraction_run. */
int extraction_read(struct extraction *x, const char *const *operands, size_t n,
    struct error *e);

/* Make the result of what was read, or of what parts hold (shard_merge.h).
 * Returns as extraction_run. */
int extraction_finish(struct extraction *x, struct error *e);

/* Both of them.
 *
 * operands  [n] "DIR", "FILE", a result, "-" or "LABEL=PATH"; those of
 *           --log-dir are added
 *
 * Returns 0; -1 where an operand cannot be read (ERROR_INPUT, ERROR_SYSTEM), a
 * baseline is wrong (ERROR_USAGE), nothing is usable (ERROR_EMPTY); notes and
 * result.excluded state why then. */
int extraction_run(struct extraction *x, const char *const *operands, size_t n,
    struct error *e);

/* Put --records in its place, if it was asked for. */
int extraction_commit_records(struct extraction *x, struct error *e);

/* Free all but formats, layouts, map and tails; x is as extraction_load left
 * it. */
void extraction_clear(struct extraction *x);

/* Free all, also after a failure; the tails are the caller's. */
void extraction_release(struct extraction *x);

/* The name of the result: --name, else the last part of the only operand, else
 * "result".
 *
 * Returns a string that the caller frees. */
char *extraction_name(
    const struct settings *s, const char *const *operands, size_t n);

#endif
