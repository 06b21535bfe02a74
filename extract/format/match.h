/* One match of a pattern in a line: which pattern, where, and what its groups
 * caught.  Matches are made by the matcher and replayed by line templates; who
 * consumes them need not know which.  Internal to extract/.
 */
#ifndef EXTRACT_FORMAT_MATCH_H
#define EXTRACT_FORMAT_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format/patterns/pattern.h"

/* One match in a line.  All pointers are only good inside the consumer. */
struct match {
	const struct pattern *pattern;
	const char *text; /* [len] what the offsets count from: the line, or
	                     for formats with ^ what follows the prefix */
	size_t len;
	const size_t *ov;      /* PCRE2 offset pairs, by group */
	uint32_t n_ov;         /* pairs that are there */
	size_t base;           /* offset of text in the line */
	int32_t rank;          /* by a prefix, or SAMPLE_NONE */
	const char *rank_text; /* [rank_len] its digits, in the line; NULL
	                          without rank */
	size_t rank_len;
	const char *worker; /* [worker_len] by a prefix, or NULL */
	size_t worker_len;
	int64_t step; /* of a detail: number of the step match on this line,
	                from 0, that it stands after; -1: none */
};

/* The rank in 1 to 9 digits. */
static inline int32_t
match_rank(const char *digits, size_t len)
{
	int32_t x = 0;

	for (size_t i = 0; i < len; i++)
		x = x * 10 + (digits[i] - '0');
	return x;
}

/* Called for each match in turn, with the caller's own argument. */
typedef void match_consumer(void *arg, const struct match *match);

/* What a capture caught, or NULL if its group took no part. */
static inline const char *
match_text(const struct match *match, const struct capture *c, size_t *len)
{
	size_t from, to;

	if (c->group >= match->n_ov)
		return NULL;
	from = match->ov[2 * c->group];
	to = match->ov[2 * c->group + 1];
	/* PCRE2_UNSET is the greatest number; \K can put from after to. */
	if (from > to || to > match->len)
		return NULL;
	*len = to - from;
	return match->text + from;
}

#endif
