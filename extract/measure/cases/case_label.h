/* What sets runs apart that the configuration alone does not: before cases are
 * made of runs, copies are refused, and where runs of one configuration differ
 * in what was varied, in their device or in their folder, that becomes a label,
 * so that nothing is put into one median in silence (doc/measurement.md,
 * "Cases").
 *
 *	struct case_run *runs[2] = { &a, &b };
 *	case_label_runs(runs, 2, 0, &arena, &notes);
 *	if (a.refused.why.code == REMARK_NONE) ...
 */
#ifndef EXTRACT_MEASURE_CASES_CASE_LABEL_H
#define EXTRACT_MEASURE_CASES_CASE_LABEL_H

#include <stddef.h>

#include "common/arena.h"
#include "extract/measure/cases/case_run.h"

/* Label runs, and refuse those that cannot count.
 *
 * runs    [n]; labels are added to metadata, refused is set where a run is a
 *         copy of another, has another's name in the same case, or is of a
 *         short log where others have the whole window
 * strong  1: cases are compared whatever their batch per device
 * a       where new strings live
 * notes   what became of runs of several folders, and of unknown metadata */
void case_label_runs(struct case_run **runs, size_t n, int strong,
    struct arena *a, struct case_notes *notes);

/* True if both names are of one kind of device.  Slices of a TPU are, and names
 * that nvidia-smi cut short; so is every name and NULL, unknown. */
int case_same_device(const char *x, const char *y);

#endif
