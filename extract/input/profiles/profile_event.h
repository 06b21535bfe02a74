/* One event of a profiler's trace (Chrome's trace events, as PyTorch's profiler
 * writes them): what the reader of step profiles needs of it.
 *
 *	struct profile_event e;
 *	if (profile_event_read(text, len, &e) == 0 &&
 *	    e.kind == PROFILE_KERNEL) ...
 */
#ifndef EXTRACT_INPUT_PROFILES_PROFILE_EVENT_H
#define EXTRACT_INPUT_PROFILES_PROFILE_EVENT_H

#include <stddef.h>

enum profile_kind {
	PROFILE_OTHER,
	PROFILE_STEP,        /* "ProfilerStep#5", on the CPU */
	PROFILE_STEP_DEVICE, /* the same, of what the device does of it */
	PROFILE_KERNEL,      /* computation on a device */
	PROFILE_COLLECTIVE   /* a communication kernel on a device */
};

struct profile_event {
	enum profile_kind kind;
	double start_us, end_us;
	long step;              /* of PROFILE_STEP and PROFILE_STEP_DEVICE */
	long device;            /* of the rest; -1: not stated */
	const char *collective; /* "allreduce"; static */
	double bytes;           /* of the collective's message; NAN: unknown */
	double ranks;           /* that take part; NAN: unknown */
};

/* Read one event.
 *
 * text  [len] the object, braces included
 *
 * Returns 0; -1 where it is no object.  Events without a duration are
 * PROFILE_OTHER. */
int profile_event_read(const char *text, size_t len, struct profile_event *e);

/* A kernel of that name on a device: computation, or what NCCL and RCCL call
 * their kernels.  Without times, device and size. */
void profile_event_kernel(struct profile_event *e, const char *name);

#endif
