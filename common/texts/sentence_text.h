/* What is stated about published tables, in other languages: how a table was
 * read and what follows from what in it.  These sentences are English where
 * they are made.  Flags and exclusions of runs are remarks (remark.h).
 *
 *	sentence_text(a, "is not a count", LANGUAGE_ZH)  -> "不是个数"
 */
#ifndef COMMON_TEXTS_SENTENCE_TEXT_H
#define COMMON_TEXTS_SENTENCE_TEXT_H

#include "common/arena.h"
#include "common/texts/messages.h"

/* The sentence in that language; one that is not known stays as it is, for it
 * may be of another version.
 *
 * Returns a text in a, or english itself. */
const char *sentence_text(
    struct arena *a, const char *english, enum language lang);

#endif
