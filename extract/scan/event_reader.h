/* Readers of logs that are streams of events, such as Horovod's timeline, where
 * a line has no meaning by itself. A format names its reader (struct format:
 * events); a new kind is a row in event_reader.c. Internal to extract/.
 *
 *	struct event_reader *r = event_reader_new(format->events);
 *	event_reader_line(r, log, text, len, 7);      (each line)
 *	event_reader_end(r, log);
 *	event_reader_free(r);
 */
#ifndef EXTRACT_SCAN_EVENT_READER_H
#define EXTRACT_SCAN_EVENT_READER_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format/format.h"
#include "extract/log/log.h"

struct event_reader;

/* A new reader, to be freed; NULL for EVENTS_NONE. */
struct event_reader *event_reader_new(enum format_events kind);

/* Free it; r may be NULL. */
void event_reader_free(struct event_reader *r);

/* Read a line, and add completed events to the log. r may be NULL.
 *
 * text  [len]
 * line  its number */
void event_reader_line(struct event_reader *r, struct log *log,
    const char *text, size_t len, int64_t line);

/* End the log: add what depends on all lines. r may be NULL. */
void event_reader_end(struct event_reader *r, struct log *log);

#endif
