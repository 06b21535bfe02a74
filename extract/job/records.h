/* --records: every sample of the logs as a line of JSON. */
#ifndef EXTRACT_JOB_RECORDS_H
#define EXTRACT_JOB_RECORDS_H

#include <stddef.h>
#include <stdio.h>

#include "common/error.h"
#include "extract/log/log.h"

/* One object for each sample, in the order of the files:
 *
 *	{"path": "1n1g/a.log", "line": 12, "epoch": 0, "iteration": 3,
 *	 "iteration_from": null, "rank": null, "value": 0.362, "unit": "s",
 *	 "stamp": null, "loss": 6.98}
 *
 * What the line did not print is null; details (loss, ...) follow where the
 * scanner was asked for them.
 *
 * logs  [n_logs]
 *
 * Returns the text, "" without samples; the caller frees it. */
char *records_render(const struct log *const *logs, size_t n_logs);

/* The same straight into a file; its errors are left to outfile_commit. */
void records_write(const struct log *const *logs, size_t n_logs, FILE *f);

/* Records of a log that are written while it is read. */
struct records_stream;

/* Append to f.  Returns NULL where what is written there cannot be taken
 * back. */
struct records_stream *records_begin(FILE *f);

/* Write the log's samples since the last call, which end a line, and clear its
 * details. */
void records_add(struct records_stream *r, struct log *log);

/* Keep what was written, or take it back: f is as it was.  Returns 0; -1 where
 * what was written could not be taken back. */
int records_end(struct records_stream *r, int keep, struct error *e);

/* Samples of the logs. */
size_t records_count(const struct log *const *logs, size_t n_logs);

#endif
