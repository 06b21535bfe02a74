/* Convert TensorBoard event files (events.out.tfevents.*) to JSON lines while
 * reading them.
 *
 *	{"wall_time":1700000000.25,"step":20,"perf/step_time":0.31}
 *
 * Scalars become numbers, text summaries strings; images, histograms and graphs
 * are not read. The start of a session is written as {"...","session":"start"}.
 *
 * A file is a sequence of frames (TFRecord): the length in 8 bytes, its masked
 * CRC-32C in 4, the data, the data's masked CRC-32C in 4, all little-endian. A
 * frame with damaged data is skipped; after a damaged length the rest of the
 * file is unreadable. In both cases the file counts as truncated.
 */
#ifndef EXTRACT_INPUT_STORES_EVENT_FILE_H
#define EXTRACT_INPUT_STORES_EVENT_FILE_H

#include <stddef.h>

#include "common/strbuf.h"
#include "extract/input/encoding/records.h"

enum {
	EVENT_MAX_TAG = 512,        /* bytes; values with longer tags are
	                               skipped */
	EVENT_MAX_STRING = 64 << 10 /* bytes of a text; the rest is cut */
};

/* Append the line of one event, with its line end; nothing if it has no values.
 *
 * data  [len] the serialised message
 *
 * Returns 0; -1 if it is not a message: nothing is appended. */
int event_text(const void *data, size_t len, struct strbuf *out);

enum {
	EVENT_FILE_MAX_FRAME = 1 << 20 /* bytes; longer frames (images, graphs)
	                                  have no scalars: only checked */
};

/* True if data begins with a frame; needs 12 bytes. */
int event_file_is(const char *data, size_t len);

/* Implement struct store; closed by free(). */
void *event_file_open(void);
int event_file_next(
    void *state, struct store_input *in, struct strbuf *lines, struct error *e);

#endif
