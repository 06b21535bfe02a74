/* Convert profiler traces (Chrome trace events in a JSON object with
 * "traceEvents", as written by PyTorch's profiler) to JSON lines about steps
 * (profile_steps.h). Memory is bounded for files of any size: events are read
 * one by one and only times are kept.
 */
#ifndef EXTRACT_INPUT_PROFILES_PROFILE_FILE_H
#define EXTRACT_INPUT_PROFILES_PROFILE_FILE_H

#include "extract/input/encoding/records.h"
#include "extract/input/profiles/profile_steps.h"

enum {
	PROFILE_MAX_EVENT = 1 << 20 /* bytes; longer events (stacks, memory
	                               snapshots) are not kernels and skipped */
};

/* True if data begins with such a trace: an object with the start of its member
 * "traceEvents". */
int profile_file_is(const char *data, size_t len);

/* Read a whole trace. Implements store.next without a state. */
int profile_file_next(
    void *state, struct store_input *in, struct strbuf *lines, struct error *e);

/* Read one event.
 *
 * text  [len] the object including braces
 *
 * Returns 0; -1 if it is not an object. Events without a duration are
 * PROFILE_OTHER. */
int profile_event_read(const char *text, size_t len, struct profile_event *e);

#endif
