/* Tests formats with their own sample lines, which must give the expected
 * values. Users' files are tested when they are loaded; extract_logs
 * --check-formats tests all files. Internal to extract/.
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
 * Returns 0, or -1 with the first error and its place in e, as in
 * format_set_load. */
int format_self_test(
    const struct format_set *set, const struct format *f, struct error *e);

/* Run the samples of all files that are not built in.
 *
 * set, layouts  either may be NULL */
int format_self_test_users(const struct format_set *set,
    const struct path_layout_set *layouts, struct error *e);

#endif
