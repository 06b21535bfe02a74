/* One match of a pattern in a line: the pattern, its position, and the captured
 * groups.  The matcher makes matches and line templates replay them; consumers
 * see no difference.  Internal to extract/.
 */
#ifndef EXTRACT_FORMAT_MATCH_H
#define EXTRACT_FORMAT_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format/patterns/pattern.h"

struct captured;

/* A match in a line.  All pointers are valid only inside the consumer. */
struct match {
	const struct pattern *pattern;
	const char *text; /* [len] base of the offsets: the line, or for formats
	                     with ^ the line after the prefix */
	size_t len;
	const size_t *ov;      /* PCRE2 offset pairs, by group */
	uint32_t n_ov;         /* number of pairs */
	size_t base;           /* offset of text in the line */
	int32_t rank;          /* from a prefix, or SAMPLE_NONE */
	const char *rank_text; /* [rank_len] digits of the rank in the line;
	                          NULL: no rank */
	size_t rank_len;
	const char *worker; /* [worker_len] from a prefix, or NULL */
	size_t worker_len;
	const struct captured *captured; /* [n_captured] from a line
	                                    template, or NULL; see
	                                    sample_from_match.h */
	size_t n_captured;
	int64_t step; /* details: number of the preceding step match on this
	                 line, from 0; -1: none */
};

/* Convert a rank of 1 to 9 digits. */
static inline int32_t
match_rank(const char *digits, size_t len)
{
	int32_t x = 0;

	for (size_t i = 0; i < len; i++)
		x = x * 10 + (digits[i] - '0');
	return x;
}

/* Called for each match in turn, with the caller's argument. */
typedef void match_consumer(void *arg, const struct match *match);

/* Text of a capture, or NULL if its group did not match. */
static inline const char *
match_text(const struct match *match, const struct capture *c, size_t *len)
{
	size_t from, to;

	if (c->group >= match->n_ov)
		return NULL;
	from = match->ov[2 * c->group];
	to = match->ov[2 * c->group + 1];
	/* PCRE2_UNSET is the largest size_t; with \K from may exceed to. */
	if (from > to || to > match->len)
		return NULL;
	*len = to - from;
	return match->text + from;
}

#endif
