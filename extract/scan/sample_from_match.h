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

enum { N_PATTERN_FIELDS = FIELD_LABEL + 1 };

/* Read the numbers of a match by field; NAN if not stated or not a number. */
void match_numbers(const struct match *match, double out[N_PATTERN_FIELDS]);

/* A capture of a match. All lines of a template have the same. */
struct captured {
	const struct capture *capture;
	uint32_t from, len; /* in match.text */
	int decimals; /* of at most 15 digits with at most one point inside; -1:
	                 of any other text */
};

/* Find the captures whose groups matched. Returns their number. */
size_t captured_find(
    const struct match *match, struct captured out[FORMAT_MAX_GROUPS]);

/* The same, from the match's template if it has one. */
size_t captured_list(const struct match *match,
    struct captured found[FORMAT_MAX_GROUPS], const struct captured **list);

/* Read its number like match_number. */
int captured_number(
    const struct match *match, const struct captured *k, double *out);

/* Make a sample from a step match.
 *
 * units  out: resolution of the line's numbers
 *
 * Returns 0; -1 with s undefined if a number is malformed or nan. */
int sample_from_match(struct sample *s, struct log_units *units, int64_t line,
    const struct meaning *meaning, const struct match *match);

#endif
