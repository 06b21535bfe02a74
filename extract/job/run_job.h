/* A job is one run to be measured: its log, or a log for each of its ranks, and
 * the outcome.  Jobs are independent of each other: threads share them out.
 *
 *	struct run_job_list jobs;
 *	run_job_list_make(&jobs, &files, &layouts);
 *	run_job_do(&jobs.items[0], &context, scanner, turn, arg, &arena);
 *	run_job_list_release(&jobs);
 */
#ifndef EXTRACT_JOB_RUN_JOB_H
#define EXTRACT_JOB_RUN_JOB_H

#include <stddef.h>
#include <stdio.h>

#include "common/arena.h"
#include "common/result/result.h"
#include "extract/measure/cases/case.h"
#include "extract/measure/metadata.h"
#include "extract/format/path_layout.h"
#include "extract/measure/progress.h"
#include "extract/scan/scan_file.h"
#include "extract/job/metadata_map.h"
#include "extract/job/settings.h"
#include "extract/scan/file_follow.h"
#include "extract/input/file_list.h"

/* A warning about one file; equal ones of many files are printed once. */
struct run_job_warning {
	const char *path;
	const char *text; /* without the path */
};

struct run_job {
	const struct log_file **files; /* [n_files] by rank, then name */
	size_t n_files;
	const char *below; /* of the first file: see struct log_file; of a
	                      single operand without its own path, which an
	                      earlier result does not know either */
	int alone; /* 1: no other log is in its folder, which was listed */

	/* Set by run_job_do; the strings live in the arena given to it. */
	struct result_input *inputs; /* [n_files] */
	const char **notes;          /* [n_notes] for --verbose; "": none */
	size_t n_notes;              /* n_files */
	struct case_run *run;
	size_t counts;        /* 1: run is measured; else 0 */
	struct progress live; /* with --follow */
	struct result_excluded *excluded;
	size_t n_excluded;
	struct run_job_warning *warnings;
	size_t n_warnings;
	const struct error *scarce; /* what kept a file from being read that may
	                               be sound, or NULL */
	const struct format *format; /* of the first file that has one */
};

struct run_job_list {
	struct arena arena;
	struct run_job *items;
	size_t n;
};

/* What all jobs share, read-only. */
struct run_job_context {
	const struct settings *settings;
	const struct path_layout_set *layouts;
	const struct metadata_map *map; /* of --map; without rows: none */
	struct file_follow
	    *tails; /* of logs that grow, or NULL; not read-only */
};

/* Share out the files: one job each, but files that differ by nothing than the
 * rank in their path are of one job.  In the order of their first files. */
void run_job_list_make(struct run_job_list *jobs, const struct file_list *files,
    const struct path_layout_set *layouts);
void run_job_list_release(struct run_job_list *jobs);

/* All that --map, options and paths state about a run, and its logs.
 *
 * logs  [n] that were read; may be none
 * a     where the strings of f live */
void run_job_metadata(const struct run_job *job,
    const struct run_job_context *context, const struct log *const *logs,
    size_t n, struct arena *a, struct metadata *f);

/* True if --select chooses the run by what is stated without its logs.  Values
 * of one key are alternatives, keys are not; a run of which a key is not known
 * is not chosen.  All runs are where nothing is selected. */
int run_job_is_selected(
    struct run_job *job, const struct run_job_context *context);

/* How the run is called where runs are listed: the path of its first file
 * below the operand; where there are several operands, with the operand and
 * its label in front ("new=runs/1n1g/a.log"), so that no two are alike.
 *
 * n_operands  of all files
 * a           where the text lives, if it is a new one */
const char *run_job_title(
    const struct run_job *job, size_t n_operands, struct arena *a);

/* Scan the files, resolve the metadata, measure.
 *
 * turn  returns the file of --records once those of all jobs before are
 *       written; called with arg, at most once
 * a     where what is set in job lives; may serve many jobs of one thread */
void run_job_do(struct run_job *job, const struct run_job_context *context,
    struct scanner *scanner, FILE *(*turn)(void *arg), void *arg,
    struct arena *a);

#endif
