/* From operands to a result: find the logs, distribute them, read and measure
 * them, group the runs into cases.
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
#include "extract/job/run_job.h"
#include "extract/format/format.h"
#include "extract/job/settings.h"
#include "extract/input/file_list.h"

struct extraction {
	const struct settings *settings;
	struct format_set formats;
	struct metadata_map map;   /* from --map */
	struct file_follow *tails; /* with --follow, else NULL */
	struct file_list files;
	struct run_job_list jobs;
	struct result *earlier; /* [n_earlier] operands that are results */
	size_t n_earlier;
	struct arena *arenas; /* [n_arenas] of the jobs, one per thread */
	size_t n_arenas;
	struct outfile records; /* open until extraction_write */
	struct result result;
	struct case_notes notes;   /* warnings, in order */
	struct case_notes details; /* for --verbose, in order */
};

/* Initialise, and load formats and layouts as the settings request. Returns 0,
 * or -1 with a message that shows the position in a user's file. */
int extraction_load(
    struct extraction *x, const struct settings *s, struct error *e);

/* After extraction_load: find the files to read and store them in x->files.
 *
 * operands  [n] as for extraction_run
 *
 * Returns 0, or -1 like extraction_run. */
int extraction_find(struct extraction *x, const char *const *operands, size_t n,
    struct error *e);

/* Make the result from the logs read. Returns like extraction_run. */
int extraction_finish(struct extraction *x, struct error *e);

/* Read the logs and make the result.
 *
 * operands  [n] "DIR", "FILE", a result, "-" or "LABEL=PATH"; those of
 *           --log-dir are added
 *
 * Returns 0; -1 if an operand cannot be read (ERROR_INPUT, ERROR_SYSTEM), a
 * baseline is wrong (ERROR_USAGE), or no log is usable (ERROR_EMPTY); notes and
 * result.excluded then explain why. */
int extraction_run(struct extraction *x, const char *const *operands, size_t n,
    struct error *e);

/* Write the result, and rename the file of --records, if requested, to its
 * final name. */
int extraction_write(struct extraction *x, const char *path, struct error *e);

/* Free all but formats, map and tails; resets x to its state after
 * extraction_load. */
void extraction_clear(struct extraction *x);

/* Free everything, also after a failure, except the caller's tails. */
void extraction_release(struct extraction *x);

/* Name of the result: --name, else the last component of the only operand, else
 * "result".
 *
 * Returns a string that the caller frees. */
char *extraction_name(
    const struct settings *s, const char *const *operands, size_t n);

#endif
