/* Formats are tested by their own sample lines: what the scanner makes of a
 * sample must be what the file expects of it.  Users' files are tested each
 * time they are loaded, all by extract_logs --check-formats.  Internal to
 * extract/.
 */
#ifndef EXTRACT_SCAN_FORMAT_SELF_TEST_H
#define EXTRACT_SCAN_FORMAT_SELF_TEST_H

#include "common/error.h"
#include "extract/format/format.h"
#include "extract/format/path_layout.h"

/* Run the samples of one format, prefix, metadata file or layout.
 *
 * set  gives the launcher prefixes; may be NULL
 *
 * Returns 0, or -1 with the first mistake in e, placed as by
 * format_set_load. */
int format_self_test(
    const struct format_set *set, const struct format *f, struct error *e);

/* The same for all files that are not built in.
 *
 * set, layouts  either may be NULL */
int format_self_test_users(const struct format_set *set,
    const struct path_layout_set *layouts, struct error *e);

#endif
