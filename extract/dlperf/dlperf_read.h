/* What one of DLPerf's scripts reads from a file, by its row in the table; its
 * mistakes included.  A part of dlperf.c.
 */
#ifndef EXTRACT_DLPERF_DLPERF_READ_H
#define EXTRACT_DLPERF_DLPERF_READ_H

#include <stddef.h>

#include "extract/dlperf/dlperf_log.h"
#include "extract/dlperf/dlperf_script.h"

/* Read the text of a log as script does; its kind is READ_MEAN to READ_SINK.
 *
 * text    [len] all of the file and a NUL after it; written to
 * warmup  W
 * train   T
 *
 * Returns 0, or -1 where the script stops with an exception, which e names. */
int dlperf_read_as(const struct dlperf_script *script, char *text, size_t len,
    const struct dlperf_name *name, long warmup, long train,
    struct dlperf_reading *out, struct error *e);

#endif
