/* Matches patterns against lines for the scanner, the detection, the sample
 * checks and --explain, so that all agree.  Internal to extract/.
 *
 * A matcher holds PCRE2's working memory; each thread needs its own.
 */
#ifndef EXTRACT_FORMAT_MATCHER_H
#define EXTRACT_FORMAT_MATCHER_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format/format.h"

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
	                                    scanner_state.h */
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

struct matcher;

/* Create a matcher for formats and the prefixes of set (NULL: no prefixes). */
struct matcher *matcher_new(const struct format_set *set);
void matcher_free(struct matcher *m);

/* Start a new log: forget the header rows of tables. */
void matcher_new_log(struct matcher *m);

/* Set a common limit of the bytes that patterns may read in the following lines
 * (see struct work_meter), in addition to the limit of each line.
 *
 * work  counted down; borrowed.  NULL: no common limit
 * each  limit of a line: each * its bytes + FORMAT_FREE_WORK, for lines of
 *       FORMAT_METERED bytes or more; FORMAT_LINE_WORK if there is no common
 *       limit */
void matcher_share_work(struct matcher *m, int64_t *work, int each);

/* Match the patterns of f in one line.
 *
 * roles  set of FIELD_NAME_IN(role) to look for.  Step matches come first, any
 *        number per line; omit ROLE_STEP if the line is known to have none.  A
 *        step match that overlaps a match of an ignore pattern is replaced by
 *        that match.  Details, if requested, follow the steps of their line.
 *        The other patterns are tried only on lines without step and ignore
 *        matches.
 * line   [len] without the line end
 * consume   called for each match in turn with arg
 *
 * Returns the number of matches. */
size_t matcher_line(struct matcher *m, const struct format *f, unsigned roles,
    const char *line, size_t len, match_consumer *consume, void *arg);

/* Match one pattern in a text, from an offset on.
 *
 * match  filled on success, with base, rank and step cleared
 *
 * Returns 1 if it matches, else 0. */
int matcher_one(struct matcher *m, const struct pattern *p, const char *text,
    size_t len, size_t from, struct match *match);

/* Number of times a pattern has reached a limit.  The counter lives as long as
 * the matcher. */
const int64_t *matcher_limits(const struct matcher *m);

/* Name of the prefix pattern that gave the last line's rank, or NULL. */
const char *matcher_prefix_name(const struct matcher *m);

/* True if the value of a step or summary is followed by a different unit than
 * the pattern's: "Throughput: 4.3 requests/s" is not a rate of samples, and
 * "0.4 ms" is not 0.4 s.  Unknown units contradict nothing. */
int printed_unit_contradicts(const struct match *match);

/* Why a line did not match: the longest partial match of a pattern. */
struct nearest_pattern {
	const struct format *format;
	const struct pattern *pattern; /* NULL: no partial match */
	size_t start;                  /* start of the attempt */
	size_t end;                    /* end of the matched part */
	const char *rest;              /* rest of the pattern after the matched
	                                  part, in pattern->text */
};

enum { NEAREST_PATTERN_MIN = 4 }; /* fewer matching bytes are chance */

/* Find the pattern of n formats with one of these roles (FIELD_NAME_IN) that
 * matches the longest part of the line before it fails.  Slow, and for one
 * thread only; for messages.  Returns 1; 0 if none matches NEAREST_PATTERN_MIN
 * bytes. */
int nearest_pattern_find(const struct format *const *formats, size_t n,
    unsigned roles, const char *line, size_t len, struct nearest_pattern *out);

/* --- Search of a text for the literals of many patterns at once -----------*/

struct literal_index;

/* Create and free an index of the patterns of n formats, which are borrowed. */
struct literal_index *literal_index_new(
    struct format *const *formats, size_t n);
void literal_index_free(struct literal_index *x);

/* Called with each pattern and the number of its format. */
typedef void literal_consumer(
    void *arg, size_t format, const struct pattern *p);

/* Find the patterns that may match a text [len], or a text that differs from it
 * in digits only: those whose literals and other required bytes occur in it.  A
 * pattern may be reported more than once. */
void literal_index_find(const struct literal_index *x, const char *text,
    size_t len, literal_consumer *consume, void *arg);

#endif
