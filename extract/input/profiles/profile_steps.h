/* Compute the time, communication and collectives of each step from a profile's
 * step and kernel events, and write them as JSON lines for the format
 * torch-profile:
 *
 *	{"profile":"steps","clock":"device","steps":3,"ranks":16,"step_ms":...}
 *	{"step":5,"rank":0,"step_us":250000.000}
 *	{"collective":"allreduce","of_step":5,"bucket":0,"bytes":26214400, ...}
 *
 * A step lasts from the start of its first kernel on the device to that of the
 * next step, if the trace shows both for two steps or more: the device runs
 * after the CPU, so the CPU's marks would cut kernels off. Otherwise the CPU's
 * ProfilerStep# ranges are used. Busy is the time in which a communication
 * kernel runs; exposed is the part in which no other kernel runs. Only the
 * device with most kernels is used.
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
	PROFILE_STEP_DEVICE, /* the same range on the device */
	PROFILE_KERNEL,      /* computation on a device */
	PROFILE_COLLECTIVE,  /* a communication kernel on a device */
	PROFILE_OTHER
};

struct profile_event {
	enum profile_kind kind;
	double start, end;      /* us */
	long number;            /* step, or the kernel's device; -1: unknown */
	const char *collective; /* "allreduce"; static */
	double bytes;           /* of the collective's message; NAN: unknown */
	double ranks;           /* of the collective; NAN: unknown */
};

/* Marks of steps, by kind, and all kernels. */
enum { PROFILE_LISTS = PROFILE_KERNEL + 1 };

struct profile_steps {
	struct profile_list {
		struct profile_event *events;
		size_t n, alloc;
	} lists[PROFILE_LISTS];
	size_t n_of[PROFILE_OTHER]; /* by kind */
	char device_name[128];
	long rank, ranks; /* -1: unknown */
};

#define PROFILE_STEPS_INIT \
	{ \
		.rank = -1, .ranks = -1 \
	}

/* Free the events. */
void profile_steps_release(struct profile_steps *p);

/* Add an event; PROFILE_OTHER is ignored. Returns 0; -1 beyond the limits
 * above. */
int profile_steps_add(struct profile_steps *p, const struct profile_event *e);

/* Set the kind and the collective of a kernel by its name; names of NCCL and
 * RCCL begin with "nccl".
 *
 * collective  named by the trace, overrides the name; or "" */
void profile_event_kernel(
    struct profile_event *e, const char *name, const char *collective);

/* Set the name of the device; ignored if JSON would have to escape it. */
void profile_steps_device(struct profile_steps *p, const char *name);

/* Append the lines of all events.
 *
 * source  "nsight", written to the lines; NULL: a profiler's trace
 *
 * Returns 0; -1 if there is no step. */
int profile_steps_write(
    struct profile_steps *p, const char *source, struct strbuf *out);

#endif
