/* Reads collectives from Horovod's timeline, an array of trace events with one
 * per line. Tensors are its "processes" (pid); on each, events nest:
 *
 *	B ALLREDUCE, B NCCL_ALLREDUCE, E, ..., E with dtype and shape
 *
 * Tensors whose transfer (an activity of NCCL, MPI, GLOO, CCL or DDL) begins
 * before that of the first of them has ended were fused: they are one response.
 * Its size is that of all of its tensors, its time from the first such begin to
 * the last such end.  The number of ranks follows from the ticks of the
 * negotiation, which are named after them.  Internal to extract/.
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

/* A new reader. */
struct horovod_timeline *horovod_timeline_new(void);

/* Free it; t may be NULL. */
void horovod_timeline_free(struct horovod_timeline *t);

/* Read a line; lines without an event are skipped. Adds complete responses to
 * the log (log_collectives_add), with the kind "response".
 *
 * text  [len]
 * line  its number */
void horovod_timeline_line(struct horovod_timeline *t, struct log *log,
    const char *text, size_t len, int64_t line);

/* End the log: compute what depends on the number of ranks, and free the
 * events. */
void horovod_timeline_end(struct horovod_timeline *t, struct log *log);

#endif
