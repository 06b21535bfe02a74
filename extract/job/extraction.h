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
#include <stdio.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/files/files.h"
#include "common/result/result.h"
#include "extract/format/format.h"
#include "extract/input/file_list.h"
#include "extract/job/settings.h"
#include "extract/log/log.h"
#include "extract/measure/cases/case.h"
#include "extract/measure/measure_run.h"
#include "extract/measure/metadata.h"
#include "extract/scan/scan_file.h"

/* --- Tables of --map -------------------------------------------------------*/

/* --map: a table of files and their metadata, for trees whose names and logs
 * lack them. */

struct metadata_map_column {
	const char *key; /* from the vocabulary, or a label */
	int is_label;
};

struct metadata_map_row {
	const char *glob;
	const char **values; /* [n_columns]; "": not stated */
	long line;           /* line in the table, from 1 */
};

struct metadata_map {
	struct arena arena;
	struct metadata_map_column *columns; /* all but the first */
	size_t n_columns;
	struct metadata_map_row *rows;
	size_t n_rows;
	/* Index of metadata_map_next: rows with paths, sorted, and rows with
	 * globs. */
	struct metadata_map_row **paths; /* [n_paths] */
	size_t n_paths;
	struct metadata_map_row **globs; /* [n_globs] in order */
	size_t n_globs;
};

/* Read a table of comma-separated cells, with double quotes around cells that
 * contain commas. Blank lines and those that begin with '#' are ignored.
 *
 * Returns 0; or -1 with "FILE:LINE: ..." if a column is not in the vocabulary,
 * a row has more or fewer cells than the header, or a count is invalid. */
int metadata_map_read(
    struct metadata_map *map, const char *path, struct error *e);
void metadata_map_release(struct metadata_map *map);

/* First row at or after `from` that matches a file, or map->n_rows. Uses binary
 * search for paths, so that a table may have a row for each of many files.
 *
 *	for (i = metadata_map_next(map, path, 0); i < map->n_rows;
 *	     i = metadata_map_next(map, path, i + 1)) ... map->rows[i] ... */
size_t metadata_map_next(
    const struct metadata_map *map, const char *path, size_t from);

/* Collect the values of the rows that match a file.
 *
 * path    of the run's first file
 * stated  set; the strings live as long as the map */
void metadata_map_state(const struct metadata_map *map, const char *path,
    struct metadata_stated *stated);

/* --- Runs ------------------------------------------------------------------*/

/* A job is one run to measure: its log, or a log per rank, and the outcome.
 * Jobs are independent of each other and run in threads.
 *
 *	struct run_job_list jobs;
 *	run_job_list_make(&jobs, &files, &formats);
 *	run_job_do(&jobs.items[0], &context, scanner, turn, arg, &arena);
 *	run_job_list_release(&jobs);
 */

/* A message about a file. Equal warnings of many files are printed once. */
struct run_job_note {
	const char *path;
	const char *text; /* without the path */
	int detail;       /* 1: for --verbose; 0: a warning */
};

struct run_job {
	const struct log_file **files; /* [n_files] by rank, then name */
	size_t n_files;
	const char *below; /* of the first file, see struct log_file; for a
	                      single operand the path relative to it, since
	                      earlier results lack the operand's path */
	int alone;         /* 1: the only log of a folder that was listed */

	/* Set by run_job_do; strings are allocated in its arena. */
	struct result_input *inputs; /* [n_files] */
	struct case_run *run;
	size_t counts;        /* 1: run was measured; else 0 */
	struct progress live; /* with --follow */
	const char *failure;  /* with --follow: "crashed at line 9: ..." if the
				 logs have such a message, else NULL */
	int ended;            /* 1: no step follows that message */
	struct result_excluded *excluded;
	size_t n_excluded;
	struct run_job_note *notes;
	size_t n_notes;
	const struct error *scarce;  /* system error while reading a file, which
	                               may be valid; or NULL */
	const struct format *format; /* of the first file that has one */
};

struct run_job_list {
	struct arena arena;
	struct run_job *items;
	size_t n, alloc;
};

/* Read-only data shared by all jobs. */
struct run_job_context {
	const struct settings *settings;
	const struct format_set *formats;
	const struct metadata_map *map; /* from --map; no rows without it */
	struct file_follow
	    *tails; /* of logs that grow, or NULL; not read-only */
};

/* Make the jobs: one per file, but files whose paths differ only in the rank
 * share a job. Jobs are in the order of their first files. */
void run_job_list_make(struct run_job_list *jobs, const struct file_list *files,
    const struct format_set *formats);
void run_job_list_release(struct run_job_list *jobs);

/* True if --select chooses the run by the metadata known without its logs.
 * Values of one key are alternatives; all keys must match. A run that lacks a
 * key is not chosen. Without --select all runs are. */
int run_job_is_selected(
    struct run_job *job, const struct run_job_context *context);

/* Name of the run in lists: the path of its first file below the operand; if
 * there are several operands, with the operand and its label
 * ("new=runs/1n1g/a.log"), so that names are unique.
 *
 * n_operands  total number of operands
 * a           arena of the text if it is new */
const char *run_job_title(
    const struct run_job *job, size_t n_operands, struct arena *a);

/* Scan the files, resolve the metadata, and measure the run.
 *
 * turn  waits until the records of previous jobs are written, then returns the
 *       file of --records; called with arg, at most once
 * a     arena of the outcome; may serve all jobs of a thread */
void run_job_do(struct run_job *job, const struct run_job_context *context,
    struct scanner *scanner, FILE *(*turn)(void *arg), void *arg,
    struct arena *a);

/* --records: write one object for each sample, in file order:
 *
 *	{"path": "1n1g/a.log", "line": 12, "epoch": 0, "iteration": 3,
 *	 "iteration_from": null, "rank": null, "value": 0.362, "unit": "s",
 *	 "stamp": null, "loss": 6.98}
 *
 * Values that the line does not print are null; details (loss, ...) follow if
 * the scanner was told to read them. outfile_commit reports write errors of f.
 *
 * logs   [n_logs]
 * steps  of measure_step_values(), for "step"; or NULL */
void records_write(const struct log *const *logs, size_t n_logs,
    double *const *steps, FILE *f);

/* --- Earlier results -------------------------------------------------------*/

/* Earlier results of extract_logs and tables of runs as operands: their runs
 * count like those of the logs, so that results accumulate. */

/* True if an operand is a result or a table of runs, or "label=path" of one. */
int earlier_result_is(const char *operand);

/* --- Power records (power_file.c) ------------------------------------------*/

/* Power records as written by monitors: nvidia-smi
 * (--query-gpu=timestamp,index,power.draw --format=csv, or dmon), dcgmi dmon
 * (-e 155), dcgm-exporter, jpwr, codecarbon's emissions.csv. */

/* Read a power record, compressed or not.
 *
 * p  set; power_log_release frees its members except the name, which points
 *    into path
 *
 * Returns 0; -1 with a message without the path: the file cannot be read, has
 * none of these forms, has no power values, or more than a million rows. */
int power_file_read(const char *path, struct power_log *p, struct error *e);

/* Find the power record of a log: LOG.power.csv (or -power.csv, _power.csv, and
 * the other names of file_list.h) next to LOG.log or LOG.log.gz, else one named
 * after a shorter prefix of the log's name, else power.csv in its folder.
 *
 * log  path of the log
 * own  set to 1 if it is named after the log, 0 if other logs of the folder may
 *      share it
 * a    arena of the path
 *
 * Returns NULL if there is none. */
const char *power_file_find(const char *log, int *own, struct arena *a);

/* For logs whose format reads no time: the first date with a time (stamp_find)
 * in the first 256 bytes of a line of a file, in seconds since 1970. A time
 * without zone is UTC. NAN if there is none or the file cannot be read.
 *
 * line  from 1 */
double line_date(const char *path, long line);

/* --- All runs --------------------------------------------------------------*/

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
