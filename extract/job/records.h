/* --records: every sample of the logs as a line of JSON. */
#ifndef EXTRACT_JOB_RECORDS_H
#define EXTRACT_JOB_RECORDS_H

#include <stddef.h>
#include <stdio.h>

#include "extract/log/log.h"

/* Write one object for each sample, in the order of the files:
 *
 *	{"path": "1n1g/a.log", "line": 12, "epoch": 0, "iteration": 3,
 *	 "iteration_from": null, "rank": null, "value": 0.362, "unit": "s",
 *	 "stamp": null, "loss": 6.98}
 *
 * What the line did not print is null; details (loss, ...) follow where the
 * scanner was asked for them.  Errors of f are left to outfile_commit.
 *
 * logs  [n_logs] */
void records_write(const struct log *const *logs, size_t n_logs, FILE *f);

#endif
