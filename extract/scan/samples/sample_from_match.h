/* Captures to numbers: the one place where the text of a log becomes a sample,
 * a summary's value or any other number.  Internal to extract/.
 */
#ifndef EXTRACT_SCAN_SAMPLES_SAMPLE_FROM_MATCH_H
#define EXTRACT_SCAN_SAMPLES_SAMPLE_FROM_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format/match.h"
#include "extract/log/log.h"

/* The number that a capture caught, in the unit of its word; NAN for "nan" and
 * the like.  Returns 0; -1 if there is none. */
int match_number(
    const struct match *match, const struct capture *c, double *out);

/* A stamp's day is the same for many lines: keep the last one. */
struct stamp_cache {
	char day[16];
	size_t day_len;
	double day_s;
};

/* Make a sample out of a step match in that line of the file.
 *
 * units  out: how finely the line prints what is differenced
 *
 * Returns 0; -1 if a number in it cannot be read or is nan: s is then not to be
 * used. */
int sample_from_match(struct sample *s, struct log_units *units, int64_t line,
    const struct meaning *meaning, const struct match *match,
    struct stamp_cache *cache);

/* The value of a summary match in the unit of its word.  Returns 0 or -1. */
int summary_from_match(
    double *value, const struct capture **c, const struct match *match);

#endif
