/* The unit that a line prints after a number, against the one that the pattern
 * takes it for: "Throughput: 4.3 requests/s" is no rate of samples, and
 * "0.4 ms" no 0.4 s.  Internal to extract/.
 */
#ifndef EXTRACT_FORMAT_PRINTED_UNIT_H
#define EXTRACT_FORMAT_PRINTED_UNIT_H

#include <stddef.h>

#include "extract/format/match.h"

/* What a unit counts; UNIT_OTHER: no unit, or none that is known. */
enum printed_unit {
	UNIT_OTHER,
	UNIT_SECONDS, /* also per iteration, per sample */
	UNIT_MILLISECONDS,
	UNIT_MICROSECONDS,
	UNIT_SAMPLES, /* per second: images, sequences, ... */
	UNIT_TOKENS,
	UNIT_ITERATIONS,
	UNIT_REQUESTS
};

/* The unit at the start of a text, after spaces and one bracket.
 *
 * text  [len] what stands after a number */
enum printed_unit printed_unit_read(const char *text, size_t len);

/* Does a line contradict its pattern: is the value of a step or a summary
 * followed by another unit than the pattern takes it for?  Units that are not
 * known contradict nothing. */
int printed_unit_contradicts(const struct match *match);

#endif
