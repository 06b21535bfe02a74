/* Limits PCRE2's work per line, counted in bytes read, to avoid quadratic time.
 * PCRE2's own limit counts per start only, and its machine code counts few
 * steps.
 *
 * A metered pattern is the pattern with a callout after each part that can
 * match any number of bytes.  The callouts measure the progress of a match
 * since the last one.  Internal to extract/.
 */
#ifndef EXTRACT_FORMAT_PATTERNS_WORK_METER_H
#define EXTRACT_FORMAT_PATTERNS_WORK_METER_H

#include <stddef.h>
#include <stdint.h>

enum { METER_CALL = 1 /* cost of a callout, in bytes */ };

struct metered_pattern {
	void *code; /* pcre2_code *; shared read-only */
	int fast;   /* 1: machine code */
};

/* Make the metered form of a regular expression that PCRE2 accepts; the caller
 * frees it.
 *
 * Returns NULL if no part can match any number of bytes, or if the expression
 * is not understood (\Q, comments). */
struct metered_pattern *metered_pattern_new(const char *regex);

/* Free it; NULL is allowed. */
void metered_pattern_free(struct metered_pattern *p);

struct work_meter {
	int64_t left;       /* bytes that may still be read */
	int counts;         /* 1: a metered pattern is being matched */
	size_t start, last; /* start of the current attempt; position at the
	                       last callout */
};

/* Callout function for PCRE2; w is a struct work_meter.  Returns
 * PCRE2_ERROR_CALLOUT when the limit is reached. */
int work_meter_count(void *block, void *w);

#endif
