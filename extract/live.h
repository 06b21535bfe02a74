/* How far a run is that may still be running: what --follow shows.
 */
#ifndef EXTRACT_LIVE_H
#define EXTRACT_LIVE_H

#include "extract/facts.h"
#include "extract/log.h"
#include "extract/rule.h"

enum { LIVE_STEPS = 20 /* of the last window, an audit's block */ };

struct live {
	int known;    /* 0: no step yet */
	double speed; /* of the last LIVE_STEPS steps, in unit; NAN where
	                     batch or GPUs are unknown */
	const char *unit;
	double step_s;    /* seconds of an iteration; NAN: unknown */
	long done, total; /* iterations of the epoch; total 0: unknown */
	long settled_at;  /* position, by the audit's rule; RESULT_UNKNOWN */
};

/* Look at the logs of one run.
 *
 * facts  resolved */
void live_look(const struct log *const *logs, size_t n_logs,
    const struct facts *facts, const struct rule *rule, struct live *out);

#endif
