/* --explain-paths: what the names of logs show, before any log is read. */
#ifndef EXTRACT_EXPLAIN_PATHS_H
#define EXTRACT_EXPLAIN_PATHS_H

#include <stdio.h>

#include "extract/job/extraction.h"

/* A row for each file of x, which extraction_find has found: what --map and its
 * name report it, and who states so. */
void explain_paths(const struct extraction *x, FILE *out);

#endif
