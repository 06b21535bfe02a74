/* Finds the format of a file from its head or, if that shows little, from later
 * pieces. Internal to extract/. */
#ifndef EXTRACT_SCAN_DETECT_FILE_H
#define EXTRACT_SCAN_DETECT_FILE_H

#include "common/error.h"
#include "extract/scan/detect/detect.h"
#include "extract/input/byte_source.h"

/* Detect the format of an open file, and leave the reader at its start.
 *
 * head  out: result for the head
 * best  out: result for the piece with the most evidence
 *
 * Returns 0, or -1 if the file cannot be read. */
int detect_file(struct detector *d, struct byte_source *r,
    struct detection *head, struct detection *best, struct error *e);

#endif
