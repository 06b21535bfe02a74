/* Traces of profilers (Chrome's trace events in a JSON object with
 * "traceEvents", as PyTorch's profiler writes them) as lines of JSON about
 * steps (profile_steps.h).  Memory is bounded whatever the file's size: events
 * are read one by one, and only times are kept.
 */
#ifndef EXTRACT_INPUT_PROFILES_PROFILE_FILE_H
#define EXTRACT_INPUT_PROFILES_PROFILE_FILE_H

#include "extract/input/encoding/records.h"
#include "extract/input/profiles/profile_steps.h"

enum {
	PROFILE_MAX_EVENT = 1 << 20 /* bytes; longer ones (stacks, snapshots of
	                               memory) are no kernels, and skipped */
};

/* True if data begins such a trace: an object whose member "traceEvents" starts
 * in it. */
int profile_file_is(const char *data, size_t len);

/* Read all of a trace: the function of struct store, without a state. */
int profile_file_next(
    void *state, struct store_input *in, struct strbuf *lines, struct error *e);

/* Read one event.
 *
 * text  [len] the object, braces included
 *
 * Returns 0; -1 where it is no object.  Events without a duration are
 * PROFILE_OTHER. */
int profile_event_read(const char *text, size_t len, struct profile_event *e);

#endif
