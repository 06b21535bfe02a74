/* How much work PCRE2 does in a line, counted in bytes that it goes over, so
 * that a line cannot take the square of its length or more.  PCRE2's own limit
 * counts from one start only, and its machine code counts few of the steps.
 *
 * A metered pattern is the pattern with a callout before each part that may go
 * on over any number of bytes.  A part that was entered and did not end in the
 * match went, at most, over the run of bytes that fit it: so much is counted.
 * So is one of a lookahead, whether that fitted or not.
 * Internal to extract/.
 */
#ifndef EXTRACT_FORMAT_PATTERNS_WORK_METER_H
#define EXTRACT_FORMAT_PATTERNS_WORK_METER_H

#include <stddef.h>
#include <stdint.h>

enum {
	METER_MAX_PARTS = 255, /* as many as callouts have numbers */
	METER_LONG = 32,       /* {n,m} from here on is any number of bytes */
	METER_ENTRY = 8        /* what it costs to enter a part, in bytes */
};

/* A part of a pattern that may go on. */
struct metered_part {
	uint64_t fits[4]; /* a bit for each byte that it takes */
	int any;          /* 1: all of them */
	size_t most;      /* so many at once; SIZE_MAX: any number */
	int group;        /* 1: a group, whose inside counts for itself */
};

struct metered_pattern {
	void *code; /* pcre2_code *; shared read-only */
	int fast;   /* 1: it is machine code */
	struct metered_part parts[METER_MAX_PARTS];
	size_t looks[METER_MAX_PARTS]; /* the lookahead that a part is in, from
	                                  1; 0: none */
	size_t n_parts;
};

/* Make the metered form of a regular expression that PCRE2 has taken; the
 * caller frees it.
 *
 * fast  1: as machine code
 *
 * Returns NULL where no part of it may go on, or it holds what this does not
 * understand (conditions, recursion, \Q, comments, more parts than
 * METER_MAX_PARTS). */
struct metered_pattern *metered_pattern_new(const char *regex, int fast);

/* Free it; NULL is allowed. */
void metered_pattern_free(struct metered_pattern *p);

struct work_meter {
	int64_t left; /* bytes that may still be gone over */
	const struct metered_pattern *of; /* that is matched now, or NULL */
	/* Parts that were entered from the last start on, and where. */
	struct {
		size_t part, at;
	} entered[METER_MAX_PARTS];
	size_t n_entered;
};

/* A match of p begins. */
void work_meter_begin(struct work_meter *w, const struct metered_pattern *p);

/* A callout of that match, of PCRE2's type; w is a struct work_meter.  One of
 * another match, whose pattern has callouts of itself, is not counted.  Returns
 * PCRE2_ERROR_CALLOUT when nothing is left. */
int work_meter_count(void *block, void *w);

/* It ended.
 *
 * text  [len] that PCRE2 saw
 * end   of the match; SIZE_MAX: there is none */
void work_meter_end(
    struct work_meter *w, const char *text, size_t len, size_t end);

#endif
