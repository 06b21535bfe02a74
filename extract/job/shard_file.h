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
#include "extract/measure/steps/rule.h"

#define SHARD_FILE_SCHEMA "dlscale-part/1"

struct extraction;

struct shard_file_warning {
	const char *path;
	const char *text;
};

/* A run that counts: struct case_run without what cases do not look at. */
struct shard_file_run {
	struct result_run run;
	const char *unit, *rule;
	double work; /* of an iteration, as in struct measured */
	const char *work_unit;
	const char *framework, *model, *precision;
	long batch_size_per_device, nodes, gpus_per_node, gpus;
	struct result_pair *labels, *varied;
	size_t n_labels, n_varied;
	const char *where, *settings; /* as in struct case_run */
	const char *stated; /* the run's name where someone states it */
};

/* What became of a job. */
struct shard_file_job {
	struct result_input *inputs;
	size_t n_inputs;
	const char **notes; /* one for each input; "": none */
	size_t n_notes;
	struct result_excluded *excluded;
	size_t n_excluded;
	struct shard_file_warning *warnings;
	size_t n_warnings;
	struct shard_file_run *runs; /* one or none */
	size_t n_runs;
};

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
	struct shard_file_job *jobs;
	size_t n_jobs;
};

/* The kind that the run's rule names; RULE_BY_FORMAT: none. */
enum rule_kind shard_file_rule(const struct shard_file_run *run);

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

/* Write it; errors of f are left to outfile_commit. */
void shard_file_write(const struct shard_file *part, FILE *f);

#endif
