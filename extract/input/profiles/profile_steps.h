/* The steps of a profile: from events of steps and kernels to the time,
 * communication and collectives of each step, as lines of JSON for the format
 * torch-profile:
 *
 *	{"profile":"steps","clock":"device","steps":3,"ranks":16,"step_ms":...}
 *	{"step":5,"rank":0,"step_us":250000.000}
 *	{"collective":"allreduce","of_step":5,"bucket":0,"bytes":26214400, ...}
 *
 * A step lasts from the start of its first kernel on the device to that of the
 * next step, where the trace shows both for two steps or more: the device runs
 * after the CPU, so the CPU's marks would cut kernels off.  Else the CPU's
 * ProfilerStep# ranges count.  Busy is the time in which a communication kernel
 * runs, exposed the part of it in which no other kernel does.  Only the device
 * with most kernels counts.
 */
#ifndef EXTRACT_INPUT_PROFILES_PROFILE_STEPS_H
#define EXTRACT_INPUT_PROFILES_PROFILE_STEPS_H

#include <stddef.h>

#include "common/strbuf.h"

enum {
	PROFILE_MAX_STEPS = 1 << 16,
	PROFILE_MAX_KERNELS = 1 << 22, /* 56 bytes each */
	PROFILE_MAX_COLLECTIVES = 1 << 20
};

enum profile_kind {
	PROFILE_STEP,        /* "ProfilerStep#5", on the CPU */
	PROFILE_STEP_DEVICE, /* the same, of what the device does of it */
	PROFILE_KERNEL,      /* computation on a device */
	PROFILE_COLLECTIVE,  /* a communication kernel on a device */
	PROFILE_OTHER
};

struct profile_event {
	enum profile_kind kind;
	double start, end;      /* us */
	long number;            /* of the step, or of the kernel's device; -1:
	                           not stated */
	const char *collective; /* "allreduce"; static */
	double bytes;           /* of the collective's message; NAN: unknown */
	double ranks;           /* that take part; NAN: unknown */
};

struct profile_steps {
	struct profile_event *events;
	size_t n, alloc, n_of[PROFILE_OTHER]; /* by kind */
	char device_name[128];
	long rank, ranks; /* -1: not stated */
};

#define PROFILE_STEPS_INIT \
	{ \
		.rank = -1, .ranks = -1 \
	}

/* Free the events. */
void profile_steps_release(struct profile_steps *p);

/* Add an event; one of PROFILE_OTHER is ignored.  Returns 0; -1 beyond the
 * limits above. */
int profile_steps_add(struct profile_steps *p, const struct profile_event *e);

/* Set the kind and the collective of a kernel by its name: NCCL's and RCCL's
 * begin with "nccl".
 *
 * collective  that a trace states, which goes before the name; or "" */
void profile_event_kernel(
    struct profile_event *e, const char *name, const char *collective);

/* Set the name of the device; one that JSON would have to escape is left
 * out. */
void profile_steps_device(struct profile_steps *p, const char *name);

/* Add the lines of all events.
 *
 * source  stated in the lines where it is not a profiler's trace: "nsight";
 *         else NULL
 *
 * Returns 0; -1 where there is no step. */
int profile_steps_write(
    struct profile_steps *p, const char *source, struct strbuf *out);

#endif
