/* Event files of one folder that are one run: a trainer that is started again
 * from a checkpoint writes another file next to the first (TensorBoard itself
 * takes all event files of a folder for one run).  They are listed as one log,
 * FOLDER/events.out.tfevents.*, whose lines are those of all its files in the
 * order of their times.
 *
 *	{"wall_time":1700000000.250000,"step":20,"event_file":2,"loss":2.5}
 *
 * Files that only lie next to each other stay logs of their own: where a later
 * one begins at the same step as the first, it is a run from the start; where
 * it begins before the one before has ended, both were written at once.
 */
#ifndef EXTRACT_INPUT_EVENT_RUN_H
#define EXTRACT_INPUT_EVENT_RUN_H

#include <stddef.h>

#include "common/error.h"
#include "common/strbuf.h"

/* The name of the log of all of them. */
#define EVENT_RUN_NAME "events.out.tfevents.*"

/* True if the name is that of an event file. */
int event_run_has(const char *name);

/* True if the event files among a folder's entries are one run.  Reads them if
 * there are several.
 *
 * path   of the folder
 * names  [n] sorted */
int event_run_is(const char *path, char *const *names, size_t n);

/* True if path ends with EVENT_RUN_NAME and the event files of its folder are
 * one run. */
int event_run_is_at(const char *path);

/* Add the lines of all files to out.
 *
 * path  as above
 * cut   set to 1 where one of them ends early or is damaged
 *
 * Returns 0; -1 with a message without the path: a file cannot be read, or
 * there is no room left in out. */
int event_run_read(
    const char *path, struct strbuf *out, int *cut, struct error *e);

#endif
