/* What formats found on the lines of a kind, kept from log to log: the logs of
 * one call are mostly one program's, and its lines of few kinds.  Lines are of
 * a kind if they differ in free digits only (digit_mask.h).  Internal to
 * extract/scan.
 *
 *	struct kind_memo *m = kind_memo_new();
 *	if (kind_memo_find(m, kind.masked, kind.len) == NULL)
 *		kind_memo_add(m, &kind);
 *	kind_memo_free(m);
 */
#ifndef EXTRACT_SCAN_DETECT_KIND_MEMO_H
#define EXTRACT_SCAN_DETECT_KIND_MEMO_H

#include <stddef.h>
#include <stdint.h>

/* Matches of a format on a line; its signs are not counted. */
struct kind_find {
	size_t format; /* its place in the set */
	int64_t n_steps, n_summaries;
};

/* A kind that is kept.  Formats that are not named found nothing. */
struct kind_entry {
	const struct kind_find *finds; /* [n_finds] */
	size_t n_finds;
	const size_t *unsure; /* [n_unsure] the formats, by their places, that
	                         its lines are not all alike to */
	size_t n_unsure;
	const char *masked; /* [len] */
	size_t len;
};

struct kind_memo;

/* An empty one; and free it. */
struct kind_memo *kind_memo_new(void);
void kind_memo_free(struct kind_memo *m);

/* The kind of lines with that copy [len], or NULL; good as long as m. */
const struct kind_entry *kind_memo_find(
    const struct kind_memo *m, const char *masked, size_t len);

/* Are there so many kinds that no other is kept? */
int kind_memo_is_full(const struct kind_memo *m);

/* Is it for the format to look at each line of that kind? */
int kind_entry_is_unsure(const struct kind_entry *x, size_t format);

/* Keep a kind that is not there, as long as there are not too many.
 *
 * kind  copied with all that it points to */
void kind_memo_add(struct kind_memo *m, const struct kind_entry *kind);

#endif
