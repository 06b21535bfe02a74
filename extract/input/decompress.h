/* Unpackers of .gz, .zst, .xz, of event files and profiles: the list of them.
 * Those that this build lacks have no functions.
 */
#ifndef EXTRACT_INPUT_DECOMPRESS_H
#define EXTRACT_INPUT_DECOMPRESS_H

#include "extract/input/encoding/records.h"

/* The codec of which a stream begins data, or NULL. */
const struct decompressor *decompress_find(const char *data, size_t len);

/* The same of what is not packed but made into lines, and may be packed itself:
 * event files, W&B's logs, profiles, whose beginning may be as long as
 * BYTE_SOURCE_CHUNK. */
const struct decompressor *decompress_find_events(const char *data, size_t len);

#endif
