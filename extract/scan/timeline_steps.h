/* Derives training steps from the allreduces of a timeline, which does not
 * state steps: a step ends before one of its tensors is reduced again. It
 * starts at the end of the last transfer of the previous step, so it includes
 * that step's optimiser. The first step, whose start is unknown, and the last,
 * which may be incomplete, are excluded. Internal to extract/.
 *
 *	struct timeline_steps s = TIMELINE_STEPS_INIT;
 *	timeline_steps_tensor(&s, pid);                   (each tensor of one)
 *	timeline_steps_response(&s, &response);           (then the whole)
 *	timeline_steps_end(&s, log);
 *	timeline_steps_release(&s);
 */
#ifndef EXTRACT_SCAN_TIMELINE_STEPS_H
#define EXTRACT_SCAN_TIMELINE_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "extract/log/log.h"

enum {
	TIMELINE_MAX_STEPS = 512,        /* the first steps are used */
	TIMELINE_MAX_RESPONSES = 1 << 16 /* in all steps */
};

/* Tensors that were reduced together; times in us. */
struct timeline_carried {
	double ready;      /* last tensor ready on all ranks */
	double start, end; /* of the transfer */
	double bytes;
	size_t step; /* set by timeline_steps_response */
};

struct timeline_steps {
	size_t *seen; /* [n_seen] per tensor: 1 + its last step; 0: none */
	size_t n_seen, alloc_seen;
	struct timeline_carried *items; /* in order of end time */
	size_t n, alloc;
	size_t step; /* current step, from 0 */
	int again;   /* 1: it already has a tensor of the next response */
};

#define TIMELINE_STEPS_INIT \
	{ \
		NULL, 0, 0, NULL, 0, 0, 0, 0 \
	}

/* Add a tensor of the next response.
 *
 * tensor  tensor number, below 2^16 */
void timeline_steps_tensor(struct timeline_steps *s, size_t tensor);

/* Add a complete allreduce. */
void timeline_steps_response(
    struct timeline_steps *s, const struct timeline_carried *x);

/* End the timeline: add the metadata phase_step_ms, phase_busy_ms and
 * phase_bytes of each complete step. Add buckets only of steps with the most
 * frequent number of responses, because fusion may differ between steps. */
void timeline_steps_end(const struct timeline_steps *s, struct log *log);

/* Free the contents and leave s empty. */
void timeline_steps_release(struct timeline_steps *s);

#endif
