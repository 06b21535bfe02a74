/* A small file all of whose lines are of kinds that files before it had, as the
 * logs of one tree are: each line is looked at once, where scan_file.c and
 * detect_file.c look at it three times.  The outcome is the same.  Internal to
 * extract/.
 */
#ifndef EXTRACT_SCAN_KNOWN_FILE_H
#define EXTRACT_SCAN_KNOWN_FILE_H

#include "extract/scan/scanner_state.h"

/* Read all of s->reader's file, at whose start it is, into s->now.log: what
 * scanner_find_format, scanner_set_format, scanner_consume and tail_values.h
 * do.  s->now.format is the file's then.
 *
 * Returns 1; 0 if it is not such a file, and nothing is done. */
int known_file_read(struct scanner *s);

#endif
