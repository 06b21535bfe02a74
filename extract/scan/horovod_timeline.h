/* Reads collectives from Horovod's timeline, an array of trace events, one per
 * line. Each tensor is a "process" (pid) with nested events:
 *
 *	B ALLREDUCE, B NCCL_ALLREDUCE, E, ..., E with dtype and shape
 *
 * Tensors whose transfers (activities of NCCL, MPI, GLOO, CCL or DDL) begin
 * before the first of these transfers has ended were fused into one response.
 * Its size is the sum of its tensors, its time from the first start to the last
 * end of a transfer. The number of ranks follows from the ticks of the
 * negotiation, which are named by rank.
 *
 * The timeline does not state steps: a step ends before one of its tensors is
 * reduced again. It starts at the end of the last transfer of the previous
 * step, so it includes that step's optimiser. The first step, whose start is
 * unknown, and the last, which may be incomplete, are excluded. Internal to
 * extract/.
 *
 *	struct horovod_timeline *t = horovod_timeline_new();
 *	horovod_timeline_line(t, log, text, len, 7);      (each line)
 *	horovod_timeline_end(t, log);
 *	horovod_timeline_free(t);
 */
#ifndef EXTRACT_SCAN_HOROVOD_TIMELINE_H
#define EXTRACT_SCAN_HOROVOD_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "extract/log/log.h"

enum {
	TIMELINE_MAX_STEPS = 512,        /* the first steps are used */
	TIMELINE_MAX_RESPONSES = 1 << 16 /* in all steps */
};

struct horovod_timeline;

/* Create a reader; free it. */
struct horovod_timeline *horovod_timeline_new(void);
void horovod_timeline_free(struct horovod_timeline *t);

/* Read a line; lines without an event are skipped. Adds complete responses to
 * the log (log_collectives_add), with the kind "response".
 *
 * text  [len]
 * line  line number */
void horovod_timeline_line(struct horovod_timeline *t, struct log *log,
    const char *text, size_t len, int64_t line);

/* End the log: compute values that depend on the number of ranks. Add the
 * metadata phase_step_ms, phase_busy_ms and phase_bytes of each complete step,
 * and buckets of the steps with the most frequent number of responses, because
 * fusion may differ between steps. */
void horovod_timeline_end(const struct horovod_timeline *t, struct log *log);

#endif
