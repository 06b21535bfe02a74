/* Reads collectives from Horovod's timeline, an array of trace events, one per
 * line. Each tensor is a "process" (pid) with nested events:
 *
 *	B ALLREDUCE, B NCCL_ALLREDUCE, E, ..., E with dtype and shape
 *
 * Tensors whose transfers (activities of NCCL, MPI, GLOO, CCL or DDL) begin
 * before the first of these transfers has ended were fused into one response.
 * Its size is the sum of its tensors, its time from the first start to the last
 * end of a transfer. The number of ranks follows from the ticks of the
 * negotiation, which are named by rank. Internal to extract/.
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

struct horovod_timeline;

/* Create a reader. */
struct horovod_timeline *horovod_timeline_new(void);

/* Free a reader; t may be NULL. */
void horovod_timeline_free(struct horovod_timeline *t);

/* Read a line; lines without an event are skipped. Adds complete responses to
 * the log (log_collectives_add), with the kind "response".
 *
 * text  [len]
 * line  line number */
void horovod_timeline_line(struct horovod_timeline *t, struct log *log,
    const char *text, size_t len, int64_t line);

/* End the log: compute values that depend on the number of ranks, and free the
 * events. */
void horovod_timeline_end(struct horovod_timeline *t, struct log *log);

#endif
