/* How much work PCRE2 does in a line, counted in bytes that it goes over, so
 * that a line cannot take the square of its length or more.  PCRE2's own limit
 * counts from one start only, and its machine code counts few of the steps.
 *
 * A metered pattern is the pattern with a callout after each part that may go
 * on over any number of bytes.  The callouts of a match see how far it went
 * since the last one.  Internal to extract/.
 */
#ifndef EXTRACT_FORMAT_PATTERNS_WORK_METER_H
#define EXTRACT_FORMAT_PATTERNS_WORK_METER_H

#include <stddef.h>
#include <stdint.h>

enum { METER_CALL = 1 /* what a callout costs, in bytes */ };

struct metered_pattern {
	void *code; /* pcre2_code *; shared read-only */
	int fast;   /* 1: it is machine code */
};

/* Make the metered form of a regular expression that PCRE2 has taken; the
 * caller frees it.
 *
 * Returns NULL where no part of it may go on, or it holds what this does not
 * understand (\Q, comments). */
struct metered_pattern *metered_pattern_new(const char *regex);

/* Free it; NULL is allowed. */
void metered_pattern_free(struct metered_pattern *p);

struct work_meter {
	int64_t left;       /* bytes that may still be gone over */
	int counts;         /* 1: a metered pattern is matched now */
	size_t start, last; /* where the current attempt began, and how far it
	                       was at the last callout */
};

/* A callout of PCRE2's type; w is a struct work_meter.  Returns
 * PCRE2_ERROR_CALLOUT when nothing is left. */
int work_meter_count(void *block, void *w);

#endif
