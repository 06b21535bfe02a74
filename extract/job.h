/* A job is one run to be measured: its log, or a log for each of its ranks, and
 * what becomes of it.  Jobs do not know each other, so that threads may share
 * them out.
 *
 *	struct job_list jobs;
 *	job_list_make(&jobs, &files, &layouts);
 *	job_do(&jobs.items[0], &context, scanner, NULL, &arena);
 *	job_list_release(&jobs);
 */
#ifndef EXTRACT_JOB_H
#define EXTRACT_JOB_H

#include <stddef.h>
#include <stdio.h>

#include "common/arena.h"
#include "common/result.h"
#include "extract/case.h"
#include "extract/facts.h"
#include "extract/layout.h"
#include "extract/live.h"
#include "extract/scan.h"
#include "extract/settings.h"
#include "extract/tail.h"
#include "extract/walk.h"

/* A warning about one file; equal ones of many files are told once. */
struct job_warning {
	const char *path;
	const char *text; /* without the path */
};

struct job_excluded {
	const char *path;
	const char *reason;
	const char *message;
};

struct job {
	const struct log_file **files; /* [n_files] by rank, then name */
	size_t n_files;
	int skip; /* 1: of another shard; looked at only to find the format
	             that all logs are tried with first */

	/* Set by job_do; the strings live in the arena given to it. */
	struct result_input *inputs; /* [n_files] */
	const char **notes;          /* [n_files] for --verbose, or NULL */
	int counts;                  /* 1: run is set */
	struct case_run run;
	struct live live; /* with --follow */
	struct job_excluded *excluded;
	size_t n_excluded;
	struct job_warning *warnings;
	size_t n_warnings;
	const struct format *format; /* of the first file that has one */
	char *records;               /* JSON lines, freed by who takes it; NULL
	                                unless asked for, or written already */
};

struct job_list {
	struct arena arena;
	struct job *items;
	size_t n;
};

/* What all jobs share, read-only. */
struct job_context {
	const struct settings *settings;
	const struct layout_set *layouts;
	struct tails *tails; /* of logs that grow, or NULL; not read-only */
};

/* Where records go that are too many to be kept. */
struct job_output {
	/* Wait until the records of all jobs before are written.  Returns the
	 * file that this job may write to until job_do returns; NULL: it has
	 * to keep them. */
	FILE *(*wait)(void *arg);
	void *arg;
};

enum { JOB_KEPT_RECORDS = 4096 /* more are written at once */ };

/* Share out the files: one job each, but files that differ by nothing than the
 * rank in their path are of one job.  In the order of their first files. */
void job_list_make(struct job_list *jobs, const struct file_list *files,
    const struct layout_set *layouts);
void job_list_release(struct job_list *jobs);

/* Scan, weigh the facts, measure.
 *
 * hint    a format to try first, or NULL
 * output  for many records, or NULL: they are kept
 * a       where what is set in job lives; may serve many jobs of one thread */
void job_do(struct job *job, const struct job_context *context,
    struct scanner *scanner, const struct format *hint,
    const struct job_output *output, struct arena *a);

#endif
