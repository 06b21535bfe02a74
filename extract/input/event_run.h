/* Event files of one folder that belong to one run: a trainer that resumes from
 * a checkpoint writes another file next to the first (TensorBoard also treats
 * all event files of a folder as one run). They are listed as one log,
 * FOLDER/events.out.tfevents.*, with the lines of all files in order of time.
 *
 *	{"wall_time":1700000000.250000,"step":20,"event_file":2,"loss":2.5}
 *
 * Other files in the same folder remain separate logs: a file that begins at
 * the same step as the first is a new run, and one that begins before the
 * previous file ends was written at the same time.
 */
#ifndef EXTRACT_INPUT_EVENT_RUN_H
#define EXTRACT_INPUT_EVENT_RUN_H

#include <stddef.h>

#include "common/error.h"
#include "common/strbuf.h"

/* Name of the combined log. */
#define EVENT_RUN_NAME "events.out.tfevents.*"

/* True if the name is that of an event file. */
int event_run_has(const char *name);

/* True if the event files among a folder's entries form one run. Reads them if
 * there are several.
 *
 * path   of the folder
 * names  [n] sorted */
int event_run_is(const char *path, char *const *names, size_t n);

/* True if path ends with EVENT_RUN_NAME and the event files of its folder form
 * one run. */
int event_run_is_at(const char *path);

/* Append the lines of all files to out.
 *
 * path  as above
 * cut   set to 1 if a file ends early or is damaged
 *
 * Returns 0; -1 with a message without the path: a file cannot be read, or out
 * is full. */
int event_run_read(
    const char *path, struct strbuf *out, int *cut, struct error *e);

#endif
