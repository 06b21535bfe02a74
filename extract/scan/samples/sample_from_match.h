/* Converts captures to samples, values of summaries and other numbers. Internal
 * to extract/.
 */
#ifndef EXTRACT_SCAN_SAMPLES_SAMPLE_FROM_MATCH_H
#define EXTRACT_SCAN_SAMPLES_SAMPLE_FROM_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format/matcher.h"
#include "extract/log/log.h"

/* Read the number of a capture in the unit of its field; NAN for "nan" and the
 * like. Returns 0, or -1 if it is not a number. */
int match_number(
    const struct match *match, const struct capture *c, double *out);

/* Cache of the last day parsed, because most lines have the same day. */
struct stamp_cache {
	char day[16];
	size_t day_len;
	double day_s;
};

/* Make a sample from a step match.
 *
 * units  out: resolution of the line's numbers
 *
 * Returns 0; -1 with s undefined if a number is malformed or nan. */
int sample_from_match(struct sample *s, struct log_units *units, int64_t line,
    const struct meaning *meaning, const struct match *match,
    struct stamp_cache *cache);

/* Read the value of a summary match in the unit of its field. Returns 0 or
 * -1. */
int summary_from_match(
    double *value, const struct capture **c, const struct match *match);

#endif
