/* Progress of a run that may still be running, for --follow.
 */
#ifndef EXTRACT_MEASURE_PROGRESS_H
#define EXTRACT_MEASURE_PROGRESS_H

#include "extract/measure/metadata.h"
#include "extract/log/log.h"
#include "extract/measure/steps/rule.h"

enum { PROGRESS_STEPS = 20 /* length of the window, a block of the audit */ };

struct progress {
	int known;    /* 0: no steps yet */
	double speed; /* of the last PROGRESS_STEPS steps, in unit; NAN if batch
	                 or GPUs are unknown */
	const char *unit;
	double step_s;    /* seconds per iteration, or NAN */
	long done, total; /* iterations of the epoch; 0: unknown total */
	long settled_at;  /* position by the audit's rule, or RESULT_UNKNOWN */
};

/* Compute the progress of one run from its logs.
 *
 * metadata  resolved */
void progress_look(const struct log *const *logs, size_t n_logs,
    const struct metadata *metadata, const struct rule *rule,
    struct progress *out);

#endif
