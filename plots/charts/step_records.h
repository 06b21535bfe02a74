/* Reader of the records that extract_logs --records writes, one line per
 * measured step.
 *
 *	struct step_records r;
 *	if (step_records_read("steps.jsonl", &r, &e) != 0) ...
 *	const struct step_run *run = step_records_find(&r, "1n1g/a_1.log");
 *	step_records_release(&r);
 */
#ifndef PLOTS_CHARTS_STEP_RECORDS_H
#define PLOTS_CHARTS_STEP_RECORDS_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"

struct step_sample {
	long line; /* line of the log, from 1 */
	/* As read; NAN: unknown. */
	double epoch, iteration, iteration_from, rank, stamp;
	int is_mean; /* value read: mean since the epoch's start */

	long position;     /* last step of the line; 0: the log's first */
	long from;         /* first step that the line covers */
	long epoch_start;  /* position of the first step of its epoch */
	double value;      /* in the run's unit; NAN if none, such as the first
	                      of a log of time stamps */
	double seconds;    /* elapsed so far; NAN unless the unit is s */
	double loss, top1; /* NAN if the log has none */
};

/* Steps of the first rank of a log, in the log's order. */
struct step_run {
	const char *path, *unit;
	struct step_sample *samples;
	size_t n, alloc;
};

struct step_records {
	struct arena arena;
	struct step_run *runs;
	size_t n, alloc;
};

/* Read a file of records.
 *
 * path  "-": stdin
 *
 * Returns 0; -1 with ERROR_SYSTEM if it cannot be read, ERROR_INPUT with file
 * and line if a line is not a record, ERROR_EMPTY if there are no records. On
 * failure r needs no release. */
int step_records_read(
    const char *path, struct step_records *out, struct error *e);

/* Find a run by path, or NULL. */
const struct step_run *step_records_find(
    const struct step_records *r, const char *path);

/* Free all. */
void step_records_release(struct step_records *r);

#endif
