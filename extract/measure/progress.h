/* How far a run is that may still be running: what --follow shows.
 */
#ifndef EXTRACT_MEASURE_PROGRESS_H
#define EXTRACT_MEASURE_PROGRESS_H

#include "extract/measure/metadata.h"
#include "extract/log/log.h"
#include "extract/measure/steps/rule.h"

enum { PROGRESS_STEPS = 20 /* of the last window, an audit's block */ };

struct progress {
	int known;    /* 0: no step yet */
	double speed; /* of the last PROGRESS_STEPS steps, in unit; NAN where
	                     batch or GPUs are unknown */
	const char *unit;
	double step_s;    /* seconds of an iteration; NAN: unknown */
	long done, total; /* iterations of the epoch; total 0: unknown */
	long settled_at;  /* position, by the audit's rule; RESULT_UNKNOWN */
};

/* Look at the logs of one run.
 *
 * metadata  resolved */
void progress_look(const struct log *const *logs, size_t n_logs,
    const struct metadata *metadata, const struct rule *rule,
    struct progress *out);

#endif
