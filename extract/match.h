/* The one place where patterns meet lines: the scanner, the detection, the
 * sample checks and --explain all ask here, so that they cannot disagree.
 * Internal to extract/.
 *
 * A matcher holds what PCRE2 needs for matching; give each thread its own.
 */
#ifndef EXTRACT_MATCH_H
#define EXTRACT_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format.h"
#include "extract/log.h"

struct recipe;

/* One match in a line.  All pointers are only good inside the taker. */
struct hit {
	const struct pattern *pattern;
	const char *text; /* [len] what the offsets count from: the line, or
	                     for formats with ^ what follows the prefix */
	size_t len;
	const size_t *ov;   /* PCRE2 offset pairs, by group */
	uint32_t n_ov;      /* pairs that are there */
	size_t base;        /* offset of text in the line */
	int32_t rank;       /* by a prefix, or SAMPLE_NONE */
	const char *worker; /* [worker_len] by a prefix, or NULL */
	size_t worker_len;
	int64_t hot; /* of a detail: number of the hot match on this line,
	                from 0, that it stands behind; -1: none */
	const struct recipe *recipe; /* of its numbers, or NULL */
	const char *line;            /* that the recipe is about */
};

struct matcher;

/* For formats and prefixes of set (may be NULL: no prefixes). */
struct matcher *matcher_new(const struct format_set *set);
void matcher_free(struct matcher *m);

/* Another log begins: forget the header rows of tables. */
void matcher_new_log(struct matcher *m);

/* Find what f's patterns say about one line.
 *
 * roles  set of WORD_IN(role) to look for.  Hot matches come first, each line
 *        any number of them; a hot match that an ignore pattern overlaps is
 *        given as a match of that ignore pattern instead.  With details asked
 *        for, those on the same line follow.  The other patterns are only
 *        asked about a line without hot or ignored match.
 * line   [len] without its end
 * take   called for each match in turn with arg
 *
 * Returns how many matches there were. */
typedef void hit_taker(void *arg, const struct hit *hit);
size_t matcher_line(struct matcher *m, const struct format *f, unsigned roles,
    const char *line, size_t len, hit_taker *take, void *arg);

/* The same for formats with format.plain and roles without details, made for
 * the scanner's inner loop: a line that has one match, at its start, is not
 * given to take but put into hit.
 *
 * Returns 1 if hit was filled; 0 if take got whatever there was. */
int matcher_plain(struct matcher *m, const struct format *f, unsigned roles,
    const char *line, size_t len, struct hit *hit, hit_taker *take, void *arg);

/* Ask one pattern about a text, from an offset on.
 *
 * hit  filled on success, with base, rank and hot cleared
 *
 * Returns 1 if it matches, 0 if not. */
int matcher_one(struct matcher *m, const struct pattern *p, const char *text,
    size_t len, size_t from, struct hit *hit);

/* How often a pattern gave up at its match limit since the matcher was made;
 * the counter lives as long as the matcher. */
const int64_t *matcher_limits(const struct matcher *m);

/* Name of the prefix pattern that gave the rank of the last line; NULL if none
 * did. */
const char *matcher_prefix_name(const struct matcher *m);

/* What a capture caught, or NULL if its group took no part. */
static inline const char *
hit_text(const struct hit *hit, const struct capture *c, size_t *len)
{
	size_t from, to;

	if (c->group >= hit->n_ov)
		return NULL;
	from = hit->ov[2 * c->group];
	to = hit->ov[2 * c->group + 1];
	/* PCRE2_UNSET is the greatest number; \K can put from behind to. */
	if (from > to || to > hit->len)
		return NULL;
	*len = to - from;
	return hit->text + from;
}

/* The number that a capture caught, in the unit of its word; NAN for "nan" and
 * the like.  Returns 0; -1 if there is none. */
int hit_number(const struct hit *hit, const struct capture *c, double *out);

/* Does the number go on behind the len bytes at text that c caught of it, as
 * behind 1.5 in "1.5e-05" or, where the comma is not the pattern's, behind 12
 * in "12,345"?
 *
 * room  bytes of the line from text on */
int capture_is_cut(
    const struct capture *c, const char *text, size_t len, size_t room);

/* A stamp's day is the same for many lines: keep the last one. */
struct stamp_cache {
	char day[16];
	size_t day_len;
	double day_s;
};

/* Make a sample out of a hot match in that line of the file.
 *
 * Returns 0; -1 if a number in it cannot be read or is nan: s is then not to be
 * used. */
int sample_from_hit(struct sample *s, int64_t line,
    const struct meaning *meaning, const struct hit *hit,
    struct stamp_cache *cache);

/* The value of a summary match in the unit of its word.  Returns 0 or -1. */
int summary_from_hit(
    double *value, const struct capture **c, const struct hit *hit);

#endif
