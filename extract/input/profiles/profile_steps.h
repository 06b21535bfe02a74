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

#include "common/error.h"
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

/* --- Nsight Systems ------------------------------------------------------- */

/* Exports of Nsight Systems (nsys export --type sqlite) are converted to lines
 * about steps, like traces of profilers.
 *
 * Steps are NVTX ranges of a thread whose name is a word for a step
 * ("ProfilerStep#5", "step 5", "iteration 5", "train_step"). A kernel belongs
 * to the step that launched it. Bandwidths are not reported, since the tables
 * read do not have message sizes.
 *
 * Tables and columns: NVIDIA's "SQLite Export Schema Reference" (Nsight
 * Systems, nsys-exporter): NVTX_EVENTS, StringIds, CUPTI_ACTIVITY_KIND_KERNEL,
 * CUPTI_ACTIVITY_KIND_RUNTIME, TARGET_INFO_GPU.
 */

/* True if data begins like a SQLite file; needs 16 bytes. */
int nsight_file_is(const char *data, size_t len);

/* Append the lines of the file to out.
 *
 * Returns 0; -1 with a message without the path: this build has no SQLite, the
 * file is not an export of Nsight Systems, is damaged, or has no steps. */
int nsight_file_read(const char *path, struct strbuf *out, struct error *e);

/* Reject a report that only NVIDIA's profilers read. e names the command that
 * exports it.
 *
 * Returns 0, or -1 with a message without the path. */
int nsight_report_refuse(const char *path, struct error *e);

/* Rate the name of an NVTX range as the name of a step.
 *
 * number  set to the number at its end, or -1
 *
 * Returns the rank of the word, 1 for the best; 0: not a step. */
int nsight_step_name(const char *name, long *number);

#endif
