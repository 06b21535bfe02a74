/* Which format is a file in?  Its head shows it mostly; where that shows
 * little, pieces after it.  Internal to extract/. */
#ifndef EXTRACT_SCAN_DETECT_FILE_H
#define EXTRACT_SCAN_DETECT_FILE_H

#include "common/error.h"
#include "extract/scan/detect/detect.h"
#include "extract/input/byte_source.h"

/* Look at an open file, at its start, and leave the reader there.
 *
 * head  out: what the head shows
 * best  out: what the piece that shows most shows
 *
 * Returns 0; -1 where the file cannot be read. */
int detect_file(struct detector *d, struct byte_source *r,
    struct detection *head, struct detection *best, struct error *e);

#endif
