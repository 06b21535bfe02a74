/* Lines that were matched before, but for their digits.  Where no pattern tells
 * one digit from another, a line that differs from an earlier one in digits
 * only is matched by the same patterns at the same places; so the places are
 * kept and the patterns are not asked again.  Internal to extract/.
 *
 * Digits that stand behind a letter, '_' or '@' (Acc@1, fp16) must be equal, so
 * that patterns may name them.  pattern.blind says which patterns play along.
 *
 *	if (mould_replay(m, line, len, take, arg))
 *		return;
 *	mould_begin(m, line, len);
 *	... mould_add(m, hit, line) for each match ...
 *	mould_end(m);
 */
#ifndef EXTRACT_MOULD_H
#define EXTRACT_MOULD_H

#include <stddef.h>

#include "extract/match.h"

struct moulds;
struct mould;

/* A store for one scanner; and free it. */
struct moulds *moulds_new(void);
void moulds_free(struct moulds *all);

/* Forget all lines: another format, other roles. */
void moulds_clear(struct moulds *all);

/* Does a pattern treat all digits alike, but for those that it names behind a
 * letter, '_' or '@'?  What is not understood is a no. */
int mould_is_blind(const char *pattern);

/* Copy a line with the digits that are free put to '0': lines with the same
 * copy are matched alike by patterns that are blind.
 *
 * out  [len] */
void mould_mask(const char *line, size_t len, char *out);

/* Is such a line kept?  Then its matches are given to take, in their order.
 *
 * line  [len] without controls and bytes from 0x80 on
 *
 * Returns 1 if so, 2 if it is marked, 0 if not. */
int mould_replay(struct moulds *all, const char *line, size_t len,
    hit_taker *take, void *arg);

/* Does the text begin with a line like one of the last two, and its end?
 *
 * text  [len] no end of a line may be in front
 * of    out: the mould, for mould_give, until another line is kept
 *
 * Returns the length of the line, 0: it does not. */
size_t mould_again(
    struct moulds *all, const char *text, size_t len, struct mould **of);

/* Give such a line's matches to take. */
void mould_give(struct mould *m, const char *line, hit_taker *take, void *arg);

/* Keep a line that is being matched.  mould_add tells of each match; one that
 * bears a rank drops the line, because ranks are read from digits. */
void mould_begin(struct moulds *all, const char *line, size_t len);
void mould_add(struct moulds *all, const struct hit *hit);
void mould_end(struct moulds *all);

/* Mark the line that was kept or replayed last, if the last one was. */
void mould_mark(struct moulds *all);
int mould_is_marked(const struct mould *m);

#endif
