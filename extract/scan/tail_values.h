/* What the last lines of a log print next to their steps: loss, accuracy,
 * memory, MFU.  The steps themselves are read everywhere, these at the end
 * only, so that they cost nothing on the way.  Internal to extract/.
 */
#ifndef EXTRACT_SCAN_TAIL_VALUES_H
#define EXTRACT_SCAN_TAIL_VALUES_H

#include "extract/scan/scanner_state.h"

enum { TAIL_VALUES_BYTES = 64 << 10 /* of the file's end */ };

/* Fill log->tail, when log->lines is known and s->now.format is the log's.
 *
 * fd    of a file that is stored as it is
 * size  its bytes that were read; those after are not looked at */
void tail_values_of_file(
    struct scanner *s, int fd, int64_t size, struct log *log);

/* The same of the lines [n] of a file, all of them, which are not longer than
 * that. */
void tail_values_of_known(struct scanner *s, const struct known_line *lines,
    size_t n, struct log *log);

/* The same of unpacked text [len] that ends where the log does. */
void tail_values_of_text(
    struct scanner *s, const char *text, size_t len, struct log *log);

#endif
