/* TensorBoard's event files (events.out.tfevents.*) as lines of JSON, made
 * while the bytes are read as if they were unpacked: a row of the
 * decompressors.
 *
 * A file is a sequence of frames (TFRecord): the length in 8 bytes, its
 * masked CRC-32C in 4, the data, the data's masked CRC-32C in 4, all
 * little-endian.  A frame whose data is damaged is skipped; after a damaged
 * length nothing can be found any more.  Both make the file one that is cut
 * short, which is reported of its run.  Internal to extract/.
 */
#ifndef EXTRACT_INPUT_STORES_EVENT_FILE_H
#define EXTRACT_INPUT_STORES_EVENT_FILE_H

#include "extract/input/encoding/records.h"

enum {
	EVENT_FILE_MAX_FRAME = 1 << 20 /* bytes; longer ones (images, graphs)
	                                  are checked, and hold no scalars */
};

/* Does data begin with a frame?  12 bytes are enough to know. */
int event_file_is(const char *data, size_t len);

/* As struct decompressor states.  Its stream is complete after each frame. */
void *event_file_open(void);
enum decompress_outcome event_file_run(
    void *state, const char **in, size_t *in_len, char **out, size_t *out_len);
void event_file_close(void *state);

#endif
