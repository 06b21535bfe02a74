/* The steps of a profile out of its events: times, communication that is busy
 * and exposed, collectives; given out as lines of JSON, which the format
 * torch-profile reads:
 *
 *	{"profile":"steps","clock":"device","steps":3,"ranks":16,"step_ms":...}
 *	{"step":5,"rank":0,"step_us":250000.000}
 *	{"collective":"allreduce","of_step":5,"bucket":0,"bytes":26214400, ...}
 *
 * A step lasts from what its first kernel on the device began with to the same
 * of the next step, where the trace shows that of two steps or more (the
 * device runs after the CPU, so the CPU's marks would cut kernels off); else
 * as the CPU's ProfilerStep# states.  Busy is the time in which a communication
 * kernel runs, exposed what is left of it without any other kernel.  Internal
 * to extract/.
 */
#ifndef EXTRACT_INPUT_PROFILES_PROFILE_STEPS_H
#define EXTRACT_INPUT_PROFILES_PROFILE_STEPS_H

#include <stddef.h>

#include "common/strbuf.h"
#include "extract/input/profiles/profile_event.h"

enum {
	PROFILE_MAX_STEPS = 1 << 16,
	PROFILE_MAX_KERNELS = 1 << 22, /* 72 bytes each */
	PROFILE_MAX_COLLECTIVES = 1 << 20
};

struct profile_steps;

/* Without events; and free it. */
struct profile_steps *profile_steps_new(void);
void profile_steps_free(struct profile_steps *p);

/* Take an event.  Returns 0; -1 where it is more than the above. */
int profile_steps_add(struct profile_steps *p, const struct profile_event *e);

/* What the profile states about itself.
 *
 * text  [len] of the objects deviceProperties or distributedInfo */
void profile_steps_devices(
    struct profile_steps *p, const char *text, size_t len);
void profile_steps_ranks(struct profile_steps *p, const char *text, size_t len);

/* All events are there: add the lines.
 *
 * source  stands in the lines where it is not a profiler's trace: "nsight";
 *         else NULL
 *
 * Returns 0; -1 where there is no step. */
int profile_steps_write(
    struct profile_steps *p, const char *source, struct strbuf *out);

#endif
