/* Search a text for the literals of many patterns at once.  Internal to
 * extract/.
 *
 *	struct literal_index *x = literal_index_new(formats, n);
 *	literal_index_find(x, line, len, note_pattern, arg);
 *	literal_index_free(x);
 */
#ifndef EXTRACT_FORMAT_LITERAL_INDEX_H
#define EXTRACT_FORMAT_LITERAL_INDEX_H

#include <stddef.h>

#include "extract/format/format.h"

struct literal_index;

/* Create and free an index of the patterns of n formats, which are borrowed. */
struct literal_index *literal_index_new(
    struct format *const *formats, size_t n);
void literal_index_free(struct literal_index *x);

/* Called with each pattern and the number of its format. */
typedef void literal_consumer(
    void *arg, size_t format, const struct pattern *p);

/* Find the patterns that may match a text [len], or a text that differs from it
 * in digits only: those whose literals and other required bytes occur in it.  A
 * pattern may be reported more than once. */
void literal_index_find(const struct literal_index *x, const char *text,
    size_t len, literal_consumer *consume, void *arg);

#endif
