/* --records: write each sample of the logs as a line of JSON. */
#ifndef EXTRACT_JOB_RECORDS_H
#define EXTRACT_JOB_RECORDS_H

#include <stddef.h>
#include <stdio.h>

#include "extract/log/log.h"

/* Write one object for each sample, in file order:
 *
 *	{"path": "1n1g/a.log", "line": 12, "epoch": 0, "iteration": 3,
 *	 "iteration_from": null, "rank": null, "value": 0.362, "unit": "s",
 *	 "stamp": null, "loss": 6.98}
 *
 * Values that the line does not print are null; details (loss, ...) follow if
 * the scanner was told to read them. outfile_commit reports write errors of f.
 *
 * logs  [n_logs] */
void records_write(const struct log *const *logs, size_t n_logs, FILE *f);

#endif
