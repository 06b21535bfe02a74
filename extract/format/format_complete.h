/* What follows from the lines of a format file, once all are read.  Inside of
 * extract/format; the parser calls it. */
#ifndef EXTRACT_FORMAT_FORMAT_COMPLETE_H
#define EXTRACT_FORMAT_FORMAT_COMPLETE_H

#include "common/error.h"
#include "extract/format/format.h"

/* Check a format that was read against itself and fill what follows from the
 * rest: order of the patterns, defaults of its meaning, who is shown by which
 * sample.
 *
 * unit_line, window_line  where these keys were given, 0: not given
 *
 * Returns 0, or -1 with the place of the mistake. */
int format_complete(struct format *f, const struct format_source *src,
    long unit_line, long window_line, struct error *e);

#endif
