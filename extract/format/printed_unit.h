/* The unit printed after a number, compared with the unit of its pattern:
 * "Throughput: 4.3 requests/s" is not a rate of samples, and "0.4 ms" is not
 * 0.4 s.  Internal to extract/.
 */
#ifndef EXTRACT_FORMAT_PRINTED_UNIT_H
#define EXTRACT_FORMAT_PRINTED_UNIT_H

#include <stddef.h>

#include "extract/format/match.h"

/* Units of printed values; UNIT_OTHER: none, or unknown. */
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

/* Read the unit at the start of a text, after spaces and one bracket.
 *
 * text  [len] text after a number */
enum printed_unit printed_unit_read(const char *text, size_t len);

/* True if the value of a step or summary is followed by a different unit than
 * the pattern's.  Unknown units contradict nothing. */
int printed_unit_contradicts(const struct match *match);

#endif
