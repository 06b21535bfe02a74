/* Traces of profilers (a JSON object with "traceEvents", as PyTorch's profiler
 * writes them) as lines of JSON about steps (profile_steps.h): a row of the
 * decompressors, although the lines come when all events have been read.
 * Memory is bounded whatever the file's size: events are read one by one, and
 * only times are kept.
 */
#ifndef EXTRACT_INPUT_PROFILES_PROFILE_FILE_H
#define EXTRACT_INPUT_PROFILES_PROFILE_FILE_H

#include "extract/input/encoding/records.h"

enum {
	PROFILE_MAX_EVENT = 1 << 20 /* bytes; longer ones (stacks, snapshots of
	                               memory) are no kernels, and skipped */
};

/* True if data begins such a trace: an object whose member "traceEvents" starts
 * in it. */
int profile_file_is(const char *data, size_t len);

/* As struct decompressor states. */
void *profile_file_open(void);
enum decompress_outcome profile_file_run(
    void *state, const char **in, size_t *in_len, char **out, size_t *out_len);
const char *profile_file_problem(void *state, int cut_short);
void profile_file_close(void *state);

#endif
