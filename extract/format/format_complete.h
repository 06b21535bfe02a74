/* Final pass over a format file: checks and derived members.  Internal to
 * extract/format. */
#ifndef EXTRACT_FORMAT_FORMAT_COMPLETE_H
#define EXTRACT_FORMAT_FORMAT_COMPLETE_H

#include "common/error.h"
#include "extract/format/format.h"

/* Check a parsed format for consistency and set the derived members: order of
 * the patterns, default meaning, patterns that the samples name.
 *
 * unit_line, window_line  lines of these keys; 0: not given
 *
 * Returns 0, or -1 with the position of the mistake. */
int format_complete(struct format *f, const struct format_source *src,
    long unit_line, long window_line, struct error *e);

#endif
