/* A part: what extract_logs --shard=I/N found in its runs, as a file, so that
 * all N of them can be merged into the result that one process would have
 * written.  It holds each run's figures, inputs, exclusions and warnings, and
 * what the merging needs to know that nothing is missing, doubled or of another
 * tree.
 *
 * The file is JSON, schema "dlscale-part/1", written and read by tables as the
 * result is (common/result/record_fields.h).  Its strings live in the arena
 * given to shard_file_read.
 *
 *	struct shard_file part;
 *	if (shard_file_read("a.json", &part, &arena, &e) != 0) ...
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
	const char *file;         /* where it was read from */
	const char *tool_version; /* parts of different versions do not merge */
	long index, of;           /* I, N */
	const char *tree;     /* hash of operands, names and sizes of files */
	const char *formats;  /* hash of formats and layouts */
	const char *name;     /* of the result */
	const char **options; /* those that change the result, "--rule=all" */
	size_t n_options;
	long first_run; /* number of its first run in the tree, from 0 */
	long runs_in_tree;
	long files_skipped; /* no logs by their names, of all the tree */
	struct result_excluded *problems; /* of finding the files */
	size_t n_problems;
	struct run_job *jobs;
	size_t n_jobs;
};

/* Does the file begin as a part does?  1 or 0; 0 for what cannot be read. */
int shard_file_is(const char *path);

/* Read a part.
 *
 * a  where all of it lives
 *
 * Returns 0, or -1 with the file and place in e. */
int shard_file_read(const char *path, struct shard_file *part, struct arena *a,
    struct error *e);

/* The same from memory; name stands for the file in messages. */
int shard_file_parse(const char *name, const char *text, size_t len,
    struct shard_file *part, struct arena *a, struct error *e);

/* What extraction_read found of the shard that the settings name.
 *
 * operands  [n] as given to extraction_read
 * part      borrows from x
 * a         where the rest of it lives */
void shard_file_fill(struct shard_file *part, const struct extraction *x,
    const char *const *operands, size_t n, struct arena *a);

/* Check that all of the part's options are ones that change figures, each with
 * its value.  What else a file states, as --output=PATH, is not obeyed.
 *
 * Returns 0, or -1 with ERROR_INPUT that names the file and the option. */
int shard_file_check_options(const struct shard_file *part, struct error *e);

/* Write it; errors of f are left to outfile_commit. */
void shard_file_write(const struct shard_file *part, FILE *f);

#endif
