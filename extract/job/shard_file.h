/* A part: what extract_logs --shard=I/N found in its runs, as a file, so that
 * all N of them can be merged into the result that one process would have
 * written.  It holds each run's figures, inputs, exclusions and warnings, and
 * what the merging needs to know that nothing is missing, doubled or of another
 * tree.
 *
 * The file is JSON, schema "dlscale-part/1", written and read by tables as the
 * result is (common/result/record_fields.h).
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

/* True if the file begins as a part does; false for what cannot be read. */
int shard_file_is(const char *path);

/* Read a part from memory.
 *
 * name  stands for the file in messages
 * a     where all of it lives
 *
 * Returns 0, or -1 with the file and place in e. */
int shard_file_parse(const char *name, const char *text, size_t len,
    struct shard_file *part, struct arena *a, struct error *e);

/* Set a part to what extraction_read found of the shard that the settings name.
 *
 * operands  [n] as given to extraction_read
 * part      borrows from x
 * a         where the rest of it lives */
void shard_file_fill(struct shard_file *part, const struct extraction *x,
    const char *const *operands, size_t n, struct arena *a);

/* Check that all options of a part change figures, each with its value: those
 * of other kinds, such as --output=PATH, are refused.
 *
 * Returns 0, or -1 with ERROR_INPUT that names the file and the option. */
int shard_file_check_options(const struct shard_file *part, struct error *e);

/* Write it; errors of f are left to outfile_commit. */
void shard_file_write(const struct shard_file *part, FILE *f);

/* The parts of one tree, to be merged into the result that one process would
 * have written, to the byte.
 *
 *	struct shard_merge m;
 *	if (shard_merge_read(&m, operands, n, &e) == 0)
 *		shard_merge_into(&m, &extraction);
 *	shard_merge_release(&m);
 */
struct shard_merge {
	struct arena arena;
	struct shard_file *parts; /* [n] in the order of their numbers */
	size_t n;
};

/* True if any of the operands is a part. */
int shard_merge_wanted(const char *const *operands, size_t n);

/* Read all parts, and check that none is missing and that they belong
 * together.
 *
 * Returns 0; or -1 with e naming the file: one that is no part, a part that
 * is missing or there twice, parts of different trees, formats, options,
 * versions of this program.  Release m in both cases. */
int shard_merge_read(struct shard_merge *m, const char *const *operands,
    size_t n, struct error *e);

/* Put the parts in order; check that none is missing or there twice, and that
 * they belong together.
 *
 * m  n is above 0
 *
 * Returns as shard_merge_read. */
int shard_merge_check(struct shard_merge *m, struct error *e);

/* Read a command line again, after the options that the part was made with,
 * into the settings of extract_program.
 *
 * argv  [argc] as given to main
 * a     where the longer command line lives; as long as the settings
 *
 * Returns 0, or -1 with the file before the message. */
int shard_merge_options(const struct shard_file *part, int argc, char **argv,
    struct arena *a, struct error *e);

/* Give x the jobs of the parts, which must outlive it, in place of those that
 * extraction_read finds; extraction_finish comes next. */
void shard_merge_into(const struct shard_merge *m, struct extraction *x);

/* Free all parts. */
void shard_merge_release(struct shard_merge *m);

#endif
