/* The one place where patterns meet lines: the scanner, the detection, the
 * sample checks and --explain all ask here, so that they cannot disagree.
 * Internal to extract/.
 *
 * A matcher holds what PCRE2 needs for matching; give each thread its own.
 */
#ifndef EXTRACT_FORMAT_MATCHER_H
#define EXTRACT_FORMAT_MATCHER_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format/format.h"
#include "extract/format/match.h"

struct matcher;

/* For formats and prefixes of set (may be NULL: no prefixes). */
struct matcher *matcher_new(const struct format_set *set);
void matcher_free(struct matcher *m);

/* Another log begins: forget the header rows of tables. */
void matcher_new_log(struct matcher *m);

/* Let the lines that follow share what work their patterns may do, in bytes
 * that these go over (see work_meter.h), next to what each line may take.
 *
 * work  counted down; borrowed.  NULL: there is no such limit
 * each  of a line's bytes from FORMAT_METERED on: so many times may patterns
 *       go over them, next to FORMAT_FREE_WORK; FORMAT_LINE_WORK without such
 *       a limit */
void matcher_share_work(struct matcher *m, int64_t *work, int each);

/* Find what f's patterns state about one line.
 *
 * roles  set of FIELD_NAME_IN(role) to look for.  Step matches come first, each
 *        line any number of them (without ROLE_STEP the caller knows that it
 *        has none); a step match that an ignore pattern overlaps
 *        is given as a match of that ignore pattern instead.  With details
 *        asked for, those on the same line follow.  The other patterns are only
 *        asked about a line without a step or ignored match.
 * line   [len] without its end
 * consume   called for each match in turn with arg
 *
 * Returns how many matches there were. */
size_t matcher_line(struct matcher *m, const struct format *f, unsigned roles,
    const char *line, size_t len, match_consumer *consume, void *arg);

/* Ask one pattern about a text, from an offset on.
 *
 * match  filled on success, with base, rank and step cleared
 *
 * Returns 1 if it matches, 0 if not. */
int matcher_one(struct matcher *m, const struct pattern *p, const char *text,
    size_t len, size_t from, struct match *match);

/* How often a pattern gave up at a limit since the matcher was made;
 * the counter lives as long as the matcher. */
const int64_t *matcher_limits(const struct matcher *m);

/* Name of the prefix pattern that gave the rank of the last line; NULL if none
 * did. */
const char *matcher_prefix_name(const struct matcher *m);

#endif
