/* A part: the findings of extract_logs --shard=I/N as a file, so that all N
 * parts can be merged into the result of a single process. It holds each run's
 * figures, inputs, exclusions and warnings, and the data to check that no run
 * is missing, duplicated or from another tree.
 *
 * The file is JSON with schema "dlscale-part/1", written and read by tables
 * like the result (common/result/record_fields.h).
 */
#ifndef EXTRACT_JOB_SHARD_FILE_H
#define EXTRACT_JOB_SHARD_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/result/result.h"
#include "extract/job/extraction.h"

#define SHARD_FILE_SCHEMA "dlscale-part/1"

struct shard_file {
	const char *file;         /* file it was read from */
	const char *tool_version; /* parts of different versions do not merge */
	long index, of;           /* I, N */
	const char *tree;         /* hash of operands, file names and sizes */
	const char *formats;      /* hash of formats and layouts */
	const char *name;         /* name of the result */
	const char **options; /* options that change the result, "--rule=all" */
	size_t n_options;
	long first_run; /* number of its first run in the tree, from 0 */
	long runs_in_tree;
	long files_skipped; /* skipped by name, in the whole tree */
	struct file_list_problem *problems; /* while finding the files */
	size_t n_problems;
	struct run_job *jobs;
	size_t n_jobs;
};

/* True if the file begins like a part; false if it cannot be read. */
int shard_file_is(const char *path);

/* Read a part from memory.
 *
 * name  of the file in messages
 * a     arena of all texts and arrays
 *
 * Returns 0, or -1 with the file and position in e. */
int shard_file_parse(const char *name, const char *text, size_t len,
    struct shard_file *part, struct arena *a, struct error *e);

/* Set a part from the findings of extraction_read for the shard in settings.
 *
 * operands  [n] as given to extraction_read
 * part      points into x
 * a         arena of the rest of it */
void shard_file_fill(struct shard_file *part, const struct extraction *x,
    const char *const *operands, size_t n, struct arena *a);

/* Check that all options of a part change figures and have a value if they need
 * one. Other options, such as --output=PATH, are rejected.
 *
 * Returns 0, or -1 with ERROR_INPUT that names the file and the option. */
int shard_file_check_options(const struct shard_file *part, struct error *e);

/* Write a part. outfile_commit reports write errors of f. */
void shard_file_write(const struct shard_file *part, FILE *f);

/* The parts of one tree, to merge into exactly the result that a single process
 * would write.
 *
 *	struct shard_merge m;
 *	if (shard_merge_read(&m, operands, n, &e) == 0)
 *		shard_merge_into(&m, &extraction);
 *	shard_merge_release(&m);
 */
struct shard_merge {
	struct arena arena;
	struct shard_file *parts; /* [n] in order of their numbers */
	size_t n;
};

/* True if any of the operands is a part. */
int shard_merge_wanted(const char *const *operands, size_t n);

/* Read all parts, and check that they are complete and belong together.
 *
 * Returns 0; or -1 with e naming the file: it is not a part, a part is missing
 * or duplicated, or parts differ in tree, formats, options or program version.
 * Release m in both cases. */
int shard_merge_read(struct shard_merge *m, const char *const *operands,
    size_t n, struct error *e);

/* Sort the parts; check that they are complete, unique and belong together.
 *
 * m  n is above 0
 *
 * Returns like shard_merge_read. */
int shard_merge_check(struct shard_merge *m, struct error *e);

/* Parse a command line again into the settings of extract_program, preceded by
 * the options of the part.
 *
 * argv  [argc] as given to main
 * a     arena of the longer command line; must outlive the settings
 *
 * Returns 0, or -1 with the file before the message. */
int shard_merge_options(const struct shard_file *part, int argc, char **argv,
    struct arena *a, struct error *e);

/* Replace the jobs that extraction_read finds by those of the parts, which must
 * outlive x. Call extraction_finish next. */
void shard_merge_into(const struct shard_merge *m, struct extraction *x);

/* Free the parts. */
void shard_merge_release(struct shard_merge *m);

#endif
