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
#include "extract/format/match.h"

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

#endif
