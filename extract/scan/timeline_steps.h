/* Finds training steps from the allreduces of a timeline, which names no steps:
 * a step ends before one of its tensors is reduced again. It begins at the end
 * of the last transfer of the previous step, so it includes that step's
 * optimiser. The first step, without such a beginning, and the last, which may
 * be incomplete, are excluded. Internal to extract/.
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
	TIMELINE_MAX_STEPS = 512,        /* the first ones count */
	TIMELINE_MAX_RESPONSES = 1 << 16 /* of all of these */
};

/* Tensors that were reduced together; us. */
struct timeline_carried {
	double ready;      /* when the last of them was ready on all ranks */
	double start, end; /* of the transfer */
	double bytes;
	size_t step; /* set by timeline_steps_response */
};

struct timeline_steps {
	size_t *seen; /* [n_seen] by tensor: 1 + its last step, 0: none */
	size_t n_seen, alloc_seen;
	struct timeline_carried *items; /* in the order of their ends */
	size_t n, alloc;
	size_t step; /* the current one, from 0 */
	int again;   /* 1: a tensor of the next response was seen in it */
};

#define TIMELINE_STEPS_INIT \
	{ \
		NULL, 0, 0, NULL, 0, 0, 0, 0 \
	}

/* Add a tensor of the next response.
 *
 * tensor  its number, below 2^16 */
void timeline_steps_tensor(struct timeline_steps *s, size_t tensor);

/* Add a complete allreduce. */
void timeline_steps_response(
    struct timeline_steps *s, const struct timeline_carried *x);

/* End: add the metadata phase_step_ms, phase_busy_ms and phase_bytes of each
 * complete step, and the buckets of steps with the usual number of responses,
 * since fusion may differ between steps. */
void timeline_steps_end(const struct timeline_steps *s, struct log *log);

/* Free all; it is empty. */
void timeline_steps_release(struct timeline_steps *s);

#endif
