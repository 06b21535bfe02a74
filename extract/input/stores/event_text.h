/* One record of a TensorBoard event file as a line of JSON, so that formats
 * read it as they read any other JSON log:
 *
 *	{"wall_time":1700000000.25,"step":20,"perf/step_time":0.31}
 *
 * Scalars are numbers, text summaries strings; images, histograms, graphs and
 * the like are not read.  A session that starts states
 * {"...","session":"start"}.
 */
#ifndef EXTRACT_INPUT_STORES_EVENT_TEXT_H
#define EXTRACT_INPUT_STORES_EVENT_TEXT_H

#include <stddef.h>

#include "common/strbuf.h"

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

#endif
