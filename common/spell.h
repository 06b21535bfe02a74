/* Words that are nearly right: what was meant? */
#ifndef COMMON_SPELL_H
#define COMMON_SPELL_H

#include <stddef.h>

/* How many letters have to be inserted, omitted, replaced or swapped with their
 * neighbour to make b of a (Damerau's distance, each letter changed once). */
size_t spell_distance(const char *a, const char *b);

/* The one of choices that is most like word: the fewest letters that have to be
 * inserted, omitted, replaced or swapped with their neighbour (Damerau,
 * "A technique for computer detection and correction of spelling errors",
 * CACM 1964), the first one of several.
 *
 * choices  ends with NULL
 *
 * Returns NULL if more than a third of word's letters (at least one) would have
 * to change, or if word has more than 63. */
const char *spell_nearest(const char *word, const char *const *choices);

#endif
