/* TensorBoard's event files (events.out.tfevents.*) as lines of JSON, made
 * while the bytes are read.
 *
 *	{"wall_time":1700000000.25,"step":20,"perf/step_time":0.31}
 *
 * Scalars are numbers, text summaries strings; images, histograms and graphs
 * are not read.  A session that starts states {"...","session":"start"}.
 *
 * A file is a sequence of frames (TFRecord): the length in 8 bytes, its masked
 * CRC-32C in 4, the data, the data's masked CRC-32C in 4, all little-endian.  A
 * frame whose data is damaged is skipped; after a damaged length nothing can be
 * found any more.  Both make the file one that is cut short.
 */
#ifndef EXTRACT_INPUT_STORES_EVENT_FILE_H
#define EXTRACT_INPUT_STORES_EVENT_FILE_H

#include <stddef.h>

#include "common/strbuf.h"
#include "extract/input/encoding/records.h"

enum {
	EVENT_MAX_TAG = 512,        /* bytes; values with longer tags are left
	                               out */
	EVENT_MAX_STRING = 64 << 10 /* bytes of a text, the rest is cut */
};

/* Add the line of one event, with its end; none where it states nothing about
 * the above.
 *
 * data  [len] the serialised message
 *
 * Returns 0; -1 where it is no message: nothing is added. */
int event_text(const void *data, size_t len, struct strbuf *out);

enum {
	EVENT_FILE_MAX_FRAME = 1 << 20 /* bytes; longer ones (images, graphs)
	                                  are checked, and hold no scalars */
};

/* True if data begins with a frame; 12 bytes suffice. */
int event_file_is(const char *data, size_t len);

/* As struct store states; free() closes it. */
void *event_file_open(void);
int event_file_next(
    void *state, struct store_input *in, struct strbuf *lines, struct error *e);

#endif
