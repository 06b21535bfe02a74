/* Collectives out of Horovod's timeline: an array of trace events, one a line.
 * Tensors are its "processes" (pid); on each, events nest:
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

/* A reader without events. */
struct horovod_timeline *horovod_timeline_new(void);

/* Free it; t may be NULL. */
void horovod_timeline_free(struct horovod_timeline *t);

/* Take a line; what is no event is passed over.  Responses that are complete
 * are added to the log (log_collectives_add), of the kind "response".
 *
 * text  [len]
 * line  its number */
void horovod_timeline_line(struct horovod_timeline *t, struct log *log,
    const char *text, size_t len, int64_t line);

/* No more lines: reckon what needs the number of ranks, forget the events. */
void horovod_timeline_end(struct horovod_timeline *t, struct log *log);

#endif
